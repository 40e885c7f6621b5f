"""Messages and their versions."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from py_memory import context, text
from py_memory.checks import (
    check_choice,
    check_count,
    check_id,
    check_items,
    check_mapping,
    check_time,
    json_text,
)
from py_memory.errors import ConflictError, InvalidInputError, NotFoundError, TooLargeError, shown
from py_memory.extraction.refusals import MAX_READ
from py_memory.extraction.secrets import secret_spans
from py_memory.ids import uuid7
from py_memory.recall import index
from py_memory.records import Message, MessageVersion, Session
from py_memory.rows import facts as fact_rows
from py_memory.rows import messages, sessions
from py_memory.rows.tombstones import is_forgotten
from py_memory.titles import title_of

from .base import StoreBase

__all__ = ["MessageOperations"]

MAX_MESSAGE_BYTES = 1 << 20
_ROLES = frozenset({"user", "assistant", "system", "tool"})
_STATUSES = frozenset({"complete", "streaming", "stopped", "failed"})
_WHOLE_BRANCH = 100_000  # messages


class MessageOperations(StoreBase):
    """A part of MemoryStore."""

    def add_message(
        self,
        session_id: str,
        role: str,
        content: str,
        *,
        parent_id: str | None = None,
        beside: str | None = None,
        tool_call_id: str | None = None,
        id: str | None = None,
        status: str = "complete",
        speaker: str | None = None,
        intent: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Message:
        """Adds a message after the one on screen, or after `parent_id`, or in the place of the message
        `beside`, which stays as another branch, and makes it the one on screen.

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
        check_choice(role, "The role of a message", _ROLES)
        check_choice(status, "The status of a message", _STATUSES)
        has_secret = bool(secret_spans(content[:MAX_READ]))
        db = self.database
        with db.transaction():
            if id is not None and (found := messages.find_message(db, self.user_id, id)):
                same_place = (found.session_id, found.role) == (session_id, role)
                if same_place and content in (
                    v.content for v in messages.list_versions(db, self.user_id, id)
                ):
                    return found
                raise ConflictError(
                    f"The id {shown(id)} belongs to another message. Give a new message a new id."
                )
            if id is not None and is_forgotten(db, self.user_id, "messages", id):
                raise ConflictError(f"The message {shown(id)} was forgotten. Give a new message a new id.")
            session = sessions.get_session(db, self.user_id, session_id)
            now = self.clock()
            id = id or uuid7(now)
            place = self._place(session, parent_id, beside)
            if place != session.current_message_id:
                self._leave_branch(session, place)
            parent_id = place
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

    def _place(self, session: Session, parent_id: str | None, beside: str | None) -> str | None:
        """The message that a new one follows."""
        if parent_id is not None and beside is not None:
            raise InvalidInputError("A message follows `parent_id` or stands `beside` another, not both.")
        named = parent_id or beside
        if named is None:
            return session.current_message_id
        message = messages.get_message(self.database, self.user_id, named)
        if message.session_id != session.id:
            where = "parent message" if parent_id else "message beside"
            raise InvalidInputError(f"The {where} lies in another session.")
        return parent_id or message.parent_id

    def _leave_branch(self, session: Session, shown_id: str | None) -> None:
        """The talk goes on from another message than the one on screen: what was learned on the way that is
        left asks for review."""
        kept = {m.id for m in messages.branch(self.database, self.user_id, shown_id, _WHOLE_BRANCH)}
        shown = messages.branch(self.database, self.user_id, session.current_message_id, _WHOLE_BRANCH)
        left = [message.id for message in shown if message.id not in kept]
        fact_rows.ask_for_review(self.database, self.user_id, left)
        self._consolidation.left(session.id, left)

    def alternatives(self, session_id: str) -> dict[str, list[str]]:
        """Where a session has branches: of each message that stands beside others (edits of one message,
        answers to one message), the ids of all of them, oldest first."""
        sessions.get_session(self.database, self.user_id, session_id)
        groups = messages.branches(self.database, self.user_id, session_id)
        return {id: group for group in groups for id in group}

    def show_branch(self, message_id: str) -> Session:
        """Puts the branch with this message on screen, up to its newest message; the talk goes on from there.
        What was learned on the way that is left asks for review. Raises NotFoundError."""
        db = self.database
        with db.transaction():
            message = messages.get_message(db, self.user_id, message_id)
            session = sessions.get_session(db, self.user_id, message.session_id)
            shown = messages.newest_after(db, self.user_id, message)
            if shown != session.current_message_id:
                self._leave_branch(session, shown)
                sessions.set_current_message(db, self.user_id, session.id, shown)
                self._event("shown", "sessions", session.id, shown)
            return sessions.get_session(db, self.user_id, session.id)

    def add_messages(self, items: Iterable[Mapping[str, Any]]) -> list[Message]:
        """Several messages, each a mapping of add_message's arguments; all of them or none."""
        with self.database.transaction():
            return [self.add_message(**self._arguments(item)) for item in check_items(items, "The messages")]

    @staticmethod
    def _arguments(item: Mapping[str, Any]) -> Mapping[str, Any]:
        given = check_mapping(item, "A message to be added")
        known = inspect.signature(MessageOperations.add_message).parameters.keys() - {"self"}
        if unknown := [name for name in given if name not in known]:
            raise InvalidInputError(
                f"A message has no {shown(unknown[0])}; it has {', '.join(sorted(known))}."
            )
        if missing := {"session_id", "role", "content"} - given.keys():
            raise InvalidInputError(f"A message to be added needs its {min(missing)}.")
        return given

    def edit_message(self, message_id: str, content: str) -> Message:
        """Gives a message a new version; the older ones stay. Facts learned from them ask for review; a
        title made from the message follows."""
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
            self._embedding.changed(message_id, seq)
            fact_rows.mark_for_review(db, self.user_id, message_id, version_id)
            self._event("edited", "messages", message_id, content)
            edited = messages.get_message(db, self.user_id, message_id)
            self._consolidation.edited(edited)
            session = sessions.get_session(db, self.user_id, message.session_id)
            if session.title and session.title == title_of(message.content):
                sessions.set_title(db, self.user_id, session.id, title_of(content))
                self._event("renamed", "sessions", session.id, json_text({"title": title_of(content)}))
        return edited if not notes else Message(**{**edited.to_dict(), "notes": notes})

    def set_message_status(
        self,
        message_id: str,
        status: str,
        content: str | None = None,
        *,
        prompt: Mapping[str, Any] | None = None,
    ) -> Message:
        """Ends (or goes on with) a message that was streaming, with its text so far, and notes what its
        `prompt` was made of (see inspect_prompt)."""
        prompt = check_mapping(prompt, "The prompt")
        check_choice(status, "The status of a message", _STATUSES)
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
            if prompt:
                messages.set_prompt(db, self.user_id, message_id, prompt)
            index.add(db, seq)
            self._embedding.changed(message_id, seq)
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

    def get_recent_messages(
        self, session_id: str, limit: int = 20, *, until: str | None = None, after: str | None = None
    ) -> list[Message]:
        """The newest messages of the branch on screen, oldest first. With `until`, the id of a message, those
        that lead up to it, itself the last; with `after`, those that come next after it, [] where it is not
        on that branch. Raises NotFoundError, also for a message of another session."""
        check_count(limit, "The limit")
        if until is not None and after is not None:
            raise InvalidInputError("Messages are read until one message or after one, not both.")
        session = sessions.get_session(self.database, self.user_id, session_id)
        for id in (until, after):
            if id is not None:
                message = messages.get_message(self.database, self.user_id, check_id(id, "message"))
                if message.session_id != session_id:
                    raise NotFoundError("message", id)
        leaf = until or session.current_message_id
        if limit < 1 or leaf is None:
            return []
        if after is not None:
            return messages.branch_after(self.database, self.user_id, leaf, after, limit)
        return messages.branch(self.database, self.user_id, leaf, limit)

    def get_context_within_budget(
        self, session_id: str, max_chars: int = 4000, *, max_tokens: int | None = None, limit: int = 20
    ) -> list[Message]:
        """The newest whole messages that fit, at most `limit`, oldest first; always at least one."""
        check_count(max_chars, "The budget in characters")
        if max_tokens is not None:
            check_count(max_tokens, "The budget in tokens")
        check_count(limit, "The limit")
        return context.within_budget(
            self.get_recent_messages(session_id, max(1, limit)), max_chars, max_tokens
        )

    def set_feedback(self, message_id: str, feedback: int) -> Message:
        """-1, 0 or 1."""
        if feedback not in (-1, 0, 1):
            raise InvalidInputError(f"Feedback is -1, 0 or 1, not {shown(feedback)}.")
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
    def _content(content: str, *, may_be_empty: bool = False) -> tuple[str, tuple[str, ...]]:
        content, notes = text.clean(content)
        if not content.strip() and not may_be_empty:
            raise InvalidInputError("The message is empty. Write something first.")
        # A character takes at most four bytes, so most texts need not be encoded to know.
        if len(content) * 4 > MAX_MESSAGE_BYTES and (size := len(content.encode())) > MAX_MESSAGE_BYTES:
            raise TooLargeError("The message", size, MAX_MESSAGE_BYTES)
        return content, notes
