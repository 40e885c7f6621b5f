"""The chain of events notices careless edits, and forgetting does not break it."""

# ruff: noqa: PT012 - the whole block of a transaction is what raises

from __future__ import annotations

import hashlib

import pytest

from py_memory import MemoryStore
from py_memory.records import ChainReport


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


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET kind = 'removed' WHERE seq = 3",
        "UPDATE events SET created_at = created_at + 1 WHERE seq = 3",
        "UPDATE events SET content_hash = '' WHERE seq = 3",
        "UPDATE events SET subject_id = 'x' WHERE seq = 3",
        "DELETE FROM events WHERE seq = 2",
    ],
)
def test_a_careless_edit_shows(busy: MemoryStore, change: str) -> None:
    with busy.database.transaction():
        busy.database.execute(change)
    report = busy.verify()
    assert not report.ok
    assert report.first_bad_seq == 3


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
