"""Any server that speaks OpenAI's chat protocol: Ollama, LM Studio, llama.cpp, vLLM, and the cloud's.

The same class on CPython, over sockets, and in the page, which hands in a transport made of fetch. The key
lives in this object alone: it goes into one header, and into no database, export, log, message or address.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from py_memory.errors import InvalidInputError, ModelAddressError, ModelError
from py_memory.records import Cancel, Delta, ModelInfo, Tool

from .address import server_address, shown_address
from .chat_answer import StreamedAnswer, error_of, models_in, whole_answer
from .failures import failure
from .sockets import SocketTransport
from .transport import Cancelled, Response, Transport, wait_for

__all__ = ["OpenAIModel", "Patience"]

MAX_WHOLE_BYTES = 64 * 1024 * 1024  # of an answer that is not streamed
MAX_ERROR_BYTES = 64 * 1024
MAX_REDIRECTS = 3
# Fields that some servers do not know, and the words by which they complain.
_OPTIONAL = {
    "stream_options": ("stream_options",),
    "response_format": ("response_format", "json_schema", "structured output", "grammar"),
    "tools": ("not support tools", "tool use is not supported", "tools are not supported", "--jinja"),
}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited, in seconds: for an answer to begin (a local model may have to be loaded, and a long
    prompt be read), and from one piece of it to the next."""

    start_s: float = 300
    idle_s: float = 60


class _Key:
    """The key, which shows itself nowhere."""

    __slots__ = ("_text",)

    def __init__(self, text: str | None) -> None:
        text = text.strip() if isinstance(text, str) else text
        if text is not None and not (
            isinstance(text, str) and text.isascii() and text.isprintable() and " " not in text
        ):
            raise InvalidInputError(
                "This is no key: a key is one word of Latin letters, digits and signs. Copy it again."
            )
        self._text = text or ""

    def __repr__(self) -> str:
        return "<key>" if self._text else "<no key>"

    def __reduce__(self) -> tuple[type[_Key], tuple[None]]:
        return _Key, (None,)  # a copy in a file has none

    def reveal(self) -> str:
        return self._text


class _Nobody:
    def is_set(self) -> bool:
        return False


class OpenAIModel:
    """A model on a server.

    `url` is the server's address, with or without /v1; without `name` its first model answers. `options` go
    into each request as they are: {"temperature": 0}. Raises ModelAddressError for what is no address, and
    InvalidInputError for what is no key.
    """

    def __init__(
        self,
        url: str,
        name: str | None = None,
        *,
        key: str | None = None,
        options: Mapping[str, Any] | None = None,
        patience: Patience | None = None,
        transport: Transport | None = None,
    ) -> None:
        self._key = _Key(key)
        self._address = server_address(url, has_key=bool(self._key.reveal()))
        self._name = name or None
        self._options = dict(options or {})
        self._patience = patience or Patience()
        self._transport = transport or SocketTransport()
        self.context_tokens: int | None = None  # of prompt and answer together, once the server has said so
        self._left_out: set[str] = set()  # fields that this server has complained about
        self._schema: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return f"OpenAIModel({self._address.base!r}, {self._name!r})"

    @property
    def name(self) -> str | None:
        """The model's name; None until the server has been asked which it has."""
        return self._name

    @property
    def takes_tools(self) -> bool:
        """False once the server has said that this model cannot call tools: it answers without."""
        return "tools" not in self._left_out

    def in_json(self, schema: Mapping[str, Any]) -> OpenAIModel:
        """The same model, held to answer with one JSON value after `schema` where its server can do that."""
        held = copy.copy(self)
        held._schema = schema
        return held

    async def list_models(self, cancel: Cancel | None = None) -> list[ModelInfo]:
        """What the server offers; [] once `cancel` is set. Raises ModelError."""
        try:
            return await self._models(cancel or _Nobody())
        except Cancelled:
            return []

    async def meet(self) -> str:
        """Asks the server which models it has and how much this one takes, and returns this one's name; where
        none was given it is that of the first model for chatting. Raises ModelError."""
        try:
            await self._models(_Nobody())
        except ModelAddressError:
            if self._name is None:  # else a server without a list may know the model all the same
                raise
        if self._name is None:
            raise failure("no_models", **self._details)
        return self._name

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        """See records.Model. A busy server is not asked again here: ChatAgent does so and tells its user."""
        try:
            if self._name is None:
                await self._models(cancel)
            if self._name is None:
                raise failure("no_models", **self._details)
            response = await self._begin(messages, tools, cancel)
            try:
                if "json" in response.headers.get("content-type", ""):  # streaming is beyond this server
                    text = await self._whole(response, cancel)
                    for delta in whole_answer(text, self._details):
                        yield delta
                    return
                answer = StreamedAnswer(self._details)
                begun = False
                while data := await self._read(response, cancel, begun):
                    begun = True
                    for delta in answer.feed(data):
                        yield delta
                    if answer.done:
                        return
                for delta in answer.end():
                    yield delta
            finally:
                response.close()
        except Cancelled:
            yield Delta(finish_reason="cancelled")

    # -- requests --

    @property
    def _details(self) -> dict[str, object]:
        return {"server": self._address.server, "model": self._name or "?"}

    async def _models(self, cancel: Cancel) -> list[ModelInfo]:
        """What the server offers. Of that this model takes a name, where it has none, and its context."""
        response = await self._ask("GET", "/models", b"", cancel)
        try:
            found = models_in(await self._whole(response, cancel), self._details)
        finally:
            response.close()
        names = [model.id for model in found]
        if self._name is None and names:
            self._name = next((name for name in names if "embed" not in name.lower()), names[0])
        known = {model.id: model.context_tokens for model in found}
        self.context_tokens = known.get(self._name or "") or self.context_tokens
        return found

    async def _begin(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> Response:
        """The response of a server that has begun to answer; without the fields that it does not know."""
        while True:
            body = self._body(messages, tools)
            try:
                return await self._ask("POST", "/chat/completions", body, cancel)
            except ModelError as error:
                if not (complaint := self._complaint(error, json.loads(body))):
                    raise
                self._left_out.add(complaint)

    def _body(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool]) -> bytes:
        body: dict[str, Any] = {
            **self._options,
            "model": self._name,
            "messages": list(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            body["tools"] = [_as_function(tool) for tool in tools]
        if self._schema is not None:
            named = {"name": "answer", "schema": self._schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        for name in self._left_out:
            body.pop(name, None)
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    def _complaint(self, error: ModelError, body: Mapping[str, Any]) -> str | None:
        status, said = error.details.get("status"), str(error.details.get("said", "")).lower()
        if status in (400, 422, 500, 501):
            for name, words in _OPTIONAL.items():
                if name in body and any(part in said for part in words):
                    return name
        return None

    async def _ask(self, method: str, path: str, body: bytes, cancel: Cancel) -> Response:
        """The response of a server that has said yes. Raises ModelError."""
        response = await self._send(method, self._address.base + path, body, cancel)
        if response.status != 200:
            raise await self._refusal(response, cancel)
        if "html" in response.headers.get("content-type", "").lower():
            response.close()
            raise failure("not_a_server", **self._details)
        return response

    async def _send(self, method: str, url: str, body: bytes, cancel: Cancel) -> Response:
        """One request; redirects are followed on the same server only, so that the key goes nowhere else."""
        for _ in range(MAX_REDIRECTS + 1):
            headers = {"Accept": "text/event-stream, application/json"}
            if body:
                headers["Content-Type"] = "application/json"
            if key := self._key.reveal():
                headers["Authorization"] = f"Bearer {key}"
            response = await wait_for(
                self._transport.send(method, url, headers, body),
                cancel,
                self._patience.start_s,
                self._no_start,
            )
            if response.status not in (301, 302, 303, 307, 308):
                return response
            response.close()
            target = urljoin(url, response.headers.get("location", ""))
            if not self._address.holds(target) or (body and response.status not in (307, 308)):
                raise failure("redirected", **self._details, address=shown_address(target))
            url = target
        raise failure("not_a_server", **self._details)

    async def _refusal(self, response: Response, cancel: Cancel) -> ModelError:
        """What an answer other than success means."""
        try:
            body = await self._whole(response, cancel, MAX_ERROR_BYTES)
        except ModelError:
            body = ""
        finally:
            response.close()
        details = dict(self._details)
        if (wait := _retry_after(response.headers)) is not None:
            details |= {"seconds": max(1, math.ceil(wait)), "retry_after_ms": round(wait * 1000)}
        return error_of(response.status, body, details, self._key.reveal())

    async def _read(self, response: Response, cancel: Cancel, begun: bool = True) -> bytes:
        """Some servers send their headers before they have read the prompt."""
        if begun:
            return await wait_for(response.read(), cancel, self._patience.idle_s, self._stalled)
        return await wait_for(response.read(), cancel, self._patience.start_s, self._no_start)

    async def _whole(self, response: Response, cancel: Cancel, most: int = MAX_WHOLE_BYTES) -> str:
        pieces: list[bytes] = []
        while data := await self._read(response, cancel):
            pieces.append(data)
            most -= len(data)
            if most < 0:
                raise failure("bad_answer", **self._details)
        return b"".join(pieces).decode("utf-8", "replace")

    def _no_start(self) -> ModelError:
        return failure("no_start", **self._details, seconds=self._patience.start_s)

    def _stalled(self) -> ModelError:
        return failure("stalled", **self._details, seconds=self._patience.idle_s)


def _as_function(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds: RFC 9110, section 10.2.3, which has them as a number or as a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return min(max(float(value), 0), 86_400) if value.replace(".", "", 1).isdecimal() else _until(value)
    except (ValueError, TypeError, OverflowError):
        return None


def _until(date: str) -> float:
    from email.utils import parsedate_to_datetime  # rarely needed, and large

    left = parsedate_to_datetime(date) - datetime.now(UTC)
    return min(max(left.total_seconds(), 0), 86_400)
