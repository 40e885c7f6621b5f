"""What is told plainly is proposed, and what is said in the same words without being meant is not: each
doubtful message stands beside a plain one that the same rule reads."""

from __future__ import annotations

import pytest

from py_memory.extraction import propose

# (doubtful, plain, the key that only the plain one tells)
PAIRS = [
    ("I'm a teacher at heart", "I'm a teacher at a village school", "user::job"),
    ("I'm a nurse to my sick husband this week", "I'm a nurse", "user::job"),
    ("I'm the author of this mess", "I'm an author", "user::job"),
    ("我当了一天老师", "我当了十年老师", "user::job"),
    ("I love the colours", "I love the Beatles", "user::likes"),
    ("I like week three", "I like old westerns", "user::likes"),
    ("I hate surprises in contracts", "I hate olives", "user::dislikes"),
    ("我喜欢大字号", "我喜欢爵士乐", "user::likes"),
    ("我喜欢在海滩、山脉和湖泊附近拍摄", "我喜欢徒步、长跑和攀岩", "user::likes"),
    ("我对废话过敏", "我对花粉过敏", "user::allergy"),
    ("allergic reaction pictures", "allergic to peanuts", "user::allergy"),
    ("we're pregnant with ideas", "I'm pregnant", "user::condition"),
    ("I have asthma inhalers to return for a neighbour", "I have asthma", "user::condition"),
    ("I've decided to trust the process", "I've decided to learn the cello", "user::decision"),
    ("we're going with plan B", "we're going with the Danish supplier", "user::decision"),
    ("我决定不在乎了", "我决定学大提琴", "user::decision"),
    ("The vet is open on Sunday", "My vet appointment is on Sunday", "user::event"),
    ("我周一没赶上飞机", "我周一的飞机", "user::event"),
    ("I almost bought a flat in Leith", "I bought a flat in Leith", "user::home"),
    ("I'm staying in Bruges till Sunday", "I'm living in Bruges", "user::home"),
    ("比方说我月薪一万，住武汉", "我住武汉", "user::home"),
    ("I volunteer at the hospice shop", "I work at the hospice", "user::work"),
    ("最近我在思考换工作的问题", "最近我在华为工作", "user::work"),
    ("医院的服务都特别专业", "我是计算机专业", "user::studies"),
    ("I went vegan for a month", "I went vegan", "user::diet"),
    ("念不出名字的我不吃", "羊肉我不吃", "user::diet"),
    ("叫我第一名", "叫我小九吧", "user::name"),
    ("我是顾客，有啥权利", "你好，我是韩梅", "user::name"),
    ("I go by instinct", "I go by Mika", "user::name"),
    ("我今年一百五十岁", "我今年五十岁", "user::age"),
    ("用德语说", "以后用德语跟我说", "user::language"),
    ("那老板叫罗恩", "我老板叫罗恩", "user::relation::boss"),
    ("我上司的电话号码是13722223333", "我的电话号码是13722223333", "user::contact::phone"),
    ("Anna's number is 020 7946 0018 in my notes", "my number is 020 7946 0018", "user::contact::phone"),
    ("我爷爷是矿工，叫老毕，早没了", "我爷爷是矿工", "user::family::grandfather::job"),
    ("客人潘太太纯素，坚果过敏", "我坚果过敏", "user::allergy"),
    ("我的爱好是交房租哈哈", "我的爱好是下棋", "user::likes"),
]


def keys(text: str) -> list[str]:
    return [proposal["key"] for proposal in propose(text)]


def told(key: str, text: str) -> bool:
    return any(found == key or found.startswith(f"{key}::") for found in keys(text))


@pytest.mark.parametrize(("doubtful", "plain", "key"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_only_what_is_told_plainly_is_proposed(doubtful: str, plain: str, key: str) -> None:
    assert told(key, plain)
    assert not told(key, doubtful)


@pytest.mark.parametrize(
    "text",
    ["Remember that I'm a teacher at heart", "Remember that I love the colours", "记住我对废话过敏"],
)
def test_what_is_to_be_remembered_is_kept_however_doubtful(text: str) -> None:
    (kept,) = propose(text)
    assert kept["explicit"]
    assert kept["confidence"] == 1.0


def test_what_a_first_user_tells_is_proposed() -> None:
    english = propose("I'm Lin, vegetarian, my daughter Mei is 6, I answer in Chinese")
    assert {(p["key"], p["value"]) for p in english} >= {
        ("user::name", "Lin"),
        ("user::diet", "vegetarian"),
        ("user::family::daughter", "Mei"),
        ("user::family::daughter::age", "6"),
    }
    chinese = propose("我叫林悦，吃素，女儿小美6岁")
    assert {p["key"] for p in chinese} >= {
        "user::name",
        "user::diet",
        "user::family::daughter",
        "user::family::daughter::age",
    }


def test_where_somebody_was_born_is_their_hometown_before_where_they_grew_up() -> None:
    assert [p["value"] for p in propose("born in Tbilisi, raised in Queens")] == ["Tbilisi"]
    assert [p["value"] for p in propose("I was raised in Queens")] == ["Queens"]


def test_months_are_no_years() -> None:
    assert "user::family::child::age" not in keys("our baby, Ines, is 4 months old")


def test_another_word_before_an_allergen_is_no_part_of_it() -> None:
    assert [p["value"] for p in propose("我是芝麻过敏")] == ["芝麻"]


def test_nothing_is_told_of_a_character_to_be_made_up() -> None:
    assert propose("Make me a character: Jolene, 34, diner waitress in Tulsa, hates thunder") == []
    assert propose("给我设计个角色：周婉，34岁，小镇饭馆老板娘，怕打雷") == []
