"""The memory's own file: out and in again row by row, and files that nobody should trust."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from py_memory import MemoryStore, database
from py_memory.database import APPLICATION_ID, SCHEMA_VERSION
from py_memory.errors import (
    DatabaseCorruptError,
    ImportRefusedError,
    InvalidInputError,
    NewerDatabaseError,
    NotADatabaseError,
    PyMemoryError,
    StorageError,
    TooLargeError,
)
from py_memory.formats import memory_file
from py_memory.formats.memory_file import TABLES, read_memory_file
from py_memory.recall import index

if TYPE_CHECKING:
    from .conftest import SteppedClock

LOCAL = {"seq", "user_id"}


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.create_function("search_terms", 1, str)
    connection.create_function("search_marks", 2, lambda speaker, time: "")
    try:
        yield connection
    finally:
        connection.close()


def rows(store: MemoryStore, table: str) -> list[dict[str, Any]]:
    """Rows without what is counted or owned locally, in an order of their own."""
    found = [dict(row) for row in store.database.query(f"SELECT * FROM {table}")]
    kept = [{name: value for name, value in row.items() if name not in LOCAL} for row in found]
    return sorted(kept, key=lambda row: str(sorted(row.items())))


def everything(store: MemoryStore) -> dict[str, list[dict[str, Any]]]:
    """All that travels. Built-in namespaces have ids of their own in every file."""
    out = {table: rows(store, table) for table in TABLES}
    for row in out["namespaces"]:
        del row["id"], row["created_at"]
    out["namespaces"].sort(key=lambda row: str(row["prefix"]))
    return out


def index_is_sound(store: MemoryStore) -> bool:
    with store.database.transaction():
        return index.is_sound(store.database)


@pytest.fixture
def exported(store: MemoryStore, tmp_path: Path, clock: SteppedClock) -> Path:
    """The file of a memory with a row in every table that travels."""
    session = store.create_session("Kyoto", metadata={"device": "laptop"})
    said = store.add_message(session.id, "user", "五月去京都，预算两万元 🍵 مرحبا", speaker="Wei")
    clock.advance(1000)
    answer = store.add_message(session.id, "assistant", "Noted.")
    store.edit_message(said.id, "五月去京都，预算三万元")
    store.set_fact("user::diet", "vegetarian", source_message_id=said.id, quote="京都")
    clock.advance(1000)
    diet = store.set_fact("user::diet", "vegan")
    store.set_fact("user::contact::email", "wei@example.org")
    store.register_namespace("trip::", single_valued=False, ttl_ms=1000)
    store.set_fact("trip::stop", "Nara")
    store.record_uses(answer.id, [("facts", diet.id, "diet")])
    store.add_tool_call(session.id, "calendar", {"day": 1}, message_id=answer.id)
    proposed = store.propose_fact("user::home", "Lyon")
    assert proposed is not None
    store.reject_fact(proposed.id)
    gone = store.add_message(session.id, "user", "to be forgotten")
    store.forget(message_id=gone.id)
    with store.database.transaction():
        for table, columns, values in (
            ("summaries", "session_id, level, content", (session.id, 1, "Kyoto in May")),
            (
                "snapshots",
                "session_id, format, state_json, reason",
                (session.id, 1, '{"goal": "Kyoto"}', "pause"),
            ),
            ("experiences", "topic, content", ("trains", "Book early")),
        ):
            marks = ", ".join("?" for _ in values)
            store.database.execute(
                f"INSERT INTO {table} (id, user_id, created_at, {columns}) VALUES (?, ?, 1, {marks})",
                (f"{table} row", store.user_id, *values),
            )
    path = tmp_path / "export.db"
    store.export_to(path)
    assert all(rows(store, table) for table in TABLES)
    return path


@pytest.fixture
def fresh(clock: SteppedClock) -> Iterator[MemoryStore]:
    fresh = MemoryStore(":memory:", clock=clock)
    yield fresh
    fresh.close()


def plant(path: Path, sql: str, *parameters: object) -> None:
    with opened(path) as connection:
        connection.execute(sql, parameters)


def replant(path: Path, name: str, sql: str) -> None:
    """Puts other SQL in the place of an object's own, as SQLite itself would refuse to."""
    with opened(path) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, name))


# -- out and in again --


def test_the_file_is_one_plain_database(store: MemoryStore, exported: Path) -> None:
    with opened(exported) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        found = connection.execute("SELECT content FROM message_versions ORDER BY seq").fetchall()
    assert found[0][0] == "五月去京都，预算两万元 🍵 مرحبا"
    assert sorted(path.name for path in exported.parent.iterdir()) == ["export.db"]
    with pytest.raises(StorageError):
        store.export_to(exported)


def test_sync_state_is_left_out(store: MemoryStore, tmp_path: Path) -> None:
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO sync_state (user_id, device, url) VALUES (?, '0123456789abcdef', 'unmistakable')",
            (store.user_id,),
        )
    store.export_to(tmp_path / "export.db")
    assert b"unmistakable" not in (tmp_path / "export.db").read_bytes()
    assert store.database.value("SELECT count(*) FROM sync_state") == 1


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_round_trip_row_by_row(store: MemoryStore, fresh: MemoryStore, exported: Path, mode: str) -> None:
    before = exported.read_bytes()
    report = fresh.import_file(exported, mode=mode)
    assert exported.read_bytes() == before
    assert sorted(path.name for path in exported.parent.iterdir()) == ["export.db"]
    assert everything(fresh) == everything(store)
    assert fresh.user_id != store.user_id
    assert {row["user_id"] for row in fresh.database.query("SELECT user_id FROM messages")} == {fresh.user_id}
    assert report["imported"]["messages"] == 2
    assert report["imported"]["message_versions"] == 3
    assert report["conflicts"] == 0
    assert report["unknown_columns"] == report["refused"] == []
    session = store.list_sessions()[0].id
    assert [m.content for m in fresh.get_recent_messages(session)] == ["五月去京都，预算三万元", "Noted."]
    assert [hit.text for hit in fresh.search("三万元")]
    assert fresh.search("两万元") == []
    assert index_is_sound(fresh)
    assert fresh.propose_fact("user::home", "Lyon") is None  # rejected there, so not proposed here
    assert fresh.verify().ok


def test_twice_adds_nothing(store: MemoryStore, fresh: MemoryStore, exported: Path) -> None:
    fresh.import_file(exported)
    once = everything(fresh)
    report = fresh.import_file(exported)
    assert report["imported"] == {}
    assert report["conflicts"] == 0
    assert everything(fresh) == once
    assert store.import_file(exported)["imported"] == {}


def test_merge_keeps_and_replace_clears(fresh: MemoryStore, exported: Path) -> None:
    own = fresh.add_message(fresh.create_session().id, "user", "was here before")
    fresh.set_fact("user::name", "Wei")
    fresh.import_file(exported, mode="merge")
    assert fresh.get_message(own.id).content == "was here before"
    fresh.import_file(exported, mode="replace")
    assert [fact.value for fact in fresh.list_facts(prefix="user::name")] == []
    assert fresh.search("was here before") == []
    assert len(fresh.list_sessions()) == 1
    assert index_is_sound(fresh)
    with pytest.raises(InvalidInputError):
        fresh.import_file(exported, mode="append")


def test_replace_leaves_other_users_alone(fresh: MemoryStore, exported: Path) -> None:
    other = MemoryStore(fresh.database.connection, user_id="other")
    message = other.add_message(other.create_session().id, "user", "mine")
    other.set_fact("user::name", "Other")
    fresh.import_file(exported, mode="replace")
    assert other.get_message(message.id).content == "mine"
    assert [fact.value for fact in other.list_facts()] == ["Other"]
    assert [hit.message_id for hit in other.search("mine")] == [message.id]


def test_replace_leaves_no_words_in_the_index(fresh: MemoryStore, exported: Path) -> None:
    fresh.add_message(fresh.create_session().id, "user", "quizzicality")

    def stored() -> bytes:
        return b"".join(row["block"] for row in fresh.database.query("SELECT block FROM message_search_data"))

    assert b"uizzic" in stored()
    fresh.import_file(exported, mode="replace")
    assert b"uizzic" not in stored()


# -- what disagrees --


def test_forgotten_here_stays_forgotten(store: MemoryStore, exported: Path) -> None:
    session = store.list_sessions()[0].id
    store.delete_session(session, forget_facts=True)
    store.forget(fact_id=store.list_facts(prefix="user::diet")[0].id)
    after = everything(store)
    report = store.import_file(exported)
    assert report["imported"] == {}
    assert report["refused"] == []
    assert everything(store) == after


def test_forgotten_there_goes_here(
    store: MemoryStore, fresh: MemoryStore, exported: Path, tmp_path: Path, clock: SteppedClock
) -> None:
    fresh.import_file(exported)
    session = store.list_sessions()[0]
    first = store.get_recent_messages(session.id)[0]
    clock.advance(1000)
    store.add_message(session.id, "user", "later")
    store.forget(message_id=first.id)
    store.forget(text="vegan")
    store.export_to(tmp_path / "later.db")
    fresh.import_file(tmp_path / "later.db")
    assert everything(fresh) == everything(store)
    assert fresh.search("京都") == []
    assert index_is_sound(fresh)
    assert [message.content for message in fresh.get_recent_messages(session.id)] == ["Noted.", "later"]


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_a_forgotten_title_does_not_return(store: MemoryStore, tmp_path: Path, mode: str) -> None:
    session = store.create_session("The Zebulon affair", metadata={"about": "Zebulon"})
    said = store.create_session()
    message = store.add_message(said.id, "user", "My lover is Zebulon")
    store.rename_session(said.id, "My lover is Zeb…")
    store.export_to(tmp_path / "old.db")
    store.forget(text="Zebulon")
    store.rename_session(session.id, "Affairs")
    store.import_file(tmp_path / "old.db", mode=mode)
    assert "Zeb" not in str(everything(store)["sessions"])
    assert message.id not in [row["id"] for row in rows(store, "messages")]
    # A file that knows what was forgotten brings the title that was given since.
    store.rename_session(session.id, "Affairs")
    store.export_to(tmp_path / "new.db")
    store.rename_session(session.id, None)
    store.import_file(tmp_path / "new.db", mode="replace")
    assert store.get_session(session.id).title == "Affairs"


def test_undoing_brings_the_title_back_for_good(store: MemoryStore, tmp_path: Path) -> None:
    session = store.create_session("The Zebulon affair")
    store.export_to(tmp_path / "old.db")
    store.undo(store.forget(text="Zebulon").operation_id)
    assert store.get_session(session.id).title == "The Zebulon affair"
    store.import_file(tmp_path / "old.db", mode="replace")
    assert store.get_session(session.id).title == "The Zebulon affair"


def test_a_title_forgotten_there_goes_here(store: MemoryStore, fresh: MemoryStore, tmp_path: Path) -> None:
    session = store.create_session("The Zebulon affair", metadata={"about": "Zebulon"})
    other = store.create_session()
    message = store.add_message(other.id, "user", "My lover is Zebulon")
    store.rename_session(other.id, "My lover is Zebulon")
    store.export_to(tmp_path / "old.db")
    fresh.import_file(tmp_path / "old.db")
    store.forget(text="affair")
    store.forget(message_id=message.id)
    store.rename_session(session.id, "Affairs")
    store.export_to(tmp_path / "new.db")
    fresh.import_file(tmp_path / "new.db")
    assert "Zebulon" not in str(everything(fresh))
    assert {session.title for session in fresh.list_sessions()} == {"Affairs", None}


def test_a_file_brings_no_title_made_of_what_was_forgotten(store: MemoryStore, tmp_path: Path) -> None:
    """Where the title was forgotten before this was noted."""
    session = store.create_session("My lover is Zeb…")
    message = store.add_message(session.id, "user", "My lover is Zebulon")
    store.export_to(tmp_path / "old.db")
    store.forget(message_id=message.id)
    with store.database.transaction():
        store.database.execute("DELETE FROM tombstones WHERE kind = 'session_titles'")
    store.import_file(tmp_path / "old.db", mode="replace")
    assert [session.title for session in store.list_sessions()] == [None]


def test_uses_of_what_was_forgotten_do_not_return(store: MemoryStore, exported: Path) -> None:
    store.forget(fact_id=store.list_facts(prefix="user::diet")[0].id)
    assert rows(store, "uses") == []
    report = store.import_file(exported)
    assert rows(store, "uses") == []
    assert report["skipped"]["uses"] == 1


def test_what_was_rejected_here_is_not_proposed_by_a_file(store: MemoryStore, tmp_path: Path) -> None:
    proposed = store.propose_fact("user::diet", "carnivore")
    assert proposed is not None
    store.export_to(tmp_path / "before.db")
    store.reject_fact(proposed.id)
    store.import_file(tmp_path / "before.db")
    assert store.list_facts(status="candidate") == []


def test_facts_of_two_agents_do_not_dispute_each_other(
    store: MemoryStore, clock: SteppedClock, tmp_path: Path
) -> None:
    MemoryStore(store.database.connection, agent_id="one", clock=clock).set_fact("user::name", "Wei")
    store.export_to(tmp_path / "one.db")
    other = MemoryStore(":memory:", agent_id="two", clock=clock)
    mine = other.set_fact("user::name", "Boss")
    assert other.import_file(tmp_path / "one.db")["conflicts"] == 0
    assert other.get_fact("user::name") == mine
    assert {row["status"] for row in rows(other, "facts")} == {"current"}
    other.close()


def test_another_text_under_the_same_id_becomes_an_older_version(
    store: MemoryStore, exported: Path, clock: SteppedClock
) -> None:
    message = store.list_messages(store.list_sessions()[0].id)[1]
    plant(exported, "UPDATE message_versions SET content = 'tampered' WHERE id = ?", message.version_id)
    for expected in (1, 0):  # and only once
        assert store.import_file(exported)["conflicts"] == expected
        assert [version.content for version in store.message_versions(message.id)] == ["tampered", "Noted."]
        assert store.get_message(message.id).content == "Noted."
    assert store.search("tampered") == []
    assert index_is_sound(store)


def test_another_value_under_the_same_id_is_disputed(store: MemoryStore, exported: Path) -> None:
    fact = store.list_facts(prefix="user::diet")[0]
    plant(exported, "UPDATE facts SET value = 'carnivore' WHERE id = ?", fact.id)
    for expected in (1, 0):
        assert store.import_file(exported)["conflicts"] == expected
        assert [found.value for found in store.list_facts(status="disputed")] == ["carnivore"]
    assert store.get_fact("user::diet") == fact


@pytest.mark.parametrize(("when", "kept"), [(-1000, "vegan"), (1000, "omnivore")], ids=["older", "newer"])
def test_of_two_that_disagree_the_newer_stays_current(
    fresh: MemoryStore, exported: Path, clock: SteppedClock, when: int, kept: str
) -> None:
    clock.advance(when - 10_000 if when < 0 else when)
    fresh.set_fact("user::diet", "omnivore")
    clock.advance(20_000)
    assert fresh.import_file(exported)["conflicts"] == 1
    assert [fact.value for fact in fresh.list_facts(prefix="user::diet")] == [kept]
    disputed = [fact.value for fact in fresh.list_facts(status="disputed")]
    assert disputed == [({"vegan", "omnivore"} - {kept}).pop()]


def test_a_broken_fact_does_not_dispute_a_good_one(fresh: MemoryStore) -> None:
    fact = fresh.set_fact("user::diet", "omnivore")
    bad = {
        **batch_row("facts"),
        "key": "user::diet",
        "status": "current",
        "confidence": 7.0,
        "created_at": 2**50,
    }
    good = {**batch_row("facts"), "id": "good", "key": "user::name"}
    fresh.import_rows([HEADER, ("facts", [bad, good])])
    assert fresh.get_fact("user::diet") == fact


def test_a_task_is_taken_up_from_a_file(store: MemoryStore, fresh: MemoryStore, tmp_path: Path) -> None:
    session = store.create_session().id
    message = store.add_message(session, "user", "move it")
    store.save_snapshot(session, {"goal": "move it", "plan": [{"step": "call"}]}, "planned")
    store.add_tool_call(session, "move", {"to": "Friday"}, status="running")
    item = store.propose_experience("move", "Check the calendar first.")
    assert item is not None
    store.confirm_experience(item.id)
    store.export_to(tmp_path / "task.db")
    fresh.import_file(tmp_path / "task.db")
    resumption = fresh.resume_session(session)
    assert resumption.snapshot is not None
    assert resumption.snapshot.state["message_id"] == message.id
    assert [call.tool for call in resumption.interrupted] == ["move"]
    assert "next: call" in resumption.text
    assert [known.id for known in fresh.experiences_for("x", ["move"])] == [item.id]


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("snapshots", {"format": 99, "state_json": "{}"}),
        ("snapshots", {"format": 1, "state_json": '{"aims": []}'}),
        ("snapshots", {"format": 1, "state_json": '{"plan": [{"step": ""}]}'}),
        ("snapshots", {"format": 0, "state_json": '{"execution_plan": 5}'}),
        ("experiences", {"topic": "mail", "content": "Write to bob@example.com first."}),
        ("experiences", {"topic": "mail", "content": "Wei wants a title page."}),
        ("experiences", {"topic": "mail", "content": "Sort first.", "status": "holy"}),
    ],
    ids=str,
)
def test_states_and_experiences_are_checked_on_the_way_in(
    fresh: MemoryStore, table: str, columns: dict[str, Any]
) -> None:
    row = {"id": "new", "created_at": 5, **columns}
    if table == "snapshots":
        row |= {"session_id": "sessions 1", "reason": "x"}
    batches = [(name, [batch_row(name)]) for name in ("sessions", "facts")]
    report = fresh.import_rows([HEADER, *batches, (table, [row])])
    assert [refused.split()[0] for refused in report["refused"]] == [table]
    assert fresh.latest_snapshot("sessions 1") is None
    assert fresh.list_experiences() == []


@pytest.mark.parametrize("way", ["open", "import"])
def test_an_experience_of_the_first_schema_had_its_yes(
    fresh: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    with monkeypatch.context() as older:
        older.setattr(database, "SCHEMA_VERSION", 1)
        older.setattr(database, "MIGRATIONS", {1: database.MIGRATIONS[1]})
        old = database.Database(tmp_path / "old.db")
        with old.transaction():
            old.execute("INSERT INTO users (id, created_at) VALUES (?, 1)", (fresh.user_id,))
            old.execute(
                "INSERT INTO experiences (id, user_id, created_at, topic, content) "
                "VALUES ('e', ?, 1, 'move', 'x')",
                (fresh.user_id,),
            )
        old.close()
    if way == "open":
        opened_now = MemoryStore(tmp_path / "old.db")
        assert [item.status for item in opened_now.list_experiences()] == ["current"]
        opened_now.close()
    else:
        fresh.import_file(tmp_path / "old.db")
        assert [item.status for item in fresh.list_experiences()] == ["current"]


# -- rows that are not what they should be --

HEADER = ("header", [{"version": 1, "unknown_columns": [], "fingerprint_key": None}])


def batch_row(table: str) -> dict[str, Any]:
    base: dict[str, Any] = {"id": f"{table} 1", "created_at": 5}
    more: dict[str, dict[str, Any]] = {
        "sessions": {"last_active_at": 5, "metadata_json": "{}", "status": "active"},
        "messages": {"session_id": "sessions 1", "role": "user"},
        "message_versions": {"message_id": "messages 1", "author": "user", "content": "hello"},
        "facts": {"key": "user::name", "value": "Wei", "confidence": 0.9, "status": "current"},
        "uses": {"message_id": "messages 1", "memory_kind": "facts", "memory_id": "f", "rank": 1},
    }
    return {**base, **more[table]}


@pytest.mark.parametrize(
    ("table", "broken"),
    [
        ("sessions", {"title": "x" * 201}),
        ("sessions", {"status": "sleeping"}),
        ("sessions", {"metadata_json": "{"}),
        ("sessions", {"metadata_json": "5"}),
        ("sessions", {"metadata_json": '{"a": ' + "[" * 200 + "]" * 200 + "}"}),
        ("sessions", {"metadata_json": '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"}),
        ("sessions", {"created_at": "yesterday"}),
        ("sessions", {"created_at": 1.5}),
        ("sessions", {"created_at": True}),
        ("sessions", {"created_at": 2**63}),
        ("sessions", {"created_at": 8_640_000_000_000_001}),
        ("sessions", {"metadata_json": '{"a": 1e999}'}),
        ("sessions", {"metadata_json": '{"a": NaN}'}),
        ("facts", {"weight": float("inf")}),
        ("facts", {"key": "user::two\nlines"}),
        ("facts", {"valid_from": 2**60}),
        ("message_versions", {"content": " \n"}),
        ("sessions", {"last_active_at": None}),
        ("sessions", {"id": None}),
        ("sessions", {"id": ""}),
        ("sessions", {"id": "a\nb"}),
        ("sessions", {"id": "x" * 101}),
        ("sessions", {"id": b"bytes"}),
        ("sessions", {"surprise": 1}),
        ("messages", {"role": "root"}),
        ("messages", {"session_id": "nowhere"}),
        ("messages", {"feedback": 9}),
        ("message_versions", {"content": "x" * ((1 << 20) + 1)}),
        ("message_versions", {"content": None}),
        ("message_versions", {"message_id": "nowhere"}),
        ("facts", {"key": "weather::today"}),
        ("facts", {"value": "x" * 101}),
        ("facts", {"value": ""}),
        ("facts", {"confidence": 2}),
        ("facts", {"confidence": "high"}),
        ("facts", {"status": "guessed"}),
        ("uses", {"memory_kind": "rumours"}),
        ("uses", {"reason_json": "[]"}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_each_row_is_checked_on_its_own(fresh: MemoryStore, table: str, broken: dict[str, Any]) -> None:
    batches = [HEADER]
    for name in ("sessions", "messages", "message_versions", "facts", "uses"):
        good = {**batch_row(name), "id": f"{name} 1"}
        if name != table:
            batches.append((name, [good]))
        else:
            bad = {**good, "id": f"{name} 2", **broken}
            if name == "message_versions":
                bad.setdefault("created_at", 6)
            batches.append(
                (name, [{**bad, "key": bad.get("key", "user::home")} if name == "facts" else bad, good])
            )
    report = fresh.import_rows(batches)
    assert len(report["refused"]) == 1
    assert report["refused"][0].startswith(table)
    assert len(report["refused"][0]) < 200
    assert all(report["imported"][name] == 1 for name in ("sessions", "messages", "message_versions", "uses"))
    assert [message.content for message in fresh.get_recent_messages("sessions 1")] == ["hello"]
    assert [fact.value for fact in fresh.list_facts()] == ["Wei"]
    assert index_is_sound(fresh)


@pytest.mark.parametrize(
    "text",
    ["[" * 500, "]" * 500, '"' + "{" * 500, "\\" * 501, '\\"[' * 300],
    ids=["[", "]", '"{', "\\", '\\"['],
)
def test_brackets_in_a_text_are_no_depth(fresh: MemoryStore, text: str) -> None:
    session = {**batch_row("sessions"), "metadata_json": json.dumps({"a": [text]})}
    assert fresh.import_rows([HEADER, ("sessions", [session])])["refused"] == []
    assert fresh.get_session("sessions 1").metadata == {"a": [text]}


def test_texts_are_cleaned(fresh: MemoryStore) -> None:
    version = {**batch_row("message_versions"), "content": "a\0b\ud800"}
    fresh.import_rows(
        [
            HEADER,
            ("sessions", [batch_row("sessions")]),
            ("messages", [batch_row("messages")]),
            ("message_versions", [version]),
        ]
    )
    assert fresh.get_message("messages 1").content == "a\ufffdb\ufffd"


def test_no_valid_row_is_an_error(fresh: MemoryStore) -> None:
    for batches in (
        [HEADER],
        [HEADER, ("sessions", [{"id": "x"}])],
        [HEADER, ("messages", [batch_row("messages")])],
    ):
        with pytest.raises(ImportRefusedError, match="No row"):
            fresh.import_rows(batches)
    with pytest.raises(ImportRefusedError, match="sqlite_schema"):
        fresh.import_rows([HEADER, ("sqlite_schema", [{}])])
    assert fresh.list_sessions() == []


def test_nothing_reaches_another_users_rows(fresh: MemoryStore) -> None:
    other = MemoryStore(fresh.database.connection, user_id="other")
    session = other.create_session(id="sessions 1")
    message = other.add_message(session.id, "user", "mine", id="messages 1")
    report = fresh.import_rows(
        [
            HEADER,
            ("sessions", [batch_row("sessions"), {**batch_row("sessions"), "id": "own"}]),
            ("messages", [batch_row("messages")]),
            ("message_versions", [{**batch_row("message_versions"), "created_at": 2**50}]),
            ("tombstones", [{"kind": "messages", "id": message.id, "created_at": 1}]),
        ]
    )
    assert report["imported"] == {"sessions": 1, "tombstones": 1}
    assert len(report["refused"]) == 3
    assert other.get_message(message.id).content == "mine"


def test_how_a_value_is_compared_is_not_believed(fresh: MemoryStore, exported: Path) -> None:
    plant(exported, "UPDATE facts SET value_folded = 'kale' WHERE value = 'Nara'")
    fresh.import_file(exported)
    (fact,) = fresh.list_facts(prefix="trip::")
    assert fresh.set_fact("trip::stop", "nara").id == fact.id
    assert fresh.set_fact("trip::stop", "kale").id != fact.id


def test_a_call_is_refused_whose_message_lies_in_another_session(
    fresh: MemoryStore, store: MemoryStore, tmp_path: Path
) -> None:
    one, two = store.create_session(), store.create_session()
    message = store.add_message(two.id, "user", "hello")
    call = store.add_tool_call(one.id, "t", {"a": 1})
    store.export_to(tmp_path / "export.db")
    plant(tmp_path / "export.db", "UPDATE tool_calls SET message_id = ?", message.id)
    report = fresh.import_file(tmp_path / "export.db")
    assert report["refused"] == [f"tool_calls {call.id}: its message lies in another session"]
    assert fresh.list_tool_calls(one.id) == []


def test_messages_without_text_and_circles_are_straightened(fresh: MemoryStore) -> None:
    links = {"a": "b", "b": "a", "c": "c", "d": "elsewhere", "e": "d", "f": None}
    fresh.import_rows(
        [
            HEADER,
            ("sessions", [{**batch_row("sessions"), "current_message_id": "gone"}]),
            (
                "messages",
                [
                    {**batch_row("messages"), "id": id, "parent_id": parent, "created_at": number}
                    for number, (id, parent) in enumerate(links.items())
                ],
            ),
            (
                "message_versions",
                [{**batch_row("message_versions"), "id": f"v{id}", "message_id": id} for id in "abcde"],
            ),
        ]
    )
    parents = {
        row["id"]: row["parent_id"] for row in fresh.database.query("SELECT id, parent_id FROM messages")
    }
    assert parents == {"a": "b", "b": None, "c": None, "d": None, "e": "d"}
    assert [message.id for message in fresh.get_recent_messages("sessions 1")] == ["d", "e"]
    fresh.forget(text="hello")  # ends
    assert fresh.list_messages("sessions 1") == []


# -- files that nobody should trust --


def test_bytes_that_are_no_utf8_are_read_as_replaced(fresh: MemoryStore, exported: Path) -> None:
    plant(exported, "UPDATE message_versions SET content = CAST(x'61ff62' AS TEXT) WHERE content = 'Noted.'")
    fresh.import_file(exported)
    assert "a\ufffdb" in [row["content"] for row in rows(fresh, "message_versions")]


def test_unknown_columns_are_reported_and_skipped(
    store: MemoryStore, fresh: MemoryStore, exported: Path
) -> None:
    plant(exported, "ALTER TABLE facts ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'")
    plant(exported, 'ALTER TABLE facts ADD COLUMN "how much" INTEGER')
    plant(exported, "ALTER TABLE sessions ADD COLUMN colour TEXT")
    report = fresh.import_file(exported)
    assert sorted(report["unknown_columns"]) == ["facts.how much", "facts.mood", "sessions.colour"]
    assert everything(fresh) == everything(store)


PLANTED = {
    "trigger": "CREATE TRIGGER planted AFTER INSERT ON messages BEGIN DELETE FROM facts; END",
    "view": "CREATE VIEW planted AS WITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT 1 FROM n",
    "table": "CREATE TABLE planted (id INTEGER PRIMARY KEY)",
    "index": "CREATE INDEX planted ON facts (value)",
    "expression index": "CREATE INDEX planted ON facts (length(value))",
    "virtual table": "CREATE VIRTUAL TABLE planted USING fts5(x)",
    "generated column": "ALTER TABLE facts ADD COLUMN planted TEXT AS (hex(zeroblob(100000000))) VIRTUAL",
    "checked column": "ALTER TABLE facts ADD COLUMN planted TEXT CHECK (length(planted) < 5)",
    "referring column": "ALTER TABLE facts ADD COLUMN planted TEXT REFERENCES users (id)",
    "made anew": "CREATE TRIGGER one_current_fact_on_insert AFTER INSERT ON facts BEGIN SELECT 1; END",
}


@pytest.mark.parametrize("what", PLANTED)
def test_fault_40_planted_objects_are_refused_by_name(fresh: MemoryStore, exported: Path, what: str) -> None:
    if what.endswith("anew"):
        plant(exported, "DROP TRIGGER one_current_fact_on_insert")
    plant(exported, PLANTED[what])
    named = "facts" if "column" in what else "one_current" if "anew" in what else "planted"
    with pytest.raises(ImportRefusedError, match=named):
        fresh.import_file(exported)
    assert fresh.list_sessions() == []


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("user_profile", "CREATE VIEW user_profile AS SELECT 1"),
        ("facts_by_key", "CREATE INDEX facts_by_key ON facts (user_id, key, status) WHERE 1"),
        ("message_search", "CREATE VIRTUAL TABLE message_search USING fts5(terms, marks)"),
        ("message_search_data", "CREATE TABLE message_search_data(id INTEGER PRIMARY KEY, block AS (1))"),
        (
            "message_search_docsize",
            "CREATE TABLE message_search_docsize(id INTEGER PRIMARY KEY, sz CHECK(0))",
        ),
        ("users", "CREATE TABLE users (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, x AS (1))"),
    ],
)
def test_objects_with_other_sql_are_refused_by_name(
    fresh: MemoryStore, exported: Path, name: str, sql: str
) -> None:
    replant(exported, name, sql)
    with pytest.raises((ImportRefusedError, DatabaseCorruptError)) as refused:
        fresh.import_file(exported)
    assert refused.type is ImportRefusedError
    assert name in str(refused.value)


def test_statistics_of_another_program_do_no_harm(fresh: MemoryStore, exported: Path) -> None:
    plant(exported, "ANALYZE")
    assert fresh.import_file(exported)["imported"]["messages"] == 2


def empty(path: Path) -> None:
    path.write_bytes(b"")


def random_bytes(path: Path) -> None:
    path.write_bytes(os.urandom(8192))


def only_the_header(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


def random_pages(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100] + os.urandom(path.stat().st_size - 100))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_within_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def damaged_inside(path: Path) -> None:
    image = bytearray(path.read_bytes())
    page = int.from_bytes(image[16:18], "big")
    for start in range(page, len(image), page):
        image[start : start + 12] = b"\xff" * 12
    path.write_bytes(image)


def other_program(path: Path) -> None:
    path.unlink()
    plant(path, "CREATE TABLE notes (id INTEGER PRIMARY KEY)")


def other_application_id(path: Path) -> None:
    plant(path, "PRAGMA application_id = 17")


def newer(path: Path) -> None:
    plant(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def without_a_table(path: Path) -> None:
    plant(path, "DROP TABLE message_versions")


def missing(path: Path) -> None:
    path.unlink()


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (empty, NotADatabaseError),
        (random_bytes, NotADatabaseError),
        (only_the_header, NotADatabaseError),
        (random_pages, DatabaseCorruptError),
        (cut_short, DatabaseCorruptError),
        (cut_within_a_page, DatabaseCorruptError),
        (damaged_inside, DatabaseCorruptError),
        (other_program, NotADatabaseError),
        (other_application_id, NotADatabaseError),
        (newer, NewerDatabaseError),
        (without_a_table, ImportRefusedError),
        (missing, StorageError),
        (folder, StorageError),
    ],
)
@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_bad_files_change_nothing(
    fresh: MemoryStore, exported: Path, spoil: Callable[[Path], None], error: type[PyMemoryError], mode: str
) -> None:
    fresh.add_message(fresh.create_session().id, "user", "was here before")
    fresh.set_fact("user::name", "Wei")
    before = everything(fresh)
    spoil(exported)
    image = exported.read_bytes() if exported.is_file() else b""
    with pytest.raises(error):
        fresh.import_file(exported, mode=mode)
    assert everything(fresh) == before
    assert index_is_sound(fresh)
    assert (exported.read_bytes() if exported.is_file() else b"") == image


def test_a_bad_row_late_in_a_file_takes_everything_back(fresh: MemoryStore, exported: Path) -> None:
    def cut_off() -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for batch in read_memory_file(exported):
            if batch[0] == "facts":
                raise DatabaseCorruptError("the disk failed")
            yield batch

    with pytest.raises(DatabaseCorruptError):
        fresh.import_rows(cut_off(), mode="replace")
    assert fresh.list_sessions() == []


def test_a_file_over_the_limit_is_refused(
    fresh: MemoryStore, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_file, "MAX_FILE_BYTES", exported.stat().st_size - 1)
    with pytest.raises(TooLargeError):
        fresh.import_file(exported)


def test_reading_has_a_time_limit(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_UNTRUSTED_SECONDS", -1.0)
    monkeypatch.setattr(database, "_UNTRUSTED_STEPS", 1)
    with pytest.raises(ImportRefusedError, match="too long"):
        list(read_memory_file(exported))


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM facts",
        "CREATE TEMP TABLE t (x)",
        "ATTACH ':memory:' AS other",
        "PRAGMA writable_schema=ON",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
        "SELECT hex(zeroblob(8000000))",
    ],
)
def test_fault_40_the_reading_connection_can_do_little(exported: Path, sql: str) -> None:
    connection = database.open_untrusted(exported)
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute(sql).fetchone()
    connection.close()


def test_the_reading_connection_can_check(exported: Path) -> None:
    connection = database.open_untrusted(exported)
    assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
    # Newer SQLite has FTS5 take part in the check, and FTS5 asks for this.
    assert connection.execute("PRAGMA data_version").fetchone() is not None
    connection.close()


def test_an_older_file_is_brought_up_to_date_in_a_copy(
    store: MemoryStore, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old.db"
    shutil.copyfile(exported, old)
    script = "ALTER TABLE facts ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';\n"
    monkeypatch.setitem(database.MIGRATIONS, SCHEMA_VERSION + 1, script)
    monkeypatch.setattr(database, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    monkeypatch.setattr(memory_file, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    memory_file._our_columns.cache_clear()
    image = old.read_bytes()
    newer_store = MemoryStore(":memory:")
    newer_store.import_file(old)
    facts = newer_store.database.query("SELECT value, mood FROM facts WHERE status = 'current'")
    assert {tuple(row) for row in facts} >= {("vegan", "calm"), ("Nara", "calm")}
    assert old.read_bytes() == image
    # The older schema alone decides what an older file may hold.
    plant(old, script)
    plant(old, "CREATE TABLE planted (x)")
    with pytest.raises(ImportRefusedError, match="planted"):
        newer_store.import_file(old)
    newer_store.close()
    memory_file._our_columns.cache_clear()


def test_what_the_page_sends_is_what_was_read(fresh: MemoryStore, exported: Path) -> None:
    """Batches cross from worker to worker as JSON text."""
    fresh.import_rows(json.loads(json.dumps(batch)) for batch in read_memory_file(exported))
    assert len(fresh.list_messages(fresh.list_sessions()[0].id)) == 2


@pytest.mark.parametrize("seed", range(20))
def test_damage_anywhere_is_refused_or_harmless(fresh: MemoryStore, exported: Path, seed: int) -> None:
    choose = random.Random(seed)
    data = bytearray(exported.read_bytes())
    for _ in range(choose.choice((1, 10, 200))):
        data[choose.randrange(100, len(data))] = choose.randrange(256)
    exported.write_bytes(bytes(data))
    before = everything(fresh)
    try:
        fresh.import_file(exported)
    except PyMemoryError:
        assert everything(fresh) == before
    assert index_is_sound(fresh)
    assert fresh.database.integrity_check() == []
    json.dumps([fact.to_dict() for fact in fresh.list_facts(status=None)], allow_nan=False)
