"""This program's own files, whichever of the two forms: told apart by what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .memory_file import Batch, read_memory_file

__all__ = ["read_rows"]

_HEAD_BYTES = 4096


def read_rows(path: Path) -> Iterator[Batch]:
    """Batches (table, rows) of a database or of JSON Lines, for import_rows(). Raises what read_memory_file()
    and read_json_lines() raise."""
    try:
        with path.open("rb") as file:
            if (head := file.read(_HEAD_BYTES)).lstrip()[:1] == b"{":
                from .json_lines import is_memory_lines, read_json_lines

                if is_memory_lines(head):
                    file.seek(0)
                    yield from read_json_lines(file, path.name)
                    return
    except OSError:
        pass  # said by the reader below, in its own words
    yield from read_memory_file(path)
