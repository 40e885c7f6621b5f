"""Values that cannot be stored: every one is refused with an error of this package, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from py_memory import InvalidInputError, MemoryStore
from py_memory.checks import MAX_TIME, json_text, read_json
from py_memory.errors import PyMemoryError

SURROGATE = "half \ud83d a character"


def changes(store: MemoryStore) -> int:
    return store.database.total_changes


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


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
    "namespace": lambda store, session: store.register_namespace(SURROGATE),
}


@pytest.mark.parametrize("what", BAD)
def test_it_is_refused_and_changes_nothing(store: MemoryStore, what: str) -> None:
    session = store.create_session("Kept").id
    store.add_tool_call(session, "kept", {})
    before = changes(store)
    with pytest.raises(PyMemoryError) as refused:
        BAD[what](store, session)
    assert len(str(refused.value)) > 20
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
