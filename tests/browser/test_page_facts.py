"""The panel: what is disputed, what has expired, and what was true or known before."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from .test_page import button, call

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

WORDS = {
    "en": ("Memory", "Both hold", "This one", "Renew", "Undo", "Past their time", "expired on"),
    "zh": ("记忆", "都对", "以此为准", "续期", "撤销", "已过期", "过期"),
}


@pytest.fixture(params=["en", "zh"])
def words(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return (request.param, *WORDS[request.param])


@pytest.fixture
def page(launch: Launch, open_page: OpenPage, words: tuple[str, ...]) -> Page:
    return open_page(launch(viewport={"width": 1280, "height": 800}), f"?lang={words[0]}")


def test_two_that_exclude_each_other_are_put_to_the_user(page: Page, words: tuple[str, ...]) -> None:
    _, memory, both, this_one, _, undo, *_ = words
    call(page, "set_fact", key="user::diet", value="vegetarian")
    call(page, "set_fact", key="user::likes", value="steak")
    assert call(page, "consolidate")["disputed"] == 1
    page.get_by_role("button", name=memory).click()
    card = page.locator(".panel .card")
    sides = card.locator(".side")  # beside each other, the older first
    expect(sides.first).to_contain_text("vegetarian")
    expect(sides.last).to_contain_text("steak")
    button(sides.last, this_one).press("Enter")
    expect(card).to_have_count(0)
    assert [fact["value"] for fact in call(page, "list_facts", status="archived")] == ["vegetarian"]
    button(page.locator(".toast"), undo).click()
    expect(card).to_have_count(1)
    button(card, both).click()
    expect(page.locator(".panel .entry")).to_have_count(2)
    assert call(page, "consolidate")["disputed"] == 0


def test_what_has_expired_is_shown_and_can_be_renewed(page: Page, words: tuple[str, ...]) -> None:
    _, memory, _, _, renew, undo, title, expired_on = words
    call(
        page,
        "set_fact",
        key="user::address",
        value="1 Main Street",
        expires_at=int(time.time() * 1000) - 5000,
    )
    page.get_by_role("button", name=memory).click()
    entry = page.locator(".panel .entry.expired")
    expect(page.locator(".panel h3")).to_have_text([title])
    expect(entry).to_contain_text("1 Main Street")
    expect(entry).to_contain_text(expired_on)
    button(entry, renew).click()
    expect(entry).to_have_count(0)
    expect(page.locator(".panel .entry .value")).to_have_text(["1 Main Street"])
    button(page.locator(".toast"), undo).click()
    expect(entry).to_have_count(1)
    assert call(page, "list_facts") == []


def test_what_was_true_and_known_on_a_day(page: Page, words: tuple[str, ...]) -> None:
    day_ms = 86_400_000
    now = int(time.time() * 1000)
    call(page, "set_fact", key="user::home", value="Lyon", valid_from=now - 400 * day_ms)
    call(page, "set_fact", key="user::home", value="Kyoto", valid_from=now - 30 * day_ms)
    page.get_by_role("button", name=words[1]).click()
    history = page.locator(".panel .history")
    expect(history.locator("summary")).to_contain_text("Lyon")
    history.locator("summary").click()
    expect(history.locator("li span")).to_have_text(["Kyoto", "Lyon"])
    nothing = "nothing" if words[0] == "en" else "没有"
    for days, held, known in ((10, "Kyoto", nothing), (100, "Lyon", nothing), (0, "Kyoto", "Kyoto")):
        history.locator("input").fill(time.strftime("%Y-%m-%d", time.localtime((now - days * day_ms) / 1000)))
        expect(history.locator("p")).to_have_text(re.compile(f"{held}.*{known}"))


def test_what_was_forgotten_is_told_by_number_alone(page: Page, words: tuple[str, ...]) -> None:
    fact = call(page, "set_fact", key="user::likes", value="xylophones")
    call(page, "forget", fact_id=fact["id"])
    page.get_by_role("button", name=words[1]).click()
    forgotten = page.locator(".panel .bygone")
    forgotten.locator("summary").click()
    expect(forgotten.locator("li span")).to_have_text(["1 memory" if words[0] == "en" else "1 条记忆"])
    expect(forgotten).not_to_contain_text("xylophones")


FILL = """async () => {
    for (let n = 0; n < 300; n++) await pyMemory.call('create_session', {title: `Chat ${n}`});
    const {id} = await pyMemory.call('create_session', {title: 'Last chat'});
    await pyMemory.call('add_message', {session_id: id, role: 'user', content: 'a long list'});
    for (let n = 0; n < 60; n++) await pyMemory.call('propose_fact', {key: `task::${n}`, value: `do ${n}`});
    for (let n = 0; n < 70; n++) await pyMemory.call('set_fact', {key: 'user::likes', value: `thing ${n}`});
}"""
LISTEN = """() => {
    globalThis.asked = [];
    const call = pyMemory.call.bind(pyMemory);
    pyMemory.call = (name, kwargs) => {
        asked.push(name);
        return call(name, kwargs);
    };
}"""


def test_much_is_shown_in_parts(launch: Launch, open_page: OpenPage) -> None:
    """However much there is, a part of it is read and rendered, and all of it can be reached."""
    page = open_page(launch(viewport={"width": 1280, "height": 800}))
    page.evaluate(FILL)
    rows = page.locator(".sessions .session-title")
    expect(rows.first).to_have_text("Last chat")
    expect(rows).to_have_count(40)
    button(page, "Memory").click()
    panel = page.locator(".panel")
    expect(panel.locator(".waiting-group h3")).to_have_text("Waiting for your yes 60")
    cards = panel.locator(".card")
    expect(cards).to_have_count(6)
    expect(button(panel, "Keep these 6")).to_be_visible()
    button(panel, "Show more (54 more wait)").click()
    expect(cards).to_have_count(46)
    button(panel, "Show more (14 more wait)").click()
    expect(cards).to_have_count(60)
    expect(button(panel, "Keep all")).to_be_visible()
    entries = panel.locator(".entry")
    expect(entries).to_have_count(12)
    expect(button(panel, "Show more (58 more)")).to_be_visible()
    button(panel, "Close").click()
    # The list of chats is a window that moves with the reader.
    oldest = page.locator(".sessions .session-title", has_text=re.compile("^Chat 0$"))
    for _ in range(60):
        page.locator(".sessions").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
        page.wait_for_timeout(50)
        if oldest.count():
            break
    expect(oldest).to_have_count(1)
    assert rows.count() <= 120
    page.evaluate(LISTEN)
    oldest.click()
    expect(page.locator("h1")).to_have_text("Chat 0")
    assert page.evaluate("asked.filter((name) => name !== 'list_sessions')")[:1] == ["read_chat"]
    for _ in range(60):
        page.locator(".sessions").evaluate("(list) => list.scrollTo(0, 0)")
        page.wait_for_timeout(50)
        if rows.first.text_content() == "Last chat":
            break
    expect(rows.first).to_have_text("Last chat")
    expect(page.locator("h1")).to_have_text("Chat 0")  # it need not stand in the list
    assert rows.count() <= 120
