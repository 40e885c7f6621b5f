"""A real PostgreSQL for the tests: on a socket in a folder of its own, ended with the tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Cluster", "cluster"]

_UNSAFE = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off"  # nothing here outlives its test
_SMALL = "-c shared_buffers=32MB -c max_connections=60 -c max_wal_senders=0 -c autovacuum=off -c jit=off"
_STARTS_S = 30
_EMPTIED = ("tokens", "token_owners", "heads", "devices", "memory_rows", "mutation_log", "users")


def binaries() -> Path | None:
    """The folder of PostgreSQL's programs: PY_MEMORY_POSTGRES, the newest of Debian's, or on the path."""
    chosen = os.environ.get("PY_MEMORY_POSTGRES")
    found = [Path(chosen)] if chosen else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name), reverse=True)
    if on_path := shutil.which("initdb"):
        found.append(Path(on_path).parent)
    return next((folder for folder in found if (folder / "initdb").exists()), None)


class Cluster:
    """One running server. Its databases are copies of one that is migrated."""

    def __init__(self, programs: Path, folder: Path, user: dict[str, Any], *, safe: bool = False) -> None:
        self.folder = folder
        self._options = [] if safe else _UNSAFE.split()
        self._programs = programs
        self._user = user  # as Popen takes it
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._free: list[str] = []

    def start(self) -> None:
        import psycopg

        run = [self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder]
        options = ["-c", "listen_addresses=", *self._options, *_SMALL.split()]
        with open(self.folder / "log", "a") as log:
            self._process = subprocess.Popen(
                [*run, *options], stdout=log, stderr=log, cwd=self.folder, **self._user
            )
        until = time.monotonic() + _STARTS_S
        while True:
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.05)

    def stop(self) -> None:
        """As an administrator does: clients are cut off, what was committed stays."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGQUIT)
                self._process.wait(10)
            self._process = None

    def address(self, database: str, role: str) -> str:
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres", role: str = "postgres") -> list[Any]:
        """As the superuser by default, outside a transaction."""
        import psycopg

        with psycopg.connect(self.address(database, role), autocommit=True) as db:
            done = db.execute(statement.encode())
            return done.fetchall() if done.description else []

    def prepare(self) -> None:
        from py_memory.server.postgres_schema import migrate

        self.execute("CREATE ROLE owner LOGIN")
        self.execute("CREATE ROLE app LOGIN NOSUPERUSER NOBYPASSRLS")
        self.execute("CREATE DATABASE migrated OWNER owner")
        migrate(self.address("migrated", "owner"), "app")

    def database(self, *, migrated: bool = True) -> str:
        """The name of a new database."""
        name = f"test_{os.getpid()}_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} OWNER owner TEMPLATE {'migrated' if migrated else 'template0'}")
        return name

    def drop(self, database: str) -> None:
        self.execute(f"DROP DATABASE {database} WITH (FORCE)")

    @staticmethod
    def named(store: Any) -> str:
        """The database of an open store."""
        with store._pool.connection() as db:
            return str(db.info.dbname)

    @contextmanager
    def store(self) -> Iterator[str]:
        """The address of a store without users, for the role that serves. Emptying one is much faster than
        making one."""
        if self._free:
            name = self._free.pop()
            self.execute("; ".join(f"DELETE FROM py_memory.{table}" for table in _EMPTIED), name)
        else:
            name = self.database()
        yield self.address(name, "app")
        self._free.append(name)


@contextmanager
def cluster(*, safe: bool = False) -> Iterator[Cluster]:
    """Skips the test where there is no PostgreSQL or no driver for it. `safe`: what it commits is on the
    disk, as when it serves."""
    pytest.importorskip("psycopg", reason="the extra “postgres” is not installed")
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not on this machine (on Debian: apt-get install postgresql)")
    # Not under pytest's own folder: its path is too long for a socket, and closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    other = _other_user()
    if other:
        os.chown(folder, other["user"], other["group"])
    found = Cluster(programs, folder, other, safe=safe)
    try:
        make = [programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        make += ["--locale=C", "--no-sync"]
        subprocess.run(make, check=True, capture_output=True, cwd=folder, **other)
        found.start()
        found.prepare()
        yield found
    finally:
        found.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _other_user() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: as whom it is run then."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    pytest.skip("PostgreSQL does not run as root, and there is no other user on this machine")
