"""What the benchmarks of the page share: the built site on a server, Chromium, and a filled memory."""

from __future__ import annotations

import argparse
import base64
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, SITE, Server, chromium, wait_until_ready

PIECE_BYTES = 8 << 20  # of a file on its way into the page; a longer text is refused by the browser


def arguments(text: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--data", type=Path, help="an exported memory to start from")
    return parser.parse_args()


def finish(name: str, **numbers: Any) -> None:
    print(json.dumps({"bench": name, **numbers}))


@contextmanager
def site() -> Iterator[tuple[Playwright, str]]:
    server = Server(SITE)
    server.start()
    try:
        with sync_playwright() as playwright:
            yield playwright, server.url
    finally:
        server.stop()


@contextmanager
def profile(playwright: Playwright, flags: Sequence[str] = (), **options: Any) -> Iterator[BrowserContext]:
    """Chromium on a new profile folder, removed afterwards; `flags` are more of its command line."""
    folder = tempfile.mkdtemp(prefix="py-memory-bench-")
    context = playwright.chromium.launch_persistent_context(
        folder, executable_path=chromium(), headless=True, args=[*CHROMIUM_FLAGS, *flags], **options
    )
    try:
        yield context
    finally:
        context.close()
        shutil.rmtree(folder, ignore_errors=True)


def open_page(context: BrowserContext, url: str) -> tuple[Page, float]:
    """The page and the milliseconds from navigation until the memory was ready."""
    page = context.new_page()
    started = time.monotonic()
    page.goto(url)
    wait_until_ready(page)
    return page, (time.monotonic() - started) * 1000


def import_file(page: Page, file: Path) -> None:
    add = """(text) => {
        const letters = atob(text);
        const bytes = new Uint8Array(letters.length);
        for (let i = 0; i < bytes.length; i += 1) bytes[i] = letters.charCodeAt(i);
        (globalThis.pieces ??= []).push(bytes);
    }"""
    content = file.read_bytes()
    for at in range(0, len(content), PIECE_BYTES):
        page.evaluate(add, base64.b64encode(content[at : at + PIECE_BYTES]).decode())
    page.evaluate(
        """async () => {
            const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
            delete globalThis.pieces;
            await pyMemory.importFile(bytes, {mode: "replace"});
            await pyMemory.flush();
        }"""
    )
