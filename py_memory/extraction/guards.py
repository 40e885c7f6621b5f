"""Which clauses of a message the user states as true: not what is asked, supposed, wished, denied, reported
or over."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator

from .clauses import Clause, clauses, sentences

__all__ = ["safe_clauses"]

_CONDITION = re.compile(
    r"^(?:(?:and|but|so|then|well|or|even|only|just|as)\s+)*(?:if|unless|suppose|supposing|assume|assuming|imagine|whether"
    r"|what if|let's say|let us say|say I|in case(?! (?:it|that|you|anyone|this)(?:'s|'re| is| are)? ?(?:matters|helps|wonder\w*|relevant|useful|wondering|asked|asks))|provided|hypothetically|for example|for instance|e\.g|were I|had I"
    r"|once|when|whenever)\b|\b(?:what if|as if|as though|if I|if we|if my)\b"
    r"|如果|要是|假如|假设|假使|倘若|万一|若是|要不是|就算|即使|哪怕|除非|想象|比如|例如|譬如|的话",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\b(?:I|we|you|it|he|she|they)'d\b|\b(?:would|might|could)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|supposedly|allegedly|hypothetically|theoretically|apparently)\b|\bI wish\b"
    r"|^(?:可能|也许|或许|据说|听说|好像)",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\b(?:he|she|they|someone|somebody|people|everyone|everybody|who|(?:my|the|a|his|her|their|our) \w+|(?!I\b)[A-Z]\w+)"
    r"(?:'s)?\s+(?:\w+ly\s+|always\s+|just\s+|once\s+)?(?:said|says|say|told|tells|claims?|claimed|wrote|writes|thinks?|thought"
    r"|believes?|asked|asks|replied|answered|goes|tells me|tell me|told me|put it|puts it|reads?|insists?|swears?|quoted?|texted)\b"
    r"|\b(?:said|says|wrote|quoth|told) (?:he|she|they|my \w+|the \w+|[A-Z]\w+)\b|\baccording to\b|\bto quote\b"
    r"|(?<!我)(?<!老实)(?<!来)(?<!话)(?<!就是)(?<!顺便)(?<!坦白)(?<!跟你)(?<!和你)(?<!不)(?<!听)(?<![文语小传学])(?:说|问|写道|回答|表示|认为|觉得|回复|喊|讲)"
    r"(?:过|道)?$|^(?:他|她|他们|她们|人家|别人|有人|朋友|同事)(?:们)?.{0,4}(?:说|问|写|告诉|觉得|认为)"
)
_ADDED = re.compile(
    r".*\b(?:but|though) $"
)  # “My name is Li but everyone says Lee” is the user's word up to there
_ASKING = re.compile(
    r"^(?:(?:and|but|so|or|hey|well|please)\s+)*(?:am|is|are|was|were|do|does|did|can|could|would|will|should|shall|have|has|had"
    r"|what|what's|who|who's|whom|whose|where|when|why|how|which|don't|didn't|isn't|aren't|won't|can't|any)\b"
    r"|[吗嘛么]$|是不是|有没有|会不会|能不能|可不可以|要不要|什么|谁|哪[里儿个些]|多少|怎么|怎样|为什么|是否|几[个岁点号]|[吗呢]$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"^(?:right|no|yes|correct|isn't it|aren't I|am I|am I not|don't you think|you know|huh|eh|okay|ok|who knows|really"
    r"|对吗?|对吧|是吗|是吧|是不是|好吗|不是吗|知道吗|真的吗)$",
    re.IGNORECASE,
)
_QUESTION_START = re.compile(
    r"^(?:am|is|are|was|were|do|does|did|what|who|where|when|why|how|which)\s+(?:I|my|me|you|we|the|it|this)\b",
    re.IGNORECASE,
)
_LANGUAGE_ASKED = re.compile(
    r"^(?i:(?:please )?(?:can|could|would|will) you (?:please )?)(?=(?:always |please |only |just )*(?:answer|reply|respond|write|talk|speak|chat)(?: to| with)?(?: me| us)?(?: back)?(?: only| always)? in [A-Z]\w+(?: please| from now on| only)*$)"
)
_DENIED = re.compile(
    r"^(?:it's|it is|that's)? ?not (?:true|that|like|as)\b|^not\b|^(?:不是真的|才怪|才不是|不对|并没有|没有的事)",
    re.IGNORECASE,
)
# What is over is not what holds now; but who does not eat or drink something any more says what they avoid.
_PAST = re.compile(
    r"以前|曾经|曾(?=[在是做当养有去经])|从前|过去(?!了)|小时候|那时候?|那会儿?|当时|当年(?!级)|年轻的?(?:时候|时)|(?:上|读|念)(?:幼儿园|小学|初中|高中|大学|大[一二三四])(?:的?时候|时|那会)|刚毕业那|原来的|原先|(?<![一以目提])前(?:男友|女友|夫|妻|任|女朋友|男朋友|公司|东家|老板)|(?:^|我|家)之前|(?:^|我|家)原来|(?:^|我|家)本来"
)
_NOW = re.compile(r"现在|如今|目前|后来|去年|今年|前年|最近|上个?月|已经|刚|改|换|搬|早就")
_OVER = re.compile(
    r"^(?!.*(?:\b(?:eat|drink)\b|[吃喝]))(?:.*\b(?:any ?more|any longer|no longer)\b|.*不再|.*(?:已经|早就)不|我?们?不太?(?:喜欢|爱|住|在|是).*了$)",
    re.IGNORECASE,
)


def safe_clauses(text: str) -> Iterator[tuple[Clause, list[Clause]]]:
    """Each sentence of a masked text with those of its clauses that state something as true."""
    for sentence in sentences(text):
        if found := _stated(sentence):
            yield sentence, found


def _stated(sentence: Clause) -> list[Clause]:
    parts = clauses(sentence)
    if _HEDGE.search(sentence.text):
        return []
    told = next((index for index, part in enumerate(parts) if _REPORT.search(part.text)), None)
    if told is not None:
        if not _ADDED.match(
            sentence.text[: parts[told].end - sentence.start].removesuffix(parts[told].text)[-8:]
        ):
            return []
        parts = parts[:told]
    if any(_DENIED.search(part.text) for part in parts[1:]):
        return []
    kept = parts
    for index, part in enumerate(parts):
        if _CONDITION.search(part.text):
            # What depends on a condition that comes later is as little stated as what follows it.
            kept = [] if any(_WOULD.search(p.text) for p in parts) else parts[:index]
            break
    kept = [part for part in _of_now(kept) if not _OVER.match(part.text)]
    if sentence.text.rstrip("\"'”’」)） ").endswith(("?", "？")):
        return _before_question(kept)
    if parts and _QUESTION_START.search(parts[0].text):
        return []
    return [
        part for part in kept if not (_ASKING.search(part.text) and re.search("[\u3400-\u9fff]", part.text))
    ]


def _of_now(parts: list[Clause]) -> list[Clause]:
    """Without what a clause about the past tells, up to the next one about now."""
    out, over = [], False
    for part in parts:
        if _PAST.search(part.text):
            over = True
        elif over and _NOW.search(part.text):
            over = False
        if not over:
            out.append(part)
    return out


def _before_question(parts: list[Clause]) -> list[Clause]:
    """What is stated before a sentence turns into a question. "…, right?" asks about everything before it."""
    for index, part in enumerate(parts):
        if _LANGUAGE_ASKED.search(part.text):
            asked = _LANGUAGE_ASKED.sub("", part.text)
            return [*parts[:index], Clause(asked, part.end - len(asked))]
        if _TAG.search(part.text):
            return []
        if _ASKING.search(part.text):
            return parts[:index]
    return []
