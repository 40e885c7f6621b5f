"""Taking back: for a while, what an operation deleted or changed is kept in memory, and only there.

Operations may be taken back in any order, with other work in between. So each keeps what it did, not what
everything looked like: rows it deleted, columns it changed (with the value it gave them), rows it made. What
somebody has changed again since is left as it is. A row whose owner has gone meanwhile joins the operation
that took the owner away, and comes back with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .clock import Clock
from .database import Database
from .errors import UndoExpiredError
from .ids import uuid7
from .lineage import Lineage
from .recall import index
from .rows import images
from .rows.messages import seq_of
from .rows.namespaces import namespace_of
from .sync import waiting
from .sync.kinds import KINDS

__all__ = ["UNDO_MS", "Operation", "UndoLog"]

UNDO_MS = 10_000

# Rows are put back parents first; rows that an operation made are taken away in the opposite order.
_ORDER = (
    "namespaces",
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
    "sync_rejected",
    "sync_deferred",
    "sync_conflicts",
)
# The column that names a row's owner, and the owner's table.
_OWNER = {
    "messages": ("session_id", "sessions"),
    "message_versions": ("message_id", "messages"),
    "tool_calls": ("session_id", "sessions"),
    "summaries": ("session_id", "sessions"),
    "snapshots": ("session_id", "sessions"),
    "uses": ("message_id", "messages"),
    # Nothing of these comes back once syncing was switched off.
    "sync_rejected": ("user_id", "sync_state"),
    "sync_deferred": ("user_id", "sync_state"),
    "sync_conflicts": ("user_id", "sync_state"),
}
# The column that names what a row is about.
_ABOUT = {"uses": "memory_id", "embeddings": "memory_id", "event_salts": "subject_id"}

Key = tuple[Any, ...]
Row = dict[str, Any]


@dataclass
class Operation:
    """What one operation did, by table and key: rows it deleted, columns it changed as (before, after), and
    rows it made."""

    id: str
    until: int
    taken: dict[str, dict[Key, Row]] = field(default_factory=dict)
    changed: dict[str, dict[Key, dict[str, tuple[Any, Any]]]] = field(default_factory=dict)
    made: dict[str, list[Key]] = field(default_factory=dict)


class UndoLog:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._operations: dict[str, Operation] = {}
        self._latest: tuple[int, Operation] | None = None
        self.lineage = Lineage(db)

    def begin(self, hold_ms: int = UNDO_MS) -> Operation:
        """The operation of the open transaction, undoable for `hold_ms`: what was done in one is taken back
        as one. Gone again if the transaction is rolled back."""
        if self._latest and self._latest[0] == self._db.transactions:
            return self._latest[1]
        now = self._clock()
        self.forget_expired()
        operation = Operation(uuid7(now), now + hold_ms)
        self._latest = (self._db.transactions, operation)
        self._operations[operation.id] = operation
        self._db.on_rollback(lambda: self._operations.pop(operation.id, None))
        return operation

    def forget_expired(self) -> None:
        """Lets go of rows that can no longer be put back."""
        now = self._clock()
        self._operations = {id: op for id, op in self._operations.items() if op.until > now}
        if not self._operations:
            self._latest = None
            self.lineage.clear()

    def is_pending(self) -> bool:
        """Whether anything may still be taken back; not what a clock that went back keeps from expiring."""
        self.forget_expired()
        latest = self._clock() + UNDO_MS
        return any(operation.until <= latest for operation in self._operations.values())

    # -- what operations do --

    def take(self, operation: Operation, table: str, where: str, parameters: Sequence[Any]) -> list[Row]:
        """Deletes the rows, with what syncing holds of them, and returns them."""
        rows = images.read_where(self._db, table, where, parameters)
        if rows:
            kept = operation.taken.setdefault(table, {})
            made = operation.made.get(table, [])
            for row in rows:
                key = images.key_of(table, row)
                if key not in made:
                    noted = operation.changed.get(table, {}).pop(key, {})
                    kept[key] = {**row, **{column: before for column, (before, _) in noted.items()}}
            images.delete_where(self._db, table, where, parameters)
            if table in KINDS:
                for row in rows:
                    self.take_waiting(operation, row["user_id"], table, row[KINDS[table].id])
        return rows

    def take_waiting(
        self, operation: Operation, user_id: str, kind: str, id: str, *, stays: bool = False
    ) -> None:
        """What syncing holds of a row: on its way, set aside, waiting for others, lost against it. `stays`:
        only words of it are forgotten."""
        for table, where, values in waiting.of_row(self._db, user_id, kind, id, self._clock(), stays=stays):
            self.take(operation, table, where, values)

    def change(self, operation: Operation, table: str, *key: Any, **values: Any) -> None:
        """Gives columns of a row new values, if there is such a row."""
        row = images.read_row(self._db, table, key)
        if row is None:
            return
        noted = operation.changed.setdefault(table, {}).setdefault(key, {})
        for column, value in values.items():
            before = noted[column][0] if column in noted else row[column]
            noted[column] = (before, images.stored(value))
        images.update_row(self._db, table, key, values)

    def made(self, operation: Operation, table: str, *key: Any) -> None:
        """Notes a row that the operation adds."""
        operation.made.setdefault(table, []).append(key)

    def join(self, table: str, row: Row, owners: str, owner_id: str) -> None:
        """A row that arrives from elsewhere while the one it goes with may still be taken back: it comes back
        with that one."""
        holds = (each for each in self._operations.values() if (owner_id,) in each.taken.get(owners, {}))
        operation = next(holds, None)
        if operation is None:
            return
        kept, key = operation.taken.setdefault(table, {}), images.key_of(table, row)
        if key not in kept:
            kept[key] = row
            self._db.on_rollback(lambda: kept.pop(key, None))

    # -- taking back --

    def undo(self, operation_id: str) -> None:
        """Takes an operation back. Expects a transaction of the caller. Raises UndoExpiredError."""
        self.forget_expired()
        operation = self._operations.get(operation_id)
        if operation is None:
            raise UndoExpiredError(
                "This can no longer be undone: more than 10 seconds have passed, or it was undone already."
            )
        # Others may be given rows of this one, so all are kept as they are until the commit.
        self._db.on_rollback(self._keeper())
        del self._operations[operation_id]
        self._hand_over(operation)
        self._take_out_of_index(operation)
        for table in reversed(_ORDER):
            for key in operation.made.get(table, ()):
                images.delete_row(self._db, table, key)
        for table in _ORDER:
            for key, columns in reversed(operation.changed.get(table, {}).items()):
                self._change_back(table, key, columns)
        back: list[Row] = []
        for table in _ORDER:
            for key, row in operation.taken.get(table, {}).items():
                if self._insert(table, key, row) and table == "messages":
                    back.append(row)
        for row in back:
            index.add(self._db, seq_of(self._db, row["user_id"], row["id"]))
        sessions = {key[0] for key in operation.taken.get("sessions", ())}
        for id in sessions | {row["session_id"] for row in back}:
            self.lineage.came_back(id)

    def _take_out_of_index(self, operation: Operation) -> None:
        """Messages that go because the operation made them, or the session that they are in."""
        going: set[int] = set()
        for table, column in (("messages", "id"), ("sessions", "session_id")):
            for key in operation.made.get(table, ()):
                rows = images.read_where(self._db, "messages", f"{column} = ?", key)
                going.update(row["seq"] for row in rows)
        index.remove(self._db, going)

    def _keeper(self) -> Any:
        """A function that puts the operations back as they are now."""
        saved = {
            op.id: Operation(
                op.id,
                op.until,
                {table: dict(rows) for table, rows in op.taken.items()},
                {table: {k: dict(v) for k, v in rows.items()} for table, rows in op.changed.items()},
                {table: list(keys) for table, keys in op.made.items()},
            )
            for op in self._operations.values()
        }
        return lambda: self._operations.update(saved)

    def _hand_over(self, operation: Operation) -> None:
        """Rows whose owner a later operation has deleted join that one, with all that is about them."""
        for table, (column, owners) in _OWNER.items():
            for row in list(operation.taken.get(table, {}).values()):
                owner = (row[column],)
                for other in self._operations.values():
                    if owner in other.taken.get(owners, {}):
                        self._move(operation, other, table, row)

    def _move(self, operation: Operation, other: Operation, table: str, row: Row) -> None:
        key = images.key_of(table, row)
        other.taken.setdefault(table, {})[key] = operation.taken[table].pop(key)
        for about, column in _ABOUT.items():
            for found in list(operation.taken.get(about, {}).values()):
                if found[column] == row["id"]:
                    key = images.key_of(about, found)
                    other.taken.setdefault(about, {})[key] = operation.taken[about].pop(key)
        for tombstone in list(operation.made.get("tombstones", ())):
            if tombstone[1:] == (table, row["id"]):
                operation.made["tombstones"].remove(tombstone)
                self.made(other, "tombstones", *tombstone)

    def _change_back(self, table: str, key: Key, columns: dict[str, tuple[Any, Any]]) -> None:
        """Columns that still have the value they were given get the former one, wherever the row is now."""
        row = images.read_row(self._db, table, key)
        if row is None:
            for other in self._operations.values():
                if taken := other.taken.get(table, {}).get(key):
                    taken.update({c: old for c, (old, new) in columns.items() if taken[c] == new})
            return
        back = {column: old for column, (old, new) in columns.items() if row[column] == new}
        # A row that went after this change has a say in what comes before it.
        if table == "facts" and back.get("status") == "current":
            back |= self._beside_current({**row, **back})
        images.update_row(self._db, table, key, back)

    def _insert(self, table: str, key: Key, row: Row) -> bool:
        if images.read_row(self._db, table, key) is not None:
            return False
        if table in _OWNER:
            column, owners = _OWNER[table]
            if images.read_row(self._db, owners, (row[column],)) is None:
                return False
        if table == "facts":
            row = {**row, **self._beside_current(row)}
        if table in ("identities", "namespaces"):  # it may be somebody else's, or registered anew, by now
            return images.insert_if_consistent(self._db, table, row)
        images.insert_row(self._db, table, row)
        return True

    def _beside_current(self, row: Row) -> Row:
        """What changes about a fact that comes back because another stands under its key by now: what was
        stated later stays, and the older one is its history. Nothing if none does."""
        if row["status"] not in ("current", "candidate"):
            return {}
        for now in images.read_where(
            self._db,
            "facts",
            "user_id = ? AND key = ? AND status = 'current' AND id <> ?",
            (row["user_id"], row["key"], row["id"]),
        ):
            if _scope(now) not in ("", _scope(row)):
                continue
            same = now["value"] == row["value"]
            single = namespace_of(self._db, row["user_id"], row["key"]).single_valued
            if same or (single and row["status"] == "current" and _scope(now) == _scope(row)):
                history = {
                    "status": "superseded",
                    "superseded_by": now["id"],
                    "superseded_at": self._clock(),
                    "valid_to": row["valid_to"] or now["valid_from"],
                    "confidence": min(row["confidence"], 0.3),
                }
                for other in self._operations.values():
                    if (now["id"],) in other.made.get("facts", ()):
                        other.changed.setdefault("facts", {})[(row["id"],)] = {
                            column: (row[column], value) for column, value in history.items()
                        }
                return history
        return {}


def _scope(row: Row) -> str:
    """Facts of one scope stand in for each other (the one-current trigger of the schema)."""
    return "" if row["visibility"] == "shared" else str(row["agent_id"] or "")
