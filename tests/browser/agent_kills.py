"""Rounds of the assistant in the page, with the browser killed at a chosen durable barrier, and what must
hold after. The page has no tools that act outside the memory, so the memory's own are used, and a call is
left running in it as a tool of the host's page would leave one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page

from tests.browser import host_page as host
from tests.browser.conftest import wait_until_ready

__all__ = ["ROUNDS", "barriers", "check", "kill_at", "prepare"]

ROUNDS = (
    ("0190a0b0-0000-7000-8000-0000000000b1", "Remind me to buy milk"),
    ("0190a0b0-0000-7000-8000-0000000000b2", "I bought the milk"),
    ("0190a0b0-0000-7000-8000-0000000000b3", "Remember that my locker is 42"),
)
CALL = "0190a0b0-0000-7000-8000-0000000000c1"
# Says on the console when a save begins and when it is over: those are the barriers.
TALK = """async ([session_id, rounds, call]) => {
    const say = (text) => console.debug('mark ' + text);
    pyMemory.on('status', (status) => say(status.state));
    const input = {to: 'Anna'}, state = {goal: 'write to Anna', plan: [{step: 'send the letter'}]};
    await pyMemory.call('save_snapshot', {session_id, state, reason: 'planned'});
    await pyMemory.call('add_tool_call', {session_id, tool_name: 'send', input, status: 'running', id: call});
    say('began');
    for (const [message_id, text] of rounds)
        await pyMemory.call('chat_round', {session_id, text, message_id});
    await pyMemory.flush();
    say('end');
}"""


class Marks:
    """The barriers that the page has passed since the task began, in order."""

    def __init__(self, page: Page) -> None:
        self.passed: list[str] = []
        self.began = self.ended = False
        page.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        word, _, text = message.text.partition(" ")
        if word != "mark":
            return
        if text == "began":
            self.began = True
        elif text == "end":
            self.ended = True
        elif self.began:
            self.passed.append(text)


def prepare(page: Page) -> str:
    session = host.start_session(page)
    page.evaluate("pyMemory.flush()")
    return session


def barriers(page: Page, session: str) -> int:
    """How many barriers the rounds have where nothing is killed."""
    marks = _talk(page, session, None)
    return len(marks.passed)


def kill_at(context: BrowserContext, page: Page, profile: Path, session: str, barrier: int) -> str:
    """Kills the browser at that barrier, the first being 1. Returns its kind: "saving" or "saved"."""
    marks = _talk(page, session, barrier)
    host.kill_browser(context, profile)
    with pytest.raises(Error):
        page.evaluate("() => 1")
    return marks.passed[barrier - 1] if len(marks.passed) >= barrier else "end"


def _talk(page: Page, session: str, barrier: int | None) -> Marks:
    marks = Marks(page)
    page.evaluate(f"(args) => {{ ({TALK})(args); }}", [session, ROUNDS, CALL])
    deadline = time.monotonic() + 60
    while not marks.ended and (barrier is None or len(marks.passed) < barrier):
        assert time.monotonic() < deadline, f"no barrier {barrier}: {marks.passed}"
        page.wait_for_event("console", timeout=60_000)
    return marks


def check(page: Page, session: str, raw: Path) -> None:
    """Nothing is broken or doubled, and the session goes on: the rounds again, the call asked about, a
    yes."""

    def call(method: str, **kwargs: Any) -> Any:
        return page.evaluate("([method, kwargs]) => pyMemory.call(method, kwargs)", [method, kwargs])

    assert host.status(page)["warning"] is None
    assert host.integrity(host.raw_file(page, raw)) == ["ok"]
    for message_id, text in ROUNDS:
        call("chat_round", session_id=session, text=text, message_id=message_id)
    messages = call("list_messages", session_id=session, limit=100)
    for message_id, text in ROUNDS:
        assert [message["id"] for message in messages if message["content"] == text] == [message_id]
        replies = [message for message in messages if message["parent_id"] == message_id]
        assert [reply["status"] in ("complete", "stopped") for reply in replies] == [True], replies
    facts = call("list_facts", status=None)
    assert [fact["value"] for fact in facts if fact["key"].startswith("task::")] == ["buy milk"]
    assert [fact["value"] for fact in facts if fact["key"].startswith("user::note")] == ["my locker is 42"]
    (sent,) = call("list_tool_calls", session_id=session)
    assert (sent["id"], sent["status"]) == (CALL, "unknown"), sent
    asked = [message for message in messages if message["intent"] == "resume"]
    assert asked, "nobody asked about what was left unfinished"
    assert "send" in asked[0]["content"]
    assert call("verify")["ok"]
    page.reload()
    wait_until_ready(page)
    assert "Shall I go on?" in call("chat_round", session_id=session, text="hello again")["content"]
    assert call("chat_round", session_id=session, text="no")["status"] == "complete"
    assert call("resume_session", session_id=session)["text"] == ""
    page.evaluate("pyMemory.flush()")
    assert host.integrity(host.raw_file(page, raw)) == ["ok"]
