"""The facts that never leave this device, and which answers rest on facts."""

from __future__ import annotations

import json
from collections.abc import Iterable

from py_memory.database import Database
from py_memory.records import HERE_ONLY

__all__ = ["RESTS_ON_HERE_ONLY", "facts_rested_on", "keys_of_facts", "values_here_only", "values_under"]

_VISIBILITIES = "(" + ", ".join(f"'{name}'" for name in HERE_ONLY) + ")"
# Of a message `r`: whether its answer rests on a fact that is for this device alone.
RESTS_ON_HERE_ONLY = (
    "EXISTS (SELECT 1 FROM uses u JOIN facts f ON f.id = u.memory_id AND f.user_id = u.user_id "
    f"WHERE u.message_id = r.id AND u.user_id = r.user_id AND f.visibility IN {_VISIBILITIES})"
)


def facts_rested_on(
    db: Database, user_id: str, message_ids: Iterable[str]
) -> list[tuple[str, str, str, str]]:
    """(message, visibility, key, value) of the facts that these messages are noted to rest on."""
    found = db.query(
        "SELECT u.message_id, f.visibility, f.key, f.value FROM uses u "
        "JOIN facts f ON f.id = u.memory_id AND f.user_id = u.user_id "
        "WHERE u.message_id IN (SELECT value FROM json_each(?)) AND u.user_id = ? "
        "AND u.memory_kind = 'facts'",
        (json.dumps(list(message_ids)), user_id),
    )
    return [(row["message_id"], row["visibility"], row["key"], row["value"]) for row in found]


def values_here_only(db: Database, user_id: str) -> list[str]:
    """The values, former ones too, of facts that are for this device or this session alone."""
    found = db.query(
        f"SELECT DISTINCT value FROM facts WHERE user_id = ? AND visibility IN {_VISIBILITIES}", (user_id,)
    )
    return [row["value"] for row in found]


def keys_of_facts(db: Database, user_id: str) -> list[str]:
    return [row["key"] for row in db.query("SELECT DISTINCT key FROM facts WHERE user_id = ?", (user_id,))]


def values_under(db: Database, user_id: str, keys: Iterable[str]) -> list[str]:
    found = db.query(
        "SELECT DISTINCT value FROM facts WHERE user_id = ? AND key IN (SELECT value FROM json_each(?))",
        (user_id, json.dumps(list(keys))),
    )
    return [row["value"] for row in found]
