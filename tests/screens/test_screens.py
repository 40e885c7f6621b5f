"""Pictures of every screen, in both languages and themes, on desk and phone: `build.py test --screens`.

They lie in dist/screens. axe finds nothing in any (contrast included), and none is wider than a screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Error, Page, expect

from py_memory import MemoryStore
from tests.browser import host_page as host
from tests.browser.conftest import launch, playwright, site_url, wait_until_ready  # noqa: F401
from tests.browser.test_page_look import LOOKS, Look, check, started
from tests.browser.test_page_trouble import FULL_DISK
from tests.browser.test_sync_screen import SyncSite, site  # noqa: F401

from .catalogue import FACTS, LIKES, SCREENS, TALK, Visit

ANSWERED_MS = 60_000
LATE_MS = 10_000


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1][0]}-{look[2]}")
def look(request: pytest.FixtureRequest) -> Look:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def page(launch: Callable[..., BrowserContext], site_url: str, look: Look) -> Page:  # noqa: F811
    lang, (width, height), scheme = look
    phone = {"has_touch": True, "is_mobile": True} if width < 500 else {}
    context = launch(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **phone
    )
    page = context.new_page()
    page.goto(f"{site_url}?lang={lang}")
    return page


def say(page: Page, text: str) -> None:
    answers = page.locator("article[data-role=assistant]")
    before = answers.count()
    page.fill("#message", text)
    page.press("#message", "Enter")
    expect(answers.nth(before)).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)


def close_all(page: Page) -> None:
    """Back to the chat: what is open on top is closed, one after the other."""
    for _ in range(4):
        if page.locator("dialog, .panel, .sidebar.open, .editor, .message-editor").count():
            page.keyboard.press("Escape")
            page.wait_for_timeout(50)
    expect(page.locator("dialog, .panel, .sidebar.open, .editor, .message-editor")).to_have_count(0)
    page.evaluate("() => void (document.documentElement.dataset.text = 'normal')")


def test_every_screen(page: Page, look: Look) -> None:
    lang, (width, _), _ = look
    expect(page.locator("#message")).to_be_visible()
    check(page, look, "first-visit")
    started(page)
    check(page, look, "empty")
    page.keyboard.press("Control+k")
    page.locator("#palette-health").click()
    expect(page.locator(".all-well")).to_be_visible()
    check(page, look, "health-well")
    close_all(page)
    visit = Visit(page, lang, width)
    for text in TALK[lang]:
        say(page, text)
    for key, value in FACTS[lang].items():
        visit.call("set_fact", key=key, value=value)
    for value in LIKES[lang]:
        visit.call("set_fact", key="user::likes", value=value)
    page.set_default_timeout(LATE_MS)
    faults: list[str] = []
    for name, open_ in SCREENS.items():
        try:
            open_(visit)
            check(page, look, name)
            close_all(page)
        except (AssertionError, Error) as fault:
            faults.append(f"{name}: {str(fault)[:600]}")
            close_all(page)
    assert not faults, "\n\n".join(faults)


def test_when_something_is_wrong(page: Page, look: Look) -> None:
    lang, _, _ = look
    started(page)
    say(page, TALK[lang][0])
    page.workers[0].evaluate(FULL_DISK)
    say(page, TALK[lang][1])
    expect(page.locator(".banner.problem")).to_be_visible()
    check(page, look, "not-saved")
    page.reload()
    started(page)
    host.database(page, "log", "flip", key=host.database(page, "log", "keys")[0])
    page.reload()
    expect(page.get_by_role("alert")).to_be_visible(timeout=60_000)
    check(page, look, "recovery")


def test_syncing(page: Page, look: Look, site: SyncSite, tmp_path: Path) -> None:  # noqa: F811
    """From off to two versions side by side: the other device is a memory of its own."""
    lang, (width, _), _ = look
    page.goto(f"{site.url}?lang={lang}")
    started(page)
    visit = Visit(page, lang, width)
    fact = visit.call("propose_fact", key="user::diet", value=FACTS[lang]["user::likes"])
    visit.command("sync")
    check(page, look, "sync-off")
    page.locator(".sync-form button:not(.primary)").last.click()
    visit.see(".sync-dry")
    check(page, look, "sync-dry")
    page.fill("#sync-token", "mt_0_0")
    visit.click(".sync-form .primary")
    visit.see(".kind-problem")
    check(page, look, "sync-refused")
    page.fill("#sync-token", site.token())
    visit.click(".sync-form .primary")
    state = page.locator(".sync-state")
    expect(state).to_have_attribute("data-state", "good", timeout=ANSWERED_MS)
    check(page, look, "sync-on")

    other, token = MemoryStore(tmp_path / "other.db"), site.token()
    other.sync(site.url, token)
    other.confirm_fact(fact["id"], value=LIKES[lang][0])
    page.context.set_offline(True)
    visit.call("confirm_fact", id=fact["id"], value=LIKES[lang][1])
    other.sync(site.url, token)
    page.context.set_offline(False)
    visit.click("dialog button.primary")
    visit.see(".pair")
    check(page, look, "sync-conflict")
    page.locator(".pair").scroll_into_view_if_needed()
    check(page, look, "sync-conflict-pair")
    site.kill()
    visit.click("dialog button.primary")
    expect(state).to_have_attribute("data-state", "failed", timeout=ANSWERED_MS)
    page.locator("dialog .dialog-body").evaluate("(body) => body.closest('dialog').scrollTo(0, 0)")
    check(page, look, "sync-failed")
