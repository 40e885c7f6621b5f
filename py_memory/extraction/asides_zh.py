"""What a Chinese clause takes for granted about the user, even where it asks or requests."""

from __future__ import annotations

from .clauses import Clause, Found
from .people_zh import mentioned
from .reading import Reading

__all__ = ["taken_for_granted"]


def taken_for_granted(clause: Clause, reading: Reading) -> list[Found]:
    return mentioned(clause)
