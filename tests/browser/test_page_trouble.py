"""What the page says and offers when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser import host_page as host

from .conftest import Server

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

ANSWERED_MS = 20_000
FULL_DISK = """() => {
    globalThis.realPut = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = () => {
        throw new DOMException('no space is left', 'QuotaExceededError');
    };
}"""
MORE_SPACE = "() => { IDBObjectStore.prototype.put = realPut; }"


def with_script(context: BrowserContext, script: str) -> None:
    """Runs a script at the start of the worker, which the service worker would otherwise bring unchanged."""

    def answer(route: Route) -> None:
        route.fulfill(body=script + route.fetch().text(), content_type="text/javascript")

    context.route("**/assets/worker-*.js", answer)
    context.add_init_script("Object.defineProperty(navigator, 'serviceWorker', {value: undefined})")


def say(page: Page, text: str) -> None:
    page.fill("#message", text)
    page.press("#message", "Enter")
    answer = page.locator("article[data-role=assistant]").last
    expect(answer).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)


def test_a_full_disk(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    page.workers[0].evaluate(FULL_DISK)
    say(page, "The boiler makes a noise.")
    status = page.get_by_role("status", name="Memory status")
    expect(status).to_have_text("Not saved")
    banner = page.locator(".banner.problem")
    expect(banner).to_contain_text("disk space")
    expect(banner.get_by_role("button", name="Export")).to_be_enabled()
    page.workers[0].evaluate(MORE_SPACE)
    banner.get_by_role("button", name="Try again").click()
    expect(status).to_have_text("Saved")
    expect(banner).to_have_count(0)
    page.reload()
    expect(page.locator("article[data-role=user]")).to_contain_text("boiler", timeout=ANSWERED_MS)


def test_a_memory_that_cannot_be_opened(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    host.add(page, host.start_session(page), "hard to reach")
    page.evaluate("() => pyMemory.flush()")
    host.database(page, "log", "flip", key=host.database(page, "log", "keys")[0])
    page.reload()
    failed = page.get_by_role("alert")
    expect(failed.get_by_role("heading", name="The memory cannot be opened")).to_be_visible(timeout=60_000)
    expect(failed.get_by_role("button")).to_have_text(["Reload", "Download the raw file", "Start empty"])
    # Without its first record the file has a hole, and still the newest words.
    with page.expect_download() as downloading:
        failed.get_by_role("button", name="Download the raw file").click()
    assert b"hard to reach" in downloading.value.path().read_bytes()
    failed.get_by_role("button", name="Start empty").click()
    expect(failed).to_have_count(0)
    say(page, "A new beginning.")
    expect(page.get_by_role("status", name="Memory status")).to_have_text("Saved")


def test_nothing_to_download(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    host.add(page, host.start_session(page), "hard to reach")
    page.evaluate("() => pyMemory.flush()")
    for key in host.database(page, "log", "keys"):
        host.database(page, "log", "flip", key=key)
    page.reload()
    failed = page.get_by_role("alert")
    failed.get_by_role("button", name="Download the raw file").click(timeout=60_000)
    expect(page.locator(".toast.problem")).to_contain_text("Nothing readable")


def test_the_state_before_is_opened(launch: Launch, open_page: OpenPage) -> None:
    """Where it is damaged too, so that it is not taken by itself."""
    page = open_page(launch())
    session = host.start_session(page)
    for number in range(200):
        host.add(page, session, f"message {number}")
    page.evaluate("() => pyMemory.call('vacuum')")
    page.evaluate("() => pyMemory.call('vacuum')")
    before, now = host.database(page, "chunks", "keys")
    host.overwrite_chunk(page, now, 5 * 1024, b"\xff" * 75 * 1024)
    host.overwrite_chunk(page, before, 40 * 1024, b"\xff" * 1024)
    page.reload()
    failed = page.get_by_role("alert")
    choices = ["Reload", "Open the state before", "Download the raw file", "Start empty"]
    expect(failed.get_by_role("button")).to_have_text(choices, timeout=60_000)
    expect(failed).to_contain_text("no state of it is whole")
    failed.get_by_role("button", name="Open the state before").click()
    expect(failed).to_have_count(0)
    expect(page.locator(".banner[data-code=restored]")).to_be_visible()
    expect(page.locator(".session")).to_have_count(1)
    assert host.database(page, "quarantine", "count") == 1
    # It is not checked over and over: what can be read of it is there to be used.
    assert host.status(page)["state"] == "saved"
    assert len(host.texts(page, session)) > 0


def test_a_part_of_the_memory_was_damaged(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    for number in range(3):
        host.add(page, session, f"message {number}")
    page.evaluate("() => pyMemory.flush()")
    host.database(page, "log", "flip", key=host.database(page, "log", "keys")[-1])
    page.reload()
    banner = page.locator(".banner[data-code=restored]")
    expect(banner).to_contain_text("damaged", timeout=60_000)
    banner.get_by_role("button", name="Dismiss").click()
    expect(banner).to_have_count(0)
    expect(page.locator("article[data-role=user]").first).to_contain_text("message 0")


def test_nothing_is_kept_without_storage(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    # As in a private window of some browsers.
    refuse = "{value: {open() { throw new DOMException('no', 'SecurityError'); }}}"
    with_script(context, f"Object.defineProperty(self, 'indexedDB', {refuse});")
    page = open_page(context)
    banner = page.locator(".banner[data-code=no_storage]")
    expect(banner).to_contain_text("Nothing is kept here")
    expect(page.get_by_role("status", name="Memory status")).to_have_text("Not saved")
    say(page, "The boiler makes a noise.")
    expect(banner.get_by_role("button", name="Export")).to_be_enabled()


def test_offline_is_shown_apart(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    page = open_page(context)
    expect(page.locator(".works-offline")).to_have_text("Works offline")
    context.set_offline(True)
    expect(page.locator(".offline")).to_have_text("Offline, and working")
    expect(page.get_by_role("status", name="Memory status")).to_have_text("Saved")
    say(page, "The boiler makes a noise.")
    context.set_offline(False)
    expect(page.locator(".offline")).to_have_count(0)


def test_a_server_that_is_gone_alarms_nobody(launch: Launch, open_page: OpenPage, server: Server) -> None:
    page = open_page(launch(), url=server.url)
    expect(page.locator(".works-offline")).to_have_text("Works offline")
    server.stop()
    page.reload()
    expect(page.get_by_role("status", name="Memory status")).to_have_text("Saved", timeout=60_000)
    expect(page.locator(".works-offline")).to_have_text("Works offline")
    expect(page.locator(".banner")).to_have_count(0)
    say(page, "The boiler makes a noise.")


def test_a_chat_deleted_in_another_tab(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    say(first, "The boiler makes a noise.")
    expect(second.locator("article[data-role=user]")).to_have_count(1)
    first.get_by_role("button", name="Delete", exact=True).click()
    expect(second.locator("article[data-role=user]")).to_have_count(0)
    expect(second.locator(".toast")).to_have_count(0)
