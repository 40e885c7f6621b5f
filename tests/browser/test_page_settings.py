"""Settings, the state of the memory, and profiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

from .conftest import wait_for, wait_until_ready

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

STARTED_MS = 60_000
# What a profile could have left anywhere in this browser.
TRACES = """async (id) => {
    const found = (await indexedDB.databases()).map(({name}) => name).filter((name) => name.includes(id));
    for (const store of [localStorage, sessionStorage])
        found.push(...Object.entries(store).map(String).filter((text) => text.includes(id)));
    found.push(...document.cookie.split("; ").filter((text) => text.includes(id)));
    for (const name of await caches.keys())
        for (const {url} of await (await caches.open(name)).keys()) if (url.includes(id)) found.push(url);
    for (const name of ["py-memory-models", "py-memory-profiles"]) {
        if (!(await indexedDB.databases()).some((one) => one.name === name)) continue;
        const db = await new Promise((resolve) => {
            const open = indexedDB.open(name);
            open.onsuccess = () => resolve(open.result);
        });
        for (const store of db.objectStoreNames) {
            const keys = await new Promise((resolve) => {
                const request = db.transaction(store).objectStore(store).getAllKeys();
                request.onsuccess = () => resolve(request.result);
            });
            found.push(...keys.map(String).filter((key) => key.includes(id)));
        }
        db.close();
    }
    const root = await navigator.storage.getDirectory();
    for await (const [name, folder] of root.entries())
        if (folder.kind === "directory")
            for await (const inner of folder.keys()) if (inner.includes(id)) found.push(`${name}/${inner}`);
    return found;
}"""

# Whether traces of what was forgotten in the first profile still lie on disk.
PURGE_DUE = """() => new Promise((resolve) => {
    indexedDB.open("py-memory").onsuccess = ({target: {result: db}}) => {
        db.transaction("manifest").objectStore("manifest").get("manifest").onsuccess = ({target}) => {
            db.close();
            resolve(target.result.purge);
        };
    };
})"""


def call(page: Page, method: str, **kwargs: Any) -> Any:
    return page.evaluate("([method, kwargs]) => pyMemory.call(method, kwargs)", [method, kwargs])


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def test_settings_hold_and_come_before_the_first_paint(launch: Launch, open_page: OpenPage) -> None:
    context = launch(color_scheme="light")
    page = open_page(context, "")
    root = page.locator("html")
    proposal = call(page, "propose_fact", key="user::diet", value="vegan")
    call(page, "reject_fact", id=proposal["id"], never_this_kind=True)
    page.keyboard.press("Control+,")
    settings = page.get_by_role("dialog", name="Settings")
    second = open_page(context, "")
    second.keyboard.press("Control+,")
    beside = second.get_by_role("dialog", name="Settings")
    expect(beside).to_be_visible()
    settings.get_by_role("radio", name="Dark").check()
    expect(beside.get_by_role("radio", name="Dark")).to_be_checked()
    beside.get_by_role("radio", name="Largest").check()
    expect(settings.get_by_role("radio", name="Largest")).to_be_checked()
    expect(root).to_have_attribute("data-theme", "dark")
    button(settings.locator("li", has_text="Diet"), "Suggest again").click()
    expect(settings).to_contain_text("Never suggest this kind")
    expect(button(settings, "Undo")).to_be_visible()
    assert call(page, "propose_fact", key="user::diet", value="vegetarian") is not None
    settings.get_by_role("radio", name="中文").click()
    expect(page.get_by_role("textbox", name="消息", exact=True)).to_be_visible()
    expect(root).to_have_attribute("lang", "zh-Hans")
    expect(second.locator("[data-code=language]")).to_contain_text("Another language was chosen")
    second.close()
    # The script in the head has set it before there is a body to paint.
    page.add_init_script(
        """new MutationObserver((_, observer) => {
            if (!document.body) return;
            globalThis.atFirst = {...document.documentElement.dataset};
            observer.disconnect();
        }).observe(document, {childList: true, subtree: true});"""
    )
    page.reload()
    wait_until_ready(page)
    assert page.evaluate("atFirst") == {"theme": "dark", "text": "largest"}


def test_the_state_of_the_memory_is_put_right(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    page.keyboard.press("Control+k")
    page.locator(".palette input").fill("state of the memory")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="State of the memory")
    expect(dialog).to_contain_text("All is well")
    expect(dialog).to_contain_text("The file is whole")
    page.keyboard.press("Escape")
    # The same thing under keys that hold many values, by another hand than the page's.
    call(page, "set_fact", key="user::likes", value="Coffee")
    call(page, "set_fact", key="user::dislikes", value="coffee")
    call(page, "set_fact", key="user::address", value="1 Main Street", expires_at=1)
    page.keyboard.press("Control+,")
    button(page.get_by_role("group", name="State of the memory"), "Check…").click()
    stale = dialog.locator("[data-kind=stale]")
    expect(stale).to_contain_text("1 Main Street")
    button(stale, "Put aside").click()
    expect(stale).to_have_count(0)
    assert [fact["value"] for fact in call(page, "list_facts", status="expired")] == ["1 Main Street"]
    button(dialog, "Undo").click()
    expect(stale).to_have_count(1)
    button(dialog.locator("[data-kind=contradictions]"), "Ask me about them").click()
    conflicts = dialog.locator("[data-kind=conflicts]")
    button(conflicts, "Decide").click()
    expect(page.get_by_role("complementary", name="What I remember")).to_contain_text("Both hold")


def open_profiles(page: Page) -> Locator:
    page.keyboard.press("Control+k")
    page.locator(".palette input").fill("profiles")
    page.keyboard.press("Enter")
    return page.get_by_role("dialog")


def kept(page: Page) -> list[str]:
    return [fact["value"] for fact in call(page, "list_facts")]


def test_profiles_share_nothing_and_leave_nothing(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    page = open_page(context)
    call(page, "set_fact", key="user::name", value="Lena")
    dialog = open_profiles(page)
    dialog.get_by_label("New profile").fill("First profile")
    button(dialog, "Create and open").click()
    expect(dialog).to_contain_text("of this name already")
    dialog.get_by_label("New profile").fill("\u200b\u2800")
    button(dialog, "Create and open").click()
    expect(dialog).to_contain_text("Give it a name")
    # Nothing of what is forgotten waits on disk until this profile is opened again.
    call(page, "set_fact", key="user::likes", value="plums")
    call(page, "forget", text="plums")
    page.evaluate("pyMemory.flush()")
    assert page.evaluate(PURGE_DUE) is True
    with page.expect_navigation():
        dialog.get_by_label("New profile").fill("At  work")
        button(dialog, "Create and open").click()
    wait_until_ready(page)
    assert page.evaluate(PURGE_DUE) is False
    shown = page.locator(".profile-button")
    expect(shown).to_have_text("Profile: At work")
    assert kept(page) == []
    call(page, "set_fact", key="user::work", value="The Mill")
    page.fill("#message", "half a thought")
    page.evaluate("pyMemory.flush()")
    id = page.evaluate("JSON.parse(sessionStorage['py-memory-profile']).id")

    # A new tab begins with the profile that was opened last, another goes back to the first: two owners.
    second = open_page(context)
    expect(second.locator(".profile-button")).to_have_text("Profile: At work")
    assert kept(second) == ["The Mill"]
    with second.expect_navigation():
        button(open_profiles(second), "Open “First profile”").click()
    wait_until_ready(second)
    assert (kept(second), kept(page)) == (["Lena"], ["The Mill"])
    assert second.evaluate("pyMemory.status().owner") == "this-tab"
    page.reload()
    wait_until_ready(page)
    expect(page.locator("#message")).to_have_value("half a thought")

    # Deleted from the other tab, after an export; this one goes on with the first profile.
    dialog = open_profiles(second)
    button(dialog.locator("li", has_text="At work"), "Delete").click()
    with second.expect_download() as downloading:
        button(dialog, "Export it first").click()
    assert b"The Mill" in downloading.value.path().read_bytes()
    delete = button(dialog, "Delete for good")
    expect(delete).to_be_disabled()
    dialog.get_by_label("To confirm").fill("At work")
    with page.expect_navigation():
        delete.click()
    wait_until_ready(page)
    expect(page.locator(".toast").first).to_contain_text("no longer here", timeout=STARTED_MS)
    expect(page.locator(".profile-button")).to_have_count(0)
    assert kept(page) == ["Lena"]
    expect(dialog.locator(".profile-list li")).to_have_count(1)
    for tab in (page, second):
        assert tab.evaluate(TRACES, id) == []


def test_a_deletion_that_was_interrupted_is_finished(launch: Launch, open_page: OpenPage) -> None:
    """Of the profile on screen, and of the first one, which then begins anew."""
    page = open_page(launch())
    call(page, "set_fact", key="user::name", value="Lena")
    page.evaluate("pyMemory.flush()")
    page.evaluate(
        """() => new Promise((resolve) => {
            const open = indexedDB.open("py-memory-profiles", 1);
            open.onupgradeneeded = () => open.result.createObjectStore("profiles");
            open.onsuccess = () => {
                const put = open.result.transaction("profiles", "readwrite").objectStore("profiles");
                put.put({id: "", name: null, created_at: 1, removing: true}, "").onsuccess = () => {
                    open.result.close();
                    resolve();
                };
            };
        })"""
    )
    with page.expect_navigation(), page.expect_navigation():
        page.reload()
    wait_for(page, "performance.getEntriesByType('navigation').length === 1")
    wait_until_ready(page)
    expect(page.locator(".toast").first).to_contain_text("is deleted", timeout=STARTED_MS)
    assert kept(page) == []
    page.fill("#message", "I'm Ada.")
    page.press("#message", "Enter")
    expect(page.get_by_role("status", name="Memory status")).to_have_text("Saved", timeout=STARTED_MS)
