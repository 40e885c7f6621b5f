"""Counts of what a memory holds."""

from __future__ import annotations

from typing import Any

from py_memory.database import Database

__all__ = ["compared", "counts", "size"]

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


def compared(db: Database, older: Database, user_id: str) -> dict[str, Any]:
    """What `older` holds, and how much of `db` is not in it: {messages, facts, newer: {messages, facts}}.
    Facts are current ones."""
    queries = {
        "messages": "SELECT m.id FROM sessions s JOIN messages m ON m.session_id = s.id WHERE s.user_id = ?",
        "facts": "SELECT id FROM facts WHERE user_id = ? AND status = 'current'",
    }
    out: dict[str, Any] = {"newer": {}}
    for table, query in queries.items():
        there = {row["id"] for row in older.query(query, (user_id,))}
        out[table] = len(there)
        out["newer"][table] = sum(row["id"] not in there for row in db.query(query, (user_id,)))
    return out


def size(db: Database) -> int:
    """Of the whole database, in bytes."""
    return int(db.value("PRAGMA page_count")) * int(db.value("PRAGMA page_size"))
