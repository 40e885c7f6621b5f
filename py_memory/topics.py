"""Facts of one topic that cannot both hold, found without a model. Better none than a false alarm.

What excludes what, of one person (the user, a member of the family, a pet):

| topic | one says | the other says |
|---|---|---|
| taste | likes X | dislikes X, does not eat or drink X, is allergic to X (a food) |
| diet | vegetarian, vegan, pescatarian, halal, no pork, no meat, no fish, no alcohol, nothing spicy | likes or eats a dish of that kind |
| age | an age of a certain day | a year of birth more than two years off (some count a newborn as one) |
| family | an age or a year of birth | a child, parent, older or younger sibling whose age does not fit it |
| marriage | a wife | a husband |
| work | retired, unemployed | a place of work |
"""
# ruff: noqa: E501 -- tables of words

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from .records import Fact
from .text import normalize

__all__ = ["Contradiction", "contradictions", "has_topic"]

COUNTING_OFF = 2  # years by which an age may differ from the year of birth, by whatever way of counting
PARENT_OLDER = 8  # years; a stepchild may be nearer than a child of one's own
SIBLING_OFF = 1


@dataclass(frozen=True, slots=True)
class Contradiction:
    """`why` is "taste", "diet", "age", "family", "marriage" or "work"."""

    older: Fact
    newer: Fact
    why: str


_KEY = re.compile(
    r"(?P<who>user::(?:(?:family|pet)::[^:]+::)?)(?P<what>likes|dislikes|diet|allergy|favorite|age|birthday|job|work)(?:::(?P<rest>.*))?"
)
# What is eaten; a favourite film may be called anything.
_FOOD = re.compile(r"food|dish|meal|snack|drink|breakfast|lunch|dinner|dessert|食|菜|饭|饮|吃|喝|餐|酒|零食")
_DENIED = re.compile(
    r"(?:(?:i )?(?:don't|do not|doesn't|does not|never|can't|cannot|can not|won't)(?: ever)? (?:eat|eats|drink|drinks|have|has|touch|touches)|no|never|avoids?|without) (?P<en>.+)"
    r"|(?P<free>[a-z]+)[- ]free|(?:从来?|完全|都)?(?:不能|不可以|不|忌|戒)(?:吃|喝|食|碰|沾)?(?P<zh>.+)"
)
_EATS = re.compile(
    r"(?:(?:i )?(?:(?:only|also|often|sometimes|always) )?(?:eats?|drinks?) )(?P<en>.+)|(?:爱|喜欢|常|经常)?(?:吃|喝)(?P<zh>.+)"
)
_VERB = re.compile(
    r"^(?:吃|喝)(?=.)|^(?:(?:to )?(?:eat|eating|drink|drinking|have|having) )?(?:(?:a|an|the|some|any) )?"
)
_QUALIFIED = re.compile(
    r"\b(?:not|used to|no longer|mostly|sometimes|often|partly|almost|trying|flexitarian|except|but|unless|on \w+days?)\b|不是|曾|以前|偶尔|有时|大部分|多半|除了|但|周[一二三四五六日末]|尽量|想"
)
# Loved or kept without being eaten.
_NOT_EATEN = frozenset(
    [
        "cat",
        "dog",
        "horse",
        "rabbit",
        "bird",
        "hamster",
        "animal",
        "pet",
        "pollen",
        "dust",
        "grass",
        "flower",
        "latex",
        "wool",
        "perfume",
        "penicillin",
        "猫",
        "狗",
        "马",
        "兔",
        "兔子",
        "鸟",
        "动物",
        "宠物",
        "花粉",
        "灰尘",
        "尘螨",
        "花",
        "青霉素",
        "香水",
    ]
)

_KINDS: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    name: (re.compile(words), re.compile(unless))
    for name, words, unless in (
        (
            "meat",
            r"\b(?:steaks?|beef|pork|bacon|ham|mutton|veal|venison|meat|meatballs?|sausages?|salami|prosciutto|brisket|lamb chops?|(?:grilled|roast|fried) (?:chicken|lamb|duck)|chicken (?:wings?|curry|nuggets?|breast|soup)|peking duck|pork ribs)\b"
            r"|牛排|牛肉|猪肉|羊肉|鸡肉|鸭肉|烤鸭|红烧肉|烤肉|培根|火腿|香肠|腊肉|排骨|炸鸡|烤鸡|鸡翅|卤肉|五花肉|肉丸|回锅肉|吃肉|肉类|^肉$",
            r"\b(?:vegetarian|vegan|veggie|tofu|soya?|plant|meatless|fake|mock|mushroom|cauliflower|seitan|tempeh|impossible|beyond|free|smell|radio|knife|knives|drawing|painting|restaurants?)\b|素|植物|仿|人造|假|豆|味道",
        ),
        (
            "fish",
            r"\b(?:salmon|tuna|shrimps?|prawns?|lobster|sashimi|anchov(?:y|ies)|seafood|fish and chips|(?:grilled|fried|smoked|baked|steamed) fish|fish (?:soup|tacos?|curry|fingers?|sticks?))\b"
            r"|吃鱼|烤鱼|酸菜鱼|水煮鱼|生鱼片|三文鱼|鱼肉|海鲜|吃虾|小龙虾|龙虾|大闸蟹|清蒸鱼|红烧鱼",
            r"\b(?:vegetarian|vegan|veggie|tofu|soya?|plant|mock|fake|fishing|diving)\b|素|植物|钓|养",
        ),
        (
            "dairy and eggs",
            r"\b(?:cheese|milk|eggs?|omelettes?|butter|yogh?urt|ice cream|honey|milkshakes?|cheesecake)\b|奶酪|芝士|牛奶|鸡蛋|煎蛋|黄油|酸奶|冰淇淋|蜂蜜",
            r"\b(?:vegan|plant|oat|almond|soya?|coconut|rice|peanut|cashew|nut|cocoa|shea|body|easter|free|tofu)\b|素|植物|燕麦|杏仁|豆|椰|花生",
        ),
        (
            "pork",
            r"\b(?:pork|bacon|ham|prosciutto|pork ribs)\b|猪肉|红烧肉|培根|火腿|五花肉|回锅肉|猪蹄",
            r"\b(?:vegetarian|vegan|veggie|turkey|beef|halal|kosher|mock|fake|radio)\b|素|植物|牛肉|火鸡|清真",
        ),
        (
            "alcohol",
            r"\b(?:beers?|wines?|whiske?y|vodka|gin|rum|cocktails?|champagne|sake|tequila|brandy|liquor|alcohol)\b|啤酒|红酒|白酒|葡萄酒|喝酒|威士忌|鸡尾酒|黄酒|米酒|清酒|^酒$",
            r"\b(?:non|free|zero|root|ginger|virgin|vinegar|collecting|rummy)\b|无醇|无酒精|醋|收藏",
        ),
        (
            "spicy",
            r"\b(?:spicy|hot pot sichuan)\b|辣",
            r"\b(?:not|non|mild|less)\b|不辣|微辣|少辣",
        ),
    )
}  # fmt: skip

# A diet and the kinds of dishes it leaves out; the first that fits.
_DIETS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), kinds)
    for pattern, kinds in (
        (r"\bvegan\b|纯素|全素", ("meat", "fish", "dairy and eggs")),
        (r"\bpesc[ae]tarian\b|鱼素", ("meat",)),
        (r"\bvegetarian\b|吃素|素食", ("meat", "fish")),
        (r"\b(?:halal|kosher)\b|清真|洁食", ("pork",)),
        (r"\bteetotall?er\b|滴酒不沾", ("alcohol",)),
    )
)
_LEFT_OUT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"meat|any meat|肉|荤|荤菜|肉类", "meat"),
        (r"(?:fish|seafood)(?: (?:or|and) (?:fish|seafood))?|鱼|海鲜|鱼虾", "fish"),
        (r"pork|猪肉", "pork"),
        (r"alcohol|any alcohol|酒|酒精", "alcohol"),
        (r"spicy(?: food| dishes| things)?|辣|辣的|辣椒", "spicy"),
    )
)

_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_AGE = re.compile(r"\d{1,3}(?!\d)")
_CHILD = re.compile(r"(?:daughter|son|child)(?:-\d+)?")
_PARENT = re.compile(r"(?:mother|father)")
_OUT_OF_WORK = re.compile(r"(?:already )?retired|unemployed|out of work|已?退休了?|失业|待业|没有工作")


def contradictions(facts: Iterable[Fact]) -> list[Contradiction]:
    """Pairs of current facts that cannot both hold, each once. Facts that no single agent sees together are
    not compared."""
    current = [fact for fact in facts if fact.status == "current"]
    found: dict[tuple[str, str], Contradiction] = {}
    for one, other, why in itertools.chain(_tastes(current), _ages(current), _exclusive(current)):
        if one.id == other.id or not _seen_together(one, other):
            continue
        older, newer = sorted((one, other), key=lambda fact: (fact.created_at, fact.id))
        found.setdefault((older.id, newer.id), Contradiction(older, newer, why))
    return list(found.values())


def _seen_together(one: Fact, other: Fact) -> bool:
    scopes = {one.scope, other.scope}
    return len(scopes - {""}) <= 1


Pair = tuple[Fact, Fact, str]


def _parts(fact: Fact) -> tuple[str, str, str] | None:
    """(whose, what, the rest) of a key; None for one that no rule speaks of."""
    match = _KEY.fullmatch(fact.key)
    return (match["who"], match["what"], match["rest"] or "") if match else None


def has_topic(fact: Fact) -> bool:
    """Whether it can contradict one under another key."""
    return _parts(fact) is not None or fact.key.startswith("user::family::")


def _core(value: str) -> str:
    """A thing without the verb and the article before it, and without a plural."""
    thing = _VERB.sub("", normalize(value).strip(" .。!！"), count=1).strip()
    return (
        thing[:-1] if thing.isascii() and len(thing) > 3 and thing[-1] == "s" and thing[-2] != "s" else thing
    )


def _tastes(facts: Sequence[Fact]) -> Iterator[Pair]:
    liked: dict[tuple[str, str], list[Fact]] = {}
    eaten: dict[str, list[tuple[Fact, str]]] = {}
    denied: list[tuple[Fact, str, str]] = []
    diets: list[tuple[Fact, str, tuple[str, ...]]] = []
    for fact in facts:
        parts = _parts(fact)
        if parts is None:
            continue
        who, what, rest = parts
        value = normalize(fact.value)
        if what in ("likes", "favorite"):
            liked.setdefault((who, _core(value)), []).append(fact)
            if what == "likes" or _FOOD.search(rest):
                eaten.setdefault(who, []).append((fact, value))
        elif what == "dislikes" or (what == "allergy" and _core(value) not in _NOT_EATEN):
            denied.append((fact, who, _core(value)))
        elif what == "diet" and not _QUALIFIED.search(value):
            if without := _DENIED.fullmatch(value):
                thing = next(group for group in without.groups() if group)
                denied.append((fact, who, _core(thing)))
                kinds = tuple(kind for pattern, kind in _LEFT_OUT if pattern.fullmatch(thing))
            else:
                kinds = next((kinds for pattern, kinds in _DIETS if pattern.search(value)), ())
                if (eats := _EATS.fullmatch(value)) and not kinds:
                    eaten.setdefault(who, []).append((fact, next(group for group in eats.groups() if group)))
            if kinds:
                diets.append((fact, who, kinds))
    for fact, who, thing in denied:
        for other in liked.get((who, thing), ()):
            yield fact, other, "taste"
    for fact, who, kinds in diets:
        for other, dish in eaten.get(who, ()):
            if any(_is_a(dish, kind) for kind in kinds):
                yield fact, other, "diet"


def _is_a(dish: str, kind: str) -> bool:
    words, unless = _KINDS[kind]
    return bool(words.search(dish)) and not unless.search(dish)


@dataclass(frozen=True, slots=True)
class _Born:
    fact: Fact
    year: int


def _births(facts: Sequence[Fact]) -> Iterator[tuple[str, str, _Born]]:
    """(whose, "age" or "birthday", about which year they were born)."""
    for fact in facts:
        parts = _parts(fact)
        if parts is None or parts[2] or parts[1] not in ("age", "birthday"):
            continue
        if parts[1] == "birthday":
            if year := _YEAR.search(fact.value):
                yield parts[0], "birthday", _Born(fact, int(year[0]))
        elif age := _AGE.match(fact.value):
            said = datetime.fromtimestamp((fact.valid_from or fact.created_at) / 1000, UTC).year
            yield parts[0], "age", _Born(fact, said - int(age[0]))


def _ages(facts: Sequence[Fact]) -> Iterator[Pair]:
    born: dict[str, dict[str, list[_Born]]] = {}
    for who, what, birth in _births(facts):
        born.setdefault(who, {}).setdefault(what, []).append(birth)
    for known in born.values():
        for age, birthday in itertools.product(known.get("age", ()), known.get("birthday", ())):
            if abs(age.year - birthday.year) > COUNTING_OFF:
                yield age.fact, birthday.fact, "age"
    for me in _surest(born.get("user::", {})):
        for who, known in born.items():
            relation = who.split("::")[2] if who.startswith("user::family::") else ""
            for them in _surest(known):
                if _cannot_be(relation, them.year - me.year):
                    yield me.fact, them.fact, "family"


def _surest(known: Mapping[str, list[_Born]]) -> list[_Born]:
    """A year of birth is surer than an age."""
    return known.get("birthday") or known.get("age") or []


def _cannot_be(relation: str, younger_by: int) -> bool:
    if _CHILD.fullmatch(relation):
        return younger_by < PARENT_OLDER
    if _PARENT.fullmatch(relation):
        return -younger_by < PARENT_OLDER
    if relation.startswith("older-"):
        return younger_by > SIBLING_OFF
    if relation.startswith("younger-"):
        return younger_by < -SIBLING_OFF
    return False


def _exclusive(facts: Sequence[Fact]) -> Iterator[Pair]:
    by_key: dict[str, list[Fact]] = {}
    for fact in facts:
        by_key.setdefault(fact.key, []).append(fact)
    for one, other in itertools.product(
        by_key.get("user::family::wife", ()), by_key.get("user::family::husband", ())
    ):
        yield one, other, "marriage"
    for job, place in itertools.product(by_key.get("user::job", ()), by_key.get("user::work", ())):
        if _OUT_OF_WORK.fullmatch(normalize(job.value)) and not _OUT_OF_WORK.fullmatch(
            normalize(place.value)
        ):
            yield job, place, "work"
