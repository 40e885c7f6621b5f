"""The one module that opens SQLite: connections, checks, migrations, transactions, images.

Every operation of the package runs inside `Database.transaction()`; nothing else begins or commits.
"""

from __future__ import annotations

import random
import re
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from . import text
from .checks import check_path
from .errors import (
    BusyError,
    ConflictError,
    DatabaseCorruptError,
    InvalidInputError,
    NewerDatabaseError,
    NotADatabaseError,
    PyMemoryError,
    StorageError,
    UnregisteredKeyError,
)

__all__ = [
    "APPLICATION_ID",
    "SCHEMA_VERSION",
    "Database",
    "Parameters",
    "Row",
    "clear_tables",
    "open_block_file",
    "open_untrusted",
    "query_read_only",
    "schema_of",
]

APPLICATION_ID = 0x504D454D  # "PMEM", the file type in bytes 68–71 of the header
HEADER = b"SQLite format 3\0"
BUSY_TIMEOUT_S = 10.0
_WAIT = f"PRAGMA busy_timeout={int(BUSY_TIMEOUT_S * 1000)}"
# In SQLite 3.7.0 to 3.51.2 two connections can lose a reset of the WAL; those keep a rollback journal.
FIRST_SAFE_WAL = (3, 51, 3)
BLOCK_PAGE_BYTES = 1024  # a turn dirties less than half the bytes that it does with pages of 4,096
# What SQLite says when the file cannot be reached or written, though nothing in it is wrong.
_STORAGE_SIGNS = (
    "is full",
    "readonly",
    "unable to open",
    "disk I/O",
    "output file already exists",
)
# What it says of a file whose header is ours, while what is in it is damaged or another program's.
_DAMAGE_SIGNS = (
    "malformed",
    "corrupt",
    "decode to UTF-8",
    "no such table",
    "no such column",
    "has no column",
    "already exists",
    "SQL logic error",
    "user-defined function raised",  # ours take any text: what they met is none
    "vtable constructor failed",
)

Row: TypeAlias = sqlite3.Row
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]


def _migrations() -> dict[int, str]:
    """Numbered scripts by version, read through importlib so that they are found inside a zip as well."""
    folder = resources.files(__package__) / "migrations"
    scripts = {}
    for file in folder.iterdir():
        if match := re.fullmatch(r"(\d{4})_\w+\.sql", file.name):
            scripts[int(match[1])] = file.read_text(encoding="utf-8")
    return dict(sorted(scripts.items()))


MIGRATIONS = _migrations()
SCHEMA_VERSION = max(MIGRATIONS)


def _statements(script: str) -> Iterator[str]:
    """Single statements of a script; executescript() would commit the transaction that must hold them all."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if re.sub(r"--[^\n]*", "", pending).strip():
        raise ValueError(f"a migration ends inside a statement: {pending[-80:]!r}")


def open_block_file(path: str) -> sqlite3.Connection:
    """Connection for the page, whose file lies in memory and whose host makes commits durable.

    Exclusive locking and no spilling: the file changes at commits only, so the pages written since the last
    save are what the commit changed.
    """
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in (
        f"page_size={BLOCK_PAGE_BYTES}",
        "locking_mode=EXCLUSIVE",
        "journal_mode=MEMORY",
        "synchronous=OFF",
        "cache_spill=OFF",
        "temp_store=MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    return connection


def _open_file(path: str) -> sqlite3.Connection:
    _refuse_foreign_file(path)
    try:
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_S)
    except sqlite3.Error as error:
        raise StorageError(f"{path} could not be opened ({error}). Check that its folder exists.") from error


# What reading a file that nobody trusts may do: look at plain tables, and nothing else.
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION})
_READING_PRAGMAS = frozenset(
    # FTS5 asks for data_version where quick_check looks into its tables too (SQLite 3.44 and later).
    {"quick_check", "table_xinfo", "application_id", "user_version", "data_version"}
)
_UNTRUSTED_LENGTH = 8 << 20  # bytes of one value; a message has at most 1 MiB
_UNTRUSTED_SECONDS = 300.0
_UNTRUSTED_STEPS = 100_000  # of SQLite's machine between two looks at the clock


def open_untrusted(path: Path) -> sqlite3.Connection:
    """Read-only connection to a file that may be hostile: no writing, no triggers, no virtual tables, bounded
    time and values (after sqlite.org/security.html). It is not changed, and no journal beside it is read."""
    # Not as_uri(), which loads urllib.request and with it an HTTP client that the page does not carry.
    uri = f"file:///{quote(path.resolve().as_posix().lstrip('/'))}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "query_only=ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _UNTRUSTED_LENGTH)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    deadline = time.monotonic() + _UNTRUSTED_SECONDS

    def allowed(action: int, first: str | None, *rest: str | None) -> int:
        permitted = action in _READING or (action == sqlite3.SQLITE_PRAGMA and first in _READING_PRAGMAS)
        return sqlite3.SQLITE_OK if permitted else sqlite3.SQLITE_DENY

    connection.set_authorizer(allowed)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _UNTRUSTED_STEPS)
    return connection


def query_read_only(path: str | Path, sql: str, limit: int) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names of columns and at most `limit` rows of one statement that only reads.

    Ctrl-C ends it with KeyboardInterrupt, however long the statement would run. Raises InvalidInputError for
    a statement that fails or would change something, NotADatabaseError, DatabaseCorruptError.
    """
    _refuse_foreign_file(str(path))
    uri = f"file:{quote(Path(path).resolve().as_posix())}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        connection.create_function("search_terms", 1, text.search_terms, deterministic=True)
        connection.create_function("search_marks", -1, text.search_marks, deterministic=True)
        connection.create_function("search_fold", 1, text.normalize, deterministic=True)
        connection.execute("PRAGMA query_only=ON")
        # While the statement runs, only a handler lets Python see a signal.
        connection.set_progress_handler(lambda: 0, _UNTRUSTED_STEPS)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        cursor = connection.execute(sql)
        return [column[0] for column in cursor.description or ()], cursor.fetchmany(limit)
    except UnicodeDecodeError as error:
        raise _damage("a name in it is no text") from error
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        if str(error) == "interrupted":
            raise KeyboardInterrupt from error
        if "malformed" in str(error) or "decode to UTF-8" in str(error):
            raise _damage(str(error)) from error
        said = str(error) if isinstance(error, sqlite3.Error | sqlite3.Warning) else "it is no text"
        raise InvalidInputError(f"SQLite refuses the statement: {said}.") from error
    finally:
        connection.close()


def clear_tables(path: str | Path, tables: Iterable[str]) -> None:
    """Empties tables of a database file, leaving nothing of them in it."""
    connection = sqlite3.connect(str(path), isolation_level=None)
    try:
        connection.execute("PRAGMA secure_delete=ON").fetchall()
        connection.execute("PRAGMA journal_mode=MEMORY").fetchall()
        for table in tables:
            connection.execute(f"DELETE FROM {table}")
    finally:
        connection.close()


def _refuse_foreign_file(path: str) -> None:
    """An existing file must begin like an SQLite database. A first start that was cut off leaves an empty
    one, but with a journal, and SQLite takes it up again."""
    file = Path(path)
    if path == ":memory:" or not file.is_file() or Path(f"{path}-journal").exists():
        return
    with file.open("rb") as opened:
        start = opened.read(len(HEADER))
    if start != HEADER:
        what = "is not an SQLite database" if start else "is empty"
        raise NotADatabaseError(
            f"{file.name} {what}. Choose the memory's .db file; this one was not changed."
        )


class Database:
    """One connection with one lock around it, so that threads take turns.

    `path_or_connection` is a path, ":memory:", or a connection of sqlite3 or a module with its interface.
    Raises NotADatabaseError, NewerDatabaseError or DatabaseCorruptError and leaves the file as it was. Later,
    SQLite's exceptions come as ConflictError, UnregisteredKeyError, DatabaseCorruptError or StorageError.
    """

    def __init__(self, path_or_connection: Any) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self.transactions = 0  # begun so far: the number of the one that is open
        self._broken = False  # an operation inside the open transaction stopped half-way
        self.before_commit: Callable[[], object] | None = None  # called at the end of each transaction
        self._rolled_back: list[Callable[[], object]] = []
        opened_here = not hasattr(path_or_connection, "execute")
        if opened_here:
            path_or_connection = _open_file(str(check_path(path_or_connection, "A memory's file")))
        self.connection: Any = path_or_connection
        # What a statement may raise: SQLite's own errors, and Python's for values that cannot be bound.
        self._errors = (self.connection.Error, OverflowError, UnicodeError)
        try:
            self.connection.isolation_level = None
            self._prepare()
        except BaseException:
            if opened_here:
                self.connection.close()
            raise

    def _prepare(self) -> None:
        connection = self.connection
        connection.row_factory = _row_factory_of(connection)
        connection.create_function("search_terms", 1, text.search_terms, deterministic=True)
        connection.create_function("search_marks", -1, text.search_marks, deterministic=True)
        connection.create_function("search_fold", 1, text.normalize, deterministic=True)
        self._check_identity()
        self._run("PRAGMA foreign_keys=ON")
        self._run("PRAGMA secure_delete=ON")
        if (
            self.value("PRAGMA locking_mode") != "exclusive"
        ):  # the page's block file needs no journal of its own
            self._choose_journal()
        self.migrate()

    def _check_identity(self) -> None:
        application = self.value("PRAGMA application_id")
        version = self.value("PRAGMA user_version")
        objects = self.value("SELECT count(*) FROM sqlite_schema")
        if application == 0 and version == 0 and objects == 0:
            return
        if application != APPLICATION_ID:
            raise NotADatabaseError(
                "This SQLite file is another program's. Choose the memory's .db file; it was not changed."
            )
        if version > SCHEMA_VERSION:
            raise NewerDatabaseError(version, SCHEMA_VERSION)

    def _choose_journal(self) -> None:
        version = tuple(int(part) for part in self.value("SELECT sqlite_version()").split("."))
        mode = "wal" if version >= FIRST_SAFE_WAL else "truncate"
        self.value(_WAIT)
        # A change to or from WAL does not wait for other connections by itself.
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        while self.value("PRAGMA journal_mode") not in (mode, "memory"):
            try:
                self.value(f"PRAGMA journal_mode={mode}")
            except StorageError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        self._run("PRAGMA synchronous=FULL")

    def migrate(self) -> None:
        """Applies all pending migrations in one transaction: the file is at SCHEMA_VERSION or unchanged."""
        if self.value("PRAGMA user_version") == SCHEMA_VERSION:
            return
        with self.transaction():
            found = self.value("PRAGMA user_version")  # again, now under the lock
            for version, script in MIGRATIONS.items():
                if version > found:
                    for statement in _statements(script):
                        self.execute(statement)
            self.execute(f"PRAGMA application_id={APPLICATION_ID}")
            self.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    # -- running statements --

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """BEGIN IMMEDIATE … COMMIT; inside another one it joins it. Any exception rolls everything back.

        A caller may catch the error of a joined operation and go on, unless that had changed something
        already: then the whole transaction is taken back at its end with ConflictError.
        """
        with self._lock:
            if self._depth:
                yield from self._joined()
                return
            self._begin()
            self._depth, self._broken = 1, False
            self.transactions += 1
            try:
                yield
                self._refuse_if_broken()
                if self.before_commit is not None:
                    self.before_commit()
                self._run("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                for undo in reversed(self._rolled_back):
                    undo()
                raise
            finally:
                self._depth = 0
                self._rolled_back.clear()

    def _begin(self) -> None:
        """Waits for the right to write. SQLite itself looks ever less often, up to every 100 ms, so that a
        process which writes all the time could keep another from ever getting a turn; this looks often."""
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        self.value("PRAGMA busy_timeout=0")
        try:
            while True:
                try:
                    self._run("BEGIN IMMEDIATE")
                    return
                except BusyError:
                    if time.monotonic() > deadline:
                        raise
                time.sleep(random.uniform(0.001, 0.005))
        finally:
            self.value(_WAIT)

    def _joined(self) -> Iterator[None]:
        before = self.total_changes
        self._depth += 1
        try:
            yield
        except BaseException:
            # Some errors, such as a full disk, make SQLite end the transaction by itself.
            if self.total_changes != before or not self.connection.in_transaction:
                self._broken = True
            raise
        finally:
            self._depth -= 1

    def _refuse_if_broken(self) -> None:
        if self._broken:
            raise ConflictError(
                "An operation of this action stopped half-way, so all of it was taken back. Start it again."
            )

    def on_rollback(self, undo: Callable[[], object]) -> None:
        """Calls `undo` if the transaction that is now open is rolled back; for state kept outside SQLite."""
        if self._depth:
            self._rolled_back.append(undo)

    @property
    def path(self) -> str | None:
        """Where an ordinary file lies; None for a memory without one, and in the page."""
        if self.value("PRAGMA locking_mode") == "exclusive":
            return None
        return self.query("PRAGMA database_list")[0]["file"] or None

    @property
    def in_transaction(self) -> bool:
        return self._depth > 0

    @property
    def total_changes(self) -> int:
        """Rows changed since the connection was opened."""
        return int(self.connection.total_changes)

    @property
    def state(self) -> tuple[int, int]:
        """Another pair whenever this connection, or another one on the file, has changed something."""
        return self.total_changes, self.writers

    @property
    def writers(self) -> int:
        """Another number whenever another connection on the file has changed something."""
        return int(self.value("PRAGMA data_version"))

    def execute(self, sql: str, parameters: Parameters = ()) -> sqlite3.Cursor:
        """Runs one statement in the transaction that is open. Raises RuntimeError outside one."""
        with self._lock:
            self._need_transaction()
            return self._run(sql, parameters)

    def execute_many(self, sql: str, parameters: Iterable[Parameters]) -> None:
        """Runs one statement for each of the parameters, in the transaction that is open."""
        with self._lock:
            self._need_transaction()
            try:
                self.connection.executemany(sql, parameters)
            except self._errors as error:
                raise self._translated(error) from error

    def attempt(self, sql: str, parameters: Parameters = ()) -> str | None:
        """Like execute(), but a row that breaks a constraint is left out and the reason returned."""
        with self._lock:
            self._need_transaction()
            try:
                self.connection.execute(sql, parameters)
            except self.connection.IntegrityError as error:
                return str(error)
            except self._errors as error:
                raise self._translated(error) from error
            return None

    def query(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """All rows. They are read at once, so that no open cursor keeps the file locked."""
        with self._lock:
            try:
                rows: list[Row] = self.connection.execute(sql, parameters).fetchall()
            except self._errors as error:
                raise self._translated(error) from error
            return rows

    def one(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """The first row, or None."""
        rows = self.query(sql, parameters)
        return rows[0] if rows else None

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.one(sql, parameters)
        return None if row is None else row[0]

    def _run(self, sql: str, parameters: Parameters = ()) -> sqlite3.Cursor:
        try:
            cursor: sqlite3.Cursor = self.connection.execute(sql, parameters)
        except self._errors as error:
            raise self._translated(error) from error
        return cursor

    def _need_transaction(self) -> None:
        if not self._depth:
            raise RuntimeError("a statement that changes the memory needs a transaction")
        if not self.connection.in_transaction:
            self._broken = True
            self._refuse_if_broken()

    def _translated(self, error: Exception) -> Exception:
        said = str(error)
        if isinstance(error, UnicodeDecodeError):  # a damaged name, even inside SQLite's own message
            return _damage("a name in it is no text")
        if isinstance(error, OverflowError | UnicodeError) or "rror binding parameter" in said:
            return InvalidInputError(f"A value given is of a kind that cannot be kept ({said}).")
        if "closed database" in said:
            return StorageError("The memory was closed. Open it again to go on.")
        if isinstance(error, self.connection.IntegrityError):
            if said == "unregistered fact key":
                return UnregisteredKeyError("(given)")
            if "messages.session_id" in said:
                return ConflictError("The session has a system message already. Edit that one.")
            return ConflictError(f"The change contradicts what is stored ({said}). Nothing was changed.")
        if "not a database" in said:
            return NotADatabaseError(
                f"This is not an SQLite database ({said}). Choose the memory's .db file; it was not changed."
            )
        if "is locked" in said:
            return BusyError(
                f"Another process kept the memory's file to itself for over {BUSY_TIMEOUT_S:.0f} s ({said}). "
                "Nothing was changed; try again, or close the other program."
            )
        if any(sign in said for sign in _STORAGE_SIGNS):
            return StorageError(
                f"The memory's file could not be read or written ({said}). Nothing was changed; free the "
                "file or the space it needs and try again."
            )
        if any(sign in said for sign in _DAMAGE_SIGNS):
            return _damage(said)
        return error

    # -- care of the file --

    def image_to(self, path: str | Path) -> None:
        """Writes a compact copy (VACUUM INTO) to `path`, which must not exist. Not inside a transaction."""
        with self._lock:
            if self._depth:
                raise ConflictError("A file cannot be written inside action(). Write it before or after.")
            self._run("VACUUM INTO ?", (str(path),))

    def compact(self) -> None:
        """Rewrites the file in place, so that nothing deleted is left in it or in a journal beside it."""
        with self._lock:
            if self._depth:
                raise ConflictError("A file cannot be compacted inside action(). Do it before or after.")
            self._run("VACUUM")
            self.query("PRAGMA wal_checkpoint(TRUNCATE)")

    def integrity_check(self, *, quick: bool = False) -> list[str]:
        """SQLite's own check; an empty list means sound. `quick` leaves indexes out."""
        # FTS5 keeps the index's structure in this connection and checks by it, also where another process has
        # changed it since, and would report damage that is none. Reading from the index makes it look again.
        with suppress(PyMemoryError, sqlite3.Error):
            self.query("SELECT rowid FROM message_search LIMIT 1")
        rows = self.query("PRAGMA quick_check" if quick else "PRAGMA integrity_check")
        return [row[0] for row in rows if row[0] != "ok"]

    def close(self) -> None:
        with self._lock:
            self.connection.close()


def _damage(said: str) -> DatabaseCorruptError:
    said = "".join(c if c.isprintable() else "\ufffd" for c in said[:200])
    return DatabaseCorruptError(
        f"SQLite cannot read this memory ({said}). It was not changed; use an earlier copy of it."
    )


def _row_factory_of(connection: Any) -> Any:
    """The Row class of the module the connection comes from."""
    module = sys.modules.get(type(connection).__module__.partition(".")[0])
    return getattr(module, "Row", sqlite3.Row)


def schema_of(version: int) -> dict[tuple[str, str], str]:
    """{(type, name): SQL} of every object that a release with this schema version has."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.create_function("search_terms", 1, text.search_terms, deterministic=True)
        connection.create_function("search_marks", -1, text.search_marks, deterministic=True)
        for number, script in MIGRATIONS.items():
            if number <= version:
                for statement in _statements(script):
                    connection.execute(statement)
        rows = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
        return {(kind, name): sql for kind, name, sql in rows}
    finally:
        connection.close()
