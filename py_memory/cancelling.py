"""Waiting that a cancel flag ends. A flag that can be waited for, such as asyncio.Event, ends it at once; one
that can only be looked at ends it when what is waited for comes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from .records import Cancel

__all__ = ["StoppedError", "unless_cancelled"]

T = TypeVar("T")


class StoppedError(Exception):
    """The user has pressed Stop; what was waited for is given up."""


async def unless_cancelled(waiting: Awaitable[T], cancel: Cancel) -> T:
    """The result of `waiting`. Raises StoppedError once `cancel` is set, and gives `waiting` up."""
    wait = getattr(cancel, "wait", None)
    if wait is None:
        return await waiting
    work, stop = asyncio.ensure_future(waiting), asyncio.ensure_future(wait())
    try:
        await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        raise StoppedError
    finally:
        stop.cancel()
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
