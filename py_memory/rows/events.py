"""The chain of events as rows: each one's hash covers its fields and the hash before it.

An event's content hash is salted, the salt kept in a table beside it. Forgetting drops the salt: the hash can
then no longer be matched with a guessed text, while the chain over the hashes still verifies.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from py_memory.database import Database, Row
from py_memory.ids import uuid7

__all__ = [
    "CHECKPOINT",
    "START",
    "Event",
    "append",
    "chained",
    "drop_salts",
    "fold",
    "has_salt",
    "last_salted",
    "oldest_time",
    "read_events",
    "remove_checkpoint",
    "sealed",
]

START = "0" * 64  # what the first event is chained to
CHECKPOINT = "checkpoint"  # the kind of the row that stands for the events folded into it
_BATCH = 2000
_COLUMNS = "id, user_id, created_at, device, kind, subject_kind, subject_id, content_hash"


@dataclass(frozen=True, slots=True)
class Event:
    """`fields` are what the hash covers, in the order of the columns above. Of a checkpoint the subject's
    id is the number of events it stands for, and the hash that of the last of them."""

    seq: int
    fields: tuple[object, ...]
    chain_hash: str

    @property
    def id(self) -> str:
        return str(self.fields[0])

    @property
    def time(self) -> int:
        return int(str(self.fields[2]))

    @property
    def is_checkpoint(self) -> bool:
        return self.fields[4] == CHECKPOINT


def _event(row: Row) -> Event:
    seq, *fields, chain_hash = tuple(row)
    return Event(seq, tuple(fields), chain_hash)


def _sha256(*fields: object) -> str:
    return hashlib.sha256("\x1f".join(map(str, fields)).encode()).hexdigest()


def chained(previous: str, event: Event) -> str:
    """The hash an event has after the one with the hash `previous`."""
    return _sha256(previous, *event.fields)


def sealed(previous: str, event: Event) -> str:
    """The content hash of a checkpoint after one with the content hash `previous`."""
    return _sha256(previous, event.seq, *event.fields[:-1], event.chain_hash)


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
    last = db.one("SELECT seq, chain_hash FROM events WHERE seq = (SELECT max(seq) FROM events)")
    salt = os.urandom(16)
    content_hash = hashlib.sha256(salt + content.encode()).hexdigest()
    fields = (uuid7(now), user_id, now, device, kind, subject_kind, subject_id, content_hash)
    # The number of an event that somebody removed is not given again, so that the gap stays to be seen.
    seq = max(last["seq"] if last else 0, last_salted(db)) + 1
    event = Event(seq, fields, "")
    db.execute(
        f"INSERT INTO events (seq, {_COLUMNS}, chain_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (seq, *fields, chained(last["chain_hash"] if last else START, event)),
    )
    db.execute(
        "INSERT INTO event_salts (event_seq, subject_id, salt) VALUES (?, ?, ?)", (seq, subject_id, salt)
    )


def drop_salts(db: Database, subject_id: str) -> None:
    db.execute("DELETE FROM event_salts WHERE subject_id = ?", (subject_id,))


def last_salted(db: Database) -> int:
    """The highest number of an event that has a salt, 0 if none has."""
    return int(db.value("SELECT ifnull(max(event_seq), 0) FROM event_salts"))


def has_salt(db: Database, seq: int) -> bool:
    return db.one("SELECT 1 FROM event_salts WHERE event_seq = ?", (seq,)) is not None


def read_events(db: Database, after: int = 0) -> Iterator[Event]:
    """Events with a number over `after`, in their order."""
    while rows := db.query(
        f"SELECT seq, {_COLUMNS}, chain_hash FROM events WHERE seq > ? ORDER BY seq LIMIT ?", (after, _BATCH)
    ):
        for row in rows:
            yield _event(row)
        after = rows[-1]["seq"]


def oldest_time(db: Database) -> int | None:
    """When the oldest event happened that is not folded, None if there is none."""
    value = db.value("SELECT created_at FROM events WHERE kind <> ? ORDER BY seq LIMIT 1", (CHECKPOINT,))
    return None if value is None else int(value)


def remove_checkpoint(db: Database, seq: int) -> None:
    db.execute("DELETE FROM events WHERE seq = ? AND kind = ?", (seq, CHECKPOINT))


def fold(db: Database, last: Event, count: int, device: str, previous_seal: str) -> None:
    """Puts one checkpoint in the place of `count` events, of which `last` is the last one."""
    fields = (
        uuid7(int(str(last.fields[2]))),
        "",
        last.fields[2],
        device,
        CHECKPOINT,
        "events",
        str(count),
        "",
    )
    seal = sealed(previous_seal, Event(last.seq, fields, last.chain_hash))
    db.execute("DELETE FROM event_salts WHERE event_seq <= ?", (last.seq,))
    db.execute("DELETE FROM events WHERE seq <= ? AND kind <> ?", (last.seq, CHECKPOINT))
    db.execute(
        f"INSERT INTO events (seq, {_COLUMNS}, chain_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (last.seq, *fields[:-1], seal, last.chain_hash),
    )
