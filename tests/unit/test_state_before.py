"""What an older state of a memory is told to hold and to lack."""

from __future__ import annotations

import json
from pathlib import Path

from py_memory.browser import start


class NoPage:
    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the page is not asked for {name}")


def test_an_older_state_is_compared_with_the_present_one(tmp_path: Path) -> None:
    host = start(str(tmp_path / "memory.db"), NoPage())  # type: ignore[arg-type]

    def call(method: str, **kwargs: object) -> dict[str, object]:
        answer = host.dispatch(method, json.dumps(kwargs), "request")
        return dict(json.loads(str(answer))["value"])

    session = call("create_session")["id"]
    call("add_message", session_id=session, role="user", content="before")
    call("set_fact", key="user::diet", value="vegetarian")
    host.image(str(tmp_path / "older.db"))
    call("add_message", session_id=session, role="user", content="after")
    call("add_message", session_id=session, role="assistant", content="after it")
    call("set_fact", key="user::diet", value="vegan")
    told = json.loads(host.compare(str(tmp_path / "older.db")))["value"]
    assert told == {"messages": 1, "facts": 1, "newer": {"messages": 2, "facts": 1}}
    host.close()
