"""What arrives: one answer of the server is taken in as a whole, in one transaction of the caller.

Rows of the server are written with capturing off. What follows from them here (a fact that becomes disputed,
a message that follows another one because its parent was forgotten) is a change of this device, noted and
sent like any other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py_memory.clock import Clock
from py_memory.database import Database
from py_memory.errors import UnregisteredKeyError
from py_memory.facts import Facts
from py_memory.forgetting import Forgetting
from py_memory.formats.row_rules import RowRules, straighten
from py_memory.ids import uuid7
from py_memory.recall import index
from py_memory.rows import images
from py_memory.rows import sync as rows
from py_memory.rows.facts import folded
from py_memory.rows.namespaces import namespace_of
from py_memory.rows.tombstones import forgotten_of, is_forgotten
from py_memory.undo import UndoLog

from .copies import keep_what_stood
from .kinds import BLANKS, CONFLICTS, KINDS, OWNERS, REJECTED
from .outgoing import start_over
from .stamps import Hlc
from .wire import Reply

__all__ = ["Incoming"]

_ORDER = {kind: number for number, kind in enumerate((*KINDS, CONFLICTS))}
# What must be there before a row can be, by the column that names it.
_NEEDS = {"session_id": "sessions", "message_id": "messages"}
_PLACE = ("status", "superseded_by", "superseded_at")  # of a fact among those under its key
_NOT_TRACKED = ("message_versions", "uses")  # never changed and never deleted alone
_MANY = ("messages", "message_versions")  # looked up a page at a time; nothing else here writes them
_WITH_OWNER = ("messages", "tool_calls")  # the server deletes them with their session or message


class Incoming:
    """Takes answers in, and counts what they brought in `counts`."""

    def __init__(
        self,
        db: Database,
        user_id: str,
        clock: Clock,
        on_forgotten: Callable[[], None],
        join: Callable[[str, dict[str, Any], str, str], None],
    ) -> None:
        """`on_forgotten()`: rows are gone here because they were forgotten elsewhere. `join(table, row,
        owners, owner_id)`: the row goes with one that was forgotten here, and comes back if that is
        undone."""
        self._db = db
        self._user = user_id
        self._clock = clock
        self._on_forgotten = on_forgotten
        self._join = join
        undo = UndoLog(db, clock)
        self._facts = Facts(db, user_id, None, clock, undo)
        self._forgetting = Forgetting(db, user_id, clock, undo, self._facts)
        self._rules = RowRules(db)
        self.counts: Counter[str] = Counter()
        self.forgotten: list[tuple[str, str]] = []  # changed here, and forgotten elsewhere
        self._touched: set[str] = set()  # messages to be put in again
        self._here: dict[str, dict[str, dict[str, Any]]] = {}  # rows of _MANY, by kind and id
        self._passed_over: set[tuple[str, str]] = set()  # of _MANY: forgotten, or deleted and not sent yet
        self._looked_up: set[tuple[str, str]] = set()  # of _MANY: not written since
        self._present: set[tuple[str, str]] = set()  # owners that are here
        self._sessions: set[str] = set()  # with rows from elsewhere
        self._cut_off: bool | None = None
        self._last = False

    def take(self, reply: Reply, sent: list[dict[str, Any]]) -> bool:
        """Returns whether it merely acknowledged all that was sent, so that nothing else has changed."""
        state = rows.get_state(self._db, self._user)
        assert state is not None
        self._state = state
        if self._cut_off is None:
            self._cut_off = state.unsettled
        self._last = not reply.has_more
        rows.capture(self._db, self._user, False)
        self._touched, self._present = set(), set()
        forgets, puts = self._acknowledge(reply, sent)
        forgets += [row for row in reply.changes if row.get("forgotten")]
        puts += [row for row in reply.changes if not row.get("forgotten")]
        self.counts["pulled"] += len(reply.changes)
        self._follow(forgets)
        self._take_rows(puts)
        waiting = rows.deferred(self._db, self._user) if self._last else []
        if waiting:
            self._take_rows(waiting)
        merely = self._last and not (
            forgets or puts or waiting or reply.results or state.unsettled or state.resyncing
        )
        index.add_named(self._db, self._touched)
        state = rows.get_state(self._db, self._user)  # the device may have a new id
        assert state is not None
        seen = [group["stamp"] for row in puts for group in row["groups"].values()]
        rows.set_state(
            self._db,
            self._user,
            # What is said here from now on is later than all that has been seen.
            hlc=max((state.hlc or "", *seen)) or None,
            cursor=reply.cursor,
            epoch=reply.epoch,
            acked_n=max(state.acked_n, min(reply.last_n, state.next_n - 1)),
            unsettled=state.unsettled or bool(puts or forgets),
        )
        rows.capture(self._db, self._user, True)
        if self._last:
            self._settle()
        return merely and bool(sent) and reply.last_n == sent[-1]["n"]

    @contextmanager
    def _captured(self) -> Iterator[None]:
        rows.capture(self._db, self._user, True)
        try:
            yield
        finally:
            rows.capture(self._db, self._user, False)

    # -- what became of what was sent --

    def _acknowledge(
        self, reply: Reply, sent: Iterable[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Removes what the server has from the outbox. Returns rows that were forgotten, and rows as they are
        where changes met."""
        results = {result["n"]: result for result in reply.results}
        forgets: list[dict[str, Any]] = []
        puts: list[dict[str, Any]] = []
        taken = [mutation for mutation in sent if mutation["n"] <= reply.last_n]
        rows.drop_outgoing(self._db, self._user, reply.last_n)
        set_aside = {(row["kind"], row["id"]) for row in rows.list_rejected(self._db, self._user)}
        named = [(mutation["kind"], mutation["id"]) for mutation in taken]
        bases = rows.get_bases(self._db, self._user, named)
        stood: list[tuple[str, str, dict[str, str]]] = []
        for mutation in taken:
            n, kind, id = mutation["n"], mutation["kind"], mutation["id"]
            result = results.get(n, {})
            status = result.get("status", "applied")
            self.counts["pushed"] += status in ("applied", "conflict", "duplicate")
            if status != "rejected" and (kind, id) in set_aside:
                rows.drop_rejected(self._db, self._user, kind, id)  # it is accepted now
            if status == "rejected":
                self._rejected(mutation, str(result.get("code"))[:100])
            elif status == "ignored_forgotten":
                self.forgotten.append((kind, id))
                forgets.append({"kind": kind, "id": id})
            elif mutation["op"] == "forget":
                forgets.append({"kind": kind, "id": id})
            elif status == "conflict" and isinstance(result.get("row"), dict):
                puts.append(result["row"])
            elif kind not in _NOT_TRACKED:
                given = result.get("stamps", {})
                stamps = {group: given.get(group, mutation["stamp"]) for group in mutation.get("groups", ())}
                stood.append((kind, id, {**bases.get((kind, id), {}), **stamps}))
        rows.set_bases(self._db, self._user, stood, self._state.pass_)
        return forgets, puts

    def _rejected(self, mutation: dict[str, Any], code: str) -> None:
        kind, id = mutation["kind"], mutation["id"]
        if code == "unknown_row" and "identity" not in mutation:
            rows.mark(self._db, self._user, kind, id, "", self._clock())
            return
        rows.reject(self._db, self._user, mutation, code, self._clock())
        self.counts["rejected"] += 1

    def _stand_on(self, kind: str, id: str, stamps: Mapping[str, str]) -> None:
        """The local row is the server's now, as far as these groups go."""
        if kind not in _NOT_TRACKED:
            base = rows.get_base(self._db, self._user, kind, id) or {}
            rows.set_base(self._db, self._user, kind, id, {**base, **stamps}, self._state.pass_)

    # -- what was forgotten elsewhere --

    def _follow(self, forgets: Iterable[Mapping[str, Any]]) -> None:
        named = [(row["kind"], row["id"]) for row in forgets]
        for kind, id in named:
            if kind == CONFLICTS:
                rows.remove_conflict(self._db, self._user, id)
        with self._captured():
            for kind, id in named:
                if kind in REJECTED:
                    self._facts.follow_rejection(id, never_this_kind=REJECTED[kind])
        named = [(kind, id) for kind, id in named if kind in KINDS or kind in BLANKS]
        if not named:
            return
        before = rows.last_change(self._db)
        with self._captured():
            if self._forgetting.follow(named):
                self._on_forgotten()
        rows.note_times(self._db, self._clock())
        waiting = rows.deferred(self._db, self._user)
        for kind, id in named:
            self._drop_row_state(kind, id)
            if kind in BLANKS:  # what lost against the forgotten words holds such words too
                rows.drop_conflicts(self._db, self._user, "sessions", id)
            else:
                self._drop_waiting(waiting, id)
            self.counts["forgotten"] += 1
        for change in rows.changes_of(self._db, self._user, -1, before):
            # What went with its session or message goes on the server by itself.
            gone = change.kind in _WITH_OWNER and images.read_row(self._db, change.kind, (change.id,)) is None
            if gone:
                self._drop_row_state(change.kind, change.id)

    def _drop_waiting(self, waiting: list[dict[str, Any]], id: str) -> None:
        """What waits for a row that will not come any more; the server does not name it."""
        for row in waiting:
            if any(row["identity"].get(column) == id for column in OWNERS):
                rows.drop_deferred(self._db, self._user, row["kind"], row["id"])
                self._drop_waiting(waiting, row["id"])

    def _drop_row_state(self, kind: str, id: str) -> None:
        if rows.is_outgoing(self._db, self._user, kind, id):
            start_over(self._db, self._user, self._clock())  # a page has no gaps
        rows.drop_row_state(self._db, self._user, kind, id)

    # -- rows --

    def _take_rows(self, found: Iterable[Mapping[str, Any]]) -> None:
        # A fact that makes room comes before the one that takes it.
        ordered = sorted(
            found,
            key=lambda row: (
                _ORDER.get(row["kind"], -1),
                row.get("groups", {}).get("state", {}).get("set", {}).get("status") == "current",
            ),
        )
        waiting = rows.names_of_deferred(self._db, self._user)
        self._look_up(ordered)
        for row in ordered:
            kind, id = row["kind"], row["id"]
            if kind == CONFLICTS:
                self._take_conflict(row)
                continue
            why = "unknown kind" if kind not in KINDS else self._take_row(row)
            if why is None:
                if (kind, id) in waiting:
                    rows.drop_deferred(self._db, self._user, kind, id)
            else:
                rows.defer(self._db, self._user, row, why)

    def _look_up(self, found: Iterable[Mapping[str, Any]]) -> None:
        self._passed_over, self._looked_up = set(), set()
        for kind in _MANY:
            ids = [row["id"] for row in found if row["kind"] == kind]
            self._here[kind] = images.read_named(self._db, kind, "id", ids, self._user)
            gone = forgotten_of(self._db, self._user, kind, ids)
            bases = rows.get_bases(self._db, self._user, [(kind, id) for id in ids])
            deleted = {
                id
                for (_, id), base in bases.items()
                if base and id not in self._here[kind] and rows.changed_parts(self._db, self._user, kind, id)
            }
            self._passed_over |= {(kind, id) for id in gone | deleted}
            self._looked_up |= {(kind, id) for id in ids}
            for id in gone:
                self._forget_there(kind, id)

    def _forget_there(self, kind: str, id: str) -> None:
        """The server has what was forgotten here: a row that came by an import, and that this device did not
        know to be there when it was forgotten."""
        rows.mark(self._db, self._user, kind, id, "*", self._clock())

    def _take_conflict(self, row: Mapping[str, Any]) -> None:
        identity = row["identity"]
        names = ("row_kind", "memory_id", "part", "stamp", "values_json")
        if not all(isinstance(identity.get(name), str) for name in names):
            return
        kind, row_id, part, stamp, values = (identity[name] for name in names)
        rows.add_conflict(self._db, self._user, row["id"], kind, row_id, part, stamp, json.loads(values))
        self.counts["conflicts"] += 1

    def _take_row(self, row: Mapping[str, Any]) -> str | None:
        """Writes a row of the server. Returns why it has to wait, None if it does not."""
        kind, id, about = row["kind"], row["id"], KINDS[row["kind"]]
        if (kind, id) in self._looked_up:
            self._looked_up.discard((kind, id))
            if (kind, id) in self._passed_over:
                return None
            local = self._here[kind].get(id)
            return self._insert(row, _values_of(row)) if local is None else self._update(row, local)
        if is_forgotten(self._db, self._user, kind, id):
            self._forget_there(kind, id)
            return None
        found = images.read_where(self._db, kind, f"{about.id} = ?", (id,))
        if found and found[0]["user_id"] != self._user:
            return "the id belongs to another owner"
        if found:
            return self._update(row, found[0])
        if rows.changed_parts(self._db, self._user, kind, id) and rows.get_base(
            self._db, self._user, kind, id
        ):
            return None  # deleted here, which the server is still to hear of
        return self._insert(row, _values_of(row))

    def _insert(self, row: Mapping[str, Any], values: dict[str, Any]) -> str | None:
        kind, id = row["kind"], row["id"]
        values = {"created_at": self._clock()} | values  # where it is no part of what travels
        values |= {"user_id": self._user, "id": uuid7(self._clock()), KINDS[kind].id: id}
        for column, owner in _NEEDS.items():
            name = values.get(column)
            if name and (owner, name) not in self._present:
                if images.read_row(self._db, owner, (name,)) is None:
                    return self._without_owner(kind, values, owner, name)
                self._present.add((owner, name))
        if kind == "uses":
            memory = values["memory_kind"], values["memory_id"]
            if is_forgotten(self._db, self._user, *memory):
                return self._without_owner(kind, values, *memory)
        if problem := self._rules.problem(kind, values):
            return problem
        if kind == "facts":
            values["value_folded"] = folded(values["value"])
            if waits := self._make_room(row, values):
                return waits
        elif kind == "message_versions":
            self._take_out(values["message_id"])
        if problem := images.insert_unless_refused(self._db, kind, values):
            return problem
        if kind == "messages":
            self._touched.add(id)
            self._sessions.add(values["session_id"])
        elif kind == "sessions":
            self._sessions.add(id)
        if kind not in _NOT_TRACKED:
            stamps = {name: group["stamp"] for name, group in row["groups"].items()}
            rows.set_base(self._db, self._user, kind, id, stamps, self._state.pass_)
        if kind == "facts" and values["status"] != row["groups"]["state"]["set"]["status"]:
            rows.mark(self._db, self._user, kind, id, "state", self._clock())
        return None

    def _without_owner(self, kind: str, values: dict[str, Any], owner: str, name: str) -> str | None:
        """The row that this one goes with is not here."""
        if not is_forgotten(self._db, self._user, owner, name):
            return "its owner is to come"
        if self._rules.problem(kind, values) is None:
            self._join(kind, values, owner, name)
        return None

    def _update(self, row: Mapping[str, Any], local: dict[str, Any]) -> str | None:
        """Groups that wait to be sent stay as they are: the server will settle them with their base."""
        kind, id, about = row["kind"], row["id"], KINDS[row["kind"]]
        base = rows.get_base(self._db, self._user, kind, id) or {}
        waiting = rows.waiting_parts(self._db, self._user, kind, id)
        changes: dict[str, Any] = {}
        stamps: dict[str, str] = {}
        for name, group in about.groups.items():
            there = row["groups"].get(name)
            if there is None or waiting & {name, "", "*"}:
                continue
            stamps[name] = there["stamp"]
            if self._state.resyncing and there["stamp"] < base.get(name, ""):
                # The server was put back to an older state, which this device is ahead of.
                rows.mark(self._db, self._user, kind, id, name, self._clock())
            elif there["stamp"] != base.get(name):
                known = {column: there["set"][column] for column in group.columns if column in there["set"]}
                changes |= {column: value for column, value in known.items() if value != local[column]}
        if changes:
            whole = {**local, **changes}
            if problem := self._rules.problem(kind, dict(whole)):
                return problem
            if kind == "facts":
                if waits := self._make_room(row, whole):
                    return waits
                if whole["status"] != {**local, **changes}["status"]:
                    rows.mark(self._db, self._user, kind, id, "state", self._clock())
                    changes |= {column: whole[column] for column in _PLACE}
                if "value" in changes:
                    changes["value_folded"] = folded(whole["value"])
            if kind == "messages":
                self._take_out(id)
                self._sessions.add(local["session_id"])
            elif kind == "sessions":
                self._sessions.add(id)
            images.update_row(self._db, kind, (local["id"],), changes)
            if kind == "facts" and "value" in changes:
                with self._captured():
                    keep_what_stood(self._db, self._user, local, changes["value"])
            if kind == "facts" and local["status"] == "disputed" and changes.get("status") == "current":
                self._facts.follow_confirmation(id)
        self._stand_on(kind, id, stamps)
        return None

    def _take_out(self, message_id: str) -> None:
        """Out of the index before its text changes."""
        if message_id in self._touched:
            return
        self._touched.add(message_id)
        for message in images.read_where(self._db, "messages", "id = ?", (message_id,)):
            index.remove(self._db, [message["seq"]])

    # -- one value under a single-valued key --

    def _make_room(self, row: Mapping[str, Any], values: dict[str, Any]) -> str | None:
        """Of two current facts under a single-valued key the one with the higher stamp stays, the other
        becomes disputed, or, where both say the same, its history. Changes `values["status"]` where it is
        this one. Waits for the last page, since the fact that stands in the way may be about to change."""
        if values["status"] != "current":
            return None
        try:
            single = namespace_of(self._db, self._user, values["key"]).single_valued
        except UnregisteredKeyError:
            return "its namespace is to come"
        if not single:
            return None
        rivals = [
            fact
            for fact in images.read_where(
                self._db,
                "facts",
                "user_id = ? AND key = ? AND status = 'current' AND id <> ?",
                (self._user, values["key"], row["id"]),
            )
            if _scope(fact) == _scope(values)
        ]
        if not rivals:
            return None
        if not self._last:
            return "another fact stands in its place"
        stamp = row["groups"]["state"]["stamp"]
        for rival in rivals:
            if self._stamp_of(rival["id"]) > stamp:
                self._step_back(values, rival, stamp)
                return None
        for rival in rivals:
            changes = dict(rival)
            self._step_back(changes, values, self._stamp_of(rival["id"]))
            changed = {column: changes[column] for column in _PLACE}
            with self._captured():
                images.update_row(self._db, "facts", (rival["id"],), changed)
        return None

    def _step_back(self, fact: dict[str, Any], winner: Mapping[str, Any], stamp: str) -> None:
        if folded(fact["value"]) == folded(winner["value"]):
            fact.update(status="superseded", superseded_by=winner["id"], superseded_at=int(stamp[:12], 16))
        else:
            fact["status"] = "disputed"
            self.counts["disputed"] += 1

    def _stamp_of(self, fact_id: str) -> str:
        """The server's stamp of a fact's state; of one that waits, the stamp it is about to get."""
        parts = rows.changed_parts(self._db, self._user, "facts", fact_id)
        if not parts.keys() & {"state", "", "*"}:
            for mutation in rows.outgoing(self._db, self._user):
                if mutation["id"] == fact_id and "state" in mutation.get("groups", {}):
                    return str(mutation["stamp"])
            return (rows.get_base(self._db, self._user, "facts", fact_id) or {}).get("state", "")
        ms = min(max(parts.values()), self._clock()) + self._state.offset_ms
        return Hlc(self._state.device).at(ms)

    # -- the end of a pull --

    def _settle(self) -> None:
        """Leaves sessions whole; where this mends a link, that is a change of this device."""
        state = rows.get_state(self._db, self._user)
        assert state is not None
        if state.unsettled:
            # Only what is touched here can be broken, unless an earlier sync was cut off before its end.
            touched = rows.broken_sessions(self._db, self._user) if self._cut_off else self._sessions
            for session_id in sorted(touched):
                straighten(self._db, session_id)
            self._sessions, self._cut_off = set(), False
            rows.set_state(self._db, self._user, unsettled=False)
        if state.resyncing:
            for kind, about in KINDS.items():
                rows.mark_unseen(self._db, self._user, kind, about.id, state.pass_)
            rows.mark_tombstones(self._db, self._user, (*KINDS, *BLANKS))
            rows.set_state(self._db, self._user, resyncing=False)
        rows.note_times(self._db, self._clock())


def _values_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a row from elsewhere that are known here."""
    about = KINDS[row["kind"]]
    values = {column: row["identity"].get(column) for column in about.identity}
    for name, group in about.groups.items():
        given = row["groups"].get(name, {}).get("set", {})
        values |= {column: given[column] for column in group.columns if column in given}
    return {column: value for column, value in values.items() if value is not None}


def _scope(fact: Mapping[str, Any]) -> str:
    """Facts in the same scope stand in for each other; see the trigger on facts."""
    return "" if fact.get("visibility") == "shared" else fact.get("agent_id") or ""
