"""Sessions: one conversation each, with its place in time and the branch on screen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from py_memory.checks import MAX_TIME, json_text
from py_memory.clock import DAY_MS
from py_memory.database import Database, Row
from py_memory.errors import NotFoundError
from py_memory.records import Session

__all__ = [
    "find_session",
    "get_session",
    "idle_with_open_task",
    "insert_imported",
    "insert_session",
    "latest_session",
    "list_sessions",
    "owner_of",
    "set_current_message",
    "set_status",
    "set_title",
    "touch",
]

IDLE_MS = DAY_MS  # an active session with an open task is abandoned after a day without a message

_COLUMNS = (
    "s.id, s.user_id, s.created_at, s.title, s.status, s.metadata_json, s.last_active_at, "
    "s.ended_at, s.current_message_id"
)


def _record(row: Row) -> Session:
    values = dict(row)
    values["metadata"] = json.loads(values.pop("metadata_json"))
    return Session(**values)


def insert_session(
    db: Database, user_id: str, id: str, title: str | None, metadata: Mapping[str, Any], now: int
) -> None:
    db.execute(
        "INSERT INTO sessions (id, user_id, created_at, title, metadata_json, last_active_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (id, user_id, now, title, json_text(metadata, "The metadata"), now),
    )


def insert_imported(
    db: Database,
    user_id: str,
    *,
    id: str,
    title: str | None,
    metadata: Mapping[str, Any],
    created_at: int,
    last_active_at: int,
    current_message_id: str | None,
) -> None:
    """A conversation that was had elsewhere and is over, until somebody goes on with it."""
    db.execute(
        "INSERT INTO sessions (id, user_id, created_at, title, status, metadata_json, last_active_at, "
        "ended_at, current_message_id) VALUES (?, ?, ?, ?, 'completed', ?, ?, ?, ?)",
        (
            id,
            user_id,
            created_at,
            title,
            json_text(metadata, "The metadata"),
            last_active_at,
            last_active_at,
            current_message_id,
        ),
    )


def owner_of(db: Database, id: str) -> str | None:
    """The user whose session it is, whoever asks."""
    row = db.one("SELECT user_id FROM sessions WHERE id = ?", (id,))
    return row["user_id"] if row else None


def find_session(db: Database, user_id: str, id: str) -> Session | None:
    row = db.one(f"SELECT {_COLUMNS} FROM sessions s WHERE s.id = ? AND s.user_id = ?", (id, user_id))
    return _record(row) if row else None


def get_session(db: Database, user_id: str, id: str) -> Session:
    session = find_session(db, user_id, id)
    if session is None:
        raise NotFoundError("session", id)
    return session


def latest_session(db: Database, user_id: str) -> Session | None:
    """The most recently active session that has not been ended."""
    row = db.one(
        f"SELECT {_COLUMNS} FROM sessions s WHERE s.user_id = ? AND s.status <> 'completed' "
        "ORDER BY s.last_active_at DESC, s.id DESC LIMIT 1",
        (user_id,),
    )
    return _record(row) if row else None


def list_sessions(
    db: Database, user_id: str, *, limit: int, offset: int = 0, before: int | None, query: str | None
) -> list[Session]:
    """Most recently active first; `before` takes those active earlier than that time, `query` part of a
    title."""
    where = ["s.user_id = ?"]
    values: list[Any] = [user_id]
    if before is not None:
        where.append("s.last_active_at < ?")
        values.append(before)
    if query:
        where.append("instr(lower(s.title), lower(?)) > 0")
        values.append(query)
    values += [limit, offset]
    rows = db.query(
        f"SELECT {_COLUMNS} FROM sessions s WHERE {' AND '.join(where)} "
        "ORDER BY s.last_active_at DESC, s.id DESC LIMIT ? OFFSET ?",
        values,
    )
    return [_record(row) for row in rows]


def set_title(db: Database, user_id: str, id: str, title: str | None) -> None:
    db.execute("UPDATE sessions SET title = ? WHERE id = ? AND user_id = ?", (title, id, user_id))


def set_status(db: Database, user_id: str, id: str, status: str, ended_at: int | None) -> None:
    db.execute(
        "UPDATE sessions SET status = ?, ended_at = ? WHERE id = ? AND user_id = ?",
        (status, ended_at, id, user_id),
    )


def touch(db: Database, user_id: str, id: str, current_message_id: str | None, now: int) -> None:
    """A message was added: the session is active again, last active now, and shows the branch of that
    message."""
    db.execute(
        "UPDATE sessions SET last_active_at = max(last_active_at, ?), current_message_id = ?, "
        "status = 'active', ended_at = NULL WHERE id = ? AND user_id = ?",
        (now, current_message_id, id, user_id),
    )


def set_current_message(db: Database, user_id: str, id: str, message_id: str | None) -> None:
    db.execute(
        "UPDATE sessions SET current_message_id = ? WHERE id = ? AND user_id = ?", (message_id, id, user_id)
    )


def idle_with_open_task(
    db: Database, user_id: str, now: int, *, since: int = -MAX_TIME, id: str | None = None
) -> list[str]:
    """Ids of active sessions (or of that one) idle for a day, and not yet at `since` (ms), while a tool call
    waits or runs, a step of the newest snapshot's plan is left, or a to-do that came up in it is not done."""
    only, values = (" AND s.id = ?", (id,)) if id else ("", ())
    rows = db.query(
        "SELECT s.id FROM sessions s "
        "WHERE s.user_id = ? AND s.last_active_at > ? AND s.last_active_at <= ? "
        f"AND s.status = 'active'{only} "
        "AND (EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id "
        "AND (c.status IN ('proposed', 'approved', 'running') "
        "OR c.status = 'unknown' AND c.completed_at IS NULL)) "
        "OR EXISTS (SELECT 1 FROM snapshots p, json_each(p.state_json, '$.plan') step "
        "WHERE p.session_id = s.id "
        "AND json_extract(p.state_json, step.fullkey || '.status') IN ('pending', 'active') "
        "AND p.id = (SELECT n.id FROM snapshots n WHERE n.session_id = s.id "
        "ORDER BY n.created_at DESC, n.id DESC LIMIT 1)) "
        # With the user as a value of its own this is read once, not for each session.
        "OR s.id IN (SELECT m.session_id FROM facts f CROSS JOIN messages m ON m.id = f.source_message_id "
        "WHERE f.user_id = ? AND f.key >= 'task::' AND f.key < 'task:;' AND f.status = 'current'))",
        (user_id, max(since - IDLE_MS, -MAX_TIME), now - IDLE_MS, *values, user_id),
    )
    return [row["id"] for row in rows]
