"""What a language model noticed, checked before it may wait for the user like what the rules found.

A model is asked to answer with JSON after SCHEMA. Nothing in its answer is believed: each fact must quote the
message word for word, in a place that the guards leave visible.
"""

from __future__ import annotations

from typing import Any

from py_memory.checks import read_json
from py_memory.errors import InvalidInputError, shown
from py_memory.text import clean

from .days import day_spoken_of
from .masking import MASK, masked
from .refusals import refusal

__all__ = ["SCHEMA", "read_proposals"]

MAX_FACTS = 20
MAX_VALUE_CHARACTERS = 100

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": MAX_FACTS,
            "items": {
                "type": "object",
                "properties": {
                    "key": {"type": "string", "description": "a registered key, such as user::diet"},
                    "value": {"type": "string", "maxLength": MAX_VALUE_CHARACTERS},
                    "quote": {"type": "string", "description": "the user's words, exactly"},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                },
                "required": ["key", "value", "quote", "confidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}


def read_proposals(
    answer: str, said: str, *, now: int | None = None, zone: str | None = None
) -> list[dict[str, Any]]:
    """Proposals of a model's answer about the message `said`, in the form of propose(); never explicit.

    Facts whose quote is not in the message, or only inside code, a quotation or a secret, are left out.
    Raises InvalidInputError for an answer that does not follow SCHEMA.
    """
    found = read_json(clean(answer)[0], "The model's answer")
    facts = found.get("facts") if isinstance(found, dict) else None
    if not isinstance(facts, list) or len(facts) > MAX_FACTS:
        raise InvalidInputError(f"The model's answer holds no list of at most {MAX_FACTS} facts.")
    if refusal(said) is not None:
        return []
    visible = masked(said)
    proposals = [_proposal(fact, said, visible, now, zone) for fact in facts]
    return [proposal for proposal in proposals if proposal is not None]


def _proposal(
    fact: object, said: str, visible: str, now: int | None, zone: str | None
) -> dict[str, Any] | None:
    if not isinstance(fact, dict) or fact.keys() != {"key", "value", "quote", "confidence"}:
        raise InvalidInputError(f"A fact of the model's answer is malformed: {shown(fact, 80)}.")
    key, value, quote, confidence = (fact[name] for name in ("key", "value", "quote", "confidence"))
    if not all(isinstance(text, str) and text.strip() for text in (key, value, quote)):
        raise InvalidInputError(f"A fact of the model's answer holds no text: {shown(fact, 80)}.")
    if type(confidence) not in (int, float) or not 0 <= confidence <= 1:
        raise InvalidInputError(f"A fact of the model's answer has no confidence: {shown(fact, 80)}.")
    place = said.find(quote)
    if place < 0 or MASK in visible[place : place + len(quote)] or len(value) > MAX_VALUE_CHARACTERS:
        return None
    spoken = day_spoken_of(quote, now, zone)
    return {
        "key": key,
        "value": value,
        "quote": quote,
        "category": None,
        "confidence": float(confidence),
        "explicit": False,
        "spoken_words": spoken[0] if spoken else None,
        "zone": zone if spoken else None,
        "valid_from": spoken[1] if spoken else None,
    }
