"""Taking a deletion back within ten seconds: every row as it was, and nothing else disturbed."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from py_memory import MemoryStore
from py_memory.errors import UndoExpiredError
from py_memory.recall import index

if TYPE_CHECKING:
    from .conftest import SteppedClock

# The trace goes on, whatever is taken back.
NOT_COMPARED = ("events", "event_salts")


def rows(store: MemoryStore) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, without local numbers."""
    names = store.database.query(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_search*'"
    )
    out = {}
    for (table,) in names:
        found = [dict(row) for row in store.database.query(f"SELECT * FROM {table}")]
        for row in found:
            row.pop("seq", None)
        out[table] = sorted(found, key=lambda row: str(sorted(row.items())))
    return {table: found for table, found in out.items() if table not in NOT_COMPARED}


def index_is_sound(store: MemoryStore) -> bool:
    with store.database.transaction():
        return index.is_sound(store.database)


def filled(store: MemoryStore) -> tuple[str, list[str], str]:
    """A session, its messages and a fact, with a row in every table that depends on them."""
    session = store.create_session("Dinner")
    ids = [
        store.add_message(session.id, role, content).id
        for role, content in (
            ("user", "Mei cannot eat peanuts"),
            ("assistant", "Noted: no peanuts for Mei."),
            ("user", "Plan Saturday"),
            ("assistant", "A plan without peanuts"),
        )
    ]
    store.edit_message(ids[0], "Mei cannot eat peanuts or cashews")
    fact = store.set_fact("user::allergy", "peanuts", source_message_id=ids[0], quote="cannot eat peanuts")
    store.record_uses(ids[3], [("facts", fact.id, "peanuts"), ("messages", ids[0], "peanuts")])
    call = store.add_tool_call(session.id, "calendar", {"day": "Saturday"}, message_id=ids[3])
    store.update_tool_call(call.id, "success", output={"free": True})
    with store.database.transaction():
        for sql in (
            "INSERT INTO summaries (id, user_id, created_at, session_id, level, content) "
            "VALUES ('summary', ?1, 1, ?2, 1, 'Mei and peanuts')",
            "INSERT INTO snapshots (id, user_id, created_at, session_id, format, state_json, reason) "
            "VALUES ('snapshot', ?1, 1, ?2, 1, '{\"goal\": \"peanuts\"}', 'pause')",
            "INSERT INTO embeddings "
            "(memory_kind, memory_id, model, user_id, created_at, dims, text_hash, vector) "
            "VALUES ('messages', ?3, 'm', ?1, 1, 1, 'h', x'00')",
        ):
            values = (store.user_id, session.id, ids[0])
            store.database.execute(sql, values[: 3 if "?3" in sql else 2])
    return session.id, ids, fact.id


@pytest.mark.parametrize("what", ["fact", "first message", "last message", "session", "text", "cleanup"])
def test_every_row_comes_back(store: MemoryStore, clock: SteppedClock, what: str) -> None:
    session, ids, fact = filled(store)
    clock.advance(days=40)
    before = rows(store)
    receipt = {
        "fact": lambda: store.forget(fact_id=fact),
        "first message": lambda: store.forget(message_id=ids[0]),
        "last message": lambda: store.forget(message_id=ids[-1]),
        "session": lambda: store.delete_session(session, forget_facts=True),
        "text": lambda: store.forget(text="peanuts"),
        "cleanup": lambda: store.cleanup_old_messages(30, delete=True),
    }[what]()
    assert rows(store) != before
    assert receipt.undo_until == clock.now + 10_000
    clock.advance(9_999)
    store.undo(receipt.operation_id)
    after = rows(store)
    del before["settings"], after["settings"]  # the fingerprints' key stays once it is made
    assert after == before
    assert index_is_sound(store)
    assert [hit.message_id for hit in store.search("cashews")] == [ids[0]]
    assert store.database.integrity_check() == []
    assert store.database.query("PRAGMA foreign_key_check") == []
    assert store.verify().ok


def test_after_ten_seconds_it_is_gone(store: MemoryStore, clock: SteppedClock) -> None:
    _, ids, _ = filled(store)
    receipt = store.forget(message_id=ids[0])
    clock.advance(10_000)
    with pytest.raises(UndoExpiredError):
        store.undo(receipt.operation_id)
    assert store.search("cashews") == []
    # Not even in memory.
    store.idle_work(1)
    assert "cashews" not in str(store._undo.__dict__)


def test_only_once(store: MemoryStore) -> None:
    _, ids, _ = filled(store)
    receipt = store.forget(message_id=ids[0])
    store.undo(receipt.operation_id)
    with pytest.raises(UndoExpiredError):
        store.undo(receipt.operation_id)
    with pytest.raises(UndoExpiredError):
        store.undo("never was")


def test_a_rejection_is_taken_back(store: MemoryStore) -> None:
    proposed = store.propose_fact("user::diet", "vegan")
    assert proposed is not None
    receipt = store.reject_fact(proposed.id, never_this_kind=True)
    store.undo(receipt.operation_id)
    assert store.list_facts(status="candidate") == [proposed]
    assert store.propose_fact("user::diet", "vegetarian") is not None


def test_what_was_said_meanwhile_follows_what_comes_back(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session()
    first, second = (store.add_message(session.id, "user", text) for text in ("one", "two"))
    receipt = store.forget(message_id=second.id)
    third = store.add_message(session.id, "user", "three")
    assert third.parent_id == first.id
    clock.advance(seconds=3)
    store.undo(receipt.operation_id)
    assert [message.content for message in store.get_recent_messages(session.id)] == ["one", "two", "three"]
    assert store.get_session(session.id).current_message_id == third.id
    assert index_is_sound(store)


def test_the_first_words_come_back_before_what_was_said_meanwhile(store: MemoryStore) -> None:
    session = store.create_session()
    store.add_message(session.id, "user", "one")
    receipt = store.forget(text="one")
    store.add_message(session.id, "user", "two")
    store.undo(receipt.operation_id)
    assert [message.content for message in store.get_recent_messages(session.id)] == ["one", "two"]


def test_a_value_stated_meanwhile_is_not_overwritten(store: MemoryStore) -> None:
    fact = store.set_fact("user::diet", "vegan")
    receipt = store.forget(fact_id=fact.id)
    now = store.set_fact("user::diet", "vegetarian")
    store.undo(receipt.operation_id)
    assert [found.value for found in store.list_facts()] == ["vegetarian"]
    former = store.fact_history("user::diet")[1]
    assert (former.value, former.status, former.superseded_by) == ("vegan", "superseded", now.id)


def test_a_proposal_stated_meanwhile_is_not_proposed_again(store: MemoryStore) -> None:
    proposed = store.propose_fact("user::diet", "vegan")
    assert proposed is not None
    receipt = store.reject_fact(proposed.id)
    store.set_fact("user::diet", "vegan")
    store.undo(receipt.operation_id)
    assert store.list_facts(status="candidate") == []
    assert [found.value for found in store.list_facts()] == ["vegan"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_corrections_are_taken_back_in_any_order(store: MemoryStore, order: tuple[int, ...]) -> None:
    first = store.set_fact("user::diet", "omnivore")
    before = rows(store)["facts"]
    steps = [store.set_fact("user::diet", value) for value in ("vegetarian", "vegan")]
    steps.append(store.end_fact(steps[-1].id))
    for step in order:
        operation = steps[step].operation_id
        assert operation is not None
        store.undo(operation)
        current = store.list_facts()
        assert len(current) <= 1
    assert store.list_facts() == [first]
    assert rows(store)["facts"] == before


def test_what_one_action_did_is_taken_back_at_once(store: MemoryStore) -> None:
    _, ids, fact = filled(store)
    before = rows(store)
    with store.action():
        receipts = [store.forget(fact_id=fact), store.forget(message_id=ids[1])]
    assert receipts[0].operation_id == receipts[1].operation_id
    store.undo(receipts[0].operation_id)
    after = rows(store)
    del before["settings"], after["settings"]
    assert after == before


@pytest.mark.parametrize("deletions", list(permutations(range(4), 3)))
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_messages_come_back_in_any_order(
    store: MemoryStore, deletions: tuple[int, ...], order: tuple[int, ...]
) -> None:
    session, ids, _ = filled(store)
    before = rows(store)
    receipts = [store.forget(message_id=ids[number]) for number in deletions]
    back: set[int] = set()
    for step in order:
        store.undo(receipts[step].operation_id)
        back.add(deletions[step])
        assert index_is_sound(store)
        there = [id for number, id in enumerate(ids) if number not in deletions or number in back]
        assert [message.id for message in store.get_recent_messages(session)] == there
    after = rows(store)
    del before["settings"], after["settings"]
    assert after == before


def test_a_message_comes_back_into_a_session_deleted_since_only_with_it(store: MemoryStore) -> None:
    session, ids, _ = filled(store)
    before = rows(store)
    first = store.forget(message_id=ids[1])
    second = store.delete_session(session, forget_facts=True)
    store.undo(first.operation_id)
    assert store.list_sessions() == []
    assert index_is_sound(store)
    assert store.stats()["messages"] == 0
    store.undo(second.operation_id)
    assert [message.id for message in store.get_recent_messages(session)] == ids
    after = rows(store)
    del before["settings"], after["settings"]
    assert after == before


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["add", "forget", "text", "fact", "end", "session", "undo"]), st.integers(0, 7)
    ),
    max_size=14,
)


@given(OPERATIONS)
@settings(max_examples=60)
def test_any_history_leaves_a_sound_memory(steps: list[tuple[str, int]]) -> None:
    store = MemoryStore(":memory:", clock=lambda: 1_790_000_000_000)
    sessions = [store.create_session().id, store.create_session().id]
    operations: list[str] = []
    for what, number in steps:
        live = [s for s in sessions if any(found.id == s for found in store.list_sessions())]
        said = [m for s in live for m in store.list_messages(s)]
        facts = store.list_facts()
        if what == "add" and live:
            store.add_message(live[number % len(live)], "user", f"word{number} said")
        elif what == "forget" and said:
            operations.append(store.forget(message_id=said[number % len(said)].id).operation_id)
        elif what == "text":
            operations.append(store.forget(text=f"word{number}").operation_id)
        elif what == "fact":
            source = said[number % len(said)].id if said else None
            operation = store.set_fact(
                "user::diet", f"value{number % 3}", source_message_id=source
            ).operation_id
            operations += [operation] if operation else []
        elif what == "end" and facts:
            operations.append(store.end_fact(facts[0].id).operation_id or "")
        elif what == "session" and live:
            operations.append(store.delete_session(live[number % len(live)]).operation_id)
        elif what == "undo" and operations:
            store.undo(operations.pop(number % len(operations)))
        assert index_is_sound(store)
        assert store.database.query("PRAGMA foreign_key_check") == []
        assert len(store.list_facts(prefix="user::diet")) <= 1
        for id in (found.id for found in store.list_sessions()):
            there = {message.id for message in store.list_messages(id)}
            assert {m.parent_id for m in store.list_messages(id)} - {None} <= there
            shown = store.get_session(id).current_message_id
            assert (shown in there) if there else shown is None


def test_a_rolled_back_deletion_leaves_nothing_to_undo(store: MemoryStore) -> None:
    _, ids, _ = filled(store)
    before = rows(store)
    operations = []

    def fail() -> None:
        with store.action():
            operations.append(store.forget(message_id=ids[0]).operation_id)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert rows(store) == before
    with pytest.raises(UndoExpiredError):
        store.undo(operations[0])


def test_a_rolled_back_undo_can_be_tried_again(store: MemoryStore) -> None:
    _, ids, _ = filled(store)
    receipt = store.forget(message_id=ids[0])

    def fail() -> None:
        with store.action():
            store.undo(receipt.operation_id)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert store.search("cashews") == []
    store.undo(receipt.operation_id)
    assert len(store.search("cashews")) == 1


def test_a_call_of_another_session_goes_and_comes_back_with_its_message(store: MemoryStore) -> None:
    one, two = store.create_session(), store.create_session()
    message = store.add_message(two.id, "user", "hello")
    call = store.add_tool_call(one.id, "t", {"a": 1})
    with store.database.transaction():  # as an earlier release let it be noted
        store.database.execute("UPDATE tool_calls SET message_id = ? WHERE id = ?", (message.id, call.id))
    before = store.list_tool_calls(one.id)
    receipt = store.forget(session_id=two.id)
    assert receipt.counts["tool_calls"] == 1
    assert store.list_tool_calls(one.id) == []
    store.undo(receipt.operation_id)
    assert store.list_tool_calls(one.id) == before
