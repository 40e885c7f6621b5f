"""What was shown as saved is there after every kind of restart."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Route

from tests.browser import host_page as host
from tests.browser.conftest import wait_for, wait_until

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


def test_reload_and_browser_restart(launch: Launch, open_page: OpenPage, tmp_path: Path) -> None:
    context = launch(tmp_path)
    page = open_page(context)
    session = host.start_session(page)
    host.add(page, session, "before the reload")
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert host.texts(page, session) == ["before the reload"]
    host.add(page, session, "before the restart")
    context.close()
    page = open_page(launch(tmp_path))
    assert host.texts(page, session) == ["before the reload", "before the restart"]


def test_fault_02_quick_reloads_during_start_lose_nothing(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    host.add(page, session, "kept")
    # The page reloads itself: driven from outside, a reload may meet a page that is just going.
    page.add_init_script(
        """(() => {
            const loads = Number(sessionStorage.getItem('loads') ?? 0) + 1;
            sessionStorage.setItem('loads', loads);
            if (loads <= 3) setTimeout(() => location.reload(), [0, 150, 700][loads - 1]);
        })()"""
    )
    page.reload(wait_until="commit")
    page.wait_for_function(
        "() => sessionStorage.getItem('loads') === '4' && globalThis.pyMemory !== undefined"
    )
    page.evaluate("() => pyMemory.ready")
    assert host.texts(page, session) == ["kept"]


def test_message_sent_before_ready_survives_a_reload_and_is_sent_once(launch: Launch, site_url: str) -> None:
    page = launch().new_page()
    page.goto(site_url + "?lang=en", wait_until="commit")
    page.wait_for_function("() => globalThis.pyMemory !== undefined")
    # The promise of send() is not awaited: the page goes while Python is still loading.
    assert (
        page.evaluate("() => { pyMemory.send({text: 'sent early'}); return pyMemory.status().state }")
        == "starting"
    )
    wait_for(page, "async () => (await indexedDB.databases()).some(({name}) => name === 'py-memory')")
    wait_until(page, lambda: host.database(page, "waiting", "count") == 1, "it is kept")
    page.reload()
    page.evaluate("() => pyMemory.ready")
    # It is let go of in the save that holds its answer.
    wait_until(page, lambda: host.database(page, "waiting", "count") == 0, "it is answered")
    page.reload()
    page.evaluate("() => pyMemory.ready")
    [session] = host.sessions(page)
    assert host.texts(page, session["id"])[0] == "sent early"
    page.wait_for_timeout(500)  # sent again, it would be answered again
    assert len(host.texts(page, session["id"])) == 2


def test_fault_04_every_transaction_that_writes_is_strict(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    worker = page.workers[0]
    worker.evaluate(
        """() => {
            globalThis.durabilities = [];
            const original = IDBDatabase.prototype.transaction;
            IDBDatabase.prototype.transaction = function (...args) {
                const transaction = original.apply(this, args);
                if (transaction.mode !== 'readonly') durabilities.push(transaction.durability);
                return transaction;
            };
        }"""
    )
    session = host.start_session(page)
    host.add(page, session, "strictly")
    page.evaluate("() => pyMemory.call('compact')")
    durabilities = worker.evaluate("() => durabilities")
    assert len(durabilities) >= 4
    assert set(durabilities) == {"strict"}


# Headless Chromium does not apply the quota that its developer tools set; the refusal itself stands in.
FULL_DISK = """
    globalThis.realPut = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function () {
        throw new DOMException('no space is left', 'QuotaExceededError');
    };
"""
MORE_SPACE = "() => { IDBObjectStore.prototype.put = realPut; }"


def test_fault_05_full_disk_is_shown_and_the_next_success_saves_all(
    launch: Launch, open_page: OpenPage
) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    host.add(page, session, "fits")
    page.evaluate("() => { globalThis.faults = []; pyMemory.on('error', (fault) => faults.push(fault)); }")
    page.workers[0].evaluate("() => {" + FULL_DISK + "}")
    host.add(page, session, "does not fit")
    assert host.status(page)["state"] == "unsaved"
    assert page.evaluate("() => faults.map((fault) => fault.code)") == ["quota"]
    assert host.texts(page, session) == ["fits", "does not fit"]
    assert page.evaluate("() => pyMemory.flush().catch((error) => error.code)") == "unsaved"
    assert page.evaluate("() => pyMemory.exportFile().then((bytes) => bytes.length)") > 0
    page.workers[0].evaluate(MORE_SPACE)
    host.add(page, session, "fits again")
    assert host.status(page)["state"] == "saved"
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert host.texts(page, session) == ["fits", "does not fit", "fits again"]


def test_fault_05_a_full_disk_does_not_keep_the_memory_from_opening(
    launch: Launch, open_page: OpenPage
) -> None:
    context = launch(service_workers="block")
    page = open_page(context)
    session = host.start_session(page)
    host.add(page, session, "fits")

    def full_at_start(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=FULL_DISK + response.text())

    page.route("**/assets/worker*.js", full_at_start)
    page.reload()
    page.evaluate("() => pyMemory.ready")
    host.add(page, session, "does not fit")
    assert host.texts(page, session) == ["fits", "does not fit"]
    assert host.status(page)["state"] == "unsaved"
    page.workers[0].evaluate(MORE_SPACE)
    host.add(page, session, "fits again")
    assert host.status(page)["state"] == "saved"
    page.unroute_all()
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert host.texts(page, session) == ["fits", "does not fit", "fits again"]


def test_fault_06_lost_connection_is_opened_again(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    page.workers[0].evaluate(
        """() => {
            const original = IDBDatabase.prototype.transaction;
            IDBDatabase.prototype.transaction = function (...args) {
                IDBDatabase.prototype.transaction = original;
                this.close();
                return original.apply(this, args);
            };
        }"""
    )
    host.add(page, session, "over the new connection")
    assert host.status(page)["state"] == "saved"
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert host.texts(page, session) == ["over the new connection"]


def test_fault_07_an_upgrade_elsewhere_is_not_blocked(
    launch: Launch, open_page: OpenPage, site_url: str
) -> None:
    context = launch()
    page = open_page(context)
    host.start_session(page)
    other = context.new_page()
    other.goto(site_url + "manifest.webmanifest")
    milliseconds = other.evaluate(
        """() => new Promise((resolve, reject) => {
            const start = performance.now();
            const request = indexedDB.open('py-memory', 99);
            request.onsuccess = () => { request.result.close(); resolve(performance.now() - start); };
            request.onerror = () => reject(request.error);
        })"""
    )
    assert milliseconds < 5000
    # What this older version then changes is kept in the tab and shown as not saved.
    page.evaluate("() => pyMemory.call('create_session', {title: 'late'})")
    assert host.status(page)["state"] == "unsaved"


def test_fault_09_eviction_is_noticed(launch: Launch, open_page: OpenPage, site_url: str) -> None:
    context = launch()
    page = open_page(context)
    host.add(page, host.start_session(page), "will be evicted")
    devtools = context.new_cdp_session(page)
    arguments = {"origin": site_url.rstrip("/"), "storageTypes": "indexeddb"}
    page.goto("about:blank")
    devtools.send("Storage.clearDataForOrigin", arguments)
    page.close()
    page = open_page(context)
    assert host.sessions(page) == []
    assert host.status(page)["warning"] == "evicted"


def test_fault_09_storage_cleared_under_an_open_tab_is_told_and_the_tab_keeps_its_memory(
    launch: Launch, open_page: OpenPage, site_url: str
) -> None:
    context = launch()
    page = open_page(context)
    session = host.start_session(page)
    host.add(page, session, "kept in the tab")
    page.evaluate("() => { globalThis.faults = []; pyMemory.on('error', ({code}) => faults.push(code)); }")
    arguments = {"origin": site_url.rstrip("/"), "storageTypes": "indexeddb"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", arguments)
    host.add(page, session, "so is this")
    assert page.evaluate("() => faults") == ["cleared"]
    assert host.status(page)["state"] == "unsaved"
    assert host.texts(page, session) == ["kept in the tab", "so is this"]
    assert page.evaluate("() => pyMemory.exportFile().then((bytes) => bytes.length)") > 0


def test_fault_10_without_locks_it_works_in_memory_and_says_so(
    launch: Launch, open_page: OpenPage, site_url: str
) -> None:
    port = site_url.rstrip("/").rpartition(":")[2]
    flags = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP plain.test 127.0.0.1"]
    page = open_page(launch(args=flags), url=f"http://plain.test:{port}/")
    session = host.start_session(page)
    host.add(page, session, "for now")
    found = host.status(page)
    assert (found["memoryOnly"], found["warning"], found["state"]) == (True, "no_locks", "unsaved")
    assert host.texts(page, session) == ["for now"]
    assert page.evaluate("() => pyMemory.exportFile().then((bytes) => bytes.length)") > 0


def test_fault_11_only_plain_values_are_stored(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    host.add(page, host.start_session(page), "plain")
    page.evaluate("() => pyMemory.call('compact')")
    plain = {"Number", "String", "Uint8Array", "Uint32Array"}
    assert set(host.database(page, "log", "types")) <= plain
    assert set(host.database(page, "chunks", "types")) <= {"Number", "String", "Blob"}
    assert set(host.database(page, "replies", "types")) <= plain


def test_fault_12_overlapping_saves_are_joined(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    before = host.status(page)["written"]["records"]
    host.add_many(page, session, 100, words=1)
    records = host.status(page)["written"]["records"] - before
    assert 1 <= records <= 50
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert len(host.texts(page, session)) == 100


# What an older version had stored: chunks of 1 MiB as plain bytes.
STORE_AS_BEFORE = """async ({chunks}) => {
    const db = await new Promise((resolve) => {
        const open = indexedDB.open('py-memory');
        open.onsuccess = () => resolve(open.result);
    });
    const transaction = db.transaction(['manifest', 'chunks'], 'readwrite');
    const [manifests, stored] = ['manifest', 'chunks'].map((name) => transaction.objectStore(name));
    stored.clear();
    for (const {text, ...chunk} of chunks) {
        stored.put({...chunk, body: Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))});
    }
    manifests.get('manifest').onsuccess = ({target: {result: manifest}}) => {
        const {chunkSize, ...current} = manifest.current;
        current.chunks = chunks.map(({generation}) => generation);
        manifests.put({...manifest, current, previous: null}, 'manifest');
    };
    await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
    });
    db.close();
}"""


def test_a_memory_in_small_chunks_is_opened_and_written_in_large_ones(
    launch: Launch, open_page: OpenPage, site_url: str
) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    host.add_many(page, session, 300)
    page.evaluate("() => pyMemory.call('vacuum')")
    page.goto(site_url + "manifest.webmanifest")
    (key,) = host.database(page, "chunks", "keys")
    chunk = host.database(page, "chunks", "chunk", key=key)
    body = base64.b64decode(chunk["body"])
    assert len(body) > 1 << 20
    chunks = []
    for index, start in enumerate(range(0, len(body), 1 << 20)):
        part = body[start : start + (1 << 20)]
        checksum = host.xxh64(struct.pack("<3d", key[0], index, chunk["seq"]) + part)
        record = {"generation": key[0], "index": index, "seq": chunk["seq"], "checksum": f"{checksum:016x}"}
        chunks.append({**record, "text": base64.b64encode(part).decode()})
    page.evaluate(STORE_AS_BEFORE, {"chunks": chunks})
    page.goto(site_url + "?lang=en")
    page.evaluate("() => pyMemory.ready")
    assert len(host.texts(page, session)) == 300
    assert host.status(page)["warning"] is None
    host.add(page, session, "one more")
    page.evaluate("() => pyMemory.call('compact')")
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert len(host.texts(page, session)) == 301
    assert page.evaluate("() => pyMemory.call('check')") == []
    assert [key, [key[0] + 1, 0]] == [host.database(page, "chunks", "keys")[at] for at in (0, -1)]


def test_one_record_takes_the_place_of_many(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    said = [f"message {number}" for number in range(150)]
    for text in said:
        host.add(page, session, text)
    page.evaluate("() => pyMemory.flush()")
    assert host.status(page)["written"]["records"] >= 150
    assert host.database(page, "log", "count") < 100
    host.add(page, session, "and on")
    page.reload()
    page.evaluate("() => pyMemory.ready")
    assert host.texts(page, session) == [*said, "and on"]
    assert page.evaluate("() => pyMemory.call('check')") == []
    assert host.status(page)["warning"] is None
    # It is checked like every record.
    host.database(page, "log", "flip", key=host.database(page, "log", "keys")[0])
    page.reload()
    wait_for(page, "globalThis.pyMemory !== undefined")
    fault = page.evaluate("() => new Promise((resolve) => pyMemory.on('error', resolve))")
    assert (fault["code"], fault["choices"]) == ("damaged", ["raw", "empty"])
