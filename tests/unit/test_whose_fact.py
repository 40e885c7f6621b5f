"""Whose a fact is, whether it is one, and where its value ends: by class, a few of many each."""

from __future__ import annotations

import pytest

from py_memory.extraction import propose
from py_memory.extraction.proof import proved


def read(text: str) -> list[str]:
    return [f"{'!' * p['explicit']}{p['key']}={p['value']}" for p in propose(text)]


SOMEBODY_ELSE = [
    "My friend Julia is vegan",
    "The doctor asked whether I have asthma",
    "My sister thinks I'm a designer",
    "我同事小张吃素",
    "刷到个帖子，楼主说自己二十八，在义乌开网店",
    "我爷爷是矿工，五十就走了",
    "that lad off the telly, Jermaine something, moved to Hull to open a chippy",
    "I'm cooking for a friend with a nut allergy",
    "Our old cat Miso passed away",
    "My son's teacher, Mrs. Kowalski, wants a meeting on Tuesday",
    "The client's number is 555 019 9288, and my coffee is cold",
    "My boss will call me on 555 019 9288",
    "我爷爷是矿工，走得早",
    "新来的实习生是浙大的，学计算机",
    "相亲对象是银行的，喜欢健身，聊什么",
    "病人60岁，糖尿病十年",
    "今天在地铁上遇到一个人，叫我大叔",
    "客户的邮箱是lihua88@qq.com，帮我查一下",
]
NOBODY_IN_PARTICULAR = [
    "how to become a teacher in Finland",
    "As a teacher, how would one deal with bullying?",
    "A train leaves Leeds at 8",
    "We live in strange times",
    "I'm stuck, what can I cook for guests",
    "作为老师，该怎么处理霸凌",
    "乳糜泻和麸质不耐受区别",
    "纯素的人爱豆腐",
    "三十岁的人开始学钢琴晚不晚",
    "伦敦住了九百万人",
    "Living in Tokyo on 2000 a month, possible?",
    "Working at Amazon, good or bad?",
    "diabetic meal plan for twelve",
    "The train on Friday at 9 is full, alternatives?",
    "There's a match on Saturday at 3, who's playing?",
    "Dentist appointments on Saturdays: do they cost more",
    "在北京租房要押一付三",
    "下个月有个演唱会，谁的来着",
]
WORDS_OF_OTHERS = [
    "Put into Spanish: My appointment is at four o'clock on Monday.",
    "Call me Ishmael, what book",
    "I love Lucy, which year",
    "不吃香菜的英文",
    "我在故宫修文物几集",
    "How do you say I'm allergic to nuts in Greek?",
]
OF_THE_TALK = [
    "I decided to ask you first",
    "I've decided to be nice today",
    "call me tomorrow",
    "我决定先不告诉你",
    "叫我别管，那我就不管了",
    "记得小时候的冰棍才两毛钱",
    "提醒我鸡蛋咋煮",
    "Remember to be concise",
    "Don't forget you are an AI",
    "Note that the function returns None",
    "remember remember the fifth of november",
    "Jot down three ideas for a logo",
    "I like big fonts in slides, change it",
    "I prefer shorter answers",
    "Like I said, make it shorter",
    "记住单词有什么好办法",
    "别忘了你是AI",
    "我喜欢第二个版本",
    "叫我起床的闹钟app",
    "We decided to wait and see",
    "I love a good list",
    "I live for Fridays",
    "I'm from marketing",
    "I'm Spartacus",
    "I study faces on the tube",
    "remember to breathe",
    "add a comma to the list",
    "记一下TCP和UDP的区别",
    "我最喜欢低音进来那段",
    "叫我老派也行",
    "周五的火车全满了",
]


AND_OF_OTHERS = [
    "the interview is tomorrow and he hasn't ironed a shirt",
    "明天面试，他衬衫还没熨",
    "我来自一个特别小的岛，叫东福山",
    "我对象是蒙古族",
    "一个海鲜过敏一个吃素",
]


@pytest.mark.parametrize(
    "text", [*SOMEBODY_ELSE, *AND_OF_OTHERS, *NOBODY_IN_PARTICULAR, *WORDS_OF_OTHERS, *OF_THE_TALK]
)
def test_nothing_is_said_of_the_user(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I like spicy food the hotter the better", ["user::likes=spicy food"]),
        ("I hate flying and get sick on boats", ["user::dislikes=flying"]),
        ("I prefer trains to planes any day", ["user::likes=trains"]),
        (
            "my favourite band is The Weakerthans and nobody knows them",
            ["user::favorite::band=The Weakerthans"],
        ),
        ("I'm a landscape architect, not a gardener", ["user::job=landscape architect"]),
        ("My name is now Grace", ["user::name=Grace"]),
        ("My kids are 3 and 8", ["user::family::child::age=3", "user::family::child::age=8"]),
        ("Remember I play cello on Mondays", ["!user::likes=play cello on Mondays"]),
        ("we've decided to sell the van", ["user::decision=sell the van"]),
        ("my favourite colour is teal, like deep teal", ["user::favorite::colour=teal"]),
        ("I find golf incredibly boring", ["user::dislikes=golf"]),
        ("we've decided against the caravan", ["user::decision=against the caravan"]),
        ("I'm studying to become a midwife", ["user::studies=midwife"]),
        ("I live in a tiny flat above a chip shop in Whitby", ["user::home=Whitby"]),
        ("As a dispatcher for Yellow Cab I get yelled at", ["user::job=dispatcher", "user::work=Yellow Cab"]),
        ("我不喝酒也不抽烟", ["user::diet::酒=不喝酒"]),
        ("我在准备考教师资格证", []),
        ("修理费我不会出的，就这么定了", []),
        ("我的邮箱是lihua88@qq.com，发我就行", ["user::contact::email=lihua88@qq.com"]),
        ("我在杭州一家创业公司做产品经理", ["user::work=创业公司", "user::job=产品经理"]),
    ],
)
def test_a_value_ends_where_its_clause_does(text: str, expected: list[str]) -> None:
    assert [fact for fact in expected if fact not in read(text)] == []
    assert [fact for fact in read(text) if fact not in expected and not fact.startswith("user::home")] == []


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("user::likes", "tea and", "tea"),
        ("user::studies", "mechanical engineering and", "mechanical engineering"),
        ("user::likes", "up straight", ""),
        ("user::dislikes", "get sick on boats", ""),
        ("user::likes", "第二个版本", ""),
        ("user::job", "语文老师", "语文老师"),
        ("user::job", "修理费我不会出", ""),
        ("user::decision", "thanks", ""),
        ("user::decision", "the electric model in the end", "the electric model"),
        ("user::event", "wants a meeting on Tuesday", ""),
        ("user::work", "杭州一家", ""),
        ("task::x", "and so on", "and so on"),
    ],
)
def test_a_value_is_looked_at_once_more(key: str, value: str, kept: str) -> None:
    assert proved(key, value) == kept


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("put my gmail on the form: p.hart88@mailbox.example", "email", "p.hart88@mailbox.example"),
        (
            "the CV should have me down as Grace Okafor, grace@mailbox.example",
            "email",
            "grace@mailbox.example",
        ),
        ("heads up my email changed, it's now marnie@bakes.example", "email", "marnie@bakes.example"),
        ("Call 0161 496 0345 thats me", "phone", "0161 496 0345"),
        ("我电话换了，现在是18800001234", "phone", "18800001234"),
        ("投稿要留邮箱的话就写我这个 wuming@mailbox.example", "email", "wuming@mailbox.example"),
    ],
)
def test_a_contact_is_the_users_where_the_sentence_says_so(text: str, key: str, value: str) -> None:
    assert f"user::contact::{key}={value}" in read(text)


@pytest.mark.parametrize(
    "text",
    [
        "my boss's email is ingrid@mailbox.example",
        "I got an email from ingrid@mailbox.example",
        "my old number was 0161 496 0345",
        "can I write to support@shop.example about my order",
        "我老板的电话是18800001234",
        "我收到18800001234打来的电话",
        "my order number is 4961034588",
    ],
)
def test_another_contact_is_not(text: str) -> None:
    assert not [fact for fact in read(text) if "contact" in fact]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Todo for me: renew the road tax, cancel the gym",
            ["!task::renew-the-road-tax=renew the road tax", "!task::cancel-the-gym=cancel the gym"],
        ),
        ("待办：交物业费、取快递", ["!task::交物业费=交物业费", "!task::取快递=取快递"]),
        ("remind me to call Bob, my brother", ["!task::call-bob-my-brother=call Bob, my brother"]),
        ("remember: buy milk", ["!task::buy-milk=buy milk"]),
        ("记一下：周五交材料", ["!task::周五交材料=周五交材料"]),
        ("记一下我的车停在B2", ["!user::note=我的车停在B2"]),
    ],
)
def test_what_is_to_be_done_is_a_to_do_each(text: str, expected: list[str]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My best friend Wanjiru is a better cook than me", ["user::relation::friend=Wanjiru"]),
        ("My boss, Ingrid, keeps moving the deadline", ["user::relation::boss=Ingrid"]),
        ("闺蜜糖糖约我去做美甲", ["user::relation::friend=糖糖"]),
        ("给我爸挑件外套，他六十三了", ["user::family::father::age=六十三"]),
        ("Since I came to Brighton I've been broke", ["user::home=Brighton"]),
        (
            "I rent in Leeds. Could you write me an email saying: I live in York",
            [],
        ),
        ("I live in Leeds. Write me a poem about the sea", ["user::home=Leeds"]),
        ("换季鼻炎又犯了", ["user::condition=鼻炎"]),
        ("我吃虾会过敏", ["user::allergy=虾"]),
    ],
)
def test_what_is_told_in_passing(text: str, expected: list[str]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        ("我们决定请个厨师。", "user::decision", "请个厨师"),
        ("我们决定给孩子换学校。", "user::decision", "给孩子换学校"),
        ("记住浇花水管放在洗衣篮里。", "user::note", "浇花水管放在洗衣篮里"),
        ("记住买的药放在抽屉里。", "user::note", "买的药放在抽屉里"),
    ],
)
def test_a_decision_and_a_place_are_no_request(said: str, key: str, value: str) -> None:
    assert [(item["key"], item["value"]) for item in propose(said)] == [(key, value)]
