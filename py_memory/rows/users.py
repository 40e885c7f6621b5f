"""Owners of memory. A file has at least one; who opens it without a name is the first."""

from __future__ import annotations

from py_memory.database import Database
from py_memory.ids import uuid7

__all__ = ["ensure_user"]


def ensure_user(db: Database, user_id: str | None, now: int) -> tuple[str, bool]:
    """The id of the owner and whether the row was made now. None takes the file's first owner, or makes
    one."""
    if user_id is None:
        row = db.one("SELECT id FROM users ORDER BY created_at, id LIMIT 1")
        user_id = row["id"] if row else None
    elif db.one("SELECT 1 FROM users WHERE id = ?", (user_id,)):
        return user_id, False
    else:
        row = None
    if row:
        return row["id"], False
    user_id = user_id or uuid7(now)
    db.execute("INSERT INTO users (id, created_at) VALUES (?, ?)", (user_id, now))
    return user_id, True
