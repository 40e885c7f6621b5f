"""The memory's own `.db` file: written as one plain SQLite database, read back as if it came from a stranger.

Reading and adding are apart, so that a page can read in a worker of its own: read_memory_file() yields plain
rows, and `memory_import` checks each again and adds it. A file is never opened as the live memory.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from py_memory.database import (
    APPLICATION_ID,
    HEADER,
    SCHEMA_VERSION,
    Database,
    clear_tables,
    open_untrusted,
    schema_of,
)
from py_memory.errors import (
    DatabaseCorruptError,
    ImportRefusedError,
    NewerDatabaseError,
    NotADatabaseError,
    StorageError,
    TooLargeError,
)
from py_memory.rows.rejections import FINGERPRINT_KEY

__all__ = ["MAX_FILE_BYTES", "TABLES", "Batch", "export_memory", "read_memory_file"]

MAX_FILE_BYTES = 512 << 20
BATCH_ROWS = 500
_STATISTICS = {"sqlite_stat1", "sqlite_stat4"}  # ANALYZE in another program makes them
# What ALTER TABLE ADD COLUMN puts into the SQL of a table, for a column that is nothing but stored values.
_ADDED_COLUMNS = re.compile(
    r"""(\s*,\s*("[^"]+"|\w+)(\s+(TEXT|INTEGER|INT|REAL|BLOB|ANY))?(\s+NOT\s+NULL)?"""
    r"""(\s+DEFAULT\s+('[^']*'|-?\d+(\.\d+)?|NULL))?)+\s*""",
    re.IGNORECASE,
)
# The search index keeps its data in tables of its own, whose SQL is SQLite's and may differ between its
# releases.
_INDEX_DATA = re.compile(r"(message|memory)_search_(data|idx|docsize|config)")
_STORED_ONLY = re.compile(
    r"(?!.*\b(check|as|default|references|generated|collate)\b)[\w\s'\"(),]+", re.IGNORECASE | re.DOTALL
)
_NOT_EXPORTED = (
    "sync_state",
    "sync_changes",
    "sync_outbox",
    "sync_base",
    "sync_deferred",
    "sync_rejected",
    "sync_conflicts",
)

# Tables that travel, in the order in which rows can refer to earlier ones. Deletions come first.
TABLES = (
    "tombstones",
    "namespaces",
    "sessions",
    "messages",
    "message_versions",
    "tool_calls",
    "facts",
    "uses",
    "identities",
    "summaries",
    "snapshots",
    "experiences",
    "rejections",
)

Batch = tuple[str, list[dict[str, Any]]]


def export_memory(db: Database, path: str | Path) -> None:
    """Writes everything but sync state to `path`, which must not exist."""
    db.image_to(path)
    clear_tables(path, _NOT_EXPORTED)


def read_memory_file(path: Path) -> Iterator[Batch]:
    """Rows of the file's first owner in batches (table, rows). The first batch is "header" with one row:
    {version, unknown_columns: ["table.column"], fingerprint_key: hex or None}.

    The file is not changed. Raises NotADatabaseError (empty, not SQLite, another program's),
    DatabaseCorruptError (cut short, damaged), NewerDatabaseError, TooLargeError (over 512 MiB),
    ImportRefusedError (foreign objects, takes too long), StorageError (cannot be read).
    """
    _check_outside(path)
    connection = open_untrusted(path)
    try:
        version = _check_inside(connection)
        if version == SCHEMA_VERSION:
            columns, unknown = _columns(connection)
            yield (
                "header",
                [
                    {
                        "version": version,
                        "unknown_columns": unknown,
                        "fingerprint_key": _fingerprint_key(connection),
                    }
                ],
            )
            for table in TABLES:
                yield from _rows(connection, table, columns[table])
            return
    except (connection.DatabaseError, UnicodeDecodeError) as error:
        if "interrupted" in str(error):
            raise ImportRefusedError(f"Reading {path.name} took too long; nothing was imported.") from error
        raise DatabaseCorruptError(
            f"{path.name} is damaged and cannot be read ({error}). Use another copy; nothing was imported."
        ) from error
    finally:
        connection.close()
    yield from _read_upgraded(path)


def _check_outside(path: Path) -> None:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StorageError(
            f"{path.name} could not be read ({error.strerror}). Check its name and place."
        ) from error
    if size > MAX_FILE_BYTES:
        raise TooLargeError(f"The file {path.name}", size, MAX_FILE_BYTES)
    if size == 0:
        raise NotADatabaseError(f"{path.name} is empty. Choose a memory's .db file; nothing was imported.")
    if len(header) < 100 or not header.startswith(HEADER):
        raise NotADatabaseError(
            f"{path.name} is not an SQLite database. Choose a memory's .db file; nothing was imported."
        )
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    if size < page * pages:
        raise DatabaseCorruptError(
            f"{path.name} is cut short: {size:,} of {page * pages:,} bytes. Copy it anew; none was read."
        )


def _check_inside(connection: Any) -> int:
    """The file's schema version, if every object in it is one that a release of this program makes."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise NotADatabaseError("This SQLite file belongs to another program; nothing was imported.")
    if version > SCHEMA_VERSION:
        raise NewerDatabaseError(version, SCHEMA_VERSION)
    released = schema_of(version)
    found: set[tuple[str, str]] = set()
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall():
        found.add((kind, name))
        if not _is_ours(released, kind, name, sql):
            raise ImportRefusedError(
                f"The file holds a {kind} named {name!r} that is not this program's; nothing was imported."
            )
    missing = [
        name for kind, name in released if (kind, name) not in found and kind == "table" and name in TABLES
    ]
    if missing:
        raise ImportRefusedError(f"The file has no table {missing[0]!r}; nothing was imported.")
    problems = [row[0] for row in connection.execute("PRAGMA quick_check(1)").fetchall()]
    if problems != ["ok"]:
        raise DatabaseCorruptError(
            f"The file is damaged ({problems[0]}). Use another copy; nothing was imported."
        )
    return int(version)


def _is_ours(released: dict[tuple[str, str], str], kind: str, name: str, sql: str | None) -> bool:
    if kind == "index" and sql is None:  # of a UNIQUE or PRIMARY KEY, part of its table
        return True
    if kind == "table" and name in _STATISTICS:
        return True
    expected = released.get((kind, name))
    if expected is None or sql is None:
        return False
    if sql == expected:
        return True
    if _INDEX_DATA.fullmatch(name):
        return _STORED_ONLY.fullmatch(sql) is not None
    return expected.startswith("CREATE TABLE") and _adds_only_columns(sql, expected)


def _adds_only_columns(sql: str, expected: str) -> bool:
    """Whether `sql` is `expected` with further plain columns, say from a developer's own migration."""
    added = len(sql) - len(expected)
    return added > 0 and any(
        sql[:cut] + sql[cut + added :] == expected and _ADDED_COLUMNS.fullmatch(sql, cut, cut + added)
        for cut in range(len(expected) + 1)
    )


@cache
def _our_columns() -> dict[str, frozenset[str]]:
    scratch = Database(":memory:")
    try:
        return {
            table: frozenset(row["name"] for row in scratch.query(f"PRAGMA table_info({table})"))
            for table in TABLES
        }
    finally:
        scratch.close()


def _columns(connection: Any) -> tuple[dict[str, list[str]], list[str]]:
    """Known columns of each table that travels, and the unknown ones as table.column."""
    known: dict[str, list[str]] = {}
    unknown: list[str] = []
    for table, ours in _our_columns().items():
        theirs = [row[1] for row in connection.execute(f"PRAGMA table_xinfo({table})").fetchall()]
        known[table] = [column for column in theirs if column in ours]
        unknown += [f"{table}.{column}" for column in theirs if column not in ours]
    return known, unknown


def _fingerprint_key(connection: Any) -> str | None:
    """The key under which the file's `rejections` were made."""
    row = connection.execute(
        "SELECT value_json FROM settings WHERE user_id = '' AND name = ?", (FINGERPRINT_KEY,)
    ).fetchone()
    if row and isinstance(row[0], str) and re.fullmatch('"[0-9a-f]{64}"', row[0]):
        return str(json.loads(row[0]))
    return None


def _rows(connection: Any, table: str, columns: list[str]) -> Iterator[Batch]:
    names = ", ".join(f'"{column}"' for column in columns)
    cursor = connection.execute(
        f"SELECT {names} FROM {table} WHERE user_id = (SELECT id FROM users ORDER BY created_at, id LIMIT 1)"
    )
    while rows := cursor.fetchmany(BATCH_ROWS):
        yield table, [dict(zip(columns, row, strict=True)) for row in rows]


def _read_upgraded(path: Path) -> Iterator[Batch]:
    """An older file is brought up to date in a copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        shutil.copyfile(path, copy)
        Database(copy).close()
        yield from read_memory_file(copy)
