"""MemoryStore: the one door to a memory. One public operation is one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import context, resuming, text, trace
from .checks import check_count, check_id, check_mapping, check_time, json_text
from .clock import Clock, system_clock
from .consolidation import Consolidation
from .counting import count_messages
from .database import Database
from .errors import ConflictError, InvalidInputError, NotFoundError, TooLargeError
from .experience import Experiences
from .extraction.refusals import MAX_READ
from .extraction.secrets import secret_spans, without_secrets
from .facts import Facts
from .forgetting import Forgetting
from .formats.memory_file import export_memory, read_memory_file
from .formats.memory_import import import_rows
from .health import Health
from .ids import uuid7
from .overview import load_overview
from .recall import index, ranked
from .recall import search as finding
from .records import (
    ChainReport,
    Conflict,
    Experience,
    Explanation,
    Fact,
    Finding,
    Hit,
    Message,
    MessageCount,
    MessageVersion,
    Namespace,
    Overview,
    PendingSummary,
    Receipt,
    Recollection,
    Resumption,
    Session,
    Snapshot,
    Summary,
    ToolCall,
    Use,
)
from .rows import events, messages, namespaces, sessions, settings, snapshots, stats, tool_calls, users
from .rows import experiences as experience_rows
from .rows import facts as fact_rows
from .rows import uses as use_rows
from .rows.tombstones import is_forgotten
from .snapshots import checked_state, checked_validation, plan_is_done
from .undo import UndoLog
from .working_memory import WorkingMemory

__all__ = ["MAX_MEMORY_CHARS", "MAX_MESSAGE_BYTES", "MAX_TITLE_CHARACTERS", "MemoryStore"]

MAX_MESSAGE_BYTES = 1 << 20
MAX_TITLE_CHARACTERS = 200
MAX_MEMORY_CHARS = 3000  # of facts, saved state and summaries in a prompt
_ROLES = frozenset({"user", "assistant", "system", "tool"})
_STATUSES = frozenset({"complete", "streaming", "stopped", "failed"})
_CALL_STATUSES = frozenset(
    {"proposed", "approved", "running", "success", "failed", "timeout", "cancelled", "unknown"}
)
_DEVICE = "device"
_WHOLE_BRANCH = 100_000  # messages
_RECENT = 200  # messages looked through for those that are newer than a snapshot


async def _at_once() -> None:
    """On CPython a commit is durable when it returns."""


class MemoryStore:
    """A memory in one SQLite database, seen by one user and optionally one agent.

    `path_or_connection` is a path, ":memory:", or a connection of sqlite3 or a module with its interface.
    `user_id` None takes the file's own user. `clock` returns integer milliseconds. Threads may share a store.
    Raises NotADatabaseError, NewerDatabaseError, DatabaseCorruptError; the file is then as it was.
    """

    incognito = False  # see IncognitoStore

    def __init__(
        self,
        path_or_connection: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.database = Database(path_or_connection)
        self.clock: Clock = clock or system_clock
        self.agent_id = agent_id
        # Waits until all that was changed is on disk. False: it could not be saved.
        self.durable: Callable[[], Awaitable[object]] = _at_once
        db = self.database
        with db.transaction():
            now = self.clock()
            self.user_id, new = users.ensure_user(db, user_id, now)
            if new:
                namespaces.register_built_in(db, self.user_id, now)
            self._device = settings.get_setting(db, "", _DEVICE)
            if self._device is None:
                self._device = uuid7(now)
                settings.set_setting(db, "", _DEVICE, self._device, now)
        self._undo = UndoLog(db, self.clock)
        self._facts = Facts(db, self.user_id, agent_id, self.clock, self._undo)
        self._consolidation = Consolidation(db, self.user_id, self.clock, self._undo, self._facts)
        self._working = WorkingMemory(db, self.user_id, self.clock)
        self._forgetting = Forgetting(db, self.user_id, self.clock, self._undo, self._facts)
        self._experiences = Experiences(db, self.user_id, self.clock, self._undo)
        self._health = Health(db, self.user_id, self.clock, self._undo, self._facts)

    @contextmanager
    def action(self) -> Iterator[MemoryStore]:
        """Joins several operations into one transaction: all happen, or an exception undoes them all."""
        with self.database.transaction():
            yield self

    def close(self) -> None:
        self.database.close()

    def _event(self, kind: str, subject_kind: str, subject_id: str, content: str = "") -> None:
        events.append(
            self.database, self.user_id, self._device, kind, subject_kind, subject_id, content, self.clock()
        )

    # -- sessions --

    def create_session(
        self, title: str | None = None, *, metadata: Mapping[str, Any] | None = None, id: str | None = None
    ) -> Session:
        """A new session; the same `id` again returns the one there is."""
        title = self._title(title)
        metadata = check_mapping(metadata, "The metadata")
        if id is not None:
            check_id(id, "session")
        with self.database.transaction():
            if id is not None and (found := sessions.find_session(self.database, self.user_id, id)):
                return found
            id = id or uuid7(self.clock())
            sessions.insert_session(self.database, self.user_id, id, title, metadata, self.clock())
            self._event("added", "sessions", id, title or "")
            return sessions.get_session(self.database, self.user_id, id)

    def get_or_create_session(self) -> Session:
        """The most recently active session that has not been ended, or a new one."""
        with self.database.transaction():
            self._abandon_idle()
            return sessions.latest_session(self.database, self.user_id) or self.create_session()

    def start_new_session(self, title: str | None = None) -> Session:
        return self.create_session(title)

    def get_session(self, id: str) -> Session:
        self._abandon_idle(id)
        return sessions.get_session(self.database, self.user_id, id)

    def list_sessions(
        self, *, limit: int = 50, before: int | None = None, query: str | None = None
    ) -> list[Session]:
        """Most recently active first. `before` (ms) pages on; `query` is part of a title."""
        check_count(limit, "The limit")
        check_time(before, "before")
        self._abandon_idle()
        return sessions.list_sessions(self.database, self.user_id, limit=limit, before=before, query=query)

    def _abandon_idle(self, id: str | None = None) -> None:
        """Seen late, when sessions are looked at: nothing runs in between. Writes only when there is one."""
        for idle in sessions.idle_with_open_task(self.database, self.user_id, self.clock(), id):
            with self.database.transaction():
                sessions.set_status(self.database, self.user_id, idle, "abandoned", None)
                self._event("abandoned", "sessions", idle)

    def end_session(self, session_id: str) -> Session:
        """Marks it completed; a new message makes it active again."""
        return self._change_session("ended", session_id, status="completed")

    def rename_session(self, session_id: str, title: str | None) -> Session:
        return self._change_session("renamed", session_id, title=self._title(title))

    def _change_session(self, kind: str, session_id: str, **changes: Any) -> Session:
        with self.database.transaction():
            sessions.get_session(self.database, self.user_id, session_id)
            if "status" in changes:
                sessions.set_status(self.database, self.user_id, session_id, changes["status"], self.clock())
            if "title" in changes:
                sessions.set_title(self.database, self.user_id, session_id, changes["title"])
            self._event(kind, "sessions", session_id, json_text(changes))
            return sessions.get_session(self.database, self.user_id, session_id)

    def delete_session(self, session_id: str, *, forget_facts: bool = False) -> Receipt:
        """Deletes a session with its messages. Facts learned in it stay unless `forget_facts`. Undoable for
        10 s."""
        with self.database.transaction():
            receipt = self._forgetting.delete_session(session_id, forget_facts=forget_facts)
            self._event("forgotten", "sessions", session_id)
            return receipt

    @staticmethod
    def _title(title: str | None) -> str | None:
        if title is None:
            return None
        title = " ".join(text.clean(title)[0].split())
        if len(title) > MAX_TITLE_CHARACTERS:
            raise TooLargeError("The title", len(title), MAX_TITLE_CHARACTERS, "characters")
        return title or None

    # -- messages --

    def add_message(
        self,
        session_id: str,
        role: str,
        content: str,
        *,
        parent_id: str | None = None,
        tool_call_id: str | None = None,
        id: str | None = None,
        status: str = "complete",
        speaker: str | None = None,
        intent: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Message:
        """Adds a message after the one on screen, or after `parent_id`, and makes it the one on screen.

        The same `id` with a content that the message has or had changes nothing. NUL and lone surrogates
        become U+FFFD, said in `notes`. Raises InvalidInputError (empty, unknown role), TooLargeError (over 1
        MiB of UTF-8), NotFoundError, ConflictError (the id is taken by another message, or that of one which
        was forgotten).
        """
        content, notes = self._content(content, may_be_empty=status == "streaming")
        if id is not None:
            check_id(id, "message")
        metadata = check_mapping(metadata, "The metadata")
        speaker, intent = self._short(speaker, "The speaker"), self._short(intent, "The intent")
        if role not in _ROLES:
            raise InvalidInputError(
                f"A message has one of the roles {', '.join(sorted(_ROLES))}, not {role!r}."
            )
        if status not in _STATUSES:
            raise InvalidInputError(f"A message has one of the statuses {', '.join(sorted(_STATUSES))}.")
        has_secret = bool(secret_spans(content[:MAX_READ]))
        db = self.database
        with db.transaction():
            if id is not None and (found := messages.find_message(db, self.user_id, id)):
                same_place = (found.session_id, found.role) == (session_id, role)
                if same_place and content in (
                    v.content for v in messages.list_versions(db, self.user_id, id)
                ):
                    return found
                raise ConflictError(f"The id {id!r} belongs to another message. Give a new message a new id.")
            if id is not None and is_forgotten(db, self.user_id, "messages", id):
                raise ConflictError(f"The message {id!r} was forgotten. Give a new message a new id.")
            session = sessions.get_session(db, self.user_id, session_id)
            if parent_id is not None:
                parent = messages.get_message(db, self.user_id, parent_id)
                if parent.session_id != session_id:
                    raise InvalidInputError("The parent message lies in another session.")
            now = self.clock()
            id = id or uuid7(now)
            if parent_id is not None and parent_id != session.current_message_id:
                self._leave_branch(session, parent_id)
            parent_id = parent_id or session.current_message_id
            seq = messages.insert_message(
                db,
                self.user_id,
                id=id,
                session_id=session_id,
                parent_id=parent_id,
                role=role,
                status=status,
                speaker=speaker,
                tool_call_id=tool_call_id,
                intent=intent,
                has_secret=has_secret,
                metadata=metadata,
                now=now,
            )
            version_id = uuid7(now)
            messages.insert_version(
                db, self.user_id, id=version_id, message_id=id, author=role, content=content, now=now
            )
            index.add(db, seq)
            sessions.touch(db, self.user_id, session_id, id, now)
            self._undo.lineage.said(session_id, id, parent_id)
            self._event("added", "messages", id, content)
        return Message(
            id=id,
            user_id=self.user_id,
            created_at=now,
            session_id=session_id,
            parent_id=parent_id,
            role=role,
            content=content,
            version_id=version_id,
            status=status,
            speaker=speaker,
            tool_call_id=tool_call_id,
            intent=intent,
            metadata=dict(metadata),
            has_secret=has_secret,
            notes=notes,
        )

    def _leave_branch(self, session: Session, parent_id: str) -> None:
        """The talk goes on from an earlier message: what was learned after it asks for review."""
        kept = {m.id for m in messages.branch(self.database, self.user_id, parent_id, _WHOLE_BRANCH)}
        shown = messages.branch(self.database, self.user_id, session.current_message_id, _WHOLE_BRANCH)
        left = [message.id for message in shown if message.id not in kept]
        fact_rows.ask_for_review(self.database, self.user_id, left)
        self._consolidation.left(session.id, left)

    def add_messages(self, items: Iterable[Mapping[str, Any]]) -> list[Message]:
        """Several messages, each a mapping of add_message's arguments; all of them or none."""
        with self.database.transaction():
            return [self.add_message(**item) for item in items]

    def edit_message(self, message_id: str, content: str) -> Message:
        """Gives a message a new version; the older ones stay. Facts learned from them ask for review."""
        content, notes = self._content(content)
        db = self.database
        with db.transaction():
            message = messages.get_message(db, self.user_id, message_id)
            if message.content == content:
                return message
            seq = messages.seq_of(db, self.user_id, message_id)
            index.remove(db, [seq])
            newest = messages.list_versions(db, self.user_id, message_id)[-1]
            # A clock that went back must not make the edit older than what it replaces.
            now = max(self.clock(), newest.created_at + 1)
            version_id = uuid7(now)
            messages.insert_version(
                db,
                self.user_id,
                id=version_id,
                message_id=message_id,
                author="user",
                content=content,
                now=now,
            )
            if not message.has_secret and secret_spans(content[:MAX_READ]):
                messages.update_message(db, self.user_id, message_id, has_secret=True)
            index.add(db, seq)
            fact_rows.mark_for_review(db, self.user_id, message_id, version_id)
            self._event("edited", "messages", message_id, content)
            edited = messages.get_message(db, self.user_id, message_id)
            self._consolidation.edited(edited)
        return edited if not notes else Message(**{**edited.to_dict(), "notes": notes})

    def set_message_status(self, message_id: str, status: str, content: str | None = None) -> Message:
        """Ends (or goes on with) a message that was streaming, with its text so far."""
        if status not in _STATUSES:
            raise InvalidInputError(f"A message has one of the statuses {', '.join(sorted(_STATUSES))}.")
        db = self.database
        with db.transaction():
            message = messages.get_message(db, self.user_id, message_id)
            if content is not None:
                content, _ = self._content(content, may_be_empty=status == "streaming")
                if message.status != "streaming":
                    raise InvalidInputError(
                        "Only a message that is still streaming can be filled; edit this one."
                    )
            seq = messages.seq_of(db, self.user_id, message_id)
            index.remove(db, [seq])
            if content is not None:
                messages.rewrite_version(db, self.user_id, message.version_id, content)
            messages.update_message(db, self.user_id, message_id, status=status)
            index.add(db, seq)
            if status != "streaming":
                self._event(status, "messages", message_id, message.content if content is None else content)
            return messages.get_message(db, self.user_id, message_id)

    def get_message(self, id: str) -> Message:
        return messages.get_message(self.database, self.user_id, id)

    def find_message(self, id: str) -> Message | None:
        return messages.find_message(self.database, self.user_id, id)

    def replies_to(self, message_id: str) -> list[Message]:
        """Messages whose parent it is, oldest first."""
        return messages.replies_to(self.database, self.user_id, message_id)

    def message_versions(self, message_id: str) -> list[MessageVersion]:
        """All versions, oldest first."""
        messages.get_message(self.database, self.user_id, message_id)
        return messages.list_versions(self.database, self.user_id, message_id)

    def list_messages(self, session_id: str, *, before: int | None = None, limit: int = 200) -> list[Message]:
        """The newest messages of a session over all branches, oldest first; `before` (ms) pages back."""
        check_count(limit, "The limit")
        check_time(before, "before")
        return messages.list_messages(self.database, self.user_id, session_id, before=before, limit=limit)

    def get_recent_messages(self, session_id: str, limit: int = 20) -> list[Message]:
        """The newest messages of the branch on screen, oldest first."""
        check_count(limit, "The limit")
        session = sessions.get_session(self.database, self.user_id, session_id)
        if limit < 1 or session.current_message_id is None:
            return []
        return messages.branch(self.database, self.user_id, session.current_message_id, limit)

    def get_context_within_budget(
        self, session_id: str, max_chars: int = 4000, *, max_tokens: int | None = None, limit: int = 20
    ) -> list[Message]:
        """The newest whole messages that fit, at most `limit`, oldest first; always at least one."""
        return context.within_budget(
            self.get_recent_messages(session_id, max(1, limit)), max_chars, max_tokens
        )

    def build_system_prompt(self, *, session_id: str | None = None, limit: int = 12) -> str:
        """System text with the confirmed facts, pinned and most used first, and of a session its overview; in
        Chinese where the user last wrote it."""
        recent = self.get_recent_messages(session_id, 10) if session_id else []
        said = next((message.content for message in reversed(recent) if message.role == "user"), "")
        language = text.detect_language(said)
        if session_id:
            overview = self.load_overview(session_id, limit=limit)
        else:
            overview = Overview("", None, (), tuple(self.facts_for_prompt(limit)))
        shown = [message.id for message in recent]
        return context.system_prompt(
            context.memory_part(overview, max(MAX_MEMORY_CHARS, limit * 310), language, shown=shown), language
        )

    def set_feedback(self, message_id: str, feedback: int) -> Message:
        """-1, 0 or 1."""
        if feedback not in (-1, 0, 1):
            raise InvalidInputError(f"Feedback is -1, 0 or 1, not {feedback!r}.")
        return self._set_on_message(message_id, feedback=feedback)

    def set_intent(self, message_id: str, intent: str | None) -> Message:
        return self._set_on_message(message_id, intent=self._short(intent, "The intent"))

    def _set_on_message(self, message_id: str, **changes: Any) -> Message:
        with self.database.transaction():
            messages.get_message(self.database, self.user_id, message_id)
            messages.update_message(self.database, self.user_id, message_id, **changes)
            self._event("tagged", "messages", message_id, json_text(changes))
            return messages.get_message(self.database, self.user_id, message_id)

    @staticmethod
    def _short(label: str | None, what: str) -> str | None:
        """A label such as a speaker's name."""
        if label is None:
            return None
        label = text.clean(label)[0]
        if len(label) > MAX_TITLE_CHARACTERS:
            raise TooLargeError(what, len(label), MAX_TITLE_CHARACTERS, "characters")
        return label

    @staticmethod
    def _content(content: str, *, may_be_empty: bool = False) -> tuple[str, tuple[str, ...]]:
        content, notes = text.clean(content)
        if not content.strip() and not may_be_empty:
            raise InvalidInputError("The message is empty. Write something first.")
        # A character takes at most four bytes, so most texts need not be encoded to know.
        if len(content) * 4 > MAX_MESSAGE_BYTES and (size := len(content.encode())) > MAX_MESSAGE_BYTES:
            raise TooLargeError("The message", size, MAX_MESSAGE_BYTES)
        return content, notes

    # -- facts --

    def set_fact(self, key: str, value: str, *, confidence: float | None = None, **details: Any) -> Fact:
        """States a fact. Over a current single-valued key it is a correction (0.95, the old one 0.3 and
        superseded) unless `confidence` is given. `details`: source_message_id, source_version_id, quote,
        category, expires_at, …

        Raises UnregisteredKeyError, TooLargeError (value over 100 characters), InvalidInputError.
        """
        with self.database.transaction():
            fact = self._facts.set_fact(key, value, confidence=confidence, **self._sourced(details))
            self._event("stated", "facts", fact.id, f"{key}\x1f{fact.value}")
            return fact

    def propose_fact(self, key: str, value: str, *, confidence: float = 0.8, **details: Any) -> Fact | None:
        """Puts an inferred fact before the user; None if it is known, was rejected, or is too uncertain
        (under 0.7)."""
        with self.database.transaction():
            fact = self._facts.propose_fact(key, value, confidence=confidence, **self._sourced(details))
            if fact:
                self._event("proposed", "facts", fact.id, f"{key}\x1f{fact.value}")
            return fact

    def confirm_fact(self, id: str, *, value: str | None = None) -> Fact:
        """Accepts a proposed or disputed fact, with another value if given."""
        with self.database.transaction():
            fact = self._facts.confirm_fact(id, value=value)
            self._event("confirmed", "facts", id, f"{fact.key}\x1f{fact.value}")
            return fact

    def reject_fact(self, id: str, *, never_this_kind: bool = False) -> Receipt:
        """Deletes a proposed fact; it is not proposed again. Undoable for 10 s."""
        with self.database.transaction():
            operation = self._facts.reject_fact(id, never_this_kind=never_this_kind)
            self._event("rejected", "facts", id)
            events.drop_salts(self.database, id)
            return Receipt(operation.id, {"facts": 1}, operation.until)

    def pin_fact(self, id: str, pinned: bool = True) -> Fact:
        with self.database.transaction():
            fact = self._facts.pin_fact(id, pinned)
            self._event("pinned" if pinned else "unpinned", "facts", id)
            return fact

    def end_fact(self, id: str) -> Fact:
        """What it says is over, such as a task done: archived, still readable."""
        with self.database.transaction():
            fact = self._facts.end_fact(id)
            self._event("ended", "facts", id)
            return fact

    def get_fact(self, key: str, *, as_of: int | None = None, known_at: int | None = None) -> Fact | None:
        """The current fact under a key. `as_of` (ms): what was true then; `known_at` (ms): what was believed
        then."""
        return self._facts.get_fact(key, as_of=as_of, known_at=known_at)

    def list_facts(
        self,
        *,
        status: str | None = "current",
        prefix: str | None = None,
        category: str | None = None,
        source_message_id: str | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        """Pinned, most used and newest first. `status` None takes all."""
        if limit is not None:
            check_count(limit, "The limit")
        return self._facts.list_facts(
            status=status, prefix=prefix, category=category, source_message_id=source_message_id, limit=limit
        )

    def facts_for_prompt(self, limit: int = 12) -> list[Fact]:
        """What a model is told about the user: pinned and most used first, no to-dos, nothing that asks for
        review."""
        check_count(limit, "The limit")
        return self._facts.facts_for_prompt(limit)

    def fact_history(self, key: str) -> list[Fact]:
        """Everything ever held under a key, newest first."""
        return self._facts.fact_history(key)

    def register_namespace(
        self, prefix: str, *, single_valued: bool = True, ttl_ms: int | None = None
    ) -> Namespace:
        """Allows fact keys under `prefix` (`trip::`), or one whole key (`user::hobby`)."""
        if not prefix or any(mark in prefix for mark in "*?["):
            raise InvalidInputError(f"{prefix!r} cannot be a prefix: it is empty or holds one of * ? [.")
        with self.database.transaction():
            namespaces.upsert_namespace(
                self.database,
                self.user_id,
                prefix,
                single_valued=single_valued,
                ttl_ms=ttl_ms,
                now=self.clock(),
            )
            self._event("registered", "namespaces", prefix, json_text([single_valued, ttl_ms]))
        return Namespace(prefix, single_valued, ttl_ms)

    def list_namespaces(self) -> list[Namespace]:
        return namespaces.list_namespaces(self.database, self.user_id)

    def _sourced(self, details: dict[str, Any]) -> dict[str, Any]:
        """A source message is taken in the version that is newest now."""
        source = details.get("source_message_id")
        if source and not details.get("source_version_id"):
            message = messages.find_message(self.database, self.user_id, source)
            if message is None:
                raise NotFoundError("message", source)
            details["source_version_id"] = message.version_id
        return details

    # -- finding --

    def recall(
        self,
        query: str | Sequence[str],
        *,
        limit: int = 20,
        session_id: str | None = None,
        history: bool = False,
    ) -> list[Recollection]:
        """Memories that bear on a question, or on any of several, best first."""
        check_count(limit, "The limit")
        return ranked.recall(
            self.database,
            self.user_id,
            self.agent_id,
            [query] if isinstance(query, str) else list(query),
            now=self.clock(),
            limit=limit,
            session_id=session_id,
            history=history,
        )

    def search(self, text: str, **filters: Any) -> list[Hit]:
        """Messages that hold the text exactly, newest first. Filters: session_id, role, speaker, since, until
        (ms), metadata, limit, offset; order "newest" or "best"."""
        check_count(filters.get("limit", 0), "The limit")
        check_count(filters.get("offset", 0), "The offset")
        for name in ("since", "until"):
            check_time(filters.get(name), name)
        if filters.get("order", "newest") not in ("newest", "best"):
            raise InvalidInputError(f"The order is newest or best, not {filters['order']!r}.")
        if filters.get("metadata") is not None:
            metadata = check_mapping(filters["metadata"], "The metadata")
            if any(isinstance(value, list | dict) for value in metadata.values()):
                raise InvalidInputError("Search takes plain values of metadata, no lists or mappings.")
        return finding.search(self.database, self.user_id, text, **filters)

    # -- active recall --

    def active_recall(self, text: str, *, limit: int = 5, exclude: Iterable[str] = ()) -> list[Recollection]:
        """The best memories for a message that did not ask for any, without those in `exclude` (ids); []
        where nothing is near enough to be worth a model's attention."""
        check_count(limit, "The limit")
        return ranked.recall_actively(
            self.database,
            self.user_id,
            self.agent_id,
            text,
            now=self.clock(),
            limit=limit,
            exclude=frozenset(exclude),
        )

    # -- answers and what they rested on --

    def record_uses(self, message_id: str, uses: Iterable[tuple[str, str, Mapping[str, Any] | str]]) -> None:
        """Notes which memories, (kind, id, reason) in order of rank, an answer rests on."""
        items = [(kind, id, {"why": why} if isinstance(why, str) else why) for kind, id, why in uses]
        with self.database.transaction():
            messages.get_message(self.database, self.user_id, message_id)
            use_rows.insert_uses(self.database, self.user_id, message_id, items, self.clock())
            self._event("rested on", "messages", message_id, json_text([id for _, id, _ in items]))
            ids = [id for kind, id, _ in items if kind == "facts"]
            fact_rows.mark_used(self.database, self.user_id, ids, self.clock())

    def list_uses(self, message_id: str) -> list[Use]:
        return use_rows.list_uses(self.database, self.user_id, message_id)

    # -- tool calls --

    def add_tool_call(
        self,
        session_id: str,
        tool_name: str,
        input: Any,
        *,
        message_id: str | None = None,
        status: str = "proposed",
        id: str | None = None,
    ) -> ToolCall:
        """Notes a call. The same `id` again returns the one there is."""
        with self.database.transaction():
            sessions.get_session(self.database, self.user_id, session_id)
            if id is None:
                id = uuid7(self.clock())
            elif found := tool_calls.find_tool_call(self.database, self.user_id, check_id(id, "tool call")):
                if (found.session_id, found.tool_name) == (session_id, text.clean(tool_name)[0]):
                    return found
                raise ConflictError(f"The id {id!r} belongs to another tool call. Give a new call a new id.")
            tool_calls.insert_tool_call(
                self.database,
                self.user_id,
                id=id,
                session_id=session_id,
                message_id=message_id,
                tool_name=text.clean(tool_name)[0],
                input=input,
                status=self._call_status(status),
                now=self.clock(),
            )
            self._event("added", "tool_calls", id, json_text(input))
            return tool_calls.get_tool_call(self.database, self.user_id, id)

    def update_tool_call(
        self, id: str, status: str, *, output: Any = None, error: str | None = None, validation: Any = None
    ) -> ToolCall:
        """Moves a call on. `validation` is what a check of it found: {"state": "valid" | "invalid" |
        "unknown", "why", "at" (ms)}. One that has ended stays as it ended: ConflictError."""
        status, validation = self._call_status(status), checked_validation(validation)
        with self.database.transaction():
            known = tool_calls.get_tool_call(self.database, self.user_id, id)
            if known.status in tool_calls.FINISHED and status != known.status:
                raise ConflictError(
                    f"The tool call {id!r} has ended as {known.status}. Note a new call instead."
                )
            tool_calls.update_tool_call(
                self.database,
                self.user_id,
                id,
                status,
                output=output,
                error=None if error is None else text.clean(error)[0],
                validation=validation,
                now=self.clock(),
            )
            self._event(status, "tool_calls", id, json_text([output, validation] if validation else output))
            call = tool_calls.get_tool_call(self.database, self.user_id, id)
            if status in tool_calls.FINISHED:
                self._consolidation.tool_finished(call.session_id, call.tool_name)
            return call

    def list_tool_calls(self, session_id: str, *, message_id: str | None = None) -> list[ToolCall]:
        """Calls of a session, or of one answer in it, oldest first."""
        return tool_calls.list_tool_calls(self.database, self.user_id, session_id, message_id)

    def open_tool_calls(self, session_id: str) -> list[ToolCall]:
        """Those that are not over: waiting, running, or of an unknown end that nobody was asked about."""
        return tool_calls.open_tool_calls(self.database, self.user_id, session_id)

    @staticmethod
    def _call_status(status: str) -> str:
        if status not in _CALL_STATUSES:
            raise InvalidInputError(
                f"A tool call has one of the statuses {', '.join(sorted(_CALL_STATUSES))}."
            )
        return status

    # -- working memory and summaries --

    def working_set(self, session_id: str) -> list[Message]:
        """The last 12 rounds of the branch on screen, oldest first, held in this process for 30 minutes after
        their last use; the session's system message before them."""
        return self._working.messages(session_id)

    def load_overview(self, session_id: str, *, limit: int = 12) -> Overview:
        """What a session starts or goes on from, read without a model: its last saved state, the last
        summaries (those of other sessions where it has none) and at most `limit` facts about the user."""
        check_count(limit, "The limit")
        return load_overview(self.database, self.user_id, session_id, self._consolidation, self._facts, limit)

    def summarise(
        self, session_id: str, *, answer: str | None = None, last_message_id: str | None = None
    ) -> Summary | None:
        """Summarises what no summary covers yet (at most 50 messages), up to `last_message_id` if given, as
        an extract in the speakers' own words, or from a model's `answer` after
        extraction.structured_summary.SUMMARY_SCHEMA. None where there is nothing.

        Raises InvalidInputError for an answer that does not follow the schema, NotFoundError.
        """
        with self.database.transaction():
            return self._summarised(
                self._consolidation.summarise(session_id, answer=answer, last_message_id=last_message_id)
            )

    def summarise_if_due(self, session_id: str) -> Summary | None:
        """An extract once five rounds, 3,000 tokens (estimated) or a task node have come since the last; None
        before. ChatAgent calls it after each round."""
        with self.database.transaction():
            return self._summarised(self._consolidation.summarise_if_due(session_id))

    def _summarised(self, summary: Summary | None) -> Summary | None:
        if summary is not None:
            self._event("summarised", "summaries", summary.id, summary.content)
        return summary

    def pending_summary(self, session_id: str) -> PendingSummary:
        """What a summary would cover now, for whoever has a model write it."""
        return self._consolidation.pending(session_id)

    def list_summaries(self, session_id: str, *, level: int | None = None) -> list[Summary]:
        """Oldest first. Level 1 stands for messages, each higher one for summaries of the level below."""
        if level is not None:
            check_count(level, "The level", least=1)
        return self._consolidation.list_summaries(session_id, level=level)

    def task_node(self, session_id: str, kind: str) -> None:
        """The hook for what runs an agent: "tool_finished", "plan_step" or "confirmed" make a summary due at
        the end of the round."""
        self._consolidation.task_node(session_id, kind)

    def count_messages(
        self,
        *,
        topic: str | Sequence[str] | None = None,
        since: int | None = None,
        until: int | None = None,
        session_id: str | None = None,
        role: str | None = "user",
        intent: str | None = None,
        feedback: int | None = None,
        within_ms_of: Sequence[Any] | None = None,
        words: str | Sequence[str] | None = None,
    ) -> MessageCount:
        """Counts messages about a topic (a text they hold, or one of several; capitals do not matter) from
        `since` up to `until` (ms), of one role (None: both), with an intent or feedback.

        `within_ms_of` is (tool, status, ms) of a tool call in the same session; None stands for any tool or
        status, and without ms it is five minutes. `words` is a list, or "impatience" for the built-in one in
        English and Chinese; Latin words count where they stand whole. Reads every message of the period.
        """
        check_time(since, "since")
        check_time(until, "until")
        if session_id is not None:
            sessions.get_session(self.database, self.user_id, session_id)
        if role not in ("user", "assistant", None):
            raise InvalidInputError(f"Messages of a user or an assistant are counted, not of {role!r:.40}.")
        if feedback not in (-1, 0, 1, None):
            raise InvalidInputError(f"Feedback is -1, 0 or 1, not {feedback!r:.40}.")
        zone = self.get_setting("zone")
        return count_messages(
            self.database,
            self.user_id,
            topic=topic,
            since=since,
            until=until,
            session_id=session_id,
            role=role,
            intent=self._short(intent, "The intent"),
            feedback=feedback,
            within_ms_of=within_ms_of,
            words=words,
            zone=zone if isinstance(zone, str) else None,
        )

    # -- tasks: snapshots, resuming, experience, trace --

    def save_snapshot(self, session_id: str, state: Mapping[str, Any], reason: str) -> Snapshot:
        """Saves the state of the session's task (see snapshots.py), with a mark in the place of secrets. The
        newest few of a session are kept. One whose plan is done completes the session.

        Raises InvalidInputError, which names the place in the state, TooLargeError (over 128 KiB),
        NotFoundError.
        """
        reason = self._short(reason, "The reason") or ""
        saved_state = without_secrets(checked_state(state))
        db = self.database
        with db.transaction():
            session = sessions.get_session(db, self.user_id, session_id)
            if saved_state["plan"] != self._plan_before(session_id):
                self._consolidation.task_node(session_id, "plan_step")
            saved_state["message_id"] = saved_state["message_id"] or session.current_message_id
            saved = snapshots.insert_snapshot(
                db, self.user_id, session_id, saved_state, without_secrets(reason), self.clock()
            )
            self._event("added", "snapshots", saved.id, json_text(saved_state))
            for id in snapshots.prune(db, self.user_id, session_id):
                events.drop_salts(db, id)
            if plan_is_done(saved_state) and session.status != "completed":
                sessions.set_status(db, self.user_id, session_id, "completed", self.clock())
                self._event("completed", "sessions", session_id)
            return saved

    def _plan_before(self, session_id: str) -> list[Any]:
        try:
            before = snapshots.latest(self.database, self.user_id, session_id)
        except InvalidInputError:  # of a newer release
            return []
        return before.state["plan"] if before else []

    def latest_snapshot(self, session_id: str) -> Snapshot | None:
        """The newest one, its state in the present format. Raises InvalidInputError where it cannot be
        read."""
        return snapshots.latest(self.database, self.user_id, session_id)

    def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """Those that are kept, oldest first."""
        return snapshots.list_snapshots(self.database, self.user_id, session_id)

    def resume_session(self, session_id: str, *, language: str | None = None) -> Resumption:
        """What a session is taken up again with: nothing is run. Calls that were running are closed as
        unknown. `language` "en" or "zh", by default that of the user's last message. ChatAgent.resume_session
        also checks with the tools what can still be done."""
        if language not in (None, "en", "zh"):
            raise InvalidInputError(f"The language is 'en' or 'zh', not {language!r:.20}.")
        db = self.database
        with db.transaction():
            recent = self.get_recent_messages(session_id, _RECENT)
            for call in tool_calls.open_tool_calls(db, self.user_id, session_id):
                if call.status == "running":
                    self.update_tool_call(call.id, "unknown")
            said = next((m.content for m in reversed(recent) if m.role == "user"), "")
            return resuming.load(
                db,
                self.user_id,
                session_id,
                now=self.clock(),
                language=language or text.detect_language(said),
                overview=self.build_system_prompt(session_id=session_id),
                facts=self.list_facts(),
                recent=recent,
            )

    def settle_tool_call(self, id: str) -> ToolCall:
        """The user has been asked about a call of unknown end: it is no longer an open task."""
        with self.database.transaction():
            tool_calls.get_tool_call(self.database, self.user_id, id)
            tool_calls.settle(self.database, self.user_id, id, self.clock())
            self._event("settled", "tool_calls", id)
            return tool_calls.get_tool_call(self.database, self.user_id, id)

    def propose_experience(self, topic: str, content: str) -> Experience | None:
        """Puts know-how about a tool or a kind of task before the user; None if it is known or was rejected.
        Raises InvalidInputError if it holds anything about a person, TooLargeError."""
        with self.database.transaction():
            experience = self._experiences.propose(topic, content)
            if experience:
                self._event("proposed", "experiences", experience.id, f"{topic}\x1f{content}")
            return experience

    def confirm_experience(self, id: str) -> Experience:
        """The user's yes: from now on it is offered in every session."""
        with self.database.transaction():
            experience = self._experiences.confirm(id)
            self._event("confirmed", "experiences", id)
            return experience

    def reject_experience(self, id: str) -> Receipt:
        """Deletes an experience, confirmed or not; it is not proposed again. Undoable for 10 s."""
        with self.database.transaction():
            self._experiences.refuse(experience_rows.get_experience(self.database, self.user_id, id))
            receipt = self._forgetting.forget_experience(id)
            self._event("rejected", "experiences", receipt.operation_id)
            return receipt

    def list_experiences(self, *, status: str | None = None, topic: str | None = None) -> list[Experience]:
        """Oldest first; `status` "candidate" or "current"."""
        return experience_rows.list_experiences(self.database, self.user_id, status=status, topic=topic)

    def experiences_for(self, said: str, tools: Iterable[str] = (), *, limit: int = 3) -> list[Experience]:
        """Confirmed know-how that bears on a message or on the named tools, the most reliable first."""
        return self._experiences.offered(text.clean(said)[0], tools, limit)

    def count_outcome(self, experience_id: str, success: bool) -> Experience:
        """Notes that an experience was followed, and whether it helped."""
        if not isinstance(success, bool):
            raise InvalidInputError(f"Whether it helped is True or False, not {success!r:.60}.")
        with self.database.transaction():
            experience_rows.get_experience(self.database, self.user_id, experience_id)
            experience_rows.count_outcome(self.database, self.user_id, experience_id, success)
            self._event("helped" if success else "failed", "experiences", experience_id)
            return experience_rows.get_experience(self.database, self.user_id, experience_id)

    def explain(self, message_id: str) -> Explanation:
        """Why an answer says what it says: the memories it rested on, best first, each as it is now."""
        return trace.explain(self.database, self.user_id, message_id)

    def verify(self) -> ChainReport:
        """Walks the chain of events, and says which event was changed, removed, inserted or moved."""
        return trace.verify(self.database)

    # -- settings, forgetting, care --

    def get_setting(self, name: str, default: Any = None) -> Any:
        return settings.get_setting(self.database, self.user_id, name, default)

    def set_setting(self, name: str, value: Any) -> None:
        """Any JSON value; None removes the setting."""
        name = text.clean(name)[0]
        with self.database.transaction():
            settings.set_setting(self.database, self.user_id, name, value, self.clock())
            self._event("set", "settings", name, json_text(value))

    def forget(
        self,
        *,
        fact_id: str | None = None,
        message_id: str | None = None,
        session_id: str | None = None,
        text: str | None = None,
        keep_facts: bool = False,
    ) -> Receipt:
        """Forgets one fact, a message or a session with what was learned from it, or everything holding a
        text; with `keep_facts` a message alone. Undoable for 10 s. Raises NotFoundError, and
        InvalidInputError unless exactly one is named."""
        with self.database.transaction():
            receipt = self._forgetting.forget(
                fact_id=fact_id,
                message_id=message_id,
                session_id=session_id,
                text=text,
                keep_facts=keep_facts,
            )
            self._event("forgotten", "memory", receipt.operation_id)
            return receipt

    def undo(self, operation_id: str) -> None:
        """Puts back what an operation of the last 10 seconds changed. Raises UndoExpiredError."""
        with self.database.transaction():
            self._undo.undo(operation_id)
            self._event("undone", "memory", operation_id)

    def cleanup_old_messages(self, days: int = 30, *, delete: bool = False) -> Receipt:
        """Deletes messages older than `days` if `delete`, else only counts them. Facts and summaries stay, a
        fact with the id and the quote of its message. Undoable for 10 s; compact() then takes the last traces
        out of the file (the page does it by itself)."""
        check_count(days, "The age in days", least=1, most=36_500)
        with self.database.transaction():
            receipt = self._forgetting.cleanup(days, delete=delete)
            if delete:
                self._event("cleaned", "memory", receipt.operation_id)
            return receipt

    def cleanup_due(self, days: int = 30, *, past_bytes: int = 50_000_000) -> Receipt | None:
        """What cleanup_old_messages() would take, where the user should be offered it: the memory has grown
        past `past_bytes`, and for 30 days it was neither offered nor done. Else None."""
        check_count(days, "The age in days", least=1, most=36_500)
        check_count(past_bytes, "The size in bytes")
        return self._forgetting.cleanup_due(days, past_bytes)

    def cleanup_offered(self) -> None:
        """Notes that the user has seen the offer: the next comes in 30 days at the earliest."""
        with self.database.transaction():
            self._forgetting.cleanup_offered()

    def renew_fact(self, id: str) -> Fact:
        """Makes an expired or archived fact current again. Undoable for 10 s."""
        with self.database.transaction():
            fact = self._facts.renew_fact(id)
            self._event("renewed", "facts", id)
            return fact

    def health(self) -> list[Finding]:
        """What is wrong with the memory or waits for the user, the gravest first; [] if nothing."""
        with self.database.transaction():
            return self._health.findings()

    def fix_health(self, kind: str) -> int:
        """Does what a finding of that kind says can be done. Returns how many rows it concerned."""
        with self.database.transaction():
            count = self._health.fix(kind)
            self._event("fixed", "memory", kind)
            return count

    def consolidate(self) -> dict[str, int]:
        """Tidies up without asking: what has expired is marked so, facts that say the same become one, of two
        that exclude each other the older is put to the user, what has long been unused rests, and every fact
        is weighed anew; events of past months are folded. Undoable but for weighing and folding. Returns
        counts by what was done."""
        with self.database.transaction():
            done = {
                "expired": self._health.fix("stale"),
                "merged": self._health.fix("duplicates"),
                "archived": self._health.fix("resting"),
                "reviewed": self._health.fix("unsupported"),
                "disputed": self._health.fix("contradictions"),
                "weighed": self._health.weigh(),
            }
            if any(done.values()):
                self._event("consolidated", "memory", self.user_id, json_text(done))
            while trace.checkpoint(self.database, self._device, self.clock()):
                pass
            return done

    def conflicts(self) -> list[Conflict]:
        """What is disputed, each with the current fact that it disagrees with. confirm_fact() says that both
        hold (under one key the disputed one then takes the other's place), reject_fact() that it does not."""
        return self._health.conflicts()

    def stats(self) -> dict[str, int]:
        """Rows by table, and the database's size in bytes."""
        return stats.counts(self.database, self.user_id)

    def idle_work(self, budget_ms: int) -> bool:
        """Folds events of past months, merges the search index a little, for about `budget_ms`, and once a
        month looks for facts that contradict each other. True if there is more to do."""
        self._undo.forget_expired()
        with self.database.transaction():
            folded = trace.checkpoint(self.database, self._device, self.clock())
            if disputed := self._health.check_if_due():
                self._event("consolidated", "memory", self.user_id, json_text({"disputed": disputed}))
            return index.merge(self.database, budget_ms) or folded > 0

    # -- files --

    def compact(self) -> None:
        """Rewrites the file and the search index in place: nothing that was deleted is left in them. In the
        page the host does this by itself."""
        with self.database.transaction():
            index.optimize(self.database)
        self.database.compact()

    def export_to(self, path: str | Path) -> None:
        """Writes the memory to a new file: one plain SQLite database without what only synchronisation
        needs."""
        export_memory(self.database, path)

    def import_file(self, path: str | Path, *, mode: str = "merge") -> dict[str, Any]:
        """Adds the rows of an exported file, or puts them in the place of this user's (`mode` "replace").

        The file is read apart and never trusted. Raises NotADatabaseError, NewerDatabaseError,
        DatabaseCorruptError, ImportRefusedError; nothing is changed then. Returns the report of
        import_rows().
        """
        return self.import_rows(read_memory_file(Path(path)), mode=mode)

    def import_rows(
        self, batches: Iterable[tuple[str, Sequence[Mapping[str, Any]]]], *, mode: str = "merge"
    ) -> dict[str, Any]:
        """Rows of read_memory_file(): all in one transaction. Returns {imported, skipped, conflicts, …} by
        table."""
        with self.database.transaction():
            report = import_rows(self.database, self.user_id, batches, mode=mode, now=self.clock())
            self._event("imported", "memory", uuid7(self.clock()), json_text(report["imported"]))
            return report
