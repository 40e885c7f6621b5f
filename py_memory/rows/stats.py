"""Counts of what a memory holds."""

from __future__ import annotations

from ..database import Database

__all__ = ["counts"]

_TABLES = (
    "sessions",
    "messages",
    "message_versions",
    "tool_calls",
    "facts",
    "summaries",
    "snapshots",
    "experiences",
    "uses",
    "tombstones",
    "rejections",
)


def counts(db: Database, user_id: str) -> dict[str, int]:
    """Rows of the owner by table, and `bytes`, the size of the whole database."""
    out: dict[str, int] = {}
    for table in _TABLES:
        row = db.one(f"SELECT count(*) AS n FROM {table} WHERE user_id = ?", (user_id,))
        out[table] = row["n"] if row else 0
    size = db.one("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()")
    out["bytes"] = size["bytes"] if size else 0
    return out
