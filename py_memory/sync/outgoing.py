"""What leaves: noted changes become numbered mutations, a page at a time, with the rows' values as of now.

A page is made only when the one before has been acknowledged. So a change always stands on what the server
said last, and a page that is sent again is the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from py_memory.database import Database
from py_memory.extraction.secrets import secret_spans, without_secrets
from py_memory.records import HERE_ONLY
from py_memory.rows import images
from py_memory.rows import sync as rows
from py_memory.rows.tombstones import is_forgotten

from .kinds import BLANKS, CONFLICTS, KINDS, REJECTED
from .stamps import Hlc, millis_of
from .staying import HIDDEN, Staying, is_secret_fact, without
from .wire import MAX_ROW_BYTES

__all__ = [
    "Page",
    "make_page",
    "mark_everything",
    "page_on_its_way",
    "put_page",
    "start_over",
    "take_back_outbox",
]

# What travels with a mark in the place of secrets.
_MASKED = {
    "sessions": ("title", "metadata_json"),
    "messages": ("metadata_json", "import_json"),
    "tool_calls": ("input_json", "output_json", "validation_json", "error_message"),
    "facts": ("quote", "spoken_words", "imported_from"),
    "uses": ("reason_json",),
    "experiences": ("topic", "content"),
}
# Of these also what tells of a fact that stays. The user's own words travel, and a fact's quote is of them.
_TELLING = ("sessions", "messages", "tool_calls", "uses", "experiences")
_BATCH = 500
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

WAIT, DROP = "wait", "drop"


def mark_everything(db: Database, user_id: str) -> None:
    """Notes every row that travels, parents first."""
    for kind, about in KINDS.items():
        rows.mark_all(db, user_id, kind, about.id)
    rows.mark_tombstones(db, user_id, (*KINDS, *BLANKS))


def take_back_outbox(db: Database, user_id: str, now: int) -> None:
    """Notes again what is on its way, as changed when it was, to be numbered anew. It may have arrived: with
    "*" a row is forgotten there even where nothing acknowledged it before it was forgotten here."""
    state = rows.get_state(db, user_id)
    assert state is not None
    for mutation in rows.outgoing(db, user_id):
        whole = mutation["op"] == "forget" or "identity" in mutation
        at_ms = min(now, millis_of(mutation["stamp"]) - state.offset_ms)
        for part in ["", "*"] if whole else mutation["groups"]:
            rows.mark(db, user_id, mutation["kind"], mutation["id"], part, at_ms)
    rows.drop_outgoing(db, user_id)


def start_over(db: Database, user_id: str, now: int) -> None:
    """A new device id, so that numbers begin anew: the server holds a number to what was sent under it first,
    and whether the page on its way has arrived is not known. The rows leave again as they are by then."""
    take_back_outbox(db, user_id, now)
    rows.set_state(db, user_id, device=os.urandom(8).hex(), next_n=1, acked_n=0)


@dataclass(frozen=True, slots=True)
class Page:
    """Mutations that leave together, numbered one after the other, each with its JSON. `left`: rows that are
    no longer noted then, as (kind, id), `too_large` those among them that no server takes; `hlc` the device's
    clock after it; `full`: more may wait."""

    device: str
    hlc: str | None = None
    mutations: list[dict[str, Any]] = field(default_factory=list)
    payloads: list[str] = field(default_factory=list)
    left: dict[tuple[str, str], None] = field(default_factory=dict)
    too_large: list[tuple[str, str]] = field(default_factory=list)
    full: bool = True


def page_on_its_way(db: Database, user_id: str) -> Page | None:
    state = rows.get_state(db, user_id)
    payloads = rows.outgoing_payloads(db, user_id)
    if state is None or not payloads:
        return None
    return Page(state.device, state.hlc, [json.loads(payload) for payload in payloads], payloads)


def make_page(
    db: Database, user_id: str, now: int, *, undoable: bool, most: int, most_bytes: int
) -> Page | None:
    """The next page of what is noted. Changes nothing; put_page() does. `undoable`: deletions may still be
    taken back, so they wait. None: nothing is noted that could leave."""
    state = rows.get_state(db, user_id)
    assert state is not None
    maker = _Maker(db, user_id, Hlc(state.device, state.hlc), now, state.offset_ms, undoable)
    page = Page(state.device)
    n, size, after, full = state.next_n, 0, 0, False
    while not full and (changes := rows.changes_of(db, user_id, _BATCH, after)):
        named = rows.parts_of_changes(db, user_id, changes[0].change, changes[-1].change)
        maker.look_up(named)
        for change in changes:
            after = change.change
            name = change.kind, change.id
            if name in page.left:  # with an earlier change of the same row
                continue
            made = maker.make(*name, named[name])
            if made == WAIT:
                continue
            if made == DROP:
                page.left[name] = None
                continue
            assert isinstance(made, dict)
            mutation = {"n": n, **made}
            payload = _JSON.encode(mutation)
            length = len(payload) if payload.isascii() else len(payload.encode())
            if page.payloads and size + length > most_bytes:
                full = True
                break
            page.left[name] = None
            if length > MAX_ROW_BYTES:
                page.too_large.append(name)
                continue
            page.mutations.append(mutation)
            page.payloads.append(payload)
            n, size = n + 1, size + length
            if len(page.payloads) == most:
                full = True
                break
    return replace(page, hlc=maker.hlc.last, full=full) if page.left else None


def put_page(db: Database, user_id: str, page: Page, now: int) -> None:
    """The page is on its way, inside a transaction of the caller: sent until it is acknowledged."""
    rows.drop_changes(db, user_id, page.left)
    for kind, id in page.too_large:
        rows.reject(db, user_id, {"kind": kind, "id": id}, "too_large", now)
    rows.add_outgoing(db, user_id, zip(page.mutations, page.payloads, strict=True))
    if page.mutations:
        rows.set_state(db, user_id, next_n=page.mutations[-1]["n"] + 1, hlc=page.hlc)


class _Maker:
    """Makes one mutation of what was noted about a row."""

    def __init__(self, db: Database, user_id: str, hlc: Hlc, now: int, offset: int, undoable: bool) -> None:
        self._db = db
        self._user = user_id
        self.hlc = hlc
        self._server_now = now + offset
        self._offset = offset
        self._undoable = undoable
        self._rows: dict[str, dict[str, dict[str, Any]]] = {}
        self._messages: dict[str, dict[str, Any]] = {}
        self._bases: dict[tuple[str, str], dict[str, str]] = {}
        self._staying = Staying(db, user_id)
        self._resting: set[str] = set()  # messages

    def look_up(self, named: Iterable[tuple[str, str]]) -> None:
        """Reads the rows that are to be made next, by (kind, id), all at once."""
        ids: dict[str, list[str]] = {}
        for kind, id in named:
            ids.setdefault(kind, []).append(id)
        self._rows = {
            kind: images.read_named(self._db, kind, KINDS[kind].id, of_kind, self._user)
            for kind, of_kind in ids.items()
            if kind in KINDS
        }
        versions = self._rows.get("message_versions", {}).values()
        of = {version["message_id"] for version in versions}
        self._messages = images.read_named(self._db, "messages", "id", of, self._user)
        calls = self._rows.get("tool_calls", {}).values()
        of |= {call["message_id"] for call in calls if call["message_id"]} | {*self._rows.get("messages", ())}
        self._resting = self._staying.resting(of) if of else set()
        self._bases = rows.get_bases(self._db, self._user, named)

    def make(self, kind: str, id: str, parts: dict[str, int]) -> dict[str, Any] | str:
        if kind == CONFLICTS:
            if parts.keys() == {"*"}:  # its words were forgotten, by nobody's decision between the two
                if rows.is_conflict(self._db, self._user, id):  # undone
                    return DROP
                if self._undoable:
                    return WAIT
            return self._forget(kind, id, parts)
        if kind in REJECTED:
            if images.read_where(self._db, "facts", "id = ? AND user_id = ?", (id, self._user)):  # undone
                return DROP
            return WAIT if self._undoable else self._forget(kind, id, parts)
        if kind in BLANKS:
            if not is_forgotten(self._db, self._user, kind, id):  # undone
                return DROP
            return WAIT if self._undoable else self._forget(kind, id, parts)
        about = KINDS[kind]
        row, base = self._rows[kind].get(id), self._bases.get((kind, id))
        if row is None:
            forgotten_before = "*" in parts and is_forgotten(self._db, self._user, kind, id)
            if base is None and not forgotten_before:  # it came and went between two syncs
                return DROP
            return WAIT if self._undoable else self._forget(kind, id, parts)
        if kind == "facts" and self._is_for_here(row):
            return DROP
        if self._is_streaming(kind, row):
            return WAIT
        if kind == "sessions" and self._is_blanked(id):
            return WAIT  # until the server knows; else the words would lie there as a change that lost
        self._hide(kind, row)
        whole = base is None or "" in parts or "*" in parts
        names = list(about.groups) if whole else [name for name in about.groups if name in parts]
        mutation: dict[str, Any] = {"op": "put", "kind": kind, "id": id, "stamp": self._stamp(parts)}
        if whole:
            mutation["identity"] = {column: row[column] for column in about.identity}
        if names:
            mutation["groups"] = {
                name: {column: row[column] for column in about.groups[name].columns} for name in names
            }
        if base:
            mutation["base"] = {name: base[name] for name in names if name in base}
        return mutation

    def _forget(self, kind: str, id: str, parts: dict[str, int]) -> dict[str, Any]:
        return {"op": "forget", "kind": kind, "id": id, "stamp": self._stamp(parts)}

    def _stamp(self, parts: dict[str, int]) -> str:
        ms = min(max(parts.values()) + self._offset, self._server_now)
        return self.hlc.at(ms) if parts.keys() == {"*"} else self.hlc.stamp(ms)

    def _message_of(self, kind: str, row: dict[str, Any]) -> dict[str, Any] | None:
        if kind == "messages":
            return row
        return self._messages.get(row["message_id"]) if kind == "message_versions" else None

    @staticmethod
    def _is_for_here(fact: dict[str, Any]) -> bool:
        return fact["visibility"] in HERE_ONLY or is_secret_fact(fact["key"], fact["value"])

    def _is_blanked(self, session_id: str) -> bool:
        """Whether words of a session were forgotten that the server may still hold."""
        return any(
            rows.changed_parts(self._db, self._user, kind, session_id)
            and is_forgotten(self._db, self._user, kind, session_id)
            for kind in BLANKS
        )

    def _is_streaming(self, kind: str, row: dict[str, Any]) -> bool:
        message = self._message_of(kind, row)
        return message is not None and message["status"] == "streaming"

    def _hide(self, kind: str, row: dict[str, Any]) -> None:
        """Takes out what stays on the device: a message with a secret, or an answer that rests on a fact
        which stays, keeps its place, without its text."""
        message = self._message_of(kind, row)
        if message is not None and (message["has_secret"] or message["id"] in self._resting):
            if kind == "messages":
                row.update(metadata_json="{}", import_json=None)
            else:
                row["content"] = HIDDEN
        said = message is not None and message["role"] == "user"
        if kind == "message_versions" and (
            secret_spans(row["content"]) or (not said and self._staying.tells(row["content"]))
        ):
            row["content"] = HIDDEN
        whole = kind == "tool_calls" and row["message_id"] in self._resting
        for column in _MASKED.get(kind, ()):
            if row[column] is None:
                continue
            if column.endswith("_json"):
                row[column] = self._hidden(row[column], whole, kind in _TELLING and not said)
            elif whole or (kind in _TELLING and not said and self._staying.tells(row[column])):
                row[column] = HIDDEN
            else:
                row[column] = without_secrets(row[column])

    def _hidden(self, source: str, whole: bool, telling: bool) -> str:
        value = json.loads(source)
        shown = without(value, lambda text: True) if whole else without_secrets(value)
        if telling and not whole:
            shown = without(shown, self._staying.tells)
        return source if shown == value else json.dumps(shown, ensure_ascii=False)
