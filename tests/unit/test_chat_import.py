"""Other products' exports: every shape with its traps comes in right or is refused with a reason, twice adds
nothing, and what goes wrong leaves the memory as it was."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from py_memory import MemoryStore, browser
from py_memory.browser import look_into, read_chats
from py_memory.errors import (
    ImportRefusedError,
    InvalidInputError,
    PyMemoryError,
    StorageError,
    TooLargeError,
    UndoExpiredError,
)
from py_memory.formats import chat_job, shapes, sources
from py_memory.formats.chats import SKIPPED, time_of
from py_memory.formats.deep_json import depth_of
from py_memory.formats.entries_json import entry_from_json
from py_memory.formats.plain_list import why_no_list
from py_memory.formats.statements import listed, suggestions
from py_memory.recall import index
from py_memory.records import Message, Session
from py_memory.rows import messages as message_rows

from .exports import (
    AT,
    CHATBOT_UI,
    CLAUDE_MEMORIES,
    EXPORTS,
    GEMINI,
    chatgpt,
    chatgpt_message,
    claude,
    json_file,
    large_chatgpt,
    librechat_tree,
    said,
    turns,
    zipped,
)

if TYPE_CHECKING:
    from .conftest import SteppedClock

TABLES = ("sessions", "messages", "message_versions", "tool_calls", "facts", "events", "tombstones")


def dump(store: MemoryStore) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of what an import could touch."""
    return {
        table: sorted((tuple(row) for row in store.database.query(f"SELECT * FROM {table}")), key=repr)
        for table in TABLES
    }


def is_sound(store: MemoryStore) -> bool:
    with store.database.transaction():
        sound = index.is_sound(store.database)
    whole = store.database.query(
        "SELECT 1 FROM messages m LEFT JOIN messages p ON p.id = m.parent_id "
        "WHERE NOT EXISTS (SELECT 1 FROM message_versions v WHERE v.message_id = m.id) "
        "OR m.parent_id IS NOT NULL AND (p.session_id, p.created_at < m.created_at) IS NOT (m.session_id, 1)"
    )
    lost = store.database.query(
        "SELECT 1 FROM sessions WHERE current_message_id NOT IN (SELECT id FROM messages)"
    )
    return sound and not whole and not lost and store.database.integrity_check() == [] and store.verify().ok


def only_session(store: MemoryStore) -> Session:
    (session,) = store.list_sessions()
    return session


def on_screen(store: MemoryStore, session: Session | None = None) -> list[Message]:
    return store.get_recent_messages((session or only_session(store)).id, 10_000)


def texts(messages: list[Message]) -> list[str]:
    return [message.content for message in messages]


def waiting(store: MemoryStore) -> set[tuple[str, str]]:
    return {(fact.key, fact.value) for fact in store.list_facts(status="candidate")}


# -- every shape --

EXPECTED = {  # product, conversations, messages, suggestions
    "chatgpt": ("chatgpt", 2, 5, 0),
    "chatgpt wrapped": ("chatgpt", 1, 2, 0),
    "chatgpt alone": ("chatgpt", 1, 2, 0),
    "chatgpt zip": ("chatgpt", 1, 2, 0),
    "claude": ("claude", 1, 2, 0),
    "claude zip": ("claude", 1, 2, 3),
    "zip of zips": ("claude", 1, 1, 3),
    "claude memories": ("claude-memories", 0, 0, 3),
    "open webui": ("open-webui", 1, 3, 0),
    "librechat": ("librechat", 1, 3, 0),
    "librechat tree": ("librechat", 1, 300, 0),
    "chatbot ui": ("chatbot-ui", 2, 5, 0),  # two begin alike and have no ids: one, with two branches
    "gemini": ("gemini", 2, 4, 0),
    "pasted list": ("list", 0, 0, 4),
}


def test_every_export_has_its_expectation() -> None:
    assert EXPORTS.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPORTS)
def test_every_shape_is_looked_at_and_comes_in_once(store: MemoryStore, name: str) -> None:
    product, conversations, messages, facts = EXPECTED[name]
    empty = dump(store)
    seen = store.preview_import(EXPORTS[name]())
    assert dump(store) == empty
    assert seen["format"] == product
    assert seen["conversations"] == len(seen["chats"]) >= conversations
    assert seen["skipped"] == {}
    report = store.import_chats(EXPORTS[name]())
    assert report["format"] == product
    assert report["conversations"].get("added", 0) == conversations
    assert report["messages"].get("added", 0) == messages
    assert report["suggestions"].get("added", 0) == facts
    assert len(store.list_sessions()) == conversations
    assert store.list_facts() == []
    assert len(waiting(store)) == facts
    assert is_sound(store)
    once = dump(store)
    again = store.import_chats(EXPORTS[name]())
    assert dump(store) == once
    assert again["conversations"].get("added", 0) == again["messages"].get("added", 0) == 0
    assert again["operation_id"] is None


@pytest.mark.parametrize("name", EXPORTS)
def test_undoing_takes_all_of_it_back(store: MemoryStore, name: str) -> None:
    def rows() -> dict[str, Any]:
        return {table: rows for table, rows in dump(store).items() if table != "events"}

    empty = rows()
    report = store.import_chats(EXPORTS[name]())
    store.undo(report["operation_id"])
    assert rows() == empty
    assert is_sound(store)
    assert store.search("sail") == []
    again = store.import_chats(EXPORTS[name]())  # nothing of it counts as forgotten
    assert (again["conversations"], again["messages"]) == (report["conversations"], report["messages"])


def handed_over(
    store: MemoryStore, *files: Path, product: str = "x", how: str = "done", parts: int = 99
) -> dict[str, Any]:
    """The report of an import as the page makes it: one reads, another adds; `parts` come before it ends."""
    job = store.begin_import(product=product)
    read: list[tuple[int, int]] = []
    named = json.dumps([[str(file), file.name] for file in files])
    reader = read_chats(named, "{}", lambda done, total: read.append((done, total)))
    for _ in range(parts):
        part = json.loads(reader.next())["value"]
        job.add(map(entry_from_json, part["entries"]))
        if part["done"]:
            assert 0 < read[-1][0] <= read[-1][1]
            break
    job.finish(cancelled=how != "done")
    return job.report


@pytest.mark.parametrize("name", EXPORTS)
def test_a_page_reads_in_one_worker_and_adds_in_another(
    store: MemoryStore, clock: SteppedClock, tmp_path: Path, name: str
) -> None:
    (tmp_path / "export").write_bytes(EXPORTS[name]().getvalue())
    seen = json.loads(look_into(json.dumps([[str(tmp_path / "export"), "export"]]), lambda done, total: None))
    assert seen["value"]["format"] == EXPECTED[name][0]
    there = MemoryStore(":memory:", clock=clock)
    report = handed_over(there, tmp_path / "export", product=seen["value"]["format"])
    there_rows = dump(there)
    expected = store.import_chats(EXPORTS[name]())
    for part in ("conversations", "messages", "suggestions"):
        assert report[part] == expected[part]
    assert [row[0] for row in there_rows["sessions"]] == [row[0] for row in dump(store)["sessions"]]
    assert is_sound(there)


@pytest.mark.parametrize(
    "entry",
    [
        "[]",
        "{}",
        '{"kind": "chat"}',
        '{"kind": "statements", "source": "x", "texts": [1]}',
        '{"kind": "skipped", "title": null, "why": "because"}',
        '{"kind": "skipped", "title": null, "why": "empty", "more": 1}',
        '{"kind": "chat", "source": 5, "id": "a", "title": null, "created": null, "updated": null,'
        ' "messages": [], "current": null}',
        '{"kind": "chat", "source": "x", "id": "a", "title": null, "created": 1e300, "updated": null,'
        ' "messages": [], "current": null}',
    ],
)
def test_what_another_worker_read_is_checked(store: MemoryStore, entry: str) -> None:
    empty = dump(store)
    with pytest.raises(InvalidInputError):
        store.begin_import().add([entry_from_json(entry)])
    assert dump(store) == empty


# -- ChatGPT --


def tricky() -> dict[str, Any]:
    """Null times, ties, a tool's answer before its call, a missing link, hidden messages, two branches."""
    hidden = {"is_visually_hidden_from_conversation": True}
    code = {"content_type": "code", "language": "unknown", "text": "print(1)"}
    shown_code = {"content_type": "code", "language": "python", "text": "print(2)"}
    image = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "width": 9}
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Hm", "content": "Let me see"}]}
    profile = {
        "content_type": "user_editable_context",
        "user_profile": "The user wrote this about themselves:\nProfile:\n```Preferred name: Lin\n```",
        "user_instructions": "```Answers in Chinese```",
    }
    return chatgpt(
        "t1",
        {
            "root": (None, None),
            "sys": ("root", chatgpt_message("system", "", None)),
            "prof": (
                "sys",
                chatgpt_message("user", profile, None, metadata={"is_user_system_message": True}),
            ),
            "q": ("prof", chatgpt_message("user", "Run it \ue200cite\ue202turn0search1\ue201", AT)),
            "old": ("q", chatgpt_message("assistant", "First try", AT)),
            "think": ("q", chatgpt_message("assistant", thoughts, None)),
            "call": ("think", chatgpt_message("assistant", code, AT, recipient="python")),
            "out": (
                "call",
                chatgpt_message(
                    "tool", {"content_type": "execution_output", "text": "1"}, AT - 5, name="python"
                ),
            ),
            "a": (
                "out",
                chatgpt_message("assistant", "It says 1【3†source】", AT, metadata={"model_slug": "o9"}),
            ),
            "void": ("a", chatgpt_message("assistant", "", AT)),
            "hid": ("void", chatgpt_message("user", "never seen", AT, metadata=hidden)),
            "pic": (
                "hid",
                chatgpt_message("user", {"content_type": "multimodal_text", "parts": ["Look", image]}, None),
            ),
            "odd": ("pic", chatgpt_message("assistant", {"content_type": "hologram", "beams": [1, 2]}, None)),
            "end": ("odd", chatgpt_message("assistant", shown_code, None)),
        },
        title=None,
    )


def test_branches_times_and_hidden_messages(store: MemoryStore) -> None:
    store.import_chats(json_file([tricky()]))
    shown = on_screen(store)
    assert [(m.role, m.content) for m in shown] == [
        ("tool", shown[0].content),
        ("user", "Run it "),
        ("assistant", "It says 1"),
        ("user", "Look\n\n![](sediment://file_1)"),
        ("assistant", "[hologram]"),
        ("assistant", "```python\nprint(2)\n```"),
    ]
    assert "Preferred name: Lin" in shown[0].content
    times = [message.created_at for message in shown]
    assert times == sorted(set(times))
    assert (shown[0].created_at, shown[1].created_at) == (AT * 1000, AT * 1000 + 1)
    assert shown[2].metadata["time"] == AT * 1000  # as the file has it
    assert shown[2].metadata["model"] == "o9"
    assert shown[2].metadata["reasoning"] == "Hm\n\nLet me see"
    assert shown[3].metadata["attachments"] == [{"file": "sediment://file_1", "width": 9}]
    (call,) = store.list_tool_calls(only_session(store).id)
    assert (call.tool_name, call.input, call.output, call.status) == ("python", "print(1)", "1", "success")
    assert call.message_id == shown[2].id
    everything = store.list_messages(only_session(store).id)
    assert "First try" in texts(everything)
    assert "never seen" not in " ".join(texts(everything))
    (raw,) = store.database.query(
        "SELECT import_json, import_id, import_source FROM messages WHERE import_json > ''"
    )
    assert json.loads(raw["import_json"]) == {"content_type": "hologram", "beams": [1, 2]}
    assert (raw["import_source"], raw["import_id"]) == ("chatgpt", "odd")
    assert waiting(store) == {("user::name", "Lin"), ("user::note", "Answers in Chinese")}
    session = only_session(store)
    assert (session.title, session.status) == (None, "completed")
    assert (session.created_at, session.metadata["import"]) == (AT * 1000, {"source": "chatgpt", "id": "t1"})
    assert is_sound(store)


def links(*, current: str | None, children: bool = True, **parents: str | None) -> dict[str, Any]:
    messages = {
        id: (parent, chatgpt_message("user" if id[0] == "q" else "assistant", id, AT + place))
        for place, (id, parent) in enumerate(parents.items())
    }
    made = chatgpt("x", messages, children=children)
    return {**made, "current_node": current}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (links(current="a2", q1=None, a1="q1", a2="q1"), ["q1", "a2"]),
        (links(current="a1", q1=None, a1="q1", a2="q1"), ["q1", "a1"]),
        (links(current=None, q1=None, a1="q1", a2="q1"), ["q1", "a2"]),  # the newest end
        (links(current="gone", q1=None, a1="q1", a2="q1"), ["q1", "a2"]),
        (links(current="a1", children=False, q1=None, a1="q1"), ["q1", "a1"]),
        (links(current="a1", q1="a1", a1="q1"), ["q1", "a1"]),  # round in a circle
        (links(current="q1", q1="q1"), ["q1"]),
        (links(current="a1", q1="lost", a1="q1"), ["q1", "a1"]),
    ],
    ids=["last", "first", "null", "lost", "no children", "circle", "itself", "no parent"],
)
def test_the_branch_on_screen(store: MemoryStore, given: dict[str, Any], shown: list[str]) -> None:
    store.import_chats(json_file([given]))
    assert texts(on_screen(store)) == shown
    assert len(store.list_messages(only_session(store).id)) == len(given["mapping"])
    assert is_sound(store)


def test_a_link_is_taken_from_the_children_where_the_parent_is_missing(store: MemoryStore) -> None:
    chat = turns("x", "one", "two", "three")
    for node in chat["mapping"].values():
        del node["parent"]
    store.import_chats(json_file([chat]))
    assert texts(on_screen(store)) == ["one", "two", "three"]


def test_no_times_at_all(store: MemoryStore, clock: SteppedClock) -> None:
    chat = turns("x", "one", "two", "three")
    chat["create_time"] = chat["update_time"] = None
    for node in chat["mapping"].values():
        if node["message"]:
            node["message"]["create_time"] = None
    store.import_chats(json_file([chat]))
    assert texts(on_screen(store)) == ["one", "two", "three"]
    assert only_session(store).created_at == clock.now
    once = dump(store)
    clock.advance(days=1)
    store.import_chats(json_file([chat]))
    assert dump(store) == once


def remembering(**more: Any) -> dict[str, Any]:
    context = {"content_type": "model_editable_context", "model_set_context": "1. [2024-05-02]. Likes jazz."}
    return chatgpt(
        "bio",
        {
            "ctx": (None, chatgpt_message("system", context)),
            "q": ("ctx", chatgpt_message("user", "I cannot eat nuts", AT)),
            "w": (
                "q",
                chatgpt_message("assistant", "User is vegetarian.\nUser owns a boat", AT, recipient="bio"),
            ),
            "r": ("w", chatgpt_message("tool", "Model set context updated.", AT, name="bio")),
            "a": ("r", chatgpt_message("assistant", "Noted", AT)),
        },
        **more,
    )


def test_saved_memories_wait_for_a_yes_beside_their_message(store: MemoryStore) -> None:
    report = store.import_chats(json_file([remembering()]))
    assert report["suggestions"] == {"added": 3}
    assert store.list_facts() == []
    facts = {fact.value: fact for fact in store.list_facts(status="candidate")}
    assert facts.keys() == {"jazz", "vegetarian", "User owns a boat"}
    for fact in facts.values():
        assert fact.source_message_id is not None
        assert fact.quote in store.get_message(fact.source_message_id).content
        assert fact.imported_from == "chatgpt"
    assert "allerg" not in str(facts)  # nothing is read out of what was said
    confirmed = store.confirm_fact(facts["vegetarian"].id)
    assert confirmed.status == "current"
    assert not [f for f in store.health() if f.kind != "waiting"]


def test_what_was_answered_is_not_asked_again(store: MemoryStore, clock: SteppedClock) -> None:
    store.import_chats(json_file([remembering()]))
    facts = {fact.value: fact for fact in store.list_facts(status="candidate")}
    store.confirm_fact(facts["vegetarian"].id, value="vegan")
    store.reject_fact(facts["jazz"].id)
    clock.advance(days=1)
    before = dump(store)
    store.import_chats(json_file([remembering()]))
    assert dump(store) == before


def test_a_chat_that_was_not_to_be_remembered_teaches_nothing(store: MemoryStore) -> None:
    report = store.import_chats(json_file([remembering(is_do_not_remember=True)]))
    assert report["suggestions"] == {"private": 3}
    assert store.list_facts(status=None) == []
    assert only_session(store).metadata["do_not_remember"] is True


def test_saved_memories_can_be_left_out_and_come_later(store: MemoryStore) -> None:
    store.import_chats(json_file([remembering()]), memories=False)
    assert store.list_facts(status=None) == []
    assert store.import_chats(json_file([remembering()]))["suggestions"] == {"added": 3}


def test_fifty_shards(store: MemoryStore) -> None:
    shards = {f"conversations-{n:03}.json": [turns(f"c{n}", f"say {n}", "so")] for n in range(50)}
    shards["conversations-049.json"].append(turns("c0", "say 0", "so"))  # once more
    file = zipped({"dir/": b"", **shards})
    assert store.preview_import(file)["conversations"] == 51
    report = store.import_chats(file)
    assert report["conversations"] == {"added": 50, "known": 1}
    assert len(store.search("say", limit=100)) == 50
    assert store.import_chats(file)["conversations"] == {"known": 51}


def test_only_what_was_picked(store: MemoryStore) -> None:
    file = json_file([turns(f"c{n}", f"say {n}") for n in range(5)])
    ids = [chat["id"] for chat in store.preview_import(file)["chats"]]
    report = store.import_chats(file, only=ids[1:3])
    assert report["conversations"] == {"added": 2}
    assert {s.title for s in store.list_sessions()} == {"Chat c1", "Chat c2"}
    with pytest.raises(ImportRefusedError, match="Nothing"):
        store.import_chats(file, only=["no such"])
    assert store.import_chats(file)["conversations"] == {"added": 3, "known": 2}


def test_a_later_export_adds_what_is_new(store: MemoryStore) -> None:
    store.import_chats(json_file([turns("c", "one", "two")]))
    report = store.import_chats(json_file([turns("c", "one", "two", "three", "four")]))
    assert (report["conversations"], report["messages"]) == ({"updated": 1}, {"known": 2, "added": 2})
    assert texts(on_screen(store)) == ["one", "two", "three", "four"]
    store.undo(report["operation_id"])
    assert texts(on_screen(store)) == ["one", "two"]
    assert is_sound(store)


def test_who_went_on_here_stays_where_they_are(store: MemoryStore) -> None:
    store.import_chats(json_file([turns("c", "one", "two")]))
    session = only_session(store)
    store.add_message(session.id, "user", "mine")
    store.import_chats(json_file([turns("c", "one", "two", "three")]))
    assert texts(on_screen(store)) == ["one", "two", "mine"]
    assert "three" in texts(store.list_messages(session.id))
    assert store.get_session(session.id).status == "active"


def test_what_was_forgotten_stays_forgotten(store: MemoryStore, clock: SteppedClock) -> None:
    export = json_file([turns("c", "one", "two", "three", "four"), turns("d", "other")])
    store.import_chats(export)
    by_title = {session.title: session.id for session in store.list_sessions()}
    (two,) = [m for m in store.list_messages(by_title["Chat c"]) if m.content == "two"]
    store.forget(message_id=two.id)
    store.delete_session(by_title["Chat d"])
    clock.advance(days=1)
    before = dump(store)
    report = store.import_chats(export)
    assert dump(store) == before
    assert report["messages"] == {"known": 3, "forgotten": 1}
    assert report["skipped"] == [{"title": "Chat d", "id": "d", "why": "forgotten"}]


def test_two_users_of_one_file_do_not_meet(tmp_path: Path, clock: SteppedClock) -> None:
    ann = MemoryStore(tmp_path / "m.db", user_id="ann", clock=clock)
    bob = MemoryStore(tmp_path / "m.db", user_id="bob", clock=clock)
    for store in (ann, bob, bob, ann):
        store.import_chats(json_file([turns("c", "one", "two")]))
    assert [len(store.list_sessions()) for store in (ann, bob)] == [1, 1]
    assert [len(on_screen(store)) for store in (ann, bob)] == [2, 2]
    assert only_session(ann).id != only_session(bob).id


# -- Claude --


def test_blocks_of_claude(store: MemoryStore) -> None:
    blocks = [
        {"type": "thinking", "thinking": "Search first"},
        {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "tides"}},
        {"type": "tool_use", "id": "t2", "name": "run", "input": {}},
        {"type": "tool_result", "tool_use_id": "t2", "name": "run", "content": "boom", "is_error": True},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "high"}]},
        {"type": "text", "text": "High tide.", "citations": [{"details": {"url": "https://x.org"}}]},
        {"type": "voice_note", "seconds": 3},
    ]
    paste = {"attachments": [{"file_name": "", "file_type": "txt", "extracted_content": "a big paste"}]}
    file = {"files": [{"file_name": "boat.png"}], **said("See")}
    chat = claude("k", paste, {"text": "High tide.", "content": blocks}, file, said("Nice"), name="")
    store.import_chats(json_file([chat]))
    shown = on_screen(store)
    assert texts(shown) == ["a big paste", "High tide.", "See\n\n[boat.png]", "Nice"]
    assert len({message.created_at for message in shown}) == 4  # ties in the file
    assert shown[1].metadata["reasoning"] == "Search first"
    assert shown[1].metadata["sources"] == [{"url": "https://x.org", "title": ""}]
    calls = {call.tool_name: call for call in store.list_tool_calls(only_session(store).id)}
    assert (calls["web_search"].output, calls["web_search"].status) == ("high", "success")
    assert (calls["run"].output, calls["run"].status) == ("boom", "failed")
    assert only_session(store).title is None
    (raw,) = store.database.query("SELECT import_json AS raw FROM messages WHERE import_json > ''")
    assert json.loads(raw["raw"]) == [{"type": "voice_note", "seconds": 3}]


def test_what_is_nested_too_deeply_is_left_out_alone(store: MemoryStore, tmp_path: Path) -> None:
    deep: Any = "deep"
    for _ in range(400):
        deep = [deep]
    blocks = [{"type": "tool_use", "id": "t", "name": "dig", "input": deep}, {"type": "odd", "in": deep}]
    file = json_file([claude("k", said("Dig"), {"text": "Done", "content": blocks})])
    (tmp_path / "export").write_bytes(file.getvalue())
    assert handed_over(store, tmp_path / "export")["messages"] == {"added": 2}
    assert store.import_chats(file)["messages"] == {"known": 2}
    (call,) = store.list_tool_calls(only_session(store).id)
    assert call.tool_name == "dig"
    assert 50 < depth_of(call.input, 100) < 100


def test_branches_of_claude(store: MemoryStore) -> None:
    root = "00000000-0000-4000-8000-000000000000"
    parents = [root, "k-0", "k-0", "k-2"]
    messages = [{**said(f"m{n}"), "parent_message_uuid": parent} for n, parent in enumerate(parents)]
    messages[2]["sender"] = "assistant"
    messages[3]["sender"] = "human"
    store.import_chats(json_file([claude("k", *messages)]))
    assert texts(on_screen(store)) == ["m0", "m2", "m3"]
    assert len(store.list_messages(only_session(store).id)) == 4


def test_memories_of_claude(store: MemoryStore) -> None:
    store.import_chats(json_file(CLAUDE_MEMORIES))
    assert waiting(store) == {
        ("user::job", "nurse"),
        ("user::diet", "vegetarian"),
        ("user::note", "Building a boat in the garage."),
    }
    assert {fact.imported_from for fact in store.list_facts(status="candidate")} == {"claude"}


# -- the others --


def test_open_webui_reasoning_leaves_the_text(store: MemoryStore) -> None:
    store.import_chats(EXPORTS["open webui"]())
    asked, answer = on_screen(store)
    assert (asked.content, answer.content) == ("Why?", "Because &amp;.")
    assert (answer.metadata["reasoning"], answer.metadata["model"]) == ("2 < 3", "llama")


def test_librechat_branches(store: MemoryStore) -> None:
    store.import_chats(EXPORTS["librechat"]())
    assert texts(on_screen(store)) == ["Hi", "Hello again"]
    assert [m.role for m in store.list_messages(only_session(store).id)] == ["user", "assistant", "assistant"]


def test_a_tree_of_thousands_is_one_conversation(store: MemoryStore) -> None:
    store.import_chats(io.BytesIO(librechat_tree("deep", 4000).encode()))
    assert texts(on_screen(store)) == [f"line {n}" for n in range(4000)]


def test_a_deep_conversation_may_be_broken_anywhere(store: MemoryStore) -> None:
    deep = "[" * 9000 + "]" * 9000
    tree = librechat_tree("l", 2000)
    for source in (
        tree.replace('"title": "Deep"', f'"title": {deep}', 1),
        tree.replace('"text": "line 1000"', f'"text": {deep}', 1),
        tree[:-1] + f', "more": {deep}}}',
        tree[:-1] + ', "more": nul}',
        f'{{"conversationId": "m", "messages": [{{"messageId": "a", "text": "hi"}}], {tree[1:]}',
        f"[{tree}, {deep}]",
    ):
        with contextlib.suppress(ImportRefusedError):
            store.import_chats(io.BytesIO(source.encode()))
        assert is_sound(store)


def test_too_deep_is_left_out_with_a_reason(store: MemoryStore) -> None:
    file = io.BytesIO(f"[{librechat_tree('l', 3)}, {librechat_tree('m', 11_000)}]".encode())
    report = store.import_chats(file)
    assert report["conversations"] == {"added": 1, "skipped": 1}
    assert report["skipped"] == [{"title": None, "id": None, "why": "too_deep"}]


def test_chatbot_ui_goes_on_without_ids(store: MemoryStore) -> None:
    store.import_chats(json_file(CHATBOT_UI))
    longer = json.loads(json.dumps(CHATBOT_UI))
    longer["history"][0]["messages"].append({"role": "user", "content": "Thanks"})
    report = store.import_chats(json_file(longer))
    assert report["messages"]["added"] == 1
    (tea,) = [session for session in store.list_sessions() if session.title == "Tea"]
    assert texts(on_screen(store, tea)) == ["Green or black?", "Green.", "Thanks"]


def test_gemini_days(store: MemoryStore) -> None:
    store.import_chats(json_file(GEMINI))
    days = {session.title: texts(on_screen(store, session)) for session in store.list_sessions()}
    assert days == {
        "Gemini 2025-05-02": ["What is a fjord?", "An inlet & more.\n- deep"],
        "Gemini 2025-05-01": ["Before that", "Hello"],
    }


def test_activities_of_other_products_are_refused(store: MemoryStore) -> None:
    with pytest.raises(ImportRefusedError, match="no export that this program knows"):
        store.import_chats(json_file(GEMINI[3:]))


# -- statements --


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("The user's name is Lin.", {("user::name", "Lin")}),
        ("Lives in Berlin. Works as a nurse.", {("user::home", "Berlin"), ("user::job", "nurse")}),
        ("用户是素食者", {("user::diet", "素食者")}),
        ("Lin is a backend engineer", {("user::note", "Lin is a backend engineer")}),
        ("User's wifi password is hunter22!", set()),
        ("", set()),
    ],
)
def test_what_a_statement_says(statement: str, found: set[tuple[str, str]]) -> None:
    assert {(item["key"], item["value"]) for item in suggestions(statement)} == found


def test_a_long_statement_is_parted_and_never_cut() -> None:
    statement = "User is planning a trip to Japan with two children, " * 5 + "and wants to see Kyoto"
    found = suggestions(statement)
    assert all(len(item["value"]) <= 100 for item in found)
    assert " ".join(item["value"] for item in found).split() == statement.split()


def test_lists_without_their_marks() -> None:
    text = "# Me\n1. [2024-05-02]. One\n- **Two**: b\n> * three\n---\nWork:\n**Heading**\n- [x] four\n5) five"
    assert listed(text) == ["One", "Two: b", "three", "four", "five"]


def test_no_more_than_a_person_can_answer(store: MemoryStore) -> None:
    lines = "\n".join(f"- Thing number {n} matters" for n in range(600))
    report = store.import_chats(io.BytesIO(lines.encode()))
    assert report["suggestions"] == {"added": 500, "too_many": 100}


# -- what is refused --

REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "spaces": (b" \n", "is empty"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0", "a picture"),
    "a PDF": (b"%PDF-1.7\n", "a PDF"),
    "gzip": (b"\x1f\x8b\x08\0", "gzip"),
    "UTF-16": ("[1]".encode("utf-16"), "UTF-16"),
    "a web page": (b"<!DOCTYPE html><html></html>", "web page"),
    "bytes": (bytes(range(256)), "neither JSON nor a zip"),
    "Latin-1": ("caf\xe9 ".encode("latin-1") * 9, "neither JSON nor a zip"),
    "another JSON": (b'{"a": 1}', "no export that this program knows"),
    "numbers": (b"[1, 2, 3]", "no export that this program knows"),
    "an empty list": (b"[]", "no export that this program knows"),
    "an empty zip": (zipped({}).getvalue(), "holds no chats"),
    "a zip of pictures": (zipped({"a.png": b"\x89PNG\0"}).getvalue(), "holds no chats"),
    "half a zip": (EXPORTS["chatgpt zip"]().getvalue()[:700], "could not be read"),
    "half a file": (json_file([turns("c", "x" * 900)]).getvalue()[:-500], "damaged at byte"),
    "two lists": (json_file([turns("c", "x")]).getvalue() * 2, "more follows"),
    "only empty chats": (json_file([turns("c"), turns("d")]).getvalue(), r"Nothing .*\(empty\)"),
    "only broken chats": (b'[{"mapping": nul}, {"mapping": {}}]', "Nothing|no export"),
    "a memory in lines": (b'{"py_memory": 1, "schema": 4}\n', "import_file"),
}


def test_a_page_can_stop_between_two_parts(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(browser, "PART_CHARACTERS", 1)
    file = tmp_path / "export.json"
    file.write_bytes(json_file([turns("c", "one"), turns("d", "two"), turns("e", "three")]).getvalue())
    empty = [store.list_sessions(), store.search("one")]
    report = handed_over(store, file, how="cancelled", parts=2)
    assert (report["cancelled"], report["conversations"]) == (True, {"added": 2})
    store.undo(report["operation_id"])
    assert [store.list_sessions(), store.search("one")] == empty
    assert handed_over(store, file)["conversations"] == {"added": 3}
    assert handed_over(store, file)["operation_id"] is None


def test_files_that_are_chosen_together_are_one_import(store: MemoryStore, tmp_path: Path) -> None:
    contents = {
        "000.json": json_file([turns("c", "one")]).getvalue(),
        "001.json": json_file([turns("d", "two")]).getvalue(),
        "a.png": b"\x89PNG",
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    files = [[str(tmp_path / name), name] for name in contents]
    seen = json.loads(look_into(json.dumps(files), lambda done, total: None))["value"]
    assert (seen["conversations"], seen["ignored"]) == (2, ["a.png"])
    assert handed_over(store, *(tmp_path / name for name in contents))["conversations"] == {"added": 2}
    wrong = json.loads(look_into(json.dumps(files[2:] * 2), lambda done, total: None))
    assert wrong["error"]["code"] == "import_picture"


CODES = {
    "empty": "import_empty",
    "a web page": "import_web_page",
    "bytes": "import_binary",
    "another JSON": "import_unknown",
    "an empty zip": "import_no_chats",
    "half a zip": "import_damaged",
    "half a file": "import_damaged",
}


@pytest.mark.parametrize("name", CODES)
def test_a_page_has_its_own_sentence_for_what_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "export").write_bytes(REFUSED[name][0])
    seen = json.loads(look_into(json.dumps([[str(tmp_path / "export"), "export"]]), lambda done, total: None))
    assert seen["error"]["code"] == CODES[name]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_with_a_reason(store: MemoryStore, name: str) -> None:
    data, why = REFUSED[name]
    store.add_message(store.create_session().id, "user", "here before")
    before = dump(store)
    with pytest.raises(ImportRefusedError, match=why):
        store.import_chats(io.BytesIO(data), name="export")
    assert dump(store) == before


def test_wrong_arguments(store: MemoryStore, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError):
        store.import_chats(5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        store.import_chats(io.StringIO("[]"))  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        store.import_chats(EXPORTS["chatgpt"](), only=5)  # type: ignore[arg-type]
    with pytest.raises(StorageError):
        store.preview_import(tmp_path / "missing.json")
    with pytest.raises(StorageError):
        store.preview_import(tmp_path)


def test_a_locked_zip_is_refused(store: MemoryStore) -> None:
    data = bytearray(EXPORTS["chatgpt zip"]().getvalue())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        starts = [info.header_offset for info in archive.infolist()]
    for start in starts:
        data[start + 6] |= 1
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 1)
    with pytest.raises(ImportRefusedError, match="password"):
        store.preview_import(io.BytesIO(data))


def test_zips_have_limits(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_UNPACKED_BYTES", 100)
    with pytest.raises(TooLargeError):
        store.preview_import(EXPORTS["chatgpt zip"]())
    monkeypatch.setattr(sources, "MAX_MEMBERS", 3)
    with pytest.raises(TooLargeError, match="files"):
        store.preview_import(EXPORTS["chatgpt zip"]())


def test_a_member_that_is_damaged_refuses_the_zip(store: MemoryStore) -> None:
    data = bytearray(zipped({"conversations.json": [turns(f"c{n}", "x") for n in range(90)]}).getvalue())
    data[len(data) // 2] ^= 0x55
    with pytest.raises(ImportRefusedError):
        store.import_chats(io.BytesIO(data))
    assert store.list_sessions() == []


def test_one_broken_conversation_does_not_cost_the_others(store: MemoryStore) -> None:
    good, bad = turns("c", "fine"), {"id": "b", "title": "Bad", "mapping": {"m": 5, "n": {"message": [1]}}}
    source = json.dumps([bad, good, None, 7])[:-1] + ', {"mapping": nul}]'
    report = store.import_chats(io.BytesIO(source.encode()))
    assert report["conversations"] == {"added": 1, "skipped": 4}
    assert Counter(item["why"] for item in report["skipped"]) == {"empty": 1, "malformed": 3}
    assert all(item["why"] in SKIPPED for item in report["skipped"])


def test_texts_are_cleaned_and_bounded(store: MemoryStore) -> None:
    chat = turns("c", "a\0b \ud800", "y" * (3 << 20))
    chat["title"] = "T\0" + "t" * 500
    report = store.import_chats(io.BytesIO(json.dumps([chat]).encode()))
    first, second = on_screen(store)
    assert first.content == "a\ufffdb \ufffd"
    assert (len(second.content), second.metadata["shortened_from"]) == (1 << 20, 3 << 20)
    assert report["messages"] == {"added": 2, "shortened": 1}
    assert len(only_session(store).title or "") == 200


def test_secrets_in_messages_are_marked(store: MemoryStore) -> None:
    store.import_chats(json_file([turns("c", "my password is hunter22!", "ok")]))
    assert [message.has_secret for message in on_screen(store)] == [True, False]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (AT, AT * 1000),
        (AT + 0.25, AT * 1000 + 250),
        (AT * 1000, AT * 1000),
        (AT * 10**9, AT * 1000),
        ("2023-11-14T22:13:20Z", AT * 1000),
        ("2023-11-14T22:13:20", AT * 1000),
        ("2023-11-15T06:13:20.123456789+08:00", AT * 1000 + 123),
        (0, None),
        (-5, None),
        (10**400, None),
        (True, None),
        (None, None),
        ("yesterday", None),
        ([], None),
    ],
)
def test_times(given: object, expected: int | None) -> None:
    assert time_of(given) == expected


# -- stopping, failing, going on --


@pytest.fixture
def sliced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are treated like large ones."""
    monkeypatch.setattr(chat_job, "ONE_TRANSACTION_BYTES", 0)
    monkeypatch.setattr(chat_job, "BATCH_CHARACTERS", 1)


def many(conversations: int = 40, characters: int = 2_000) -> io.BytesIO:
    return io.BytesIO(b"".join(large_chatgpt(conversations, characters)))


def test_a_small_import_that_is_stopped_leaves_nothing(store: MemoryStore) -> None:
    empty = dump(store)
    told: list[int] = []
    report = store.import_chats(
        many(), progress=lambda p: told.append(p["conversations"]), cancel=lambda: len(told) >= 7
    )
    assert report["cancelled"] is True
    assert report["conversations"] == {}
    assert told == [1, 2, 3, 4, 5, 6, 7]
    assert dump(store) == empty


@pytest.mark.usefixtures("sliced")
def test_a_large_import_that_is_stopped_leaves_whole_conversations(store: MemoryStore) -> None:
    told: list[int] = []
    report = store.import_chats(
        many(), progress=lambda p: told.append(p["conversations"]), cancel=lambda: len(told) >= 7
    )
    assert (report["cancelled"], report["conversations"]) == (True, {"added": 7})
    assert [len(on_screen(store, session)) for session in store.list_sessions()] == [2] * 7
    assert is_sound(store)
    store.undo(report["operation_id"])
    assert store.list_sessions() == []
    assert is_sound(store)


@pytest.mark.usefixtures("sliced")
def test_a_large_import_is_one_operation_too(store: MemoryStore, clock: SteppedClock) -> None:
    progress: list[int] = []

    def tell(figures: Any) -> None:
        progress.append(figures["bytes"])
        clock.advance(seconds=3)  # longer than anything can be undone
        assert figures["total_bytes"] == many().getbuffer().nbytes

    report = store.import_chats(many(), progress=tell)
    assert report["conversations"] == {"added": 40}
    assert progress == sorted(progress)
    assert store.database.transactions > 40
    store.undo(report["operation_id"])
    assert store.list_sessions() == []
    with pytest.raises(UndoExpiredError):
        store.undo(report["operation_id"])


@pytest.mark.usefixtures("sliced")
def test_a_damaged_end_is_found_before_anything_is_added(store: MemoryStore) -> None:
    before = dump(store)
    with pytest.raises(ImportRefusedError, match="damaged at byte"):
        store.import_chats(io.BytesIO(many().getvalue()[:-1]))
    assert dump(store) == before


@pytest.mark.usefixtures("sliced")
def test_what_fails_in_the_middle_leaves_whole_conversations(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = message_rows.insert_version
    calls = iter(range(1_000_000))

    def failing(*args: Any, **kwargs: Any) -> None:
        if next(calls) == 25:  # in the middle of a conversation
            raise StorageError("no space is left")
        insert(*args, **kwargs)

    monkeypatch.setattr(message_rows, "insert_version", failing)
    with pytest.raises(StorageError):
        store.import_chats(many())
    monkeypatch.undo()
    sessions = store.list_sessions(limit=100)
    assert 0 < len(sessions) <= 12
    assert all(len(on_screen(store, session)) == 2 for session in sessions)
    assert is_sound(store)
    report = store.import_chats(many())  # and once more brings the rest
    assert report["conversations"] == {"known": len(sessions), "added": 40 - len(sessions)}


# Prints how many bytes the process grew by at most while it looked into a file, and what it found.
LOOK = """
import json, resource, sys
from py_memory import MemoryStore, browser
from py_memory.formats import chat_job
unit = 1 if sys.platform == "darwin" else 1024
store = MemoryStore(":memory:")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = store.preview_import(sys.argv[1])
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([grown * unit, found["conversations"], found["messages"], found["chats"][-1]["id"]]))
"""


@pytest.mark.cpython
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell a process's largest size this way")
def test_two_hundred_megabytes_are_read_as_a_stream(store: MemoryStore, tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        for piece in large_chatgpt(130, 1_000_000):
            file.write(piece)
    assert (tmp_path / "large.json").stat().st_size > 200_000_000
    run = [sys.executable, "-c", LOOK, str(tmp_path / "large.json")]
    told = subprocess.run(run, check=True, capture_output=True, cwd=Path(__file__).parents[2]).stdout
    grown, conversations, messages, last = json.loads(told)
    assert (conversations, messages) == (130, 260)
    assert grown < 60_000_000
    report = store.import_chats(tmp_path / "large.json", only=[last])
    assert report["conversations"] == {"added": 1}
    assert len(store.search("question 129")) == 1


# -- damage --

SOURCES = {name: EXPORTS[name]().getvalue() for name in EXPORTS if name != "librechat tree"}


def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(out) - 1))
        way = draw(st.sampled_from(["byte", "cut", "drop", "insert"]))
        if way == "byte":
            out[at] = draw(st.integers(0, 255))
        elif way == "cut" and at:
            del out[at:]
        elif way == "drop" and len(out) > 9:
            del out[at : at + draw(st.integers(1, 8))]
        else:
            out[at:at] = draw(
                st.sampled_from([b"null", b'"', b"[", b"}", b",", b"1e999", b'"\\ud800"', b"{}", b"\0"])
            )
        if not out:
            out = bytearray(b"[")
    return bytes(out)


damage = st.composite(damaged)


@pytest.mark.parametrize("name", SOURCES)
@settings(max_examples=25)
@given(data=st.data())
def test_damage_never_breaks_the_memory(name: str, data: st.DataObject) -> None:
    broken = data.draw(damage(SOURCES[name]))
    store = MemoryStore(":memory:")
    store.add_message(store.create_session("Mine").id, "user", "here before")
    before = dump(store)
    try:
        report = store.import_chats(io.BytesIO(broken))
    except PyMemoryError:
        assert dump(store) == before
    else:
        assert report["conversations"] or report["suggestions"]
        assert is_sound(store)
        once = dump(store)
        store.import_chats(io.BytesIO(broken))
        assert dump(store) == once
    store.close()


def test_the_readers_are_those_of_the_exports() -> None:
    assert {product for product, *_ in EXPECTED.values()} == {*shapes._READERS, shapes.GEMINI, shapes.PASTED}


def test_entries_are_made_one_at_a_time() -> None:
    """The first conversation is there before the second has been read."""
    read: list[int] = []

    class Pieces(io.RawIOBase):
        def __init__(self, pieces: Iterator[bytes]) -> None:
            self.pieces = pieces

        def read(self, size: int = -1) -> bytes:
            piece = next(self.pieces, b"")
            read.append(len(piece))
            return piece

    member = sources.Member("m", 0, "json", b"[", lambda: Pieces(large_chatgpt(50, 1000)))  # type: ignore[arg-type,return-value]
    entries = shapes.entries(member, shapes.Shape("chatgpt", ""))
    next(entries)
    assert len(read) <= 4
    assert sum(1 for _ in entries) == 49


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import asyncio\n\n\nasync def main():\n    await asyncio.sleep(1)\n", "source code"),
        ("null", "a single JSON value"),
        (' "x"\n', "a single JSON value"),
        ("1e400", "a single JSON value"),
        ("const a = 1;\nfunction b() {\n  return a;\n}\n", "source code"),
        ("CREATE TABLE a (\n  b TEXT\n);\nCREATE INDEX c ON a (b);\n", "source code"),
        ("# A program\n\nRun it:\n\n```sh\nmake\n```\n\nor\n\n```python\nmake()\n```\n", "running text"),
        (
            "It was the last evening of a long summer, and nobody in the old house by the\nsea had thought "
            "of leaving before the others had said that the boats were in the\nharbour and it was late.\n",
            "running text",
        ),
    ],
)
def test_what_is_no_list_is_refused_with_the_reason(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    store = MemoryStore(":memory:")
    with pytest.raises(ImportRefusedError, match=what):
        store.import_chats(path)
    assert store.list_facts(status=None) == []


@pytest.mark.parametrize(
    "text",
    [
        "- likes jazz\n- has a dog (Rex)\n",
        "喜欢爵士乐。\n有一只狗。\n",
        "# About me\n\n1. My budget = 500\n2. I import coffee from Kenya\n",
        "```\nUser is vegetarian.\nUser's daughter Mei is 6.\n```\n",
        "I live in Oslo with my two daughters, a dog and a very old tortoise that came with the house\n"
        "My favourite season is winter, for the snow and for the skiing in the forest behind our house\n",
    ],
)
def test_lists_in_many_hands(text: str) -> None:
    assert why_no_list(text) is None


@pytest.mark.cpython
def test_an_import_goes_on_where_the_memory_was_opened_anew(tmp_path: Path) -> None:
    """As in the page, when the file is written anew between two parts."""
    export = tmp_path / "export.json"
    export.write_bytes(json_file([turns(f"c{n}", f"told {n}", f"answered {n}") for n in range(3)]).getvalue())
    reader = read_chats(json.dumps([[str(export), "export.json"]]), "{}", lambda done, total: None)
    chats = [entry_from_json(entry) for entry in json.loads(reader.next())["value"]["entries"]]
    first = MemoryStore(tmp_path / "memory.db")
    job = first.begin_import(product="chatgpt")
    job.add(chats[:2])
    first.close()
    second = MemoryStore(tmp_path / "memory.db")
    job.go_on_in(second.begin_import())
    assert job.add(chats[1:]) == {"conversations": 4, "messages": 6}
    job.finish()
    assert job.report["conversations"] == {"added": 3, "known": 1}
    assert len(job.report["sessions"]) == second.stats()["sessions"] == 3
    second.undo(job.report["operation_id"])
    assert second.stats()["messages"] == 0
