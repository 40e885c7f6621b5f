"""Summaries of a session's messages; those of a higher level stand for several of the level below."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from py_memory.checks import json_text
from py_memory.database import Database, Row
from py_memory.records import Summary

__all__ = [
    "insert_summary",
    "list_summaries",
    "newest_ends",
    "newest_of_level",
    "newest_of_other_sessions",
    "read_summaries",
    "set_compressed_into",
]

_COLUMNS = (
    "s.id, s.user_id, s.created_at, s.session_id, s.level, s.topic, s.content, s.conclusions_json, "
    "s.open_items_json, s.first_message_id, s.last_message_id, s.message_count, s.compressed_into"
)


def _record(row: Row) -> Summary:
    values = dict(row)
    for name in ("conclusions", "open_items"):
        given = json.loads(values.pop(f"{name}_json"))  # may have come in a file that nobody trusts
        values[name] = tuple(item for item in given if isinstance(item, str))
    return Summary(**values)


def insert_summary(db: Database, summary: Summary) -> None:
    db.execute(
        "INSERT INTO summaries (id, user_id, created_at, session_id, level, topic, content, "
        "conclusions_json, open_items_json, first_message_id, last_message_id, message_count) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            summary.id,
            summary.user_id,
            summary.created_at,
            summary.session_id,
            summary.level,
            summary.topic,
            summary.content,
            json_text(list(summary.conclusions)),
            json_text(list(summary.open_items)),
            summary.first_message_id,
            summary.last_message_id,
            summary.message_count,
        ),
    )


def read_summaries(db: Database, user_id: str, ids: Sequence[str]) -> list[Summary]:
    """Those of the ids that are there, in the order of the ids."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM json_each(?) j CROSS JOIN summaries s ON s.id = j.value WHERE s.user_id = ? "
        "ORDER BY j.key",
        (json.dumps(list(ids)), user_id),
    )
    return [_record(row) for row in rows]


def list_summaries(db: Database, user_id: str, session_id: str, *, level: int | None = None) -> list[Summary]:
    """Oldest first, all levels or one."""
    only, values = (" AND s.level = ?", (level,)) if level is not None else ("", ())
    rows = db.query(
        f"SELECT {_COLUMNS} FROM summaries s WHERE s.session_id = ? AND s.user_id = ?{only} "
        "ORDER BY s.created_at, s.seq",
        (session_id, user_id, *values),
    )
    return [_record(row) for row in rows]


def newest_of_level(db: Database, user_id: str, session_id: str, level: int, limit: int) -> list[Summary]:
    """The newest first."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM summaries s WHERE s.session_id = ? AND s.user_id = ? AND s.level = ? "
        "ORDER BY s.created_at DESC, s.seq DESC LIMIT ?",
        (session_id, user_id, level, limit),
    )
    return [_record(row) for row in rows]


def newest_ends(db: Database, user_id: str, session_id: str, limit: int) -> list[str]:
    """The last messages of the newest summaries of level 1."""
    rows = db.query(
        "SELECT s.last_message_id FROM summaries s WHERE s.session_id = ? AND s.user_id = ? AND s.level = 1 "
        "ORDER BY s.created_at DESC, s.seq DESC LIMIT ?",
        (session_id, user_id, limit),
    )
    return [row["last_message_id"] for row in rows if row["last_message_id"]]


def newest_of_other_sessions(db: Database, user_id: str, session_id: str, limit: int) -> list[Summary]:
    """The newest summary of each of the `limit` other sessions that were active last."""
    rows = db.query(
        "SELECT o.id FROM sessions o WHERE o.user_id = ? AND o.id <> ? "
        "ORDER BY o.last_active_at DESC, o.id DESC LIMIT ?",
        (user_id, session_id, limit),
    )
    return [found for row in rows for found in newest_of_level(db, user_id, row["id"], 1, 1)]


def set_compressed_into(db: Database, user_id: str, ids: Sequence[str], above: str | None) -> None:
    marks: Iterable[tuple[str | None, str, str]] = [(above, id, user_id) for id in ids]
    db.execute_many("UPDATE summaries SET compressed_into = ? WHERE id = ? AND user_id = ?", marks)
