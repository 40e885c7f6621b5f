"""Saved states of a task: what goes in, what is refused, and that every released format loads for ever."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from py_memory import InvalidInputError, MemoryStore
from py_memory.errors import NotFoundError, PyMemoryError, TooLargeError
from py_memory.rows import snapshots as rows
from py_memory.snapshots import (
    FORMAT,
    KEPT,
    MAX_STATE_BYTES,
    checked_state,
    empty_state,
    fitted,
    plan_is_done,
    plan_is_open,
    read_state,
    with_call,
)

from .conftest import SteppedClock

CORPUS = Path(__file__).parents[1] / "data" / "snapshots"
# Files of the corpus never change: they are what users have on their disks. A new format adds files.
FROZEN = {
    "format-0-empty.json": "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356",
    "format-0-odd.json": "08e2b267927d785cbe37888d0763df2374311accf2dab0b7b845852883dcb936",
    "format-0-plan.json": "f92caec793aee9b8a95e4b309e92f98654d4d929050431af5e4de2d1d6ae765c",
    "format-1-empty.json": "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356",
    "format-1-full.json": "ba7fe9590fd2d79312aca3616d3c875bd549b1be1cf495bdd054fc9af79e0758",
    "format-1-partial.json": "e9f7c6d2343081d35b66b9ee37839d08131c7b4bb8abfced44c3aaa38840af25",
}
STATE: dict[str, Any] = json.loads((CORPUS / "format-1-full.json").read_text("utf-8"))


@pytest.fixture
def session(store: MemoryStore) -> str:
    return store.create_session("Report").id


# -- the corpus --


def test_no_file_of_the_corpus_was_changed_or_removed() -> None:
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in CORPUS.glob("*.json")}
    assert found == FROZEN


def test_every_format_is_in_the_corpus() -> None:
    assert {int(name.split("-")[1]) for name in FROZEN} == set(range(FORMAT + 1))


@pytest.mark.parametrize("name", FROZEN)
def test_every_released_format_loads(store: MemoryStore, session: str, name: str) -> None:
    format, text = int(name.split("-")[1]), (CORPUS / name).read_text("utf-8")
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO snapshots (id, user_id, created_at, session_id, format, state_json, reason) "
            "VALUES ('s', ?, 1, ?, ?, ?, 'frozen')",
            (store.user_id, session, format, text),
        )
    snapshot = store.latest_snapshot(session)
    assert snapshot is not None
    assert snapshot.format == format
    assert checked_state(snapshot.state) == snapshot.state
    assert snapshot.state.keys() == empty_state().keys()
    again = store.save_snapshot(session, snapshot.state, "again")
    assert again.format == FORMAT
    assert {**again.state, "message_id": None} == {**snapshot.state, "message_id": None}


def test_format_0_is_read_as_what_it_meant() -> None:
    state = read_state(0, json.loads((CORPUS / "format-0-plan.json").read_text("utf-8")))
    assert state["goal"] == "整理Q3项目排期并生成甘特图"
    assert state["plan"] == [
        {"step": "定位排期表中登录模块任务", "status": "done"},
        {"step": "更新截止日期", "status": "pending"},
    ]
    assert [(call["tool"], call["params"]) for call in state["pending"]] == [
        ("update_schedule", {"task_id": "T-102", "due": "2026-05-15"})
    ]
    assert state["scratchpad"] == "用户强调验收优先级高于联调"


@pytest.mark.parametrize("format", [FORMAT + 1, -1, True, "1", None, 2**70])
def test_an_unknown_format_is_refused(format: Any) -> None:
    with pytest.raises(InvalidInputError, match="format"):
        read_state(format, {})


# -- what goes in --


def test_what_is_saved_is_read_back(store: MemoryStore, session: str, clock: SteppedClock) -> None:
    saved = store.save_snapshot(session, STATE, "planned")
    assert (saved.state, saved.reason, saved.format, saved.created_at) == (
        STATE,
        "planned",
        FORMAT,
        clock.now,
    )
    assert store.latest_snapshot(session) == saved
    assert rows.latest(store.database, store.user_id, session) == saved
    json.dumps(saved.to_dict())


def test_a_state_may_be_given_in_part(store: MemoryStore, session: str) -> None:
    message = store.add_message(session, "user", "hi")
    saved = store.save_snapshot(session, {"goal": "x"}, "planned")
    assert saved.state == {**empty_state("x"), "message_id": message.id}


BAD: dict[str, tuple[Any, str]] = {
    "no object": (5, "The state"),
    "a list": ([], "The state"),
    "an unknown name": ({"colour": 1}, "colour"),
    "the goal": ({"goal": 5}, "goal"),
    "no goal": ({"goal": None}, "goal"),
    "the plan": ({"plan": {"a": 1}}, "plan"),
    "a step": ({"plan": ["x"]}, r"plan\[0\]"),
    "an empty step": ({"plan": [{"step": " "}]}, r"plan\[0\]\.step"),
    "a step's status": ({"plan": [{"step": "a"}, {"step": "b", "status": "half"}]}, r"plan\[1\]\.status"),
    "a constraint": ({"constraints": [1]}, r"constraints\[0\]"),
    "a call": ({"calls": [{"tool": ""}]}, r"calls\[0\]\.tool"),
    "a call's parameters": ({"pending": [{"tool": "t", "params": object()}]}, r"pending\[0\]\.params"),
    "an infinite parameter": ({"calls": [{"tool": "t", "result": float("inf")}]}, r"calls\[0\]\.result"),
    "a validation": ({"pending": [{"tool": "t", "validation": {"state": "perhaps"}}]}, "validation"),
    "a time": ({"pending": [{"tool": "t", "validation": {"state": "valid", "at": "now"}}]}, "validation"),
    "a call's id": ({"calls": [{"tool": "t", "id": "a\nb"}]}, "tool call"),
    "the next action": ({"next_action": 1}, "next_action"),
    "the notes": ({"scratchpad": ["x"]}, "scratchpad"),
    "the message": ({"message_id": 7}, "message"),
    "long notes": ({"scratchpad": "x" * 20_000}, "scratchpad"),
    "many steps": ({"plan": [{"step": "x"}] * 101}, "plan"),
    "too much": ({"calls": [{"tool": "t", "result": "x" * 10_000}] * 20}, "The state"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_state_is_refused_with_its_place(store: MemoryStore, session: str, what: str) -> None:
    state, place = BAD[what]
    before = store.database.total_changes
    with pytest.raises(InvalidInputError, match=place):
        store.save_snapshot(session, state, "x")
    assert store.database.total_changes == before
    assert store.latest_snapshot(session) is None


@pytest.mark.parametrize("reason", [5, None, "x" * 1000])
def test_a_bad_reason_is_refused(store: MemoryStore, session: str, reason: Any) -> None:
    if reason is None:
        assert store.save_snapshot(session, {}, reason).reason == ""
        return
    with pytest.raises(PyMemoryError):
        store.save_snapshot(session, {}, reason)


def test_an_unknown_session_is_refused(store: MemoryStore) -> None:
    with pytest.raises(NotFoundError):
        store.save_snapshot("nowhere", {}, "x")


def test_surrogates_and_nul_are_replaced(store: MemoryStore, session: str) -> None:
    saved = store.save_snapshot(
        session, {"goal": "a\0b \ud83d", "calls": [{"tool": "t", "params": {"a": "\ud83d"}}]}, "x"
    )
    assert saved.state["goal"] == "a\ufffdb \ufffd"
    assert saved.state["calls"][0]["params"] == {"a": "\ufffd"}


def test_secrets_are_masked(store: MemoryStore, session: str) -> None:
    state = {
        "goal": "log in, the password is hunter2222",
        "scratchpad": "密码：abc12345",
        "pending": [{"tool": "login", "params": {"user": "x", "password": "hunter2222", "max_tokens": 400}}],
        "calls": [
            {
                "tool": "get",
                "params": {},
                "result": {"api_key": "zzzz", "n": ["sk-live-abcdefghijklmnop1234"]},
            }
        ],
    }
    saved = store.save_snapshot(session, state, "before login: password is hunter2222")
    kept = store.database.value("SELECT state_json || reason FROM snapshots")
    for secret in ("hunter2222", "abc12345", "zzzz", "abcdefghijklmnop"):
        assert secret not in kept
    assert saved.state["pending"][0]["params"] == {"user": "x", "password": "•••", "max_tokens": 400}
    assert saved.state["goal"].startswith("log in, ")


def test_the_newest_few_are_kept(store: MemoryStore, session: str) -> None:
    other = store.create_session().id
    store.save_snapshot(other, {"goal": "other"}, "x")
    for number in range(KEPT + 5):
        store.save_snapshot(session, {"goal": str(number)}, "x")
    kept = store.list_snapshots(session)
    assert [snapshot.state["goal"] for snapshot in kept] == [str(n) for n in range(5, KEPT + 5)]
    assert len(store.list_snapshots(other)) == 1
    assert store.verify().ok


def test_the_newest_is_the_last_saved_also_when_the_clock_goes_back(
    store: MemoryStore, session: str, clock: SteppedClock
) -> None:
    store.save_snapshot(session, {"goal": "first"}, "x")
    clock.advance(days=-30)
    second = store.save_snapshot(session, {"goal": "second"}, "x")
    assert store.latest_snapshot(session) == second


def test_others_see_nothing_of_it(store: MemoryStore, session: str, clock: SteppedClock) -> None:
    store.save_snapshot(session, {"goal": "mine"}, "x")
    other = MemoryStore(store.database.connection, user_id="somebody-else", clock=clock)
    assert other.latest_snapshot(session) is None
    with pytest.raises(NotFoundError):
        other.save_snapshot(session, {}, "x")


def test_forgetting_takes_snapshots_with_it(store: MemoryStore, session: str) -> None:
    message = store.add_message(session, "user", "plan the Zanzibar trip")
    store.save_snapshot(session, {"goal": "plan the Zanzibar trip"}, "x")
    receipt = store.forget(text="zanzibar")
    assert receipt.counts["snapshots"] == 1
    assert store.latest_snapshot(session) is None
    store.undo(receipt.operation_id)
    snapshot = store.latest_snapshot(session)
    assert snapshot is not None
    assert snapshot.state["message_id"] == message.id
    store.forget(message_id=message.id)
    assert store.latest_snapshot(session) is None


def test_forgetting_a_fact_takes_the_states_that_hold_it(store: MemoryStore, session: str) -> None:
    fact = store.set_fact("user::home", "Zanzibar")
    store.save_snapshot(session, {"goal": "move", "scratchpad": "to ZANZIBAR in May"}, "x")
    store.save_snapshot(store.create_session().id, {"goal": "something else"}, "x")
    assert store.forget(fact_id=fact.id).counts["snapshots"] == 1
    assert "anzibar" not in str(store.database.query("SELECT state_json FROM snapshots")).lower()


# -- sessions --


def test_a_session_is_completed_when_its_plan_is_done(store: MemoryStore, session: str) -> None:
    store.save_snapshot(session, {"plan": [{"step": "a", "status": "done"}, {"step": "b"}]}, "x")
    assert store.get_session(session).status == "active"
    store.save_snapshot(
        session, {"plan": [{"step": "a", "status": "done"}, {"step": "b", "status": "skipped"}]}, "x"
    )
    assert store.get_session(session).status == "completed"
    store.add_message(session, "user", "one more thing")
    assert store.get_session(session).status == "active"


def test_a_session_with_steps_left_is_abandoned_after_a_day(
    store: MemoryStore, session: str, clock: SteppedClock
) -> None:
    store.add_message(session, "user", "do it")
    store.save_snapshot(session, {"plan": [{"step": "a"}]}, "x")
    clock.advance(hours=24, milliseconds=-1)
    assert store.get_session(session).status == "active"
    clock.advance(milliseconds=1)
    assert store.get_session(session).status == "abandoned"
    store.add_message(session, "user", "I am back")
    assert store.get_session(session).status == "active"


@pytest.mark.parametrize("state", ['{"plan": 5}', '{"plan": ["x", null]}', "[]", '{"plan": {"a": "b"}}', "7"])
def test_a_state_of_somebody_else_does_not_stop_the_list_of_sessions(
    store: MemoryStore, session: str, clock: SteppedClock, state: str
) -> None:
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO snapshots (id, user_id, created_at, session_id, format, state_json, reason) "
            "VALUES ('s', ?, 1, ?, 1, ?, 'x')",
            (store.user_id, session, state),
        )
    clock.advance(days=2)
    assert [found.status for found in store.list_sessions()] == ["active"]
    assert store.resume_session(session).findings == ("unreadable",)


def test_a_session_without_a_task_is_not_abandoned(
    store: MemoryStore, session: str, clock: SteppedClock
) -> None:
    store.save_snapshot(session, {"plan": [{"step": "a"}]}, "x")
    store.save_snapshot(session, {"plan": []}, "x")  # only the newest counts
    clock.advance(days=3)
    assert store.get_session(session).status == "active"


# -- building states --


def test_calls_move_from_waiting_to_made_and_are_shortened() -> None:
    call = {"id": "c", "tool": "t", "status": "running", "params": {"x": "y" * 5000}, "reason": "r"}
    state = with_call(empty_state(), call, done=False)
    assert [item["id"] for item in state["pending"]] == ["c"]
    state = with_call(state, {**call, "status": "success", "result": "z" * 5000}, done=True)
    assert state["pending"] == []
    assert [item["status"] for item in state["calls"]] == ["success"]
    assert len(json.dumps(state)) < 5000
    for number in range(30):
        state = with_call(state, {**call, "id": str(number), "status": "success"}, done=True)
    assert len(checked_state(state)["calls"]) == 20


def test_the_oldest_calls_give_way_to_the_size() -> None:
    calls = [{"id": str(n), "tool": "t", "result": "界" * 5_000} for n in range(20)]
    state = fitted({**empty_state("kept"), "calls": calls})
    assert len(json.dumps(checked_state(state), ensure_ascii=False).encode()) <= MAX_STATE_BYTES
    assert state["calls"][-1]["id"] == "19"
    with pytest.raises(TooLargeError):
        checked_state({**empty_state(), "calls": calls})


def test_when_a_plan_is_open_and_done() -> None:
    def state(*statuses: str, pending: int = 0) -> dict[str, Any]:
        plan = [{"step": "s", "status": status} for status in statuses]
        return checked_state({"plan": plan, "pending": [{"tool": "t"}] * pending})

    assert not plan_is_open(state())
    assert not plan_is_done(state())
    assert plan_is_open(state("done", "active"))
    assert plan_is_done(state("done", "failed", "skipped"))
    assert not plan_is_done(state("done", pending=1))


def test_an_id_whose_digits_could_be_a_cards_is_not_hidden(store: MemoryStore) -> None:
    id = "01a0c450-6c00-7254-8522-427898fb26cd"
    session = store.create_session().id
    saved = store.save_snapshot(
        session, {"pending": [{"id": id, "tool": "move"}], "scratchpad": "card 4111 1111 1111 1111"}, "x"
    )
    assert saved.state["pending"][0]["id"] == id
    assert "4111" not in saved.state["scratchpad"]
