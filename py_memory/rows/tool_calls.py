"""Tool calls: a call and its result are one record with a state, so that a crash never leaves half of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from py_memory.checks import json_text
from py_memory.database import Database, Row
from py_memory.errors import NotFoundError
from py_memory.records import ToolCall

__all__ = [
    "FINISHED",
    "done_since",
    "find_tool_call",
    "get_tool_call",
    "insert_finished",
    "insert_tool_call",
    "list_tool_calls",
    "names_by_answer",
    "open_tool_calls",
    "settle",
    "update_tool_call",
]

FINISHED = frozenset({"success", "failed", "timeout", "cancelled"})

_COLUMNS = (
    "id, user_id, created_at, session_id, message_id, tool_name, input_json, output_json, status, "
    "started_at, completed_at, error_message, validation_json"
)


def _record(row: Row) -> ToolCall:
    values = dict(row)
    for name in ("input", "output", "validation"):
        raw = values.pop(f"{name}_json")
        values[name] = None if raw is None else json.loads(raw)
    return ToolCall(**values)


def insert_tool_call(
    db: Database,
    user_id: str,
    *,
    id: str,
    session_id: str,
    message_id: str | None,
    tool_name: str,
    input: Any,
    status: str,
    now: int,
) -> None:
    db.execute(
        "INSERT INTO tool_calls (id, user_id, created_at, session_id, message_id, tool_name, input_json, "
        "status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            id,
            user_id,
            now,
            session_id,
            message_id,
            tool_name,
            json_text(input, "The input"),
            status,
            now if status == "running" else None,
        ),
    )


def insert_finished(
    db: Database,
    user_id: str,
    *,
    id: str,
    session_id: str,
    message_id: str | None,
    tool_name: str,
    input_json: str,
    output_json: str | None,
    status: str,
    at: int,
) -> None:
    """A call that was made elsewhere and is over."""
    db.execute(
        "INSERT INTO tool_calls (id, user_id, created_at, session_id, message_id, tool_name, input_json, "
        "output_json, status, started_at, completed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (id, user_id, at, session_id, message_id, tool_name, input_json, output_json, status, at, at),
    )


def find_tool_call(db: Database, user_id: str, id: str) -> ToolCall | None:
    row = db.one(f"SELECT {_COLUMNS} FROM tool_calls WHERE id = ? AND user_id = ?", (id, user_id))
    return _record(row) if row else None


def get_tool_call(db: Database, user_id: str, id: str) -> ToolCall:
    call = find_tool_call(db, user_id, id)
    if call is None:
        raise NotFoundError("tool call", id)
    return call


def list_tool_calls(
    db: Database, user_id: str, session_id: str, message_id: str | None = None
) -> list[ToolCall]:
    """Oldest first; `message_id` takes those of one answer."""
    # The + keeps SQLite from looking through the session's calls for those of one answer.
    where, values = "session_id = ?", [session_id]
    if message_id is not None:
        where, values = "+session_id = ? AND message_id = ?", [session_id, message_id]
    rows = db.query(
        f"SELECT {_COLUMNS} FROM tool_calls WHERE {where} AND user_id = ? ORDER BY created_at, id",
        (*values, user_id),
    )
    return [_record(row) for row in rows]


def names_by_answer(
    db: Database, user_id: str, message_ids: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """By answer, the (tool, status) of its calls, oldest first."""
    rows = db.query(
        "SELECT message_id, tool_name, status FROM tool_calls "
        "WHERE message_id IN (SELECT value FROM json_each(?)) AND user_id = ? ORDER BY created_at, id",
        (json_text(list(message_ids), "The ids"), user_id),
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        found.setdefault(row["message_id"], []).append((row["tool_name"], row["status"]))
    return found


def open_tool_calls(db: Database, user_id: str, session_id: str) -> list[ToolCall]:
    """Calls of a session that are not over, oldest first: not begun, running, or of an unknown end that
    nobody has been asked about."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM tool_calls WHERE session_id = ? AND user_id = ? "
        "AND (status IN ('proposed', 'approved', 'running') OR status = 'unknown' AND completed_at IS NULL) "
        "ORDER BY created_at, id",
        (session_id, user_id),
    )
    return [_record(row) for row in rows]


def settle(db: Database, user_id: str, id: str, now: int) -> None:
    """The user has been asked about a call of unknown end. The end stays unknown."""
    db.execute(
        "UPDATE tool_calls SET completed_at = coalesce(completed_at, ?) WHERE id = ? AND user_id = ?",
        (now, id, user_id),
    )


def done_since(db: Database, user_id: str, tool_name: str, input: Any, since: int, but: str) -> bool:
    """Whether the same call has succeeded since a time (ms), in whatever session. Asked only when a session
    is taken up again, so it may look at all calls."""
    row = db.one(
        "SELECT 1 FROM tool_calls WHERE user_id = ? AND tool_name = ? AND input_json = ? "
        "AND status = 'success' AND created_at >= ? AND id <> ? LIMIT 1",
        (user_id, tool_name, json_text(input, "The input"), since, but),
    )
    return row is not None


def update_tool_call(
    db: Database,
    user_id: str,
    id: str,
    status: str,
    *,
    output: Any,
    error: str | None,
    validation: Any,
    now: int,
) -> None:
    """Start and end times follow from the status."""
    db.execute(
        "UPDATE tool_calls SET status = ?, output_json = coalesce(?, output_json), "
        "error_message = coalesce(?, error_message), validation_json = coalesce(?, validation_json), "
        "started_at = CASE WHEN ? = 'running' THEN coalesce(started_at, ?) ELSE started_at END, "
        "completed_at = CASE WHEN ? THEN ? ELSE completed_at END WHERE id = ? AND user_id = ?",
        (
            status,
            None if output is None else json_text(output, "The output"),
            error,
            None if validation is None else json_text(validation, "The validation"),
            status,
            now,
            status in FINISHED,
            now,
            id,
            user_id,
        ),
    )
