"""A first sync of 100,000 messages whose device and server are killed (SIGKILL) in turn, 20 times in all.

Each goes on from its files. In the end the device, the server and a second device hold the same documents and
the databases are sound. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from py_memory import MemoryStore
from py_memory.server.sqlite_store import SqliteStore
from tests.bench._sync import (
    documents,
    documents_of_server,
    fill,
    hash_of,
    new_user,
    own_client,
    own_server,
)

MESSAGES, KILLS = 100_000, 20


class Run:
    """One server and one device on files in a folder, each replaced by a new process when it is killed."""

    def __init__(self, folder: Path, messages: int) -> None:
        self.memory, self.address = folder / "memory.db", f"sqlite:///{folder / 'server.db'}"
        fill(self.memory, messages)
        store = MemoryStore(self.memory)
        self.wanted = hash_of(documents(store))
        store.close()
        self.user, (self.token, self.other_token) = new_user(self.address, tokens=2)
        self.server, self.url = own_server(self.address)
        self.device = own_client(self.memory, self.url, self.token)

    def go_on(self, seconds: float) -> bool:
        """Lets the device sync for a time. Returns whether it came to its end."""
        if not self.device.running:
            self.device = own_client(self.memory, self.url, self.token)
        self.device.send("push")
        return self.device.has_line(seconds)

    def kill_server(self) -> None:
        """The device says that the server is away, and goes on with the one that follows."""
        self.server.kill()
        said = json.loads(self.device.line())
        assert said.get("error") == "unreachable", said
        self.server, self.url = own_server(self.address, int(self.url.rpartition(":")[2]))

    def sent(self) -> int:
        store = SqliteStore(self.address.removeprefix("sqlite:///"))
        with store.unit(self.user, write=False) as unit:
            rows = unit.head().rows
        store.close()
        return rows


def killed(run: Run, kills: int, seconds: float, choose: random.Random) -> list[dict[str, Any]]:
    """Kills in turn; each somewhere in a stretch of work."""
    done: list[dict[str, Any]] = []
    while len(done) < kills:
        if run.go_on(choose.uniform(0.3, 1.7) * seconds):
            break
        what = "device" if len(done) % 2 == 0 else "server"
        if what == "device":
            run.device.kill()
        else:
            run.kill_server()
        done.append({"killed": what, "rows_there": run.sent()})
        print(f"  {what} killed, {done[-1]['rows_there']:,} rows there", flush=True)
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seconds", type=float, help="between kills (default: by the speed of a first page)")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="py-memory-bench-") as name:
        folder = Path(name)
        run = Run(folder, options.messages)
        seconds = options.seconds or options.messages / 100_000 * 2.0
        done = killed(run, options.kills, seconds, random.Random(1))
        run.device.close()
        run.device = own_client(run.memory, run.url, run.token)
        left = run.device.ask("push")
        second = own_client(folder / "second.db", run.url, run.other_token)
        second.ask("pull")
        hashes = [
            run.device.ask("hash"),
            hash_of(documents_of_server(run.address, run.user)),
            second.ask("hash"),
        ]
        for process in (run.device, second, run.server):
            process.close()
        equal = all(each == run.wanted for each in hashes)
        sound = [MemoryStore(path).database.integrity_check() for path in (run.memory, folder / "second.db")]
        there = SqliteStore(folder / "server.db")
        whole = equal and sound == [[], []] and there.is_sound()
        there.close()
    result = {
        "bench": "sync_kills",
        "documents": run.wanted["count"],
        "kills": len(done),
        "wanted": options.kills,
        "of_the_device": sum(kill["killed"] == "device" for kill in done),
        "of_the_server": sum(kill["killed"] == "server" for kill in done),
        "pushed_by_the_last": left["pushed"],
        "equal": equal,
        "sound": whole,
        "seconds": round(time.monotonic() - started),
    }
    print(json.dumps(result))
    return 0 if whole and len(done) == options.kills else 1


if __name__ == "__main__":
    sys.exit(main())
