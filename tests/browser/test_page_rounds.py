"""Rounds through the page's own API: answers given anew, messages edited, branches gone back to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Page

from .test_page import call

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


def shown(page: Page, session: str) -> list[str]:
    messages: list[dict[str, Any]] = call(page, "get_recent_messages", session_id=session)
    return [message["id"] for message in messages]


def test_branches_through_the_page(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = call(page, "create_session", title="Branches")["id"]
    old = call(page, "chat_round", session_id=session, text="hello")
    new = call(page, "chat_round", session_id=session, text="", again=old["id"])
    assert (new["parent_id"], new["status"]) == (old["parent_id"], "complete")
    assert shown(page, session) == [old["parent_id"], new["id"]]
    edited = call(page, "chat_round", session_id=session, text="good evening", instead_of=old["parent_id"])
    assert shown(page, session) == [edited["parent_id"], edited["id"]]
    alternatives = call(page, "alternatives", session_id=session)
    assert alternatives[old["id"]] == [old["id"], new["id"]]
    assert alternatives[old["parent_id"]] == [old["parent_id"], edited["parent_id"]]
    call(page, "show_branch", message_id=old["id"])
    assert shown(page, session) == [old["parent_id"], old["id"]]
    assert call(page, "inspect_prompt", message_id=old["id"])["message_id"] == old["id"]
