"""Health, weight and consolidation."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory import InvalidInputError, MemoryStore
from py_memory.clock import DAY_MS
from py_memory.records import Fact
from py_memory.weight import LOW, may_rest, quality

if TYPE_CHECKING:
    from .conftest import SteppedClock

NOW = 1_790_000_000_000

FACTS = st.builds(
    Fact,
    id=st.just("f"),
    user_id=st.just("u"),
    created_at=st.integers(NOW - 400 * DAY_MS, NOW),
    key=st.just("user::likes"),
    value=st.just("tea"),
    confidence=st.floats(0, 1),
    status=st.just("current"),
    category=st.sampled_from(["preference", "event", "decision", None]),
    use_count=st.integers(0, 1000),
    correction_count=st.integers(0, 20),
    pinned=st.booleans(),
)


@given(FACTS, st.integers(0, 1000))
def test_weight_rises_with_use_and_falls_with_time_and_corrections(fact: Fact, days: int) -> None:
    worth = quality(fact, NOW)
    assert 0 <= worth <= 1
    known = dataclasses.replace(fact, use_count=fact.use_count + 1)
    assert quality(known, NOW) >= quality(fact, NOW)
    used = dataclasses.replace(fact, use_count=fact.use_count + 1, last_used_at=NOW)
    assert quality(used, NOW) >= worth
    assert quality(fact, NOW + days * DAY_MS) <= worth
    assert quality(dataclasses.replace(fact, correction_count=fact.correction_count + 1), NOW) <= worth
    assert quality(dataclasses.replace(fact, confidence=fact.confidence / 2), NOW) <= worth


@given(FACTS, st.integers(0, 1000))
def test_what_is_pinned_or_lasting_never_rests(fact: Fact, days: int) -> None:
    later = NOW + days * DAY_MS
    assert not may_rest(dataclasses.replace(fact, pinned=True), later)
    assert not may_rest(dataclasses.replace(fact, category="identity"), later)
    assert not may_rest(dataclasses.replace(fact, key="user::allergy"), later)
    assert not may_rest(dataclasses.replace(fact, last_used_at=later), later)
    if may_rest(fact, later):
        assert quality(fact, later) < LOW


def kinds(store: MemoryStore) -> dict[str, int]:
    return {finding.kind: finding.count for finding in store.health()}


def test_a_sound_memory_has_no_findings(store: MemoryStore) -> None:
    session = store.create_session().id
    said = store.add_message(session, "user", "I like tea")
    store.set_fact("user::likes", "tea", source_message_id=said.id)
    assert store.health() == []
    assert store.consolidate()["weighed"] == 1


def test_facts_that_say_the_same_become_one_and_two_again(store: MemoryStore) -> None:
    first = store.set_fact("user::likes", "tea")
    store.set_fact("user::likes", "coffee")
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO facts (id, user_id, created_at, key, value, confidence, status, use_count) "
            "VALUES ('second', ?, 1790000000001, 'user::likes', ' ＴＥＡ', 0.9, 'current', 3)",
            (store.user_id,),
        )
    assert kinds(store) == {"duplicates": 1}
    receipt = store.fix_health("duplicates")
    assert receipt.counts == {"duplicates": 1}
    assert [(fact.value, fact.use_count) for fact in store.list_facts()] == [("tea", 3), ("coffee", 0)]
    assert store.fact_history("user::likes")[0].superseded_by == first.id
    assert store.health() == []
    store.undo(receipt.operation_id)
    assert len(store.list_facts()) == 3


def test_a_source_that_reads_otherwise_asks_for_review(store: MemoryStore) -> None:
    session = store.create_session().id
    said = store.add_message(session, "user", "I live in Oslo")
    fact = store.set_fact("user::home", "Oslo", source_message_id=said.id)
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO message_versions (id, user_id, created_at, message_id, author, content) "
            "VALUES ('v', ?, 1790000000001, ?, 'user', 'I live in Bergen')",
            (store.user_id, said.id),
        )
    assert kinds(store)["unsupported"] == 1
    store.undo(store.fix_health("unsupported").operation_id)
    assert kinds(store)["unsupported"] == 1
    assert store.consolidate()["reviewed"] == 1
    assert kinds(store) == {"waiting": 1, "index_unsound": 1}
    rebuilt = store.fix_health("index_unsound")
    assert (rebuilt.counts, rebuilt.undo_until) == ({"index_unsound": 1}, 0)
    store.confirm_fact(fact.id)
    assert store.health() == []


def test_what_has_expired_leaves_at_once_and_can_be_renewed(store: MemoryStore, clock: SteppedClock) -> None:
    fact = store.set_fact("user::address", "1 Main Street")
    clock.advance(days=90)
    assert store.list_facts() == []
    assert [found.id for found in store.list_facts(status="expired")] == [fact.id]
    assert kinds(store) == {"stale": 1}
    store.undo(store.fix_health("stale").operation_id)
    assert kinds(store) == {"stale": 1}
    store.consolidate()
    assert store.health() == []
    renewed = store.renew_fact(fact.id)
    assert [found.id for found in store.list_facts()] == [fact.id]
    assert renewed.expires_at == clock.now + 90 * DAY_MS
    with pytest.raises(InvalidInputError):
        store.renew_fact(fact.id)


def test_renewing_over_a_newer_value_supersedes_it(store: MemoryStore, clock: SteppedClock) -> None:
    old = store.set_fact("user::address", "1 Main Street")
    clock.advance(days=91)
    store.consolidate()
    store.set_fact("user::address", "2 Side Street")
    store.renew_fact(old.id)
    assert [fact.value for fact in store.list_facts()] == ["1 Main Street"]


def test_what_is_long_unused_rests(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_fact("user::event", "a lecture on bees", category="event")
    store.set_fact("user::name", "Lin")
    pinned = store.set_fact("user::likes", "tea")
    store.pin_fact(pinned.id)
    clock.advance(days=91)
    assert kinds(store) == {"resting": 1}
    assert store.consolidate()["archived"] == 1
    assert {fact.key for fact in store.list_facts()} == {"user::name", "user::likes"}
    assert [fact.key for fact in store.list_facts(status="archived")] == ["user::event"]


def test_orphans_and_unknown_findings(store: MemoryStore) -> None:
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO embeddings "
            "(memory_kind, memory_id, model, user_id, created_at, dims, text_hash, vector) "
            "VALUES ('messages', 'gone', 'm', ?, 1, 1, 'h', x'00')",
            (store.user_id,),
        )
    assert kinds(store) == {"orphans": 1}
    assert store.fix_health("orphans").counts == {"orphans": 1}
    assert store.health() == []
    for kind in ("conflicts", "no such"):
        with pytest.raises(InvalidInputError):
            store.fix_health(kind)


def test_of_two_that_exclude_each_other_the_older_is_put_to_the_user(
    store: MemoryStore, clock: SteppedClock
) -> None:
    old = store.set_fact("user::likes", "Coffee")
    clock.advance(1)
    store.set_fact("user::dislikes", "coffee")
    assert kinds(store) == {"contradictions": 1}
    assert store.consolidate()["disputed"] == 1
    assert [fact.id for fact in store.list_facts(status="disputed")] == [old.id]
    assert kinds(store) == {"conflicts": 1}


def test_what_loses_its_message_asks_for_review(store: MemoryStore) -> None:
    session = store.create_session().id
    said = store.add_message(session, "user", "I live in Oslo")
    fact = store.set_fact("user::home", "Oslo", source_message_id=said.id, quote="I live in Oslo")
    receipt = store.delete_session(session)
    (kept,) = store.list_facts()
    assert (kept.id, kept.needs_review) == (fact.id, True)
    store.undo(receipt.operation_id)
    assert store.list_facts() == [fact]
    store.delete_session(session)
    assert store.confirm_fact(fact.id).source_message_id is None
    assert store.health() == []


def test_what_was_said_on_a_branch_that_is_left_asks_for_review(store: MemoryStore) -> None:
    session = store.create_session().id
    first = store.add_message(session, "user", "I live in Oslo")
    second = store.add_message(session, "user", "and I like tea")
    home = store.set_fact("user::home", "Oslo", source_message_id=first.id)
    likes = store.set_fact("user::likes", "tea", source_message_id=second.id)
    store.add_message(session, "user", "and I like coffee", parent_id=first.id)
    reviewed = {fact.id: fact.needs_review for fact in store.list_facts()}
    assert reviewed == {home.id: False, likes.id: True}
