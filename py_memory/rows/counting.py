"""What counting messages reads: session by session, so that one at a time lies in memory."""

from __future__ import annotations

from dataclasses import dataclass

from py_memory.database import Database

from .messages import NEWEST_VERSION

__all__ = ["Counted", "call_times", "messages_in_period", "sessions_in_period"]

_FIRST, _LAST = -(2**62), 2**62


@dataclass(frozen=True, slots=True)
class Counted:
    id: str
    created_at: int
    intent: str | None
    feedback: int
    content: str


def sessions_in_period(db: Database, user_id: str, since: int | None) -> list[str]:
    """Sessions in which something was said at or after `since` (ms), oldest activity first."""
    rows = db.query(
        "SELECT s.id FROM sessions s WHERE s.user_id = ? AND s.last_active_at >= ? "
        "ORDER BY s.last_active_at, s.id",
        (user_id, _FIRST if since is None else since),
    )
    return [row["id"] for row in rows]


def messages_in_period(
    db: Database, user_id: str, session_id: str, role: str | None, since: int | None, until: int | None
) -> list[Counted]:
    """Messages said to their end, from `since` up to but not at `until` (ms), oldest first."""
    rows = db.query(
        "SELECT m.id, m.created_at, m.intent, m.feedback, v.content "
        f"FROM messages m JOIN message_versions v ON {NEWEST_VERSION} "
        "WHERE m.session_id = ? AND m.user_id = ? AND m.created_at >= ? AND m.created_at < ? "
        "AND m.role IN ('user', 'assistant') AND m.role = ifnull(?, m.role) "
        "AND m.status IN ('complete', 'stopped') ORDER BY m.created_at, m.id",
        (session_id, user_id, _FIRST if since is None else since, _LAST if until is None else until, role),
    )
    return [Counted(**dict(row)) for row in rows]


def call_times(
    db: Database, user_id: str, session_id: str, tool_name: str | None, status: str | None
) -> list[int]:
    """When tool calls of a session came to the status that they have (ms), in order."""
    rows = db.query(
        "SELECT coalesce(c.completed_at, c.started_at, c.created_at) AS at FROM tool_calls c "
        "WHERE c.session_id = ? AND c.user_id = ? AND c.tool_name = ifnull(?, c.tool_name) "
        "AND c.status = ifnull(?, c.status) ORDER BY at",
        (session_id, user_id, tool_name, status),
    )
    return [row["at"] for row in rows]
