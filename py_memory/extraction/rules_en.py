"""English: what a stated sentence says about its speaker."""

from __future__ import annotations

import re

from .guards import Sentence
from .proposal import Proposal, task

__all__ = ["facts_in", "request_in"]

_I_AM = r"(?:i\s*['’]\s*m|i\s+am|im)"
_NAME = r"[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*){0,2}|[\u4e00-\u9fff]{1,4}"
_RELATIONS = {
    "daughter": "daughter",
    "son": "son",
    "wife": "wife",
    "husband": "husband",
    "partner": "partner",
    "girlfriend": "girlfriend",
    "boyfriend": "boyfriend",
    "mother": "mother",
    "mom": "mother",
    "mum": "mother",
    "father": "father",
    "dad": "father",
    "sister": "sister",
    "brother": "brother",
    "grandmother": "grandmother",
    "grandfather": "grandfather",
    "dog": "dog",
    "cat": "cat",
}
_RELATION = "|".join(_RELATIONS)
_DIETS = (
    r"vegetarian|vegan|pescatarian|gluten[- ]free|lactose[- ]intolerant|halal|kosher|celiac|coeliac|dairy[- ]free|"
    r"flexitarian|keto"
)
# Capitalised words that follow “I'm” without being a name.
_NOT_NAMES = frozenset(
    """Sorry Happy Sad Tired Fine Good Great Ok Okay Here Back Not Sure Just Very So Really Also Going Chinese English
    American British French German Japanese Korean Indian Canadian Australian Spanish Italian Russian Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday Still Now Done Ready Afraid Christian Muslim Jewish Buddhist Hindu""".split()
)
_END = r"(?=\s*(?:[.,;!?]|\band\b|\bbut\b|\bbecause\b|\bso\b|$))"
_HOME_END = _END[:-1] + r"|(?=\s+(?:with|since|last|this|now|for|at|near)\b))"
_JOB = r"(?:[\w-]+\s+){0,3}?[\w-]*(?:er|or|ist|ian|ant|ent|nurse|chef|cook|pilot|judge|coach|clerk|student)"


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# (pattern with a group `v`, key, category, confidence)
_RULES: tuple[tuple[re.Pattern[str], str, str, float], ...] = (
    (_rule(rf"\bmy name(?:\s+is|['’]s)\s+(?P<v>[\w'’-]+(?:\s+[A-Z][\w'’-]*){{0,2}})"), "user::name", "identity", 0.95),
    (_rule(r"\b(?:you can |please |just )?call me\s+(?P<v>(?-i:[A-Z])[\w'’-]*)"), "user::name", "identity", 0.9),
    (_rule(rf"\b{_I_AM}\s+(?P<v>\d{{1,3}})\s*(?:years? old|y/o|yo)\b"), "user::age", "identity", 0.9),
    (
        _rule(rf"\b(?:i live|{_I_AM} living|{_I_AM} based|i(?:['’]ve| have)? (?:just )?moved) (?:in|to|near)\s+(?P<v>(?-i:[A-Z])[\w'’ -]*?){_HOME_END}"),
        "user::home",
        "identity",
        0.9,
    ),
    (_rule(rf"\b{_I_AM} (?:originally )?from\s+(?P<v>[A-Z][\w'’ -]*?){_END}"), "user::hometown", "identity", 0.85),
    (_rule(rf"\bi (?:\w+ in [\w ]+ and )?work (?:at|for)\s+(?P<v>[\w&'’. -]+?){_END}"), "user::work", "identity", 0.9),
    (_rule(rf"\bi work as (?:an?\s+)?(?P<v>[\w&'’ -]+?){_END}"), "user::job", "identity", 0.9),
    (_rule(rf"\b{_I_AM} an?\s+(?P<v>{_JOB}){_END}"), "user::job", "identity", 0.8),
    (_rule(rf"\b(?:{_I_AM}|i have been) (?:severely |very |really )?allergic to\s+(?P<v>[\w'’ -]+?){_END}"), "user::allergy", "preference", 0.95),
    (_rule(r"\bi have an?\s+(?P<v>[\w'’-]+(?:\s[\w'’-]+)?) allergy\b"), "user::allergy", "preference", 0.95),
    (_rule(rf"\bi\s+(?:don['’]?t|do not) (?:really )?(?:like|enjoy|eat|drink)\s+(?P<v>[\w'’ -]+?){_END}"), "user::dislikes", "preference", 0.85),
    (_rule(rf"\bi\s+(?:really |absolutely )?(?:hate|dislike|can['’]?t stand|cannot stand|detest)\s+(?P<v>[\w'’ -]+?){_END}"), "user::dislikes", "preference", 0.85),
    (_rule(rf"\bi\s+(?:really |absolutely |just |also )?(?:like|love|enjoy|adore|prefer)\s+(?P<v>[\w'’ -]+?){_END}"), "user::likes", "preference", 0.85),
    (_rule(rf"\bmy favou?rite [\w ]{{2,20}}? (?:is|are)\s+(?P<v>[\w'’ -]+?){_END}"), "user::likes", "preference", 0.85),
    (_rule(r"\bmy (?:e-?mail)(?: address)?(?: is|:)\s+(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)"), "user::contact::email", "contact", 0.95),
    (_rule(r"\bmy (?:phone|mobile|cell)(?: number)?(?: is|:)\s+(?P<v>\+?[\d][\d ()-]{5,18}\d)"), "user::contact::phone", "contact", 0.95),
    (_rule(rf"\bmy birthday is (?:on )?(?:the )?(?P<v>[\w ]+?(?:, \d{{4}})?){_END}"), "user::birthday", "identity", 0.9),
    (
        _rule(r"\b(?:i (?:always )?(?:answer|reply|write|speak)(?: to you)? in|(?:please )?(?:answer|reply)(?: me| to me)? in)\s+(?P<v>(?-i:[A-Z])\w+)"),
        "user::language",
        "preference",
        0.85,
    ),
    (_rule(rf"\b(?:i|we)(?:['’]ve| have)? (?:finally )?decided (?:to|on|that)\s+(?P<v>[^,.;!?]+?)(?=\s*(?:[.,;!?]|$))"), "user::decision", "decision", 0.85),
    (_rule(rf"\bi(?:['’]ve| have)(?: got)? an? (?P<v>(?:[\w-]+ ){{0,3}}(?:appointment|meeting|interview|exam)\b[^,.;!?]*)"), "user::event", "event", 0.85),
)
_FAMILY = _rule(
    rf"\bmy (?:\w+ )?(?P<relation>{_RELATION})(?:['’]s name is| is called| is named|,)?\s+(?P<name>(?-i:{_NAME}))?"
    r"(?:,?\s*(?:who )?(?:is|just turned|turned)\s+(?P<age>\d{1,3})(?!\s*(?:%|cm|kg|feet|foot|pm|am|minutes|hours|days)))?"
)
_BARE_NAME = _rule(rf"^\W*(?:hi|hello|hey)?[\s,!.]*(?:{_I_AM}|this is)\s+(?P<v>(?-i:{_NAME})){_END}")
_DIET = _rule(
    rf"(?:\b{_I_AM}|\bi['’]ve been|\bi have been|\bi eat|(?<=,)|(?<=\band))\s*(?:an?\s+|strictly\s+|strict\s+|also\s+|now\s+)*(?P<v>{_DIETS})\b"
)
_REMEMBER = _rule(
    r"^\W*(?:please\s+|can you\s+|could you\s+|hey,?\s+)*(?:remember|note|keep in mind|don['’]?t forget|make a note)"
    r"(?:\s+that|\s*:|,)?\s+(?!when\b|how\b|what\b|me\b|the time\b)(?P<v>.+)$"
)
_REMIND = _rule(
    r"^\W*(?:please\s+|can you\s+|could you\s+|would you\s+)*(?:remind me(?: tomorrow| later| today)?\s+(?:to|about)|"
    r"remember to|don['’]?t let me forget to|don['’]?t forget to|add (?:a )?(?:to-?do|task)(?:\s*:|\s+to)?|(?:to-?do|task)\s*:)\s+(?P<v>.+)$"
)


def request_in(sentence: Sentence) -> Proposal | None:
    """“Remember …” and “remind me to …”."""
    if found := _REMIND.search(sentence.text):
        return task(found["v"].rstrip("?？ "), sentence.text)
    if (found := _REMEMBER.search(sentence.text)) and not sentence.text.rstrip().endswith("?"):
        return Proposal("user::note", found["v"].rstrip(". "), sentence.text, None, 1.0, True)
    return None


def facts_in(sentence: Sentence) -> list[Proposal]:
    text = sentence.text
    out: list[Proposal] = []
    if (found := _BARE_NAME.search(text)) and found["v"].split()[0] not in _NOT_NAMES:
        out.append(Proposal("user::name", found["v"], found.group().strip(" ,.!"), "identity", 0.9))
    if (found := _DIET.search(text)) and _about_the_speaker(text, found.start()):
        out.append(Proposal("user::diet", found["v"], found.group().strip(" ,"), "preference", 0.9))
    for found in _FAMILY.finditer(text):
        out.extend(_family(found))
    for pattern, key, category, confidence in _RULES:
        for found in pattern.finditer(text):
            value = found["v"].strip(" .,-")
            if value and not _is_empty_talk(value):
                out.append(Proposal(key, value, found.group().strip(" ,"), category, confidence))
    return out


def _about_the_speaker(text: str, position: int) -> bool:
    """A bare “, vegetarian” belongs to the clause before it: it must be about “I”, not “my wife”."""
    before = text[: position + 1]
    clauses = [clause for clause in re.split(r"[,;]|\band\b", before) if clause.strip()]
    subject = clauses[-1] if clauses else text
    return bool(re.search(rf"\b(?:{_I_AM}|i)\b", subject, re.IGNORECASE)) or position == 0 or not clauses


def _family(found: re.Match[str]) -> list[Proposal]:
    key = f"user::family::{_RELATIONS[found['relation'].lower()]}"
    quote = found.group().strip(" ,")
    out = []
    if found["name"]:
        out.append(Proposal(key, found["name"], quote, "relation", 0.9))
    if found["age"]:
        out.append(Proposal(f"{key}::age", found["age"], quote, "relation", 0.9))
    return out


def _is_empty_talk(value: str) -> bool:
    """“I like it”, “I love you”: nothing to remember."""
    return value.casefold() in {"it", "that", "this", "you", "them", "him", "her", "to", "the idea", "how", "when", "what"} or (
        value.casefold().split()[0] in {"it", "that", "this", "you", "how", "your", "when", "what", "the"}
    )
