"""Rows as they are, kept and put back: what undoing needs. Table names and conditions are constants of the
callers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from py_memory.database import Database

__all__ = ["KEYS", "delete_row", "delete_where", "key_of", "last_seq", "put_back", "read_where"]

# Primary keys of the tables in which it is not `id`.
KEYS: dict[str, tuple[str, ...]] = {
    "event_salts": ("event_seq",),
    "tombstones": ("user_id", "kind", "id"),
    "embeddings": ("user_id", "model", "memory_kind", "memory_id"),
}


def _keys(table: str) -> tuple[str, ...]:
    return KEYS.get(table, ("id",))


def key_of(table: str, row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column] for column in _keys(table))


def read_where(db: Database, table: str, where: str, parameters: Sequence[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in db.query(f"SELECT * FROM {table} WHERE {where}", parameters)]


def delete_where(db: Database, table: str, where: str, parameters: Sequence[Any]) -> int:
    return db.execute(f"DELETE FROM {table} WHERE {where}", parameters).rowcount


def last_seq(db: Database, table: str) -> int:
    """The highest local number in use; the next row gets a higher one."""
    row = db.one(f"SELECT ifnull(max(seq), 0) AS seq FROM {table}")
    return int(row["seq"]) if row else 0


def delete_row(db: Database, table: str, key: Sequence[Any]) -> None:
    delete_where(db, table, " AND ".join(f"{column} = ?" for column in _keys(table)), key)


def put_back(db: Database, table: str, row: dict[str, Any]) -> bool:
    """Gives a row its former values, inserting it if it is gone. Returns whether it was gone."""
    keys = _keys(table)
    condition = " AND ".join(f"{column} = ?" for column in keys)
    if db.one(f"SELECT 1 FROM {table} WHERE {condition}", [row[column] for column in keys]):
        changed = [column for column in row if column not in (*keys, "seq")]
        sets = ", ".join(f"{column} = ?" for column in changed)
        values = [row[column] for column in (*changed, *keys)]
        db.execute(f"UPDATE {table} SET {sets} WHERE {condition}", values)
        return False
    # A row made meanwhile may have taken the local number.
    if "seq" in row and db.one(f"SELECT 1 FROM {table} WHERE seq = ?", (row["seq"],)):
        row = {**row, "seq": None}
    marks = ", ".join("?" for _ in row)
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    return True
