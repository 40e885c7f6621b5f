"""Notices and what is around them: one offer to undo, nothing false afterwards, nothing covered or moved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from .test_page import EN, articles, button, call, say, wait_until

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

SIZES = [(1280, 800), (1600, 900), (390, 844)]


@pytest.fixture
def page(launch: Launch, open_page: OpenPage) -> Page:
    return open_page(launch(viewport={"width": 1280, "height": 800}))


def test_after_undo_the_answer_says_nothing_false(page: Page) -> None:
    call(page, "set_fact", key="user::diet", value="vegetarian")
    answer = say(page, "Forget my diet.")
    expect(answer).to_contain_text("Forgotten: what I knew")
    button(page.locator(".toast"), EN.undo).click()
    expect(answer).to_contain_text("This was undone")
    expect(answer).not_to_contain_text("Forgotten: what I knew")
    assert [fact["value"] for fact in call(page, "list_facts")] == ["vegetarian"]


def test_one_offer_takes_back_what_was_forgotten_in_two_steps(page: Page) -> None:
    say(page, "Remember that I like chess puzzles.")
    say(page, "Forget chess puzzles.")
    expect(page.locator(".toast")).to_have_count(1)
    page.fill("#message", "yes")
    page.press("#message", "Enter")
    toast = page.locator(".toast")
    expect(toast).to_contain_text("messages and 1 memory")
    expect(toast).to_have_count(1)
    said = "I like chess puzzles"
    assert call(page, "search", text=said) == []
    button(toast, EN.undo).click()
    wait_until(lambda: len(call(page, "list_facts")) == 1 and len(call(page, "search", text=said)) > 0)
    expect(page.locator(".toast")).to_have_count(0)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_toast_covers_neither_the_newest_answer_nor_the_message_box(
    launch: Launch, open_page: OpenPage, size: tuple[int, int]
) -> None:
    page = open_page(launch(viewport={"width": size[0], "height": size[1]}))
    call(page, "set_fact", key="user::diet", value="vegetarian")
    for number in range(6):
        say(page, f"The boiler makes noise number {number}.")
    say(page, "Forget my diet.")
    toast = page.locator(".toast")
    expect(toast).to_be_visible()
    page.wait_for_timeout(400)  # it settles
    box, answer = toast.bounding_box(), articles(page, "assistant").last.bounding_box()
    composer = page.locator(".composer-box").bounding_box()
    assert box is not None
    assert answer is not None
    assert composer is not None
    assert answer["y"] + answer["height"] <= box["y"]
    assert box["y"] + box["height"] <= composer["y"]
    button(toast, "Dismiss").click()
    expect(page.locator(".log")).to_have_css("padding-bottom", "16px" if size[0] < 800 else "24px")


def test_a_toast_stands_before_the_dialog(page: Page) -> None:
    button(page, "Storage").click()
    with page.expect_download():
        button(page.get_by_role("dialog"), "Export now").click()
    toast = page.locator(".toast:not(.busy)")
    expect(toast).to_be_visible()
    page.wait_for_timeout(300)
    in_front = toast.evaluate(
        """(toast) => {
            const {left, top, width, height} = toast.getBoundingClientRect();
            return toast.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }"""
    )
    assert in_front
    button(toast, "Dismiss").click()
    expect(toast).to_have_count(0)


@pytest.mark.parametrize("size", SIZES[:2], ids=str)
def test_the_header_stays_where_it_is_when_the_panel_opens(
    launch: Launch, open_page: OpenPage, size: tuple[int, int]
) -> None:
    page = open_page(launch(viewport={"width": size[0], "height": size[1]}))
    say(page, "What did I say about the boiler in the basement of the house in Bergen last winter?")
    places = """[...document.querySelectorAll('.header :is(h1, .tool, .memory-status)')].map((one) => {
        const {left, top, width, height} = one.getBoundingClientRect();
        return [left, top, width, height].map(Math.round);
    })"""
    before = page.evaluate(places)
    button(page, EN.memory).click()
    panel = page.locator(".panel")
    expect(panel).to_be_visible()
    page.wait_for_timeout(300)
    assert page.evaluate(places) == before
    button(panel, "Close").click()
    button(page, EN.memory).click()
    button(page, EN.memory).click()
    expect(panel).to_have_count(0)


def test_a_dialog_that_goes_on_says_so_at_its_edge(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch(viewport={"width": 390, "height": 600}))
    button(page, "Storage").click()
    dialog = page.get_by_role("dialog")
    assert dialog.evaluate("(one) => one.scrollHeight > one.clientHeight + 50")
    assert (
        dialog.evaluate("(one) => getComputedStyle(one).backgroundImage.match(/linear-gradient/g).length")
        == 4
    )


def test_a_day_that_was_spoken_of_stands_beside_its_words(page: Page) -> None:
    say(page, "Remember that the dentist is tomorrow.")
    button(page, EN.memory).click()
    expect(page.locator(".panel .entry .since")).to_contain_text("“tomorrow” is ")
