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

from . import context, experience
from .checks import check_id
from .errors import ConflictError, InvalidInputError, ModelError, PyMemoryError, shown
from .extraction import propose
from .memory_tools import known_names, memory_tools, noticed_in
from .models.intents import understand
from .recalled import active_recall
from .records import Cancel, Delta, Message, Model, Receipt, Resumption, Tool, ToolCallDelta
from .store import MAX_MEMORY_CHARS, MAX_MESSAGE_BYTES, MemoryStore
from .task_tools import task_tools
from .text import clean, detect_language
from .titles import title_of
from .tool_runs import ToolRuns, as_called
from .unfinished import RESUME, Unfinished, tells_to_go_on

__all__ = ["ChatAgent"]

MAX_CHARS, MAX_FACTS = 4000, 12  # of history and of facts in a prompt
MAX_TOOL_TURNS = 8  # a model that goes on calling tools is stopped here
MEMORY_KINDS = frozenset({"messages", "facts", "summaries", "tool_calls", "experiences"})
# No chat is named after these.
_SAYS_NOTHING = frozenset({"greeting", "small_talk", "thanks", "farewell", "yes", "no", "undo"})
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
    "incognito": {
        "en": "This is an incognito chat: nothing said in it is kept, and nothing can be remembered or "
        "forgotten from here. Say so when asked to.",
        "zh": "这是无痕对话：其中的内容都不会保存，也不能在这里记住或忘掉任何事。如被要求，请如实说明。",
    },
    "stopped": {"en": "(stopped)", "zh": "（已停止）"},
    "interrupted": {"en": "(interrupted)", "zh": "（已中断）"},
    "undone": {
        "en": "This was undone: nothing is forgotten.",
        "zh": "已撤销，什么都没有忘掉。",
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
        self._rounds: dict[str, str] = {}  # the user message of a running round → its session
        self._forgotten: dict[str, str] = {}  # session → the last deletion that its user asked for
        self._unfinished = Unfinished(store, self._tools)

    async def resume_session(self, session_id: str, *, language: str | None = None) -> Resumption:
        """What a session is taken up again with: loaded, its open calls checked with their tools, told in
        `text`. Nothing is run. Raises NotFoundError."""
        return await self._unfinished.resume(session_id, language)

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
        "message_id", "text"} and {"type": "forgotten", "operation_id", "counts", "undo_until", "message_id",
        "undone"}, where `undone` is what that answer should read once this is taken back; what it raises
        comes out once the round is whole.

        Raises InvalidInputError and TooLargeError for a text that cannot be stored, NotFoundError for a
        session that is unknown or deleted meanwhile, ConflictError for an id that belongs to another
        message.
        """
        if not isinstance(text, str):
            raise InvalidInputError(f"A message is a text, not {shown(text)}.")
        if message_id is not None:
            check_id(message_id, "message")
        tell = _Teller(on_event)
        while message_id and (running := self._running.get(message_id)):
            await running.wait()
        said, reply = self._begin(session_id, text, message_id)
        finished = self._running[said.id] = asyncio.Event()
        self._rounds[said.id] = said.session_id
        try:
            await self._store.durable()
            tell({"type": "message", "message": said})
            noticed = noticed_in(self._store, said)
            if noticed.proposed or noticed.stored:
                tell({"type": "proposals", "facts": noticed.proposed, "stored": noticed.stored})
            if reply.status == "streaming":
                tell({"type": "message", "message": reply})
                reply = await self._answer(said, reply, tell, cancel or _Never())
                self._after_round(said)
                await self._store.durable()
            tell({"type": "message", "message": reply})
            tell.raise_what_failed()
            return reply
        finally:
            del self._running[said.id], self._rounds[said.id]
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
            busy = session.id in self._rounds.values()
            resumes = not busy and self._unfinished.has_to_ask(session)
            said = store.add_message(session.id, "user", text, id=message_id)
            if session.title is None and understand(said.content).kind not in _SAYS_NOTHING:
                store.rename_session(session.id, title_of(said.content))
            self._learn(said)
            reply = self._begin_reply(said, intent=RESUME if resumes else None)
            if self._unfinished.asks(said.parent_id):
                self._unfinished.take_answer(said)
            return said, reply

    def _reply_to(self, said: Message) -> Message:
        """The round's answer, begun now if it is not there."""
        for child in self._store.replies_to(said.id):
            if child.role == "assistant":
                return child
        return self._begin_reply(said)

    def _begin_reply(self, said: Message, intent: str | None = None) -> Message:
        return self._store.add_message(
            said.session_id, "assistant", "", parent_id=said.id, status="streaming", intent=intent
        )

    def _close_interrupted(self, session_id: str, language: str) -> None:
        """Answers that a crash cut off and nobody went on with."""
        for message in self._store.get_recent_messages(session_id, 2):
            if message.status == "streaming" and message.parent_id not in self._running:
                self._store.set_message_status(
                    message.id, "stopped", message.content or _SAYS["interrupted"][language]
                )

    def _learn(self, said: Message) -> None:
        """What was asked to be remembered is stored at once; what the rules infer waits for the user. Of an
        incognito chat nothing is."""
        if self._store.incognito:
            return
        zone = self._store.get_setting("zone")
        zone = zone if isinstance(zone, str) else None
        known = known_names(self._store)
        for proposal in propose(said.content, now=said.created_at, zone=zone, known=known):
            details = {
                name: proposal[name] for name in ("category", "quote", "spoken_words", "zone", "valid_from")
            }
            details |= {"source_message_id": said.id, "source_version_id": said.version_id}
            if proposal["explicit"]:
                self._store.set_fact(proposal["key"], proposal["value"], **details)
            else:
                if proposal["key"].endswith("::age"):
                    self._withdraw(proposal)
                self._store.propose_fact(
                    proposal["key"], proposal["value"], confidence=proposal["confidence"], **details
                )

    def _after_round(self, said: Message) -> None:
        """A yes of the user is a task node; whatever makes a summary due makes it now."""
        if understand(said.content).kind == "yes":
            self._store.task_node(said.session_id, "confirmed")
        self._store.summarise_if_due(said.session_id)

    def _withdraw(self, proposal: Mapping[str, Any]) -> None:
        """An age that waits for a yes makes way for the one that is told now."""
        for waiting in self._store.list_facts(status="candidate", prefix=proposal["key"]):
            if waiting.key == proposal["key"] and waiting.value != proposal["value"]:
                self._store.reject_fact(waiting.id)

    # -- second half: the model's answer --

    async def _answer(self, said: Message, reply: Message, tell: OnEvent, cancel: Cancel) -> Message:
        language = detect_language(said.content)
        answer = _Answer()
        tools = self._tools_for(said, reply, tell)
        reading = {tool.name for tool in tools if not tool.side_effect}
        cut_off = any(
            call.status != "cancelled" and call.tool_name not in reading
            for call in self._store.list_tool_calls(reply.session_id, message_id=reply.id)
        )
        resumption, answers = None, self._unfinished.asks(said.parent_id)
        if cut_off or reply.intent == RESUME or answers:
            resumption = await self._unfinished.resume_round(said, reply, language)
        if resumption and resumption.text and (cut_off or reply.intent == RESUME):
            self._store.set_intent(reply.id, RESUME)
            answer.add(resumption.text if cut_off else f"{resumption.text}\n\n")
            tell({"type": "delta", "message_id": reply.id, "text": answer.text})
            if cut_off:  # it had begun to act: what comes next is the user's to say
                answer.status = "stopped"
                return self._finish(reply, answer)
        try:
            agreed = tells_to_go_on(said.content)
            may_act = not cut_off and reply.intent != RESUME and (agreed or not answers)
            runs = ToolRuns(self._store, tools, said, reply, may_act, agreed)
            await self._converse(said, reply, answer, tell, cancel, runs, resumption)
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
            if uses := list(
                {(kind, id): (kind, id, why) for kind, id, why in reversed(answer.uses)}.values()
            ):
                self._store.record_uses(reply.id, uses[::-1])
            message = self._store.set_message_status(reply.id, answer.status, answer.text)
            self._unfinished.save_open_plan(reply.session_id)
            return message

    def _tools_for(self, said: Message, reply: Message, tell: OnEvent) -> list[Tool]:
        undone = _SAYS["undone"][detect_language(said.content)]

        def forgotten(receipt: Receipt) -> None:
            self._forgotten[said.session_id] = receipt.operation_id
            tell({"type": "forgotten", "message_id": reply.id, "undone": undone, **receipt.to_dict()})

        return [
            *memory_tools(self._store, said, forgotten, self._forgotten.get(said.session_id)),
            *task_tools(self._store, said),
            *self._tools,
        ]

    async def _converse(
        self,
        said: Message,
        reply: Message,
        answer: _Answer,
        tell: OnEvent,
        cancel: Cancel,
        runs: ToolRuns,
        resumption: Resumption | None,
    ) -> None:
        """The model speaks, and is called again with the results for as long as it calls tools."""
        language = detect_language(said.content)
        if not getattr(self._model, "names_its_uses", False):
            await self._store.prepare_recall(said.content)
        messages = self._prompt(said, answer)
        tools = runs.tools
        offered = []
        if not getattr(self._model, "names_its_uses", False):
            offered = runs.offered = self._store.experiences_for(said.content, [t.name for t in tools])
            answer.uses.extend(("experiences", item.id, {"why": "in the prompt"}) for item in offered)
        for note in (experience.in_prompt(offered, language), resumption.prompt if resumption else ""):
            if note:  # behind the user's own facts, which outrank it
                messages[0]["content"] += f"\n\n{note}"
        messages += runs.earlier()
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
            words = "".join(answer.pieces[spoken:])
            messages.append(as_called(words, sorted(calls.items())))
            for _, call in sorted(calls.items()):
                messages.append(await runs.run(call, words))
            if not getattr(self._model, "names_its_uses", False):
                answer.uses += [use for use in runs.uses if use[0] in MEMORY_KINDS]
            runs.uses = []
        answer.fail(_SAYS["endless"][language], language)

    @staticmethod
    def _take(delta: Delta, answer: _Answer, calls: dict[int, ToolCallDelta]) -> bool:
        """False once the answer is as long as a message may be."""
        for kind, id, why in delta.uses:
            if kind not in MEMORY_KINDS:
                raise ModelError(f"The model names a memory of an unknown kind: {shown(kind, 40)}.")
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
        history = self._store.working_set(said.session_id)
        ids = [message.id for message in history]
        history = history[: ids.index(said.id) + 1] if said.id in ids else [said]
        overview = self._store.load_overview(said.session_id, limit=MAX_FACTS)
        memory = context.memory_part(overview, MAX_MEMORY_CHARS, language, shown=ids)
        recalled = ""
        if not getattr(self._model, "names_its_uses", False):  # such a model looks for itself
            rests_on = [("facts", fact.id) for fact in memory.facts]
            rests_on += [("summaries", summary.id) for summary in memory.summaries]
            answer.uses.extend((kind, id, {"why": "in the prompt"}) for kind, id in rests_on)
            shown = [*ids, *(id for _, id in rests_on)]
            recalled, uses = active_recall(self._store, said, shown)
            answer.uses.extend(uses)
        prompt = context.prompt(memory, history, MAX_CHARS, language)
        if recalled:
            prompt[0]["content"] += f"\n\n{recalled}"
        if self._store.incognito:
            prompt[0]["content"] += f"\n\n{_SAYS['incognito'][language]}"
        return prompt


def _reason(error: Exception, language: str) -> str:
    if isinstance(error, PyMemoryError):
        return clean(str(error))[0]
    return _SAYS["broken"][language].format(error=clean(f"{type(error).__name__}: {error}")[0][:500])


async def _close(deltas: AsyncIterator[Delta]) -> None:
    if close := getattr(deltas, "aclose", None) or getattr(deltas, "close", None):
        closing = close()
        if closing is not None:
            await closing
