"""What is kept beside a fact when an owner keeps both of two values, while another device may decide
otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from py_memory.database import Database
from py_memory.rows import images
from py_memory.rows.facts import folded

__all__ = ["copy_id", "keep_what_stood"]

# What goes with a value; where a fact stands (its status, what superseded it and when) does not.
_SAYS = ("value", "category", "source_message_id", "source_version_id", "quote", "confidence", "value_folded")


def copy_id(fact_id: str, changed_at: int) -> str:
    """The id of the fact that a lost change of `changed_at` (ms) to a fact becomes, the same on every device,
    as a UUID of version 7. Nothing of the value is in it, so that no guess can be tried on it."""
    told = hashlib.sha256(f"{fact_id}\x1f{changed_at}".encode()).hexdigest()
    digits = f"{changed_at:012x}7{told[:3]}8{told[3:18]}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def keep_what_stood(db: Database, user_id: str, before: Mapping[str, Any], value: str) -> None:
    """Called where a fact has taken another device's value. If that is the one which was kept here beside it,
    the two change places: what stood in the fact until now goes on in the copy."""
    if folded(value) == folded(before["value"]):
        return
    alike = images.read_where(
        db,
        "facts",
        "user_id = ? AND key = ? AND value_folded = ? AND id <> ?",
        (user_id, before["key"], folded(value), before["id"]),
    )
    for fact in alike:
        if fact["id"] == copy_id(before["id"], fact["created_at"]):
            images.update_row(db, "facts", (fact["id"],), {column: before[column] for column in _SAYS})
