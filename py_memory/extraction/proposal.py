"""A fact that a text seems to state, before anyone has said yes to it."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

__all__ = ["MAX_VALUE_CHARACTERS", "Proposal", "split_long", "task"]

MAX_VALUE_CHARACTERS = 100


@dataclass(frozen=True)
class Proposal:
    key: str
    value: str
    quote: str
    category: str | None = None
    confidence: float = 0.8
    explicit: bool = False

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def asked_for(self) -> Proposal:
        return dataclasses.replace(self, explicit=True, confidence=1.0)


def task(what: str, quote: str) -> Proposal | None:
    """A to-do. Its key is made of its words, so that the same one again is the same."""
    what = what.strip(" \t.。!！,，;；")
    slug = re.sub(r"[\W_]+", "-", what.casefold()).strip("-")[:60]
    if not slug:
        return None
    return Proposal(f"task::{slug}", split_long(what)[0], quote, "task", 1.0, True)


def split_long(text: str) -> list[str]:
    """Parts of at most 100 characters, divided after punctuation, else between words; nothing is dropped."""
    text = text.strip()
    if len(text) <= MAX_VALUE_CHARACTERS:
        return [text] if text else []
    parts: list[str] = []
    line = ""
    for piece in _pieces(text):
        if line and len(line) + len(piece) > MAX_VALUE_CHARACTERS:
            parts.append(line.strip())
            line = ""
        line += piece
    parts.append(line.strip())
    return [part for part in parts if part]


def _pieces(text: str) -> list[str]:
    """Clauses, or words where a clause is too long, or slices of a word that is."""
    out: list[str] = []
    for clause in re.findall(r"[^,;:.!?，；：。！？、]+[,;:.!?，；：。！？、]*\s*|[,;:.!?，；：。！？、]+\s*", text):
        words = [clause] if len(clause) <= MAX_VALUE_CHARACTERS else re.findall(r"\S+\s*|\s+", clause)
        for word in words:
            out += [word[i : i + MAX_VALUE_CHARACTERS] for i in range(0, len(word), MAX_VALUE_CHARACTERS)]
    return out
