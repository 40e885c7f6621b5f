"""The state of a task that an agent saves, so that it can be taken up again: its shape, its checks, and the
steps that bring the shapes of earlier releases up to date.

A state (FORMAT 1) is JSON with these names, all optional when given and all present when read back:

    goal         what the user wants, a text
    constraints  texts: what has to be kept to
    plan         [{"step": text, "status": pending | active | done | failed | skipped}]
    calls        tools called: [{"id", "tool", "params", "status", "result", "reason"}]
    pending      calls not done: [{"id", "tool", "params", "status", "reason", "validation"}], validation
    None or
                 {"state": valid | invalid | unknown, "why": text, "at": ms}
    next_action  what comes next, a text, or None
    scratchpad   notes, a text
    message_id   the message on screen when it was saved, or None
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .checks import check_id, check_time, json_text, read_json
from .errors import InvalidInputError, TooLargeError, shown
from .text import clean

__all__ = [
    "CLOSED_STEPS",
    "FORMAT",
    "KEPT",
    "MAX_STATE_BYTES",
    "OPEN_STEPS",
    "State",
    "checked_state",
    "checked_validation",
    "empty_state",
    "fitted",
    "plan_is_done",
    "plan_is_open",
    "read_state",
    "with_call",
]

FORMAT = 1
MAX_STATE_BYTES = 128 << 10  # of JSON in UTF-8
KEPT = 8  # snapshots of one session; older ones go
MAX_STEPS, MAX_CALLS, MAX_CONSTRAINTS = 100, 50, 50
MAX_LINE, MAX_NOTES = 2_000, 16_000  # characters of a short text, and of the scratchpad
SHOWN_CALLS, SHOWN_CHARACTERS = 20, 1_000  # what the agent keeps of calls, and of one's input or output

OPEN_STEPS = ("pending", "active")
CLOSED_STEPS = ("done", "failed", "skipped")
CALL_STATUSES = ("proposed", "approved", "running", "success", "failed", "timeout", "cancelled", "unknown")
VALIDATION_STATES = ("valid", "invalid", "unknown")

State = dict[str, Any]


def empty_state(goal: str = "") -> State:
    return {
        "goal": goal[:MAX_LINE],
        "constraints": [],
        "plan": [],
        "calls": [],
        "pending": [],
        "next_action": None,
        "scratchpad": "",
        "message_id": None,
    }


# -- checks --


def checked_state(state: object) -> State:
    """A state of the present format with every name in it. Raises InvalidInputError, which names the place,
    and TooLargeError (over 128 KiB)."""
    given = _object(state, "The state", empty_state())
    out = {
        "goal": _text(given["goal"], "goal", MAX_LINE),
        "constraints": [
            _text(item, f"constraints[{n}]", MAX_LINE)
            for n, item in enumerate(_list(given["constraints"], "constraints", MAX_CONSTRAINTS))
        ],
        "plan": [_step(item, f"plan[{n}]") for n, item in enumerate(_list(given["plan"], "plan", MAX_STEPS))],
        "calls": [
            _call(item, f"calls[{n}]", {"result": None})
            for n, item in enumerate(_list(given["calls"], "calls", MAX_CALLS))
        ],
        "pending": [
            _call(item, f"pending[{n}]", {"validation": None})
            for n, item in enumerate(_list(given["pending"], "pending", MAX_CALLS))
        ],
        "next_action": None
        if given["next_action"] is None
        else _text(given["next_action"], "next_action", MAX_LINE),
        "scratchpad": _text(given["scratchpad"], "scratchpad", MAX_NOTES),
        "message_id": None if given["message_id"] is None else check_id(given["message_id"], "message"),
    }
    size = len(json_text(out, "The state").encode())
    if size > MAX_STATE_BYTES:
        raise TooLargeError("The state", size, MAX_STATE_BYTES)
    return out


def _object(value: object, where: str, defaults: Mapping[str, Any]) -> State:
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"{where} of a snapshot is an object, not {shown(value)}.")
    if unknown := [name for name in value if name not in defaults]:
        raise InvalidInputError(
            f"{where} of a snapshot has no {shown(unknown[0])}; it has {', '.join(defaults)}."
        )
    return {**defaults, **value}


def _list(value: object, where: str, most: int) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise InvalidInputError(f"{where} of a snapshot is a list, not {shown(value)}.")
    if len(value) > most:
        raise TooLargeError(f"{where} of the snapshot", len(value), most, "items")
    return list(value)


def _text(value: object, where: str, most: int) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(f"{where} of a snapshot is a text, not {shown(value)}.")
    value = clean(value)[0]
    if len(value) > most:
        raise TooLargeError(f"{where} of the snapshot", len(value), most, "characters")
    return value


def _one_of(value: object, where: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise InvalidInputError(f"{where} of a snapshot is one of {', '.join(allowed)}, not {shown(value)}.")
    return str(value)


def _step(value: object, where: str) -> State:
    step = _object(value, where, {"step": "", "status": "pending"})
    text = _text(step["step"], f"{where}.step", MAX_LINE)
    if not text.strip():
        raise InvalidInputError(f"{where}.step of a snapshot is empty. Say what the step is.")
    return {"step": text, "status": _one_of(step["status"], f"{where}.status", (*OPEN_STEPS, *CLOSED_STEPS))}


def _call(value: object, where: str, more: State) -> State:
    call = _object(
        value, where, {"id": None, "tool": "", "params": {}, "status": "proposed", "reason": "", **more}
    )
    out = {
        "id": None if call["id"] is None else check_id(call["id"], "tool call"),
        "tool": _text(call["tool"], f"{where}.tool", MAX_LINE),
        "params": _json(call["params"], f"{where}.params"),
        "status": _one_of(call["status"], f"{where}.status", CALL_STATUSES),
        "reason": _text(call["reason"], f"{where}.reason", MAX_LINE),
    }
    if not out["tool"].strip():
        raise InvalidInputError(f"{where}.tool of a snapshot is empty. Name the tool.")
    if "result" in call:
        out["result"] = _json(call["result"], f"{where}.result")
    if "validation" in call:
        out["validation"] = checked_validation(call["validation"])
    return out


def _json(value: object, where: str) -> Any:
    return read_json(json_text(value, f"{where} of the snapshot"), f"{where} of the snapshot")


def checked_validation(value: object) -> State | None:
    """What a check of a call found, as {"state", "why", "at"}; None stands for none. Raises
    InvalidInputError."""
    if value is None:
        return None
    found = _object(value, "The validation", {"state": "unknown", "why": "", "at": 0})
    return {
        "state": _one_of(found["state"], "The state of a validation", VALIDATION_STATES),
        "why": _text(found["why"], "The reason of a validation", MAX_LINE),
        "at": check_time(found["at"], "The time of a validation") or 0,
    }


# -- formats of earlier releases --


def _from_0(state: State) -> State:
    """Format 0 named things otherwise, kept the messages themselves, and had no constraints and no
    results."""
    plan = state.get("execution_plan") or []
    ended = {"done", "failed", "skipped", "active", "pending"}
    return {
        "goal": str(state.get("current_goal") or "")[:MAX_LINE],
        "plan": [
            {
                "step": str(item.get("desc") or item.get("step")),
                "status": item.get("status") if item.get("status") in ended else "pending",
            }
            for item in plan
        ],
        "pending": [
            {"tool": str(item.get("tool")), "params": item.get("params") or {}, "reason": ""}
            for item in state.get("pending_tools") or []
        ],
        "scratchpad": str(state.get("scratchpad") or "")[:MAX_NOTES],
    }


_UPGRADES: dict[int, Callable[[State], State]] = {0: _from_0}


def read_state(format: object, state: object) -> State:
    """A state of any released format in the present one. Raises InvalidInputError where the format is unknown
    (of a newer release) or the state is not of it."""
    if isinstance(format, bool) or not isinstance(format, int) or not 0 <= format <= FORMAT:
        raise InvalidInputError(
            f"The snapshot has format {shown(format, 20)}; this program knows formats up to {FORMAT}. "
            "Update the program to take this task up again."
        )
    try:
        for step in range(format, FORMAT):
            state = _UPGRADES[step](dict(state) if isinstance(state, Mapping) else {})
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidInputError(f"The snapshot is not of format {format}, as it says ({error}).") from error
    return checked_state(state)


# -- what an agent asks and does --


def plan_is_open(state: Mapping[str, Any]) -> bool:
    return any(step["status"] in OPEN_STEPS for step in state["plan"])


def plan_is_done(state: Mapping[str, Any]) -> bool:
    """There was a plan, and nothing of it is left to do."""
    return bool(state["plan"]) and not plan_is_open(state) and not state["pending"]


def with_call(state: Mapping[str, Any], call: Mapping[str, Any], *, done: bool) -> State:
    """The state with one call among the pending ones, or, once it is over, among those that were made. What
    it was given and what it gave is shortened; the call's own record has the whole."""
    id = call["id"]
    out = dict(state)
    out["pending"] = [item for item in state["pending"] if item["id"] != id]
    out["calls"] = [item for item in state["calls"] if item["id"] != id]
    kept = {name: call[name] for name in ("id", "tool", "status")} | {
        "params": _shortened(call["params"]),
        "reason": str(call.get("reason") or "")[: SHOWN_CHARACTERS // 2],
    }
    if done:
        out["calls"] = [*out["calls"], {**kept, "result": _shortened(call.get("result"))}][-SHOWN_CALLS:]
    else:
        out["pending"] = [*out["pending"], {**kept, "validation": call.get("validation")}][-MAX_CALLS:]
    return out


def fitted(state: Mapping[str, Any]) -> State:
    """The state without its oldest calls as far as it would else be too large. What a user or model wrote
    into it is never left out, so that it may still be."""
    out = dict(state)
    while out["calls"] and len(json_text(out).encode()) > MAX_STATE_BYTES:
        out["calls"] = out["calls"][1:]
    return out


def _shortened(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= SHOWN_CHARACTERS else {"shortened": text[:SHOWN_CHARACTERS]}
