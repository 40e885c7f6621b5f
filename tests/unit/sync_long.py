"""A long history of the state machine, drawn by a seed: thousands of operations on three devices whose clocks
are ten years apart, while requests, replies, devices and the server fail.

Every few thousand operations, and at the end, everything is the same everywhere, and each change that lost
lies in the review list once, as worked out beside the server from what went into it and what was there
before.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import shutil
import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from py_memory import MemoryStore, PyMemoryError
from py_memory.server.endpoint import Endpoint
from py_memory.server.open_store import open_store
from py_memory.server.sqlite_store import SqliteStore
from py_memory.server.store import Unit
from py_memory.sync.engine import Answer, Call
from py_memory.sync.kinds import BLANKS, CONFLICTS, KINDS
from py_memory.sync.stamps import clamped

from .postgres import Cluster
from .sync_support import Server, dump, server_dump
from .test_sync_machine import FAULTS, Devices

__all__ = ["LongHistory", "canonical_hash"]

WORDS = ["tea", "coffee", "peanuts", "花生酱", "a walk", "xylophone"]
KEYS = ["user::name", "user::diet", "user::likes", "user::address", "task::a"]
RECENT = 30  # what is worked on is mostly one of the last so many
KEPT_REQUESTS = 40
LOOK_EVERY = 50  # operations
AGREE_EVERY = 2500
PULL_ROWS, PUSH_CHANGES = (40, 200, 1000), (10, 100, 1000)  # of a page; a history has one of each
SERVER_FAULTS = ("server killed", "server restarted")
# How often each is drawn.
WEIGHTS = {
    "create_session": 3,
    "rename": 5,
    "add_message": 18,
    "edit_message": 5,
    "feedback": 6,
    "call_tool": 3,
    "set_fact": 6,
    "state_fact": 6,
    "propose": 5,
    "decide": 6,
    "pin": 5,
    "end_fact": 2,
    "forget": 2,
    "forget_text": 0.1,
    "undo": 3,
    "consolidate": 0.3,
    "settle": 3,
    "time_passes": 6,
    "clock_jumps": 0.5,
    "import_from": 0.15,
    "import_other": 0.3,
    "fork": 0.2,
    "restore": 0.2,
    "repeat": 1,
    "sync_a_little": 14,
    "sync": 5,
}

Key = tuple[str, str, str, str]  # kind, id, group, stamp of what lost


def canonical_hash(found: dict[str, list[dict[str, Any]]]) -> str:
    """Of a dump: SHA-256 of its rows as JSON, in one order."""
    text = json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class ServerDied(BaseException):
    """The server's process is gone in the middle of a request."""


class Review:
    """What must wait for review. Knows of the server only what rows it held before a page went in."""

    def __init__(self) -> None:
        self.lost: set[Key] = set()
        self.ever: set[Key] = set()  # also what has been settled or forgotten since

    def note(
        self, push: list[dict[str, Any]], before: dict[tuple[str, str], Any], refused: set[int], now: int
    ) -> None:
        for mutation in push:
            kind, id = mutation["kind"], mutation["id"]
            there = before.get((kind, id))
            if mutation["n"] in refused:
                continue
            if mutation["op"] == "forget":
                self._forget(kind, id, there)
            elif there is not None:
                for group, values in mutation.get("groups", {}).items():
                    known = mutation.get("base", {}).get(group)
                    if kind == "sessions" and known != there["groups"][group]["stamp"]:
                        gone = [c for blank, c in BLANKS.items() if (blank, id) in before]
                        values = values | {c: {"metadata_json": "{}"}.get(c) for c in gone if c in values}
                    stamp = clamped(mutation["stamp"], now)
                    self._meet((kind, id, group), stamp, known, values, there["groups"][group])

    def _forget(self, kind: str, id: str, there: Any) -> None:
        if kind == CONFLICTS and there is not None:  # settled
            row = there["identity"]
            self.lost.discard((row["row_kind"], row["memory_id"], row["part"], row["stamp"]))
        elif kind in BLANKS:
            self.lost -= {key for key in self.lost if key[:2] == ("sessions", id)}

    def _meet(
        self, where: tuple[str, str, str], stamp: str, known: str | None, values: Any, there: Any
    ) -> None:
        merged = {**there["set"], **values}
        if known == there["stamp"] or merged == there["set"]:
            return
        if any(merged.get(c) != there["set"].get(c) for c in KINDS[where[0]].groups[where[2]].shown):
            self.lost.add((*where, min(stamp, there["stamp"])))
            self.ever.add((*where, min(stamp, there["stamp"])))


class LongServer(Server):
    """Keeps the last requests, works out what must wait for review, and may die."""

    def __init__(self, clock: Any, hosting: Hosting) -> None:
        super().__init__(clock, hosting.address)
        self.hosting = hosting
        self.user_id = ""
        self.review = Review()
        self.requests: deque[tuple[str, Call]] = deque(maxlen=KEPT_REQUESTS)

    def send(self, token: str, call: Call) -> Answer:
        self.calls.clear()  # thousands
        return super().send(token, call)

    def answer(self, token: str, call: Call) -> Answer:
        if call.method != "POST":
            return super().answer(token, call)
        body = call.body or b""
        asked = json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
        push = asked["push"]
        if push:
            self.requests.append((token, call))
        went_in, before = self._before(asked["device"], push) if self.user_id else (0, {})
        answer = super().answer(token, call)
        if answer.status == 200:
            results = json.loads(answer.body)["results"]
            refused = {r["n"] for r in results if r["status"] in ("rejected", "ignored_forgotten")}
            new = [change for change in push if change["n"] > went_in]
            self.review.note(new if self.user_id else [], before, refused, self.clock())
        return answer

    def _before(self, device: str, push: list[dict[str, Any]]) -> tuple[int, dict[tuple[str, str], Any]]:
        """The number of the last change that went in before, and rows as they are, by kind and id. Blanked
        parts of sessions are named with None."""
        found: dict[tuple[str, str], Any] = {}
        with self.store.unit(self.user_id, write=False) as unit:
            last_n = unit.last_n(device)
            for mutation in push:
                for kind in (mutation["kind"], *(BLANKS if mutation["kind"] == "sessions" else ())):
                    row = unit.row(kind, mutation["id"])
                    if row is not None and (row.body is not None or kind in BLANKS):
                        found[kind, mutation["id"]] = row.body
        return last_n, found

    def restart(self, *, killed: bool = False) -> None:
        self.hosting.end(self, killed=killed)
        self.store = open_store(self.hosting.address)
        self.endpoint = Endpoint(self.store, clock=self.clock, per_minute=1_000_000)


class Hosting:
    """Where the server's store lies."""

    address = ""

    def end(self, server: LongServer, *, killed: bool) -> None:
        server.store.close()

    @contextmanager
    def dying(self, server: LongServer, rows: int) -> Iterator[None]:
        """The server dies once it has written so many rows of a page."""
        unit_of = server.store.unit

        @contextmanager
        def unit(user_id: str, *, write: bool) -> Iterator[Unit]:
            with unit_of(user_id, write=write) as made:
                really, left = made.put, [rows]

                def put(*values: Any) -> None:
                    really(*values)
                    left[0] -= 1
                    if left[0] == 0:
                        self.died(server)
                        raise ServerDied

                made.put = put  # type: ignore[method-assign]
                yield made

        server.store.unit = unit  # type: ignore[method-assign]
        try:
            yield
        finally:
            server.store.unit = unit_of  # type: ignore[method-assign]

    def died(self, server: LongServer) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass


class SqliteHosting(Hosting):
    """One file. A process that dies leaves it and its journal as they are at that instant: copies of both."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self._path = folder / "sync-0.db"
        self.address = f"sqlite:///{self._path}"

    def died(self, server: LongServer) -> None:
        self._number += 1
        new = self._folder / f"sync-{self._number}.db"
        for suffix in ("", "-journal", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{self._path}{suffix}", f"{new}{suffix}")
        self._left = new

    def end(self, server: LongServer, *, killed: bool) -> None:
        super().end(server, killed=killed)
        if killed:
            self._path.unlink()
            self._path = self._left
            self.address = f"sqlite:///{self._path}"
        store = SqliteStore(self._path)
        assert store.is_sound()
        store.close()


class PostgresHosting(Hosting):
    """A database of a running cluster; whoever dies loses its connection."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lent: AbstractContextManager[str] = cluster.store()
        self.address = self._lent.__enter__()

    def died(self, server: LongServer) -> None:
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app' AND datname = "
        self._cluster.execute(f"{end}'{self._cluster.named(server.store)}'")

    def close(self) -> None:
        self._lent.__exit__(None, None, None)


class LongHistory(Devices):
    """`seed` draws everything but ids. `cluster`: the server's store lies in PostgreSQL."""

    most_steps = 20_000

    def __init__(self, seed: int, folder: Path, cluster: Cluster | None = None) -> None:
        self.chance = random.Random(seed)
        sizes: dict[str, Any] = {
            "MAX_PULL_ROWS": self.chance.choice(PULL_ROWS),
            "MAX_PUSH_MUTATIONS": self.chance.choice(PUSH_CHANGES),
        }
        self.closing = ExitStack()
        self.closing.enter_context(mock.patch.multiple("py_memory.sync.engine", **sizes))
        self.folder = folder
        self.hosting = PostgresHosting(cluster) if cluster else SqliteHosting(folder)
        super().__init__()
        assert isinstance(self.server, LongServer)
        self.long_server = self.server
        self.long_server.user_id = self.user
        self.pools: dict[str, list[Any]] = {
            name: [] for name in ("sessions", "messages", "facts", "operations")
        }
        self.kept: list[sqlite3.Connection] = []  # older states of devices
        self.forgotten: set[str] = set()  # known to devices that are no more
        self.counts: Counter[str] = Counter()
        self.trail: deque[str] = deque(maxlen=40)

    def make_server(self) -> Server:
        return LongServer(self.clock, self.hosting)

    # -- drawing --

    def one(self, pool: str) -> Any:
        found = self.pools[pool]
        return self.chance.choice(found[-RECENT:] if self.chance.random() < 0.9 else found)

    def arguments(self, name: str) -> dict[str, Any] | None:
        """For one operation; None if there is nothing yet to work on."""
        chance, device = self.chance, self.chance.randrange(3)
        made: dict[str, Callable[[], Any]] = {
            "device": lambda: device,
            "word": lambda: chance.choice(WORDS),
            "key": lambda: chance.choice(KEYS),
            "session": lambda: self.one("sessions"),
            "message": lambda: self.one("messages"),
            "source": lambda: self.one("messages"),
            "fact": lambda: self.one("facts"),
            "operation": lambda: self.pools["operations"][-1],
            "value": lambda: chance.choice([-1, 0, 1]),
            "keep": lambda: chance.random() < 0.7,
            "pinned": lambda: chance.random() < 0.5,
            "what": lambda: chance.choices(["fact", "message", "session"], [6, 5, 1])[0],
            "take": lambda: chance.choice(["kept", "lost"]),
            "seconds": lambda: chance.choice([1, 5, 11, 3600]),
            "years": lambda: chance.choice([-10, 0, 10]),
            "steps": lambda: chance.randint(1, 4),
            "fault": lambda: chance.choice(["none", "none", *FAULTS, *SERVER_FAULTS]),
            "other": lambda: (device + chance.randint(1, 2)) % 3,
        }
        try:
            return {argument: made[argument]() for argument in ARGUMENTS[name]}
        except IndexError:
            return None

    def live(self, operations: int) -> None:
        """Draws and carries out so many operations."""
        names, weights = list(WEIGHTS), list(WEIGHTS.values())
        while self.counts.total() < operations:
            (name,) = self.chance.choices(names, weights)
            arguments = self.arguments(name)
            if arguments is None:
                continue
            self.counts[name] += 1
            self.trail.append(f"{self.counts.total()} {name} {arguments}")
            made = getattr(self, name)(**arguments)
            if made is not None and (pool := POOL_OF.get(name)):
                self.pools[pool].append(made)
            if self.counts.total() % LOOK_EVERY == 0:
                self.one_value_under_a_single_valued_key()
                self.the_cursor_never_goes_back()
                if self.counts.total() % (20 * LOOK_EVERY) == 0:
                    self.other_users_are_untouched()
                if self.counts.total() % AGREE_EVERY == 0:
                    self.finish_all()

    # -- more to happen than in short histories --

    def sync_a_little(self, device: int, steps: int, fault: str) -> None:
        if fault not in SERVER_FAULTS:
            super().sync_a_little(device=device, steps=steps, fault=fault)
        elif fault == "server restarted":
            super().sync_a_little(device=device, steps=steps, fault="none")
            self.long_server.restart()
        else:
            found = self.devices[device]
            try:
                with self.hosting.dying(self.long_server, self.chance.randint(1, 20)):
                    super().sync_a_little(device=device, steps=steps, fault="none")
            except ServerDied:
                self.counts["server died"] += 1
                self.cut_off(found)
                self.long_server.restart(killed=True)

    def import_from(self, device: int, other: int) -> None:
        """What another device exported is merged in."""
        exported = self.folder / "exported.db"
        exported.unlink(missing_ok=True)
        self.devices[other].memory.export_to(exported)
        with suppress(PyMemoryError):
            self.devices[device].memory.import_file(exported)

    def import_other(self, device: int, word: str) -> None:
        """The file of a memory that never synced; the same file on several devices."""
        exported = self.folder / f"other-{WORDS.index(word)}.db"
        if not exported.exists():
            other = MemoryStore(":memory:", clock=self.clock)
            session = other.create_session(f"Elsewhere, {word}")
            for number in range(3):
                other.add_message(session.id, "user", f"elsewhere {word} {number}")
            other.set_fact("user::likes", f"elsewhere {word}")
            other.export_to(exported)
            other.close()
        with suppress(PyMemoryError):
            self.devices[device].memory.import_file(exported)

    def fork(self, device: int, other: int) -> None:
        """A device is lost once it has synced, and another one's file copied in its place, with what is on
        its way and the id it goes by."""
        self.replace(device, _copy(self.devices[other].memory))

    def restore(self, device: int) -> None:
        """A device is put back to an older state, of itself or of another; that state is kept again."""
        self.kept.append(_copy(self.devices[device].memory))
        if len(self.kept) > 4:
            older = self.kept.pop(self.chance.randrange(3))
            self.replace(device, older)

    def replace(self, number: int, connection: sqlite3.Connection) -> None:
        device = self.devices[number]
        if device.running is not None:
            self.finish(device)
        self.clock.advance(seconds=11)  # so that what it has forgotten leaves
        self.finish(device)
        self.forgotten |= self.forgotten_on(device)
        device.memory.close()
        device.memory = MemoryStore(connection, clock=device.clock)
        device.cursor = (0, 0)

    def repeat(self) -> None:
        """Something between sends an older request again, whether it was answered or not."""
        if self.long_server.requests:
            token, call = self.chance.choice(self.long_server.requests)
            assert self.server.answer(token, call).status in (200, 401, 409, 410)

    # -- the end --

    def nothing_is_lost(self, there: dict[str, list[dict[str, Any]]], gone: set[str]) -> None:
        super().nothing_is_lost(there, gone | self.forgotten)

    def finish_all(self) -> dict[str, Any]:
        """Converges and checks. Returns {hash, rows, lost: how many changes lost so far, to_review: how many
        of them are in the list}."""
        self.converge()
        self.everything_is_the_same()
        there = server_dump(self.server, self.user)
        hashes = {canonical_hash(there), *(canonical_hash(dump(device.memory)) for device in self.devices)}
        assert len(hashes) == 1, hashes
        lost = self.each_loser_is_in_the_list_once(there)
        rows, ever = sum(map(len, there.values())), len(self.long_server.review.ever)
        return {"hash": hashes.pop(), "rows": rows, "lost": ever, "to_review": lost}

    def each_loser_is_in_the_list_once(self, there: dict[str, list[dict[str, Any]]]) -> int:
        live = {(kind, row[KINDS[kind].id]) for kind, rows in there.items() for row in rows}
        expected = sorted(key for key in self.long_server.review.lost if key[:2] in live)
        with self.server.store.unit(self.user, write=False) as unit:
            rows = [json.loads(text) for _, text in unit.changes(0, 10_000_000)]
        identities = [r["identity"] for r in rows if r["kind"] == CONFLICTS and not r.get("forgotten")]
        held = sorted((r["row_kind"], r["memory_id"], r["part"], r["stamp"]) for r in identities)
        assert held == expected, (set(held) ^ set(expected), len(held), len(expected))
        for device in self.devices:
            listed = sorted((c.kind, c.row_id, c.part, c.changed_at) for c in device.memory.sync_conflicts())
            assert listed == sorted((*key[:3], int(key[3][:12], 16)) for key in expected)
        return len(expected)

    def close(self) -> None:
        with self.closing as closing:
            closing.callback(self.hosting.close)
            closing.callback(super().close)


def _copy(memory: MemoryStore) -> sqlite3.Connection:
    copied = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    memory.database.connection.backup(copied)
    return copied


POOL_OF = {
    "create_session": "sessions",
    "add_message": "messages",
    "set_fact": "facts",
    "state_fact": "facts",
    "propose": "facts",
    "decide": "operations",
    "forget": "operations",
    "forget_text": "operations",
}
ARGUMENTS = {
    "create_session": ("device",),
    "rename": ("device", "session", "word"),
    "add_message": ("device", "session", "word"),
    "edit_message": ("device", "message", "word"),
    "feedback": ("device", "message", "value"),
    "call_tool": ("device", "session", "message"),
    "set_fact": ("device", "key", "word", "source"),
    "state_fact": ("device", "key", "word"),
    "propose": ("device", "key", "word"),
    "decide": ("device", "fact", "keep"),
    "pin": ("device", "fact", "pinned"),
    "end_fact": ("device", "fact"),
    "forget": ("device", "what", "fact", "message", "session"),
    "forget_text": ("device", "word"),
    "undo": ("operation",),
    "consolidate": ("device",),
    "settle": ("device", "take"),
    "time_passes": ("seconds",),
    "clock_jumps": ("device", "years"),
    "import_from": ("device", "other"),
    "import_other": ("device", "word"),
    "fork": ("device", "other"),
    "restore": ("device",),
    "repeat": (),
    "sync_a_little": ("device", "steps", "fault"),
    "sync": ("device",),
}
