"""A browser killed while a call waited, ran or was done: on reopening it is told, and the user decides.

The call that waits is a real one, which a model on a server wanted to make. The page has no other tools that
act, so the other states are left in the memory as a tool of the host's page would leave them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import host_page as host
from tests.modelserver import ModelServer

from .test_model_server import answers, connected, patience, say
from .test_page import call

__all__ = ["patience"]

TOLD = {
    "approved": "Not done yet: send",
    "running": "I do not know whether it happened",
    "success": None,
}
YES, NO = "Yes, go ahead", "No, leave it"


def leave(page: Page, status: str) -> None:
    session = call(page, "create_session", title=f"Left {status}")["id"]
    call(page, "add_message", session_id=session, role="user", content="write to Anna")
    left = call(
        page, "add_tool_call", session_id=session, tool_name="send", input={"to": "Anna"}, status=status
    )
    assert left["status"] == status


def open_chat(page: Page, title: str) -> None:
    page.get_by_role("navigation", name="Sessions").get_by_role("button", name=title).first.click()


def test_after_a_kill_the_user_sees_what_was_left_and_decides(
    launch: Callable[..., BrowserContext], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    with ModelServer() as model_server:
        context = launch(tmp_path / "profile")
        page = open_page(context)
        for status in TOLD:
            leave(page, status)
        fact = call(page, "set_fact", key="user::diet", value="vegetarian")["id"]
        forget = {"name": "memory_forget", "arguments": {"fact_ids": [fact]}}
        model_server.script({"tool_calls": [forget]}, {"text": "It is forgotten."})
        connected(page, model_server.url)
        page.get_by_role("button", name="New chat", exact=True).click()
        say(page, "You know too much about what I eat")
        expect(answers(page)).to_contain_text("Forget for good")
        expect(page.get_by_role("button", name=YES)).to_be_visible()
        page.evaluate("pyMemory.flush()")
        host.kill_browser(context, tmp_path / "profile")

        page = open_page(launch(tmp_path / "profile"))
        assert host.status(page)["warning"] is None
        # Proposed: the question is on screen, nothing has been done, and a yes does it.
        expect(answers(page)).to_contain_text("Forget for good")
        assert call(page, "get_fact", key="user::diet")["value"] == "vegetarian"
        page.get_by_role("button", name=YES).click()
        expect(answers(page).last).to_contain_text("It is forgotten.")
        expect(page.get_by_role("group", name="Your decision")).to_have_count(0)
        assert call(page, "get_fact", key="user::diet") is None
        model_server.script({"text": "As you wish.", "times": 0})
        for status, told in TOLD.items():
            open_chat(page, f"Left {status}")
            say(page, "Hello again")
            expect(answers(page).first).to_have_attribute("data-status", "complete")
            if told is None:  # it was done: there is nothing to decide
                expect(answers(page).first).to_contain_text("As you wish.")
                continue
            expect(answers(page).first).to_contain_text(told)
            page.get_by_role("button", name=NO).click()
            expect(answers(page).nth(1)).to_have_attribute("data-status", "complete")
            expect(page.get_by_role("group", name="Your decision")).to_have_count(0)
        ended = {
            call(page, "list_tool_calls", session_id=session["id"])[0]["status"]
            for session in host.sessions(page)
            if session["title"].startswith("Left ")
        }
        assert ended == {"cancelled", "unknown", "success"}
