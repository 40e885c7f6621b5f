"""The state of a memory: what is wrong with it or waits for the user, and what can be done about each."""

from __future__ import annotations

from .clock import Clock
from .database import Database
from .errors import InvalidInputError
from .facts import Facts
from .recall import index
from .records import Finding
from .rows import facts as fact_rows
from .rows import health
from .trace import verify
from .undo import UndoLog
from .weight import may_rest, quality

__all__ = ["Health"]

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
}

# Keys under which one value cannot stand at the same time.
OPPOSITES = (("user::likes", "user::dislikes"), ("user::likes", "user::allergy"))


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
            "contradictions": [older for older, _ in self._opposites()],
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
        """Does what the finding says can be done, and returns how many rows it concerned. Merging and
        archiving can be undone."""
        if kind not in FIXES:
            raise InvalidInputError(f"There is no finding {kind!r}; there are {', '.join(FIXES)}.")
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

    def _opposites(self) -> list[tuple[str, str]]:
        return [
            pair
            for one, other in OPPOSITES
            for pair in health.opposite_facts(self._db, self._user, one, other)
        ]

    # -- fixes --

    def _dispute(self) -> int:
        """Of two that exclude each other the newer stays, and the older is put to the user."""
        older = {older for older, _ in self._opposites()}
        operation = self._undo.begin()
        for id in sorted(older):
            self._undo.change(operation, "facts", id, status="disputed")
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
        for id in ids:
            fact_rows.update_fact(self._db, self._user, id, needs_review=True)
        return len(ids)

    def _expire(self) -> int:
        ids = health.stale_facts(self._db, self._user, self._clock())
        for id in ids:
            fact_rows.update_fact(self._db, self._user, id, status="expired")
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
