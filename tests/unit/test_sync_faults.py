"""Faults between devices and a server, each by its number in the list of faults: of the line, and
of a device or a server that stops in the middle. More of them are in test_sync_devices.py and in
test_sync_harm.py."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from py_memory import MemoryStore
from py_memory.errors import SyncError
from py_memory.rows import sync as sync_rows
from py_memory.server.endpoint import Endpoint
from py_memory.server.sqlite_store import SqliteStore
from py_memory.server.tokens import make_token
from py_memory.sync import engine
from py_memory.sync.engine import Answer, Call

from .conftest import SteppedClock
from .sync_support import (
    Server,
    cut_off,
    dump,
    filled,
    lose,
    pushes,
    second,
    server_dump,
)


def test_fault_14_request_lost(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.on_call = lambda call: lose() if call.method == "POST" else None
    cut_off(server, memory, token)
    server.on_call = lambda call: None
    server.sync(memory, token)
    first, second = pushes(server)[:2]
    assert first == second != []
    assert server_dump(server, user) == dump(memory)


def test_fault_15_reply_lost_after_commit(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    session = memory.list_sessions()[0].id
    memory.rename_session(session, "Mine")
    clock.advance(seconds=1)
    other.rename_session(session, "Theirs")
    server.sync(memory, token)
    server.on_answer = lambda call, answer: lose() if call.method == "POST" else answer
    cut_off(server, other, its_token)
    server.on_answer = lambda call, answer: answer
    server.sync(other, its_token)
    server.sync(memory, token)
    for device in (memory, other):
        assert device.get_session(session).title == "Theirs"
        assert [conflict.lost["title"] for conflict in device.sync_conflicts()] == ["Mine"]


@pytest.mark.cpython
def test_fault_16_request_doubled_in_parallel(server: Server, clock: SteppedClock) -> None:
    user = server.user()
    token, memory = server.token(user), filled(clock, 50)
    answers: list[Answer] = []

    def twice(call: Call) -> Answer | None:
        if call.method != "POST":
            return None
        both = [threading.Thread(target=lambda: answers.append(server.answer(token, call))) for _ in "ab"]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        return answers[-1]

    server.on_call = twice
    server.sync(memory, token)
    assert {answer.status for answer in answers} == {200}
    assert server_dump(server, user) == dump(memory)
    assert server.endpoint._service.head(user)["seq"] == sum(map(len, dump(memory).values()))


@pytest.mark.parametrize(
    "broken",
    [b"", b"<html>Log in</html>", b'{"protocol":1', b"[]", b'{"protocol": 2}', b"\xff\xfe", b"[" * 100_000],
)
def test_fault_17_answer_of_something_else(
    server: Server, user: str, token: str, clock: SteppedClock, broken: bytes
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    memory.add_message(memory.list_sessions()[0].id, "user", "one more")
    server.sync(memory, token)
    before, state = dump(other), sync_rows.get_state(other.database, user)
    for method in ("GET", "POST"):
        server.on_answer = lambda call, answer, method=method: (
            dataclasses.replace(answer, body=broken) if call.method == method else answer
        )
        with pytest.raises(SyncError) as caught:
            server.sync(other, its_token)
        assert caught.value.code == "not_a_server"
        assert dump(other) == before
        assert sync_rows.get_state(other.database, user) == state
    server.on_answer = lambda call, answer: dataclasses.replace(answer, body=answer.body[:-9])
    with pytest.raises(SyncError):
        server.sync(other, its_token)
    server.on_answer = lambda call, answer: answer
    server.sync(other, its_token)
    assert dump(other) == dump(memory)


def test_fault_18_crash_between_page_and_cursor(
    server: Server, user: str, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    other = MemoryStore(":memory:", clock=clock)
    its_token = server.token(user)
    really = sync_rows.set_state

    def crash(db: Any, user_id: str, **values: Any) -> None:
        if values.get("cursor"):
            raise KeyboardInterrupt
        really(db, user_id, **values)

    with monkeypatch.context() as crashing:
        crashing.setattr(sync_rows, "set_state", crash)
        with pytest.raises(KeyboardInterrupt):
            server.sync(other, its_token)
    assert other.list_sessions() == []
    server.sync(other, its_token)
    assert dump(other) == dump(memory)


def test_fault_19_edit_while_a_push_is_under_way(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    memory.rename_session(session, "first")
    edited: list[str] = []

    def edit(call: Call, answer: Answer) -> Answer:
        if call.method == "POST" and not edited:
            edited.append(memory.rename_session(session, "second").id)
        return answer

    server.on_answer = edit
    server.sync(memory, token)
    assert memory.get_session(session).title == "second"
    assert server_dump(server, user) == dump(memory)
    assert memory.sync_conflicts() == []


_SYNCING = """
import sys
from py_memory import MemoryStore
from py_memory.sync import engine
engine.MAX_PUSH_MUTATIONS = engine.MAX_PULL_ROWS = 25
store = MemoryStore(sys.argv[1])
print("ready", flush=True)
print(store.sync(sys.argv[2], sys.argv[3]).pushed, flush=True)
"""


@pytest.mark.cpython
def test_fault_26_first_sync_killed_again_and_again(tmp_path: Path) -> None:
    from py_memory.server.site import SiteServer

    site = tmp_path / "site"
    site.mkdir()
    (site / "policy.json").write_text("{}")
    store = SqliteStore(tmp_path / "sync.db")
    user = store.add_user("ann", 1)
    running = SiteServer(site, endpoint=Endpoint(store, per_minute=1_000_000))
    threading.Thread(target=running.serve_forever, daemon=True).start()
    token = make_token(store, user.id, 1)
    memory = MemoryStore(tmp_path / "memory.db")
    session = memory.create_session("Long")
    with memory.action():
        for number in range(500):
            memory.add_message(session.id, "user", f"message {number}")
    memory.close()
    command = [sys.executable, "-c", _SYNCING, str(tmp_path / "memory.db"), running.url, token]
    killed = 0
    try:
        for number in range(12):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.08 + 0.03 * (number % 5))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                killed += 1
            else:
                assert process.returncode == 0
                break
        memory = MemoryStore(tmp_path / "memory.db")
        memory.sync(running.url, token)
        other = MemoryStore(tmp_path / "other.db")
        other.sync(running.url, make_token(store, user.id, 1))
    finally:
        running.shutdown()
        running.server_close()
    assert killed >= 3
    assert dump(memory) == dump(other)
    assert len(dump(other)["messages"]) == 500
    assert memory.database.integrity_check() == []


def test_fault_27_token_expired_in_the_middle(server: Server, user: str, clock: SteppedClock) -> None:
    memory = filled(clock, 5)
    token = server.token(user, expires_at=clock() + 1000)
    server.on_call = lambda call: clock.advance(seconds=2) if call.method == "POST" else None
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "unauthorized"
    assert sum(memory.sync_status().waiting.values()) > 0
    server.on_call = lambda call: None
    server.sync(memory, server.token(user))
    assert server_dump(server, user) == dump(memory)


def test_fault_28_revoked_device(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    assert server.store.revoke(token.split("_")[1], clock())
    memory.add_message(memory.list_sessions()[0].id, "user", "still here")
    server.calls.clear()
    with pytest.raises(SyncError, match="revoked") as caught:
        server.sync(memory, token)
    assert caught.value.code == "forbidden"
    assert len(server.calls) == 1  # no loop
    assert memory.search("still here")
    only_reads = server.token(user, scope="pull")
    with pytest.raises(SyncError) as caught:
        server.sync(memory, only_reads)
    assert caught.value.code == "forbidden"


def test_fault_29_asked_to_wait(
    server: Server, user: str, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    memory = filled(clock)
    busy = [Answer(503, {"retry-after": "7"}, b""), Answer(429, {"retry-after": "3"}, b"{}")]
    server.on_call = lambda call: busy.pop() if busy and call.method == "POST" else None
    server.sync(memory, token)
    assert [
        at_least <= seconds <= at_least * 1.3 for at_least, seconds in zip((3, 7), slept, strict=True)
    ] == [
        True,
        True,
    ]
    server.on_call = lambda call: Answer(503, {"retry-after": "3600"}, b"")
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert (caught.value.code, caught.value.retry_after) == ("busy", 3600)
    # As a date: after the answer's own, or after the server's time as it is known here.
    said: dict[str, str] = {}
    server.on_call = lambda call: Answer(503, dict(said), b"")
    for date, seconds in (
        ("Tue, 22 Sep 2026 07:30:00 GMT", 1800.0),
        ("Tue, 22 Sep 2026 08:30:00 GMT", 1.0),
        ("", 1_790_064_000 - clock() / 1000),
    ):
        said |= {"retry-after": "Tue, 22 Sep 2026 08:00:00 GMT", "date": date}
        with pytest.raises(SyncError) as caught:
            server.sync(memory, token)
        assert caught.value.retry_after == pytest.approx(seconds, abs=1)


def test_fault_29_a_long_sync_is_asked_to_wait_again_and_again(
    server: Server, user: str, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that lets few requests through slows a first sync down, and does not end it."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(engine, "MAX_PUSH_MUTATIONS", 2)
    memory = filled(clock, 20)
    asked: list[int] = []

    def every_other(call: Call) -> Answer | None:
        asked.append(1)
        return Answer(429, {"retry-after": "1"}, b"{}") if len(asked) % 2 else None

    server.on_call = every_other
    server.sync(memory, token)
    assert len(slept) > engine.MAX_PAUSES
    assert server_dump(server, user) == dump(memory)


def test_fault_37_disk_full_on_the_server(tmp_path: Path, clock: SteppedClock) -> None:
    server = Server(clock, str(tmp_path / "sync.db"))
    assert isinstance(server.store, SqliteStore)
    user = server.user()
    token, memory = server.token(user), filled(clock)
    server.sync(memory, token)
    before = server_dump(server, user)
    pages = server.store._db.execute("PRAGMA page_count").fetchone()[0]
    server.store._db.execute(f"PRAGMA max_page_count={pages}").fetchall()
    memory.add_message(memory.list_sessions()[0].id, "user", "z" * 200_000)
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "quota"
    assert server_dump(server, user) == before
    assert server.store.is_sound()
    server.store._db.execute("PRAGMA max_page_count=1000000").fetchall()
    server.sync(memory, token)
    assert server_dump(server, user) == dump(memory)
