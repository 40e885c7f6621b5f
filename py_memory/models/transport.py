"""How a request travels: sockets on CPython, fetch in the page. Both are handed in behind these protocols.

And waiting that ends at once when its user no longer wants to wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

from py_memory.errors import ModelError
from py_memory.records import Cancel

__all__ = ["Cancelled", "Response", "Transport", "wait_for"]

POLL_S = 0.05  # how soon a set `cancel` is seen

T = TypeVar("T")


class Response(Protocol):
    """An answer whose body is still coming."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Names in lower case."""
        ...

    async def read(self) -> bytes:
        """The next piece of the body, b"" at its end. Raises ModelError where the connection breaks."""
        ...

    def close(self) -> None:
        """Ends the connection at once, also in the middle of read()."""
        ...


class Transport(Protocol):
    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Returns when the headers have come; follows no redirect to another server. Cancelling the
        coroutine closes the connection. Raises ModelError."""
        ...


class Cancelled(Exception):
    """The user stopped what was being waited for."""


async def wait_for(work: Awaitable[T], cancel: Cancel, seconds: float, late: Callable[[], ModelError]) -> T:
    """The result of `work`. Raises Cancelled soon after `cancel` is set, and what `late` gives after
    `seconds`; then the work itself is cancelled too."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            left = until - loop.time()
            if cancel.is_set():
                raise Cancelled
            if left <= 0:
                raise late()
            await asyncio.wait({task}, timeout=min(left, POLL_S))
        return task.result()
    finally:
        if not task.done():
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            task.cancel()
