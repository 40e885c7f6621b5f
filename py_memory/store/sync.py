"""Syncing with a server, and what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

from py_memory.errors import ConflictError, InvalidInputError, NotFoundError
from py_memory.formats.memory_file import read_memory_file
from py_memory.formats.memory_import import import_rows
from py_memory.records import Fact, SyncConflict, SyncPreview, SyncReport, SyncStatus
from py_memory.rows import sync as sync_rows
from py_memory.sync.engine import Answer, Call, Pause, SyncRun, check_address
from py_memory.sync.preview import preview
from py_memory.sync.settling import Settling

from .base import StoreBase

__all__ = ["SyncOperations"]


class SyncOperations(StoreBase):
    """A part of MemoryStore."""

    _syncing = False

    def sync(self, url: str, token: str) -> SyncReport:
        """Sends what is new here, takes in what is new there, until nothing is left. The first call switches
        syncing on and makes the file's owner the user of the token; the token is not kept.

        Not inside action(). Raises SyncError (see its codes); the memory is whole then, and the next call
        goes on where this one stood. Raises InvalidInputError (address, token), ConflictError (a sync is
        running).
        """
        # Here and not above: a page carries no HTTP client.
        from py_memory.sync.transport import drive, over_http

        address = check_address(url)
        if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token:
            raise InvalidInputError(
                "A token is one line of letters and digits, as “server tokens add” prints it."
            )
        return drive(self.sync_steps(address), over_http(address, token))

    def sync_steps(
        self, url: str, *, page_rows: int | None = None
    ) -> Generator[Call | Pause, Answer | None, SyncReport]:
        """sync() free of any transport: yields calls and pauses, and is sent the answers. `page_rows`: at
        most so many rows at once, where what is between two answers should be short."""
        if self.database.in_transaction:
            raise ConflictError("A sync is many transactions, so it cannot run inside action().")
        if self._syncing:
            raise ConflictError("A sync of this memory is running already. Wait for it.")
        run = SyncRun(
            self.database,
            self.user_id,
            self.clock,
            undoable=lambda: self._undo.is_pending(),
            join=lambda *row: self._undo.join(*row),
            backup=self._back_up,
            drop_backup=self._forgotten_elsewhere,
            follow_owner=self._follow_owner,
            done=lambda: self._event("synced", "memory", self.user_id),
            page_rows=page_rows,
        )
        self._syncing = True
        try:
            return (yield from run.steps(url))
        finally:
            self._syncing = False

    def sync_status(self) -> SyncStatus:
        """What is known of syncing without asking the server."""
        state = sync_rows.get_state(self.database, self.user_id)
        if state is None:
            return SyncStatus(False)
        noted = sync_rows.changes_of(self.database, self.user_id, -1)
        return SyncStatus(
            True,
            state.url,
            state.device,
            state.synced_at,
            state.offset_ms,
            dict(Counter(kind for kind, _ in {(change.kind, change.id) for change in noted})),
            sync_rows.count_by_table(self.database, self.user_id),
            tuple(sync_rows.list_rejected(self.database, self.user_id)),
            state.backup,
        )

    def preview_sync(self) -> SyncPreview:
        """What the next sync would send, the first one too; nothing is sent and nothing is changed."""
        with self.database.transaction():
            return preview(self.database, self.user_id)

    def stop_sync(self) -> None:
        """Switches syncing off and forgets its state; the memory stays. A later sync() begins anew."""
        with self.database.transaction():
            self._drop_backup()
            sync_rows.stop(self.database, self.user_id)
            self._event("stopped syncing", "memory", self.user_id)

    def undo_sync(self) -> dict[str, Any]:
        """Puts the memory back to what it was before the first sync (or the last one that began from the
        start), and switches syncing off. What had left stays on the server; what was forgotten stays
        forgotten. Raises NotFoundError when there is no such copy. Returns the report of import_rows()."""
        state = sync_rows.get_state(self.database, self.user_id)
        if state is None or state.backup is None or not Path(state.backup).is_file():
            raise NotFoundError("copy from before the sync", "(none is kept)")
        with self.database.transaction():
            sync_rows.stop(self.database, self.user_id)
            report = import_rows(
                self.database,
                self.user_id,
                read_memory_file(Path(state.backup)),
                mode="replace",
                now=self.clock(),
            )
            self._event("undone", "memory", self.user_id)
        self._drop_backup()  # the memory is what it holds
        return report

    # -- what lost --

    def sync_conflicts(self) -> list[SyncConflict]:
        """Changes that lost against another device's, and nobody has looked at yet. (Facts that contradict
        each other are in conflicts().)"""
        return self._settling().conflicts()

    def settle_sync_conflict(self, id: str, take: str, *, value: str | None = None) -> None:
        """Ends a conflict on all devices: "kept" leaves what stands, "lost" takes the other in its place,
        "both" keeps what lost as a fact of its own (beside the other under a key of many values, else in its
        history), "new" puts `value` in the place of both, a fact's value or a title. `takes` of a conflict
        says which there are. Raises NotFoundError, InvalidInputError, and ConflictError when it contradicts
        what is there by now."""
        with self.database.transaction():
            conflict = self._settling().settle(id, take, value)
            self._event("settled", conflict.kind, conflict.row_id, take)

    def settle_conflict(self, fact_id: str, take: str, *, value: str | None = None) -> Fact:
        """Ends what conflicts() says of a disputed fact: "current" leaves the other one, "disputed" puts this
        one in its place, "both" says that both hold (not under a key of one value), "new" puts `value` in
        their place. What does not hold stays readable. Raises NotFoundError, InvalidInputError."""
        with self.database.transaction():
            others = [found.other for found in self._health.conflicts() if found.fact.id == fact_id]
            fact = self._settling().settle_dispute(fact_id, take, value, others)
            self._event("settled", "facts", fact.id, take)
            return fact

    # -- inside --

    def _settling(self) -> Settling:
        return Settling(self.database, self.user_id, self.clock, self._facts)

    def _back_up(self) -> str | None:
        """Writes the memory beside its file. None for a memory without one; a page keeps generations."""
        copy = self._backup_path()
        if copy is None:
            return None
        copy.unlink(missing_ok=True)
        self.database.image_to(copy)
        return str(copy)
