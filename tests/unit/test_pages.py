"""What a screen shows at once: one call each, which costs what it shows, not what there is. Steps of SQLite's
machine are counted, so that nothing is timed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from py_memory import MemoryStore
from py_memory.errors import InvalidInputError, NotFoundError
from py_memory.records import Fact
from tests.unit.conftest import SteppedClock

DAY_S = 86_400


def steps_of(store: MemoryStore, work: Callable[[], object]) -> int:
    """Tens of steps that SQLite takes."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    store.database.connection.set_progress_handler(count, 10)
    work()
    store.database.connection.set_progress_handler(None, 10)
    return steps


def filled(messages: int, facts: int = 0, chats: int = 0) -> tuple[MemoryStore, SteppedClock, str]:
    clock = SteppedClock()
    store = MemoryStore(":memory:", clock=clock)
    with store.action():
        for n in range(chats):
            store.add_message(store.create_session(f"Chat {n}").id, "user", "hello")
            clock.advance(seconds=1)
        session = store.create_session("Long").id
        for n in range(messages):
            said = store.add_message(session, "assistant" if n % 2 else "user", f"message {n}")
            clock.advance(seconds=1)
        for n in range(facts):
            store.set_fact(f"user::thing-{n}", f"value {n}", source_message_id=said.id if n < 3 else None)
    return store, clock, session


def test_a_part_of_a_chat_comes_with_what_belongs_to_it(store: MemoryStore) -> None:
    session = store.create_session().id
    said = [
        store.add_message(session, "user" if n % 2 == 0 else "assistant", f"message {n}") for n in range(9)
    ]
    other = store.add_message(session, "user", "message 4, said otherwise", beside=said[4].id)
    first = store.add_message(session, "user", "begun otherwise", beside=said[0].id)
    store.show_branch(said[8].id)
    proposed = store.propose_fact("user::home", "Chengdu", source_message_id=said[6].id)
    kept = store.set_fact("user::likes", "tea", source_message_id=said[7].id)
    store.end_fact(store.set_fact("user::likes", "cake", source_message_id=said[7].id).id)
    store.set_fact("user::note", "from elsewhere", source_message_id=said[1].id)

    page = store.read_chat(session, limit=5)
    assert [message.id for message in page.messages] == [message.id for message in said[4:]]
    assert (page.earlier, page.later) == (True, False)
    assert page.alternatives == {said[4].id: [said[4].id, other.id]}
    assert proposed is not None
    assert {fact.id for fact in page.facts} == {proposed.id, kept.id}

    def shown(**which: str) -> tuple[list[int], bool, bool]:
        part = store.read_chat(session, limit=3, **which)
        places = {message.id: place for place, message in enumerate(said)}
        return [places[message.id] for message in part.messages], part.earlier, part.later

    assert shown(until=said[4].id) == ([2, 3, 4], True, True)
    assert shown(until=said[1].id) == ([0, 1], False, True)
    assert shown(after=said[4].id) == ([5, 6, 7], True, True)
    assert shown(after=said[6].id) == ([7, 8], True, False)
    assert shown(around=said[4].id) == ([2, 3, 4, 5, 6, 7], True, True)
    assert shown(around=said[8].id) == ([6, 7, 8], True, False)
    assert store.read_chat(session).alternatives == {
        one.id: [pair[0].id, pair[1].id] for pair in ((said[0], first), (said[4], other)) for one in pair[:1]
    }
    for page in (store.read_chat(session), store.read_chat(session, until=other.id)):
        every = store.alternatives(session)
        ids = [message.id for message in page.messages]
        assert page.alternatives == {id: group for id, group in every.items() if id in ids}
    with pytest.raises(NotFoundError):
        store.read_chat(store.create_session().id, until=said[0].id)
    with pytest.raises(InvalidInputError):
        store.read_chat(session, until=said[0].id, after=said[0].id)


def test_a_part_of_a_chat_does_not_grow_with_the_chat() -> None:
    def steps(messages: int, facts: int) -> int:
        store, _, session = filled(messages, facts)
        return steps_of(store, lambda: store.read_chat(session, limit=20))

    few, many = steps(100, 5), steps(2_000, 500)
    assert few > 50
    assert many < 1.2 * few


def test_what_follows_a_message_is_found_without_its_session() -> None:
    def steps(messages: int) -> int:
        store, _, session = filled(messages)
        said = store.get_recent_messages(session, 9)[0]
        return steps_of(store, lambda: store.replies_to(said.id))

    assert steps(2_000) <= steps(100) + 2


def test_all_that_waits_can_be_reached(store: MemoryStore) -> None:
    session = store.create_session().id
    said = store.add_message(session, "user", "a long list")
    for n in range(250):
        store.propose_fact(f"task::{n}", f"do {n}", source_message_id=said.id)
    store.set_fact("user::home", "Lyon")
    store.propose_fact("user::home", "Kyoto")
    store.set_fact("user::diet", "vegetarian")
    store.set_fact("user::likes", "steak")
    assert store.consolidate()["disputed"] == 1
    seen: list[Fact] = []
    for offset in range(0, 300, 40):
        page = store.read_waiting(limit=40, offset=offset)
        assert page.total == 252
        seen += page.facts
    assert len({fact.id for fact in seen}) == 252
    assert [fact.value for fact in seen[:3]] == ["vegetarian", "do 0", "do 1"]
    assert seen[-1].value == "Kyoto"
    last = store.read_waiting(limit=40, offset=240)
    assert [fact.value for fact in last.corrected] == ["Lyon"]
    assert last.conflicts == ()
    first = store.read_waiting(limit=40).conflicts
    assert [(one.fact.value, one.other.value) for one in first] == [("vegetarian", "steak")]
    assert store.count_waiting() == {"candidate": 251, "disputed": 1}


def test_a_part_of_the_facts_says_how_many_there_are(store: MemoryStore, clock: SteppedClock) -> None:
    for n in range(30):
        store.set_fact(f"task::{n}", f"do {n}")
    store.set_fact("user::home", "Lyon")
    store.set_fact("user::home", "Kyoto")
    store.set_fact("user::address", "1 Main Street", expires_at=clock() + 1000)
    clock.advance(seconds=2)
    page = store.read_facts([["user::home"], ["task::"]], limit=5)
    assert [fact.value for fact in page.facts] == ["Kyoto", "do 0", "do 1", "do 2", "do 3"]
    assert page.total == 31
    assert [fact.value for fact in page.former] == ["Lyon"]
    assert [fact.value for fact in page.expired] == ["1 Main Street"]
    assert store.read_facts(words="do 1", limit=3).total == 11
    assert store.read_facts(limit=5, offset=30).total == 31


def test_idle_chats_are_looked_at_once() -> None:
    def steps(chats: int) -> int:
        store, clock, _ = filled(1, chats=chats)
        clock.advance(seconds=3 * DAY_S)
        store.list_sessions(limit=5)
        return steps_of(store, lambda: store.list_sessions(limit=5))

    assert steps(1_000) <= steps(10) + 2


def test_an_idle_chat_is_looked_at_again_where_a_task_came(store: MemoryStore, clock: SteppedClock) -> None:
    old = store.create_session("Old").id
    said = store.add_message(old, "user", "remember to call")
    clock.advance(seconds=2 * DAY_S)

    def status() -> str:
        return store.list_sessions()[0].status

    assert (status(), status()) == ("active", "active")
    fact = store.propose_fact("task::call", "call", source_message_id=said.id)
    assert status() == "active"
    assert fact is not None
    store.confirm_fact(fact.id)
    assert status() == "abandoned"


def test_a_look_that_was_taken_back_is_taken_again(store: MemoryStore, clock: SteppedClock) -> None:
    old = store.create_session("Old").id
    said = store.add_message(old, "user", "remember to call")
    store.set_fact("task::call", "call", source_message_id=said.id)
    clock.advance(seconds=2 * DAY_S)

    def taken_back() -> None:
        with store.action():
            assert store.list_sessions()[0].status == "abandoned"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        taken_back()
    assert store.list_sessions()[0].status == "abandoned"
