"""The memory as a file: out and in; and other products' exports: looked at, and added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from py_memory.checks import (
    check_choice,
    check_items,
    check_mapping,
    check_path,
    check_texts,
    json_text,
)
from py_memory.errors import ImportRefusedError, InvalidInputError, StorageError, shown
from py_memory.formats.memory_file import export_memory
from py_memory.formats.memory_import import import_rows
from py_memory.formats.own_files import read_rows
from py_memory.ids import uuid7
from py_memory.rows import sync as sync_rows

from .base import StoreBase

if TYPE_CHECKING:  # loaded when they are needed: a start is not the time for it
    from py_memory.formats.chat_job import ChatJob
    from py_memory.formats.chats import Entry

__all__ = ["FileOperations"]

FORMATS = ("db", "jsonl", "markdown")
_STEP_MS = 1000


class FileOperations(StoreBase):
    """A part of MemoryStore."""

    # -- out --

    def export_to(
        self,
        path: str | Path,
        *,
        format: str = "db",
        session_id: str | None = None,
        language: str = "en",
    ) -> None:
        """Writes the memory, or one session with what was learned in it, to a new file: "db" is one plain
        SQLite database without what only synchronisation needs, "jsonl" the same rows as JSON Lines,
        "markdown" a text to read (`language` "en" or "zh").

        Raises NotFoundError, StorageError (also where the file exists already), InvalidInputError.
        """
        path = check_path(path, "The new file")
        if check_choice(format, "The format", FORMATS) != "db":
            self._write(path, self.export_text(format, session_id=session_id, language=language))
        elif session_id is None:
            export_memory(self.database, path)
        else:
            from py_memory.formats.session_rows import write_session_file

            self._must_be_new(path)
            write_session_file(self.database, self.user_id, session_id, path, self.clock())

    def export_text(
        self, format: str = "markdown", *, session_id: str | None = None, language: str = "en"
    ) -> str:
        """The memory, or one session, as text: "jsonl" or "markdown", as export_to() writes them. Secrets are
        masked in Markdown; JSON Lines holds all that the database holds. Raises NotFoundError."""
        with self.database.transaction():  # one state of the memory, whoever else writes
            return "".join(self.export_pieces(format, session_id=session_id, language=language))

    def export_pieces(
        self, format: str, *, session_id: str | None = None, language: str = "en"
    ) -> Iterator[str]:
        """The text of export_text() piece by piece. Expects a transaction of the caller, for as long as it is
        read."""
        if check_choice(format, "The format", FORMATS[1:]) == "jsonl":
            from py_memory.formats.json_lines import written_lines
            from py_memory.formats.session_rows import batches_of

            return written_lines(batches_of(self.database, self.user_id, session_id))
        from py_memory.formats.markdown import written_markdown

        zone = self.get_setting("zone")
        return written_markdown(
            self.database,
            self.user_id,
            self._facts,
            session_id=session_id,
            language=language,
            zone=zone if isinstance(zone, str) else None,
        )

    @staticmethod
    def _must_be_new(path: Path) -> None:
        if path.exists():
            raise StorageError(f"{path.name} exists already. Choose another name; it was not changed.")

    def _write(self, path: Path, text: str) -> None:
        try:
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            self._must_be_new(path)
            raise
        except OSError as error:
            raise StorageError(f"{path.name} could not be written ({error.strerror}).") from error

    # -- in: this program's own files --

    def import_file(self, path: str | Path, *, mode: str = "merge") -> dict[str, Any]:
        """Adds the rows of an exported file (a database or JSON Lines), or puts them in the place of this
        user's (`mode` "replace").

        The file is read apart and never trusted. Raises NotADatabaseError, NewerDatabaseError,
        DatabaseCorruptError, ImportRefusedError; nothing is changed then. Returns the report of
        import_rows().
        """
        path = check_path(path, "The file")
        return self.import_rows(read_rows(path), mode=mode)

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
            self._embedding.look_again()
            self._event("imported", "memory", uuid7(self.clock()), json_text(report["imported"]))
            return report

    # -- in: other products' exports --

    def preview_import(self, source: str | Path | BinaryIO, *, name: str | None = None) -> dict[str, Any]:
        """What an import of a file would bring, told by its contents: {format, formats, conversations,
        messages, memories, samples, first, last, chats, more, skipped, ignored}. `source` is a path or a
        binary file that can be sought in: JSON, a zip, a list of memories, or a memory's own file ("memory"
        and "memory-lines": import_file()). Nothing is changed. Raises ImportRefusedError, StorageError.
        """
        from py_memory.formats.chat_job import preview
        from py_memory.formats.sources import open_source

        with open_source(source, name=name) as opened:
            return preview(opened)

    def import_chats(
        self,
        source: str | Path | BinaryIO,
        *,
        name: str | None = None,
        only: Iterable[str] | None = None,
        memories: bool = True,
        progress: Callable[[Mapping[str, int]], object] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Adds the conversations of another product's export; `only` those with these ids, as in the preview.
        What the product had saved about the user becomes proposals, unless `memories` is False.

        The same again adds nothing. `progress` gets {bytes, total_bytes, conversations, messages} after each
        conversation; when `cancel` says True, a small import is taken back and a large one stops behind a
        whole conversation. Returns {format, conversations, messages, suggestions, skipped, sessions,
        cancelled, operation_id, undo_until}: counts by what became of them, ids of new sessions (the first
        50), and the operation for undo().

        Raises ImportRefusedError (not an export, damaged, or nothing in it), StorageError; nothing is changed
        then.
        """
        with self._import_job(source, name, only, memories, progress, cancel) as job:
            while not job.done:
                job.step(_STEP_MS)
            return job.report

    @contextmanager
    def _import_job(
        self,
        source: str | Path | BinaryIO,
        name: str | None,
        only: Iterable[str] | None,
        memories: bool,
        progress: Callable[[Mapping[str, int]], object] | None,
        cancel: Callable[[], bool] | None,
    ) -> Iterator[ChatJob]:
        from py_memory.formats.chat_job import check_sound, chosen_entries
        from py_memory.formats.shapes import MEMORY, MEMORY_LINES, shapes_of
        from py_memory.formats.sources import open_source

        chosen = None if only is None else frozenset(check_texts(only, "The conversations"))
        with open_source(source, name=name) as opened:
            products = [shape.product for _, shape in shapes_of(opened)]
            if set(products) <= {MEMORY, MEMORY_LINES}:
                raise ImportRefusedError(
                    f"{opened.name} is a memory's own file: use import_file(). Nothing was imported."
                )

            def count(read: int) -> None:
                job.bytes_read += read

            job = self._job(
                chosen_entries(opened, only=chosen, memories=memories, read=count),
                size=opened.size,
                product=products[0],
                check=lambda: check_sound(opened),
                progress=progress,
                cancel=cancel,
            )
            yield job

    def _job(self, found: Iterator[Entry] | None = None, **options: Any) -> ChatJob:
        from py_memory.formats.chat_job import ChatJob

        def note(kind: str, id: str) -> None:
            self._event("imported", kind, id)

        return ChatJob(
            self.database, self.user_id, self.clock, self._facts, self._undo, note, found, **options
        )

    def begin_import(self, *, product: str | None = None) -> ChatJob:
        """Like import_chats(), for entries that are read elsewhere, as a page does: they come by
        ChatJob.add(), until ChatJob.finish(). `product` is named in the report."""
        return self._job(product=product)
