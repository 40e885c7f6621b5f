"""What crosses every boundary: frozen records with `to_dict()`, and the protocols of models and tools.

All times are integer milliseconds UTC. All ids are UUIDv7 text unless said otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = [
    "HERE_ONLY",
    "Cancel",
    "ChainReport",
    "ChatPage",
    "Conflict",
    "Delta",
    "Embedder",
    "EmbedderState",
    "Experience",
    "Explanation",
    "Fact",
    "FactsPage",
    "Finding",
    "Forgotten",
    "Hit",
    "Message",
    "MessageCount",
    "MessageVersion",
    "Model",
    "ModelInfo",
    "Namespace",
    "Overview",
    "PendingCall",
    "PendingSummary",
    "Prompt",
    "Read",
    "Reading",
    "Reason",
    "Receipt",
    "Recollection",
    "Record",
    "Resumption",
    "Session",
    "Snapshot",
    "StructuredModel",
    "Summary",
    "SyncConflict",
    "SyncReport",
    "SyncStatus",
    "Tool",
    "ToolCall",
    "ToolCallDelta",
    "Use",
    "WaitingPage",
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
class MessageCount(Record):
    """How many messages there are about a topic in a period (`total`); of those, how many lie near a tool
    call, after one (or at the same moment), hold one of the words, do both; and how many meet every condition
    that was given (`matching`, told apart by day, intent and feedback, with the first hundred ids, oldest
    first)."""

    total: int
    near_call: int
    after_call: int
    with_words: int
    near_call_with_words: int
    matching: int
    by_word: Mapping[str, int]  # of `total`, the most frequent first
    by_day: Mapping[str, int]  # YYYY-MM-DD in the user's zone
    by_intent: Mapping[str, int]
    by_feedback: Mapping[str, int]  # "-1", "0", "1"
    message_ids: tuple[str, ...]


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
class Summary(Record):
    """What a stretch of a session came to. A summary of a higher level stands for several of the level below,
    which name it in `compressed_into`. Covered are `message_count` messages up to `last_message_id`."""

    id: str
    user_id: str
    created_at: int
    session_id: str
    level: int  # from 1
    topic: str | None
    content: str
    conclusions: tuple[str, ...]
    open_items: tuple[str, ...]
    first_message_id: str | None
    last_message_id: str | None
    message_count: int
    compressed_into: str | None = None


@dataclass(frozen=True, slots=True)
class PendingSummary(Record):
    """Messages that no summary covers yet, oldest first, and why one is due: "rounds", "tokens", "task_node",
    or None where it is not yet."""

    session_id: str
    due: str | None
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Reading(Record):
    """What a model is to read next in idle time: lines of JSON, and the schema of its answer.

    `kind` is "facts" (messages of the user, to find facts in), "summary" (what one was made from, to write it
    better) or "contradictions" (current facts). `subjects` are the ids of what is read, `versions` what they
    were when it was read, `position` how far reading has come with it.
    """

    kind: str
    language: str  # of the data, "en" or "zh"
    data: tuple[str, ...]
    schema: Mapping[str, Any]
    subjects: tuple[str, ...]
    versions: tuple[str, ...]
    position: Any


@dataclass(frozen=True, slots=True)
class Read(Record):
    """What came of a reading: facts that now wait for the user, the summary written anew, facts that are now
    disputed."""

    proposed: tuple[Fact, ...] = ()
    summary: Summary | None = None
    disputed: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview(Record):
    """What a session starts or goes on from: its last saved state (None where there is none), the last
    summaries, newest first, and confirmed facts about the user."""

    session_id: str
    snapshot: Mapping[str, Any] | None
    summaries: tuple[Summary, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Namespace(Record):
    prefix: str
    single_valued: bool
    ttl_ms: int | None


HERE_ONLY = ("session", "device")  # visibility of facts that never leave the device


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

    @property
    def scope(self) -> str:
        """Facts of one scope stand in for each other: what an agent keeps to itself, and what all see, ""."""
        return "" if self.visibility == "shared" else self.agent_id or ""


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """One thing that health() found: its kind as a stable code, how many rows it concerns, the first hundred
    of their ids, and what fix_health() would do, None where only the user can decide."""

    kind: str
    count: int
    subjects: tuple[str, ...]
    fix: str | None


@dataclass(frozen=True, slots=True)
class EmbedderState(Record):
    """How an embedder is doing: how many messages have a vector of `model`, whether all that can have one do,
    and how many texts were passed over because the embedder fails on them. `problem` is None, or why it could
    not be used last: "failed" (it raised), "late", "cancelled", "wrong_count" (not one vector for each text),
    "not_a_vector" (not numbers, or not finite), "wrong_length" (not as long as the others); `detail` says
    more, and until `retry_at` (ms) recall goes by words alone."""

    model: str
    dims: int | None
    embedded: int
    done: bool
    passed_over: int
    problem: str | None
    detail: str
    retry_at: int | None


@dataclass(frozen=True, slots=True)
class Conflict(Record):
    """A disputed fact and the current one that it disagrees with. `why`: "value" (two values of one key), or
    a topic: "taste", "diet", "age", "family", "marriage", "work", or "model": a language model says so."""

    fact: Fact
    other: Fact
    why: str


@dataclass(frozen=True, slots=True)
class ChatPage(Record):
    """A session, and a part of its branch on screen: messages, oldest first; whether others stand before and
    after it on the way to the end; of each message that stands beside others the ids of all of them, oldest
    first; the facts learned from these messages that are current or proposed; and those that the proposals
    would correct."""

    session: Session
    messages: tuple[Message, ...]
    earlier: bool
    later: bool
    alternatives: Mapping[str, Sequence[str]]
    facts: tuple[Fact, ...]
    corrected: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class FactsPage(Record):
    """A part of what is current, and how many there are in all; earlier values under the same keys; and the
    first of what is past its time."""

    facts: tuple[Fact, ...]
    total: int
    former: tuple[Fact, ...]
    expired: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class WaitingPage(Record):
    """A part of what waits for the user's answer, and how much there is in all; the current facts that the
    proposals would correct; and what the disputed ones disagree with."""

    facts: tuple[Fact, ...]
    total: int
    corrected: tuple[Fact, ...]
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """What a deletion removed: `counts` by table, `operation_id` for undo() until `undo_until`, and in
    `beyond` the places this program cannot reach, as stable codes the page has sentences for."""

    operation_id: str
    counts: Mapping[str, int]
    undo_until: int
    beyond: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten(Record):
    """What was forgotten at one moment (ms): `counts` by table, nothing else is left of it."""

    forgotten_at: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SyncReport(Record):
    """What one sync did. `forgotten`: (table, id) of rows changed here that had been forgotten elsewhere;
    `waiting`: what has not left yet, by why; `clock_offset_ms`: how far the server's clock is ahead of this
    device's, and `clock_note` what follows from it when that is much."""

    user_id: str
    first: bool
    restarted: bool
    requests: int
    pushed: int
    pulled: int
    conflicts: int
    disputed: int
    rejected: int
    forgotten: tuple[tuple[str, str], ...]
    waiting: Mapping[str, int]
    clock_offset_ms: int
    clock_note: str
    backup: str | None


@dataclass(frozen=True, slots=True)
class SyncConflict(Record):
    """A change that lost against another device's: `kept` and `lost` are the values of one group of columns.
    `changed_at`: when the lost one was made (ms, the server's time); `key`, of a fact; `takes`: what
    settle_sync_conflict() can take of it."""

    id: str
    kind: str
    row_id: str
    part: str
    changed_at: int
    kept: Mapping[str, Any]
    lost: Mapping[str, Any]
    key: str | None = None
    takes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncPreview(Record):
    """What the next sync would send, by kind: rows that are new or changed, and how many it would ask to
    forget. `stays`: what does not leave, by why: "here_only" and "secret" (facts), "streaming" (an answer
    that is still being given), "hidden_text" (messages that leave without their text), "summaries"."""

    first: bool
    rows: Mapping[str, int]
    forgotten: int
    stays: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SyncStatus(Record):
    """`on` is False before the first sync; times in ms. `changes` by kind would be sent by the next sync."""

    on: bool
    url: str | None = None
    device: str | None = None
    synced_at: int | None = None
    clock_offset_ms: int = 0
    changes: Mapping[str, int] = field(default_factory=dict)
    waiting: Mapping[str, int] = field(default_factory=dict)
    rejected: tuple[Mapping[str, Any], ...] = ()
    backup: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot(Record):
    """A task's saved state (see snapshots.py), in the present format; `format` is the one it was saved in."""

    id: str
    user_id: str
    created_at: int
    session_id: str
    format: int
    reason: str
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PendingCall(Record):
    """A tool call that is not over. `state`: "valid" (can still be done), "invalid" (no longer, `why` says
    the reason), "unknown" (cannot be told). `checked_at` in ms, None where nobody has looked."""

    id: str | None
    tool: str
    params: Any
    status: str  # of the tool call
    reason: str
    state: str
    why: str
    checked_at: int | None


@dataclass(frozen=True, slots=True)
class Resumption(Record):
    """What a session is taken up again with. A normal start has no snapshot, no calls and no text.

    `findings` are codes: "interrupted", "pending", "done_elsewhere", "tool_gone", "newer_messages",
    "facts_changed", "clock_back", "old_format", "unreadable". `text` tells the user and asks; `prompt` tells
    the model.
    """

    session_id: str
    language: str
    snapshot: Snapshot | None
    overview: str
    pending: tuple[PendingCall, ...] = ()
    interrupted: tuple[PendingCall, ...] = ()  # they ran when the agent stopped: nobody knows how they ended
    newer_messages: tuple[str, ...] = ()  # ids
    changed_facts: tuple[Fact, ...] = ()
    findings: tuple[str, ...] = ()
    text: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Experience(Record):
    """Know-how about a tool or a kind of task, without personal data. `topic` is the tool's name or a few
    words; the counts say how often it was followed with and without success."""

    id: str
    user_id: str
    created_at: int
    topic: str
    content: str
    status: str = "candidate"  # candidate | current
    success_count: int = 0
    failure_count: int = 0


@dataclass(frozen=True, slots=True)
class Reason(Record):
    """A memory that an answer rested on, as it is now: `status` is the fact's, "forgotten" where it is gone
    or not for this agent to see, else "there"; `text` what it says, `said_at` (ms) when it was said or done,
    `quote` the words it was learned from, `source_id` the message with them. `rested` is False for what the
    answer only named because it changed it, or offered to. Of a fact also its key and value, since when it
    holds (ms), and its confidence."""

    kind: str
    id: str
    rank: int
    why: Mapping[str, Any]
    status: str
    text: str = ""
    said_at: int | None = None
    quote: str | None = None
    source_id: str | None = None
    role: str | None = None  # of a message
    rested: bool = True
    key: str | None = None
    value: str | None = None
    since: int | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Explanation(Record):
    """Why an answer says what it says: the memories it rested on, best first, and the name of the model that
    wrote it, None where none was asked."""

    message_id: str
    answered_at: int
    reasons: tuple[Reason, ...]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerBasis(Record):
    """What an answer was made with: how many memories it rested on that are still there, and the tools that
    were called for it, oldest first, as (name, status)."""

    message_id: str
    memories: int
    tools: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Prompt(Record):
    """What was sent to the model for an answer: its first request, without the tool calls that followed (they
    are the answer's own), put together from what is there now.

    `messages` are {"role", "content"}, () where nothing was sent or kept; `memories` are all that the answer
    rested on, best first, and `words` says of each why it was there. `tokens` were counted by the model where
    `counted`, else estimated, and may be up to `limit`. `left_out` counts what did not fit: "messages",
    "recalled", "experiences", "summaries", "snapshots", "facts", "tools", and "characters" of the newest
    message. Of the parts `gone` have been forgotten since; `exact` says that the messages are those that were
    sent. `usage` is what the model says it cost. `parts` are the same words in the same order by where they
    come from, each {"part", "role", "text", "tokens"} with tokens estimated: "own" (the session's system
    message), "system", "facts", "snapshots", "summaries", "recalled", "incognito", "experiences", "messages".
    `tools` are the names of those it could call; their schemas took about `tool_tokens`.
    """

    message_id: str
    language: str
    model: str | None
    messages: tuple[Mapping[str, Any], ...]
    memories: tuple[Reason, ...]
    words: tuple[str, ...]
    tokens: int | None = None
    counted: bool = False
    limit: int | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    gone: int = 0
    exact: bool = False
    usage: Mapping[str, int] | None = None
    parts: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[str, ...] = ()
    tool_tokens: int | None = None


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
    """Whether the chain of events holds: how many fit, `folded` how many more stand behind its checkpoints,
    and the first event that does not fit, with what seems to have happened to it: "changed", "removed" (that
    many are missing before it, or at the end), "inserted" or "reordered"."""

    ok: bool
    count: int
    first_bad_seq: int | None = None
    problem: str | None = None
    event_id: str | None = None
    folded: int = 0


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
    """A piece of a tool call. Pieces of one call share `index`; the first holds `id` and `name`, and the
    `arguments` of all are joined, then parsed as JSON."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Delta(Record):
    """One step of a model's answer: any of its parts may be empty.

    `usage` holds the tokens of the whole answer: "prompt_tokens", "completion_tokens", "total_tokens", each
    where the model tells it. `finish_reason` comes once, near the end: "stop", "length" (cut off at the
    model's limit), "tool_calls", "content_filter" or "cancelled". `uses` names memories the answer rests on,
    as (kind, id, reason).
    """

    text: str = ""
    tool_call: ToolCallDelta | None = None
    usage: Mapping[str, int] | None = None
    finish_reason: str | None = None
    uses: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ModelInfo(Record):
    """A model that a server offers, and the tokens that its prompt and answer may have together, None where
    the server does not say."""

    id: str
    context_tokens: int | None = None


class Cancel(Protocol):
    def is_set(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call: `parameters` is a JSON schema of its keyword arguments, against which
    they are checked before it runs.

    `side_effect` says that it changes something outside the memory; a tool that does not say is taken to.
    Such a call is durable before it starts and never repeated unasked. With `asks` the user is asked before
    each call, by default before one with a side effect; `describe` gets the arguments and "en" or "zh" and
    says what is asked about, by default the name and the arguments. `validate` gets the arguments as one
    mapping, changes nothing and says whether the call can be made: "valid", "invalid" or "unknown" (or True,
    False, None), or {"state": one of these, "why": text}; it may be a coroutine. Where it raises or answers
    otherwise, the call waits for the user's yes. A call is given up after `timeout_ms`, which needs a running
    event loop. Of its result at most `max_output_bytes` of JSON are kept and shown to the model, by default
    32 KiB.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[..., Awaitable[Any]]
    side_effect: bool = True
    validate: Callable[[Mapping[str, Any]], Any] | None = None
    timeout_ms: int | None = None
    asks: bool | None = None
    describe: Callable[[Mapping[str, Any], str], str] | None = None
    max_output_bytes: int | None = None

    @property
    def asks_first(self) -> bool:
        return self.side_effect if self.asks is None else self.asks


class Model(Protocol):
    """A language model. It may also have these: `name`; `context_tokens`, how many prompt and answer may have
    together, and `answer_tokens`, how many of them are for the answer; `count_tokens(text)`, which may be a
    coroutine; `takes_tools`, False where it cannot call any. A busy server it need not ask again.

    `messages` are {"role", "content"} mappings, oldest first; an assistant's may hold
    "tool_calls" ({"id", "type", "function": {"name", "arguments"}}), and each call's result follows as
    {"role": "tool", "tool_call_id", "content"}."""

    def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        """Yields the answer in pieces. Once `cancel` is set it ends soon and without an error, whatever it
        waits for. Raises ModelError with a sentence fit for the user."""
        ...


class StructuredModel(Model, Protocol):
    """A model that can be held to answer in JSON."""

    def in_json(self, schema: Mapping[str, Any]) -> Model:
        """The same model, answering with one JSON value after `schema` as far as it can: what comes is to be
        checked."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. `name` labels the model, and another model has another name."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Awaitable[Sequence[Sequence[float]]]:
        """One vector for each text, all of one length (up to 4,096 finite numbers). May be a coroutine."""
        ...
