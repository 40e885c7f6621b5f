"""Tool calls with side effects: durable before they start, one record each, saved before and after."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from py_memory import ChatAgent, ConflictError, InvalidInputError, MemoryStore
from py_memory.records import Delta, Message, Tool
from tests.unit.support import run

from .test_agent import Scripted, calling
from .test_resuming import act, saying


@pytest.fixture
def session(store: MemoryStore) -> str:
    return store.create_session("Work").id


def chat(store: MemoryStore, session: str, tool: Tool, *model: Any, said: str = "do it") -> Message:
    return run(ChatAgent(store, Scripted(*model), [tool]).chat_round(session, said))


def reasons(store: MemoryStore, session: str) -> list[str]:
    return [snapshot.reason for snapshot in store.list_snapshots(session)]


def test_a_side_effect_is_durable_between_running_and_the_run(store: MemoryStore, session: str) -> None:
    order: list[str] = []

    async def durable() -> None:
        order.append(f"durable {[call.status for call in store.list_tool_calls(session)]}")

    async def move(**arguments: Any) -> str:
        order.append("run")
        return "moved"

    store.durable = durable
    chat(store, session, Tool("move", "Moves.", {}, move, asks=False), calling("move", to="x"), [Delta("ok")])
    assert order == ["durable []", "durable ['running']", "run", "durable ['success']", "durable ['success']"]


def test_what_cannot_be_saved_is_not_done(store: MemoryStore, session: str) -> None:
    async def durable() -> bool:
        return False

    store.durable = durable
    done: list[Any] = []
    model = Scripted(calling("move", to="x"), [Delta("Sorry.")])
    run(ChatAgent(store, model, [act(done)]).chat_round(session, "do it"))
    assert done == []
    assert [call.status for call in store.list_tool_calls(session)] == ["cancelled"]
    assert "could not be saved" in model.prompts[1][-1]["content"]


def test_a_tool_that_only_reads_waits_for_nothing(store: MemoryStore, session: str) -> None:
    barriers: list[int] = []

    async def durable() -> None:
        barriers.append(1)

    store.durable = durable
    chat(store, session, act([], side_effect=False), calling("move", to="x"), [Delta("ok")])
    assert len(barriers) == 2
    assert [call.status for call in store.list_tool_calls(session)] == ["success"]
    assert store.list_snapshots(session) == []


def test_a_tool_that_does_not_say_is_taken_to_act(store: MemoryStore) -> None:
    async def any_tool() -> None:
        return None

    assert Tool("t", "", {}, any_tool).side_effect


def test_it_is_saved_before_and_after(store: MemoryStore, session: str) -> None:
    chat(
        store,
        session,
        act([], validate=saying(True)),
        [Delta("You asked for Friday."), *calling("move", to="x")],
        [Delta("ok")],
    )
    before, after = store.list_snapshots(session)
    assert [before.reason, after.reason] == ["before move", "after move"]
    (pending,) = before.state["pending"]
    assert (pending["tool"], pending["params"], pending["status"]) == ("move", {"to": "x"}, "running")
    assert pending["validation"]["state"] == "valid"
    assert pending["reason"] == "You asked for Friday."
    assert after.state["pending"] == []
    (call,) = after.state["calls"]
    assert (call["status"], call["result"], call["reason"]) == (
        "success",
        {"moved": True},
        "You asked for Friday.",
    )
    assert after.state["goal"] == "do it"
    (record,) = store.list_tool_calls(session)
    assert record.id == call["id"] == pending["id"]
    assert record.validation["state"] == "valid"


def test_a_plan_is_saved_with_every_step_and_at_the_end_of_the_round(
    store: MemoryStore, session: str
) -> None:
    chat(
        store,
        session,
        act([]),
        calling("task_plan", goal="two things", steps=["a", "b"], constraints=["before Friday"]),
        calling("task_step", number=1, status="done", next_action="b"),
        calling("task_note", text="a was quick"),
        [Delta("One is left.")],
    )
    assert reasons(store, session) == ["planned", "step 1 is done", "noted", "round ended"]
    latest = store.latest_snapshot(session)
    assert latest is not None
    state = latest.state
    assert (state["goal"], state["constraints"], state["next_action"]) == (
        "two things",
        ["before Friday"],
        "b",
    )
    assert [step["status"] for step in state["plan"]] == ["done", "pending"]
    assert state["scratchpad"] == "a was quick"
    assert state["message_id"] == store.get_session(session).current_message_id
    assert store.get_session(session).status == "active"


def test_the_last_step_completes_the_session(store: MemoryStore, session: str) -> None:
    chat(
        store,
        session,
        act([]),
        calling("task_plan", goal="one thing", steps=["a"]),
        calling("task_step", number=1, status="done"),
        [Delta("Done.")],
    )
    assert store.get_session(session).status == "completed"
    chat(store, session, act([]), calling("move", to="x"), [Delta("ok")], said="and another thing")
    assert store.get_session(session).status == "active"
    latest = store.latest_snapshot(session)
    assert latest is not None
    assert (latest.state["goal"], latest.state["plan"]) == ("and another thing", [])


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("task_plan", {"goal": "x", "steps": []}, "at least one step"),
        ("task_plan", {"goal": "x", "steps": ["a"] * 101}, "at most 100"),
        ("task_plan", {"goal": 5, "steps": ["a"]}, "must be a text"),
        ("task_step", {"number": 1, "status": "done"}, "no step 1"),
        ("task_step", {"number": 2**70, "status": "done"}, "no step"),
        ("task_note", {"text": "x" * 100_000}, "at most 16,000"),
        ("experience_propose", {"topic": "t", "content": "mail bob@example.com"}, "about a person"),
    ],
)
def test_what_a_model_sends_wrongly_is_told_to_it(
    store: MemoryStore, session: str, name: str, arguments: dict[str, Any], problem: str
) -> None:
    model = Scripted(calling(name, **arguments), [Delta("ok")])
    assert run(ChatAgent(store, model).chat_round(session, "do it")).status == "complete"
    assert problem in model.prompts[1][-1]["content"]
    assert store.latest_snapshot(session) is None


@pytest.mark.parametrize(
    "state",
    [
        False,
        "invalid",
        {"state": "invalid", "why": "it was deleted"},
        {"state": "invalid", "why": 5},
        {"state": "invalid", "why": "x" * 5000},
        {"state": "invalid", "why": "\ud800", "code": [7], "at": "now"},
    ],
)
def test_what_the_check_calls_invalid_is_not_run(store: MemoryStore, session: str, state: Any) -> None:
    done: list[Any] = []
    model = Scripted(calling("move", to="x"), [Delta("Sorry.")])
    run(ChatAgent(store, model, [act(done, validate=saying(state))]).chat_round(session, "do it"))
    assert done == []
    (record,) = store.list_tool_calls(session)
    assert (record.status, record.validation["state"]) == ("cancelled", "invalid")
    assert "It cannot be done" in model.prompts[1][-1]["content"]


@pytest.mark.parametrize("answer", [RuntimeError("no"), {"state": "perhaps"}, {"valid": True}, 5])
def test_a_call_whose_check_fails_waits_for_the_users_yes(
    store: MemoryStore, session: str, answer: Any
) -> None:
    done: list[Any] = []
    model = Scripted(
        *(calling("move", to="x"), [Delta("The check failed. Do it all the same?")]),
        *(calling("move", to="x"), [Delta("As before.")]),
        *(calling("move", to="x"), [Delta("Done.")]),
    )
    agent = ChatAgent(store, model, [act(done, validate=saying(answer))])
    run(agent.chat_round(session, "do it"))
    (record,) = store.list_tool_calls(session)
    assert (done, record.status, record.validation["state"]) == ([], "proposed", "unknown")
    assert "Ask the user" in model.prompts[1][-1]["content"]
    (pending,) = store.latest_snapshot(session).state["pending"]
    assert pending["id"] == record.id
    run(agent.chat_round(session, "what is the weather like"))
    assert done == []
    run(agent.chat_round(session, "yes"))
    assert done == [{"to": "x"}]
    assert [call.status for call in store.list_tool_calls(session)] == ["success"]


def test_a_yes_to_something_else_is_none_to_a_call_whose_check_fails(
    store: MemoryStore, session: str
) -> None:
    done: list[Any] = []
    model = Scripted(calling("move", to="x"), calling("move", to="x"), [Delta("It waits.")])
    tool = act(done, validate=saying(RuntimeError("no")))
    run(ChatAgent(store, model, [tool]).chat_round(session, "yes"))
    assert done == []


def test_a_check_that_cannot_say_does_not_stop_the_call(store: MemoryStore, session: str) -> None:
    done: list[Any] = []
    chat(store, session, act(done, validate=saying(None)), calling("move", to="x"), [Delta("ok")])
    assert len(done) == 1
    assert store.list_tool_calls(session)[0].validation["state"] == "unknown"


@pytest.mark.cpython
def test_a_tool_that_takes_too_long_may_have_acted(store: MemoryStore, session: str) -> None:
    done: list[int] = []

    async def slow(**arguments: Any) -> None:
        done.append(1)
        await asyncio.sleep(5)

    tool = Tool("move", "Moves.", {}, slow, timeout_ms=20, asks=False)
    again = calling("move", to="x")
    model = Scripted(again, again, [Delta("ok")])
    reply = asyncio.run(ChatAgent(store, model, [tool]).chat_round(session, "do it"))
    assert reply.status == "complete"
    assert [call.status for call in store.list_tool_calls(session)] == ["timeout", "cancelled"]
    assert "may have happened" in model.prompts[1][-1]["content"]
    assert "nobody knows" in model.prompts[2][-1]["content"]
    assert done == [1]


def test_the_same_call_may_be_meant_twice(store: MemoryStore, session: str) -> None:
    done: list[Any] = []
    twice = calling("move", to="x")
    chat(store, session, act(done), twice, twice, [Delta("ok")])
    assert len(done) == 2
    assert len(store.list_tool_calls(session)) == 2


def test_a_task_that_is_stopped_while_a_tool_runs_asks_next_time(store: MemoryStore, session: str) -> None:
    done: list[Any] = []
    agent = ChatAgent(
        store,
        Scripted(calling("move", to="x"), [Delta("Hi.")]),
        [act(done, error=asyncio.CancelledError())],
    )
    with pytest.raises(asyncio.CancelledError):
        run(agent.chat_round(session, "do it"))
    assert [call.status for call in store.list_tool_calls(session)] == ["unknown"]
    assert "I do not know whether it happened" in run(agent.chat_round(session, "well, go")).content
    assert len(done) == 1


def test_a_state_that_is_full_does_not_stop_a_call(store: MemoryStore, session: str) -> None:
    store.save_snapshot(session, {"plan": [{"step": "界" * 1300}] * 33}, "x")
    done: list[Any] = []
    agent = ChatAgent(store, Scripted([Delta("?")], calling("move", to="x"), [Delta("ok")]), [act(done)])
    run(agent.chat_round(session, "hello there"))
    reply = run(agent.chat_round(session, "go on"))
    assert (reply.status, len(done)) == ("complete", 1)
    assert [call.status for call in store.list_tool_calls(session)] == ["success"]


def test_a_search_tool_of_somebody_else_is_not_taken_for_the_memorys(
    store: MemoryStore, session: str
) -> None:
    async def search(query: str) -> list[dict[str, Any]]:
        return [{"kind": "planets", "id": "x"}, {"kind": "facts", "id": 5}, {"kind": "facts"}]

    with pytest.raises(InvalidInputError, match="the memory has one of that name"):
        ChatAgent(store, Scripted(), [Tool("memory_search", "Searches.", {}, search, side_effect=False)])
    tool = Tool("search", "Searches.", {}, search, side_effect=False)
    reply = chat(store, session, tool, calling("search", query="x"), [Delta("ok")])
    assert reply.status == "complete"
    assert [use.memory_kind for use in store.list_uses(reply.id)] == ["tool_calls"]


# -- records --


def test_the_same_id_is_the_same_call(store: MemoryStore, session: str) -> None:
    call = store.add_tool_call(session, "move", {"to": "x"}, id="one")
    store.update_tool_call("one", "running")
    assert store.add_tool_call(session, "move", {"to": "x"}, id="one").status == "running"
    with pytest.raises(ConflictError):
        store.add_tool_call(session, "send", {}, id="one")
    assert [found.id for found in store.list_tool_calls(session)] == [call.id]


def test_a_call_that_has_ended_stays_as_it_ended(store: MemoryStore, session: str) -> None:
    call = store.add_tool_call(session, "move", {})
    store.update_tool_call(call.id, "success", output=1)
    for status in ("running", "unknown", "failed"):
        with pytest.raises(ConflictError, match="ended as success"):
            store.update_tool_call(call.id, status)
    assert store.list_tool_calls(session)[0].output == 1


def test_what_an_answer_got_from_tools_is_noted_as_used(store: MemoryStore, session: str) -> None:
    store.add_message(session, "user", "The harbour crane is green")
    fact = store.set_fact("user::likes", "harbour cranes")
    reply = chat(store, session, act([]), calling("memory_search", query="harbour crane"), [Delta("Green.")])
    uses = {(use.memory_kind, use.memory_id): use for use in store.list_uses(reply.id)}
    assert len(uses) == len(store.list_uses(reply.id))
    kinds = [kind for kind, _ in uses]
    assert kinds.count("tool_calls") == 1
    assert kinds.count("messages") == 1
    assert ("facts", fact.id) in uses
    assert [use.rank for use in store.list_uses(reply.id)] == list(range(1, len(uses) + 1))
    assert all(use.reason["why"] for use in uses.values())
