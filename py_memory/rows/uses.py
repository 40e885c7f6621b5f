"""Which memories an answer rested on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from py_memory.checks import json_text
from py_memory.database import Database
from py_memory.ids import uuid7
from py_memory.records import Use

__all__ = ["insert_uses", "list_uses"]


def insert_uses(
    db: Database, user_id: str, message_id: str, uses: Iterable[tuple[str, str, Mapping[str, Any]]], now: int
) -> None:
    """`uses` are (memory kind, memory id, reason) in order of rank."""
    for rank, (kind, id, reason) in enumerate(uses, start=1):
        db.execute(
            "INSERT INTO uses (id, user_id, created_at, message_id, memory_kind, memory_id, rank, "
            "reason_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                uuid7(now),
                user_id,
                now,
                message_id,
                kind,
                id,
                rank,
                json_text(dict(reason), "The reason"),
            ),
        )


def list_uses(db: Database, user_id: str, message_id: str) -> list[Use]:
    """Best first."""
    rows = db.query(
        "SELECT id, created_at, message_id, memory_kind, memory_id, rank, reason_json FROM uses "
        "WHERE message_id = ? AND user_id = ? ORDER BY rank",
        (message_id, user_id),
    )
    return [
        Use(
            row["id"],
            row["created_at"],
            row["message_id"],
            row["memory_kind"],
            row["memory_id"],
            row["rank"],
            json.loads(row["reason_json"]),
        )
        for row in rows
    ]
