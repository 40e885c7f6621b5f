"""The sync server's store in one SQLite file: the default, without any set-up.

One connection, and one transaction at a time: BEGIN IMMEDIATE gives the user's counter the order in which
transactions commit, so that a cursor never passes over a row still being written.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py_memory.database import FIRST_SAFE_WAL
from py_memory.errors import ConflictError, NewerDatabaseError, NotADatabaseError, NotFoundError, StorageError
from py_memory.ids import uuid7
from py_memory.sync.kinds import BLANKS, CONFLICTS, OWNERS

from .store import BODY_JSON, COPIED, COPY_BATCH, COPY_ORDER, Head, Logged, StoredRow, Token, User, as_row

__all__ = ["SqliteStore"]

APPLICATION_ID = 0x504D5356  # "PMSV"
LOG_KEPT = 10_000  # answers per device that can be given again in full
# One script per schema version, applied in order.
_MIGRATIONS = (
    """
CREATE TABLE server (epoch TEXT NOT NULL) STRICT;
CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT;
CREATE TABLE tokens (
    key TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), secret_hash BLOB NOT NULL,
    label TEXT NOT NULL, scope TEXT NOT NULL CHECK (scope IN ('sync', 'pull')), created_at INTEGER NOT NULL,
    expires_at INTEGER, revoked_at INTEGER) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id, created_at);
CREATE TABLE heads (
    user_id TEXT PRIMARY KEY REFERENCES users (id), server_seq INTEGER NOT NULL DEFAULT 0,
    rows INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE devices (
    user_id TEXT NOT NULL, device TEXT NOT NULL, last_n INTEGER NOT NULL, PRIMARY KEY (user_id, device))
    STRICT, WITHOUT ROWID;
CREATE TABLE memory_rows (
    user_id TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, server_seq INTEGER NOT NULL, body TEXT,
    session_id TEXT, message_id TEXT, memory_id TEXT, PRIMARY KEY (user_id, id, kind)) STRICT;
CREATE UNIQUE INDEX memory_rows_by_seq ON memory_rows (user_id, server_seq);
CREATE INDEX memory_rows_by_session ON memory_rows (user_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memory_rows_by_message ON memory_rows (user_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX memory_rows_by_memory ON memory_rows (user_id, memory_id) WHERE memory_id IS NOT NULL;
CREATE TABLE mutation_log (
    user_id TEXT NOT NULL, device TEXT NOT NULL, n INTEGER NOT NULL, hash BLOB NOT NULL, result TEXT,
    PRIMARY KEY (user_id, device, n)) STRICT, WITHOUT ROWID;
""",
    # A user's epoch is the server's and this. Answers that older versions kept may hold rows.
    """
ALTER TABLE heads ADD COLUMN renewed TEXT NOT NULL DEFAULT '';
UPDATE mutation_log SET result = '{"status":"duplicate"}' WHERE result LIKE '%"groups"%';
""",
)
_OWNERS = tuple(OWNERS)
_USERS = "SELECT id, name, created_at FROM users ORDER BY created_at, id"
_ADD_USER = "INSERT INTO users (id, name, created_at) VALUES (?, ?, ?)"
_FULL = ("is full", "disk I/O")


class SqliteStore:
    """Opens or makes the file. Raises NotADatabaseError, NewerDatabaseError, StorageError."""

    def __init__(self, path: str | Path) -> None:
        self._lock = threading.RLock()
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(str(path), isolation_level=None, check_same_thread=False, timeout=10)
            if str(path) != ":memory:":
                os.chmod(path, 0o600)
            self._prepare(str(path))
        except (OSError, sqlite3.DatabaseError) as error:
            raise StorageError(f"The sync store {path} could not be opened ({error}).") from error

    def _prepare(self, path: str) -> None:
        application = self._value("PRAGMA application_id")
        if application != APPLICATION_ID and self._value("SELECT count(*) FROM sqlite_schema"):
            raise NotADatabaseError(f"{path} is not a sync store. Choose another file; it was not changed.")
        version = int(self._value("PRAGMA user_version"))
        if version > len(_MIGRATIONS):
            raise NewerDatabaseError(version, len(_MIGRATIONS))
        self._db.execute("PRAGMA secure_delete=ON")
        self._db.execute("PRAGMA foreign_keys=ON")
        mode = "wal" if sqlite3.sqlite_version_info >= FIRST_SAFE_WAL else "truncate"
        self._db.execute(f"PRAGMA journal_mode={mode}").fetchall()
        self._db.execute("PRAGMA synchronous=FULL")
        if version == len(_MIGRATIONS):
            return
        with self._transaction(write=True):
            for script in _MIGRATIONS[int(self._value("PRAGMA user_version")) :]:
                for statement in filter(None, map(str.strip, script.split(";"))):
                    self._db.execute(statement)
            if self._value("SELECT count(*) FROM server") == 0:
                self._db.execute("INSERT INTO server (epoch) VALUES (?)", (f"e{os.urandom(6).hex()}",))
            self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version={len(_MIGRATIONS)}")

    def _value(self, sql: str, parameters: tuple[Any, ...] = ()) -> Any:
        row = self._db.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[None]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                try:
                    yield
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except sqlite3.OperationalError as error:
                if any(sign in str(error) for sign in _FULL):
                    raise StorageError(
                        f"The server's disk has no room ({error}). Nothing was stored."
                    ) from error
                raise

    @contextmanager
    def unit(self, user_id: str, *, write: bool) -> Iterator[SqliteUnit]:
        with self._transaction(write=write):
            unit = SqliteUnit(self._db, user_id)
            yield unit
            if write:
                unit.finish()

    @contextmanager
    def copying(self) -> Iterator[SqliteCopying]:
        with self._transaction(write=True):
            yield SqliteCopying(self._db)

    # -- users and tokens --

    def add_user(self, name: str, now: int) -> User:
        """Raises ConflictError when the name is taken."""
        user = User(uuid7(now), name, now)
        with self._transaction(write=True):
            if self._value("SELECT 1 FROM users WHERE name = ?", (name,)):
                raise ConflictError(f"There is a user {name!r} already. Choose another name.")
            self._db.execute(_ADD_USER, (user.id, name, now))
            self._db.execute("INSERT INTO heads (user_id) VALUES (?)", (user.id,))
        return user

    def users(self) -> list[User]:
        with self._lock:
            return [User(*row) for row in self._db.execute(_USERS)]

    def user_named(self, name: str) -> User:
        """Raises NotFoundError."""
        found = next((user for user in self.users() if user.name == name), None)
        if found is None:
            raise NotFoundError("user", name)
        return found

    def add_token(self, token: Token) -> None:
        with self._transaction(write=True):
            self._db.execute(
                "INSERT INTO tokens (key, user_id, secret_hash, label, scope, created_at, expires_at, "
                "revoked_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    token.key,
                    token.user_id,
                    token.secret_hash,
                    token.label,
                    token.scope,
                    token.created_at,
                    token.expires_at,
                    token.revoked_at,
                ),
            )

    _TOKEN = "key, user_id, secret_hash, label, scope, created_at, expires_at, revoked_at"

    def token(self, key: str) -> Token | None:
        with self._lock:
            row = self._db.execute(f"SELECT {self._TOKEN} FROM tokens WHERE key = ?", (key,)).fetchone()
        return None if row is None else Token(*row)

    def tokens(self, user_id: str) -> list[Token]:
        with self._lock:
            found = self._db.execute(
                f"SELECT {self._TOKEN} FROM tokens WHERE user_id = ? ORDER BY created_at, key", (user_id,)
            ).fetchall()
        return [Token(*row) for row in found]

    def revoke(self, key: str, now: int) -> bool:
        with self._transaction(write=True):
            done = self._db.execute(
                "UPDATE tokens SET revoked_at = ? WHERE key = ? AND revoked_at IS NULL", (now, key)
            )
        return done.rowcount == 1

    def is_sound(self) -> bool:
        with self._lock:
            return bool(self._value("PRAGMA quick_check") == "ok")

    def close(self) -> None:
        with self._lock:
            self._db.close()


class SqliteUnit:
    """One transaction for one user; `user_id` stands in every statement."""

    def __init__(self, db: sqlite3.Connection, user_id: str) -> None:
        self._db = db
        self._user = user_id
        row = db.execute("SELECT epoch FROM server").fetchone()
        head = db.execute(
            "SELECT renewed, server_seq, rows, bytes FROM heads WHERE user_id = ?", (user_id,)
        ).fetchone()
        if head is None:
            raise NotFoundError("user", user_id)
        self._epoch = row[0]
        self._seq: int
        self._renewed, self._seq, self._rows, self._bytes = head
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
        self._db.execute(
            "UPDATE heads SET renewed = ?, server_seq = ?, rows = ?, bytes = ? WHERE user_id = ?",
            (self._renewed, self._seq, self._rows, self._bytes, self._user),
        )

    def look_up(self, named: Collection[tuple[str, str]], owners: Collection[str]) -> None:
        self._write_rows()
        there = self._db.execute(
            "SELECT kind, id FROM memory_rows WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))",
            (self._user, json.dumps([id for _, id in named])),
        )
        self._absent = set(named).difference(map(tuple, there))
        gone = self._db.execute(
            "SELECT id FROM memory_rows WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) "
            "AND body IS NULL AND kind NOT IN ('session_titles', 'session_metadata')",
            (self._user, json.dumps(list(owners))),
        )
        self._kept = set(owners).difference(id for (id,) in gone)

    def row(self, kind: str, id: str) -> StoredRow | None:
        if (kind, id) in self._absent:
            return None
        self._write_rows()
        found = self._db.execute(
            "SELECT server_seq, body FROM memory_rows WHERE user_id = ? AND id = ? AND kind = ?",
            (self._user, id, kind),
        ).fetchone()
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
            old = self._db.execute(
                "SELECT length(body) FROM memory_rows WHERE user_id = ? AND id = ? AND kind = ?",
                (self._user, id, kind),
            ).fetchone()
        of = (owners.get(name) for name in _OWNERS)
        self._to_put.append((self._user, kind, id, seq, text, *of))
        self._rows += old is None
        self._bytes += len(text) - (old[0] if old else 0)

    def _write_rows(self) -> None:
        """All at once, before anything reads them."""
        if self._to_put:
            self._db.executemany(
                "INSERT INTO memory_rows (user_id, kind, id, server_seq, body, session_id, message_id, "
                "memory_id) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, id, kind) DO UPDATE "
                "SET server_seq = excluded.server_seq, body = excluded.body",
                self._to_put,
            )
            self._to_put.clear()

    def forget(self, kind: str, id: str, seq: int) -> None:
        self._write_rows()
        self._absent.discard((kind, id))
        self._kept.discard(id)
        if kind in BLANKS:  # the session stays
            self._remove("memory_id = ? AND kind = ?", id, CONFLICTS)
        else:
            for column in _OWNERS:
                self._remove(f"{column} = ? AND body IS NOT NULL", id)
        self._remove("id = ? AND kind = ?", id, kind)
        self._db.execute(
            "INSERT INTO memory_rows (user_id, kind, id, server_seq) VALUES (?, ?, ?, ?)",
            (self._user, kind, id, seq),
        )
        self._rows += 1

    def messages_of(self, session_id: str) -> list[str]:
        self._write_rows()
        found = self._db.execute(
            "SELECT id FROM memory_rows WHERE user_id = ? AND session_id = ? AND kind = 'messages'",
            (self._user, session_id),
        ).fetchall()
        return [row[0] for row in found]

    def _remove(self, where: str, *parameters: str) -> None:
        rows, size = self._db.execute(
            f"SELECT count(*), ifnull(sum(length(body)), 0) FROM memory_rows WHERE user_id = ? AND {where}",
            (self._user, *parameters),
        ).fetchone()
        if rows:
            self._db.execute(
                f"DELETE FROM memory_rows WHERE user_id = ? AND {where}", (self._user, *parameters)
            )
            self._rows -= rows
            self._bytes -= size

    def is_forgotten(self, id: str) -> bool:
        if id in self._kept:
            return False
        found = self._db.execute(
            "SELECT 1 FROM memory_rows WHERE user_id = ? AND id = ? AND body IS NULL "
            "AND kind NOT IN ('session_titles', 'session_metadata')",
            (self._user, id),
        ).fetchone()
        return found is not None

    def changes(self, after: int, limit: int) -> list[tuple[int, str]]:
        self._write_rows()
        found = self._db.execute(
            "SELECT server_seq, kind, id, body FROM memory_rows WHERE user_id = ? AND server_seq > ? "
            "ORDER BY server_seq LIMIT ?",
            (self._user, after, limit),
        ).fetchall()
        return [(seq, as_row(seq, kind, id, body)) for seq, kind, id, body in found]

    def last_n(self, device: str) -> int:
        found = self._db.execute(
            "SELECT last_n FROM devices WHERE user_id = ? AND device = ?", (self._user, device)
        ).fetchone()
        return int(found[0]) if found else 0

    def set_last_n(self, device: str, n: int) -> None:
        self._db.execute(
            "INSERT INTO devices (user_id, device, last_n) VALUES (?, ?, ?) "
            "ON CONFLICT (user_id, device) DO UPDATE SET last_n = excluded.last_n",
            (self._user, device, n),
        )
        self._db.execute(
            "DELETE FROM mutation_log WHERE user_id = ? AND device = ? AND n <= ?",
            (self._user, device, n - LOG_KEPT),
        )

    def logged(self, device: str, n: int) -> Logged | None:
        self._write_log()
        found = self._db.execute(
            "SELECT hash, result FROM mutation_log WHERE user_id = ? AND device = ? AND n = ?",
            (self._user, device, n),
        ).fetchone()
        return None if found is None else Logged(found[0], found[1] and json.loads(found[1]))

    def log(self, device: str, n: int, hash: bytes, result: dict[str, Any] | None) -> None:
        text = result and json.dumps(result, ensure_ascii=False)
        self._to_log.append((self._user, device, n, hash, text))

    def _write_log(self) -> None:
        """All at once."""
        self._db.executemany(
            "INSERT INTO mutation_log (user_id, device, n, hash, result) VALUES (?, ?, ?, ?, ?)", self._to_log
        )
        self._to_log.clear()


class SqliteCopying:
    """One transaction over the whole file; nobody else writes meanwhile."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def epoch(self) -> str:
        return str(self._db.execute("SELECT epoch FROM server").fetchone()[0])

    def users(self) -> list[User]:
        return [User(*row) for row in self._db.execute(_USERS)]

    def read(self, table: str, user_id: str) -> Iterator[list[tuple[Any, ...]]]:
        columns = ", ".join(COPIED[table])
        sql = f"SELECT {columns} FROM {table} WHERE user_id = ? ORDER BY {COPY_ORDER[table]}"
        found = self._db.execute(sql, (user_id,))
        while batch := found.fetchmany(COPY_BATCH):
            yield batch

    def begin(self, epoch: str) -> None:
        if self.users():
            raise ConflictError("The store has users already. Move to a new one; nothing was changed.")
        self._db.execute("UPDATE server SET epoch = ?", (epoch,))

    def write_user(self, user: User) -> None:
        self._db.execute(_ADD_USER, (user.id, user.name, user.created_at))

    def write(self, table: str, user_id: str, rows: list[tuple[Any, ...]]) -> None:
        columns = COPIED[table]
        marks = ", ".join("?" for _ in columns)
        sql = f"INSERT INTO {table} (user_id, {', '.join(columns)}) VALUES (?, {marks})"
        try:
            self._db.executemany(sql, ((user_id, *row) for row in rows))
        except sqlite3.IntegrityError as error:
            raise StorageError(f"A row of {table} does not fit into the new store ({error}).") from error
