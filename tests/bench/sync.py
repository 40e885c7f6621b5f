"""A first sync of 100,000 messages and 1,000 small syncs, against PouchDB with express-pouchdb, in one run.

Both have the same documents, which is checked by hash on the device, on the server and on a second device.
Each has a server and devices in processes of their own, on their default stores (SQLite, LevelDB), and talks
through a relay that counts. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from py_memory import MemoryStore
from tests.bench._sync import (
    Process,
    Relay,
    documents,
    documents_of_server,
    fill,
    hash_of,
    new_user,
    own_client,
    own_server,
    text_of,
)

FOLDER = Path(__file__).with_suffix("")
MESSAGES, SMALL, BLOCK, ROUNDS = 100_000, 1_000, 100, 2
TIMES_FASTER, BYTES_SHARE = 3.0, 1 / 3


def install() -> None:
    """The peer's packages, in exactly the versions of the lock file."""
    stamp = FOLDER / "node_modules" / ".package-lock.json"
    lock = FOLDER / "package-lock.json"
    if stamp.exists() and stamp.stat().st_mtime >= lock.stat().st_mtime:
        return
    print("installing the peer's packages …", flush=True)
    npm = shutil.which("npm")
    command = [npm or "npm", "ci", "--no-audit", "--no-fund"]
    if npm is None or subprocess.run(command, cwd=FOLDER, stdout=subprocess.DEVNULL).returncode:
        sys.exit("The peer's packages could not be installed; this needs npm and a network connection.")
    stamp.touch()


class Pair:
    """A server, a device and a second device of one product, new for each round."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.server: Process
        self.device: Process
        self.second: Process
        self.relay: Relay

    def start(self, server: Process, url: str) -> None:
        self.server, self.relay = server, Relay(url)

    def measured(self, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        before, cpu = self.relay.counted(), self.server.cpu_ms()
        found = work()
        after = self.relay.counted()
        found["server_cpu_ms"] = self.server.cpu_ms() - cpu
        return found | {name: after[name] - before[name] for name in after}

    def push(self) -> dict[str, Any]:
        return self.measured(lambda: dict(self.device.ask("push")))

    def pull(self) -> dict[str, Any]:
        return self.measured(lambda: dict(self.second.ask("pull")))

    def hashes(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def close(self) -> None:
        for process in (self.device, self.second, self.server):
            process.close()
        self.relay.close()


class Own(Pair):
    def __init__(self, folder: Path, memory: Path) -> None:
        super().__init__(folder)
        self.address = f"sqlite:///{folder / 'server.db'}"
        self.user, tokens = new_user(self.address, tokens=2)
        self.start(*own_server(self.address))
        shutil.copyfile(memory, folder / "memory.db")
        self.device = own_client(folder / "memory.db", self.relay.url, tokens[0])
        self.second = own_client(folder / "second.db", self.relay.url, tokens[1])

    def hashes(self) -> list[dict[str, Any]]:
        there = hash_of(documents_of_server(self.address, self.user))
        return [self.device.ask("hash"), there, self.second.ask("hash")]


class Peer(Pair):
    def __init__(self, folder: Path, filled: Path) -> None:
        super().__init__(folder)
        node = shutil.which("node") or "node"
        (folder / "server").mkdir()
        server = Process([node, "server.mjs", str(folder / "server")], cwd=FOLDER)
        self.start(server, server.line())
        shutil.copytree(filled, folder / "device")
        self.device = Process([node, "client.mjs", str(folder / "device"), self.relay.url], cwd=FOLDER)
        (folder / "second").mkdir()
        self.second = Process([node, "client.mjs", str(folder / "second"), self.relay.url], cwd=FOLDER)

    def hashes(self) -> list[dict[str, Any]]:
        return [self.device.ask("hash"), self.device.ask("hash_there"), self.second.ask("hash")]


def prepare(folder: Path, messages: int) -> tuple[Path, Path, dict[str, Any]]:
    """The same documents as a memory and as a PouchDB."""
    memory, lines, filled = folder / "memory.db", folder / "documents.jsonl", folder / "filled"
    fill(memory, messages)
    store = MemoryStore(memory)
    wanted = hash_of(documents(store))
    with open(lines, "w", encoding="utf-8") as file:
        for document in documents(store):
            file.write(json.dumps(document, ensure_ascii=False) + "\n")
    store.close()
    filled.mkdir()
    filling = Process(
        [shutil.which("node") or "node", "client.mjs", str(filled), "http://localhost"], cwd=FOLDER
    )
    filling.ask("fill", path=str(lines))
    assert filling.ask("hash") == wanted, "the two do not begin with the same documents"
    filling.close()
    return memory, filled, wanted


def first(pair: Pair, wanted: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {"first sync": pair.push(), "second device": pair.pull()}
    hashes = pair.hashes()
    assert all(each == wanted for each in hashes), f"not equal: {hashes}, wanted {wanted}"
    for name, numbers in found.items():
        print(f"  {type(pair).__name__}, {name}: {line(numbers)}", flush=True)
    return found


def line(numbers: dict[str, Any]) -> str:
    return (
        f"{numbers['ms'] / 1000:.1f} s, {numbers['bytes_up'] / 1e6:.1f} MB up, "
        f"{numbers['bytes_down'] / 1e6:.1f} MB down, {numbers['requests']} requests, server CPU "
        f"{numbers['server_cpu_ms'] / 1000:.1f} s, device CPU {numbers.get('cpu_ms', 0) / 1000:.1f} s"
    )


def small(own: Own, peer: Peer, count: int) -> dict[str, dict[str, Any]]:
    """Each is one message and one sync. In blocks, in turn, so that both meet the same load."""
    chance = random.Random(2)
    total: dict[str, dict[str, Any]] = {}
    for begin in range(0, count, BLOCK):
        texts = [text_of(chance, 30) for _ in range(min(BLOCK, count - begin))]
        made: list[dict[str, Any]] = []

        def send_own(texts: list[str] = texts, made: list[dict[str, Any]] = made) -> dict[str, Any]:
            answer = own.device.ask("small", texts=texts)
            made += answer["docs"]
            return {"each": answer["each"]}

        def send_peer(made: list[dict[str, Any]] = made) -> dict[str, Any]:
            return dict(peer.device.ask("small", docs=made))

        for name, pair, work in (("own", own, send_own), ("peer", peer, send_peer)):
            found = pair.measured(work)
            sums = total.setdefault(name, {"each": []})
            sums["each"] += found.pop("each")
            for what, number in found.items():
                sums[what] = sums.get(what, 0) + number
    for pair in (own, peer):
        pair.pull()
        hashes = pair.hashes()
        assert hashes[0] == hashes[1] == hashes[2], hashes
    mine, theirs = (pair.device.ask("hash", kind="message") for pair in (own, peer))
    assert mine == theirs, f"not equal: {mine}, {theirs}"
    for sums in total.values():
        each = sums.pop("each")
        sums |= {"ms": sum(each), "p50_ms": median(each), "p95_ms": quantiles(each, n=20)[-1]}
    for name, sums in total.items():
        print(f"  {name}, {count} small syncs: {line(sums)}, p50 {sums['p50_ms']:.1f} ms", flush=True)
    return total


def medians(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: round(median(numbers[name] for numbers in found), 1) for name in found[0]}


def compared(own: dict[str, Any], peer: dict[str, Any]) -> dict[str, Any]:
    of = [sum(numbers[way] for way in ("bytes_up", "bytes_down")) for numbers in (own, peer)]
    return {
        "own": own,
        "peer": peer,
        "times_faster": round(peer["ms"] / own["ms"], 2),
        "bytes_share": round(of[0] / of[1], 3),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--small", type=int, default=SMALL)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of the first sync; the median counts")
    options = parser.parse_args()
    install()
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    with tempfile.TemporaryDirectory(prefix="py-memory-bench-") as name:
        folder = Path(name)
        memory, filled, wanted = prepare(folder, options.messages)
        print(f"{wanted['count']} documents on both sides", flush=True)
        pairs: list[Pair] = []
        for number in range(options.rounds):
            for pair in pairs:
                pair.close()
            own, peer = Own(folder / f"own-{number}", memory), Peer(folder / f"peer-{number}", filled)
            pairs = [own, peer] if number % 2 == 0 else [peer, own]
            for pair in pairs:
                for part, numbers in first(pair, wanted).items():
                    found.setdefault(part, {}).setdefault(type(pair).__name__, []).append(numbers)
        results = {
            part: compared(medians(sides["Own"]), medians(sides["Peer"])) for part, sides in found.items()
        }
        sums = small(own, peer, options.small)
        results["small syncs"] = compared(sums["own"], sums["peer"])
        for pair in pairs:
            pair.close()
    met = {
        f"{part}: {what}": ok
        for part, result in results.items()
        for what, ok in (
            (f"at least {TIMES_FASTER:.0f} times faster", result["times_faster"] >= TIMES_FASTER),
            ("at most a third of the bytes", result["bytes_share"] <= BYTES_SHARE),
        )
    }
    print(json.dumps({"bench": "sync", "documents": wanted["count"], "results": results, "met": met}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
