"""One request to a model, made again where the model fails in a way that passes and nothing has arrived yet.

What has been shown is never shown twice: once a piece of the answer is there, a failure is told.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from .cancelling import StoppedError, unless_cancelled
from .errors import ModelError, ModelInterruptedError, ModelOverloadedError, ModelRateLimitedError
from .records import Cancel, Delta, Model, Tool

__all__ = ["ATTEMPTS", "LONGEST_WAIT_MS", "Sleep", "replies"]

ATTEMPTS = 4
FIRST_WAIT_MS = 1_000  # doubled each time, and up to a quarter longer, so that many do not come back at once
LONGEST_WAIT_MS = 60_000  # a server that wants to be left alone for longer is the user's to decide about
_PASSES = (ModelRateLimitedError, ModelOverloadedError, ModelInterruptedError)

Sleep = Callable[[float], Awaitable[Any]]  # seconds
OnRetry = Callable[
    [ModelError, int, int], None
]  # what failed, the wait in ms, the number of the next attempt


def _wait_ms(error: ModelError, attempt: int) -> int | None:
    """How long to wait before the next attempt; None for an error that will not pass."""
    if not isinstance(error, _PASSES):
        return None
    wanted = error.retry_after_ms if isinstance(error, ModelRateLimitedError) else None
    backoff = int(FIRST_WAIT_MS * 2 ** (attempt - 1) * random.uniform(1, 1.25))
    wait = max(wanted or 0, backoff)
    return wait if wait <= LONGEST_WAIT_MS else None


async def replies(
    model: Model,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Tool],
    cancel: Cancel,
    *,
    sleep: Sleep,
    on_retry: OnRetry,
) -> AsyncGenerator[Delta, None]:
    """The model's deltas. Ends when `cancel` is set during a wait. Raises what the model raises at last."""
    for attempt in itertools.count(1):
        begun = False
        deltas = model.reply(messages, tools, cancel)
        try:
            async for delta in deltas:
                begun = begun or bool(delta.text or delta.tool_call)
                yield delta
            return
        except ModelError as error:
            wait = None if begun or attempt == ATTEMPTS else _wait_ms(error, attempt)
            if wait is None:
                raise
            on_retry(error, wait, attempt + 1)
        finally:
            await _close(deltas)
        try:
            await unless_cancelled(sleep(wait / 1000), cancel)
        except StoppedError:
            return
        if cancel.is_set():
            return


async def _close(deltas: AsyncIterator[Delta]) -> None:
    if close := getattr(deltas, "aclose", None) or getattr(deltas, "close", None):
        closing = close()
        if closing is not None:
            await closing
