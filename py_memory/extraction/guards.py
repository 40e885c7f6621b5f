"""Which clauses of a message the user states as true: not what is asked, supposed, wished, denied, reported
or over."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator

from .clauses import Clause, clauses, sentences

__all__ = ["safe_clauses"]

_CONDITION = re.compile(
    r"^(?:(?:and|but|so|then|well|or|even|only|just|as)\s+)*(?:if(?! (?:(?:it|that) (?:helps|matters|counts)|anyone asks|(?:the form|they|anyone|someone) (?:asks?|needs?|wants?|wonders?)|you(?:'re| are) (?:wondering|curious|interested)|you (?:must|need to|want to) know|you (?:need|want) (?:it|to reach me)|you (?:haven't guessed|can't tell)|I may)\b)|unless|suppose|supposing|assume|assuming|imagine|whether"
    r"|what if|let's say|let us say|say I|in case(?! (?:it|that|you|anyone|this)(?:'s|'re| is| are)? ?(?:matters|helps|wonder\w*|relevant|useful|wondering|asked|asks))|provided|hypothetically|for example|for instance|e\.g|were I|had I"
    r"|once|when|whenever)\b|\b(?:what if|as if|as though|if I|if we|if my)\b"
    r"|如果|要是|假如|假设|假使|倘若|万一|若是|要不是|就算|即使|哪怕|除非|想象|比如|例如|譬如|的话",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\b(?:I|we|you|it|he|she|they)'d\b|\b(?:would|might|could)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|supposedly|allegedly|hypothetically|theoretically|apparently)\b|\bI wish\b"
    r"|\blo+l\b|\blmao\b|\brofl\b|\bhaha\w*|\bhehe\w*|\bin (?:my|a|the) (?:dreams?|nightmare)\b|\bI dream(?:t|ed)\b|\bin (?:another|my next) life\b|梦见|梦到|梦里"
    r"|^(?:可能|也许|或许|据说|听说|好像)",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"(?!(?:[Mm]y|[Tt]he) (?:doctor|GP|dermatologist|neurologist|cardiologist|allergist|consultant|specialist|dietitian|optician)\b(?: (?:just|also|now|recently|finally))? (?:says?|said|told|tells|confirmed)\b)\b(?:he|she|they|someone|somebody|people|everyone|everybody|who|(?:[Mm]y|[Tt]he|[Aa]|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur) \w+|(?!I\b)[A-Z]\w+)"
    r"(?:'s)?\s+(?:\w+ly\s+|always\s+|just\s+|once\s+)?(?:said|says|say|told|tells|claims?|claimed|wrote|writes|thinks?|thought"
    r"|believes?|asked|asks|replied|answered|goes|tells me|tell me|told me|put it|puts it|reads|insists?|swears?|quoted?|texted|posted|swore|announced|reckons?|yelled|shouted|screamed|joked?|mentioned)\b(?! (?:hi|hello|hey|thanks|goodbye|bye|cheers|of)\b)"
    r"|\b(?:said|says|wrote|quoth|told) (?:he|she|they|my \w+|the \w+|[A-Z]\w+)\b|\baccording to\b|\bto quote\b"
    r"|(?<!我)(?<!老实)(?<!来)(?<!话)(?<!就是)(?<!顺便)(?<!坦白)(?<!跟你)(?<!和你)(?<!不)(?<!听)(?<![文语小传学])(?:说|问|写道|回答|表示|认为|觉得|回复|喊|讲)"
    r"(?:过|道)?$|^(?:他|她|他们|她们|人家|别人|有人|朋友|同事)(?:们)?.{0,4}(?:说|问|写|告诉|觉得|认为)|^(?!医生|大夫)[^，我咱俺]{1,8}(?:说|称|讲)(?:自己|他|她|你)"
)
_ADDED = re.compile(
    r".*\b(?:but|though) $"
)  # “My name is Li but everyone says Lee” is the user's word up to there
_ASKING = re.compile(
    r"^(?:(?:and|but|so|or|hey|well|please)\s+)*(?:am|is|are|was|were|do|does|did|can|could|would|will|should|shall|have|has|had"
    r"|what|what's|who|who's|whom|whose|where|when|why|how|which|don't|didn't|isn't|aren't|won't|can't|any)\b"
    r"|[吗嘛么]$|是不是|有没有|会不会|能不能|可不可以|要不要|什么|谁(?!知道|想到|料|叫我|让我)|哪[里儿个些]|多少|啥|咋|咩|乜|点样|如何|怎样|怎么|怎样|为什么|是否|几[个岁点号]|吗$|^(?!.*谁[叫让]).*呢$",
    re.IGNORECASE,
)
# An English question without its mark: “…, what can I cook for guests”.
_ASKED_PLAINLY = re.compile(
    r"^(?:(?:and|but|so|or|then|also|ok|now)\s+)*(?:(?:what|which|how|where|why)\b(?:'s)?(?: [\w'-]+){0,3}? (?:can|could|do|does|did|should|would|will|is|are|am|to)\b|(?:can|should|could|do|does|did|would|may) (?:I|we|it|he|she|they)\b)",
    re.IGNORECASE,
)
# A question that leaves its verb out: “…, any ideas?”
_ELLIPTIC = re.compile(
    r"^(?:and |but |so )?(?:got|any|anyone|anything|wanna|want|know|mind|thoughts?|ideas?|tips?|recommend\w*|suggest\w*|recs?|possible|okay to|ok to|safe|worth|good|best|fancy|care|think|advice|need|help|recipes?|too|still|alternatives?|or)\b|\b(?:tips|ideas|recs|recommendations|suggestions|advice|recipes?|alternatives|thoughts|options)$|\b(?:what|which|how|where|who|why|can you|could you|should I|do you|is it|is that|are there|is there|can I)\b",
    re.IGNORECASE,
)
_ABOUT_USER = re.compile(
    r"\b(?:am I|do I|did I|have I|was I|were I|my|remember|know|told|tell you|I said|I say|mention\w*|true|who|did you|aren't I)\b|我|记得|知道|是不是|真的",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"(?:\b(?:since|because|as|given(?: that)?|considering(?: that)?|'?cause|coz|cos|cuz|bc|seeing (?:as|that)|now that|knowing(?: that)?|with)\s+|[：:（(]\s*)$",
    re.IGNORECASE,
)
_REASON_START = re.compile(r"因为|由于|毕竟|鉴于|考虑到")
# An allergy is told by its condition: “my throat swells up if I eat kiwi”.
_SYMPTOM_IF = re.compile(
    r"^(?!if|when).*\b(?:swell\w*|hives|rash\w*|itch\w*|anaphyla\w+|puffs? up|break out|breaks out|can't breathe|closes? up|sneez\w+|wheez\w+|throw up|vomit|get sick)\b.*\b(?:if|when|whenever|every time|as soon as) I\b",
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
    r"^(?i:(?:please )?(?:can|could|would|will|shall) (?:you|we) (?:please )?)(?=(?:switch to|use|continue in|stick to|keep (?:it|this|things) in) [A-Z]\w+(?: please| from now on| only| now)*$|(?:always |please |only |just )*(?:answer|reply|respond|write|talk|speak|chat)(?: to| with)?(?: me| us)?(?: back)?(?: only| always)? in (?:simple |plain |easy |basic )?[A-Z]\w+(?: please| from now on| only)*$)"
)
# “Living in Tokyo on 2000 a month, possible?”: what a question is about, be it anybody's.
_TOPIC_ASKED = re.compile(
    r"(?!(?:speaking|coming) )\w+ing\b(?!.*\b(?:I|I'm|I've|my|we|our|me)\b)", re.IGNORECASE
)
_DENIED = re.compile(
    r"^(?:it's|it is|that's)? ?not (?:true|that|like|as)\b|^not\b(?! (?:(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?|\d+)$)|^(?:不是真的|才怪|才不是|不对|并没有|没有的事)",
    re.IGNORECASE,
)
# “I'm an architect, not a gardener” denies only what stands behind the comma.
_CONTRAST = re.compile(
    r"not (?:an? (?!.*\b(?:real|one|chance|bit)\b)[\w-]+(?: [\w-]+)?$|\w+ing\b)", re.IGNORECASE
)
# What is over is not what holds now; but who does not eat or drink something any more says what they avoid.
_PAST = re.compile(
    r"以前|曾经|曾(?=[在是做当养有去经])|从前|过去(?!了)|小时候(?!.{0,12}长大)|那时候?|那会儿?|当时|当年(?!级)|年轻的?(?:时候|时)|(?:上|读|念)(?:幼儿园|小学|初中|高中|大学|大[一二三四])(?:的?时候|时|那会)|刚毕业那|原来的|原先|(?<![一以目提])前(?:男友|女友|夫|妻|任|女朋友|男朋友|公司|东家|老板)|(?:^|我|家)之前|(?:^|我|家)原来|(?:^|我|家)本来"
)
_NOW = re.compile(r"现在|如今|目前|后来|去年|今年|前年|最近|上个?月|已经|刚|改|换|搬|早就")
_OVER = re.compile(
    r"^(?!.*(?:\b(?:eat|drink)\b|[吃喝]))(?:.*\b(?:any ?more|any longer|no longer)\b|.*不再|.*(?:已经|早就)不|我?们?不太?(?:喜欢|爱|住|在|是).*了$)",
    re.IGNORECASE,
)


def safe_clauses(text: str) -> Iterator[tuple[Clause, list[Clause], list[Clause]]]:
    """Each sentence of a masked text with those of its clauses that state something as true, and those that ask:
    what they take for granted (“how old must my son Tom be”) is true as well."""
    for sentence in sentences(text):
        stated, asked = _stated(sentence)
        if stated or asked:
            yield sentence, stated, asked


def _stated(sentence: Clause) -> tuple[list[Clause], list[Clause]]:
    parts = _certain(_before_report(clauses(sentence), sentence))
    if any(_DENIED.search(part.text) and not _CONTRAST.match(part.text) for part in parts[1:]):
        return [], []
    kept, granted = parts, []
    for index, part in enumerate(parts):
        condition = _CONDITION.search(part.text)
        if condition and not _SYMPTOM_IF.search(part.text):
            # What depends on a condition that comes later is as little stated as what follows it.
            kept = [] if any(_WOULD.search(p.text) for p in parts) else parts[:index]
            before = part.text[: condition.start()].rstrip()
            granted = [Clause(before, part.start)] if before else []
            break
    kept = [part for part in _of_now(kept) if not _OVER.match(part.text)]
    if sentence.text.rstrip("\"'”’」)） ").endswith(("?", "？")):
        stated = [p for p in _before_question(kept, sentence) if not _TOPIC_ASKED.match(p.text)]
    elif kept and _QUESTION_START.search(kept[0].text):
        stated = [part for part in kept[1:] if _gives_reason(part, kept[0], sentence)]
    else:
        stated = [
            part
            for part in kept
            if not (_ASKING.search(part.text) and re.search("[\u3400-\u9fff]", part.text))
            and not (_ASKED_PLAINLY.search(part.text) and not _LANGUAGE_ASKED.search(part.text))
        ]
    at = {part.start for part in stated}
    asked = [p for p in kept if p.start not in at and not _LANGUAGE_ASKED.search(p.text)]
    return stated, [*granted, *asked]


def _before_report(parts: list[Clause], sentence: Clause) -> list[Clause]:
    """Without what others say. What comes before “my wife says …” is the user's word, before “…, he said” it is
    not; of the report itself the part up to its verb is left, which names who speaks."""
    for index, part in enumerate(parts):
        if told := _REPORT.search(part.text):
            lead = sentence.text[: part.start - sentence.start]
            short = len(part.text.split()) <= 3 if part.text.isascii() else len(part.text) <= 3
            if short and not _ADDED.match(lead[-8:]):
                return []
            speaker = part.text[: told.start()] + told.group().rsplit(" ", 1)[0]
            return [*parts[:index], *([Clause(speaker, part.start)] if " " in told.group() else [])]
    return parts


def _certain(parts: list[Clause]) -> list[Clause]:
    """Without what is only guessed: a guess behind a comma (“…, perhaps”) makes all before it one."""
    for index, part in enumerate(parts):
        if _HEDGE.search(part.text):
            return [] if len(part.text.split()) <= 2 and part.text.isascii() else parts[:index]
    return parts


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


def _before_question(parts: list[Clause], sentence: Clause) -> list[Clause]:
    """What is stated before a sentence turns into a question, and the reason given behind it. "…, right?" asks
    about everything before it."""
    for index, part in enumerate(parts):
        if _LANGUAGE_ASKED.search(part.text):
            asked = _LANGUAGE_ASKED.sub("", part.text)
            return [*parts[:index], Clause(asked, part.end - len(asked))]
        if _TAG.search(part.text):
            return []
        if _ASKING.search(part.text):
            behind = [p for p in parts[index + 1 :] if _gives_reason(p, part, sentence)]
            return [*parts[:index], *behind]
    return parts[:-1] if len(parts) > 1 and _ELLIPTIC.search(parts[-1].text) else []


def _gives_reason(part: Clause, question: Clause, sentence: Clause) -> bool:
    """Whether a clause behind a question states why it is asked, and is no part of it."""
    if _ABOUT_USER.search(question.text) or _ASKING.search(part.text) or _TAG.search(part.text):
        return False
    return bool(
        _REASON.search(sentence.text[: part.start - sentence.start][-20:])
        or _REASON_START.match(part.text)
        or (
            re.match(r"(?:I'm|I am|I've got|I have|we're|we have)\b", part.text)
            and part.start > question.end + 1
        )
    )
