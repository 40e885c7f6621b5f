"""Faults between devices and a server, each by its number in the list of faults."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from py_memory import MemoryStore
from py_memory.clock import DAY_MS
from py_memory.errors import InvalidInputError, NotADatabaseError, SyncError
from py_memory.rows import sync as sync_rows
from py_memory.server.endpoint import Endpoint
from py_memory.server.moving import move
from py_memory.server.sqlite_store import SqliteStore
from py_memory.server.tokens import make_token
from py_memory.sync import engine, outgoing, wire
from py_memory.sync.engine import Answer, Call
from py_memory.sync.transport import drive

from .conftest import SteppedClock
from .sync_support import ADDRESS, Server, dump, server_dump

STORES = ["sqlite", pytest.param("postgres", marks=pytest.mark.cpython)]


@pytest.fixture(params=STORES)
def server(request: pytest.FixtureRequest, clock: SteppedClock) -> Iterator[Server]:
    """Over every kind of store."""
    with ExitStack() as used:
        address = ":memory:"
        if request.param == "postgres":
            address = used.enter_context(request.getfixturevalue("postgres").store())
        server = Server(clock, address)
        used.callback(server.store.close)
        yield server


@pytest.fixture
def user(server: Server) -> str:
    return server.user()


@pytest.fixture
def token(server: Server, user: str) -> str:
    return server.token(user)


def filled(clock: SteppedClock, count: int = 5, offset: int = 0) -> MemoryStore:
    memory = MemoryStore(":memory:", clock=lambda: clock() + offset)
    session = memory.create_session("Chat")
    for number in range(count):
        memory.add_message(session.id, "user", f"message {number}")
        clock.advance(seconds=1)
    return memory


def second(server: Server, user: str, clock: SteppedClock, offset: int = 0) -> tuple[MemoryStore, str]:
    """Another device that has synced once."""
    memory, token = MemoryStore(":memory:", clock=lambda: clock() + offset), server.token(user)
    server.sync(memory, token)
    return memory, token


def cut_off(server: Server, memory: MemoryStore, token: str) -> None:
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "unreachable"


def lose(*_: Any) -> Any:
    raise SyncError("unreachable", "The line is cut.")


def pushes(server: Server) -> list[list[dict[str, Any]]]:
    bodies = [call.body or b"" for call in server.calls if call.method == "POST"]
    return [json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)["push"] for body in bodies]


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


@pytest.mark.parametrize("years", [-10, 10])
def test_fault_20_clock_far_off(
    server: Server, user: str, token: str, clock: SteppedClock, years: int
) -> None:
    right = filled(clock)
    right.set_fact("user::name", "Ann")
    server.sync(right, token)
    wrong, its_token = second(server, user, clock, years * 365 * DAY_MS)
    wrong.set_fact("user::name", "Bea")
    wrong.set_fact("user::name", "Cleo")  # two changes in one millisecond keep their order
    report = server.sync(wrong, its_token)
    assert "clock" in report.clock_note
    clock.advance(seconds=1)
    right.set_fact("user::name", "Dora")
    for device, key in ((right, token), (wrong, its_token), (right, token)):
        server.sync(device, key)
    # The last to be said holds, whatever the clocks show.
    assert [device.get_fact("user::name").value for device in (right, wrong)] == ["Dora", "Dora"]  # type: ignore[union-attr]
    assert dump(right) == dump(wrong) == server_dump(server, user)
    with server.store.unit(user, write=False) as unit:
        for _, text in unit.changes(0, 1000):
            for group in json.loads(text).get("groups", {}).values():
                assert int(group["stamp"][:12], 16) <= clock() + 300_000


def test_fault_20_clock_jumps_back(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    """Changes of one device keep their order, though its clock says otherwise."""
    offset = [0]
    memory = MemoryStore(":memory:", clock=lambda: clock() + offset[0])
    session = memory.create_session("first").id
    server.sync(memory, token)
    for years, title in ((10, "second"), (-10, "third"), (0, "fourth")):
        offset[0] = years * 365 * DAY_MS
        memory.rename_session(session, title)
        server.sync(memory, token)
        assert [row["title"] for row in server_dump(server, user)["sessions"]] == [title]
    other, _ = second(server, user, clock)
    assert other.get_session(session).title == "fourth"
    assert memory.sync_conflicts() == other.sync_conflicts() == []


def copied(memory: MemoryStore, path: Path, clock: SteppedClock) -> MemoryStore:
    """A copy of the file with the state of its syncing."""
    memory.database.image_to(path)
    return MemoryStore(path, clock=clock)


def test_fault_21_device_forked(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    clone = copied(memory, tmp_path / "clone.db", clock)
    memory.set_fact("user::likes", "tea")
    clone.set_fact("user::likes", "coffee")
    server.sync(memory, token)
    report = server.sync(clone, token)
    assert report.restarted
    server.sync(memory, token)
    assert sorted(fact.value for fact in memory.list_facts()) == ["coffee", "tea"]
    assert dump(memory) == dump(clone) == server_dump(server, user)
    devices = {found.sync_status().device for found in (memory, clone)}
    assert len(devices) == 2


def test_fault_22_file_restored_from_a_month_ago(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    old = copied(memory, tmp_path / "old.db", clock)
    session = memory.list_sessions()[0].id
    gone = memory.list_messages(session)[0]
    clock.advance(days=30)
    memory.forget(message_id=gone.id)
    memory.add_message(session, "user", "said since")
    clock.advance(seconds=11)
    server.sync(memory, token)
    old.add_message(session, "user", "said on the restored one")
    server.sync(old, token)
    server.sync(memory, token)
    assert old.find_message(gone.id) is None
    assert old.search(gone.content) == []
    assert dump(old) == dump(memory) == server_dump(server, user)


def test_fault_23_server_restored_from_backup(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    backup = tmp_path / "backup.db"
    kept = SqliteStore(backup)
    move(server.store, kept)
    kept.close()
    session = memory.list_sessions()[0].id
    memory.add_message(session, "user", "after the backup")
    memory.rename_session(session, "renamed after the backup")
    gone = memory.list_messages(session)[0].id
    memory.forget(message_id=gone)
    clock.advance(seconds=11)
    server.sync(memory, token)
    restored = Server(clock, str(backup))
    report = restored.sync(memory, token)
    assert report.restarted
    assert memory.get_session(session).title == "renamed after the backup"
    assert restored.sync(memory, token).pushed == 0
    assert server_dump(restored, user) == dump(memory)
    fresh = MemoryStore(":memory:", clock=clock)
    restored.sync(fresh, restored.token(user))
    assert dump(fresh) == dump(memory)
    assert fresh.find_message(gone) is None


def test_fault_23_a_device_that_comes_later_notices_too(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    backup = tmp_path / "backup.db"
    kept = SqliteStore(backup)
    move(server.store, kept)
    kept.close()
    session = memory.list_sessions()[0].id
    memory.add_message(session, "user", "after the backup")
    server.sync(memory, token)
    server.sync(other, its_token)
    restored = Server(clock, str(backup))
    gone = memory.list_messages(session)[0].id
    memory.forget(message_id=gone)
    clock.advance(seconds=11)
    for number in range(30):  # past the number that the other device has seen
        memory.add_message(session, "user", f"much later {number}")
    restored.sync(memory, token)
    assert restored.sync(other, restored.token(user)).restarted
    assert dump(other) == dump(memory) == server_dump(restored, user)
    assert other.find_message(gone) is None
    assert not restored.sync(memory, token).restarted


def test_fault_24_one_invalid_change_among_many(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock, 50)
    with memory.database.transaction():
        # Such a row can only come from another program.
        id = memory.list_messages(memory.list_sessions()[0].id)[7].id
        memory.database.execute("UPDATE messages SET speaker = 'a' || char(0) || 'b' WHERE id = ?", (id,))
    report = server.sync(memory, token)
    assert report.rejected == 1
    assert [(item["id"], item["code"]) for item in memory.sync_status().rejected] == [(id, "nul")]
    assert len(server_dump(server, user)["messages"]) == 49
    assert server.sync(memory, token).pushed == 0


def test_fault_25_one_row_too_large(
    server: Server, user: str, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "MAX_ROW_BYTES", 100_000)
    memory = filled(clock, 20)
    session = memory.list_sessions()[0].id
    large = memory.add_tool_call(session, "read", {"text": "x" * 110_000})
    report = server.sync(memory, token)
    assert report.rejected == 0
    assert [(i["id"], i["code"]) for i in memory.sync_status().rejected] == [(large.id, "too_large")]
    assert len(server_dump(server, user)["messages"]) == 20
    # What a server finds too large is halved until it is one row.
    tight = memory.add_message(session, "user", "y" * 40_000)
    for number in range(20):
        memory.add_message(session, "user", f"after {number}")
    most = 20_000
    server.on_call = lambda call: (
        Answer(413, {}, b'{"error":{"name":"TooLarge","message":"","max_bytes":20000}}')
        if call.body and len(gzip.decompress(call.body) if call.body[:2] == b"\x1f\x8b" else call.body) > most
        else None
    )
    server.sync(memory, token)
    refused = {item["kind"] for item in memory.sync_status().rejected}
    assert refused == {"tool_calls", "message_versions"}
    assert tight.id in {row["id"] for row in server_dump(server, user)["messages"]}
    assert len(server_dump(server, user)["message_versions"]) == 40
    # A server that takes more, and a row that has become smaller, leave nothing aside.
    server.on_call = lambda call: None
    monkeypatch.undo()
    server.sync(memory, token)
    assert memory.sync_status().rejected == ()
    assert dump(memory) == server_dump(server, user)


def test_fault_25_more_than_a_message_may_have(store: MemoryStore) -> None:
    session = store.create_session().id
    with pytest.raises(InvalidInputError):
        store.add_message(session, "user", "x" * (10 << 20))
    assert store.list_messages(session) == []


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


def test_fault_30_newer_and_older_programs(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    """A column and a kind that this program does not know survive a round trip through it."""
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    newer = wire.SyncRequest(wire.SCHEMA + 1, "f" * 16, None, 0, 500, 1 << 20)
    sessions = [
        row for row in server.endpoint._service.sync(user, newer).changes if row["kind"] == "sessions"
    ]
    group = sessions[0]["groups"]["meta"]
    change = {
        "n": 1,
        "op": "put",
        "kind": "sessions",
        "id": session,
        "stamp": f"{clock():012x}-0000-{'f' * 16}",
        "groups": {"meta": {"colour": "green"}},
        "base": {"meta": group["stamp"]},
    }
    server.endpoint._service.sync(user, dataclasses.replace(newer, push=[change]))
    server.sync(memory, token)
    memory.rename_session(session, "By the older program")
    server.sync(memory, token)
    (row,) = server_dump(server, user)["sessions"]
    assert (row["colour"], row["title"]) == ("green", "By the older program")
    too_old = Answer(426, {}, b'{"error":{"name":"UpdateNeeded","message":"x"}}')
    server.on_answer = lambda call, answer: too_old
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "update_needed"


def test_fault_30_unknown_kinds_wait(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    with server.store.unit(user, write=True) as unit:
        unit.put("dreams", "d1", unit.next_seq(), {"identity": {"text": "flying"}, "groups": {}}, {})
    server.sync(memory, token)
    assert memory.sync_status().waiting["deferred"] == 1
    assert server.sync(memory, token).pulled == 0


def test_fault_31_forgotten_here_changed_there(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    fact = memory.set_fact("user::likes", "marzipan")
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    memory.forget(fact_id=fact.id)
    other.pin_fact(fact.id)
    clock.advance(seconds=11)
    server.sync(memory, token)
    report = server.sync(other, its_token)
    assert report.forgotten == (("facts", fact.id),)
    server.sync(memory, token)
    for device in (memory, other):
        assert device.list_facts(status=None) == []
    assert "marzipan" not in json.dumps(server_dump(server, user))


def test_fault_31_what_waits_goes_with_what_it_waits_for(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    """Its text came before the message, which was forgotten before it came."""
    memory = filled(clock)
    server.sync(memory, token)
    with server.store.unit(user, write=True) as unit:
        version = {"message_id": "m9", "author": "user", "content": "zebra crossing", "created_at": 1}
        body = {"identity": version, "groups": {}}
        unit.put("message_versions", "v9", unit.next_seq(), body, {"message_id": "m9"})
    server.sync(memory, token)
    assert held(memory, "zebra") == ["sync_deferred"]
    with server.store.unit(user, write=True) as unit:
        unit.forget("messages", "m9", unit.next_seq())
    server.sync(memory, token)
    assert held(memory, "zebra") == []
    assert memory.sync_status().waiting["deferred"] == 0


def test_fault_32_concurrent_edits(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    fact = memory.propose_fact("user::diet", "vegan")
    assert fact is not None
    server.sync(memory, token)
    devices = [(memory, token), second(server, user, clock), second(server, user, clock)]
    for number, (device, _) in enumerate(devices):
        device.confirm_fact(fact.id, value=f"diet {number}")
        device.rename_session(device.list_sessions()[0].id, f"title {number}")
        clock.advance(seconds=1)
    for device, key in (*devices, *devices):
        server.sync(device, key)
    for device, _ in devices:
        found = device.sync_conflicts()
        assert device.get_fact("user::diet").value == "diet 2"  # type: ignore[union-attr]
        assert sorted(c.lost["value"] for c in found if c.kind == "facts") == ["diet 0", "diet 1"]
        assert sorted(c.lost["title"] for c in found if c.kind == "sessions") == ["title 0", "title 1"]
    title = next(c for c in memory.sync_conflicts() if c.lost.get("title") == "title 0")
    memory.settle_sync_conflict(title.id, "lost")
    for device, key in (*devices, *devices):
        server.sync(device, key)
    for device, _ in devices:
        assert device.list_sessions()[0].title == "title 0"
        assert title.id not in {conflict.id for conflict in device.sync_conflicts()}


def test_two_current_values_of_one_key(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    memory.set_fact("user::name", "Ann", quote="I am Ann")
    clock.advance(seconds=1)
    other.set_fact("user::name", "Anna", confidence=0.9)
    for device, key in ((memory, token), (other, its_token), (memory, token), (other, its_token)):
        server.sync(device, key)
    for device in (memory, other):
        (conflict,) = device.conflicts()
        assert (conflict.fact.value, conflict.fact.quote) == ("Ann", "I am Ann")
        assert (conflict.other.value, conflict.other.confidence) == ("Anna", 0.9)
        assert device.sync_conflicts() == []
    memory.confirm_fact(memory.conflicts()[0].fact.id)
    for device, key in ((memory, token), (other, its_token)):
        server.sync(device, key)
        assert device.get_fact("user::name").value == "Ann"  # type: ignore[union-attr]
        assert device.conflicts() == []


@pytest.mark.cpython
def test_fault_33_no_row_is_passed_over(server: Server, clock: SteppedClock) -> None:
    """Eight devices write while one reads on from its cursor."""
    user = server.user()
    tokens = [server.token(user) for _ in range(9)]
    devices = [filled(clock, 3) for _ in range(8)]
    reader = MemoryStore(":memory:", clock=clock)
    done = threading.Event()
    failed: list[BaseException] = []

    def send(number: int) -> None:
        try:
            device = devices[number]
            for round in range(6):
                device.add_message(device.list_sessions()[0].id, "user", f"{number} {round}")
                drive(device.sync_steps(ADDRESS), lambda call: server.answer(tokens[number], call))
        except BaseException as error:
            failed.append(error)

    def read() -> None:
        while not done.is_set():
            drive(reader.sync_steps(ADDRESS), lambda call: server.answer(tokens[8], call))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(8)]
    reading = threading.Thread(target=read)
    for thread in (*threads, reading):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    reading.join()
    assert failed == []
    drive(reader.sync_steps(ADDRESS), lambda call: server.answer(tokens[8], call))
    assert server_dump(server, user) == dump(reader)
    assert len(dump(reader)["messages"]) == 8 * 9


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


def test_fault_38_another_users_rows(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    before = server_dump(server, user)
    message = memory.list_messages(memory.list_sessions()[0].id)[0]
    bob = server.user("bob")
    stranger = MemoryStore(":memory:", clock=clock)
    server.sync(stranger, server.token(bob))
    service = server.endpoint._service
    ask = wire.SyncRequest(wire.SCHEMA, "b" * 16, None, 0, 500, 1 << 20)
    stamp = f"{clock():012x}-0000-{'b' * 16}"
    absent = "01890000-0000-7000-8000-000000000000"
    answers = []
    for number, id in enumerate((message.id, absent)):
        push = [
            {"n": 3 * number + 1, "op": "forget", "kind": "messages", "id": id, "stamp": stamp},
            {
                "n": 3 * number + 2,
                "op": "put",
                "kind": "messages",
                "id": id[:-1] + ("8" if id.endswith("9") else "9"),
                "stamp": stamp,
                "groups": {"tags": {"feedback": 1}},
            },
            {"n": 3 * number + 3, "op": "forget", "kind": "conflicts", "id": id, "stamp": stamp},
        ]
        reply = service.sync(bob, dataclasses.replace(ask, push=push))
        answers.append([{**result, "n": 0} for result in reply.results])
        assert message.id not in json.dumps([row for row in reply.changes if not row.get("forgotten")])
    assert answers[0] == answers[1]
    assert server_dump(server, user) == before
    head = service.head(user)
    theirs = wire.SyncRequest(wire.SCHEMA, "c" * 16, (head["epoch"], head["seq"] + 99), 0, 500, 1 << 20)
    status = [
        server.answer(server.token(bob), Call("POST", "/memory/sync", wire.encode(request.to_dict()))).status
        for request in (theirs, dataclasses.replace(theirs, cursor=(head["epoch"], 10**6)))
    ]
    assert status == [410, 410]
    with pytest.raises(SyncError) as caught:
        server.sync(memory, server.token(bob))
    assert caught.value.code == "other_user"
    assert server_dump(server, user) == before


GOOD = {"protocol": 1, "schema": 1, "device": "a" * 16, "cursor": None, "acked": 0, "pull": {}, "push": []}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (gzip.compress(b"0" * (100 << 20), mtime=0), 413),
        (b'{"a":' * 200 + b"1" + b"}" * 200, 400),
        (b'{"protocol": NaN}', 400),
        (b'{"protocol": 1, "protocol": 1}', 400),
        (b"\xed\xa0\x80", 400),
        (gzip.compress(b"{}", mtime=0)[:-3], 400),
        (json.dumps({**GOOD, "device": "A"}).encode(), 400),
        (json.dumps({**GOOD, "cursor": "x.-1"}).encode(), 400),
        (json.dumps({**GOOD, "push": [{"n": 1.5}]}).encode(), 400),
        (json.dumps({**GOOD, "push": [{"n": 2}, {"n": 1}]}).encode(), 400),
        (json.dumps({**GOOD, "push": [{"n": 1}] * 1001}).encode(), 400),
        (json.dumps({**GOOD, "schema": 0}).encode(), 426),
        (json.dumps(GOOD).encode(), 200),
    ],
)
def test_fault_39_bodies_meant_to_harm(server: Server, token: str, body: bytes, status: int) -> None:
    headers = {"content-encoding": "gzip"} if body[:2] == b"\x1f\x8b" else {}
    answer = server.answer(token, Call("POST", "/memory/sync", body, headers))
    assert answer.status == status
    assert status == 200 or set(json.loads(answer.body)["error"]) >= {"name", "message"}


@pytest.mark.cpython
def test_fault_39_a_gzip_bomb_within_a_cap_of_memory(clock: SteppedClock) -> None:
    server = Server(clock)
    token, bomb = server.token(server.user()), gzip.compress(b"[" * (200 << 20), 1, mtime=0)
    tracemalloc.start()
    try:
        answer = server.answer(token, Call("POST", "/memory/sync", bomb, {"content-encoding": "gzip"}))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.status == 413
    assert most < 4 * wire.MAX_BODY_BYTES


@pytest.mark.parametrize("change", ["lone \ud800", 10**40, True, [1], {"a": 1}, float("1e308")])
def test_fault_39_values_meant_to_harm(
    server: Server, user: str, token: str, clock: SteppedClock, change: Any
) -> None:
    push = {
        "n": 1,
        "op": "put",
        "kind": "sessions",
        "id": "s",
        "stamp": f"{clock():012x}-0000-{'a' * 16}",
        "identity": {"created_at": 1},
        "groups": {"meta": {"title": change, "metadata_json": "{}"}, "activity": {"last_active_at": 1}},
    }
    body = json.dumps({**GOOD, "push": [push]}).encode()
    answer = server.answer(token, Call("POST", "/memory/sync", body))
    assert answer.status == 200
    assert json.loads(answer.body)["results"][0]["status"] == "rejected"
    assert server_dump(server, user)["sessions"] == []


def test_changes_to_two_groups_of_one_row(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    session = memory.list_sessions()[0].id
    memory.rename_session(session, "Renamed")
    server.sync(memory, token)
    other.add_message(session, "user", "said meanwhile")
    server.sync(other, its_token)
    assert other.get_session(session).title == "Renamed"
    server.sync(memory, token)
    assert dump(memory) == dump(other) == server_dump(server, user)


# -- what does not leave, and what stays possible --


def test_secrets_and_what_is_for_this_device_stay(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    session = memory.list_sessions()[0].id
    said = memory.add_message(session, "user", "my password is hunter2-Zx81!")
    assert said.has_secret
    memory.add_message(session, "assistant", "I will not keep that.")
    memory.set_fact("user::likes", "quiet", visibility="device")
    memory.set_fact("user::note", "for now", visibility="session")
    memory.add_tool_call(session, "log in", {"password": "hunter2-Zx81!"})
    server.sync(memory, token)
    with server.store.unit(user, write=False) as unit:
        everything = "".join(text for _, text in unit.changes(0, 1000))
    assert "hunter2" not in everything
    assert "quiet" not in everything
    assert "for now" not in everything
    other, _ = second(server, user, clock)
    assert [m.content for m in other.get_recent_messages(session, 2)] == [
        outgoing.HIDDEN,
        "I will not keep that.",
    ]
    assert token not in json.dumps([dict(row) for row in memory.database.query("SELECT * FROM sync_state")])


def test_nothing_is_noted_before_the_first_sync(server: Server, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    assert memory.sync_status().on is False
    assert memory.database.value("SELECT count(*) FROM sync_changes") == 0
    server.sync(memory, token)
    memory.set_fact("user::likes", "tea")
    assert memory.sync_status().changes == {"facts": 1}
    with suppress(ZeroDivisionError), memory.action():
        memory.set_fact("user::likes", "coffee")
        raise ZeroDivisionError
    assert memory.sync_status().changes == {"facts": 1}
    memory.stop_sync()
    memory.set_fact("user::likes", "water")
    assert memory.database.value("SELECT count(*) FROM sync_changes") == 0


def test_a_first_sync_can_be_undone(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    other = filled(clock)
    server.sync(other, server.token(user))
    memory = MemoryStore(tmp_path / "memory.db", clock=clock)
    memory.set_fact("user::name", "Ann")
    report = server.sync(memory, token)
    assert report.backup is not None
    assert memory.list_sessions()
    memory.undo_sync()
    assert memory.list_sessions() == []
    assert [fact.value for fact in memory.list_facts()] == ["Ann"]
    assert memory.sync_status().on is False
    server.sync(memory, token)  # and done again
    assert dump(memory) == server_dump(server, user)


def test_forgetting_takes_the_copy_from_before_the_sync(
    server: Server, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = MemoryStore(tmp_path / "memory.db", clock=clock)
    fact = memory.set_fact("user::likes", "marzipan")
    backup = server.sync(memory, token).backup
    assert backup is not None
    memory.forget(fact_id=fact.id)
    assert not Path(backup).exists()


def test_what_can_be_undone_is_not_sent_as_forgotten(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    session = memory.list_sessions()[0].id
    server.sync(memory, token)
    receipt = memory.delete_session(session)
    server.sync(memory, token)
    assert server_dump(server, user)["sessions"]
    memory.undo(receipt.operation_id)
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)
    assert memory.get_session(session).title == "Chat"


def test_forgotten_words_of_a_session_leave_every_list_of_conflicts_and_the_server(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    (other, its_token), (third, third_token) = second(server, user, clock), second(server, user, clock)
    server.sync(other, its_token)
    server.sync(third, third_token)
    memory.rename_session(session, "A surprise party")
    third.rename_session(session, "A surprise party")
    third.forget(text="surprise")
    clock.advance(seconds=11)
    other.rename_session(session, "Tea")
    server.sync(memory, token)
    server.sync(other, its_token)
    assert [conflict.lost["title"] for conflict in other.sync_conflicts()] == ["A surprise party"]
    server.sync(third, third_token)
    assert server_dump(server, user)["sessions"][0]["title"] is None
    server.sync(memory, token)
    server.sync(other, its_token)
    assert [device.sync_conflicts() for device in (memory, other, third)] == [[], [], []]
    assert {device.get_session(session).title for device in (memory, other, third)} == {None}


def test_a_clock_that_goes_back_holds_no_forgetting_up(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    memory.delete_session(memory.list_sessions()[0].id)
    clock.advance(days=-3650)
    server.sync(memory, token)
    assert server_dump(server, user)["sessions"] == []


def test_the_store_of_a_server_is_refused_as_a_memory(tmp_path: Path) -> None:
    MemoryStore(tmp_path / "memory.db").close()
    with pytest.raises(NotADatabaseError, match="not a sync store"):
        SqliteStore(tmp_path / "memory.db")


# -- forgetting, while something is on its way or set aside --


def held(memory: MemoryStore, text: str) -> list[str]:
    """Tables that hold a text."""
    names = [
        row[0]
        for row in memory.database.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%' "
            "UNION SELECT name FROM sqlite_master WHERE name GLOB 'sync_*' AND type = 'table'"
        )
    ]
    return [
        name
        for name in names
        if any(text in str(tuple(row)) for row in memory.database.query(f"SELECT * FROM {name}"))
    ]


def kept_back(server: Server, memory: MemoryStore, token: str, *, arrives: bool) -> None:
    """A page is made; its request, or the answer to it, is lost."""
    if arrives:
        server.on_answer = lambda call, answer: lose() if call.method == "POST" else answer
    else:
        server.on_call = lambda call: lose() if call.method == "POST" else None
    cut_off(server, memory, token)
    server.on_call, server.on_answer = lambda call: None, lambda call, answer: answer


@pytest.mark.parametrize("arrives", [False, True])
@pytest.mark.parametrize("what", ["text", "message", "session"])
def test_what_is_forgotten_while_it_is_on_its_way_does_not_leave(
    server: Server, user: str, token: str, clock: SteppedClock, arrives: bool, what: str
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.create_session("Zoo")
    said = memory.add_message(session.id, "user", "a zebra")
    later = memory.add_message(memory.list_sessions()[1].id, "user", "something else")
    kept_back(server, memory, token, arrives=arrives)
    assert "sync_outbox" in held(memory, "zebra")
    named = {"text": "zebra", "message": said.id, "session": session.id}[what]
    receipt = memory.forget(**{what if what == "text" else f"{what}_id": named})  # type: ignore[arg-type]
    assert held(memory, "zebra") == []
    server.calls.clear()
    server.sync(memory, token)  # still undoable: neither sent nor forgotten there
    assert "zebra" not in json.dumps(pushes(server))
    assert later.id in {row["id"] for row in server_dump(server, user)["messages"]}
    clock.advance(seconds=11)
    server.sync(memory, token)
    assert "zebra" not in json.dumps(pushes(server))
    assert held(memory, "zebra") == []
    assert dump(memory) == server_dump(server, user)
    assert memory.sync_conflicts() == []
    assert receipt.counts["messages"] == 1


@pytest.mark.parametrize("arrives", [False, True])
@pytest.mark.parametrize("between", [False, True])
def test_what_comes_back_by_undo_leaves_again(
    server: Server, user: str, token: str, clock: SteppedClock, arrives: bool, between: bool
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    memory.add_message(memory.list_sessions()[0].id, "user", "a zebra")
    memory.rename_session(memory.list_sessions()[0].id, "zebra title")
    kept_back(server, memory, token, arrives=arrives)
    receipt = memory.forget(text="zebra")
    if between:
        server.sync(memory, token)
    memory.undo(receipt.operation_id)
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)
    assert [row["content"] for row in dump(memory)["message_versions"]].count("a zebra") == 1
    assert dump(memory)["sessions"][0]["title"] == "zebra title"
    assert memory.sync_conflicts() == []


def test_words_of_an_earlier_state_on_its_way_are_forgotten(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    memory.rename_session(session, "A zebra party")
    kept_back(server, memory, token, arrives=False)
    memory.rename_session(session, "Tea")
    memory.forget(text="zebra")
    assert held(memory, "zebra") == []
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)


@pytest.mark.parametrize("arrives", [False, True])
def test_forgetting_while_an_answer_is_awaited(
    server: Server, user: str, token: str, clock: SteppedClock, arrives: bool
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    fact = memory.set_fact("user::likes", "zebras")
    memory.add_message(session, "user", "something else")
    forgotten: list[str] = []

    def forget(call: Call) -> Answer | None:
        if call.method == "POST" and not forgotten:
            forgotten.append(memory.forget(fact_id=fact.id).operation_id)
            return None if arrives else Answer(503, {"retry-after": "0"}, b"")
        return None

    server.on_call = forget
    server.sync(memory, token)
    assert "zebras" not in json.dumps(pushes(server)[2:])
    clock.advance(seconds=11)
    server.sync(memory, token)
    assert held(memory, "zebras") == []
    assert dump(memory) == server_dump(server, user)


def test_what_was_set_aside_is_forgotten_too(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    """Refused, waiting for something else, or lost against another device: none keeps forgotten words."""
    memory = filled(clock)
    said = memory.add_message(memory.list_sessions()[0].id, "user", "a zebra")
    fact = memory.propose_fact("user::diet", "tea")
    assert fact is not None
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    for device, value in ((memory, "zebra steak"), (other, "okapi")):
        device.confirm_fact(fact.id, value=value)
        clock.advance(seconds=1)
    with memory.database.transaction():
        memory.database.execute(
            "UPDATE messages SET speaker = 'zebra' || char(0) || 'b' WHERE id = ?", (said.id,)
        )
        memory.database.execute("UPDATE messages SET intent = 'a' || char(0) WHERE id = ?", (said.id,))
    with server.store.unit(user, write=True) as unit:
        unit.put("dreams", "d1", unit.next_seq(), {"identity": {"text": "zebra"}, "groups": {}}, {})
        version = {"message_id": "m9", "author": "user", "content": "zebra crossing", "created_at": 1}
        unit.put(
            "message_versions",
            "v9",
            unit.next_seq(),
            {"identity": version, "groups": {}},
            {"message_id": "m9"},
        )
    for device, key in ((memory, token), (other, its_token), (memory, token)):
        server.sync(device, key)
    assert {"sync_conflicts", "sync_deferred"} <= set(held(memory, "zebra"))
    assert said.id in {item["id"] for item in memory.sync_status().rejected}
    receipt = memory.forget(text="zebra")
    clock.advance(seconds=1)
    assert held(memory, "zebra") == []
    memory.undo(receipt.operation_id)
    assert {"sync_conflicts", "sync_deferred"} <= set(held(memory, "zebra"))
    assert said.id in {item["id"] for item in memory.sync_status().rejected}
    server.sync(memory, token)
    assert len(memory.sync_conflicts()) == 1
    memory.forget(text="zebra")
    server.sync(memory, token)
    clock.advance(seconds=11)
    server.sync(memory, token)
    server.sync(other, its_token)
    memory.compact()
    assert held(memory, "zebra") == []
    assert memory.sync_status().rejected == ()
    assert memory.sync_conflicts() == other.sync_conflicts() == []
    with server.store.unit(user, write=False) as unit:
        kinds = {json.loads(text)["kind"] for _, text in unit.changes(0, 1000) if "zebra" in text}
    assert kinds == {"dreams"}  # of a program that knows what it is


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Request Entity Too Large</html>",
        b"{}",
        b'{"error":{"name":"TooLarge","message":"x"}}',
        b'{"error":{"name":"TooLarge","message":"x","max_bytes":8388608}}',
    ],
)
def test_what_others_find_too_large_is_not_set_aside(
    server: Server, user: str, token: str, clock: SteppedClock, body: bytes
) -> None:
    memory = filled(clock)
    server.on_call = lambda call: Answer(413, {}, body) if call.method == "POST" else None
    for _ in range(2):
        with pytest.raises(SyncError, match="too large"):
            server.sync(memory, token)
        assert memory.sync_status().rejected == ()
    server.on_call = lambda call: None
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)


def test_a_row_that_shrinks_a_thousandfold_travels(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock, 1)
    memory.add_tool_call(memory.list_sessions()[0].id, "read", {"text": "\n" * 500_000})
    memory.add_tool_call(memory.list_sessions()[0].id, "read", {"text": "\n" * 500_000})
    server.sync(memory, token)
    assert memory.sync_status().rejected == ()
    assert dump(memory) == server_dump(server, user)


def test_what_is_forgotten_elsewhere_leaves_the_copy_from_before_the_sync(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = MemoryStore(tmp_path / "memory.db", clock=clock)
    fact = memory.set_fact("user::likes", "marzipan")
    backup = server.sync(memory, token).backup
    assert backup is not None
    other, its_token = second(server, user, clock)
    other.set_fact("user::likes", "tea")
    server.sync(other, its_token)
    server.sync(memory, token)
    assert Path(backup).exists()
    other.forget(fact_id=fact.id)
    clock.advance(seconds=11)
    server.sync(other, its_token)
    server.sync(memory, token)
    assert not Path(backup).exists()
    assert memory.sync_status().backup is None


def test_no_copy_from_before_the_sync_is_left_alone(
    server: Server, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = MemoryStore(tmp_path / "memory.db", clock=clock)
    memory.set_fact("user::likes", "marzipan")
    for end in (memory.undo_sync, memory.stop_sync):
        backup = server.sync(memory, token).backup
        assert backup is not None
        end()
        assert not Path(backup).exists()
    Path(backup).write_bytes(b"marzipan")  # one that an end in the middle has left
    memory.forget(text="marzipan")
    assert not Path(backup).exists()


@pytest.mark.parametrize("changed", [False, True])
def test_an_answer_that_leads_no_further_ends_the_sync(
    server: Server, token: str, clock: SteppedClock, changed: bool
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    if changed:
        memory.rename_session(memory.list_sessions()[0].id, "Waits")
    known = sync_rows.get_state(memory.database, memory.user_id)
    assert known is not None

    def stand_still(call: Call, answer: Answer) -> Answer:
        if call.method != "POST":
            return answer
        assert len(server.calls) < 50
        found = json.loads(answer.body) | {"has_more": True, "last_n": known.acked_n, "changes": []}
        found["cursor"] = f"{known.epoch}.{known.cursor}"
        return dataclasses.replace(answer, body=json.dumps(found).encode())

    server.on_answer = stand_still
    with pytest.raises(SyncError, match="no further"):
        server.sync(memory, token)
    server.on_answer = lambda call, answer: answer
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, memory.user_id)


_STAMP = "0199c1d27c1e-0000-7f3a9c02d1e84b66"
_LOST = {"row_kind": "facts", "memory_id": "x", "part": "state", "stamp": _STAMP, "values_json": "{}"}


def _lost(**changed: Any) -> dict[str, Any]:
    row = {"kind": "conflicts", "id": "c1", "seq": 1, "identity": _LOST | changed, "groups": {}}
    return {"changes": [row]}


@pytest.mark.parametrize(
    "odd",
    [
        *(
            {"results": [{"n": n, **result} for n in range(1, 30)]}
            for result in (
                {"status": "conflict", "row": {"x": 1}},
                {"status": "conflict", "row": {"kind": "facts", "id": "x", "seq": 1, "forgotten": True}},
                {"status": "applied", "stamps": 5},
                {"status": "applied", "stamps": {"state": [1]}},
                {"status": []},
                {},
            )
        ),
        _lost(values_json="{"),
        _lost(values_json="[]"),
        _lost(stamp="zz"),
        _lost(part=1),
        {"changes": [{"kind": "sessions", "id": "\ud800", "seq": 1, "identity": {}, "groups": {}}]},
    ],
)
def test_nothing_is_taken_from_an_odd_answer(
    server: Server, user: str, token: str, clock: SteppedClock, odd: dict[str, Any]
) -> None:
    memory = filled(clock)
    server.on_answer = lambda call, answer: (
        dataclasses.replace(answer, body=json.dumps(json.loads(answer.body) | odd).encode())
        if call.method == "POST"
        else answer
    )
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "not_a_server"
    server.on_answer = lambda call, answer: answer
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)


@pytest.mark.parametrize("after", ["\u00b2", "-1", "x", "9" * 400])
def test_an_odd_time_to_wait(
    server: Server, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    memory = filled(clock)
    server.on_call = lambda call: Answer(429, {"retry-after": after}, b"")
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "busy"


def test_a_servers_message_steers_no_terminal(server: Server, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    said = json.dumps({"error": {"name": "x", "message": "\x1b[2Jfull \u202e\x07up"}}).encode()
    server.on_call = lambda call: Answer(507, {}, said)
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert str(caught.value).isprintable()
    assert "full up" in str(caught.value)


SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


def test_no_secret_leaves_in_anything_else(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    kept = memory.set_fact("user::note", SECRET)
    plain = memory.set_fact("user::name", "Ann", quote=f"I am Ann, my key is {SECRET}")
    turned = memory.propose_fact("user::diet", "vegan")
    assert turned is not None
    session = memory.create_session(f"The key {SECRET}", metadata={"api_key": SECRET, "colour": "green"})
    said = memory.add_message(session.id, "user", f"it is {SECRET}")
    with memory.database.transaction():  # as a program that did not know this kind has left it
        memory.database.execute("UPDATE messages SET has_secret = 0 WHERE id = ?", (said.id,))
    server.sync(memory, token)
    memory.confirm_fact(turned.id, value=SECRET)
    memory.rename_session(session.id, f"Again {SECRET}")
    server.sync(memory, token)
    there = server_dump(server, user)
    assert SECRET not in json.dumps(there)
    assert kept.id not in {row["id"] for row in there["facts"]}
    assert next(row["value"] for row in there["facts"] if row["id"] == plain.id) == "Ann"
    titles = {row["title"]: row["metadata_json"] for row in there["sessions"]}
    assert json.loads(titles[f"Again {outgoing.HIDDEN}"])["colour"] == "green"
    assert server.sync(memory, token).pushed == 0
    assert memory.get_session(session.id).title == f"Again {SECRET}"
    assert {fact.value for fact in memory.list_facts()} == {SECRET, "Ann"}


def test_keys_and_prefixes_that_hold_a_text_go_with_it(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    memory.register_namespace("zebra::")
    memory.register_namespace("user::zebra-food", single_valued=False)
    memory.register_namespace("zebra-house::")
    for key in ("user::ZEBRA", "zebra::stripes", "user::zebra-food", "user::note::the zebra"):
        memory.set_fact(key, "many")
    memory.set_fact("zebra-house::keeper", "Ann")
    memory.set_fact("user::name", "Ann")
    server.sync(memory, token)
    receipt = memory.forget(text="zebra")
    assert [fact.key for fact in memory.list_facts(status=None)] == ["user::name"]
    assert memory.search("zebra") == []
    # The chain of events names what it is about, as it names the ids of rows.
    assert {*held(memory, "zebra"), *held(memory, "ZEBRA")} <= {"events", "event_salts"}
    memory.undo(receipt.operation_id)
    assert len(memory.list_facts()) == 6
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)
    assert memory.forget(text="name").counts == {}
