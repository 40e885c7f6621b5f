"""Exact search finds the messages that hold a text, all and no others; the index stays sound."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from py_memory import MemoryStore, text
from py_memory.recall import index

from .conftest import SteppedClock

SAID = (
    "I want a refund for my OPPO手机, please",
    "我想退款，我的猫把手机咬坏了",
    "The refunds policy of this shop is on the last page",
    "猫",
    '100% sure_ly "quoted" AND (broken) * query',
    "ＦＵＬＬ width and ﬁne print; don’t panic",
    "Straße, naïve, ÉCOLE",
)


@pytest.fixture
def filled(store: MemoryStore, clock: SteppedClock) -> MemoryStore:
    session = store.create_session("All").id
    for number, content in enumerate(SAID):
        store.add_message(
            session, "assistant" if number % 2 else "user", content, speaker="Mei" if number < 2 else None
        )
        clock.advance(seconds=1)
    return store


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("猫", [3, 1]),  # one character
        ("退款", [1]),  # two
        ("我的猫", [1]),
        ("OPPO手机", [0]),  # mixed
        ("手机", [1, 0]),
        ("refund", [2, 0]),  # also as a part of a word
        ("EFUND", [2, 0]),
        ("the refunds policy of", [2]),
        ("page", [2]),
        ("full WIDTH", [5]),  # half and full width are the same
        ("fine", [5]),
        ("don’t", [5]),
        ("école", [6]),
        ("100%", [4]),
        ("sure_ly", [4]),
        ("_", [4]),
        ('"quoted" and (broken) *', [4]),
        ("的手机", []),
        ("refund policy", []),
        (" ", []),
        ("", []),
    ],
)
def test_exact_search(filled: MemoryStore, wanted: str, found: list[int]) -> None:
    hits = filled.search(wanted)
    newest_first = (
        {message.id: message.content for message in filled.get_recent_messages(hits[0].session_id)}
        if hits
        else {}
    )
    assert [newest_first[hit.message_id] for hit in hits] == [SAID[number] for number in found]


def test_a_hit_says_where_it_is(filled: MemoryStore) -> None:
    session = filled.list_sessions()[0].id
    filled.add_message(session, "user", "x" * 500 + "退款" + "y" * 500)
    hit = filled.search("退款")[0]
    assert hit.text[hit.start : hit.start + hit.length] == "退款"
    assert len(hit.text) < 300
    folded = filled.search("fine print")[0]
    assert folded.text[folded.start : folded.start + folded.length] == "ﬁne print"


def test_filters(filled: MemoryStore, clock: SteppedClock) -> None:
    other = filled.create_session("Other").id
    middle = clock.now
    filled.add_message(other, "user", "another refund")
    assert len(filled.search("refund")) == 3
    assert [hit.session_id for hit in filled.search("refund", session_id=other)] == [other]
    assert len(filled.search("refund", since=middle)) == 1
    assert len(filled.search("refund", until=middle)) == 2
    assert len(filled.search("手机", role="assistant")) == 1
    assert len(filled.search("refund", speaker="Mei")) == 1
    newest = filled.search("refund", limit=1)
    rest = filled.search("refund", limit=5, offset=1)
    assert [*newest, *rest] == filled.search("refund")


def test_what_is_common_is_found_newest_first(store: MemoryStore, clock: SteppedClock) -> None:
    """However chats lie beside each other in time, and whichever way it is looked for."""
    chats = [store.create_session(f"Chat {number}").id for number in range(3)]
    said = [store.add_message(chats[number % 3], "user", f"the rain, {number}").id for number in range(30)]
    clock.advance(hours=-1)
    late = store.add_message(chats[2], "user", "the rain of long ago").id  # as a sync brings it
    expected = [*reversed(said), late]
    for wanted in ("rai", "the rain"):
        assert [hit.message_id for hit in store.search(wanted)] == expected
        for offset in (0, 4, 29):
            found = store.search(wanted, limit=4, offset=offset)
            assert [hit.message_id for hit in found] == expected[offset : offset + 4]


def test_search_does_not_cross_users(filled: MemoryStore, clock: SteppedClock) -> None:
    other = MemoryStore(
        filled.database.connection, user_id="0198c0de-0000-7000-8000-000000000001", clock=clock
    )
    assert other.search("退款") == []
    assert other.search("refund") == []
    assert other.recall("refund 退款") == []


ALPHABET = "ab Ab_é猫狗退款ア・ﬁＡ1.,'\n"


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text(ALPHABET, min_size=1, max_size=12), min_size=1, max_size=6),
    st.text(ALPHABET, min_size=1, max_size=5),
)
def test_search_equals_reading_everything(said: list[str], wanted: str) -> None:
    store = MemoryStore(":memory:")
    session = store.create_session().id
    said = [content for content in said if content.strip()]
    for content in said:
        store.add_message(session, "user", content)
    needle = text.normalize(wanted).strip()
    expected = [content for content in reversed(said) if needle and needle in text.normalize(content)]
    assert [hit.text for hit in store.search(wanted)] == expected
    store.close()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "edit", "stream", "forget", "undo", "merge"]),
            st.text(ALPHABET, min_size=1),
        ),
        max_size=25,
    )
)
def test_the_index_stays_sound_whatever_is_done(steps: list[tuple[str, str]]) -> None:
    store = MemoryStore(":memory:")
    session = store.create_session().id
    operation = ""
    for step, content in steps:
        content = content if content.strip() else "x"
        messages = store.list_messages(session)
        if step == "add" or not messages:
            store.add_message(session, "user", content)
        elif step == "edit":
            store.edit_message(messages[-1].id, content)
        elif step == "stream":
            answer = store.add_message(session, "assistant", "", status="streaming")
            store.set_message_status(answer.id, "stopped", content)
        elif step == "forget":
            operation = store.forget(message_id=messages[0].id).operation_id
        elif step == "undo" and operation:
            store.undo(operation)
            operation = ""
        elif step == "merge":
            store.idle_work(5)
    with store.action():
        assert index.is_sound(store.database)
    store.close()


def test_damage_to_the_index_is_seen_and_mended(filled: MemoryStore) -> None:
    with filled.action():
        assert index.is_sound(filled.database)
        filled.database.execute(
            "UPDATE message_versions SET content = 'changed behind its back' WHERE seq = 2"
        )
        assert not index.is_sound(filled.database)
        index.rebuild(filled.database)
        assert index.is_sound(filled.database)
    assert len(filled.search("behind")) == 1


def test_idle_work_merges_until_nothing_is_left(store: MemoryStore) -> None:
    session = store.create_session().id
    for number in range(60):
        store.add_message(session, "user", f"message {number} about refunds 退款")

    def segments() -> int:
        return int(store.database.value("SELECT count(DISTINCT segid) FROM message_search_idx"))

    before = segments()
    while store.idle_work(20):
        pass
    assert segments() < before
    assert len(store.search("退款", limit=100)) == 60


# -- recall --


def test_recall_ranks_messages_and_facts(filled: MemoryStore) -> None:
    fact = filled.set_fact("user::diet", "vegetarian", quote="I never eat meat")
    found = filled.recall("what about the refund policy?")
    assert found[0].text == SAID[2]
    assert set(found[0].reason["terms"]) == {"policy"} or "policy" in found[0].reason["terms"]
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
    assert [(item.kind, item.id) for item in filled.recall("vegetarian diet")] == [("facts", fact.id)]
    assert filled.recall("退款")[0].text == SAID[1]
    assert filled.recall("") == []
    assert filled.recall("what is it") == []


def test_recall_takes_several_questions_and_a_limit(filled: MemoryStore) -> None:
    found = filled.recall(["refund policy", "猫"])
    assert {SAID[2], SAID[3]} <= {item.text for item in found}
    assert len({item.id for item in found}) == len(found)
    assert len(filled.recall(["refund policy", "猫"], limit=1)) == 1


def test_recall_finds_old_facts_only_when_asked(store: MemoryStore) -> None:
    store.set_fact("user::home", "Hangzhou")
    store.set_fact("user::home", "Chengdu")
    assert store.recall("Hangzhou") == []
    assert [item.reason["status"] for item in store.recall("Hangzhou", history=True)] == ["superseded"]
