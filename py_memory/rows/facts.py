"""Facts as rows. What may happen to them is decided in `py_memory.facts`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from py_memory import text
from py_memory.checks import json_text
from py_memory.database import Database, Row
from py_memory.errors import NotFoundError
from py_memory.records import Fact

__all__ = [
    "ask_for_review",
    "browse_facts",
    "count_waiting",
    "current_of_all_agents",
    "current_with_key",
    "current_with_value",
    "delete_all",
    "facts_for_prompt",
    "facts_of_key",
    "facts_of_source",
    "find_fact",
    "folded",
    "get_fact",
    "insert_fact",
    "list_facts",
    "mark_for_review",
    "mark_used",
    "oldest_current",
    "quotes_imported_from",
    "update_fact",
    "waiting_facts",
    "waiting_with_key",
]

_FIELDS = tuple(field.name for field in fields(Fact) if field.compare)
_COLUMNS = ", ".join(f"f.{name}" for name in _FIELDS)
_LAST_CHARACTER = "\U0010ffff"
_FLAGS = ("pinned", "needs_review")
# An agent sees what belongs to nobody in particular, what is its own, and what another agent shares.
_VISIBLE = "(f.agent_id IS NULL OR f.agent_id = ? OR f.visibility = 'shared')"
_LIVE = "(f.expires_at IS NULL OR f.expires_at > ?)"


def _record(row: Row) -> Fact:
    values = dict(row)
    for flag in _FLAGS:
        values[flag] = bool(values[flag])
    return Fact(**values)


def folded(value: str) -> str:
    """What two values have in common that say the same."""
    return text.normalize(value).strip()


def insert_fact(db: Database, fact: Fact) -> None:
    marks = ", ".join("?" for _ in _FIELDS)
    db.execute(
        f"INSERT INTO facts ({', '.join(_FIELDS)}, value_folded) VALUES ({marks}, ?)",
        [*(getattr(fact, name) for name in _FIELDS), folded(fact.value)],
    )


def delete_all(db: Database, user_id: str) -> None:
    db.execute("DELETE FROM facts WHERE user_id = ?", (user_id,))


def update_fact(db: Database, user_id: str, id: str, **changes: Any) -> None:
    """Sets the named columns."""
    if not changes.keys() <= set(_FIELDS):
        raise ValueError(f"facts have no column {changes.keys() - set(_FIELDS)}")
    sets = ", ".join(f"{column} = ?" for column in changes)
    db.execute(f"UPDATE facts SET {sets} WHERE id = ? AND user_id = ?", (*changes.values(), id, user_id))


def find_fact(db: Database, user_id: str, id: str) -> Fact | None:
    row = db.one(f"SELECT {_COLUMNS} FROM facts f WHERE f.id = ? AND f.user_id = ?", (id, user_id))
    return None if row is None else _record(row)


def get_fact(db: Database, user_id: str, id: str) -> Fact:
    fact = find_fact(db, user_id, id)
    if fact is None:
        raise NotFoundError("fact", id)
    return fact


def facts_of_key(db: Database, user_id: str, agent_id: str | None, key: str) -> list[Fact]:
    """Everything ever held under a key, newest first."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM facts f WHERE f.user_id = ? AND f.key = ? AND {_VISIBLE} "
        "ORDER BY f.created_at DESC, f.id DESC",
        (user_id, key, agent_id),
    )
    return [_record(row) for row in rows]


def current_with_key(db: Database, user_id: str, agent_id: str | None, key: str, now: int) -> list[Fact]:
    """Current and not expired, newest first."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM facts f WHERE f.user_id = ? AND f.key = ? AND f.status = 'current' "
        f"AND {_VISIBLE} AND {_LIVE} ORDER BY f.created_at DESC, f.id DESC",
        (user_id, key, agent_id, now),
    )
    return [_record(row) for row in rows]


def current_with_value(
    db: Database, user_id: str, agent_id: str | None, key: str, value: str, now: int
) -> list[Fact]:
    """Like current_with_key(), of those that have this value. Notes the folded values that are not known
    yet, so it expects a transaction of the caller."""
    of_key = "FROM facts f WHERE f.user_id = ? AND f.key = ? AND f.status = 'current' "
    unknown = db.query(f"SELECT f.id, f.value {of_key} AND f.value_folded IS NULL", (user_id, key))
    db.execute_many(
        "UPDATE facts SET value_folded = ? WHERE id = ? AND user_id = ?",
        [(folded(row["value"]), row["id"], user_id) for row in unknown],
    )
    rows = db.query(
        f"SELECT {_COLUMNS} {of_key} AND f.value_folded = ? AND {_VISIBLE} AND {_LIVE} "
        "ORDER BY f.created_at DESC, f.id DESC",
        (user_id, key, folded(value), agent_id, now),
    )
    return [_record(row) for row in rows]


def waiting_with_key(db: Database, user_id: str, agent_id: str | None, key: str) -> list[Fact]:
    """Proposed and not answered yet, newest first."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM facts f WHERE f.user_id = ? AND f.key = ? AND f.status = 'candidate' "
        f"AND {_VISIBLE} ORDER BY f.created_at DESC, f.id DESC",
        (user_id, key, agent_id),
    )
    return [_record(row) for row in rows]


def quotes_imported_from(db: Database, user_id: str, source: str) -> set[str]:
    """The quotes of all facts, whatever became of them, that came from a product. Asked once an import, so it
    may look at all facts."""
    rows = db.query(
        "SELECT quote FROM facts WHERE user_id = ? AND imported_from = ? AND quote IS NOT NULL",
        (user_id, source),
    )
    return {row["quote"] for row in rows}


def list_facts(
    db: Database,
    user_id: str,
    agent_id: str | None,
    *,
    status: str | None,
    now: int,
    prefix: str | None = None,
    category: str | None = None,
    keys: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
    source_message_ids: Sequence[str] | None = None,
    session_id: str | None = None,
    limit: int | None = None,
) -> list[Fact]:
    """Pinned, most used and newest first. Status None takes all; "current" leaves out what has expired, and
    "expired" takes it in. `session_id` is where a fact was said."""
    # "+": else SQLite reads all facts there are, for the sake of the order, and not those of the messages.
    where = ["+f.user_id = ?" if source_message_ids is not None else "f.user_id = ?"]
    parameters: list[Any] = [user_id]

    def also(condition: str, *more: Any) -> None:
        where.append(condition)
        parameters.extend(more)

    if status == "expired":
        also("(f.status = 'expired' OR f.status = 'current' AND f.expires_at <= ?)", now)
    elif status is not None:
        also("f.status = ?", status)
    if status == "current":
        also(_LIVE, now)
    also(_VISIBLE, agent_id)
    if prefix is not None:
        also("f.key >= ? AND f.key < ?", prefix, prefix + _LAST_CHARACTER)
    if category is not None:
        also("f.category = ?", category)
    if keys is not None:
        also("f.key IN (SELECT value FROM json_each(?))", json_text(keys))
    if ids is not None:
        also("f.id IN (SELECT value FROM json_each(?))", json_text(ids))
    if source_message_ids is not None:
        also("f.source_message_id IN (SELECT value FROM json_each(?))", json_text(source_message_ids))
    if session_id is not None:
        also("f.source_message_id IN (SELECT id FROM messages WHERE session_id = ?)", session_id)
    rows = db.query(
        f"SELECT {_COLUMNS} FROM facts f WHERE {' AND '.join(where)} "
        "ORDER BY f.pinned DESC, f.use_count DESC, f.id DESC LIMIT ?",
        (*parameters, -1 if limit is None else limit),
    )
    return [_record(row) for row in rows]


def _of_keys(keys: Sequence[str]) -> tuple[str, list[Any]]:
    """A condition, with its values, for facts under any of the keys; one that ends in "::" is a prefix."""
    parts: list[str] = []
    values: list[Any] = []
    for key in keys:
        if key.endswith("::"):
            parts.append("f.key >= ? AND f.key < ?")
            values += [key, key + _LAST_CHARACTER]
        else:
            parts.append("f.key = ?")
            values.append(key)
    return f"({' OR '.join(parts) or 'FALSE'})", values


def browse_facts(
    db: Database,
    user_id: str,
    agent_id: str | None,
    *,
    now: int,
    groups: Sequence[Sequence[str]],
    words: str | None,
    keys: Sequence[str],
    limit: int,
    offset: int,
) -> tuple[list[Fact], int]:
    """Current facts, pinned ones first, then by the group of their key, what is in none last, and in a group
    as they were learned; and how many there are in all. With `words` only those whose key or value holds
    them, or that are under `keys`."""
    where = [f"f.user_id = ? AND f.status = 'current' AND {_LIVE} AND {_VISIBLE}"]
    values: list[Any] = [user_id, now, agent_id]
    if words:
        condition, more = _of_keys(keys)
        # Between its parts a key reads as words.
        where.append(
            "(instr(search_fold(replace(replace(f.key, '::', ' '), '-', ' ') || ' ' || f.value), ?) > 0 "
            f"OR {condition})"
        )
        values += [folded(words), *more]
    condition = " AND ".join(where)
    total: int = db.value(f"SELECT count(*) FROM facts f WHERE {condition}", values)
    order = "0"
    if groups:
        cases = [_of_keys(group) for group in groups]
        whens = " ".join(f"WHEN {under} THEN {place}" for place, (under, _) in enumerate(cases))
        order = f"CASE {whens} ELSE {len(cases)} END"
        values += [value for _, of_case in cases for value in of_case]
    # Sorted are numbers alone: whole rows take four times as long.
    found = db.query(
        f"SELECT f.seq FROM facts f WHERE {condition} "
        f"ORDER BY f.pinned DESC, CASE WHEN f.pinned THEN 0 ELSE {order} END, f.id LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    rows = db.query(
        f"SELECT {_COLUMNS} FROM json_each(?) j CROSS JOIN facts f ON f.seq = j.value WHERE f.user_id = ? "
        "ORDER BY j.key",
        (json_text([row["seq"] for row in found]), user_id),
    )
    return [_record(row) for row in rows], total


_WAITING = ("disputed", "candidate")


def count_waiting(db: Database, user_id: str, agent_id: str | None) -> dict[str, int]:
    """How many facts wait for the user's answer: {"candidate": …, "disputed": …}."""
    return {
        status: db.value(
            f"SELECT count(*) FROM facts f WHERE f.user_id = ? AND f.status = ? AND {_VISIBLE}",
            (user_id, status, agent_id),
        )
        for status in _WAITING
    }


def waiting_facts(
    db: Database, user_id: str, agent_id: str | None, *, counts: Mapping[str, int], limit: int, offset: int
) -> list[Fact]:
    """A part of what waits for the user's answer: what is disputed, then what is proposed, each as it came;
    `counts` from count_waiting()."""
    out: list[Fact] = []
    for status in _WAITING:
        if offset < counts[status] and len(out) < limit:
            # The order of the index, read backwards.
            rows = db.query(
                f"SELECT {_COLUMNS} FROM facts f WHERE f.user_id = ? AND f.status = ? AND {_VISIBLE} "
                "ORDER BY f.pinned, f.use_count, f.id LIMIT ? OFFSET ?",
                (user_id, status, agent_id, limit - len(out), max(0, offset)),
            )
            out += [_record(row) for row in rows]
        offset -= min(offset, counts[status])
    return out


def current_of_all_agents(db: Database, user_id: str, now: int) -> list[Fact]:
    """Current and not expired, whoever keeps them; for the care of the whole memory."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM facts f WHERE f.user_id = ? AND f.status = 'current' AND {_LIVE} "
        "ORDER BY f.created_at, f.id",
        (user_id, now),
    )
    return [_record(row) for row in rows]


def oldest_current(db: Database, user_id: str) -> int | None:
    """When the oldest current fact was stated (ms)."""
    oldest: int | None = db.value(
        "SELECT min(f.created_at) FROM facts f WHERE f.user_id = ? AND f.status = 'current'", (user_id,)
    )
    return oldest


def facts_for_prompt(db: Database, user_id: str, agent_id: str | None, *, now: int, limit: int) -> list[Fact]:
    """Current facts about the user, pinned and most used first; no to-dos, and none that asks for review."""
    rows = db.query(
        f"SELECT {_COLUMNS} FROM facts f WHERE f.user_id = ? AND f.status = 'current' AND f.needs_review = 0 "
        f"AND NOT (f.key >= 'task::' AND f.key < 'task:;') AND {_LIVE} AND {_VISIBLE} "
        "ORDER BY f.pinned DESC, f.use_count DESC, f.id DESC LIMIT ?",
        (user_id, now, agent_id, limit),
    )
    return [_record(row) for row in rows]


def facts_of_source(db: Database, user_id: str, message_ids: Iterable[str]) -> list[Fact]:
    """Facts learned from any of the messages."""
    out: list[Fact] = []
    for id in message_ids:
        rows = db.query(
            f"SELECT {_COLUMNS} FROM facts f WHERE f.source_message_id = ? AND f.user_id = ?", (id, user_id)
        )
        out.extend(_record(row) for row in rows)
    return out


def mark_for_review(db: Database, user_id: str, message_id: str, version_id: str) -> None:
    """The message reads otherwise now than when facts were learned from it."""
    db.execute(
        "UPDATE facts SET needs_review = 1 WHERE source_message_id = ? AND user_id = ? "
        "AND source_version_id IS NOT ?",
        (message_id, user_id, version_id),
    )


def ask_for_review(db: Database, user_id: str, message_ids: Iterable[str]) -> None:
    """The messages are no longer part of the talk."""
    db.execute_many(
        "UPDATE facts SET needs_review = 1 WHERE source_message_id = ? AND user_id = ?",
        [(id, user_id) for id in message_ids],
    )


def mark_used(db: Database, user_id: str, ids: Iterable[str], now: int) -> None:
    db.execute_many(
        "UPDATE facts SET use_count = use_count + 1, last_used_at = ? WHERE id = ? AND user_id = ?",
        [(now, id, user_id) for id in ids],
    )
