"""What syncing holds of rows that are forgotten on this device: it holds copies of their text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from py_memory.database import Database
from py_memory.rows import sync as rows
from py_memory.rows.mentions import is_mentioned

from .kinds import CONFLICTS, OWNERS
from .outgoing import start_over

__all__ = ["of_row", "of_text"]

Rows = tuple[str, str, tuple[str, ...]]  # table, condition, its parameters
_ROW = "user_id = ? AND kind = ? AND id = ?"


def of_row(
    db: Database, user_id: str, kind: str, id: str, now: int, *, stays: bool = False
) -> Iterator[Rows]:
    """Takes a page back that holds the row, and yields which other rows hold something of it. `stays`: only
    words of it are forgotten. Inside a transaction of the caller."""
    if rows.get_state(db, user_id) is None:
        return
    if rows.is_outgoing(db, user_id, kind, id):
        start_over(db, user_id, now)
    yield "sync_conflicts", "user_id = ? AND kind = ? AND row_id = ?", (user_id, kind, id)
    if not stays:
        yield "sync_rejected", _ROW, (user_id, kind, id)
        yield from _deferred(rows.deferred(db, user_id), user_id, kind, id)


def _deferred(found: list[dict[str, Any]], user_id: str, kind: str, id: str) -> Iterator[Rows]:
    """The row as it arrived, and what belongs to it."""
    yield "sync_deferred", _ROW, (user_id, kind, id)
    for row in found:
        if any(row["identity"].get(column) == id for column in OWNERS):
            yield from _deferred(found, user_id, row["kind"], row["id"])


def of_text(db: Database, user_id: str, wanted: str, now: int) -> Iterator[tuple[Rows, tuple[str, str]]]:
    """The same for whatever holds a text, such as a title from before it was changed. Yields with each the
    (kind, id) that is to be forgotten on the server."""
    if rows.get_state(db, user_id) is None:
        return
    if any(is_mentioned(wanted, sent["kind"], _columns(sent)) for sent in rows.outgoing(db, user_id)):
        start_over(db, user_id, now)
    for row in rows.deferred(db, user_id):
        if is_mentioned(wanted, row["kind"], _columns(row)):
            whole = row["kind"], row["id"]
            if row["kind"] == "message_versions":
                whole = "messages", str(row["identity"].get("message_id"))
            yield ("sync_deferred", _ROW, (user_id, row["kind"], row["id"])), whole
    for conflict in rows.list_conflicts(db, user_id):
        if is_mentioned(wanted, conflict["kind"], conflict["values"]):
            id = conflict["id"]
            yield ("sync_conflicts", "user_id = ? AND id = ?", (user_id, id)), (CONFLICTS, id)


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    """The columns of a row or of a mutation."""
    found = dict(row.get("identity") or {})
    for group in row.get("groups", {}).values():
        found |= group.get("set", group)
    return found
