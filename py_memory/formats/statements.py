"""Memories that another product saved, or that somebody pasted: from a text to single statements, and from a
statement to what is put before the user. Nothing here becomes a fact without their yes."""

from __future__ import annotations

import re
from typing import Any

from py_memory.extraction import propose
from py_memory.extraction.clauses import sentences, split_statement
from py_memory.extraction.secrets import secret_spans

__all__ = ["listed", "profile_lines", "suggestions"]

MAX_STATEMENTS = 2_000  # of one text
MAX_STATEMENT = 2_000  # characters
NOTE = "user::note"
_WHOLE = 80  # characters: what the rules find in a shorter sentence says all of it
_BULLET = re.compile(
    r"^\s*(?:>\s*)*(?:[-*+•·–—▪◦‣]\s+|\d{1,4}[.)、]\s*|\[[ xX]\]\s+)*"
    r"(?:\[?\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\]?\s*[.:：\-–—]*\s*)?"
)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|[-=*_]{3,}\s*$|\*\*[^*]{1,80}\*\*:?\s*$|```|~~~|</?\w+>\s*$)")
_EMPHASIS = re.compile(r"\*\*([^*]+)\*\*|__([^_]+)__")
_FENCED = re.compile(r"```(?:\w*\n)?(.*?)```", re.DOTALL)
_LABEL_ONLY = re.compile(r"^[^.!?。！？]{1,60}[:：]$")
_OWN = re.compile(r"(?:I(?:'m|'ve)?|My)\b|我")
_FIRST_PERSON = (
    (re.compile(r"^(?:The )?user's\b", re.IGNORECASE), "My"),
    (re.compile(r"^(?:The )?user (?:is|was)\b", re.IGNORECASE), "I am"),
    (re.compile(r"^(?:The )?user (?:has|had)\b", re.IGNORECASE), "I have"),
    (re.compile(r"^(?:The )?user (\w+?)s\b", re.IGNORECASE), r"I \1"),
    (re.compile(r"^Is\b"), "I am"),
    (re.compile(r"^Has\b"), "I have"),
    (re.compile(r"^(Prefer|Like|Love|Live|Work|Enjoy|Speak|Hate|Want|Dislike|Own|Use)s\b"), r"I \1"),
    (re.compile(r"^Preferred name[:：]\s*"), "My name is "),
    (re.compile(r"^用户的"), "我的"),
    (re.compile(r"^(?:该)?用户"), "我"),
)


def listed(text: str) -> list[str]:
    """The statements of a list or of paragraphs, one a line, without bullets, numbers, dates and headings."""
    out: list[str] = []
    for line in text.splitlines():
        if _HEADING.match(line):
            continue
        bare = _EMPHASIS.sub(r"\1\2", _BULLET.sub("", line, count=1)).strip()
        if bare and not _LABEL_ONLY.match(bare):
            out.append(bare[:MAX_STATEMENT])
        if len(out) >= MAX_STATEMENTS:
            break
    return list(dict.fromkeys(out))


def profile_lines(text: str) -> list[str]:
    """What users wrote about themselves, without the sentence that the product puts before it."""
    fenced = _FENCED.findall(text)
    return listed("\n".join(fenced) if fenced else text)


def suggestions(statement: str) -> list[dict[str, Any]]:
    """What a statement has to say, as {key, value, quote}: under a key of its own where the rules know it,
    else a note in its own words, parted at 100 characters. Sentences that hold a secret are left out."""
    out: list[dict[str, Any]] = []
    for sentence in sentences(statement):
        words = sentence.text.strip()
        if not words or secret_spans(words):
            continue
        told = _in_first_person(words) if len(words) <= _WHOLE else None
        found = propose(told) if told else []
        if found:
            out += [{"key": item["key"], "value": item["value"], "quote": words} for item in found]
        else:
            out += [{"key": NOTE, "value": piece, "quote": piece} for piece in split_statement(words)]
    return out


def _in_first_person(words: str) -> str | None:
    """A statement about the user as the user would make it; None for one about somebody else."""
    if _OWN.match(words):
        return words
    for pattern, instead in _FIRST_PERSON:
        said, changed = pattern.subn(instead, words, count=1)
        if changed:
            return said
    return None
