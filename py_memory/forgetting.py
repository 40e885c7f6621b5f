"""Forgetting: rows go over every table in one transaction, and what stays behind holds no text.

Left are tombstones (ids) and keyed fingerprints, so that neither an older copy nor a new proposal brings it
back. For ten seconds the rows are held in memory for undo(). Traces in the file's older images are the host's
to remove.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import text as texts
from .clock import DAY_MS, Clock
from .database import Database
from .errors import InvalidInputError, NotFoundError
from .facts import Facts
from .recall import index
from .records import Fact, Message, Receipt
from .rows import facts as fact_rows
from .rows import identities, images
from .rows import messages as message_rows
from .rows import sessions as session_rows
from .rows.mentions import ids_mentioning
from .rows.tombstones import add_tombstones, is_forgotten
from .undo import Operation, UndoLog

__all__ = ["Forgetting"]

# Places that deleting rows cannot reach, as codes the page has sentences for.
EXPORTED, BROWSER, SOURCE = "exported_files", "browser_storage", "source_message"
# Rows that an older copy of the memory could bring back by themselves. Versions and uses go with their
# message.
_LEAVE_TOMBSTONES = {
    "sessions",
    "messages",
    "tool_calls",
    "facts",
    "identities",
    "summaries",
    "snapshots",
    "experiences",
}
_BY_ID = ("tool_calls", "identities", "uses", "summaries", "snapshots", "experiences")


@dataclass
class _Going:
    """What is to go."""

    sessions: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    others: dict[str, list[str]] = field(default_factory=dict)  # table → ids
    blanked: list[str] = field(default_factory=list)  # sessions that stay without title and metadata
    stand_alone: bool = False  # facts that stay do so without their message, and ask for no review
    digests: bool = True  # also summaries and snapshots made from the messages
    fingerprints: bool = True  # facts are not to be proposed again


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
        keep_facts: bool = False,
    ) -> Receipt:
        """Forgets one fact; a message with what was learned from it; a session likewise; or everything that
        holds a text (no difference between capitals, or full and half width). With `keep_facts` what was
        learned from a message stays, on its quote alone.

        Raises NotFoundError, and InvalidInputError unless exactly one thing is named.
        """
        if sum(given is not None for given in (fact_id, message_id, session_id, text)) != 1:
            raise InvalidInputError("Name exactly one of fact_id, message_id, session_id and text to forget.")
        if session_id is not None:
            return self.delete_session(session_id, forget_facts=True)
        if text is not None:
            return self._forget_text(text)
        going = _Going()
        beyond = [EXPORTED, BROWSER]
        if fact_id is not None:
            going.facts = [fact_rows.get_fact(self._db, self._user, fact_id)]
            if going.facts[0].source_message_id:
                beyond.append(SOURCE)
        elif message_id is not None:
            going.messages = [message_rows.get_message(self._db, self._user, message_id)]
            learned = fact_rows.facts_of_source(self._db, self._user, [message_id])
            going.facts = [fact for fact in learned if not keep_facts or fact.status == "candidate"]
            going.stand_alone, going.fingerprints = keep_facts, not keep_facts
        return self._remove(going, beyond)

    def delete_session(self, session_id: str, *, forget_facts: bool = False) -> Receipt:
        """Deletes a session with all that lies in it. Facts outlive it unless `forget_facts`; unconfirmed
        ones go."""
        if session_rows.find_session(self._db, self._user, session_id) is None:
            raise NotFoundError("session", session_id)
        ids = message_rows.ids_of_session(self._db, self._user, session_id)
        learned = fact_rows.facts_of_source(self._db, self._user, ids)
        going = _Going(sessions=[session_id], fingerprints=forget_facts)
        going.facts = [fact for fact in learned if forget_facts or fact.status == "candidate"]
        return self._remove(going, [EXPORTED, BROWSER])

    def cleanup(self, days: int, *, delete: bool) -> Receipt:
        """Messages older than `days`; facts and summaries stay. Without `delete` only the counts are
        given."""
        old = message_rows.messages_before(self._db, self._user, self._clock() - days * DAY_MS)
        if not delete:
            return Receipt(operation_id="", counts=self._counts(old), undo_until=0)
        return self._remove(_Going(messages=old, stand_alone=True, digests=False), [EXPORTED, BROWSER])

    def follow(self, forgotten: Iterable[tuple[str, str]]) -> None:
        """Removes what was forgotten in another copy of the memory, as (table, id), where it is here."""
        going = _Going(fingerprints=False)
        for table, id in forgotten:
            if table not in _LEAVE_TOMBSTONES:
                continue
            if not images.read_where(self._db, table, "id = ? AND user_id = ?", (id, self._user)):
                continue
            if table == "sessions":
                going.sessions.append(id)
            elif table == "messages":
                going.messages.append(message_rows.get_message(self._db, self._user, id))
            elif table == "facts":
                going.facts.append(fact_rows.get_fact(self._db, self._user, id))
            else:
                going.others.setdefault(table, []).append(id)
        going.messages = [message for message in going.messages if message.session_id not in going.sessions]
        if going != _Going(fingerprints=False):
            self._remove(going, [])

    # -- inside --

    def _forget_text(self, text: str) -> Receipt:
        wanted = texts.normalize(texts.clean(text)[0]).strip()
        if not wanted:
            raise InvalidInputError("Say what to forget: the text is empty.")

        def mentioning(table: str) -> list[str]:
            return ids_mentioning(self._db, self._user, table, wanted)

        going = _Going(others={table: mentioning(table) for table in _BY_ID}, blanked=mentioning("sessions"))
        said = dict.fromkeys((*mentioning("message_versions"), *mentioning("messages")))
        going.messages = [message_rows.get_message(self._db, self._user, id) for id in said]
        learned = fact_rows.facts_of_source(self._db, self._user, said)
        stated = [fact_rows.get_fact(self._db, self._user, id) for id in mentioning("facts")]
        going.facts = list({fact.id: fact for fact in (*learned, *stated)}.values())
        return self._remove(going, [EXPORTED, BROWSER])

    def _remove(self, going: _Going, beyond: list[str]) -> Receipt:
        operation = self._undo.begin()
        self._loosen(going, operation)
        removal = _Removal(self._db, self._user, self._clock(), self._undo, operation)
        for fact in going.facts:
            removal.take_fact(fact)
            if going.fingerprints:
                self._facts.refuse(fact, operation)
        for id in going.sessions:
            removal.take_session(id)
        by_session: dict[str, list[Message]] = {}
        for message in going.messages:
            by_session.setdefault(message.session_id, []).append(message)
        for session_id, messages in by_session.items():
            removal.take_messages(session_id, messages, digests=going.digests)
        for table, ids in going.others.items():
            for id in ids:
                removal.take(table, "id = ? AND user_id = ?", id, self._user)
        for id in going.blanked:
            removal.blank_session(id)
        if going.sessions or going.messages or going.facts or any(going.others.values()):
            index.optimize(self._db, messages=bool(going.sessions or going.messages))
        return Receipt(operation.id, dict(removal.counts), operation.until, tuple(beyond))

    def _loosen(self, going: _Going, operation: Operation) -> None:
        """Facts that stay while the message goes that they came from: they ask for review, or, where old
        messages are cleared away to save space, stand on their quote alone."""
        taken = {fact.id for fact in going.facts}
        ids = [message.id for message in going.messages]
        for session in going.sessions:
            ids += message_rows.ids_of_session(self._db, self._user, session)
        for fact in fact_rows.facts_of_source(self._db, self._user, ids):
            if fact.id in taken:
                continue
            if not going.stand_alone:
                self._undo.change(operation, "facts", fact.id, needs_review=True)
            else:
                self._undo.change(operation, "facts", fact.id, source_message_id=None, source_version_id=None)

    def _counts(self, messages: list[Message]) -> dict[str, int]:
        """What taking the messages would remove."""
        found: dict[str, set[str]] = {"messages": {message.id for message in messages}}
        for message in messages:
            for table, where in (
                ("message_versions", "message_id = ?1"),
                ("tool_calls", "message_id = ?1"),
                ("uses", "message_id = ?1 OR memory_id = ?1"),
            ):
                rows = images.read_where(self._db, table, where, (message.id,))
                found.setdefault(table, set()).update(row["id"] for row in rows)
        return {table: len(ids) for table, ids in found.items() if ids or table == "messages"}


class _Removal:
    """One operation that takes rows away, with what belongs to them, and counts them by table."""

    def __init__(self, db: Database, user_id: str, now: int, undo: UndoLog, operation: Operation) -> None:
        self._db = db
        self._user = user_id
        self._now = now
        self._undo = undo
        self._operation = operation
        self.counts: Counter[str] = Counter()

    def take(self, table: str, where: str, *parameters: Any) -> None:
        """Takes rows, what other tables hold about them, and leaves their tombstones."""
        rows = self._undo.take(self._operation, table, where, parameters)
        if not rows:
            return
        self.counts[table] += len(rows)
        if table not in _LEAVE_TOMBSTONES:
            return
        for row in rows:
            id = row["id"]
            self.take("uses", "memory_id = ?", id)
            self.take("embeddings", "user_id = ? AND memory_id = ?", self._user, id)
            self._undo.take(self._operation, "event_salts", "subject_id = ?", (id,))
            if not is_forgotten(self._db, self._user, table, id):
                add_tombstones(self._db, self._user, table, [id], self._now)
                self._undo.made(self._operation, "tombstones", self._user, table, id)

    def take_fact(self, fact: Fact) -> None:
        self.take("facts", "id = ? AND user_id = ?", fact.id, self._user)
        kind = fact.key.rpartition("::")[2]
        if kind in identities.KINDS:
            value = identities.normalized_contact(kind, fact.value)
            self.take("identities", f"{kind} = ? AND user_id = ?", value, self._user)

    def take_session(self, id: str) -> None:
        index.remove(self._db, message_rows.seqs_of_session(self._db, self._user, id))
        for message_id in message_rows.ids_of_session(self._db, self._user, id):
            for table in ("message_versions", "uses"):
                self.take(table, "message_id = ?", message_id)
        for table in ("tool_calls", "summaries", "snapshots", "messages"):
            self.take(table, "session_id = ?", id)
        self.take("sessions", "id = ?", id)

    def take_messages(self, session_id: str, messages: list[Message], *, digests: bool) -> None:
        gone = {message.id: message.parent_id for message in messages}
        session = session_rows.get_session(self._db, self._user, session_id)
        if _names_any(session.title, messages):
            self._undo.change(self._operation, "sessions", session_id, title=None)
        index.remove(self._db, [message_rows.seq_of(self._db, self._user, id) for id in gone])
        for id in gone:
            for table in ("message_versions", "tool_calls", "uses"):
                self.take(table, "message_id = ?", id)
            self.take("messages", "id = ?", id)
        self._undo.lineage.went(self._user, session_id, gone, session.current_message_id)
        if digests:
            for table in ("summaries", "snapshots"):
                self.take(table, "session_id = ?", session_id)

    def blank_session(self, id: str) -> None:
        """The session stays without title and metadata."""
        self._undo.change(self._operation, "sessions", id, title=None, metadata_json="{}")


def _names_any(title: str | None, messages: list[Message]) -> bool:
    """Whether a title is the beginning of one of the messages."""
    start = texts.normalize(title or "").rstrip(".… ")
    return bool(start) and any(
        texts.normalize(" ".join(message.content.split())).startswith(start) for message in messages
    )
