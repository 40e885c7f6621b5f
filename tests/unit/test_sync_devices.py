"""Devices and servers that are not as the others are: with another clock, copied, restored, of another
version, or changing the same at once. Those in the list of faults have its numbers."""

from __future__ import annotations

import dataclasses
import json
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from py_memory import MemoryStore
from py_memory.clock import DAY_MS
from py_memory.errors import NotADatabaseError, SyncError
from py_memory.server.moving import move
from py_memory.server.sqlite_store import SqliteStore
from py_memory.sync import engine, wire
from py_memory.sync.engine import Answer, Call
from py_memory.sync.transport import drive

from .conftest import SteppedClock
from .sync_support import (
    ADDRESS,
    Server,
    cut_off,
    dump,
    filled,
    held,
    lose,
    second,
    server_dump,
)


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


def test_fault_22_what_a_copy_has_sent_before(
    server: Server,
    user: str,
    token: str,
    clock: SteppedClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two changes leave in pages of their own; the copy sends them again under the same numbers and stamps.
    Meanwhile the row of the second was changed elsewhere, and arrives with the answer to the first."""
    memory = filled(clock)
    session, fact = memory.list_sessions()[0].id, memory.set_fact("user::likes", "tea").id
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    with memory.database.transaction():  # its clock was far ahead, so that stamps are counted up
        memory.database.execute("UPDATE sync_state SET hlc = 'f00000000000-0000-' || device")
    memory.pin_fact(fact)
    memory.rename_session(session, "ours")
    copy = copied(memory, tmp_path / "copy.db", clock)
    monkeypatch.setattr(engine, "MAX_PUSH_MUTATIONS", 1)
    server.sync(memory, token)
    server.sync(other, its_token)
    other.rename_session(session, "theirs")
    server.sync(other, its_token)
    server.sync(copy, token)
    assert copy.list_sessions()[0].title == "theirs"
    assert dump(copy) == dump(other) == server_dump(server, user)


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


def test_what_waits_for_a_session_outlives_the_words_of_it(
    server: Server, user: str, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages come a page before their session, whose title was forgotten in between."""
    memory = filled(clock)
    session = memory.list_sessions()[0].id
    memory.rename_session(session, "zebra title")
    server.sync(memory, token)
    memory.forget(text="zebra")
    clock.advance(seconds=11)
    server.sync(memory, token)
    monkeypatch.setattr(engine, "MAX_PULL_ROWS", 3)
    other, _ = second(server, user, clock)
    assert len(other.get_recent_messages(session)) == 5
    assert dump(other) == dump(memory) == server_dump(server, user)


def test_fault_31_forgotten_before_its_text_came(
    server: Server, user: str, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page ends between a message and its text; before the next one the message is forgotten elsewhere."""
    memory = filled(clock, 1)
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    session = memory.list_sessions()[0].id
    said = memory.add_message(session, "user", "a zebra").id
    server.sync(memory, token)
    monkeypatch.setattr(engine, "MAX_PULL_ROWS", 1)

    def cut(call: Call) -> Answer | None:
        found = other.database.query("SELECT 1 FROM messages WHERE id = ?", (said,))
        return lose() if found else None

    server.on_call = cut
    cut_off(server, other, its_token)
    assert other.find_message(said) is None
    assert other.database.query("SELECT 1 FROM messages WHERE id = ?", (said,))
    server.on_call = lambda call: None
    memory.forget(message_id=said)
    clock.advance(seconds=11)
    server.sync(memory, token)
    server.sync(other, its_token)
    assert dump(other) == dump(memory) == server_dump(server, user)


def test_fault_31_forgotten_after_an_import_from_another_device(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    """The device has what it forgets from a file, and hears afterwards that the server has it too."""
    memory = filled(clock)
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    said = memory.add_message(memory.list_sessions()[0].id, "user", "a zebra")
    fact = memory.set_fact("user::likes", "zebras")
    server.sync(memory, token)
    memory.export_to(tmp_path / "exported.db")
    other.import_file(tmp_path / "exported.db")
    other.forget(message_id=said.id)
    other.forget(fact_id=fact.id)
    clock.advance(seconds=11)
    for device, key in ((other, its_token), (memory, token)):
        server.sync(device, key)
    assert "zebra" not in json.dumps(server_dump(server, user))
    assert dump(memory) == dump(other) == server_dump(server, user)


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
