"""What a reload of the page leaves as it was: the open chat, what is being written, what can be undone."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, expect

from .conftest import wait_until_ready
from .test_page import EN, articles, button, call, panel, say, sessions

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message", exact=True)


def reload(page: Page) -> None:
    page.reload()
    wait_until_ready(page)


def test_a_draft_belongs_to_its_chat(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    say(page, "The boiler makes a noise.")
    box(page).fill("half a thought")
    button(page, "New chat").click()
    expect(box(page)).to_have_value("")
    box(page).fill("another one")
    reload(page)
    # The new chat, in which nothing has been said, is still the open one.
    expect(box(page)).to_have_value("another one")
    expect(articles(page, "user")).to_have_count(0)
    sessions(page).filter(has_text="boiler").locator(".session-title").click()
    expect(box(page)).to_have_value("half a thought")
    reload(page)
    expect(box(page)).to_have_value("half a thought")
    box(page).press("Enter")
    expect(articles(page, "user")).to_have_count(2)
    reload(page)
    expect(articles(page, "user")).to_have_count(2)
    expect(box(page)).to_have_value("")


def test_what_is_written_while_starting_stays(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    say(page, "The boiler makes a noise.")
    page.evaluate("sessionStorage.clear()")
    page.reload()
    box(page).fill("written early")
    wait_until_ready(page)
    expect(articles(page, "user")).to_have_count(1)
    expect(box(page)).to_have_value("written early")


def test_undo_outlives_a_reload(launch: Launch, open_page: OpenPage) -> None:
    """Where another tab owns the memory. An owner that is reloaded forgets for good, and says nothing."""
    context = launch(viewport={"width": 1280, "height": 800})
    owner, page = open_page(context), open_page(context)
    for tab in (page, owner):
        call(owner, "set_fact", key="user::diet", value="vegetarian")
        button(tab, EN.memory).click()
        button(panel(tab), EN.forget).click()
        button(tab.get_by_role("dialog"), EN.forget).click()
        expect(tab.locator(".toast")).to_contain_text("vegetarian")
        if tab is owner:
            page.close()
        reload(tab)
        if tab is page:
            toast = tab.locator(".toast")
            expect(toast).to_contain_text("A memory was forgotten.")
            assert "vegetarian" not in tab.evaluate("JSON.stringify({...sessionStorage})")
            button(toast, EN.undo).click()
            expect(toast).to_have_count(0)
            assert [fact["value"] for fact in call(tab, "list_facts")] == ["vegetarian"]
    expect(owner.locator(".toast")).to_have_count(0)
    assert call(owner, "list_facts") == []
