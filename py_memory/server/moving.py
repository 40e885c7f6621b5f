"""Moving a whole store to another of any kind: users, tokens, rows, and how far every device has come. The
epoch moves along, so that devices go on where they are.
"""

from __future__ import annotations

from .store import COPIED, Store

__all__ = ["move"]


def move(source: Store, target: Store) -> dict[str, int]:
    """Rows by table. All or nothing; the source is not changed, and nobody writes to an SQLite source
    meanwhile. Raises ConflictError unless the target is without users, StorageError, UnavailableError."""
    counts = dict.fromkeys(("users", *COPIED), 0)
    with source.copying() as reading, target.copying() as writing:
        writing.begin(reading.epoch())
        for user in reading.users():
            writing.write_user(user)
            counts["users"] += 1
            for table in COPIED:
                for batch in reading.read(table, user.id):
                    writing.write(table, user.id, batch)
                    counts[table] += len(batch)
    return counts
