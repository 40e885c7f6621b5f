"""Sessions: begun, named, ended, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from py_memory.checks import MAX_TIME, check_count, check_id, check_mapping, check_time, json_text
from py_memory.ids import uuid7
from py_memory.records import Receipt, Session
from py_memory.rows import sessions
from py_memory.titles import checked_title

from .base import StoreBase

__all__ = ["SessionOperations"]


class SessionOperations(StoreBase):
    """A part of MemoryStore."""

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
        self, *, limit: int = 50, offset: int = 0, before: int | None = None, query: str | None = None
    ) -> list[Session]:
        """Most recently active first. `offset`, or `before` (ms), pages on; `query` is part of a title."""
        check_count(limit, "The limit")
        check_count(offset, "The offset")
        check_time(before, "before")
        self._abandon_idle()
        return sessions.list_sessions(
            self.database, self.user_id, limit=limit, offset=offset, before=before, query=query
        )

    def _abandon_idle(self, id: str | None = None) -> None:
        """Seen late, when sessions are looked at: nothing runs in between. Writes only when there is one.
        Sessions that were idle the last time are looked at again only where a task may have come since."""
        db, now = self.database, self.clock()
        writers = db.writers
        seen = self._idle_seen if self._idle_seen and self._idle_seen[1] == writers else None
        since = seen[0] if seen and id is None else -MAX_TIME
        for idle in sessions.idle_with_open_task(db, self.user_id, now, since=since, id=id):
            with db.transaction():
                sessions.set_status(db, self.user_id, idle, "abandoned", None)
                self._event("abandoned", "sessions", idle)
        if id is None:
            self._idle_seen = (now, writers)
            db.on_rollback(self._look_again_at_idle)

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
            self._embedding.went()
            self._drop_backup()
            self._event("forgotten", "sessions", session_id)
            return receipt

    @staticmethod
    def _title(title: str | None) -> str | None:
        return None if title is None else checked_title(title)
