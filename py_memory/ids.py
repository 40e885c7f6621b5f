"""UUIDv7 text ids (RFC 9562): their order is the order of their making."""

from __future__ import annotations

import os
import threading

from .clock import system_clock

__all__ = ["uuid7"]

_lock = threading.Lock()
_last = (0, 0)


def uuid7(now_ms: int | None = None) -> str:
    """A new id. Ids made in one process rise even within a millisecond or when the clock goes back
    (RFC 9562, 6.2, method 2: the 74 random bits count up)."""
    global _last
    millis = system_clock() if now_ms is None else now_ms
    fresh = int.from_bytes(os.urandom(10), "big") >> 6
    with _lock:
        last_millis, last_random = _last
        if millis <= last_millis:
            millis, fresh = last_millis, last_random + 1 + (fresh >> 42)
            if fresh >> 74:
                millis, fresh = millis + 1, fresh & ((1 << 73) - 1)
        _last = (millis, fresh)
    high, low = fresh >> 62, fresh & ((1 << 62) - 1)
    value = (millis & ((1 << 48) - 1)) << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
