"""A task that acts on the world, in a process that kills itself at a chosen instant, and what must hold
after.

The instants are those before each SQL statement (which is after the one before), after each effect, and at
each durable barrier. The effects are lines in a file outside the memory: each may be there once.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from py_memory import ChatAgent, MemoryStore
from py_memory.records import Cancel, Delta, Tool, ToolCallDelta

__all__ = ["FOREVER", "instants", "prepare", "trial"]

TASK, TASK_ID = "Please bump both counters", "0190a0b0-0000-7000-8000-0000000000aa"
FOREVER = 1 << 60  # an instant that never comes
_STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("task_plan", {"goal": "bump both", "steps": ["first", "second"]}),
    ("bump", {"n": 1}),
    ("task_step", {"number": 1, "status": "done"}),
    ("bump", {"n": 2}),
    ("task_step", {"number": 2, "status": "done"}),
)


class Reckless:
    """A model that does the task without looking, also when a session has just been taken up again."""

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        last = max(number for number, message in enumerate(messages) if message["role"] == "user")
        made = sum(message["role"] == "tool" for message in messages[last:])
        acts = messages[last]["content"] == TASK or "was resumed" in messages[0]["content"]
        if acts and made < len(_STEPS):
            name, arguments = _STEPS[made]
            yield Delta(tool_call=ToolCallDelta(0, f"c{made}", name, str(arguments).replace("'", '"')))
        else:
            yield Delta("All done.")


def prepare(template: Path) -> None:
    """A memory in which something has happened before."""
    store = MemoryStore(template)
    session = store.create_session("Counters").id
    store.add_message(session, "user", "There are two counters")
    store.set_fact("user::likes", "counting")
    store.close()


def _open(folder: Path, at: Callable[[str], None]) -> tuple[MemoryStore, ChatAgent]:
    connection = sqlite3.connect(folder / "memory.db", check_same_thread=False)
    connection.set_trace_callback(lambda _: at("statement"))
    store = MemoryStore(connection)

    async def bump(n: int) -> dict[str, int]:
        with (folder / "effects").open("a") as file:
            file.write(f"{n}\n")
            file.flush()
            os.fsync(file.fileno())
        at("effect")
        return {"n": n}

    async def durable() -> None:
        at("barrier")

    store.durable = durable
    tool = Tool("bump", "Bumps a counter.", {"type": "object"}, bump, validate=_can_be_done, asks=False)
    return store, ChatAgent(store, Reckless(), [tool])


async def _can_be_done(params: Mapping[str, Any]) -> bool:
    return params["n"] in (1, 2)


def _do_task(folder: Path, kill_at: int, kinds: list[str]) -> None:
    def at(kind: str) -> None:
        kinds.append(kind)
        if len(kinds) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    store, agent = _open(folder, at)
    asyncio.run(agent.chat_round(None, TASK, message_id=TASK_ID))
    store.close()


def instants(folder: Path, template: Path) -> list[str]:
    """The kind of every instant of a task that is not killed: "statement", "effect" or "barrier"."""
    _fresh(folder, template)
    kinds: list[str] = []
    _do_task(folder, FOREVER, kinds)
    _check(folder)
    assert _effects(folder) == ["1", "2"]
    return kinds


def trial(folder: Path, template: Path, kill_at: int) -> str | None:
    """Kills the task at that instant, in a process of its own, and checks in another one what it left and
    that the session goes on. Returns what is wrong, None if nothing is."""
    _fresh(folder, template)
    status = _in_child(lambda: _do_task(folder, kill_at, []), folder)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        return f"instant {kill_at}: the task was not killed ({status})"
    if _in_child(lambda: _check(folder), folder) != 0:
        return f"instant {kill_at}: {(folder / 'problem').read_text()}"
    return None


def _fresh(folder: Path, template: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(template, folder / "memory.db")


def _effects(folder: Path) -> list[str]:
    file = folder / "effects"
    return file.read_text().split() if file.exists() else []


def _in_child(work: Callable[[], None], folder: Path) -> int:
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1]
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        (folder / "problem").write_text(traceback.format_exc())
    finally:
        sys.stdout.flush()
        os._exit(code)


def _check(folder: Path) -> None:
    """Goes on after a kill: the same round again, then another message."""
    store, agent = _open(folder, lambda kind: None)
    assert store.database.integrity_check() == []
    assert store.verify().ok
    before = _effects(folder)
    assert len(before) == len(set(before)), before
    for effect in before:  # what happened had been noted before it did
        assert effect in {str(call.input["n"]) for call in _calls(store)}, "an effect without a record"

    reply = asyncio.run(agent.chat_round(None, TASK, message_id=TASK_ID))
    assert reply.status in ("complete", "stopped")
    assert reply.content.strip()
    again = _effects(folder)
    assert len(again) == len(set(again)), again
    if before:
        assert again == before, "the round acted on by itself after it had been cut off"

    _, new_agent = _open(folder, lambda kind: None)
    answer = asyncio.run(new_agent.chat_round(None, "What about the counters now"))
    assert answer.status == "complete"
    assert _effects(folder) == again, "a session that was taken up again acted unasked"
    for call in _calls(store):
        assert call.status in ("success", "unknown", "cancelled", "proposed")
        if call.status == "success":
            assert str(call.input["n"]) in again, "a success that did not happen"
    texts = [message.content for message in store.list_messages(reply.session_id)]
    assert texts.count(TASK) == 1
    assert store.database.integrity_check() == []
    assert store.verify().ok
    store.close()


def _calls(store: MemoryStore) -> list[Any]:
    calls = [call for session in store.list_sessions() for call in store.list_tool_calls(session.id)]
    return [call for call in calls if call.tool_name == "bump"]
