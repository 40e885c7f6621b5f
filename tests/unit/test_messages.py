"""Messages: adding, editing, streaming, branches, budgets, tool calls, uses and settings."""

# ruff: noqa: PT012 - the whole block of a transaction is what raises

from __future__ import annotations

import pytest

from py_memory import ConflictError, InvalidInputError, MemoryStore, NotFoundError, TooLargeError
from py_memory.ids import uuid7
from py_memory.recall import index
from py_memory.records import Message

from .conftest import SteppedClock

MEBIBYTE = 1 << 20


@pytest.fixture
def session(store: MemoryStore) -> str:
    return store.create_session("Chat").id


def contents(messages: list[Message]) -> list[str]:
    return [message.content for message in messages]


def index_is_sound(store: MemoryStore) -> bool:
    with store.action():
        return index.is_sound(store.database)


# -- adding --


def test_a_message_comes_back_as_it_was_added(store: MemoryStore, session: str, clock: SteppedClock) -> None:
    clock.advance(seconds=1)
    added = store.add_message(
        session, "user", " 我要退款\n  please ", speaker="Mei", intent="refund", metadata={"channel": "web"}
    )
    assert store.get_message(added.id) == added
    assert added.content == " 我要退款\n  please "
    assert (added.created_at, added.parent_id, added.status) == (clock.now, None, "complete")
    assert (added.speaker, added.intent, added.metadata) == ("Mei", "refund", {"channel": "web"})
    shown = store.get_session(session)
    assert (shown.current_message_id, shown.last_active_at) == (added.id, clock.now)


def test_each_message_follows_the_one_on_screen(store: MemoryStore, session: str) -> None:
    first = store.add_message(session, "user", "hello")
    second = store.add_message(session, "assistant", "hi")
    assert second.parent_id == first.id
    assert contents(store.get_recent_messages(session)) == ["hello", "hi"]


@pytest.mark.parametrize("content", ["", " ", "\n\t\u3000"])
def test_empty_text_is_refused(store: MemoryStore, session: str, content: str) -> None:
    with pytest.raises(InvalidInputError):
        store.add_message(session, "user", content)
    message = store.add_message(session, "user", "words")
    with pytest.raises(InvalidInputError):
        store.edit_message(message.id, content)
    assert contents(store.list_messages(session)) == ["words"]


def test_a_message_has_at_most_a_mebibyte_of_utf8(store: MemoryStore, session: str) -> None:
    store.add_message(session, "user", "x" * MEBIBYTE)
    store.add_message(session, "user", "退" * (MEBIBYTE // 3))
    for content in ("x" * (MEBIBYTE + 1), "退" * (MEBIBYTE // 3 + 1)):
        with pytest.raises(TooLargeError) as caught:
            store.add_message(session, "user", content)
        assert caught.value.size == len(content.encode())
    assert len(store.list_messages(session)) == 2


def test_what_cannot_be_stored_is_replaced_and_told(store: MemoryStore, session: str) -> None:
    added = store.add_message(session, "user", "a\0b\ud800")
    assert added.content == "a\ufffdb\ufffd"
    assert added.notes == ("nul_replaced", "surrogate_replaced")
    assert store.get_message(added.id).notes == ()


@pytest.mark.parametrize("bad", [{"role": "robot"}, {"status": "done"}])
def test_unknown_words_are_refused(store: MemoryStore, session: str, bad: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError):
        store.add_message(**{"session_id": session, "role": "user", "content": "x", **bad})


def test_the_same_id_again_changes_nothing(store: MemoryStore, session: str) -> None:
    added = store.add_message(session, "user", "once", id=uuid7())
    changes = store.database.total_changes
    assert store.add_message(session, "user", "once", id=added.id) == added
    assert store.database.total_changes == changes
    edited = store.edit_message(added.id, "twice")
    assert (
        store.add_message(session, "user", "once", id=added.id) == edited
    )  # sent again by one who knows no better
    assert contents(store.list_messages(session)) == ["twice"]


def test_the_same_id_with_other_content_is_a_conflict(store: MemoryStore, session: str) -> None:
    added = store.add_message(session, "user", "once", id=uuid7())
    for other in ({"content": "other"}, {"role": "assistant"}, {"session_id": store.create_session().id}):
        with pytest.raises(ConflictError):
            store.add_message(
                **{"session_id": session, "role": "user", "content": "once", "id": added.id, **other}
            )
    assert store.get_message(added.id) == added


def test_a_forgotten_message_is_not_brought_back(store: MemoryStore, session: str) -> None:
    added = store.add_message(session, "user", "my secret", id=uuid7())
    operation = store.forget(message_id=added.id).operation_id
    with pytest.raises(ConflictError):
        store.add_message(session, "user", "my secret", id=added.id)
    store.undo(operation)
    assert store.add_message(session, "user", "my secret", id=added.id).content == "my secret"


def test_a_session_has_one_system_message(store: MemoryStore, session: str) -> None:
    store.add_message(session, "system", "Be brief.")
    with pytest.raises(ConflictError):
        store.add_message(session, "system", "Be long.")
    store.add_message(store.create_session().id, "system", "Be kind.")


def test_several_at_once_are_all_or_none(store: MemoryStore, session: str) -> None:
    items = [{"session_id": session, "role": "user", "content": str(number)} for number in range(3)]
    assert contents(store.add_messages(items)) == ["0", "1", "2"]
    with pytest.raises(InvalidInputError):
        store.add_messages([*items, {"session_id": session, "role": "user", "content": " "}])
    assert contents(store.list_messages(session)) == ["0", "1", "2"]


def test_an_action_is_one_transaction(store: MemoryStore, session: str) -> None:
    with pytest.raises(NotFoundError), store.action():
        store.add_message(session, "user", "lost")
        store.set_fact("user::name", "Lin")
        store.get_message(uuid7())
    assert store.list_messages(session) == []
    assert store.get_fact("user::name") is None
    assert store.verify().ok
    with store.action() as same:
        same.add_message(session, "user", "kept")
        same.set_fact("user::name", "Lin")
    assert contents(store.list_messages(session)) == ["kept"]


# -- branches and versions --


def test_an_answer_to_an_earlier_message_starts_a_branch(store: MemoryStore, session: str) -> None:
    question = store.add_message(session, "user", "question")
    store.add_message(session, "assistant", "first answer")
    second = store.add_message(session, "assistant", "second answer", parent_id=question.id)
    assert contents(store.get_recent_messages(session)) == ["question", "second answer"]
    assert contents(store.list_messages(session)) == ["question", "first answer", "second answer"]
    assert [reply.content for reply in store.replies_to(question.id)] == ["first answer", "second answer"]
    assert store.get_session(session).current_message_id == second.id
    elsewhere = store.create_session()
    with pytest.raises(InvalidInputError):
        store.add_message(elsewhere.id, "user", "x", parent_id=question.id)
    with pytest.raises(NotFoundError):
        store.add_message(session, "user", "x", parent_id=uuid7())


def test_recent_messages_are_the_newest_oldest_first(store: MemoryStore, session: str) -> None:
    for number in range(30):
        store.add_message(session, "user", str(number))
    assert contents(store.get_recent_messages(session)) == [str(number) for number in range(10, 30)]
    assert contents(store.get_recent_messages(session, 3)) == ["27", "28", "29"]
    assert store.get_recent_messages(session, 0) == []


def test_pages_of_the_branch_on_screen(store: MemoryStore, session: str) -> None:
    ids = [store.add_message(session, "user", f"line {n}").id for n in range(9)]

    def page(limit: int, **where: str) -> list[str]:
        return [message.id for message in store.get_recent_messages(session, limit, **where)]

    assert page(3, until=ids[4]) == ids[2:5]
    assert page(30, until=ids[1]) == ids[:2]
    assert page(3, after=ids[4]) == ids[5:8]
    assert page(30, after=ids[4]) == ids[5:]
    assert page(3, after=ids[8]) == page(0, after=ids[4]) == page(0, until=ids[4]) == []
    aside = store.add_message(session, "user", "instead of the third", parent_id=ids[1]).id
    assert page(30, after=ids[1]) == [aside]
    assert page(30, after=ids[4]) == [], "what is not on the branch on screen has nothing after it there"
    assert page(2, until=ids[4]) == ids[3:5]
    other = store.create_session().id
    elsewhere = store.add_message(other, "user", "elsewhere").id
    for wrong in ({"until": elsewhere}, {"after": elsewhere}, {"until": "no such"}):
        with pytest.raises(NotFoundError):
            page(3, **wrong)
    with pytest.raises(InvalidInputError, match="not both"):
        page(3, until=ids[1], after=ids[1])


def test_parent_links_in_a_circle_end_somewhere(store: MemoryStore, session: str) -> None:
    first, second = (store.add_message(session, "user", text).id for text in ("one", "two"))
    elsewhere = store.add_message(session, "user", "aside", parent_id=first).id
    store.show_branch(second)
    with store.action():
        store.database.execute("UPDATE messages SET parent_id = ? WHERE id = ?", (second, first))
    assert store.get_recent_messages(session, 5, after=elsewhere) == []


def test_order_holds_when_the_clock_goes_back(store: MemoryStore, session: str, clock: SteppedClock) -> None:
    for number in range(4):
        store.add_message(session, "user", str(number))
        clock.advance(days=-3650)
    assert contents(store.get_recent_messages(session)) == ["0", "1", "2", "3"]


def test_editing_keeps_the_older_versions(store: MemoryStore, session: str, clock: SteppedClock) -> None:
    message = store.add_message(session, "user", "teh cat")
    clock.advance(days=-1)  # a clock that goes back does not bring an older text to the front
    edited = store.edit_message(message.id, "the cat")
    assert (edited.content, edited.edited, message.edited) == ("the cat", True, False)
    assert [version.content for version in store.message_versions(message.id)] == ["teh cat", "the cat"]
    assert store.edit_message(message.id, "the cat") == edited
    assert (len(store.search("the cat")), len(store.search("teh"))) == (1, 0)
    assert index_is_sound(store)


def test_a_streaming_answer_is_filled_and_then_final(store: MemoryStore, session: str) -> None:
    answer = store.add_message(session, "assistant", "", status="streaming")
    store.set_message_status(answer.id, "streaming", "Your ref")
    assert store.search("ref") == []
    done = store.set_message_status(answer.id, "complete", "Your refund is on its way")
    assert (done.status, done.content, done.edited) == ("complete", "Your refund is on its way", False)
    assert len(store.search("refund")) == 1
    with pytest.raises(InvalidInputError):
        store.set_message_status(answer.id, "complete", "something else")
    assert index_is_sound(store)


def test_a_failed_answer_is_no_memory(store: MemoryStore, session: str) -> None:
    answer = store.add_message(session, "assistant", "", status="streaming")
    store.set_message_status(answer.id, "failed", "The model could not be reached.")
    assert store.search("reached") == []
    assert store.recall("model reached") == []
    assert index_is_sound(store)


def test_feedback_and_intent(store: MemoryStore, session: str) -> None:
    message = store.add_message(session, "assistant", "answer")
    assert store.set_feedback(message.id, -1).feedback == -1
    assert store.set_intent(message.id, "refund").intent == "refund"
    with pytest.raises(InvalidInputError):
        store.set_feedback(message.id, 2)
    with pytest.raises(NotFoundError):
        store.set_feedback(uuid7(), 1)


# -- budgets --


def test_the_newest_whole_messages_that_fit(store: MemoryStore, session: str) -> None:
    for number in range(6):
        store.add_message(session, "user", str(number) * 10)
    kept = store.get_context_within_budget(session, 35)
    assert contents(kept) == ["3" * 10, "4" * 10, "5" * 10]
    assert len(store.get_context_within_budget(session, 1000, limit=2)) == 2
    assert len(store.get_context_within_budget(session, 1000, max_tokens=8)) == 2  # four tokens each
    assert store.get_context_within_budget(store.create_session().id) == []


def test_at_least_one_message_however_long(store: MemoryStore, session: str) -> None:
    store.add_message(session, "user", "before")
    store.add_message(session, "user", "x" * 9000)
    assert contents(store.get_context_within_budget(session, 100)) == ["x" * 9000]


# -- tool calls, uses, settings --


def test_a_tool_call_belongs_to_a_message_of_its_own_session(store: MemoryStore) -> None:
    one, two = store.create_session(), store.create_session()
    elsewhere = store.add_message(two.id, "user", "hello")
    other = MemoryStore(store.database.connection, user_id="somebody-else")
    theirs = other.add_message(other.create_session().id, "user", "hello")
    with pytest.raises(InvalidInputError, match="another session"):
        store.add_tool_call(one.id, "t", {}, message_id=elsewhere.id)
    for id in (theirs.id, "nothing"):
        with pytest.raises(NotFoundError):
            store.add_tool_call(one.id, "t", {}, message_id=id)
    assert store.list_tool_calls(one.id) == []


def test_a_tool_call_is_one_record_with_a_state(
    store: MemoryStore, session: str, clock: SteppedClock
) -> None:
    call = store.add_tool_call(session, "refund", {"order": "A-7", "金额": 12})
    assert (call.status, call.input, call.started_at) == ("proposed", {"order": "A-7", "金额": 12}, None)
    clock.advance(seconds=1)
    assert store.update_tool_call(call.id, "running").started_at == clock.now
    clock.advance(seconds=1)
    done = store.update_tool_call(call.id, "failed", error="no such order")
    assert (done.completed_at, done.error_message, done.output) == (clock.now, "no such order", None)
    assert store.list_tool_calls(session) == [done]
    with pytest.raises(InvalidInputError):
        store.update_tool_call(call.id, "finished")
    with pytest.raises(NotFoundError):
        store.update_tool_call(uuid7(), "running")


def test_what_an_answer_rested_on(store: MemoryStore, session: str, clock: SteppedClock) -> None:
    fact = store.set_fact("user::diet", "vegetarian")
    source = store.add_message(session, "user", "I am a vegetarian")
    answer = store.add_message(session, "assistant", "You are a vegetarian.")
    store.record_uses(
        answer.id, [("facts", fact.id, {"terms": ["diet"]}), ("messages", source.id, "said so")]
    )
    uses = store.list_uses(answer.id)
    assert [(use.memory_kind, use.memory_id, use.rank) for use in uses] == [
        ("facts", fact.id, 1),
        ("messages", source.id, 2),
    ]
    assert [use.reason for use in uses] == [{"terms": ["diet"]}, {"why": "said so"}]
    used = store.get_fact("user::diet")
    assert used is not None
    assert (used.use_count, used.last_used_at) == (1, clock.now)


def test_settings_hold_any_json(store: MemoryStore) -> None:
    assert store.get_setting("theme", "light") == "light"
    for value in ("dark", {"n": [1, 2.5, None]}, False, "中文"):
        store.set_setting("theme", value)
        assert store.get_setting("theme") == value
    store.set_setting("theme", None)
    assert store.get_setting("theme") is None


def test_stats_count_the_users_rows(store: MemoryStore, session: str, clock: SteppedClock) -> None:
    message = store.add_message(session, "user", "hello")
    store.edit_message(message.id, "hello!")
    store.set_fact("user::name", "Lin")
    other = MemoryStore(
        store.database.connection, user_id="0198c0de-0000-7000-8000-000000000001", clock=clock
    )
    other.add_message(other.create_session().id, "user", "not counted")
    counts = store.stats()
    assert (counts["sessions"], counts["messages"], counts["message_versions"], counts["facts"]) == (
        1,
        1,
        2,
        1,
    )
    assert counts["bytes"] > 0
    with pytest.raises(NotFoundError):
        other.get_message(message.id)
    with pytest.raises(NotFoundError):
        other.add_message(session, "user", "intruder")


def test_an_edit_asks_about_what_was_learned_from_the_old_text(store: MemoryStore, session: str) -> None:
    message = store.add_message(session, "user", "I am vegan.")
    fact = store.set_fact("user::diet", "vegan", source_message_id=message.id)
    assert not fact.needs_review
    store.edit_message(message.id, "I am not vegan.")
    assert store.list_facts()[0].needs_review
