"""What waits for the user in a session, from the agent's side: when to ask, and what the answer changes.

The question is an answer of the assistant: its intent is RESUME where something was left unfinished, and ASK
where the model wants to make a call that acts. The user's next message answers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .answers import SAYS
from .errors import InvalidInputError
from .models.intents import understand
from .records import Message, Resumption, Session, Snapshot, Tool, ToolCall
from .resuming import check_calls, in_words, is_go_ahead, is_refusal, told
from .snapshots import OPEN_STEPS, plan_is_open, with_call
from .store import MemoryStore

__all__ = ["ASK", "RESUME", "Unfinished", "question_about", "tells_to_go_on"]

RESUME = "resume"  # the intent of an answer that tells what was left unfinished and asks whether to go on
ASK = "ask"  # and of one that asks whether to make the calls that it proposed


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
        return self._intent_of(message_id) == RESUME

    def _intent_of(self, message_id: str | None) -> str | None:
        message = self._store.find_message(message_id) if message_id else None
        return message.intent if message else None

    def has_to_ask(self, session: Session) -> bool:
        """Whether a new message takes the session up again with something left unfinished: by another agent
        than before, after a long rest, or after a call that was cut off."""
        known = session.id in self._seen and session.status != "abandoned"
        self._seen.add(session.id)
        shown = self._intent_of(session.current_message_id)
        if session.current_message_id is None or shown in (RESUME, ASK):
            return False
        if known and not any(_is_cut_off(call) for call in self._store.open_tool_calls(session.id)):
            return False
        latest = self._latest(session.id)
        planned = latest and (plan_is_open(latest.state) or latest.state["pending"])
        if not planned and not self._store.open_tool_calls(session.id):
            return False
        return bool(self._store.resume_session(session.id).text)

    def take_answer(self, said: Message) -> None:
        """What the user's message changes, where it follows a question."""
        asked = self._intent_of(said.parent_id)
        if asked == RESUME:
            self._take_up(said)
        elif asked == ASK:
            self._decide(said, tells_to_go_on(said.content))

    def leave_unanswered(self, said: Message) -> None:
        """The message was sent before the question was there: it answers nothing, and nothing is done."""
        if self._intent_of(said.parent_id) == ASK:
            self._decide(said, False)

    def _decide(self, said: Message, yes: bool) -> None:
        """Whatever is no yes lets nothing lie in wait that would act later."""
        closed = []
        for call in self._store.list_tool_calls(said.session_id, message_id=said.parent_id):
            if call.status == "proposed" and yes:
                self._store.update_tool_call(call.id, "approved")
            elif call.status == "proposed":
                problem = "The user did not agree."
                closed.append(
                    self._store.update_tool_call(
                        call.id, "cancelled", output={"error": problem}, error=problem
                    )
                )
        self._save_closed(said.session_id, closed, "the user was asked")

    def _save_closed(self, session_id: str, closed: Sequence[ToolCall], reason: str) -> None:
        """Calls that are over are no longer pending in the saved state."""
        latest = self._latest(session_id)
        if latest is None or not closed:
            return
        state = {**latest.state, "message_id": None}
        for call in closed:
            known = {"id": call.id, "tool": call.tool_name, "params": call.input, "status": call.status}
            state = with_call(state, known, done=True)
        self._store.save_snapshot(session_id, state, reason)

    def _take_up(self, said: Message) -> None:
        """No: what waited is cancelled and the plan ends. Yes: what waited may be done. A call of unknown end
        stays unknown, and has been asked about."""
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


def question_about(calls: Sequence[ToolCall], tools: Sequence[Tool], language: str) -> str:
    """What the user is asked before calls are made, with what each would do."""
    says = {name: words[language] for name, words in SAYS.items()}
    by_name = {tool.name: tool for tool in tools}
    lines = [says["ask"]]
    for call in calls:
        tool = by_name.get(call.tool_name)
        words = _described(tool, call, language) or in_words(call.tool_name, call.input)
        found = call.validation or {}
        if found.get("state") == "unknown" and found.get("why"):
            words += says["ask_doubtful"].format(why=found["why"])
        lines.append(f"- {words}")
    return "\n".join([*lines, says["ask_end"]])


def _described(tool: Tool | None, call: ToolCall, language: str) -> str:
    """What the tool itself says that it would do; "" where it does not, or fails."""
    if tool is None or tool.describe is None:
        return ""
    try:
        words = tool.describe(call.input, language)
    except Exception:
        return ""
    return words if isinstance(words, str) else ""


def _is_cut_off(call: ToolCall) -> bool:
    return call.status in ("running", "unknown")
