"""What the benchmarks of the page share: the built site on a server, Chromium, and a filled memory."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, ROOT, SITE, Server, chromium, wait_until_ready

# Of a file, as chunkChecksum() in web/src/host/format.ts makes them: its CHUNK.
CHECKSUMS = """
const {createReadStream} = require('fs');
const [file, generation] = process.argv.slice(1);
require('xxhash-wasm')().then(async ({create64}) => {
    const sums = [];
    for await (const body of createReadStream(file, {highWaterMark: 8 << 20})) {
        const numbers = Float64Array.from([Number(generation), sums.length, 0]);
        const hash = create64().update(new Uint8Array(numbers.buffer)).update(body);
        sums.push(hash.digest().toString(16).padStart(16, '0'));
    }
    console.log(JSON.stringify(sums));
});
"""
PLANT = """async (sums) => {
    const db = await new Promise((resolve, reject) => {
        const open = indexedDB.open('py-memory');
        open.onsuccess = () => resolve(open.result);
        open.onerror = () => reject(open.error);
    });
    const names = ['manifest', 'chunks', 'log', 'view', 'replies'];
    const transaction = db.transaction(names, 'readwrite', {durability: 'strict'});
    const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
    });
    const [manifests, chunks, ...others] = names.map((name) => transaction.objectStore(name));
    const manifest = await new Promise((resolve) => {
        manifests.get('manifest').onsuccess = ({target}) => resolve(target.result);
    });
    const file = document.querySelector('input').files[0];
    const chunkSize = 8 << 20;
    chunks.clear();
    for (const store of others) store.clear();
    sums.forEach((checksum, index) => {
        const body = file.slice(index * chunkSize, (index + 1) * chunkSize);
        chunks.put({generation: GENERATION, index, seq: 0, body, checksum});
    });
    const current = {
        generation: GENERATION, chunks: sums.map(() => GENERATION), chunkSize, size: file.size,
        log: [GENERATION, 1], lastSeq: null, at: Date.now(),
    };
    manifests.put({...manifest, current, previous: null, purge: false, suspect: false}, 'manifest');
    await done;
    db.close();
}"""
ADD_INPUT = """() => {
    const input = document.createElement('input');
    input.type = 'file';
    document.body.append(input);
}"""
PLANTED = 1000  # the generation of what is planted: higher than any a short visit makes


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
def profile(
    playwright: Playwright, flags: Sequence[str] = (), folder: Path | None = None, **options: Any
) -> Iterator[BrowserContext]:
    """Chromium on a new profile folder, removed afterwards; `flags` are more of its command line."""
    place = folder or tempfile.mkdtemp(prefix="py-memory-bench-")
    context = playwright.chromium.launch_persistent_context(
        place, executable_path=chromium(), headless=True, args=[*CHROMIUM_FLAGS, *flags], **options
    )
    try:
        yield context
    finally:
        context.close()
        shutil.rmtree(place, ignore_errors=True)


def open_page(context: BrowserContext, url: str) -> tuple[Page, float]:
    """The page and the milliseconds from navigation until the memory was ready."""
    page = context.new_page()
    started = time.monotonic()
    page.goto(url)
    wait_until_ready(page)
    return page, (time.monotonic() - started) * 1000


def plant(context: BrowserContext, url: str, file: Path) -> None:
    """Puts a database whose pages have 1,024 bytes where the page keeps its memory, as if it had grown there.

    Much quicker than importing it: only its bytes are copied. The first visit makes what is beside it."""
    page, _ = open_page(context, url)
    page.goto(url + "icons/icon-192.png")  # of the same origin, and without the program
    page.evaluate(ADD_INPUT)
    page.set_input_files("input", file)
    command = ["node", "-e", CHECKSUMS, str(file), str(PLANTED)]
    sums = subprocess.run(command, cwd=ROOT / "web", capture_output=True, text=True, check=True).stdout
    page.evaluate(PLANT.replace("GENERATION", str(PLANTED)), json.loads(sums))
    page.close()
