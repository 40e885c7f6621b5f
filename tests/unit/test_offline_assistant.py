"""The offline assistant end to end: through ChatAgent with a real store."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from py_memory import ChatAgent, MemoryStore, OfflineAssistant
from py_memory.errors import InvalidInputError
from py_memory.memory_tools import memory_tools
from py_memory.models.intents import understand
from py_memory.records import Message
from tests.unit.support import run


class Talk:
    """A conversation with the assistant."""

    def __init__(self) -> None:
        self.now = 1_790_000_000_000  # 21 September 2026
        self.store = MemoryStore(":memory:", clock=lambda: self.now)
        self.agent = ChatAgent(self.store, OfflineAssistant())
        self.last: Message

    def __call__(self, text: str) -> str:
        self.now += 1000
        self.last = run(self.agent.chat_round(None, text))
        assert self.last.status == "complete"
        return self.last.content

    def facts(self, status: str = "current") -> set[tuple[str, str]]:
        return {(fact.key, fact.value) for fact in self.store.list_facts(status=status)}

    def confirm_all(self) -> None:
        for fact in self.store.list_facts(status="candidate"):
            self.store.confirm_fact(fact.id)


@pytest.fixture
def talk() -> Talk:
    return Talk()


ENGLISH = "I'm Lin, vegetarian, my daughter Mei is 6, I answer in Chinese"
CHINESE = "我叫林，吃素，女儿小梅6岁"
FIRST = {
    ENGLISH: {
        ("user::name", "Lin"),
        ("user::diet", "vegetarian"),
        ("user::family::daughter", "Mei"),
        ("user::family::daughter::age", "6"),
        ("user::language", "Chinese"),
    },
    CHINESE: {
        ("user::name", "林"),
        ("user::diet", "吃素"),
        ("user::family::daughter", "小梅"),
        ("user::family::daughter::age", "6"),
    },
}


@pytest.mark.parametrize("text", FIRST)
def test_what_is_inferred_waits_for_a_yes(talk: Talk, text: str) -> None:
    answer = talk(text)
    assert FIRST[text] == talk.facts("candidate")
    assert set() == talk.facts()
    number = {5: "five things", 4: "四件事"}[len(FIRST[text])]
    assert number in answer
    assert not any(value in answer for _, value in FIRST[text])  # the cards beside it show them
    for fact in talk.store.list_facts(status="candidate"):
        assert fact.quote
        assert fact.quote in text
        assert fact.source_message_id == talk.last.parent_id
    assert len(talk.store.list_uses(talk.last.id)) == len(FIRST[text])


@pytest.mark.parametrize(("text", "yes"), [(ENGLISH, "yes, please"), (CHINESE, "好的")])
def test_yes_keeps_what_was_proposed(talk: Talk, text: str, yes: str) -> None:
    talk(text)
    talk(yes)
    assert FIRST[text] == talk.facts()


@pytest.mark.parametrize(
    ("text", "number", "yes", "facts"),
    [
        (
            "I have two kids, Tom and Lea",
            "two things",
            "yes",
            {("user::family::child", "Tom"), ("user::family::child", "Lea")},
        ),
        (
            "I have two daughters, Mei and Anna",
            "two things",
            "yes",
            {("user::family::daughter", "Mei"), ("user::family::daughter", "Anna")},
        ),
        (
            "I have a dog, Rex, and a cat, Tom",
            "two things",
            "yes",
            {("user::pet::dog", "Rex"), ("user::pet::cat", "Tom")},
        ),
    ],
)
def test_names_learned_from_a_message_do_not_hide_what_it_says(
    talk: Talk, text: str, number: str, yes: str, facts: set[tuple[str, str]]
) -> None:
    assert number in talk(text)
    assert facts == talk.facts("candidate")
    assert len(talk.store.list_uses(talk.last.id)) == len(facts)
    kept = talk(yes)
    assert all(value in kept for _, value in facts)
    assert facts == talk.facts()


def test_a_relative_known_may_be_called_by_name(talk: Talk) -> None:
    talk(ENGLISH)
    talk.confirm_all()
    talk("Mei is 7 now")
    assert ("user::family::daughter::age", "7") in talk.facts("candidate")


@pytest.mark.parametrize(("text", "no"), [(ENGLISH, "no"), (CHINESE, "不用")])
def test_no_drops_it_for_good(talk: Talk, text: str, no: str) -> None:
    talk(text)
    talk(no)
    talk(text)
    assert set() == talk.facts() | talk.facts("candidate")


def test_yes_to_nothing_keeps_nothing(talk: Talk) -> None:
    talk("I'm Lin")
    talk("hello")
    talk("yes")
    assert set() == talk.facts()


@pytest.mark.parametrize(
    ("text", "value", "question"),
    [
        ("remember that my locker is 42", "my locker is 42", "What is my locker number?"),
        ("记住我的储物柜是42号", "我的储物柜是42号", "我的储物柜是几号？"),
    ],
)
def test_remembering_in_plain_words(talk: Talk, text: str, value: str, question: str) -> None:
    assert value in talk(text)
    assert {("user::note", value)} == talk.facts()
    assert value in talk(text)  # said again, it is known
    assert {("user::note", value)} == talk.facts()
    answer = talk(question)
    assert value in answer
    assert text in answer  # the quote
    assert re.search(r"21 September 2026|2026年9月21日", answer)
    assert talk.store.list_facts()[0].id in [use.memory_id for use in talk.store.list_uses(talk.last.id)]


def test_it_claims_only_what_is_stored(talk: Talk) -> None:
    for text in (
        "remember my locker number",
        "remember that my password is hunter2",
        "don't remember this: I'm Bob",
    ):
        assert "I'll remember" not in talk(text)
    assert set() == talk.facts() | talk.facts("candidate")


@pytest.mark.parametrize(
    ("text", "forget", "word"),
    [
        ("remember that my locker is 42", "forget my locker number", "42"),
        ("记住我的储物柜是42号", "忘掉我的储物柜", "42"),
    ],
)
def test_forgetting_one_thing(talk: Talk, text: str, forget: str, word: str) -> None:
    talk(text)
    answer = talk(forget)
    assert set() == talk.facts()
    assert word not in answer
    assert re.search(r"2 of our messages|2 条消息", answer)


@pytest.mark.parametrize(
    ("texts", "forget"),
    [
        (
            ["remember that the red key is upstairs", "remember that the blue key is downstairs"],
            "forget the key",
        ),
        (["记住红钥匙在楼上", "记住蓝钥匙在楼下"], "忘掉钥匙"),
    ],
)
def test_forgetting_asks_which(talk: Talk, texts: list[str], forget: str) -> None:
    for text in texts:
        talk(text)
    answer = talk(forget)
    assert len(talk.facts()) == 2
    assert all(value in answer for _, value in talk.facts())


@pytest.mark.parametrize(
    ("text", "forget", "sure", "word"),
    [
        (
            "remember that my locker is 42",
            "forget everything about my locker",
            "yes, forget everything about my locker",
            "42",
        ),
        ("记住我的储物柜是42号", "忘掉关于储物柜的一切", "是的，忘掉关于储物柜的一切", "42"),
    ],
)
def test_forgetting_everything_shows_it_first(
    talk: Talk, text: str, forget: str, sure: str, word: str
) -> None:
    talk(text)
    answer = talk(sure)  # a yes to something never shown only shows it
    assert word in answer
    assert len(talk.facts()) == 1
    talk(forget)
    talk(sure)
    assert set() == talk.facts()
    assert [hit.message_id for hit in talk.store.search(word)] == []


@pytest.mark.parametrize("text", FIRST)
@pytest.mark.parametrize("question", ["what do you know about me", "你知道我什么"])
def test_what_is_known(talk: Talk, text: str, question: str) -> None:
    talk(text)
    talk.confirm_all()
    answer = talk(question)
    for fact in talk.store.list_facts():
        assert fact.value in answer
        assert fact.quote
        assert fact.quote in answer
    lines = [line for line in answer.splitlines() if line.startswith("- ")]
    assert len(FIRST[text]) == len(lines)
    assert all(re.search(r"21 September 2026|2026年9月21日", line) for line in lines)
    assert {fact.id for fact in talk.store.list_facts()} == {
        u.memory_id for u in talk.store.list_uses(talk.last.id)
    }


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("We met the plumber on Tuesday about the leak", "What did I say about the plumber?"),
        ("We met the plumber on Tuesday about the leak", "When did we meet the plumber?"),
        ("The dentist is Doctor Anders in Hill Street", "Where is the dentist?"),
        ("周二师傅来修了水管", "我说过水管什么？"),
        ("牙医是王医生，在人民路", "牙医在哪里？"),
    ],
)
def test_questions_are_answered_by_quoting(talk: Talk, told: str, question: str) -> None:
    talk(told)
    talk("I like tea")
    talk(question)
    answer = talk(question)  # the question asked before is no answer
    assert told in answer
    assert question not in answer
    assert re.search(r"21 September 2026|2026年9月21日", answer)
    assert "messages" in [use.memory_kind for use in talk.store.list_uses(talk.last.id)]


def test_what_was_corrected_is_not_said_again(talk: Talk) -> None:
    for text in ("I live in Pune", "yes", "I moved to Mumbai last week", "yes"):
        talk(text)
    answer = talk("Where do I live?")
    assert "Mumbai" in answer
    assert "Pune" not in answer


@pytest.mark.parametrize(
    ("question", "words"), [("Where is the atlas?", "found nothing"), ("地图册在哪里？", "没有找到")]
)
def test_nothing_found_is_said(talk: Talk, question: str, words: str) -> None:
    assert words in talk(question)


@pytest.mark.parametrize(
    ("add", "question", "what", "done"),
    [
        ("remind me to buy milk", "what is left to do?", "buy milk", "I bought milk"),
        ("remind me to buy milk", "what is left to do?", "buy milk", "done: buy milk"),
        ("remind me to call Anna", "show my to-dos", "call Anna", "I called Anna"),
        ("提醒我买牛奶", "还有什么要做", "买牛奶", "买好牛奶了"),
        ("提醒我买牛奶", "还有什么要做？", "买牛奶", "我买了牛奶"),
        ("提醒我交电费", "待办清单", "交电费", "完成：交电费"),
        ("别忘了周五交房租", "还有什么没做", "交房租", "房租交了"),
        ("提醒我浇花", "待办清单", "浇花", "花浇完了"),
        ("提醒我写论文初稿", "待办清单", "论文初稿", "论文初稿搞定啦🎉"),
        ("remind me to file the tax return", "my to-dos", "tax return", "The tax return is filed, finally!!"),
        ("remind me to buy milk", "my to-dos", "buy milk", "bought the milk"),
        ("remind me to water the plants", "my to-dos", "water the plants", "plants watered"),
        ("Add to my to-do list: renew passport", "my to-dos", "passport", "I've renewed my passport"),
        ("Remind me to renew my passport by Friday", "my to-dos", "passport", "I've renewed my passport"),
    ],
)
def test_to_dos(talk: Talk, add: str, question: str, what: str, done: str) -> None:
    assert what in talk(add)
    assert what in talk(question)
    assert what in talk(done)
    assert set() == talk.facts()
    assert what not in talk(question)
    talk(add)
    assert what in talk(question)  # the same again is open again


@pytest.mark.parametrize(
    ("add", "said"),
    [
        ("remind me to buy milk", "I haven't bought milk"),
        ("remind me to buy milk", "Did I buy milk?"),
        ("remind me to make a call", "I made a cake"),
        ("提醒我买牛奶", "还没买牛奶"),
        ("提醒我买牛奶", "牛奶买了吗"),
        ("提醒我浇花", "花还没浇完"),
        ("remind me to buy milk", "milk was bought by monks in 1420"),
    ],
)
def test_what_does_not_close_a_to_do(talk: Talk, add: str, said: str) -> None:
    talk(add)
    talk(said)
    assert len(talk.facts()) == 1


def test_it_asks_which_to_do_is_done(talk: Talk) -> None:
    talk("remind me to call Anna about the house")
    talk("remind me to call Anna about the car")
    answer = talk("I called Anna")
    assert "house" in answer
    assert "car" in answer
    assert len(talk.facts()) == 2


@pytest.mark.parametrize(
    ("told", "request_", "kept"),
    [
        (ENGLISH, "plan Saturday dinner", ["vegetarian", "Mei", "6"]),
        (CHINESE, "帮我写周末的菜单", ["吃素", "小梅", "6"]),
        ("I'm allergic to nuts", "Write me a cake recipe", ["nuts"]),
    ],
)
@pytest.mark.parametrize("confirmed", [True, False])
def test_a_request_it_cannot_fulfil(
    talk: Talk, told: str, request_: str, kept: list[str], confirmed: bool
) -> None:
    talk(told)
    if confirmed:
        talk.confirm_all()
    answer = talk(request_)
    assert re.search("language model|语言模型", answer)
    assert all(words in answer for words in kept)
    assert bool(re.search("Not confirmed|确认", answer)) != confirmed


def test_a_request_with_nothing_known(talk: Talk) -> None:
    assert "language model" in talk("plan Saturday dinner")
    assert talk.store.list_uses(talk.last.id) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hello", "greeting"),
        ("Hi there!", "greeting"),
        ("thanks a lot", "thanks"),
        ("how are you?", "small_talk"),
        ("good night", "farewell"),
        ("what can you do?", "help"),
        ("what do you know about Anna?", "question"),
        ("what should I cook tonight?", "request"),
        ("What do I have left to do today?", "todo_list"),
        ("forget what I said about the car", "forget"),
        ("The weather is nice", "statement"),
        ("你好", "greeting"),
        ("谢谢你", "thanks"),
        ("你好吗", "small_talk"),
        ("晚安", "farewell"),
        ("你能做什么？", "help"),
        ("今晚吃什么好？", "request"),
        ("给我推荐一本书", "request"),
        ("把储物柜忘掉", "forget"),
        ("忘了关于车的事", "forget"),
        ("忘了带伞", "statement"),
        ("今天天气不错", "statement"),
        ("我女儿叫什么？", "question"),
    ],
)
def test_intents(talk: Talk, text: str, kind: str) -> None:
    assert kind == understand(text).kind
    answer = talk(text)
    assert bool(re.search("[\u4e00-\u9fff]", text)) == bool(re.search("[\u4e00-\u9fff]", answer))


def test_greeting_by_name_rests_on_the_name(talk: Talk) -> None:
    talk("remember that my name is Lin")
    assert "Lin" in talk("hello")
    assert [talk.store.list_facts()[0].id] == [use.memory_id for use in talk.store.list_uses(talk.last.id)]


def test_a_day_is_told_with_its_date(talk: Talk) -> None:
    talk.store.set_setting("zone", "+12:00")
    talk("remind me tomorrow to call Anna")
    assert "23 September 2026" in talk("what is left to do?")  # the 21st in UTC is the 22nd there


# -- forgetting --


@pytest.mark.parametrize(
    ("told", "forget", "key"),
    [
        ("I live in Oslo", "Forget where I live", "user::home"),
        ("I live in Oslo", "forget my address", "user::home"),
        ("My address is 5 Hill Street", "forget my address", "user::address"),
        ("My phone number is 555 123 4567", "forget my phone number", "user::contact::phone"),
        ("I'm Lin", "forget my name", "user::name"),
        ("My birthday is May 3", "forget my birthday", "user::birthday"),
        ("I'm vegetarian", "please forget my diet", "user::diet"),
        ("我住在杭州", "忘掉我住在哪里", "user::home"),
        ("我的生日是5月3日", "忘掉我的生日", "user::birthday"),
        ("我住在杭州", "忘掉我的住址", "user::home"),
        ("我的电话是13800138000", "忘掉我的电话", "user::contact::phone"),
    ],
)
def test_a_kind_of_fact_is_forgotten_by_its_name(talk: Talk, told: str, forget: str, key: str) -> None:
    talk(told)
    talk.confirm_all()
    talk("remember that my locker is 42")
    ((_, value),) = talk.facts() - {("user::note", "my locker is 42")}
    answer = talk(forget)
    assert {("user::note", "my locker is 42")} == talk.facts()
    assert value not in answer
    assert re.search(r"1 of our messages|1 条消息", answer)  # the facts' message, and nothing else
    assert talk.store.search(told)
    gone = talk("yes" if told.isascii() else "是的")
    assert re.search(r": 1 of our messages\.|已删除 1 条消息", gone)
    assert not [hit for hit in talk.store.search(told) if hit.role == "user"]
    assert key not in {fact.key for fact in talk.store.list_facts(status=None)}


def test_what_was_corrected_goes_with_its_kind(talk: Talk) -> None:
    for text in ("I live in Pune", "yes", "I moved to Mumbai last week", "yes", "forget where I live"):
        talk(text)
    assert talk.store.fact_history("user::home") == []


def test_a_topic_that_only_sounds_like_a_kind_forgets_no_fact(talk: Talk) -> None:
    talk("I'm vegetarian")
    talk.confirm_all()
    talk("forget my dinner with Anna")
    talk("forget my daughter's birthday")
    assert {("user::diet", "vegetarian")} == talk.facts()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "delete everything",
            "Forget everything!",
            "forget everything you know about me",
            "delete all my data",
        ),
        "忘掉一切",
        "删除所有",
        "把所有记忆都删掉",
        "忘掉关于我的一切",
    ],
)
def test_everything_is_no_topic(talk: Talk, text: str) -> None:
    talk("remember that everything is fine, 一切都好")
    kept = talk.store.list_facts(status=None)
    answer = talk(text)
    assert re.search("memory panel|记忆面板", answer)
    talk("yes" if text.isascii() else "是的")
    assert kept == talk.store.list_facts(status=None)
    assert len(talk.store.list_messages(talk.last.session_id)) == 6


def counts(talk: Talk) -> tuple[int, int]:
    return len(talk.store.list_facts(status=None)), len(talk.store.list_messages(talk.last.session_id))


SHOWN = re.compile(r"(\d+) (?:things? I know|条记忆)\D+?(\d+) (?:of our messages|条消息)")


@pytest.mark.parametrize(
    ("tell", "forget", "yes", "no"),
    [
        ("remember that locker {} is red", "forget everything about locker", "yes", "no"),
        ("记住储物柜{}号是红的", "忘掉关于储物柜的一切", "是的", "不"),
        ("记住储物柜{}号是红的", "忘掉关于储物柜的一切", "确认", "不用了"),
    ],
)
def test_a_yes_deletes_exactly_what_was_shown(talk: Talk, tell: str, forget: str, yes: str, no: str) -> None:
    for number in range(8):
        talk(tell.format(number))
    talk("I like tea")
    before = counts(talk)
    talk(forget)
    talk(no)
    assert counts(talk) == (before[0], before[1] + 4)
    shown = talk(forget)
    found = SHOWN.search(shown)
    assert found
    facts, messages = int(found[1]), int(found[2])
    lines = [line for line in shown.splitlines() if line.startswith("- ")]
    assert len(lines) == 12  # five of each, and how many more
    assert re.search(r"3 more that I know|3 条记忆", lines[5])
    before = counts(talk)
    answer = talk(yes)
    gone = SHOWN.search(answer)
    assert gone
    assert (facts, messages) == (int(gone[1]), int(gone[2]))
    assert counts(talk) == (before[0] - facts, before[1] - messages + 2)
    assert {fact.key for fact in talk.store.list_facts(status=None)} == {"user::likes"}


def test_a_fact_that_goes_with_its_message_is_shown_too(talk: Talk) -> None:
    talk("I'm vegetarian and my locker is 42")
    talk.confirm_all()
    shown = talk("forget everything about my locker")
    assert "vegetarian (21" in shown
    talk("yes")
    assert talk.store.list_facts(status=None) == []


@pytest.mark.parametrize(
    "yes", ["yes, delete them", "Yes, please delete it", "confirm", "确认删除", "好的，删除吧"]
)
def test_ways_to_say_yes_to_it(talk: Talk, yes: str) -> None:
    talk("remember that my locker is 42")
    assert "All right" not in talk("yes, delete them")
    assert len(talk.facts()) == 1
    talk("forget everything about my locker")
    talk(yes)
    assert set() == talk.facts()


def test_a_yes_after_anything_else_deletes_nothing(talk: Talk) -> None:
    talk("remember that my locker is 42")
    talk("forget everything about my locker")
    talk("hello")
    talk("yes")
    assert len(talk.facts()) == 1


# -- to-dos and days --


@pytest.mark.parametrize(
    "question", ["my reminders", "What reminders do I have?", "我的提醒", "有哪些提醒", "show my reminders"]
)
def test_reminders_are_to_dos(talk: Talk, question: str) -> None:
    talk("remind me to buy milk")
    assert "- buy milk" in talk(question)


@pytest.mark.parametrize(
    ("question", "shown", "day"),
    [
        ("What do I have to do tomorrow?", "call Anna", "22 September 2026"),
        ("what do I have to do today", "", "21 September 2026"),
        ("What do I have to do on Friday?", "pay rent", "25 September 2026"),
        ("明天要做什么", "call Anna", "2026年9月22日"),
        ("今天要做什么？", "", "2026年9月21日"),
    ],
)
def test_to_dos_of_a_day(talk: Talk, question: str, shown: str, day: str) -> None:
    talk("remind me tomorrow to call Anna")
    talk("remind me to pay rent on Friday")
    talk("remind me to buy milk")
    answer = talk(question)
    assert day in answer.splitlines()[0]
    listed = [line for line in answer.splitlines() if line.startswith("- ")]
    assert [shown] * bool(shown) == [line[2 : 2 + len(shown)] for line in listed]
    assert str(3 - bool(shown)) in answer.splitlines()[-1]


@pytest.mark.parametrize(
    ("told", "question", "day"),
    [
        ("remember that the dentist is tomorrow", "when is the dentist?", "22 September 2026"),
        ("I have a dentist appointment tomorrow", "what do you know about me?", "22 September 2026"),
        ("记住牙医是明天", "牙医是什么时候？", "2026年9月22日"),
    ],
)
def test_words_for_a_day_are_shown_with_the_day(talk: Talk, told: str, question: str, day: str) -> None:
    talk(told)
    talk.confirm_all()
    talk.now += 3 * 86_400_000
    assert day in talk(question)


# -- what is no longer so --


@pytest.mark.parametrize(
    ("told", "over", "yes", "command"),
    [
        ("I'm vegetarian", "I'm not vegetarian any more", "yes", "forget my diet"),
        ("I live in Oslo", "I no longer live in Oslo", "yes", "forget my home"),
        ("I live in Oslo", "I don't live there any more", "yes", "forget my home"),
        ("I like coffee", "I don't like coffee anymore", "yes", "forget coffee"),
        ("我吃素", "我不再吃素了", "是的", "忘掉我的饮食"),
        ("我住在北京", "我已经不住北京了", "是的", "忘掉我的住处"),
        ("我喜欢咖啡", "我不喜欢咖啡了", "好的", "忘掉咖啡"),
    ],
)
def test_what_is_over_is_asked_about(talk: Talk, told: str, over: str, yes: str, command: str) -> None:
    talk(told)
    talk.confirm_all()
    talk("remember that my locker is 42")
    ((key, value),) = talk.facts() - {("user::note", "my locker is 42")}
    answer = talk(over)
    assert value in answer
    assert command in answer
    assert len(talk.facts()) == 2
    assert set() == talk.facts("candidate")
    talk("no" if over.isascii() else "不")
    assert len(talk.facts()) == 2
    talk(over)
    talk(yes)
    assert {("user::note", "my locker is 42")} == talk.facts()
    assert {(key, value)} == talk.facts("archived")


def test_what_is_over_and_was_never_known_is_a_statement(talk: Talk) -> None:
    talk("I like tea")
    talk.confirm_all()
    for text in ("I'm not sure", "I'm not vegetarian any more", "我不知道了"):
        assert "tea" not in talk(text)
    talk("yes")
    assert {("user::likes", "tea")} == talk.facts()


# -- questions and statements --


@pytest.mark.parametrize(("told", "question"), [("I'm Lin", "what's my name?"), ("我叫林小雨", "我叫什么？")])
def test_an_unconfirmed_answer_is_named_as_such(talk: Talk, told: str, question: str) -> None:
    talk(told)
    answer = talk(question)
    assert re.search("Not confirmed by you yet|还没有得到你确认", answer)
    assert f"“{told}”" in answer
    assert set() == talk.facts()
    talk("yes" if told.isascii() else "是的")
    assert len(talk.facts()) == 1


@pytest.mark.parametrize(
    "text",
    [
        *("import os\nprint(os.name)", "```\nmake dinner\n```", "Build failed again", "What a lovely day!"),
        "Order 12 has shipped",
        "x = 1",
        "make: *** error 2",
        "写完了作业",
        "计划有变",
        "我们计划去旅行",
    ],
)
def test_what_asks_for_nothing_is_no_request(talk: Talk, text: str) -> None:
    answer = talk(text)
    assert not re.search("can't do that|语言模型|found nothing|没有找到", answer)


@pytest.mark.parametrize("text", ["Fix this code:\n```\nx = 1\n```", "帮我写一首诗", "Make dinner"])
def test_a_request_stays_one(text: str) -> None:
    assert understand(text).kind == "request"


def test_what_follows_a_list_stands_apart(talk: Talk) -> None:
    talk("remember that my locker is 42")
    talk("I like tea")
    for text in ("what do you know about me?", "forget everything about my locker", "what's on tomorrow?"):
        lines = talk(text).splitlines()
        for line, after in pairwise(lines):
            assert not line.startswith("- ") or after.startswith("- ") or after == ""


# -- the tools, as a model may call them --


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_search", {"query": 5}),
        ("memory_search", {"query": "tea", "limit": "x"}),
        ("memory_search", {"query": "tea", "limit": True}),
        ("memory_search", {"query": "tea", "limit": 0}),
        ("memory_search", {}),
        ("memory_search", {"query": "tea", "colour": "red"}),
        ("memory_list", {"status": "every"}),
        ("memory_forget", {"fact_ids": "abc"}),
        ("memory_forget", {"fact_ids": [1]}),
        ("memory_confirm", {"keep": "yes"}),
        ("memory_add", {"key": ["a"], "value": "b", "quote": "c"}),
        ("todo_done", {"fact_id": None}),
    ],
)
def test_a_tool_called_wrongly_says_how(talk: Talk, tool: str, arguments: dict[str, object]) -> None:
    talk("forget tea")
    said = talk.store.get_message(talk.last.parent_id or "")
    run_tool = next(t.run for t in memory_tools(talk.store, said) if t.name == tool)
    with pytest.raises(InvalidInputError, match=r"\w+ .*\."):
        run(run_tool(**arguments))


def test_a_lone_surrogate_harms_no_tool(talk: Talk) -> None:
    talk("hello")
    said = talk.store.get_message(talk.last.parent_id or "")
    tools = {tool.name: tool.run for tool in memory_tools(talk.store, said)}
    run(tools["memory_search"](query="tea \ud800"))
    (todo,) = run(tools["todo_add"](what="tea \ud800"))
    assert todo["value"] == "tea \ufffd"


@pytest.mark.parametrize(
    ("told", "keep", "forget", "yes", "left"),
    [
        (
            "I'm Lena, I'm vegetarian, and my daughter Mei is 6.",
            "yes",
            "Forget that I am vegetarian",
            "yes",
            {"user::name", "user::family::daughter", "user::family::daughter::age"},
        ),
        ("我叫小林，我吃素，我女儿小美6岁。", "好的", "忘掉我吃素", "是的", {"user::name"}),
    ],
)
def test_forgetting_one_thing_leaves_a_message_that_tells_more(
    talk: Talk, told: str, keep: str, forget: str, yes: str, left: set[str]
) -> None:
    talk(told)
    talk(keep)
    answer = talk(forget)
    assert re.search("I leave as they are|所以没有动", answer)
    assert not [fact for fact in talk.store.list_facts() if fact.key == "user::diet"]
    talk(yes)
    assert left <= {fact.key for fact in talk.store.list_facts()}
    assert talk.store.search(told[:8])  # it tells more, and that stays
    assert not [fact for fact in talk.store.list_facts() if fact.needs_review]


@pytest.mark.parametrize(
    ("first", "then", "yes", "question", "now", "before"),
    [
        ("I live in Berlin.", "I moved to Munich", "yes", "Where do I live?", "Munich", "Berlin"),
        ("我住在北京", "我搬到上海了", "是的", "我住在哪里？", "上海", "北京"),
    ],
)
def test_a_replaced_home_is_answered_with_the_new_one(
    talk: Talk, first: str, then: str, yes: str, question: str, now: str, before: str
) -> None:
    for text in (first, then, yes):
        talk(text)
    answer = talk(question)
    assert now in answer
    assert before not in answer
    assert talk.facts("candidate") == set()
    talk(first)  # back again, not confirmed yet
    answer = talk(question)
    assert now in answer
    assert before in answer[answer.index(now) :]


def test_what_waits_does_not_hide_what_holds(talk: Talk) -> None:
    talk("remember that I moved to Munich")
    talk("I live in Berlin")
    answer = talk("Do I live in Berlin?")
    assert answer.index("home: Munich") < answer.index("Not confirmed") < answer.index("home: Berlin")


@pytest.mark.parametrize(
    ("told", "question", "value"),
    [
        ("remember that I like jazz", "What do I like?", "jazz"),
        ("remember that I like jazz", "我喜欢什么？", "jazz"),
        ("remember that I hate cilantro", "What do I dislike?", "cilantro"),
        ("记住我讨厌香菜", "What do I hate?", "香菜"),
        ("remember that I live in Oslo", "Where am I living?", "Oslo"),
        ("remember that I live in Oslo", "我现在住哪？", "Oslo"),
        ("remember that I work as a nurse", "我做什么工作？", "nurse"),
        ("remember that I work as a nurse", "我的职业是什么？", "nurse"),
        ("记住我的职业是护士", "What do I do for a living?", "护士"),
        ("remember that I'm allergic to nuts", "我对什么过敏？", "nuts"),
        ("remember that my name is Lin", "我叫什么名字？", "Lin"),
    ],
)
def test_a_question_for_a_kind_of_fact_finds_it(talk: Talk, told: str, question: str, value: str) -> None:
    nothing = talk(question)
    assert "I found nothing" in nothing or "没有找到" in nothing
    talk(told)
    talk("remember that my dog Rex is 3")
    answer = talk(question)
    assert value in answer
    assert "Rex" not in answer
    assert [use.memory_kind for use in talk.store.list_uses(talk.last.id)] == ["facts"]


def test_a_question_for_more_than_a_kind_is_searched_for(talk: Talk) -> None:
    talk("remember that I like jazz")
    talk("remember that what I like about Rome is the light")
    answer = talk("What do I like about Rome?")
    assert "the light" in answer
    assert "likes: jazz" not in answer


def test_of_many_values_the_first_twenty_are_listed_and_the_rest_counted(talk: Talk) -> None:
    for number in range(23):
        talk.store.set_fact("user::likes", f"band {number}")
    answer = talk("What do I like?")
    assert answer.count("- likes: band") == 20
    assert "3 more" in answer


@pytest.mark.parametrize(
    ("told", "forget", "undo", "offer", "back", "too_late"),
    [
        ("remember that I like jazz", "forget that I like jazz", "undo", "say “undo”", "is back", "too late"),
        ("记住我喜欢爵士乐", "忘掉爵士乐", "撤销", "说“撤销”", "都回来了", "来不及"),
    ],
)
def test_what_was_forgotten_comes_back_by_a_word(
    talk: Talk, told: str, forget: str, undo: str, offer: str, back: str, too_late: str
) -> None:
    talk(told)
    before = talk.facts()
    assert offer in talk(forget)
    assert talk.facts() == set()
    assert back in talk(undo)
    assert before == talk.facts()
    assert too_late in talk(undo)  # it was undone already
    assert offer in talk(forget)
    talk.now += 10_000
    assert too_late in talk(undo)
    assert talk.facts() == set()


def test_messages_come_back_by_a_word_too(talk: Talk) -> None:
    talk("Zebulon is my cousin's dentist")
    talk("forget everything about Zebulon")
    assert "You can undo this" in talk("yes")
    assert talk.store.search("Zebulon") == []
    assert "is back" in talk("Please undo that")
    assert talk.store.search("Zebulon")


@pytest.mark.parametrize(
    ("text", "says"),
    [("undo", "nothing I could undo"), ("撤销", "没有可以撤销的"), ("撤回吧", "没有可以撤销的")],
)
def test_undo_of_nothing_says_so(talk: Talk, text: str, says: str) -> None:
    talk("remember that I like jazz")
    session = talk.store.get_or_create_session().id
    talk("forget that I like jazz")
    talk.store.start_new_session()
    assert says in talk(text)  # what another conversation deleted is not this one's
    assert talk.facts() == set()
    assert talk.store.get_session(session).title == "remember that I like jazz"


@pytest.mark.parametrize(
    "text",
    [
        "undo",
        "Undo!",
        "undo that please",
        "oops, undo it",
        "take that back",
        "bring it back",
        "restore it",
        "撤销",
        "撤销吧",
        "撤回",
        "请撤销刚才的删除",
        "恢复",
        "快撤销一下",
    ],
)
def test_undo_is_understood(text: str) -> None:
    assert understand(text).kind == "undo"


@pytest.mark.parametrize(
    "text",
    [
        "How do I undo a commit?",
        "I had to undo the knot",
        "undo send is a feature of the mail program",
        "take the book back to the library",
        "怎么撤销提交？",
        "我在恢复身体",
        "公司撤销了这个部门",
        "forget it",
    ],
)
def test_what_only_speaks_of_undoing_is_no_undo(text: str) -> None:
    assert understand(text).kind != "undo"


@pytest.mark.parametrize(
    ("told", "yes", "forget"),
    [
        (("My daughter Mei is 6", "Mei is 7 now"), "yes", "Forget Mei"),
        (("My daughter Mei is 6",), "yes", "Forget my daughter"),
        (("我女儿小梅6岁",), "好", "忘掉小梅"),
    ],
)
def test_who_is_forgotten_goes_with_all_that_was_said_of_them(
    talk: Talk, told: tuple[str, ...], yes: str, forget: str
) -> None:
    talk("I'm Lin and vegetarian")
    talk("yes")
    for said in told:
        talk(said)
        talk(yes)
    talk(forget)
    talk(yes)
    assert talk.facts() == {("user::name", "Lin"), ("user::diet", "vegetarian")}
    assert talk.facts("superseded") == set()


@pytest.mark.parametrize(
    "question",
    [
        "What is my cat's name?",
        "How old is my dog?",
        "What is my dog called?",
        "我的猫叫什么？",
        "我妈多大？",
        "我弟弟住在哪里？",
    ],
)
def test_what_is_the_users_own_answers_no_question_about_another(talk: Talk, question: str) -> None:
    talk(
        "My name is Ada, I am 30 and I live in Berlin" if question.isascii() else "我叫周衡，我30岁，住在成都"
    )
    talk.confirm_all()
    assert talk.facts()
    answer = talk(question)
    assert not any(value in answer for _, value in talk.facts())


def test_the_name_of_another_is_found(talk: Talk) -> None:
    talk("My cat is called Biscuit and my name is Ada")
    talk.confirm_all()
    assert "Biscuit" in talk("What is my cat's name?")
    assert "Ada" in talk("What is my name?")
    talk("我的狗叫豆包，我住在成都")
    talk.confirm_all()
    assert "豆包" in talk("我的狗叫什么名字？")
    assert "成都" in talk("我现在住在哪儿？")


# -- whose facts answer, and when --

WEEK = [
    ("I have a dentist appointment on Friday at 3 pm", "what's on my schedule this week?", "dentist"),
    ("I have a dentist appointment on Friday at 3 pm", "What do I have on Friday?", "dentist"),
    ("I have a dentist appointment on Friday at 3 pm", "do I have any appointments?", "dentist"),
    ("周五下午三点要看牙医", "我这周有什么安排?", "看牙医"),
    ("周五下午三点要看牙医", "周五有什么事?", "看牙医"),
    ("周五下午三点要看牙医", "我有什么预约?", "看牙医"),
]


@pytest.mark.parametrize(("told", "asked", "found"), WEEK, ids=[str(n) for n in range(len(WEEK))])
def test_what_is_kept_for_a_day_is_on_the_schedule(talk: Talk, told: str, asked: str, found: str) -> None:
    talk(told)
    talk.confirm_all()
    assert found in talk(asked)


@pytest.mark.parametrize("asked", ["What's on next week?", "any appointments tomorrow?", "下周有什么安排？"])
def test_another_time_has_nothing_of_it(talk: Talk, asked: str) -> None:
    talk("I have a dentist appointment on Friday at 3 pm")
    talk.confirm_all()
    answer = talk(asked)
    assert "dentist" not in answer
    assert re.search("Nothing is on|没有安排", answer)


def test_a_clock_outside_the_calendar_ends_no_answer(talk: Talk) -> None:
    talk("I have a dentist appointment on Friday at 3 pm")
    talk.confirm_all()
    talk.now = 8_000_000_000_000_000  # past the year 9999
    assert "dentist" in talk("do I have any appointments?")


@pytest.mark.parametrize("text", ["I love my calendar", "My calendar app is broken", "我喜欢安排"])
def test_a_word_about_calendars_asks_for_none(text: str) -> None:
    assert understand(text).kind == "statement"


CHILD = [
    (["我吃素", "女儿小美6岁", "小美对花生和虾过敏"], "小美能吃虾饺吗?", "虾", "吃素"),
    (
        ["I'm vegetarian", "My daughter Mei is 6", "Mei is allergic to shrimp"],
        "Can Mei eat shrimp?",
        "shrimp",
        "veg",
    ),
]


@pytest.mark.parametrize(("told", "asked", "found", "beside"), CHILD, ids=["zh", "en"])
def test_what_somebody_may_eat_is_theirs(
    talk: Talk, told: list[str], asked: str, found: str, beside: str
) -> None:
    for text in told:
        talk(text)
        talk.confirm_all()
    answer = talk(asked)
    assert found in answer
    assert beside not in answer


def test_what_bears_on_nothing_is_not_told(talk: Talk) -> None:
    for text in (
        "I hate cilantro",
        "I don't like early flights",
        "I'm vegetarian",
        "My son is allergic to eggs",
    ):
        talk(text)
        talk.confirm_all()
    talk("My mother has diabetes")
    talk.confirm_all()
    assert len(talk("Tell me a joke").splitlines()) == 1
    packing = talk("make me a packing list for skiing")
    assert "flights" in packing
    assert "cilantro" not in packing
    meal = talk("what should I cook for my son?")
    assert "cilantro" in meal
    assert "eggs" in meal
    assert not re.search("flights|diabetes", meal)


def test_ones_own_comes_first(talk: Talk) -> None:
    for text in ("My son is allergic to eggs", "I am allergic to penicillin"):
        talk(text)
        talk.confirm_all()
    assert "penicillin" in talk("what allergies do I have").splitlines()[1]
    assert "son" not in talk("what am I allergic to?")


@pytest.mark.parametrize(
    "text", ["我们全家国庆去成都玩三天,帮我规划一下", "帮我订去三亚的机票", "帮我查一下明天的天气"]
)
def test_a_request_is_one_wherever_it_stands(text: str) -> None:
    assert understand(text).kind == "request"
