"""Running the tool calls of one round: a call and its result are one record with a state.

A call that acts on the world outside is noted, put to the user, checked, saved and durable before it starts,
and its end is durable before anything else happens. So whoever finds it running after a crash knows only that
it may have happened, and asks; it is never run twice unasked.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .arguments import checked_arguments
from .cancelling import StoppedError, unless_cancelled
from .checks import json_text, read_json
from .context import without_controls
from .errors import InvalidInputError, NotFoundError
from .outputs import MAX_OUTPUT_BYTES, bounded
from .records import Cancel, Experience, Message, Tool, ToolCall, ToolCallDelta
from .resuming import validated
from .snapshots import checked_state, fitted, with_call
from .store import MemoryStore
from .task_tools import task_state
from .text import clean
from .unfinished import ASK

__all__ = ["Decide", "ToolRuns", "as_called"]

MAX_ARGUMENT_BYTES = 256 << 10  # of one call
MAX_CALLS = 16  # of one answer; what a model asks for beyond is refused
_NOT_AGREED = "Not run: the session was taken up again, and the user has not agreed yet. Ask the user first."
_END_UNKNOWN = (
    "Not run: the same call was made before, and nobody knows whether it happened. "
    "Ask the user whether to repeat it."
)
_UNCHECKED = (
    "Not run: its check failed ({why}), so that nobody knows whether it can be done. "
    "Ask the user whether to do it all the same."
)
_ASKED = "Not run yet: the user is asked first."
_REFUSED = "Not run: the user said no."
_ASKED_ANEW = "Not run: the user is asked about the same call anew."
_STOPPED = "Not run: the user pressed Stop."
_TOO_MANY = f"Not run: one answer may make {MAX_CALLS} calls. Make the others after these."
_UNSAVED = "Not run: the memory could not be saved, so that nobody would know of it afterwards."
_LATE = "It gave no answer within {seconds:g} s. It may have happened all the same; do not repeat it unasked."
_LATE_READING = "It gave no answer within {seconds:g} s."

_OVER = ("success", "failed", "timeout")

# Asks the user about a call while the round waits: (call, what the model said before it) → yes or no.
Decide = Callable[[ToolCall, str], Awaitable[bool]]


@dataclass
class _Call:
    """A call of the model, on its way."""

    delta: ToolCallDelta
    name: str
    tool: Tool | None
    arguments: dict[str, Any]
    problem: str
    record: ToolCall | None = None

    @property
    def acts(self) -> bool:
        return self.tool is not None and not self.problem and (self.tool.side_effect or self.tool.asks_first)


class ToolRuns:
    """Runs calls for the answer `reply` to the message `said`.

    `may_act` allows calls with side effects; `confirmed` says that the user has just told to go on, so that a
    call whose end is unknown may be repeated. Without `decide` a call that has to be asked about waits as a
    proposed one, is added to `asked`, and the round is to end with the question. `uses` collects what the
    answer then rests on; `tell` gets every record as it changes.
    """

    def __init__(
        self,
        store: MemoryStore,
        tools: Sequence[Tool],
        said: Message,
        reply: Message,
        confirmed: bool,
        *,
        cancel: Cancel,
        decide: Decide | None = None,
        tell: Callable[[Mapping[str, Any]], None] = lambda event: None,
    ) -> None:
        self._store = store
        self.tools = list(tools)
        self._by_name = {tool.name: tool for tool in tools}
        self._said, self._reply = said, reply
        self.may_act, self._confirmed = True, confirmed
        self._cancel, self._decide, self._tell = cancel, decide, tell
        earlier = store.list_tool_calls(reply.session_id, message_id=reply.id)
        self._earlier = [call for call in earlier if call.status in _OVER]
        self._beside: list[ToolCall] | None = None  # calls of other answers to the same message, once read
        self.asked: list[ToolCall] = []
        self.offered: Sequence[Experience] = ()  # what the prompt says about tools: each call counts for it
        self.uses: list[tuple[str, str, Mapping[str, Any]]] = []

    def earlier(self) -> list[dict[str, Any]]:
        """The calls that were over before the round was cut off, as messages of the prompt."""
        out: list[dict[str, Any]] = []
        for call in self._earlier:
            out += _exchange(call)
        return out

    async def run_approved(self) -> None:
        """Makes the calls that the answer before proposed and the user has agreed to: exactly these,
        whatever the model would call now. Their results are among the earlier() ones then, as are those of
        a round that was cut off in between."""
        for record in self.before():
            tool = self._by_name.get(record.tool_name)
            if record.status == "approved" and tool is not None and isinstance(record.input, dict):
                self._earlier.append(await self._act(tool, record, ""))
            elif record.status in _OVER:
                self._earlier.append(record)

    def before(self) -> list[ToolCall]:
        """The calls that the answer before has asked about."""
        question = self._store.find_message(self._said.parent_id) if self._said.parent_id else None
        if question is None or question.intent != ASK:
            return []
        calls = self._store.list_tool_calls(question.session_id, message_id=question.id)
        return [call for call in calls if self._acts(call.tool_name)]

    def _acts(self, name: str) -> bool:
        tool = self._by_name.get(name)
        return tool is None or tool.side_effect or tool.asks_first

    async def run_all(self, calls: Iterable[ToolCallDelta], why: str) -> list[dict[str, Any]]:
        """Makes the calls of one answer of the model, those next to each other that only read at the same
        time, and returns the messages with their results. `why` is what the model said before them."""
        read = [self._read_call(delta) for delta in calls]
        for call in read[MAX_CALLS:]:
            call.problem = call.problem or _TOO_MANY
        self._note_proposed(read)
        out = []
        for acts, group in itertools.groupby(read, key=lambda call: call.acts):
            together = list(group)
            if acts or len(together) == 1:
                records = [await self._run_one(call, why) for call in together]
            else:
                records = await asyncio.gather(*(self._run_one(call, why) for call in together))
            out += [self._told(call, record) for call, record in zip(together, records, strict=True)]
        return out

    def _read_call(self, delta: ToolCallDelta) -> _Call:
        name = clean(delta.name or "?")[0][:100]
        tool = self._by_name.get(delta.name or "")
        arguments, problem = _arguments(delta.arguments)
        if tool is None:
            problem = f"There is no tool {name!r}. There are {', '.join(self._by_name) or 'none'}."
        elif not problem:
            try:
                arguments = checked_arguments(tool.name, tool.parameters, arguments)
            except InvalidInputError as error:
                problem = str(error)
        return _Call(delta, name, tool, arguments, problem)

    def _note_proposed(self, calls: Iterable[_Call]) -> None:
        """All that would act are noted before the first of them does, so that none is lost in a crash."""
        taken: set[str] = set()
        with self._store.action():
            for call in calls:
                if not call.acts or self._made_before(call.name, call.arguments):
                    continue
                if self._refusal(call.name, call.arguments):
                    continue
                record = self._waiting(call.name, call.arguments, taken)
                if record and call.tool and call.tool.asks_first and not self._agreed(record):
                    # Asked about before and not answered: it is this answer's question now.
                    self._end(record, "cancelled", InvalidInputError(_ASKED_ANEW), None, "")
                    record = None
                call.record = record or self._changed(
                    self._store.add_tool_call(
                        self._reply.session_id, call.name, call.arguments, message_id=self._reply.id
                    )
                )
                taken.add(call.record.id)

    async def _run_one(self, call: _Call, why: str) -> ToolCall:
        if call.tool is None or call.problem:
            return self._note(call.name, call.arguments, "failed", InvalidInputError(call.problem))
        if self._cancel.is_set():
            stopped = InvalidInputError(_STOPPED)
            if call.record is not None:
                return self._end(call.record, "cancelled", stopped, None, why)
            return self._note(call.name, call.arguments, "cancelled", stopped)
        if not call.acts:
            return await self._read(call.tool, call.arguments)
        if known := self._take_made_before(call.name, call.arguments):
            return known
        if call.record is None:
            refused = InvalidInputError(self._refusal(call.name, call.arguments))
            return self._note(call.name, call.arguments, "cancelled", refused)
        return await self._act(call.tool, call.record, why)

    def _told(self, call: _Call, record: ToolCall) -> dict[str, Any]:
        self.uses.append(("tool_calls", record.id, {"why": "its result was read"}))
        if call.name == "memory_search" and isinstance(record.output, list):
            self.uses += [
                (item["kind"], item["id"], {"why": "found", "reason": item.get("reason", {})})
                for item in record.output
                if isinstance(item, dict) and {"kind", "id"} <= item.keys() and isinstance(item["id"], str)
            ]
        id = call.delta.id or str(call.delta.index)
        return {"role": "tool", "tool_call_id": id, "content": _as_told(record.output)}

    async def _read(self, tool: Tool, arguments: dict[str, Any]) -> ToolCall:
        """A call that changes nothing outside the memory is noted when it is over: nothing is lost with
        it."""
        try:
            output = await unless_cancelled(self._run(tool, arguments), self._cancel)
        except StoppedError:
            return self._note(tool.name, arguments, "cancelled", InvalidInputError(_STOPPED))
        except TimeoutError as error:
            return self._note(tool.name, arguments, "timeout", error)
        except Exception as error:
            return self._note(tool.name, arguments, "failed", error)
        return self._note(tool.name, arguments, "success", output)

    async def _act(self, tool: Tool, record: ToolCall, why: str) -> ToolCall:
        store, arguments = self._store, record.input
        validation, could_tell = await validated(tool, arguments, store.clock())
        if validation and validation["state"] == "invalid":
            problem = f"It cannot be done: {validation['why'] or 'the check says so'}."
            return self._end(record, "cancelled", InvalidInputError(problem), validation, why)
        if not self._agreed(record):
            if tool.asks_first or self._done_beside(record):
                if self._decide is None:
                    self.asked.append(self._wait(record, validation, why, _ASKED))
                    return self.asked[-1]
                record = await self._ask(record, validation, why)
                if record.status != "approved":
                    return record
            elif validation and not could_tell:
                return self._wait(record, validation, why, _UNCHECKED.format(why=validation["why"]))
        with store.action():
            record = self._changed(store.update_tool_call(record.id, "running", validation=validation))
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
            late = _LATE if tool.side_effect else _LATE_READING
            raise TimeoutError(late.format(seconds=seconds)) from None

    # -- what may not be run, or not unasked --

    def _made_before(self, name: str, arguments: Any) -> ToolCall | None:
        """The same call, made before the round was cut off or the user was asked."""
        return next((c for c in self._earlier if (c.tool_name, c.input) == (name, arguments)), None)

    def _take_made_before(self, name: str, arguments: Any) -> ToolCall | None:
        """Its result is told again, once."""
        if known := self._made_before(name, arguments):
            self._earlier.remove(known)
        return known

    def _refusal(self, name: str, arguments: Any) -> str:
        if not self.may_act:
            return _NOT_AGREED
        unknown = any(
            call.status in ("unknown", "timeout")
            and (call.tool_name, call.input) == (name, arguments)
            and (call.message_id == self._reply.id or not self._confirmed)  # the yes came before this round's
            for call in self._store.list_tool_calls(self._reply.session_id)
        )
        return _END_UNKNOWN if unknown else ""

    def _waiting(self, name: str, arguments: Any, but: set[str]) -> ToolCall | None:
        """The record of the same call where it waits for the user, or has got the yes."""
        for call in self._store.open_tool_calls(self._reply.session_id):
            waits = call.status in ("proposed", "approved") and call.id not in but
            if waits and (call.tool_name, call.input) == (name, arguments):
                return call
        return None

    def _agreed(self, record: ToolCall) -> bool:
        """Whether the user has said yes to it: it was put before them in an earlier round."""
        asked = record.message_id != self._reply.id
        return record.status == "approved" or (self._confirmed and asked)

    def _done_beside(self, record: ToolCall) -> bool:
        """Whether another answer to the same message has made the same call: an answer made anew must not do
        it a second time unasked."""
        if self._beside is None:
            others = self._store.replies_to(self._said.id)
            self._beside = [
                call
                for other in others
                if other.id != self._reply.id
                for call in self._store.list_tool_calls(other.session_id, message_id=other.id)
                if call.status in ("success", "unknown", "timeout")
            ]
        return any((c.tool_name, c.input) == (record.tool_name, record.input) for c in self._beside)

    async def _ask(self, record: ToolCall, validation: Mapping[str, Any] | None, why: str) -> ToolCall:
        """Puts it to the user while the round waits; durable, so that a crash leaves the question."""
        assert self._decide is not None
        self._wait(record, validation, why, _ASKED)
        await self._store.durable()
        try:
            yes = await unless_cancelled(self._decide(record, why), self._cancel)
        except StoppedError:
            return self._end(record, "cancelled", InvalidInputError(_STOPPED), None, why)
        except Exception:  # whoever cannot be asked has not agreed
            yes = False
        if yes is not True:
            return self._end(record, "cancelled", InvalidInputError(_REFUSED), None, why)
        return self._changed(self._store.update_tool_call(record.id, "approved"))

    def _wait(self, record: ToolCall, validation: Mapping[str, Any] | None, why: str, told: str) -> ToolCall:
        """A call that is not made unasked."""
        with self._store.action():
            record = self._store.update_tool_call(record.id, record.status, validation=validation)
            self._save(record, validation, why, f"before {record.tool_name}", done=False)
        self._changed(record)
        return dataclasses.replace(record, output={"error": told})

    # -- records --

    def _changed(self, record: ToolCall) -> ToolCall:
        self._tell({"type": "tool_call", "message_id": self._reply.id, "call": record})
        return record

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
            problem = clean(str(output))[0][:MAX_OUTPUT_BYTES]
            output = {"error": f"{type(output).__name__}: {problem}"}
        tool = self._by_name.get(record.tool_name)
        most = tool.max_output_bytes if tool and tool.max_output_bytes else MAX_OUTPUT_BYTES
        shown = None if status == "unknown" else bounded(output, most)
        try:
            record = self._store.update_tool_call(
                record.id, status, output=shown, error=problem or None, validation=validation
            )
        except NotFoundError:  # it forgot the message that had proposed it
            record = dataclasses.replace(record, status=status, output=shown, error_message=problem)
        return self._changed(record)

    def _save(
        self, record: ToolCall, validation: Mapping[str, Any] | None, why: str, reason: str, *, done: bool
    ) -> None:
        tool = self._by_name.get(record.tool_name)
        if tool is not None and not tool.side_effect:  # nothing outside the memory is left half done
            return
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
                "function": {"name": call.name or "?", "arguments": _sendable(call.arguments)},
            }
            for index, call in calls
        ],
    }


def _exchange(call: ToolCall) -> list[dict[str, Any]]:
    """A call that is over, as messages of the prompt."""
    asked = ToolCallDelta(0, call.id, call.tool_name, json_text(call.input))
    told = {"role": "tool", "tool_call_id": call.id, "content": _as_told(call.output)}
    return [as_called("", [(0, asked)]), told]


def _as_told(output: Any) -> str:
    return without_controls(json_text(output))


def _sendable(arguments: str) -> str:
    """A call's arguments as they go back to the model: servers refuse a history whose arguments are no
    JSON."""
    try:
        json_text(read_json(arguments or "{}", "The arguments"))
    except InvalidInputError:
        return "{}"
    return clean(arguments)[0] or "{}"


def _arguments(text: str) -> tuple[dict[str, Any], str]:
    """A call's arguments, and what is wrong with them."""
    if len(text) > MAX_ARGUMENT_BYTES or len(text.encode(errors="replace")) > MAX_ARGUMENT_BYTES:
        return {}, f"The arguments are longer than {MAX_ARGUMENT_BYTES:,} bytes. Send less at once."
    try:
        # Once more as text: an escape in it may stand for half a character.
        arguments = read_json(json_text(read_json(clean(text)[0] or "{}", "The arguments")))
    except InvalidInputError as error:
        return {}, str(error)
    if not isinstance(arguments, dict):
        return {}, "The arguments must be a JSON object."
    return arguments, ""
