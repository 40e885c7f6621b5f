"""What is worth remembering in a user's message, by rules: Chinese and English, no model, pure text in and
out.

Better nothing than something wrong: guards come first, and what they cover is invisible to the rules. What
the user asks to remember is kept in their own words; what they merely mention is proposed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import Any

from .clauses import Clause, Found, clauses, sentences, slug, split_statement
from .commands import command_in
from .confidence import LEAST, confidence_of, rule_of
from .days import day_spoken_of
from .guards import safe_clauses
from .masking import MASK, masked
from .reading import Reading
from .refusals import MAX_READ, own_words, refusal
from .secrets import secret_spans

__all__ = ["propose", "task_key"]

MAX_VALUE_CHARACTERS = 100
MAX_CLAUSE = 400  # characters; no rule reads a longer one, and some would go over it again and again
_LIST = re.compile(r",\s*(?:and\s+)?|;\s*|、|，|；|\s+and\s+(?=\w+ (?:the|my|a|an|some|mum|mom|dad)\b)")
# “Milk upsets me, I'm lactose intolerant” tells one thing.
_LACTOSE = re.compile("lactose|乳糖", re.IGNORECASE)
_MILK = re.compile("milk|dairy|牛?奶", re.IGNORECASE)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_DAYS = (
    rf" (?:on|every|each) (?:\w+ )?(?:{_DAY}|weekends?|weekdays?|mornings?|evenings?)"
    rf"(?: (?:and|morning|afternoon|evening|night|{_DAY})s?)*"
)
_Rules = Callable[[Clause, Reading], Iterable[Found]]
_CATEGORIES = (
    ("user::family", "relation"),
    ("user::pet", "relation"),
    ("user::relation", "relation"),
    ("user::contact", "contact"),
    ("user::decision", "decision"),
    ("user::event", "event"),
    ("task::", "task"),
    *(
        (f"user::{name}", "identity")
        for name in [
            "name",
            "age",
            "birthday",
            "home",
            "hometown",
            "address",
            "work",
            "job",
            "studies",
            "condition",
        ]
    ),
    *(
        (f"user::{name}", "preference")
        for name in ["diet", "allergy", "likes", "dislikes", "favorite", "language", "speaks"]
    ),
)


@dataclass(frozen=True)
class _Language:
    """What reads a language: `stated` clauses that state something, `asked` those that ask; `is_errand` tells
    something to do."""

    stated: _Rules
    asked: _Rules
    is_errand: Callable[[str], bool]


@cache
def _languages() -> dict[str, _Language]:
    """Loaded with the first message: their patterns take as long to compile as the rest of a start."""
    from . import asides_en, asides_zh, plans_en, plans_zh, rules_en, rules_zh

    return {
        "en": _Language(rules_en.read, asides_en.taken_for_granted, plans_en.errand_in),
        "zh": _Language(rules_zh.read, asides_zh.taken_for_granted, plans_zh.errand_in),
    }


def _is_errand(said: str) -> bool:
    return any(language.is_errand(said) for language in _languages().values())


def propose(
    text: str,
    *,
    lang: str | None = None,
    now: int | None = None,
    zone: str | None = None,
    known: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Facts that a user's message states: {key, value, quote, category, confidence, rule, explicit,
    spoken_words, zone, valid_from}.

    `explicit` marks what the user asked to remember (confidence 1); the rest waits for a yes, and its
    confidence is the measured precision of the kind of rule that noticed it (`rule`, such as "en likes").
    `quote` is cut from `text` as it stands; values are at most 100 characters, in the user's words.
    `lang` ("en", "zh") keeps to one language's rules. Words for a day ("tomorrow") are kept in
    `spoken_words` with the start of that day in `valid_from` (ms), counted from `now` (ms) in `zone`, an
    IANA name or an offset such as "+08:00"; for to-dos and events a date or a distance (“in three weeks”)
    is such words too. `known` maps names of relatives and pets to their keys, so that “Mei is 7 now” is
    understood. Never raises; text that says nothing gives [].
    """
    if refusal(text) is not None:
        return []
    text = text[:MAX_READ]
    visible = own_words(masked(text))
    rest: list[str] = []  # what is left for the rules, of the same length
    read_to = 0
    found: list[tuple[Found, bool]] = []
    for sentence in _with_whole_statements(visible):
        command = command_in(sentence)
        if command is None:
            continue
        body = text[command.body.start : command.body.end]
        if MASK in sentence.text and secret_spans(text[sentence.start : sentence.end]):
            continue
        whole = Clause(text[command.start : command.body.end], command.start)
        if command.kind == "todo" or _is_errand(command.body.text):
            found += [(item, True) for item in _tasks(body, whole)]
        else:
            found += [(item, True) for item in _statement(command.body, body, whole, lang, known or {})]
        rest += [visible[read_to : command.start], "\n" * (sentence.end - command.start)]
        read_to = sentence.end
    left = "".join((*rest, visible[read_to:]))
    noticed = [item for item in _read(left, lang, known or {}) if confidence_of(item.rule) >= LEAST]
    found += [(item, False) for item in _without_doubt(noticed, left)]
    return [_proposal(text, item, explicit, now, zone) for item, explicit in _unique(found)]


def _without_doubt(noticed: list[Found], visible: str) -> Iterator[Found]:
    from .doubt import doubtful

    said = list(sentences(visible)) if noticed else []
    starts = [sentence.start for sentence in said]
    kept: set[tuple[str, str]] = set()
    for item in noticed:
        if (item.key, item.value) in kept:
            continue
        whole = said[max(bisect_right(starts, item.start) - 1, 0)]
        begin = max(whole.start, item.start - MAX_CLAUSE)
        around = visible[begin : min(whole.end, item.end + MAX_CLAUSE)]
        clause = visible[item.start : min(item.end, item.start + MAX_CLAUSE)]
        if not doubtful(item.key, item.value, clause, around):
            kept.add((item.key, item.value))
            yield item


def task_key(what: str) -> str:
    """The key of a to-do: the same words make the same key."""
    return f"task::{slug(what)}"


def _with_whole_statements(visible: str) -> Iterator[Clause]:
    """Sentences; one that ends in a colon takes in the rest of the text."""
    for sentence in sentences(visible):
        if command_in(sentence) is None and sentence.text.endswith((":", "：")):
            yield Clause(visible[sentence.start :].rstrip(), sentence.start)
            return
        yield sentence


def _tasks(body: str, whole: Clause) -> Iterator[Found]:
    listed = [part.strip() for part in _LIST.split(body) if part.strip()]
    if len(listed) > 1 and all(map(_is_errand, listed)):  # each is something to do by itself
        yield from (Found(task_key(part), part, whole.start, whole.end) for part in listed)
        return
    for number, part in enumerate(split_statement(body, MAX_VALUE_CHARACTERS)):
        yield Found(task_key(part) + (f"-{number + 1}" if number else ""), part, whole.start, whole.end)


def _statement(
    masked_body: Clause, body: str, whole: Clause, lang: str | None, known: Mapping[str, str]
) -> list[Found]:
    """The facts that the rules see in what is to be remembered; clauses in which they see none become
    notes."""
    parts = clauses(masked_body)
    read: list[Found] = (
        [] if refusal(body) else [f for f in _read(masked_body.text, lang, known) if len(f.value) <= 100]
    )
    read = [
        Found(
            f.key,
            _with_its_day(f.value, body) if f.key == "user::likes" else f.value,
            f.start + masked_body.start,
            f.end + masked_body.start,
        )
        for f in read
    ]
    spans = sorted((f.start, f.end) for f in read)
    begins = [begin for begin, _ in spans]
    reach = list(accumulate((end for _, end in spans), max))  # how far the facts up to each one go
    covered = {p for p in parts if (at := bisect_right(begins, p.start)) and p.start < reach[at - 1]}
    out = [Found(f.key, f.value, f.start, f.end) for f in read]
    if len(covered) == len(parts):
        return out
    if not covered:
        return [Found("user::note", part, whole.start, whole.end) for part in split_statement(body)]
    run: list[Clause] = []
    for part in [*parts, None]:
        if part is not None and part not in covered:
            run.append(part)
        elif run:
            begin, end = run[0].start - masked_body.start, run[-1].end - masked_body.start
            out += [
                Found("user::note", piece, whole.start, whole.end)
                for piece in split_statement(body[begin:end])
            ]
            run = []
    return out


def _with_its_day(value: str, body: str) -> str:
    """What is done on certain days, with them, as far as that fits: “play cello on Mondays”."""
    whole = re.search(re.escape(value) + _DAYS, body, re.IGNORECASE)
    return whole.group() if whole and len(whole.group()) <= MAX_VALUE_CHARACTERS else value


def _read(visible: str, lang: str | None, known: Mapping[str, str]) -> list[Found]:
    from .contacts import own_contacts
    from .proof import proved

    out: list[Found] = []
    languages = _languages()
    readings = {name: Reading(known=known) for name in languages if lang in (None, name)}
    for sentence in sentences(visible):
        out += [replace(f, rule="contact") for f in own_contacts(sentence)]
    for _, stated, asked in safe_clauses(visible):
        parts = sorted((*stated, *asked), key=lambda clause: clause.start)
        at = {clause.start for clause in stated}
        for number, clause in enumerate(parts):
            if len(clause.text) > MAX_CLAUSE:
                continue
            ahead = parts[number + 1].text if number + 1 < len(parts) else ""
            for name, reading in readings.items():
                reading.ahead = ahead[:MAX_CLAUSE]
                reads = languages[name].stated if clause.start in at else languages[name].asked
                told = reads(clause, reading)
                out += [replace(f, rule=rule_of(name, f.key, loose=f.loose)) for f in told]
        for reading in readings.values():
            reading.next_sentence()
    kept = [replace(item, value=proved(item.key, item.value)) for item in out if MASK not in item.value]
    if any(_LACTOSE.search(item.value) for item in kept if item.key == "user::allergy"):
        kept = [item for item in kept if item.key != "user::allergy" or not _MILK.fullmatch(item.value)]
    return [item for item in kept if item.value]


def _unique(found: Iterable[tuple[Found, bool]]) -> Iterator[tuple[Found, bool]]:
    seen: set[tuple[str, str]] = set()
    for item, explicit in found:
        same = (item.key, item.value.casefold())
        if item.value and len(item.value) <= MAX_VALUE_CHARACTERS and same not in seen:
            seen.add(same)
            yield item, explicit


def _proposal(text: str, item: Found, explicit: bool, now: int | None, zone: str | None) -> dict[str, Any]:
    dated = item.key.startswith(("task::", "user::event"))
    spoken = day_spoken_of(text[item.start : item.end], now, zone, dated=dated)
    return {
        "key": item.key,
        "value": item.value,
        "quote": text[item.start : item.end],
        "category": next((category for prefix, category in _CATEGORIES if item.key.startswith(prefix)), None),
        "confidence": 1.0 if explicit else confidence_of(item.rule),
        "rule": item.rule,
        "explicit": explicit,
        "spoken_words": spoken[0] if spoken else None,
        "zone": zone if spoken else None,
        "valid_from": spoken[1] if spoken else None,
    }
