"""What can be wrong in a memory, as queries. Each gives the ids of what it finds."""

from __future__ import annotations

from py_memory.database import Database

__all__ = [
    "delete_orphans",
    "duplicate_facts",
    "orphans",
    "stale_facts",
    "unsupported_facts",
]

# Rows whose owner is not there: table, its key, and the condition. Foreign keys should make them impossible.
_ORPHANS = (
    ("messages", "id", "NOT EXISTS (SELECT 1 FROM sessions o WHERE o.id = r.session_id)"),
    ("message_versions", "id", "NOT EXISTS (SELECT 1 FROM messages o WHERE o.id = r.message_id)"),
    ("tool_calls", "id", "NOT EXISTS (SELECT 1 FROM sessions o WHERE o.id = r.session_id)"),
    ("uses", "id", "NOT EXISTS (SELECT 1 FROM messages o WHERE o.id = r.message_id)"),
    ("summaries", "id", "NOT EXISTS (SELECT 1 FROM sessions o WHERE o.id = r.session_id)"),
    ("snapshots", "id", "NOT EXISTS (SELECT 1 FROM sessions o WHERE o.id = r.session_id)"),
    (
        "embeddings",
        "memory_id",
        "NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.memory_id) "
        "AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.id = r.memory_id) "
        "AND NOT EXISTS (SELECT 1 FROM summaries s WHERE s.id = r.memory_id) "
        "AND NOT EXISTS (SELECT 1 FROM tool_calls t WHERE t.id = r.memory_id) "
        "AND NOT EXISTS (SELECT 1 FROM experiences e WHERE e.id = r.memory_id)",
    ),
)


def orphans(db: Database, user_id: str) -> list[tuple[str, str]]:
    """(table, id) of rows that belong to nothing."""
    found: list[tuple[str, str]] = []
    for table, key, where in _ORPHANS:
        rows = db.query(f"SELECT r.{key} AS id FROM {table} r WHERE r.user_id = ? AND {where}", (user_id,))
        found += [(table, row["id"]) for row in rows]
    return found


def delete_orphans(db: Database, user_id: str) -> int:
    deleted = 0
    for table, key, where in _ORPHANS:
        deleted += db.execute(
            f"DELETE FROM {table} WHERE {key} IN "
            f"(SELECT r.{key} FROM {table} r WHERE r.user_id = ? AND {where}) AND user_id = ?",
            (user_id, user_id),
        ).rowcount
    return deleted


def duplicate_facts(db: Database, user_id: str) -> list[list[str]]:
    """Groups of current facts that say the same under one key and in one scope, the oldest of each first."""
    rows = db.query(
        "SELECT f.id, f.key, search_fold(trim(f.value)) AS folded, "
        "iif(f.visibility = 'shared', '', ifnull(f.agent_id, '')) AS scope FROM facts f "
        "WHERE f.user_id = ? AND f.status = 'current' ORDER BY f.created_at, f.id",
        (user_id,),
    )
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        groups.setdefault((row["key"], row["folded"], row["scope"]), []).append(row["id"])
    return [ids for ids in groups.values() if len(ids) > 1]


def unsupported_facts(db: Database, user_id: str) -> list[str]:
    """Current facts whose source says something else by now, or has been lost, and that nobody has been asked
    about. A source that was cleaned away or forgotten is not lost: it was decided upon."""
    rows = db.query(
        "SELECT f.id FROM facts f WHERE f.user_id = ? AND f.status = 'current' AND f.needs_review = 0 "
        "AND f.source_message_id IS NOT NULL AND CASE "
        "WHEN NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = f.source_message_id) THEN NOT EXISTS ("
        "SELECT 1 FROM tombstones t WHERE t.user_id = f.user_id AND t.kind = 'messages' "
        "AND t.id = f.source_message_id) "
        "ELSE f.source_version_id IS NOT NULL AND f.source_version_id IS NOT ("
        "SELECT v.id FROM message_versions v WHERE v.message_id = f.source_message_id "
        "ORDER BY v.created_at DESC, v.id DESC LIMIT 1) END",
        (user_id,),
    )
    return [row["id"] for row in rows]


def stale_facts(db: Database, user_id: str, now: int) -> list[str]:
    """Facts past their end that are still marked as current."""
    rows = db.query(
        "SELECT f.id FROM facts f WHERE f.user_id = ? AND f.status = 'current' AND f.expires_at <= ?",
        (user_id, now),
    )
    return [row["id"] for row in rows]
