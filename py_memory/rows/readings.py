"""What a model has not read yet, in the order of its ids, which is that of time."""

from __future__ import annotations

from py_memory.database import Database

__all__ = ["summaries_after", "user_messages_after"]


def user_messages_after(db: Database, user_id: str, id: str, since: int, limit: int) -> list[str]:
    """Ids of finished messages of the user, written at `since` (ms) or later, oldest first."""
    rows = db.query(
        "SELECT m.id FROM messages m WHERE m.id > ? AND m.created_at >= ? AND m.user_id = ? "
        "AND m.role = 'user' AND m.status = 'complete' ORDER BY m.id LIMIT ?",
        (id, since, user_id, limit),
    )
    return [row["id"] for row in rows]


def summaries_after(db: Database, user_id: str, id: str, since: int, limit: int) -> list[tuple[str, str]]:
    """(id, session) of summaries, made at `since` (ms) or later, oldest first."""
    rows = db.query(
        "SELECT s.id, s.session_id FROM summaries s WHERE s.id > ? AND s.created_at >= ? AND s.user_id = ? "
        "ORDER BY s.id LIMIT ?",
        (id, since, user_id, limit),
    )
    return [(row["id"], row["session_id"]) for row in rows]
