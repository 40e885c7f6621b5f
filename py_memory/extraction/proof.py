"""The last look at a value: what a rule cut out must read as one thing, and not as a piece of a sentence.

A value ends where its clause does, so that a verb, a pronoun or a word that joins sentences in it means that it
was cut in the wrong place. Better nothing then than something garbled.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

__all__ = ["proved"]

# What no value begins or ends with, holds, or is, in either language.
_BROKEN = re.compile(
    r"^(?:because|so|if|and|or|but|than|then|is|are|was|were|be|been|it|them|these|those|there|here|when|how|what|why|where|up|down|away|please|thanks|thank|ok|okay|yes|no|sorry|bye|lol)\b"
    r"|\b(?:my|our|your|is|are|was|were|be|that|very|really|if|please|thanks|lol|haha)$"
    r"|(?:^|\s)(?:I|I'm|I've|I'd|I'll|you're|we're|they're|he's|she's|it's|don't you|isn't it)(?=\s|$)"
    r"|^[了的得着过吗呢吧嘛么和跟与及或但而因所]|[和跟与及或但而把被让在]$|^[A-Za-z]$|[吗呢么？?]|帮我|给我|因为|所以|但是|不过|如果|要是|什么|怎么|为啥|多少",
)
_JOINING = re.compile(
    r"(?:,? (?:and|or|but|with|so|because|than|to|of|for|from|the|an?|incredibly|extremely|really|absolutely|totally|utterly|completely|in the end|after all|eventually))+$|[和跟与及或但而]$",
    re.IGNORECASE,
)
# A thing has no verb of its own, and nothing is compared with it.
_NO_THING = re.compile(
    r"\b(?:is|are|was|were|has|had|does|did|doesn't|don't|didn't|isn't|aren't|can't|won't|wouldn't|gets?|got|makes|made|says?|said|needs?|wants?|feels?|nobody|everybody|someone|the \w+er the|any day|no contest|hands down|afterwards?|in anything|in everything|slides?|fonts?|paragraphs?|drafts?|wording|phrasing|layout|versions?|bullet points?|output)\b"
    r"|^(?:have|get|am|go|make|do|need|want|feel|keep|take|put|can|will|would|should|your|you)\b|^(?:the )?(?:first|second|third|last|other|next|previous|new|old|shorter|longer|short|long|better|more \w+) (?:answers?|versions?|options?|ones?|repl(?:y|ies)|ideas?|drafts?|parts?|lines?|sentences?|paragraphs?|titles?|suggestions?)$"
    r"|^第[一二三四五六七八九十\d两]|^[这那][个种段句]|(?:版本?|方案|开头|结尾|回答|答案|说法|写法|思路|配色|标题)$|[^不]也不",
    re.IGNORECASE,
)
_NO_TRADE = re.compile(
    r"\b(?:our|my|you|your|his|her|their|me|us|them|who|which|everyone)\b|[我你您他她它不没会](?!计)|^(?:作为|身为)|资格证|考证|^(?:语文|数学|英语|物理|化学)$|^师|躺平|摸鱼|睡觉|发呆|吃饭",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"\b(?:my|your|our|the|this|that|home|who|which)$|[我你您他她它的吃喝]|[一这那哪][家个]|公司|上班|单位",
    re.IGNORECASE,
)
_NO_EMPLOYER = re.compile(
    r"\b(?:me|us|them|you|him|her)$|[一这那哪][家个]$|^[我你您他她它]|[我你您]|^(?:家|个|里|上|下|外)$"
)
_NO_DECISION = re.compile(
    r"\b(?:you|your|yours)\b|[你您]|\b(?:today|tonight|now)$|^be (?!an?\b)\w+$|^wait\b|今天|^(?:不管|先不|等等|再等|放过|原谅)|^(?:on|in|at|last|this|next|against|for|about)(?: \w+)?$|^(?:can|could|would|should|help|give|tell|show|write|make (?:me|it|this)|what|which|who|whether|just|now|it|that|this|nothing|anything|everything|something|yet|thanks?|bye|ok|okay|please|sorry|lol)\b|^(?:(?:帮|给|替)我|请(?:你|您|帮|给|替|把|用|问|告诉|查|看|写|列|推荐|说)|求|麻烦|写|列|谢|吧|好|哪|谁|了)",
    re.IGNORECASE,
)
_NO_EVENT = re.compile(
    r"^(?:wants?|needs?|has|had|is|was|says?|said|gets?|does|did|who|which|every|each|no|any)\b",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"\d|@|\b(?:is|are|was|and|or|the|from|with)\b|[的了吗呢，。]", re.IGNORECASE)
# Who writes is no toddler: a smaller number is somebody else's age.
_TOO_YOUNG = re.compile(r"(?:[1-5]|[一二两三四五]|one|two|three|four|five)$", re.IGNORECASE)
_BY_KEY: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(key), bad)
    for key, bad in (
        (r"(?:.*::)?(?:likes|dislikes|allergy)$|user::favorite::", _NO_THING),
        (r"(?:.*::)?job$|user::studies$", _NO_TRADE),
        (r"(?:.*::)?(?:home|hometown)$", _NO_PLACE),
        (r"user::work$", _NO_EMPLOYER),
        (r"user::decision$", _NO_DECISION),
        (r"user::event$", _NO_EVENT),
        (r"user::name$|user::(?:family|relation)::[^:]+$", _NO_NAME),
    )
)
_FREE = ("task::", "user::note", "user::event", "user::decision", "user::diet", "user::address")


def proved(key: str, value: str) -> str:
    """A value that a rule read for a key, without a word at its end that joins it to what follows; "" if it is
    not whole."""
    if not key.startswith(_FREE) or key == "user::decision":
        value = _JOINING.sub("", value)
    if not key.startswith(_FREE) and _BROKEN.search(value):
        return ""
    if key == "user::age" and _TOO_YOUNG.match(value):
        return ""
    return "" if any(what.match(key) and bad.search(value) for what, bad in _BY_KEY) else value
