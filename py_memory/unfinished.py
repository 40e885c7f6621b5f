"""What was left unfinished in a session, from the agent's side: when to ask about it, and what the answer
changes.

The question is an answer of the assistant whose intent is RESUME; the user's next message answers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .errors import InvalidInputError
from .models.intents import understand
from .records import Message, Resumption, Session, Snapshot, Tool, ToolCall
from .resuming import check_calls, is_go_ahead, is_refusal, told
from .snapshots import OPEN_STEPS, plan_is_open, with_call
from .store import MemoryStore

__all__ = ["RESUME", "Unfinished", "tells_to_go_on"]

RESUME = "resume"  # the intent of an answer that tells what was left unfinished and asks whether to go on


def tells_to_go_on(text: str) -> bool:
    return understand(text).kind == "yes" or is_go_ahead(text)


class Unfinished:
    """Unfinished tasks in the sessions of one store. `tools` check what their waiting calls refer to."""

    def __init__(self, store: MemoryStore, tools: Sequence[Tool]) -> None:
        self._store = store
        self._tools = tools
        self._seen: set[str] = set()  # sessions in which this agent has talked

    async def resume(self, session_id: str, language: str | None = None) -> Resumption:
        """What the session is taken up again with, its waiting calls checked. Nothing is run."""
        store = self._store
        resumption, checks = await check_calls(
            store.resume_session(session_id, language=language), self._tools, store.clock()
        )
        with store.action():
            for call in store.open_tool_calls(session_id):
                if call.id in checks:
                    store.update_tool_call(call.id, call.status, validation=checks[call.id])
        return resumption

    async def resume_round(self, said: Message, reply: Message, language: str) -> Resumption:
        """Likewise, with the round in hand left out of what is new."""
        resumption = await self.resume(said.session_id, language)
        newer = tuple(id for id in resumption.newer_messages if id not in (said.id, reply.id))
        findings = tuple(code for code in resumption.findings if newer or code != "newer_messages")
        return told(replace(resumption, newer_messages=newer, findings=findings))

    # -- the question --

    def asks(self, message_id: str | None) -> bool:
        """Whether that message asks to go on with what was left unfinished."""
        message = self._store.find_message(message_id) if message_id else None
        return message is not None and message.intent == RESUME

    def has_to_ask(self, session: Session) -> bool:
        """Whether a new message takes the session up again with something left unfinished: by another agent
        than before, after a long rest, or after a call that was cut off."""
        known = session.id in self._seen and session.status != "abandoned"
        self._seen.add(session.id)
        if session.current_message_id is None or self.asks(session.current_message_id):
            return False
        if known and not any(_is_cut_off(call) for call in self._store.open_tool_calls(session.id)):
            return False
        latest = self._latest(session.id)
        planned = latest and (plan_is_open(latest.state) or latest.state["pending"])
        if not planned and not self._store.open_tool_calls(session.id):
            return False
        return bool(self._store.resume_session(session.id).text)

    def take_answer(self, said: Message) -> None:
        """The user's answer. No: what waited is cancelled and the plan ends. Yes: what waited may be done.
        A call of unknown end stays unknown, and has been asked about."""
        store = self._store
        no = understand(said.content).kind == "no" or is_refusal(said.content)
        closed: list[ToolCall] = []
        for call in store.open_tool_calls(said.session_id):
            if _is_cut_off(call):
                closed.append(store.settle_tool_call(store.update_tool_call(call.id, "unknown").id))
            elif no:
                closed.append(store.update_tool_call(call.id, "cancelled", error="The user said no."))
            elif tells_to_go_on(said.content):
                store.update_tool_call(call.id, "approved")
        latest = self._latest(said.session_id)
        if latest is None:
            return
        state = {**latest.state, "message_id": None}
        for call in closed:
            known = {"id": call.id, "tool": call.tool_name, "params": call.input, "status": call.status}
            state = with_call(state, known, done=True)
        if no:
            state["plan"] = [
                {**step, "status": "skipped"} if step["status"] in OPEN_STEPS else step
                for step in state["plan"]
            ]
            state["pending"] = []
        store.save_snapshot(said.session_id, state, "the user was asked whether to go on")

    # -- the end of a round --

    def save_open_plan(self, session_id: str) -> None:
        """A round that ends with steps left is where the task is taken up again."""
        latest = self._latest(session_id)
        if latest and plan_is_open(latest.state):
            self._store.save_snapshot(session_id, {**latest.state, "message_id": None}, "round ended")

    def _latest(self, session_id: str) -> Snapshot | None:
        """None also for one of a newer release, which stays as it is."""
        try:
            return self._store.latest_snapshot(session_id)
        except InvalidInputError:
            return None


def _is_cut_off(call: ToolCall) -> bool:
    return call.status in ("running", "unknown")
