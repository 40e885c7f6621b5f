"""The rules: what is proposed from an utterance, and above all what is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from py_memory.extraction import propose
from py_memory.extraction.clauses import split_statement
from py_memory.extraction.days import day_in, day_spoken_of
from py_memory.extraction.refusals import refusal
from py_memory.extraction.secrets import secret_spans

# Utterance, then what is proposed as "key=value"; "!" marks what the user asked to remember.
ENGLISH: list[tuple[str, list[str]]] = [
    ("I'm Lin", ["user::name=Lin"]),
    ("Hi, I'm Lin!", ["user::name=Lin"]),
    ("my name is lin", ["user::name=lin"]),
    ("Please call me Max.", ["user::name=Max"]),
    ("I’m Lin from Berlin", ["user::name=Lin", "user::hometown=Berlin"]),
    ("I'm Lin, can you help me?", ["user::name=Lin"]),
    ("I'm a vegetarian.", ["user::diet=vegetarian"]),
    (
        "I am vegan and my son Tom is 4",
        ["user::diet=vegan", "user::family::son=Tom", "user::family::son::age=4"],
    ),
    ("I've been vegan for 3 years", ["user::diet=vegan"]),
    ("Actually I'm mostly vegetarian", ["user::diet=mostly vegetarian"]),
    ("I don't eat pork", ["user::diet::pork=don't eat pork"]),
    ("I'm allergic to peanuts and shrimp", ["user::allergy=peanuts", "user::allergy=shrimp"]),
    (
        "I'm allergic to peanuts, shrimp and soy.",
        ["user::allergy=peanuts", "user::allergy=shrimp", "user::allergy=soy"],
    ),
    ("I have a bad peanut allergy", ["user::allergy=peanut"]),
    ("My daughter, Mei, is 6", ["user::family::daughter=Mei", "user::family::daughter::age=6"]),
    ("My daughter is called Mei. She is 6.", ["user::family::daughter=Mei", "user::family::daughter::age=6"]),
    ("I have a daughter named Mei", ["user::family::daughter=Mei"]),
    ("I have a 6-year-old daughter", ["user::family::daughter::age=6"]),
    ("my older brother's name is Jun", ["user::family::older-brother=Jun"]),
    ("My wife is allergic to nuts", ["user::family::wife::allergy=nuts"]),
    (
        "My son Arjun is 4 and he loves dinosaurs",
        ["user::family::son=Arjun", "user::family::son::age=4", "user::family::son::likes=dinosaurs"],
    ),
    ("my dog Rex is 3", ["user::pet::dog=Rex", "user::pet::dog::age=3"]),
    ("I'm 34 years old", ["user::age=34"]),
    ("I live in Lisbon and work at Acme.", ["user::home=Lisbon", "user::work=Acme"]),
    ("I just moved to New York last month", ["user::home=New York"]),
    ("I work as a nurse", ["user::job=nurse"]),
    ("Actually I live in Linz, not Graz", ["user::home=Linz"]),
    ("I love spiders, not", []),
    (
        "Remember that my cat is called <img src=x onerror=alert(1)> Zebra",
        ["!user::note=my cat is called <img src=x onerror=alert(1)> Zebra"],
    ),
    ("I'm a software engineer at Acme", ["user::job=software engineer", "user::work=Acme"]),
    ("I really love hiking", ["user::likes=hiking"]),
    ("I can't stand cilantro", ["user::dislikes=cilantro"]),
    ("My favourite colour is dark green", ["user::favorite::colour=dark green"]),
    ("Please answer in Chinese", ["user::language=Chinese"]),
    ("my email is lin@example.org", ["user::contact::email=lin@example.org"]),
    ("My birthday is May 3", ["user::birthday=May 3"]),
    ("remember that my locker is 42", ["!user::note=my locker is 42"]),
    ("Could you please remember that my locker is 42?", ["!user::note=my locker is 42"]),
    (
        "Remember that I'm vegetarian and my locker is 42",
        ["!user::diet=vegetarian", "!user::note=my locker is 42"],
    ),
    ("Don't forget that the boiler man comes at nine", ["!user::note=the boiler man comes at nine"]),
    ("remind me to buy milk", ["!task::buy-milk=buy milk"]),
    ("Can you remind me tomorrow to call Anna?", ["!task::call-anna=call Anna"]),
    ("Don't forget to water the plants", ["!task::water-the-plants=water the plants"]),
    ("add eggs to my to-do list", ["!task::eggs=eggs"]),
    # traps
    ("if I were vegetarian I'd eat more tofu", []),
    ("If I'm late, start without me", []),
    ("Suppose I'm vegan, what could I eat?", []),
    ("What if I live in Paris?", []),
    ("I would be happy if my daughter Mei was 6", []),
    ("am I vegetarian?", []),
    ("Is my name Lin?", []),
    ("I'm vegetarian, right?", []),
    ("Do you remember my locker number?", []),
    ("I'm not vegetarian", []),
    ("I'm no longer vegetarian", []),
    ("I don't think I'm vegetarian", []),
    ("It's not true that I'm vegetarian", []),
    ("I used to be vegetarian", []),
    ("I'm not vegetarian any more", []),
    ("I no longer live in Oslo", []),
    ("I don't like coffee anymore", []),
    ("I don't like coffee any more, I like tea", ["user::likes=tea"]),
    ("Maybe I'm vegetarian", []),
    ('She said "I\'m Bob, I am vegan"', []),
    ("Tom says, I'm vegetarian", []),
    ("My friend is vegetarian", []),
    ("Bob: I'm vegetarian and my name is Bob", []),
    ("> I'm vegetarian\n> my name is Bob", []),
    ("```\n# I'm Bob\nmy name is Bob\n```", []),
    ("the log says `my name is root`", []),
    ("<note>my name is Bob</note>", []),
    ("Pretend I'm a pirate. My name is Jack. I live in Tortuga.", []),
    ("Let's role-play: I'm Bob, a vegan", []),
    ("Translate into French: my name is Bob", []),
    ("I'm Batman, just kidding", []),
    ("my name is Cleopatra /s", []),
    ("Don't remember this: my name is Bob", []),
    ("Off the record, I'm vegan", []),
    ("please don't save that I live in Paris", []),
    ("my password is hunter2", []),
    ("remember that my password is hunter2", []),
    ("remember my API key: sk-abcdefghijklmnop1234", []),
    ("remember that my card is 4111 1111 1111 1111", []),
    ("Remember my PIN is 4821", []),
    ("I'm sorry", []),
    ("I'm Chinese", []),
    ("I like it", []),
    ("I'd like a table for two", []),
    ("I'm Tom's brother", []),
    ("I'm 5 minutes late", []),
    ("remember my locker number", []),
    ('The email says "remember that the CEO is Bob"', []),
]

CHINESE: list[tuple[str, list[str]]] = [
    (
        "我叫周衡，养了一只叫豆包的橘猫，对花生过敏，在医院当药剂师",
        [
            "user::name=周衡",
            "user::pet::cat=豆包",
            "user::allergy=花生",
            "user::work=医院",
            "user::job=药剂师",
        ],
    ),
    ("我有一只猫，特别喜欢睡觉", []),
    ("我叫林", ["user::name=林"]),
    ("我是林小雨，住在杭州", ["user::name=林小雨", "user::home=杭州"]),
    ("你好，我叫周立。", ["user::name=周立"]),
    ("我的名字是王小明", ["user::name=王小明"]),
    ("大家都叫我阿明吧", ["user::name=阿明"]),
    ("我叫 Lin，住在上海", ["user::name=Lin", "user::home=上海"]),
    ("我叫林，你能帮我吗？", ["user::name=林"]),
    (
        "我叫林 吃素 女儿小梅6岁",
        ["user::name=林", "user::diet=吃素", "user::family::daughter=小梅", "user::family::daughter::age=6"],
    ),
    ("我吃素", ["user::diet=吃素"]),
    ("我是素食者", ["user::diet=素食者"]),
    ("其实我一直吃素的", ["user::diet=吃素"]),
    ("我不吃香菜", ["user::diet::香菜=不吃香菜"]),
    ("我对花生和虾仁过敏", ["user::allergy=花生", "user::allergy=虾仁"]),
    ("我对花生、虾过敏", ["user::allergy=花生", "user::allergy=虾"]),
    ("我花生过敏", ["user::allergy=花生"]),
    ("我女儿叫小梅", ["user::family::daughter=小梅"]),
    ("我女儿叫小梅，今年6岁", ["user::family::daughter=小梅", "user::family::daughter::age=6"]),
    ("我有个女儿，叫小梅", ["user::family::daughter=小梅"]),
    ("我女儿今年六岁了", ["user::family::daughter::age=六"]),
    ("我有一个6岁的女儿", ["user::family::daughter::age=6"]),
    ("我女儿小梅喜欢画画", ["user::family::daughter=小梅", "user::family::daughter::likes=画画"]),
    ("我老婆对海鲜过敏", ["user::family::wife::allergy=海鲜"]),
    ("我家的猫叫咪咪", ["user::pet::cat=咪咪"]),
    ("我今年34岁", ["user::age=34"]),
    ("我现在住在北京朝阳区", ["user::home=北京朝阳区"]),
    ("我是四川人", ["user::hometown=四川"]),
    ("我在华为上班", ["user::work=华为"]),
    ("我是一名小学老师", ["user::job=小学老师"]),
    ("我很喜欢爬山", ["user::likes=爬山"]),
    ("我还喜欢潜水、滑雪、跑步", ["user::likes=潜水", "user::likes=滑雪", "user::likes=跑步"]),
    ("我讨厌下雨天", ["user::dislikes=下雨天"]),
    ("我最喜欢的颜色是蓝色", ["user::favorite::颜色=蓝色"]),
    ("我用中文回答", ["user::language=中文"]),
    ("以后请用英文回复我", ["user::language=英文"]),
    ("我的生日是5月3日", ["user::birthday=5月3日"]),
    ("我的邮箱是 lin@example.org", ["user::contact::email=lin@example.org"]),
    (
        "我叫林, 电话是13800138000, 住在杭州",
        ["user::name=林", "user::contact::phone=13800138000", "user::home=杭州"],
    ),
    (
        "我叫林，手机号13800138000，邮箱lin@example.org，住在杭州",
        [
            "user::name=林",
            "user::contact::phone=13800138000",
            "user::contact::email=lin@example.org",
            "user::home=杭州",
        ],
    ),
    ("我叫林，联系电话：138 0013 8000", ["user::name=林", "user::contact::phone=138 0013 8000"]),
    ("我叫林 电话13800138000 吃素", ["user::name=林", "user::contact::phone=13800138000", "user::diet=吃素"]),
    ("我的电话：13800138000", ["user::contact::phone=13800138000"]),
    (
        "我叫林。我的手机号码是+86 138-0013-8000。",
        ["user::name=林", "user::contact::phone=+86 138-0013-8000"],
    ),
    ("我女儿小梅6岁，电话是13800138000", ["user::family::daughter=小梅", "user::family::daughter::age=6"]),
    ("他的电话是13800138000", []),
    ("记住我的储物柜是42号", ["!user::note=我的储物柜是42号"]),
    ("请记住：我对青霉素过敏", ["!user::allergy=青霉素"]),
    ("帮我记一下，车停在B2层17号", ["!user::note=车停在B2层17号"]),
    ("别忘了我不吃辣", ["!user::diet::辣=不吃辣"]),
    ("提醒我买牛奶", ["!task::买牛奶=买牛奶"]),
    ("明天提醒我给妈妈打电话", ["!task::给妈妈打电话=给妈妈打电话"]),
    ("记得买牛奶", ["!task::买牛奶=买牛奶"]),
    ("待办：交电费", ["!task::交电费=交电费"]),
    # traps
    ("如果我吃素，我会更健康", []),
    ("假如我叫林", []),
    ("要是我住在海边就好了", []),
    ("我要是吃素的话会瘦", []),
    ("我吃素吗？", []),
    ("我叫什么？", []),
    ("我吃素，对吗？", []),
    ("我女儿几岁？", []),
    ("你还记得我的储物柜号码吗", []),
    ("我不吃素", []),
    ("我不是素食主义者", []),
    ("我以前吃素", []),
    ("我不再吃素了", []),
    ("我不喜欢咖啡了", []),
    ("我已经不住北京了", []),
    ("我不再喜欢咖啡，我喜欢茶", ["user::likes=茶"]),
    ("以前，我吃素", []),
    ("我可能吃素", []),
    ("我想吃素", []),
    ("他说：“我叫林，我吃素”", []),
    ("老板说，我吃素", []),
    ("小王：我吃素", []),
    ("我朋友吃素", []),
    ("他女儿小梅6岁", []),
    ("朋友的女儿叫小梅", []),
    ("> 我叫林\n> 我吃素", []),
    ("```\n我叫林\n```", []),
    ("《我叫林》这本书很好看", []),
    ("假装你是医生，我叫林", []),
    ("我们来角色扮演，我是一名医生", []),
    ("把这句翻译成英文：我叫林", []),
    ("帮我写一个故事：我叫林，我吃素", []),
    ("我叫秦始皇，开玩笑的", []),
    ("我吃素，逗你玩的", []),
    ("别记住，我叫林", []),
    ("不要记下来：我住在上海", []),
    ("这个不用保存，我吃素", []),
    ("我的密码是abc12345", []),
    ("记住我的密码是abc12345", []),
    ("记住银行卡号是6222020200112233445", []),
    ("记住我的身份证号是11010519491231002X", []),
    ("我叫外卖", []),
    ("我叫他来", []),
    ("我爱你", []),
    ("我喜欢你的回答", []),
    ("我是好人", []),
    ("我是高中生", []),
    ("我是不是素食者", []),
    ("我女儿很可爱", []),
    ("我记得你", []),
    ("记住了吗", []),
    ("我没说我吃素", []),
]


def read(text: str) -> list[str]:
    return [f"{'!' * p['explicit']}{p['key']}={p['value']}" for p in propose(text)]


@pytest.mark.parametrize(
    ("text", "expected"), [*ENGLISH, *CHINESE], ids=lambda v: v if isinstance(v, str) else ""
)
def test_utterance(text: str, expected: list[str]) -> None:
    assert sorted(expected) == sorted(read(text))


def test_half_of_the_table_are_traps() -> None:
    for table in (ENGLISH, CHINESE):
        assert len(table) >= 60
        assert sum(not expected for _, expected in table) * 2 >= len(table)


def test_first_minute_in_english() -> None:
    text = "I'm Lin, vegetarian, my daughter Mei is 6, I answer in Chinese"
    assert [(p["key"], p["value"], p["quote"]) for p in propose(text)] == [
        ("user::name", "Lin", "I'm Lin"),
        ("user::diet", "vegetarian", "vegetarian"),
        ("user::family::daughter", "Mei", "my daughter Mei is 6"),
        ("user::family::daughter::age", "6", "my daughter Mei is 6"),
        ("user::language", "Chinese", "I answer in Chinese"),
    ]
    assert not any(p["explicit"] for p in propose(text))


def test_first_minute_in_chinese() -> None:
    assert [
        (p["key"], p["value"], p["quote"]) for p in propose("我叫林，吃素，女儿小梅6岁，我用中文回答")
    ] == [
        ("user::name", "林", "我叫林"),
        ("user::diet", "吃素", "吃素"),
        ("user::family::daughter", "小梅", "女儿小梅6岁"),
        ("user::family::daughter::age", "6", "女儿小梅6岁"),
        ("user::language", "中文", "我用中文回答"),
    ]


def test_an_asked_for_statement_that_is_long_is_split_and_never_cut() -> None:
    said = ", ".join(
        f"the key to cellar {n} hangs behind the door and its spare is with the neighbours" for n in range(9)
    )
    notes = [p["value"] for p in propose(f"Remember that {said}")]
    assert len(notes) > 1
    assert all(len(note) <= 100 for note in notes)
    assert said.split() == " ".join(notes).split()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("don't remember this: I'm Bob", "private"),
        ("这个别记住", "private"),
        ("just kidding", "joke"),
        ("我没开玩笑，我吃素", None),
        ("let's pretend", "roleplay"),
        ("I don't remember her name", None),
        ("不要记错了", None),
    ],
)
def test_reason_for_learning_nothing(text: str, reason: str | None) -> None:
    assert refusal(text) == reason


@pytest.mark.parametrize(
    "text",
    [
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln",
        "-----BEGIN RSA PRIVATE KEY-----\nabc",
        "5555 5555 5555 4444",
        "the wifi password is correct horse",
        "mt_k1_0123456789abcdef",
        "验证码 482913",
        "postgres://admin:S3cretPw99@db.local/x",
        "clone https://ann:hunter2@git.example.org/a.git",
        "redis://:hunter2@10.0.0.1:6379",
    ],
)
def test_secrets_are_seen(text: str) -> None:
    assert secret_spans(text)


@pytest.mark.parametrize(
    "text",
    [
        "my locker is 42",
        "I changed my password yesterday",
        "4111 1111 1111 1112",
        "call 555 123 4567",
        "http://example.org:8080/a@b",
        "ssh://git@example.org/a",
        "https://example.org/?at=1:2@3",
    ],
)
def test_plain_text_is_no_secret(text: str) -> None:
    assert not secret_spans(text)


def test_a_day_is_kept_in_words_zone_and_instant() -> None:
    now = 1_780_000_000_000  # 2026-05-28 20:26:40 UTC, the 29th in Shanghai
    (task,) = propose("提醒我明天交电费", now=now, zone="+08:00")
    assert (task["spoken_words"], task["zone"]) == ("明天", "+08:00")
    assert task["valid_from"] == 1_780_070_400_000  # 2026-05-30 00:00 in Shanghai
    assert day_spoken_of("buy milk", now, None) is None


@pytest.mark.parametrize(
    ("text", "words", "day"),
    [
        ("my thesis defence is in three weeks", "in three weeks", "2026-06-18"),
        ("Moving day is August 3rd", "August 3rd", "2026-08-03"),
        ("my visa interview is 14 January", "14 January", "2027-01-14"),
        ("remind me to pay the rent by the 1st", "by the 1st", "2026-06-01"),
        ("12月3号答辩", "12月3号", "2026-12-03"),
        ("我下个月5号做手术", "下个月5号", "2026-06-05"),
        ("两周后复查", "两周后", "2026-06-11"),
        ("dentist appointment on 31 February", "31 February", None),
        ("my birthday is May 3", None, None),  # comes every year: no day on which it begins to hold
    ],
)
def test_a_date_is_kept_in_words_and_as_a_day(text: str, words: str | None, day: str | None) -> None:
    (found,) = propose(text, now=1_780_000_000_000, zone="UTC")  # 2026-05-28
    assert found["spoken_words"] == words
    assert (day_in(found["valid_from"], "UTC") if found["valid_from"] else None) == day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mei is 7 now", ["user::family::daughter::age=7"]),
        ("Mei's allergic to nuts", ["user::family::daughter::allergy=nuts"]),
        ("Rex turned 4 yesterday!", ["user::pet::dog::age=4"]),
        ("小梅七岁了", ["user::family::daughter::age=七"]),
        ("Meiling is 9", []),
        ("May is 7 now", []),
        ("Is Mei 7 now?", []),
    ],
)
def test_who_is_known_may_be_called_by_name(text: str, expected: list[str]) -> None:
    known = {"Mei": "user::family::daughter", "小梅": "user::family::daughter", "Rex": "user::pet::dog"}
    assert [f"{p['key']}={p['value']}" for p in propose(text, known=known)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # what a question or request takes for granted
        ("how much chocolate is dangerous for my dog Biscuit?", ["user::pet::dog=Biscuit"]),
        ("What can I cook with my peanut allergy?", ["user::allergy=peanut"]),
        (
            "Write a birthday poem for my sister Ana, she turns 30",
            ["user::family::sister=Ana", "user::family::sister::age=30"],
        ),
        ("what should I eat as I'm diabetic?", ["user::condition=diabetic"]),
        ("我对花生过敏能吃这个吗", ["user::allergy=花生"]),
        ("How old is my dog Rex?", []),
        ("my daughter Frozen cake needs decorating", []),
        ("That's not my dog Rex", []),
        ("Write a letter: my wife Ana is 40", []),
        ("Write a tweet, I'm a nurse from Leeds", []),
        ("糖尿病能吃西瓜吗", []),
        # errands
        ("I need to buy milk tomorrow", ["task::buy-milk-tomorrow=buy milk tomorrow"]),
        ("唉，我还得交水电费", ["task::交水电费=交水电费"]),
        ("Add to my to-do list: renew passport", ["!task::renew-passport=renew passport"]),
        ("待办加一条：续保车险", ["!task::续保车险=续保车险"]),
        ("把买菜加到待办里", ["!task::买菜=买菜"]),
        ("I need to buy a laptop, which one?", []),
        ("I have to say, this is great", []),
        ("花浇完了", []),  # an end closes the to-do
        # who is named beside what they are
        ("Bruno, my golden retriever, hates fireworks", ["user::pet::dog=Bruno"]),
        ("any good dentists near Eindhoven? just moved there", ["user::home=Eindhoven"]),
        ("ugh, raw onion. can't stand it", ["user::dislikes=raw onion"]),
        ("any good bars in Berlin? I might move there", []),
        ("Anna, my friend, is vegan", []),
    ],
)
def test_what_is_not_said_straight_out(text: str, expected: list[str]) -> None:
    assert sorted(expected) == sorted(read(text))


@example("记住" + "字" * 250)
@example("remember that " + "a" * 250)
@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from([t for t, _ in ENGLISH + CHINESE]), max_size=4).map(" ".join)
)
def test_any_text_gives_quotes_from_it_and_short_values(text: str) -> None:
    for proposal in propose(text):
        assert proposal["quote"] in text
        assert 1 <= len(proposal["value"]) <= 100
        assert len(proposal["key"]) <= 200


@given(st.text(max_size=600), st.integers(1, 120))
def test_splitting_loses_nothing(text: str, limit: int) -> None:
    parts = split_statement(text, limit)
    assert all(0 < len(part) <= limit for part in parts)
    assert "".join(text.split()) == "".join("".join(parts).split())


@pytest.mark.cpython
@pytest.mark.parametrize("piece", ["hi, ", "<a>", "我叫林，", '"I ', "remember that ", "\n", "aB1+"])
def test_a_huge_message_is_read_in_time(piece: str) -> None:
    """Patterns must not go over a text again for each of its characters: that would take hours here."""
    text = (piece * (1 << 20))[: 1 << 20]
    started = time.monotonic()
    propose(text)
    assert time.monotonic() - started < 20


@pytest.mark.cpython
@pytest.mark.parametrize(
    "piece",
    [
        *[
            " ",
            "\n",
            "\t",
            "\u3000",
            "a",
            ",",
            "，",
            "+",
            "我",
            '"',
            "“",
            "「",
            "'",
            "' ",
            "-",
            "的呢",
            "从小就",
        ],
        *["-", "的呢", "从小就", "<a>", "if ", "and ", "eyJ-", "put x,", "add x, ", "please, "],
        *["remember I like a, ", "I work as "],
    ],
)
def test_a_long_run_of_anything_is_read_in_time(piece: str) -> None:
    """Each of these took from ten seconds to forever with patterns that go back over what they have read."""
    text = f"I like tea{(piece * 19_980)[:19_980]}x"
    started = time.process_time()
    propose(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I like tea   \t and    I live in Lisbon", ["user::likes=tea", "user::home=Lisbon"]),
        ("I like tea   -   my dog is Rex", ["user::likes=tea", "user::pet::dog=Rex"]),
        ("我叫林   ，  住在杭州", ["user::name=林", "user::home=杭州"]),
        ("“我叫林，我吃素", []),  # a quotation that is not closed
        ("token=Ab1" + "cD23" * 8 + "==", []),
    ],
)
def test_white_space_and_open_ends(text: str, expected: list[str]) -> None:
    assert sorted(expected) == sorted(read(text))


def test_a_key_with_padding_is_a_secret() -> None:
    text = "token=Ab1" + "cD23" * 8 + "=="
    assert secret_spans(text) == [(len("token="), len(text))]


# A colon inside a time, and a point after a title or in “p.m.”, end neither a clause nor a sentence.
WHOLE: list[tuple[str, list[str]]] = [
    (
        "Remember that my flight is on 5 December at 10:00",
        ["!user::event=flight is on 5 December at 10:00"],
    ),
    ("记住我的牙医预约是周一9:45", ["!user::event=牙医预约是周一9:45"]),
    ("记住我的牙医预约是周一9：45", ["!user::event=牙医预约是周一9：45"]),
    ("我的会议是9:30", []),
    ("Remember that Dr. Smith is my doctor", ["!user::note=Dr. Smith is my doctor"]),
    ("Remember that I want to climb Mt. Fuji", ["!user::note=I want to climb Mt. Fuji"]),
    ("Mt. Fuji is my favorite mountain", ["user::favorite::mountain=Mt. Fuji"]),
    ("I was born in St. Louis", ["user::hometown=St. Louis"]),
    ("My dentist is Dr. Weber and I live in St. Gallen.", ["user::home=St. Gallen"]),
    (
        "I have a dentist appointment at 5 p.m. on Friday",
        ["user::event=dentist appointment at 5 p.m. on Friday"],
    ),
    (
        "I have a dentist appointment at 5 p.m. Friday",
        ["user::event=dentist appointment at 5 p.m. Friday"],
    ),
    ("remind me to take my pills at 8:30", ["!task::take-my-pills-at-8-30=take my pills at 8:30"]),
    ("remind me to call Bob at 14:00", ["!task::call-bob-at-14-00=call Bob at 14:00"]),
    # What does end there still does.
    ("My shift ends at 5 p.m. I live in Berlin.", ["user::home=Berlin"]),
    ("my shift ends at 5 p.m. i live in Berlin.", ["user::home=Berlin"]),
    ("I work on Main St. My name is Lin.", ["user::name=Lin"]),
    ("I take vitamin D. I live in Rome.", ["user::home=Rome"]),
    ("Remember that J. A. Smith is my doctor", ["!user::note=J. A. Smith is my doctor"]),
    ("Anna: I live in Rome", []),
    ("Bob 2: I live in Rome", []),
]


@pytest.mark.parametrize(("text", "expected"), WHOLE)
def test_times_and_abbreviations_stay_whole(text: str, expected: list[str]) -> None:
    found = [f"{'!' * p['explicit']}{p['key']}={p['value']}" for p in propose(text)]
    assert found == expected


def test_a_day_behind_a_time_is_understood() -> None:
    (found,) = propose("I have a dentist appointment at 5 p.m. on Friday", now=0, zone="+00:00")
    assert (found["spoken_words"], found["valid_from"]) == ("on Friday", 24 * 3_600_000)


def test_a_long_statement_is_not_split_inside_a_time_or_behind_a_title() -> None:
    text = (
        "the plumber whose number is on the fridge, next to the old calendar from the bank, "
        "comes at 10:45 to see Dr. Smith"
    )
    assert split_statement(text, 99)[-1].endswith("Dr. Smith")
    for limit in range(20, 110):
        pieces = split_statement(text, limit)
        assert "10:45" in " ".join(pieces), pieces
        assert not any(piece.endswith("Dr.") for piece in pieces if len(piece) < limit - 6), pieces


FILE = "hello\n{fence}\nI live in Rome. My daughter is Zoe.\n"


@pytest.mark.parametrize("other", ["", "~~~", "```"])
@pytest.mark.parametrize(
    "draft",
    [
        *(
            "Please look",
            "~~~\nsome code",
            "```\ncode",
            "   ~~~\nx",
            "    ~~~",
            "> ```\n> x",
            "> ~~~",
            "- ~~~\n  x",
        ),
        *("1. ```\n   x", "````\nx", "~~~~\nx", "~~~ python\nx", "```\nx\n```\n~~~"),
        *("my password is:", "-----BEGIN PRIVATE KEY-----"),
    ],
)
def test_an_attached_file_is_not_what_the_user_says(draft: str, other: str) -> None:
    fence = "```" if other == "~~~" else "~~~"
    attached = f"{fence} file: a.txt\n{FILE.format(fence=other)}{fence}"
    assert propose(f"{draft}\n\n{attached}") == []
    assert propose(f"{draft}\n\n{attached}\n\n~~~ file: b.txt\nI am vegan.\n~~~") == []


def test_what_stands_behind_a_fence_is_said() -> None:
    for before in (
        "~~~~\n~~~\ncode\n~~~~",
        "```python\nx = 1\n```",
        "```\n~~~\n```",
        "~~~ file: a\nI am vegan.\n~~~",
    ):
        assert [item["value"] for item in propose(f"{before}\nI live in Rome.")] == ["Rome"]


@pytest.mark.parametrize(
    "text",
    [
        "pass: zebra0",
        "user: bob, pass: zebra",
        "username: bob password zebraNNN",
        "login=bob / pwd = zebra\nthanks",
    ],
)
def test_a_password_beside_a_name_is_a_secret(text: str) -> None:
    assert any("zebra" in text[begin:end] for begin, end in secret_spans(text))


@pytest.mark.parametrize(
    "text",
    ["Boarding pass: gate 12", "Pass: I do not want any", "My username is bob, I forgot the password again"],
)
def test_other_passes_are_no_secrets(text: str) -> None:
    assert secret_spans(text) == []
