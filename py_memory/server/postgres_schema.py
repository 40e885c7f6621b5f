"""The PostgreSQL store's schema: numbered migrations with checksums, months of the log, and which roles may
serve. Migrating is the owner's work; the server runs as another role, which can neither change a table nor
see past row-level security.
"""

from __future__ import annotations

import datetime
import hashlib
from importlib import resources

import psycopg
from psycopg import sql

from py_memory.errors import InvalidInputError, NewerDatabaseError, PyMemoryError, StorageError, shown

__all__ = ["MIGRATIONS", "UnsafeRoleError", "check_role", "check_version", "migrate", "month_bounds"]

MONTHS_AHEAD = 24
MONTHS_KEPT = 4  # so that a change can be told from a forged one for at least 90 days
_LOCK = 0x504D5356  # of migrating; any number, the same everywhere
_APPLIED = "SELECT number, sha256 FROM py_memory.migrations ORDER BY number"
_NOTE = "INSERT INTO py_memory.migrations (number, sha256) VALUES (%s, %s)"
_BEGIN = """
CREATE SCHEMA IF NOT EXISTS py_memory;
CREATE TABLE IF NOT EXISTS py_memory.migrations (
    number integer PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())
"""
_MONTHS = """
SELECT relid::regclass::text FROM pg_partition_tree('py_memory.mutation_log') WHERE isleaf
"""
# Of the role itself and of every role that it can become.
_BYPASSING = """
SELECT rolname FROM pg_roles
WHERE (rolsuper OR rolbypassrls) AND pg_has_role(current_user, oid, 'MEMBER') ORDER BY rolname
"""
_TABLES = """
SELECT c.relname, pg_has_role(current_user, c.relowner, 'MEMBER'), c.relrowsecurity AND c.relforcerowsecurity
FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
WHERE s.nspname = 'py_memory' AND c.relkind IN ('r', 'p') ORDER BY c.relname
"""
_OF_NO_USER = ("server", "migrations")


class UnsafeRoleError(PyMemoryError):
    """The role could see past row-level security."""


def _migrations() -> dict[int, tuple[str, str]]:
    """Number → (SQL, its SHA-256), without gaps."""
    folder = resources.files(__package__) / "postgres_migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda f: f.name)
    texts = {int(file.name[:4]): file.read_text("utf-8") for file in files}
    assert list(texts) == list(range(1, len(texts) + 1)), "a migration's number is missing or used twice"
    return {n: (text, hashlib.sha256(text.encode()).hexdigest()) for n, text in texts.items()}


MIGRATIONS = _migrations()


def migrate(address: str, role: str, today: datetime.date | None = None) -> list[int]:
    """As the owner: applies what is missing, keeps the months of the log, and lets `role` serve. All in one
    transaction; returns the numbers applied. Raises NewerDatabaseError, StorageError, InvalidInputError when
    there is no such role."""
    try:
        with psycopg.connect(address) as db:
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            db.execute(_BEGIN)
            done = _checked(db)
            missing = [number for number in MIGRATIONS if number > done]
            for number in missing:
                text, checksum = MIGRATIONS[number]
                db.execute(text.encode())
                db.execute(_NOTE, (number, checksum))
            _keep_months(db, today or datetime.datetime.now(datetime.UTC).date())
            _let_serve(db, role)
    except psycopg.Error as error:
        raise StorageError(f"The sync store could not be migrated ({said(error)}).") from error
    return missing


def check_version(db: psycopg.Connection) -> None:
    """Raises StorageError when a migration is missing or was altered, NewerDatabaseError."""
    try:
        done = _checked(db)
    except (
        psycopg.errors.UndefinedTable,
        psycopg.errors.InvalidSchemaName,
        psycopg.errors.InsufficientPrivilege,
    ):
        done = 0
    if done < len(MIGRATIONS):
        raise StorageError(
            f"The sync store is at schema {done}, this program at {len(MIGRATIONS)}. "
            "Run: py-memory server migrate"
        )


def check_role(db: psycopg.Connection) -> None:
    """Raises UnsafeRoleError unless row-level security binds this role on every table with users' rows."""
    bypassing = [row[0] for row in db.execute(_BYPASSING)]
    tables = db.execute(_TABLES).fetchall()
    owned = [name for name, owner, _ in tables if owner]
    open_to_all = [name for name, _, forced in tables if not forced and name not in _OF_NO_USER]
    if bypassing:
        why = f"it is, or can become, {bypassing[0]}, whom row-level security does not bind"
    elif owned:
        why = f"it owns the table {owned[0]} and could take the security off it"
    elif open_to_all:
        why = f"row-level security is not forced on the table {open_to_all[0]}"
    else:
        return
    raise UnsafeRoleError(
        f"The server does not start with this database role: {why}. Give it a role of its own, made with "
        "CREATE ROLE … LOGIN NOSUPERUSER NOBYPASSRLS, and run: py-memory server migrate"
    )


def said(error: psycopg.Error) -> str:
    """PostgreSQL's sentence without details, which quote values."""
    return (error.diag.message_primary or type(error).__name__).strip()


def _checked(db: psycopg.Connection) -> int:
    """How many migrations are applied."""
    applied = db.execute(_APPLIED).fetchall()
    if len(applied) > len(MIGRATIONS):
        raise NewerDatabaseError(len(applied), len(MIGRATIONS))
    for number, checksum in applied:
        if MIGRATIONS[number][1] != checksum:
            raise StorageError(
                f"Migration {number} was applied to the sync store with another text than this program has. "
                "Use the program that made it."
            )
    return len(applied)


def _months(today: datetime.date, first: int, last: int) -> list[tuple[int, int]]:
    """(year, month) from `first` to `last` months away."""
    at = today.year * 12 + today.month - 1
    return [divmod(at + step, 12) for step in range(first, last + 1)]


def month_bounds(year: int, month: int) -> tuple[str, str]:
    """The UUIDs between which every UUIDv7 of a month lies; `month` counts from 0."""

    def first(year: int, month: int) -> str:
        start = datetime.datetime(year, month + 1, 1, tzinfo=datetime.UTC)
        digits = f"{int(start.timestamp()) * 1000:012x}"
        return f"{digits[:8]}-{digits[8:]}-0000-0000-000000000000"

    return first(year, month), first(*divmod(year * 12 + month + 1, 12))


def _keep_months(db: psycopg.Connection, today: datetime.date) -> None:
    """Makes the log's coming months and drops those that are over for long. The log only answers in full a
    change that comes twice, so that what lies in the way of a month may go."""
    there = {row[0].rpartition(".")[2] for row in db.execute(_MONTHS)}
    wanted = {
        f"mutation_log_{year:04}_{month + 1:02}": (year, month)
        for year, month in _months(today, -MONTHS_KEPT, MONTHS_AHEAD)
    }
    kept = min(wanted)
    for name in sorted(there - wanted.keys() - {"mutation_log_other"}):
        if name < kept:
            db.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier("py_memory", name)))
    for name, (year, month) in wanted.items():
        if name in there or (year, month) < (today.year, today.month - 1):
            continue
        table = sql.Identifier("py_memory", name)
        lower, upper = map(sql.Literal, month_bounds(year, month))
        make = sql.SQL(
            "CREATE TABLE {} PARTITION OF py_memory.mutation_log FOR VALUES FROM ({}) TO ({})"
        ).format(table, lower, upper)
        try:
            with db.transaction():
                db.execute(make)
        except psycopg.errors.CheckViolation:
            db.execute("TRUNCATE py_memory.mutation_log_other")
            db.execute(make)
        db.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(table))
        db.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(table))


def _let_serve(db: psycopg.Connection, role: str) -> None:
    """What the serving role may do; nothing with a partition itself, nothing that no statement of it does."""
    if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        raise InvalidInputError(
            f"There is no database role {shown(role)}. Make it first: "
            "CREATE ROLE … LOGIN NOSUPERUSER NOBYPASSRLS"
        )
    for text in (
        "GRANT USAGE ON SCHEMA py_memory TO {}",
        "GRANT SELECT ON py_memory.migrations TO {}",
        "GRANT SELECT, UPDATE ON py_memory.server TO {}",
        "GRANT SELECT, INSERT ON py_memory.users, py_memory.token_owners TO {}",
        "GRANT SELECT, INSERT, UPDATE ON py_memory.tokens, py_memory.heads, py_memory.devices TO {}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON py_memory.memory_rows TO {}",
        "GRANT SELECT, INSERT ON py_memory.mutation_log TO {}",
    ):
        db.execute(sql.SQL(text).format(sql.Identifier(role)))
