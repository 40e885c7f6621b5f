"""Working memory holds the last rounds for a while and never what is no longer so; the overview needs no
model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory import ChatAgent, MemoryStore, NotFoundError, UndoExpiredError
from py_memory.checks import json_text
from py_memory.records import Delta, Message
from py_memory.working_memory import MAX_SESSIONS, ROUNDS, TTL_MS
from tests.unit.conftest import SteppedClock
from tests.unit.support import run


def chat(store: MemoryStore, rounds: int, session: str | None = None) -> str:
    session = session or store.create_session().id
    for n in range(rounds):
        store.add_message(session, "user", f"question {n}")
        store.add_message(session, "assistant", f"answer {n}")
    return session


@contextmanager
def texts_read(store: MemoryStore) -> Iterator[list[str]]:
    """The statements that read a message's text."""
    seen: list[str] = []
    store.database.connection.set_trace_callback(lambda sql: seen.append(sql) if "v.content" in sql else None)
    yield seen
    store.database.connection.set_trace_callback(None)


def test_it_holds_the_last_twelve_rounds(store: MemoryStore) -> None:
    session = chat(store, 20)
    window = store.working_set(session)
    assert [message.content for message in window[:2]] == ["question 8", "answer 8"]
    assert sum(message.role == "user" for message in window) == ROUNDS
    assert window == store.get_recent_messages(session, 2 * ROUNDS)
    assert store.working_set(chat(store, 2))[0].content == "question 0"
    with pytest.raises(NotFoundError):
        store.working_set("no such session")


def test_texts_come_from_memory_until_its_time_is_over(store: MemoryStore, clock: SteppedClock) -> None:
    session = chat(store, 20)
    window = store.working_set(session)
    clock.advance(TTL_MS - 1)
    with texts_read(store) as seen:
        assert store.working_set(session) == window
        assert len(seen) == 1  # is there a system message
    clock.advance(TTL_MS)
    with texts_read(store) as seen:
        assert store.working_set(session) == window  # rebuilt
        assert len(seen) == 2


def test_it_is_bounded(store: MemoryStore) -> None:
    sessions = [chat(store, 30) for _ in range(MAX_SESSIONS + 3)]
    for session in sessions:
        store.working_set(session)
    kept = store._working._sets
    assert list(kept) == sessions[3:]
    assert all(len(one.messages) <= 2 * ROUNDS for one in kept.values())


def test_another_process_starts_with_what_is_in_the_database(store: MemoryStore) -> None:
    session = chat(store, 5)
    again = MemoryStore(store.database.connection, user_id=store.user_id)
    assert again.working_set(session) == store.working_set(session)


def test_the_sessions_system_message_is_always_there(store: MemoryStore) -> None:
    session = store.create_session().id
    system = store.add_message(session, "system", "Be brief.")
    chat(store, 1, session)
    assert store.working_set(session).count(system) == 1
    chat(store, 20, session)
    window = store.working_set(session)
    assert window[0] == system
    assert window.count(system) == 1


ACTIONS = st.sampled_from(
    [
        "say",
        "stream",
        "finish",
        "edit",
        "forget",
        "forget text",
        "undo",
        "branch",
        "feedback",
        "intent",
        "other",
    ]
)


@given(st.lists(st.tuples(ACTIONS, st.integers(0, 30)), max_size=40))
def test_it_never_holds_what_is_no_longer_so(actions: list[tuple[str, int]]) -> None:
    """Whatever happened, by whichever store: as if it had been read anew."""
    clock = SteppedClock()
    store = MemoryStore(":memory:", clock=clock)
    other = MemoryStore(store.database.connection, user_id=store.user_id, clock=clock)
    session = chat(store, 3)
    receipts: list[str] = []
    for action, number in actions:
        clock.advance(1000)
        shown = store.get_recent_messages(session, 60)
        some = shown[number % len(shown)] if shown else None
        if action == "say":
            store.add_message(session, ("user", "assistant")[number % 2], f"said {number}")
        elif action == "stream":
            store.add_message(session, "assistant", "", status="streaming")
        elif action == "finish" and shown and shown[-1].status == "streaming":
            store.set_message_status(shown[-1].id, ("streaming", "complete")[number % 2], f"done {number}")
        elif action == "edit" and some and some.status != "streaming":
            store.edit_message(some.id, f"edited {number}")
        elif action == "forget" and some:
            receipts.append(store.forget(message_id=some.id).operation_id)
        elif action == "forget text":
            receipts.append(store.forget(text=f"said {number}").operation_id)
        elif action == "undo" and receipts:
            with suppress(UndoExpiredError):
                store.undo(receipts.pop())
        elif action == "branch" and some:
            store.add_message(session, "user", f"or {number}", parent_id=some.id)
        elif action == "feedback" and some:
            store.set_feedback(some.id, number % 3 - 1)
        elif action == "intent" and some:
            store.set_intent(some.id, f"intent {number}")
        elif action == "other":
            other.add_message(session, "user", f"elsewhere {number}")
        fresh = MemoryStore(store.database.connection, user_id=store.user_id, clock=clock)
        assert store.working_set(session) == fresh.working_set(session)


# -- overview --


def save_snapshot(store: MemoryStore, session: str, state: dict[str, Any], at: int) -> None:
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO snapshots (id, user_id, created_at, session_id, format, state_json, reason) "
            "VALUES (?, ?, ?, ?, 1, ?, 'test')",
            (f"snapshot {at}", store.user_id, at, session, json_text(state)),
        )


def test_an_overview_of_a_new_session_tells_of_the_others(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_fact("user::diet", "vegan")
    chats = []
    for n in range(6):
        clock.advance(seconds=60)
        session = store.create_session().id
        store.add_message(session, "user", f"We chose colour {n}.")
        store.summarise(session)
        chats.append(session)
    new = store.create_session().id
    overview = store.load_overview(new)
    assert overview.snapshot is None
    assert [fact.value for fact in overview.facts] == ["vegan"]
    assert [summary.session_id for summary in overview.summaries] == chats[:1:-1]
    own = store.load_overview(chats[0])
    assert [summary.session_id for summary in own.summaries] == [chats[0]]
    assert overview.to_dict()["summaries"][0]["conclusions"] == ("We chose colour 5.",)


def test_an_overview_holds_the_newest_state_and_summaries(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    for n in range(30):
        clock.advance(seconds=60)
        store.add_message(session, "user", f"We chose colour {n}.")
        store.add_message(session, "assistant", "Fine.")
        store.summarise_if_due(session)
    for n in range(3):
        save_snapshot(store, session, {"goal": f"goal {n}"}, 1000 + n)
    overview = store.load_overview(session)
    assert overview.snapshot == {"goal": "goal 2"}
    assert [summary.level for summary in overview.summaries] == [1, 1, 2]
    assert "colour 29" in overview.summaries[0].content
    prompt = store.build_system_prompt(session_id=session)
    assert "goal: goal 2" in prompt
    assert "colour 1." in prompt  # long out of the window


class Listening:
    def __init__(self) -> None:
        self.prompts: list[list[dict[str, Any]]] = []

    async def reply(self, messages: Any, tools: Any, cancel: Any) -> AsyncIterator[Delta]:
        self.prompts.append(list(messages))
        yield Delta("I see.")


def test_the_prompt_holds_the_overview_and_says_what_it_rested_on(store: MemoryStore) -> None:
    model = Listening()
    agent = ChatAgent(store, model)
    store.set_fact("user::diet", "vegan")
    session = store.create_session().id
    replies: list[Message] = []
    for n in range(20):
        said = f"We chose colour {n} for wall {n}." if n % 5 == 0 else f"And more about {n}."
        replies.append(run(agent.chat_round(session, said)))
    system, *turns = model.prompts[-1]
    assert "vegan" in system["content"]
    assert "We chose colour 0 for wall 0." in system["content"]
    assert len(turns) == 2 * ROUNDS - 1
    assert turns[-1]["content"] == "And more about 19."
    kinds = {use.memory_kind for use in store.list_uses(replies[-1].id)}
    assert kinds == {"facts", "summaries"}
    assert {use.memory_kind for use in store.list_uses(replies[0].id)} == {"facts"}
    new = run(agent.chat_round(store.create_session().id, "Hello"))
    assert "From an earlier conversation:" in model.prompts[-1][0]["content"]
    assert "summaries" in {use.memory_kind for use in store.list_uses(new.id)}


def test_a_forgotten_text_is_out_of_the_next_prompt(store: MemoryStore) -> None:
    model = Listening()
    agent = ChatAgent(store, model)
    session = store.create_session().id
    run(agent.chat_round(session, "We chose Zanzibar."))
    store.summarise(session)
    run(agent.chat_round(session, "And?"))
    assert "Zanzibar" in str(model.prompts[-1])
    store.forget(text="Zanzibar")
    run(agent.chat_round(session, "And now?"))
    assert "Zanzibar" not in str(model.prompts[-1])
