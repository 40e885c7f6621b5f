"""MemoryStore: the one door to a memory. One public operation is one transaction."""

from __future__ import annotations

from py_memory.titles import MAX_TITLE_CHARACTERS

from .care import CareOperations
from .experience import ExperienceOperations
from .files import FileOperations
from .messages import MAX_MESSAGE_BYTES
from .pages import PageOperations
from .readings import ReadingOperations
from .search import SearchOperations
from .sessions import SessionOperations
from .sync import SyncOperations
from .tasks import TaskOperations

__all__ = ["MAX_MEMORY_CHARS", "MAX_MESSAGE_BYTES", "MAX_TITLE_CHARACTERS", "MemoryStore"]

MAX_MEMORY_CHARS = 3000  # of facts, saved state and summaries in a prompt


class MemoryStore(
    SessionOperations,
    TaskOperations,
    SearchOperations,
    ExperienceOperations,
    ReadingOperations,
    PageOperations,
    CareOperations,
    FileOperations,
    SyncOperations,
):
    """A memory in one SQLite database, seen by one user and optionally one agent.

    `path_or_connection` is a path, ":memory:", or a connection of sqlite3 or a module with its interface.
    `user_id` None takes the file's own user. `clock` returns integer milliseconds. Threads may share a store.
    Raises NotADatabaseError, NewerDatabaseError, DatabaseCorruptError; the file is then as it was.
    """
