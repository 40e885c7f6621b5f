"""A round costs the same in a long session and in a short one. Counted are steps of SQLite's machine, so that
nothing is timed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from py_memory import ChatAgent, MemoryStore, OfflineAssistant
from py_memory.records import Delta
from tests.unit.conftest import SteppedClock
from tests.unit.support import run


class Echo:
    async def reply(self, messages: Any, tools: Any, cancel: Any) -> AsyncIterator[Delta]:
        yield Delta("I see.")


def steps_of_rounds(messages: int, model: Any) -> int:
    """Of ten rounds, among them two that make a summary, after so many messages."""
    clock = SteppedClock()
    store = MemoryStore(":memory:", clock=clock)
    session = store.create_session().id
    for at in range(0, messages, 50):
        with store.action():
            for n in range(at, at + 50):
                clock.advance(seconds=30)
                store.add_message(session, "assistant" if n % 2 else "user", f"We talked about number {n}.")
            store.summarise(session)
    while store.idle_work(1000):
        pass
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    store.database.connection.set_progress_handler(count, 10)
    for n in range(10):
        clock.advance(seconds=30)
        run(ChatAgent(store, model).chat_round(session, f"The bus was late again, {n}."))
    store.database.connection.set_progress_handler(None, 10)
    assert len(store.list_summaries(session, level=1)) == messages // 50 + 2
    return steps


@pytest.mark.parametrize("model", [Echo(), OfflineAssistant()])
def test_a_round_does_not_grow_with_its_session(model: Any) -> None:
    short, long = steps_of_rounds(200, model), steps_of_rounds(2000, model)
    assert short > 100
    assert long < 1.5 * short
