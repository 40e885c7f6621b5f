"""Time as the package sees it: integer milliseconds UTC from a function that can be replaced."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["DAY_MS", "Clock", "system_clock"]

Clock = Callable[[], int]

DAY_MS = 86_400_000


def system_clock() -> int:
    """Milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000
