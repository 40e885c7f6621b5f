"""Snapshots: the saved states of a session's task, the newest few of each session."""

from __future__ import annotations

import json

from py_memory.checks import json_text
from py_memory.database import Database, Row
from py_memory.ids import uuid7
from py_memory.records import Snapshot
from py_memory.snapshots import FORMAT, KEPT, State, read_state

__all__ = ["insert_snapshot", "latest", "list_snapshots", "prune"]

_COLUMNS = "id, user_id, created_at, session_id, format, state_json, reason"


def _record(row: Row) -> Snapshot:
    values = dict(row)
    state = read_state(values["format"], json.loads(values.pop("state_json")))
    return Snapshot(**values, state=state)


def latest(db: Database, user_id: str, session_id: str) -> Snapshot | None:
    """The newest one, its state in the present format. Raises InvalidInputError where it cannot be read."""
    row = db.one(
        f"SELECT {_COLUMNS} FROM snapshots WHERE session_id = ? AND user_id = ? "
        "ORDER BY created_at DESC, id DESC LIMIT 1",
        (session_id, user_id),
    )
    return _record(row) if row else None


def list_snapshots(db: Database, user_id: str, session_id: str) -> list[Snapshot]:
    """Oldest first."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM snapshots WHERE session_id = ? AND user_id = ? ORDER BY created_at, id",
        (session_id, user_id),
    )
    return [_record(row) for row in rows]


def insert_snapshot(
    db: Database, user_id: str, session_id: str, state: State, reason: str, now: int
) -> Snapshot:
    """The newest of its session, also where the clock went back since the last one."""
    last = db.value(
        "SELECT max(created_at) FROM snapshots WHERE session_id = ? AND user_id = ?", (session_id, user_id)
    )
    now = now if last is None else max(now, last + 1)
    id = uuid7(now)
    db.execute(
        f"INSERT INTO snapshots ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (id, user_id, now, session_id, FORMAT, json_text(state, "The state"), reason),
    )
    return Snapshot(id, user_id, now, session_id, FORMAT, reason, state)


def prune(db: Database, user_id: str, session_id: str) -> list[str]:
    """Deletes all but the newest few, and returns their ids."""
    rows = db.query(
        "SELECT id FROM snapshots WHERE session_id = ? AND user_id = ? "
        "ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?",
        (session_id, user_id, KEPT),
    )
    ids = [row["id"] for row in rows]
    db.execute_many("DELETE FROM snapshots WHERE id = ? AND user_id = ?", [(id, user_id) for id in ids])
    return ids
