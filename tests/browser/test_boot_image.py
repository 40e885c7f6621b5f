"""The boot image: restored, it works like a start from nothing, and every start is a different one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Page

from tests.browser import host_page as host
from tests.browser.conftest import ROOT, wait_for, wait_until_ready

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

KEPT = """(async () => {
    for (const name of await caches.keys()) {
        if ((await (await caches.open(name)).keys()).some(({url}) => url.endsWith('.img'))) return true;
    }
    return false;
})()"""
USED = "() => performance.getEntriesByName('py-memory:boot-image').length"
SPOIL = """async () => {
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of (await cache.keys()).filter(({url}) => url.endsWith('.img'))) {
            await cache.put(request, new Response(new Uint8Array(100_000).fill(7)));
        }
    }
}"""
# Restores the image of this site in the page, and asks everything that makes random values.
DRAW = """async ([times, info]) => {
    const names = await caches.keys();
    const requests = (await Promise.all(names.map(async (n) => (await caches.open(n)).keys()))).flat();
    const address = (part) => requests.find(({url}) => url.includes(part)).url;
    const packed = new Uint8Array(await (await caches.match(address('.img'))).arrayBuffer());
    const [length, count] = new Uint32Array(packed.buffer, 0, 2);
    const {loadPyodide} = await import(address('/pyodide.mjs'));
    const indexURL = address('/pyodide.mjs').replace('pyodide.mjs', '');
    // As the page does it: Pyodide lays the image into the memory there is.
    const {instantiateStreaming} = WebAssembly;
    WebAssembly.instantiateStreaming = async (...program) => {
        const made = await instantiateStreaming(...program);
        const {memory} = made.instance.exports;
        memory.grow(Math.max(0, Math.ceil((length - memory.buffer.byteLength) / 65536)));
        return made;
    };
    const drawn = [];
    for (let time = 0; time < times; time++) {
        const image = new Uint8Array(length);
        new Uint32Array(packed.buffer, 8, count).forEach((number, i) => {
            const from = 8 + count * 4 + i * 4096;
            image.set(packed.subarray(from, from + 4096), number * 4096);
        });
        const lockFileContents = {info, packages: {}};
        const stdLibURL = address('/rest-');
        const pyodide = await loadPyodide({indexURL, stdLibURL, lockFileContents, _loadSnapshot: image});
        pyodide.pyimport('random').seed();
        drawn.push(pyodide.runPython(`
import json, random, secrets, sqlite3, uuid
from py_memory.ids import uuid7
sql = sqlite3.connect(":memory:")
json.dumps({
    "random": random.random(), "secrets": secrets.token_hex(8),
    "uuid4": str(uuid.uuid4()), "uuid7": uuid7(0)[14:],
    "sqlite": sql.execute("SELECT hex(randomblob(8))").fetchone()[0],
    "sqlite number": sql.execute("SELECT random()").fetchone()[0],
})`));
    }
    return drawn.map((text) => JSON.parse(text));
}"""


def with_image(launch: Launch, open_page: OpenPage) -> Page:
    page = open_page(launch())
    assert page.workers[0].evaluate(USED) == 0
    wait_for(page, KEPT)
    return page


def reload(page: Page) -> None:
    page.reload()
    wait_until_ready(page)


def test_later_starts_use_it_and_lose_nothing(launch: Launch, open_page: OpenPage) -> None:
    page = with_image(launch, open_page)
    session = host.start_session(page)
    ids = [host.add(page, session, "before")]
    for number in range(3):
        reload(page)
        assert page.workers[0].evaluate(USED) == 1
        ids.append(host.add(page, session, f"after {number}"))
        reply = page.evaluate("pyMemory.send({text: 'My name is Lin.'})")
        assert reply["status"] == "complete"
    assert len({id[-12:] for id in ids}) == 4
    assert "before" in host.texts(page, session)


def test_every_start_draws_other_values(launch: Launch, open_page: OpenPage) -> None:
    page = with_image(launch, open_page)
    lock = json.loads((ROOT / "web" / "node_modules" / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    drawn: list[dict[str, Any]] = page.evaluate(DRAW, [6, lock["info"]])
    for source in drawn[0]:
        assert len({values[source] for values in drawn}) == 6, source


def test_a_spoiled_image_costs_time_only(launch: Launch, open_page: OpenPage) -> None:
    page = with_image(launch, open_page)
    session = host.start_session(page)
    host.add(page, session, "kept")
    page.evaluate(SPOIL)
    reload(page)
    assert page.workers[0].evaluate(USED) == 0
    assert host.texts(page, session) == ["kept"]
    wait_for(page, KEPT)
    reload(page)
    assert page.workers[0].evaluate(USED) == 1
    assert host.texts(page, session) == ["kept"]
