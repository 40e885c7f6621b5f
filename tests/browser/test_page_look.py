"""How the page looks and reads: accessible in every state, both themes, both languages, on phone and desk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import host_page as host

from .conftest import wait_for
from .test_page_early import Held, wait_until_kept

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]
Look = tuple[str, tuple[int, int], str]

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SCREENS = os.environ.get("PY_MEMORY_SCREENS")
ANSWERED_MS = 20_000

TALK = {
    "en": "I'm Lena, I'm vegetarian, and my daughter Mei is 6.",
    "zh": "我叫小林，我吃素，我女儿小美6岁。",
}
NAMES = {
    "en": {
        "memory": "Memory",
        "storage": "Storage",
        "import": "Import",
        "edit": "Edit",
        "edit_message": "Edit message",
        "again": "Answer again",
        "inspect": "What the model was sent",
        "keep": "Keep",
        "delete": "Delete",
        "menu": "Show chats",
        "incognito": "New incognito chat",
    },
    "zh": {
        "memory": "记忆",
        "storage": "存储",
        "import": "导入",
        "edit": "修改",
        "edit_message": "编辑消息",
        "again": "重新回答",
        "inspect": "发给模型的内容",
        "keep": "保留",
        "delete": "删除",
        "menu": "显示对话列表",
        "incognito": "新的无痕对话",
    },
}
# What the palette opens: the state, and where it is seen.
OPENED = {"20-about": ".about-group", "21-export": ".export-form", "22-keys": ".keys-group"}
PALETTE = {
    "en": {"20-about": "know about you", "21-export": "another form", "22-keys": "shortcuts"},
    "zh": {"20-about": "对你的了解", "21-export": "其他格式", "22-keys": "快捷键"},
}
DESK, PHONE = (1280, 800), (390, 844)
LOOKS = [
    (lang, size, scheme) for lang in ("en", "zh") for size in (DESK, PHONE) for scheme in ("light", "dark")
]
# Half of them, in which each goes with each: `build.py test --screens` looks at all.
HALF = [look for look in LOOKS if ((look[0] == "zh") + (look[1] == PHONE) + (look[2] == "dark")) % 2 == 0]


@pytest.fixture(params=HALF, ids=lambda look: f"{look[0]}-{look[1][0]}-{look[2]}")
def look(request: pytest.FixtureRequest) -> tuple[str, tuple[int, int], str]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def page(launch: Launch, site_url: str, look: tuple[str, tuple[int, int], str]) -> Page:
    lang, (width, height), scheme = look
    phone = {"has_touch": True, "is_mobile": True} if width < 500 else {}
    context = launch(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **phone
    )
    page = context.new_page()
    page.goto(f"{site_url}?lang={lang}")
    return page


def check(page: Page, look: tuple[str, tuple[int, int], str], state: str) -> None:
    """No finding of axe, nothing wider than the screen; and a picture if asked for."""
    lang, (width, _), scheme = look
    wait_for(page, "document.getAnimations().every(({playState}) => playState !== 'running')")
    if SCREENS:
        folder = Path(SCREENS)
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{lang}-{width}-{scheme}-{state}.png")
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text("utf-8") + "; undefined")
    findings: list[Any] = page.evaluate(
        """async () => {
            const {violations} = await axe.run(document, {resultTypes: ["violations"]});
            const told = ({html, failureSummary}) => html.slice(0, 160) + failureSummary;
            return violations.map(({id, nodes}) => [id, nodes.slice(0, 3).map(told)]);
        }"""
    )
    assert findings == [], f"{state}: {findings}"
    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{state} is wider than the screen"
    wide = page.evaluate(
        """() => [...document.querySelectorAll("#app *")].filter((element) => {
            const {right, left, width} = element.getBoundingClientRect();
            const mayBe = element.closest(".sidebar, pre, .table, .sr");
            return width > 0 && left < innerWidth && right > innerWidth + 1 && !mayBe;
        }).map((element) => element.outerHTML.slice(0, 120))"""
    )
    assert wide == [], f"{state}: cut off at the right: {wide}"


def started(page: Page) -> None:
    """Waits until the memory answers and the buttons that need it can be used."""
    expect(page.locator(".memory-status[data-state=saved]")).to_be_visible(timeout=60_000)
    expect(page.locator(".tool:disabled, .boot")).to_have_count(0)


def named(page: Page, look: tuple[str, tuple[int, int], str], name: str) -> Any:
    return page.get_by_role("button", name=NAMES[look[0]][name], exact=True)


def test_every_state(page: Page, look: tuple[str, tuple[int, int], str]) -> None:
    lang, (width, _), _ = look
    expect(page.locator("#message")).to_be_visible()
    faded = "[...document.querySelectorAll('button')].filter((one) => getComputedStyle(one).opacity !== '1')"
    assert page.evaluate(f"{faded}.map((one) => one.outerHTML)") == [], "Waiting buttons must stay readable"
    check(page, look, "1-starting")
    started(page)
    check(page, look, "2-empty")

    page.fill("#message", TALK[lang])
    page.press("#message", "Enter")
    answer = page.locator("article[data-role=assistant]")
    expect(answer).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)
    expect(named(page, look, "keep").first).to_be_visible()
    check(page, look, "3-proposals")

    named(page, look, "edit").first.click()
    check(page, look, "4-editing")
    page.keyboard.press("Escape")
    named(page, look, "keep").first.click()
    expect(page.locator(".kept-fact")).to_have_count(1)
    check(page, look, "5-kept")

    named(page, look, "inspect").click()
    expect(page.locator(".used-memory").first).to_be_visible()
    check(page, look, "17-inspector")
    page.keyboard.press("Escape")
    named(page, look, "again").click()
    expect(answer.locator(".branches")).to_be_visible()
    expect(answer).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)
    check(page, look, "18-branches")
    named(page, look, "edit_message").click()
    expect(page.locator(".message-editor textarea")).to_be_focused()
    check(page, look, "19-edit-message")
    page.keyboard.press("Escape")

    named(page, look, "memory").click()
    expect(page.locator(".panel .entry").first).to_be_visible()
    check(page, look, "6-memory")
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_have_count(0)
    expect(named(page, look, "memory")).to_be_focused()

    named(page, look, "storage").click()
    expect(page.get_by_role("dialog").locator("meter")).to_be_visible()
    check(page, look, "7-storage")
    page.keyboard.press("Escape")

    page.locator(".model-button").click()
    expect(page.locator("#model-address")).to_be_visible()
    check(page, look, "15-models")
    for kind in ("device", "browser"):
        page.locator(f"[data-kind={kind}] summary").click()
        expect(page.locator(f"[data-kind={kind}] .kind-note").first).to_be_visible()
    check(page, look, "16-models-device")
    page.keyboard.press("Escape")

    named(page, look, "import").click()
    page.locator(".import-more summary").first.click()
    expect(page.locator(".drop-here")).to_be_visible()
    check(page, look, "17-import")
    messages = [{"uuid": "m", "sender": "human", "text": "Tea?"}]
    export = json.dumps([{"uuid": id, "name": "Tea", "chat_messages": messages} for id in ("k", "l")])
    file = {"name": "c.json", "mimeType": "application/json", "buffer": export.encode()}
    page.get_by_test_id("import-file").set_input_files(file)
    page.locator(".which input").last.click()
    expect(page.locator(".pick-list")).to_be_visible()
    check(page, look, "18-import-pick")
    page.keyboard.press("Escape")

    for state, opened in OPENED.items():
        page.keyboard.press("Control+k")
        page.locator(".palette input").fill(PALETTE[lang][state])
        check(page, look, "19-palette")
        page.keyboard.press("Enter")
        expect(page.locator(opened).first).to_be_visible()
        check(page, look, state)
        page.keyboard.press("Escape")

    if width < 500:
        named(page, look, "menu").click()
        expect(page.locator(".session")).to_be_visible()
        check(page, look, "8-sessions")
    named(page, look, "delete").click()
    expect(page.locator(".toast")).to_be_visible()
    check(page, look, "9-deleted")


def test_an_incognito_chat(page: Page, look: tuple[str, tuple[int, int], str]) -> None:
    lang, (width, _), _ = look
    started(page)
    if width < 500:
        named(page, look, "menu").click()
    named(page, look, "incognito").click()
    expect(page.locator(".incognito-note")).to_be_visible()
    check(page, look, "12-incognito")
    page.fill("#message", TALK[lang])
    page.press("#message", "Enter")
    answer = page.locator("article[data-role=assistant]")
    expect(answer).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)
    check(page, look, "13-incognito-talk")
    if width < 500:
        named(page, look, "menu").click()
        check(page, look, "14-incognito-sessions")


def test_starting_again_and_failing(
    launch: Launch, site_url: str, look: tuple[str, tuple[int, int], str]
) -> None:
    lang, (width, height), scheme = look
    context = launch(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    python = Held(context)
    python.let_go()
    page = context.new_page()
    page.goto(f"{site_url}?lang={lang}")
    started(page)
    page.fill("#message", TALK[lang])
    page.press("#message", "Enter")
    answer = page.locator("article[data-role=assistant]")
    expect(answer).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)
    wait_until_kept(page, TALK[lang])
    python.again()
    page.reload()
    expect(answer).to_be_visible()
    check(page, look, "10-early")

    host.database(page, "log", "flip", key=host.database(page, "log", "keys")[0])
    python.let_go()
    page.reload()
    expect(page.get_by_role("alert")).to_be_visible(timeout=60_000)
    check(page, look, "11-failed")


@pytest.mark.parametrize("size", [DESK, PHONE], ids=("desk", "phone"))
def test_nothing_moves_once_started(launch: Launch, site_url: str, size: tuple[int, int]) -> None:
    width, height = size
    page = launch(viewport={"width": width, "height": height}).new_page()
    page.goto(f"{site_url}?lang=en")
    places = """['.empty h2', '.composer-box', '.sidebar-foot'].map(
        (name) => document.querySelector(name).getBoundingClientRect().top)"""
    expect(page.locator(".empty h2")).to_be_visible()
    before = page.evaluate(places)
    started(page)
    wait_for(page, "document.querySelector('.sidebar-foot').textContent.includes('Never')")
    assert page.evaluate(places) == before


def test_what_is_suggested_takes_one_line(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch(viewport={"width": 320, "height": 568}), "?lang=en")
    height = "document.querySelector('#message').offsetHeight"
    suggested = page.evaluate(height)
    page.fill("#message", "x")
    assert page.evaluate(height) == suggested


@pytest.mark.parametrize("width", [390, 1280])
def test_every_tool_shows_its_name(launch: Launch, open_page: OpenPage, width: int) -> None:
    page = open_page(launch(viewport={"width": width, "height": 800}), "?lang=en")
    tools = page.locator(".tool")
    expect(tools.locator(".tool-name")).to_have_text(["Memory", "Export", "Import", "Storage"])
    for tool in tools.locator(".tool-name").all():
        expect(tool).to_be_visible()
    assert (
        len(set(tools.locator("path").evaluate_all("(all) => all.map((one) => one.getAttribute('d'))"))) == 4
    )


def test_the_drawer_keeps_the_focus(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch(viewport={"width": 390, "height": 844}, reduced_motion="reduce"))
    page.get_by_role("button", name="Show chats").click()
    expect(page.get_by_role("button", name="Hide chats")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        inside = page.evaluate("document.activeElement.matches('.sidebar *, .skip, body')")
        assert inside, "The focus left the drawer"
    page.keyboard.press("Shift+Tab")
    page.get_by_role("button", name="New chat").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Show chats")).to_be_focused()
    expect(page.get_by_role("navigation", name="Sessions")).to_be_hidden()


def test_the_message_box_stays_on_a_small_screen(launch: Launch, open_page: OpenPage) -> None:
    """As with an on-screen keyboard, which leaves half of the height."""
    page = open_page(launch(viewport={"width": 390, "height": 380}))
    page.fill("#message", "line\n" * 30)
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.scrollingElement.scrollTop") == 0


def test_targets_are_large_enough_for_fingers(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    page.fill("#message", TALK["en"])
    page.press("#message", "Enter")
    expect(page.get_by_role("button", name="Keep", exact=True).first).to_be_visible(timeout=ANSWERED_MS)
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, input, textarea")].filter((element) => {
            const {width, height} = element.getBoundingClientRect();
            const seen = element.checkVisibility({visibilityProperty: true}) && width > 0;
            return seen && (width < 24 || height < 24);
        }).map((element) => element.outerHTML.slice(0, 120))"""
    )
    assert small == []
