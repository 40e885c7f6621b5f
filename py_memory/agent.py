"""ChatAgent: one round from the user's words to a durable answer, that a crash at any point leaves whole.

A round is named by its user message. Its answer exists from the first moment, as a message that is
streaming; whoever runs the round again finds both and goes on, so nothing is said twice and no question
stays without an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import context
from .checks import json_text, read_json
from .errors import ConflictError, InvalidInputError, ModelError, PyMemoryError
from .extraction import propose
from .memory_tools import memory_tools, noticed_in
from .recalled import active_recall
from .records import Cancel, Delta, Message, Model, Tool, ToolCallDelta
from .store import MAX_MESSAGE_BYTES, MemoryStore
from .text import clean, detect_language

__all__ = ["ChatAgent"]

MAX_CHARS, MAX_MESSAGES, MAX_FACTS = 4000, 20, 12
MAX_TOOL_TURNS = 8  # a model that goes on calling tools is stopped here
MAX_OUTPUT_CHARACTERS = 32_000  # of a tool's result, kept and shown to the model
MEMORY_KINDS = frozenset({"messages", "facts", "summaries", "tool_calls", "experiences"})
_TITLE_CHARACTERS = 40  # the page shows the whole first message, as far as there is room
_SAYS = {
    "failed": {
        "en": "No answer this time: {reason} Your message is kept; you can try again.",
        "zh": "这次没能回答：{reason} 你的消息已保存，可以再试一次。",
    },
    "empty": {"en": "the model gave an empty answer.", "zh": "模型没有给出内容。"},
    "broken": {"en": "the model stopped with an error ({error}).", "zh": "模型出错停止了（{error}）。"},
    "endless": {
        "en": "the model kept calling tools without answering.",
        "zh": "模型一直在调用工具，没有给出回答。",
    },
    "long": {
        "en": "the answer grew over 1 MiB and was cut here.",
        "zh": "回答超过 1 MiB，在此截断。",
    },
    "stopped": {"en": "(stopped)", "zh": "（已停止）"},
    "interrupted": {"en": "(interrupted)", "zh": "（已中断）"},
    "unknown": {
        "en": "I was interrupted while running {tools}. I do not know whether it happened, "
        "and I will not repeat it unasked.",
        "zh": "我在执行 {tools} 时被中断，不知道它是否已经完成；没有你的确认，我不会再执行。",
    },
}

OnEvent = Callable[[Mapping[str, Any]], None]


class _Teller:
    """Passes events on. A listener that fails hears no more; its error is raised when the round is whole."""

    def __init__(self, listener: OnEvent | None) -> None:
        self._listener = listener
        self._failure: Exception | None = None

    def __call__(self, event: Mapping[str, Any]) -> None:
        if self._listener is None or self._failure is not None:
            return
        try:
            self._listener(event)
        except Exception as error:
            self._failure = error

    def raise_what_failed(self) -> None:
        if self._failure is not None:
            raise self._failure


class _Never:
    def is_set(self) -> bool:
        return False


@dataclass
class _Answer:
    """An answer as it arrives."""

    pieces: list[str] = field(default_factory=list)
    room: int = MAX_MESSAGE_BYTES - 4096  # bytes of UTF-8 left, besides a sentence at the end
    uses: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    status: str = "complete"

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, text: str) -> bool:
        """Takes a piece, or as much of it as there is room for. Whether all of it was."""
        data = clean(text)[0].encode()
        fitting = data[: self.room].decode(errors="ignore")
        self.pieces.append(fitting)
        self.room -= len(data)
        return self.room >= 0

    def fail(self, reason: str, language: str) -> None:
        self.status = "failed"
        self.pieces.append(
            ("\n\n" if self.text.strip() else "") + _SAYS["failed"][language].format(reason=reason)
        )


class ChatAgent:
    """Runs chat rounds of one store with one model. `tools` are added to the memory's own."""

    def __init__(self, store: MemoryStore, model: Model, tools: Sequence[Tool] | None = None) -> None:
        self._store = store
        self._model = model
        self._tools = list(tools or ())
        self._running: dict[str, asyncio.Event] = {}

    async def chat_round(
        self,
        session_id: str | None,
        text: str,
        *,
        message_id: str | None = None,
        on_event: OnEvent | None = None,
        cancel: Cancel | None = None,
    ) -> Message:
        """Stores the user's message, answers it, stores the answer, and returns it.

        Both are durable when this returns, the user's before the model is called. Without a session the
        most recent one goes on. The same `message_id` again goes on with that round. A failing model leaves
        an answer with status "failed", a cancelled one what had arrived, with status "stopped". `on_event`
        is told {"type": "message", "message"}, {"type": "proposals", "facts", "stored"}, {"type": "delta",
        "message_id", "text"} and {"type": "forgotten", "operation_id", "counts", "undo_until"}; what it
        raises comes out once the round is whole.

        Raises InvalidInputError and TooLargeError for a text that cannot be stored, NotFoundError for a
        session that is unknown or deleted meanwhile, ConflictError for an id that belongs to another
        message.
        """
        tell = _Teller(on_event)
        while message_id and (running := self._running.get(message_id)):
            await running.wait()
        said, reply = self._begin(session_id, text, message_id)
        finished = self._running[said.id] = asyncio.Event()
        try:
            await self._store.durable()
            tell({"type": "message", "message": said})
            noticed = noticed_in(self._store, said)
            if noticed.proposed or noticed.stored:
                tell({"type": "proposals", "facts": noticed.proposed, "stored": noticed.stored})
            if reply.status == "streaming":
                tell({"type": "message", "message": reply})
                reply = await self._answer(said, reply, tell, cancel or _Never())
                await self._store.durable()
            tell({"type": "message", "message": reply})
            tell.raise_what_failed()
            return reply
        finally:
            del self._running[said.id]
            finished.set()

    # -- first half: the user's words, what is learned from them, an empty answer --

    def _begin(self, session_id: str | None, text: str, message_id: str | None) -> tuple[Message, Message]:
        store = self._store
        with store.action():
            said = store.find_message(message_id) if message_id else None
            if said is not None:
                if said.role != "user" or session_id not in (None, said.session_id):
                    raise ConflictError(
                        f"The id {message_id!r} belongs to another message. Give a new message a new id."
                    )
                if not said.edited:
                    store.add_message(said.session_id, "user", text, id=said.id)  # refuses another text
                return said, self._reply_to(said)
            session = store.get_session(session_id) if session_id else store.get_or_create_session()
            self._close_interrupted(session.id, detect_language(text))
            said = store.add_message(session.id, "user", text, id=message_id)
            if session.title is None:
                store.rename_session(session.id, " ".join(said.content.split())[:_TITLE_CHARACTERS])
            self._learn(said)
            return said, self._reply_to(said)

    def _reply_to(self, said: Message) -> Message:
        """The round's answer, begun now if it is not there."""
        for child in self._store.replies_to(said.id):
            if child.role == "assistant":
                return child
        return self._store.add_message(
            said.session_id, "assistant", "", parent_id=said.id, status="streaming"
        )

    def _close_interrupted(self, session_id: str, language: str) -> None:
        """Answers that a crash cut off and nobody went on with."""
        for message in self._store.get_recent_messages(session_id, 2):
            if message.status == "streaming" and message.parent_id not in self._running:
                self._store.set_message_status(
                    message.id, "stopped", message.content or _SAYS["interrupted"][language]
                )

    def _learn(self, said: Message) -> None:
        """What was asked to be remembered is stored at once; what the rules infer waits for the user."""
        zone = self._store.get_setting("zone")
        zone = zone if isinstance(zone, str) else None
        for proposal in propose(said.content, now=said.created_at, zone=zone):
            details = {
                name: proposal[name] for name in ("category", "quote", "spoken_words", "zone", "valid_from")
            }
            details |= {"source_message_id": said.id, "source_version_id": said.version_id}
            if proposal["explicit"]:
                self._store.set_fact(proposal["key"], proposal["value"], **details)
            else:
                self._store.propose_fact(
                    proposal["key"], proposal["value"], confidence=proposal["confidence"], **details
                )

    # -- second half: the model's answer --

    async def _answer(self, said: Message, reply: Message, tell: OnEvent, cancel: Cancel) -> Message:
        language = detect_language(said.content)
        answer = _Answer()
        if interrupted := self._close_calls(reply):
            answer.status = "stopped"
            answer.pieces = [_SAYS["unknown"][language].format(tools=", ".join(interrupted))]
            return self._finish(reply, answer)
        try:
            await self._converse(said, reply, answer, tell, cancel)
        except asyncio.CancelledError:
            answer.status = "stopped"
            if not answer.text.strip():
                answer.pieces = [_SAYS["stopped"][language]]
            self._finish(reply, answer)
            raise
        except Exception as error:  # whatever a model or a tool does, the question gets its answer
            answer.fail(_reason(error, language), language)
        if cancel.is_set() and answer.status == "complete":
            answer.status = "stopped"
        if not answer.text.strip():
            if answer.status == "stopped":
                answer.pieces = [_SAYS["stopped"][language]]
            else:
                answer.fail(_SAYS["empty"][language], language)
        return self._finish(reply, answer)

    def _finish(self, reply: Message, answer: _Answer) -> Message:
        with self._store.action():
            if answer.uses:
                self._store.record_uses(reply.id, answer.uses)
            return self._store.set_message_status(reply.id, answer.status, answer.text)

    async def _converse(
        self, said: Message, reply: Message, answer: _Answer, tell: OnEvent, cancel: Cancel
    ) -> None:
        """The model speaks, and is called again with the results for as long as it calls tools."""
        language = detect_language(said.content)
        messages = self._prompt(said, answer)
        tools = [
            *memory_tools(
                self._store, said, lambda receipt: tell({"type": "forgotten", **receipt.to_dict()})
            ),
            *self._tools,
        ]
        for _ in range(MAX_TOOL_TURNS):
            calls: dict[int, ToolCallDelta] = {}
            spoken = len(answer.pieces)
            deltas = self._model.reply(messages, tools, cancel)
            try:
                async for delta in deltas:
                    complete = self._take(delta, answer, calls)
                    if delta.text:
                        tell({"type": "delta", "message_id": reply.id, "text": answer.pieces[-1]})
                    if not complete:
                        answer.fail(_SAYS["long"][language], language)
                        return
                    if cancel.is_set():
                        return
            finally:
                await _close(deltas)
            if not calls:
                return
            messages.append(_as_called("".join(answer.pieces[spoken:]), calls))
            for _, call in sorted(calls.items()):
                messages.append(await self._run_call(call, tools, reply))
        answer.fail(_SAYS["endless"][language], language)

    @staticmethod
    def _take(delta: Delta, answer: _Answer, calls: dict[int, ToolCallDelta]) -> bool:
        """False once the answer is as long as a message may be."""
        for kind, id, why in delta.uses:
            if kind not in MEMORY_KINDS:
                raise ModelError(f"The model names a memory of an unknown kind: {kind!r:.40}.")
            answer.uses.append((kind, clean(id)[0], {"why": clean(why)[0]}))
        if delta.text and not answer.add(delta.text):
            return False
        if piece := delta.tool_call:
            known = calls.get(piece.index, ToolCallDelta(piece.index))
            calls[piece.index] = ToolCallDelta(
                piece.index, known.id or piece.id, known.name or piece.name, known.arguments + piece.arguments
            )
        return True

    def _prompt(self, said: Message, answer: _Answer) -> list[dict[str, Any]]:
        language = detect_language(said.content)
        facts = self._store.facts_for_prompt(MAX_FACTS)
        if not getattr(self._model, "names_its_uses", False):
            answer.uses.extend(("facts", fact.id, {"why": "in the prompt"}) for fact in facts)
        history = self._store.get_context_within_budget(said.session_id, MAX_CHARS, limit=MAX_MESSAGES)
        ids = [message.id for message in history]
        history = history[: ids.index(said.id) + 1] if said.id in ids else [said]
        prompt = context.prompt(facts, history, MAX_CHARS, language)
        if not getattr(self._model, "names_its_uses", False):  # such a model looks for itself
            recalled, uses = active_recall(self._store, said, [*history, *facts])
            answer.uses.extend(uses)
            prompt[0]["content"] += f"\n\n{recalled}" if recalled else ""
        return prompt

    # -- tool calls of the model: a call and its result are one record with a state --

    async def _run_call(self, call: ToolCallDelta, tools: Sequence[Tool], reply: Message) -> dict[str, Any]:
        store = self._store
        arguments, problem = _arguments(call.arguments)
        name = clean(call.name or "?")[0]
        record = store.add_tool_call(reply.session_id, name, arguments, message_id=reply.id, status="running")
        await store.durable()
        tool = next((tool for tool in tools if tool.name == call.name), None)
        try:
            if tool is None:
                raise InvalidInputError(f"There is no tool {call.name!r}.")
            if problem:
                raise InvalidInputError(problem)
            status, output, problem = "success", await tool.run(**arguments), ""
        except asyncio.CancelledError:
            store.update_tool_call(record.id, "unknown")
            raise
        except Exception as error:
            status, problem = "failed", clean(str(error))[0]
            output = {"error": f"{type(error).__name__}: {problem}"}
        told = _told(output)
        store.update_tool_call(record.id, status, output=read_json(told), error=problem or None)
        return {"role": "tool", "tool_call_id": call.id or str(call.index), "content": told}

    def _close_calls(self, reply: Message) -> list[str]:
        """Calls that a crash cut off are closed as unknown and never repeated. Returns their tools' names."""
        cut = [
            call
            for call in self._store.list_tool_calls(reply.session_id)
            if call.message_id == reply.id and call.status in ("running", "unknown")
        ]
        for call in cut:
            self._store.update_tool_call(call.id, "unknown")
        return [call.tool_name for call in cut]


def _told(output: Any) -> str:
    """A tool's result as JSON, as its text where JSON cannot hold it. It ran, whatever it returned."""
    try:
        told = json_text(output)
        read_json(told)
    except InvalidInputError:
        told = json_text(f"{output!r:.{MAX_OUTPUT_CHARACTERS}}")
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


def _as_called(text: str, calls: Mapping[int, ToolCallDelta]) -> dict[str, Any]:
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
            for index, call in sorted(calls.items())
        ],
    }


def _reason(error: Exception, language: str) -> str:
    if isinstance(error, PyMemoryError):
        return clean(str(error))[0]
    return _SAYS["broken"][language].format(error=clean(f"{type(error).__name__}: {error}")[0][:500])


async def _close(deltas: AsyncIterator[Delta]) -> None:
    if close := getattr(deltas, "aclose", None) or getattr(deltas, "close", None):
        closing = close()
        if closing is not None:
            await closing
