"""From navigation to the first answer of a memory of 10 MB: py_memory against Pyodide as published.

Both open the same database, search it, and run with warm caches: once from the browser's HTTP cache, once
through a service worker, py_memory there with and without its boot image. The variants take turns in one
browser. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import base64
import http.server
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import BrowserContext, Page

from py_memory import MemoryStore
from tests.bench._page import finish, profile, site
from tests.browser.conftest import ROOT, wait_for, wait_until_ready

PLAIN = Path(__file__).with_name("boot_plain")
SETTLE_S = 1.0  # the page before is closed, but what it held goes in the background, at the cost of the next
WARM_UPS = 3  # the browser's cache of compiled code fills over the first loads
ANSWER = "() => pyMemory.call('search', {text: '第7条'}).then((hits) => [performance.now(), hits.length])"
DROP_IMAGE = """async () => {
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        const images = (await cache.keys()).filter(({url}) => url.endsWith('.img'));
        for (const request of images) await cache.delete(request);
    }
}"""
HAS_IMAGE = """async () => {
    for (const name of await caches.keys()) {
        if ((await (await caches.open(name)).keys()).some(({url}) => url.endsWith('.img'))) return true;
    }
    return false;
}"""


class _Files(http.server.SimpleHTTPRequestHandler):
    def guess_type(self, path: Any) -> str:
        types = {".mjs": "text/javascript", ".wasm": "application/wasm"}
        return types.get(Path(path).suffix) or super().guess_type(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "public, max-age=31536000, immutable")
        super().end_headers()

    def log_message(self, *arguments: Any) -> None:
        pass


@contextmanager
def plain_site(database: Path) -> Iterator[str]:
    """The plain page with Pyodide as its package holds it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(PLAIN, folder, dirs_exist_ok=True)
        shutil.copytree(ROOT / "web" / "node_modules" / "pyodide", folder / "pyodide")
        (wheel,) = (ROOT / "dist").glob("py_memory-*.whl")
        shutil.copyfile(wheel, folder / "py_memory.whl")
        shutil.copyfile(database, folder / "memory.db")
        server = http.server.ThreadingHTTPServer(("localhost", 0), partial(_Files, directory=name))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://localhost:{server.server_port}/plain.html"
        finally:
            server.shutdown()


def database_of(size: int, folder: Path) -> Path:
    """A memory of about `size` bytes."""
    path = folder / "memory.db"
    store = MemoryStore(":memory:")
    session = store.create_session("filled").id
    number = 0
    while store.stats()["bytes"] < size:
        with store.action():
            for _ in range(500):
                number += 1
                words = " ".join(f"w{number * k * 2654435761 % 8000}" for k in range(1, 61))
                store.add_message(session, "user" if number % 2 else "assistant", f"{words} 第{number}条")
    store.export_to(path)
    return path


def plain(context: BrowserContext, url: str) -> float:
    page = context.new_page()
    page.goto(url)
    wait_for(page, "globalThis.found !== undefined")
    found = page.evaluate("found")
    page.close()
    assert isinstance(found["answer"], int)
    return float(found["ms"])


def ours(context: BrowserContext, url: str) -> float:
    page = context.new_page()
    page.goto(url)
    wait_for(page, "globalThis.pyMemory !== undefined")
    ms, hits = page.evaluate(ANSWER)
    page.close()
    assert isinstance(hits, int)
    return float(ms)


def fill(page: Page, database: Path) -> None:
    script = """(text) => pyMemory.importFile(
        Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)), {mode: 'replace'})"""
    page.evaluate(script, base64.b64encode(database.read_bytes()).decode())
    page.evaluate("pyMemory.flush()")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, help="an exported memory in the place of the one made here")
    parser.add_argument("--size", type=int, default=10_000_000, help="bytes of the database")
    options = parser.parse_args()
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, site() as (playwright, url):
        database = options.data or database_of(options.size, Path(folder))
        with (
            plain_site(database) as plain_url,
            profile(playwright) as worked,  # with service workers
            profile(playwright) as bare,  # and without the boot image
            profile(playwright, service_workers="block") as cached,
        ):
            for context in (worked, bare, cached):
                page = context.new_page()
                page.goto(url + "?lang=en")
                wait_until_ready(page)
                fill(page, database)
                page.wait_for_timeout(6_000)  # by then the boot image has been fetched
                assert page.evaluate(HAS_IMAGE) is (context is not cached)
                if context is bare:  # later loads end before it would be fetched again
                    page.evaluate(DROP_IMAGE)
                page.close()
            plain(worked, f"{plain_url}?sw#fill")
            plain(cached, f"{plain_url}#fill")
            variants = {
                "plain, HTTP cache": lambda: plain(cached, plain_url),
                "py_memory, HTTP cache": lambda: ours(cached, url + "?lang=en"),
                "plain, service worker": lambda: plain(worked, f"{plain_url}?sw"),
                "py_memory, service worker": lambda: ours(bare, url + "?lang=en"),
                "py_memory, service worker and boot image": lambda: ours(worked, url + "?lang=en"),
            }
            for number in range(WARM_UPS + options.rounds):
                for name, run in variants.items():
                    time.sleep(SETTLE_S)
                    ms = run()
                    if number >= WARM_UPS:
                        times.setdefault(name, []).append(ms)
    medians = {name: median(values) for name, values in times.items()}
    for name, values in times.items():
        p95 = quantiles(values, n=20)[-1] if len(values) > 1 else values[0]
        against = medians["plain, service worker" if "service" in name else "plain, HTTP cache"]
        print(f"{name:42} median {medians[name]:6.0f} ms, p95 {p95:6.0f} ms, {medians[name] / against:.3f}")
    finish(
        "boot",
        rounds=options.rounds,
        bytes=options.size,
        median_ms={name: round(value) for name, value in medians.items()},
        ratio_http=round(medians["py_memory, HTTP cache"] / medians["plain, HTTP cache"], 3),
        ratio_service_worker=round(
            medians["py_memory, service worker and boot image"] / medians["plain, service worker"], 3
        ),
        ratio_without_image=round(medians["py_memory, service worker"] / medians["plain, service worker"], 3),
        image_saves=round(
            1 - medians["py_memory, service worker and boot image"] / medians["py_memory, service worker"], 3
        ),
    )


if __name__ == "__main__":
    main()
