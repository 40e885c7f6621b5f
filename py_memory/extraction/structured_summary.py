"""A model's summary, checked before it stands in the place of an extract.

A model is asked to answer with JSON after SUMMARY_SCHEMA. Each point must quote what was said word for word,
in a place that the guards leave visible; a point that does not is left out, and nothing that may be a secret
comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from py_memory.checks import read_json
from py_memory.errors import InvalidInputError, shown
from py_memory.records import Message, Summary
from py_memory.text import clean, detect_language

from .digest import MAX_ITEMS, MAX_TOPIC, Digest, compose
from .outcomes import quotable
from .refusals import MAX_READ
from .secrets import secret_spans

__all__ = ["SUMMARY_SCHEMA", "read_summary"]

MAX_POINT = 300  # characters
MAX_TEXT = 1200

_POINTS = {
    "type": "array",
    "maxItems": MAX_ITEMS,
    "items": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": MAX_POINT},
            "quote": {"type": "string", "description": "words of one message, exactly"},
        },
        "required": ["text", "quote"],
        "additionalProperties": False,
    },
}
SUMMARY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "topic": {"type": "string", "maxLength": MAX_TOPIC},
        "summary": {"type": "string", "maxLength": MAX_TEXT},
        "conclusions": _POINTS,
        "open_items": _POINTS,
    },
    "required": ["topic", "summary", "conclusions", "open_items"],
    "additionalProperties": False,
}


def read_summary(
    answer: str,
    messages: Sequence[Message],
    hidden: Callable[[Message], Iterable[str]],
    *,
    before: Summary | None = None,
) -> Digest:
    """The digest in a model's answer about `messages`. Where it names no conclusions or nothing open, those
    of the summary `before` it stay. Raises InvalidInputError for one that does not follow SUMMARY_SCHEMA, or
    that would put nothing in that one's place."""
    found = read_json(clean(answer)[0], "The model's summary")
    if not isinstance(found, dict) or found.keys() != SUMMARY_SCHEMA["properties"].keys():
        raise InvalidInputError(
            "The model's summary must be an object with topic, summary, conclusions and open_items."
        )
    visible = [quote for message in messages for _, quote in quotable(message.content)]
    closed = [word for message in messages for word in hidden(message) if word.strip()]
    private = [_private(message) for message in messages]

    def fits(text: str) -> bool:
        closed_here = any(word in text for word in closed) or any(
            word in text for words in private for word in words
        )
        return not closed_here and not secret_spans(text)

    topic = _text(found["topic"], "topic", MAX_TOPIC)
    text = _text(found["summary"], "summary", MAX_TEXT)
    conclusions = _points(found["conclusions"], "conclusions", visible, fits)
    open_items = _points(found["open_items"], "open_items", visible, fits)
    if before is not None:
        if not (topic or text or conclusions or open_items):
            raise InvalidInputError("The model's summary says nothing.")
        conclusions = conclusions or list(before.conclusions)
        open_items = open_items or list(before.open_items)
    language = detect_language("\n".join(message.content for message in messages if message.role == "user"))
    also = [text] if text and fits(text) else []
    content = compose("model", language, conclusions, open_items, also)
    return Digest(topic if topic and fits(topic) else None, content, tuple(conclusions), tuple(open_items))


def _private(message: Message) -> list[str]:
    """The secrets of a message, as words that must not come in through the model's own text."""
    text = message.content[:MAX_READ]
    return [text[begin:end] for begin, end in secret_spans(text)]


def _text(value: object, name: str, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit:
        raise InvalidInputError(f"The model's summary: {name} must be a text of at most {limit} characters.")
    return " ".join(value.split())


def _points(value: object, name: str, visible: Sequence[str], fits: Callable[[str], bool]) -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        raise InvalidInputError(f"The model's summary: {name} must be a list of at most {MAX_ITEMS} points.")
    out: list[str] = []
    for point in value:
        if not isinstance(point, dict) or point.keys() != {"text", "quote"}:
            raise InvalidInputError(f"A point of the model's summary is malformed: {shown(point, 80)}.")
        text = _text(point["text"], name, MAX_POINT)
        quote = _text(point["quote"], "quote", MAX_READ)
        if text and quote and any(quote in said for said in visible) and fits(text):
            out.append(text)
    return list(dict.fromkeys(out))
