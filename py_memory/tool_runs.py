"""Running the tool calls of one round: a call and its result are one record with a state.

A call that acts on the world outside is noted, checked, saved and durable before it starts, and its end is
durable before anything else happens. So whoever finds it running after a crash knows only that it may have
happened, and asks; it is never run twice unasked.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .checks import json_text, read_json
from .errors import InvalidInputError, shown
from .records import Experience, Message, Tool, ToolCall, ToolCallDelta
from .resuming import validated
from .snapshots import checked_state, fitted, with_call
from .store import MemoryStore
from .task_tools import task_state
from .text import clean

__all__ = ["MAX_OUTPUT_CHARACTERS", "ToolRuns", "as_called"]

MAX_OUTPUT_CHARACTERS = 32_000  # of a tool's result, kept and shown to the model
_NOT_AGREED = "Not run: the session was taken up again, and the user has not agreed yet. Ask the user first."
_END_UNKNOWN = (
    "Not run: the same call was made before, and nobody knows whether it happened. "
    "Ask the user whether to repeat it."
)
_UNCHECKED = (
    "Not run: its check failed ({why}), so that nobody knows whether it can be done. "
    "Ask the user whether to do it all the same."
)
_UNSAVED = "Not run: the memory could not be saved, so that nobody would know of it afterwards."
_LATE = "It gave no answer within {seconds:g} s. It may have happened all the same; do not repeat it unasked."


class ToolRuns:
    """Runs calls for the answer `reply` to the message `said`.

    `may_act` allows calls with side effects; `confirmed` says that the user has just told to go on, so that a
    call whose end is unknown may be repeated. `uses` collects what the answer then rests on.
    """

    def __init__(
        self,
        store: MemoryStore,
        tools: Sequence[Tool],
        said: Message,
        reply: Message,
        may_act: bool,
        confirmed: bool,
    ) -> None:
        self._store = store
        self.tools = list(tools)
        self._by_name = {tool.name: tool for tool in tools}
        self._said, self._reply = said, reply
        self._may_act, self._confirmed = may_act, confirmed
        earlier = store.list_tool_calls(reply.session_id, message_id=reply.id)
        self._earlier = [call for call in earlier if call.status in ("success", "failed", "timeout")]
        self.offered: Sequence[Experience] = ()  # what the prompt says about tools: each call counts for it
        self.uses: list[tuple[str, str, Mapping[str, Any]]] = []

    def earlier(self) -> list[dict[str, Any]]:
        """The calls that were over before the round was cut off, as messages of the prompt."""
        out: list[dict[str, Any]] = []
        for call in self._earlier:
            asked = ToolCallDelta(0, call.id, call.tool_name, json_text(call.input))
            out.append(as_called("", [(0, asked)]))
            out.append({"role": "tool", "tool_call_id": call.id, "content": json_text(call.output)})
        return out

    async def run(self, call: ToolCallDelta, why: str) -> dict[str, Any]:
        """Makes one call of the model and returns the message with its result. `why` is what the model said
        before it."""
        arguments, problem = _arguments(call.arguments)
        name = clean(call.name or "?")[0]
        tool = self._by_name.get(call.name or "")
        if tool is None or problem:
            problem = problem if tool else f"There is no tool {name!r}."
            record = self._note(name, arguments, "failed", InvalidInputError(problem))
        elif not tool.side_effect:
            record = await self._read(tool, arguments)
        else:
            record = await self._act(tool, arguments, why)
        told = json_text(record.output)
        self.uses.append(("tool_calls", record.id, {"why": "its result was read"}))
        if name == "memory_search" and isinstance(record.output, list):
            self.uses += [
                (item["kind"], item["id"], {"why": "found", "reason": item.get("reason", {})})
                for item in record.output
                if isinstance(item, dict) and {"kind", "id"} <= item.keys() and isinstance(item["id"], str)
            ]
        return {"role": "tool", "tool_call_id": call.id or str(call.index), "content": told}

    async def _read(self, tool: Tool, arguments: dict[str, Any]) -> ToolCall:
        """A call that changes nothing outside the memory is noted when it is over: nothing is lost with
        it."""
        try:
            output = await self._run(tool, arguments)
        except TimeoutError as error:
            return self._note(tool.name, arguments, "timeout", error)
        except Exception as error:
            return self._note(tool.name, arguments, "failed", error)
        return self._note(tool.name, arguments, "success", output)

    async def _act(self, tool: Tool, arguments: dict[str, Any], why: str) -> ToolCall:
        store = self._store
        if known := self._made_before(tool.name, arguments):
            return known
        if refused := self._refusal(tool.name, arguments):
            return self._note(tool.name, arguments, "cancelled", InvalidInputError(refused))
        record = self._waiting(tool.name, arguments) or store.add_tool_call(
            self._reply.session_id, tool.name, arguments, message_id=self._reply.id
        )
        validation, could_tell = await validated(tool, arguments, store.clock())
        if validation and validation["state"] == "invalid":
            problem = f"It cannot be done: {validation['why'] or 'the check says so'}."
            return self._end(record, "cancelled", InvalidInputError(problem), validation, why)
        if validation and not could_tell and not self._agreed(record):
            return self._wait(record, validation, why)
        with store.action():
            record = store.update_tool_call(record.id, "running", validation=validation)
            self._save(record, validation, why, f"before {tool.name}", done=False)
        if await store.durable() is False:
            return self._end(record, "cancelled", InvalidInputError(_UNSAVED), None, why)
        try:
            output = await self._run(tool, arguments)
        except asyncio.CancelledError:
            self._end(record, "unknown", None, None, why)
            raise
        except TimeoutError as error:
            record = self._end(record, "timeout", error, None, why)
        except Exception as error:
            record = self._end(record, "failed", error, None, why)
        else:
            record = self._end(record, "success", output, None, why)
        await store.durable()
        return record

    @staticmethod
    async def _run(tool: Tool, arguments: Mapping[str, Any]) -> Any:
        """Raises TimeoutError once the tool has had its time, or says itself that it ran out of it."""
        if tool.timeout_ms is None:
            return await tool.run(**arguments)
        seconds = tool.timeout_ms / 1000
        try:
            return await asyncio.wait_for(tool.run(**arguments), seconds)
        except TimeoutError:
            raise TimeoutError(_LATE.format(seconds=seconds)) from None

    # -- what may not be run --

    def _made_before(self, name: str, arguments: Any) -> ToolCall | None:
        """The same call, made before the round was cut off: its result is told again."""
        for call in self._earlier:
            if (call.tool_name, call.input) == (name, arguments):
                self._earlier.remove(call)
                return call
        return None

    def _refusal(self, name: str, arguments: Any) -> str:
        if not self._may_act:
            return _NOT_AGREED
        unknown = any(
            call.status in ("unknown", "timeout")
            and (call.tool_name, call.input) == (name, arguments)
            and (call.message_id == self._reply.id or not self._confirmed)  # the yes came before this round's
            for call in self._store.list_tool_calls(self._reply.session_id)
        )
        return _END_UNKNOWN if unknown else ""

    def _waiting(self, name: str, arguments: Any) -> ToolCall | None:
        """The record of the same call where it waits for the user, or has got the yes."""
        for call in self._store.open_tool_calls(self._reply.session_id):
            if call.status in ("proposed", "approved") and (call.tool_name, call.input) == (name, arguments):
                return call
        return None

    def _agreed(self, record: ToolCall) -> bool:
        """Whether the user has said yes to it: it was put before them in an earlier round."""
        asked = record.message_id != self._reply.id
        return record.status == "approved" or (self._confirmed and asked)

    def _wait(self, record: ToolCall, validation: Mapping[str, Any], why: str) -> ToolCall:
        """A call whose check failed is not made unasked."""
        with self._store.action():
            record = self._store.update_tool_call(record.id, record.status, validation=validation)
            self._save(record, validation, why, f"before {record.tool_name}", done=False)
        told = _UNCHECKED.format(why=validation["why"])
        return dataclasses.replace(record, output={"error": told})

    # -- records --

    def _note(self, name: str, arguments: Any, status: str, output: Any) -> ToolCall:
        """A record made when the call is over."""
        with self._store.action():
            record = self._store.add_tool_call(
                self._reply.session_id, name, arguments, message_id=self._reply.id, status="running"
            )
            return self._ended(record, status, output)

    def _end(
        self, record: ToolCall, status: str, output: Any, validation: Mapping[str, Any] | None, why: str
    ) -> ToolCall:
        with self._store.action():
            record = self._ended(record, status, output, validation)
            self._save(record, validation, why, f"after {record.tool_name}", done=status != "unknown")
            for item in self.offered:
                if item.topic == record.tool_name and status in ("success", "failed"):
                    self._store.count_outcome(item.id, status == "success")
            return record

    def _ended(
        self, record: ToolCall, status: str, output: Any, validation: Mapping[str, Any] | None = None
    ) -> ToolCall:
        problem = None
        if isinstance(output, Exception):
            problem = clean(str(output))[0]
            output = {"error": f"{type(output).__name__}: {problem}"}
        shown = None if status == "unknown" else read_json(_told(output))
        return self._store.update_tool_call(
            record.id, status, output=shown, error=problem or None, validation=validation
        )

    def _save(
        self, record: ToolCall, validation: Mapping[str, Any] | None, why: str, reason: str, *, done: bool
    ) -> None:
        call = {
            "id": record.id,
            "tool": record.tool_name,
            "params": record.input,
            "status": record.status,
            "result": record.output,
            "reason": why,
            "validation": validation,
        }
        state = fitted(with_call(task_state(self._store, self._said), call, done=done))
        try:
            checked_state(state)
        except InvalidInputError:  # a plan that fills it alone; what happened to the call is in its record
            return
        self._store.save_snapshot(self._reply.session_id, state, reason)


def as_called(text: str, calls: Iterable[tuple[int, ToolCallDelta]]) -> dict[str, Any]:
    """The model's turn as it goes back to it before the results."""
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": call.id or str(index),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments or "{}"},
            }
            for index, call in calls
        ],
    }


def _told(output: Any) -> str:
    """A tool's result as JSON, as its text where JSON cannot hold it. It ran, whatever it returned."""
    try:
        told = json_text(output)
        read_json(told)
    except InvalidInputError:
        told = json_text(shown(output, MAX_OUTPUT_CHARACTERS))
    if len(told) > MAX_OUTPUT_CHARACTERS:
        told = json_text(f"{told[:MAX_OUTPUT_CHARACTERS]}…")
    return told


def _arguments(text: str) -> tuple[dict[str, Any], str]:
    """A call's arguments, and what is wrong with them."""
    try:
        # Once more as text: an escape in it may stand for half a character.
        arguments = read_json(json_text(read_json(clean(text)[0] or "{}", "The arguments")))
    except InvalidInputError as error:
        return {}, str(error)
    if not isinstance(arguments, dict):
        return {}, "The arguments must be a JSON object."
    return arguments, ""
