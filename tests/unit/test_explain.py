"""Why an answer says what it says: the memories it rested on, with their sources and days."""

from __future__ import annotations

import pytest

from py_memory import ChatAgent, MemoryStore
from py_memory.errors import InvalidInputError, NotFoundError
from py_memory.models.intents import understand
from py_memory.records import Delta
from tests.unit.support import run

from .conftest import SteppedClock
from .test_agent import Scripted
from .test_offline_assistant import Talk


@pytest.fixture
def talk() -> Talk:
    return Talk()


WHY = [
    "Why did you say that?",
    "why do you say so",
    "But why did you say I am a vegetarian?",
    "How do you know that?",
    "How do you know?",
    "Where did you get that from?",
    "What is that based on?",
    "What makes you think that?",
    "what's your source?",
    "Which memories did you use?",
    "你为什么这么说？",
    "为什么这么说",
    "你为什么说我吃素？",
    "你怎么知道的？",
    "你是怎么知道这件事的",
    "你从哪里知道的",
    "依据是什么？",
    "你这么说的依据是什么",
    "你凭什么这么说",
    "你用了哪些记忆？",
]
NOT_WHY = [
    "Why is the sky blue?",
    "How do you know Anna?",
    "Where did you put the keys?",
    "Why did she say that?",
    "Remember why you said that",
    "为什么天是蓝的？",
    "她为什么这么说？",
    "你知道什么？",
    "你怎么了",
    "他怎么知道的",
    "项目的依据文件在桌上",
]


@pytest.mark.parametrize("said", WHY)
def test_it_is_asked_why(said: str) -> None:
    assert understand(said).kind == "why"


@pytest.mark.parametrize("said", NOT_WHY)
def test_something_else_is_asked(said: str) -> None:
    assert understand(said).kind != "why"


@pytest.mark.parametrize(
    ("told", "asked", "why", "words"),
    [
        (
            "Remember that my locker is 42",
            "What did I say about my locker?",
            "Why did you say that?",
            ["rested on this", "my locker is 42", "21 September 2026", "you said"],
        ),
        (
            "记住我的储物柜是42号",
            "我的储物柜是几号？",
            "你为什么这么说？",
            ["依据", "储物柜是42号", "2026年9月21日", "你说过"],
        ),
    ],
)
def test_the_assistant_names_memory_source_and_day(
    talk: Talk, told: str, asked: str, why: str, words: list[str]
) -> None:
    talk(told)
    answered = talk(asked)
    answer = talk.last.id
    explained = talk(why)
    for word in words:
        assert word in explained
    assert explained != answered
    used = {use.memory_id for use in talk.store.list_uses(answer)}
    assert used == {reason.id for reason in talk.store.explain(answer).reasons}
    assert used == {use.memory_id for use in talk.store.list_uses(talk.last.id)}


def test_a_quoted_message_is_shown_with_its_day(talk: Talk) -> None:
    talk("The harbour crane in Lisbon was painted green last spring, a strange thing to see")
    talk("What colour was the harbour crane painted?")
    assert "painted green" in talk("How do you know that?")


@pytest.mark.parametrize(
    ("greeting", "why", "words"),
    [
        ("How are you?", "Why did you say that?", "rested on nothing"),
        ("最近怎么样", "你为什么这么说？", "没有用到任何记忆"),
    ],
)
def test_nothing_was_used(talk: Talk, greeting: str, why: str, words: str) -> None:
    talk(greeting)
    assert words in talk(why)


@pytest.mark.parametrize(
    ("why", "words"),
    [("Why did you say that?", "not answered anything"), ("你为什么这么说？", "还没有回答过")],
)
def test_nothing_was_answered(talk: Talk, why: str, words: str) -> None:
    assert words in talk(why)


def test_what_was_corrected_since_is_said(talk: Talk) -> None:
    talk("Remember that my locker is 42")
    talk("What did I say about my locker?")
    fact = talk.store.list_facts()[0]
    talk.store.end_fact(fact.id)
    assert "corrected or is over" in talk("Why did you say that?")


# -- the record --


def test_explain_resolves_every_kind(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    source = store.add_message(session, "user", "I am vegetarian")
    clock.advance(seconds=5)
    fact = store.set_fact("user::diet", "vegetarian", source_message_id=source.id, quote="I am vegetarian")
    call = store.add_tool_call(session, "move", {"to": "x"})
    known = store.propose_experience("move", "Check the calendar before moving anything.")
    assert known is not None
    answer = store.add_message(session, "assistant", "No meat, then.")
    uses = [("facts", fact.id), ("messages", source.id), ("tool_calls", call.id), ("experiences", known.id)]
    store.record_uses(answer.id, [*((kind, id, "told") for kind, id in uses), ("facts", "gone", "told")])
    explained = store.explain(answer.id)
    assert explained.answered_at == answer.created_at
    assert [(reason.kind, reason.id) for reason in explained.reasons] == [*uses, ("facts", "gone")]
    assert [reason.rank for reason in explained.reasons] == [1, 2, 3, 4, 5]
    assert [reason.status for reason in explained.reasons] == [
        "current",
        "there",
        "there",
        "there",
        "forgotten",
    ]
    assert all(reason.why == {"why": "told"} for reason in explained.reasons)
    about_diet, message = explained.reasons[:2]
    assert (about_diet.text, about_diet.quote) == ("user::diet: vegetarian", "I am vegetarian")
    assert (about_diet.said_at, about_diet.source_id) == (source.created_at, source.id)
    assert (message.text, message.role) == ("I am vegetarian", "user")
    assert explained.to_dict()["reasons"][0]["id"] == fact.id


def test_a_superseded_fact_is_named_as_such(store: MemoryStore) -> None:
    session = store.create_session().id
    old = store.set_fact("user::home", "Lisbon")
    answer = store.add_message(session, "assistant", "Lisbon")
    store.record_uses(answer.id, [("facts", old.id, "told")])
    store.set_fact("user::home", "Porto")
    assert [(r.status, r.text) for r in store.explain(answer.id).reasons] == [
        ("superseded", "user::home: Lisbon")
    ]


def test_forgetting_takes_the_reason_with_it(store: MemoryStore) -> None:
    session = store.create_session().id
    fact = store.set_fact("user::home", "Lisbon")
    answer = store.add_message(session, "assistant", "There.")
    store.record_uses(answer.id, [("facts", fact.id, "told")])
    store.forget(fact_id=fact.id)
    assert "Lisbon" not in str(store.explain(answer.id).to_dict())


def test_others_get_no_explanation(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    answer = store.add_message(session, "assistant", "There.")
    other = MemoryStore(store.database.connection, user_id="somebody-else", clock=clock)
    theirs = other.add_message(other.create_session().id, "assistant", "x")
    hidden = store.set_fact("user::home", "Lisbon")
    other.record_uses(theirs.id, [("facts", hidden.id, "told"), ("messages", answer.id, "told")])
    assert [reason.status for reason in other.explain(theirs.id).reasons] == ["forgotten", "forgotten"]
    for id in (answer.id, "nothing"):
        with pytest.raises(NotFoundError):
            other.explain(id)


def test_an_answer_of_a_model_is_explained_by_its_prompt(store: MemoryStore) -> None:
    store.set_fact("user::diet", "vegetarian")
    reply = run(ChatAgent(store, Scripted([Delta("Salad.")])).chat_round(None, "what shall I eat"))
    (reason,) = store.explain(reply.id).reasons
    assert (reason.text, reason.why["why"]) == ("user::diet: vegetarian", "in the prompt")


# -- what an answer was made with, at a glance --


def test_an_answer_counts_what_it_rested_on_and_not_what_it_only_named(talk: Talk) -> None:
    talk("I'm Lin, vegetarian")
    assert talk.store.answer_basis([talk.last.id]) == []  # proposed, and used by nothing yet
    talk.confirm_all()
    talk("plan Saturday dinner")
    answer = talk.last.id
    (basis,) = talk.store.answer_basis([answer, "no such answer"])
    assert (basis.message_id, basis.memories, basis.tools) == (answer, 1, ())
    (reason,) = talk.store.explain(answer).reasons
    assert (reason.key, reason.value, reason.rested) == ("user::diet", "vegetarian", True)
    assert reason.since
    assert reason.confidence
    talk.store.forget(fact_id=reason.id)
    assert talk.store.answer_basis([answer]) == []


def test_tools_of_an_answer_are_named_in_order(store: MemoryStore) -> None:
    session = store.create_session()
    answer = store.add_message(session.id, "assistant", "Done.")
    for name, status in (("weather", "success"), ("book", "failed")):
        store.update_tool_call(store.add_tool_call(session.id, name, {}, message_id=answer.id).id, status)
    (basis,) = store.answer_basis([answer.id])
    assert basis.tools == (("weather", "success"), ("book", "failed"))
    with pytest.raises(InvalidInputError):
        store.answer_basis([answer.id] * 1001)
