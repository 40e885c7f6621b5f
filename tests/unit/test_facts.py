"""The life of a fact: stated, corrected, proposed, confirmed, rejected, asked for."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from py_memory import MemoryStore
from py_memory.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
    UnregisteredKeyError,
)
from py_memory.ids import uuid7
from py_memory.rows.facts import insert_fact

if TYPE_CHECKING:
    from .conftest import SteppedClock


def identities(store: MemoryStore) -> list[tuple[str | None, str | None]]:
    rows = store.database.query("SELECT phone, email FROM identities ORDER BY created_at, id")
    return [(row["phone"], row["email"]) for row in rows]


def test_a_first_statement_is_certain(store: MemoryStore, clock: SteppedClock) -> None:
    fact = store.set_fact("user::diet", "vegetarian")
    assert (fact.confidence, fact.status, fact.category) == (1.0, "current", "preference")
    assert fact.valid_from == fact.created_at == clock.now
    assert store.get_fact("user::diet") == fact


def test_a_correction_keeps_the_old_value_readable(store: MemoryStore, clock: SteppedClock) -> None:
    old = store.set_fact("user::diet", "vegetarian")
    clock.advance(1000)
    new = store.set_fact("user::diet", "vegan")
    assert (new.confidence, new.status) == (0.95, "current")
    newest, before = store.fact_history("user::diet")
    assert newest == new
    assert (before.id, before.value, before.status, before.confidence) == (
        old.id,
        "vegetarian",
        "superseded",
        0.3,
    )
    assert (before.superseded_by, before.superseded_at, before.valid_to) == (new.id, clock.now, clock.now)
    assert before.correction_count == 1
    assert store.list_facts() == [new]


@pytest.mark.parametrize("stated", [False, True])
def test_an_older_proposal_waits_no_longer(store: MemoryStore, clock: SteppedClock, stated: bool) -> None:
    old = store.propose_fact("user::home", "Berlin")
    assert old is not None
    clock.advance(1000)
    if stated:
        new = store.set_fact("user::home", "Munich")
    else:
        waiting = store.propose_fact("user::home", "Munich")
        assert waiting is not None
        new = store.confirm_fact(waiting.id)
    assert store.list_facts(status="candidate") == []
    newest, before = store.fact_history("user::home")
    assert newest == new
    assert (before.id, before.status, before.superseded_by) == (old.id, "superseded", new.id)
    for at in (old.created_at, new.created_at - 1):  # nobody ever confirmed it
        assert store.get_fact("user::home", as_of=at) is None
        assert store.get_fact("user::home", known_at=at) is None
    assert new.operation_id is not None
    store.undo(new.operation_id)
    assert old in store.list_facts(status="candidate")
    store.set_fact("user::home", "Munich")
    assert store.propose_fact("user::home", "Berlin") is not None  # nor did anybody say no


def test_facts_are_read_page_by_page(store: MemoryStore, clock: SteppedClock) -> None:
    for key, value in (
        ("user::note", "blue door"),
        ("user::likes", "tea"),
        ("task::b", "call Mei"),
        ("user::family::sister", "Jane"),
        ("task::a", "water the Plants"),
        ("user::name", "Lin"),
    ):
        store.set_fact(key, value)
        clock.advance(seconds=1)
    store.propose_fact("user::home", "Berlin")
    store.set_fact("user::event", "fair", expires_at=clock() - 1)
    groups = [["task::"], ["user::name", "user::likes"], ["user::family::"]]

    def values(**wanted: Any) -> list[str]:
        return [fact.value for fact in store.browse_facts(groups, **wanted)]

    in_order = ["call Mei", "water the Plants", "tea", "Lin", "Jane", "blue door"]
    assert values() == in_order
    assert values(limit=2, offset=3) == in_order[3:5]
    assert [fact.value for fact in store.browse_facts(limit=2)] == ["blue door", "tea"]
    assert values(words="PLANTS") == ["water the Plants"]
    assert values(words="family sister") == ["Jane"]
    assert values(words="Aufgabe", keys=["task::", "user::name"]) == ["call Mei", "water the Plants", "Lin"]
    assert values(words="nothing of the kind") == []
    store.pin_fact(store.list_facts(keys=["user::note"])[0].id)
    assert values(limit=2) == ["blue door", "call Mei"]


def test_what_one_message_proposes_does_not_replace_each_other(store: MemoryStore) -> None:
    said = store.add_message(store.create_session().id, "user", "I have two daughters, Mei and Anna").id
    mei = store.propose_fact("user::family::daughter", "Mei", source_message_id=said)
    anna = store.propose_fact("user::family::daughter", "Anna", source_message_id=said)
    assert anna is not None
    store.confirm_fact(anna.id)
    assert store.list_facts(status="candidate") == [mei]


def test_the_same_in_other_letters_is_no_second_question(store: MemoryStore) -> None:
    assert store.propose_fact("user::likes", "tea") == store.propose_fact("user::likes", "Tea ")


@pytest.mark.parametrize("key", ["user::likes", "user::home"])
def test_two_proposals_of_the_same_are_answered_as_one(store: MemoryStore, key: str) -> None:
    """As a file from elsewhere may hold them."""
    one = store.propose_fact(key, "Oslo")
    assert one is not None
    other = dataclasses.replace(one, id=uuid7(1_790_000_009_000), value="OSLO")
    with store.database.transaction():
        insert_fact(store.database, other)
    kept = store.confirm_fact(other.id)
    assert [fact.id for fact in store.list_facts(status=None)] == [other.id]
    assert kept.operation_id is not None
    store.undo(kept.operation_id)
    assert {fact.id for fact in store.list_facts(status="candidate")} == {one.id, other.id}


@pytest.mark.parametrize(
    "key",
    [
        "user::family::daughter",
        "user::family::younger-sister",
        "user::pet::dog",
        "user::speaks",
        "user::relation::friend",
        "user::condition",
        "user::family::mother::allergy",
        "user::pet::cat::likes",
    ],
)
def test_of_some_things_people_have_several(store: MemoryStore, key: str) -> None:
    for value in ("one", "two"):
        waiting = store.propose_fact(key, value)
        assert waiting is not None
        store.confirm_fact(waiting.id)
    assert sorted(fact.value for fact in store.list_facts()) == ["one", "two"]


@pytest.mark.parametrize("key", ["user::family::mother", "user::family::daughter::age", "user::name"])
def test_of_others_they_have_one(store: MemoryStore, key: str) -> None:
    for value in ("one", "two"):
        store.set_fact(key, value)
    assert [fact.value for fact in store.list_facts()] == ["two"]


def test_what_the_user_registered_is_left_as_it_is(store: MemoryStore) -> None:
    store.register_namespace("user::pet::")
    for value in ("Rex", "Tom"):
        store.set_fact("user::pet::dog", value)
    assert [fact.value for fact in store.list_facts()] == ["Tom"]


def test_a_newer_proposal_and_another_value_of_many_go_on_waiting(
    store: MemoryStore, clock: SteppedClock
) -> None:
    old = store.propose_fact("user::home", "Berlin")
    store.propose_fact("user::likes", "tea")
    clock.advance(1000)
    new = store.propose_fact("user::home", "Munich")
    assert old is not None
    store.confirm_fact(old.id)
    store.set_fact("user::likes", "coffee")
    assert [fact.value for fact in store.list_facts(status="candidate", prefix="user::likes")] == ["tea"]
    assert store.list_facts(status="candidate", prefix="user::home") == [new]


def test_a_given_confidence_is_kept(store: MemoryStore) -> None:
    store.set_fact("user::name", "Wei")
    assert store.set_fact("user::name", "Wen", confidence=0.6).confidence == 0.6
    with pytest.raises(InvalidInputError, match="between 0 and 1"):
        store.set_fact("user::name", "Wang", confidence=1.2)
    found = store.get_fact("user::name")
    assert found is not None
    assert found.value == "Wen"


@pytest.mark.parametrize("again", ["vegan", " Vegan ", "ＶＥＧＡＮ"])
def test_the_same_value_again_reinforces(store: MemoryStore, again: str) -> None:
    first = store.set_fact("user::diet", "vegan", confidence=0.8)
    second = store.set_fact("user::diet", again, confidence=0.9)
    assert second.id == first.id
    assert (second.value, second.confidence) == ("vegan", 0.9)
    assert second.weight > first.weight
    assert len(store.fact_history("user::diet")) == 1


def test_several_values_where_the_key_allows_them(store: MemoryStore) -> None:
    for value in ("peanuts", "milk", "peanuts"):
        store.set_fact("user::allergy", value)
    facts = store.list_facts(prefix="user::allergy")
    assert sorted(fact.value for fact in facts) == ["milk", "peanuts"]
    assert {fact.confidence for fact in facts} == {1.0}


def test_what_is_refused_changes_nothing(store: MemoryStore) -> None:
    store.set_fact("user::name", "Wei")
    for key, value, error in (
        ("user::name", "x" * 101, TooLargeError),
        ("user::name", " \n", InvalidInputError),
        ("weather::today", "rain", UnregisteredKeyError),
        ("user::", "rain", UnregisteredKeyError),
        ("user::" + "x" * 195, "rain", TooLargeError),
    ):
        with pytest.raises(error):
            store.set_fact(key, value)
    assert [fact.value for fact in store.list_facts(status=None)] == ["Wei"]
    assert store.set_fact("user::name", "字" * 100).value == "字" * 100


def test_an_expired_fact_is_not_current(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_fact("user::home", "Lyon", expires_at=clock.now + 1000)
    clock.advance(999)
    assert store.get_fact("user::home") is not None
    clock.advance(1)
    assert store.get_fact("user::home") is None
    assert store.list_facts() == []
    assert [fact.value for fact in store.list_facts(status="expired")] == ["Lyon"]
    again = store.set_fact("user::home", "Lyon")
    assert store.list_facts() == [again]


def test_a_namespace_gives_its_facts_a_lifetime(store: MemoryStore, clock: SteppedClock) -> None:
    store.register_namespace("trip::", ttl_ms=5000)
    fact = store.set_fact("trip::hotel", "Ryokan")
    assert fact.expires_at == clock.now + 5000
    clock.advance(4000)
    assert store.set_fact("trip::hotel", "Ryokan").expires_at == clock.now + 5000


def test_what_was_true_and_what_was_believed(store: MemoryStore, clock: SteppedClock) -> None:
    start = clock.now
    store.set_fact("user::home", "Lyon")
    clock.advance(days=10)
    # Told ten days later: the move was five days ago.
    store.set_fact("user::home", "Kyoto", valid_from=start + 5 * 86_400_000)

    def home(**when: int) -> str | None:
        fact = store.get_fact("user::home", **when)
        return fact.value if fact else None

    assert home() == "Kyoto"
    assert home(as_of=start + 4 * 86_400_000) == "Lyon"
    assert home(as_of=start + 6 * 86_400_000) == "Kyoto"
    assert home(known_at=start + 6 * 86_400_000) == "Lyon"
    assert home(as_of=start - 1) is None
    assert home(known_at=start - 1) is None


def test_an_expired_fact_is_true_until_then(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_fact("user::home", "Lyon", expires_at=clock.now + 1000)
    assert store.get_fact("user::home", as_of=clock.now + 999) is not None
    assert store.get_fact("user::home", as_of=clock.now + 1000) is None


def test_order_and_filters_of_the_list(store: MemoryStore) -> None:
    session = store.create_session()
    message = store.add_message(session.id, "user", "I am Wei, vegan, allergic to milk")
    name = store.set_fact("user::name", "Wei", source_message_id=message.id)
    diet = store.set_fact("user::diet", "vegan")
    milk = store.set_fact("user::allergy", "milk")
    store.record_uses(message.id, [("facts", diet.id, "diet")])
    store.pin_fact(name.id)
    assert [fact.id for fact in store.list_facts()] == [name.id, diet.id, milk.id]
    assert [fact.id for fact in store.list_facts(limit=2)] == [name.id, diet.id]
    assert [fact.id for fact in store.list_facts(category="identity")] == [name.id]
    assert [fact.id for fact in store.list_facts(prefix="user::a")] == [milk.id]
    assert [fact.id for fact in store.list_facts(source_message_id=message.id)] == [name.id]
    assert name.source_version_id == message.version_id
    with pytest.raises(NotFoundError):
        store.set_fact("user::home", "Lyon", source_message_id="nowhere")


def test_agents_keep_facts_to_themselves(clock: SteppedClock) -> None:
    base = MemoryStore(":memory:", clock=clock)
    one = MemoryStore(base.database.connection, agent_id="one", clock=clock)
    two = MemoryStore(base.database.connection, agent_id="two", clock=clock)
    one.set_fact("user::name", "Wei")
    two.set_fact("user::name", "Boss")
    for store, value in ((one, "Wei"), (two, "Boss")):
        found = store.get_fact("user::name")
        assert found is not None
        assert found.value == value
    assert base.get_fact("user::name") is None
    two.set_fact("user::diet", "vegan", visibility="shared")
    assert one.get_fact("user::diet") is not None
    base.close()


# -- proposals --


def test_a_proposal_waits_for_the_user(store: MemoryStore) -> None:
    store.set_fact("user::home", "Lyon")
    proposed = store.propose_fact("user::home", "Kyoto", quote="I moved to Kyoto")
    assert proposed is not None
    assert proposed.status == "candidate"
    assert [fact.value for fact in store.list_facts()] == ["Lyon"]
    confirmed = store.confirm_fact(proposed.id)
    assert (confirmed.id, confirmed.status, confirmed.confidence) == (proposed.id, "current", 0.95)
    assert [fact.value for fact in store.list_facts()] == ["Kyoto"]
    assert [fact.status for fact in store.fact_history("user::home")] == ["current", "superseded"]
    with pytest.raises(InvalidInputError):
        store.reject_fact(proposed.id)


def test_confirming_what_was_stated_meanwhile_leaves_one(store: MemoryStore) -> None:
    old = store.set_fact("user::home", "Lyon")
    proposed = store.propose_fact("user::home", "Kyoto")
    assert proposed is not None
    store.set_fact("user::home", "Kyoto")
    store.confirm_fact(proposed.id)
    current, superseded = store.fact_history("user::home")
    assert (current.id, current.value) == (proposed.id, "Kyoto")
    assert (superseded.id, superseded.superseded_by) == (old.id, proposed.id)


def test_a_proposal_is_confirmed_with_another_value(store: MemoryStore) -> None:
    proposed = store.propose_fact("user::name", "Way")
    assert proposed is not None
    fact = store.confirm_fact(proposed.id, value="Wei")
    assert (fact.value, fact.confidence) == ("Wei", 1.0)
    other = store.propose_fact("user::home", "Lyon")
    assert other is not None
    with pytest.raises(TooLargeError):
        store.confirm_fact(other.id, value="x" * 101)


def test_what_is_known_or_waiting_is_not_proposed_again(store: MemoryStore) -> None:
    store.set_fact("user::name", "Wei")
    assert store.propose_fact("user::name", "wei") is None
    first = store.propose_fact("user::diet", "vegan")
    assert store.propose_fact("user::diet", "vegan") == first
    assert len(store.list_facts(status="candidate")) == 1
    assert store.propose_fact("user::home", "Lyon", confidence=0.69) is None


def test_a_rejected_fact_leaves_no_text_and_does_not_return(store: MemoryStore) -> None:
    proposed = store.propose_fact("user::diet", "carnivore")
    assert proposed is not None
    store.reject_fact(proposed.id)
    assert store.list_facts(status=None) == []
    assert store.propose_fact("user::diet", "Carnivore") is None
    assert store.propose_fact("user::diet", "vegan") is not None
    (row,) = store.database.query("SELECT * FROM rejections")
    assert "carnivore" not in str(tuple(row))
    # The user's own word outweighs the rejection, and lifts it.
    fact = store.set_fact("user::diet", "carnivore")
    assert fact.status == "current"
    assert store.database.query("SELECT * FROM rejections") == []


def test_never_this_kind(store: MemoryStore) -> None:
    proposed = store.propose_fact("user::diet", "carnivore")
    assert proposed is not None
    store.reject_fact(proposed.id, never_this_kind=True)
    assert store.propose_fact("user::diet", "vegan") is None
    assert store.propose_fact("user::home", "Lyon") is not None
    assert store.list_refused_kinds(["user::home", "user::diet"]) == ["user::diet"]
    allowed = store.allow_kind("user::diet")
    assert store.list_refused_kinds(["user::diet"]) == []
    store.undo(allowed.operation_id)
    assert store.list_refused_kinds(["user::diet"]) == ["user::diet"]
    assert store.allow_kind("user::diet").counts == {"rejections": 1}
    assert store.allow_kind("user::diet").counts == {"rejections": 0}
    assert store.propose_fact("user::diet", "vegan") is not None


def test_fingerprints_differ_between_files() -> None:
    prints = set()
    for _ in range(2):
        store = MemoryStore(":memory:", user_id="same")
        proposed = store.propose_fact("user::diet", "carnivore")
        assert proposed is not None
        store.reject_fact(proposed.id)
        prints.add(store.database.value("SELECT fingerprint FROM rejections"))
        store.close()
    assert len(prints) == 2


def test_an_ended_task_is_archived(store: MemoryStore, clock: SteppedClock) -> None:
    task = store.set_fact("task::milk", "buy milk")
    ended = store.end_fact(task.id)
    assert (ended.status, ended.valid_to) == ("archived", clock.now)
    assert store.list_facts(prefix="task::") == []
    assert store.set_fact("task::milk", "buy milk").id != task.id


# -- contacts --


def test_phone_and_email_of_one_person_are_joined(store: MemoryStore) -> None:
    store.set_fact("user::contact::phone", "+33 6 12 34 56 78")
    assert identities(store) == [("+33612345678", None)]
    store.set_fact("user::contact::email", "Wei@Example.org")
    assert identities(store) == [("+33612345678", "wei@example.org")]
    store.set_fact("user::contact::phone", "+33 6 00 00 00 00")
    store.set_fact("user::contact::email", "chen@example.org")
    assert identities(store) == [("+33600000000", "chen@example.org")]


def test_an_unconfirmed_contact_joins_nothing(store: MemoryStore) -> None:
    proposed = store.propose_fact("user::contact::phone", "+33612345678")
    assert proposed is not None
    assert identities(store) == []
    store.confirm_fact(proposed.id)
    assert identities(store) == [("+33612345678", None)]


def test_a_contact_of_someone_else_is_refused(store: MemoryStore) -> None:
    store.set_fact("user::contact::mei::phone", "+8613800000001")
    store.set_fact("user::contact::mei::email", "mei@example.org")
    store.set_fact("user::contact::phone", "+8613800000001")  # a shared phone contradicts nothing yet
    with store.action():
        message = store.add_message(store.create_session().id, "user", "my email is wei@example.org")
        # Caught inside an action: what else the action did stays.
        with pytest.raises(ConflictError, match="another identity"):
            store.set_fact("user::contact::email", "wei@example.org")
    assert store.get_message(message.id).content == message.content
    assert store.get_fact("user::contact::email") is None
    assert identities(store) == [("+8613800000001", "mei@example.org")]


# -- whatever happens in whatever order --

KEYS = ("user::name", "user::allergy")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["set", "propose", "confirm", "reject", "end", "wait"]),
        st.integers(0, 1),
        st.integers(0, 2),
    ),
    max_size=12,
)


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_one_current_value_whatever_happens(steps: list[tuple[str, int, int]]) -> None:
    now = 1_790_000_000_000
    store = MemoryStore(":memory:", clock=lambda: now)
    for action, key, value in steps:
        waiting = store.list_facts(status="candidate", prefix=KEYS[key])
        current = store.list_facts(prefix=KEYS[key])
        if action == "set":
            assert store.set_fact(KEYS[key], f"value {value}") in store.list_facts()
        elif action == "propose":
            store.propose_fact(KEYS[key], f"value {value}")
        elif action == "confirm" and waiting:
            assert store.confirm_fact(waiting[0].id) in store.list_facts()
        elif action == "reject" and waiting:
            store.reject_fact(waiting[0].id)
        elif action == "end" and current:
            store.end_fact(current[0].id)
        elif action == "wait":
            now += 1000
        names = [fact.value for fact in store.list_facts(prefix="user::name")]
        allergies = [fact.value for fact in store.list_facts(prefix="user::allergy")]
        assert len(names) <= 1
        assert len(allergies) == len(set(allergies))
        known = {fact.id for key in KEYS for fact in store.fact_history(key)}
        assert all(
            fact.superseded_by in known
            for key in KEYS
            for fact in store.fact_history(key)
            if fact.superseded_by
        )
    store.close()


def test_a_fact_among_many_values_costs_no_more(store: MemoryStore) -> None:
    """Counted are steps of SQLite's machine, and rows read into facts, so that nothing is timed."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    costs = []
    for number in (100, 2000):
        with store.action():
            for n in range(number):
                store.set_fact("user::likes", f"kind {number} of tea, number {n}")
        steps = 0
        store.database.connection.set_progress_handler(count, 10)
        for n in range(10):
            store.set_fact("user::likes", f"kind {number} of coffee, number {n}")
            store.propose_fact("user::likes", f"kind {number} of tea, number {n}")
        store.database.connection.set_progress_handler(None, 10)
        costs.append(steps)
    assert costs[0] > 10
    assert costs[1] < 1.5 * costs[0]


def test_a_value_is_known_again_however_it_is_written_and_changed(store: MemoryStore) -> None:
    tea = store.set_fact("user::likes", "Ｇreen tea ")
    assert store.set_fact("user::likes", "green TEA").id == tea.id
    waiting = store.propose_fact("user::likes", "coffee")
    assert waiting is not None
    store.confirm_fact(waiting.id, value="Cocoa")
    assert store.set_fact("user::likes", "cocoa").id == waiting.id
    assert store.set_fact("user::likes", "coffee").id != waiting.id
    # Rows of an earlier schema, or of another program.
    with store.database.transaction():
        store.database.execute("UPDATE facts SET value_folded = NULL")
    assert store.set_fact("user::likes", "GREEN tea").id == tea.id
    assert store.database.value("SELECT count(*) FROM facts WHERE value_folded IS NULL") == 0


def test_what_is_noticed_again_supports_a_fact_whose_source_was_edited(store: MemoryStore) -> None:
    session = store.create_session().id
    said = store.add_message(session, "user", "I love tea").id
    fact = store.set_fact("user::likes", "tea", source_message_id=said, quote="I love tea")
    store.edit_message(said, "I love coffee")
    assert store.propose_fact("user::likes", "tea") is None
    (now,) = store.list_facts()
    assert now.needs_review  # nobody has said it again
    again = store.add_message(session, "user", "tea, as ever, is what I love").id
    assert store.propose_fact("user::likes", "tea", source_message_id=again, quote="tea, as ever") is None
    (now,) = store.list_facts()
    assert (now.id, now.needs_review, now.source_message_id, now.quote) == (
        fact.id,
        False,
        again,
        "tea, as ever",
    )
    store.edit_message(again, "coffee, as ever")
    assert store.set_fact("user::likes", "tea").needs_review is False  # the user's word for it
    assert "unsupported" not in {finding.kind for finding in store.health()}


def test_facts_can_be_listed_by_key_by_message_and_by_session(store: MemoryStore) -> None:
    one, other = (store.create_session().id for _ in range(2))
    said = [
        store.add_message(session, "user", "I live in Oslo and eat no meat.").id for session in (one, other)
    ]
    home = store.set_fact("user::home", "Oslo", source_message_id=said[0])
    diet = store.set_fact("user::diet", "vegetarian", source_message_id=said[1])
    name = store.set_fact("user::name", "Mei")
    assert set(store.list_facts(keys=["user::home", "user::name", "user::no"])) == {home, name}
    assert store.list_facts(source_message_ids=[said[1], "no such"]) == [diet]
    assert store.list_facts(source_message_id=said[0]) == store.list_facts(session_id=one) == [home]
    assert store.list_facts(keys=[]) == store.list_facts(source_message_ids=[]) == []
    assert store.stats()["current_facts"] == 3
    with pytest.raises(InvalidInputError):
        store.list_facts(keys=5)  # type: ignore[arg-type]
