"""Keeps the full-text indexes in step with what they index.

Triggers keep `memory_search`, over facts, summaries, tool results and experiences. `message_search` is kept
here: the index holds no text of its own: it reads it from the view `message_search_content`, also to find
what to delete. So take a message out BEFORE its text or status changes or its row goes, and put it in
after.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

from py_memory.database import Database
from py_memory.errors import DatabaseCorruptError

_MERGE_PAGES = 16
_INDEXES = ("message_search", "memory_search")


def add(db: Database, seq: int) -> None:
    """Puts the message in, if it is one to be searched."""
    db.execute(
        "INSERT INTO message_search (rowid, terms, marks) "
        "SELECT seq, terms, marks FROM message_search_content WHERE seq = ?",
        (seq,),
    )


def add_named(db: Database, ids: Iterable[str]) -> None:
    """The same for several messages, by id."""
    db.execute(
        "INSERT INTO message_search (rowid, terms, marks) "
        "SELECT seq, terms, marks FROM message_search_content "
        "WHERE seq IN (SELECT seq FROM messages WHERE id IN (SELECT value FROM json_each(?)))",
        (json.dumps(sorted(ids)),),
    )


def remove(db: Database, seqs: Iterable[int]) -> None:
    """Takes messages out. Those that are not in the index are passed over."""
    db.execute_many(
        "DELETE FROM message_search WHERE rowid IN (SELECT seq FROM message_search_content WHERE seq = ?)",
        [(seq,) for seq in seqs],
    )


def merge(db: Database, budget_ms: int) -> bool:
    """Merges segments in small steps for about `budget_ms`. Returns whether work is left."""
    deadline = time.monotonic() + budget_ms / 1000
    for index in _INDEXES:
        while True:
            if time.monotonic() >= deadline:
                return True
            before = db.total_changes
            db.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (_MERGE_PAGES,))
            if db.total_changes - before < 2:  # the command itself counts as one
                break
    return False


def optimize(db: Database, *, messages: bool = True) -> None:
    """Rewrites each index as one segment: the words of deleted rows stay in the file until this. Without
    `messages` only the index of everything else."""
    for index in _INDEXES if messages else _INDEXES[1:]:
        db.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")


def is_sound(db: Database) -> bool:
    """Whether the indexes agree with the rows."""
    try:
        for index in _INDEXES:
            db.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
    except DatabaseCorruptError:
        return False
    return True


def rebuild(db: Database) -> None:
    """Makes the indexes anew from the rows."""
    for index in _INDEXES:
        db.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
