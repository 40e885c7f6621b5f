"""How long a memory takes from storage to a connection that is ready, against reading it as one image.

Each measurement is a new worker that boots Python first, so that the boot does not cover the difference. In
each round every method is measured once, in another order; ratios are medians of the rounds' own. py_memory
verifies every checksum and opens its store; the others verify nothing and count the tables. Three states are
measured: as idle time leaves the memory, with 100 turns that were made just before the tab was closed, and
after idle time has come again. The last part is the memory that the page takes for the database, beyond what
it takes with an empty one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import BrowserContext, Page, sync_playwright

from tests.bench._page import finish, open_page
from tests.bench.persistence import FILL, PREPARE
from tests.browser.conftest import CHROMIUM_FLAGS, ROOT, SITE, Server, chromium

FOLDER = Path(__file__).with_suffix("")
OWN = "py_memory"
IMAGES = ("buffer deserialized", "blob deserialized", "buffer opened as a file")
ROUNDS = 11
TURNS = 100  # each saved twice, so that there is a log to replay
RATIO_TARGET, MEMORY_TARGET = 1.2, 3.5

KEEP_IMAGE = """async () => {
    const blob = await pyMemory.recover('raw');
    const bytes = await blob.arrayBuffer();
    const db = await new Promise((resolve, reject) => {
        const open = indexedDB.open('bench-image', 1);
        open.onupgradeneeded = () => open.result.createObjectStore('image');
        open.onsuccess = () => resolve(open.result);
        open.onerror = () => reject(open.error);
    });
    for (const [key, value] of [['buffer', bytes], ['blob', new Blob([bytes])]]) {
        const transaction = db.transaction('image', 'readwrite', {durability: 'strict'});
        transaction.objectStore('image').put(value, key);
        await new Promise((resolve, reject) => {
            transaction.oncomplete = resolve;
            transaction.onabort = () => reject(transaction.error);
        });
    }
    db.close();
    return bytes.byteLength;
}"""

MEASURE = """([script, method]) => new Promise((resolve, reject) => {
    const worker = new Worker(script, {type: 'module'});
    worker.onmessage = ({data}) => {
        worker.terminate();
        if (data.error) reject(new Error(data.error));
        else resolve(data.value);
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(method);
})"""

ADD_TURNS = """async ([session_id, turns]) => {
    for (let i = 0; i < 2 * turns; i++) {
        const role = i % 2 ? 'assistant' : 'user';
        await pyMemory.call('add_message', {session_id, role, content: say(i % 2 ? 90 : 30)});
    }
    await pyMemory.flush();
}"""

# Until idle time has nothing left to do.
IDLE = """async () => {
    for (let before = ''; ;) {
        await pyMemory.flush();
        const now = JSON.stringify(pyMemory.status().written);
        if (now === before) return;
        before = now;
        await new Promise((resolve) => setTimeout(resolve, 4000));
    }
}"""

# What there is to restore: records and bytes after the chunks.
LOOK = """async () => {
    const db = await new Promise((resolve) => {
        const open = indexedDB.open('py-memory');
        open.onsuccess = () => resolve(open.result);
    });
    const transaction = db.transaction(['manifest', 'log']);
    const result = (request) => new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result);
    });
    const {current} = await result(transaction.objectStore('manifest').get('manifest'));
    const records = await result(transaction.objectStore('log').getAll(IDBKeyRange.lowerBound(current.log)));
    db.close();
    return {chunks: current.chunks.length, records: records.length,
            bytes: records.reduce((sum, {body, pages}) => sum + body.length + pages.byteLength, 0)};
}"""

# Notes when the page's own worker reports its steps.
LISTEN = """(() => {
    let memory;
    globalThis.bootSteps = {};
    Object.defineProperty(globalThis, 'pyMemory', {
        configurable: true,
        get: () => memory,
        set(value) {
            memory = value;
            value.on('boot', ({step}) => { bootSteps[step] = performance.now(); });
        },
    });
})()"""


def site_with_worker(folder: Path) -> Path:
    """A copy of the built site with the worker of this benchmark beside its own."""
    copy = folder / "site"
    shutil.copytree(SITE, copy)
    (pyodide,) = (path for path in (copy / "pyodide").iterdir() if path.is_dir())
    (python,) = (copy / "python").glob("stdlib-*.zip")
    (image,) = (copy / "python").glob("boot-*.img")
    lock = json.loads((ROOT / "web" / "node_modules" / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    names = {
        "version": "bench",
        "packages": {"info": lock["info"], "packages": {}},
        "pyodide": f"pyodide/{pyodide.name}/",
        "python": f"python/{python.name}",
        "rest": "",
        "image": {"path": f"python/{image.name}", "integrity": ""},  # never kept, so not used
    }
    options = {
        "entryPoints": [str(FOLDER / "worker.ts")],
        "outfile": str(copy / "assets" / "bench-restore.js"),
        "bundle": True,
        "format": "esm",
        "define": {"__BUILD__": json.dumps(names)},
        "logLevel": "warning",
    }
    bundle = f"require('esbuild').buildSync({json.dumps(options)})"
    if subprocess.run([shutil.which("node") or "node", "-e", bundle], cwd=ROOT / "web").returncode:
        sys.exit("The worker of this benchmark could not be bundled.")
    return copy


def launch(playwright: Any, profile: Path) -> BrowserContext:
    context = playwright.chromium.launch_persistent_context(
        str(profile),
        executable_path=chromium(),
        headless=True,
        args=CHROMIUM_FLAGS,
        service_workers="block",  # it would keep the benchmark's worker from being found
    )
    context.set_default_timeout(0)
    return context


def largest_renderer(profile: Path) -> dict[str, int]:
    """Proportional and peak resident bytes of the browser's largest renderer on this profile."""
    flag = f"--user-data-dir={profile}".encode()
    groups: set[int] = set()
    renderers: list[tuple[int, dict[str, int]]] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            group = os.getpgid(int(entry.name))
            if flag in command:
                groups.add(group)
            if b"--type=renderer" not in command:
                continue
            lines = (entry / "smaps_rollup").read_text() + (entry / "status").read_text()
        except OSError:
            continue
        numbers = {line.split(":")[0]: line.split()[1] for line in lines.splitlines() if line.endswith(" kB")}
        found = {"pss": int(numbers["Pss"]) * 1024, "peak": int(numbers["VmHWM"]) * 1024}
        renderers.append((group, found))
    return max((found for group, found in renderers if group in groups), key=lambda found: found["pss"])


def measure(
    page: Page, script: str, label: str, rounds: int
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Medians in ms by method, and how many times the others' py_memory takes."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    methods = [OWN, *IMAGES]
    choose = random.Random(1)
    for method in methods:  # what the browser has to read and compile once
        page.evaluate(MEASURE, [script, method])
    print(f"{label}, ms:", flush=True)
    for number in range(rounds):
        for method in choose.sample(methods, len(methods)):
            found[method].append(page.evaluate(MEASURE, [script, method]))
        told = ", ".join(f"{method} {found[method][-1]['ready']:.0f}" for method in methods)
        print(f"  round {number + 1}: {told}", flush=True)
    times = {
        method: {part: round(median(run[part] for run in runs), 1) for part in ("read", "open", "ready")}
        for method, runs in found.items()
    }
    own = [run["ready"] for run in found[OWN]]
    ratios = {
        method: round(median(mine / run["ready"] for mine, run in zip(own, found[method], strict=True)), 2)
        for method in IMAGES
    }
    return times, ratios


def footprint(context: BrowserContext, url: str, profile: Path) -> tuple[dict[str, int], dict[str, float]]:
    """What the page takes once its memory is ready, and when its boot steps came, in ms after navigation."""
    context.add_init_script(LISTEN)
    page, _ = open_page(context, url)
    at_once = largest_renderer(profile)
    looks = []
    for _ in range(5):
        page.wait_for_timeout(2_000)
        looks.append(largest_renderer(profile)["pss"])
    steps = page.evaluate("() => bootSteps")
    page.close()
    return {"pss": at_once["pss"], "peak": at_once["peak"], "settled": min(looks)}, steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--size", type=float, default=100, help="million bytes of the memory (default: 100)")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="py-memory-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        server = Server(site_with_worker(folder))
        server.start()
        try:
            with sync_playwright() as playwright:
                run(playwright, server.url, folder, int(options.size * 1_000_000), options.rounds)
        finally:
            server.stop()


def run(playwright: Any, url: str, folder: Path, size: int, rounds: int) -> None:
    full, empty = folder / "full", folder / "empty"
    context = launch(playwright, full)
    page, _ = open_page(context, url)
    page.evaluate(PREPARE)
    session = page.evaluate(FILL, size)
    page.evaluate("pyMemory.call('vacuum')")
    page.evaluate(IDLE)
    bytes_ = int(page.evaluate(KEEP_IMAGE))
    print(f"{bytes_ / 1e6:.1f} MB", flush=True)
    times, ratios, logs = {}, {}, {}
    for label in ("settled", f"{TURNS} turns just made", f"{TURNS} turns, settled"):
        if label != "settled":
            page, _ = open_page(context, url)
        if label.endswith("made"):  # and gone before idle time comes; the images are 100 turns older
            page.evaluate(PREPARE)
            page.evaluate(ADD_TURNS, [session, TURNS])
        elif label.endswith("turns, settled"):
            page.evaluate(IDLE)
            page.evaluate(KEEP_IMAGE)
        page.goto(f"{url}healthz")  # the same origin without the page
        logs[label] = page.evaluate(LOOK)
        load = os.getloadavg()[0]
        times[label], ratios[label] = measure(page, f"{url}assets/bench-restore.js", label, rounds)
        logs[label]["load"] = [round(load, 1), round(os.getloadavg()[0], 1)]
        page.close()
    context.close()
    footprints = {}
    steps: dict[str, float] = {}
    for label, profile in (("empty", empty), ("full", full)):
        if label == "empty":
            context = launch(playwright, profile)
            open_page(context, url)[0].evaluate("pyMemory.flush()")  # so that both have been opened before
            context.close()
        context = launch(playwright, profile)
        footprints[label], steps = footprint(context, url, profile)
        context.close()
    beyond = {
        part: round((footprints["full"][part] - footprints["empty"][part]) / bytes_, 2)
        for part in ("pss", "settled", "peak")
    }
    for label, found in times.items():
        print(f"{label} ({logs[label]})")
        for method, parts in found.items():
            told = f"{parts['ready']:>8.0f} ms ({parts['read']:.0f} read, {parts['open']:.0f} open)"
            print(f"  {method:<26}{told}  py_memory / it: {ratios[label].get(method, 1.0):.2f}")
    print(f"  memory beyond an empty one, times the database: {beyond}", flush=True)
    finish(
        "restore",
        database_bytes=bytes_,
        ms=times,
        ratios=ratios,
        logs=logs,
        page_boot_steps_ms={step: round(ms) for step, ms in steps.items()},
        renderer_mib={
            label: {part: value >> 20 for part, value in found.items()} for label, found in footprints.items()
        },
        beyond_empty=beyond,
        met={
            **{
                f"{label}: at most {RATIO_TARGET} times {method}": found[method] <= RATIO_TARGET
                for label, found in ratios.items()
                for method in IMAGES
                if method.endswith("deserialized")
            },
            f"memory at most {MEMORY_TARGET} times the database": max(beyond["pss"], beyond["settled"])
            <= MEMORY_TARGET,
        },
    )


if __name__ == "__main__":
    main()
