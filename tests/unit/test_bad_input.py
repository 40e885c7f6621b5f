"""Values that cannot be stored: every one is refused with an error of this package, and nothing is lost."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from py_memory import ChatAgent, ConflictError, InvalidInputError, MemoryStore, OfflineAssistant
from py_memory.checks import MAX_TIME, json_text, read_json
from py_memory.errors import PyMemoryError, StorageError
from tests.unit.support import run

SURROGATE = "half \ud83d a character"


def changes(store: MemoryStore) -> int:
    return store.database.total_changes


# Pyodide cannot even free a list that is much deeper.
DEEP = 500 if sys.platform == "emscripten" else 100_000


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def said(store: MemoryStore) -> str:
    """The id of a message that was there before."""
    return store.list_messages(store.list_sessions()[0].id)[0].id


BAD: dict[str, Callable[[MemoryStore, str], Any]] = {
    "boolean id": lambda store, session: store.create_session(id=True),  # type: ignore[arg-type]
    "empty id": lambda store, session: store.add_message(session, "user", "x", id=""),
    "long id": lambda store, session: store.add_message(session, "user", "x", id="x" * 101),
    "id with a line break": lambda store, session: store.add_tool_call(session, "t", {}, id="a\nb"),
    "surrogate id": lambda store, session: store.create_session(id=SURROGATE),
    "content": lambda store, session: store.add_message(session, "user", 5),  # type: ignore[arg-type]
    "no content": lambda store, session: store.add_message(session, "user", None),  # type: ignore[arg-type]
    "metadata": lambda store, session: store.create_session(metadata=[1]),  # type: ignore[arg-type]
    "infinite metadata": lambda store, session: store.create_session(metadata={"x": float("inf")}),
    "metadata no JSON": lambda store, session: store.create_session(metadata={"x": {1, 2}}),
    "title": lambda store, session: store.rename_session(session, 5),  # type: ignore[arg-type]
    "speaker": lambda store, session: store.add_message(session, "user", "x", speaker="x" * 201),
    "negative limit": lambda store, session: store.list_sessions(limit=-1),
    "negative recall": lambda store, session: store.recall("x", limit=-1),
    "negative search": lambda store, session: store.search("x", limit=-1),
    "boolean limit": lambda store, session: store.list_messages(session, limit=True),
    "limit": lambda store, session: store.list_facts(limit=1.5),  # type: ignore[arg-type]
    "time": lambda store, session: store.list_sessions(before=float("nan")),  # type: ignore[arg-type]
    "far time": lambda store, session: store.search("x", since=MAX_TIME + 1),
    "key": lambda store, session: store.set_fact(5, "x"),  # type: ignore[arg-type]
    "key of two lines": lambda store, session: store.set_fact("user::a\nb", "x"),
    "value": lambda store, session: store.set_fact("user::diet", 5),  # type: ignore[arg-type]
    "confidence": lambda store, session: store.set_fact("user::diet", "x", confidence=float("nan")),
    "unknown detail": lambda store, session: store.set_fact("user::diet", "x", colour="red"),
    "detail": lambda store, session: store.set_fact("user::diet", "x", expires_at="soon"),
    "category": lambda store, session: store.set_fact("user::diet", "x", category="no such"),
    "setting": lambda store, session: store.set_setting("x", float("nan")),
    "setting no JSON": lambda store, session: store.set_setting("x", object()),
    "days": lambda store, session: store.cleanup_old_messages(float("inf")),  # type: ignore[arg-type]
    "no days": lambda store, session: store.cleanup_old_messages(True),
    "half days": lambda store, session: store.cleanup_old_messages(1.5, delete=True),  # type: ignore[arg-type]
    "days of an offer": lambda store, session: store.cleanup_due(0),
    "bytes of an offer": lambda store, session: store.cleanup_due(past_bytes=-1),
    "topic": lambda store, session: store.count_messages(topic=5),  # type: ignore[arg-type]
    "empty topic": lambda store, session: store.count_messages(topic=" "),
    "no topics": lambda store, session: store.count_messages(topic=[]),
    "word list": lambda store, session: store.count_messages(words="joy"),
    "words": lambda store, session: store.count_messages(words=["x", 5]),  # type: ignore[list-item]
    "call": lambda store, session: store.count_messages(within_ms_of="refund"),
    "time around a call": lambda store, session: store.count_messages(within_ms_of=("refund", "failed", -1)),
    "call by number": lambda store, session: store.count_messages(within_ms_of=(1, 2)),
    "period": lambda store, session: store.count_messages(since="yesterday"),  # type: ignore[arg-type]
    "role": lambda store, session: store.count_messages(role="tool"),
    "feedback of a count": lambda store, session: store.count_messages(feedback=5),
    "intent of a count": lambda store, session: store.count_messages(intent=5),  # type: ignore[arg-type]
    "count in no session": lambda store, session: store.count_messages(session_id="none"),
    "tool input": lambda store, session: store.add_tool_call(session, "t", object()),
    "validation": lambda store, session: store.update_tool_call(
        store.list_tool_calls(session)[0].id, "proposed", validation={"state": 5}
    ),
    "state": lambda store, session: store.save_snapshot(session, SURROGATE, "x"),  # type: ignore[arg-type]
    "state no JSON": lambda store, session: store.save_snapshot(
        session, {"calls": [{"tool": "t", "params": {1, 2}}]}, "x"
    ),
    "deep state": lambda store, session: store.save_snapshot(
        session, {"calls": [{"tool": "t", "params": nested(200)}]}, "x"
    ),
    "snapshot of nothing": lambda store, session: store.save_snapshot(2**70, {}, "x"),  # type: ignore[arg-type]
    "resume": lambda store, session: store.resume_session(SURROGATE),
    "explain": lambda store, session: store.explain(5),  # type: ignore[arg-type]
    "prompt": lambda store, session: store.inspect_prompt(SURROGATE),
    "branch": lambda store, session: store.show_branch([1]),  # type: ignore[arg-type]
    "alternatives": lambda store, session: store.alternatives("a\0b"),
    "beside": lambda store, session: store.add_message(session, "user", "x", beside="none"),
    "experience": lambda store, session: store.propose_experience("t", 5),  # type: ignore[arg-type]
    "experience NUL": lambda store, session: store.confirm_experience("a\0b"),
    "experience limit": lambda store, session: store.experiences_for("x", limit=-1),
    "outcome": lambda store, session: store.count_outcome("x", "yes"),  # type: ignore[arg-type]
    "forget": lambda store, session: store.forget(text=5),  # type: ignore[arg-type]
    "object as id": lambda store, session: store.get_session([1]),  # type: ignore[arg-type]
    "large number": lambda store, session: store.get_message(2**70),  # type: ignore[arg-type]
    "surrogate where nothing is": lambda store, session: store.get_message(SURROGATE),
    "task node": lambda store, session: store.task_node(session, "lunch"),
    "no task node": lambda store, session: store.task_node(session, None),  # type: ignore[arg-type]
    "node of no session": lambda store, session: store.task_node("none", "confirmed"),
    "level": lambda store, session: store.list_summaries(session, level=0),
    "overview": lambda store, session: store.load_overview(session, limit=-1),
    "working set": lambda store, session: store.working_set([session]),  # type: ignore[arg-type]
    "experience of half a character": lambda store, session: store.propose_experience("t", {}),  # type: ignore[arg-type]
    "recall": lambda store, session: store.recall(None),  # type: ignore[arg-type]
    "recall of numbers": lambda store, session: store.recall([1]),  # type: ignore[list-item]
    "messages": lambda store, session: store.add_messages(5),  # type: ignore[arg-type]
    "message": lambda store, session: store.add_messages([5]),  # type: ignore[list-item]
    "message of another kind": lambda store, session: store.add_messages(
        [{"session_id": session, "role": "user", "content": "x", "colour": 1}]
    ),
    "message without content": lambda store, session: store.add_messages(
        [{"session_id": session, "role": "user"}]
    ),
    "uses": lambda store, session: store.record_uses(said(store), 5),  # type: ignore[arg-type]
    "use": lambda store, session: store.record_uses(said(store), [5]),  # type: ignore[list-item]
    "reason of a use": lambda store, session: store.record_uses(said(store), [("facts", "x", 5)]),  # type: ignore[list-item]
    "rows": lambda store, session: store.import_rows(5),  # type: ignore[arg-type]
    "batch": lambda store, session: store.import_rows([5]),  # type: ignore[list-item]
    "rows of a batch": lambda store, session: store.import_rows([("facts", 5)]),  # type: ignore[list-item]
    "row": lambda store, session: store.import_rows([("facts", [5])]),  # type: ignore[list-item]
    "header": lambda store, session: store.import_rows([("header", [])]),
    "mode": lambda store, session: store.import_rows([], mode=["merge"]),  # type: ignore[arg-type]
    "budget": lambda store, session: store.get_context_within_budget(session, None),  # type: ignore[arg-type]
    "budget in tokens": lambda store, session: store.get_context_within_budget(session, max_tokens="x"),  # type: ignore[arg-type]
    "limit of a context": lambda store, session: store.get_context_within_budget(session, limit=None),  # type: ignore[arg-type]
    "idle time": lambda store, session: store.idle_work(None),  # type: ignore[arg-type]
    "until": lambda store, session: store.get_recent_messages(session, until=5),  # type: ignore[arg-type]
    "after": lambda store, session: store.get_recent_messages(session, after="a\0b"),
    "groups": lambda store, session: store.browse_facts(5),  # type: ignore[arg-type]
    "keys of a group": lambda store, session: store.browse_facts([5]),  # type: ignore[list-item]
    "too many keys": lambda store, session: store.browse_facts([["k"] * 401]),
    "words of facts": lambda store, session: store.browse_facts(words=5),  # type: ignore[arg-type]
    "offset of facts": lambda store, session: store.browse_facts(offset=-1),
    "prefix": lambda store, session: store.list_facts(prefix=5),  # type: ignore[arg-type]
    "status of facts": lambda store, session: store.list_facts(status=["current"]),  # type: ignore[arg-type]
    "unknown status": lambda store, session: store.list_facts(status="bogus"),
    "number as namespace": lambda store, session: store.register_namespace(5),  # type: ignore[arg-type]
    "lifetime": lambda store, session: store.register_namespace("x::", ttl_ms="long"),  # type: ignore[arg-type]
    "single or not": lambda store, session: store.register_namespace("x::", single_valued="no"),  # type: ignore[arg-type]
    "confidence as text": lambda store, session: store.propose_fact("user::diet", "x", confidence="high"),  # type: ignore[arg-type]
    "list as role": lambda store, session: store.add_message(session, ["user"], "x"),  # type: ignore[arg-type]
    "list as status": lambda store, session: store.add_message(session, "user", "x", status=[]),  # type: ignore[arg-type]
    "list as status of a call": lambda store, session: store.add_tool_call(session, "t", {}, status=[]),  # type: ignore[arg-type]
    "list as kind": lambda store, session: store.fix_health([]),  # type: ignore[arg-type]
    "list as operation": lambda store, session: store.undo([]),  # type: ignore[arg-type]
    "list as language": lambda store, session: store.resume_session(session, language=[]),  # type: ignore[arg-type]
    "filter": lambda store, session: store.search("x", colour="red"),
    "long number": lambda store, session: store.list_messages(session, limit=10**5000),
    "deep list": lambda store, session: store.add_message(session, "user", nested(DEEP)),  # type: ignore[arg-type]
    "deep list as id": lambda store, session: store.create_session(id=nested(DEEP)),  # type: ignore[arg-type]
    "long id that is unknown": lambda store, session: store.get_message("x" * 2_000_000),
    "long key": lambda store, session: store.set_fact("x" * 2_000_000, "x"),
    "nothing to leave out": lambda store, session: store.active_recall("x", exclude=5),  # type: ignore[arg-type]
    "tools": lambda store, session: store.experiences_for("x", 5),  # type: ignore[arg-type]
    "time of a fact": lambda store, session: store.get_fact("user::diet", as_of="now"),  # type: ignore[arg-type]
    "time of a belief": lambda store, session: store.get_fact("user::diet", known_at=[]),  # type: ignore[arg-type]
    "list as task node": lambda store, session: store.task_node(session, []),  # type: ignore[arg-type]
    "long path": lambda store, session: store.export_to("x" * 200_000),
    "file to read": lambda store, session: store.import_file(5),  # type: ignore[arg-type]
    "file with NUL": lambda store, session: store.import_file("\0"),
    "nowhere to write": lambda store, session: store.export_to(""),
    "NUL to write": lambda store, session: store.export_to("\0"),
    "None to write": lambda store, session: store.export_to(None),  # type: ignore[arg-type]
    "namespace": lambda store, session: store.register_namespace(SURROGATE),
}


@pytest.mark.parametrize("what", BAD)
def test_it_is_refused_and_changes_nothing(store: MemoryStore, what: str) -> None:
    session = store.create_session("Kept").id
    store.add_message(session, "user", "kept")
    store.add_tool_call(session, "kept", {})
    before = changes(store)
    with pytest.raises(PyMemoryError) as refused:
        BAD[what](store, session)
    assert 20 < len(str(refused.value)) < 500
    assert changes(store) == before
    store.add_message(session, "user", "still works")
    assert store.verify().ok


def test_lone_surrogates_in_labels_are_replaced(store: MemoryStore) -> None:
    session = store.create_session(metadata={"a": SURROGATE}).id
    message = store.add_message(session, "user", "x", speaker=SURROGATE, metadata={"b": SURROGATE})
    store.set_fact("user::diet", "vegan", quote=SURROGATE)
    store.set_setting("s", SURROGATE)
    call = store.add_tool_call(session, SURROGATE, {"c": SURROGATE})
    store.update_tool_call(call.id, "failed", error=SURROGATE)
    for value in (
        store.get_session(session).metadata["a"],
        store.get_message(message.id).speaker,
        store.get_message(message.id).metadata["b"],
        store.list_facts()[0].quote,
        store.get_setting("s"),
        store.list_tool_calls(session)[0].error_message,
    ):
        assert value == "half \ufffd a character"


@pytest.mark.parametrize("text", ["1e999", "NaN", '{"a": -Infinity}', "[" * 101 + "]" * 101, "{", '"\\"'])
def test_json_that_nobody_should_trust(text: str) -> None:
    with pytest.raises(InvalidInputError):
        read_json(text)


def test_json_there_and_back() -> None:
    value = {"a": [1, 2.5, None, True, '][}{\\"'], "深": {"b": []}}
    assert read_json(json_text(value)) == value
    nested: list[Any] = []
    for _ in range(99):
        nested = [nested]
    assert read_json(json.dumps(nested)) == nested
    recursive: list[Any] = []
    recursive.append(recursive)
    with pytest.raises(InvalidInputError):
        json_text(recursive)


def test_secrets_are_marked_on_their_message(store: MemoryStore) -> None:
    session = store.create_session().id
    plain = store.add_message(session, "user", "I like tea")
    secret = store.add_message(session, "user", "my password is hunter22")
    assert (plain.has_secret, secret.has_secret) == (False, True)
    assert store.get_message(secret.id).has_secret
    assert store.edit_message(plain.id, "我的密码是 abc12345").has_secret


@pytest.mark.parametrize("path", [None, 5, b"", b"x", "", "a\0b", "\ud800.db", [1]])
def test_what_is_no_path_opens_nothing(path: Any) -> None:
    with pytest.raises(InvalidInputError, match="is a path"):
        MemoryStore(path)


def test_a_closed_memory_says_so() -> None:
    store = MemoryStore(":memory:")
    session = store.create_session().id
    store.close()
    store.close()
    for use in (
        lambda: store.get_session(session),
        lambda: store.add_message(session, "user", "x"),
        lambda: store.compact(),
        lambda: store.set_fact("user::diet", "x"),
        lambda: store.export_to("x.db"),
    ):
        with pytest.raises(StorageError, match="closed"):
            use()


def test_inside_an_action_no_file_is_written(store: MemoryStore, tmp_path: Path) -> None:
    for use in (lambda: store.compact(), lambda: store.export_to(tmp_path / "x.db")):
        with pytest.raises(ConflictError, match="action"), store.action():
            use()
    assert not (tmp_path / "x.db").exists()


def test_half_a_character_in_an_experience_is_replaced(store: MemoryStore) -> None:
    experience = store.propose_experience(f"mail{SURROGATE}", f"Write{SURROGATE} short lines.")
    assert experience is not None
    assert "\ufffd" in experience.topic
    assert store.verify().ok


@pytest.mark.parametrize(("session", "text"), [(None, None), (None, 5), (5, "x"), ("none", None)])
def test_a_round_takes_texts_alone(store: MemoryStore, session: Any, text: Any) -> None:
    with pytest.raises(PyMemoryError):
        run(ChatAgent(store, OfflineAssistant()).chat_round(session, text))
    with pytest.raises(InvalidInputError):
        run(ChatAgent(store, OfflineAssistant()).chat_round(None, "x", message_id=[]))  # type: ignore[arg-type]
