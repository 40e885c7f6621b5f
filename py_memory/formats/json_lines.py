"""The memory as JSON Lines: a header, then one row of a table a line. What is written is read back equal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from py_memory.checks import read_json
from py_memory.database import SCHEMA_VERSION
from py_memory.errors import ImportRefusedError, InvalidInputError, NewerDatabaseError

from .memory_file import BATCH_ROWS, TABLES, Batch

__all__ = ["VERSION", "is_memory_lines", "read_json_lines", "written_lines"]

VERSION = 1
_MARK = "py_memory"
_LEFT_OUT = frozenset({"seq", "user_id"})  # local to a file
MAX_LINE_BYTES = 8 << 20  # a text of 1 MiB takes up to six times that when it is escaped


def is_memory_lines(head: bytes) -> bool:
    """Whether a file that begins so is one."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0]
    try:
        header = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and _MARK in header


def written_lines(batches: Iterable[tuple[str, Iterable[Mapping[str, Any]]]]) -> Iterator[str]:
    """The lines of batches (table, rows), each with its line end. The first batch is "header" as in
    read_memory_file()."""
    for table, rows in batches:
        for row in rows:
            if table == "header":
                line: dict[str, Any] = {_MARK: VERSION, "schema": row["version"]}
                if row.get("fingerprint_key"):
                    line["fingerprint_key"] = row["fingerprint_key"]
            else:
                kept = {n: v for n, v in row.items() if n not in _LEFT_OUT and v is not None}
                line = {"table": table, **kept}
            # Lines may be parted at U+2028 by some readers, so that all but ASCII would be safest; but people
            # read these files, and JSON Lines knows only the line feed.
            yield json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def read_json_lines(file: BinaryIO, name: str) -> Iterator[Batch]:
    """Batches (table, rows) like those of read_memory_file(), for import_rows(), which checks each row.

    Raises ImportRefusedError (not such a file, or a line that is not JSON), NewerDatabaseError.
    """
    header = _line(file, 1, name)
    if header is None or type(header.get(_MARK)) is not int or type(header.get("schema")) is not int:
        raise ImportRefusedError(f"{name} does not begin like a memory in JSON Lines; nothing was imported.")
    if header[_MARK] > VERSION or header["schema"] > SCHEMA_VERSION:
        raise NewerDatabaseError(max(header[_MARK], header["schema"]), SCHEMA_VERSION)
    key = header.get("fingerprint_key")
    valid = isinstance(key, str) and len(key) == 64 and all(c in "0123456789abcdef" for c in key)
    begin = {"version": header["schema"], "unknown_columns": [], "fingerprint_key": key if valid else None}
    yield "header", [begin]
    rows: list[dict[str, Any]] = []
    open_table, number = "", 1
    while True:
        number += 1
        row = _line(file, number, name)
        if row is None:
            break
        if not row:
            continue
        table = row.pop("table", None)
        if table not in TABLES:
            raise ImportRefusedError(
                f"Line {number} of {name} names no table that travels; nothing was imported."
            )
        if rows and (table != open_table or len(rows) >= BATCH_ROWS):
            yield open_table, rows
            rows = []
        open_table = table
        rows.append(row)
    if rows:
        yield open_table, rows


def _line(file: BinaryIO, number: int, name: str) -> dict[str, Any] | None:
    """The object of the next line, {} for an empty one, None at the end."""
    data = file.readline(MAX_LINE_BYTES + 1)
    if not data:
        return None
    if len(data) > MAX_LINE_BYTES:
        raise ImportRefusedError(f"Line {number} of {name} is over 8 MiB; nothing was imported.")
    if not data.strip():
        return {}
    try:
        value = read_json(data.decode("utf-8-sig"), f"Line {number} of {name}")
    except UnicodeDecodeError as error:
        raise ImportRefusedError(f"Line {number} of {name} is not in UTF-8; nothing was imported.") from error
    except InvalidInputError as error:
        raise ImportRefusedError(f"{error} Nothing was imported.") from error
    if not isinstance(value, dict):
        raise ImportRefusedError(f"Line {number} of {name} is no object; nothing was imported.")
    return value
