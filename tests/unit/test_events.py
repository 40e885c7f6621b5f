"""The chain of events notices careless edits, and forgetting does not break it."""

# ruff: noqa: E501, PT012 - a case is one line; the whole block of a transaction is what raises

from __future__ import annotations

import hashlib

import pytest

from py_memory import MemoryStore, trace
from py_memory.records import ChainReport

from .conftest import SteppedClock


@pytest.fixture
def busy(store: MemoryStore) -> MemoryStore:
    session = store.create_session("Busy")
    message = store.add_message(session.id, "user", "I moved to Chengdu")
    store.edit_message(message.id, "I moved to Chengdu in May")
    store.set_fact("user::home", "Chengdu", source_message_id=message.id)
    store.set_feedback(message.id, 1)
    store.set_setting("theme", "dark")
    store.register_namespace("trip::")
    store.record_uses(message.id, [("messages", message.id, "itself")])
    store.end_session(session.id)
    return store


def test_every_change_is_an_event(busy: MemoryStore) -> None:
    kinds = [
        (row["kind"], row["subject_kind"]) for row in busy.database.query("SELECT * FROM events ORDER BY seq")
    ]
    assert kinds == [
        ("added", "sessions"),
        ("added", "messages"),
        ("edited", "messages"),
        ("stated", "facts"),
        ("tagged", "messages"),
        ("set", "settings"),
        ("registered", "namespaces"),
        ("rested on", "messages"),
        ("ended", "sessions"),
    ]
    assert busy.verify() == ChainReport(ok=True, count=len(kinds))


def test_a_refused_change_leaves_no_event(busy: MemoryStore) -> None:
    before = busy.verify().count
    with pytest.raises(ValueError, match="stop"), busy.action():
        busy.create_session()
        raise ValueError("stop")
    assert busy.verify().count == before


def tampered(store: MemoryStore, *changes: str) -> ChainReport:
    with store.database.transaction():
        for change in changes:
            store.database.execute(change)
    return store.verify()


def id_of(store: MemoryStore, seq: int) -> str:
    return str(store.database.value("SELECT id FROM events WHERE seq = ?", (seq,)))


COPY = (
    "INSERT INTO events SELECT {seq}, 'copy', user_id, created_at, device, kind, subject_kind, subject_id, "
    "content_hash, chain_hash FROM events WHERE seq = 4"
)


@pytest.mark.parametrize(
    ("changes", "problem", "seq"),
    [
        (["UPDATE events SET kind = 'removed' WHERE seq = 3"], "changed", 3),
        (["UPDATE events SET created_at = created_at + 1 WHERE seq = 1"], "changed", 1),
        (["UPDATE events SET content_hash = '' WHERE seq = 9"], "changed", 9),
        (["UPDATE events SET subject_id = 'x' WHERE seq = 3"], "changed", 3),
        (["UPDATE events SET chain_hash = 'x' WHERE seq = 5"], "changed", 5),
        (["UPDATE events SET user_id = 'x' WHERE seq = 5", "UPDATE events SET kind = 'x' WHERE seq = 7"], "changed", 5),
        (["DELETE FROM events WHERE seq = 2"], "removed", 3),
        (["DELETE FROM events WHERE seq = 1"], "removed", 2),
        (["DELETE FROM events WHERE seq BETWEEN 3 AND 5"], "removed", 6),
        (["DELETE FROM events WHERE seq = 9"], "removed", 9),
        (["DELETE FROM events WHERE seq >= 7"], "removed", 7),
        (["DELETE FROM events"], "removed", 1),
        ([COPY.format(seq=10)], "inserted", 10),
        (["UPDATE events SET seq = -seq WHERE seq > 5", COPY.format(seq=6), "UPDATE events SET seq = 1 - seq WHERE seq < 0"], "inserted", 6),
        (["UPDATE events SET seq = -4 WHERE seq = 4", "UPDATE events SET seq = 4 WHERE seq = 5", "UPDATE events SET seq = 5 WHERE seq = -4"], "reordered", 4),
        (["UPDATE events SET seq = -2 WHERE seq = 2", "UPDATE events SET seq = 2 WHERE seq = 7", "UPDATE events SET seq = 7 WHERE seq = -2"], "reordered", 2),
        (["UPDATE events SET seq = 20 WHERE seq = 3"], "reordered", 4),
    ],
)  # fmt: skip
def test_a_careless_edit_shows_and_is_named(
    busy: MemoryStore, changes: list[str], problem: str, seq: int
) -> None:
    report = tampered(busy, *changes)
    assert (report.ok, report.problem, report.first_bad_seq) == (False, problem, seq)
    there = busy.database.one("SELECT id FROM events WHERE seq = ?", (seq,))
    assert report.event_id == (there["id"] if there else None)
    assert [finding.kind for finding in busy.health()].count("chain_broken") == 1


def test_what_was_removed_at_the_end_still_shows_after_new_events(busy: MemoryStore) -> None:
    assert not tampered(busy, "DELETE FROM events WHERE seq >= 8").ok
    busy.set_setting("theme", "light")
    report = busy.verify()
    assert (report.ok, report.problem, report.first_bad_seq) == (False, "removed", 10)


# -- checkpoints --


def after_months(store: MemoryStore, clock: SteppedClock, months: int = 3) -> None:
    for month in range(months):
        for number in range(4):
            store.set_setting(f"n{number}", month)
        clock.advance(days=31)
        store.idle_work(1)


def checkpoints(store: MemoryStore) -> list[int]:
    rows = store.database.query("SELECT seq FROM events WHERE kind = 'checkpoint' ORDER BY seq")
    return [row["seq"] for row in rows]


def test_events_of_past_months_are_folded(store: MemoryStore, clock: SteppedClock) -> None:
    after_months(store, clock, months=8)
    report = store.verify()
    assert report.ok
    assert report.count + report.folded == 32
    assert report.count <= 8
    assert 3 <= len(checkpoints(store)) <= 8
    assert store.database.value("SELECT count(*) FROM event_salts") == report.count


def test_a_busy_month_is_folded_slice_by_slice_into_one(
    store: MemoryStore, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "FOLDED_AT_ONCE", 5)
    for number in range(12):
        store.set_setting("n", number)
    clock.advance(days=31)
    for number in range(7):
        store.set_setting("n", number)
    clock.advance(days=62)
    slices = 1
    while store.idle_work(1):
        slices += 1
    assert slices == 6
    assert checkpoints(store) == [12, 19]
    assert (store.verify().ok, store.verify().count, store.verify().folded) == (True, 0, 19)
    store.set_setting("n", 1)
    assert store.verify().ok


def test_tidying_up_folds_all_that_is_due(
    store: MemoryStore, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "FOLDED_AT_ONCE", 3)
    for number in range(10):
        store.set_setting("n", number)
    clock.advance(days=70)
    store.consolidate()
    assert store.verify().folded == 10


def test_a_month_of_events_is_kept(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_setting("a", 1)
    clock.advance(days=30)
    store.idle_work(1)
    assert (store.verify().count, store.verify().folded) == (1, 0)


def test_years_of_use_stay_bounded(store: MemoryStore, clock: SteppedClock) -> None:
    for day in range(3 * 365):
        store.set_setting("day", day)
        clock.advance(days=1)
        if day % 7 == 0:
            store.idle_work(1)
    rows = store.database.value("SELECT count(*) FROM events")
    assert rows < 31 * 2 + 7 + 3 * 12 + 1
    assert store.verify().folded + store.verify().count == 3 * 365


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE events SET subject_id = '99' WHERE seq = {0}", "changed"),
        ("UPDATE events SET chain_hash = 'x' WHERE seq = {0}", "changed"),
        ("UPDATE events SET created_at = 1 WHERE seq = {1}", "changed"),
        ("DELETE FROM events WHERE seq = {0}", "changed"),  # the next one is sealed over it
        ("UPDATE events SET kind = 'x' WHERE seq = {1} + 1", "changed"),
        ("DELETE FROM events WHERE seq = {1} + 1", "removed"),
    ],
)
def test_an_edit_of_a_checkpoint_shows(
    store: MemoryStore, clock: SteppedClock, change: str, problem: str
) -> None:
    after_months(store, clock, months=4)
    first, second = checkpoints(store)[-2:]
    report = tampered(store, change.format(first, second))
    assert (report.ok, report.problem) == (False, problem)


def test_a_broken_chain_is_not_folded_away(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_setting("a", 1)
    store.set_setting("a", 2)
    tampered(store, "UPDATE events SET kind = 'x' WHERE seq = 1")
    clock.advance(days=100)
    store.idle_work(1)
    assert checkpoints(store) == []
    assert store.verify().first_bad_seq == 1


def test_a_clock_that_went_back_folds_nothing_out_of_order(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_setting("a", 1)
    clock.advance(days=-200)
    store.set_setting("a", 2)
    clock.advance(days=210)
    store.idle_work(1)
    assert checkpoints(store) == []
    clock.advance(days=60)
    store.set_setting("a", 3)
    while store.idle_work(1):
        pass
    assert checkpoints(store) == [1, 2]
    assert (store.verify().ok, store.verify().count, store.verify().folded) == (True, 1, 2)


def test_undo_after_folding_leaves_the_chain_whole(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    message = store.add_message(session, "user", "hello")
    clock.advance(days=70)
    receipt = store.forget(message_id=message.id)
    store.idle_work(1)
    store.undo(receipt.operation_id)
    assert store.verify().ok


def test_the_hash_covers_content_and_salt(busy: MemoryStore) -> None:
    row = busy.database.one(
        "SELECT content_hash, salt FROM events JOIN event_salts ON event_seq = seq WHERE seq = 2"
    )
    assert row is not None
    assert hashlib.sha256(row["salt"] + b"I moved to Chengdu").hexdigest() == row["content_hash"]


def test_forgetting_drops_the_salts_and_keeps_the_chain(busy: MemoryStore) -> None:
    message = busy.list_messages(busy.list_sessions()[0].id)[0]
    fact = busy.get_fact("user::home")
    assert fact is not None
    busy.forget(message_id=message.id)
    for id in (message.id, fact.id):
        assert busy.database.query("SELECT 1 FROM event_salts WHERE subject_id = ?", (id,)) == []
    assert busy.verify().ok


def test_a_long_chain_is_walked_to_its_end(store: MemoryStore) -> None:
    with store.action():
        for number in range(2500):
            store.set_setting("n", number)
    assert store.verify() == ChainReport(ok=True, count=2500)
