"""Models through the page: HTTP by its fetch, and the models that only a page can run.

Both go over the worker's bridge, whose functions give promises and take texts; nothing here imports `js`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from py_memory.errors import ModelError
from py_memory.ids import uuid7
from py_memory.records import Cancel, Delta, Tool

from .failures import FAILURES, failure
from .transport import POLL_S, Response

__all__ = ["Chosen", "PageBridge", "PageModel", "PageTransport", "Unusable"]

_TURNS = frozenset({"system", "user", "assistant"})


class PageBridge(Protocol):
    """What the worker offers for this. `http_send` gives {"status", "headers"} or {"reason", "origin"} as
    JSON text; `http_read` bytes, a text where the body broke off, None at its end; `port_next` a step of the
    answer or {"problem"} as JSON text, None at its end."""

    def http_send(self, id: str, request: str, /) -> Any: ...

    def http_read(self, id: str, /) -> Any: ...

    def http_end(self, id: str, /) -> None: ...

    def port_ask(self, id: str, turns: str, /) -> None: ...

    def port_next(self, id: str, /) -> Any: ...

    def port_end(self, id: str, /) -> None: ...


class PageTransport:
    """A models.transport.Transport made of the worker's fetch."""

    def __init__(self, bridge: PageBridge) -> None:
        self._bridge = bridge

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        server = urlsplit(url).netloc
        id = uuid7()
        request = {"method": method, "url": url, "headers": dict(headers), "body": body.decode() or None}
        try:
            head = json.loads(await self._bridge.http_send(id, json.dumps(request)))
        except asyncio.CancelledError:
            self._bridge.http_end(id)
            raise
        if reason := head.get("reason"):
            raise failure(_CODES.get(reason, "unreachable"), server=server, origin=head["origin"])
        if head["status"] == 0:  # the browser does not say where to
            raise failure("redirected_elsewhere", server=server)
        return _PageResponse(self._bridge, id, server, head["status"], head["headers"])


# The worker's word for why a request failed → failures.py. Nothing there and no word of CORS look the same to
# a page, so where the worker could not tell them apart either, the sentence names both.
_CODES = {
    "policy": "policy",
    "permission": "permission",
    "mixed": "mixed",
    "offline": "offline",
    "cors": "blocked",
    "cors_local": "blocked_local",
    "unreachable": "unreachable",
}


class _PageResponse:
    def __init__(
        self, bridge: PageBridge, id: str, server: str, status: int, headers: Mapping[str, str]
    ) -> None:
        self._bridge, self._id, self._server = bridge, id, server
        self.status, self.headers = status, headers

    async def read(self) -> bytes:
        piece = await self._bridge.http_read(self._id)
        if piece is None:
            return b""
        if isinstance(piece, str):
            raise failure("interrupted", server=self._server)
        data: bytes = piece.to_bytes()
        return data

    def close(self) -> None:
        self._bridge.http_end(self._id)


class PageModel:
    """A model that runs in a page: on this device (`kind` "device") or the browser's own ("browser"). It gets
    no tools; what the memory knows stands in its prompt."""

    takes_tools = False

    def __init__(self, bridge: PageBridge, kind: str) -> None:
        self._bridge, self._kind = bridge, kind

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
        return failure(code if code in FAILURES else "page_failed", model=self._kind, reason=message[:300])


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

    @property
    def names_its_uses(self) -> bool:
        return bool(getattr(self.model, "names_its_uses", False))

    def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        model: AsyncIterator[Delta] = self.model.reply(messages, tools, cancel)
        return model
