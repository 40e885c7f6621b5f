"""The model's part of a round: it speaks, and is asked again with the results for as long as it calls
tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

from .answers import SAYS, Answer
from .errors import ContextTooLongError, ModelError, PyMemoryError, shown
from .models.failures import sentence
from .prompting import Prepared, prepare
from .records import Cancel, Delta, Message, Model, Tool, ToolCallDelta
from .retries import ATTEMPTS, Sleep, replies
from .store import MemoryStore
from .text import clean
from .tool_runs import ToolRuns, as_called
from .unfinished import ASK, question_about

__all__ = ["MAX_TOOL_TURNS", "Conversation", "reason_for"]

MAX_TOOL_TURNS = 8  # a model that goes on calling tools is asked for its answer without any then
MEMORY_KINDS = frozenset({"messages", "facts", "summaries", "tool_calls", "experiences"})
_BOUND = "No further tool calls are possible now. Answer the user with what you have."
_SHORTER = 0.6  # of a prompt that was too long, the next time
_SHORTENED = 3  # times


class Conversation:
    """One answer's talk with the model."""

    def __init__(
        self,
        store: MemoryStore,
        model: Model,
        sleep: Sleep,
        said: Message,
        answer: Answer,
        cancel: Cancel,
        runs: ToolRuns,
        resumption: str,
    ) -> None:
        self._store = store
        self._model = model
        self._sleep = sleep
        self._said, self._answer = said, answer
        self._cancel = cancel
        self._runs = runs
        self._resumption = resumption
        self._looks_for_itself = bool(getattr(model, "names_its_uses", False))
        self._calls: dict[int, ToolCallDelta] = {}
        self._said_last = ""  # in the last request
        self._ended: str | None = None  # the finish reason of the last request

    async def run(self) -> None:
        """Raises what the model raises at last."""
        prepared = await self._begin()
        if prepared is None:
            return None
        messages = prepared.messages
        for turn in range(1, MAX_TOOL_TURNS + 1):
            if not self._calls:
                return self._close_cut_off()
            messages += await self._make_calls()
            if self._runs.asked:
                self._answer.intent = ASK
                self._answer.close_with(
                    question_about(self._runs.asked, self._runs.tools, self._answer.language)
                )
                return None
            if self._cancel.is_set():
                return None
            is_last = turn == MAX_TOOL_TURNS
            if is_last:
                messages[-1] = {**messages[-1], "content": f"{messages[-1]['content']}\n\n{_BOUND}"}
            spoken = len(self._answer.pieces)
            if not await self._ask(messages, [] if is_last else prepared.tools):
                return None
            if is_last:
                return self._close_at_bound(bool(self._calls) or len(self._answer.pieces) == spoken)
        return None

    async def _begin(self) -> Prepared | None:
        """The first request; None where the answer is over with it. A model whose room was not known is asked
        again with a shorter prompt where the first does not fit."""
        limit = None
        for shortened in range(_SHORTENED + 1):
            prepared = await prepare(
                self._store, self._model, self._said, self._runs.tools, self._resumption, limit
            )
            if not self._looks_for_itself:  # else no model has seen it
                self._answer.prompt = prepared.record
            self._runs.offered = prepared.experiences
            prepared.messages.extend(self._runs.earlier())
            try:
                whole = await self._ask(prepared.messages, prepared.tools)
            except ContextTooLongError:
                limit = int(prepared.record["tokens"] * _SHORTER)
                if self._answer.text.strip() or shortened == _SHORTENED or not limit:
                    raise
                continue
            finally:
                if not self._looks_for_itself:
                    self._answer.uses = [*prepared.uses, *self._answer.uses]
            return prepared if whole else None
        return None

    async def _make_calls(self) -> list[dict[str, Any]]:
        calls = sorted(self._calls.items())
        words = self._said_last
        results = await self._runs.run_all([call for _, call in calls], words)
        if not self._looks_for_itself:
            self._answer.uses += [use for use in self._runs.uses if use[0] in MEMORY_KINDS]
        self._runs.uses = []
        return [as_called(words, calls), *results]

    def _close_at_bound(self, said_nothing: bool) -> None:
        if said_nothing:
            self._answer.fail(SAYS["endless"][self._answer.language])
        else:
            said = SAYS["bound"][self._answer.language]
            self._answer.close_with(said.format(count=MAX_TOOL_TURNS))

    def _close_cut_off(self) -> None:
        if self._ended == "length" and self._answer.text.strip():
            self._answer.close_with(SAYS["length"][self._answer.language])

    async def _ask(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool]) -> bool:
        """One request. False where the answer is over with it: it was stopped, or grew too long."""
        answer = self._answer
        self._calls, self._ended = {}, None
        begin = len(answer.pieces)
        spoken = replies(
            self._model, messages, tools, self._cancel, sleep=self._sleep, on_retry=self._tell_retry
        )
        async with aclosing(spoken):
            async for delta in spoken:
                if not self._take(delta):
                    answer.fail(SAYS["long"][answer.language])
                    return False
                if self._cancel.is_set():
                    return False
        self._said_last = "".join(answer.pieces[begin:])
        return True

    def _tell_retry(self, error: ModelError, wait_ms: int, attempt: int) -> None:
        self._answer.tell(
            {
                "type": "retry",
                "message_id": self._answer.message_id,
                "error": reason_for(error, self._answer.language),
                "wait_ms": wait_ms,
                "attempt": attempt,
                "of": ATTEMPTS,
            }
        )

    def _take(self, delta: Delta) -> bool:
        """False once the answer is as long as a message may be."""
        answer, calls = self._answer, self._calls
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
        if delta.finish_reason:
            self._ended = delta.finish_reason
        if delta.usage:
            answer.add_usage(delta.usage)
        return True


def reason_for(error: Exception, language: str) -> str:
    """What went wrong, in a sentence for the user."""
    if isinstance(error, ModelError):
        return clean(sentence(error, language))[0]
    if isinstance(error, PyMemoryError):
        return clean(str(error))[0]
    return SAYS["broken"][language].format(error=clean(f"{type(error).__name__}: {error}")[0][:500])
