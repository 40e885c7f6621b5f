"""What a question asks for: its terms with weights, the days it names, and what it says of the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from py_memory import text
from py_memory.marks import spoken_marks

from .parameters import Parameters
from .stemming import stem

__all__ = ["Question", "is_question", "names_a_time", "read_question"]

MOST_READ = 8_000  # characters; of a longer text the end is read, where the question mostly stands

_SENTENCE = re.compile(r"[^.!?。！？…\n]*(?:[.!?。！？…\n]+|\Z)")
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b|\bhow (?:long|often|recently|frequently)\b"
    r"|\bhow many (?:days|weeks|months|years)\b|什么时候|几点|多久|哪天|哪年|何时|几月|几号|日期|时间"
)
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|weeks?|weekend|months?|years?|days|hours?|minutes"
    r"|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|morning|afternoon|evening|night|since|once|twice|times|daily|weekly|every|recently"
    r"|(?:19|20)\d\d|\d{1,2}(?::\d\d)? ?[ap]m)\b"
    r"|[昨今明前后]天|[上下][个]?[周月]|[去明今前]年|星期|周[一二三四五六日末]|早上|上午|中午|下午|晚上"
    r"|[\d一二三四五六七八九十两]+[个]?(?:[年月日号点周天]|小时|分钟|星期)"
)
_OF_ASSISTANT = re.compile(
    r"\byou (?:\w+ )?(?:recommend|suggest|advise|say|said|told|tell|mention|give|gave"
    r"|explain|list|write|wrote)"
    r"|你(?:曾经?|之前|上次|刚才)?(?:给我)?(?:推荐|告诉|给|说|建议|提到|介绍|列|写)|\bai\b"
)
_OF_USER = re.compile(r"\b(?:i|my|me|mine|i'm|i've|i'd|we|our)\b|我")
_LAST = re.compile(
    r"\blast\b(?! (?:night|week|weekend|month|year|spring|summer|autumn|winter|name|\w+day)\b)|\blatest\b"
    r"|\bmost recent|\bprevious|上次|上回|上一次|最近一次|最后一次|刚才"
)
_RESULT = re.compile(r"\btools?\b|\bresults?\b|\breturned\b|\boutput\b|工具|返回|结果")
# About somebody, or something that both sides know. Not so “how do I …”, “give me …”.
_REQUEST = re.compile(
    r"\b(?:how|what) (?:do|can|could|should|would|to) (?:i|we)\b"
    r"|\b(?:give|tell|show|help|teach|for|to|let) (?:me|us)\b|[给帮替教为让跟]我们?|告诉我们?"
)
_PERSONAL = re.compile(
    r"\b(?:i|my|me|mine|i'm|i've|i'd|we|our|us|he|she|his|her|him|they|their|them)\b"
    r"|[我咱他她]|那[个位次家天]|这[个位次家]"
)
_REMINDER = re.compile(r"\bremember\b|\bremind\b|\blast time\b|\bearlier\b|来着|上次|上回|之前|记得")


@dataclass(frozen=True, slots=True)
class Question:
    text: str  # folded
    terms: dict[str, float] = field(default_factory=dict)  # token → weight
    marks: tuple[str, ...] = ()
    chinese: bool = False
    asks_time: bool = False
    side: str | None = None  # the role that the question is about
    asks_last: bool = False  # for the last time something was done
    asks_result: bool = False  # for what a tool said
    about: str = "anything"  # or "somebody", or "reminder": it says that it was spoken of before


def is_question(content: str) -> bool:
    return content.rstrip()[-1:] in ("?", "？")


def names_a_time(folded: str) -> bool:
    return _TIME.search(folded) is not None


def read_question(query: str, now: int, parameters: Parameters) -> Question:
    """Reads a query of any length and kind; without a telling word it has no terms."""
    query = text.clean(query)[0][-MOST_READ:]
    folded = text.normalize(query)
    asked = text.terms(_asked(folded), for_query=True)
    weights: dict[str, float] = {}
    known: set[str] = set()
    for tokens, weight in ((asked, 1.0), (text.terms(folded, for_query=True), parameters.aside)):
        for token in tokens:
            if (root := stem(token)) not in known and len(weights) < parameters.query_terms:
                known.add(root)
                weights[token] = weight
    return Question(
        folded,
        weights,
        tuple(spoken_marks(folded, now)),
        text.has_cjk(query),
        _WHEN.search(folded) is not None,
        "assistant" if _OF_ASSISTANT.search(folded) else "user" if _OF_USER.search(folded) else None,
        _LAST.search(folded) is not None,
        _RESULT.search(folded) is not None,
        _about(folded),
    )


def _about(folded: str) -> str:
    if _REMINDER.search(folded):
        return "reminder"
    return "somebody" if _PERSONAL.search(_REQUEST.sub(" ", folded)) else "anything"


def _asked(folded: str) -> str:
    """The questions of a message that also says other things, and how it ends; a short one whole."""
    sentences = [match.group().strip() for match in _SENTENCE.finditer(folded) if match.group().strip()]
    if len(sentences) < 3:
        return folded
    questions = [sentence for sentence in sentences if is_question(sentence)]
    return " ".join(dict.fromkeys([*questions, sentences[-1]]))
