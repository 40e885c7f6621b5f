"""Forgetting, undo, cleaning, health, and what is done in idle time."""

from __future__ import annotations

from py_memory import text as texts
from py_memory import trace
from py_memory.checks import check_count, check_id, check_texts, json_text
from py_memory.errors import InvalidInputError
from py_memory.health import can_be_undone
from py_memory.recall import index
from py_memory.records import ChainReport, Finding, Forgotten, Receipt
from py_memory.rows import stats, sync, tombstones
from py_memory.rows.mentions import SEARCHED, ids_mentioning

from .vectors import VectorOperations

__all__ = ["CareOperations"]


class _TakenBack(Exception):
    """Ends what was done for trial."""


class CareOperations(VectorOperations):
    """A part of MemoryStore."""

    def verify(self) -> ChainReport:
        """Walks the chain of events, and says which event was changed, removed, inserted or moved."""
        return trace.verify(self.database)

    def forget(
        self,
        *,
        fact_id: str | None = None,
        message_id: str | None = None,
        session_id: str | None = None,
        text: str | None = None,
        keep_facts: bool = False,
    ) -> Receipt:
        """Forgets one fact, a message or a session with what was learned from it, or everything holding a
        text; with `keep_facts` a message alone. Undoable for 10 s. Raises NotFoundError, and
        InvalidInputError unless exactly one is named."""
        with self.database.transaction():
            receipt = self._forgetting.forget(
                fact_id=fact_id,
                message_id=message_id,
                session_id=session_id,
                text=text,
                keep_facts=keep_facts,
            )
            self._embedding.went()
            self._drop_backup()
            self._event("forgotten", "memory", receipt.operation_id)
            return receipt

    def preview_forgetting(
        self,
        *,
        fact_id: str | None = None,
        message_id: str | None = None,
        session_id: str | None = None,
        text: str | None = None,
        keep_facts: bool = False,
    ) -> Receipt:
        """What forget() would take, by table, without doing it: it is done for trial and taken back at once.
        Raises what forget() raises, and InvalidInputError inside an action()."""
        if self.database.in_transaction:
            raise InvalidInputError("Forgetting cannot be tried inside an action(). Look before it.")
        try:
            with self.database.transaction():
                receipt = self._forgetting.forget(
                    fact_id=fact_id,
                    message_id=message_id,
                    session_id=session_id,
                    text=text,
                    keep_facts=keep_facts,
                )
                raise _TakenBack
        except _TakenBack:
            return Receipt("", receipt.counts, undo_until=0, beyond=receipt.beyond)

    def count_mentions(self, words: str) -> dict[str, int]:
        """How many rows of each table still hold a text anywhere (no difference between capitals, or full and
        half width); tables without it are left out. Reads everything."""
        (said,) = check_texts([words], "The words")
        wanted = texts.normalize(said).strip()
        if not wanted:
            raise InvalidInputError("Say what to look for: the text is empty.")
        counts = {
            table: len(ids_mentioning(self.database, self.user_id, table, wanted)) for table in SEARCHED
        }
        return {table: count for table, count in counts.items() if count}

    def list_forgotten(self, *, limit: int = 50) -> list[Forgotten]:
        """When something was forgotten, and how much of what; newest first."""
        limit = check_count(limit, "limit")
        return tombstones.list_forgotten(self.database, self.user_id, limit)

    def undo(self, operation_id: str) -> None:
        """Puts back what an operation of the last 10 seconds changed. Raises UndoExpiredError."""
        check_id(operation_id, "operation")
        with self.database.transaction():
            self._undo.undo(operation_id)
            self._embedding.look_again()
            self._event("undone", "memory", operation_id)

    def cleanup_old_messages(self, days: int = 30, *, delete: bool = False) -> Receipt:
        """Deletes messages older than `days` if `delete`, else only counts them. Facts and summaries stay, a
        fact with the id and the quote of its message. Undoable for 10 s; compact() then takes the last traces
        out of the file (the page does it by itself)."""
        check_count(days, "The age in days", least=1, most=36_500)
        with self.database.transaction():
            receipt = self._forgetting.cleanup(days, delete=delete)
            if delete:
                self._embedding.went()
                self._drop_backup()
                self._event("cleaned", "memory", receipt.operation_id)
            return receipt

    def cleanup_due(self, days: int = 30, *, past_bytes: int = 50_000_000) -> Receipt | None:
        """What cleanup_old_messages() would take, where the user should be offered it: the memory has grown
        past `past_bytes`, and for 30 days it was neither offered nor done. Else None."""
        check_count(days, "The age in days", least=1, most=36_500)
        check_count(past_bytes, "The size in bytes")
        return self._forgetting.cleanup_due(days, past_bytes)

    def cleanup_offered(self) -> None:
        """Notes that the user has seen the offer: the next comes in 30 days at the earliest."""
        with self.database.transaction():
            self._forgetting.cleanup_offered()

    def health(self) -> list[Finding]:
        """What is wrong with the memory or waits for the user, the gravest first; [] if nothing."""
        with self.database.transaction():
            found = self._health.findings()
        state = self.embedder_state()
        if state and state.problem:
            said = f"{state.model}: {state.problem} {state.detail}".strip()
            found.append(Finding("embedder", 1, (said,), None))
        return found

    def fix_health(self, kind: str) -> Receipt:
        """Does what a finding of that kind says can be done; `counts` says how many it concerned. Undoable
        for 10 s, but for the search index and rows that belong to nothing (`undo_until` is 0 then). Raises
        InvalidInputError for what only the user can decide."""
        with self.database.transaction():
            count = self._health.fix(kind)
            operation = self._undo.begin()
            self._event("fixed", "memory", kind)
            return Receipt(operation.id, {kind: count}, operation.until if can_be_undone(kind) else 0)

    def stats(self) -> dict[str, int]:
        """Rows by table, and the database's size in bytes."""
        return stats.counts(self.database, self.user_id)

    def idle_work(self, budget_ms: int) -> bool:
        """Folds events of past months, merges the search index a little, for about `budget_ms`, and once a
        month looks for facts that contradict each other; then makes vectors, for about as long. True if there
        is more to do."""
        check_count(budget_ms, "The budget")
        self._undo.forget_expired()
        with self.database.transaction():
            folded = trace.checkpoint(self.database, self._device, self.clock())
            if disputed := self._health.check_if_due():
                self._event("consolidated", "memory", self.user_id, json_text({"disputed": disputed}))
            more = index.merge(self.database, budget_ms) or folded > 0
        return self._embedding.work(budget_ms) or more

    def compact(self) -> None:
        """Rewrites the file and the search index in place: nothing that was deleted is left in them. In the
        page the host does this by itself."""
        with self.database.transaction():
            index.optimize(self.database)
            if not self._undo.is_pending():
                sync.drop_forgotten(self.database, self.user_id)
        self.database.compact()
