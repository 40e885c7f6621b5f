"""Rules for rows that come from outside, out of a file or from another device: each is checked on its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from py_memory import text
from py_memory.checks import MAX_ID_CHARACTERS, MAX_TIME, read_json
from py_memory.database import Database
from py_memory.errors import InvalidInputError
from py_memory.personal import personal_kinds
from py_memory.rows import images
from py_memory.rows.experiences import known_values
from py_memory.snapshots import read_state

__all__ = ["LOCAL_COLUMNS", "RowRules", "straighten"]

MAX_TEXT_BYTES = 1 << 20
_INTEGERS = range(-(2**63), 2**63)
LOCAL_COLUMNS = {"seq"}
_TIMES = frozenset(
    {"created_at", "updated_at", "last_active_at", "ended_at", "started_at", "completed_at", "superseded_at"}
    | {"valid_from", "valid_to", "expires_at", "last_used_at"}
)
_SHAPES = {"metadata_json": dict, "reason_json": dict, "conclusions_json": list, "open_items_json": list}


class RowRules:
    """What the tables of `db` accept."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._columns: dict[str, dict[str, tuple[str, bool]]] = {}

    def _of(self, table: str) -> dict[str, tuple[str, bool]]:
        """Column → (type, must be given)."""
        if table not in self._columns:
            rows = self._db.query(f"PRAGMA table_info({table})")
            self._columns[table] = {
                row["name"]: (row["type"], bool(row["notnull"]) and row["dflt_value"] is None) for row in rows
            }
        return self._columns[table]

    def problem(self, table: str, row: dict[str, Any]) -> str | None:
        """Why a row cannot be taken. Texts are cleaned in place."""
        rules = self._of(table)
        if unknown := row.keys() - rules.keys():
            return f"unknown column {min(unknown)}"
        for column, (kind, required) in rules.items():
            value = row.get(column)
            if value is None:
                if required and column not in ("user_id", *LOCAL_COLUMNS):
                    return f"{column} is missing"
            elif kind == "TEXT" and isinstance(value, str):
                row[column] = text.clean(value)[0]
                if len(value) * 4 > MAX_TEXT_BYTES and len(row[column].encode()) > MAX_TEXT_BYTES:
                    return f"{column} is over 1 MiB"
                if column.endswith("_json") and (problem := _json_problem(column, row[column])):
                    return problem
            elif kind == "INTEGER" and type(value) is int and value in _INTEGERS:
                if column in _TIMES and abs(value) > MAX_TIME:
                    return f"{column} is no time"
            elif kind == "REAL" and type(value) in (int, float) and math.isfinite(value):
                row[column] = float(value)
            else:
                return f"{column} is not of type {kind}"
        if table == "facts" and not (row["key"].isprintable() and row["key"] == row["key"].strip()):
            return "key is not one line of printable text"
        if table == "snapshots" and (problem := _snapshot_problem(row)):
            return problem
        if table == "experiences" and (
            kinds := personal_kinds(f"{row['topic']}\n{row['content']}", known_values(self._db))
        ):
            return f"it holds something about a person ({', '.join(kinds)})"
        id = row.get("id")
        if "id" in rules and not (id and len(id) <= MAX_ID_CHARACTERS and id.isprintable()):
            return "id is missing or malformed"
        return None


def straighten(db: Database, session_id: str) -> None:
    """Parent links that go round in a circle or out of the session are cut; an existing message is
    shown."""
    rows = images.read_where(db, "messages", "session_id = ? ORDER BY created_at, id", (session_id,))
    parents = {row["id"]: row["parent_id"] for row in rows}
    sound: set[str] = set()
    for row in rows:
        path: dict[str, None] = {}
        id = row["id"]
        while id is not None and id not in sound:
            path[id] = None
            parent = parents[id]
            if parent is not None and (parent not in parents or parent in path):
                (broken,) = (found for found in rows if found["id"] == id)
                images.update_row(db, "messages", (broken["id"],), {"parent_id": None})
                parents[id] = parent = None
            id = parent
        sound.update(path)
    for session in images.read_where(db, "sessions", "id = ?", (session_id,)):
        if session["current_message_id"] not in parents:
            shown = rows[-1]["id"] if rows else None
            images.update_row(db, "sessions", (session_id,), {"current_message_id": shown})


def _snapshot_problem(row: Mapping[str, Any]) -> str | None:
    """Why the state of a task cannot be taken up again."""
    try:
        read_state(row["format"], read_json(row["state_json"]))
    except InvalidInputError as error:
        return str(error)
    return None


def _json_problem(column: str, value: str) -> str | None:
    """Why it cannot be taken: nested too deeply, not JSON, or of another shape than its readers expect."""
    try:
        parsed = read_json(value, column)
    except InvalidInputError as error:
        return str(error)
    if not isinstance(parsed, _SHAPES.get(column, object)):
        return f"{column} is not of the right shape"
    return None
