"""Forgetting: rows go over every table in one transaction, and what stays behind holds no text.

Left are tombstones (ids) and keyed fingerprints, so that neither an older copy nor a new proposal brings it back.
For ten seconds the rows are held in memory for undo(). Traces in the file's older images are the host's to remove.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from . import text as texts
from .clock import DAY_MS, Clock
from .database import Database
from .errors import InvalidInputError, NotFoundError
from .facts import Facts
from .recall import index
from .records import Fact, Message, Receipt
from .rows import facts as fact_rows
from .rows import messages as message_rows
from .rows import sessions as session_rows
from .rows.mentions import facts_mentioning, messages_mentioning, sessions_mentioning, summaries_mentioning
from .rows.messages import messages_before
from .rows.tombstones import add_tombstones
from .undo import Operation, UndoLog

__all__ = ["Forgetting"]

# Places that deleting rows cannot reach, as codes the page has sentences for.
EXPORTED, BROWSER, SOURCE = "exported_files", "browser_storage", "source_message"


@dataclass
class _Going:
    """What is to go."""

    sessions: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    digests: bool = True  # also summaries and snapshots made from the messages


class Forgetting:
    """Deletes what belongs to one owner. Every method expects to run inside a transaction of the caller."""

    def __init__(self, db: Database, user_id: str, clock: Clock, undo: UndoLog, facts: Facts) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._undo = undo
        self._facts = facts

    def forget(
        self,
        *,
        fact_id: str | None = None,
        message_id: str | None = None,
        session_id: str | None = None,
        text: str | None = None,
    ) -> Receipt:
        """Forgets one fact; a message with what was learned from it; a session likewise; or everything that holds
        a text (no difference between capitals, or full and half width).

        Raises NotFoundError, and InvalidInputError unless exactly one thing is named.
        """
        if sum(given is not None for given in (fact_id, message_id, session_id, text)) != 1:
            raise InvalidInputError("Name exactly one of fact_id, message_id, session_id and text to forget.")
        going = _Going()
        beyond = [EXPORTED, BROWSER]
        if fact_id is not None:
            going.facts = [fact_rows.get_fact(self._db, self._user, fact_id)]
            if going.facts[0].source_message_id:
                beyond.append(SOURCE)
        elif message_id is not None:
            going.messages = [message_rows.get_message(self._db, self._user, message_id)]
            going.facts = fact_rows.facts_of_source(self._db, self._user, [message_id])
        elif session_id is not None:
            return self.delete_session(session_id, forget_facts=True)
        elif text is not None:
            wanted = texts.normalize(texts.clean(text)[0]).strip()
            if not wanted:
                raise InvalidInputError("Say what to forget: the text is empty.")
            going.messages = messages_mentioning(self._db, self._user, wanted)
            learned = fact_rows.facts_of_source(self._db, self._user, [m.id for m in going.messages])
            said = facts_mentioning(self._db, self._user, wanted)
            going.facts = list({fact.id: fact for fact in (*learned, *said)}.values())
            going.summaries = summaries_mentioning(self._db, self._user, wanted)
            going.titles = sessions_mentioning(self._db, self._user, wanted)
        return self._remove(going, tuple(beyond))

    def delete_session(self, session_id: str, *, forget_facts: bool = False) -> Receipt:
        """Deletes a session with all that lies in it. Facts outlive it unless `forget_facts`; unconfirmed ones go."""
        if session_rows.find_session(self._db, self._user, session_id) is None:
            raise NotFoundError("session", session_id)
        ids = message_rows.ids_of_session(self._db, self._user, session_id)
        learned = fact_rows.facts_of_source(self._db, self._user, ids)
        going = _Going(sessions=[session_id])
        going.facts = [fact for fact in learned if forget_facts or fact.status == "candidate"]
        return self._remove(going, (EXPORTED, BROWSER), fingerprints=forget_facts)

    def cleanup(self, days: int, *, delete: bool) -> Receipt:
        """Messages older than `days`; facts and summaries stay. Without `delete` only the counts are given."""
        if days < 1:
            raise InvalidInputError(f"Messages can be cleaned up from an age of one day on, not {days}.")
        old = messages_before(self._db, self._user, self._clock() - days * DAY_MS)
        if not delete:
            return Receipt(operation_id="", counts={"messages": len(old)}, undo_until=0)
        return self._remove(_Going(messages=old, digests=False), (EXPORTED, BROWSER))

    # -- inside --

    def _remove(self, going: _Going, beyond: tuple[str, ...], *, fingerprints: bool = True) -> Receipt:
        operation = self._undo.begin()
        counts: dict[str, int] = {}

        def take(table: str, where: str, *parameters: str) -> None:
            if count := self._undo.take(operation, table, where, parameters):
                counts[table] = counts.get(table, 0) + count

        for fact in going.facts:
            take("facts", "id = ? AND user_id = ?", fact.id, self._user)
            if fingerprints:
                self._facts.refuse(fact, operation)
            self._traces("facts", fact.id, operation, counts)
        for id in going.sessions:
            self._take_session(id, operation, counts)
        by_session: dict[str, list[Message]] = {}
        for message in going.messages:
            by_session.setdefault(message.session_id, []).append(message)
        for session_id, messages in by_session.items():
            self._take_messages(session_id, messages, going.digests, operation, counts)
        for id in going.summaries:
            take("summaries", "id = ? AND user_id = ?", id, self._user)
        for id in going.titles:
            self._undo.keep(operation, "sessions", "id = ?", (id,))
            session_rows.set_title(self._db, self._user, id, None)
        if going.sessions or going.messages:
            index.optimize(self._db)
        counts.pop("event_salts", None)
        return Receipt(operation.id, counts, operation.until, beyond)

    def _take_session(self, id: str, operation: Operation, counts: dict[str, int]) -> None:
        messages = message_rows.ids_of_session(self._db, self._user, id)
        seqs = message_rows.seqs_of_session(self._db, self._user, id)
        for table in ("messages", "tool_calls", "summaries", "snapshots"):
            if count := self._undo.keep(operation, table, "session_id = ? AND user_id = ?", (id, self._user)):
                counts[table] = counts.get(table, 0) + count
        for message_id in messages:
            for table in ("message_versions", "uses"):
                if count := self._undo.keep(operation, table, "message_id = ?", (message_id,)):
                    counts[table] = counts.get(table, 0) + count
            self._traces("messages", message_id, operation, counts)
        index.remove(self._db, seqs)
        self._undo.take(operation, "sessions", "id = ? AND user_id = ?", (id, self._user))
        counts["sessions"] = counts.get("sessions", 0) + 1
        self._traces("sessions", id, operation, counts)

    def _take_messages(
        self, session_id: str, messages: list[Message], digests: bool, operation: Operation, counts: dict[str, int]
    ) -> None:
        gone = {message.id: message.parent_id for message in messages}
        session = session_rows.get_session(self._db, self._user, session_id)
        self._undo.keep(operation, "sessions", "id = ?", (session_id,))
        children = message_rows.children_of(self._db, self._user, session_id, gone)
        for child, _ in children:
            self._undo.keep(operation, "messages", "id = ?", (child,))
        message_rows.relink_children(self._db, self._user, session_id, gone)
        shown = session.current_message_id
        while shown in gone:
            shown = gone[shown]
        session_rows.set_current_message(self._db, self._user, session_id, shown)
        index.remove(self._db, [message_rows.seq_of(self._db, self._user, id) for id in gone])
        for id in gone:
            for table in ("message_versions", "tool_calls", "uses"):
                if count := self._undo.take(operation, table, "message_id = ?", (id,)):
                    counts[table] = counts.get(table, 0) + count
            self._undo.take(operation, "messages", "id = ? AND user_id = ?", (id, self._user))
            counts["messages"] = counts.get("messages", 0) + 1
            self._traces("messages", id, operation, counts)
        if digests:
            for table in ("summaries", "snapshots"):
                if count := self._undo.take(operation, table, "session_id = ?", (session_id,)):
                    counts[table] = counts.get(table, 0) + count

    def _traces(self, kind: str, id: str, operation: Operation, counts: dict[str, int]) -> None:
        """What other tables hold about a row that goes, and the tombstone it leaves."""
        wheres: Iterable[tuple[str, str]] = (
            ("uses", "memory_id = ?"),
            ("embeddings", "memory_id = ?"),
            ("event_salts", "subject_id = ?"),
        )
        for table, where in wheres:
            if count := self._undo.take(operation, table, where, (id,)):
                counts[table] = counts.get(table, 0) + count
        add_tombstones(self._db, self._user, kind, [id], self._clock())
        self._undo.made(operation, "tombstones", self._user, kind, id)
