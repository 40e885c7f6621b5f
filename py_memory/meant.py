"""What a message means beside what is known already: rules that need more than the message.

“Mei is 7 now” says nothing by itself; where Mei is known as the daughter it is her age, and corrects the one
that was told before. A plan to do something (“I need to buy milk tomorrow”) becomes a to-do that waits for a
yes.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .extraction import propose, task_key
from .extraction.clauses import Clause
from .extraction.commands import plan_in
from .extraction.days import day_spoken_of
from .extraction.guards import safe_clauses
from .extraction.masking import MASK, masked
from .extraction.refusals import MAX_READ, refusal
from .records import Fact
from .text import normalize

__all__ = ["RESTATED", "proposals_in"]

CONFIDENCE = 0.85
RESTATED = "::age"  # of several waiting under such a key only the newest can be meant
MAX_CLAUSE = 200

# “Add to my to-do list: buy milk” looks like somebody's words quoted, with the colon.
_LIST = re.compile(
    r"^(\W*(?:please )?(?:add|put) (?:this )?(?:to|on|in) (?:my|the) (?:to-?do|task)s?(?: list)?\s*):",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"user::(?:family|pet)::[^:]+")
_LEAD = r"(?:(?:and|now|oh|well|so|hey|btw|by the way|actually|today|yesterday|last week|our|my (?:son|daughter|little)|little)[ ,]+){0,3}"
_AGE_EN = (
    r"(?: is|'s| just turned| has (?:just )?turned| turned|'s turned| became) (?:now |already |just )?"
    r"(?P<age>\d{1,3})(?: now| today| already| yesterday| last \w+| this \w+| (?:years?|yrs?) old| and \w+ is growing)*"
)
_AGE_ZH = r"(?:宝宝)?(?:现在|今年|如今|已经|都|刚刚?|上周|昨天|今天|是|过完生日|就)*满?(?P<age>\d{1,3})周?岁(?:半|了|啦|生日了?)*"


def proposals_in(
    text: str, facts: Sequence[Fact], *, now: int | None = None, zone: str | None = None
) -> list[dict[str, Any]]:
    """propose(), and what `facts`, current or waiting, let us understand besides. Never raises."""
    found = [
        {**item, "quote": _as_written(text, item["quote"])}
        for item in propose(_LIST.sub(r"\1,", text, count=1), now=now, zone=zone)
    ]
    if refusal(text) is not None:
        return found
    text = text[:MAX_READ]
    known = {(item["key"], normalize(item["value"])) for item in found}
    spans = [text.find(item["quote"]) for item in found if item["explicit"]]
    names = {normalize(fact.value): fact.key for fact in facts if _SOMEBODY.fullmatch(fact.key)}
    for _, stated, _ in safe_clauses(masked(text)):
        for clause in stated:
            if len(clause.text) > MAX_CLAUSE or MASK in clause.text or clause.start in spans:
                continue
            for key, value, begin in (*_ages(clause, names), *_plans(clause)):
                if (key, normalize(value)) in known:
                    continue
                quote = text[begin : clause.end]
                if key.startswith("task::"):  # what is to be done is no appointment
                    found = [
                        item for item in found if item["category"] != "event" or item["quote"] not in quote
                    ]
                spoken = day_spoken_of(quote, now, zone) if key.startswith("task::") else None
                found.append(
                    {
                        "key": key,
                        "value": value,
                        "quote": quote,
                        "category": "task" if key.startswith("task::") else "relation",
                        "confidence": CONFIDENCE,
                        "explicit": False,
                        "spoken_words": spoken[0] if spoken else None,
                        "zone": zone if spoken else None,
                        "valid_from": spoken[1] if spoken else None,
                    }
                )
    return found


def _as_written(text: str, quote: str) -> str:
    """A quote from the text in which the colon of a list stood as a comma."""
    place = _LIST.sub(r"\1,", text, count=1).find(quote)
    return text[place : place + len(quote)] if place >= 0 else quote


def _ages(clause: Clause, names: dict[str, str]) -> Iterator[tuple[str, str, int]]:
    said = normalize(clause.text).replace("’", "'").strip(" .!！。")
    for name, key in names.items():
        if name not in said:
            continue
        wanted = rf"{_LEAD}{re.escape(name)}(?:{_AGE_EN}|{_AGE_ZH.replace('P<age>', 'P<sui>')})"
        if match := re.fullmatch(wanted, said):
            yield f"{key}{RESTATED}", str(int(match["age"] or match["sui"])), clause.start


def _plans(clause: Clause) -> Iterator[tuple[str, str, int]]:
    if what := plan_in(clause.text):
        yield task_key(what), what, clause.start
