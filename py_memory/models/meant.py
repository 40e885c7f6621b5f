"""Which facts a request to forget means, and which of those it was asked about an answer means. It never takes in
more than what holds the value that is named; where that is unclear, the user is asked."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from py_memory.text import has_cjk, normalize, terms

from .intents import understand
from .matching import MEANS, is_part, stem, telling_words
from .phrases import key_in_words

__all__ = ["MAY_BE_MEANT", "Meant", "chosen", "meant_by", "names_no_other"]

Fact = Mapping[str, Any]

MAY_BE_MEANT = "may be meant"  # why an answer rests on a fact that it asks about

# Words that tell the kind of a fact or nothing at all, but no value.
_KINDLY = frozenset(
    {stem(word) for word in ["like", "likes", "love", "loves", "enjoy", "enjoys", "hate", "hates", "live", "lives", "living", "work", "works", "working", "call", "called", "name", "named", "born", "move", "moved", "study", "studies", "studying", "speak", "speaks", "eat", "eats", "drink", "drinks", "have", "want", "prefer", "prefers", "one", "ones", "fact", "detail", "entry", "information", "now", "any", "more", "anymore", "longer", "year", "years", "old", "allergic", "really", "actually", "please", "too", "also", "still", "stuff", "use", "get", "yes", "ok", "that", "this", "those", "these", "s", "m", "re", "ve"]}
)  # fmt: skip
_KINDLY_ZH = frozenset(
    "我你您的是了对有在和与也就都把将给这那条个件事吧呢啊很吃喝喜欢不会住叫做岁今年现在请想要说过关于号"
)
_ALSO = {**MEANS, "allergic": "allergy"}
_WIDE = re.compile(r"[\u3400-\u9fff]")
_LISTED = re.compile(r"\s*(?:,|;|、|，|；|和|与|跟|\band\b|\bor\b|&)\s*")
_IN_OWN_WORDS = ("user::note", "user::decision", "user::event", "task::")


@dataclass(frozen=True)
class Meant:
    """`sure`: the facts hold all that was named, and nothing beside."""

    facts: list[Fact]
    sure: bool


def meant_by(topic: str, facts: Sequence[Fact]) -> Meant:
    """The facts that hold most of what a topic names, whose they are included."""
    wanted = _telling(topic)
    asked = telling_words(topic)
    scored = []
    for fact in facts:
        text = _text(fact, facts)
        named = has_cjk(fact["value"]) and normalize(fact["value"]) in normalize(topic)
        held = _held(wanted, text)
        all_held = bool(wanted) and wanted == held
        if not named and not all_held and not asked & {stem(word) for word in terms(text)}:
            continue
        scored.append((len(held), wanted - held, fact))
    best = max((score for score, _, _ in scored), default=0)
    found = [(left, fact) for score, left, fact in scored if score == best]
    sure = all(not left for left, _ in found) and not any(_names_a_part(topic, fact) for _, fact in found)
    return Meant([fact for _, fact in found], sure)


def _text(fact: Fact, facts: Sequence[Fact]) -> str:
    """A fact in words, with whose it is."""
    owners = [other["value"] for other in facts if is_part(fact, other)]
    keys = [key_in_words(fact["key"], language) for language in ("en", "zh")]
    return " ".join((*keys, *owners, fact["value"]))


def _telling(text: str) -> set[str]:
    """The words, and the Chinese characters, that tell a fact from others."""
    words = {word for word in telling_words(text) if not _WIDE.search(word)} - _KINDLY
    if re.search(r"\ballergic\b", text, re.IGNORECASE):
        words.add("allergy")
    return words | (set(_WIDE.findall(text)) - _KINDLY_ZH)


def _held(wanted: set[str], text: str) -> set[str]:
    there = {stem(word) for word in terms(text)} | set(_WIDE.findall(text))
    return {word for word in wanted if word in there or there & set(_ALSO.get(word, "").split())}


def _names_a_part(topic: str, fact: Fact) -> bool:
    """Whether of several things in one value some are named and others are not."""
    if fact["key"].startswith(_IN_OWN_WORDS):
        return False
    wanted = _telling(topic)
    parts = [telling for part in _LISTED.split(fact["value"]) if (telling := _telling(part))]
    named = [part <= wanted for part in parts]
    return any(named) and not all(named)


# -- the answer to “which one?” --

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIGITS_ZH = "一二三四五六七八九十"
_NUMBER = {
    **{word: number for words in (_ORDINALS, _CARDINALS) for number, word in enumerate(words, 1)},
    **{digit: number for number, digit in enumerate(_DIGITS_ZH, 1)},
    "两": 2,
}
_FILLING = re.compile(
    r"\b(?:yes|ok|okay|please|pls|forget|delete|remove|just|only|the|number|no\.(?= ?\d)|option|that|thanks|thank you|it's|is)\b"
    r"|#|(?:请|就|要|只|忘掉|忘记|忘了|删掉|删除|是|那|好的?|吧|谢谢)+"
)
_NUMBERS = re.compile(
    rf"(?:(?:第?(?:\d{{1,3}}|[{_DIGITS_ZH}两])[条个项]?|\d{{1,3}}(?:st|nd|rd|th)?|(?:{'|'.join(_ORDINALS + _CARDINALS)}))"
    r"(?:\s*(?:,|，|、|和|跟|&|\band\b|\s)\s*)?)+"
)
_EACH = re.compile(rf"\d+|[{_DIGITS_ZH}两]|\b(?:{'|'.join(_ORDINALS + _CARDINALS)})\b")
_ALL = re.compile(
    r"(?:(?:all|both|everything|every one)(?: \w+)?(?: (?:of )?(?:them|these|those|it))?|them (?:all|both))"
    r"|(?:两[条个]|[\d三四五六七八九十][条个])?(?:全部|全都|都|所有|统统|两[条个])(?:的|都|忘掉|删掉|删除|要)*"
)
_NONE = re.compile(
    r"none(?: of (?:them|these|those))?|neither(?: of them)?|nothing|(?:都|全)(?:不|别|留着?|保留).*|一[条个]都不.*"
)
_MOST = 80  # characters of an answer to “which one?”


def chosen(said: str, options: Sequence[Fact]) -> list[Fact] | None:
    """Which of the facts that were shown by number an answer names, by number or in words: [] for none of
    them, None if it does not answer the question."""
    text = normalize(said).strip(' \t\n.。!！?？,，"“”')
    kind = understand(said).kind
    if not options or not text or len(text) > _MOST:
        return None
    if kind == "no" or _NONE.fullmatch(text):
        return []
    if kind == "yes" and not re.search(r"\d", text):
        return list(options) if len(options) == 1 else None
    plain = _plain(text)
    if _ALL.fullmatch(plain):
        return list(options)
    if _NUMBERS.fullmatch(plain):
        numbers = {int(each) if each.isdigit() else _NUMBER[each] for each in _EACH.findall(plain)}
        if not all(1 <= number <= len(options) for number in numbers):
            return None
        return [fact for number, fact in enumerate(options, 1) if number in numbers]
    if kind not in ("statement", "forget"):
        return None
    meant = meant_by(plain, options)
    return meant.facts if meant.sure and len(meant.facts) == 1 and _telling(plain) else None


def _plain(text: str) -> str:
    """What an answer names, without the words about it: “please forget the second one” is “second”."""
    plain = " ".join(_FILLING.sub(" ", text).split()).strip(" .。,，")
    return re.sub(r"(?<=\w) ones?\b", "", plain)


def names_no_other(said: str) -> bool:
    """Whether an answer to “which one?” only leaves open which: a bare “yes”, a number that was not shown."""
    text = normalize(said).strip(' \t\n.。!！?？,，"“”')
    if len(text) > _MOST:
        return False
    plain = _plain(text)
    return understand(said).kind == "yes" or _NUMBERS.fullmatch(plain) is not None
