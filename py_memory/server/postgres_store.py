"""The sync server's store in PostgreSQL, for more than one server process. Needs the extra `postgres`.

A transaction is for one user: the connection is lent by the pool, acts as that user until the commit, and is
nobody's after it. There is no other way to a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from py_memory.errors import ConflictError, InvalidInputError, NotFoundError, StorageError
from py_memory.ids import uuid7

from .postgres_schema import check_role, check_version, said
from .postgres_unit import ADD_TOKEN_OWNER, ADD_USER, EVERY_USER, USERS, PostgresCopying, PostgresUnit, act_as
from .store import ContendedError, Token, UnavailableError, User

__all__ = ["PostgresStore", "role_of"]

MAX_CONNECTIONS = 10
POOL_WAIT_S = 5.0
MAX_WAITING = 100
_OPENING_S = 10.0

FOR_TOKEN = "SELECT set_config('py_memory.token_key', %s, true)"
OWNER_OF_TOKEN = "SELECT user_id FROM py_memory.token_owners WHERE key = %s"
ADD_HEAD = "INSERT INTO py_memory.heads (user_id) VALUES (%s)"
ADD_TOKEN = """
INSERT INTO py_memory.tokens (user_id, key, secret_hash, label, scope, created_at, expires_at, revoked_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""
_TOKEN = "key, user_id, secret_hash, label, scope, created_at, expires_at, revoked_at"
TOKEN = f"SELECT {_TOKEN} FROM py_memory.tokens WHERE user_id = %s AND key = %s"
TOKENS = f"SELECT {_TOKEN} FROM py_memory.tokens WHERE user_id = %s ORDER BY created_at, key"
REVOKE = "UPDATE py_memory.tokens SET revoked_at = %s WHERE user_id = %s AND key = %s AND revoked_at IS NULL"


def role_of(address: str) -> str:
    """The role that an address names. Raises InvalidInputError."""
    try:
        role = psycopg.conninfo.conninfo_to_dict(address).get("user")
    except psycopg.ProgrammingError as error:
        raise InvalidInputError("The address of the PostgreSQL store is malformed.") from error
    if not role:
        raise InvalidInputError(
            "The address of the PostgreSQL store names no role: postgresql://ROLE@HOST/NAME."
        )
    return str(role)


class PostgresStore:
    """Raises UnsafeRoleError when the role could see past row-level security, StorageError when the store is
    not reached or not migrated, NewerDatabaseError."""

    def __init__(
        self, address: str, *, max_connections: int = MAX_CONNECTIONS, wait_s: float = POOL_WAIT_S
    ) -> None:
        role_of(address)
        try:
            with psycopg.connect(address, autocommit=True, connect_timeout=round(_OPENING_S)) as db:
                check_version(db)
                check_role(db)
        except psycopg.Error as error:
            # psycopg's own sentence for a failed connection quotes the address.
            raise StorageError(f"The PostgreSQL store could not be opened ({said(error)}).") from None
        self._pool = ConnectionPool(
            address,
            min_size=1,
            max_size=max_connections,
            timeout=wait_s,
            max_waiting=MAX_WAITING,
            check=ConnectionPool.check_connection,
            open=True,
            name="py_memory",
        )

    @contextmanager
    def _transaction(self, *, write: bool = True, one_moment: bool = False) -> Iterator[psycopg.Connection]:
        """Reading sees one moment. Writing reads what is committed when its lock is given."""
        try:
            with self._pool.connection() as db:
                db.read_only = not write
                levels = psycopg.IsolationLevel
                one_moment = one_moment or not write
                db.isolation_level = levels.REPEATABLE_READ if one_moment else levels.READ_COMMITTED
                with db.transaction():
                    yield db
        except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected) as error:
            raise ContendedError("Another transaction was in the way. Try again.") from error
        except psycopg.errors.DiskFull as error:
            raise StorageError("The server's disk has no room. Nothing was stored.") from error
        except PoolTimeout as error:
            raise UnavailableError("The server is busy. Try again in a moment.") from error
        except (
            psycopg.OperationalError,
            psycopg.InterfaceError,
            psycopg.errors.ReadOnlySqlTransaction,  # a standby that took over and is not ready yet
        ) as error:
            raise UnavailableError("The server's database is not reached. Try again in a moment.") from error

    @contextmanager
    def unit(self, user_id: str, *, write: bool) -> Iterator[PostgresUnit]:
        with self._transaction(write=write) as db:
            unit = PostgresUnit(db, user_id, write=write)
            yield unit
            if write:
                unit.finish()

    @contextmanager
    def copying(self) -> Iterator[PostgresCopying]:
        with self._transaction(one_moment=True) as db:
            yield PostgresCopying(db)

    # -- users and tokens --

    def add_user(self, name: str, now: int) -> User:
        """Raises ConflictError when the name is taken."""
        user = User(uuid7(now), name, now)
        try:
            with self._transaction() as db:
                act_as(db, user.id)
                db.execute(ADD_USER, (user.id, name, now))
                db.execute(ADD_HEAD, (user.id,))
        except psycopg.errors.UniqueViolation:
            raise ConflictError(f"There is a user {name!r} already. Choose another name.") from None
        return user

    def users(self) -> list[User]:
        with self._transaction(write=False) as db:
            db.execute(EVERY_USER)
            return [User(str(id), name, at) for id, name, at in db.execute(USERS)]

    def user_named(self, name: str) -> User:
        """Raises NotFoundError."""
        found = next((user for user in self.users() if user.name == name), None)
        if found is None:
            raise NotFoundError("user", name)
        return found

    def add_token(self, token: Token) -> None:
        with self._transaction() as db:
            act_as(db, token.user_id)
            db.execute(ADD_TOKEN_OWNER, (token.key, token.user_id))
            db.execute(
                ADD_TOKEN,
                (
                    token.user_id,
                    token.key,
                    token.secret_hash,
                    token.label,
                    token.scope,
                    token.created_at,
                    token.expires_at,
                    token.revoked_at,
                ),
            )

    @staticmethod
    def _owner(db: psycopg.Connection, key: str) -> str | None:
        db.execute(FOR_TOKEN, (key,))
        row = db.execute(OWNER_OF_TOKEN, (key,)).fetchone()
        return None if row is None else str(row[0])

    def token(self, key: str) -> Token | None:
        with self._transaction(write=False) as db:
            user_id = self._owner(db, key)
            if user_id is None:
                return None
            act_as(db, user_id)
            row = db.execute(TOKEN, (user_id, key)).fetchone()
        return None if row is None else _token(row)

    def tokens(self, user_id: str) -> list[Token]:
        with self._transaction(write=False) as db:
            act_as(db, user_id)
            return [_token(row) for row in db.execute(TOKENS, (user_id,))]

    def revoke(self, key: str, now: int) -> bool:
        with self._transaction() as db:
            user_id = self._owner(db, key)
            if user_id is None:
                return False
            act_as(db, user_id)
            return db.execute(REVOKE, (now, user_id, key)).rowcount == 1

    def is_sound(self) -> bool:
        """Whether the database is reached, at this program's schema and with row-level security in force."""
        with self._transaction(write=False) as db:
            check_version(db)
            check_role(db)
        return True

    def close(self) -> None:
        self._pool.close()


def _token(row: tuple[object, ...]) -> Token:
    key, user_id, *more = row
    return Token(key, str(user_id), *more)  # type: ignore[arg-type]
