"""Memories as tools tell of them: plain values, whole for the offline assistant, brief for a language
model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .context import day_of
from .extraction.days import day_in
from .records import Fact
from .store import MemoryStore

__all__ = ["as_found", "briefly", "described", "on_day_said"]

_EXCERPT = 600  # characters of a memory that was found
_OF_FACT = ("id", "key", "value", "status", "said_on", "due", "quote", "pinned", "superseded_by")


def described(store: MemoryStore, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Facts with the time and day at which the user said it, and the day that its words mean."""
    out = []
    for fact in facts:
        source = store.find_message(fact.source_message_id) if fact.source_message_id else None
        said_at = source.created_at if source else fact.created_at
        said_on = day_in(said_at, store.get_setting("zone"))
        out.append({**fact.to_dict(), "said_at": said_at, "said_on": said_on, "due": day_of(fact)})
    return out


def on_day_said(store: MemoryStore, item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "said_on": day_in(item["created_at"], store.get_setting("zone"))}


def briefly(store: MemoryStore, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """What a model needs of facts; each word more costs every prompt."""
    return [{name: fact[name] for name in _OF_FACT if fact[name]} for fact in described(store, facts)]


def as_found(item: Mapping[str, Any]) -> dict[str, Any]:
    text = item["text"]
    return {
        "kind": item["kind"],
        "id": item["id"],
        "text": text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…",
        "said_on": item["said_on"],
        **({"by": item["role"]} if item["role"] else {}),
        "reason": {"terms": item["reason"].get("terms", [])},
    }
