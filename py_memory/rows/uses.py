"""Which memories an answer rested on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from py_memory.checks import json_text
from py_memory.database import Database
from py_memory.ids import uuid7
from py_memory.records import Use

__all__ = ["NOT_RESTED_ON", "count_uses", "insert_uses", "list_uses"]

# Reasons for which an answer names what it does to a memory, or would do: it did not rest on that.
NOT_RESTED_ON = (
    "proposed now",
    "stored fact",
    "confirmed now",
    "ended now",
    "done now",
    "would be forgotten",
    "would end",
)


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


def count_uses(db: Database, user_id: str, message_ids: Sequence[str]) -> dict[str, int]:
    """By answer, on how many memories it rested that are still there; answers without any are left out."""
    rows = db.query(
        "SELECT u.message_id, count(*) AS number FROM uses u "
        "WHERE u.message_id IN (SELECT value FROM json_each(?)) AND u.user_id = ? "
        "AND coalesce(json_extract(u.reason_json, '$.why'), '') NOT IN (SELECT value FROM json_each(?)) "
        "AND CASE u.memory_kind "
        "WHEN 'facts' THEN EXISTS (SELECT 1 FROM facts f WHERE f.id = u.memory_id AND f.user_id = u.user_id) "
        "WHEN 'messages' THEN "
        "EXISTS (SELECT 1 FROM messages m WHERE m.id = u.memory_id AND m.user_id = u.user_id) "
        "ELSE 1 END GROUP BY u.message_id",
        (json_text(list(message_ids), "The ids"), user_id, json_text(NOT_RESTED_ON, "The reasons")),
    )
    return {row["message_id"]: row["number"] for row in rows}
