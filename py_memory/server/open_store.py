"""Which store a server uses: named by an address, by the environment, or a file in the data folder."""

from __future__ import annotations

import os
from pathlib import Path

from py_memory.errors import InvalidInputError, shown

from .sqlite_store import SqliteStore

__all__ = ["DATABASE_VARIABLE", "default_database", "open_store"]

DATABASE_VARIABLE = "PY_MEMORY_DATABASE_URL"
_SQLITE = "sqlite:///"


def default_database(data: Path) -> str:
    return os.environ.get(DATABASE_VARIABLE) or f"{_SQLITE}{data.resolve() / 'sync.db'}"


def open_store(address: str) -> SqliteStore:
    """`sqlite:///PATH` or a path. Raises InvalidInputError for another kind of address, StorageError."""
    path = address.removeprefix(_SQLITE)
    if not path or "://" in path:
        raise InvalidInputError(f"A sync store's address is sqlite:///PATH, not {shown(address)}.")
    return SqliteStore(path)
