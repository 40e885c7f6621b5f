"""Which phone and which email belong to one person. The triggers of the table refuse a contradiction."""

from __future__ import annotations

import re
from typing import Any

from py_memory.database import Database
from py_memory.ids import uuid7

__all__ = [
    "KINDS",
    "belongs_to_another",
    "find_identity",
    "insert_identity",
    "normalized_contact",
]

KINDS = ("phone", "email")


def normalized_contact(kind: str, value: str) -> str:
    """A phone number as its digits with a leading +, an email address in lower case."""
    return re.sub(r"[^\d+]", "", value) if kind == "phone" else value.strip().lower()


def find_identity(db: Database, user_id: str, kind: str, value: str) -> dict[str, Any] | None:
    """The row (id, phone, email) that holds a normalized phone or email, the fuller one first."""
    if kind not in KINDS:
        raise ValueError(f"an identity has no {kind}")
    row = db.one(
        f"SELECT id, phone, email FROM identities WHERE user_id = ? AND {kind} = ? "
        "ORDER BY phone IS NULL OR email IS NULL LIMIT 1",
        (user_id, value),
    )
    return dict(row) if row else None


def belongs_to_another(db: Database, user_id: str, phone: str, email: str, own_id: str | None) -> bool:
    """Whether one of the two is held together with another partner. The triggers ask the same."""
    row = db.one(
        "SELECT 1 FROM identities WHERE user_id = ?1 AND id IS NOT ?4 AND phone = ?2 AND email <> ?3 "
        "UNION ALL "
        "SELECT 1 FROM identities WHERE user_id = ?1 AND id IS NOT ?4 AND email = ?3 AND phone <> ?2",
        (user_id, phone, email, own_id),
    )
    return row is not None


def insert_identity(db: Database, user_id: str, *, phone: str | None, email: str | None, now: int) -> str:
    """The transaction fails with ConflictError if one of them belongs to someone else."""
    id = uuid7(now)
    db.execute(
        "INSERT INTO identities (id, user_id, created_at, phone, email) VALUES (?, ?, ?, ?, ?)",
        (id, user_id, now, phone, email),
    )
    return id
