"""What is said of a relative, read by the rules for the user: “she works at Acme” says of her what “I work at
Acme” says of the user."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .readers_en import Facts
from .self_en import am, do, have

__all__ = ["said_of"]

_SUBJECT = r"^,?(?: (?:who|he|she|it|they|and|but|that|which|both|also|just|recently|now|currently|still|really|absolutely|already|actually|only|always))*"
_IS = re.compile(
    rf"{_SUBJECT}(?: ?(?:is|'s|are|'re)| has been| have been)(?: (?:also|now|both|currently|really|still|just|recently|only))* (?P<v>.+)$",
    re.IGNORECASE,
)
_DOES = re.compile(
    rf"{_SUBJECT} (?P<verb>has|have|lives?|works?|teach(?:es)?|stud(?:ies|y)|speaks?|likes?|loves?|hates?|enjoys?|adores?|dislikes?|loathes?|despises?|detests?|prefers?|plays?|collects?|eats?|drinks?|avoids?|suffers?|follows?|keeps?|runs?|owns?|drives?|comes?|goes|does|majors?|volunteers?"
    r"|doesn't|does not|don't|can't|cannot|won't|never|moved|joined|started|grew up|was born|was diagnosed|got|turned|went|became|gave up|quit|switched|retired) (?P<v>.+)$",
    re.IGNORECASE,
)
_BASE = {
    "has": "have",
    "goes": "go",
    "does": "do",
    "teaches": "teach",
    "studies": "study",
    "doesn't": "don't",
    "does not": "do not",
}
_OF_PEOPLE = {
    f"user::{part}": f"::{part}"
    for part in (
        "allergy",
        "likes",
        "job",
        "home",
        "hometown",
        "condition",
    )
}
_OF_PETS = {f"user::{part}": f"::{part}" for part in ("allergy", "condition")}


def said_of(rest: str, *, pet: bool) -> Facts:
    """(the part of the key behind the relative's, value) of what follows a relative: " is a nurse"."""
    if match := _IS.match(rest):
        facts, verb, base = am(match["v"]), "", ""
    elif match := _DOES.match(rest):
        verb = match["verb"].lower()
        base = _BASE.get(verb, verb[:-1] if verb.endswith("s") else verb)
        facts = (have(match["v"]) if base == "have" else []) or do(f"{base} {match['v']}")
    else:
        return []
    parts = _OF_PETS if pet else _OF_PEOPLE
    out = []
    for key, value in facts:
        if verb and value.lower().startswith(f"{base} "):
            value = match["verb"] + value[len(base) :]  # in the user's words
        if key.startswith("user::diet") and not pet:
            out.append(("::diet", value))
        elif key in parts:
            out.append((parts[key], value))
    return out
