"""What a store of the sync server does. Every method takes the user, and no statement is without one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Head", "Logged", "Store", "StoredRow", "Token", "Unit", "User"]


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

    def next_seq(self) -> int:
        """The next number of the user's counter."""

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

    def savepoint(self) -> AbstractContextManager[None]:
        """What is done inside is taken back by an exception, and nothing else."""


class Store(Protocol):
    def unit(self, user_id: str, *, write: bool) -> AbstractContextManager[Unit]:
        """A transaction; writing ones of one user take turns. Raises StorageError when there is no room."""

    def add_user(self, name: str, now: int) -> User: ...

    def users(self) -> list[User]: ...

    def add_token(self, token: Token) -> None: ...

    def token(self, key: str) -> Token | None: ...

    def tokens(self, user_id: str) -> list[Token]: ...

    def revoke(self, key: str, now: int) -> bool: ...

    def is_sound(self) -> bool: ...

    def close(self) -> None: ...
