"""The models that only a page can run, reached over the worker's bridge to the page that serves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from py_memory.errors import ModelError
from py_memory.ids import uuid7
from py_memory.records import Cancel, Delta, Tool

from .failures import FAILURES, failure
from .transport import POLL_S

__all__ = ["Chosen", "PageBridge", "PageModel", "Unusable"]

_TURNS = frozenset({"system", "user", "assistant"})


class PageBridge(Protocol):
    """What the worker offers for this. `port_next` gives a promise of a step of the answer or of {"problem"},
    as JSON text; None at its end."""

    def port_ask(self, id: str, turns: str, /) -> None: ...

    def port_next(self, id: str, /) -> Any: ...

    def port_end(self, id: str, /) -> None: ...


class PageModel:
    """A model that runs in a page: a file on this device, or the browser's own. It gets no tools; what the
    memory knows stands in its prompt."""

    takes_tools = False
    context_tokens = 4096  # as web/src/models/device.ts loads a file; browsers' own take more

    def __init__(self, bridge: PageBridge, name: str) -> None:
        self._bridge, self.name = bridge, name

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        """See records.Model."""
        id = uuid7()
        turns = [
            {"role": message["role"], "content": message["content"]}
            for message in messages
            if message["role"] in _TURNS and message["content"]
        ]
        self._bridge.port_ask(id, json.dumps(turns))
        try:
            while True:
                step = asyncio.ensure_future(self._bridge.port_next(id))
                while not step.done():
                    if cancel.is_set():
                        step.cancel()
                        yield Delta(finish_reason="cancelled")
                        return
                    await asyncio.wait({step}, timeout=POLL_S)
                told = step.result()
                if told is None:
                    return
                yield self._delta(json.loads(told))
        finally:
            self._bridge.port_end(id)

    def _delta(self, told: Mapping[str, Any]) -> Delta:
        if problem := told.get("problem"):
            raise self._failure(problem, told.get("message", ""))
        return Delta(
            text=told.get("text", ""), usage=told.get("usage"), finish_reason=told.get("finish_reason")
        )

    def _failure(self, problem: str, message: str) -> ModelError:
        code = {"too_long": "context_too_long"}.get(problem, f"page_{problem}")
        return failure(code if code in FAILURES else "page_failed", model=self.name, reason=message[:300])


class Unusable:
    """In the place of a model that cannot be used as it is set up: each round says why."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        raise self._error


class Chosen:
    """The model that the user has chosen; another may take its place between two rounds."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        """What else it says of itself: its name, what it takes, its counter (see records.Model)."""
        if name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        model: AsyncIterator[Delta] = self.model.reply(messages, tools, cancel)
        return model
