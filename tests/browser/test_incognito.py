"""An incognito chat leaves nothing on this device: not in IndexedDB, not in any file of the profile."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from .test_page import articles, button, call, say, sessions, wait_until

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

SECRET = "zirkonblau"
WORDS = {
    "en": {
        "message": "Message",
        "open": "New incognito chat",
        "close": "Close this chat",
        "back": "Incognito chat",
        "means": "Nothing you write here is kept",
        "say": f"Remember that my locker is {SECRET}",
        "honest": "nothing of it is kept",
        "ask": "What do you know about me?",
        "status": "Memory status",
        "unsaved": "Not saved",
        "saved": "Saved",
    },
    "zh": {
        "message": "消息",
        "open": "新的无痕对话",
        "close": "关闭对话",
        "back": "无痕对话",
        "means": "在这里写的内容不会保存",
        "say": f"记住我的柜子是{SECRET}",
        "honest": "什么都不会保存",
        "ask": "你知道我什么？",
        "status": "记忆状态",
        "unsaved": "未保存",
        "saved": "已保存",
    },
}

# Everything that the page's origin stores, as one text.
STORED = """async () => {
    const told = (value) => {
        if (value instanceof Uint8Array || value instanceof ArrayBuffer) {
            return [...new Uint8Array(value.buffer ?? value)].join(",");
        }
        if (value && typeof value === "object") {
            return JSON.stringify(Object.entries(value).map(([key, item]) => [key, told(item)]));
        }
        return String(value);
    };
    const result = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const out = [JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie];
    for (const {name} of await indexedDB.databases()) {
        const db = await result(indexedDB.open(name));
        for (const store of db.objectStoreNames) {
            const objects = db.transaction(store).objectStore(store);
            const [keys, values] = [await result(objects.getAllKeys()), await result(objects.getAll())];
            out.push(`${store}: ${told(keys)} ${told(values)}`);
        }
        db.close();
    }
    return out;
}"""


def said(page: Page) -> Locator:
    return articles(page, "user").locator(".said")


def stored(page: Page) -> list[str]:
    return list(page.evaluate(STORED))


def settled(page: Page) -> list[str]:
    """What is stored once the page has nothing more to tidy up."""
    before, since = stored(page), time.monotonic()
    while time.monotonic() - since < 3:
        page.wait_for_timeout(250)
        now = stored(page)
        if now != before:
            before, since = now, time.monotonic()
    return before


def in_profile(profile: Path, text: str) -> list[str]:
    """Files of the browser's profile that hold the text in any usual encoding."""
    needles = [text.encode(code) for code in ("utf-8", "utf-16-le")]
    return [
        str(file.relative_to(profile))
        for file in profile.rglob("*")
        if file.is_file() and not file.is_symlink() and any(needle in file.read_bytes() for needle in needles)
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_of_it_is_stored_anywhere(
    launch: Launch, open_page: OpenPage, tmp_path: Path, lang: str
) -> None:
    words = WORDS[lang]
    context = launch(tmp_path, viewport={"width": 1280, "height": 800})
    page = open_page(context, f"?lang={lang}")
    call(page, "set_fact", key="user::diet", value="vegetarian")
    say(page, "ordinary", message=words["message"])
    before = settled(page)
    assert "ordinary" in before[0] + "".join(before), "The look into the storage sees nothing"

    button(page, words["open"]).click()
    expect(page.locator(".incognito-note")).to_contain_text(words["means"])
    status = page.get_by_role("status", name=words["status"])
    expect(status).to_have_text(words["unsaved"])
    assert words["honest"] in say(page, words["say"], message=words["message"]).inner_text()
    assert "vegetarian" in say(page, words["ask"], message=words["message"]).inner_text()
    page.get_by_role("textbox", name=words["message"], exact=True).fill(f"a draft: {SECRET}")
    file = {"name": "diary.txt", "mimeType": "text/plain", "buffer": SECRET.encode()}
    page.get_by_test_id("attach-file").set_input_files(files=[file])
    attached = page.locator(".attached li")
    expect(attached).to_have_count(1)
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    assert settled(page) == before
    assert SECRET not in page.title()
    expect(page.locator(".sidebar .session")).to_have_count(2)  # the ordinary one, and the way to this one
    assert [chat["title"] for chat in call(page, "list_sessions")] == ["ordinary"]
    assert call(page, "search", text=SECRET) == []

    # Away and back: it is still there, until it is closed.
    page.get_by_role("navigation").get_by_role("button", name="ordinary").click()
    expect(status).to_have_text(words["saved"])
    expect(page.get_by_role("textbox", name=words["message"], exact=True)).to_have_value("")
    expect(attached).to_have_count(0)
    button(page, words["back"]).click()
    expect(articles(page, "user")).to_have_count(2)
    expect(attached).to_have_count(1)
    expect(page.get_by_role("textbox", name=words["message"], exact=True)).to_have_value(f"a draft: {SECRET}")
    button(page.locator(".incognito-note"), words["close"]).click()
    expect(page.locator(".incognito-note")).to_have_count(0)
    expect(said(page)).to_have_text(["ordinary"])
    expect(attached).to_have_count(0)
    assert not any(SECRET in text for text in settled(page))
    # Nor does a chat that is open while the tab goes leave anything.
    button(page, words["open"]).click()
    say(page, words["say"], message=words["message"])
    page.get_by_role("textbox", name=words["message"], exact=True).fill(f"a draft: {SECRET}")
    page.reload()
    expect(said(page)).to_have_text(["ordinary"], timeout=60_000)
    expect(page.locator(".incognito-note")).to_have_count(0)
    context.close()
    assert in_profile(tmp_path, SECRET) == []
    assert in_profile(tmp_path, "ordinary") != [], "The look into the profile sees nothing"


def ended(page: Page, id: str) -> bool:
    return bool(
        page.evaluate(
            """(id) => pyMemory.call("list_sessions", {incognito: id}).then(
                () => false, ({name}) => name === "IncognitoEndedError")""",
            id,
        )
    )


def test_it_goes_with_its_tab_also_where_another_tab_keeps_the_memory(
    launch: Launch, open_page: OpenPage
) -> None:
    context = launch()
    owner = open_page(context)
    say(owner, "ordinary")
    tab = open_page(context)
    id = tab.evaluate(
        """async () => {
            globalThis.chat = crypto.randomUUID();
            await pyMemory.call("open_incognito", {id: chat});
            await pyMemory.send({text: "Hello", session_id: chat, incognito: chat});
            return chat;
        }"""
    )
    assert not ended(tab, id)
    # The other tab shows nothing of it.
    expect(said(owner)).to_have_text(["ordinary"])
    expect(sessions(owner)).to_have_count(1)
    tab.close()
    wait_until(lambda: ended(owner, id))


def test_it_is_over_and_says_so_when_the_tab_goes_that_keeps_the_memory(
    launch: Launch, open_page: OpenPage
) -> None:
    context = launch()
    owner = open_page(context)
    say(owner, "ordinary")
    tab = open_page(context)
    button(tab, "New incognito chat").click()
    say(tab, "What do you know about me?")
    owner.close()
    expect(tab.locator(".toast.problem")).to_contain_text("The incognito chat is over", timeout=60_000)
    expect(tab.locator(".incognito-note")).to_have_count(0)
    expect(said(tab)).to_have_text(["ordinary"])
    assert say(tab, "Hello").inner_text()


def test_it_begins_before_the_memory_is_open_and_outlives_a_rewrite(launch: Launch, site_url: str) -> None:
    page = launch().new_page()
    page.goto(f"{site_url}?lang=en")
    button(page, "New incognito chat").click()
    say_early: Any = page.get_by_role("textbox", name="Message", exact=True)
    say_early.fill("Remember that my locker is 42")
    say_early.press("Enter")
    expect(articles(page, "assistant")).to_contain_text("nothing of it is kept", timeout=60_000)
    assert call(page, "list_sessions") == []
    call(page, "set_fact", key="user::diet", value="vegan")
    page.evaluate("() => pyMemory.call('vacuum')")
    assert "vegan" in say(page, "What do you know about me?").inner_text()
