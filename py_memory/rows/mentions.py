"""Rows that hold a text anywhere. The text is compared as `text.normalize` leaves it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from py_memory import text
from py_memory.database import Database

from .namespaces import BUILT_IN, list_namespaces

__all__ = ["SEARCHED", "ids_mentioning", "is_mentioned", "prefixes_mentioning"]

# Where text can lie: the columns of each table, JSON ones by the texts in them. A version stands for its
# message.
SEARCHED: dict[str, tuple[str, tuple[str, ...]]] = {
    "messages": ("id", ("speaker", "intent", "metadata_json", "import_source", "import_id", "import_json")),
    "message_versions": ("message_id", ("content",)),
    "tool_calls": ("id", ("tool_name", "input_json", "output_json", "error_message", "validation_json")),
    "facts": ("id", ("key", "value", "quote", "spoken_words", "imported_from")),
    "identities": ("id", ("phone", "email")),
    "uses": ("id", ("reason_json",)),
    "summaries": ("id", ("topic", "content", "conclusions_json", "open_items_json")),
    "snapshots": ("id", ("state_json", "reason")),
    "experiences": ("id", ("topic", "content")),
    "sessions": ("id", ("title", "metadata_json")),
}
# Keys that are this program's words (`user::name`), not the user's: what a key begins with under `user::`,
# and those under which all parts are such (`user::family::sister`).
_OWN_WORDS = frozenset(
    {"name", "age", "birthday", "home", "hometown", "address", "work", "job", "studies", "condition", "diet"}
    | {"allergy", "likes", "dislikes", "favorite", "language", "speaks", "note", "decision", "event"}
)
_BUILT_IN = frozenset(prefix for prefix, _, _ in BUILT_IN)
_OWN_TREES = frozenset({"family", "pet", "relation", "contact"})


def ids_mentioning(db: Database, user_id: str, table: str, wanted: str) -> list[str]:
    """Ids of rows that hold `wanted`, of messages for message_versions."""
    id, columns = SEARCHED[table]
    rows = db.query(
        f"SELECT {id} AS id, {', '.join(columns)} FROM {table} WHERE user_id = ? ORDER BY id", (user_id,)
    )
    found = (row["id"] for row in rows if any(wanted in text.normalize(said) for said in _texts(dict(row))))
    return list(dict.fromkeys(found))


def is_mentioned(wanted: str, table: str, values: Mapping[str, Any]) -> bool:
    """Whether columns of a row that is not in its table hold `wanted`; of an unknown table any."""
    columns = SEARCHED[table][1] if table in SEARCHED else tuple(values)
    given = {column: values[column] for column in columns if isinstance(values.get(column), str)}
    try:
        said = list(_texts(given))
    except ValueError:  # no JSON, from another program
        said = list(given.values())
    return any(wanted in text.normalize(one) for one in said)


def _texts(row: dict[str, Any]) -> Iterator[str]:
    for column, value in row.items():
        if column == "id" or value is None:
            continue
        if column.endswith("_json"):
            yield from _json_texts(json.loads(value))
        elif column == "key":
            name = _named(value)
            yield name
            yield name.replace("-", " ")
        else:
            yield value


def _named(key: str) -> str:
    """The part of a key, or of a registered prefix, that somebody chose."""
    root, _, name = key.partition("::")
    if f"{root}::" not in _BUILT_IN:
        return key
    if root == "user":
        begin, _, rest = name.partition("::")
        return "" if begin in _OWN_TREES else rest if begin in _OWN_WORDS else name
    return name


def prefixes_mentioning(db: Database, user_id: str, wanted: str) -> list[str]:
    """Registered prefixes of fact keys that hold `wanted`."""
    found = (namespace.prefix for namespace in list_namespaces(db, user_id))
    return [prefix for prefix in found if is_mentioned(wanted, "facts", {"key": prefix})]


def _json_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _json_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _json_texts(item)
