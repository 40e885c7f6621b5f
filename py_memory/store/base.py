"""What every family of operations stands on: the database, its owner, the chain of events, settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from py_memory import text
from py_memory.checks import json_text
from py_memory.clock import Clock, system_clock
from py_memory.consolidation import Consolidation
from py_memory.database import Database
from py_memory.embedding import Embedding
from py_memory.errors import TooLargeError
from py_memory.experience import Experiences
from py_memory.facts import Facts
from py_memory.forgetting import Forgetting
from py_memory.health import Health
from py_memory.ids import uuid7
from py_memory.readings import Readings
from py_memory.rows import events, namespaces, settings, sync, users
from py_memory.titles import MAX_TITLE_CHARACTERS
from py_memory.undo import UndoLog
from py_memory.working_memory import WorkingMemory

__all__ = ["StoreBase"]

_DEVICE = "device"
# A change of these may give a session an open task, however long it has been idle.
_OF_TASKS = frozenset({"facts", "tool_calls", "snapshots", "memory"})


async def _at_once() -> None:
    """On CPython a commit is durable when it returns."""


class StoreBase:
    """The common part of MemoryStore."""

    incognito = False  # see IncognitoStore

    def __init__(
        self,
        path_or_connection: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.database = Database(path_or_connection)
        self.clock: Clock = clock or system_clock
        self.agent_id = agent_id
        # Waits until all that was changed is on disk. False: it could not be saved.
        self.durable: Callable[[], Awaitable[object]] = _at_once
        db = self.database
        with db.transaction():
            now = self.clock()
            self.user_id, new = users.ensure_user(db, user_id, now)
            if new:
                namespaces.register_built_in(db, self.user_id, now)
            self._device = settings.get_setting(db, "", _DEVICE)
            if self._device is None:
                self._device = uuid7(now)
                settings.set_setting(db, "", _DEVICE, self._device, now)
        db.before_commit = lambda: sync.note_times(db, self.clock())
        # Until when (ms) idle sessions have been looked at, and the state of other processes' writing then.
        self._idle_seen: tuple[int, int] | None = None
        self._bind()

    def _bind(self) -> None:
        """What works for one owner."""
        db, agent_id = self.database, self.agent_id
        self._undo = UndoLog(db, self.clock)
        self._embedding = Embedding(db, self.user_id, self.clock)
        self._facts = Facts(db, self.user_id, agent_id, self.clock, self._undo)
        self._consolidation = Consolidation(db, self.user_id, self.clock, self._undo, self._facts)
        self._readings = Readings(db, self.user_id, self.clock, self._undo, self._facts, self._consolidation)
        self._working = WorkingMemory(db, self.user_id, self.clock)
        self._forgetting = Forgetting(db, self.user_id, self.clock, self._undo, self._facts)
        self._experiences = Experiences(db, self.user_id, self.clock, self._undo)
        self._health = Health(db, self.user_id, self.clock, self._undo, self._facts)

    def _follow_owner(self, user_id: str) -> None:
        """Goes on as another owner, the one that everything belongs to since a first sync."""
        if user_id != self.user_id:
            self.user_id = user_id
            self._look_again_at_idle()
            self._bind()

    def _drop_backup(self) -> None:
        """Forgetting wins over keeping: a copy from before goes with what is forgotten, also one that no
        state of syncing knows any more. Stays named where it cannot be deleted now."""
        state = sync.get_state(self.database, self.user_id)
        named = Path(state.backup) if state is not None and state.backup is not None else None
        for copy in {self._backup_path(), named} - {None}:
            with suppress(OSError):
                Path(str(copy)).unlink(missing_ok=True)
        if named is not None and not named.exists():
            with self.database.transaction():
                sync.set_state(self.database, self.user_id, backup=None)

    def _forgotten_elsewhere(self) -> None:
        """Something is gone here because it was forgotten on another device."""
        self._drop_backup()

    def _backup_path(self) -> Path | None:
        """Where the copy from before a first sync lies; None for a memory without a file."""
        path = self.database.path
        return None if path is None else Path(f"{path}.before-sync")

    @contextmanager
    def action(self) -> Iterator[Self]:
        """Joins several operations into one transaction: all happen, or an exception undoes them all."""
        with self.database.transaction():
            yield self

    def close(self) -> None:
        self.database.close()

    def _look_again_at_idle(self) -> None:
        self._idle_seen = None

    def _event(self, kind: str, subject_kind: str, subject_id: str, content: str = "") -> None:
        if subject_kind in _OF_TASKS and (subject_kind != "facts" or content[:6] in ("", "task::")):
            self._look_again_at_idle()
        events.append(
            self.database, self.user_id, self._device, kind, subject_kind, subject_id, content, self.clock()
        )

    def get_setting(self, name: str, default: Any = None) -> Any:
        return settings.get_setting(self.database, self.user_id, name, default)

    def set_setting(self, name: str, value: Any) -> None:
        """Any JSON value; None removes the setting."""
        name = text.clean(name)[0]
        with self.database.transaction():
            settings.set_setting(self.database, self.user_id, name, value, self.clock())
            self._event("set", "settings", name, json_text(value))

    @staticmethod
    def _short(label: str | None, what: str) -> str | None:
        """A label such as a speaker's name."""
        if label is None:
            return None
        label = text.clean(label)[0]
        if len(label) > MAX_TITLE_CHARACTERS:
            raise TooLargeError(what, len(label), MAX_TITLE_CHARACTERS, "characters")
        return label
