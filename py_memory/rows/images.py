"""Rows as they are, kept and put back: what undoing needs. Table names and conditions are constants of the
callers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from py_memory.database import Database, Parameters

__all__ = [
    "KEYS",
    "delete_row",
    "delete_where",
    "insert_if_consistent",
    "insert_row",
    "insert_unless_refused",
    "key_of",
    "last_seq",
    "read_named",
    "read_row",
    "read_where",
    "stored",
    "update_row",
]

# Primary keys of the tables in which it is not `id`.
KEYS: dict[str, tuple[str, ...]] = {
    "event_salts": ("event_seq",),
    "tombstones": ("user_id", "kind", "id"),
    "embeddings": ("user_id", "model", "memory_kind", "memory_id"),
    "sync_state": ("user_id",),
    "sync_rejected": ("user_id", "kind", "id"),
    "sync_deferred": ("user_id", "kind", "id"),
    "sync_conflicts": ("user_id", "id"),
}


def _keys(table: str) -> tuple[str, ...]:
    return KEYS.get(table, ("id",))


def _is(table: str) -> str:
    return " AND ".join(f"{column} = ?" for column in _keys(table))


def key_of(table: str, row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column] for column in _keys(table))


def read_where(db: Database, table: str, where: str, parameters: Parameters) -> list[dict[str, Any]]:
    return [dict(row) for row in db.query(f"SELECT * FROM {table} WHERE {where}", parameters)]


def read_named(
    db: Database, table: str, column: str, values: Iterable[str], user_id: str
) -> dict[str, dict[str, Any]]:
    """Rows of one owner by the value of a column that is unique among them."""
    rows = db.query(
        f"SELECT * FROM {table} WHERE user_id = ? AND {column} IN (SELECT value FROM json_each(?))",
        (user_id, json.dumps(list(values))),
    )
    return {row[column]: dict(row) for row in rows}


def delete_where(db: Database, table: str, where: str, parameters: Sequence[Any]) -> int:
    return db.execute(f"DELETE FROM {table} WHERE {where}", parameters).rowcount


def last_seq(db: Database, table: str) -> int:
    """The highest local number in use; the next row gets a higher one."""
    row = db.one(f"SELECT ifnull(max(seq), 0) AS seq FROM {table}")
    return int(row["seq"]) if row else 0


def delete_row(db: Database, table: str, key: Sequence[Any]) -> None:
    delete_where(db, table, _is(table), key)


def read_row(db: Database, table: str, key: Sequence[Any]) -> dict[str, Any] | None:
    rows = read_where(db, table, _is(table), key)
    return rows[0] if rows else None


def update_row(db: Database, table: str, key: Sequence[Any], values: Mapping[str, Any]) -> None:
    if values:
        sets = ", ".join(f"{column} = ?" for column in values)
        db.execute(f"UPDATE {table} SET {sets} WHERE {_is(table)}", (*values.values(), *key))


def insert_row(db: Database, table: str, row: Mapping[str, Any]) -> None:
    db.execute(*_insert(db, table, row))


def insert_if_consistent(db: Database, table: str, row: Mapping[str, Any]) -> bool:
    """Leaves a row out that contradicts what is there now. Returns whether it went in."""
    return insert_unless_refused(db, table, row) is None


def insert_unless_refused(db: Database, table: str, row: Mapping[str, Any]) -> str | None:
    """Leaves a row out that breaks a constraint, and says which."""
    return db.attempt(*_insert(db, table, row))


def _insert(db: Database, table: str, row: Mapping[str, Any]) -> tuple[str, list[Any]]:
    # A row made meanwhile may have taken the local number.
    if "seq" in row and db.one(f"SELECT 1 FROM {table} WHERE seq = ?", (row["seq"],)):
        row = {**row, "seq": None}
    marks = ", ".join("?" for _ in row)
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values())


def stored(value: Any) -> Any:
    """A value as SQLite gives it back."""
    return int(value) if isinstance(value, bool) else value
