"""The life of a fact: stated, corrected, proposed, confirmed, rejected, used.

A correction never overwrites: it is a new row of confidence 0.95, and the old one stays readable as
superseded with 0.3. What was merely inferred is a candidate until the user confirms it; a rejected one leaves
a fingerprint and no text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from . import text
from .checks import check_count, check_time
from .clock import Clock
from .database import Database
from .errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
    UnregisteredKeyError,
    shown,
)
from .extraction.confidence import LEAST
from .ids import uuid7
from .records import Fact
from .rows import facts as rows
from .rows import sync as sync_rows
from .rows.identities import (
    KINDS,
    belongs_to_another,
    find_identity,
    insert_identity,
    normalized_contact,
)
from .rows.messages import find_message
from .rows.namespaces import ensure_namespace, namespace_of
from .rows.rejections import add_rejection, is_rejected, rejection_id, remove_rejection
from .topics import Contradiction, contradictions
from .undo import Operation, UndoLog

__all__ = ["MAX_VALUE_CHARACTERS", "Facts", "both_stand"]

MAX_KEY_CHARACTERS = 200
MAX_VALUE_CHARACTERS = 100
CORRECTED, CORRECTION = 0.3, 0.95
REINFORCEMENT = 0.1  # weight added when a fact is stated again

_CATEGORY_OF_PREFIX = (
    ("user::name", "identity"),
    ("user::age", "identity"),
    ("user::birthday", "identity"),
    ("user::language", "preference"),
    ("user::diet", "preference"),
    ("user::allergy", "preference"),
    ("user::likes", "preference"),
    ("user::dislikes", "preference"),
    ("user::family", "relation"),
    ("user::pet", "relation"),
    ("user::relation", "relation"),
    ("user::contact", "contact"),
    ("user::decision", "decision"),
    ("user::event", "event"),
    ("task::", "task"),
)
_TIMES = ("valid_from", "valid_to", "expires_at")
_FLAGS = ("pinned", "needs_review")
_TEXTS = (
    "category",
    "source_message_id",
    "source_version_id",
    "quote",
    "spoken_words",
    "zone",
    "visibility",
    "imported_from",
)
_DETAILS = sorted((*_TIMES, *_FLAGS, *_TEXTS))


def same_value(a: str, b: str) -> bool:
    return rows.folded(a) == rows.folded(b)


def both_stand(found: Contradiction) -> str:
    """What stands for the user's word that two facts hold although they seem to exclude each other."""
    return f"both\x1f{found.older.id}\x1f{found.newer.id}"


def _rejection(key: str, value: str) -> str:
    return f"value\x1f{key}\x1f{text.normalize(value).strip()}"


def _kind(key: str) -> str:
    return f"kind\x1f{key}"


def _detail(name: str, given: Any) -> Any:
    """One of the columns that a caller may give a fact. Raises InvalidInputError."""
    if name in _TIMES:
        return check_time(given, name)
    if name in _FLAGS:
        return given if isinstance(given, bool) else bool(check_count(given, name, most=1))
    if name in _TEXTS:
        return text.clean(given)[0]
    raise InvalidInputError(
        f"A fact has no {shown(name)} that could be given; there are {', '.join(_DETAILS)}."
    )


def _confidence(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
        raise InvalidInputError(f"A confidence lies between 0 and 1, not {shown(given)}.")
    return given


class Facts:
    """Facts of one owner as one agent sees them. Every method expects to run inside a transaction of the
    caller."""

    def __init__(self, db: Database, user_id: str, agent_id: str | None, clock: Clock, undo: UndoLog) -> None:
        self._db = db
        self._user = user_id
        self._agent = agent_id
        self._clock = clock
        self._undo = undo

    # -- stating --

    def set_fact(self, key: str, value: str, *, confidence: float | None = None, **details: Any) -> Fact:
        """States a fact. The same value again reinforces the current one; another value under a single-valued
        key corrects it. `details` are columns of a fact.

        Raises UnregisteredKeyError, TooLargeError (over 100 characters), InvalidInputError (empty).
        """
        value, single, ttl = self._checked(key, value)
        now = self._clock()
        scope = "" if details.get("visibility") == "shared" else self._agent or ""
        for fact in rows.current_with_value(self._db, self._user, self._agent, key, value, now):
            if fact.scope == scope:
                return self._reinforce(fact, confidence, details, stated=True)
        current: list[Fact] = []
        if single:
            there = rows.current_with_key(self._db, self._user, self._agent, key, now)
            current = [fact for fact in there if fact.scope == scope]
        operation = self._undo.begin()
        default = CORRECTION if current else 1.0
        fact = self._new(key, value, "current", default if confidence is None else confidence, ttl, details)
        self._join_contact(fact, current, operation)
        remove_rejection(self._db, self._user, _rejection(key, value))
        if single:
            self._supersede_all(key, fact, operation)
            self._withdraw_older(fact, operation)
        rows.insert_fact(self._db, fact)
        self._undo.made(operation, "facts", fact.id)
        return dataclasses.replace(fact, operation_id=operation.id)

    def propose_fact(self, key: str, value: str, *, confidence: float = 0.8, **details: Any) -> Fact | None:
        """Puts something inferred before the user. None if confidence is under 0.7, if it is known already,
        or if it was rejected before."""
        value, _, ttl = self._checked(key, value)
        if _confidence(confidence) < LEAST:
            return None
        if self.is_refused(key, value):
            return None
        now = self._clock()
        for fact in rows.current_with_value(self._db, self._user, self._agent, key, value, now):
            self._reinforce(fact, None, details, stated=False)
            return None
        for waiting in rows.waiting_with_key(self._db, self._user, self._agent, key):
            if same_value(waiting.value, value):
                return waiting
        fact = self._new(key, value, "candidate", confidence, ttl, details)
        rows.insert_fact(self._db, fact)
        return fact

    def confirm_fact(self, id: str, *, value: str | None = None) -> Fact:
        """Makes a candidate or disputed fact current, with another value if given.

        Raises NotFoundError, and InvalidInputError if it is not waiting for an answer.
        """
        fact = self.get(id)
        if fact.status == "current" and value is None:
            operation = self._undo.begin()
            self._undo.change(operation, "facts", id, needs_review=False, **self._source_now(fact))
            return self._after(operation, id)
        if fact.status not in ("candidate", "disputed"):
            raise InvalidInputError(
                f"The fact {fact.key!r} is {fact.status}; only one that waits for an answer can be confirmed."
            )
        disputed = fact.status == "disputed"
        now = self._clock()
        single = ensure_namespace(self._db, self._user, fact.key, now).single_valued
        operation = self._undo.begin()
        changes: dict[str, Any] = {"status": "current", "confidence": max(fact.confidence, CORRECTION)}
        if value is not None:
            changes["value"], _, _ = self._checked(fact.key, value)
            changes["confidence"] = 1.0
        changes["valid_from"] = fact.valid_from or now
        fact = dataclasses.replace(fact, **changes)
        current = rows.current_with_key(self._db, self._user, self._agent, fact.key, now) if single else []
        self._join_contact(fact, current, operation)
        for other in rows.current_with_value(self._db, self._user, self._agent, fact.key, fact.value, now):
            if other.id != id and other.scope == fact.scope:
                for older in rows.facts_of_key(self._db, self._user, self._agent, fact.key):
                    if older.superseded_by == other.id:
                        self._undo.change(operation, "facts", older.id, superseded_by=id)
                self._undo.take(operation, "facts", "id = ?", (other.id,))
        if single:
            self._supersede_all(fact.key, fact, operation)
            self._withdraw_older(fact, operation)
        for waiting in self._waiting_beside(fact):
            if same_value(waiting.value, fact.value):  # answered with it
                self._undo.take(operation, "facts", "id = ?", (waiting.id,))
        if disputed:
            self._let_both_stand(fact, operation)
        self._undo.change(operation, "facts", id, **changes)
        return self._after(operation, id)

    def _let_both_stand(self, fact: Fact, operation: Operation) -> None:
        """What the user says yes to is not disputed again for the sake of what it seems to exclude."""
        others = rows.current_of_all_agents(self._db, self._user, self._clock())
        for found in contradictions([fact, *(other for other in others if other.id != fact.id)]):
            if fact in (found.older, found.newer) and (
                made := add_rejection(self._db, self._user, both_stand(found), self._clock())
            ):
                self._undo.made(operation, "rejections", made)

    def reject_fact(self, id: str, *, never_this_kind: bool = False) -> Operation:
        """Deletes a candidate and keeps a fingerprint, so that it is not proposed again; with
        `never_this_kind` nothing under its key is. Returns the operation. Raises NotFoundError,
        InvalidInputError."""
        fact = self.get(id)
        if fact.status not in ("candidate", "disputed"):
            raise InvalidInputError(
                f"The fact {fact.key!r} is {fact.status}, not a proposal. Use forget() to remove it."
            )
        operation = self._undo.begin()
        sync_rows.note_rejected(self._db, self._user, id, never_this_kind, self._clock())
        self._undo.take(operation, "facts", "id = ?", (id,))
        self.refuse(fact, operation)
        if never_this_kind and (made := add_rejection(self._db, self._user, _kind(fact.key), self._clock())):
            self._undo.made(operation, "rejections", made)
        return operation

    def make_way(self, key: str, value: str, source_message_id: str | None) -> list[str]:
        """Deletes what other messages proposed under a key, and nobody answered, for the sake of the value
        that is told now. Nobody said no to it, so that it may come again. Returns the ids."""
        operation = self._undo.begin()
        gone = [
            waiting.id
            for waiting in rows.waiting_with_key(self._db, self._user, self._agent, key)
            if not same_value(waiting.value, value)
            and (source_message_id is None or waiting.source_message_id != source_message_id)
        ]
        for id in gone:
            self._undo.take(operation, "facts", "id = ?", (id,))
        return gone

    def refuse(self, fact: Fact, operation: Operation) -> None:
        """Leaves the fingerprint of a fact that goes."""
        if made := add_rejection(self._db, self._user, _rejection(fact.key, fact.value), self._clock()):
            self._undo.made(operation, "rejections", made)

    def follow_rejection(self, id: str, *, never_this_kind: bool) -> None:
        """The user said no to a fact on another device, which tells its id alone: where it is here, this file
        leaves its own fingerprint, and what waits and says the same is answered with it."""
        found = rows.find_fact(self._db, self._user, id)
        if found is None:
            return
        now = self._clock()
        add_rejection(self._db, self._user, _rejection(found.key, found.value), now)
        if never_this_kind:
            add_rejection(self._db, self._user, _kind(found.key), now)
        operation = self._undo.begin()
        for waiting in self._waiting_beside(found):
            if same_value(waiting.value, found.value):
                self._undo.take(operation, "facts", "id = ?", (waiting.id,))

    def follow_confirmation(self, id: str) -> None:
        """The user said on another device that a disputed fact holds after all."""
        self._let_both_stand(rows.get_fact(self._db, self._user, id), self._undo.begin())

    def is_refused(self, key: str, value: str) -> bool:
        """Whether the user rejected this, forgot it, or wants nothing proposed under the key."""
        return any(is_rejected(self._db, self._user, what) for what in (_rejection(key, value), _kind(key)))

    def refused_kinds(self, keys: Sequence[str]) -> list[str]:
        return [key for key in keys if is_rejected(self._db, self._user, _kind(key))]

    def allow_kind(self, key: str) -> tuple[Operation, int]:
        """Returns the operation and how many fingerprints have gone."""
        operation = self._undo.begin()
        id = rejection_id(self._db, self._user, _kind(key))
        gone = self._undo.take(operation, "rejections", "id = ?", (id,)) if id else []
        return operation, len(gone)

    def pin_fact(self, id: str, pinned: bool) -> Fact:
        self.get(id)
        operation = self._undo.begin()
        self._undo.change(operation, "facts", id, pinned=pinned)
        return self._after(operation, id)

    def end_fact(self, id: str) -> Fact:
        """What was true is over (a task done): archived, no longer current, still readable. Undoable."""
        self.get(id)
        operation = self._undo.begin()
        self._undo.change(operation, "facts", id, status="archived", valid_to=self._clock())
        return self._after(operation, id)

    def renew_fact(self, id: str) -> Fact:
        """Makes an expired or archived fact current again, for its namespace's lifetime from now. Undoable.

        Raises NotFoundError, and InvalidInputError for any other fact.
        """
        fact = self.get(id)
        now = self._clock()
        past = fact.status == "current" and fact.expires_at is not None and fact.expires_at <= now
        if fact.status not in ("expired", "archived") and not past:
            raise InvalidInputError(
                f"The fact {fact.key!r} is {fact.status}; only an expired or archived one can be renewed."
            )
        namespace = namespace_of(self._db, self._user, fact.key)
        operation = self._undo.begin()
        if namespace.single_valued:
            self._supersede_all(fact.key, fact, operation)
        expires_at = now + namespace.ttl_ms if namespace.ttl_ms else None
        self._undo.change(
            operation, "facts", id, status="current", valid_to=None, expires_at=expires_at, last_used_at=now
        )
        return self._after(operation, id)

    def merge(self, survivor: str, others: Sequence[str]) -> Fact:
        """Makes one fact of several that say the same: the others become its history. Undoable."""
        kept = rows.get_fact(self._db, self._user, survivor)
        now = self._clock()
        operation = self._undo.begin()
        for id in others:
            other = rows.get_fact(self._db, self._user, id)
            kept = dataclasses.replace(
                kept,
                weight=kept.weight + other.weight,
                use_count=kept.use_count + other.use_count,
                pinned=kept.pinned or other.pinned,
                confidence=max(kept.confidence, other.confidence),
                last_used_at=max(kept.last_used_at or 0, other.last_used_at or 0) or None,
            )
            self._undo.change(
                operation,
                "facts",
                id,
                status="superseded",
                superseded_by=survivor,
                superseded_at=now,
                valid_to=other.valid_to or now,
            )
        names = ("weight", "use_count", "pinned", "confidence", "last_used_at")
        self._undo.change(operation, "facts", survivor, **{name: getattr(kept, name) for name in names})
        return self._after(operation, survivor)

    # -- asking --

    def get(self, id: str) -> Fact:
        """A fact that this agent may see. Raises NotFoundError."""
        fact = rows.get_fact(self._db, self._user, id)
        if not self.may_see(fact):
            raise NotFoundError("fact", id)
        return fact

    def is_live(self, fact: Fact) -> bool:
        """Whether it is current and has not expired."""
        return fact.status == "current" and (fact.expires_at is None or fact.expires_at > self._clock())

    def may_see(self, fact: Fact) -> bool:
        return self._agent is None or fact.scope in ("", self._agent)

    def get_fact(self, key: str, *, as_of: int | None = None, known_at: int | None = None) -> Fact | None:
        """The current fact under a key, the newest if there are several. `as_of` asks what was true at that
        time, `known_at` what was believed then (both ms)."""
        now = self._clock()
        if as_of is None and known_at is None:
            current = rows.current_with_key(self._db, self._user, self._agent, key, now)
            return current[0] if current else None
        for fact in rows.facts_of_key(self._db, self._user, self._agent, key):
            if fact.status == "candidate":
                continue
            if known_at is not None and not (
                fact.created_at <= known_at and (fact.superseded_at is None or fact.superseded_at > known_at)
            ):
                continue
            begin = fact.created_at if fact.valid_from is None else fact.valid_from
            if as_of is not None and not (
                begin <= as_of and (fact.valid_to is None or fact.valid_to > as_of)
            ):
                continue
            asked = known_at if as_of is None else as_of
            if asked is not None and fact.expires_at is not None and fact.expires_at <= asked:
                continue
            return fact
        return None

    def list_facts(
        self, *, status: str | None = "current", limit: int | None = None, **filters: Any
    ) -> list[Fact]:
        return rows.list_facts(
            self._db, self._user, self._agent, status=status, now=self._clock(), limit=limit, **filters
        )

    def browse_facts(self, **wanted: Any) -> tuple[list[Fact], int]:
        return rows.browse_facts(self._db, self._user, self._agent, now=self._clock(), **wanted)

    def count_waiting(self) -> dict[str, int]:
        return rows.count_waiting(self._db, self._user, self._agent)

    def waiting_facts(self, counts: Mapping[str, int], limit: int, offset: int) -> list[Fact]:
        return rows.waiting_facts(
            self._db, self._user, self._agent, counts=counts, limit=limit, offset=offset
        )

    def facts_for_prompt(self, limit: int) -> list[Fact]:
        return rows.facts_for_prompt(self._db, self._user, self._agent, now=self._clock(), limit=limit)

    def fact_history(self, key: str) -> list[Fact]:
        """Everything ever held under a key, newest first."""
        return rows.facts_of_key(self._db, self._user, self._agent, key)

    # -- inside --

    def _source_now(self, fact: Fact) -> dict[str, Any]:
        """What the user confirms is supported by the message as it reads now, or by their word alone."""
        if fact.source_message_id is None:
            return {}
        source = find_message(self._db, self._user, fact.source_message_id)
        if source is None:
            return {"source_message_id": None, "source_version_id": None}
        return {"source_version_id": source.version_id}

    def _after(self, operation: Operation, id: str) -> Fact:
        return dataclasses.replace(rows.get_fact(self._db, self._user, id), operation_id=operation.id)

    def _checked(self, key: str, value: str) -> tuple[str, bool, int | None]:
        value = text.clean(value)[0].strip()
        if not value:
            raise InvalidInputError(f"The fact {shown(key)} has no value. Give it one, or forget it.")
        if len(value) > MAX_VALUE_CHARACTERS:
            raise TooLargeError(f"The value of {shown(key)}", len(value), MAX_VALUE_CHARACTERS, "characters")
        if not isinstance(key, str) or not key.isprintable() or key != key.strip():
            raise InvalidInputError(f"A fact key is one line of printable text, not {shown(key)}.")
        if len(key) > MAX_KEY_CHARACTERS:
            raise TooLargeError("The fact key", len(key), MAX_KEY_CHARACTERS, "characters")
        if key.endswith("::"):  # a namespace, not a key in it
            raise UnregisteredKeyError(key)
        namespace = ensure_namespace(self._db, self._user, key, self._clock())
        return value, namespace.single_valued, namespace.ttl_ms

    def _new(
        self, key: str, value: str, status: str, confidence: float, ttl: int | None, details: dict[str, Any]
    ) -> Fact:
        _confidence(confidence)
        now = self._clock()
        values: dict[str, Any] = {
            "category": next((c for prefix, c in _CATEGORY_OF_PREFIX if key.startswith(prefix)), None),
            "agent_id": self._agent,
            "expires_at": now + ttl if ttl else None,
            "valid_from": now if status == "current" else None,
        }
        values.update({name: _detail(name, given) for name, given in details.items() if given is not None})
        return Fact(
            id=uuid7(now),
            user_id=self._user,
            created_at=now,
            key=key,
            value=value,
            confidence=confidence,
            status=status,
            **values,
        )

    def _supersede_all(self, key: str, by: Fact, operation: Operation) -> None:
        now = self._clock()
        for old in rows.facts_of_key(self._db, self._user, self._agent, key):
            if old.status != "current" or old.id == by.id or old.scope != by.scope:
                continue
            self._undo.change(
                operation,
                "facts",
                old.id,
                status="superseded",
                confidence=min(old.confidence, CORRECTED),
                superseded_by=by.id,
                superseded_at=now,
                valid_to=old.valid_to or by.valid_from or now,
                correction_count=old.correction_count + 1,
            )

    def _waiting_beside(self, fact: Fact) -> list[Fact]:
        waiting = rows.waiting_with_key(self._db, self._user, self._agent, fact.key)
        return [other for other in waiting if other.id != fact.id and other.scope == fact.scope]

    def _withdraw_older(self, by: Fact, operation: Operation) -> None:
        """What was proposed under the key before `by` is no question any more and becomes its history. It was
        never believed, so that it counts for no time; nobody said no to it, so that it may come again."""
        for waiting in self._waiting_beside(by):
            older = (waiting.created_at, waiting.id) < (by.created_at, by.id)
            # Both stand in one message, as two daughters do; and a yes to the same value makes one of two.
            together = by.source_message_id is not None and by.source_message_id == waiting.source_message_id
            if not older or together or same_value(waiting.value, by.value):
                continue
            self._undo.change(
                operation,
                "facts",
                waiting.id,
                status="superseded",
                confidence=min(waiting.confidence, CORRECTED),
                superseded_by=by.id,
                superseded_at=waiting.created_at,
                valid_to=waiting.created_at if waiting.valid_from is None else waiting.valid_from,
            )

    def _join_contact(self, fact: Fact, before: list[Fact], operation: Operation) -> None:
        """A phone and an email under one key (`user::contact::phone`, `user::contact::email`) belong to one
        person. `before` are the facts that this one takes the place of. Raises ConflictError, having changed
        nothing, if one of them belongs to someone else."""
        stem, _, kind = fact.key.rpartition("::")
        if kind not in KINDS:
            return
        other = KINDS[1 - KINDS.index(kind)]
        new = normalized_contact(kind, fact.value)
        old = [normalized_contact(kind, gone.value) for gone in before]
        beside = rows.current_with_key(self._db, self._user, self._agent, f"{stem}::{other}", self._clock())
        partner = normalized_contact(other, beside[0].value) if beside else None
        known = [find_identity(self._db, self._user, kind, value) for value in old]
        if partner:
            known.append(find_identity(self._db, self._user, other, partner))
        own = (None, new, *old)
        same = next(
            (row for row in known if row and row[kind] in own and row[other] in (None, partner)), None
        )
        both = {kind: new, other: partner}
        phone, email = both["phone"], both["email"]
        own_id = same["id"] if same else None
        if phone and email and belongs_to_another(self._db, self._user, phone, email, own_id):
            raise ConflictError(
                f"{fact.key!r} cannot be {fact.value!r}: this contact belongs to another identity. "
                "Correct or forget that one first; nothing was changed."
            )
        if same:
            self._undo.change(operation, "identities", same["id"], phone=phone, email=email)
        elif partner or not find_identity(self._db, self._user, kind, new):
            id = insert_identity(self._db, self._user, phone=phone, email=email, now=self._clock())
            self._undo.made(operation, "identities", id)

    def _reinforce(
        self, fact: Fact, confidence: float | None, details: dict[str, Any], *, stated: bool
    ) -> Fact:
        changes: dict[str, Any] = {"weight": fact.weight + REINFORCEMENT}
        if fact.needs_review and details.get("source_message_id"):  # another message supports it now
            support = ("source_message_id", "source_version_id", "quote")
            changes |= {name: text.clean(details[name])[0] if details.get(name) else None for name in support}
            changes["needs_review"] = False
        elif fact.needs_review and stated:
            changes |= {"needs_review": False, **self._source_now(fact)}
        if confidence is not None:
            changes["confidence"] = max(fact.confidence, confidence)
        for name in ("expires_at", "pinned") if stated else ():
            if details.get(name) is not None:
                changes[name] = _detail(name, details[name])
        namespace = namespace_of(self._db, self._user, fact.key)
        if namespace.ttl_ms and "expires_at" not in changes:
            changes["expires_at"] = self._clock() + namespace.ttl_ms
        rows.update_fact(self._db, self._user, fact.id, **changes)
        return rows.get_fact(self._db, self._user, fact.id)
