"""Pages made while the answer to the one before is waited for leave only where nothing has changed since."""

from __future__ import annotations

import pytest

from py_memory import MemoryStore
from py_memory.sync import engine
from py_memory.sync.engine import Answer, Call, SyncRun

from .conftest import SteppedClock
from .sync_support import Server, cut_off, dump, filled, lose, pushes, server_dump

Made = list[bool]


@pytest.fixture
def server(clock: SteppedClock) -> Server:
    return Server(clock)


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Made:
    """For each page that follows another one, whether it had been made ahead. Pages hold two changes."""
    monkeypatch.setattr(engine, "MAX_PUSH_MUTATIONS", 2)
    found: Made = []
    put_next = SyncRun._put_next

    def noting(run: SyncRun, ahead: engine.Page | None = None) -> bool:
        found.append(ahead is not None)
        return put_next(run, ahead)

    monkeypatch.setattr(SyncRun, "_put_next", noting)
    return found


def sessions(clock: SteppedClock, count: int) -> tuple[MemoryStore, list[str]]:
    memory = MemoryStore(":memory:", clock=clock)
    ids = []
    for number in range(count):
        ids.append(memory.create_session(f"Chat {number}").id)
        clock.advance(seconds=1)
    return memory, ids


def test_a_long_sync_makes_its_pages_ahead(server: Server, clock: SteppedClock, used: Made) -> None:
    memory, user = filled(clock, count=9), server.user()
    server.sync(memory, server.token(user))
    assert server_dump(server, user) == dump(memory)
    assert sum(used) >= 8


def test_what_changes_meanwhile_leaves_as_it_is_then(server: Server, clock: SteppedClock, used: Made) -> None:
    user = server.user()
    memory, ids = sessions(clock, 16)

    def change(call: Call, answer: Answer) -> Answer:
        sent = pushes(server)[-1] if call.method == "POST" else []
        if ids[-3] in [mutation["id"] for mutation in sent]:  # the last one is in the next page
            memory.rename_session(ids[-1], "Renamed")
        return answer

    server.on_answer = change
    server.sync(memory, server.token(user))
    there = server_dump(server, user)
    assert there == dump(memory)
    assert "Renamed" in [row["title"] for row in there["sessions"]]
    assert True in used


def test_what_changes_on_its_way_leaves_after_it(server: Server, clock: SteppedClock, used: Made) -> None:
    user = server.user()
    memory, ids = sessions(clock, 3)
    token = server.token(user)
    server.sync(memory, token)
    memory.rename_session(ids[0], "Once")
    server.on_call = lambda call: lose() if call.method == "POST" else None
    cut_off(server, memory, token)
    server.on_call = lambda call: None
    # The page on its way is sent again, and holds this row as it was.
    memory.rename_session(ids[0], "Twice")
    memory.rename_session(ids[1], "Other")
    memory.rename_session(ids[2], "Another")
    server.sync(memory, token)
    there = server_dump(server, user)
    assert there == dump(memory)
    assert {row["title"] for row in there["sessions"]} == {"Twice", "Other", "Another"}
    assert memory.sync_conflicts() == []
