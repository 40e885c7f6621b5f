"""Running coroutines without an event loop, so that the same tests pass on CPython and inside the page."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run"]

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits for anything outside itself."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
