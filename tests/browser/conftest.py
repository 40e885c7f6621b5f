"""Fixtures of the browser tests: the built site on its own server, and Chromium with a profile on disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "dist" / "site"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
READY_MS = 60_000


class Server:
    """The site's server in a process of its own. It can be stopped and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.url = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "py_memory.server.site", str(self.folder), "--port", str(self.port)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "http://" in line, "The site's server did not start; its message is above."
        self.url = line.split()[-1]
        self.port = int(self.url.rstrip("/").rpartition(":")[2])

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=10)
            self._process = None


@pytest.fixture
def start_server() -> Iterator[Callable[[Path], Server]]:
    """`start_server(folder)`: a running server of a folder with the site. Stopped at the end."""
    servers: list[Server] = []

    def start(folder: Path) -> Server:
        server = Server(folder)
        server.start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def server(start_server: Callable[[Path], Server]) -> Server:
    """A running server of the built site that the test may stop."""
    return start_server(SITE)


@pytest.fixture(scope="session")
def site_url() -> Iterator[str]:
    """Address of the built site, with a slash at its end."""
    if not (SITE / "sw.js").exists():
        pytest.fail("dist/site is missing: run `python3 build.py build` first.")
    server = Server(SITE)
    server.start()
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


@pytest.fixture
def launch(playwright: Playwright) -> Iterator[Launch]:
    """`launch(profile_dir=None, **options)`: Chromium on a profile folder, by default a new one."""
    contexts: list[BrowserContext] = []
    temporary: list[str] = []

    def start(profile_dir: Path | str | None = None, **options: Any) -> BrowserContext:
        if profile_dir is None:
            profile_dir = tempfile.mkdtemp(prefix="py-memory-profile-")
            temporary.append(str(profile_dir))
        options.setdefault("args", CHROMIUM_FLAGS)
        context = playwright.chromium.launch_persistent_context(
            str(profile_dir), executable_path=chromium(), headless=True, **options
        )
        contexts.append(context)
        return context

    yield start
    for context in contexts:
        context.close()  # does nothing where the test has closed it, or killed its browser
    for folder in temporary:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def open_page(site_url: str) -> OpenPage:
    """`open_page(context, path="?lang=en", url=None)`: opens the site and waits until its memory is ready."""

    def open_(context: BrowserContext, path: str = "?lang=en", url: str | None = None) -> Page:
        page = context.new_page()
        page.goto((url or site_url) + path)
        wait_until_ready(page)
        return page

    return open_


def wait_until_ready(page: Page) -> None:
    """Waits for `pyMemory.ready` and passes on why where it is rejected."""
    wait_for(page, "globalThis.pyMemory !== undefined")
    problem = page.evaluate(
        """(ms) => Promise.race([
            pyMemory.ready.then(() => null, (error) => `${error.name}: ${error.message}`),
            new Promise((resolve) => setTimeout(resolve, ms, `not ready after ${ms} ms`)),
        ])""",
        READY_MS,
    )
    assert problem is None, f"The memory did not start: {problem}"


def wait_for(page: Page, expression: str, timeout_ms: int = READY_MS) -> None:
    """Waits until JavaScript finds `expression` true, or what it promises. Playwright's own way needs the
    forbidden `eval`, and takes a promise for true."""
    wait_until(page, lambda: page.evaluate(expression), expression, timeout_ms)


def wait_until(page: Page, holds: Callable[[], object], what: str, timeout_ms: int = READY_MS) -> None:
    deadline = time.monotonic() + timeout_ms / 1000
    while not holds():
        assert time.monotonic() < deadline, f"Not true after {timeout_ms} ms: {what}"
        page.wait_for_timeout(20)


def chromium() -> str | None:
    """Path of the Chromium to use; None lets Playwright take its own."""
    chosen = os.environ.get("PY_MEMORY_CHROMIUM")
    return chosen or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
