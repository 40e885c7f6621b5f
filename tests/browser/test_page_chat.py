"""What can be done with messages and answers, what is said while a model is slow to answer, what it reads in
idle time, and a model file from an address."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.modelserver import ModelServer

from .conftest import READY_MS, wait_for
from .test_model_server import answers, dialog, posts, say, worker_policy
from .test_page import call

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

WORDS = {
    "en": {
        "told": "Remember that I'm vegetarian.",
        "value": "vegetarian",
        "asked_for": "You asked for it to be remembered.",
        "said": "Plan a dinner for Saturday",
        "edit": "Edit message",
        "again": "Answer again",
        "copy": "Copy message",
        "former": "Previous version",
        "next": "Next version",
        "version": "Version 1 of 2",
        "inspect": "What the model was sent",
        "facts": "What is known about you",
        "tools": "Tools it could call",
        "known": "A confirmed fact that answers have rested on before.",
        "source": "Go to the message",
        "nothing": "No model was asked for this answer",
        "retry": "Trying again in",
        "attempt": "Attempt 2 of 4",
        "give_up": "Stop trying",
        "waits": "Waiting for the answer before it",
    },
    "zh": {
        "told": "记住我吃素。",
        "value": "吃素",
        "asked_for": "你要求记住的。",
        "said": "请计划周六的晚餐",
        "edit": "编辑消息",
        "again": "重新回答",
        "copy": "复制消息",
        "former": "上一版",
        "next": "下一版",
        "version": "第 1 版，共 2 版",
        "inspect": "发给模型的内容",
        "facts": "关于你的事实",
        "tools": "可以调用的工具",
        "known": "已确认的事实，以前的回答用到过。",
        "source": "查看原消息",
        "nothing": "没有询问任何模型",
        "retry": "秒后重试",
        "attempt": "第 2 次，共 4 次",
        "give_up": "停止重试",
        "waits": "等待上一条回答完成",
    },
}
BUSY = {"status": 429, "headers": {"Retry-After": "50", "Access-Control-Expose-Headers": "Retry-After"}}


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    expect.set_options(timeout=READY_MS)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def connect(page: Page, address: str) -> None:
    page.locator(".model-button").click()
    page.fill("#model-address", address)
    page.locator(".kind-form button[type=submit]").click()
    expect(page.locator(".model-button")).to_contain_text("test-model")
    expect(dialog(page)).to_have_count(0)


def questions(page: Page) -> Locator:
    return page.locator("article[data-role=user]")


def done(page: Page, text: str) -> None:
    expect(answers(page).last).to_contain_text(text)
    expect(answers(page).last).to_have_attribute("data-status", "complete")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_messages_and_answers_have_versions(
    launch: Launch, open_page: OpenPage, model_server: ModelServer, lang: str
) -> None:
    words = WORDS[lang]
    context = launch(permissions=["clipboard-read", "clipboard-write"])
    page = open_page(context, f"?lang={lang}")

    def press(name: str, within: Locator | None = None) -> None:
        (within or page).get_by_role("button", name=words[name], exact=True).last.press("Enter")

    say(page, words["told"])
    expect(answers(page)).to_have_attribute("data-status", "complete")
    press("inspect")
    expect(dialog(page)).to_contain_text(words["nothing"])
    expect(dialog(page).locator(".used-memory")).to_contain_text(words["asked_for"])
    page.keyboard.press("Escape")

    model_server.script({"text": "First."}, {"text": "Second."}, {"text": "On."}, {"text": "Edited."})
    connect(page, model_server.url)
    say(page, words["said"])
    done(page, "First.")
    press("copy")
    wait_for(page, "navigator.clipboard.readText().then((text) => text === 'First.')")

    # Another answer stands beside the first. What follows belongs to one of them.
    press("again")
    done(page, "Second.")
    expect(answers(page).last).to_be_focused()
    assert posts(model_server)[1]["body"]["messages"][-1]["content"] == words["said"]
    say(page, "go on")
    done(page, "On.")
    press("former")
    done(page, "First.")
    expect(answers(page)).to_have_count(2)
    expect(page.get_by_role("group", name=words["version"])).to_have_text("1/2")
    expect(page.get_by_role("button", name=words["former"], exact=True)).to_be_disabled()
    expect(page.get_by_role("button", name=words["next"], exact=True)).to_be_focused()
    press("next")
    done(page, "On.")
    expect(answers(page)).to_have_count(3)
    expect(page.get_by_role("button", name=words["former"], exact=True)).to_be_focused()

    # The same for the user's own words; Escape leaves them as they are.
    second = questions(page).nth(1)
    second.get_by_role("button", name=words["edit"], exact=True).press("Enter")
    field = page.locator(".message-editor textarea")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(second).to_contain_text(words["said"])
    expect(second).to_be_focused()
    second.get_by_role("button", name=words["edit"], exact=True).press("Enter")
    field.fill(f"{words['said']}, 2")
    page.keyboard.press("Enter")
    done(page, "Edited.")
    expect(questions(page)).to_have_count(2)
    expect(questions(page).last).to_contain_text(f"{words['said']}, 2")
    assert "First." not in json.dumps(posts(model_server)[-1]["body"])
    press("former", questions(page).last)
    done(page, "On.")
    expect(questions(page)).to_have_count(3)
    page.reload()
    done(page, "On.")
    expect(page.locator(".branches")).to_have_text(["1/2", "2/2"])

    # What was sent, and why each memory was in it, with a way to where it comes from.
    answers(page).nth(1).get_by_role("button", name=words["inspect"], exact=True).press("Enter")
    for part in ("facts", "tools"):
        expect(dialog(page)).to_contain_text(words[part])
    sent = posts(model_server)[1]["body"]["messages"]
    shown = dialog(page).locator(".sent-part pre").text_content() or ""
    assert shown == "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in sent)
    expect(dialog(page).locator(".used-memory")).to_contain_text(words["value"])
    expect(dialog(page).locator(".used-memory")).to_contain_text(words["known"])
    dialog(page).get_by_role("button", name=words["source"]).click()
    expect(dialog(page)).to_have_count(0)
    expect(questions(page).first).to_be_focused()

    # While a model is asked again, it is said why and for how long, and what comes next waits.
    model_server.script(BUSY, {"text": "Now."})
    say(page, words["said"])
    waiting = page.locator(".retrying")
    expect(waiting).to_contain_text(words["retry"])
    expect(waiting).to_contain_text(words["attempt"])
    say(page, "and this?")
    expect(page.locator(".sending")).to_contain_text(words["waits"])
    waiting.get_by_role("button", name=words["give_up"]).click()
    done(page, "Now.")
    expect(answers(page).nth(3)).to_have_attribute("data-status", "stopped")
    assert len(posts(model_server)) == 2


def test_a_model_reads_along_only_when_it_may(
    launch: Launch, open_page: OpenPage, model_server: ModelServer
) -> None:
    found = {"key": "user::job", "value": "beekeeper", "quote": "I keep bees for a living", "confidence": 0.9}
    reading = {"when": "-----", "text": json.dumps({"facts": [found]})}
    model_server.script(
        {"when": "-----", "stall_after": 0}, reading, {"when": "-----", "text": "{}", "times": 0}
    )
    page = open_page(launch())
    session = call(page, "create_session", title="Bees")["id"]
    said = ["The weather was fine."] * 4 + ["By the way, I keep bees for a living."]
    for text in said:
        call(page, "add_message", session_id=session, role="user", content=text)
    page.get_by_role("button", name="New incognito chat").click()
    say(page, "My secret is a violet tractor.")
    expect(answers(page)).to_have_attribute("data-status", "complete")
    page.get_by_role("button", name="Close this chat").first.click()
    connect(page, model_server.url)
    page.locator(".model-button").click()
    switch = dialog(page).get_by_role("switch", name="Let the model read along")
    expect(switch).not_to_be_checked()
    assert posts(model_server) == []
    switch.click()
    expect(switch).to_be_checked()
    page.keyboard.press("Escape")

    # A message does not wait for what is being read: that ends, and is read later.
    wait_until(page, lambda: len(posts(model_server)) == 1)
    say(page, "Are you there?")
    expect(answers(page)).to_contain_text("You said: Are you there?")
    assert posts(model_server)[0]["ended"] == "left"
    read = json.dumps(posts(model_server)[0]["body"])
    assert "bees for a living" in read
    page.get_by_role("button", name="Memory", exact=True).click()
    expect(page.locator(".waiting-group")).to_contain_text("beekeeper")
    assert "tractor" not in json.dumps(model_server.requests(""))


class Files(BaseHTTPRequestHandler):
    """Gives out a small GGUF file, a page, and a file that does not end."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        body = {"/small.gguf": b"GGUF" + bytes(3000), "/page.gguf": b"<html>"}.get(self.path, b"")
        if self.path == "/endless.gguf":
            self.send_header("Content-Length", str(50 << 20))
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body or b"GGUF")
        if self.path == "/endless.gguf":
            self.wfile.flush()
            self.connection.recv(1)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def files() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


KEPT = """async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await (await root.getDirectoryHandle("py-memory-models")).getDirectoryHandle("py-memory");
    return (await (await folder.getFileHandle("model.gguf")).getFile()).size;
}"""


def test_a_model_file_from_an_address(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    page.locator(".model-button").click()
    page.locator("[data-kind=device] summary").click()
    device = page.locator("[data-kind=device]")

    def fetch(address: str) -> None:
        device.get_by_label("Or fetch a file from an address").fill(address)
        device.get_by_role("button", name="Fetch", exact=True).click()

    with files() as origin:
        for address, told in (
            ("http://example.org/model.gguf", "no address of a file"),
            (f"{origin}/page.gguf", "This is no GGUF file"),
        ):
            fetch(address)
            expect(device.get_by_role("alert")).to_contain_text(told)
        fetch(f"{origin}/endless.gguf")
        expect(device.get_by_role("status")).to_contain_text("of 50 MB")
        assert f"connect-src 'self' {origin};" in worker_policy(page)
        device.get_by_role("button", name="Cancel").click()
        expect(device.get_by_role("button", name="Fetch", exact=True)).to_be_visible()
        assert "connect-src 'self';" in worker_policy(page)
        fetch(f"{origin}/small.gguf")
        expect(device).to_contain_text("small.gguf (3 kB) is kept here for offline use")
        assert page.evaluate(KEPT) == 3004
        assert "connect-src 'self';" in worker_policy(page)


def wait_until(page: Page, true: Callable[[], bool]) -> None:
    for _ in range(READY_MS // 50):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError("It did not become true.")
