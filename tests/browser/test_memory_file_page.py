"""The page's memory as a file: what comes out, what goes in, and what is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser import host_page as host

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

TABLES = ("sessions", "messages", "message_versions", "facts", "namespaces")
# Counted anew in each file, or the local owner's.
LOCAL = {"seq", "user_id"}


def rows(file: Path, table: str) -> list[dict[str, Any]]:
    connection = sqlite3.connect(file)
    connection.row_factory = sqlite3.Row
    try:
        found = [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")]
    finally:
        connection.close()
    return [{name: value for name, value in row.items() if name not in LOCAL} for row in found]


def fill(page: Page) -> str:
    session = host.start_session(page)
    host.add(page, session, "Mei cannot eat peanuts")
    host.add(page, session, "五月去京都，预算两万元 🍵 مرحبا")
    page.evaluate("() => pyMemory.call('set_fact', {key: 'user::diet', value: 'vegetarian'})")
    page.evaluate("() => pyMemory.call('set_fact', {key: 'user::diet', value: 'vegan'})")
    return session


def test_export_is_one_plain_database_with_every_row(
    launch: Launch, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(launch())
    session = fill(page)
    exported = host.export_file(page, tmp_path / "export.db")
    assert host.integrity(exported) == ["ok"]
    live = host.raw_file(page, tmp_path / "raw.db")
    for table in TABLES:
        assert rows(exported, table) == rows(live, table), table
    contents = [row["content"] for row in rows(exported, "message_versions")]
    assert contents == host.texts(page, session)
    connection = sqlite3.connect(exported)
    assert connection.execute("PRAGMA application_id").fetchone()[0] == 0x504D454D
    assert connection.execute("SELECT count(*) FROM sync_state").fetchone()[0] == 0
    found = connection.execute(
        "SELECT rowid FROM message_search WHERE message_search MATCH 'peanut'"
    ).fetchall()
    connection.close()
    assert len(found) == 1


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_import_into_a_fresh_profile(launch: Launch, open_page: OpenPage, tmp_path: Path, mode: str) -> None:
    page = open_page(launch())
    session = fill(page)
    exported = host.export_file(page, tmp_path / "export.db")
    fresh = open_page(launch())
    own = host.start_session(fresh)
    host.add(fresh, own, "was here before")
    answer = host.import_file(fresh, exported, mode)
    assert answer["report"]["imported"]["messages"] == 2
    assert host.texts(fresh, session) == host.texts(page, session)
    assert (own in [found["id"] for found in host.sessions(fresh)]) is (mode == "merge")
    fresh.reload()
    fresh.evaluate("() => pyMemory.ready")
    again = host.export_file(fresh, tmp_path / "again.db")
    for table in ("messages", "message_versions", "facts"):
        kept = [row for row in rows(again, table) if "was here before" not in row.values()]
        ids = {row["id"] for row in rows(exported, table)}
        assert [row for row in kept if row["id"] in ids] == rows(exported, table), table


def garbage(file: Path) -> None:
    file.write_bytes(b"not a database at all " * 100)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def newer(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 999")
    connection.close()


def other_program(file: Path) -> None:
    file.unlink()
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT)")
    connection.close()


def planted_trigger(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("CREATE TRIGGER planted AFTER INSERT ON messages BEGIN DELETE FROM facts; END")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (garbage, "NotADatabaseError"),
        (empty, "NotADatabaseError"),
        (cut_short, "DatabaseCorruptError"),
        (newer, "NewerDatabaseError"),
        (other_program, "NotADatabaseError"),
        (planted_trigger, "ImportRefusedError"),
    ],
)
def test_bad_files_are_refused_and_change_nothing(
    shared_page: Page, exported: Path, tmp_path: Path, spoil: Callable[[Path], None], error: str
) -> None:
    bad = tmp_path / "bad.db"
    bad.write_bytes(exported.read_bytes())
    spoil(bad)
    before = [rows(host.export_file(shared_page, tmp_path / "before.db"), table) for table in TABLES]
    for mode in ("merge", "replace"):
        assert host.import_file(shared_page, bad, mode)["error"]["name"] == error
    after = [rows(host.export_file(shared_page, tmp_path / "after.db"), table) for table in TABLES]
    assert after == before
    assert host.status(shared_page)["state"] == "saved"


def test_forgotten_text_is_in_no_store(launch: Launch, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(launch())
    session = fill(page)
    secret = "xylographically quizzical 丙烯酸酯"
    message = host.add(page, session, f"Remember: {secret}.")
    page.evaluate("() => pyMemory.call('compact')")
    assert host.database(page, "chunks", "find", text="quizzical") == 1
    generation = host.status(page)["generation"]
    receipt = page.evaluate("(message_id) => pyMemory.call('forget', {message_id})", message)
    assert receipt["counts"]["messages"] == 1
    # The tab dies within the ten seconds of Undo: the next start finishes before it shows anything.
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert host.status(page)["generation"] > generation
    assert host.database(page, "log", "count") == 0
    assert host.database(page, "replies", "count") == 0
    stored = host.raw_file(page, tmp_path / "raw.db").read_bytes()
    for trace in ("xylographically", "graphically", "quizzical", "丙烯酸酯", "丙烯"):
        assert trace.encode() not in stored, trace
        for store in ("chunks", "log", "replies", "waiting", "quarantine", "view"):
            assert host.database(page, store, "find", text=trace) == 0, (trace, store)


@pytest.fixture
def shared_page(launch: Launch, open_page: OpenPage) -> Page:
    page = open_page(launch())
    fill(page)
    return page


@pytest.fixture
def exported(shared_page: Page, tmp_path: Path) -> Path:
    return host.export_file(shared_page, tmp_path / "export.db")
