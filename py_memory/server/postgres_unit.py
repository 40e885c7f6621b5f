"""One user's transaction in the PostgreSQL store, and its copying as a whole. Every statement names the user,
although row-level security would show no other's rows: so the database needs to look in one place only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from typing import Any

import psycopg

from py_memory.errors import ConflictError, NotFoundError, StorageError
from py_memory.ids import uuid7
from py_memory.sync.kinds import BLANKS, CONFLICTS, OWNERS

from .store import BODY_JSON, COPIED, COPY_BATCH, COPY_ORDER, Head, Logged, StoredRow, User, as_row

__all__ = ["PostgresCopying", "PostgresUnit", "act_as"]

STATEMENT_MS, LOCK_MS, IDLE_MS = "30000", "10000", "60000"
_OWNERS = tuple(OWNERS)

# The settings end with the transaction: what a pool lends next holds nothing of this one.
ACT_AS = """
SELECT set_config('py_memory.user_id', %s, true), set_config('statement_timeout', %s, true),
    set_config('lock_timeout', %s, true), set_config('idle_in_transaction_session_timeout', %s, true)
"""
HEAD = """
SELECT s.epoch, h.renewed, h.server_seq, h.rows, h.bytes
FROM py_memory.heads h CROSS JOIN py_memory.server s WHERE h.user_id = %s
"""
LOCKED_HEAD = HEAD + " FOR UPDATE OF h"
SET_HEAD = """
UPDATE py_memory.heads SET renewed = %s, server_seq = %s, rows = %s, bytes = %s WHERE user_id = %s
"""
ROW = "SELECT server_seq, body FROM py_memory.memory_rows WHERE user_id = %s AND id = %s AND kind = %s"
LENGTH = "SELECT length(body) FROM py_memory.memory_rows WHERE user_id = %s AND id = %s AND kind = %s"
PUT = """
INSERT INTO py_memory.memory_rows (user_id, kind, id, server_seq, body, session_id, message_id, memory_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (user_id, id, kind)
DO UPDATE SET server_seq = excluded.server_seq, body = excluded.body
"""
PUT_FORGOTTEN = "INSERT INTO py_memory.memory_rows (user_id, kind, id, server_seq) VALUES (%s, %s, %s, %s)"
REMOVED = "RETURNING length(body)"
REMOVE = f"DELETE FROM py_memory.memory_rows WHERE user_id = %s AND id = %s AND kind = %s {REMOVED}"
REMOVE_KIND_OF = f"""
DELETE FROM py_memory.memory_rows WHERE user_id = %s AND memory_id = %s AND kind = %s {REMOVED}
"""
REMOVE_OF = {
    column: f"""
DELETE FROM py_memory.memory_rows WHERE user_id = %s AND {column} = %s AND body IS NOT NULL {REMOVED}
"""
    for column in _OWNERS
}
MESSAGES_OF = """
SELECT id FROM py_memory.memory_rows WHERE user_id = %s AND session_id = %s AND kind = 'messages' ORDER BY id
"""
IS_FORGOTTEN = """
SELECT 1 FROM py_memory.memory_rows WHERE user_id = %s AND id = %s AND body IS NULL
    AND kind NOT IN ('session_titles', 'session_metadata') LIMIT 1
"""
PRESENT = "SELECT kind, id FROM py_memory.memory_rows WHERE user_id = %s AND id = ANY(%s)"
FORGOTTEN = """
SELECT id FROM py_memory.memory_rows WHERE user_id = %s AND id = ANY(%s) AND body IS NULL
    AND kind NOT IN ('session_titles', 'session_metadata')
"""
CHANGES = """
SELECT server_seq, kind, id, body FROM py_memory.memory_rows WHERE user_id = %s AND server_seq > %s
ORDER BY server_seq LIMIT %s
"""
LAST_N = "SELECT last_n FROM py_memory.devices WHERE user_id = %s AND device = %s"
SET_LAST_N = """
INSERT INTO py_memory.devices (user_id, device, last_n) VALUES (%s, %s, %s)
ON CONFLICT (user_id, device) DO UPDATE SET last_n = excluded.last_n
"""
LOGGED = """
SELECT hash, result FROM py_memory.mutation_log WHERE user_id = %s AND device = %s AND n = %s
ORDER BY id LIMIT 1
"""
LOG = """
INSERT INTO py_memory.mutation_log (user_id, id, device, n, hash, result) VALUES (%s, %s, %s, %s, %s, %s)
"""


def act_as(db: psycopg.Connection, user_id: str) -> None:
    """Until the transaction ends, `db` sees the rows of this user."""
    db.execute(ACT_AS, (user_id, STATEMENT_MS, LOCK_MS, IDLE_MS))


class PostgresUnit:
    """The lock on the user's row in `heads` gives the user's counter the order in which transactions commit,
    so that a cursor never passes over a row still being written."""

    def __init__(self, db: psycopg.Connection, user_id: str, *, write: bool) -> None:
        act_as(db, user_id)
        head = db.execute(LOCKED_HEAD if write else HEAD, (user_id,)).fetchone()
        if head is None:
            raise NotFoundError("user", user_id)
        self._db = db
        self._user = user_id
        self._seq: int
        self._epoch, self._renewed, self._seq, self._rows, self._bytes = head
        self._to_put: list[tuple[Any, ...]] = []
        self._to_log: list[tuple[Any, ...]] = []
        self._absent: set[tuple[str, str]] = set()  # looked for by look_up() and not there
        self._kept: set[str] = set()  # owners looked for, and not forgotten

    def head(self) -> Head:
        return Head(self._epoch + self._renewed, self._seq, self._rows, self._bytes)

    def renew_epoch(self) -> None:
        self._renewed = os.urandom(4).hex()

    def next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def finish(self) -> None:
        self._write_rows()
        self._write_log()
        self._db.execute(SET_HEAD, (self._renewed, self._seq, self._rows, self._bytes, self._user))

    def look_up(self, named: Collection[tuple[str, str]], owners: Collection[str]) -> None:
        self._write_rows()
        there = self._db.execute(PRESENT, (self._user, [id for _, id in named]))
        self._absent = set(named).difference((kind, id) for kind, id in there)
        gone = self._db.execute(FORGOTTEN, (self._user, list(owners)))
        self._kept = set(owners).difference(id for (id,) in gone)

    def row(self, kind: str, id: str) -> StoredRow | None:
        if (kind, id) in self._absent:
            return None
        self._write_rows()
        found = self._db.execute(ROW, (self._user, id, kind)).fetchone()
        if found is None:
            return None
        return StoredRow(kind, id, found[0], None if found[1] is None else json.loads(found[1]))

    def put(self, kind: str, id: str, seq: int, body: dict[str, Any], owners: dict[str, str]) -> None:
        text = BODY_JSON.encode(body)
        old = None
        if (kind, id) in self._absent:
            self._absent.discard((kind, id))
        else:
            self._write_rows()
            old = self._db.execute(LENGTH, (self._user, id, kind)).fetchone()
        of = (owners.get(name) for name in _OWNERS)
        self._to_put.append((self._user, kind, id, seq, text, *of))
        self._rows += old is None
        self._bytes += len(text) - ((old[0] or 0) if old else 0)

    def _write_rows(self) -> None:
        """All at once, before anything reads them."""
        if self._to_put:
            with self._db.cursor() as cursor:
                cursor.executemany(PUT, self._to_put)
            self._to_put.clear()

    def forget(self, kind: str, id: str, seq: int) -> None:
        self._write_rows()
        self._absent.discard((kind, id))
        self._kept.discard(id)
        if kind in BLANKS:  # the session stays
            self._remove(REMOVE_KIND_OF, id, CONFLICTS)
        else:
            for column in _OWNERS:
                self._remove(REMOVE_OF[column], id)
        self._remove(REMOVE, id, kind)
        self._db.execute(PUT_FORGOTTEN, (self._user, kind, id, seq))
        self._rows += 1

    def _remove(self, statement: str, *parameters: str) -> None:
        gone = self._db.execute(statement, (self._user, *parameters)).fetchall()
        self._rows -= len(gone)
        self._bytes -= sum(length or 0 for (length,) in gone)

    def messages_of(self, session_id: str) -> list[str]:
        self._write_rows()
        return [row[0] for row in self._db.execute(MESSAGES_OF, (self._user, session_id))]

    def is_forgotten(self, id: str) -> bool:
        if id in self._kept:
            return False
        return self._db.execute(IS_FORGOTTEN, (self._user, id)).fetchone() is not None

    def changes(self, after: int, limit: int) -> list[tuple[int, str]]:
        self._write_rows()
        found = self._db.execute(CHANGES, (self._user, after, limit))
        return [(seq, as_row(seq, kind, id, body)) for seq, kind, id, body in found]

    def last_n(self, device: str) -> int:
        found = self._db.execute(LAST_N, (self._user, device)).fetchone()
        return int(found[0]) if found else 0

    def set_last_n(self, device: str, n: int) -> None:
        self._db.execute(SET_LAST_N, (self._user, device, n))

    def logged(self, device: str, n: int) -> Logged | None:
        self._write_log()
        found = self._db.execute(LOGGED, (self._user, device, n)).fetchone()
        return None if found is None else Logged(found[0], found[1] and json.loads(found[1]))

    def log(self, device: str, n: int, hash: bytes, result: dict[str, Any] | None) -> None:
        text = None if result is None else json.dumps(result, ensure_ascii=False)
        self._to_log.append((self._user, uuid7(), device, n, hash, text))

    def _write_log(self) -> None:
        """All at once, in one message to the server."""
        if self._to_log:
            with self._db.cursor() as cursor:
                cursor.executemany(LOG, self._to_log)
            self._to_log.clear()


EPOCH = "SELECT epoch FROM py_memory.server"
SET_EPOCH = "UPDATE py_memory.server SET epoch = %s"
EVERY_USER = "SELECT set_config('py_memory.every_user', 'on', true)"
USERS = "SELECT id, name, created_at FROM py_memory.users ORDER BY created_at, id"
ADD_USER = "INSERT INTO py_memory.users (id, name, created_at) VALUES (%s, %s, %s)"
ADD_TOKEN_OWNER = "INSERT INTO py_memory.token_owners (key, user_id) VALUES (%s, %s)"
READ = {
    table: f"SELECT {', '.join(columns)} FROM py_memory.{table} WHERE user_id = %s "
    f"ORDER BY {COPY_ORDER[table]}"
    for table, columns in COPIED.items()
}
COPIED_HERE = {**COPIED, "mutation_log": (*COPIED["mutation_log"], "id")}  # whose months are by its id
WRITE = {
    table: f"INSERT INTO py_memory.{table} (user_id, {', '.join(columns)}) "
    f"VALUES (%s, {', '.join('%s' for _ in columns)})"
    for table, columns in COPIED_HERE.items()
}


class PostgresCopying:
    def __init__(self, db: psycopg.Connection) -> None:
        self._db = db

    def epoch(self) -> str:
        (epoch,) = self._db.execute(EPOCH).fetchone() or ("",)
        return str(epoch)

    def users(self) -> list[User]:
        self._db.execute(EVERY_USER)
        return [User(str(id), name, at) for id, name, at in self._db.execute(USERS)]

    def read(self, table: str, user_id: str) -> Iterator[list[tuple[Any, ...]]]:
        act_as(self._db, user_id)
        # Kept by the database: a table may be larger than this machine's memory.
        with self._db.cursor(f"copy_{table}") as cursor:
            cursor.execute(READ[table], (user_id,))
            while batch := cursor.fetchmany(COPY_BATCH):
                yield batch

    def begin(self, epoch: str) -> None:
        if self.users():
            raise ConflictError("The store has users already. Move to a new one; nothing was changed.")
        self._db.execute(SET_EPOCH, (epoch,))

    def write_user(self, user: User) -> None:
        act_as(self._db, user.id)
        self._db.execute(ADD_USER, (user.id, user.name, user.created_at))

    def write(self, table: str, user_id: str, rows: list[tuple[Any, ...]]) -> None:
        act_as(self._db, user_id)
        if table == "mutation_log":
            rows = [(*row, uuid7()) for row in rows]
        try:
            with self._db.cursor() as cursor:
                if table == "tokens":
                    cursor.executemany(ADD_TOKEN_OWNER, [(row[0], user_id) for row in rows])
                cursor.executemany(WRITE[table], [(user_id, *row) for row in rows])
        except psycopg.IntegrityError as error:
            raise StorageError(
                f"A row of {table} does not fit into the new store ({error.diag.message_primary})."
            ) from error
