"""How often a kind of rule is right, as measured on labelled messages, and which kinds are too often wrong to
propose anything.

A kind is a language and what is told. There are hundreds of rules and a few proposals of each, so that only
kinds can be measured; and of a kind there are few enough that its precision is drawn towards that of all.
`bench extraction` prints the table anew; a test compares the two.
"""

from __future__ import annotations

import re

__all__ = ["LEAST", "confidence_of", "rule_of", "smoothed"]

# What is less sure is not proposed. Above the queue's own threshold (0.7): nobody has asked for these.
LEAST = 0.8
MEAN, PRIOR = 0.95, 4  # of all kinds; what it counts for, in proposals
_OF_A_RELATIVE = re.compile(r"user::(?P<of>family|pet)::[^:]+(?:::(?P<part>[^:]+))?")
# Kinds that differ from the mean.
_MEASURED: dict[str, float] = {}


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
