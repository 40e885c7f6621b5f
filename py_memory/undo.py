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
    "facts",
    "uses",
    "embeddings",
    "event_salts",
    "tombstones",
    "rejections",
)
_KEYS = {
    "event_salts": ("event_seq",),
    "tombstones": ("user_id", "kind", "id"),
    "embeddings": ("user_id", "model", "memory_kind", "memory_id"),
}


@dataclass
class Operation:
    """What one operation changed: rows before it, by table, and keys of rows it made."""

    id: str
    until: int
    forgets: bool = False
    before: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    made: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)


class UndoLog:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._operations: dict[str, Operation] = {}

    def begin(self, *, forgets: bool = False) -> Operation:
        """A new operation, undoable for UNDO_MS. `forgets` marks one whose rows must not linger."""
        now = self._clock()
        self._operations = {id: op for id, op in self._operations.items() if op.until > now}
        operation = Operation(uuid7(now), now + UNDO_MS, forgets)
        self._operations[operation.id] = operation
        self._db.on_rollback(lambda: self._operations.pop(operation.id, None))
        return operation

    def keep(self, operation: Operation, table: str, where: str, parameters: Sequence[Any]) -> int:
        """Keeps the rows of a table as they are now. Returns how many. `where` is a constant of the caller."""
        rows = self._db.query(f"SELECT * FROM {table} WHERE {where}", parameters)
        kept = operation.before.setdefault(table, [])
        known = {self._key(table, row) for row in kept}
        kept.extend(row for row in map(dict, rows) if self._key(table, row) not in known)
        return len(rows)

    def made(self, operation: Operation, table: str, *key: Any) -> None:
        """Notes a row that the operation adds."""
        operation.made.setdefault(table, []).append(key)

    def undo(self, operation_id: str) -> None:
        """Puts everything back in one transaction. Raises UndoExpiredError."""
        operation = self._operations.get(operation_id)
        if operation is None or operation.until <= self._clock():
            self._operations.pop(operation_id, None)
            raise UndoExpiredError("This can no longer be undone: more than 10 seconds have passed, or it was undone.")
        with self._db.transaction():
            for table in reversed(_ORDER):
                condition = " AND ".join(f"{column} = ?" for column in _KEYS.get(table, ("id",)))
                for key in operation.made.get(table, ()):
                    self._db.execute(f"DELETE FROM {table} WHERE {condition}", key)
            back: list[str] = []
            for table in _ORDER:
                for row in operation.before.get(table, ()):
                    if self._put_back(table, row) and table == "messages":
                        back.append(row["id"])
            for id in back:
                found = self._db.one("SELECT seq FROM messages WHERE id = ?", (id,))
                assert found is not None
                index.add(self._db, found["seq"])
        del self._operations[operation_id]

    def _put_back(self, table: str, row: dict[str, Any]) -> bool:
        """Returns whether the row had gone."""
        keys = _KEYS.get(table, ("id",))
        condition = " AND ".join(f"{column} = ?" for column in keys)
        if self._db.one(f"SELECT 1 FROM {table} WHERE {condition}", [row[column] for column in keys]):
            changed = [column for column in row if column not in (*keys, "seq")]
            sets = ", ".join(f"{column} = ?" for column in changed)
            self._db.execute(
                f"UPDATE {table} SET {sets} WHERE {condition}", [row[column] for column in (*changed, *keys)]
            )
            return False
        # A row made meanwhile may have taken the local number.
        if "seq" in row and self._db.one(f"SELECT 1 FROM {table} WHERE seq = ?", (row["seq"],)):
            row = {**row, "seq": None}
        marks = ", ".join("?" for _ in row)
        self._db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
        return True

    @staticmethod
    def _key(table: str, row: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(row[column] for column in _KEYS.get(table, ("id",)))

    @property
    def forgotten_until(self) -> int:
        """When the last pending deletion can no longer be undone (ms); 0 if there is none."""
        now = self._clock()
        return max((op.until for op in self._operations.values() if op.forgets and op.until > now), default=0)
