"""What a durable turn costs in py_memory and in other ways to keep SQLite (or PostgreSQL) in a browser.

The same tables and texts, the same two commits a turn: the user's message durable, then the reply. Methods
take turns with one another in one run, each on a page and an origin of its own. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import defaultdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import BrowserContext, Page

from py_memory.server.site import CONTENT_TYPES
from tests.bench._page import finish, open_page, profile, site
from tests.bench.persistence import FILL, PREPARE, RUN, SETTLE

FOLDER = Path(__file__).with_suffix("")
OWN = "py_memory"
PEERS = ("sqljs", "sahpool-wal", "sahpool-truncate", "wa-idb", "wa-opfs", "pglite")
SIZES = (1, 10, 50, 100)  # million bytes
ROUNDS = 31
FILL_S = 240  # a method that needs longer to get to a size is left out from there on
TURNS_S = 120  # a method that has taken so long at one size makes no further turns there, but at least
LEAST_TURNS = 7
PAUSE_S = 0.15
OWN_PAUSE_S = 0.8  # its idle work begins 0.4 s after a turn, and shall not fall on another's turn
GROWTH_TARGET, PEER_TARGET = 1.5, 2.0

FILL_PEER = """([target, ms]) => Promise.race([
    ask('fill', target), new Promise((resolve) => setTimeout(resolve, ms, null))])"""


class Handler(SimpleHTTPRequestHandler):
    extensions_map = CONTENT_TYPES

    def log_message(self, format: str, *args: Any) -> None:
        pass


def install() -> None:
    """The peers' packages, in exactly the versions of the lock file."""
    stamp = FOLDER / "node_modules" / ".package-lock.json"
    lock = FOLDER / "package-lock.json"
    if stamp.exists() and stamp.stat().st_mtime >= lock.stat().st_mtime:
        return
    print("installing the peers' packages …", flush=True)
    npm = shutil.which("npm")
    command = [npm or "npm", "ci", "--no-audit", "--no-fund"]
    if npm is None or subprocess.run(command, cwd=FOLDER, stdout=subprocess.DEVNULL).returncode:
        sys.exit("The peers' packages could not be installed; this needs npm and a network connection.")
    stamp.touch()


class Own:
    """py_memory on the built site, through the object that any page can use."""

    def __init__(self, context: BrowserContext, url: str, limit: int = 1_000_000_000) -> None:
        self.page, _ = open_page(context, url)
        self.limit = limit
        self.page.evaluate(PREPARE)
        self.session = ""
        self.about = "pyMemory.call('add_message') on the built site"

    def grow(self, target: int) -> int | None:
        if target > self.limit:
            return self.limit
        self.session = self.page.evaluate(FILL, target)
        self.page.evaluate(SETTLE)
        return int(self.page.evaluate("() => pyMemory.call('stats').then((stats) => stats.bytes)"))

    def turn(self) -> float:
        return float(self.page.evaluate(RUN, [self.session, 1, 0])["ms"][0])


class Peer:
    def __init__(self, context: BrowserContext, url: str, name: str) -> None:
        self.page: Page = context.new_page()
        self.page.goto(url)
        told = self.page.evaluate("(name) => ask('open', name)", name)
        self.about = told["about"] + ("" if told["fts"] else " (no FTS5: without the index)")

    def grow(self, target: int) -> int | None:
        return self.page.evaluate(FILL_PEER, [target, FILL_S * 1000])

    def turn(self) -> float:
        return float(self.page.evaluate("() => turn()"))


def summary(ms: list[float]) -> dict[str, Any]:
    p95 = quantiles(ms, n=20, method="inclusive")[-1] if len(ms) > 1 else ms[0]
    return {"ms": round(median(ms), 2), "p95_ms": round(p95, 2), "turns": len(ms)}


def grow(methods: dict[str, Own | Peer], size: int) -> dict[str, int]:
    """Fills every method to this size; closes those that do not get there in time."""
    bytes_: dict[str, int] = {}
    for name, method in list(methods.items()):
        started = time.monotonic()
        try:
            filled = method.grow(size * 1_000_000)
            problem = f"not filled within {FILL_S} s"
        except Exception as error:
            filled, problem = None, str(error).strip().splitlines()[0]
        if filled is None:
            print(f"  {name}: left out from {size} MB on: {problem}", flush=True)
            methods.pop(name).page.close()
        else:
            bytes_[name] = filled
            print(f"  {name}: {filled / 1e6:.1f} MB after {time.monotonic() - started:.0f} s", flush=True)
    return bytes_


def take_turns(methods: dict[str, Own | Peer], rounds: int, choose: random.Random) -> dict[str, list[float]]:
    ms: dict[str, list[float]] = defaultdict(list)
    for name, method in methods.items():
        method.turn()  # what is done once only is not counted
        time.sleep(OWN_PAUSE_S if name.startswith(OWN) else PAUSE_S)
    for _ in range(rounds):
        for name in choose.sample(sorted(methods), len(methods)):  # so that each follows each
            if sum(ms[name]) > TURNS_S * 1000 and len(ms[name]) >= LEAST_TURNS:
                continue
            ms[name].append(methods[name].turn())
            time.sleep(OWN_PAUSE_S if name.startswith(OWN) else PAUSE_S)
    return ms


def check(methods: dict[str, Own | Peer]) -> None:
    """A peer that kept less than it was given would be no peer."""
    for name, method in methods.items():
        if isinstance(method, Peer):
            counts = method.page.evaluate("() => ask('counts')")
            kept = {count for count in counts.values() if count is not None}
            assert len(kept) == 1, f"{name} holds {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="MB")
    parser.add_argument(
        "--quick", action="store_true", help="1 MB and few turns, to see that all methods work"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--methods", nargs="+", default=PEERS, choices=PEERS, help="peers to compare with")
    options = parser.parse_args()
    sizes, rounds = ([1], 5) if options.quick else (sorted(options.sizes), options.rounds)
    install()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(FOLDER)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    choose = random.Random(1)
    results: dict[str, dict[str, Any]] = {}
    with site() as (playwright, url), profile(playwright) as context:
        context.set_default_timeout(0)
        methods: dict[str, Own | Peer] = {OWN: Own(context, url)}
        if len(sizes) > 1:
            # It stays small while the others grow, so that both sizes meet the same load.
            small = Own(context, url.replace("localhost", "small.localhost"), sizes[0] * 1_000_000)
            methods[f"{OWN}, {sizes[0]} MB"] = small
        for name in options.methods:
            peer_url = f"http://{name}.localhost:{server.server_port}/"
            try:
                methods[name] = Peer(context, peer_url, name)
            except Exception as error:
                print(f"  {name}: does not open: {str(error).strip().splitlines()[0]}")
        about = {name: method.about for name, method in methods.items()}
        for name, text in about.items():
            print(f"{name}: {text}", flush=True)
        for size in sizes:
            print(f"{size} MB", flush=True)
            bytes_ = grow(methods, size)
            found = {name: summary(ms) for name, ms in take_turns(methods, rounds, choose).items()}
            check(methods)
            own = found[OWN]["ms"]
            for name, numbers in found.items():
                numbers |= {"bytes": bytes_[name], "to_own": round(numbers["ms"] / own, 2)}
            print(table(found), flush=True)
            results[f"{size} MB"] = found
    server.shutdown()
    report(results, about)


def table(found: dict[str, Any]) -> str:
    lines = [f"  {'method':<18}{'median ms':>11}{'p95 ms':>10}{'turns':>7}{'x py_memory':>13}"]
    for name, numbers in sorted(found.items(), key=lambda item: float(item[1]["ms"])):
        lines.append(
            f"  {name:<18}{numbers['ms']:>11.1f}{numbers['p95_ms']:>10.1f}{numbers['turns']:>7}"
            f"{numbers['to_own']:>13.2f}"
        )
    return "\n".join(lines)


def report(results: dict[str, dict[str, Any]], about: dict[str, str]) -> None:
    least = {
        size: min(
            (numbers["to_own"] for name, numbers in found.items() if not name.startswith(OWN)), default=0
        )
        for size, found in results.items()
    }
    growth = None
    met = {
        f"at least {PEER_TARGET:.0f} times faster than each peer at {size}": value >= PEER_TARGET
        for size, value in least.items()
    }
    if len(results) > 1:
        first, last = next(iter(results)), list(results)[-1]
        small = next(numbers for name, numbers in results[last].items() if name.startswith(f"{OWN},"))
        growth = round(results[last][OWN]["ms"] / small["ms"], 2)
        met[f"{last} at most {GROWTH_TARGET} times {first}"] = growth <= GROWTH_TARGET
    finish("peers", about=about, sizes=results, growth=growth, least_ratio=least, met=met)


if __name__ == "__main__":
    main()
