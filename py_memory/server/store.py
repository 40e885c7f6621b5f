"""What a store of the sync server does. Rows are reached by naming their user, and no statement on them is
without one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from py_memory.errors import PyMemoryError

__all__ = [
    "BODY_JSON",
    "COPIED",
    "COPY_BATCH",
    "COPY_ORDER",
    "ContendedError",
    "Copying",
    "Head",
    "Logged",
    "Store",
    "StoredRow",
    "Token",
    "UnavailableError",
    "Unit",
    "User",
    "as_row",
]

# What is copied of each user when a store is moved to another kind, in an order in which rows refer to
# earlier tables only: the columns after the user's id.
COPIED = {
    "tokens": ("key", "secret_hash", "label", "scope", "created_at", "expires_at", "revoked_at"),
    "heads": ("renewed", "server_seq", "rows", "bytes"),
    "devices": ("device", "last_n"),
    "memory_rows": ("kind", "id", "server_seq", "body", "session_id", "message_id", "memory_id"),
    "mutation_log": ("device", "n", "hash", "result"),
}
COPY_BATCH = 500
BODY_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
COPY_ORDER = {
    "tokens": "key",
    "heads": "user_id",
    "devices": "device",
    "memory_rows": "server_seq",
    "mutation_log": "device, n",
}


class UnavailableError(PyMemoryError):
    """The store cannot be reached now. Nothing was stored, or the answer alone was lost; try again."""


class ContendedError(UnavailableError):
    """The database ended the transaction for another's sake. Nothing was stored; it may be tried at once."""


@dataclass(frozen=True, slots=True)
class User:
    id: str
    name: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Token:
    """`secret_hash` is the SHA-256 of the secret; the secret itself is nowhere. Times in ms."""

    key: str
    user_id: str
    secret_hash: bytes
    label: str
    scope: str  # "sync", or "pull" for a device that only reads
    created_at: int
    expires_at: int | None
    revoked_at: int | None


@dataclass(frozen=True, slots=True)
class Head:
    """`seq` counts the changes of one user; `rows` and `bytes` are what is stored now."""

    epoch: str
    seq: int
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class StoredRow:
    """`body` is {identity, groups: {group: {stamp, set}}}, None once the row is forgotten."""

    kind: str
    id: str
    seq: int
    body: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Logged:
    hash: bytes
    result: dict[str, Any] | None


class Unit(Protocol):
    """One transaction for one user."""

    def head(self) -> Head: ...

    def renew_epoch(self) -> None:
        """From now on every device of the user begins from the start."""

    def next_seq(self) -> int:
        """The next number of the user's counter."""

    def look_up(self, named: Collection[tuple[str, str]], owners: Collection[str]) -> None:
        """Looks at once for rows by (kind, id) that are about to be asked for and put, and for `owners` that
        is_forgotten() is about to be asked of. Changes no answer."""

    def row(self, kind: str, id: str) -> StoredRow | None: ...

    def put(self, kind: str, id: str, seq: int, body: dict[str, Any], owners: dict[str, str]) -> None:
        """`owners`: the ids the row goes with, by column (session_id, message_id, memory_id)."""

    def forget(self, kind: str, id: str, seq: int) -> None:
        """Leaves a row of that id without content, and nothing of the rows that go with it."""

    def messages_of(self, session_id: str) -> list[str]: ...

    def is_forgotten(self, id: str) -> bool:
        """Whether a row of this id, of any kind, was forgotten."""

    def changes(self, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, the row as JSON) of rows changed after `after`, in order."""

    def last_n(self, device: str) -> int: ...

    def set_last_n(self, device: str, n: int) -> None: ...

    def logged(self, device: str, n: int) -> Logged | None: ...

    def log(self, device: str, n: int, hash: bytes, result: dict[str, Any] | None) -> None: ...


class Copying(Protocol):
    """One transaction over a whole store."""

    def epoch(self) -> str: ...

    def users(self) -> list[User]: ...

    def read(self, table: str, user_id: str) -> Iterator[list[tuple[Any, ...]]]:
        """The columns of COPIED ordered by COPY_ORDER, in batches of at most COPY_BATCH rows."""

    def begin(self, epoch: str) -> None:
        """Makes the store one of this epoch. Raises ConflictError unless it is without users."""

    def write_user(self, user: User) -> None: ...

    def write(self, table: str, user_id: str, rows: list[tuple[Any, ...]]) -> None: ...


class Store(Protocol):
    """Every method raises UnavailableError when the store cannot be reached."""

    def unit(self, user_id: str, *, write: bool) -> AbstractContextManager[Unit]:
        """A transaction; writing ones of one user take turns. Raises NotFoundError for an unknown user,
        StorageError when there is no room."""

    def copying(self) -> AbstractContextManager[Copying]: ...

    def add_user(self, name: str, now: int) -> User: ...

    def users(self) -> list[User]: ...

    def user_named(self, name: str) -> User: ...

    def add_token(self, token: Token) -> None: ...

    def token(self, key: str) -> Token | None: ...

    def tokens(self, user_id: str) -> list[Token]: ...

    def revoke(self, key: str, now: int) -> bool: ...

    def is_sound(self) -> bool: ...

    def close(self) -> None: ...


def as_row(seq: int, kind: str, id: str, body: str | None) -> str:
    """The row as on the wire; its body is stored the way it is sent."""
    begin = BODY_JSON.encode({"kind": kind, "id": id, "seq": seq})
    return f'{begin[:-1]},"forgotten":true}}' if body is None else f"{begin[:-1]},{body[1:]}"
