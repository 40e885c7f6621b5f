"""Explicit requests: “remember that …”, “remind me to …”. They are read at the start of a clause, outside
quotations."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from dataclasses import dataclass

from .clauses import Clause

__all__ = ["Command", "command_in"]


@dataclass(frozen=True, slots=True)
class Command:
    """`kind` is "remember" or "todo"; `body` is what for, and `start` where the request begins in the
    text."""

    kind: str
    body: Clause
    start: int


_POLITE_EN = (
    r"(?:(?:please|pls|hey|hi|ok|okay|oh|and|also|so|now|then|just|kindly|always|(?:can|could|would|will) you(?: please)?"
    r"|(?:I|I'd) (?:want|like|need) you to|make sure (?:you|to)|you (?:should|must|can|need to))[ ,]+){0,6}"
)
_TODO_EN = re.compile(
    rf"{_POLITE_EN}(?:remind me(?: (?:again|later))?(?P<when> (?:tomorrow|tonight|today|on \w+|next \w+|at [\w: ]+?|in \w+ \w+))? (?:to|about|of|that I (?:have|need) to)"
    r"|remember to|don't (?:let me )?forget to|do not forget to|add (?:an? )?(?:new )?(?:to-?do|task)(?: item)?(?: to|:)|(?:to-?do|task)s?(?: item)?:"
    r"|put (?=.{1,300} on my (?:to-?do )?list)|add (?=.{1,300} to (?:my|the) (?:to-?do|task)))\s*(?P<body>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ON_LIST = re.compile(r"\s(?:on|to) (?:my|the) (?:to-?do |task )?(?:list|to-?dos|tasks)\W*$", re.IGNORECASE)
_REMEMBER_EN = re.compile(
    rf"{_POLITE_EN}(?:remember|memori[sz]e|keep in mind|bear in mind|make a note|take a note|note down|note|write down|don't forget"
    r"|do not forget)(?: for me| please)?(?:(?: this| the following)?\s*:\s*|\s*,\s*(?=(?:I|I'm|my|we|our)\b)|\s+(?:that\s+)?(?!(?:to|me|when|how|what|who|where|why|the time"
    r"|the day|the days|us|this|it|of|about|if)\b))(?P<body>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_POLITE_ZH = (
    r"(?:请你?|麻烦你?|帮我|帮忙|给我|你要|你得|一定要|务必|好的|那|嗯|对了|另外|还有|千万|你|要|，|,){0,8}"
)
_TODO_ZH = re.compile(
    rf"{_POLITE_ZH}(?:记得)?(?:(?P<when>(?:今|明|后)[天晚早]|下?周[一二三四五六日天末]|[今明后]天(?:早上|上午|中午|下午|晚上))(?:记得)?)?"
    r"(?:提醒(?:一下)?我(?:一下)?(?:要|去|记得)?|(?:加|添加|新增|记)(?:一?[个条])?(?:到)?待办(?:事项|清单)?[:：，,]?|待办(?:事项)?[:：]"
    r"|(?:记得|别忘了?|不要忘记?了?|别忘记)(?:要|去)?(?!我|你|他|她|它|这|那|吗|的|了|[:：，,]))\s*(?P<body>\S.*)$",
    re.DOTALL,
)
_REMEMBER_ZH = re.compile(
    rf"{_POLITE_ZH}(?:记住|记一下|记下来?|记着|牢记|备忘|记录一下|记录|记得|别忘了?|不要忘记?了?|别忘记)(?!了?[吗么？?])(?:了|一下)?(?:[:：，,]\s*)?(?P<body>\S.*)$",
    re.DOTALL,
)
_NO_STATEMENT = re.compile(
    r"^(?:(?:my|the|our|his|her|their|this|that) (?:[\w'-]+ ){0,3}[\w'-]+|it|this|that|me|you)\W*$|^(?:了|吗|这个|那个|这件事|它|我|我说的话?)?$",
    re.IGNORECASE,
)
_POLITE_QUESTION = re.compile(r"(?:.*\b)?(?:can|could|would|will) you\b|.*能不?能?帮?", re.IGNORECASE)
_VERB = re.compile(
    r"\d|\b(?:is|are|am|was|were|be|has|have|had|do|does|did|will|can|likes?|loves?|hates?|lives?|works?|needs?|wants?|goes|eats?)\b|'s |'m |'re "
)


def command_in(sentence: Clause) -> Command | None:
    """The request a sentence makes, None if it makes none. One that asks to remember a bare noun states
    nothing."""
    for match in re.finditer(r"(?:^|[,;，；。]\s*)(?=\S)", sentence.text):
        begin = match.end()
        for pattern, kind in (
            (_TODO_EN, "todo"),
            (_TODO_ZH, "todo"),
            (_REMEMBER_EN, "remember"),
            (_REMEMBER_ZH, "remember"),
        ):
            found = pattern.match(sentence.text, begin)
            if not found:
                continue
            body = found["body"].rstrip(' .。!！?？"”')
            if kind == "todo":
                body = _ON_LIST.sub("", body).rstrip()
            if kind == "remember" and (not body or (_NO_STATEMENT.match(body) and not _VERB.search(body))):
                return None
            if found["body"].rstrip().endswith(("吗", "么", "呢", "?", "？")) and not _POLITE_QUESTION.match(
                sentence.text, begin
            ):
                return None
            place = sentence.start + found.start("body")
            return Command(kind, Clause(body, place), sentence.start + begin) if body else None
    return None
