"""What crosses every boundary: frozen records with `to_dict()`, and the protocols of models and tools.

All times are integer milliseconds UTC. All ids are UUIDv7 text unless said otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = [
    "Cancel",
    "ChainReport",
    "Delta",
    "Fact",
    "Finding",
    "Hit",
    "Message",
    "MessageVersion",
    "Model",
    "Namespace",
    "Receipt",
    "Recollection",
    "Record",
    "Session",
    "Tool",
    "ToolCall",
    "ToolCallDelta",
    "Use",
]


class Record:
    """Mixin of the frozen dataclasses below."""

    def to_dict(self) -> dict[str, Any]:
        """Plain, JSON-ready copy."""
        # The mixin is no dataclass itself, but everything that uses it is.
        return dataclasses.asdict(self)  # type: ignore[call-overload,no-any-return]


@dataclass(frozen=True, slots=True)
class Session(Record):
    id: str
    user_id: str
    created_at: int
    title: str | None
    status: str  # active | completed | abandoned
    metadata: Mapping[str, Any]
    last_active_at: int
    ended_at: int | None
    current_message_id: str | None


@dataclass(frozen=True, slots=True)
class Message(Record):
    """A message with its newest text. `edited` says that older versions exist; `notes` what was changed on
    arrival (for example that NUL characters were replaced), empty when read back."""

    id: str
    user_id: str
    created_at: int
    session_id: str
    parent_id: str | None
    role: str  # user | assistant | system | tool
    content: str
    version_id: str
    edited: bool = False
    status: str = "complete"  # complete | streaming | stopped | failed
    speaker: str | None = None
    tool_call_id: str | None = None
    intent: str | None = None
    feedback: int = 0
    has_secret: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageVersion(Record):
    id: str
    message_id: str
    created_at: int
    author: str
    content: str


@dataclass(frozen=True, slots=True)
class ToolCall(Record):
    id: str
    user_id: str
    created_at: int
    session_id: str
    message_id: str | None
    tool_name: str
    input: Any
    output: Any
    status: str  # proposed | approved | running | success | failed | timeout | cancelled | unknown
    started_at: int | None
    completed_at: int | None
    error_message: str | None
    validation: Any


@dataclass(frozen=True, slots=True)
class Namespace(Record):
    prefix: str
    single_valued: bool
    ttl_ms: int | None


@dataclass(frozen=True, slots=True)
class Fact(Record):
    id: str
    user_id: str
    created_at: int
    key: str
    value: str
    confidence: float
    status: str  # candidate | current | superseded | disputed | expired | archived
    category: str | None = None
    agent_id: str | None = None
    source_message_id: str | None = None
    source_version_id: str | None = None
    quote: str | None = None
    spoken_words: str | None = None
    zone: str | None = None
    superseded_by: str | None = None
    superseded_at: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    pinned: bool = False
    needs_review: bool = False
    visibility: str = "synced"
    imported_from: str | None = None
    weight: float = 1.0
    quality: float | None = None
    use_count: int = 0
    last_used_at: int | None = None
    correction_count: int = 0
    operation_id: str | None = field(default=None, compare=False)  # for undo(), on a fact just changed


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """One thing that health() found: its kind as a stable code, how many rows it concerns, the first hundred
    of their ids, and what fix_health() would do, None where only the user can decide."""

    kind: str
    count: int
    subjects: tuple[str, ...]
    fix: str | None


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """What a deletion removed: `counts` by table, `operation_id` for undo() until `undo_until`, and in
    `beyond` the places this program cannot reach, as stable codes the page has sentences for."""

    operation_id: str
    counts: Mapping[str, int]
    undo_until: int
    beyond: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Use(Record):
    """A memory an answer rested on."""

    id: str
    created_at: int
    message_id: str
    memory_kind: str  # messages | facts | summaries | tool_calls | experiences
    memory_id: str
    rank: int
    reason: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChainReport(Record):
    """Whether the chain of events holds: how many events there are, and the first that does not fit."""

    ok: bool
    count: int
    first_bad_seq: int | None = None


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """An exact find in a message. `start` and `length` are in characters of `text`, an excerpt around the
    match."""

    message_id: str
    session_id: str
    role: str
    created_at: int
    text: str
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Recollection(Record):
    """A ranked memory. `reason` says why it matched: the terms found, factors and scores. `source` says where
    it comes from, as {"kind", "id", …}; `neighbours` are the messages before and after it."""

    kind: str  # messages | facts | summaries | tool_calls | experiences
    id: str
    text: str
    score: float
    created_at: int
    session_id: str | None = None
    role: str | None = None
    reason: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCallDelta(Record):
    """A piece of a tool call. Pieces of one call share `index`; `arguments` are joined, then parsed as
    JSON."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Delta(Record):
    """One step of a model's answer. `uses` names memories the answer rests on, as (kind, id, reason)."""

    text: str = ""
    tool_call: ToolCallDelta | None = None
    usage: Mapping[str, int] | None = None
    finish_reason: str | None = None
    uses: tuple[tuple[str, str, str], ...] = ()


class Cancel(Protocol):
    def is_set(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call: `parameters` is a JSON schema of its keyword arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[..., Awaitable[Any]]


class Model(Protocol):
    """A language model. `messages` are {"role", "content"} mappings, oldest first."""

    def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        """Yields the answer in pieces. Raises ModelError with a sentence fit for the user."""
        ...
