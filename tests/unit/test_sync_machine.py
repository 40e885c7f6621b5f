"""Any history of work on three devices, with faults between any two steps, ends the same everywhere.

PY_MEMORY_EXAMPLES: how many histories are tried.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from py_memory import MemoryStore, PyMemoryError
from py_memory.clock import DAY_MS
from py_memory.errors import SyncError
from py_memory.rows import sync as sync_rows
from py_memory.rows.tombstones import is_forgotten
from py_memory.sync.engine import Answer, Pause
from py_memory.sync.stamps import MAX_AHEAD_MS, millis_of

from .conftest import SteppedClock
from .sync_support import ADDRESS, Server, dump, server_dump

WORDS = st.sampled_from(["tea", "coffee", "peanuts", "花生酱", "a walk", "xylophone"])
KEYS = st.sampled_from(["user::name", "user::diet", "user::likes", "user::address", "task::a"])
DEVICES = st.integers(0, 2)
FAULTS = ("request lost", "reply lost", "doubled", "killed", "proxy", "expired", "busy")
REFUSED = {"proxy": "not_a_server", "expired": "unauthorized", "busy": "busy"}  # the code a sync ends with
TEN_YEARS_MS = 3650 * DAY_MS
STARTED = 1_790_000_000_000


class DeviceClock:
    def __init__(self, clock: SteppedClock, offset: int) -> None:
        self.clock = clock
        self.offset = offset

    def __call__(self) -> int:
        return self.clock() + self.offset


class Device:
    def __init__(self, clock: SteppedClock, offset: int, token: str) -> None:
        self.clock = DeviceClock(clock, offset)
        self.token = token
        self.memory = MemoryStore(":memory:", clock=self.clock)
        self.running: Any = None  # a sync that stands between two steps
        self.waiting: Any = None  # the call whose answer it waits for
        self.cursor = (0, 0)

    def kill(self) -> None:
        """The process ends; what was committed is there at the next start."""
        self.running = self.waiting = None
        self.memory = MemoryStore(self.memory.database.connection, user_id=None, clock=self.clock)


class Devices(RuleBasedStateMachine):
    """Every rule acts on one device. A sync may stop between any two steps, be repeated, or die there."""

    sessions = Bundle("sessions")
    messages = Bundle("messages")
    facts = Bundle("facts")
    operations = Bundle("operations")
    most_steps = 200  # of a sync

    def __init__(self) -> None:
        super().__init__()
        self.clock = SteppedClock(STARTED)
        self.server = self.make_server()
        self.user = self.server.user("ann")
        self.devices = [
            Device(self.clock, offset, self.server.token(self.user))
            for offset in (-TEN_YEARS_MS, 0, TEN_YEARS_MS)
        ]
        self.expired = self.server.token(self.user, expires_at=STARTED)
        self.said: dict[str, tuple[str, str]] = {}  # message → its session, a text
        other = self.server.user("bob")
        self.other = (other, self.server.token(other))
        stranger = MemoryStore(":memory:", clock=self.clock)
        stranger.set_fact("user::name", "Stranger")
        self.server.sync(stranger, self.other[1])
        self.theirs = server_dump(self.server, other)

    def make_server(self) -> Server:
        return Server(self.clock)

    # -- work --

    @rule(target=sessions, device=DEVICES)
    def create_session(self, device: int) -> str:
        return self.devices[device].memory.create_session().id

    @rule(device=DEVICES, session=sessions, word=WORDS)
    def rename(self, device: int, session: str, word: str) -> None:
        with suppress(PyMemoryError):
            self.devices[device].memory.rename_session(session, word)

    @rule(target=messages, device=DEVICES, session=sessions, word=WORDS)
    def add_message(self, device: int, session: str, word: str) -> str | None:
        self.clock.advance(seconds=1)
        with suppress(PyMemoryError):
            text = f"about {word} {len(self.said)}"
            id = self.devices[device].memory.add_message(session, "user", text).id
            self.said[id] = (session, text)
            return id
        return None

    @rule(device=DEVICES, message=messages, word=WORDS)
    def edit_message(self, device: int, message: str, word: str) -> None:
        with suppress(PyMemoryError):
            self.devices[device].memory.edit_message(message, f"rather {word}")

    @rule(device=DEVICES, message=messages, value=st.sampled_from([-1, 0, 1]))
    def feedback(self, device: int, message: str, value: int) -> None:
        with suppress(PyMemoryError):
            self.devices[device].memory.set_feedback(message, value)

    @rule(device=DEVICES, session=sessions, message=messages)
    def call_tool(self, device: int, session: str, message: str) -> None:
        with suppress(PyMemoryError):
            memory = self.devices[device].memory
            call = memory.add_tool_call(session, "look", {"at": "it"}, message_id=message)
            memory.update_tool_call(call.id, "success", output={"seen": True})

    @rule(target=facts, device=DEVICES, key=KEYS, word=WORDS, source=messages)
    def set_fact(self, device: int, key: str, word: str, source: str) -> str | None:
        self.clock.advance(seconds=1)
        with suppress(PyMemoryError):
            return self.devices[device].memory.set_fact(key, word, source_message_id=source).id
        return None

    @rule(target=facts, device=DEVICES, key=KEYS, word=WORDS)
    def state_fact(self, device: int, key: str, word: str) -> str:
        self.clock.advance(seconds=1)
        return self.devices[device].memory.set_fact(key, word).id

    @rule(target=facts, device=DEVICES, key=KEYS, word=WORDS)
    def propose(self, device: int, key: str, word: str) -> str | None:
        fact = self.devices[device].memory.propose_fact(key, word)
        return fact.id if fact else None

    @rule(target=operations, device=DEVICES, fact=facts, keep=st.booleans())
    def decide(self, device: int, fact: str, keep: bool) -> tuple[int, str] | None:
        memory = self.devices[device].memory
        with suppress(PyMemoryError):
            done = memory.confirm_fact(fact) if keep else memory.reject_fact(fact)
            return device, str(done.operation_id)
        return None

    @rule(device=DEVICES, fact=facts, pinned=st.booleans())
    def pin(self, device: int, fact: str, pinned: bool) -> None:
        with suppress(PyMemoryError):
            self.devices[device].memory.pin_fact(fact, pinned)

    @rule(device=DEVICES, fact=facts)
    def end_fact(self, device: int, fact: str) -> None:
        with suppress(PyMemoryError):
            self.devices[device].memory.end_fact(fact)

    @rule(
        target=operations,
        device=DEVICES,
        what=st.sampled_from(["fact", "message", "session"]),
        fact=facts,
        message=messages,
        session=sessions,
    )
    def forget(self, device: int, what: str, **ids: Any) -> tuple[int, str] | None:
        with suppress(PyMemoryError):
            receipt = self.devices[device].memory.forget(**{f"{what}_id": ids[what]})
            return device, receipt.operation_id
        return None

    @rule(target=operations, device=DEVICES, word=WORDS)
    def forget_text(self, device: int, word: str) -> tuple[int, str]:
        return device, self.devices[device].memory.forget(text=word).operation_id

    @rule(operation=operations)
    def undo(self, operation: tuple[int, str] | None) -> None:
        if operation:
            with suppress(PyMemoryError):
                self.devices[operation[0]].memory.undo(operation[1])

    @rule(device=DEVICES)
    def consolidate(self, device: int) -> None:
        self.devices[device].memory.consolidate()

    @rule(device=DEVICES, take=st.sampled_from(["kept", "lost"]))
    def settle(self, device: int, take: str) -> None:
        memory = self.devices[device].memory
        for conflict in memory.sync_conflicts()[:1]:
            with suppress(PyMemoryError):
                memory.settle_sync_conflict(conflict.id, take)

    @rule(seconds=st.sampled_from([1, 5, 11, 3600]))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds=seconds)

    @rule(device=DEVICES, years=st.sampled_from([-10, 0, 10]))
    def clock_jumps(self, device: int, years: int) -> None:
        self.devices[device].clock.offset = years * 365 * DAY_MS

    # -- syncing, with faults --

    def step(self, device: Device, fault: str = "none") -> bool:
        """One step of a sync: an answer is taken in and the next call made. False at its end."""
        if device.running is None:
            device.running = device.memory.sync_steps(ADDRESS)
            device.waiting = device.running.send(None)
            return True
        answer: Answer | None = None
        if not isinstance(device.waiting, Pause):
            if fault == "request lost":
                return self.cut_off(device)
            token = self.expired if fault == "expired" else device.token
            answer = self.server.send(token, device.waiting)
            if fault == "doubled":
                answer = self.server.send(token, device.waiting)
            if fault == "reply lost":
                return self.cut_off(device)
            if fault == "busy":  # said after the page was taken in, as by something between
                answer = Answer(503, {"retry-after": "0"}, b"")
            if fault == "proxy":
                answer = Answer(200, {"content-type": "text/html"}, b"<html>Log in to the hotel's net</html>")
            if fault == "killed":
                device.kill()
                return False
        try:
            device.waiting = device.running.send(answer)
            return True
        except StopIteration:
            pass
        except SyncError as error:
            if REFUSED.get(fault) != error.code:
                raise
        return self.cut_off(device)

    def cut_off(self, device: Device) -> bool:
        if device.running is not None:
            device.running.close()
        device.running = device.waiting = None
        return False

    @rule(
        device=DEVICES,
        steps=st.integers(1, 4),
        fault=st.sampled_from(["none", "none", *FAULTS]),
    )
    def sync_a_little(self, device: int, steps: int, fault: str) -> None:
        found = self.devices[device]
        for number in range(steps):
            if not self.step(found, fault if number == steps - 1 else "none"):
                break

    @rule(device=DEVICES)
    def sync(self, device: int) -> None:
        self.finish(self.devices[device])

    def finish(self, device: Device) -> None:
        for _ in range(self.most_steps):
            if not self.step(device):
                return
        raise AssertionError("a sync does not end")

    # -- what always holds --

    @invariant()
    def one_value_under_a_single_valued_key(self) -> None:
        for device in self.devices:
            single = [f.key for f in device.memory.list_facts() if f.key in ("user::name", "user::diet")]
            assert len(single) == len(set(single))

    @invariant()
    def the_cursor_never_goes_back(self) -> None:
        for device in self.devices:
            state = sync_rows.get_state(device.memory.database, device.memory.user_id)
            if state is not None:
                place = (state.pass_, state.cursor)
                assert place >= device.cursor
                device.cursor = place

    @invariant()
    def other_users_are_untouched(self) -> None:
        assert server_dump(self.server, self.other[0]) == self.theirs

    def teardown(self) -> None:
        self.converge()
        self.everything_is_the_same()
        self.close()

    def converge(self) -> None:
        """Syncs until nothing moves."""
        for device in self.devices:
            if device.running is not None:
                self.finish(device)
        self.clock.advance(seconds=11)
        for _ in range(12):
            before = self.places()
            for device in self.devices:
                self.finish(device)
            self.the_cursor_never_goes_back()
            if self.places() == before:
                break

    def everything_is_the_same(self) -> None:
        there = server_dump(self.server, self.user)
        for number, device in enumerate(self.devices):
            here = dump(device.memory)
            for kind, rows in there.items():
                lines = [{json.dumps(row, sort_keys=True) for row in found} for found in (here[kind], rows)]
                assert lines[0] == lines[1], (number, kind, lines[0] ^ lines[1])
                assert len(here[kind]) == len(rows)
            status = device.memory.sync_status()
            assert not status.changes, status.changes
            rest = device.memory.database.query("SELECT kind, id, reason, payload_json FROM sync_deferred")
            assert not rest, [tuple(row) for row in rest]
            assert not any(status.waiting[name] for name in ("outbox", "rejected")), status
            conflicts = [memory.memory.sync_conflicts() for memory in (device, self.devices[0])]
            assert conflicts[0] == conflicts[1], conflicts
            kinds = {finding.kind for finding in device.memory.health()}
            assert not kinds & {"orphans", "index_unsound", "damaged", "chain_broken"}, kinds
        gone = self.nothing_forgotten_is_there(there)
        self.nothing_is_lost(there, gone)

    def close(self) -> None:
        for device in self.devices:
            device.memory.close()
        self.server.store.close()

    def places(self) -> list[int]:
        """How far the server and each device have come."""
        with self.server.store.unit(self.user, write=False) as unit:
            return [unit.head().seq, *(device.cursor[1] for device in self.devices)]

    def nothing_forgotten_is_there(self, there: dict[str, list[dict[str, Any]]]) -> set[str]:
        """Returns the ids of what was forgotten."""
        with self.server.store.unit(self.user, write=False) as unit:
            gone = {
                id
                for kind in ("sessions", "messages", "facts", "tool_calls")
                for id in (
                    *(row["id"] for row in there[kind]),
                    *self.said,
                    *(s for s, _ in self.said.values()),
                )
                if (row := unit.row(kind, id)) is not None and row.body is None
            }
            for _, text in unit.changes(0, 1_000_000):
                for stamp in text.split('"stamp":"')[1:]:
                    assert millis_of(stamp[:34]) <= self.clock() + MAX_AHEAD_MS
        for rows in there.values():
            assert not {row.get("id") for row in rows} & gone
            assert not {row.get("message_id") or row.get("session_id") for row in rows} & gone
        for device in self.devices:
            for id in gone:
                assert device.memory.find_message(id) is None
        for device in self.devices:
            gone |= self.forgotten_on(device)
        return gone

    def forgotten_on(self, device: Device) -> set[str]:
        """What was forgotten before it ever left is known to its device alone."""
        return {
            id
            for kind, ids in (("messages", self.said), ("sessions", {s for s, _ in self.said.values()}))
            for id in ids
            if is_forgotten(device.memory.database, self.user, kind, id)
        }

    def nothing_is_lost(self, there: dict[str, list[dict[str, Any]]], gone: set[str]) -> None:
        texts = {row["content"] for row in there["message_versions"]}
        for id, (session, text) in self.said.items():
            assert text in texts or {id, session} & gone


Devices.TestCase.settings = settings(
    max_examples=int(os.environ.get("PY_MEMORY_EXAMPLES", "40")),
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestDevices = Devices.TestCase
