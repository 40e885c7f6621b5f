"""The memory as a file: out and in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from py_memory.checks import json_text
from py_memory.formats.memory_file import export_memory, read_memory_file
from py_memory.formats.memory_import import import_rows
from py_memory.ids import uuid7

from .base import StoreBase

__all__ = ["FileOperations"]


class FileOperations(StoreBase):
    """A part of MemoryStore."""

    def export_to(self, path: str | Path) -> None:
        """Writes the memory to a new file: one plain SQLite database without what only synchronisation
        needs."""
        export_memory(self.database, path)

    def import_file(self, path: str | Path, *, mode: str = "merge") -> dict[str, Any]:
        """Adds the rows of an exported file, or puts them in the place of this user's (`mode` "replace").

        The file is read apart and never trusted. Raises NotADatabaseError, NewerDatabaseError,
        DatabaseCorruptError, ImportRefusedError; nothing is changed then. Returns the report of
        import_rows().
        """
        return self.import_rows(read_memory_file(Path(path)), mode=mode)

    def import_rows(
        self, batches: Iterable[tuple[str, Sequence[Mapping[str, Any]]]], *, mode: str = "merge"
    ) -> dict[str, Any]:
        """Rows of read_memory_file(): all in one transaction. Returns {imported, skipped, conflicts, …} by
        table."""
        with self.database.transaction():
            report = import_rows(self.database, self.user_id, batches, mode=mode, now=self.clock())
            self._event("imported", "memory", uuid7(self.clock()), json_text(report["imported"]))
            return report
