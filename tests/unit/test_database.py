"""Opening, checking, migrating and locking of the file."""

# ruff: noqa: PT012 - the whole block of a transaction is what raises

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from py_memory import MemoryStore, database
from py_memory.database import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    Database,
    open_block_file,
    query_read_only,
    schema_of,
)
from py_memory.errors import (
    ConflictError,
    DatabaseCorruptError,
    NewerDatabaseError,
    NotADatabaseError,
    PyMemoryError,
    StorageError,
    UnregisteredKeyError,
)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A file with a little memory in it."""
    path = tmp_path / "memory.db"
    store = MemoryStore(path)
    store.add_message(store.create_session("Shop").id, "user", "Where is my refund? 我要退款")
    store.close()
    return path


def refused(path: Path, error: type[PyMemoryError]) -> None:
    """Opening fails with the error and leaves the file, and the folder around it, as they were."""
    before = path.read_bytes()
    names = sorted(path.parent.iterdir())
    with pytest.raises(error):
        Database(path)
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == names


# -- files --


def test_a_new_file_is_marked_as_ours(memory: Path) -> None:
    header = memory.read_bytes()[:100]
    assert int.from_bytes(header[68:72], "big") == APPLICATION_ID
    assert int.from_bytes(header[60:64], "big") == SCHEMA_VERSION


def test_what_was_stored_is_there_again(memory: Path) -> None:
    store = MemoryStore(memory)
    assert [hit.text for hit in store.search("退款")] == ["Where is my refund? 我要退款"]
    assert store.database.integrity_check() == []
    store.close()


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    refused(path, NotADatabaseError)


@pytest.mark.parametrize("content", [b"x", b"\0" * 5000, bytes(range(256)) * 40, b"SQLite format 4\0" * 99])
def test_bytes_that_are_no_database_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "noise.db"
    path.write_bytes(content)
    refused(path, NotADatabaseError)


@pytest.mark.parametrize("kept", [16, 60, 99, 100, 2000, 4096, 20_000])
def test_a_file_cut_short_is_refused(memory: Path, kept: int) -> None:
    memory.write_bytes(memory.read_bytes()[:kept])
    refused(memory, PyMemoryError)


def test_damage_met_while_reading_is_told_as_such(memory: Path) -> None:
    content = bytearray(memory.read_bytes())
    content[len(content) // 4 :] = b"\xa5" * (len(content) - len(content) // 4)
    memory.write_bytes(content)
    with pytest.raises(DatabaseCorruptError):
        for table in [name for kind, name in schema_of(SCHEMA_VERSION) if kind == "table"]:
            Database(memory).query(f"SELECT * FROM {table}")


def test_names_that_are_no_text_are_damage(memory: Path) -> None:
    data = bytearray(memory.read_bytes())
    at = data.find(b"CREATE TABLE facts")
    data[at - 9], data[at + 14] = 0x9C, 0xFF  # in the table's name, which SQLite repeats in its message
    memory.write_bytes(data)
    refused(memory, DatabaseCorruptError)
    with pytest.raises(DatabaseCorruptError):
        query_read_only(memory, "SELECT 1 FROM facts", 10)


def test_texts_that_are_none_are_damage(memory: Path) -> None:
    data = memory.read_bytes()
    assert b"refund? \xe6" in data
    memory.write_bytes(data.replace(b"refund? \xe6", b"refund? \xff"))
    store = MemoryStore(memory)
    with pytest.raises(DatabaseCorruptError):
        store.list_messages(store.list_sessions()[0].id)
    store.close()
    with pytest.raises(DatabaseCorruptError):
        query_read_only(memory, "SELECT content FROM message_versions", 10)


@pytest.mark.parametrize("version", [-1, 0, 1, SCHEMA_VERSION])
def test_another_programs_tables_under_our_mark_are_damage(tmp_path: Path, version: int) -> None:
    path = tmp_path / "marked.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={version}")
    connection.execute("CREATE TABLE facts (a)")
    connection.close()
    with pytest.raises(DatabaseCorruptError, match="an earlier copy"):
        MemoryStore(path)


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.close()
    refused(path, NotADatabaseError)
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA application_id = 1")
    other.close()
    refused(path, NotADatabaseError)


def test_a_newer_file_is_refused(memory: Path) -> None:
    with sqlite3.connect(memory) as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    newer.close()
    refused(memory, NewerDatabaseError)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        Database(tmp_path / "none" / "memory.db")


# -- migrations --


def with_steps(monkeypatch: pytest.MonkeyPatch, *scripts: str) -> None:
    """As if later releases had brought these steps."""
    steps = database.MIGRATIONS | {SCHEMA_VERSION + n: script for n, script in enumerate(scripts, start=1)}
    monkeypatch.setattr(database, "MIGRATIONS", steps)
    monkeypatch.setattr(database, "SCHEMA_VERSION", max(steps))


def tables(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    connection.close()
    return names


def test_pending_steps_are_applied_once(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_steps(
        monkeypatch,
        "-- The first, with a ; in its comment\nCREATE TABLE a (x);\n",
        "CREATE TABLE b (x);\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\n DELETE FROM b;\nEND;\n",
    )
    for _ in range(2):
        opened = Database(memory)
        assert opened.value("PRAGMA user_version") == SCHEMA_VERSION + 2
        opened.close()
    assert {"a", "b"} <= tables(memory)


@pytest.mark.parametrize(
    "failing", ["CREATE TABLE a (x);", "INSERT INTO nowhere VALUES (1);", "CREATE TABLE"]
)
def test_steps_that_fail_leave_the_old_schema_and_can_be_resumed(
    memory: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    before = memory.read_bytes()
    with monkeypatch.context() as patched:
        with_steps(patched, "CREATE TABLE a (x);\nINSERT INTO a VALUES (1);", failing)
        with pytest.raises((DatabaseCorruptError, ValueError)):
            Database(memory)
    assert memory.read_bytes() == before
    with_steps(monkeypatch, "CREATE TABLE a (x);\nINSERT INTO a VALUES (1);", "CREATE TABLE b (x);")
    Database(memory).close()
    assert {"a", "b"} <= tables(memory)


def test_the_schema_of_a_release_is_what_a_new_file_gets(memory: Path) -> None:
    opened = Database(memory)
    rows = opened.query("SELECT type, name, sql FROM sqlite_schema")
    opened.close()
    assert {(kind, name): sql for kind, name, sql in rows} == schema_of(SCHEMA_VERSION)


# -- transactions --


@pytest.fixture
def db() -> Database:
    db = Database(":memory:")
    with db.transaction():
        db.execute("INSERT INTO users VALUES ('u', 1)")
    return db


def users(db: Database) -> list[str]:
    return [row["id"] for row in db.query("SELECT id FROM users ORDER BY id")]


def test_an_exception_rolls_back_and_calls_back(db: Database) -> None:
    told: list[str] = []
    with pytest.raises(KeyError), db.transaction():
        db.execute("INSERT INTO users VALUES ('v', 1)")
        db.on_rollback(lambda: told.append("undone"))
        with db.transaction():
            raise KeyError
    assert users(db) == ["u"]
    assert told == ["undone"]
    assert not db.in_transaction


def test_an_inner_transaction_is_a_part_of_the_outer(db: Database) -> None:
    with pytest.raises(KeyError), db.transaction():
        with db.transaction():
            db.execute("INSERT INTO users VALUES ('v', 1)")
        assert db.in_transaction
        raise KeyError
    assert users(db) == ["u"]


def test_an_operation_that_changed_nothing_may_fail_inside_an_action(db: Database) -> None:
    with db.transaction():
        with pytest.raises(ConflictError), db.transaction():
            db.execute("INSERT INTO users VALUES ('u', 1)")
        db.execute("INSERT INTO users VALUES ('v', 1)")
    assert users(db) == ["u", "v"]


def test_an_operation_that_stopped_half_way_takes_the_action_with_it(db: Database) -> None:
    with pytest.raises(ConflictError, match="half-way"), db.transaction():
        with pytest.raises(KeyError), db.transaction():
            db.execute("INSERT INTO users VALUES ('v', 1)")
            raise KeyError
        db.execute("INSERT INTO users VALUES ('w', 1)")
    assert users(db) == ["u"]
    with db.transaction():
        db.execute("INSERT INTO users VALUES ('x', 1)")
    assert users(db) == ["u", "x"]


def test_when_sqlite_ends_the_transaction_itself_nothing_more_is_written(db: Database) -> None:
    with pytest.raises(ConflictError), db.transaction():
        db.execute("INSERT INTO users VALUES ('v', 1)")
        db.connection.execute("ROLLBACK")  # as SQLite does when the disk is full
        db.execute("INSERT INTO users VALUES ('w', 1)")
    assert users(db) == ["u"]


def test_nothing_is_changed_outside_a_transaction(db: Database) -> None:
    with pytest.raises(RuntimeError):
        db.execute("DELETE FROM users")


def test_sqlites_exceptions_become_ours(db: Database) -> None:
    with pytest.raises(ConflictError), db.transaction():
        db.execute(
            "INSERT INTO sessions (id, user_id, created_at, last_active_at) VALUES ('s', 'nobody', 1, 1)"
        )
    with pytest.raises(UnregisteredKeyError), db.transaction():
        db.execute(
            "INSERT INTO facts (id, user_id, created_at, key, value, confidence, status) "
            "VALUES ('f', 'u', 1, 'unknown::key', 'v', 1.0, 'current')"
        )


# -- connections and copies --


def test_a_connection_can_be_given(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "memory.db")
    store = MemoryStore(connection)
    session = store.create_session()
    store.add_message(session.id, "user", "hello")
    assert not connection.in_transaction
    store.close()
    assert len(MemoryStore(tmp_path / "memory.db").list_messages(session.id)) == 1


def test_the_block_file_has_small_pages_and_no_journal_file(tmp_path: Path) -> None:
    path = tmp_path / "block.db"
    store = MemoryStore(open_block_file(str(path)))
    for pragma, value in (
        ("page_size", 1024),
        ("locking_mode", "exclusive"),
        ("journal_mode", "memory"),
        ("synchronous", 0),
        ("secure_delete", 1),
        ("foreign_keys", 1),
    ):
        assert store.database.value(f"PRAGMA {pragma}") == value, pragma
    with store.action():
        store.create_session()
        assert [file.name for file in tmp_path.iterdir()] == ["block.db"]
    store.close()


def test_a_file_is_written_through_to_the_disk(memory: Path) -> None:
    opened = Database(memory)
    version = tuple(int(part) for part in opened.value("SELECT sqlite_version()").split("."))
    fixed = version >= database.FIRST_SAFE_WAL
    assert opened.value("PRAGMA journal_mode") == ("wal" if fixed else "truncate")
    assert opened.value("PRAGMA synchronous") == 2
    assert opened.value("PRAGMA foreign_keys") == 1
    opened.close()


def test_an_image_is_a_whole_memory(memory: Path, tmp_path: Path) -> None:
    store = MemoryStore(memory)
    store.database.image_to(tmp_path / "copy.db")
    with pytest.raises(StorageError):
        store.database.image_to(tmp_path / "copy.db")  # it exists now
    with pytest.raises(ConflictError), store.action():
        store.database.image_to(tmp_path / "other.db")
    copy = MemoryStore(tmp_path / "copy.db")
    assert copy.user_id == store.user_id
    assert copy.stats() | {"bytes": 0} == store.stats() | {"bytes": 0}
    assert copy.verify().ok
    assert len(copy.search("refund")) == 1
    copy.close()
    store.close()


def test_other_programs_can_read_an_image_without_our_functions(memory: Path) -> None:
    connection = sqlite3.connect(memory)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    found = connection.execute(
        "SELECT rowid FROM message_search WHERE message_search MATCH '退款'"
    ).fetchall()
    assert len(found) == 1
    connection.close()
