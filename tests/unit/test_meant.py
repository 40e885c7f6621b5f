"""What a message means beside what is known: ages of people known by name, plans as to-dos."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory import ChatAgent, MemoryStore, OfflineAssistant
from py_memory.extraction import propose
from tests.unit.support import run

NOW = 1_790_000_000_000  # a Monday in September 2026


PEOPLE = {"Mei": "user::family::daughter", "小宝": "user::family::son", "Rex": "user::pet::dog"}


def meant(text: str) -> list[tuple[str, str]]:
    return [(item["key"], item["value"]) for item in propose(text, known=PEOPLE, now=NOW, zone="UTC")]


@pytest.mark.parametrize(
    ("text", "key", "age"),
    [
        ("Mei is 7 now", "user::family::daughter::age", "7"),
        ("Mei is 7 now.", "user::family::daughter::age", "7"),
        ("mei's 7 already!", "user::family::daughter::age", "7"),
        ("Oh, and Mei just turned 8 yesterday", "user::family::daughter::age", "8"),
        ("Mei has turned 10", "user::family::daughter::age", "10"),
        ("Mei is 7 years old now", "user::family::daughter::age", "7"),
        ("Rex is 3", "user::pet::dog::age", "3"),
        ("小宝现在7岁了", "user::family::son::age", "7"),
        ("小宝今年8岁", "user::family::son::age", "8"),
        ("小宝满3岁了。", "user::family::son::age", "3"),
        ("小宝刚过完生日，小宝5岁啦", "user::family::son::age", "5"),
    ],
)
def test_an_age_told_by_name_is_that_of_the_person_known(text: str, key: str, age: str) -> None:
    assert (key, age) in meant(text)


@pytest.mark.parametrize(
    "text",
    [
        "Anna is 7 now",
        "Is Mei 7 now?",
        "Mei will be 7 in May",
        "mei will be 7 in May",
        "my daughter Mei will be 7 in May",
        "my daughter mei will be 7 in May",
        "my daughter Mei is about to turn 7",
        "My daughter is called Mei and she is nearly 7",
        "小宝马上要满7岁了",
        "我儿子小宝明年就7岁了",
        "Mei is 7 km away",
        "Mei is 7 minutes late",
        "Mei has 7 friends",
        "If Mei is 7 now, she can go to school",
        "He said: “Mei is 7 now”",
        "Imagine Mei is 7 now",
        "Meike is 7 now",
        "小宝7岁了吗",
        "小宝买了7本书",
        "don't remember this: Mei is 7 now",
    ],
)
def test_what_is_no_age_of_somebody_known_gives_none(text: str) -> None:
    assert not [item for item in meant(text) if item[0].endswith("::age")]


@pytest.mark.parametrize(
    ("text", "todo"),
    [
        ("I need to buy milk tomorrow", "buy milk tomorrow"),
        ("Oh, and I must pay the rent on Friday.", "pay the rent on Friday"),
        ("I've got to pick up the parcel today", "pick up the parcel today"),
        ("I need to finish the report by Friday", "finish the report by Friday"),
        ("我明天要买牛奶", "买牛奶"),
        ("明天得交房租", "交房租"),
        ("周五我要寄快递", "寄快递"),
    ],
)
def test_a_plan_is_a_to_do_that_waits(text: str, todo: str) -> None:
    found = [item for item in propose(text, now=NOW, zone="UTC") if item["key"].startswith("task::")]
    assert [item["value"] for item in found] == [todo]
    assert not found[0]["explicit"]
    assert found[0]["quote"] in text
    assert not [item for item in propose(text, now=NOW) if item["category"] == "event"]


@pytest.mark.parametrize(
    "text",
    [
        "I need to buy a laptop",
        "I need to be honest with you",
        "I have to say, that was good",
        "I must admit it is good",
        "I need to sleep",
        "I have to go",
        "I need to think about it tomorrow",
        "Do I need to buy milk tomorrow?",
        "If I need to buy milk, I will say so",
        "I don't need to buy milk",
        "I used to have to pay the rent on Friday",
        "She has to buy milk tomorrow",
        "我要睡觉了",
        "我要买房",
        "我需要预约牙医",
        "我明天不用买牛奶",
        "我明天要买牛奶吗",
        "如果我明天要买牛奶就告诉你",
    ],
)
def test_what_is_no_errand_is_no_to_do(text: str) -> None:
    assert [item for item in meant(text) if item[0].startswith("task::")] == []


@pytest.mark.parametrize(
    ("text", "todo"),
    [
        ("Add to my to-do list: buy milk", "buy milk"),
        ("Please add to my todo list: buy milk", "buy milk"),
        ("Put on my to-do list: call mum", "call mum"),
    ],
)
def test_a_list_with_a_colon_is_a_request(text: str, todo: str) -> None:
    (item,) = propose(text)
    assert (item["value"], item["explicit"]) == (todo, True)
    assert item["quote"] == text.removeprefix("Please ") or item["quote"] == text


@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=20), max_size=3))
def test_any_text_beside_any_names_is_read_without_an_error(text: str, names: list[str]) -> None:
    people = {name: f"user::family::{number}" for number, name in enumerate(names)}
    for item in propose(f"{text} {' '.join(names)} is 7 now", known=people, now=NOW):
        assert len(item["value"]) <= 100


# -- in a chat --


def talk(*lines: str) -> tuple[MemoryStore, str]:
    """The store and the last answer."""
    store = MemoryStore(":memory:")
    session, answer = store.create_session().id, ""
    for line in lines:
        answer = run(ChatAgent(store, OfflineAssistant()).chat_round(session, line)).content
    return store, answer


def test_an_age_is_corrected_once_the_user_says_yes() -> None:
    store, answer = talk("my daughter Mei is 6", "yes", "Mei is 7 now", "yes")
    assert answer == "Kept: daughter's age: 7."
    newest, former = store.fact_history("user::family::daughter::age")
    assert (newest.value, newest.status, former.value, former.status) == ("7", "current", "6", "superseded")


def test_an_age_that_waits_makes_way_for_the_one_told_now() -> None:
    store, _ = talk("我女儿小美6岁", "小美现在7岁了")
    waiting = {fact.key: fact.value for fact in store.list_facts(status="candidate")}
    assert waiting == {"user::family::daughter": "小美", "user::family::daughter::age": "7"}


@pytest.mark.parametrize("lines", [("I'm 30", "I'm 31", "I'm 30"), ("我30岁", "我31岁", "我30岁")])
def test_nobody_said_no_to_an_age_that_made_way(lines: tuple[str, ...]) -> None:
    store, _ = talk(*lines)
    assert [fact.value for fact in store.list_facts(status="candidate")] == ["30"]
    store, _ = talk(*lines[:2], "no", lines[0])
    assert [fact.value for fact in store.list_facts(status="candidate")] == ["30"]


def test_ages_told_in_one_message_stand_together() -> None:
    store, _ = talk("My kids are Tom, 6, and Lea, 9. My son is 6. My son is 9.")
    assert {fact.value for fact in store.list_facts(status="candidate", prefix="user::family::son::age")} == {
        "6",
        "9",
    }


def test_a_plan_becomes_a_to_do_after_a_yes() -> None:
    store, answer = talk("I need to buy milk tomorrow")
    assert store.list_facts() == []
    assert "yes" in answer
    store, answer = talk("I need to buy milk tomorrow", "yes", "What is left to do?")
    assert "buy milk tomorrow" in answer


@pytest.mark.parametrize(
    ("todo", "done"),
    [
        ("提醒我浇花", "花浇完了"),
        ("提醒我交房租", "房租交了"),
        ("提醒我买牛奶", "牛奶买好了"),
        ("提醒我给狗洗澡", "给狗洗澡完成了"),
    ],
)
def test_a_to_do_is_closed_by_the_same_characters_in_another_order(todo: str, done: str) -> None:
    store, answer = talk(todo, done)
    assert answer.startswith("完成：")
    assert store.list_facts() == []


def test_another_thing_done_closes_nothing() -> None:
    store, _ = talk("提醒我浇花", "衣服洗完了")
    assert len(store.list_facts()) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Can I eat steak?",
        "May I have a beer?",
        "Is it ok to eat this?",
        "我能吃牛排吗",
        "牛排可以吃吗",
        "吃花生行吗",
    ],
)
def test_what_was_said_about_food_bears_on_what_may_be_eaten(question: str) -> None:
    _, answer = talk(
        "I'm vegetarian", "yes", "I'm allergic to peanuts", "yes", "I live in Oslo", "yes", question
    )
    assert "vegetarian" in answer
    assert "peanuts" in answer
    assert "Oslo" not in answer


def test_what_is_disputed_or_waits_is_told_too() -> None:
    store = MemoryStore(":memory:", clock=iter(range(NOW, NOW + 10_000_000, 1000)).__next__)
    store.set_fact("user::allergy", "peanuts")
    store.set_fact("user::likes", "peanuts")
    store.consolidate()
    session = store.create_session().id
    run(ChatAgent(store, OfflineAssistant()).chat_round(session, "I'm vegetarian"))
    answer = run(ChatAgent(store, OfflineAssistant()).chat_round(session, "Can I eat peanuts?")).content
    assert "Not confirmed" in answer
    assert "allergy: peanuts" in answer
    assert "vegetarian" in answer


@pytest.mark.parametrize(
    ("word", "answer"),
    [("yes", "I had asked nothing"), ("是的", "我刚才没有问什么"), ("ok", "All right."), ("好的", "好的。")],
)
def test_a_yes_with_nothing_asked_is_told_so(word: str, answer: str) -> None:
    assert talk("I was at the sea", word)[1].startswith(answer)


def test_a_chat_is_named_by_the_first_message_that_says_something() -> None:
    store, _ = talk("Hi", "thanks", "Where did I put my passport?", "And my keys?")
    assert [session.title for session in store.list_sessions()] == ["Where did I put my passport?"]
    store, _ = talk("你好", "我的护照放在哪里了？")
    assert [session.title for session in store.list_sessions()] == ["我的护照放在哪里了？"]
    store, _ = talk("Hi")
    assert [session.title for session in store.list_sessions()] == [None]
