"""Adding the rows of a memory file to a memory: each is checked on its own, and what disagrees is kept and said.

Rows take the local owner. The same id with the same content adds nothing; with other content it becomes a further version
of the message, or a disputed fact. What was forgotten here or there stays forgotten.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import text
from ..database import Database
from ..errors import ImportRefusedError, InvalidInputError
from ..ids import uuid7
from ..recall import index
from ..rows import images
from ..rows.namespaces import namespace_of
from ..rows.tombstones import is_forgotten
from .memory_file import TABLES

__all__ = ["import_rows"]

MAX_CONTENT_BYTES = 1 << 20
MAX_REFUSALS_LISTED = 50
# These mean nothing under another file's key, or are counted anew here.
_LEFT_OUT = {"rejections"}
_LOCAL_COLUMNS = {"seq"}


@dataclasses.dataclass
class _Report:
    imported: Counter[str] = dataclasses.field(default_factory=Counter)
    skipped: Counter[str] = dataclasses.field(default_factory=Counter)
    conflicts: int = 0
    unknown_columns: list[str] = dataclasses.field(default_factory=list)
    refused: list[str] = dataclasses.field(default_factory=list)


def import_rows(
    db: Database, user_id: str, batches: Iterable[tuple[str, Sequence[Mapping[str, Any]]]], *, mode: str, now: int
) -> dict[str, Any]:
    """Adds batches of read_memory_file() inside a transaction of the caller. `mode` is "merge" or "replace".

    Returns {imported: {table: n}, skipped: {table: n}, conflicts, unknown_columns, refused: [sentence]}.
    Raises InvalidInputError (mode), ImportRefusedError (a table that does not travel, or every row broken).
    """
    if mode not in ("merge", "replace"):
        raise InvalidInputError(f"A file is imported by merge or replace, not {mode!r}.")
    work = _Import(db, user_id, now)
    if mode == "replace":
        work.clear()
    for table, rows in batches:
        if table == "header":
            work.report.unknown_columns = [str(column) for row in rows for column in row["unknown_columns"]]
        elif table in TABLES:
            for row in rows:
                work.add(table, dict(row))
        else:
            raise ImportRefusedError(f"Rows of a table {table!r} cannot be imported; nothing was imported.")
    work.finish()
    report = work.report
    if report.refused and not report.imported and not report.skipped:
        raise ImportRefusedError(f"No row of the file is valid ({report.refused[0]}); nothing was imported.")
    return {
        "imported": dict(report.imported),
        "skipped": dict(report.skipped),
        "conflicts": report.conflicts,
        "unknown_columns": report.unknown_columns,
        "refused": report.refused[:MAX_REFUSALS_LISTED],
    }


class _Import:
    def __init__(self, db: Database, user_id: str, now: int) -> None:
        self.db = db
        self.user_id = user_id
        self.now = now
        self.report = _Report()
        self._columns = {table: self._types(table) for table in TABLES}
        self._unindexed: set[str] = set()

    def _types(self, table: str) -> dict[str, tuple[str, bool]]:
        """Column → (type, may not be null)."""
        rows = self.db.query(f"PRAGMA table_info({table})")
        return {row["name"]: (row["type"], bool(row["notnull"])) for row in rows}

    def clear(self) -> None:
        """Removes what the owner has. What was forgotten stays forgotten."""
        mine = (self.user_id,)
        seqs = [row["seq"] for row in images.read_where(self.db, "messages", "user_id = ?", mine)]
        index.remove(self.db, seqs)
        for table in ("facts", "identities", "experiences", "embeddings", "sessions"):
            images.delete_where(self.db, table, "user_id = ?", mine)

    def add(self, table: str, row: dict[str, Any]) -> None:
        if table in _LEFT_OUT:
            return
        if problem := self._problem(table, row):
            self._refuse(table, row, problem)
            return
        for column in _LOCAL_COLUMNS:
            row.pop(column, None)
        row["user_id"] = self.user_id
        if table == "tombstones":
            self._forget(row)
        elif is_forgotten(self.db, self.user_id, table, str(row.get("id"))):
            self.report.skipped[table] += 1
        elif table == "namespaces":
            self._add_namespace(row)
        elif known := self._known(table, row["id"]):
            self._meet(table, row, known)
        elif table == "facts":
            self._add_fact(row)
        else:
            self._insert(table, row)

    def finish(self) -> None:
        """Puts new and changed messages into the search index."""
        for id in self._unindexed:
            for row in images.read_where(self.db, "messages", "id = ?", (id,)):
                index.add(self.db, row["seq"])

    # -- checks --

    def _problem(self, table: str, row: dict[str, Any]) -> str | None:
        """Why a row cannot be taken. Texts are cleaned in place."""
        types = self._columns[table]
        if unknown := row.keys() - types.keys():
            return f"unknown column {min(unknown)}"
        for column, value in row.items():
            kind, required = types[column]
            if value is None:
                if required and column not in _LOCAL_COLUMNS:
                    return f"{column} is missing"
            elif kind == "TEXT" and isinstance(value, str):
                row[column] = text.clean(value)[0]
            elif kind == "INTEGER" and isinstance(value, int) and not isinstance(value, bool):
                pass
            elif kind == "REAL" and isinstance(value, int | float) and not isinstance(value, bool):
                row[column] = float(value)
            else:
                return f"{column} is not of type {kind}"
        if "id" in types and not row.get("id"):
            return "id is missing"
        if table == "message_versions" and len(row["content"].encode()) > MAX_CONTENT_BYTES:
            return "the text is over 1 MiB"
        return None

    def _refuse(self, table: str, row: Mapping[str, Any], why: str) -> None:
        self.report.refused.append(f"{table} {str(row.get('id', ''))[:40]}: {why}")

    def _known(self, table: str, id: str) -> dict[str, Any] | None:
        found = images.read_where(self.db, table, "id = ?", (id,))
        return found[0] if found else None

    # -- kinds of rows --

    def _insert(self, table: str, row: dict[str, Any]) -> bool:
        if table == "messages":
            self._unindexed.add(row["id"])
        elif table == "message_versions":
            self._take_out(row["message_id"])
        names = ", ".join(row)
        marks = ", ".join("?" for _ in row)
        problem = self.db.attempt(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))
        if problem:
            self._refuse(table, row, problem)
            return False
        self.report.imported[table] += 1
        return True

    def _take_out(self, message_id: str) -> None:
        """Out of the index before its text changes."""
        if message_id in self._unindexed:
            return
        self._unindexed.add(message_id)
        for message in images.read_where(self.db, "messages", "id = ?", (message_id,)):
            index.remove(self.db, [message["seq"]])

    def _meet(self, table: str, row: dict[str, Any], known: dict[str, Any]) -> None:
        """The id is here already."""
        says = {"message_versions": "content", "facts": "value"}.get(table)
        if known["user_id"] != self.user_id:
            self._refuse(table, row, "the id belongs to another user")
        elif says is None or known[says] == row[says]:
            self.report.skipped[table] += 1
        else:
            self.report.conflicts += 1
            row = {**row, "id": uuid7(self.now)}
            if table == "facts":
                row["status"] = "disputed"
            self._insert(table, row)

    def _add_namespace(self, row: dict[str, Any]) -> None:
        known = images.read_where(self.db, "namespaces", "user_id = ? AND prefix = ?", (self.user_id, row["prefix"]))
        if known:
            self.report.skipped["namespaces"] += 1
        else:
            self._insert("namespaces", row)

    def _add_fact(self, row: dict[str, Any]) -> None:
        """Of two current facts that disagree the newer stays current and the older becomes disputed."""
        if row["status"] == "current":
            same_key = images.read_where(
                self.db, "facts", "user_id = ? AND key = ? AND status = 'current'", (self.user_id, row["key"])
            )
            if any(fact["value"] == row["value"] for fact in same_key):
                self.report.skipped["facts"] += 1
                return
            if same_key and self._single_valued(row["key"]):
                self.report.conflicts += 1
                newest = max(same_key, key=lambda fact: (fact["created_at"], fact["id"]))
                if (newest["created_at"], newest["id"]) < (row["created_at"], row["id"]):
                    for fact in same_key:
                        images.put_back(self.db, "facts", {**fact, "status": "disputed"})
                else:
                    row["status"] = "disputed"
        self._insert("facts", row)

    def _single_valued(self, key: str) -> bool:
        return namespace_of(self.db, self.user_id, key).single_valued

    def _forget(self, row: dict[str, Any]) -> None:
        """What was forgotten there goes here as well."""
        kind, id = row["kind"], row["id"]
        if is_forgotten(self.db, self.user_id, kind, id):
            self.report.skipped["tombstones"] += 1
            return
        if not self._insert("tombstones", row):
            return
        mine = (id, self.user_id)
        if kind == "facts":
            images.delete_where(self.db, "facts", "id = ? AND user_id = ?", mine)
        elif kind in ("messages", "sessions"):
            column = "id" if kind == "messages" else "session_id"
            for message in images.read_where(self.db, "messages", f"{column} = ? AND user_id = ?", mine):
                index.remove(self.db, [message["seq"]])
            images.delete_where(self.db, kind, "id = ? AND user_id = ?", mine)
