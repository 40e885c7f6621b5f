"""What follows what in a session while some of its messages may still come back.

Deleting a message joins its answers to what came before it. For as long as it can be put back, this module
remembers what each message truly follows, so that any of them may come back in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .database import Database
from .rows import images
from .rows.messages import children_of
from .rows.sessions import set_current_message

__all__ = ["Lineage"]


class Lineage:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._parents: dict[str, str | None] = {}  # message → the one it truly follows
        self._shown: dict[str, tuple[str | None, str | None]] = {}  # session → (truly shown, shown instead)

    def clear(self) -> None:
        """Nothing can come back any more."""
        self._parents, self._shown = {}, {}

    def went(self, user_id: str, session_id: str, gone: Mapping[str, str | None], shown: str | None) -> None:
        """Joins what followed messages that went (id → parent) to what stays before them, and shows that if
        the last one, `shown`, went; where nothing stays before it, the newest of another branch."""
        self._restore_on_rollback()
        for id, parent in gone.items():
            self._parents.setdefault(id, parent)
        for child, parent in children_of(self._db, user_id, session_id, gone):
            if child not in gone:
                self._parents.setdefault(child, parent)
                images.update_row(self._db, "messages", (child,), {"parent_id": self._staying(parent, gone)})
        if shown in gone:
            true, instead = self._shown.get(session_id, (shown, shown))
            now = self._staying(shown, gone) or self._newest(session_id)
            self._shown[session_id] = (true if instead == shown else shown, now)
            set_current_message(self._db, user_id, session_id, now)

    def said(self, session_id: str, id: str, parent: str | None) -> None:
        """A new message that follows what is shown in the place of one that went follows that one."""
        shown = self._shown.get(session_id)
        if shown and shown[1] == parent:
            self._restore_on_rollback()
            self._parents[id] = shown[0]
            del self._shown[session_id]

    def came_back(self, session_id: str) -> None:
        """Joins everything in the session again to what it truly follows, as far as that is there."""
        session = images.read_row(self._db, "sessions", (session_id,))
        if session is None:
            return
        self._restore_on_rollback()
        live = {
            row["id"]: row for row in images.read_where(self._db, "messages", "session_id = ?", (session_id,))
        }
        for id, row in live.items():
            if id in self._parents:
                parent = self._staying(self._parents[id], (), live)
                if parent != row["parent_id"]:
                    images.update_row(self._db, "messages", (id,), {"parent_id": parent})
        if known := self._shown.get(session_id):
            true, instead = known
            if session["current_message_id"] == instead:
                shown = self._staying(true, (), live) or self._newest(session_id)
                self._shown[session_id] = (true, shown)
                set_current_message(self._db, session["user_id"], session_id, shown)
            else:  # the talk has gone on
                del self._shown[session_id]

    def _staying(self, id: str | None, gone: Iterable[str], live: Iterable[str] | None = None) -> str | None:
        """The message itself, or the nearest one before it that is there."""
        going = set(gone)
        while id is not None and (id in going or not self._is_there(id, live)):
            id = self._parents.get(id)
        return id

    def _newest(self, session_id: str) -> str | None:
        rows = images.read_where(self._db, "messages", "session_id = ? AND role <> 'system'", (session_id,))
        return max(((row["created_at"], row["id"]) for row in rows), default=(0, None))[1]

    def _is_there(self, id: str, live: Iterable[str] | None) -> bool:
        return id in live if live is not None else images.read_row(self._db, "messages", (id,)) is not None

    def _restore_on_rollback(self) -> None:
        saved = dict(self._parents), dict(self._shown)

        def restore() -> None:
            self._parents, self._shown = saved

        self._db.on_rollback(restore)
