"""What an owner decides about two versions of one thing: a change that lost against another device's, or two
facts that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from py_memory.checks import check_choice, check_id
from py_memory.clock import Clock
from py_memory.database import Database
from py_memory.errors import ConflictError, InvalidInputError, NotFoundError
from py_memory.facts import Facts
from py_memory.ids import uuid7
from py_memory.records import Fact, SyncConflict
from py_memory.rows import facts as fact_rows
from py_memory.rows import images
from py_memory.rows import sync as rows
from py_memory.rows.namespaces import namespace_of
from py_memory.rows.tombstones import is_forgotten
from py_memory.titles import checked_title

from .copies import copy_id
from .kinds import CONFLICTS, KINDS

__all__ = ["DISPUTE_TAKES", "TAKES", "Settling"]

TAKES = ("kept", "lost", "both", "new")
DISPUTE_TAKES = ("current", "disputed", "both", "new")


class Settling:
    """Of one owner. Every method but conflicts() expects to run inside a transaction of the caller."""

    def __init__(self, db: Database, user_id: str, clock: Clock, facts: Facts) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._facts = facts

    def conflicts(self) -> list[SyncConflict]:
        """Changes that lost and nobody has looked at yet, oldest first."""
        found = []
        for conflict in rows.list_conflicts(self._db, self._user):
            kind, part = conflict["kind"], conflict["part"]
            here = self._row(kind, conflict["row_id"])
            if here is None or part not in KINDS[kind].groups:
                continue
            columns = KINDS[kind].groups[part].columns
            found.append(
                SyncConflict(
                    conflict["id"],
                    kind,
                    conflict["row_id"],
                    part,
                    int(conflict["stamp"][:12], 16),
                    {column: here[column] for column in columns},
                    {column: conflict["values"].get(column) for column in columns},
                    here["key"] if kind == "facts" else None,
                    self._takes(kind, part, here),
                )
            )
        return found

    def settle(self, id: str, take: str, value: str | None) -> SyncConflict:
        """Ends a conflict, on all devices with the next sync. Returns what it was."""
        check_id(id, "conflict")
        check_choice(take, "What is taken", TAKES)
        if (value is None) == (take == "new"):
            raise InvalidInputError("A value is given where a new one is taken, and only there.")
        conflict = next((found for found in self.conflicts() if found.id == id), None)
        if conflict is None:
            raise NotFoundError("conflict", id)
        if take not in conflict.takes:
            raise InvalidInputError(
                f"Of this conflict can be taken: {', '.join(conflict.takes)}. It is about "
                f"{conflict.kind}, {conflict.part}."
            )
        if take == "lost":
            self._put(conflict, conflict.lost)
        elif take == "both":
            self._keep_both(conflict)
        elif take == "new":
            self._write(conflict, str(value))
        rows.remove_conflict(self._db, self._user, id)
        rows.mark(self._db, self._user, CONFLICTS, id, "", self._clock())
        return conflict

    def settle_dispute(self, fact_id: str, take: str, value: str | None, others: Sequence[Fact]) -> Fact:
        """Ends the dispute about a disputed fact; `others` are what it disagrees with. Returns the fact that
        holds now."""
        check_id(fact_id, "fact")
        check_choice(take, "What is taken", DISPUTE_TAKES)
        if (value is None) == (take == "new"):
            raise InvalidInputError("A value is given where a new one is taken, and only there.")
        disputed = self._facts.get(fact_id)
        if disputed.status != "disputed":
            raise InvalidInputError(f"The fact {disputed.key!r} is {disputed.status}, not disputed.")
        single = namespace_of(self._db, self._user, disputed.key).single_valued
        if take == "both" and single and any(other.key == disputed.key for other in others):
            raise InvalidInputError(
                f"{disputed.key!r} holds one value at a time, so both cannot hold. Take one, or write a new "
                "one."
            )
        if take == "both":
            return self._facts.confirm_fact(fact_id)
        if take == "disputed":
            for other in others:
                if other.key != disputed.key or not single:  # else it becomes the history of this one
                    self._facts.end_fact(other.id)
            return self._facts.confirm_fact(fact_id)
        ended = self._facts.end_fact(fact_id)
        return ended if value is None else self._facts.set_fact(disputed.key, value)

    # -- inside --

    def _takes(self, kind: str, part: str, here: dict[str, Any]) -> tuple[str, ...]:
        if (kind, part) == ("facts", "state"):
            return TAKES
        if (kind, part) == ("sessions", "meta"):
            return ("kept", "lost", "new")
        return ("kept", "lost")

    def _put(self, conflict: SyncConflict, values: Any) -> None:
        key = images.key_of(conflict.kind, self._row(conflict.kind, conflict.row_id) or {})
        images.update_row(self._db, conflict.kind, key, values)

    def _keep_both(self, conflict: SyncConflict) -> None:
        """What lost becomes a fact of its own: beside the other one under a key that holds many values, else
        in its history, where it can be read and said again."""
        here = fact_rows.get_fact(self._db, self._user, conflict.row_id)
        lost = dict(conflict.lost)
        if fact_rows.folded(str(lost["value"])) == fact_rows.folded(here.value):
            raise InvalidInputError("Both say the same, so that there are no two to keep. Take one of them.")
        now = self._clock()
        row = self._row("facts", here.id) or {}
        id = copy_id(here.id, conflict.changed_at)
        if there := images.read_row(self._db, "facts", (id,)):
            if there["value_folded"] == fact_rows.folded(
                lost["value"]
            ):  # another device has kept both as well
                return
            id = uuid7(now)
        elif is_forgotten(self._db, self._user, "facts", id):
            id = uuid7(now)
        many = not namespace_of(self._db, self._user, here.key).single_valued
        beside = many and here.status == "current" and lost["status"] == "current"
        place: dict[str, Any] = {"status": "current"} if beside else {"status": "superseded"}
        if not beside:
            place |= {"superseded_by": here.id, "superseded_at": now, "valid_to": lost["valid_to"] or now}
        made = {**row, **lost, **place, "id": id, "seq": None, "created_at": conflict.changed_at}
        made |= {"value_folded": fact_rows.folded(lost["value"]), "use_count": 0, "last_used_at": None}
        if problem := images.insert_unless_refused(self._db, "facts", made):
            raise ConflictError(f"Both cannot be kept: {problem}. Take one of them, or write a new one.")

    def _write(self, conflict: SyncConflict, value: str) -> None:
        if conflict.kind == "sessions":
            title = checked_title(value)
            if title is None:
                raise InvalidInputError("The title is empty. Write one, or take one of the two.")
            self._put(conflict, {"title": title})
            return
        here = fact_rows.get_fact(self._db, self._user, conflict.row_id)
        made = self._facts.set_fact(here.key, value)
        single = namespace_of(self._db, self._user, here.key).single_valued
        if made.id != here.id and not single and here.status == "current":
            self._facts.end_fact(here.id)

    def _row(self, kind: str, id: str) -> dict[str, Any] | None:
        about = KINDS.get(kind)
        where = f"{about.id} = ? AND user_id = ?" if about else ""
        found = images.read_where(self._db, kind, where, (id, self._user)) if about else []
        return found[0] if found else None
