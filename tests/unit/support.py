"""Running coroutines without an event loop, so that the same tests pass on CPython and inside the page."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["in_time", "run"]

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits for anything outside itself."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


class _NoFiles:
    """In the place of a selector: nothing comes from outside, so that time may jump to what comes next."""

    def __init__(self, loop: _JumpingLoop) -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("This waits for ever.")
        self._loop.now += max(timeout, 0.0)
        return []


class _JumpingLoop(asyncio.BaseEventLoop):
    """An event loop whose time stands still while something runs and jumps where all wait."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._selector = _NoFiles(self)

    def time(self) -> float:
        return self.now

    def _process_events(self, events: list[Any]) -> None:
        pass


def in_time(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for time, tasks or flags, without any time passing. Inside the
    page, too, where the browser's own loop cannot be run from a test."""
    before = asyncio._get_running_loop()
    task = asyncio.current_task() if before else None
    if before and task:
        asyncio.tasks._leave_task(before, task)
    asyncio._set_running_loop(None)
    loop = _JumpingLoop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        asyncio._set_running_loop(before)
        if before and task:
            asyncio.tasks._enter_task(before, task)
