"""A task's plan as tools: what a model does to make its work one that can be taken up again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import InvalidInputError, shown
from .memory_tool import memory_tool
from .records import Message, Tool
from .snapshots import CLOSED_STEPS, OPEN_STEPS, State, empty_state, plan_is_open
from .store import MemoryStore

__all__ = ["TASK_TOOLS", "goal_of", "task_state", "task_tools"]

TASK_TOOLS = frozenset({"task_plan", "task_step", "task_note", "experience_propose"})

STEP_STATUSES = (*OPEN_STEPS, *CLOSED_STEPS)

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def goal_of(said: Message) -> str:
    return " ".join(said.content.split())


def task_state(store: MemoryStore, said: Message) -> State:
    """The state of the session's task: what was saved last if anything of it is left to do or was done for
    the same message, else that of a new one."""
    try:
        latest = store.latest_snapshot(said.session_id)
    except InvalidInputError:  # of a newer release: it stays as it is, and a new task begins
        latest = None
    if latest and (plan_is_open(latest.state) or latest.state["pending"] or _is_of(latest.state, said)):
        return {**latest.state, "message_id": None}
    return empty_state(goal_of(said))


def _is_of(state: Any, said: Message) -> bool:
    return bool(state["goal"] == empty_state(goal_of(said))["goal"])


def task_tools(store: MemoryStore, said: Message) -> list[Tool]:
    """Tools for answering the message `said`. What they are given is saved as a snapshot at once."""

    async def task_plan(
        goal: str, steps: Sequence[str], constraints: Sequence[str] = (), next_action: str = ""
    ) -> dict[str, Any]:
        if not steps:
            raise InvalidInputError("task_plan needs at least one step.")
        state = {
            **task_state(store, said),
            "goal": goal,
            "constraints": list(constraints),
            "plan": [{"step": step, "status": "pending"} for step in steps],
            "next_action": next_action or None,
        }
        store.save_snapshot(said.session_id, state, "planned")
        return {"steps": len(steps)}

    async def task_step(number: int, status: str, next_action: str = "") -> dict[str, Any]:
        state = task_state(store, said)
        plan = [dict(step) for step in state["plan"]]
        if not 1 <= number <= len(plan):
            raise InvalidInputError(f"The plan has steps 1 to {len(plan)}, and no step {number}.")
        if status not in STEP_STATUSES:
            raise InvalidInputError(f"A step is one of {', '.join(STEP_STATUSES)}, not {shown(status)}.")
        plan[number - 1]["status"] = status
        state = {**state, "plan": plan, "next_action": next_action or None}
        store.save_snapshot(said.session_id, state, f"step {number} is {status}")
        return {"left": [step["step"] for step in plan if step["status"] in OPEN_STEPS]}

    async def task_note(text: str) -> dict[str, Any]:
        state = {**task_state(store, said), "scratchpad": text}
        store.save_snapshot(said.session_id, state, "noted")
        return {"kept": len(text)}

    async def experience_propose(topic: str, content: str) -> dict[str, Any]:
        found = store.propose_experience(topic, content)
        return {"proposed": found.id if found else None}

    return [
        memory_tool(
            "task_plan",
            "Keeps the plan of a task of several steps, so that it can be taken up again.",
            task_plan,
            goal=_TEXT,
            steps=_TEXTS,
            constraints=_TEXTS,
            next_action=_TEXT,
        ),
        memory_tool(
            "task_step",
            "Notes how far a step of the plan is; steps are counted from 1.",
            task_step,
            number={"type": "integer", "minimum": 1},
            status={"type": "string", "enum": list(STEP_STATUSES)},
            next_action=_TEXT,
        ),
        memory_tool(
            "task_note", "Keeps notes for the task in hand; they replace the former.", task_note, text=_TEXT
        ),
        memory_tool(
            "experience_propose",
            "Proposes know-how about a tool or a kind of task, without anything about a person. "
            "It counts once the user has confirmed it.",
            experience_propose,
            topic=_TEXT,
            content=_TEXT,
        ),
    ]
