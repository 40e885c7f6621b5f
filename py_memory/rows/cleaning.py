"""Messages past an age, and what would go with them.

One condition names them all, so that whoever moves them into an archive by month first takes exactly those
that go. A session's system message is no part of its history and stays.
"""

from __future__ import annotations

from py_memory.database import Database

__all__ = ["count_old", "old_messages"]

_OLD = (
    "SELECT m.id FROM sessions s JOIN messages m ON m.session_id = s.id "
    "WHERE s.user_id = ?1 AND m.created_at < ?2 AND m.role <> 'system'"
)


def old_messages(db: Database, user_id: str, time: int) -> list[str]:
    """Ids of messages created earlier than `time` (ms), in every session."""
    return [row["id"] for row in db.query(_OLD, (user_id, time))]


def count_old(db: Database, user_id: str, time: int) -> dict[str, int]:
    """Rows by table that go with those messages; tables without any are left out, but for messages."""
    of_message = f"IN ({_OLD})"
    wheres = {
        "messages": f"t.id {of_message}",
        "message_versions": f"t.message_id {of_message}",
        "tool_calls": f"t.message_id {of_message}",
        "uses": f"t.message_id {of_message} OR t.memory_id {of_message}",
    }
    counts = {
        table: int(db.value(f"SELECT count(*) FROM {table} t WHERE {where}", (user_id, time)))
        for table, where in wheres.items()
    }
    return {table: count for table, count in counts.items() if count or table == "messages"}
