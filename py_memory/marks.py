"""Days spoken of in a text, as marks that can be searched: xy2026 a year, xm11 a month, xd1130 a day.

What is said relative to the day of saying ("last Friday", 上周五) becomes the day that was meant, in UTC; a
question that names the day then finds it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta

__all__ = ["day_marks", "spoken_marks"]

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
# "may" is a verb, too.
_FULL = "january february march april june july august september october november december"
_DAY = r"(?P<day>mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rsday|urday)?"
_NUMBER = r"(?P<n>\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few)"
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {"a": 1, "an": 1, "a couple of": 2, "a few": 3} | {
    word: number for number, word in enumerate(_COUNTED, 1)
}
_HAN = "零一二三四五六七八九十"
_HAN_NUMBER = rf"(?P<n>\d{{1,3}}|[{_HAN}两几]{{1,2}})"
_YEAR = r"(?P<year>(?:19|20)\d\d)"

_CENTURIES = ("19", "20")
# Each with what a text must hold for the pattern to be tried: most texts hold none of it, and looking for a
# word is far quicker than trying a pattern at every place.
_ABSOLUTE: list[tuple[Collection[str], re.Pattern[str]]] = [
    (_CENTURIES, re.compile(rf"\b{_YEAR}[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})\b")),
    (_MONTHS, re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?\b")),
    (_MONTHS, re.compile(rf"\b{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+{_YEAR})?")),
    (_MONTHS, re.compile(rf"\b(?P<month>{_FULL.replace(' ', '|')})\b(?:,?\s+{_YEAR})?")),
    (_CENTURIES, re.compile(rf"\b{_MONTH},?\s+{_YEAR}\b")),
    ("月", re.compile(rf"(?:{_YEAR}年)?(?P<m>\d{{1,2}})月(?:(?P<d>\d{{1,2}})[日号])?")),
    (_CENTURIES, re.compile(rf"(?<!\d){_YEAR}(?!\d)")),
]
_SHIFTS = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1,
    "the day after tomorrow": 2, "tomorrow": 1,
    "大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "昨日": -1,
    "大后天": 3, "后天": 2, "明天": 1, "明晚": 1, "明日": 1,
}  # fmt: skip
_SHIFT = re.compile(
    "|".join(
        rf"\b{words}\b" if words.isascii() else words for words in sorted(_SHIFTS, key=len, reverse=True)
    )
)
_AGO = re.compile(rf"\b{_NUMBER}\s+(?P<unit>day|week|month|year)s?\s+(?P<way>ago|before|from now|later)\b")
_HAN_AGO = re.compile(rf"{_HAN_NUMBER}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:之|以)?(?P<way>前|后)")
_WEEKDAY = re.compile(rf"\b(?P<way>last|past|this past|this|next|on|coming)\s+{_DAY}\b")
_HAN_WEEKDAY = re.compile(r"(?P<way>上上|上|这|本|下下|下)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])")
_SPAN = re.compile(r"\b(?P<way>last|this|next)\s+(?P<unit>week|weekend|month|year)\b")
_HAN_SPAN = re.compile(
    r"(?P<way>上|这|本|下)个?(?P<unit>月|周末|周|星期)(?![一二三四五六日天])|(?P<years>前年|去年|今年|明年|后年)"
)
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_WAYS = {
    "last": -1,
    "past": -1,
    "this past": -1,
    "上": -1,
    "上上": -2,
    "next": 1,
    "coming": 1,
    "下": 1,
    "下下": 2,
}


def day_marks(day: date) -> list[str]:
    return [f"xy{day.year:04}", f"xm{day.month:02}", f"xd{day.month:02}{day.day:02}"]


def spoken_marks(text: str, said_at: int) -> list[str]:
    """Marks of the days, months and years that a text (folded, see text.normalize) speaks of, each once.
    `said_at` in ms. A day that no calendar has is passed over."""
    try:
        said = datetime.fromtimestamp(said_at / 1000, UTC).date()
    except (OverflowError, OSError, ValueError):
        return []
    out: dict[str, None] = {}
    try:
        for marks in (*_absolute(text), *_relative(text, said)):
            out.update(dict.fromkeys(marks))
    except (OverflowError, ValueError):
        pass
    return list(out)


def _found(needed: Collection[str], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return pattern.finditer(text) if any(word in text for word in needed) else iter(())


def _absolute(text: str) -> Iterator[list[str]]:
    for needed, pattern in _ABSOLUTE:
        for match in _found(needed, pattern, text):
            named = match.groupdict()
            month = named.get("m") or (named.get("month") and _MONTHS.index(named["month"][:3]) + 1)
            marks = [f"xy{named['year']}"] if named.get("year") else []
            if month and 1 <= int(month) <= 12:
                marks.append(f"xm{int(month):02}")
                if named.get("d") and 1 <= int(named["d"]) <= 31:
                    marks.append(f"xd{int(month):02}{int(named['d']):02}")
            yield marks


def _number(word: str) -> int:
    if word.isdecimal():
        return int(word)
    if word in _NUMBERS:
        return _NUMBERS[word]
    digits = [
        "两几".find(character) + 2 if character in "两几" else _HAN.index(character) for character in word
    ]
    return digits[0] if len(digits) == 1 else digits[0] * digits[1] if digits[1] == 10 else sum(digits)


def _moved(said: date, unit: str, number: int) -> list[str]:
    """Marks of the day, month or year `number` units away, as exact as the unit is."""
    if unit in ("day", "天", "日"):
        return day_marks(said + timedelta(days=number))
    if unit in ("week", "weekend", "周", "周末", "星期", "礼拜"):
        return day_marks(said + timedelta(weeks=number))[:2]
    if unit in ("month", "月"):
        months = said.year * 12 + said.month - 1 + number
        return day_marks(date(months // 12, months % 12 + 1, 1))[:2]
    return day_marks(date(said.year + number, 1, 1))[:1]


def _relative(text: str, said: date) -> Iterator[list[str]]:
    for match in _found(_SHIFTS, _SHIFT, text):
        yield day_marks(said + timedelta(days=_SHIFTS[match.group()]))
    for needed, pattern in ((("ago", "before", "from now", "later"), _AGO), ("前后", _HAN_AGO)):
        for match in _found(needed, pattern, text):
            sign = -1 if match["way"] in ("ago", "before", "前") else 1
            yield _moved(said, match["unit"], sign * _number(match["n"]))
    for match in _found(_DAYS, _WEEKDAY, text):
        ahead = (_DAYS.index(match["day"]) - said.weekday()) % 7
        way = _WAYS.get(match["way"], 0)
        # "Last Friday" is the one before today, "next Friday" the one after it; "on Friday" may be either.
        if way <= 0:
            yield day_marks(said + timedelta(days=ahead - 7))
        if way >= 0:
            yield day_marks(said + timedelta(days=ahead or 7))
    for match in _found(("周", "星期", "礼拜"), _HAN_WEEKDAY, text):
        day = "一二三四五六日天".index(match["day"]) % 7 if match["day"] != "天" else 6
        monday = said - timedelta(days=said.weekday())
        yield day_marks(monday + timedelta(days=day, weeks=_WAYS.get(match["way"], 0)))
    for match in _found(("week", "month", "year"), _SPAN, text):
        yield _moved(said, match["unit"], _WAYS.get(match["way"], 0))
    for match in _found(("月", "周", "星期", *_YEARS), _HAN_SPAN, text):
        if match["years"]:
            yield _moved(said, "year", _YEARS[match["years"]])
        else:
            yield _moved(said, match["unit"], _WAYS.get(match["way"], 0))
