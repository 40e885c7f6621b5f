"""Adding the rows of a memory file to a memory: each is checked on its own, and what disagrees is kept and
said.

Rows take the local owner. The same id with the same content adds nothing; with other content it becomes an
older version of the message, or a disputed fact. What was forgotten here or there stays forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from py_memory.consolidation import Consolidation
from py_memory.database import Database
from py_memory.errors import ImportRefusedError, InvalidInputError
from py_memory.facts import Facts
from py_memory.forgetting import Forgetting
from py_memory.ids import uuid7
from py_memory.recall import index
from py_memory.rows import images
from py_memory.rows.facts import folded
from py_memory.rows.namespaces import namespace_of
from py_memory.rows.rejections import adopt_key
from py_memory.rows.tombstones import BLANKED, add_tombstones, is_forgotten
from py_memory.titles import is_quoted_from
from py_memory.undo import UndoLog

from .memory_file import TABLES
from .row_rules import LOCAL_COLUMNS, RowRules, straighten

__all__ = ["import_rows"]

MAX_REFUSALS_LISTED = 50
# What a row belongs to, by the column that names it.
_BELONGS = {"session_id": "sessions", "message_id": "messages"}
_STATE_OF_SESSION = ("current_message_id", "last_active_at", "status", "ended_at")
_BLANKED_KINDS = frozenset(kind for kind, _ in BLANKED.values())
_OF_THE_OWNER = ("facts", "identities", "experiences", "embeddings", "sessions")


@dataclass
class _Report:
    imported: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    conflicts: int = 0
    unknown_columns: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def import_rows(
    db: Database,
    user_id: str,
    batches: Iterable[tuple[str, Sequence[Mapping[str, Any]]]],
    *,
    mode: str,
    now: int,
) -> dict[str, Any]:
    """Adds batches of read_memory_file() inside a transaction of the caller. `mode` is "merge" or "replace".

    Returns {imported: {table: n}, skipped: {table: n}, conflicts, unknown_columns, refused: [sentence]}.
    Raises InvalidInputError (mode), ImportRefusedError (a table that does not travel, or no valid row at
    all).
    """
    if mode not in ("merge", "replace"):
        raise InvalidInputError(f"A file is imported by merge or replace, not {mode!r}.")
    work = _Import(db, user_id, now)
    if mode == "replace":
        work.clear()
    for table, rows in batches:
        if table == "header":
            work.begin(rows[0])
        elif table == "tombstones":
            work.add_tombstones(rows)
        elif table in TABLES:
            for row in rows:
                work.add(table, dict(row))
        else:
            raise ImportRefusedError(f"Rows of a table {table!r} cannot be imported; nothing was imported.")
    work.finish()
    report = work.report
    if not any(report.imported.values()) and not report.skipped:
        first = f" ({report.refused[0]})" if report.refused else ""
        raise ImportRefusedError(f"No row of the file is valid{first}; nothing was imported.")
    return {
        "imported": dict(+report.imported),
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
        undo = UndoLog(db, lambda: now)
        self._facts = Facts(db, user_id, None, lambda: now, undo)
        self._forgetting = Forgetting(db, user_id, lambda: now, undo, self._facts)
        self._rules = RowRules(db)
        self._takes_rejections = False
        self._unindexed: set[str] = set()
        self._new_messages: set[str] = set()
        self._sessions: set[str] = set()  # with new messages, or new themselves
        self._consolidation = Consolidation(db, user_id, lambda: now, undo, self._facts)
        self._kept_out: dict[str, str] = {}  # messages that were forgotten here, by their session
        self._blanked_there: set[tuple[str, str]] = set()  # the file is younger than this forgetting
        self._blanked_now: set[tuple[str, str]] = set()  # and with it, it happens here
        self._summaries: dict[str, list[str]] = {}  # new ones, by session

    def begin(self, header: Mapping[str, Any]) -> None:
        self.report.unknown_columns = [str(column) for column in header["unknown_columns"]]
        key = header.get("fingerprint_key")
        self._takes_rejections = bool(key) and adopt_key(self.db, str(key), self.now)

    def clear(self) -> None:
        """Removes what the owner has. What was forgotten stays forgotten."""
        mine = (self.user_id,)
        index.remove(
            self.db, [row["seq"] for row in images.read_where(self.db, "messages", "user_id = ?", mine)]
        )
        for table in _OF_THE_OWNER:
            images.delete_where(self.db, table, "user_id = ?", mine)
        index.optimize(self.db)

    def add_tombstones(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """What was forgotten there goes here as well."""
        forgotten = []
        for given in rows:
            row = dict(given)
            if problem := self._rules.problem("tombstones", row):
                self._refuse("tombstones", row, problem)
                continue
            blanks = row["kind"] in _BLANKED_KINDS
            if blanks:
                self._blanked_there.add((row["kind"], row["id"]))
            if is_forgotten(self.db, self.user_id, row["kind"], row["id"]):
                self.report.skipped["tombstones"] += 1
            elif self._insert("tombstones", {**row, "user_id": self.user_id}):
                forgotten.append((row["kind"], row["id"]))
                if blanks:
                    self._blanked_now.add((row["kind"], row["id"]))
        self._forgetting.follow(forgotten)

    def add(self, table: str, row: dict[str, Any]) -> None:
        if problem := self._rules.problem(table, row):
            self._refuse(table, row, problem)
            return
        row = {column: value for column, value in row.items() if column not in LOCAL_COLUMNS}
        row["user_id"] = self.user_id
        if table == "sessions":
            self._leave_blank(row)
        elif table == "facts":
            row["value_folded"] = folded(row["value"])
        if self._is_forgotten(table, row):
            self.report.skipped[table] += 1
            if table == "messages":
                self._kept_out[row["id"]] = row["session_id"]
            elif table == "message_versions" and row["message_id"] in self._kept_out:
                self._blank_title(self._kept_out[row["message_id"]], row["content"])
        elif missing := self._missing_owner(row):
            self._refuse(table, row, missing)
        elif known := self._find(table, row["id"]):
            self._meet(table, row, known)
        elif table == "namespaces":
            self._add_unless(table, row, "prefix")
        elif table == "rejections":
            if self._takes_rejections:
                self._add_unless(table, row, "fingerprint")
        elif table == "facts":
            self._add_fact(row)
        else:
            self._insert(table, row)

    def finish(self) -> None:
        """Leaves messages and sessions whole, whatever the file held, and puts new texts into the search
        index."""
        for id in self._new_messages:
            if not images.read_where(self.db, "message_versions", "message_id = ?", (id,)):
                images.delete_where(self.db, "messages", "id = ?", (id,))
                self.report.imported["messages"] -= 1
                self._refuse("messages", {"id": id}, "it has no text")
        for id in self._sessions:
            straighten(self.db, id)
        for id in dict.fromkeys(self._kept_out.values()):  # their summaries may quote what was forgotten
            self._consolidation.recover(id, self._summaries.get(id, ()))
        for id in self._unindexed:
            for row in images.read_where(self.db, "messages", "id = ?", (id,)):
                index.add(self.db, row["seq"])

    # -- checks --

    def _refuse(self, table: str, row: Mapping[str, Any], why: str) -> None:
        self.report.refused.append(f"{table} {str(row.get('id', ''))[:40]}: {why}")

    def _is_forgotten(self, table: str, row: Mapping[str, Any]) -> bool:
        """It, or what it belongs to."""
        names = [(table, row["id"])] + [(kind, row[name]) for name, kind in _BELONGS.items() if row.get(name)]
        if table == "uses":
            names.append((row["memory_kind"], row["memory_id"]))
        return any(is_forgotten(self.db, self.user_id, kind, id) for kind, id in names)

    def _missing_owner(self, row: Mapping[str, Any]) -> str | None:
        for column, table in _BELONGS.items():
            id = row.get(column)
            if id and not images.read_where(self.db, table, "id = ? AND user_id = ?", (id, self.user_id)):
                return f"its {column.removesuffix('_id')} is not in this memory"
        message = self._find("messages", row["message_id"]) if row.get("message_id") else None
        if message and row.get("session_id") not in (None, message["session_id"]):
            return "its message lies in another session"
        return None

    def _find(self, table: str, id: str) -> dict[str, Any] | None:
        found = images.read_where(self.db, table, "id = ?", (id,))
        return found[0] if found else None

    # -- titles and metadata of sessions --

    def _leave_blank(self, session: dict[str, Any]) -> None:
        """Takes out what was forgotten here, unless the file knows of that: it has then been given anew."""
        for column, (kind, empty) in BLANKED.items():
            mark = (kind, session["id"])
            if mark not in self._blanked_there and is_forgotten(self.db, self.user_id, *mark):
                session[column] = empty

    def _blank_title(self, session_id: str, content: str) -> None:
        """A title that quotes a message which was forgotten here is forgotten with it."""
        kind, empty = BLANKED["title"]
        if (kind, session_id) in self._blanked_there:
            return
        session = self._find("sessions", session_id)
        if session and session["user_id"] == self.user_id and is_quoted_from(session["title"], [content]):
            images.update_row(self.db, "sessions", (session_id,), {"title": empty})
            add_tombstones(self.db, self.user_id, kind, [session_id], self.now)

    def _name_anew(self, session: dict[str, Any]) -> None:
        """What the file forgot, and this memory with it, the file may have given anew."""
        for column, (kind, _) in BLANKED.items():
            if (kind, session["id"]) in self._blanked_now and session.get(column) is not None:
                images.update_row(self.db, "sessions", (session["id"],), {column: session[column]})

    # -- kinds of rows --

    def _insert(self, table: str, row: dict[str, Any]) -> bool:
        if table == "message_versions":
            if not row["content"].strip() and not self._is_streaming(row["message_id"]):
                self._refuse(table, row, "its text is empty")
                return False
            self._take_out(row["message_id"])
        names = ", ".join(row)
        marks = ", ".join("?" for _ in row)
        problem = self.db.attempt(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))
        if problem:
            self._refuse(table, row, problem)
            return False
        self.report.imported[table] += 1
        if table == "messages":
            self._unindexed.add(row["id"])
            self._new_messages.add(row["id"])
            self._sessions.add(row["session_id"])
        elif table == "sessions":
            self._sessions.add(row["id"])
        elif table == "summaries":
            self._summaries.setdefault(row["session_id"], []).append(row["id"])
        return True

    def _is_streaming(self, message_id: str) -> bool:
        found = self._find("messages", message_id)
        return found is not None and found["status"] == "streaming"

    def _take_out(self, message_id: str) -> None:
        """Out of the index before its text changes."""
        if message_id in self._unindexed:
            return
        self._unindexed.add(message_id)
        for message in images.read_where(self.db, "messages", "id = ?", (message_id,)):
            index.remove(self.db, [message["seq"]])

    def _meet(self, table: str, row: dict[str, Any], known: dict[str, Any]) -> None:
        """The id is here already."""
        if known["user_id"] != self.user_id:
            self._refuse(table, row, "the id belongs to another user")
        elif table == "message_versions" and not self._has(table, row, "message_id", "content"):
            # The text on screen stays: what the file holds becomes an older version.
            older = min(row["created_at"], known["created_at"] - 1)
            self._keep_both(table, {**row, "message_id": known["message_id"], "created_at": older})
        elif table == "facts" and not self._has(table, row, "key", "value"):
            self._keep_both(table, {**row, "status": "disputed"})
        else:
            if table == "sessions" and row["last_active_at"] > known["last_active_at"]:
                # The talk went on there: its branch is the one to show.
                self._go_on_with(row)
            if table == "sessions":
                self._name_anew(row)
            self.report.skipped[table] += 1

    def _go_on_with(self, session: dict[str, Any]) -> None:
        given = [column for column in _STATE_OF_SESSION if column in session]
        names = ", ".join(f"{column} = ?" for column in given)
        values = [session[column] for column in given]
        problem = self.db.attempt(f"UPDATE sessions SET {names} WHERE id = ?", (*values, session["id"]))
        if problem:
            self._refuse("sessions", session, problem)
        self._sessions.add(session["id"])

    def _keep_both(self, table: str, row: dict[str, Any]) -> None:
        if self._insert(table, {**row, "id": uuid7(self.now)}):
            self.report.conflicts += 1

    def _has(self, table: str, row: Mapping[str, Any], *columns: str) -> bool:
        """Whether the owner has a row with the same values."""
        where = " AND ".join(f"{column} = ?" for column in ("user_id", *columns))
        return bool(
            images.read_where(self.db, table, where, (self.user_id, *(row[column] for column in columns)))
        )

    def _add_unless(self, table: str, row: dict[str, Any], column: str) -> None:
        if self._has(table, row, column):
            self.report.skipped[table] += 1
        else:
            self._insert(table, row)

    def _add_fact(self, row: dict[str, Any]) -> None:
        """Of two current facts that disagree the newer stays current and the older becomes disputed."""
        if row["status"] == "candidate" and self._facts.is_refused(row["key"], row["value"]):
            self.report.skipped["facts"] += 1
            return
        if row["status"] != "current":
            self._insert("facts", row)
            return
        where = "user_id = ? AND key = ? AND status = 'current'"
        there = images.read_where(self.db, "facts", where, (self.user_id, row["key"]))
        there = [fact for fact in there if _scope(fact) == _scope(row)]
        if any(fact["value"] == row["value"] for fact in there):
            self.report.skipped["facts"] += 1
        elif not there or not namespace_of(self.db, self.user_id, row["key"]).single_valued:
            self._insert("facts", row)
        elif self._insert("facts", {**row, "status": "disputed"}):
            self.report.conflicts += 1
            if all((fact["created_at"], fact["id"]) < (row["created_at"], row["id"]) for fact in there):
                for fact in there:
                    images.update_row(self.db, "facts", (fact["id"],), {"status": "disputed"})
                images.update_row(self.db, "facts", (row["id"],), {"status": "current"})


def _scope(fact: Mapping[str, Any]) -> str:
    """Facts in the same scope stand in for each other; see the trigger on facts."""
    return "" if fact.get("visibility") == "shared" else fact.get("agent_id") or ""
