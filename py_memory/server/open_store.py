"""Which store a server uses: named by an address, by the environment, or a file in the data folder."""

from __future__ import annotations

import os
from pathlib import Path

from py_memory.errors import InvalidInputError, shown

from .sqlite_store import SqliteStore
from .store import Store

__all__ = ["DATABASE_VARIABLE", "NEEDS_POSTGRES", "default_database", "is_postgres", "open_store"]

DATABASE_VARIABLE = "PY_MEMORY_DATABASE_URL"
NEEDS_POSTGRES = "A PostgreSQL store needs the extra “postgres”: pip install 'py_memory[postgres]'."
_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


def default_database(data: Path) -> str:
    return os.environ.get(DATABASE_VARIABLE) or f"{_SQLITE}{data.resolve() / 'sync.db'}"


def is_postgres(address: str) -> bool:
    return address.startswith(_POSTGRES)


def open_store(address: str) -> Store:
    """`sqlite:///PATH`, a path, or `postgresql://ROLE@HOST/NAME`. Raises InvalidInputError for another kind
    of address or when the driver is not installed, StorageError, and what the store itself raises."""
    if is_postgres(address):
        try:
            from .postgres_store import PostgresStore
        except ImportError as error:
            raise InvalidInputError(NEEDS_POSTGRES) from error
        return PostgresStore(address)
    path = address.removeprefix(_SQLITE)
    if not path or "://" in path:
        # The part behind the kind may hold a password.
        kind = shown(path.partition("://")[0])
        raise InvalidInputError(f"A sync store's address begins sqlite:/// or postgresql://, not {kind}.")
    return SqliteStore(path)
