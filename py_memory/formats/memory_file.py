"""The memory's own `.db` file: written as one plain SQLite database, read back as if it came from a stranger.

Reading and adding are apart, so that a page can read in a worker of its own: read_memory_file() yields plain rows,
and `memory_import` checks each again and adds it. A file is never opened as the live memory.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..database import (
    APPLICATION_ID,
    HEADER,
    SCHEMA_VERSION,
    Database,
    clear_tables,
    open_untrusted,
    schema_of,
)
from ..errors import (
    DatabaseCorruptError,
    ImportRefusedError,
    NewerDatabaseError,
    NotADatabaseError,
    TooLargeError,
)

__all__ = ["MAX_FILE_BYTES", "Batch", "export_memory", "read_memory_file"]

MAX_FILE_BYTES = 512 << 20
BATCH_ROWS = 500
# Nothing another program adds by itself changes what a memory says: statistics, and the indexes of UNIQUE.
_OWN_OF_SQLITE = ("sqlite_stat", "sqlite_autoindex_")
_NOT_EXPORTED = ("sync_state", "sync_outbox", "sync_base", "sync_deferred", "sync_rejected")

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
    """Rows of the file's owner in batches (table, rows); the first batch is ("header", [{version, unknown_columns}]).

    The file is not changed. Raises NotADatabaseError (empty, not SQLite, another program's), DatabaseCorruptError (cut
    short, damaged), NewerDatabaseError, TooLargeError (over 512 MiB), ImportRefusedError (foreign objects).
    """
    _check_outside(path)
    connection = open_untrusted(path)
    try:
        version = _check_inside(connection)
        if version < SCHEMA_VERSION:
            connection.close()
            yield from _read_upgraded(path)
            return
        columns, unknown = _columns(connection)
        header = {"version": version, "unknown_columns": unknown}
        yield "header", [header]
        for table in TABLES:
            yield from _rows(connection, table, columns[table])
    except connection.DatabaseError as error:
        raise DatabaseCorruptError(
            f"{path.name} is damaged and cannot be read ({error}). Use another copy; nothing was imported."
        ) from error
    finally:
        connection.close()


def _check_outside(path: Path) -> None:
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise TooLargeError(f"The file {path.name}", size, MAX_FILE_BYTES)
    if size == 0:
        raise NotADatabaseError(f"{path.name} is empty. Choose a memory's .db file; nothing was imported.")
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(HEADER):
        raise NotADatabaseError(
            f"{path.name} is not an SQLite database. Choose a memory's .db file; nothing was imported."
        )
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    if size < page * pages:
        raise DatabaseCorruptError(
            f"{path.name} is cut short: {size:,} of {page * pages:,} bytes. Copy it again; nothing was imported."
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
        if not _is_ours(connection, released, kind, name, sql):
            raise ImportRefusedError(
                f"The file holds a {kind} named {name!r} that this program did not make; nothing was imported."
            )
    missing = [name for kind, name in released if (kind, name) not in found and kind == "table" and name in TABLES]
    if missing:
        raise ImportRefusedError(f"The file has no table {missing[0]!r}; nothing was imported.")
    problems = [row[0] for row in connection.execute("PRAGMA quick_check(1)").fetchall()]
    if problems != ["ok"]:
        raise DatabaseCorruptError(f"The file is damaged ({problems[0]}). Use another copy; nothing was imported.")
    return int(version)


def _is_ours(
    connection: Any, released: dict[tuple[str, str], str], kind: str, name: str, sql: str | None
) -> bool:
    if name.startswith(_OWN_OF_SQLITE):
        return kind in ("table", "index")
    if (kind, name) not in released:
        return False
    expected = released[kind, name]
    if sql == expected:
        return True
    if kind != "table" or sql is None or "VIRTUAL" in sql[:20].upper() or "VIRTUAL" in expected[:20].upper():
        return False
    # A table of ours with more columns, say from a developer's own migration: fine if all of them are plain.
    theirs = _plain_columns(connection, name)
    return theirs is not None and _our_columns(name) <= theirs


def _plain_columns(connection: Any, table: str) -> set[str] | None:
    """Column names of a table, or None if one of them is generated or hidden."""
    rows = connection.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
    return None if any(row[6] for row in rows) else {row[1] for row in rows}


def _our_columns(table: str) -> set[str]:
    scratch = Database(":memory:")
    try:
        return _plain_columns(scratch.connection, table) or set()
    finally:
        scratch.close()


def _columns(connection: Any) -> tuple[dict[str, list[str]], list[str]]:
    """Known columns of each table that travels, and the unknown ones as table.column."""
    known: dict[str, list[str]] = {}
    unknown: list[str] = []
    for table in TABLES:
        ours = _our_columns(table)
        theirs = [row[1] for row in connection.execute(f'PRAGMA table_xinfo("{table}")').fetchall()]
        known[table] = [column for column in theirs if column in ours]
        unknown += [f"{table}.{column}" for column in theirs if column not in ours]
    return known, unknown


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
