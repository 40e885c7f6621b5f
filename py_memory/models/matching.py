"""Which facts and to-dos a person means: shared words, with English endings off and keys taken in both
languages."""
# ruff: noqa: E501 -- tables of words

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from py_memory.text import has_cjk, terms

from .kinds import keys_asked, keys_named, keys_of_verb, other_asked_about
from .phrases import key_in_words

__all__ = [
    "MEANS", "answering", "ended", "fitting", "is_part", "same_subject", "shared_words", "stem", "task_words", "telling_words", "tells_of",
    "under_key_named", "with_parts",
]  # fmt: skip

_IRREGULAR = {
    "bought": "buy", "paid": "pay", "sent": "send", "wrote": "write", "made": "make", "got": "get", "took": "take", "met": "meet",
    "did": "do", "went": "go", "fed": "feed", "told": "tell", "brought": "bring", "kids": "child", "kid": "child",
    "children": "child", "mom": "mother", "mum": "mother", "dad": "father", "eats": "eat", "lives": "live", "residence": "home",
}  # fmt: skip
_COMMON = frozenset(
    [
        "said",
        "say",
        "tell",
        "told",
        "know",
        "remember",
        "note",
        "number",
        "thing",
        "something",
        "anything",
        "find",
        "plan",
        "write",
        "什么",
        "我的",
        "你的",
    ]
)
# A question's words and the keys that answer it without sharing a word.
MEANS = {
    "eat": "diet", "food": "diet", "dinner": "diet", "lunch": "diet", "meal": "diet", "menu": "diet", "cook": "diet",
    "recipe": "diet", "breakfast": "diet", "old": "age", "live": "home", "call": "name", "allergic": "allergy", "child": "daughter son",
    "vegetarian": "diet", "employer": "work", "几岁": "年龄", "多大": "年龄", "住在": "住处", "住哪": "住处", "哪里": "住处", "晚饭": "饮食",
    "晚餐": "饮食", "午饭": "饮食", "午餐": "饮食", "早餐": "饮食", "菜单": "饮食", "菜谱": "饮食", "做饭": "饮食", "吃饭": "饮食", "吃什": "饮食",
    "叫什": "名字", "孩子": "女儿 儿子", "上班": "工作单位", "忌口": "饮食", "电话": "电话", "手机": "电话",
}  # fmt: skip
# What these hold is the user's own, so it answers no question about their cat.
_OWN = frozenset(
    f"user::{name}" for name in ["name", "age", "birthday", "job", "work", "home", "address", "hometown", "contact::phone", "contact::email"]
)  # fmt: skip
_DAY = re.compile(
    r"\b(?:by|on|before|until|next|this) \w+day\b|\b(?:today|tonight|tomorrow)\b"
    r"|[今明后][天晚早]|(?:下个?|这个?)?(?:周|星期|礼拜)[一二三四五六日天末]",
    re.IGNORECASE,
)

_OCCUPATION = {"user::job", "user::work"}
_CHARACTER = re.compile(r"(?![把将我去给的了要得])[\u3400-\u9fff]")

# A denied verb with nothing that tells which fact is meant.
_VAGUE = re.compile(
    r"(?:live|living|work|working|study|studying|stay)(?: (?:there|here|at all))?"
    r"|(?:在)?(?:那里|那儿|那边|这里|这儿)?(?:住|上班|工作)(?:在?(?:那里|那儿|那边|这里|这儿))?",
    re.IGNORECASE,
)


def stem(word: str) -> str:
    """Rough: plurals and common endings off, so that “allergies” meets “allergy”."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, instead in (("ies", "y"), ("ing", ""), ("es", ""), ("s", ""), ("ed", "")):
        if word.isascii() and word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word


def telling_words(text: str) -> set[str]:
    """The words of a question without those that are too common to help, their endings off."""
    return {stem(word) for word in terms(text, for_query=True)} - _COMMON


def task_words(text: str) -> set[str]:
    """The telling words of a to-do, without the day for which it is meant."""
    return telling_words(_DAY.sub(" ", text))


def shared_words(text: str, question: str) -> int:
    """How many telling words of a question a text holds."""
    return len(telling_words(question) & {stem(word) for word in terms(text)})


def tells_of(text: str, question: str) -> bool:
    """Whether a text may answer a question about somebody or something of the user's: it names them."""
    other = other_asked_about(question)
    return not other or other in text or shared_words(text, other) > 0


def same_subject(what: str, said: str, *, whole: bool = False) -> bool:
    """Whether `said` is about `what`: half of its words, and not the verb alone; with `whole` all of them."""
    wanted = task_words(what)
    characters = set(_CHARACTER.findall(_DAY.sub("", what)))
    if not whole and len(characters) > 1 and characters <= set(said):
        return True  # 浇花 and 花浇完了: the words may come in another order
    shared = wanted & {stem(word) for word in terms(said)}
    if not whole and 1 < len(what) <= 8 and has_cjk(what) and set(what) <= set(said):
        return True  # 花浇完了 is about 浇花
    if whole or len(wanted) <= 1:
        return bool(wanted) and shared == wanted
    ordered = [stem(word) for word in terms(_DAY.sub(" ", what), for_query=True)]
    return 2 * len(shared) >= len(wanted) and shared != {ordered[0]}


def fitting(
    facts: Sequence[Mapping[str, Any]], topic: str, *, strict: bool = False
) -> list[Mapping[str, Any]]:
    """Facts that share most words with the topic, or are of the kind it asks for. With `strict` only shared
    words count, and a topic that is a fact's whole value means that one."""
    wanted = telling_words(topic)
    if not strict:
        wanted |= {word for term in tuple(wanted) for word in MEANS.get(term, "").split()}
    scored = []
    for fact in facts:
        keys = " ".join(key_in_words(fact["key"], language) for language in ("en", "zh"))
        words = {
            stem(word) for word in terms(f"{keys} {fact['value']} {'' if strict else fact['quote'] or ''}")
        }
        if shared := len(wanted & words):
            scored.append((shared, fact))
    best = max((score for score, _ in scored), default=0)
    return [fact for score, fact in scored if score == best]


def under_key_named(facts: Sequence[Mapping[str, Any]], topic: str) -> list[Mapping[str, Any]]:
    """The facts under the key that a topic names (“where I live”), [] if it names none or nothing is
    there. Where somebody works and as what are one thing to most."""
    keys = keys_named(topic)
    if set(keys) == _OCCUPATION:
        return [fact for fact in facts if any(_is_under(fact, key) for key in keys)]
    for key in keys:
        if found := [fact for fact in facts if _is_under(fact, key)]:
            return found
    return []


def with_parts(facts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The one of these that the others tell more of (a daughter, and her age); None if they are several
    things."""
    first = min(facts, key=lambda fact: len(fact["key"]))
    return first if all(fact is first or is_part(fact, first) for fact in facts) else None


def is_part(other: Mapping[str, Any], fact: Mapping[str, Any]) -> bool:
    """Whether it tells more of what a fact names, as the age of a daughter does."""
    return bool(other["key"].startswith(f"{fact['key']}::"))


def answering(facts: Sequence[Mapping[str, Any]], question: str) -> list[Mapping[str, Any]]:
    """The facts under the key that a question asks for, else those that fit its words, with what else is known
    under their keys where a key holds one value: a question about what is replaced finds what replaced it."""
    for key in keys_asked(question):
        if found := [fact for fact in facts if fact["key"] == key]:
            return found
    if other_asked_about(question):
        facts = [fact for fact in facts if fact["key"] not in _OWN]
    fits = fitting(facts, question)
    waiting = {fact["key"] for fact in fits if fact["status"] == "candidate"}
    beside = [f for f in facts if f["status"] == "current" and f["key"] in waiting and f not in fits]
    return [*fits, *beside]


def ended(facts: Sequence[Mapping[str, Any]], said: str) -> list[Mapping[str, Any]]:
    """The facts that are over if what `said` denies is: those whose value it shares most words with, else
    those of its verb's kind if it says no more (“I don't live there any more”)."""
    keys = keys_of_verb(said)
    wanted = telling_words(said) | ({"素"} & set(said))
    scored = []
    for fact in facts:
        values = {stem(word) for word in terms(fact["value"])}
        if (not keys or any(_is_under(fact, key) for key in keys)) and (shared := len(wanted & values)):
            scored.append((shared, fact))
    if scored:
        best = max(score for score, _ in scored)
        return [fact for score, fact in scored if score == best]
    if keys and _VAGUE.fullmatch(said):
        return [fact for fact in facts if any(_is_under(fact, key) for key in keys)]
    return []


def _is_under(fact: Mapping[str, Any], key: str) -> bool:
    return bool(fact["key"] == key or fact["key"].startswith(f"{key}::"))
