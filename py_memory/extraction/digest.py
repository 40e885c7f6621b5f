"""A summary without a model: an extract, whole sentences in the speakers' own words, that says it is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from py_memory.records import Message, Summary
from py_memory.text import detect_language, has_cjk

from .outcomes import outcomes, quotable

__all__ = ["Digest", "compose", "extract", "made_how", "merge"]

MAX_ITEMS = 30  # sentences of a kind in a summary; twice as many in one of a higher level
MAX_ALSO = 1200  # characters of what was said besides
MAX_TOPIC = 80  # characters
_LEAST_WORDS, _LEAST_WIDE = 2, 4  # a shorter sentence tells nothing by itself

_WORDS = {
    "en": {
        "extract": "An extract in the speakers' own words; no model has summarised it.",
        "merged": "Put together from {count} earlier summaries, sentences unchanged.",
        "model": "Summarised by a model; the points below are quoted from what was said.",
        "decided": "Decided:",
        "open": "Open:",
        "also": "Also said:",
        "nothing": "Nothing in it is to be quoted.",
    },
    "zh": {
        "extract": "以下是原话摘录，未经模型概括。",
        "merged": "由先前 {count} 条摘要合并而成，原句未改。",
        "model": "由模型概括；以下要点引自原话。",
        "decided": "已决定：",
        "open": "未决：",
        "also": "还说到：",
        "nothing": "其中没有可以引用的内容。",
    },
}
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|bye|good (?:morning|night))\b"
    r"|^\W*(?:你好|谢谢|好的|再见|早上好|晚安)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Digest:
    topic: str | None
    content: str
    conclusions: tuple[str, ...]
    open_items: tuple[str, ...]


def extract(messages: Sequence[Message], hidden: Callable[[Message], Iterable[str]]) -> Digest:
    """The digest of messages, oldest first. `hidden` gives words of a message that must not be quoted."""
    turns = [(message.role, message.content) for message in messages]
    secret = [word for message in messages for word in hidden(message) if word.strip()]

    def may_say(sentence: str) -> bool:
        return not any(word in sentence for word in secret)

    found = [outcome for outcome in outcomes(turns) if may_say(outcome.text)]
    decided = _unique(outcome.text for outcome in found if outcome.kind == "decision")[-MAX_ITEMS:]
    left = _unique(outcome.text for outcome in found if outcome.kind == "open")[-MAX_ITEMS:]
    said = [quote for role, text in turns if role == "user" for _, quote in quotable(text) if may_say(quote)]
    topic = next((quote for quote in said if not _GREETING.search(quote)), None)
    also: list[str] = []
    room = MAX_ALSO
    for quote in _unique(said):
        if quote in decided or quote in left or not _tells(quote):
            continue
        if len(quote) > room:
            break
        also.append(quote)
        room -= len(quote)
    language = detect_language("\n".join(said))
    content = compose("extract", language, decided, left, also)
    return Digest(_short(topic), content, tuple(decided), tuple(left))


def merge(summaries: Sequence[Summary]) -> Digest:
    """One digest of several, oldest first: their sentences, the newest kept where there are too many."""
    decided = _unique(item for summary in summaries for item in summary.conclusions)[-2 * MAX_ITEMS :]
    left = _unique(item for summary in summaries for item in summary.open_items)[-2 * MAX_ITEMS :]
    topics = _unique(summary.topic for summary in summaries if summary.topic)
    language = detect_language("\n".join((*topics, *decided, *left)))
    content = compose("merged", language, decided, left, topics, count=len(summaries))
    return Digest(
        _short(" / ".join(topics), 2 * MAX_TOPIC) if topics else None, content, tuple(decided), tuple(left)
    )


def compose(
    kind: str,
    language: str,
    decided: Sequence[str],
    left: Sequence[str],
    also: Sequence[str],
    **values: object,
) -> str:
    """The text of a summary. `kind` says how it was made: "extract", "merged" or "model"."""
    words = _WORDS[language]
    lines = [words[kind].format(**values)]
    for heading, quotes in ((words["decided"], decided), (words["open"], left), (words["also"], also)):
        if quotes:
            lines += [heading, *(f"- {quote}" for quote in quotes)]
    return "\n".join(lines if len(lines) > 1 else [*lines, words["nothing"]])


def made_how(content: str) -> str | None:
    """How a summary says that it was made: "extract", "merged" or "model"; None for other texts."""
    first = content.partition("\n")[0]
    for words in _WORDS.values():
        for kind in ("extract", "merged", "model"):
            begin, _, end = words[kind].partition("{count}")
            if first.startswith(begin) and first.endswith(end):
                return kind
    return None


def _tells(quote: str) -> bool:
    if _GREETING.search(quote):
        return False
    return len(quote) >= _LEAST_WIDE if has_cjk(quote) else len(quote.split()) >= _LEAST_WORDS


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _short(text: str | None, limit: int = MAX_TOPIC) -> str | None:
    return text if text is None or len(text) <= limit else f"{text[: limit - 1]}…"
