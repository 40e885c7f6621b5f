"""Adding conversations from elsewhere to a memory: each whole or not at all, and each message once.

Ids are made from the source's own, so that the same file again, or a later export with more in it, adds only
what is new, on every device. What the user has forgotten here stays forgotten.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from py_memory import text
from py_memory.checks import MAX_JSON_DEPTH, MAX_TIME, json_text
from py_memory.clock import Clock
from py_memory.database import Database
from py_memory.errors import InvalidInputError
from py_memory.extraction.refusals import MAX_READ
from py_memory.extraction.secrets import secret_spans
from py_memory.facts import Facts
from py_memory.recall import index
from py_memory.rows import facts as fact_rows
from py_memory.rows import messages as message_rows
from py_memory.rows import sessions as session_rows
from py_memory.rows import tool_calls
from py_memory.rows.tombstones import is_forgotten
from py_memory.titles import MAX_TITLE_CHARACTERS
from py_memory.undo import Operation

from .chats import Chat, ChatMessage, Entry, Skipped, Statements, ToolUse
from .deep_json import depth_of
from .statements import suggestions

__all__ = ["MAX_SUGGESTIONS", "Additions", "ChatImport"]

MAX_TEXT_BYTES = 1 << 20
MAX_RAW_BYTES = 256 << 10  # of what was not understood, a message
MAX_SUGGESTIONS = 500  # put before the user by one import
MAX_LISTED = 50
_ROLES = frozenset({"user", "assistant", "tool"})


@dataclass
class Additions:
    """What one import did so far: counts, what was left out, and what its undoing takes away."""

    conversations: Counter[str] = field(default_factory=Counter)  # added, updated, known, skipped
    messages: Counter[str] = field(default_factory=Counter)  # added, known, forgotten, shortened
    suggestions: Counter[str] = field(default_factory=Counter)  # added, known, and why skipped
    skipped: list[dict[str, Any]] = field(default_factory=list)
    made_sessions: list[str] = field(default_factory=list)
    made_messages: list[str] = field(default_factory=list)
    made_facts: list[str] = field(default_factory=list)
    moved: dict[str, dict[str, tuple[Any, Any]]] = field(default_factory=dict)

    @property
    def is_nothing(self) -> bool:
        return not (self.made_sessions or self.made_messages or self.made_facts)

    def skip(self, item: Skipped) -> None:
        self.conversations["skipped"] += 1
        if len(self.skipped) < MAX_LISTED:
            title = _title(item.title)
            self.skipped.append({"title": title, "id": item.id, "why": item.why})

    def note(self, operation: Operation) -> None:
        """Hands what was made to an operation, which can then be taken back."""
        for table, ids in (
            ("sessions", self.made_sessions),
            ("messages", self.made_messages),
            ("facts", self.made_facts),
        ):
            if ids:
                operation.made.setdefault(table, []).extend((id,) for id in ids)
        for id, columns in self.moved.items():
            operation.changed.setdefault("sessions", {})[(id,)] = columns


@dataclass(frozen=True, slots=True)
class _Ready:
    """A message as it will be stored: everything that can fail has been done."""

    id: str
    message: ChatMessage
    content: str
    has_secret: bool
    metadata: dict[str, Any]
    raw: str | None
    tools: list[tuple[str, str, str | None, str]]


class ChatImport:
    """Adds entries to one owner's memory. add() expects a transaction of the caller; one transaction may hold
    any number of calls, and what it does is in `additions`."""

    def __init__(self, db: Database, user_id: str, clock: Clock, facts: Facts) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._facts = facts
        self._made: set[str] = set()  # sessions of this import
        self._quotes: dict[str, set[str]] = {}  # statements known, by source
        self.additions = Additions()

    def after(self, former: ChatImport) -> ChatImport:
        """This one, which goes on where the former one stopped."""
        self._made, self._quotes, self.additions = former._made, former._quotes, former.additions
        return self

    def add(self, entry: Entry) -> None:
        if isinstance(entry, Skipped):
            self.additions.skip(entry)
        elif isinstance(entry, Statements):
            for statement in entry.texts:
                self._suggest(entry.source, statement, None)
        elif why := self._add_chat(entry):
            self.additions.skip(Skipped(entry.title, why, entry.id))

    # -- conversations --

    def _add_chat(self, chat: Chat) -> str | None:
        """Why it was left out, None if it is here now."""
        session_id = _own_id(chat.created, "session", chat.source, chat.id)
        owner = session_rows.owner_of(self._db, session_id)
        if owner not in (None, self._user):
            session_id = _own_id(chat.created, "session", chat.source, chat.id, self._user)
            owner = session_rows.owner_of(self._db, session_id)
        if is_forgotten(self._db, self._user, "sessions", session_id):
            return "forgotten"
        ready, links, why = self._ready(chat, session_id)
        if why:
            return why
        if not owner:
            self._begin(chat, session_id, ready, links)
        else:
            self.additions.conversations["updated" if ready else "known"] += 1
            if ready:
                self._go_on(chat, session_id, ready, links)
        self._insert(chat, session_id, ready, links)
        for message in chat.messages:
            if chat.private:
                self.additions.suggestions["private"] += len(message.statements)
            elif message.statements:
                source = message_rows.find_message(self._db, self._user, links[message.id] or "")
                said = (source.id, source.version_id) if source else None
                for statement in message.statements if said else ():
                    self._suggest(chat.source, statement, said)
        return None

    def _ready(self, chat: Chat, session_id: str) -> tuple[list[_Ready], dict[str, str | None], str | None]:
        """New messages, and for each message of the file the one here that stands for it: itself, or where it
        was forgotten the one before it."""
        ids = {m.id: _own_id(m.stamp, "message", session_id, m.id) for m in chat.messages}
        taken = message_rows.taken_ids(self._db, ids.values())
        links: dict[str, str | None] = {}
        ready: list[_Ready] = []
        for message in chat.messages:
            id = ids[message.id]
            if id in taken:
                links[message.id] = id
                self.additions.messages["known"] += 1
            elif is_forgotten(self._db, self._user, "messages", id):
                links[message.id] = links.get(message.parent) if message.parent else None
                self.additions.messages["forgotten"] += 1
            else:
                prepared = self._prepared(id, message)
                if prepared is None:
                    return [], {}, "malformed"
                links[message.id] = id
                ready.append(prepared)
        if not ready and not taken:
            return [], {}, "forgotten" if chat.messages else "empty"
        return ready, links, None

    def _prepared(self, id: str, message: ChatMessage) -> _Ready | None:
        content, _ = text.clean(message.text)
        if not content.strip() or message.role not in _ROLES or not message.id:
            return None
        metadata = dict(message.metadata)
        if len(content) * 4 > MAX_TEXT_BYTES and len(whole := content.encode()) > MAX_TEXT_BYTES:
            content = whole[:MAX_TEXT_BYTES].decode("utf-8", "ignore")
            metadata["shortened_from"] = len(whole)
            self.additions.messages["shortened"] += 1
        if message.stamp is not None and message.stamp != message.time:
            metadata["time"] = message.stamp
        return _Ready(
            id,
            message,
            content,
            bool(secret_spans(content[:MAX_READ])),
            metadata if _kept_json(metadata) else {},
            _kept_json(message.raw) if message.raw is not None else None,
            [_tool(use) for use in message.tools],
        )

    def _begin(self, chat: Chat, session_id: str, ready: list[_Ready], links: dict[str, str | None]) -> None:
        times = [item.message.time for item in ready if item.message.time is not None]
        created = _time(chat.created, min(times, default=self._clock()))
        active = max((created, _time(chat.updated, created), *times))
        metadata = {"import": {"source": chat.source, "id": chat.id}, **chat.metadata}
        if chat.private:
            metadata["do_not_remember"] = True
        session_rows.insert_imported(
            self._db,
            self._user,
            id=session_id,
            title=_title(chat.title),
            metadata=metadata if _kept_json(metadata) else {},
            created_at=created,
            last_active_at=active,
            current_message_id=links.get(chat.current) if chat.current else ready[-1].id,
        )
        self.additions.conversations["added"] += 1
        self.additions.made_sessions.append(session_id)
        self._made.add(session_id)

    def _go_on(self, chat: Chat, session_id: str, ready: list[_Ready], links: dict[str, str | None]) -> None:
        """The branch on screen follows the file's, unless the user has gone on from it here."""
        session = session_rows.get_session(self._db, self._user, session_id)
        at = links.get(chat.current) if chat.current else None
        if session_id not in self._made:
            self.additions.made_messages += [item.id for item in ready]
        ours = session.current_message_id is None or session.current_message_id in links.values()
        if at is not None and ours and at != session.current_message_id:
            session_rows.set_current_message(self._db, self._user, session_id, at)
            self.additions.moved[session_id] = {"current_message_id": (session.current_message_id, at)}

    def _insert(self, chat: Chat, session_id: str, ready: list[_Ready], links: dict[str, str | None]) -> None:
        latest = self._clock() - 1
        if any(item.message.time is None for item in ready):
            there = message_rows.list_messages(self._db, self._user, session_id, before=None, limit=1)
            latest = max([latest, *(message.created_at for message in there)])
        for item in ready:
            message = item.message
            time = _time(message.time, latest + 1)  # without any in the file: now, in the file's order
            if message.time is None:
                latest = time
            seq = message_rows.insert_message(
                self._db,
                self._user,
                id=item.id,
                session_id=session_id,
                parent_id=links.get(message.parent) if message.parent else None,
                role=message.role,
                status="complete",
                speaker=None,
                tool_call_id=None,
                intent=None,
                has_secret=item.has_secret,
                metadata=item.metadata,
                now=time,
                import_source=chat.source,
                import_id=text.clean(message.id)[0][:200],
                import_json=item.raw,
            )
            message_rows.insert_version(
                self._db,
                self._user,
                id=_own_id(message.stamp, "version", item.id),
                message_id=item.id,
                author=message.role,
                content=item.content,
                now=time,
            )
            index.add(self._db, seq)
            for place, (name, given, output, status) in enumerate(item.tools):
                tool_calls.insert_finished(
                    self._db,
                    self._user,
                    id=_own_id(message.stamp, "tool", item.id, str(place)),
                    session_id=session_id,
                    message_id=item.id,
                    tool_name=name,
                    input_json=given,
                    output_json=output,
                    status=status,
                    at=time,
                )
            self.additions.messages["added"] += 1

    # -- saved memories --

    def _suggest(self, source: str, statement: str, said: tuple[str, str] | None) -> None:
        """Puts what a product had saved before the user; what was asked about once is not asked again."""
        if source not in self._quotes:
            self._quotes[source] = fact_rows.quotes_imported_from(self._db, self._user, source)
        counts, made = self.additions.suggestions, self.additions.made_facts
        found = suggestions(text.clean(statement)[0])
        if not found:
            counts["secret"] += 1
        for item in found:
            key, value, quote = item["key"], item["value"], item["quote"]
            if quote in self._quotes[source] or fact_rows.current_with_value(
                self._db, self._user, None, key, value, self._clock()
            ):
                counts["known"] += 1
                continue
            if counts["added"] >= MAX_SUGGESTIONS:
                counts["too_many"] += 1
                continue
            details: dict[str, Any] = {"quote": quote, "imported_from": source}
            if said:
                details |= {"source_message_id": said[0], "source_version_id": said[1]}
            fact = self._facts.propose_fact(key, value, **details)
            # One that waited already has another quote, or was made a moment ago.
            if fact is None or fact.id in made or (fact.imported_from, fact.quote) != (source, quote):
                counts["known"] += 1
            else:
                counts["added"] += 1
                made.append(fact.id)


def _own_id(time: int | None, *parts: str) -> str:
    """An id in the form of a UUIDv7 that is the same for the same source: its time, and 74 bits of a hash
    instead of random ones (RFC 9562, 5.7)."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).digest()
    bits = int.from_bytes(digest[:10], "big") >> 6
    high, low = bits >> 62, bits & ((1 << 62) - 1)
    millis = min(max(time or 0, 0), (1 << 48) - 1)
    value = millis << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low
    written = f"{value:032x}"
    return f"{written[:8]}-{written[8:12]}-{written[12:16]}-{written[16:20]}-{written[20:]}"


def _time(time: int | None, fallback: int) -> int:
    return fallback if time is None else max(-MAX_TIME, min(time, MAX_TIME))


def _title(title: str | None) -> str | None:
    if title is None:
        return None
    return " ".join(text.clean(title)[0].split())[:MAX_TITLE_CHARACTERS] or None


def _kept_json(value: Any) -> str | None:
    """As JSON, unless it is too long, too deep, or holds what JSON cannot."""
    if depth_of(value, MAX_JSON_DEPTH) > MAX_JSON_DEPTH:
        return None
    try:
        written = json_text(value)
    except InvalidInputError:
        return None
    return written if len(written.encode()) <= MAX_RAW_BYTES else None


def _tool(use: ToolUse) -> tuple[str, str, str | None, str]:
    """Name, input, output and status. A call whose end is not in the file is over all the same."""
    name = " ".join(text.clean(use.name)[0].split())[:MAX_TITLE_CHARACTERS] or "tool"
    output = None if use.output is None else _short_json(use.output)
    status = "cancelled" if use.failed is None else "failed" if use.failed else "success"
    return name, _short_json(use.input), output, status


def _short_json(value: Any) -> str:
    """A long text is cut; anything else that is too long leaves null."""
    if isinstance(value, str) and len(value) > MAX_RAW_BYTES // 6:
        value = value[: MAX_RAW_BYTES // 6] + "…"
    return _kept_json(value) or "null"
