"""How often a kind of rule is right, as measured on labelled messages, and which kinds are too often wrong to
propose anything.

A kind is a language and what is told. There are hundreds of rules and a few proposals of each, so that only
kinds can be measured; and of a kind there are few enough that its precision is drawn towards that of all.
`bench extraction` prints the table anew; a test compares the two.
"""

from __future__ import annotations

import re

__all__ = ["LEAST", "confidence_of", "rule_of", "smoothed"]

# What is less sure is put before nobody, whoever proposes it: a rule, a model, a program (facts.py).
LEAST = 0.7
MEAN, PRIOR = 0.95, 4  # of all kinds; what it counts for, in proposals
_OF_A_RELATIVE = re.compile(r"user::(?P<of>family|pet)::[^:]+(?:::(?P<part>[^:]+))?")
# Kinds that differ from the mean.
_MEASURED: dict[str, float] = {
    "contact": 1.00,
    "en address": 0.98,
    "en age": 0.99,
    "en allergy": 0.99,
    "en birthday": 0.98,
    "en contact": 0.97,
    "en diet": 0.95,
    "en dislikes": 0.99,
    "en event": 0.99,
    "en family age": 0.99,
    "en family allergy": 0.92,
    "en family birthday": 0.97,
    "en family condition": 0.98,
    "en family diet": 0.97,
    "en family home": 0.98,
    "en family job": 0.99,
    "en family likes": 0.97,
    "en family name": 0.98,
    "en family name, loosely": 0.80,
    "en favorite": 0.93,
    "en home": 1.00,
    "en hometown": 0.99,
    "en job": 0.98,
    "en language": 0.98,
    "en name": 0.97,
    "en pet age": 0.97,
    "en pet condition": 0.97,
    "en pet name": 0.99,
    "en relation": 0.99,
    "en speaks": 0.99,
    "en studies": 0.99,
    "en task": 0.99,
    "zh address": 0.97,
    "zh age": 0.99,
    "zh allergy": 0.99,
    "zh birthday": 0.99,
    "zh condition": 0.99,
    "zh contact": 0.98,
    "zh decision": 0.96,
    "zh diet": 0.97,
    "zh dislikes": 0.99,
    "zh event": 0.98,
    "zh family allergy": 0.98,
    "zh family birthday": 0.97,
    "zh family condition": 0.98,
    "zh family diet": 0.85,
    "zh family home": 0.97,
    "zh family hometown": 0.97,
    "zh family job": 0.93,
    "zh family likes": 0.97,
    "zh family name": 0.97,
    "zh favorite": 0.99,
    "zh home": 1.00,
    "zh hometown": 0.97,
    "zh job": 1.00,
    "zh language": 0.98,
    "zh likes": 0.97,
    "zh name": 0.99,
    "zh pet age": 0.98,
    "zh relation, loosely": 0.90,
    "zh speaks": 0.99,
    "zh studies": 0.99,
    "zh task": 0.98,
    "zh work": 0.99,
}


def rule_of(lang: str, key: str, *, loose: bool = False) -> str:
    """The kind of rule that tells a key: "en likes", "zh family age", "en condition, loosely"."""
    match = _OF_A_RELATIVE.match(key)
    told = (
        f"{match['of']} {match['part'] or 'name'}" if match else key.removeprefix("user::").partition("::")[0]
    )
    return f"{lang} {told}" + (", loosely" if loose else "")


def smoothed(right: int, proposed: int) -> float:
    """A kind's precision, drawn towards the mean: the mean of a Beta distribution."""
    return (right + PRIOR * MEAN) / (proposed + PRIOR)


def confidence_of(rule: str) -> float:
    """How sure a rule is, by the name of its kind."""
    return _MEASURED.get(rule, MEAN)
