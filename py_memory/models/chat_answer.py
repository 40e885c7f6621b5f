"""What an OpenAI-compatible server answers, streamed or whole, as deltas; and what its errors mean.

The shapes are those of OpenAI's API reference for chat completions; where servers differ (Ollama, llama.cpp,
LM Studio, vLLM, gateways) the difference is noted beside the line that allows for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from py_memory.checks import read_json
from py_memory.errors import InvalidInputError, ModelError, TooLargeError
from py_memory.records import Delta, ModelInfo, ToolCallDelta
from py_memory.text import clean

from .failures import failure
from .sse import EventDecoder

__all__ = ["StreamedAnswer", "error_of", "models_in", "whole_answer"]

MAX_SAID_CHARACTERS = 300
UNSAID_WAIT_S = 60  # told where a busy server does not say how long; most count requests by the minute
_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")
_REASONS = {"function_call": "tool_calls", "max_tokens": "length", "eos": "stop", "end_turn": "stop"}
_TOO_LONG = (
    "context_length_exceeded",
    "context length",
    "context size",
    "context_size",
    "context window",
    "maximum context",
    "context the overflows",  # LM Studio
    "prompt is too long",
    "input is too long",
)
_NO_MODEL = ("not found", "does not exist", "no such model", "unknown model", "invalid model", "not loaded")


class StreamedAnswer:
    """Bytes of a text/event-stream in, deltas out. `details` (server, model) are for the errors."""

    def __init__(self, details: Mapping[str, object]) -> None:
        self._details = details
        self._events = EventDecoder()
        self._reading = _Reading(details)
        self.done = False

    def feed(self, data: bytes) -> Iterator[Delta]:
        """Raises ModelError for an error the server sends, and for what is no answer."""
        try:
            for event in self._events.feed(data):
                yield from self._event(event)
        except TooLargeError:
            raise failure("bad_answer", **self._details) from None

    def end(self) -> Iterator[Delta]:
        """Raises ModelError where the stream ended without the end of the answer."""
        for event in self._events.end():
            yield from self._event(event)
        if not (self.done or self._reading.finished):
            raise failure("interrupted", **self._details)

    def _event(self, event: str) -> Iterator[Delta]:
        if self.done or not event.strip():
            return
        if event.strip() == "[DONE]":
            self.done = True
            return
        try:
            chunk = _object(event)
        except InvalidInputError:
            lines = event.split("\n")
            if len(lines) < 2:
                raise failure("bad_answer", **self._details) from None
            for line in lines:  # a server that leaves out the empty lines between events
                yield from self._event(line)
            return
        if error := chunk.get("error"):
            status = error.get("code") if isinstance(error, dict) else None
            raise error_of(status if type(status) is int else 500, event, self._details)
        yield from self._reading.deltas(chunk, "delta")


def whole_answer(text: str, details: Mapping[str, object]) -> Iterator[Delta]:
    """The deltas of an answer that came as one JSON object. Raises ModelError."""
    try:
        found = _object(text)
    except InvalidInputError:
        raise failure("bad_answer", **details) from None
    if found.get("error"):
        raise error_of(500, text, details)
    if not isinstance(found.get("choices"), list) or not found["choices"]:
        raise failure("bad_answer", **details)
    yield from _Reading(details).deltas(found, "message")


def models_in(text: str, details: Mapping[str, object]) -> list[ModelInfo]:
    """The models in an answer of /v1/models. Raises ModelError."""
    try:
        found = _object(text)
    except InvalidInputError:
        raise failure("not_a_server", **details) from None
    data = found.get("data")
    if data is None and found.get("object") == "list":  # Ollama without any model
        data = []
    if not isinstance(data, list):
        raise failure("not_a_server", **details)
    entries = [entry for entry in data if isinstance(entry, dict)]
    return [
        ModelInfo(clean(entry["id"])[0], _context_of(entry))
        for entry in entries
        if isinstance(entry.get("id"), str) and entry["id"]
    ]


def _context_of(entry: Mapping[str, Any]) -> int | None:
    """Each server has its own name for it. What a model was trained with (llama.cpp's n_ctx_train) is not
    what it runs with."""
    meta = entry.get("meta")
    for holder in (entry, meta if isinstance(meta, dict) else {}):
        for name in ("max_model_len", "context_length", "max_context_length", "n_ctx"):
            if type(holder.get(name)) is int and holder[name] > 0:
                return int(holder[name])
    return None


class _Reading:
    """Deltas out of the chunks of one answer."""

    def __init__(self, details: Mapping[str, object]) -> None:
        self._details = details
        self._calls = _Calls()
        self._spoken = False
        self.finished = False

    def deltas(self, chunk: Mapping[str, Any], part: str) -> Iterator[Delta]:
        """`part` is where the chunk has its text: "delta" or "message"."""
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        delta = choice.get(part)
        if isinstance(delta, dict):
            if text := _text(delta.get("content")) or _text(delta.get("refusal")):
                self._spoken = True
                yield Delta(text=text)
            pieces = delta.get("tool_calls")
            for piece in pieces if isinstance(pieces, list) else ():
                if isinstance(piece, dict):
                    self._spoken = True
                    yield Delta(tool_call=self._calls.piece(piece))
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            counts = {
                name: usage[name] for name in _USAGE if type(usage.get(name)) is int and usage[name] >= 0
            }
            if counts:
                yield Delta(usage=counts)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finished = True
            if reason == "content_filter" and not self._spoken:
                raise failure("filtered", **self._details)
            yield Delta(finish_reason=_REASONS.get(reason, clean(reason)[0][:40]))


class _Calls:
    """Which call a piece belongs to. Some servers send no index, or 0 for every call, each whole and with an
    id of its own."""

    def __init__(self) -> None:
        self._count = 0
        self._by_id: dict[tuple[int | None, str], int] = {}  # (the server's index, id) → ours
        self._newest: dict[int | None, int] = {}  # the server's index → the newest of ours

    def piece(self, call: Mapping[str, Any]) -> ToolCallDelta:
        index, id = call.get("index"), call.get("id")
        index = index if type(index) is int else None
        id = clean(id)[0] if isinstance(id, str) else ""
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        name, arguments = function.get("name"), function.get("arguments")
        name = clean(name)[0] if isinstance(name, str) and name else None
        if isinstance(arguments, dict | list):  # Ollama's own shape
            arguments = json.dumps(arguments, ensure_ascii=False)
        ours = self._ours(index, id, begins=index is None and name is not None)
        return ToolCallDelta(ours, id or None, name, arguments if isinstance(arguments, str) else "")

    def _ours(self, index: int | None, id: str, *, begins: bool) -> int:
        newest = self._newest.get(index)
        if id and (index, id) in self._by_id:
            return self._by_id[(index, id)]
        if newest is None or (begins if not id else newest in self._by_id.values()):
            newest = self._newest[index] = self._count
            self._count += 1
        if id:
            self._by_id[(index, id)] = newest
        return newest


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # Mistral's parts
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def _object(text: str) -> dict[str, Any]:
    found = read_json(text, "The model's answer")
    if not isinstance(found, dict):
        raise InvalidInputError("The model's answer is no JSON object.")
    return found


def error_of(status: int, body: str, details: Mapping[str, object], key: str = "") -> ModelError:
    """The failure that an error answer means. `key` is taken out of what the server said."""
    said, code = _said(body)
    if key:
        said = said.replace(key, "…")
    said = " ".join(clean(said)[0].split())[:MAX_SAID_CHARACTERS]
    words = f"{said} {code}".lower()
    known = {"seconds": UNSAID_WAIT_S, **details, "status": status, "said": said}
    about_model = "model" in words and any(part in words for part in _NO_MODEL)
    if any(part in words for part in _TOO_LONG) or status == 413:
        name = "context_too_long"
    elif status == 401:
        name = "wrong_key" if key else "no_key"
    elif status == 402 or "insufficient_quota" in words:
        name = "quota"
    elif status == 403:
        name = "forbidden"
    elif status == 429:
        name = "rate_limited"
    elif about_model and status in (400, 404, 422, 500):
        name = "model_not_found"
    elif status == 503 and "loading" in words:
        name = "loading"
    elif status in (408, 502, 503, 504, 529):
        name = "overloaded"
    elif status in (404, 405, 501):
        name = "not_a_server"
    elif status >= 500:
        name = "server_error"
    else:
        name = "refused"
    return failure(name, **known)


def _said(body: str) -> tuple[str, str]:
    """The words of an error, and its code or type."""
    try:
        found = _object(body)
    except InvalidInputError:
        return "", ""  # a page of HTML says nothing to a person
    error = found.get("error", found)
    if isinstance(error, str):
        return error, ""
    if not isinstance(error, dict):
        return "", ""
    said = next((error[name] for name in ("message", "detail") if isinstance(error.get(name), str)), "")
    return said, " ".join(str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str))
