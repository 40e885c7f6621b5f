"""The rows that go into an export: the whole memory's, or those of a session with what was learned in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from py_memory.database import SCHEMA_VERSION, Database
from py_memory.rows import images, sessions, users
from py_memory.rows.rejections import FINGERPRINT_KEY
from py_memory.rows.settings import get_setting

from .memory_file import BATCH_ROWS, TABLES, Batch
from .memory_import import import_rows

__all__ = ["batches_of", "write_session_file"]

# Of one session: how its rows are found in each table. What is not named stays out: it is about more than the
# session (identities, experiences, rejections, what was forgotten).
_OF_SESSION = {
    "namespaces": "user_id = :user",
    "sessions": "id = :session AND user_id = :user",
    "messages": "session_id = :session AND user_id = :user",
    "message_versions": "message_id IN (SELECT m.id FROM messages m WHERE m.session_id = :session) "
    "AND user_id = :user",
    "tool_calls": "session_id = :session AND user_id = :user",
    "facts": "source_message_id IN (SELECT m.id FROM messages m WHERE m.session_id = :session) "
    "AND user_id = :user",
    "uses": "message_id IN (SELECT m.id FROM messages m WHERE m.session_id = :session) AND user_id = :user",
    "summaries": "session_id = :session AND user_id = :user",
    "snapshots": "session_id = :session AND user_id = :user",
}
_FILE = ""  # the owner of what belongs to the file itself


def batches_of(db: Database, user_id: str, session_id: str | None = None) -> Iterator[Batch]:
    """Batches (table, rows) as read_memory_file() gives them, in an order that does not change while the rows
    do not. Raises NotFoundError."""
    if session_id is not None:
        sessions.get_session(db, user_id, session_id)
    key = get_setting(db, _FILE, FINGERPRINT_KEY) if session_id is None else None
    yield "header", [{"version": SCHEMA_VERSION, "unknown_columns": [], "fingerprint_key": key}]
    for table in TABLES:
        where = "user_id = :user" if session_id is None else _OF_SESSION.get(table)
        if where is None:
            continue
        found = images.read_where(
            db,
            table,
            f"{where} ORDER BY created_at, id",
            {"user": user_id, "session": session_id},
        )
        for begin in range(0, len(found), BATCH_ROWS):
            yield table, found[begin : begin + BATCH_ROWS]


def write_session_file(db: Database, user_id: str, session_id: str, path: Path, now: int) -> None:
    """One session as a memory file of its own at `path`, which must not exist. Raises NotFoundError."""
    sessions.get_session(db, user_id, session_id)
    with db.transaction():
        batches = list(batches_of(db, user_id, session_id))
    file = Database(path)
    try:
        with file.transaction():
            users.ensure_user(file, user_id, now)
            import_rows(file, user_id, batches, mode="merge", now=now)
    finally:
        file.close()
