"""ChatAgent: one round from the user's words to a durable answer, that a crash at any point leaves whole.

A round is named by its user message. Its answer exists from the first moment, as a message that is streaming; whoever
runs the round again finds both and goes on, so nothing is said twice and no question stays without an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import context
from .errors import ModelError, PyMemoryError
from .extraction import propose
from .extraction.guards import is_off_the_record
from .memory_tools import memory_tools
from .records import Cancel, Fact, Message, Model, Tool
from .store import MemoryStore
from .text import detect_language

__all__ = ["ChatAgent"]

MAX_CHARS, MAX_MESSAGES = 4000, 20
_TITLE_CHARACTERS = 40
_SAYS = {
    "failed": {
        "en": "No answer this time: {reason} Your message is kept; you can try again.",
        "zh": "这次没能回答：{reason} 你的消息已保存，可以再试一次。",
    },
    "empty": {"en": "the model gave an empty answer.", "zh": "模型没有给出内容。"},
    "broken": {"en": "the model stopped with an error ({error}).", "zh": "模型出错停止了（{error}）。"},
    "stopped": {"en": "(stopped)", "zh": "（已停止）"},
    "interrupted": {"en": "(interrupted)", "zh": "（已中断）"},
}

OnEvent = Callable[[Mapping[str, Any]], None]


class _Never:
    def is_set(self) -> bool:
        return False


@dataclass
class _Noticed:
    """What the rules saw in the user's message."""

    stored: list[Fact] = field(default_factory=list)
    proposed: list[Fact] = field(default_factory=list)
    off_the_record: bool = False


class ChatAgent:
    """Runs chat rounds of one store with one model. `tools` are added to the memory's own."""

    def __init__(self, store: MemoryStore, model: Model, tools: Sequence[Tool] | None = None) -> None:
        self._store = store
        self._model = model
        self._tools = list(tools or ())

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

        Both are durable when this returns, the user's before the model is called. Without a session the most recent
        one goes on. The same `message_id` again goes on with that round. A failing model leaves an answer with status
        "failed", a cancelled one what had arrived, with status "stopped". `on_event` is told {"type": "message",
        "message"}, {"type": "proposals", "facts", "stored"} and {"type": "delta", "message_id", "text"}.
        Raises InvalidInputError and TooLargeError for a text that cannot be stored.
        """
        tell: OnEvent = on_event or (lambda event: None)
        said, reply, noticed = self._begin(session_id, text, message_id)
        await self._store.durable()
        tell({"type": "message", "message": said})
        if noticed.proposed or noticed.stored:
            tell({"type": "proposals", "facts": noticed.proposed, "stored": noticed.stored})
        if reply.status == "streaming":
            tell({"type": "message", "message": reply})
            reply = await self._answer(said, reply, noticed, tell, cancel or _Never())
            await self._store.durable()
        tell({"type": "message", "message": reply})
        return reply

    # -- first half: the user's words, what is learned from them, an empty answer --

    def _begin(self, session_id: str | None, text: str, message_id: str | None) -> tuple[Message, Message, _Noticed]:
        store = self._store
        with store.action():
            said = store.find_message(message_id) if message_id else None
            if said is not None:
                return said, self._reply_to(said), self._noticed_before(said)
            session = store.get_session(session_id) if session_id else store.get_or_create_session()
            self._close_interrupted(session.id)
            said = store.add_message(session.id, "user", text, id=message_id)
            if session.title is None:
                store.rename_session(session.id, " ".join(said.content.split())[:_TITLE_CHARACTERS])
            return said, self._reply_to(said), self._learn(said)

    def _reply_to(self, said: Message) -> Message:
        """The round's answer, begun now if it is not there."""
        for child in self._store.replies_to(said.id):
            if child.role == "assistant":
                return child
        return self._store.add_message(said.session_id, "assistant", "", parent_id=said.id, status="streaming")

    def _close_interrupted(self, session_id: str) -> None:
        """Answers that a crash cut off and nobody went on with."""
        for message in self._store.get_recent_messages(session_id, 2):
            if message.status == "streaming":
                says = _SAYS["interrupted"][detect_language(message.content)]
                self._store.set_message_status(message.id, "stopped", message.content or says)

    def _learn(self, said: Message) -> _Noticed:
        """What was asked to be remembered is stored at once; what the rules infer waits for the user."""
        noticed = _Noticed(off_the_record=is_off_the_record(said.content))
        for proposal in propose(said.content, now=said.created_at):
            details = {
                "category": proposal["category"],
                "quote": proposal["quote"],
                "zone": proposal["zone"],
                "source_message_id": said.id,
                "source_version_id": said.version_id,
            }
            key, value = proposal["key"], proposal["value"]
            if proposal["explicit"]:
                noticed.stored.append(self._store.set_fact(key, value, **details))
            elif fact := self._store.propose_fact(key, value, confidence=proposal["confidence"], **details):
                noticed.proposed.append(fact)
        return noticed

    def _noticed_before(self, said: Message) -> _Noticed:
        proposed = self._store.list_facts(status="candidate", source_message_id=said.id)
        stored = self._store.list_facts(source_message_id=said.id)
        return _Noticed(stored, proposed, is_off_the_record(said.content))

    # -- second half: the model's answer --

    async def _answer(
        self, said: Message, reply: Message, noticed: _Noticed, tell: OnEvent, cancel: Cancel
    ) -> Message:
        language = detect_language(said.content)
        pieces: list[str] = []
        uses: list[tuple[str, str, Mapping[str, Any]]] = []
        status = "complete"
        try:
            async for delta in self._model.reply(self._prompt(said), self._all_tools(said, noticed), cancel):
                uses.extend((kind, id, {"why": why}) for kind, id, why in delta.uses)
                if delta.text:
                    pieces.append(delta.text)
                    tell({"type": "delta", "message_id": reply.id, "text": delta.text})
                if cancel.is_set():
                    break
        except Exception as error:
            status = "failed"
            reason = str(error) if isinstance(error, ModelError) else _broken(error, language)
            pieces.append(("\n\n" if pieces else "") + _SAYS["failed"][language].format(reason=reason))
        if status != "failed" and cancel.is_set():
            status = "stopped"
            if not "".join(pieces).strip():
                pieces = [_SAYS["stopped"][language]]
        elif not "".join(pieces).strip():
            status = "failed"
            pieces = [_SAYS["failed"][language].format(reason=_SAYS["empty"][language])]
        with self._store.action():
            reply = self._store.set_message_status(reply.id, status, "".join(pieces))
            if uses:
                self._store.record_uses(reply.id, uses)
        return reply

    def _prompt(self, said: Message) -> list[dict[str, Any]]:
        history = [
            message
            for message in self._store.get_context_within_budget(said.session_id, MAX_CHARS, limit=MAX_MESSAGES)
            if message.status != "streaming" and message.role != "system"
        ]
        language = detect_language(said.content)
        system = {"role": "system", "content": self._store.build_system_prompt(session_id=said.session_id)}
        return [system, *context.history_for_prompt(history or [said], MAX_CHARS, language)]

    def _all_tools(self, said: Message, noticed: _Noticed) -> list[Tool]:
        async def memory_noticed() -> dict[str, Any]:
            return {
                "stored": [fact.to_dict() for fact in noticed.stored],
                "proposed": [fact.to_dict() for fact in noticed.proposed],
                "off_the_record": noticed.off_the_record,
            }

        schema = {"type": "object", "properties": {}, "additionalProperties": False}
        about = "Says what was stored or proposed from the message being answered."
        own = Tool("memory_noticed", about, schema, memory_noticed)
        return [own, *memory_tools(self._store, source_message_id=said.id), *self._tools]


def _broken(error: Exception, language: str) -> str:
    says = str(error) if isinstance(error, PyMemoryError) else f"{type(error).__name__}: {error}"
    return _SAYS["broken"][language].format(error=says)
