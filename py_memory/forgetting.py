"""Forgetting: rows go over every table in one transaction, and what stays behind holds no text.

Left are tombstones (ids) and keyed fingerprints, so that neither an older copy nor a new proposal brings it
back. For ten seconds the rows are held in memory for undo(). Traces in the file's older images are the host's
to remove.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from . import text as texts
from .clock import DAY_MS, Clock
from .consolidation import Consolidation, Covered
from .database import Database
from .errors import InvalidInputError, NotFoundError
from .facts import Facts
from .recall import index
from .records import Fact, Receipt
from .removal import LEAVE_TOMBSTONES, Removal
from .rows import cleaning, images, settings, stats
from .rows import facts as fact_rows
from .rows import messages as message_rows
from .rows import sessions as session_rows
from .rows import sync as sync_rows
from .rows.mentions import ids_mentioning, prefixes_mentioning
from .rows.messages import Place
from .rows.tombstones import BLANKED
from .undo import Operation, UndoLog

__all__ = ["Forgetting"]

# Places that deleting rows cannot reach, as codes the page has sentences for.
OFFERED = "cleanup_offered_at"  # setting: when cleaning was offered or done last (ms)
OFFER_EVERY_MS = 30 * DAY_MS
EXPORTED, BROWSER, SOURCE = "exported_files", "browser_storage", "source_message"
_BY_ID = ("tool_calls", "identities", "uses", "summaries", "snapshots", "experiences")


@dataclass
class _Going:
    """What is to go."""

    sessions: list[str] = field(default_factory=list)
    messages: list[Place] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    others: dict[str, list[str]] = field(default_factory=dict)  # table → ids
    blanked: list[tuple[str, str]] = field(default_factory=list)  # sessions that stay, a column that goes
    sources: str = (
        "reviewed"  # facts that stay ask for review; or their link to the message is "cut" or "kept"
    )
    digests: bool = (
        True  # what was made from the messages, too: summaries anew from what is left, no snapshots
    )
    fingerprints: bool = True  # facts are not to be proposed again
    text: str | None = None  # what all of it holds


class Forgetting:
    """Deletes what belongs to one owner. Every method expects to run inside a transaction of the caller."""

    def __init__(
        self,
        db: Database,
        user_id: str,
        clock: Clock,
        undo: UndoLog,
        facts: Facts,
    ) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._undo = undo
        self._facts = facts
        self._consolidation = Consolidation(db, user_id, clock, undo, facts)

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
            going.facts = [self._facts.get(fact_id)]
            if going.facts[0].source_message_id:
                beyond.append(SOURCE)
            value = texts.normalize(going.facts[0].value).strip()
            # The state of a task may hold it as well; a shorter value stands in too many texts.
            if len(value) >= (2 if texts.has_cjk(value) else 3):
                going.others = {"snapshots": ids_mentioning(self._db, self._user, "snapshots", value)}
        elif message_id is not None:
            going.messages = [message_rows.get_place(self._db, self._user, message_id)]
            learned = fact_rows.facts_of_source(self._db, self._user, [message_id])
            going.facts = [fact for fact in learned if not keep_facts or fact.status == "candidate"]
            going.sources = "cut" if keep_facts else "reviewed"
            going.fingerprints = not keep_facts
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

    def forget_experience(self, id: str) -> Receipt:
        return self._remove(_Going(others={"experiences": [id]}), [EXPORTED, BROWSER])

    def cleanup(self, days: int, *, delete: bool) -> Receipt:
        """Messages older than `days`. Facts stay as they are, with the id and the quote of their message;
        summaries stay. Without `delete` only the counts are given."""
        before = self._clock() - days * DAY_MS
        if not delete:
            return Receipt("", cleaning.count_old(self._db, self._user, before), undo_until=0)
        going = _Going(sources="kept", digests=False)
        going.messages = [
            message_rows.get_place(self._db, self._user, id)
            for id in cleaning.old_messages(self._db, self._user, before)
        ]
        settings.set_setting(self._db, self._user, OFFERED, self._clock(), self._clock())
        receipt = self._remove(going, [EXPORTED, BROWSER])
        return replace(receipt, counts={"messages": 0, **receipt.counts})

    def cleanup_due(self, days: int, past_bytes: int) -> Receipt | None:
        """What cleaning would take, where it is time to offer it; else None."""
        offered = settings.get_setting(self._db, self._user, OFFERED)
        lately = isinstance(offered, int) and self._clock() - offered < OFFER_EVERY_MS
        if lately or stats.size(self._db) <= past_bytes:
            return None
        receipt = self.cleanup(days, delete=False)
        return receipt if receipt.counts["messages"] else None

    def cleanup_offered(self) -> None:
        settings.set_setting(self._db, self._user, OFFERED, self._clock(), self._clock())

    def follow(self, forgotten: Iterable[tuple[str, str]]) -> bool:
        """Removes what was forgotten in another copy of the memory, as (table, id), where it is here. Returns
        whether anything was."""
        going = _Going(fingerprints=False)
        for table, id in forgotten:
            column = next((column for column, (kind, _) in BLANKED.items() if kind == table), None)
            if column and session_rows.find_session(self._db, self._user, id):
                going.blanked.append((id, column))
            if table not in LEAVE_TOMBSTONES:
                continue
            if not images.read_where(self._db, table, "id = ? AND user_id = ?", (id, self._user)):
                continue
            if table == "sessions":
                going.sessions.append(id)
            elif table == "messages":
                going.messages.append(message_rows.get_place(self._db, self._user, id))
            elif table == "facts":
                going.facts.append(fact_rows.get_fact(self._db, self._user, id))
            else:
                going.others.setdefault(table, []).append(id)
        going.messages = [message for message in going.messages if message.session_id not in going.sessions]
        going.blanked = [(id, column) for id, column in going.blanked if id not in going.sessions]
        if going == _Going(fingerprints=False):
            return False
        self._remove(going, [])
        return True

    # -- inside --

    def _forget_text(self, text: str) -> Receipt:
        wanted = texts.normalize(texts.clean(text)[0]).strip()
        if not wanted:
            raise InvalidInputError("Say what to forget: the text is empty.")

        def mentioning(table: str) -> list[str]:
            return ids_mentioning(self._db, self._user, table, wanted)

        going = _Going(others={table: mentioning(table) for table in _BY_ID}, text=wanted)
        going.blanked = [(id, column) for id in mentioning("sessions") for column in BLANKED]
        said = dict.fromkeys((*mentioning("message_versions"), *mentioning("messages")))
        going.messages = [message_rows.get_place(self._db, self._user, id) for id in said]
        learned = fact_rows.facts_of_source(self._db, self._user, said)
        # Another agent's facts are its own, except what was learned from a message that goes.
        stated = [fact_rows.get_fact(self._db, self._user, id) for id in mentioning("facts")]
        stated = [fact for fact in stated if self._facts.may_see(fact)]
        going.facts = list({fact.id: fact for fact in (*learned, *stated)}.values())
        return self._remove(going, [EXPORTED, BROWSER])

    def _remove(self, going: _Going, beyond: list[str]) -> Receipt:
        operation = self._undo.begin()
        summaries = self._summaries_of(going) if going.digests else {}
        self._loosen(going, operation)
        removal = Removal(self._db, self._user, self._clock(), self._undo, operation)
        for fact in going.facts:
            if going.fingerprints:
                sync_rows.note_rejected(self._db, self._user, fact.id, False, self._clock())
            removal.take_fact(fact)
            if going.fingerprints:
                self._facts.refuse(fact, operation)
        for id in going.sessions:
            removal.take_session(id)
        by_session: dict[str, list[Place]] = {}
        for message in going.messages:
            by_session.setdefault(message.session_id, []).append(message)
        for session_id, messages in by_session.items():
            removal.take_messages(session_id, messages, digests=going.digests)
        for table, ids in going.others.items():
            for id in ids if table != "summaries" else ():
                removal.take(table, "id = ? AND user_id = ?", id, self._user)
        for id, column in going.blanked:
            removal.blank_session(id, [column])
        if going.text is not None:
            for prefix in prefixes_mentioning(self._db, self._user, going.text):
                removal.take_empty_prefix(prefix)
            removal.take_waiting(going.text)
        for session_id, touched in summaries.items():
            self._consolidation.replace(removal, session_id, touched)
        if going.sessions or going.messages or going.facts or summaries or any(going.others.values()):
            index.optimize(self._db, messages=bool(going.sessions or going.messages))
        return Receipt(operation.id, dict(removal.counts), operation.until, tuple(beyond))

    def _summaries_of(self, going: _Going) -> dict[str, Covered]:
        """By session that stays, the summaries that quote what goes, or from which a fact that goes was
        learned."""
        wanted: dict[str, set[str]] = {}
        for message in going.messages:
            wanted.setdefault(message.session_id, set()).add(message.id)
        for fact in going.facts if going.fingerprints else ():
            source = fact.source_message_id and message_rows.find_message(
                self._db, self._user, fact.source_message_id
            )
            if source:
                wanted.setdefault(source.session_id, set()).add(source.id)
        named = going.others.get("summaries", [])
        for id in named:
            row = images.read_row(self._db, "summaries", (id,))
            if row is not None:
                wanted.setdefault(row["session_id"], set())
        found = {
            session_id: self._consolidation.touching(session_id, ids, named)
            for session_id, ids in wanted.items()
            if session_id not in going.sessions
        }
        return {session_id: touched for session_id, touched in found.items() if touched}

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
            if going.sources == "reviewed":
                self._undo.change(operation, "facts", fact.id, needs_review=True)
            elif going.sources == "cut":
                self._undo.change(operation, "facts", fact.id, source_message_id=None, source_version_id=None)
