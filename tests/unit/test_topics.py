"""Facts that cannot both hold are found, and what only looks like it is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory import MemoryStore
from py_memory.clock import DAY_MS
from py_memory.health import CHECK_EVERY_MS
from py_memory.records import Fact
from py_memory.topics import contradictions

if TYPE_CHECKING:
    from .conftest import SteppedClock

NOW = 1_790_000_000_000  # September 2026
L, D, DIET, ALLERGY, FAV = (
    "user::likes",
    "user::dislikes",
    "user::diet",
    "user::allergy",
    "user::favorite::food",
)
AGE, BORN, JOB, WORK = "user::age", "user::birthday", "user::job", "user::work"
GIRL, BOY = "user::family::daughter", "user::family::son"

Pair = tuple[str, str, str, str]

EXCLUDE: list[tuple[Pair, str]] = [
    ((L, "coffee", D, "Coffee"), "taste"),
    ((L, "dogs", D, "dog"), "taste"),
    ((L, "eating cilantro", D, "cilantro"), "taste"),
    ((L, "咖啡", D, "咖啡"), "taste"),
    ((L, "吃香菜", D, "香菜"), "taste"),
    ((L, "吃香菜", "user::diet::香菜", "不吃香菜"), "taste"),
    ((L, "喝酒", "user::diet::酒", "不喝酒"), "taste"),
    ((L, "mushrooms", "user::diet::mushrooms", "don't eat mushrooms"), "taste"),
    ((L, "peanuts", ALLERGY, "peanuts"), "taste"),
    ((L, "花生", ALLERGY, "花生"), "taste"),
    ((FAV, "sushi", D, "sushi"), "taste"),
    ((DIET, "vegetarian", L, "steak"), "diet"),
    ((DIET, "vegetarian", L, "grilled chicken"), "diet"),
    ((DIET, "vegetarian", FAV, "bacon"), "diet"),
    ((DIET, "vegetarian", "user::diet::meat", "eats meat"), "diet"),
    ((DIET, "吃素", L, "吃牛排"), "diet"),
    ((DIET, "素食主义者", L, "红烧肉"), "diet"),
    ((DIET, "吃素", "user::favorite::食物", "烤鸭"), "diet"),
    ((DIET, "vegan", L, "cheese"), "diet"),
    ((DIET, "纯素", L, "吃鸡蛋"), "diet"),
    ((DIET, "pescatarian", L, "steak"), "diet"),
    ((DIET, "halal", L, "bacon"), "diet"),
    ((DIET, "清真", L, "红烧肉"), "diet"),
    (("user::diet::pork", "don't eat pork", L, "pork ribs"), "diet"),
    (("user::diet::猪肉", "不吃猪肉", L, "吃红烧肉"), "diet"),
    (("user::diet::alcohol", "don't drink alcohol", L, "beer"), "diet"),
    (("user::diet::酒", "不喝酒", L, "喝啤酒"), "diet"),
    (("user::diet::spicy-food", "never eat spicy food", L, "spicy noodles"), "diet"),
    (("user::diet::辣", "不吃辣", L, "麻辣火锅"), "diet"),
    (("user::diet::海鲜", "不吃海鲜", L, "小龙虾"), "diet"),
    (("user::family::daughter::diet", "vegetarian", "user::family::daughter::likes", "steak"), "diet"),
    ((AGE, "45", BORN, "4 March 1990"), "age"),
    ((AGE, "45", BORN, "1990年3月4日"), "age"),
    ((f"{GIRL}::age", "6", f"{GIRL}::birthday", "3 May 2010"), "age"),
    ((AGE, "30", f"{GIRL}::age", "32"), "family"),
    ((AGE, "30", "user::family::mother::age", "31"), "family"),
    ((BORN, "1990-01-01", f"{BOY}::birthday", "1992-05-01"), "family"),
    ((AGE, "30", "user::family::older-sister::age", "25"), "family"),
    ((AGE, "30", "user::family::younger-brother::age", "34"), "family"),
    (("user::family::wife", "Anna", "user::family::husband", "Tom"), "marriage"),
    ((JOB, "retired", WORK, "Google"), "work"),
    ((JOB, "退休", WORK, "谷歌"), "work"),
]

COMPATIBLE: list[Pair] = [
    (L, "coffee", D, "tea"),
    (L, "spicy noodles", D, "noodles"),
    (L, "dark chocolate", D, "white chocolate"),
    (L, "cooking", D, "eating out"),
    (L, "cats", ALLERGY, "cats"),
    (L, "猫", ALLERGY, "猫"),
    (L, "flowers", ALLERGY, "pollen"),
    (L, "看足球", D, "踢足球"),
    (L, "夏天", D, "冬天"),
    (L, "steak", D, "rare steak"),
    (DIET, "vegetarian", L, "vegetarian sausages"),
    (DIET, "vegetarian", L, "cheese"),
    (DIET, "vegetarian", L, "tofu steak"),
    (DIET, "vegetarian", L, "mushroom steak"),
    (DIET, "vegetarian", L, "fishing"),
    (DIET, "vegetarian", L, "cooking"),
    (DIET, "vegetarian", L, "ham radio"),
    (DIET, "vegetarian", L, "fish"),
    (DIET, "vegetarian", L, "chickens"),
    (DIET, "vegetarian", L, "plant-based meat"),
    (DIET, "vegetarian", "user::favorite::movie", "Pork Chop Hill"),
    (DIET, "vegetarian", "user::diet::onions", "don't eat onions"),
    (DIET, "vegetarian", "user::diet::alcohol", "don't drink alcohol"),
    (DIET, "vegetarian", "user::family::husband::likes", "steak"),
    (DIET, "vegetarian", DIET + "::style", "vegan"),
    (DIET, "mostly vegetarian", L, "steak"),
    (DIET, "used to be vegetarian", L, "steak"),
    (DIET, "vegetarian except on Sundays", L, "bacon"),
    (DIET, "vegan", L, "oat milk"),
    (DIET, "vegan", L, "peanut butter"),
    (DIET, "vegan", L, "vegan cheese"),
    (DIET, "pescatarian", L, "salmon"),
    (DIET, "halal", L, "turkey bacon"),
    (DIET, "halal", L, "steak"),
    (DIET, "吃素", L, "素牛排"),
    (DIET, "吃素", L, "麻婆豆腐"),
    (DIET, "吃素", L, "钓鱼"),
    (DIET, "偶尔吃素", L, "牛排"),
    (DIET, "纯素", L, "豆奶"),
    ("user::diet::辣", "不吃辣", L, "微辣的菜"),
    ("user::diet::辣", "不吃辣", L, "火锅"),
    ("user::diet::alcohol", "don't drink alcohol", L, "ginger beer"),
    ("user::diet::alcohol", "don't drink alcohol", L, "non-alcoholic beer"),
    ("user::diet::alcohol", "don't drink alcohol", L, "coffee"),
    ("user::diet::酒", "不喝酒", L, "喝茶"),
    ("user::diet::酒", "不喝酒", L, "喝咖啡"),
    ("user::diet::gluten", "don't eat gluten", L, "bread"),
    (ALLERGY, "lactose intolerant", L, "cheese"),
    (AGE, "36", BORN, "4 March 1990"),
    (AGE, "37", BORN, "1990年3月4日"),
    (AGE, "38", BORN, "1990年3月4日"),
    (AGE, "45", BORN, "March 4"),
    (AGE, "45", f"{GIRL}::age", "6"),
    (AGE, "30", "user::family::mother::age", "52"),
    (AGE, "30", "user::family::older-sister::age", "31"),
    (AGE, "30", "user::family::younger-brother::age", "29"),
    (AGE, "30", "user::family::sister::age", "45"),
    (AGE, "30", "user::family::grandmother::age", "88"),
    (AGE, "30", "user::family::wife::age", "61"),
    (f"{GIRL}::age", "6", f"{BOY}::age", "9"),
    ("user::family::wife", "Anna", f"{GIRL}", "Mei"),
    ("user::family::girlfriend", "Anna", "user::family::husband", "Tom"),
    (JOB, "teacher", WORK, "Google"),
    (JOB, "retired", "user::home", "Oslo"),
    ("user::home", "Oslo", "user::hometown", "Bergen"),
    ("user::language", "English", "user::speaks", "Chinese"),
    ("user::event", "dinner with Anna", "user::event", "flight to Rome"),
    ("user::note", "I am a vegetarian", "user::note", "I love steak"),
    ("task::buy-steak", "buy steak", DIET, "vegetarian"),
]


def fact(id: str, key: str, value: str, **more: object) -> Fact:
    values: dict[str, object] = {"user_id": "u", "created_at": NOW, "confidence": 1.0, "status": "current"}
    return Fact(id=id, key=key, value=value, **{**values, **more})  # type: ignore[arg-type]


def found(pair: Pair) -> list[str]:
    facts = [fact("a", pair[0], pair[1]), fact("b", pair[2], pair[3], created_at=NOW + 1)]
    forth, back = contradictions(facts), contradictions(facts[::-1])
    assert forth == back, "The order in which they are looked at must not matter"
    assert all((one.older.id, one.newer.id) == ("a", "b") for one in forth)
    return [one.why for one in forth]


@pytest.mark.parametrize(("pair", "why"), EXCLUDE)
def test_what_excludes_each_other_is_found(pair: Pair, why: str) -> None:
    assert found(pair) == [why]
    assert found((pair[2], pair[3], pair[0], pair[1])) == [why]


@pytest.mark.parametrize("pair", COMPATIBLE)
def test_what_can_both_hold_is_left_alone(pair: Pair) -> None:
    assert found(pair) == []


def test_ages_are_those_of_their_day() -> None:
    said = fact("a", AGE, "30", created_at=NOW - 10 * 365 * DAY_MS)
    assert contradictions([said, fact("b", BORN, "1986-05-01")]) == []
    assert len(contradictions([said, fact("b", BORN, "1996-05-01")])) == 1
    # A daughter of 25 now, of somebody who was 30 ten years ago.
    assert contradictions([said, fact("b", f"{GIRL}::age", "25")]) == []


def test_two_agents_do_not_contradict_each_other() -> None:
    one = fact("a", L, "coffee", agent_id="one")
    assert contradictions([one, fact("b", D, "coffee", agent_id="two")]) == []
    assert len(contradictions([one, fact("b", D, "coffee", agent_id="two", visibility="shared")])) == 1
    assert len(contradictions([one, fact("b", D, "coffee")])) == 1


VALUES = st.sampled_from(
    [pair[i] for pair in COMPATIBLE for i in (1, 3)] + ["", " ", "🙂", "x" * 100, "不", "no", "-free"]
)
KEYS = st.sampled_from(sorted({pair[i] for pair in COMPATIBLE for i in (0, 2)}))
STATUSES = st.sampled_from(["current", "current", "disputed", "candidate", "superseded"])


@given(st.lists(st.tuples(KEYS, VALUES, STATUSES, st.integers(0, 5)), max_size=12))
def test_any_facts_give_pairs_of_one_person_the_older_first(items: list[tuple[str, str, str, int]]) -> None:
    facts = [
        fact(str(number), key, value, status=status, created_at=NOW + late)
        for number, (key, value, status, late) in enumerate(items)
    ]
    pairs = contradictions(facts)
    assert len({(pair.older.id, pair.newer.id) for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert pair.older.status == pair.newer.status == "current"
        assert (pair.older.created_at, pair.older.id) < (pair.newer.created_at, pair.newer.id)
        whose = {
            "::".join(one.key.split("::")[: 3 if "::family::" in one.key else 1])
            for one in (pair.older, pair.newer)
        }
        assert len(whose) == 1 or pair.why in ("family", "marriage")
    # What does not take part can come or go.
    assert contradictions([*facts, fact("new", "user::note", "a note")]) == pairs


# -- in a memory --


def disputed(store: MemoryStore) -> list[str]:
    return [one.value for one in store.list_facts(status="disputed")]


def test_the_older_is_put_to_the_user_with_what_it_disagrees_with(
    store: MemoryStore, clock: SteppedClock
) -> None:
    old = store.set_fact(DIET, "vegetarian")
    clock.advance(1)
    new = store.set_fact(L, "steak")
    assert store.consolidate()["disputed"] == 1
    (conflict,) = store.conflicts()
    assert (conflict.fact.id, conflict.other.id, conflict.why) == (old.id, new.id, "diet")
    assert [one.value for one in store.list_facts()] == ["steak"]


def test_what_the_user_says_yes_to_is_not_disputed_again(store: MemoryStore, clock: SteppedClock) -> None:
    old = store.set_fact(DIET, "vegetarian")
    clock.advance(1)
    store.set_fact(L, "steak")
    store.consolidate()
    store.confirm_fact(old.id)
    assert store.conflicts() == []
    assert store.consolidate()["disputed"] == 0
    assert sorted(one.value for one in store.list_facts()) == ["steak", "vegetarian"]
    assert store.health() == []
    # Something else that it excludes is another matter.
    clock.advance(1)
    store.set_fact(L, "bacon")
    assert store.consolidate()["disputed"] == 1
    assert disputed(store) == ["vegetarian"]


def test_a_no_takes_the_older_away(store: MemoryStore, clock: SteppedClock) -> None:
    old = store.set_fact(DIET, "vegetarian")
    clock.advance(1)
    store.set_fact(L, "steak")
    store.consolidate()
    store.reject_fact(old.id)
    assert store.conflicts() == []
    assert [one.value for one in store.list_facts(status=None)] == ["steak"]


def test_taking_a_yes_back_asks_again(store: MemoryStore, clock: SteppedClock) -> None:
    old = store.set_fact(DIET, "vegetarian")
    clock.advance(1)
    store.set_fact(L, "steak")
    store.consolidate()
    operation = store.confirm_fact(old.id).operation_id
    assert operation is not None
    store.undo(operation)
    assert disputed(store) == ["vegetarian"]
    store.confirm_fact(old.id)
    assert store.consolidate()["disputed"] == 0


def test_what_is_disputed_itself_disputes_nothing(store: MemoryStore, clock: SteppedClock) -> None:
    for key, value in ((L, "steak"), (DIET, "vegetarian"), (FAV, "bacon")):
        store.set_fact(key, value)
        clock.advance(1)
    assert store.consolidate()["disputed"] == 1
    assert disputed(store) == ["vegetarian"]


def test_topics_are_looked_through_once_a_month_in_idle_time(store: MemoryStore, clock: SteppedClock) -> None:
    assert store.idle_work(5) is False
    store.set_fact(DIET, "vegetarian")
    clock.advance(1)
    store.set_fact(L, "steak")
    while store.idle_work(5):
        pass
    before = store.fact_history(DIET), store.get_setting("topics.due")
    store.idle_work(5)
    assert disputed(store) == []
    assert (store.fact_history(DIET), store.get_setting("topics.due")) == before
    clock.advance(CHECK_EVERY_MS)
    store.idle_work(5)
    assert disputed(store) == ["vegetarian"]
    clock.advance(1)
    store.set_fact(D, "steak")
    store.idle_work(5)
    assert disputed(store) == ["vegetarian"], "The next time is in a month"
    clock.advance(CHECK_EVERY_MS)
    store.idle_work(5)
    assert sorted(disputed(store)) == ["steak", "vegetarian"]
    # Consolidation looks through them too, and puts the date off.
    clock.advance(days=29)
    store.consolidate()
    assert store.get_setting("topics.due") == clock.now + CHECK_EVERY_MS
