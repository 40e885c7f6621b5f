"""Words for a day, “tomorrow” or 后天, and the instant at which that day begins for the speaker."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

__all__ = ["day_in", "day_spoken_of", "zone_of"]

_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tonight": 0,
    "the day after tomorrow": 2,
    "tomorrow": 1,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "今天": 0,
    "今晚": 0,
    "大后天": 3,
    "明天": 1,
    "明晚": 1,
    "后天": 2,
}
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS = {name: n for n, name in enumerate(_NAMES)}
_WEEKDAYS |= {character: n for n, character in enumerate("一二三四五六日")} | {"天": 6}
_SPOKEN = re.compile(
    rf"(?P<day>{'|'.join(_DAYS)})"
    rf"|(?:on |this |(?P<next>next ))(?P<weekday>{'|'.join(_NAMES)})\b"
    r"|(?P<xia>下)?(?:个)?(?:周|星期|礼拜)(?P<zhou>[一二三四五六日天])",
    re.IGNORECASE,
)


def zone_of(name: str | None) -> tzinfo:
    """The zone of an IANA name or an offset such as "+08:00"; UTC where neither can be made out."""
    if not isinstance(name, str):  # a setting may hold anything
        return UTC
    if name and (match := re.fullmatch(r"([+-])(\d{2}):?(\d{2})", name)):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        if offset < timedelta(hours=24):
            return timezone(-offset if match[1] == "-" else offset)
    if name:
        try:
            from zoneinfo import ZoneInfo  # on first need: it is rarely one

            return ZoneInfo(name)
        except (ImportError, OSError, ValueError, LookupError):  # no zone data here, or no such zone
            return UTC
    return UTC


def day_spoken_of(text: str, now: int | None, zone: str | None) -> tuple[str, int | None] | None:
    """(the words, when that day begins in ms UTC) of the first word for a day, None without one."""
    match = _SPOKEN.search(text)
    if match is None:
        return None
    words = match.group().strip()
    if now is None:
        return words, None
    try:
        here = datetime.fromtimestamp(now / 1000, zone_of(zone)).replace(
            hour=0, minute=0, second=0, microsecond=0
        )
        day = here + timedelta(days=_distance(match, here.weekday()))
    except (OverflowError, OSError, ValueError):  # a clock far outside the calendar
        return words, None
    return words, int(day.timestamp() * 1000)


def _distance(match: re.Match[str], today: int) -> int:
    """Days from today. A weekday is the coming one; 下周 and “next” mean the week after this one."""
    if match["day"]:
        return _DAYS[match["day"].lower()]
    weekday = _WEEKDAYS[(match["weekday"] or match["zhou"]).lower()]
    if match["next"] or match["xia"]:
        return 7 - today + weekday
    return (weekday - today) % 7


def day_in(time: int, zone: str | None) -> str | None:
    """The ISO date of a time (ms UTC) in a zone, None far outside the calendar."""
    try:
        return datetime.fromtimestamp(time / 1000, zone_of(zone)).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return None
