"""Taking back: for a while, the rows as they were before an operation are kept in memory, and only there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .clock import Clock
from .database import Database
from .errors import UndoExpiredError
from .ids import uuid7
from .recall import index
from .rows import images
from .rows.messages import seq_of

__all__ = ["UNDO_MS", "Operation", "UndoLog"]

UNDO_MS = 10_000

# Rows are put back parents first; rows that an operation made are taken away in the opposite order.
_ORDER = (
    "sessions",
    "messages",
    "message_versions",
    "tool_calls",
    "summaries",
    "snapshots",
    "experiences",
    "facts",
    "identities",
    "uses",
    "embeddings",
    "event_salts",
    "tombstones",
    "rejections",
)


@dataclass(frozen=True)
class _Moved:
    """A session that shows another message because the one it showed went."""

    session_id: str
    old: str | None
    new: str | None
    last_seq: int  # of the newest message at that moment


@dataclass
class Operation:
    """What one operation changed: rows before it, by table, keys of rows it made, and sessions whose end
    moved."""

    id: str
    until: int
    before: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = field(default_factory=dict)
    made: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    moved: list[_Moved] = field(default_factory=list)


class UndoLog:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._operations: dict[str, Operation] = {}

    def begin(self) -> Operation:
        """A new operation, undoable for UNDO_MS. Gone again if the transaction around it is rolled back."""
        now = self._clock()
        self.forget_expired()
        operation = Operation(uuid7(now), now + UNDO_MS)
        self._operations[operation.id] = operation
        self._db.on_rollback(lambda: self._operations.pop(operation.id, None))
        return operation

    def forget_expired(self) -> None:
        """Lets go of rows that can no longer be put back."""
        now = self._clock()
        self._operations = {id: op for id, op in self._operations.items() if op.until > now}

    def keep(
        self, operation: Operation, table: str, where: str, parameters: Sequence[Any]
    ) -> list[dict[str, Any]]:
        """Keeps the rows of a table as they are now, and returns them."""
        rows = images.read_where(self._db, table, where, parameters)
        kept = operation.before.setdefault(table, {})
        for row in rows:
            kept.setdefault(images.key_of(table, row), row)
        return rows

    def take(
        self, operation: Operation, table: str, where: str, parameters: Sequence[Any]
    ) -> list[dict[str, Any]]:
        """Keeps the rows, then deletes them, and returns them."""
        rows = self.keep(operation, table, where, parameters)
        if rows:
            images.delete_where(self._db, table, where, parameters)
        return rows

    def made(self, operation: Operation, table: str, *key: Any) -> None:
        """Notes a row that the operation adds."""
        operation.made.setdefault(table, []).append(key)

    def shown_moved(self, operation: Operation, session_id: str, old: str | None, new: str | None) -> None:
        """Notes that the message a session showed last went, so that it shows another. Call it once that is
        done."""
        if old != new:
            operation.moved.append(_Moved(session_id, old, new, images.last_seq(self._db, "messages")))

    def undo(self, operation_id: str) -> None:
        """Puts everything back. Expects a transaction of the caller. Raises UndoExpiredError."""
        self.forget_expired()
        operation = self._operations.pop(operation_id, None)
        if operation is None:
            raise UndoExpiredError(
                "This can no longer be undone: more than 10 seconds have passed, or it was undone already."
            )
        self._db.on_rollback(lambda: self._operations.update({operation_id: operation}))
        for table in reversed(_ORDER):
            for key in operation.made.get(table, ()):
                images.delete_row(self._db, table, key)
        for moved in operation.moved:
            self._join_later_messages(operation, moved)
        back: list[dict[str, Any]] = []
        for table in _ORDER:
            for row in operation.before.get(table, {}).values():
                if images.put_back(self._db, table, row) and table == "messages":
                    back.append(row)
        for row in back:
            index.add(self._db, seq_of(self._db, row["user_id"], row["id"]))

    def _join_later_messages(self, operation: Operation, moved: _Moved) -> None:
        """The talk may have gone on since: what was said follows the messages that come back, and stays on
        screen."""
        live = images.read_where(self._db, "sessions", "id = ?", (moved.session_id,))
        if not live or live[0]["current_message_id"] == moved.new:
            return
        later = images.read_where(
            self._db,
            "messages",
            "session_id = ? AND parent_id IS ? AND seq > ?",
            (moved.session_id, moved.new, moved.last_seq),
        )
        for row in later:
            images.put_back(self._db, "messages", {**row, "parent_id": moved.old})
        before = operation.before["sessions"][(moved.session_id,)]
        kept = ("current_message_id", "last_active_at", "status", "ended_at")
        before.update({column: live[0][column] for column in kept})
