"""No everyday operation reads a whole table. The statements are those that the operations really run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from py_memory import MemoryStore
from tests.unit.support import Grams, run

from .conftest import SteppedClock
from .exports import json_file, turns
from .sync_support import Server

TABLES = {
    "messages",
    "message_versions",
    "sessions",
    "facts",
    "tool_calls",
    "uses",
    "events",
    "event_salts",
    "tombstones",
    "summaries",
    "snapshots",
    "experiences",
    "embeddings",
    "sync_outbox",
    "sync_base",
}
_SCAN = re.compile(r"SCAN (\w+)")
_LIST = re.compile(
    r"json_each\((?:\?|'(?:[^']|'')*')\)(?:\s+(?:AS\s+)?(?!JOIN|CROSS|WHERE|ORDER)(\w+))?", re.I
)
_NAMED = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?", re.IGNORECASE)


@pytest.fixture
def filled(store: MemoryStore, clock: SteppedClock) -> MemoryStore:
    for chat in range(3):
        session = store.create_session(f"Chat {chat}")
        for number in range(12):
            message = store.add_message(session.id, "user", f"message {number} about the refund 退款")
            clock.advance(seconds=1)
        store.add_tool_call(session.id, "refund", {}, message_id=message.id)
        store.summarise(session.id)
        store.save_snapshot(session.id, {"goal": "refund", "plan": [{"step": "ask"}]}, "planned")
    for number in range(12):
        store.propose_experience("refund", f"Rule {number} of refunds comes before the next.")
        store.set_fact(f"task::{number}", f"do {number}", source_message_id=message.id)
    return store


@contextmanager
def traced(store: MemoryStore) -> Iterator[list[str]]:
    """The SQL, with its values filled in, of everything that runs inside."""
    seen: list[str] = []
    store.database.connection.set_trace_callback(seen.append)
    try:
        yield seen
    finally:
        store.database.connection.set_trace_callback(None)


def scans(store: MemoryStore, sql: str) -> set[str]:
    """Tables of the memory that the statement reads from end to end."""
    plan = store.database.connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
    names = {alias or table: table for table, alias in _NAMED.findall(sql)} | {t: t for t in TABLES}
    found = {
        match[1]
        for step in plan
        if (match := _SCAN.search(step["detail"])) and "VIRTUAL" not in step["detail"]
    }
    return {names.get(name, name) for name in found} & TABLES


def looped_lists(store: MemoryStore, sql: str) -> list[str]:
    """Steps that walk through a list given as JSON once for each row of a table, not the other way round."""
    names = {alias or "json_each" for alias in _LIST.findall(sql)}
    before: set[int] = set()
    found = []
    for step in store.database.connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall():
        detail, parent = step["detail"], step["parent"]
        if detail.startswith(tuple(f"SCAN {name} VIRTUAL" for name in names)) and parent in before:
            found.append(detail)
        elif detail.startswith(("SEARCH", "SCAN")):
            before.add(parent)
    return found


def statements(seen: list[str]) -> list[str]:
    own = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
    # Lines that start with "--" are what a trigger or the full-text index runs inside.
    return [
        sql
        for sql in dict.fromkeys(seen)
        if sql.strip().upper().startswith(own) and "message_search'" not in sql
    ]


OPERATIONS: dict[str, Callable[[MemoryStore, str, str], object]] = {
    "add_message": lambda store, session, _: store.add_message(session, "user", "and my 退款?"),
    "add_message again": lambda store, session, id: store.add_message(
        session, "user", "message 11 about the refund 退款", id=id
    ),
    "edit_message": lambda store, _, id: store.edit_message(id, "changed"),
    "streaming": lambda store, session, _: store.set_message_status(
        store.add_message(session, "assistant", "", status="streaming").id, "complete", "done"
    ),
    "get_recent_messages": lambda store, session, _: store.get_recent_messages(session, 5),
    "get_recent_messages until": lambda store, session, id: store.get_recent_messages(session, 5, until=id),
    "get_recent_messages after": lambda store, session, id: store.get_recent_messages(
        session, 5, after=store.get_recent_messages(session, 9)[0].id
    ),
    "read_chat": lambda store, session, _: store.read_chat(session, limit=5),
    "read_chat around": lambda store, session, _: store.read_chat(
        session, limit=5, around=store.get_recent_messages(session, 9)[0].id
    ),
    "read_chat from its beginning": lambda store, session, _: store.read_chat(session),
    "get_context_within_budget": lambda store, session, _: store.get_context_within_budget(session),
    "build_system_prompt": lambda store, session, _: store.build_system_prompt(session_id=session),
    "list_messages": lambda store, session, _: store.list_messages(session, limit=5),
    "list_messages before": lambda store, session, _: store.list_messages(session, before=1_790_000_005_000),
    "get_message": lambda store, _, id: store.get_message(id),
    "replies_to": lambda store, _, id: store.replies_to(id),
    "message_versions": lambda store, _, id: store.message_versions(id),
    "alternatives": lambda store, session, _: store.alternatives(session),
    "show_branch": lambda store, _, id: store.show_branch(id),
    "inspect_prompt": lambda store, session, _: store.inspect_prompt(
        store.set_message_status(
            store.add_message(session, "assistant", "", status="streaming").id,
            "complete",
            "done",
            prompt={"history": []},
        ).id
    ),
    "set_feedback": lambda store, _, id: store.set_feedback(id, 1),
    "create_session": lambda store, *_: store.create_session("New"),
    "get_or_create_session": lambda store, *_: store.get_or_create_session(),
    "get_session": lambda store, session, _: store.get_session(session),
    "list_sessions": lambda store, *_: store.list_sessions(),
    "list_sessions of a day later": lambda store, *_: (
        store.clock.advance(days=2),  # type: ignore[attr-defined]
        store.list_sessions(limit=1),
        store.list_sessions(limit=1),
    ),
    "list_sessions before": lambda store, *_: store.list_sessions(before=1_790_000_020_000),
    "end_session": lambda store, session, _: store.end_session(session),
    "set_fact": lambda store, _, id: store.set_fact("user::name", "Lin", source_message_id=id),
    "correct": lambda store, *_: store.set_fact("task::1", "do it today"),
    "propose_fact": lambda store, _, id: store.propose_fact("user::home", "Chengdu", source_message_id=id),
    "get_fact": lambda store, *_: store.get_fact("task::1"),
    "list_facts": lambda store, *_: store.list_facts(limit=12),
    "facts_for_prompt": lambda store, *_: store.facts_for_prompt(),
    "browse_facts": lambda store, *_: store.browse_facts([["task::"], ["user::name"]], limit=5, offset=2),
    "browse_facts of words": lambda store, *_: store.browse_facts([["task::"]], words="do", keys=["task::"]),
    "read_facts": lambda store, *_: store.read_facts([["task::"]], words="do", limit=5),
    "read_waiting": lambda store, _, id: (
        store.propose_fact("user::home", "Chengdu", source_message_id=id),
        store.read_waiting(limit=5),
    ),
    "list_facts of a prefix": lambda store, *_: store.list_facts(prefix="task::"),
    "list_facts of keys": lambda store, *_: store.list_facts(keys=["task::1", "task::2"]),
    "list_facts by ids": lambda store, _, id: store.list_facts(ids=[id], status=None),
    "list_facts of messages": lambda store, _, id: store.list_facts(source_message_ids=[id]),
    "list_facts of a session": lambda store, session, _: store.list_facts(session_id=session),
    "fact_history": lambda store, *_: store.fact_history("task::1"),
    "recall": lambda store, *_: store.recall("where is my refund"),
    "recall of a fact": lambda store, *_: (
        store.set_fact("user::likes", "mulberry jam"),
        store.recall("mulberry jam"),
    ),
    "vectors": lambda store, session, id: (
        store.connect_embedder(Grams()),
        run(store.embed_waiting()),
        store.recall("where is my refund"),
        store.recall("where is my refund", session_id=session),
        store.edit_message(id, "changed"),
        store.embedder_state(),
    ),
    "search": lambda store, *_: store.search("退款"),
    "search for what many messages hold": lambda store, *_: store.search("refun", limit=5),
    "search in a session": lambda store, session, _: store.search("refund", session_id=session),
    "add_tool_call": lambda store, session, id: store.update_tool_call(
        store.add_tool_call(session, "refund", {}, message_id=id).id, "success", output=1
    ),
    "list_tool_calls": lambda store, session, _: store.list_tool_calls(session),
    "list_tool_calls of an answer": lambda store, session, id: store.list_tool_calls(session, message_id=id),
    "record_uses": lambda store, _, id: store.record_uses(id, [("messages", id, {})]),
    "list_uses": lambda store, _, id: store.list_uses(id),
    "answer_basis": lambda store, _, id: (
        store.record_uses(id, [("messages", id, {})]),
        store.answer_basis([id]),
    ),
    "forget a message": lambda store, _, id: store.forget(message_id=id),
    "delete_session": lambda store, session, _: store.delete_session(session),
    "working_set": lambda store, session, _: store.working_set(session),
    "load_overview": lambda store, session, _: store.load_overview(session),
    "load_overview of a new session": lambda store, *_: store.load_overview(store.create_session().id),
    "pending_summary": lambda store, session, _: store.pending_summary(session),
    "summarise": lambda store, session, _: (
        store.add_message(session, "user", "and one more"),
        store.summarise(session),
    ),
    "summarise_if_due": lambda store, session, _: (
        store.add_message(session, "assistant", "and one more"),
        store.task_node(session, "plan_step"),
        store.summarise_if_due(session),
    ),
    "list_summaries": lambda store, session, _: store.list_summaries(session, level=1),
    "next_reading": lambda store, *_: store.next_reading(),
    "take_reading": lambda store, *_: store.take_reading(store.next_reading(), '{"facts": []}'),
    "next_reading, a summary": lambda store, session, _: (
        store.take_reading(store.next_reading(), '{"facts": []}'),
        store.next_reading(),
    ),
    "cleanup_old_messages": lambda store, *_: store.cleanup_old_messages(30, delete=True),
    "cleanup_due": lambda store, *_: store.cleanup_due(past_bytes=0),
    "count_messages": lambda store, *_: store.count_messages(
        topic="退款", since=1, within_ms_of=("refund", None), words="impatience"
    ),
    "open_tool_calls": lambda store, session, _: store.open_tool_calls(session),
    "save_snapshot": lambda store, session, _: store.save_snapshot(session, {"goal": "x"}, "x"),
    "latest_snapshot": lambda store, session, _: store.latest_snapshot(session),
    "list_snapshots": lambda store, session, _: store.list_snapshots(session),
    "experiences_for": lambda store, *_: store.experiences_for("refund", ["refund"]),
    "list_experiences": lambda store, *_: store.list_experiences(topic="refund"),
    "explain": lambda store, _, id: (store.record_uses(id, [("messages", id, {})]), store.explain(id)),
    "set_setting": lambda store, *_: store.set_setting("theme", "dark"),
    "conflicts": lambda store, *_: store.conflicts(),
    "stats": lambda store, *_: store.stats(),
    "import_chats": lambda store, *_: store.import_chats(json_file([turns("c", "one", "two")])),
    "import_chats again": lambda store, *_: [
        store.import_chats(json_file([turns("c", *texts)])) for texts in (["one"], ["one", "two", "three"])
    ],
    "export of a session": lambda store, session, _: (
        store.export_text("jsonl", session_id=session),
        store.export_text("markdown", session_id=session),
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_table_is_read_whole(filled: MemoryStore, name: str) -> None:
    session = filled.list_sessions()[0]
    assert session.current_message_id is not None
    with traced(filled) as seen:
        OPERATIONS[name](filled, session.id, session.current_message_id)
    run = statements(seen)
    assert run, "the operation ran no statement that could be looked at"
    for sql in run:
        assert scans(filled, sql) == set(), sql
        assert looped_lists(filled, sql) == [], sql


def test_a_later_sync_reads_no_table_whole(filled: MemoryStore, clock: SteppedClock) -> None:
    server = Server(clock)
    user = server.user()
    other = MemoryStore(":memory:", clock=clock)
    for store in (filled, other):
        server.sync(store, server.token(user))
    session = other.list_sessions()[0]
    other.add_message(session.id, "user", "said elsewhere")
    other.set_fact("task::1", "done elsewhere")
    other.forget(message_id=str(session.current_message_id))
    clock.advance(seconds=11)
    server.sync(other, server.token(user))
    filled.set_fact("task::2", "done here")
    token = server.token(user)
    with traced(filled) as seen:
        report = server.sync(filled, token)
    assert (report.pushed > 0, report.pulled > 2) == (True, True)
    for sql in statements(seen):
        assert scans(filled, sql) <= set(), sql


def test_a_scan_would_be_noticed(filled: MemoryStore) -> None:
    with traced(filled) as seen:
        filled.database.query("SELECT m.id FROM messages m WHERE m.intent = 'refund'")
        filled.database.query("SELECT id FROM facts WHERE value = 'x'")
        filled.database.query(
            "SELECT f.id FROM facts f CROSS JOIN json_each(?) j WHERE f.user_id = ? AND f.seq = j.value",
            ("[1]", filled.user_id),
        )
    assert [scans(filled, sql) for sql in statements(seen)] == [{"messages"}, {"facts"}, set()]
    assert [len(looped_lists(filled, sql)) for sql in statements(seen)] == [0, 0, 1]
