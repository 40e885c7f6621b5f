"""What goes into the message box: input methods, hostile text, every script, and too much of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

ANSWERED_MS = 20_000
LIMIT = 1 << 20

HOSTILE = (
    "<img src=x onerror=\"globalThis.hit='img'\">",
    "<script>globalThis.hit='script'</script>",
    "[press](javascript:globalThis.hit='link')",
    "![picture](https://example.invalid/pixel.png)",
    "<svg onload=\"globalThis.hit='svg'\"><a xlink:href=\"javascript:globalThis.hit='a'\">x</a></svg>",
    "</textarea><iframe srcdoc=\"<script>parent.hit='frame'</script>\"></iframe>",
    "[data](data:text/html,<script>parent.hit='data'</script>)",
    "`</code><img src=x onerror=globalThis.hit='code'>`",
)


@pytest.fixture
def page(launch: Launch, open_page: OpenPage) -> Page:
    page = open_page(launch(viewport={"width": 1280, "height": 800}))
    page.evaluate("globalThis.hit = null")
    return page


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message", exact=True)


def articles(page: Page, role: str) -> Locator:
    return page.get_by_role("log").locator(f"article[data-role={role}]")


def send(page: Page, text: str) -> Locator:
    answers = articles(page, "assistant")
    before = answers.count()
    box(page).fill(text)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(answers.nth(before)).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)
    return articles(page, "user").last


def call(page: Page, method: str, **kwargs: Any) -> Any:
    return page.evaluate("([method, kwargs]) => pyMemory.call(method, kwargs)", [method, kwargs])


def test_enter_that_ends_a_composition_does_not_send(page: Page) -> None:
    keyboard = page.context.new_cdp_session(page)
    box(page).focus()
    keyboard.send("Input.imeSetComposition", {"text": "ni hao", "selectionStart": 6, "selectionEnd": 6})
    # As the browser reports it while the input method has the key …
    held = {"key": "Process", "code": "Enter", "windowsVirtualKeyCode": 229}
    keyboard.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **held})
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", **held})
    # … and as one that says Enter.
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
    keyboard.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
    keyboard.send("Input.insertText", {"text": "你好"})
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})
    expect(box(page)).to_have_value("你好")
    expect(articles(page, "user")).to_have_count(0)
    page.evaluate("new Promise((resolve) => setTimeout(resolve))")  # the page, too, waits for one tick
    page.keyboard.press("Enter")
    expect(articles(page, "user")).to_contain_text("你好")


def test_enter_right_after_the_composition_does_not_send(page: Page) -> None:
    """Safari ends the composition first and then reports the Enter, as if it were an ordinary one."""
    box(page).fill("你好")
    page.evaluate(
        """() => {
            const field = document.querySelector("#message");
            const key = {key: "Enter", bubbles: true, cancelable: true};
            field.dispatchEvent(new CompositionEvent("compositionstart", {bubbles: true}));
            field.dispatchEvent(new CompositionEvent("compositionend", {bubbles: true, data: "你好"}));
            field.dispatchEvent(new KeyboardEvent("keydown", key));
        }"""
    )
    page.wait_for_timeout(100)
    expect(articles(page, "user")).to_have_count(0)
    box(page).press("Enter")
    expect(articles(page, "user")).to_have_count(1)


def test_shift_enter_starts_a_line(page: Page) -> None:
    box(page).press_sequentially("one")
    box(page).press("Shift+Enter")
    box(page).press_sequentially("two")
    expect(box(page)).to_have_value("one\ntwo")
    expect(articles(page, "user")).to_have_count(0)


def test_empty_is_not_sent(page: Page) -> None:
    for text in ("", "   ", "\n\n\t"):
        box(page).fill(text)
        expect(page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
        box(page).press("Enter")
        expect(articles(page, "user")).to_have_count(0)


def test_too_much_is_refused_with_its_size(page: Page) -> None:
    text = "x" * (LIMIT + 1) + "é"
    box(page).fill(text)
    box(page).press("Enter")
    problem = page.get_by_role("alert")
    expect(problem).to_contain_text("1 MB")
    expect(articles(page, "user")).to_have_count(0)
    assert box(page).input_value() == text, "What was written must not be lost"
    box(page).fill("short")
    expect(problem).to_have_count(0)


def test_the_largest_message_is_taken_and_shown_from_its_beginning(page: Page) -> None:
    said = send(page, "word " * (LIMIT // 5))
    shown = said.inner_text()
    assert len(shown) < 20_000
    said.get_by_role("button", name="Show all of it").click()
    expect(said.get_by_role("button", name="Show all of it")).to_have_count(0)
    assert len(said.inner_text()) > LIMIT - 100


def test_hostile_text_stays_text(page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for text in HOSTILE:
        said = send(page, text)
        assert said.locator(".said").inner_text() == text
        session = call(page, "list_sessions")[0]["id"]
        call(page, "add_message", session_id=session, role="assistant", content=text)
        call(
            page,
            "set_fact",
            key="user::note",
            value=text[:100],
            source_message_id=said.get_attribute("data-id"),
        )
        call(page, "rename_session", session_id=session, title=text)
        expect(page.get_by_role("heading", level=1)).to_have_text(text)
    expect(articles(page, "assistant")).to_have_count(2 * len(HOSTILE))
    page.get_by_role("button", name="Memory", exact=True).click()
    expect(page.locator(".entry")).to_have_count(len(HOSTILE))
    app = page.locator("#app")
    expect(app.locator("img, iframe, script, object, embed, [onerror], [onload], svg a")).to_have_count(0)
    for link in app.locator("a[href]").all():
        assert (link.get_attribute("href") or "").startswith(("#message", "https://", "http://", "mailto:"))
    assert page.evaluate("globalThis.hit") is None
    assert not [url for url in requests if "example.invalid" in url]


def test_remote_images_and_links(page: Page) -> None:
    session = call(page, "create_session")["id"]
    content = "See ![a cat](https://example.invalid/cat.png) and [this](https://example.invalid/page)."
    call(page, "add_message", session_id=session, role="assistant", content=content)
    page.locator(".session-title").click()
    links = articles(page, "assistant").get_by_role("link")
    expect(links).to_have_count(2)
    expect(links.first).to_have_text("a cat (image, not loaded)")
    for link in links.all():
        assert "noopener" in (link.get_attribute("rel") or "")


def test_text_comes_back_as_it_was(page: Page) -> None:
    for text in (
        "👩‍👩‍👧‍👦 and 🏳️‍🌈 met 𠮷野家",
        "e\u0301 is not \u00e9",
        "line one\n  indented line\nline three",
    ):
        said = send(page, text)
        assert call(page, "get_message", id=said.get_attribute("data-id"))["content"] == text
        assert said.locator(".said").inner_text() == text


def test_right_to_left_by_block_and_code_left_to_right(page: Page) -> None:
    session = call(page, "create_session")["id"]
    call(
        page,
        "add_message",
        session_id=session,
        role="user",
        content="שלום עולם\nand English\n```\nx = 1\n```",
    )
    call(
        page,
        "add_message",
        session_id=session,
        role="assistant",
        content="مرحبا `print(1)`\n\nHello\n\n```\ny = 2\n```",
    )
    page.locator(".session-title").click()
    expect(articles(page, "assistant")).to_have_count(1)
    direction = "(element) => getComputedStyle(element).direction"
    for role in ("user", "assistant"):
        blocks = articles(page, role).locator(".said > .line, .answer-text > p")
        assert blocks.nth(0).evaluate(direction) == "rtl"
        assert blocks.nth(1).evaluate(direction) == "ltr"
        for code in articles(page, role).locator("code").all():
            assert code.evaluate(direction) == "ltr"


def test_characters_that_cannot_be_stored(page: Page) -> None:
    page.evaluate("() => void pyMemory.send({text: 'a\\u0000b \\ud800 c'})")
    said = articles(page, "user")
    expect(said.locator(".said")).to_have_text("a\ufffdb \ufffd c", timeout=ANSWERED_MS)
    expect(said).to_contain_text("were replaced")


def test_markdown_nested_beyond_reason(page: Page) -> None:
    session = call(page, "create_session")["id"]
    for content in ("> " * 5_000 + "deep", "[" * 3_000 + "x", "*a **b " * 2_000, "- " * 2_000 + "x"):
        call(page, "add_message", session_id=session, role="assistant", content=content)
    page.locator(".session-title").click()
    expect(articles(page, "assistant")).to_have_count(4)
    assert box(page).is_enabled()
