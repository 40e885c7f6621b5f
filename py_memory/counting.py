"""How often something was said: about a topic, in a period, near a tool call in some state, in some words.

“How often did they ask about a refund in the last week, how often within two minutes of a failed payment, and
how often impatiently?” is one count.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .checks import check_count
from .database import Database
from .errors import InvalidInputError, shown
from .extraction.days import day_in
from .records import MessageCount
from .rows import counting as rows
from .text import clean, has_cjk, normalize

__all__ = ["IMPATIENCE", "WORD_LISTS", "count_messages", "holds_word"]

WITHIN_MS = 300_000  # of a tool call, where it is not said
MAX_WORDS, MAX_WORD_CHARACTERS = 200, 100
MAX_IDS = 100

# One phrase a comma; a longer one beside a shorter one shows more in the breakdown.
_EN = """
    hurry, hurry up, asap, urgent, urgently, immediately, right now, right away, at once, how long,
    how much longer, still waiting, been waiting, keep waiting, can't wait any longer, taking so long,
    taking forever, takes forever, takes ages, for ages, come on, what's taking, so slow, too slow, fed up,
    sick of, losing patience, out of patience, impatient, ridiculous, unacceptable, for the last time,
    yet again, any day now, already
"""
_ZH = """
    着急, 急着, 很急, 好急, 太急, 急用, 急死, 急需, 加急, 赶紧, 赶快, 快点, 快一点, 快些, 尽快, 马上, 立刻,
    立即, 催, 怎么还, 还没好, 还没到, 还没有到, 还要等, 还要多久, 要多久, 多久才, 什么时候才, 何时才, 等了,
    等不及, 等太久, 久等, 到底, 太慢, 好慢, 这么慢, 拖, 受不了, 烦死, 不耐烦, 忍无可忍, 又不, 搞什么
"""
IMPATIENCE: dict[str, tuple[str, ...]] = {
    language: tuple(" ".join(phrase.split()) for phrase in table.split(","))
    for language, table in (("en", _EN), ("zh", _ZH))
}
WORD_LISTS = {"impatience": (*IMPATIENCE["en"], *IMPATIENCE["zh"])}


def count_messages(
    db: Database,
    user_id: str,
    *,
    topic: str | Sequence[str] | None,
    since: int | None,
    until: int | None,
    session_id: str | None,
    role: str | None,
    intent: str | None,
    feedback: int | None,
    within_ms_of: Sequence[Any] | None,
    words: str | Sequence[str] | None,
    zone: str | None,
) -> MessageCount:
    """See MemoryStore.count_messages(). Times are checked by the caller."""
    topics = [normalize(word) for word in _texts(topic, "The topic")]
    wanted = {word: normalize(word) for word in _texts(_list_named(words), "A word")}
    near = _call(within_ms_of)
    sessions = [session_id] if session_id is not None else rows.sessions_in_period(db, user_id, since)
    total = near_call = after_call = with_words = near_call_with_words = 0
    by_word: Counter[str] = Counter()
    matching: list[rows.Counted] = []
    for session in sessions:
        times: list[int] | None = None
        for message in rows.messages_in_period(db, user_id, session, role, since, until):
            if intent is not None and message.intent != intent:
                continue
            if feedback is not None and message.feedback != feedback:
                continue
            said = normalize(message.content)
            if topics and not any(word in said for word in topics):
                continue
            total += 1
            held = [word for word, folded in wanted.items() if holds_word(said, folded)]
            by_word.update(held)
            with_words += bool(held)
            is_near = False
            if near:
                tool, status, within_ms = near
                if times is None:
                    times = rows.call_times(db, user_id, session, tool, status)
                is_near, is_after = _near(times, message.created_at, within_ms)
                near_call += is_near
                after_call += is_after
                near_call_with_words += is_near and bool(held)
            if (is_near or not near) and (held or words is None):
                matching.append(message)
    matching.sort(key=lambda message: (message.created_at, message.id))
    return MessageCount(
        total=total,
        near_call=near_call,
        after_call=after_call,
        with_words=with_words,
        near_call_with_words=near_call_with_words,
        matching=len(matching),
        by_word=dict(by_word.most_common()),
        by_day=dict(Counter(day_in(message.created_at, zone) or "" for message in matching)),
        by_intent=dict(Counter(message.intent for message in matching if message.intent is not None)),
        by_feedback=dict(Counter(str(message.feedback) for message in matching)),
        message_ids=tuple(message.id for message in matching[:MAX_IDS]),
    )


def holds_word(text: str, word: str) -> bool:
    """Whether a word stands in a text, both normalized: a Latin one whole, a Chinese one anywhere."""
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        joined_before = place > 0 and _is_latin(text[place - 1]) and _is_latin(word[0])
        joined_after = end < len(text) and _is_latin(text[end]) and _is_latin(word[-1])
        if not joined_before and not joined_after:
            return True
        place = text.find(word, place + 1)
    return False


def _is_latin(character: str) -> bool:
    return (character.isalnum() or character == "_") and not has_cjk(character)


def _near(times: Sequence[int], at: int, within_ms: int) -> tuple[bool, bool]:
    """Whether one of the times is at most that far from `at`; whether one of those lies at or before it."""
    before = bisect_right(times, at) > bisect_left(times, at - within_ms)
    after = bisect_right(times, at + within_ms) > bisect_right(times, at)
    return before or after, before


def _list_named(words: str | Sequence[str] | None) -> Sequence[str] | None:
    if not isinstance(words, str):
        return words
    if words not in WORD_LISTS:
        raise InvalidInputError(
            f"There is no word list {shown(words, 40)}; there is {', '.join(WORD_LISTS)}. "
            "Give your own as a list."
        )
    return WORD_LISTS[words]


def _texts(given: object, what: str) -> list[str]:
    """One text or several, cleaned."""
    if given is None:
        return []
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list | tuple) or not 0 < len(texts) <= MAX_WORDS:
        raise InvalidInputError(f"{what} is a text or a list of 1 to {MAX_WORDS} texts, not {shown(given)}.")
    out = [clean(text)[0].strip() for text in texts]
    if not all(0 < len(text) <= MAX_WORD_CHARACTERS for text in out):
        raise InvalidInputError(f"{what} has 1 to {MAX_WORD_CHARACTERS} characters.")
    return list(dict.fromkeys(out))


def _call(given: object) -> tuple[str | None, str | None, int] | None:
    """(tool, status[, milliseconds]); None for any tool or any status."""
    if given is None:
        return None
    if not isinstance(given, list | tuple) or len(given) not in (2, 3):
        raise InvalidInputError(
            "within_ms_of is (tool, status) or (tool, status, milliseconds), None for any tool or status, "
            f"not {shown(given)}."
        )
    tool, status, within_ms = (*given, WITHIN_MS)[:3]
    names = [clean(name)[0] if name is not None else None for name in (tool, status)]
    return names[0], names[1], check_count(within_ms, "The time around a tool call in ms", most=2**53)
