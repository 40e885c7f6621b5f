"""The trace: an append-only chain of what was done, over hashes of content and not the content itself.

An event's content hash is salted, the salt kept in a table beside it. Forgetting drops the salt: the hash can
then no longer be matched with a guessed text, while the chain over the hashes still verifies. The chain finds
accidents and careless edits; whoever holds the file can forge it whole.
"""

from __future__ import annotations

import hashlib
import os

from py_memory.database import Database
from py_memory.ids import uuid7
from py_memory.records import ChainReport

__all__ = ["append", "drop_salts", "verify"]

_START = "0" * 64
_BATCH = 2000
_COLUMNS = "id, user_id, created_at, device, kind, subject_kind, subject_id, content_hash"


def _chain(previous: str, *fields: object) -> str:
    return hashlib.sha256("\x1f".join([previous, *map(str, fields)]).encode()).hexdigest()


def append(
    db: Database,
    user_id: str,
    device: str,
    kind: str,
    subject_kind: str,
    subject_id: str,
    content: str,
    now: int,
) -> None:
    """Adds one event about a row. `kind` is a verb such as "added", `subject_kind` the row's table."""
    last = db.one("SELECT chain_hash FROM events WHERE seq = (SELECT max(seq) FROM events)")
    salt = os.urandom(16)
    content_hash = hashlib.sha256(salt + content.encode()).hexdigest()
    id = uuid7(now)
    fields = (id, user_id, now, device, kind, subject_kind, subject_id, content_hash)
    cursor = db.execute(
        f"INSERT INTO events ({_COLUMNS}, chain_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*fields, _chain(last["chain_hash"] if last else _START, *fields)),
    )
    db.execute(
        "INSERT INTO event_salts (event_seq, subject_id, salt) VALUES (?, ?, ?)",
        (cursor.lastrowid, subject_id, salt),
    )


def drop_salts(db: Database, subject_id: str) -> None:
    db.execute("DELETE FROM event_salts WHERE subject_id = ?", (subject_id,))


def verify(db: Database) -> ChainReport:
    """Walks the whole chain."""
    previous, count = _START, 0
    seq = 0
    while rows := db.query(
        f"SELECT seq, {_COLUMNS}, chain_hash FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
        (seq, _BATCH),
    ):
        for row in rows:
            seq, *fields, chain_hash = tuple(row)
            if _chain(previous, *fields) != chain_hash:
                return ChainReport(ok=False, count=count, first_bad_seq=seq)
            previous, count = chain_hash, count + 1
    return ChainReport(ok=True, count=count)
