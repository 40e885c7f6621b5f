"""ChatAgent: one round from the user's words to a durable answer, that a crash at any point leaves whole.

A round is named by its user message. Its answer exists from the first moment, as a message that is
streaming; whoever runs the round again finds both and goes on, so nothing is said twice and no question
stays without an answer. Rounds of one session take turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from .answers import SAYS, Answer, OnEvent, Teller
from .checks import check_id
from .conversation import Conversation, reason_for
from .errors import ConflictError, InvalidInputError, shown
from .learning import learn
from .memory_tools import MEMORY_TOOLS, memory_tools
from .models.intents import understand
from .noticed import noticed_in
from .records import Cancel, Message, Model, Receipt, Resumption, Session, Tool
from .retries import Sleep
from .store import MemoryStore
from .task_tools import TASK_TOOLS, task_tools
from .text import detect_language
from .titles import title_of
from .tool_runs import Decide, ToolRuns
from .tools import checked_tools
from .turns import Turn, Turns
from .unfinished import RESUME, Unfinished, tells_to_go_on

__all__ = ["ChatAgent"]

# No chat is named after these.
_SAYS_NOTHING = frozenset({"greeting", "small_talk", "thanks", "farewell", "yes", "no", "undo"})


class _Never:
    def is_set(self) -> bool:
        return False


class ChatAgent:
    """Runs chat rounds of one store with one model. `tools` are added to the memory's own; before a call with
    a side effect the user is asked (see records.Tool). `sleep` waits between attempts at a busy model.

    Raises InvalidInputError for a tool that no model can be given.
    """

    def __init__(
        self,
        store: MemoryStore,
        model: Model,
        tools: Sequence[Tool] | None = None,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._model = model
        self._tools = checked_tools(tools or (), reserved=MEMORY_TOOLS | TASK_TOOLS)
        self._sleep = sleep
        self._running: dict[str, asyncio.Event] = {}  # user messages and answers whose rounds run
        self._turns = Turns()
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
        instead_of: str | None = None,
        on_event: OnEvent | None = None,
        cancel: Cancel | None = None,
        decide: Decide | None = None,
    ) -> Message:
        """Stores the user's message, answers it, stores the answer, and returns it.

        Both are durable when this returns, the user's before the model is called. Without a session the
        most recent one goes on. While another round of the session runs, the message is stored and its
        answer waits. The same `message_id` again goes on with that round. `instead_of` names a message of the
        user that this one is an edit of: it begins a branch beside it, and the old one stays. A failing model
        leaves an answer with status "failed", a cancelled one what had arrived, with status "stopped".

        A tool call that the user has to be asked about is put to `decide`, which is awaited; without it the
        answer ends with the question, and the user's next message decides. `on_event` is told {"type":
        "message", "message"}, {"type": "proposals", "facts", "stored"}, {"type": "waiting", "message_id"},
        {"type": "delta", "message_id", "text"}, {"type": "retry", "message_id", "error", "wait_ms",
        "attempt", "of"}, {"type": "tool_call", "message_id", "call"} at each step of a call, and {"type":
        "forgotten", "operation_id", "counts", "undo_until", "message_id", "undone"}, where `undone` is what
        that answer should read once this is taken back; what it raises comes out once the round is whole.

        Raises InvalidInputError and TooLargeError for a text that cannot be stored, NotFoundError for a
        session that is unknown or deleted meanwhile, ConflictError for an id that belongs to another
        message.
        """
        if not isinstance(text, str):
            raise InvalidInputError(f"A message is a text, not {shown(text)}.")
        for id in (message_id, instead_of):
            if id is not None:
                check_id(id, "message")
        while message_id and (running := self._running.get(message_id)):
            await running.wait()
        said, reply = self._begin(session_id, text, message_id, instead_of)
        return await self._round(said, reply, said.id, Teller(on_event), cancel or _Never(), decide, True)

    async def regenerate(
        self,
        answer_id: str,
        *,
        message_id: str | None = None,
        on_event: OnEvent | None = None,
        cancel: Cancel | None = None,
        decide: Decide | None = None,
    ) -> Message:
        """Answers the message that `answer_id` answers once more, beside it: both stay, and the new answer is
        on screen. `message_id` is the new answer's; the same again goes on with it. A tool call that another
        answer to the message has made already is not made again unasked. The rest is as for chat_round().

        Raises NotFoundError, InvalidInputError for what is no answer, ConflictError for an id that belongs to
        another message.
        """
        check_id(answer_id, "message")
        if message_id is not None:
            check_id(message_id, "message")
        while message_id and (running := self._running.get(message_id)):
            await running.wait()
        with self._store.action():
            answer = self._store.get_message(answer_id)
            said = self._store.find_message(answer.parent_id) if answer.parent_id else None
            if answer.role != "assistant" or said is None or said.role != "user":
                raise InvalidInputError("Only an answer to a message of the user can be given anew.")
            reply = self._store.find_message(message_id) if message_id else None
            if reply is None:
                reply = self._begin_reply(said, id=message_id)
            elif (reply.parent_id, reply.role) != (said.id, "assistant"):
                raise ConflictError(
                    f"The id {message_id!r} belongs to another message. Give a new answer a new id."
                )
        return await self._round(said, reply, reply.id, Teller(on_event), cancel or _Never(), decide, False)

    async def _round(
        self,
        said: Message,
        reply: Message,
        key: str,
        tell: Teller,
        cancel: Cancel,
        decide: Decide | None,
        is_new: bool,
    ) -> Message:
        finished = self._running[key] = asyncio.Event()
        turn = self._turns.join(said.session_id)
        try:
            await self._store.durable()
            if is_new:
                self._tell_said(said, tell)
            if reply.status == "streaming":
                tell({"type": "message", "message": reply})
                reply = await self._answer(said, reply, tell, cancel, decide, turn)
                self._after_round(said)
                await self._store.durable()
            tell({"type": "message", "message": reply})
            tell.raise_what_failed()
            return reply
        finally:
            turn.leave()
            del self._running[key]
            finished.set()

    def _tell_said(self, said: Message, tell: Teller) -> None:
        tell({"type": "message", "message": said})
        noticed = noticed_in(self._store, said)
        if noticed.proposed or noticed.stored:
            tell({"type": "proposals", "facts": noticed.proposed, "stored": noticed.stored})

    # -- first half: the user's words, what is learned from them, an empty answer --

    def _begin(
        self, session_id: str | None, text: str, message_id: str | None, instead_of: str | None
    ) -> tuple[Message, Message]:
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
            session = self._session_for(session_id, instead_of)
            self._close_interrupted(session.id, detect_language(text))
            busy = self._turns.has(session.id)
            resumes = not busy and not instead_of and self._unfinished.has_to_ask(session)
            said = store.add_message(session.id, "user", text, id=message_id, beside=instead_of)
            if session.title is None and understand(said.content).kind not in _SAYS_NOTHING:
                store.rename_session(session.id, title_of(said.content))
            learn(store, said)
            reply = self._begin_reply(said, intent=RESUME if resumes else None)
            if not busy:  # else it was sent before the question was there
                self._unfinished.take_answer(said)
            return said, reply

    def _session_for(self, session_id: str | None, instead_of: str | None) -> Session:
        if instead_of is None:
            return self._store.get_session(session_id) if session_id else self._store.get_or_create_session()
        edited = self._store.get_message(instead_of)
        if edited.role != "user" or session_id not in (None, edited.session_id):
            raise InvalidInputError("Only a message that the user wrote in this session can be edited so.")
        return self._store.get_session(edited.session_id)

    def _reply_to(self, said: Message) -> Message:
        """The round's answer, begun now if it is not there."""
        for child in self._store.replies_to(said.id):
            if child.role == "assistant":
                return child
        return self._begin_reply(said)

    def _begin_reply(self, said: Message, intent: str | None = None, id: str | None = None) -> Message:
        return self._store.add_message(
            said.session_id, "assistant", "", parent_id=said.id, status="streaming", intent=intent, id=id
        )

    def _close_interrupted(self, session_id: str, language: str) -> None:
        """Answers that a crash cut off and nobody went on with."""
        for message in self._store.get_recent_messages(session_id, 2):
            runs = message.parent_id in self._running or message.id in self._running
            if message.status == "streaming" and not runs:
                self._store.set_message_status(
                    message.id, "stopped", message.content or SAYS["interrupted"][language]
                )

    def _after_round(self, said: Message) -> None:
        """A yes of the user is a task node; whatever makes a summary due makes it now."""
        if understand(said.content).kind == "yes":
            self._store.task_node(said.session_id, "confirmed")
        self._store.summarise_if_due(said.session_id)

    # -- second half: the model's answer --

    async def _answer(
        self,
        said: Message,
        reply: Message,
        tell: Teller,
        cancel: Cancel,
        decide: Decide | None,
        turn: Turn,
    ) -> Message:
        language = detect_language(said.content)
        answer = Answer(reply.id, language, tell, intent=reply.intent)
        try:
            if turn.waits:
                tell({"type": "waiting", "message_id": reply.id})
                if not await turn.wait(cancel) or cancel.is_set():
                    answer.stop()
                    return self._finish(reply, answer)
                self._unfinished.leave_unanswered(said)
            await self._speak(said, reply, answer, cancel, decide)
        except asyncio.CancelledError:
            answer.stop()
            self._finish(reply, answer)
            raise
        except Exception as error:  # whatever a model or a tool does, the question gets its answer
            answer.fail(reason_for(error, language))
        if cancel.is_set() and answer.status == "complete":
            answer.stop()
        if not answer.text.strip() and answer.status != "stopped":
            answer.fail(SAYS["empty"][language])
        return self._finish(reply, answer)

    def _finish(self, reply: Message, answer: Answer) -> Message:
        if not answer.text.strip():
            answer.pieces = [SAYS["stopped"][answer.language]]
        with self._store.action():
            if uses := answer.unique_uses():
                self._store.record_uses(reply.id, uses)
            if answer.intent != reply.intent:
                self._store.set_intent(reply.id, answer.intent)
            message = self._store.set_message_status(
                reply.id, answer.status, answer.text, prompt=answer.prompt
            )
            self._unfinished.save_open_plan(reply.session_id)
            return message

    async def _speak(
        self, said: Message, reply: Message, answer: Answer, cancel: Cancel, decide: Decide | None
    ) -> None:
        """What was left unfinished is told first; then the model speaks."""
        tools = self._tools_for(said, reply, answer)
        agreed, answers = tells_to_go_on(said.content), self._unfinished.asks(said.parent_id)
        runs = ToolRuns(
            self._store, tools, said, reply, agreed, cancel=cancel, decide=decide, tell=answer.tell
        )
        reading = {tool.name for tool in tools if not tool.side_effect}
        cut_off = any(
            call.status != "cancelled" and call.tool_name not in reading
            for call in self._store.list_tool_calls(reply.session_id, message_id=reply.id)
        ) or any(call.status in ("running", "unknown") for call in runs.before())
        resumption = None
        if cut_off or reply.intent == RESUME or answers:
            resumption = await self._unfinished.resume_round(said, reply, answer.language)
        if resumption and resumption.text and (cut_off or reply.intent == RESUME):
            answer.intent = RESUME
            answer.add(resumption.text if cut_off else f"{resumption.text}\n\n")
            if cut_off:  # it had begun to act: what comes next is the user's to say
                answer.stop()
                return
        runs.may_act = reply.intent != RESUME and (agreed or not answers)
        await runs.run_approved()
        note = resumption.prompt if resumption else ""
        await Conversation(self._store, self._model, self._sleep, said, answer, cancel, runs, note).run()

    def _tools_for(self, said: Message, reply: Message, answer: Answer) -> list[Tool]:
        undone = SAYS["undone"][answer.language]

        def forgotten(receipt: Receipt) -> None:
            self._forgotten[said.session_id] = receipt.operation_id
            answer.tell({"type": "forgotten", "message_id": reply.id, "undone": undone, **receipt.to_dict()})

        own = memory_tools(
            self._store,
            said,
            forgotten,
            self._forgotten.get(said.session_id),
            on_proposed=lambda facts: answer.tell({"type": "proposals", "facts": list(facts), "stored": []}),
            for_model=not getattr(self._model, "names_its_uses", False),
        )
        return [*own, *task_tools(self._store, said), *self._tools]
