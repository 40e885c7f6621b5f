"""Counts of what a memory holds."""

from __future__ import annotations

from py_memory.database import Database

__all__ = ["counts", "size"]

_OF_THE_USER = ("sessions", "facts", "experiences", "tombstones", "rejections")
_OF_A_SESSION = ("messages", "tool_calls", "summaries", "snapshots")
_OF_A_MESSAGE = ("message_versions", "uses")


def counts(db: Database, user_id: str) -> dict[str, int]:
    """Rows of the owner by table, `current_facts` among them, and `bytes`, the size of the whole database.

    Counted along the indexes that lead from the owner to its rows, so that no text is read.
    """
    by_message = "sessions s JOIN messages m ON m.session_id = s.id JOIN {} t ON t.message_id = m.id"
    sources = {
        **dict.fromkeys(_OF_THE_USER, "{} s"),
        **dict.fromkeys(_OF_A_SESSION, "sessions s JOIN {} t ON t.session_id = s.id"),
        **dict.fromkeys(_OF_A_MESSAGE, by_message),
    }
    out = {
        table: int(db.value(f"SELECT count(*) FROM {source.format(table)} WHERE s.user_id = ?", (user_id,)))
        for table, source in sources.items()
    }
    out["current_facts"] = int(
        db.value("SELECT count(*) FROM facts WHERE user_id = ? AND status = 'current'", (user_id,))
    )
    out["bytes"] = size(db)
    return out


def size(db: Database) -> int:
    """Of the whole database, in bytes."""
    return int(db.value("PRAGMA page_count")) * int(db.value("PRAGMA page_size"))
