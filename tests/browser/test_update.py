"""A new version replaces the whole set of files when it is complete and the user agrees, or not at all."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from .conftest import SITE, wait_for, wait_until_ready

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

CACHES = "caches.keys().then((names) => names.filter((name) => name.startsWith('py-memory-site:')))"
CHECK_NOW = "navigator.serviceWorker.getRegistration().then((registration) => registration.update())"
WAITING = "navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting !== null)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SITE, tmp_path / "site"))


def publish(folder: Path, *, whole: bool = True) -> None:
    """Puts a new version into the folder: another page, and a service worker that lists it."""
    index, worker = folder / "index.html", folder / "sw.js"
    old = "sha256-" + base64.b64encode(hashlib.sha256(index.read_bytes()).digest()).decode()
    index.write_text(
        index.read_text("utf-8").replace("<head>", '<head><meta name="version" content="2">'), "utf-8"
    )
    new = "sha256-" + base64.b64encode(hashlib.sha256(index.read_bytes()).digest()).decode()
    assert old in worker.read_text("utf-8")
    script = worker.read_text("utf-8").replace(old, new if whole else new.replace("sha256-", "sha256-AAAA"))
    script, count = re.subn(r'"[0-9a-f]{12}"', '"222222222222"', script, count=1)
    assert count == 1
    worker.write_text(script, "utf-8")


def version(page: Page) -> str | None:
    return page.evaluate("document.querySelector('meta[name=version]')?.content ?? null")


def test_a_new_version_waits_for_its_word(
    launch: Launch, open_page: OpenPage, folder: Path, start_server: Callable[[Path], Any]
) -> None:
    server = start_server(folder)
    context = launch()
    page = open_page(context, url=server.url)
    publish(folder)
    page.evaluate(CHECK_NOW)
    wait_for(page, WAITING)
    page.reload()
    wait_until_ready(page)
    assert version(page) is None, "a new version must not slip in on a reload"
    other = open_page(context, url=server.url)
    assert len(page.evaluate(CACHES)) == 2

    banner = page.locator(".banner[data-code=update]")
    expect(banner).to_contain_text("A new version is ready.", timeout=60_000)
    # Every page reloads by itself, so that two versions never run side by side.
    with other.expect_navigation(), page.expect_navigation():
        banner.get_by_role("button", name="Reload").click()
    wait_until_ready(page)
    assert (version(page), version(other)) == ("2", "2")
    wait_for(page, f"{CACHES}.then((names) => names.length === 1 && names[0].endsWith('222222222222'))")


def test_a_version_with_a_wrong_file_is_not_taken(
    launch: Launch, open_page: OpenPage, folder: Path, start_server: Callable[[Path], Any]
) -> None:
    server = start_server(folder)
    page = open_page(launch(), url=server.url)
    publish(folder, whole=False)
    page.evaluate(CHECK_NOW + ".catch(() => null)")
    page.wait_for_timeout(1500)
    assert page.evaluate(WAITING) is False
    page.reload()
    wait_until_ready(page)
    assert version(page) is None


def test_a_dropped_file_is_fetched_again(launch: Launch, open_page: OpenPage, server: Any) -> None:
    context = launch()
    page = open_page(context, url=server.url)
    page.evaluate(
        """async () => {
            const [name] = (await caches.keys()).filter((name) => name.startsWith("py-memory-site:"));
            const cache = await caches.open(name);
            for (const { url } of await cache.keys()) if (url.endsWith(".wasm")) await cache.delete(url);
        }"""
    )
    page.close()
    page = open_page(context, url=server.url)
    server.stop()
    open_page(context, url=server.url)
