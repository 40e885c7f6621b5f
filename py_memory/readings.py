"""What a model reads in idle time: messages for facts, extracts to write better, facts for contradictions.

How far reading has come is kept as a position in the settings, so that it goes on where it stopped, and an
answer that arrives late changes nothing that has changed meanwhile. Nothing a model answers is believed: a
fact must quote the user and waits for a yes, a summary's points must quote what was said, and of two facts
that are said to contradict each other the older is put to the user, once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from .checks import read_json
from .clock import DAY_MS, Clock
from .consolidation import Consolidation
from .database import Database
from .errors import InvalidInputError
from .extraction.digest import made_how
from .extraction.refusals import refusal
from .extraction.structured import SCHEMA, read_proposals
from .extraction.structured_summary import SUMMARY_SCHEMA
from .facts import Facts, both_stand, same_value
from .records import Fact, Message, Read, Reading, Summary
from .rows import messages as message_rows
from .rows import readings as rows
from .rows.rejections import add_rejection, is_rejected
from .rows.settings import get_setting, set_setting
from .text import clean, detect_language
from .topics import Contradiction
from .undo import UndoLog

__all__ = ["CONTRADICTIONS_SCHEMA", "DISPUTES", "Readings"]

ENOUGH = 5  # unread messages that are read at once; fewer wait for an idle time of
IDLE_MS = 5 * 60_000
MAX_MESSAGES = 50  # of the user, in one reading; how many summaries are looked through for one to read
LOOKED_BACK_MS = 7 * DAY_MS  # before the first reading ever: what is older is left alone
MAX_WAITING = 30  # facts that wait for the user: no more are looked for
MAX_FACTS = 60  # compared with each other
MAX_DISPUTES = 3  # a reading, so that a model that sees contradictions everywhere takes little away
COMPARE_EVERY_MS = DAY_MS
MIN_PART = 200  # characters of a message that is shortened

CONTRADICTIONS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "contradictions": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "properties": {"first": {"type": "integer"}, "second": {"type": "integer"}},
                "required": ["first", "second"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["contradictions"],
    "additionalProperties": False,
}

# Settings. Of memories they hold ids, never words.
_MESSAGES, _SUMMARIES, _FACTS = "readings.messages", "readings.summaries", "readings.facts"
DISPUTES = "readings.disputes"  # pairs of ids: what is disputed, and what it disagrees with
_POSITIONS = {"facts": _MESSAGES, "summary": _SUMMARIES, "contradictions": _FACTS}


class Readings:
    """The readings of one owner's memory. Every method expects a transaction of the caller."""

    def __init__(
        self,
        db: Database,
        user_id: str,
        clock: Clock,
        undo: UndoLog,
        facts: Facts,
        consolidation: Consolidation,
    ) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._undo = undo
        self._facts = facts
        self._consolidation = consolidation

    def next(self, max_chars: int) -> Reading | None:
        """What is to be read next, of at most about `max_chars` characters; None if nothing is due."""
        return self._next_messages(max_chars) or self._next_summary(max_chars) or self._next_facts(max_chars)

    def take(self, reading: Reading, answer: str) -> Read:
        """Does what a model's answer says, as far as that may be believed. Raises InvalidInputError for an
        answer that does not follow the schema; the reading is then still to be done, or to be skipped."""
        if reading.kind == "facts":
            read = Read(proposed=tuple(self._propose(reading, answer)))
        elif reading.kind == "summary":
            read = Read(summary=self._rewrite(reading, answer))
        else:
            read = Read(disputed=tuple(self._dispute(reading, answer)))
        self.skip(reading)
        return read

    def skip(self, reading: Reading) -> None:
        """Goes on behind a reading that came to nothing."""
        self._set(_POSITIONS[reading.kind], reading.position)

    def _set(self, name: str, value: Any) -> None:
        set_setting(self._db, self._user, name, value, self._clock())

    def _position(self, name: str) -> tuple[str, int]:
        """The id behind which reading goes on, and the time (ms) since when."""
        at = get_setting(self._db, self._user, name)
        return (at, 0) if isinstance(at, str) else ("", self._clock() - LOOKED_BACK_MS)

    # -- facts in messages --

    def _next_messages(self, max_chars: int) -> Reading | None:
        if len(self._facts.list_facts(status="candidate", limit=MAX_WAITING)) >= MAX_WAITING:
            return None
        position, since = self._position(_MESSAGES)
        chosen: list[Message] = []
        room = max_chars
        full = False
        while found := rows.user_messages_after(self._db, self._user, position, since, MAX_MESSAGES):
            for id in found:
                message = message_rows.get_message(self._db, self._user, id)
                if _may_be_read(message):
                    size = min(len(message.content), max_chars)
                    full = len(chosen) == MAX_MESSAGES or bool(chosen and size > room)
                    if full:
                        break
                    chosen.append(message)
                    room -= size
                position = id
            if full:
                break
        rested = bool(chosen) and self._clock() - chosen[-1].created_at >= IDLE_MS
        if not (full or rested or len(chosen) >= ENOUGH):
            return None
        said = [message.content[:max_chars] for message in chosen]
        data = [_line(n=number, said=text) for number, text in enumerate(said, 1)]
        return _reading("facts", said, data, SCHEMA, chosen, position)

    def _propose(self, reading: Reading, answer: str) -> list[Fact]:
        read_proposals(answer, "")  # says what is wrong with it, also where no message is left
        zone = get_setting(self._db, self._user, "zone")
        zone = zone if isinstance(zone, str) else None
        proposed: list[Fact] = []
        for message in self._unchanged(reading):
            for proposal in read_proposals(answer, message.content, now=message.created_at, zone=zone):
                fact = self._proposed(message, proposal)
                if fact is not None:
                    proposed.append(fact)
        return proposed

    def _proposed(self, message: Message, proposal: Mapping[str, Any]) -> Fact | None:
        """The new fact that waits; None where it is known, waits already, or cannot be kept."""
        known = self._facts.list_facts(status=None, source_message_ids=[message.id])
        if any(same_value(fact.value, proposal["value"]) for fact in known):
            return None  # the rules have found it, under whatever key
        details = {name: proposal[name] for name in ("quote", "spoken_words", "zone", "valid_from")}
        waiting = {fact.id for fact in self._facts.list_facts(status="candidate")}
        try:
            fact = self._facts.propose_fact(
                proposal["key"],
                proposal["value"],
                confidence=proposal["confidence"],
                source_message_id=message.id,
                source_version_id=message.version_id,
                **details,
            )
        except InvalidInputError:  # a key that nobody has registered
            return None
        return fact if fact and fact.id not in waiting else None

    def _unchanged(self, reading: Reading) -> list[Message]:
        """The messages that still read as they did."""
        found = (message_rows.find_message(self._db, self._user, id) for id in reading.subjects)
        versions = set(reading.versions)
        return [message for message in found if message is not None and message.version_id in versions]

    # -- summaries --

    def _next_summary(self, max_chars: int) -> Reading | None:
        after, since = self._position(_SUMMARIES)
        while found := rows.summaries_after(self._db, self._user, after, since, MAX_MESSAGES):
            for id, session_id in found:
                if reading := self._summary_to_read(session_id, id, max_chars):
                    return reading
                after = id
        return None

    def _summary_to_read(self, session_id: str, id: str, max_chars: int) -> Reading | None:
        summary = self._consolidation.find(session_id, id)
        if summary is None or made_how(summary.content) == "model":
            return None
        sources = self._sources(summary)
        if not sources:
            return None
        part = max(MIN_PART, max_chars // len(sources))
        said = [source.content[:part] for source in sources]
        data = [_line(role=source.role, said=text) for source, text in zip(sources, said, strict=True)]
        reading = _reading("summary", said, data, SUMMARY_SCHEMA, sources, id)
        return dataclasses.replace(reading, subjects=(session_id, id))

    def _sources(self, summary: Summary) -> list[Message]:
        """Without what a summary that is read alone has lost: where messages have gone, it stays as it is."""
        sources = self._consolidation.sources(summary)
        if summary.level == 1 and len(sources) < summary.message_count:
            return []
        return [source for source in sources if _may_be_read(source)]

    def _rewrite(self, reading: Reading, answer: str) -> Summary | None:
        session_id, id = reading.subjects
        summary = self._consolidation.find(session_id, id)
        if summary is None:
            return None
        sources = self._sources(summary)
        if tuple(source.version_id for source in sources) != reading.versions:
            return None
        return self._consolidation.rewrite(summary, sources, answer)

    # -- contradictions --

    def _next_facts(self, max_chars: int) -> Reading | None:
        facts = [
            fact
            for fact in self._facts.list_facts(limit=MAX_FACTS)
            if not fact.needs_review and not fact.key.startswith("task::")
        ]
        chosen: list[Fact] = []
        data: list[str] = []
        for fact in facts:
            line = _line(n=len(chosen) + 1, key=fact.key, value=fact.value)
            max_chars -= len(line)
            if max_chars < 0:
                break
            chosen.append(fact)
            data.append(line)
        of_these = hashlib.sha256("\n".join(sorted(fact.id for fact in chosen)).encode()).hexdigest()[:16]
        now = self._clock()
        done = get_setting(self._db, self._user, _FACTS)
        if isinstance(done, dict) and (done.get("of") == of_these or _at(done) + COMPARE_EVERY_MS > now):
            return None
        if len(chosen) < 2:
            return None
        said = [fact.value for fact in chosen]
        ids = tuple(fact.id for fact in chosen)
        language = detect_language("\n".join(said))
        position = {"of": of_these, "at": now}
        return Reading("contradictions", language, tuple(data), CONTRADICTIONS_SCHEMA, ids, ids, position)

    def _dispute(self, reading: Reading, answer: str) -> list[Fact]:
        current = {fact.id: fact for fact in self._facts.list_facts()}
        operation = self._undo.begin()
        disputed: list[Fact] = []
        pairs: list[list[str]] = []
        for first, second in _pairs(answer, len(reading.subjects)):
            one, other = (current.get(reading.subjects[number - 1]) for number in (first, second))
            if one is None or other is None or one.scope != other.scope or len(disputed) == MAX_DISPUTES:
                continue
            older, newer = sorted((one, other), key=lambda fact: (fact.created_at, fact.id))
            asked = both_stand(Contradiction(older, newer, "model"))
            if older.pinned or is_rejected(self._db, self._user, asked):
                continue
            if made := add_rejection(self._db, self._user, asked, self._clock()):  # not to be asked again
                self._undo.made(operation, "rejections", made)
            self._undo.change(operation, "facts", older.id, status="disputed")
            del current[older.id]
            disputed.append(self._facts.get(older.id))
            pairs.append([older.id, newer.id])
        if pairs:
            known = get_setting(self._db, self._user, DISPUTES, [])
            still = {fact.id for fact in self._facts.list_facts(status="disputed")}
            self._set(DISPUTES, [pair for pair in (*known, *pairs) if pair[0] in still])
        return disputed


def _may_be_read(message: Message) -> bool:
    """What is secret or not to be kept is not put before a model that works by itself."""
    return not message.has_secret and bool(message.content.strip()) and refusal(message.content) is None


def _line(**values: object) -> str:
    return json.dumps(values, ensure_ascii=False)


def _reading(
    kind: str,
    said: Sequence[str],
    data: Sequence[str],
    schema: Mapping[str, Any],
    messages: Sequence[Message],
    position: str,
) -> Reading:
    return Reading(
        kind,
        detect_language("\n".join(said)),
        tuple(data),
        schema,
        tuple(message.id for message in messages),
        tuple(message.version_id for message in messages),
        position,
    )


def _at(done: Mapping[str, Any]) -> int:
    at = done.get("at")
    return at if isinstance(at, int) else 0


def _pairs(answer: str, count: int) -> list[tuple[int, int]]:
    """The pairs of numbers in a model's answer. Raises InvalidInputError for one without a list of them."""
    found = read_json(clean(answer)[0], "The model's answer")
    listed = found.get("contradictions") if isinstance(found, dict) else None
    if not isinstance(listed, list) or len(listed) > 10:
        raise InvalidInputError("The model's answer holds no list of at most 10 contradictions.")
    pairs: list[tuple[int, int]] = []
    for item in listed:
        first, second = (item.get("first"), item.get("second")) if isinstance(item, dict) else (None, None)
        if not (_is_number(first, count) and _is_number(second, count)):
            raise InvalidInputError("A contradiction of the model's answer names no two facts of the list.")
        if first != second:
            pairs.append((first, second))
    return pairs


def _is_number(value: object, count: int) -> TypeGuard[int]:
    return type(value) is int and 1 <= value <= count
