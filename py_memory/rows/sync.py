"""What syncing needs to remember: its state, noted changes, the page on its way, and what waits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from py_memory.database import Database

__all__ = [
    "Change",
    "SyncState",
    "add_conflict",
    "add_outgoing",
    "broken_sessions",
    "capture",
    "change_owner",
    "changed_parts",
    "changes_of",
    "count_by_table",
    "defer",
    "deferred",
    "drop_changes",
    "drop_conflicts",
    "drop_deferred",
    "drop_forgotten",
    "drop_outgoing",
    "drop_rejected",
    "drop_row_state",
    "get_base",
    "get_bases",
    "get_state",
    "is_conflict",
    "is_outgoing",
    "is_owner",
    "last_change",
    "list_conflicts",
    "list_rejected",
    "mark",
    "mark_all",
    "mark_tombstones",
    "mark_unseen",
    "names_of_deferred",
    "note_rejected",
    "note_times",
    "outgoing",
    "outgoing_payloads",
    "parts_of_changes",
    "reject",
    "remove_conflict",
    "retry_rejected",
    "set_base",
    "set_bases",
    "set_state",
    "start_state",
    "stop",
    "waiting_parts",
]

_TABLES = (
    "sync_changes",
    "sync_outbox",
    "sync_base",
    "sync_deferred",
    "sync_rejected",
    "sync_conflicts",
    "sync_state",
)
# The time (ms) at which a row that was there before syncing began counts as changed.
_CHANGED_AT = {
    "sessions": "last_active_at",
    "tool_calls": "max(created_at, ifnull(completed_at, 0))",
}
_OWNED = (
    "settings",
    "sessions",
    "messages",
    "message_versions",
    "tool_calls",
    "namespaces",
    "facts",
    "identities",
    "uses",
    "summaries",
    "snapshots",
    "experiences",
    "embeddings",
    "rejections",
    "tombstones",
)


@dataclass(frozen=True, slots=True)
class SyncState:
    """`cursor` is the server's counter up to which rows are here, `next_n` the number of the next change to
    sent, `offset_ms` what to add to the local clock for the server's."""

    user_id: str
    device: str
    url: str
    epoch: str | None
    cursor: int
    hlc: str | None
    next_n: int
    acked_n: int
    offset_ms: int
    pass_: int
    resyncing: bool
    unsettled: bool
    synced_at: int | None
    backup: str | None


_COLUMNS = {field.name: field.name.rstrip("_") for field in fields(SyncState)}


@dataclass(frozen=True, slots=True)
class Change:
    change: int
    kind: str
    id: str
    part: str
    at_ms: int


# -- state --


def get_state(db: Database, user_id: str) -> SyncState | None:
    """None while syncing is switched off."""
    row = db.one(f"SELECT {', '.join(_COLUMNS.values())} FROM sync_state WHERE user_id = ?", (user_id,))
    if row is None:
        return None
    values = {name: row[column] for name, column in _COLUMNS.items()}
    values["resyncing"], values["unsettled"] = bool(values["resyncing"]), bool(values["unsettled"])
    return SyncState(**values)


def start_state(db: Database, user_id: str, device: str, url: str) -> None:
    db.execute("INSERT INTO sync_state (user_id, device, url) VALUES (?, ?, ?)", (user_id, device, url))


def set_state(db: Database, user_id: str, **values: Any) -> None:
    if not values.keys() <= _COLUMNS.keys():
        raise ValueError(f"there is no {values.keys() - _COLUMNS.keys()} in the state of syncing")
    sets = ", ".join(f"{_COLUMNS[name]} = ?" for name in values)
    db.execute(f"UPDATE sync_state SET {sets} WHERE user_id = ?", (*values.values(), user_id))


def capture(db: Database, user_id: str, on: bool) -> None:
    """Whether the triggers note changes; off only while rows of the server are written."""
    db.execute("UPDATE sync_state SET capturing = ? WHERE user_id = ?", (on, user_id))


def stop(db: Database, user_id: str) -> None:
    """Forgets everything about syncing; the memory itself stays."""
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))


def change_owner(db: Database, user_id: str, new: str, now: int) -> None:
    """Everything of one owner becomes another's. The chain of events keeps the owner it was written with."""
    db.execute("INSERT OR IGNORE INTO users (id, created_at) VALUES (?, ?)", (new, now))
    for table in (*_OWNED, *_TABLES):
        db.execute(f"UPDATE {table} SET user_id = ? WHERE user_id = ?", (new, user_id))
    db.execute("DELETE FROM users WHERE id = ?", (user_id,))


# -- noted changes --


def note_times(db: Database, now: int) -> None:
    """Gives the changes of the open transaction their time."""
    db.execute("UPDATE sync_changes SET at_ms = ? WHERE at_ms IS NULL", (now,))


def mark(db: Database, user_id: str, kind: str, id: str, part: str, now: int) -> None:
    """Notes a change; one of the open transaction is given its time at the end of it."""
    db.execute(
        "INSERT INTO sync_changes (user_id, kind, id, part, at_ms) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (user_id, kind, id, part) DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)",
        (user_id, kind, id, part, now),
    )


def note_rejected(db: Database, user_id: str, fact_id: str, never_this_kind: bool, now: int) -> None:
    """Notes before a fact goes that the user said no to it, where another device may have it."""
    if get_base(db, user_id, "facts", fact_id) is None and not is_outgoing(db, user_id, "facts", fact_id):
        return
    mark(db, user_id, "rejected_kinds" if never_this_kind else "rejected_facts", fact_id, "", now)


def mark_all(db: Database, user_id: str, kind: str, column: str) -> None:
    """Notes every row of a kind, as changed when it was."""
    db.execute(
        "INSERT OR IGNORE INTO sync_changes (user_id, kind, id, part, at_ms) "
        f"SELECT user_id, ?, {column}, '*', {_CHANGED_AT.get(kind, 'created_at')} FROM {kind} "
        f"WHERE user_id = ? ORDER BY created_at, {column}",
        (kind, user_id),
    )


def mark_tombstones(db: Database, user_id: str, kinds: Iterable[str]) -> None:
    """Notes what was forgotten."""
    for kind in kinds:
        db.execute(
            "INSERT OR IGNORE INTO sync_changes (user_id, kind, id, part, at_ms) "
            "SELECT user_id, kind, id, '*', created_at FROM tombstones WHERE user_id = ? AND kind = ?",
            (user_id, kind),
        )


def mark_unseen(db: Database, user_id: str, kind: str, column: str, seen: int) -> None:
    """Notes the rows of a kind that the last full pull did not bring."""
    db.execute(
        "INSERT OR IGNORE INTO sync_changes (user_id, kind, id, part, at_ms) "
        f"SELECT r.user_id, ?, r.{column}, '*', r.created_at FROM {kind} r WHERE r.user_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM sync_base b WHERE b.user_id = r.user_id AND b.kind = ? "
        f"AND b.id = r.{column} AND b.pass = ?)",
        (kind, user_id, kind, seen),
    )


def changes_of(db: Database, user_id: str, limit: int, after: int = 0) -> list[Change]:
    """The oldest noted changes after the one numbered `after`, in their order."""
    rows = db.query(
        # "+": in the order of `change`, up to the limit; by the owner all of them would be read and sorted.
        "SELECT change, kind, id, part, ifnull(at_ms, 0) FROM sync_changes "
        "WHERE change > ? AND +user_id = ? ORDER BY change LIMIT ?",
        (after, user_id, limit),
    )
    return [Change(*row) for row in rows]


def last_change(db: Database) -> int:
    """The number of the newest noted change, 0 if there is none."""
    return int(db.value("SELECT ifnull(max(change), 0) FROM sync_changes"))


def parts_of_changes(
    db: Database, user_id: str, first: int, last: int
) -> dict[tuple[str, str], dict[str, int]]:
    """changed_parts() of every row with a change in this range of numbers, by (kind, id)."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in db.query(
        "SELECT c.kind, c.id, c.part, ifnull(c.at_ms, 0) AS at_ms FROM (SELECT DISTINCT kind, id "
        "FROM sync_changes WHERE change BETWEEN ? AND ? AND user_id = ?) r "
        "CROSS JOIN sync_changes c ON c.user_id = ? AND c.kind = r.kind AND c.id = r.id",
        (first, last, user_id, user_id),
    ):
        found.setdefault((row["kind"], row["id"]), {})[row["part"]] = row["at_ms"]
    return found


def changed_parts(db: Database, user_id: str, kind: str, id: str) -> dict[str, int]:
    """Part → time of the noted changes of one row."""
    rows = db.query(
        "SELECT part, ifnull(at_ms, 0) AS at_ms FROM sync_changes WHERE user_id = ? AND kind = ? AND id = ?",
        (user_id, kind, id),
    )
    return {row["part"]: row["at_ms"] for row in rows}


def drop_changes(db: Database, user_id: str, named: Iterable[tuple[str, str]]) -> None:
    """The noted changes of rows, by (kind, id)."""
    db.execute_many(
        "DELETE FROM sync_changes WHERE user_id = ? AND kind = ? AND id = ?",
        [(user_id, kind, id) for kind, id in named],
    )


def waiting_parts(db: Database, user_id: str, kind: str, id: str) -> set[str]:
    """Parts of a row that the server does not have yet: noted, or on their way. '' and '*' are all."""
    found = set(changed_parts(db, user_id, kind, id))
    for row in db.query(
        "SELECT payload_json FROM sync_outbox WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id)
    ):
        sent = json.loads(row["payload_json"])
        found |= set(sent.get("groups", ())) if sent["op"] == "put" and sent.get("groups") else {""}
    return found


# -- on its way --


def outgoing(db: Database, user_id: str) -> list[dict[str, Any]]:
    return [json.loads(payload) for payload in outgoing_payloads(db, user_id)]


def outgoing_payloads(db: Database, user_id: str) -> list[str]:
    """The same as JSON texts."""
    rows = db.query("SELECT payload_json FROM sync_outbox WHERE user_id = ? ORDER BY n", (user_id,))
    return [row[0] for row in rows]


def is_outgoing(db: Database, user_id: str, kind: str, id: str) -> bool:
    found = db.one("SELECT 1 FROM sync_outbox WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id))
    return found is not None


def add_outgoing(db: Database, user_id: str, page: Iterable[tuple[Mapping[str, Any], str]]) -> None:
    """Mutations, each with its JSON."""
    db.execute_many(
        "INSERT INTO sync_outbox (user_id, n, kind, id, payload_json) VALUES (?, ?, ?, ?, ?)",
        [(user_id, change["n"], change["kind"], change["id"], payload) for change, payload in page],
    )


def drop_outgoing(db: Database, user_id: str, last_n: int | None = None) -> None:
    """The mutations up to a number, or all of them."""
    if last_n is None:
        db.execute("DELETE FROM sync_outbox WHERE user_id = ?", (user_id,))
    else:
        db.execute("DELETE FROM sync_outbox WHERE user_id = ? AND n <= ?", (user_id, last_n))


# -- what the server has --


def get_base(db: Database, user_id: str, kind: str, id: str) -> dict[str, str] | None:
    """Group → the server's stamp that the local row stands on; None if the server does not have the row."""
    found = db.value(
        "SELECT stamps_json FROM sync_base WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id)
    )
    return None if found is None else json.loads(found)


def get_bases(
    db: Database, user_id: str, named: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, str]]:
    """get_base() of several rows, by (kind, id), of those that have one."""
    ids: dict[str, list[str]] = {}
    for kind, id in named:
        ids.setdefault(kind, []).append(id)
    return {
        (kind, row["id"]): json.loads(row["stamps_json"])
        for kind, of_kind in ids.items()
        for row in db.query(
            "SELECT id, stamps_json FROM sync_base WHERE user_id = ? AND kind = ? "
            "AND id IN (SELECT value FROM json_each(?))",
            (user_id, kind, json.dumps(of_kind)),
        )
    }


_SET_BASE = (
    "INSERT INTO sync_base (user_id, kind, id, stamps_json, pass) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (user_id, kind, id) DO UPDATE SET stamps_json = excluded.stamps_json, pass = excluded.pass"
)


def set_base(db: Database, user_id: str, kind: str, id: str, stamps: Mapping[str, str], seen: int) -> None:
    set_bases(db, user_id, [(kind, id, stamps)], seen)


def set_bases(
    db: Database, user_id: str, rows: Iterable[tuple[str, str, Mapping[str, str]]], seen: int
) -> None:
    """Of several rows: kind, id, stamps."""
    db.execute_many(
        _SET_BASE,
        [(user_id, kind, id, json.dumps(stamps, separators=(",", ":")), seen) for kind, id, stamps in rows],
    )


def drop_row_state(db: Database, user_id: str, kind: str, id: str) -> None:
    """Everything about a row that was forgotten."""
    for table in ("sync_changes", "sync_outbox", "sync_base", "sync_deferred", "sync_rejected"):
        db.execute(f"DELETE FROM {table} WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id))
    drop_conflicts(db, user_id, kind, id)


def drop_forgotten(db: Database, user_id: str) -> None:
    """What arrived about a row after it was forgotten here and before the server heard of it."""
    for table, id in (("sync_deferred", "id"), ("sync_rejected", "id"), ("sync_conflicts", "row_id")):
        db.execute(
            f"DELETE FROM {table} WHERE user_id = ? AND EXISTS (SELECT 1 FROM tombstones t WHERE "
            f"t.user_id = {table}.user_id AND t.kind = {table}.kind AND t.id = {table}.{id})",
            (user_id,),
        )


def drop_conflicts(db: Database, user_id: str, kind: str, id: str) -> None:
    """What lost against a row's values."""
    db.execute(
        "DELETE FROM sync_conflicts WHERE user_id = ? AND kind = ? AND row_id = ?", (user_id, kind, id)
    )


# -- what waits --


def defer(db: Database, user_id: str, row: Mapping[str, Any], reason: str) -> None:
    db.execute(
        "INSERT OR REPLACE INTO sync_deferred (user_id, kind, id, server_seq, payload_json, reason) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (user_id, row["kind"], row["id"], row["seq"], json.dumps(row, ensure_ascii=False), reason),
    )


def deferred(db: Database, user_id: str) -> list[dict[str, Any]]:
    rows = db.query(
        "SELECT payload_json FROM sync_deferred WHERE user_id = ? ORDER BY server_seq", (user_id,)
    )
    return [json.loads(row["payload_json"]) for row in rows]


def names_of_deferred(db: Database, user_id: str) -> set[tuple[str, str]]:
    """(kind, id) of the rows that wait."""
    rows = db.query("SELECT kind, id FROM sync_deferred WHERE user_id = ?", (user_id,))
    return {(row["kind"], row["id"]) for row in rows}


def drop_deferred(db: Database, user_id: str, kind: str, id: str) -> None:
    db.execute("DELETE FROM sync_deferred WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id))


def reject(db: Database, user_id: str, mutation: Mapping[str, Any], code: str, now: int) -> None:
    """Sets a row aside: its name and why, nothing of what it says."""
    db.execute(
        "INSERT OR REPLACE INTO sync_rejected (user_id, kind, id, payload_json, code, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (user_id, mutation["kind"], mutation["id"], "{}", code, now),
    )


def drop_rejected(db: Database, user_id: str, kind: str, id: str) -> None:
    db.execute("DELETE FROM sync_rejected WHERE user_id = ? AND kind = ? AND id = ?", (user_id, kind, id))


def retry_rejected(db: Database, user_id: str, code: str, now: int) -> None:
    """Notes again what was set aside for a reason that may have passed."""
    for row in list_rejected(db, user_id):
        if row["code"] == code:
            mark(db, user_id, row["kind"], row["id"], "", now)
            drop_rejected(db, user_id, row["kind"], row["id"])


def list_rejected(db: Database, user_id: str) -> list[dict[str, Any]]:
    rows = db.query(
        "SELECT kind, id, code, created_at FROM sync_rejected WHERE user_id = ? ORDER BY created_at, id",
        (user_id,),
    )
    return [dict(row) for row in rows]


def add_conflict(
    db: Database,
    user_id: str,
    id: str,
    kind: str,
    row_id: str,
    part: str,
    stamp: str,
    values: Mapping[str, Any],
) -> None:
    db.execute(
        "INSERT OR IGNORE INTO sync_conflicts (user_id, id, kind, row_id, part, stamp, values_json) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (user_id, id, kind, row_id, part, stamp, json.dumps(values, ensure_ascii=False)),
    )


def list_conflicts(db: Database, user_id: str) -> list[dict[str, Any]]:
    """Each as {id, kind, row_id, part, stamp, values}, oldest first."""
    rows = db.query(
        "SELECT id, kind, row_id, part, stamp, values_json FROM sync_conflicts WHERE user_id = ? "
        "ORDER BY stamp, id",
        (user_id,),
    )
    return [
        {name: row[name] for name in ("id", "kind", "row_id", "part", "stamp")}
        | {"values": json.loads(row["values_json"])}
        for row in rows
    ]


def is_conflict(db: Database, user_id: str, id: str) -> bool:
    found = db.one("SELECT 1 FROM sync_conflicts WHERE user_id = ? AND id = ?", (user_id, id))
    return found is not None


def remove_conflict(db: Database, user_id: str, id: str) -> None:
    db.execute("DELETE FROM sync_conflicts WHERE user_id = ? AND id = ?", (user_id, id))


def count_by_table(db: Database, user_id: str) -> dict[str, int]:
    """Rows that wait, by what for: changes, outbox, deferred, rejected, conflicts."""
    counts = {}
    for name in ("changes", "outbox", "deferred", "rejected", "conflicts"):
        counts[name] = int(db.value(f"SELECT count(*) FROM sync_{name} WHERE user_id = ?", (user_id,)))
    return counts


def broken_sessions(db: Database, user_id: str) -> list[str]:
    """Sessions with a message that follows one which is not there, or that show one which is not. Reads all
    messages: for what a sync that was cut off may have left."""
    rows = db.query(
        "SELECT s.id FROM sessions s WHERE s.user_id = ? AND s.current_message_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = s.current_message_id) "
        "UNION SELECT m.session_id FROM messages m WHERE m.user_id = ? AND m.parent_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM messages p WHERE p.id = m.parent_id AND p.session_id = m.session_id)",
        (user_id, user_id),
    )
    return [row["id"] for row in rows]


def is_owner(db: Database, user_id: str) -> bool:
    return db.one("SELECT 1 FROM users WHERE id = ?", (user_id,)) is not None
