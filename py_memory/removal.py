"""Taking rows away so that no text of them is left: with what other tables hold about them, and leaving
tombstones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from .database import Database
from .recall import index
from .records import Fact
from .rows import identities, images, sync
from .rows import messages as message_rows
from .rows import sessions as session_rows
from .rows.embeddings import of_memory
from .rows.messages import Place
from .rows.namespaces import is_in_use
from .rows.tombstones import BLANKED, add_tombstones, is_forgotten
from .sync import waiting
from .sync.kinds import CONFLICTS
from .titles import is_quoted_from
from .undo import Operation, UndoLog

__all__ = ["LEAVE_TOMBSTONES", "Removal"]

# Rows that an older copy of the memory could bring back by themselves. Versions and uses go with their
# message.
LEAVE_TOMBSTONES = {
    "sessions",
    "messages",
    "tool_calls",
    "facts",
    "identities",
    "summaries",
    "snapshots",
    "experiences",
}


class Removal:
    """One operation that takes rows away, with what belongs to them, and counts them by table."""

    def __init__(self, db: Database, user_id: str, now: int, undo: UndoLog, operation: Operation) -> None:
        self._db = db
        self._user = user_id
        self._now = now
        self._undo = undo
        self._operation = operation
        self.counts: Counter[str] = Counter()

    def take(self, table: str, where: str, *parameters: Any) -> None:
        """Takes rows, what other tables hold about them, and leaves their tombstones."""
        rows = self._undo.take(self._operation, table, where, parameters)
        if not rows:
            return
        self.counts[table] += len(rows)
        if table not in LEAVE_TOMBSTONES:
            return
        for row in rows:
            id = row["id"]
            self.take("uses", "memory_id = ?", id)
            where, values = of_memory(self._user, table, id)
            self.take("embeddings", where, *values)
            self._undo.take(self._operation, "event_salts", "subject_id = ?", (id,))
            self._leave_tombstone(table, id)

    def change(self, table: str, id: str, **values: Any) -> None:
        self._undo.change(self._operation, table, id, **values)

    def made(self, table: str, id: str) -> None:
        """Notes a row put in the place of one that went."""
        self._undo.made(self._operation, table, id)

    def take_fact(self, fact: Fact) -> None:
        self.take("facts", "id = ? AND user_id = ?", fact.id, self._user)
        kind = fact.key.rpartition("::")[2]
        if kind in identities.KINDS:
            value = identities.normalized_contact(kind, fact.value)
            self.take("identities", f"{kind} = ? AND user_id = ?", value, self._user)

    def take_session(self, id: str) -> None:
        index.remove(self._db, message_rows.seqs_of_session(self._db, self._user, id))
        for message_id in message_rows.ids_of_session(self._db, self._user, id):
            # A call of another session: files and earlier releases may hold such.
            for table in ("message_versions", "tool_calls", "uses"):
                self.take(table, "message_id = ?", message_id)
        for table in ("tool_calls", "summaries", "snapshots", "messages"):
            self.take(table, "session_id = ?", id)
        self.take("sessions", "id = ?", id)

    def take_messages(self, session_id: str, messages: list[Place], *, digests: bool) -> None:
        """`digests`: the session's saved states go as well."""
        gone = {message.id: message.parent_id for message in messages}
        session = session_rows.get_session(self._db, self._user, session_id)
        if session.title and is_quoted_from(session.title, self._said_in(messages)):
            self.blank_session(session_id, ["title"])
        index.remove(self._db, [message_rows.seq_of(self._db, self._user, id) for id in gone])
        for id in gone:
            for table in ("message_versions", "tool_calls", "uses"):
                self.take(table, "message_id = ?", id)
            self.take("messages", "id = ?", id)
        self._undo.lineage.went(self._user, session_id, gone, session.current_message_id)
        if digests:
            self.take("snapshots", "session_id = ?", session_id)

    def _said_in(self, messages: Iterable[Place]) -> Iterator[str]:
        """The texts that the messages have and had."""
        for message in messages:
            for version in message_rows.list_versions(self._db, self._user, message.id):
                yield version.content

    def blank_session(self, id: str, columns: Iterable[str] = BLANKED) -> None:
        """The session stays without its title or metadata, and no older copy brings them back."""
        for column in columns:
            kind, empty = BLANKED[column]
            self._undo.change(self._operation, "sessions", id, **{column: empty})
            self._leave_tombstone(kind, id)
            self._undo.take_waiting(self._operation, self._user, "sessions", id, stays=True)

    def take_empty_prefix(self, prefix: str) -> None:
        """A registered prefix of fact keys, unless facts stand under it. On the wire it is its own name, so
        the server is not told: a name that was forgotten there could never be registered again."""
        if not is_in_use(self._db, self._user, prefix):
            where = "user_id = ? AND prefix = ?"
            self._undo.take(self._operation, "namespaces", where, (self._user, prefix))
            sync.drop_row_state(self._db, self._user, "namespaces", prefix)

    def take_waiting(self, wanted: str) -> None:
        """What waits to be synced, or was set aside, and holds a text that no row here holds any more."""
        for (table, where, values), (kind, id) in list(
            waiting.of_text(self._db, self._user, wanted, self._now)
        ):
            self._undo.take(self._operation, table, where, values)
            if kind == CONFLICTS:
                sync.mark(self._db, self._user, kind, id, "*", self._now)
            elif kind in LEAVE_TOMBSTONES and not images.read_row(self._db, kind, (id,)):
                self._leave_tombstone(kind, id)
                sync.mark(self._db, self._user, kind, id, "*", self._now)

    def _leave_tombstone(self, kind: str, id: str) -> None:
        if not is_forgotten(self._db, self._user, kind, id):
            add_tombstones(self._db, self._user, kind, [id], self._now)
            self._undo.made(self._operation, "tombstones", self._user, kind, id)
