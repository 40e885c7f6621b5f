"""A model server, a process of its own on real sockets, connected from the page: from the first click to what
goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.modelserver import ModelServer

from .conftest import READY_MS

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """Connecting starts the memory anew."""
    expect.set_options(timeout=READY_MS)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def dialog(page: Page) -> Locator:
    return page.locator("dialog")


def connect(page: Page, address: str, key: str = "") -> None:
    """Two clicks."""
    page.locator(".model-button").click()
    page.get_by_label("Address", exact=True).fill(address)
    if key:
        page.get_by_label("Key", exact=True).fill(key)
    dialog(page).get_by_role("button", name="Connect").click()


def connected(page: Page, address: str, key: str = "") -> None:
    """The dialog closes by itself: what comes next is a message."""
    connect(page, address, key)
    expect(page.locator(".model-button")).to_contain_text("test-model")
    expect(dialog(page)).to_have_count(0)


def say(page: Page, text: str) -> None:
    page.locator("#message").fill(text)
    page.locator("button.send").click()


def answers(page: Page) -> Locator:
    return page.locator("article[data-role=assistant]")


def test_an_answer_is_shown_as_it_arrives_and_stop_keeps_what_came(
    launch: Launch, open_page: OpenPage, model_server: ModelServer
) -> None:
    model_server.script({"pieces": ["One ", "two ", "three ", "four"], "stall_after": 3})
    page = open_page(launch())
    connected(page, model_server.url)
    say(page, "Count for me, slowly")
    expect(answers(page)).to_contain_text("One two")
    expect(answers(page)).to_have_attribute("data-status", "streaming")
    page.get_by_role("button", name="Stop").click()
    expect(answers(page)).to_have_attribute("data-status", "stopped")
    expect(answers(page)).to_contain_text("One two")
    model_server.wait_until_left()
    page.reload()
    expect(answers(page)).to_contain_text("One two")


FAILURES = {
    "wrong key": ({"status": 401}, "does not accept the key", "不接受这个密钥"),
    "broken off": (
        {"pieces": ["So ", "far "], "disconnect_after": 3},
        "ended in the middle of the answer",
        "在回答中途断开",
    ),
    "redirect": ({"redirect": "https://example.org/v1"}, "sends on to another address", "要求转到另一个地址"),
    "no model server": ({"status": 404, "body": "<html>"}, "Check the address", "请检查地址"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_goes_wrong_is_said_in_the_language_of_the_message(
    launch: Launch, open_page: OpenPage, model_server: ModelServer, lang: str
) -> None:
    page = open_page(launch())
    connected(page, model_server.url, "sk-nobody")
    for number, (fault, english, chinese) in enumerate(FAILURES.values()):
        model_server.script(fault)
        say(page, "What is new?" if lang == "en" else "有什么新消息吗？")
        answer = answers(page).nth(number)
        expect(answer).to_have_attribute("data-status", "failed")
        expect(answer).to_contain_text(english if lang == "en" else chinese)
        expect(answer.get_by_role("button", name="Try again")).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_keeps_a_server_from_being_connected_is_said_in_the_dialog(
    launch: Launch, open_page: OpenPage, model_server: ModelServer, lang: str
) -> None:
    english = lang == "en"
    page = open_page(launch(), path=f"?lang={lang}")
    address, connect_now = ("Address", "Connect") if english else ("地址", "连接")
    page.locator(".model-button").click()
    faults = [
        ("htt p://x", "no address of a server", "这不是服务器地址"),
        ("http://localhost:9/v1", "Nothing answers at localhost:9", "localhost:9 没有应答"),
        (model_server.url, "OLLAMA_ORIGINS=http://localhost", "OLLAMA_ORIGINS=http://localhost"),
        (model_server.url, "wants a key", "需要密钥"),
        (model_server.url, "has no model yet", "还没有模型"),
    ]
    scripts: list[dict[str, Any]] = [{}, {}, {"origin": None}, {"key": "sk-right"}, {"models": []}]
    for (typed, in_english, in_chinese), settings in zip(faults, scripts, strict=True):
        model_server.script(**settings)
        page.get_by_label(address, exact=True).fill(typed)
        dialog(page).get_by_role("button", name=connect_now).click()
        expect(dialog(page).get_by_role("alert")).to_contain_text(in_english if english else in_chinese)
    page.keyboard.press("Escape")
    # What was only tried is not allowed any longer, and the offline assistant goes on.
    deadline = time.monotonic() + READY_MS / 1000
    while model_server.address in worker_policy(page):
        assert time.monotonic() < deadline
        page.wait_for_timeout(50)
    say(page, "Hello")
    expect(answers(page)).to_have_attribute("data-status", "complete")
    assert posts(model_server) == []


def test_nothing_is_sent_once_it_is_disconnected(
    launch: Launch, open_page: OpenPage, model_server: ModelServer
) -> None:
    context = launch()
    page = open_page(context)
    assert "connect-src 'self';" in worker_policy(page)
    connected(page, model_server.url)
    assert f"connect-src 'self' {model_server.address};" in worker_policy(page)
    page.reload()
    say(page, "Are you there?")
    expect(answers(page)).to_contain_text("You said: Are you there?")
    page.locator(".model-button").click()
    dialog(page).get_by_role("button", name="Disconnect").click()
    expect(dialog(page).get_by_role("button", name="Connect", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    assert "connect-src 'self';" in worker_policy(page)
    model_server.script()
    say(page, "And now?")
    expect(answers(page).nth(1)).to_have_attribute("data-status", "complete")
    assert model_server.requests("") == []
    # Nor could the worker, whatever ran in it.
    assert fetched_by_worker(page, model_server.url) == "refused"


def test_the_key_lies_in_no_memory_export_or_address(
    launch: Launch, open_page: OpenPage, model_server: ModelServer
) -> None:
    key = "sk-only-for-this-server-4711"
    model_server.script(key=key)
    context = launch()
    messages: list[str] = []
    context.on("console", lambda message: messages.append(message.text))
    page = open_page(context)
    connected(page, model_server.url, key)
    say(page, "Remember that I like green tea.")
    expect(answers(page)).to_have_attribute("data-status", "complete")
    asked = posts(model_server)[-1]
    assert asked["headers"]["authorization"] == f"Bearer {key}"
    assert key not in asked["path"]
    page.evaluate("pyMemory.flush()")
    exported = bytes(page.evaluate("pyMemory.exportFile().then((bytes) => [...bytes])"))
    assert b"green tea" in exported
    assert key.encode() not in exported
    assert page.evaluate(STORED, key) == ["py-memory-models/keys"]
    assert key not in page.content()
    assert key not in page.url
    assert [text for text in messages if key in text] == []
    # Another server is never sent it.
    with ModelServer() as other:
        page.locator(".model-button").click()
        dialog(page).get_by_role("button", name="Disconnect").click()
        page.get_by_label("Address", exact=True).fill(other.url)
        dialog(page).get_by_role("button", name="Connect", exact=True).click()
        expect(page.locator(".model-button")).to_contain_text("test-model")
        assert all("authorization" not in request["headers"] for request in other.requests(""))


def test_an_incognito_chat_is_not_lost_to_a_connection(
    launch: Launch, open_page: OpenPage, model_server: ModelServer
) -> None:
    page = open_page(launch())
    page.get_by_role("button", name="New incognito chat").click()
    say(page, "Hello")
    expect(answers(page)).to_have_attribute("data-status", "complete")
    connect(page, model_server.url)
    expect(dialog(page).get_by_role("alert")).to_contain_text("Close the incognito chat first")
    assert model_server.requests("") == []


def test_another_tab_goes_on_with_the_same_server(
    launch: Launch, open_page: OpenPage, model_server: ModelServer
) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    connected(second, model_server.url)
    for page in (first, second):
        expect(page.locator(".model-button")).to_contain_text("test-model")
    say(first, "From the first tab")
    expect(answers(first)).to_contain_text("You said: From the first tab")
    first.close()
    say(second, "From the second tab")
    expect(answers(second).last).to_contain_text("You said: From the second tab")


# -- what the tests look at --

STORED = """async (needle) => {
    const found = [];
    for (const { name } of await indexedDB.databases()) {
        const db = await new Promise((resolve) => {
            const request = indexedDB.open(name);
            request.onsuccess = () => resolve(request.result);
        });
        for (const store of db.objectStoreNames) {
            const rows = await new Promise((resolve) => {
                const request = db.transaction(store).objectStore(store).getAll();
                request.onsuccess = () => resolve(request.result);
            });
            const latin = new TextDecoder("latin1");
            const readable = (_, value) => ArrayBuffer.isView(value) ? latin.decode(value) : value;
            const text = JSON.stringify(rows, readable);
            if (text.includes(needle)) found.push(`${name}/${store}`);
        }
        db.close();
    }
    for (const [key, value] of Object.entries({ ...localStorage, ...sessionStorage }))
        if (value.includes(needle)) found.push(key);
    return found;
}"""


def posts(server: ModelServer) -> list[dict[str, Any]]:
    return [request for request in server.requests() if request["method"] == "POST"]


def worker_policy(page: Page) -> str:
    """The policy under which a worker of the memory starts now."""
    return str(
        page.evaluate(
            r"""async () => {
                const urls = performance.getEntriesByType("resource").map((entry) => entry.name);
                const script = urls.find((url) => /assets\/worker-/.test(url));
                return (await fetch(script)).headers.get("Content-Security-Policy");
            }"""
        )
    )


def fetched_by_worker(page: Page, address: str) -> str:
    """What becomes of a request that the running worker makes itself."""
    (worker,) = [worker for worker in page.workers if "worker-" in worker.url]
    script = "(url) => fetch(url, { mode: 'no-cors' }).then(() => 'sent', () => 'refused')"
    return str(worker.evaluate(script, address))
