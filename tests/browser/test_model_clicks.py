"""From a page opened for the first time to a first reply, in clicks, for each kind of model.

Every click is counted, into fields too, but neither Enter nor the one in the system's own dialog for files.
The server is a real process, the file is a real GGUF that llama.cpp runs in the page. Headless Chromium mostly
has no model of its own: where its `LanguageModel` says so, or there is none, a scripted one stands in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.modelserver import ModelServer
from tests.small_gguf import SAYS, write_gguf

from .test_model_port import SCRIPTED
from .test_model_server import answers, dialog, patience

__all__ = ["patience"]

MOST = 4
COUNT = "addEventListener('click', (event) => { if (event.isTrusted && event.detail) console.debug('click'); }, true);"
HAS_ITS_OWN = "async () => (await globalThis.LanguageModel?.availability?.().catch(() => '')) === 'available'"


@contextmanager
def file_server(path: Path) -> Iterator[str]:
    """Gives the address of the file on a server that lets pages read it."""

    class Files(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = path.read_bytes()
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/{path.name}"
    server.shutdown()
    server.server_close()


def choose(page: Page, kind: str) -> None:
    page.locator(".model-button").click()
    page.locator(f"[data-kind={kind}] summary").click()


def type_into(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def offline(page: Page, _: str) -> None:
    page.locator("#message").click()


def server(page: Page, address: str) -> None:
    page.locator(".model-button").click()
    type_into(page, "Address", address)
    dialog(page).get_by_role("button", name="Connect").click()


def file(page: Page, path: str) -> None:
    choose(page, "device")
    with page.expect_file_chooser() as chooser:
        dialog(page).get_by_role("button", name="Choose a file…").click()
    chooser.value.set_files(path)


def address(page: Page, url: str) -> None:
    choose(page, "device")
    type_into(page, "Or fetch a file from an address", url)
    page.keyboard.press("Enter")


def browser(page: Page, _: str) -> None:
    choose(page, "browser")
    dialog(page).get_by_role("button", name="Answer with it").click()


def has_its_own_model(context: BrowserContext, site_url: str) -> bool:
    page = context.new_page()
    page.goto(f"{site_url}licenses.txt")  # the interface is for safe origins only
    found = bool(page.evaluate(HAS_ITS_OWN))
    page.close()
    return found


def test_a_first_reply_takes_four_clicks_at_most(
    launch: Callable[..., BrowserContext],
    open_page: Callable[..., Page],
    site_url: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gguf = write_gguf(tmp_path / "small.gguf")
    counted: dict[str, int] = {}
    with ModelServer() as model_server, file_server(gguf) as url:
        model_server.script({"text": "Hello from the server."})
        kinds: dict[str, tuple[Callable[[Page, str], None], str, str]] = {
            "offline assistant": (offline, "", "Hello"),
            "model server on localhost": (server, model_server.url, "Hello from the server."),
            "GGUF file": (file, str(gguf), SAYS),
            "GGUF from an address": (address, url, SAYS),
            "the browser's own model": (browser, "", ""),
        }
        for kind, (set_up, argument, reply) in kinds.items():
            context = launch()
            stands_in = set_up is browser and not has_its_own_model(context, site_url)
            if stands_in:
                context.add_init_script(SCRIPTED % "available")
            context.add_init_script(COUNT)
            page = open_page(context)
            clicks: list[str] = []
            page.on("console", lambda said, to=clicks: to.append(said.text) if said.text == "click" else None)
            set_up(page, argument)
            expect(dialog(page)).to_have_count(0)
            expect(page.locator("#message")).to_be_focused()
            page.keyboard.insert_text("Hello there")
            page.get_by_role("button", name="Send").click()
            expect(answers(page)).to_have_attribute("data-status", "complete")
            expect(answers(page).locator(".answer-text")).to_contain_text(
                "It is Biscuit." if stands_in else reply
            )
            counted[f"{kind} (a stand-in)" if stands_in else kind] = len(clicks)
            context.close()
    with capsys.disabled():
        print("\nclicks to a first reply")
        for kind, clicks_taken in counted.items():
            print(f"  {clicks_taken}  {kind}")
    assert max(counted.values()) <= MOST
    assert min(counted.values()) >= 2, "every click is seen"
