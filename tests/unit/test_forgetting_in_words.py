"""Requests to forget, said to the offline assistant: exactly what is named goes, and what is unclear is asked."""
# ruff: noqa: E501 -- a case is one line

from __future__ import annotations

import pytest

from py_memory.extraction import propose
from py_memory.extraction.secrets import secret_spans
from py_memory.models.meant import chosen
from tests.unit.test_offline_assistant import Talk

CHILD, AGE, ALLERGY = (f"user::family::daughter{end}" for end in ("", "::age", "::allergy"))


@pytest.fixture
def talk() -> Talk:
    return Talk()


def tell(talk: Talk, *texts: str) -> None:
    """Says each, and yes to what was noticed in it."""
    for text in texts:
        talk(text)
        talk.confirm_all()


EN_CHILD = ("My daughter Mei is 6", "Mei is allergic to peanuts and cats")
ZH_CHILD = ("我女儿小美6岁", "小美对花生和猫过敏")


@pytest.mark.parametrize(
    ("told", "forget", "gone"),
    [
        (EN_CHILD, "forget that Mei is allergic to cats", {(ALLERGY, "cats")}),
        (EN_CHILD, "Forget Mei's cat allergy", {(ALLERGY, "cats")}),
        (EN_CHILD, "please forget that my daughter is allergic to peanuts", {(ALLERGY, "peanuts")}),
        (EN_CHILD, "forget that Mei is 6", {(AGE, "6")}),
        (ZH_CHILD, "忘掉小美对猫过敏", {(ALLERGY, "猫")}),
        (ZH_CHILD, "把小美对花生过敏忘掉", {(ALLERGY, "花生")}),
        (ZH_CHILD, "忘掉我女儿对猫过敏", {(ALLERGY, "猫")}),
    ],
)
def test_only_what_holds_the_value_goes(
    talk: Talk, told: tuple[str, ...], forget: str, gone: set[tuple[str, str]]
) -> None:
    tell(talk, *told)
    before = talk.facts()
    assert gone < before
    talk(forget)
    assert talk.facts() == before - gone
    assert talk.facts("candidate") == set()


@pytest.mark.parametrize(
    ("told", "forget", "no", "yes", "gone"),
    [
        # A value that nothing holds, and one of two in a value.
        (("My daughter Mei is 6", "Mei is allergic to peanuts"), "forget that Mei is allergic to dogs", "no", "yes", {(ALLERGY, "peanuts")}),
        (("My daughter Mei is 6",), "forget my dinner with Mei", "no", "yes", {(CHILD, "Mei"), (AGE, "6")}),
        (("我女儿小美6岁", "小美对花生过敏"), "忘掉小美对虾过敏", "不", "是的", {(ALLERGY, "花生")}),
        (("remember that I'm allergic to nuts",), "forget that Mei is allergic to nuts", "no", "1", {("user::allergy", "nuts")}),
    ],
)  # fmt: skip
def test_what_does_not_fit_whole_is_asked_about(
    talk: Talk, told: tuple[str, ...], forget: str, no: str, yes: str, gone: set[tuple[str, str]]
) -> None:
    tell(talk, *told)
    before = talk.facts()
    assert "1. " in talk(forget)
    assert talk.facts() == before
    talk(no)
    assert talk.facts() == before
    talk(forget)
    talk(yes)
    assert talk.facts() == before - gone


def test_of_several_in_one_value_the_rest_does_not_go_unasked(talk: Talk) -> None:
    talk.store.set_fact("user::allergy", "花生和虾")
    assert "1. 过敏：花生和虾" in talk("忘掉我对虾过敏")
    assert talk.facts() == {("user::allergy", "花生和虾")}


KEYS = ("remember that the red key is upstairs", "remember that the blue key is downstairs")
KEYS_ZH = ("记住红钥匙在楼上", "记住蓝钥匙在楼下")


@pytest.mark.parametrize(
    ("told", "forget", "which", "left"),
    [
        (KEYS, "forget the key", "2", {"the red key is upstairs"}),
        (KEYS, "forget the key", "the second one, please", {"the red key is upstairs"}),
        (KEYS, "forget the key", "the blue one", {"the red key is upstairs"}),
        (KEYS, "forget the key", "forget the red one", {"the blue key is downstairs"}),
        (KEYS, "forget the key", "1 and 2", set()),
        (KEYS, "forget the key", "all of these", set()),
        (KEYS, "forget the key", "neither", {"the red key is upstairs", "the blue key is downstairs"}),
        (KEYS_ZH, "忘掉钥匙", "第二条", {"红钥匙在楼上"}),
        (KEYS_ZH, "忘掉钥匙", "2", {"红钥匙在楼上"}),
        (KEYS_ZH, "忘掉钥匙", "蓝的", {"红钥匙在楼上"}),
        (KEYS_ZH, "忘掉钥匙", "全部", set()),
        (KEYS_ZH, "忘掉钥匙", "不", {"红钥匙在楼上", "蓝钥匙在楼下"}),
    ],
)
def test_the_answer_to_which_one_is_understood(
    talk: Talk, told: tuple[str, ...], forget: str, which: str, left: set[str]
) -> None:
    tell(talk, *told)
    asked = talk(forget)
    assert "1. " in asked
    assert "2. " in asked
    assert "number" in asked or "编号" in asked
    answer = talk(which)
    assert ("Forgotten" in answer or "nothing is deleted" in answer) == (told is KEYS)
    assert {value for _, value in talk.facts()} == left
    if len(left) == 1:  # the words that are left in messages go with a yes as ever
        assert talk("yes" if told is KEYS else "是的")[:7] in ("Deleted", "已删除 3 条")


@pytest.mark.parametrize("said", ["yes", "3", "1 and 7"])
def test_an_answer_that_leaves_it_open_is_asked_again(talk: Talk, said: str) -> None:
    tell(talk, *KEYS)
    question = talk("forget the key")
    assert talk(said) == question
    assert len(talk.facts()) == 2
    talk("1")
    assert {value for _, value in talk.facts()} == {"the blue key is downstairs"}


@pytest.mark.parametrize(
    "said", ["I like tea", "what about the blue key?", "my bike is blue", "the key is green", ""]
)
def test_what_answers_no_question_forgets_nothing(said: str) -> None:
    options = [
        {"key": "user::note", "value": value}
        for value in ("the red key is upstairs", "the blue key is downstairs")
    ]
    assert chosen(said, options) is None


def test_a_number_after_anything_else_forgets_nothing(talk: Talk) -> None:
    tell(talk, *KEYS)
    talk("forget the key")
    talk("what is left to do?")
    talk("2")
    assert len(talk.facts()) == 2


@pytest.mark.parametrize(
    "text",
    [
        "forget that I am allergic to shellfish",
        "Please forget that my daughter Mei is allergic to cats.",
        "can you forget that I live in Oslo",
        "忘掉小美对虾过敏",
        "忘掉我对虾过敏",
        "请忘掉我住在杭州",
        "把我对虾过敏忘掉",
        "帮我删掉我女儿小美6岁",
    ],
)
def test_nothing_is_noticed_in_a_request_to_forget(text: str) -> None:
    assert propose(text, known={"小美": CHILD}) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Forget my diet. I live in Oslo.", "Oslo"),
        ("Don't forget that my locker is 42", "my locker is 42"),
        ("忘了告诉你，我住在杭州", "杭州"),
    ],
)
def test_what_is_told_beside_it_is_noticed(text: str, value: str) -> None:
    assert [proposal["value"] for proposal in propose(text)] == [value]


def test_forgetting_a_job_asks_about_the_employer_too(talk: Talk) -> None:
    tell(talk, "I work at Acme as a nurse")
    answer = talk("forget my job")
    assert "Acme" in answer
    assert "nurse" in answer
    talk("both")
    assert talk.facts() == set()


@pytest.mark.parametrize(
    ("told", "forget", "again", "remember", "value"),
    [
        ("I live in Oslo", "forget where I live", "I live in Oslo", "remember that I live in Oslo", "Oslo"),
        ("我住在杭州", "忘掉我住在哪里", "我住在杭州", "记住我住在杭州", "杭州"),
    ],
)
def test_what_was_forgotten_is_not_asked_about_again_and_that_is_said(
    talk: Talk, told: str, forget: str, again: str, remember: str, value: str
) -> None:
    tell(talk, told)
    talk(forget)
    answer = talk(again)
    assert "remember that" in answer or "记住" in answer
    assert talk.facts("candidate") == set()
    talk(remember)
    assert talk.facts() == {("user::home", value)}
    assert value in talk(again)  # it is known, and nothing stands in its way any more


def test_what_is_noticed_beside_it_is_still_offered(talk: Talk) -> None:
    tell(talk, "My daughter Mei is 6")
    talk("forget Mei")
    answer = talk("My daughter Mei is 7")
    assert "I noticed one thing" in answer
    assert "I don't ask again" in answer


# -- what waits for a yes --


@pytest.mark.parametrize(
    ("said", "question", "yes"),
    [
        ("I live in Oslo and I like jazz", "what waits for my yes?", "yes"),
        ("I live in Oslo and I like jazz", "Is anything waiting for me?", "yes"),
        ("I live in Oslo and I like jazz", "yes", "yes"),
        ("我住在杭州，我喜欢爵士乐", "有什么在等我确认？", "是的"),
        ("我住在杭州，我喜欢爵士乐", "还有哪些没确认？", "是的"),
        ("我住在杭州，我喜欢爵士乐", "是的", "是的"),
    ],
)
def test_what_waits_is_named_in_another_chat(talk: Talk, said: str, question: str, yes: str) -> None:
    talk(said)
    waiting = talk.facts("candidate")
    assert len(waiting) == 2
    talk.store.start_new_session()
    answer = talk(question)
    assert all(value in answer for _, value in waiting)
    assert "memory panel" in answer or "记忆面板" in answer
    assert talk.facts() == set()
    talk(yes)
    assert talk.facts() == waiting


@pytest.mark.parametrize(
    ("question", "words"), [("what waits for my yes?", "Nothing waits"), ("有什么在等我确认？", "没有等待")]
)
def test_where_nothing_waits_that_is_said(talk: Talk, question: str, words: str) -> None:
    assert words in talk(question)


# -- told, and no secret --


@pytest.mark.parametrize(
    "text",
    [
        "My secret hobby is knitting",
        "The secret garden is my favourite book",
        "Our secret recipe: two eggs and butter",
    ],
)
def test_a_secret_thing_is_no_secret(text: str) -> None:
    assert secret_spans(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "my secret is hunter2",
        "secret key: abcdef",
        "client secret: xyz123",
        "the secret for the API is 123abc",
        "the secret word is swordfish",
    ],
)
def test_a_secret_stays_one(text: str) -> None:
    assert secret_spans(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "My wife Anna's birthday is on March 3",
            {("user::family::wife", "Anna"), ("user::family::wife::birthday", "March 3")},
        ),
        (
            "My son Tom's birthday is May 5",
            {("user::family::son", "Tom"), ("user::family::son::birthday", "May 5")},
        ),
    ],
)
def test_a_name_and_a_birthday_are_both_kept(text: str, told: set[tuple[str, str]]) -> None:
    assert {(proposal["key"], proposal["value"]) for proposal in propose(text)} == told


def test_a_diet_that_is_over_is_ended_whatever_follows(talk: Talk) -> None:
    tell(talk, "I'm vegetarian")
    assert "no longer holds" in talk("I'm not vegetarian any more, I eat fish")
    talk("yes")
    assert talk.facts() == set()
    assert talk.facts("archived") == {("user::diet", "vegetarian")}


@pytest.mark.parametrize("text", ["My name is spelled Lynn, not Lin", "my name is actually spelt Lynn"])
def test_a_spelling_corrects_the_name(talk: Talk, text: str) -> None:
    tell(talk, "My name is Lin", text)
    assert talk.facts() == {("user::name", "Lynn")}


@pytest.mark.parametrize(
    "text", ["My name is spelled wrong", "My name is spelled with two n's", "My name is spelled L-Y-N-N"]
)
def test_what_is_said_of_a_spelling_is_no_name(text: str) -> None:
    assert propose(text) == []


@pytest.mark.parametrize("text", ["小美对花生和虾过敏", "阿杰对花生过敏"])
def test_what_somebody_unknown_does_not_tolerate_is_not_the_users(text: str) -> None:
    assert propose(text) == []
