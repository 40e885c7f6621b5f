"""The memory as text: JSON Lines come back equal, row by row, and Markdown says to people what is in it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from py_memory import MemoryStore
from py_memory.database import SCHEMA_VERSION
from py_memory.errors import (
    ConflictError,
    ImportRefusedError,
    InvalidInputError,
    NewerDatabaseError,
    NotFoundError,
    PyMemoryError,
    StorageError,
)
from py_memory.formats.markdown import _WORDS
from py_memory.formats.memory_file import TABLES

from .conftest import SteppedClock
from .exports import json_file, turns
from .test_chat_import import tricky
from .test_memory_file import everything, index_is_sound, rows

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "my password is hunter22!"


def back(path: Path, text: str, clock: SteppedClock | None = None) -> MemoryStore:
    """A new memory into which JSON Lines were read."""
    path.write_text(text, "utf-8", newline="\n")
    store = MemoryStore(":memory:", clock=clock)
    report = store.import_file(path)
    assert (report["refused"], report["conflicts"], report["unknown_columns"]) == ([], 0, [])
    return store


def lines_of(text: str) -> list[str]:
    """Without the namespaces, which every memory has under ids of its own."""
    return [line for line in text.split("\n") if '"table": "namespaces"' not in line]


def canonical(store: MemoryStore) -> str:
    return json.dumps(everything(store), ensure_ascii=False, sort_keys=True)


# -- JSON Lines --


@pytest.fixture
def filled(store: MemoryStore, clock: SteppedClock) -> MemoryStore:
    """A memory with a row in every table that travels."""
    session = store.create_session("Kyoto", metadata={"device": "laptop"})
    said = store.add_message(session.id, "user", "五月去京都，预算两万元 🍵 مرحبا \u2028 line", speaker="Wei")
    clock.advance(1000)
    answer = store.add_message(session.id, "assistant", "Noted.")
    store.edit_message(said.id, "五月去京都，预算三万元")
    store.set_feedback(answer.id, 1)
    store.set_fact("user::diet", "vegetarian", source_message_id=said.id, quote="京都")
    clock.advance(1000)
    diet = store.set_fact("user::diet", "vegan")
    store.set_fact("user::contact::email", "wei@example.org")
    store.register_namespace("trip::", single_valued=False, ttl_ms=1000)
    store.record_uses(answer.id, [("facts", diet.id, "diet")])
    call = store.add_tool_call(session.id, "calendar", {"day": 1}, message_id=answer.id)
    store.update_tool_call(call.id, "running")
    store.update_tool_call(call.id, "success", output={"free": True})
    proposed = store.propose_fact("user::home", "Lyon")
    assert proposed is not None
    store.reject_fact(proposed.id)
    gone = store.add_message(session.id, "user", "to be forgotten")
    store.forget(message_id=gone.id)
    store.save_snapshot(
        session.id, {"goal": "Kyoto", "plan": [{"step": "book", "status": "pending"}]}, "pause"
    )
    store.import_chats(json_file([tricky()]))
    with store.database.transaction():
        for table, columns, values in (
            ("summaries", "session_id, level, content", (session.id, 1, "Kyoto in May")),
            ("experiences", "topic, content", ("trains", "Book early")),
        ):
            marks = ", ".join("?" for _ in values)
            store.database.execute(
                f"INSERT INTO {table} (id, user_id, created_at, {columns}) VALUES (?, ?, 1, {marks})",
                (f"{table} row", store.user_id, *values),
            )
    assert [table for table in TABLES if not rows(store, table)] == []
    return store


def test_lines_come_back_equal(filled: MemoryStore, clock: SteppedClock, tmp_path: Path) -> None:
    text = filled.export_text("jsonl")
    there = back(tmp_path / "memory.jsonl", text, clock)
    assert canonical(there) == canonical(filled)
    assert index_is_sound(there)
    assert there.search("三万元")
    assert there.propose_fact("user::home", "Lyon") is None  # rejected there, so not proposed here
    assert there.import_file(tmp_path / "memory.jsonl")["imported"] == {}
    assert canonical(there) == canonical(filled)


def test_a_line_is_a_row(filled: MemoryStore, tmp_path: Path) -> None:
    filled.export_to(tmp_path / "memory.jsonl", format="jsonl")
    data = (tmp_path / "memory.jsonl").read_bytes()
    assert data.decode() == filled.export_text("jsonl")
    header, *lines = [json.loads(line) for line in data.split(b"\n") if line]
    assert header["py_memory"] == 1
    assert header["schema"] == SCHEMA_VERSION
    assert {line["table"] for line in lines} == set(TABLES)
    assert not [line for line in lines if {"seq", "user_id"} & line.keys() or None in line.values()]
    assert "五月去京都" in data.decode()


words = st.text(max_size=30) | st.sampled_from(
    ["", " ", "\n", "\0", "\ud800", "“京都”", '{"a": "\\"', "x" * 3000]
)
steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["session", "say", "reply", "edit", "fact", "propose", "tool", "rename", "forget", "end"]
        ),
        words,
        st.integers(0, 9),
    ),
    max_size=25,
)


def perform(store: MemoryStore, clock: SteppedClock, what: str, text: str, number: int) -> None:
    sessions = store.list_sessions(limit=100)
    if what == "session" or not sessions:
        store.create_session(text, metadata={"text": text, "number": number})
        return
    session = sessions[number % len(sessions)]
    there = store.list_messages(session.id)
    message = there[number % len(there)] if there else None
    if what == "say":
        store.add_message(session.id, "user", text, metadata={"n": number})
    elif what == "reply" and message:
        store.add_message(session.id, "assistant", text, parent_id=message.id)
    elif what == "edit" and message:
        store.edit_message(message.id, text)
    elif what == "fact":
        store.set_fact("user::diet", text, **({"source_message_id": message.id} if message else {}))
    elif what == "propose":
        store.propose_fact("user::note", text, quote=text)
    elif what == "tool":
        call = store.add_tool_call(session.id, "t", {"in": text}, message_id=message.id if message else None)
        store.update_tool_call(call.id, "failed", output=[text], error="no")
    elif what == "rename":
        store.rename_session(session.id, text)
    elif what == "forget" and message:
        store.forget(message_id=message.id)
    elif what == "end":
        store.end_session(session.id)
    clock.advance(number * 7)


@settings(max_examples=40)
@given(given_steps=steps)
def test_whatever_was_done_comes_back_equal(
    given_steps: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    clock = SteppedClock()
    store = MemoryStore(":memory:", clock=clock)
    for step in given_steps:
        try:
            perform(store, clock, *step)
        except (InvalidInputError, ConflictError):
            continue
    text = store.export_text("jsonl")
    there = back(tmp_path_factory.mktemp("lines") / "memory.jsonl", text, clock)
    assert canonical(there) == canonical(store)
    assert lines_of(there.export_text("jsonl")) == lines_of(text)
    for path in (store, there):
        path.close()


@pytest.mark.parametrize("format", ["db", "jsonl"])
def test_one_session_with_what_was_learned_in_it(
    filled: MemoryStore, clock: SteppedClock, tmp_path: Path, format: str
) -> None:
    (kyoto,) = [session for session in filled.list_sessions() if session.title == "Kyoto"]
    filled.export_to(tmp_path / "one", format=format, session_id=kyoto.id)
    there = MemoryStore(":memory:", clock=clock)
    there.import_file(tmp_path / "one")
    assert [session.id for session in there.list_sessions()] == [kyoto.id]
    assert there.list_messages(kyoto.id)[0].content == filled.list_messages(kyoto.id)[0].content
    assert {fact.value for fact in there.list_facts(status=None)} == {"vegetarian"}
    for table in ("tombstones", "identities", "experiences", "rejections"):
        assert rows(there, table) == []
    for table in ("message_versions", "tool_calls", "uses", "summaries", "snapshots"):
        ids = {row["id"] for row in rows(there, table)}
        assert ids
        assert ids <= {row["id"] for row in rows(filled, table)}
    data = (tmp_path / "one").read_bytes()
    assert b"Look" not in data  # said in the other session
    assert b"to be forgotten" not in data
    if format == "db":
        assert MemoryStore(tmp_path / "one").get_session(kyoto.id).title == "Kyoto"


@pytest.mark.parametrize("format", ["db", "jsonl", "markdown"])
def test_what_cannot_be_exported(filled: MemoryStore, tmp_path: Path, format: str) -> None:
    with pytest.raises(NotFoundError):
        filled.export_to(tmp_path / "one", format=format, session_id="no such")
    assert not (tmp_path / "one").exists()
    (tmp_path / "there").write_text("mine")
    session = filled.list_sessions()[0].id
    with pytest.raises(StorageError):
        filled.export_to(tmp_path / "there", format=format, session_id=session)
    assert (tmp_path / "there").read_text() == "mine"
    with pytest.raises(StorageError):
        filled.export_to(tmp_path / "no" / "folder", format=format, session_id=session)


def test_wrong_choices(store: MemoryStore, tmp_path: Path) -> None:
    for broken in ("xml", None, 5, []):
        with pytest.raises(InvalidInputError):
            store.export_to(tmp_path / "x", format=broken)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError):
            store.export_text("markdown", language=broken)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        store.export_text("db")


HEADER = f'{{"py_memory": 1, "schema": {SCHEMA_VERSION}}}\n'
BROKEN_LINES: dict[str, tuple[str, type[PyMemoryError]]] = {
    "no header": ('{"py_memory": "x"}\n', ImportRefusedError),
    "a newer form": ('{"py_memory": 2, "schema": 4}\n', NewerDatabaseError),
    "a newer schema": ('{"py_memory": 1, "schema": 999}\n', NewerDatabaseError),
    "a line cut short": (HEADER + '{"table": "sessions", "id": "a', ImportRefusedError),
    "a list": (HEADER + "[1]\n", ImportRefusedError),
    "an unknown table": (HEADER + '{"table": "sync_state", "id": "a"}\n', ImportRefusedError),
    "no table": (HEADER + '{"id": "a"}\n', ImportRefusedError),
    "nothing but a header": (HEADER, ImportRefusedError),
    "too deep": (HEADER + '{"table": ' + "[" * 200 + "]" * 200 + "}\n", ImportRefusedError),
    "too long": (HEADER + '{"table": "' + "x" * (9 << 20) + '"}\n', ImportRefusedError),
}


@pytest.mark.parametrize("name", BROKEN_LINES)
def test_broken_lines_change_nothing(store: MemoryStore, tmp_path: Path, name: str) -> None:
    text, error = BROKEN_LINES[name]
    store.add_message(store.create_session().id, "user", "here before")
    before = canonical(store)
    (tmp_path / "lines").write_text(text)
    with pytest.raises(error):
        store.import_file(tmp_path / "lines")
    assert canonical(store) == before


def test_lines_are_looked_at_and_sent_to_the_right_door(filled: MemoryStore, tmp_path: Path) -> None:
    filled.export_to(tmp_path / "a.jsonl", format="jsonl")
    filled.export_to(tmp_path / "a.db")
    assert filled.preview_import(tmp_path / "a.jsonl")["format"] == "memory-lines"
    assert filled.preview_import(tmp_path / "a.db")["format"] == "memory"
    for name in ("a.jsonl", "a.db"):
        with pytest.raises(ImportRefusedError, match="import_file"):
            filled.import_chats(tmp_path / name)


# -- Markdown --


def test_markdown_of_a_session(store: MemoryStore, clock: SteppedClock) -> None:
    store.import_chats(json_file([tricky()]))
    store.set_setting("zone", "+08:00")
    text = store.export_text(session_id=store.list_sessions()[0].id)
    assert text.startswith("# Untitled\n\n*2023-11-15 06:13 – 2023-11-15 06:28 · From chatgpt*\n")
    assert "\n## You · 2023-11-15 06:13\n\nRun it\n" in text
    assert "*Tool: `python` (success)*\n\nIt says 1\n" in text
    assert "*1 messages of other branches are not shown.*" in text
    assert "First try" not in text
    chinese = store.export_text(session_id=store.list_sessions()[0].id, language="zh")
    assert "## 你 · 2023-11-15 06:13" in chinese
    assert "来自 chatgpt" in chinese
    assert "另有 1 条其他分支的消息未显示" in chinese


def test_markdown_of_everything(filled: MemoryStore) -> None:
    text = filled.export_text("markdown")
    assert text.startswith("# Memory\n\n## What is known\n")
    assert "- **user::diet**: vegan\n" in text
    assert "- **user::name**: Lin[^" in text
    assert "“Preferred name: Lin”" in text
    assert "vegetarian" not in text  # corrected since
    assert (
        text.index("## Waiting for an answer") < text.index("**user::name**") < text.index("## Conversations")
    )
    assert "### Kyoto\n" in text
    assert "五月去京都，预算三万元" in text
    assert "两万元" not in text
    assert "to be forgotten" not in text


def test_secrets_are_masked_in_markdown_and_kept_in_lines(store: MemoryStore) -> None:
    session = store.create_session(SECRET)
    store.add_message(session.id, "user", f"Note that {SECRET}")
    text = store.export_text("markdown")
    assert "hunter22" not in text
    assert "•••" in text
    assert "hunter22" in store.export_text("jsonl")


def test_nothing_said_can_pass_for_a_heading_or_a_mark(store: MemoryStore) -> None:
    store.create_session("# Big\n\n*bold* <b> [x](y)")
    text = store.export_text("markdown")
    assert "### \\# Big \\*bold\\* \\<b\\> \\[x\\](y)\n" in text


def test_an_empty_memory_is_told_in_both_languages(store: MemoryStore) -> None:
    assert store.export_text("markdown").count("Nothing yet.") == 2
    assert store.export_text("markdown", language="zh").count("暂无内容。") == 2
    assert _WORDS["en"].keys() == _WORDS["zh"].keys()


def test_times_outside_the_calendar_do_no_harm(store: MemoryStore, clock: SteppedClock) -> None:
    clock.now = 8_640_000_000_000_000
    store.add_message(store.create_session("Far").id, "user", "hello")
    assert "· —" in store.export_text("markdown")


def test_a_page_gets_the_text_by_call(store: MemoryStore) -> None:
    from py_memory.browser import NOT_FOR_THE_PAGE

    callable_ones: dict[str, Callable[..., Any]] = {"export_text": store.export_text}
    assert not callable_ones.keys() & NOT_FOR_THE_PAGE
    assert {
        "export_to",
        "import_chats",
        "begin_import",
        "export_pieces",
        "preview_import",
    } <= NOT_FOR_THE_PAGE


def test_an_import_goes_out_and_in_again(store: MemoryStore, clock: SteppedClock, tmp_path: Path) -> None:
    """And an export of the product, imported there once more, is known."""
    chats = json_file([turns("c", "one", "two"), tricky()])
    store.import_chats(chats)
    there = back(tmp_path / "memory.jsonl", store.export_text("jsonl"), clock)
    before = canonical(there)
    report = there.import_chats(io.BytesIO(chats.getvalue()))
    assert report["conversations"] == {"known": 2}
    assert canonical(there) == before
