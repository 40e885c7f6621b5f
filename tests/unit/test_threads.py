"""Threads share a store, processes share a file, and nobody is told that the database is locked."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from py_memory import MemoryStore
from py_memory.database import FIRST_SAFE_WAL

pytestmark = pytest.mark.cpython

THREADS, EACH = 8, 25
WRITER = """
import importlib, sys
from py_memory import MemoryStore
driver, path, session, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
connection = importlib.import_module(driver).connect(path, timeout=10, check_same_thread=False)
store = MemoryStore(connection)
print("ready", flush=True)
for number in range(count):
    store.add_message(session, "user", f"message {number} 退款")
store.close()
"""


def run_all(work: list[Callable[[], object]]) -> None:
    """Runs each in a thread of its own; the first exception of any is raised here."""
    raised: list[BaseException] = []

    def guarded(run: Callable[[], object]) -> None:
        try:
            run()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(run,)) for run in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


@pytest.mark.parametrize("place", ["memory", "file"])
def test_many_threads_share_a_store(place: str, tmp_path: Path) -> None:
    store = MemoryStore(":memory:" if place == "memory" else tmp_path / "memory.db")
    session = store.create_session().id

    def write(name: int) -> None:
        for number in range(EACH):
            with store.action():
                asked = store.add_message(session, "user", f"{name}/{number}")
                answer = store.add_message(session, "assistant", f"answer to {name}/{number}")
                assert answer.parent_id == asked.id  # no other thread came in between

    def read() -> None:
        for _ in range(EACH):
            assert len(store.get_recent_messages(session, 10_000)) % 2 == 0
            store.search("answer")
            store.list_sessions()

    run_all([*(lambda name=name: write(name) for name in range(THREADS)), read, read])
    said = store.get_recent_messages(session, 10_000)
    assert len(said) == 2 * THREADS * EACH
    assert len({message.content for message in said}) == len(said)
    assert store.database.integrity_check() == []
    assert store.verify().ok
    store.close()


def test_a_failing_thread_does_not_disturb_the_others() -> None:
    store = MemoryStore(":memory:")
    session = store.create_session().id

    def fail() -> None:
        for number in range(EACH):
            try:
                with store.action():
                    store.add_message(session, "user", f"lost {number}")
                    raise KeyError
            except KeyError:
                pass

    def write() -> None:
        for number in range(EACH):
            store.add_message(session, "user", f"kept {number}")

    run_all([fail, write, fail])
    assert {message.content for message in store.list_messages(session)} == {f"kept {n}" for n in range(EACH)}


def test_stores_on_one_file_in_many_threads_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = MemoryStore(path)
    session = store.create_session().id

    def write() -> None:
        own = MemoryStore(path)
        for number in range(10):
            own.add_message(session, "user", str(number))
        own.close()

    run_all([write] * 4)
    assert len(store.get_recent_messages(session, 1000)) == 40
    store.close()


def drivers() -> list[object]:
    """The standard library's SQLite, and one new enough for WAL if a wheel brings it."""
    fixed = pytest.param(
        "pysqlite3.dbapi2",
        "wal",
        id="wal",
        marks=pytest.mark.skipif(
            not newer_sqlite(),
            reason="no module with SQLite 3.51.3 or newer is installed (pip install pysqlite3)",
        ),
    )
    return [pytest.param("sqlite3", None, id="own"), fixed]


def newer_sqlite() -> bool:
    try:
        from pysqlite3 import sqlite_version_info
    except ImportError:
        return False
    return bool(sqlite_version_info >= FIRST_SAFE_WAL)


@pytest.mark.parametrize(("driver", "mode"), drivers())
def test_one_process_writes_while_another_reads(driver: str, mode: str | None, tmp_path: Path) -> None:
    module = pytest.importorskip(driver)
    path, count = str(tmp_path / "memory.db"), 150
    store = MemoryStore(module.connect(path, timeout=10, check_same_thread=False))
    session = store.create_session().id
    if mode is None:
        mode = "wal" if module.sqlite_version_info >= FIRST_SAFE_WAL else "truncate"
    assert store.database.value("PRAGMA journal_mode") == mode
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", WRITER, driver, path, session, str(count)]
    writer = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = [0]
    try:
        while writer.poll() is None:
            seen.append(len(store.get_recent_messages(session, 10_000)))
            assert len(store.search("退款", limit=10_000)) >= seen[-1]
            store.set_setting("reads", len(seen))  # it writes too
    finally:
        writer.kill()
        output, errors = writer.communicate()
    assert (writer.returncode, output, errors) == (0, "ready\n", "")
    assert seen == sorted(seen)
    assert len(seen) > 2
    assert len(store.get_recent_messages(session, 10_000)) == count
    assert store.database.integrity_check() == []
    assert store.verify().ok
    store.close()
