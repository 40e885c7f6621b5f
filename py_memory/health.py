"""The state of a memory: what is wrong with it or waits for the user, and what can be done about each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .clock import DAY_MS, Clock
from .database import Database
from .errors import InvalidInputError, shown
from .facts import Facts, both_stand
from .readings import DISPUTES
from .recall import index
from .records import Conflict, Fact, Finding
from .rows import facts as fact_rows
from .rows import health
from .rows.namespaces import namespace_of
from .rows.rejections import is_rejected
from .rows.settings import get_setting, set_setting
from .topics import Contradiction, contradictions, has_topic
from .trace import verify
from .undo import UndoLog
from .weight import may_rest, quality

__all__ = ["Health", "can_be_undone"]

# Kinds of findings, and what fix() does about each. The page and the command line have the sentences.
FIXES = {
    "damaged": None,  # nothing here can mend a file; an earlier generation or copy can
    "chain_broken": None,  # says that somebody changed the file by other means
    "index_unsound": "rebuild",
    "orphans": "delete",
    "duplicates": "merge",
    "unsupported": "review",
    "stale": "expire",
    "resting": "archive",
    "contradictions": "dispute",
    "conflicts": None,  # the user decides, by confirm_fact() or reject_fact()
    "waiting": None,  # likewise
    "embedder": None,  # the one connected could not be used: recall goes by words alone
}
# What leaves nothing to take back: an index that is right, and rows that nothing could reach.
FINAL = frozenset({"rebuild", "delete"})

CHECK_EVERY_MS = 30 * DAY_MS  # facts of one topic are looked through for contradictions
DUE = "topics.due"


def can_be_undone(kind: str) -> bool:
    return FIXES[kind] not in FINAL


class Health:
    """Looks after one owner's memory. Every method expects a transaction of the caller."""

    def __init__(self, db: Database, user_id: str, clock: Clock, undo: UndoLog, facts: Facts) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._undo = undo
        self._facts = facts

    def findings(self) -> list[Finding]:
        """One for each kind of which there is any, the gravest first."""
        now = self._clock()
        facts = fact_rows.list_facts(self._db, self._user, None, status=None, now=now)
        chain = verify(self._db)
        subjects: dict[str, list[str]] = {
            "damaged": self._db.integrity_check(quick=True),
            "chain_broken": [] if chain.ok else [str(chain.first_bad_seq)],
            "index_unsound": [] if index.is_sound(self._db) else ["message_search"],
            "orphans": [f"{table} {id}" for table, id in health.orphans(self._db, self._user)],
            "duplicates": [id for group in self._duplicates() for id in group[1:]],
            "unsupported": health.unsupported_facts(self._db, self._user),
            "stale": health.stale_facts(self._db, self._user, now),
            "resting": [fact.id for fact in facts if may_rest(fact, now)],
            "contradictions": list(dict.fromkeys(found.older.id for found in self._contradictions())),
            "conflicts": [fact.id for fact in facts if fact.status == "disputed"],
            "waiting": [
                fact.id
                for fact in facts
                if fact.status == "candidate" or (fact.status == "current" and fact.needs_review)
            ],
        }
        return [
            Finding(kind, len(found), tuple(found[:100]), FIXES[kind])
            for kind, found in subjects.items()
            if found
        ]

    def fix(self, kind: str) -> int:
        """Does what the finding says can be done, and returns how many rows it concerned."""
        if not isinstance(kind, str) or kind not in FIXES:
            raise InvalidInputError(f"There is no finding {shown(kind)}; there are {', '.join(FIXES)}.")
        fix = FIXES[kind]
        if fix is None:
            raise InvalidInputError(f"Nothing can be done about {kind!r} without the user's decision.")
        count: int = getattr(self, f"_{fix}")()
        return count

    def weigh(self) -> int:
        """Notes the quality of every current fact as it is now. Returns how many changed."""
        now = self._clock()
        changed = 0
        for fact in fact_rows.list_facts(self._db, self._user, None, status="current", now=now):
            worth = round(quality(fact, now), 3)
            if fact.quality is None or abs(fact.quality - worth) >= 0.05:
                fact_rows.update_fact(self._db, self._user, fact.id, quality=worth)
                changed += 1
        return changed

    def _contradictions(self) -> list[Contradiction]:
        """Without those of which the user has said that both hold."""
        facts = fact_rows.current_of_all_agents(self._db, self._user, self._clock())
        return [
            found
            for found in contradictions(facts)
            if not is_rejected(self._db, self._user, both_stand(found))
        ]

    def conflicts(self) -> list[Conflict]:
        """Every disputed fact that the agent sees, with what it disagrees with."""
        return self.conflicts_of(self._facts.list_facts(status="disputed"))

    def conflicts_of(self, disputed: Sequence[Fact]) -> list[Conflict]:
        """Of these, what each disagrees with."""
        out: list[Conflict] = []
        facts = self._facts.list_facts() if disputed else []
        topical = [fact for fact in facts if has_topic(fact)]
        for fact in disputed:
            asserted = dataclasses.replace(fact, status="current")
            out += [
                Conflict(fact, other, "value")
                for other in facts
                if other.key == fact.key and other.scope == fact.scope and not self._many(fact.key)
            ]
            for found in contradictions([asserted, *topical]):
                if asserted in (found.older, found.newer):
                    other = found.newer if found.older is asserted else found.older
                    out.append(Conflict(fact, other, found.why))
            known = {conflict.other.id for conflict in out if conflict.fact is fact}
            seen = self._seen_by_a_model(fact) - known
            out += [Conflict(fact, other, "model") for other in facts if other.id in seen]
        return out

    def _seen_by_a_model(self, fact: Fact) -> set[str]:
        """Ids of the facts that a model has said it contradicts."""
        pairs = get_setting(self._db, self._user, DISPUTES, [])
        return {newer for older, newer in pairs if older == fact.id}

    def _many(self, key: str) -> bool:
        return not namespace_of(self._db, self._user, key).single_valued

    # -- what is due --

    def check_if_due(self) -> int:
        """Looks through the topics if a month has passed since the last time. Returns how many facts it has
        disputed."""
        now = self._clock()
        due = get_setting(self._db, self._user, DUE)
        if not isinstance(due, int):
            oldest = fact_rows.oldest_current(self._db, self._user)
            due = None if oldest is None else oldest + CHECK_EVERY_MS
        if due is None or due > now:
            return 0
        return self._dispute()

    # -- fixes --

    def _dispute(self) -> int:
        """Of two that exclude each other the newer stays, and the older is put to the user."""
        set_setting(self._db, self._user, DUE, self._clock() + CHECK_EVERY_MS, self._clock())
        older: set[str] = set()
        operation = self._undo.begin()
        # The newest first: what is disputed itself disputes nothing.
        found = self._contradictions()
        for pair in sorted(found, key=lambda pair: (pair.newer.created_at, pair.newer.id), reverse=True):
            if pair.newer.id not in older and pair.older.id not in older:
                older.add(pair.older.id)
                self._undo.change(operation, "facts", pair.older.id, status="disputed")
        return len(older)

    def _rebuild(self) -> int:
        index.rebuild(self._db)
        return 1

    def _delete(self) -> int:
        return health.delete_orphans(self._db, self._user)

    def _duplicates(self) -> list[list[str]]:
        return health.duplicate_facts(self._db, self._user)

    def _merge(self) -> int:
        """Of facts that say the same the oldest stays, with what the others were used and weighed."""
        merged = 0
        for survivor, *others in self._duplicates():
            self._facts.merge(survivor, others)
            merged += len(others)
        return merged

    def _review(self) -> int:
        ids = health.unsupported_facts(self._db, self._user)
        operation = self._undo.begin()
        for id in ids:
            self._undo.change(operation, "facts", id, needs_review=True)
        return len(ids)

    def _expire(self) -> int:
        ids = health.stale_facts(self._db, self._user, self._clock())
        operation = self._undo.begin()
        for id in ids:
            self._undo.change(operation, "facts", id, status="expired")
        return len(ids)

    def _archive(self) -> int:
        now = self._clock()
        resting = [
            fact
            for fact in fact_rows.list_facts(self._db, self._user, None, status="current", now=now)
            if may_rest(fact, now)
        ]
        operation = self._undo.begin()
        for fact in resting:
            self._undo.change(operation, "facts", fact.id, status="archived", quality=quality(fact, now))
        return len(resting)
