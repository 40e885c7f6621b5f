"""How much a fact is worth now: it rises with use, and falls with time and with every correction.

quality = confidence × use × recency × 0.8^corrections, between 0 and 1, with
use = 1 − 0.5^(1 + times used) and recency = 0.5^(days since it was last used or stated / 30).

The form is exponential forgetting with a half-life, as in Anderson and Schooler's account of how needed a
memory is; the constants are chosen so that a sure fact never used falls under LOW after some 70 days, before
the 90 days after which it may rest.
"""

from __future__ import annotations

from .clock import DAY_MS
from .records import Fact

__all__ = ["HALF_LIFE_MS", "LOW", "REST_AFTER_MS", "may_rest", "quality"]

HALF_LIFE_MS = 30 * DAY_MS
REST_AFTER_MS = 90 * DAY_MS
LOW = 0.1
CORRECTION_FACTOR = 0.8
# What a person is does not fade because nobody asked.
_LASTING = frozenset({"identity", "relation", "contact"})


def quality(fact: Fact, now: int) -> float:
    """Between 0 and 1. `now` in ms."""
    idle = max(0, now - max(fact.created_at, fact.last_used_at or 0))
    use = 1 - 0.5 ** (1 + fact.use_count)
    recency = 0.5 ** (idle / HALF_LIFE_MS)
    return float(fact.confidence * use * recency * CORRECTION_FACTOR**fact.correction_count)


def may_rest(fact: Fact, now: int) -> bool:
    """Whether it has so little weight, and lain unused for so long, that it is put away. Never what is
    pinned, a to-do, or who somebody is."""
    idle = now - max(fact.created_at, fact.last_used_at or 0)
    return (
        fact.status == "current"
        and (fact.expires_at is None or fact.expires_at > now)
        and not fact.pinned
        and fact.category not in _LASTING
        and not fact.key.startswith(("task::", "user::allergy", "user::diet"))
        and fact.weight <= 1.0
        and idle >= REST_AFTER_MS
        and quality(fact, now) < LOW
    )
