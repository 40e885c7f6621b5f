"""What the page says and offers when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Route, expect

from tests.browser import host_page as host

from .conftest import Server, wait_until_ready

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
    expect(page.locator(".toast")).to_contain_text("Saved again")
    page.reload()
    expect(page.locator("article[data-role=user]")).to_contain_text("boiler", timeout=ANSWERED_MS)


def leave(page: Page) -> bool:
    """Reloads; tells whether the page has warned. Browsers let only those warn that the user has touched."""
    warnings: list[str] = []

    def accept(dialog: Dialog) -> None:
        warnings.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.reload()
    page.remove_listener("dialog", accept)
    return warnings == ["beforeunload"]


def test_leaving_warns_while_something_is_unsaved(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    say(page, "The boiler makes a noise.")
    status = page.get_by_role("status", name="Memory status")
    expect(status).to_have_text("Saved")
    assert not leave(page)
    wait_until_ready(page)
    page.workers[0].evaluate(FULL_DISK)
    say(page, "And it leaks.")
    expect(status).to_have_text("Not saved")
    assert leave(page)


def test_leaving_warns_while_a_message_is_nowhere(launch: Launch, site_url: str) -> None:
    page = launch().new_page()
    page.add_init_script(
        "IDBObjectStore.prototype.put = () => { throw new DOMException('', 'UnknownError'); }"
    )
    page.goto(site_url + "?lang=en", wait_until="commit")
    page.fill("#message", "The boiler makes a noise.")
    page.press("#message", "Enter")
    assert leave(page)


def test_a_hidden_page_saves_at_once(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    page.workers[0].evaluate(FULL_DISK)
    say(page, "The boiler makes a noise.")
    status = page.get_by_role("status", name="Memory status")
    expect(status).to_have_text("Not saved")
    # Tries on its own are a minute apart by now.
    for _ in range(4):
        page.evaluate("() => pyMemory.flush().catch(() => null)")
    page.workers[0].evaluate(MORE_SPACE)
    page.evaluate(
        """() => {
            Object.defineProperty(document, 'visibilityState', {value: 'hidden'});
            document.dispatchEvent(new Event('visibilitychange'));
        }"""
    )
    expect(status).to_have_text("Saved")


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
    expect(page.get_by_role("status", name="Memory status")).to_have_text("Not open")
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


def failure(page: Page) -> Locator:
    """What the page shows where the memory cannot be opened."""
    failed = page.locator(".start-failed")
    expect(failed).to_be_visible(timeout=60_000)
    return failed


def test_plain_http_keeps_nothing_and_says_why(launch: Launch, open_page: OpenPage, site_url: str) -> None:
    port = site_url.rstrip("/").rpartition(":")[2]
    flags = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP plain.test 127.0.0.1"]
    page = open_page(launch(args=flags), url=f"http://plain.test:{port}/")
    banner = page.locator(".banner[data-code=no_locks]")
    expect(banner).to_contain_text("this address is not secure")
    expect(banner.get_by_role("button", name="Export")).to_be_enabled()


def test_an_older_version_that_does_not_let_go(launch: Launch, site_url: str) -> None:
    context = launch()
    old = context.new_page()
    old.goto(site_url + "manifest.webmanifest")
    old.evaluate(
        """() => new Promise((resolve) => {
            const request = indexedDB.open('py-memory', 1);
            request.onsuccess = () => { globalThis.held = request.result; resolve(); };
        })"""
    )
    page = context.new_page()
    page.goto(site_url + "?lang=en")
    failed = failure(page)
    expect(failed).to_contain_text("Close the other tabs")
    old.close()
    failed.get_by_role("button", name="Reload").click()
    wait_until_ready(page)
    expect(failed).to_have_count(0)


@pytest.mark.parametrize(("lang", "words"), [("en", "a newer version of this program"), ("zh", "更新的版本")])
def test_a_newer_storage(launch: Launch, site_url: str, lang: str, words: str) -> None:
    context = launch()
    new = context.new_page()
    new.goto(site_url + "manifest.webmanifest")
    new.evaluate(
        """() => new Promise((resolve) => {
            const request = indexedDB.open('py-memory', 99);
            request.onsuccess = () => { request.result.close(); resolve(); };
        })"""
    )
    page = context.new_page()
    page.goto(f"{site_url}?lang={lang}")
    expect(failure(page)).to_contain_text(words)


def test_a_missing_policy(launch: Launch, site_url: str) -> None:
    """As where something between strips the header that the service worker trusts in."""
    context = launch()

    def answer(route: Route) -> None:
        route.fulfill(body=route.fetch().text(), content_type="text/javascript")

    context.route("**/assets/worker-*.js", answer)
    context.add_init_script(
        """Object.defineProperty(navigator, 'serviceWorker', {value: Object.assign(new EventTarget(), {
            controller: {}, ready: new Promise(() => null),
            register: async () => new EventTarget(),
        })})"""
    )
    page = context.new_page()
    page.goto(site_url + "?lang=en")
    expect(failure(page)).to_contain_text("content security policy is not in force")


def test_storage_that_the_browser_removed(launch: Launch, open_page: OpenPage, site_url: str) -> None:
    context = launch()
    page = open_page(context)
    say(page, "The boiler makes a noise.")
    page.wait_for_timeout(1500)
    devtools = context.new_cdp_session(page)
    page.goto("about:blank")
    devtools.send("Storage.clearDataForOrigin", {"origin": site_url.rstrip("/"), "storageTypes": "indexeddb"})
    page.close()
    page = open_page(context)
    expect(page.locator(".banner[data-code=evicted]")).to_contain_text("removed what was stored")
    expect(page.locator("article")).to_have_count(0)


def test_another_tab_takes_over(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    second.locator(".banner[data-code=other-tab]").get_by_role("button", name="Use here").click()
    expect(first.locator(".banner[data-code=other-tab]")).to_contain_text(
        "has taken the memory over", timeout=60_000
    )
    expect(second.locator(".banner")).to_have_count(0)


def test_an_old_page_reloads_and_else_says_so(launch: Launch, site_url: str, open_page: OpenPage) -> None:
    """The owner of the memory, another tab, runs another version of the program."""
    context = launch()
    open_page(context)
    page = context.new_page()
    page.add_init_script(
        """sessionStorage.setItem('loads', 1 + Number(sessionStorage.getItem('loads')));
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (message) {
            if (message.request) message.request.v = 0;
            post.call(this, message);
        };"""
    )
    page.goto(site_url + "?lang=en")
    banner = page.locator(".banner[data-code=problem-version]")
    expect(banner).to_contain_text("runs another version of the program", timeout=60_000)
    expect(banner.get_by_role("button", name="Reload")).to_be_visible()
    assert page.evaluate("sessionStorage.getItem('loads')") == "2"


def test_a_backup_is_recommended_after_a_month(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    banner = page.locator(".banner[data-code=backup]")
    session = host.start_session(page)
    host.add_many(page, session, 1, words=1)
    expect(banner).to_have_count(0)
    for days, shown in ((29, 0), (31, 1)):
        page.clock.set_fixed_time(datetime.now() + timedelta(days=days))
        page.reload()
        wait_until_ready(page)
        expect(page.get_by_role("log", name="Conversation").get_by_role("article")).to_have_count(1)
        expect(banner).to_have_count(shown)
    expect(banner).to_contain_text("1 message here is in no backup")


def test_a_backup_is_recommended(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    host.add_many(page, host.start_session(page), 200, words=1)
    banner = page.locator(".banner[data-code=backup]")
    expect(banner).to_have_count(0)
    page.reload()
    expect(banner).to_contain_text("200 messages here are in no backup", timeout=60_000)
    with page.expect_download():
        banner.get_by_role("button", name="Export").click()
    expect(banner).to_have_count(0)
    host.add_many(page, host.sessions(page)[0]["id"], 200, words=1)
    page.reload()
    banner.get_by_role("button", name="Dismiss").click(timeout=60_000)
    page.reload()
    wait_until_ready(page)
    expect(page.locator(".sidebar-foot")).to_contain_text("Last backup")
    expect(banner).to_have_count(0)
