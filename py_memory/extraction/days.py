"""Words for a day, “tomorrow” or 后天, and the instant at which that day begins for the speaker."""

# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

__all__ = ["day_in", "day_spoken_of", "days_spoken_of", "zone_of"]

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

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_NUMBERS |= {character: n for n, character in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
_DATE = re.compile(
    rf"\bin (?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)}) (?P<unit>days?|weeks?|months?)\b"
    r"|(?P<shu>\d{1,3}|[一二两三四五六七八九十])(?P<dan>天|个?星期|个?礼拜|周|个月)(?:之后|以后|后)"
    rf"|\b(?P<m1>{_MONTH}) (?:the )?(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})\b"
    r"|(?P<yue>\d{1,2})月(?P<ri>\d{1,2})[日号]?"
    r"|(?P<xiayue>下个?月)?(?P<hao>\d{1,2})[日号](?!楼|线|院|馆|店|机|门)"
    r"|\b(?:on|by|until) the (?P<d3>\d{1,2})(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
_FEW = 7  # days, of “the next days” and 最近
_SPAN = re.compile(
    r"\b(?:(?P<weekend>(?:this |the |next )?weekend)|(?P<next>next|the coming) (?P<unit>week|month)|this (?P<this>week|month)|(?P<few>(?:the )?(?:next|coming) (?:few )?days|soon|upcoming))\b"
    r"|(?P<zhoumo>[这本下]?个?(?:周末|星期末))|(?P<xia>下)(?:个)?(?P<xiadan>周|星期|礼拜|月)(?![一二三四五六日天末])"
    r"|(?:[这本]个?(?P<dan>周|星期|礼拜|月)|(?P<yizhou>这一周))(?![一二三四五六日天末])|(?P<ji>[这近]几天|最近|近期|接下来)",
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


def day_spoken_of(
    text: str, now: int | None, zone: str | None, *, dated: bool = False
) -> tuple[str, int | None] | None:
    """(the words, when that day begins in ms UTC) of the first word for a day, None without one. With `dated`,
    for what happens on that day, a date (“August 3rd”) and a distance (“in three weeks”) are such words too."""
    found = [
        match for pattern in ((_SPOKEN, _DATE) if dated else (_SPOKEN,)) if (match := pattern.search(text))
    ]
    match = min(found, key=lambda m: m.start(), default=None)
    if match is None:
        return None
    words = match.group().strip()
    if now is None:
        return words, None
    try:
        here = datetime.fromtimestamp(now / 1000, zone_of(zone)).replace(
            hour=0, minute=0, second=0, microsecond=0
        )
        day = (
            _dated(match, here)
            if match.re is _DATE
            else here + timedelta(days=_distance(match, here.weekday()))
        )
    except (OverflowError, OSError, ValueError):  # a clock far outside the calendar, or no such day
        return words, None
    return words, int(day.timestamp() * 1000)


def days_spoken_of(text: str, now: int, zone: str | None) -> tuple[str, str] | None:
    """The first and the last day (ISO dates) of what a text asks about, a day, week, weekend or month: of a week
    that has begun from today. None without such words."""
    match = _SPAN.search(text)
    if match is None:
        spoken = day_spoken_of(text, now, zone, dated=True)
        day = day_in(spoken[1], zone) if spoken and spoken[1] is not None else None
        return (day, day) if day else None
    today_in = day_in(now, zone)
    if today_in is None:
        return None
    today = date.fromisoformat(today_in)
    sunday = today + timedelta(days=6 - today.weekday())
    words = match.group().lower()
    later = 7 if words.startswith(("next", "the coming", "下")) else 0
    if match["few"] or match["ji"]:
        first, last = today, today + timedelta(days=_FEW)
    elif match["weekend"] or match["zhoumo"]:
        last = sunday + timedelta(days=later)
        first = max(today, last - timedelta(days=1))
    elif "month" in words or "月" in words:
        begin = today if not later else (today.replace(day=1) + timedelta(days=32)).replace(day=1)
        first, last = begin, (begin.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    else:
        first, last = (sunday + timedelta(days=1), sunday + timedelta(days=7)) if later else (today, sunday)
    return first.isoformat(), last.isoformat()


def _dated(match: re.Match[str], here: datetime) -> datetime:
    """The day that a date or a distance means: of dates without a year the coming one."""
    if count := match["count"] or match["shu"]:
        number = int(count) if count.isdigit() else _NUMBERS[count.lower()]
        unit = (match["unit"] or match["dan"]).lower()
        if unit.startswith(("month", "个月")):
            years, month = divmod(here.month - 1 + number, 12)
            return here.replace(year=here.year + years, month=month + 1)
        return here + timedelta(
            days=number * (7 if unit.startswith(("week", "周", "星期", "个星期", "礼拜", "个礼拜")) else 1)
        )
    named = _month_of(match)
    day = int(match["d1"] or match["d2"] or match["ri"] or match["hao"] or match["d3"])
    if named is None:  # “on the 23rd”: of this month, or of the next; 下个月5号
        later = bool(match["xiayue"]) or day < here.day
        years, month0 = divmod(here.month - 1 + later, 12)
        return here.replace(year=here.year + years, month=month0 + 1, day=day)
    then = here.replace(month=named, day=day)
    return then if then >= here else then.replace(year=here.year + 1)


def _month_of(match: re.Match[str]) -> int | None:
    if match["yue"]:
        return int(match["yue"])
    name = match["m1"] or match["m2"]
    return _MONTHS.index(name[:3].lower()) + 1 if name else None


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
