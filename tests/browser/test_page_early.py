"""The last conversation is seen before Python has started, and never what was forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser import host_page as host

from .conftest import wait_until_ready
from .test_page import EN, articles, button, call, say, sessions
from .test_page_reload import box

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

BOILER = "The boiler makes a noise."
SECRET = "Remember that the safe opens with quizzical 丙烯酸酯."
TRACES = ("quizzical", "丙烯酸酯")


class Held:
    """Keeps Python from being loaded until it is let go. The service worker would bring it at once."""

    def __init__(self, context: BrowserContext) -> None:
        self.routes: list[Route] | None = []
        context.add_init_script("Object.defineProperty(navigator, 'serviceWorker', {value: undefined})")
        context.route("**/python/*.zip", self._hold)

    def _hold(self, route: Route) -> None:
        if self.routes is None:
            route.continue_()
        else:
            self.routes.append(route)

    def let_go(self) -> None:
        waiting, self.routes = self.routes or [], None
        for route in waiting:
            route.continue_()

    def again(self) -> None:
        self.routes = []


@pytest.fixture
def held(launch: Launch) -> tuple[BrowserContext, Held]:
    context = launch(viewport={"width": 1280, "height": 800})
    held = Held(context)
    held.let_go()
    return context, held


def kept(page: Page, *words: str) -> bool:
    return all(host.database(page, "view", "find", text=word) for word in words)


def wait_until_kept(page: Page, *words: str) -> None:
    for _ in range(200):
        if kept(page, *words):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not kept for the next start: {words}")


def top(locator: Locator) -> float:
    return float(locator.evaluate("(element) => element.getBoundingClientRect().top"))


def test_the_last_conversation_is_seen_before_python_starts(
    held: tuple[BrowserContext, Held], site_url: str, open_page: OpenPage
) -> None:
    context, python = held
    page = open_page(context)
    say(page, BOILER)
    answer = articles(page, "assistant").inner_text()
    wait_until_kept(page, "boiler")
    page.close()

    python.again()
    page = context.new_page()
    page.goto(f"{site_url}?lang=en")
    expect(articles(page, "user")).to_contain_text(BOILER)
    assert articles(page, "assistant").inner_text() == answer
    expect(sessions(page)).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text(BOILER)
    expect(page.get_by_role("status", name=EN.status)).to_have_text("Starting…")
    expect(page.locator(".boot")).to_contain_text("where you left off")
    # It can be read, not changed.
    expect(button(page, "Forget this message").first).to_be_hidden()
    sessions(page).hover()
    expect(button(page, "Delete")).to_be_hidden()
    box(page).fill("half a thought")
    shown = articles(page, "assistant")
    shown.evaluate("(element) => { element.same = true; }")
    place = top(shown)
    from_end = "(log) => log.scrollHeight - log.scrollTop - log.clientHeight"
    assert page.get_by_role("log").evaluate(from_end) < 2

    python.let_go()
    wait_until_ready(page)
    expect(page.locator(".app.early")).to_have_count(0)
    expect(page.locator(".boot")).to_have_count(0)
    assert shown.evaluate("(element) => element.same"), "it was drawn anew"
    assert top(shown) == place, "it jumped"
    expect(box(page)).to_have_value("half a thought")
    sessions(page).hover()
    expect(button(page, "Delete")).to_be_visible()


def test_a_message_waits_below_the_last_conversation(
    held: tuple[BrowserContext, Held], site_url: str, open_page: OpenPage
) -> None:
    context, python = held
    page = open_page(context)
    say(page, BOILER)
    wait_until_kept(page, "boiler")
    page.close()
    python.again()
    page = context.new_page()
    page.goto(f"{site_url}?lang=en")
    expect(articles(page, "user")).to_have_count(1)
    box(page).fill("And now it leaks.")
    box(page).press("Enter")
    expect(articles(page, "user").last).to_have_attribute("data-status", "waiting")
    python.let_go()
    expect(articles(page, "assistant")).to_have_count(2, timeout=60_000)
    assert [session["title"] for session in host.sessions(page)] == [BOILER]


def forget_message(page: Page) -> None:
    message = articles(page, "user").filter(has_text="quizzical")
    message.hover()
    button(message, "Forget this message").click()


def delete_session(page: Page) -> None:
    sessions(page).hover()
    button(sessions(page), "Delete").click()


@pytest.mark.parametrize("forget", [forget_message, delete_session])
def test_what_was_forgotten_is_not_seen(
    held: tuple[BrowserContext, Held], site_url: str, open_page: OpenPage, forget: Callable[[Page], None]
) -> None:
    context, python = held
    page = open_page(context)
    say(page, BOILER)
    host.add(page, host.sessions(page)[0]["id"], SECRET)
    wait_until_kept(page, *TRACES)
    forget(page)
    expect(page.locator(".toast")).to_be_visible()
    # The tab dies as soon as the user has been told.
    look = context.new_page()
    python.again()
    page.close()
    look.goto(f"{site_url}?lang=en")
    expect(look.locator(".boot")).to_be_visible()
    assert not any(kept(look, trace) for trace in TRACES)
    look.wait_for_timeout(500)
    for trace in TRACES:
        expect(look.locator("body")).not_to_contain_text(trace)
    python.let_go()
    wait_until_ready(look)
    look.wait_for_timeout(1500)
    assert not any(kept(look, trace) for trace in TRACES)


def test_what_was_read_before_the_forgetting_is_not_kept_after_it(
    launch: Launch, open_page: OpenPage
) -> None:
    """A tab that is slow to hear of it."""
    page = open_page(launch())
    say(page, SECRET)
    wait_until_kept(page, *TRACES)
    slow: dict[str, Any] = {"method": "get_recent_messages", "ms": 4000}
    page.evaluate(
        """({method, ms}) => {
            const call = pyMemory.call.bind(pyMemory);
            pyMemory.call = async (name, kwargs) => {
                const value = await call(name, kwargs);
                if (name === method && kwargs.limit === 30) await new Promise((go) => setTimeout(go, ms));
                return value;
            };
        }""",
        slow,
    )
    call(page, "set_setting", name="page.some", value=1)
    page.wait_for_timeout(1500)  # by now it has read the message and has not kept it yet
    message = call(page, "list_messages", session_id=host.sessions(page)[0]["id"])[0]
    call(page, "forget", message_id=message["id"])
    for _ in range(10):
        page.wait_for_timeout(400)
        assert not any(kept(page, trace) for trace in TRACES)


def test_a_replaced_memory_takes_the_last_conversation_along(
    launch: Launch, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(launch())
    empty = host.export_file(page, tmp_path / "empty.db")
    say(page, SECRET)
    wait_until_kept(page, *TRACES)
    host.import_file(page, empty, mode="replace")
    assert not any(kept(page, trace) for trace in TRACES)


def test_what_is_kept_is_small_and_holds_no_facts(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    call(page, "set_fact", key="user::diet", value="vegetarian")
    say(page, BOILER)
    session = host.sessions(page)[0]["id"]
    for number in range(40):
        host.add(page, session, f"number {number} " + "丙烯酸酯" * 1000)
    wait_until_kept(page, "number 39")
    assert not kept(page, "number 2 ")
    assert not kept(page, "vegetarian")
    text = host.database(page, "view", "text")
    assert len(text.encode()) <= 200_000


def test_a_broken_memory_does_not_look_whole(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    say(page, BOILER)
    wait_until_kept(page, "boiler")
    host.database(page, "log", "flip", key=host.database(page, "log", "keys")[0])
    page.reload()
    expect(page.get_by_role("heading", name="The memory cannot be opened")).to_be_visible(timeout=60_000)
    expect(sessions(page)).to_have_count(0)
    button(page, "Start empty").click()
    expect(page.locator(".start-failed")).to_have_count(0)
    expect(articles(page, "user")).to_have_count(0)
    assert not kept(page, "boiler")
