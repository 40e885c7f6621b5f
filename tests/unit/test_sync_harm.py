"""What is refused, and what is set aside: rows that are invalid or too large, another user's, and requests
and answers meant to do harm. Those in the list of faults have its numbers."""

from __future__ import annotations

import dataclasses
import gzip
import json
import time
import tracemalloc
from typing import Any

import pytest

from py_memory import MemoryStore
from py_memory.errors import InvalidInputError, SyncError
from py_memory.rows import sync as sync_rows
from py_memory.sync import outgoing, wire
from py_memory.sync.engine import Answer, Call

from .conftest import SteppedClock
from .sync_support import (
    GOOD,
    Server,
    dump,
    filled,
    server_dump,
)


def test_fault_24_one_invalid_change_among_many(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock, 50)
    with memory.database.transaction():
        # Such a row can only come from another program.
        id = memory.list_messages(memory.list_sessions()[0].id)[7].id
        memory.database.execute("UPDATE messages SET speaker = 'a' || char(0) || 'b' WHERE id = ?", (id,))
    report = server.sync(memory, token)
    assert report.rejected == 1
    assert [(item["id"], item["code"]) for item in memory.sync_status().rejected] == [(id, "nul")]
    assert len(server_dump(server, user)["messages"]) == 49
    assert server.sync(memory, token).pushed == 0


def test_fault_25_one_row_too_large(
    server: Server, user: str, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "MAX_ROW_BYTES", 100_000)
    memory = filled(clock, 20)
    session = memory.list_sessions()[0].id
    large = memory.add_tool_call(session, "read", {"text": "x" * 110_000})
    report = server.sync(memory, token)
    assert report.rejected == 0
    assert [(i["id"], i["code"]) for i in memory.sync_status().rejected] == [(large.id, "too_large")]
    assert len(server_dump(server, user)["messages"]) == 20
    # What a server finds too large is halved until it is one row.
    tight = memory.add_message(session, "user", "y" * 40_000)
    for number in range(20):
        memory.add_message(session, "user", f"after {number}")
    most = 20_000
    server.on_call = lambda call: (
        Answer(413, {}, b'{"error":{"name":"TooLarge","message":"","max_bytes":20000}}')
        if call.body and len(gzip.decompress(call.body) if call.body[:2] == b"\x1f\x8b" else call.body) > most
        else None
    )
    server.sync(memory, token)
    refused = {item["kind"] for item in memory.sync_status().rejected}
    assert refused == {"tool_calls", "message_versions"}
    assert tight.id in {row["id"] for row in server_dump(server, user)["messages"]}
    assert len(server_dump(server, user)["message_versions"]) == 40
    # A server that takes more, and a row that has become smaller, leave nothing aside.
    server.on_call = lambda call: None
    monkeypatch.undo()
    server.sync(memory, token)
    assert memory.sync_status().rejected == ()
    assert dump(memory) == server_dump(server, user)


def test_fault_25_more_than_a_message_may_have(store: MemoryStore) -> None:
    session = store.create_session().id
    with pytest.raises(InvalidInputError):
        store.add_message(session, "user", "x" * (10 << 20))
    assert store.list_messages(session) == []


def test_fault_38_another_users_rows(server: Server, user: str, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    before = server_dump(server, user)
    message = memory.list_messages(memory.list_sessions()[0].id)[0]
    bob = server.user("bob")
    stranger = MemoryStore(":memory:", clock=clock)
    server.sync(stranger, server.token(bob))
    service = server.endpoint._service
    ask = wire.SyncRequest(wire.SCHEMA, "b" * 16, None, 0, 500, 1 << 20)
    stamp = f"{clock():012x}-0000-{'b' * 16}"
    absent = "01890000-0000-7000-8000-000000000000"
    answers = []
    for number, id in enumerate((message.id, absent)):
        push = [
            {"n": 3 * number + 1, "op": "forget", "kind": "messages", "id": id, "stamp": stamp},
            {
                "n": 3 * number + 2,
                "op": "put",
                "kind": "messages",
                "id": id[:-1] + ("8" if id.endswith("9") else "9"),
                "stamp": stamp,
                "groups": {"tags": {"feedback": 1}},
            },
            {"n": 3 * number + 3, "op": "forget", "kind": "conflicts", "id": id, "stamp": stamp},
        ]
        reply = service.sync(bob, dataclasses.replace(ask, push=push))
        answers.append([{**result, "n": 0} for result in reply.results])
        assert message.id not in json.dumps([row for row in reply.changes if not row.get("forgotten")])
    assert answers[0] == answers[1]
    assert server_dump(server, user) == before
    head = service.head(user)
    theirs = wire.SyncRequest(wire.SCHEMA, "c" * 16, (head["epoch"], head["seq"] + 99), 0, 500, 1 << 20)
    status = [
        server.answer(server.token(bob), Call("POST", "/memory/sync", wire.encode(request.to_dict()))).status
        for request in (theirs, dataclasses.replace(theirs, cursor=(head["epoch"], 10**6)))
    ]
    assert status == [410, 410]
    with pytest.raises(SyncError) as caught:
        server.sync(memory, server.token(bob))
    assert caught.value.code == "other_user"
    assert server_dump(server, user) == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (gzip.compress(b"0" * (100 << 20), mtime=0), 413),
        (b'{"a":' * 200 + b"1" + b"}" * 200, 400),
        (b'{"protocol": NaN}', 400),
        (b'{"protocol": 1, "protocol": 1}', 400),
        (b"\xed\xa0\x80", 400),
        (gzip.compress(b"{}", mtime=0)[:-3], 400),
        (json.dumps({**GOOD, "device": "A"}).encode(), 400),
        (json.dumps({**GOOD, "cursor": "x.-1"}).encode(), 400),
        (json.dumps({**GOOD, "push": [{"n": 1.5}]}).encode(), 400),
        (json.dumps({**GOOD, "push": [{"n": 2}, {"n": 1}]}).encode(), 400),
        (json.dumps({**GOOD, "push": [{"n": 1}] * 1001}).encode(), 400),
        (json.dumps({**GOOD, "schema": 0}).encode(), 426),
        (json.dumps(GOOD).encode(), 200),
    ],
)
def test_fault_39_bodies_meant_to_harm(server: Server, token: str, body: bytes, status: int) -> None:
    headers = {"content-encoding": "gzip"} if body[:2] == b"\x1f\x8b" else {}
    answer = server.answer(token, Call("POST", "/memory/sync", body, headers))
    assert answer.status == status
    assert status == 200 or set(json.loads(answer.body)["error"]) >= {"name", "message"}


@pytest.mark.cpython
def test_fault_39_a_gzip_bomb_within_a_cap_of_memory(clock: SteppedClock) -> None:
    server = Server(clock)
    token, bomb = server.token(server.user()), gzip.compress(b"[" * (200 << 20), 1, mtime=0)
    tracemalloc.start()
    try:
        answer = server.answer(token, Call("POST", "/memory/sync", bomb, {"content-encoding": "gzip"}))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.status == 413
    assert most < 4 * wire.MAX_BODY_BYTES


@pytest.mark.parametrize("change", ["lone \ud800", 10**40, True, [1], {"a": 1}, float("1e308")])
def test_fault_39_values_meant_to_harm(
    server: Server, user: str, token: str, clock: SteppedClock, change: Any
) -> None:
    push = {
        "n": 1,
        "op": "put",
        "kind": "sessions",
        "id": "s",
        "stamp": f"{clock():012x}-0000-{'a' * 16}",
        "identity": {"created_at": 1},
        "groups": {"meta": {"title": change, "metadata_json": "{}"}, "activity": {"last_active_at": 1}},
    }
    body = json.dumps({**GOOD, "push": [push]}).encode()
    answer = server.answer(token, Call("POST", "/memory/sync", body))
    assert answer.status == 200
    assert json.loads(answer.body)["results"][0]["status"] == "rejected"
    assert server_dump(server, user)["sessions"] == []


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Request Entity Too Large</html>",
        b"{}",
        b'{"error":{"name":"TooLarge","message":"x"}}',
        b'{"error":{"name":"TooLarge","message":"x","max_bytes":8388608}}',
    ],
)
def test_what_others_find_too_large_is_not_set_aside(
    server: Server, user: str, token: str, clock: SteppedClock, body: bytes
) -> None:
    memory = filled(clock)
    server.on_call = lambda call: Answer(413, {}, body) if call.method == "POST" else None
    for _ in range(2):
        with pytest.raises(SyncError, match="too large"):
            server.sync(memory, token)
        assert memory.sync_status().rejected == ()
    server.on_call = lambda call: None
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)


def test_a_row_that_shrinks_a_thousandfold_travels(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock, 1)
    memory.add_tool_call(memory.list_sessions()[0].id, "read", {"text": "\n" * 500_000})
    memory.add_tool_call(memory.list_sessions()[0].id, "read", {"text": "\n" * 500_000})
    server.sync(memory, token)
    assert memory.sync_status().rejected == ()
    assert dump(memory) == server_dump(server, user)


@pytest.mark.parametrize("changed", [False, True])
def test_an_answer_that_leads_no_further_ends_the_sync(
    server: Server, token: str, clock: SteppedClock, changed: bool
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    if changed:
        memory.rename_session(memory.list_sessions()[0].id, "Waits")
    known = sync_rows.get_state(memory.database, memory.user_id)
    assert known is not None

    def stand_still(call: Call, answer: Answer) -> Answer:
        if call.method != "POST":
            return answer
        assert len(server.calls) < 50
        found = json.loads(answer.body) | {"has_more": True, "last_n": known.acked_n, "changes": []}
        found["cursor"] = f"{known.epoch}.{known.cursor}"
        return dataclasses.replace(answer, body=json.dumps(found).encode())

    server.on_answer = stand_still
    with pytest.raises(SyncError, match="no further"):
        server.sync(memory, token)
    server.on_answer = lambda call, answer: answer
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, memory.user_id)


_STAMP = "0199c1d27c1e-0000-7f3a9c02d1e84b66"
_LOST = {"row_kind": "facts", "memory_id": "x", "part": "state", "stamp": _STAMP, "values_json": "{}"}


def _lost(**changed: Any) -> dict[str, Any]:
    row = {"kind": "conflicts", "id": "c1", "seq": 1, "identity": _LOST | changed, "groups": {}}
    return {"changes": [row]}


@pytest.mark.parametrize(
    "odd",
    [
        *(
            {"results": [{"n": n, **result} for n in range(1, 30)]}
            for result in (
                {"status": "conflict", "row": {"x": 1}},
                {"status": "conflict", "row": {"kind": "facts", "id": "x", "seq": 1, "forgotten": True}},
                {"status": "applied", "stamps": 5},
                {"status": "applied", "stamps": {"state": [1]}},
                {"status": []},
                {},
            )
        ),
        _lost(values_json="{"),
        _lost(values_json="[]"),
        _lost(stamp="zz"),
        _lost(part=1),
        {"changes": [{"kind": "sessions", "id": "\ud800", "seq": 1, "identity": {}, "groups": {}}]},
    ],
)
def test_nothing_is_taken_from_an_odd_answer(
    server: Server, user: str, token: str, clock: SteppedClock, odd: dict[str, Any]
) -> None:
    memory = filled(clock)
    server.on_answer = lambda call, answer: (
        dataclasses.replace(answer, body=json.dumps(json.loads(answer.body) | odd).encode())
        if call.method == "POST"
        else answer
    )
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "not_a_server"
    server.on_answer = lambda call, answer: answer
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)


@pytest.mark.parametrize("after", ["\u00b2", "-1", "x", "9" * 400])
def test_an_odd_time_to_wait(
    server: Server, token: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    memory = filled(clock)
    server.on_call = lambda call: Answer(429, {"retry-after": after}, b"")
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "busy"


def test_a_servers_message_steers_no_terminal(server: Server, token: str, clock: SteppedClock) -> None:
    memory = filled(clock)
    said = json.dumps({"error": {"name": "x", "message": "\x1b[2Jfull \u202e\x07up"}}).encode()
    server.on_call = lambda call: Answer(507, {}, said)
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert str(caught.value).isprintable()
    assert "full up" in str(caught.value)
