"""Experiences as rows: know-how about tools and tasks. What may become one is decided in
`py_memory.experience`."""

from __future__ import annotations

from py_memory.database import Database, Row
from py_memory.errors import NotFoundError
from py_memory.records import Experience

__all__ = [
    "count_outcome",
    "find_same",
    "get_experience",
    "insert_experience",
    "known_values",
    "list_experiences",
    "update_experience",
]

_COLUMNS = "id, user_id, created_at, topic, content, status, success_count, failure_count"


def _record(row: Row) -> Experience:
    return Experience(**dict(row))


def insert_experience(db: Database, experience: Experience) -> None:
    db.execute(
        f"INSERT INTO experiences ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            experience.id,
            experience.user_id,
            experience.created_at,
            experience.topic,
            experience.content,
            experience.status,
            experience.success_count,
            experience.failure_count,
        ),
    )


def get_experience(db: Database, user_id: str, id: str) -> Experience:
    row = db.one(f"SELECT {_COLUMNS} FROM experiences WHERE id = ? AND user_id = ?", (id, user_id))
    if row is None:
        raise NotFoundError("experience", id)
    return _record(row)


def find_same(db: Database, user_id: str, topic: str, content: str) -> Experience | None:
    row = db.one(
        f"SELECT {_COLUMNS} FROM experiences WHERE user_id = ? AND topic = ? AND content = ?",
        (user_id, topic, content),
    )
    return _record(row) if row else None


def list_experiences(
    db: Database, user_id: str, *, status: str | None = None, topic: str | None = None
) -> list[Experience]:
    """Oldest first."""
    where, values = ["user_id = ?"], [user_id]
    for column, value in (("topic", topic), ("status", status)):
        if value is not None:
            where.append(f"{column} = ?")
            values.append(value)
    rows = db.query(
        f"SELECT {_COLUMNS} FROM experiences WHERE {' AND '.join(where)} ORDER BY created_at, id", values
    )
    return [_record(row) for row in rows]


def update_experience(db: Database, user_id: str, id: str, status: str) -> None:
    db.execute("UPDATE experiences SET status = ? WHERE id = ? AND user_id = ?", (status, id, user_id))


def count_outcome(db: Database, user_id: str, id: str, success: bool) -> None:
    column = "success_count" if success else "failure_count"
    db.execute(f"UPDATE experiences SET {column} = {column} + 1 WHERE id = ? AND user_id = ?", (id, user_id))


def known_values(db: Database) -> list[str]:
    """Names and contacts of everybody in the file: what an experience of anyone must not hold. The one query
    that goes over all users; its values are compared and never shown."""
    rows = db.query(
        "SELECT DISTINCT f.value AS value FROM facts f "
        "WHERE f.category IN ('identity', 'relation', 'contact') "
        "OR f.key GLOB 'user::name*' OR f.key GLOB 'user::family*' OR f.key GLOB 'user::contact*' "
        "OR f.key GLOB 'user::pet*' OR f.key GLOB 'user::address*' OR f.key GLOB 'contact::*' "
        "UNION SELECT i.phone FROM identities i WHERE i.phone IS NOT NULL "
        "UNION SELECT i.email FROM identities i WHERE i.email IS NOT NULL "
        "UNION SELECT m.speaker FROM messages m WHERE m.speaker IS NOT NULL"
    )
    return [row["value"] for row in rows]
