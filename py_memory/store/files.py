"""The memory as a file: out and in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from py_memory.checks import check_choice, check_items, check_mapping, check_path, json_text
from py_memory.errors import InvalidInputError, shown
from py_memory.formats.memory_file import export_memory, read_memory_file
from py_memory.formats.memory_import import import_rows
from py_memory.ids import uuid7
from py_memory.rows import sync as sync_rows

from .base import StoreBase

__all__ = ["FileOperations"]


class FileOperations(StoreBase):
    """A part of MemoryStore."""

    def export_to(self, path: str | Path) -> None:
        """Writes the memory to a new file: one plain SQLite database without what only synchronisation
        needs."""
        export_memory(self.database, check_path(path, "The new file"))

    def import_file(self, path: str | Path, *, mode: str = "merge") -> dict[str, Any]:
        """Adds the rows of an exported file, or puts them in the place of this user's (`mode` "replace").

        The file is read apart and never trusted. Raises NotADatabaseError, NewerDatabaseError,
        DatabaseCorruptError, ImportRefusedError; nothing is changed then. Returns the report of
        import_rows().
        """
        return self.import_rows(read_memory_file(check_path(path, "The file")), mode=mode)

    @staticmethod
    def _batches(
        batches: Iterable[tuple[str, Sequence[Mapping[str, Any]]]],
    ) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
        for batch in check_items(batches, "The batches"):
            if not isinstance(batch, tuple | list) or len(batch) != 2 or not isinstance(batch[0], str):
                raise InvalidInputError(f"A batch is (table, rows), not {shown(batch)}.")
            rows = [check_mapping(row, "A row") for row in check_items(batch[1], "The rows")]
            if batch[0] == "header" and not (rows and "unknown_columns" in rows[0]):
                raise InvalidInputError("A header holds a row with unknown_columns.")
            yield batch[0], rows

    def import_rows(
        self, batches: Iterable[tuple[str, Sequence[Mapping[str, Any]]]], *, mode: str = "merge"
    ) -> dict[str, Any]:
        """Rows of read_memory_file(): all in one transaction. Returns {imported, skipped, conflicts, …} by
        table."""
        check_choice(mode, "The mode", ("merge", "replace"))
        with self.database.transaction():
            if (
                mode == "replace"
            ):  # what the file does not have is not forgotten; the next sync is a first one
                sync_rows.stop(self.database, self.user_id)
            report = import_rows(
                self.database, self.user_id, self._batches(batches), mode=mode, now=self.clock()
            )
            self._event("imported", "memory", uuid7(self.clock()), json_text(report["imported"]))
            return report
