"""What was forgotten, by id alone, so that an older copy of the memory cannot bring it back.

A session may stay while its title or its metadata were forgotten: these have kinds of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from py_memory.database import Database
from py_memory.records import Forgotten

__all__ = ["BLANKED", "add_tombstones", "forgotten_of", "is_forgotten", "list_forgotten", "remove_tombstones"]

# Columns of a session that can be forgotten: (kind, what is left in the column).
BLANKED: dict[str, tuple[str, str | None]] = {
    "title": ("session_titles", None),
    "metadata_json": ("session_metadata", "{}"),
}


def add_tombstones(db: Database, user_id: str, kind: str, ids: Iterable[str], now: int) -> None:
    for id in ids:
        db.execute(
            "INSERT OR IGNORE INTO tombstones (user_id, kind, id, created_at) VALUES (?, ?, ?, ?)",
            (user_id, kind, id, now),
        )


def remove_tombstones(db: Database, user_id: str, kind: str, ids: Iterable[str]) -> None:
    for id in ids:
        db.execute("DELETE FROM tombstones WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id))


def is_forgotten(db: Database, user_id: str, kind: str, id: str) -> bool:
    found = db.one("SELECT 1 FROM tombstones WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id))
    return found is not None


def forgotten_of(db: Database, user_id: str, kind: str, ids: Iterable[str]) -> set[str]:
    """Those of the ids that were forgotten."""
    rows = db.query(
        "SELECT id FROM tombstones WHERE user_id = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))",
        (user_id, kind, json.dumps(list(ids))),
    )
    return {row["id"] for row in rows}


def list_forgotten(db: Database, user_id: str, limit: int) -> list[Forgotten]:
    """What went at one moment is one entry; newest first."""
    rows = db.query(
        "SELECT created_at, json_group_object(kind, n) FROM (SELECT created_at, kind, count(*) AS n "
        "FROM tombstones WHERE user_id = ? GROUP BY created_at, kind) GROUP BY created_at "
        "ORDER BY created_at DESC LIMIT ?",
        (user_id, limit),
    )
    return [Forgotten(row[0], json.loads(row[1])) for row in rows]
