"""What a sync would send, in numbers."""

from __future__ import annotations

from collections.abc import Iterator

from py_memory.database import Database

__all__ = ["count_gone", "count_summaries", "count_to_send", "facts_to_send"]

_NOTED = "EXISTS (SELECT 1 FROM sync_changes c WHERE c.user_id = r.user_id AND c.kind = ? AND c.id = r.{id})"


def count_to_send(db: Database, user_id: str, kind: str, column: str, *, all_: bool, only: str = "1") -> int:
    """Rows of a kind that have changed, those on their way included, or `all_` of them."""
    source = f"SELECT count(*) FROM {kind} r WHERE r.user_id = ? AND {only}"
    if all_:
        return int(db.value(source, (user_id,)))
    noted = _NOTED.format(id=column)
    sent = noted.replace("sync_changes c", "sync_outbox c")
    return int(db.value(f"{source} AND ({noted} OR {sent})", (user_id, kind, kind)))


def count_gone(db: Database, user_id: str, kind: str, column: str) -> int:
    """Rows of a kind that the server has, or may have, and this memory no longer."""
    return int(
        db.value(
            "SELECT count(DISTINCT c.id) FROM sync_changes c JOIN sync_base b USING (user_id, kind, id) "
            "WHERE c.user_id = ? AND c.kind = ? AND NOT EXISTS "
            f"(SELECT 1 FROM {kind} r WHERE r.{column} = c.id AND r.user_id = c.user_id)",
            (user_id, kind),
        )
    )


def facts_to_send(db: Database, user_id: str, *, all_: bool) -> Iterator[tuple[str, str, str]]:
    """(visibility, key, value) of the facts that have changed, or `all_` of them."""
    source = "SELECT r.visibility, r.key, r.value FROM facts r WHERE r.user_id = ?"
    if all_:
        found = db.query(source, (user_id,))
    else:
        found = db.query(f"{source} AND {_NOTED.format(id='id')}", (user_id, "facts"))
    for row in found:
        yield row["visibility"], row["key"], row["value"]


def count_summaries(db: Database, user_id: str) -> int:
    """Summaries, which each device makes for itself."""
    return int(db.value("SELECT count(*) FROM summaries WHERE user_id = ?", (user_id,)))
