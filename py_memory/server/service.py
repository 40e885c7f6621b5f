"""What the server does with a sync request: one transaction takes the changes in, settles what met, reads the
next page. It knows rows, groups and stamps; what they mean is the clients' business.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from py_memory.clock import Clock
from py_memory.errors import PyMemoryError
from py_memory.sync.kinds import BLANKS, CONFLICTS, KINDS, OWNERS
from py_memory.sync.stamps import clamped, successor
from py_memory.sync.wire import MIN_SCHEMA, SCHEMA, Reply, SyncRequest, mutation_problem

from .store import ContendedError, Store, StoredRow, Unit

__all__ = ["DeviceForkedError", "Quota", "QuotaError", "ResyncError", "SchemaTooOldError", "SyncService"]

_TRIES = 3  # of a transaction that the database ends for another's sake
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
_EMPTY = {"title": None, "metadata_json": "{}"}  # what is left of a forgotten part of a session


class ResyncError(PyMemoryError):
    """The device has seen more than this server holds, or another server's rows: it begins from zero."""


class DeviceForkedError(PyMemoryError):
    """Two devices use one device id."""


class SchemaTooOldError(PyMemoryError):
    """The client's program is too old for this server."""


class QuotaError(PyMemoryError):
    """The user's room is used up. Nothing of the request was stored; pulling still works."""


@dataclass(frozen=True, slots=True)
class Quota:
    rows: int = 5_000_000
    bytes: int = 2 << 30


class SyncService:
    def __init__(self, store: Store, clock: Clock, quota: Quota | None = None) -> None:
        self._store = store
        self._clock = clock
        self._quota = quota or Quota()

    def head(self, user_id: str) -> dict[str, Any]:
        with self._store.unit(user_id, write=False) as unit:
            head = unit.head()
        return {
            "user": user_id,
            "epoch": head.epoch,
            "seq": head.seq,
            "server_time": self._clock(),
            "rows": head.rows,
            "bytes": head.bytes,
        }

    def sync(self, user_id: str, request: SyncRequest) -> Reply:
        """Raises ResyncError, DeviceForkedError, SchemaTooOldError, QuotaError, StorageError; nothing was
        changed then. UnavailableError: perhaps the answer alone was lost; the same request may come again."""
        if request.schema < MIN_SCHEMA:
            raise SchemaTooOldError(
                f"This server needs a client with schema {MIN_SCHEMA} or newer. Update it."
            )
        for _ in range(_TRIES - 1):
            with suppress(ContendedError):
                return self._answer(user_id, request)
        return self._answer(user_id, request)

    def _answer(self, user_id: str, request: SyncRequest) -> Reply:
        try:
            return self._sync(user_id, request)
        except ResyncError:
            # The store was put back to an older state. Other devices may not notice: by the time they come,
            # new changes have taken the numbers that they have seen.
            with self._store.unit(user_id, write=True) as unit:
                if request.cursor is not None and request.cursor[0] == unit.head().epoch:
                    unit.renew_epoch()
            raise

    def _sync(self, user_id: str, request: SyncRequest) -> Reply:
        with self._store.unit(user_id, write=bool(request.push)) as unit:
            head = unit.head()
            last_n = unit.last_n(request.device)
            foreign = request.cursor is not None and (
                request.cursor[0] != head.epoch or request.cursor[1] > head.seq
            )
            first = request.push[0]["n"] if request.push else last_n + 1
            if foreign or request.acked > last_n or first > last_n + 1:
                raise ResyncError(
                    "This device has seen changes that the server does not have. Sync from the start."
                )
            after = request.cursor[1] if request.cursor else 0
            merge = _Merge(unit, request.device, after, self._clock())
            results = merge.take(request.push, last_n) if request.push else []
            used = unit.head()
            if merge.own and (used.rows > self._quota.rows or used.bytes > self._quota.bytes):
                raise QuotaError(
                    f"The server keeps at most {self._quota.rows:,} rows and {self._quota.bytes:,} bytes for "
                    "a user. Forget something, or ask who runs the server for more room."
                )
            changes, cursor, more = _page(unit, after, request, merge.own)
            return Reply(
                user_id,
                self._clock(),
                head.epoch,
                unit.last_n(request.device),
                results,
                changes,
                cursor,
                more,
                SCHEMA,
            )


def _page(
    unit: Unit, after: int, request: SyncRequest, own: set[int]
) -> tuple[list[dict[str, Any]], int, bool]:
    """(rows, cursor, whether more follow). Rows that this very request has put there are not sent back."""
    found: list[dict[str, Any]] = []
    size, cursor = 0, after
    if own and len(own) == unit.head().seq - after:
        return found, unit.head().seq, False  # nothing else is new
    while len(found) < request.rows:
        batch = unit.changes(cursor, request.rows)
        for seq, text in batch:
            if seq not in own:
                # At least one row travels, however long it is.
                length = len(text) if text.isascii() else len(text.encode())
                if found and (size + length > request.bytes or len(found) == request.rows):
                    return found, cursor, True
                found.append(json.loads(text))
                size += length
            cursor = seq
        if len(batch) < request.rows:
            return found, max(cursor, unit.head().seq), False
    return found, cursor, cursor < unit.head().seq


def _without_row(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """For the log, which keeps nothing that a memory holds: what is forgotten would stay there."""
    if result is None or "row" not in result:
        return result
    return {**result, "row": {name: result["row"][name] for name in ("kind", "id")}}


def _owners_of(identity: dict[str, Any]) -> dict[str, str]:
    """The ids of rows that a row goes with, by column."""
    return {column: identity[column] for column in OWNERS if isinstance(identity.get(column), str)}


class _Merge:
    """Takes the changes of one request in. `own`: the numbers given to rows that went in as they came."""

    def __init__(self, unit: Unit, device: str, seen: int, now: int) -> None:
        self._unit = unit
        self._seen = seen
        self._device = device
        self._now = now
        self.own: set[int] = set()

    def take(self, push: list[dict[str, Any]], last_n: int) -> list[dict[str, Any]]:
        results = []
        problems = {mutation["n"]: mutation_problem(mutation) for mutation in push if mutation["n"] > last_n}
        self._look_up(mutation for mutation in push if problems.get(mutation["n"], "") is None)
        for mutation in push:
            n = mutation["n"]
            hash = hashlib.sha256(_CANONICAL.encode(mutation).encode()).digest()[:16]
            if n <= last_n:
                result = self._again(mutation, hash)
            elif problem := problems[n]:
                result = {"status": "rejected", "code": problem}
            else:
                result = self._one(mutation)
                self._unit.log(self._device, n, hash, _without_row(result))
            if result is not None:
                results.append({"n": n, **result})
        self._unit.set_last_n(self._device, max(last_n, push[-1]["n"]))
        return results

    def _look_up(self, push: Iterable[dict[str, Any]]) -> None:
        named: set[tuple[str, str]] = set()
        owners: set[str] = set()
        for mutation in push:
            named.add((mutation["kind"], mutation["id"]))
            if mutation["op"] == "put":
                owners.update(_owners_of(mutation.get("identity") or {}).values())
        self._unit.look_up(named, owners)

    def _again(self, mutation: dict[str, Any], hash: bytes) -> dict[str, Any] | None:
        """The answer given before; of one from before the log begins, that it is acknowledged. The row as it
        is now comes with it, where it met another change and where the device has passed it by: a copy of the
        device may have sent this before, and others may have changed the row since."""
        logged = self._unit.logged(self._device, mutation["n"])
        if logged is not None and logged.hash != hash:
            raise DeviceForkedError(
                "Another copy of this memory has synced under the same device id. This one takes a new id."
            )
        result = {"status": "duplicate"} if logged is None else logged.result
        status = "applied" if result is None else result["status"]
        if mutation["op"] != "put" or status in ("rejected", "ignored_forgotten"):
            return result
        kind, id = mutation["kind"], mutation["id"]
        row = self._unit.row(kind, id)
        if row is None or (row.body is not None and status != "conflict" and row.seq > self._seen):
            return result
        if row.body is None:
            return {"status": "ignored_forgotten"}
        return {"status": "conflict", "row": {"kind": kind, "id": id, "seq": row.seq, **row.body}}

    def _one(self, mutation: dict[str, Any]) -> dict[str, Any] | None:
        """None: it went in as it was sent."""
        if mutation["op"] == "put":
            return self._put(mutation)
        self._forget(mutation)
        return None

    def _forget(self, mutation: dict[str, Any]) -> None:
        kind, id = mutation["kind"], mutation["id"]
        row = self._unit.row(kind, id)
        if row is None or row.body is not None:
            if kind == "sessions":  # so that nothing said late to one of its messages comes to lie alone
                for message in self._unit.messages_of(id):
                    self._unit.forget("messages", message, self._unit.next_seq())
            seq = self._unit.next_seq()
            self._unit.forget(kind, id, seq)
            self.own.add(seq)
            if kind in BLANKS:
                self._blank(id, BLANKS[kind])

    def _blank(self, session_id: str, column: str) -> None:
        """Forgotten words leave the session that stays, also where another device wrote them last."""
        row = self._unit.row("sessions", session_id)
        if row is None or row.body is None:
            return
        meta = row.body["groups"]["meta"]
        if meta["set"].get(column) == _EMPTY[column]:
            return
        meta["set"][column] = _EMPTY[column]
        meta["stamp"] = successor(meta["stamp"], self._device)
        self._unit.put("sessions", session_id, self._unit.next_seq(), row.body, {})

    def _put(self, mutation: dict[str, Any]) -> dict[str, Any] | None:
        kind, id = mutation["kind"], mutation["id"]
        row = self._unit.row(kind, id)
        if row is not None and row.body is None:
            return {"status": "ignored_forgotten"}
        if row is None:
            return self._make(mutation)
        assert row.body is not None
        identity = row.body["identity"]
        for column, value in (mutation.get("identity") or {}).items():
            if identity.get(column) != value:
                return {"status": "rejected", "code": "identity_differs"}
        return self._meet(mutation, row, row.body)

    def _make(self, mutation: dict[str, Any]) -> dict[str, Any] | None:
        identity, groups = mutation.get("identity"), mutation.get("groups", {})
        if identity is None or groups.keys() != KINDS[mutation["kind"]].groups.keys():
            return {"status": "rejected", "code": "unknown_row"}
        owners = _owners_of(identity)
        if any(self._unit.is_forgotten(owner) for owner in owners.values()):
            if mutation["kind"] == "messages":  # nor does what belongs to it come in
                self._unit.forget("messages", mutation["id"], self._unit.next_seq())
            return {"status": "ignored_forgotten"}
        stamp = clamped(mutation["stamp"], self._now)
        body = {
            "identity": identity,
            "groups": {name: {"stamp": stamp, "set": values} for name, values in groups.items()},
        }
        seq = self._unit.next_seq()
        self._unit.put(mutation["kind"], mutation["id"], seq, body, owners)
        self.own.add(seq)
        return None if stamp == mutation["stamp"] else self._stamped(groups, stamp)

    @staticmethod
    def _stamped(groups: dict[str, Any], stamp: str) -> dict[str, Any]:
        return {"status": "applied", "stamps": dict.fromkeys(groups, stamp)}

    def _meet(self, mutation: dict[str, Any], row: StoredRow, body: dict[str, Any]) -> dict[str, Any] | None:
        """A change to a row that is there. One that knew what it replaces goes in and gets a later stamp;
        of two that did not know of each other the one with the higher stamp stays."""
        kind, id = mutation["kind"], mutation["id"]
        stamp, base = clamped(mutation["stamp"], self._now), mutation.get("base", {})
        stamps: dict[str, str] = {}
        changed = False
        met = row.seq > self._seen  # other groups may hold what this device has not seen
        for name, values in mutation.get("groups", {}).items():
            there = body["groups"].get(name)
            if there is None:
                body["groups"][name] = {"stamp": stamp, "set": values}
                stamps[name], changed = stamp, True
                continue
            known = base.get(name) == there["stamp"]
            if kind == "sessions" and not known:
                values = self._without_forgotten(id, values)
            merged = {**there["set"], **values}
            if merged == there["set"]:
                stamps[name] = there["stamp"]
                met = met or not known
            elif known:
                stamps[name] = stamp if stamp > there["stamp"] else successor(there["stamp"], self._device)
                body["groups"][name] = {"stamp": stamps[name], "set": merged}
                changed = True
            else:
                met = True
                if stamp > there["stamp"]:
                    self._keep_loser(kind, id, name, there["stamp"], there["set"], merged)
                    body["groups"][name] = {"stamp": stamp, "set": merged}
                    stamps[name], changed = stamp, True
                else:
                    self._keep_loser(kind, id, name, stamp, merged, there["set"])
                    stamps[name] = there["stamp"]
        seq = row.seq
        if changed:
            seq = self._unit.next_seq()
            self._unit.put(kind, id, seq, body, _owners_of(body["identity"]))
            self.own.add(seq)
        if met:
            return {"status": "conflict", "row": {"kind": kind, "id": id, "seq": seq, **body}}
        if all(made == mutation["stamp"] for made in stamps.values()):
            return None
        return {"status": "applied", "stamps": stamps}

    def _without_forgotten(self, id: str, values: dict[str, Any]) -> dict[str, Any]:
        """Parts of a session that were forgotten do not come back with a change that did not know of it."""
        gone = [column for kind, column in BLANKS.items() if self._unit.row(kind, id) is not None]
        return {**values, **{column: _EMPTY[column] for column in gone if column in values}}

    def _keep_loser(
        self, kind: str, id: str, group: str, stamp: str, lost: dict[str, Any], stays: dict[str, Any]
    ) -> None:
        """A row about what lost, if it is to be shown. Its id follows from what lost, so that nothing
        is kept twice."""
        shown = KINDS[kind].groups[group].shown
        if all(lost.get(column) == stays.get(column) for column in shown):
            return
        conflict = hashlib.sha256("\x1f".join((kind, id, group, stamp)).encode()).hexdigest()[:32]
        if self._unit.row(CONFLICTS, conflict) is not None:
            return
        identity = {
            "row_kind": kind,
            "memory_id": id,
            "part": group,
            "stamp": stamp,
            "values_json": json.dumps(lost, ensure_ascii=False),
        }
        self._unit.put(
            CONFLICTS,
            conflict,
            self._unit.next_seq(),
            {"identity": identity, "groups": {}},
            {"memory_id": id},
        )
