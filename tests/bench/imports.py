"""An export of ChatGPT of 200 MB, as one JSON file and as a zip with folders and shards, imported twice.

On CPython in a process of its own, and in the built page through its import dialog. Told are seconds to look
into it, to import it and to import it again (which adds nothing), the peak of memory (resident bytes of the
process; of the page's largest renderer, whose worker holds the database), how often progress was told, and
how long requests waited meanwhile. In the page a first import is cancelled on its way and taken back. The
file is made in a temporary folder. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Page

from py_memory import MemoryStore
from tests.bench._page import finish, open_page, profile, site
from tests.bench.restore import largest_renderer

SHARDS = 8
WORDS = 12_000
AT = 1_600_000_000  # s

# Asks for a small thing again and again, and notes how long each answer took.
ASK = """() => {
    globalThis.waits = [];
    globalThis.asking = true;
    void (async () => {
        while (asking) {
            const start = performance.now();
            await pyMemory.call('list_sessions', {limit: 5});
            waits.push(performance.now() - start);
            await new Promise((go) => setTimeout(go, 100));
        }
    })();
    globalThis.told = 0;
    globalThis.deaf = pyMemory.on('import', () => { told += 1; });
}"""
ANSWERED = """() => {
    asking = false;
    deaf();
    return {waits, told};
}"""


def conversations(megabytes: int) -> Iterator[str]:
    """JSON of one conversation each: branches, hidden messages, long and short ones, some Chinese."""
    dice = random.Random(11)
    words = [f"w{dice.randrange(36**4):x}" for _ in range(WORDS)]

    def said(count: int) -> str:
        text = " ".join(words[int(WORDS ** dice.random()) - 1] for _ in range(count))
        return f"{text} 第{dice.randrange(999)}件事" if dice.random() < 0.3 else text

    made = number = 0
    while made < megabytes << 20:
        number += 1
        mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
        parent, time_s = "root", AT + number * 4000
        for place in range(dice.choice((2, 4, 6, 10, 16, 40, 120))):
            id, role = f"{number}-{place}", "assistant" if place % 2 else "user"
            parts = [said(dice.randint(5, 60) if role == "user" else dice.randint(40, 400))]
            message = {
                "id": id,
                "author": {"role": role, "name": None, "metadata": {}},
                "create_time": time_s + place * 20.5,
                "content": {"content_type": "text", "parts": parts},
                "status": "finished_successfully",
                "weight": 1.0,
                "metadata": {"model_slug": "gpt-4o", "request_id": f"{dice.getrandbits(64):x}"},
                "recipient": "all",
            }
            mapping[id] = {"id": id, "message": message, "parent": parent, "children": []}
            mapping[parent]["children"].append(id)
            parent = id
        about = {"id": f"c{number}", "conversation_id": f"c{number}", "title": said(5), "create_time": time_s}
        chat = {**about, "update_time": time_s + 900, "mapping": mapping, "current_node": parent}
        text = json.dumps(chat, ensure_ascii=False)
        made += len(text.encode())
        yield text


def written(folder: Path, megabytes: int) -> dict[str, Path]:
    """The export as it comes in both ways, by kind."""
    plain, packed = folder / "conversations.json", folder / "export.zip"
    with plain.open("w", encoding="utf-8") as file:
        for number, text in enumerate(conversations(megabytes)):
            file.write(("[" if number == 0 else ",\n") + text)
        file.write("]")
    shards = [f"export/conversations-{number:03}.json" for number in range(SHARDS)]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("export/", b"")
        archive.writestr("export/user.json", b'{"id": "u"}')
        for place, name in enumerate(shards):
            with archive.open(name, "w") as shard:
                chats = (text for n, text in enumerate(conversations(megabytes)) if n % SHARDS == place)
                for number, text in enumerate(chats):
                    shard.write((("[" if number == 0 else ",\n") + text).encode())
                shard.write(b"]")
    print(f"{plain.stat().st_size >> 20} MB of JSON, {packed.stat().st_size >> 20} MB as a zip", flush=True)
    return {"json": plain, "zip": packed}


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def here(file: Path, memory: Path) -> dict[str, Any]:
    """One kind on this Python, which ends afterwards."""
    store = MemoryStore(memory)
    before = peak_bytes()
    told = 0

    def note(_: Any) -> None:
        nonlocal told
        told += 1

    started = time.monotonic()
    preview = store.preview_import(file)
    looked = time.monotonic()
    report = store.import_chats(file, progress=note)
    imported = time.monotonic()
    again = store.import_chats(file)
    assert report["conversations"] == {"added": preview["conversations"]}, report["conversations"]
    assert report["messages"]["added"] == preview["messages"]
    assert again["conversations"] == {"known": preview["conversations"]}, again["conversations"]
    return {
        "conversations": preview["conversations"],
        "messages": preview["messages"],
        "preview_s": round(looked - started, 1),
        "import_s": round(imported - looked, 1),
        "again_s": round(time.monotonic() - imported, 1),
        "peak_mb": peak_bytes() >> 20,
        "before_mb": before >> 20,
        "progress": told,
    }


def on_this_python(file: Path, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", __spec__.name, "--here", str(file), str(folder / f"{file.stem}.db")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def through_the_dialog(page: Page, file: Path, *, cancel: bool = False) -> tuple[float, float, str]:
    """Seconds to look into it and to import it, and what the dialog then says."""
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog")
    started = time.monotonic()
    page.get_by_test_id("import-file").set_input_files(file)
    go = dialog.get_by_role("button", name="Import ").last
    go.wait_for()
    looked = time.monotonic()
    go.click()
    if cancel:
        page.wait_for_timeout(8_000)
        dialog.get_by_role("button", name="Cancel").click()
    done = dialog.get_by_role("button", name="Done")
    done.wait_for()
    imported = time.monotonic()
    said = dialog.inner_text()
    if cancel:
        dialog.get_by_role("button", name="Undo").click()
        dialog.get_by_text("as it was before").wait_for()
    done.click()
    return looked - started, imported - looked, said


def in_the_page(file: Path) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="py-memory-bench-") as name,
        site() as (playwright, url),
        profile(playwright, folder=(folder := Path(name))) as context,
    ):
        page, _ = open_page(context, url + "?lang=en")
        page.set_default_timeout(3_600_000)
        _, stopped, _ = through_the_dialog(page, file, cancel=True)
        assert page.evaluate("pyMemory.call('stats').then(({messages}) => messages)") == 0
        page.evaluate(ASK)
        looked, imported, said = through_the_dialog(page, file)
        answered = page.evaluate(ANSWERED)
        stats = page.evaluate("pyMemory.call('stats')")
        _, again, said_again = through_the_dialog(page, file)
        assert "already" in said_again or "nothing" in said_again.lower(), said_again
        assert page.evaluate("pyMemory.call('stats')")["messages"] == stats["messages"]
        waits = answered["waits"]
        return {
            "conversations": stats["sessions"],
            "messages": stats["messages"],
            "database_mb": stats["bytes"] >> 20,
            "cancelled_after_s": round(stopped, 1),
            "preview_s": round(looked, 1),
            "import_s": round(imported, 1),
            "again_s": round(again, 1),
            "peak_mb": largest_renderer(folder)["peak"] >> 20,
            "progress": answered["told"],
            "wait_median_ms": round(median(waits)),
            "wait_p95_ms": round(quantiles(waits, n=20)[-1]),
            "wait_most_ms": round(max(waits)),
            "said": said.split("\n")[:3],
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--where", choices=("cpython", "page"), help="one of both")
    parser.add_argument("--kind", choices=("json", "zip"), help="one of both")
    parser.add_argument("--here", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(here(*options.here)))
        return
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="py-memory-bench-") as name:
        files = written(Path(name), options.megabytes)
        for kind, file in files.items():
            if options.kind not in (None, kind):
                continue
            if options.where != "page":
                found[f"cpython_{kind}"] = on_this_python(file, Path(name))
                print(kind, "on CPython:", found[f"cpython_{kind}"], flush=True)
            if options.where != "cpython":
                found[f"page_{kind}"] = in_the_page(file)
                print(kind, "in the page:", found[f"page_{kind}"], flush=True)
    finish("imports", megabytes=options.megabytes, **found)


if __name__ == "__main__":
    main()
