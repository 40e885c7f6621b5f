"""What the readers of other products' exports make of them: conversations in one form, wherever from.

A reader gives a Chat for each conversation, Statements for memories that the product had saved, and Skipped
for what it cannot read. All three are plain data, so that a page can read in one worker and add in another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from py_memory.checks import MAX_TIME

__all__ = [
    "SKIPPED",
    "Chat",
    "ChatMessage",
    "Entry",
    "Skipped",
    "Statements",
    "ToolUse",
    "items_of",
    "mapping_of",
    "text_of",
    "time_of",
]

# Why something was not imported; the page and the command line have the sentences.
SKIPPED = (
    "empty",  # nothing in it that anybody said
    "malformed",  # not the form that its product writes
    "too_large",
    "too_deep",
    "forgotten",  # the user deleted it from this memory
    "private",  # a saved memory from a chat that was not to be remembered
    "secret",  # a saved memory that holds a password or the like
    "too_many",  # saved memories over the limit of one import
)

_SECONDS_UNTIL = 100_000_000_000  # a larger number of seconds is a time in milliseconds or less
_LARGEST = 1e20
_FRACTION = re.compile(r"\.(\d{1,6})\d*")


@dataclass
class ToolUse:
    """A call of a tool. `output` None with `failed` None: its end is not known."""

    name: str
    input: Any = None
    output: Any = None
    failed: bool | None = None


@dataclass
class ChatMessage:
    """`role`: user, assistant, or tool for what the product noted about the user. `time` in ms; `parent` None
    begins a branch. `raw` is JSON that the reader did not understand, `statements` are memories the product
    saved here."""

    id: str
    parent: str | None
    role: str
    text: str
    time: int | None = None
    stamp: int | None = None  # the time as the file has it, ms; part of the message's identity
    metadata: dict[str, Any] = field(default_factory=dict)
    raw: Any = None
    tools: list[ToolUse] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)


@dataclass
class Chat:
    """Messages come after their parents. `current` is the end of the branch on screen. `private`: nothing may
    be learned from it."""

    source: str
    id: str
    title: str | None
    created: int | None
    updated: int | None
    messages: list[ChatMessage]
    current: str | None
    metadata: dict[str, Any] = field(default_factory=dict)
    private: bool = False


@dataclass
class Statements:
    """Memories that a product saved, or that somebody pasted, outside of any conversation."""

    source: str
    texts: list[str]


@dataclass
class Skipped:
    """`why` is one of SKIPPED."""

    title: str | None
    why: str
    id: str | None = None


Entry = Chat | Statements | Skipped


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def mapping_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def items_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def time_of(value: object) -> int | None:
    """A time as products write it, in ms: seconds since 1970 (milli-, micro- and nanoseconds are told by
    their size), or ISO 8601 (UTC where no zone is given). None for anything else."""
    if isinstance(value, str):
        return _iso(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 < value < _LARGEST:  # 0 stands for “not known”
        return None
    while value >= _SECONDS_UNTIL:
        value = value / 1000
    time = round(value * 1000)
    return time if time <= MAX_TIME else None


def _iso(value: str) -> int | None:
    try:
        # Python 3.11 reads any fraction up to six digits only.
        when = datetime.fromisoformat(_FRACTION.sub(r".\1", value.strip(), count=1))
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        time = round(when.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
    return time if 0 < time <= MAX_TIME else None
