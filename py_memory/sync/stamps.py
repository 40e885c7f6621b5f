"""Hybrid logical clock stamps (Kulkarni et al., 2014), as text that is compared byte by byte.

`mmmmmmmmmmmm-cccc-dddddddddddddddd`: 12 hex digits of milliseconds, 4 of a counter, 16 of the device, so that
no two devices ever make the same stamp.
"""

from __future__ import annotations

import re

__all__ = ["MAX_AHEAD_MS", "Hlc", "clamped", "is_stamp", "millis_of", "successor"]

MAX_AHEAD_MS = 300_000  # how far a stamp may be ahead of the server's clock
_MAX_MS, _MAX_COUNTER = (1 << 48) - 1, (1 << 16) - 1
_STAMP = re.compile(r"[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{16}")


def is_stamp(value: object) -> bool:
    return isinstance(value, str) and _STAMP.fullmatch(value) is not None


def millis_of(stamp: str) -> int:
    return int(stamp[:12], 16)


def _made(ms: int, counter: int, device: str) -> str:
    return f"{min(max(ms, 0), _MAX_MS):012x}-{counter:04x}-{device}"


def successor(stamp: str, device: str) -> str:
    """The least stamp of `device` after `stamp`. A full counter borrows one millisecond."""
    ms, counter = millis_of(stamp), int(stamp[13:17], 16)
    return _made(ms + 1, 0, device) if counter == _MAX_COUNTER else _made(ms, counter + 1, device)


def clamped(stamp: str, now_ms: int) -> str:
    """The stamp, or one at the furthest that is allowed ahead of `now_ms`."""
    most = now_ms + MAX_AHEAD_MS
    return stamp if millis_of(stamp) <= most else _made(most, 0, stamp[18:])


class Hlc:
    """The clock of one device. `last` is its newest stamp, None before the first."""

    def __init__(self, device: str, last: str | None = None) -> None:
        self._device = device
        self.last = last

    def at(self, ms: int) -> str:
        """The stamp of something that happened before syncing began; it does not move the clock."""
        return _made(ms, 0, self._device)

    def stamp(self, ms: int) -> str:
        """A stamp for `ms`, later than every stamp before it."""
        made = _made(ms, 0, self._device)
        if self.last is not None and made <= self.last:
            made = successor(self.last, self._device)
        self.last = made
        return made
