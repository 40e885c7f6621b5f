"""How much one server process takes in with 1, 10 and 100 users at once, on SQLite and on PostgreSQL.

Each user is a connection of its own, in another process: it sends pages of 20 messages (40 rows), each a
request answered before the next, for some seconds. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pytest

from py_memory.ids import uuid7
from py_memory.server.open_store import open_store
from py_memory.server.tokens import make_token
from py_memory.sync import wire
from py_memory.sync.engine import Call
from py_memory.sync.transport import over_http
from tests.bench._sync import STARTED, own_server, text_of
from tests.unit.postgres import Cluster, cluster

USERS, SECONDS, MESSAGES = (1, 10, 100), 10.0, 20


def page(chance: random.Random, session: str, device: str, n: int) -> list[dict[str, Any]]:
    """MESSAGES new messages with their texts, as a device sends them."""
    now, made = int(time.time() * 1000), []
    for number in range(MESSAGES):
        stamp, id = f"{now:012x}-{number:04x}-{device}", uuid7()
        identity = {"created_at": now, "session_id": session, "role": "user", "metadata_json": "{}"}
        state = {"status": "complete", "parent_id": None, "has_secret": 0}
        groups = {"state": state, "tags": {"intent": None, "feedback": None}}
        of = {"op": "put", "stamp": stamp}
        made.append({**of, "n": n, "kind": "messages", "id": id, "identity": identity, "groups": groups})
        text = {"created_at": now, "message_id": id, "author": "user", "content": text_of(chance, 30)}
        made.append({**of, "n": n + 1, "kind": "message_versions", "id": uuid7(), "identity": text})
        n += 2
    return made


class User:
    def __init__(self, url: str, token: str, seed: int, until: float) -> None:
        self.took: list[float] = []
        self.problem = ""
        self._chance = random.Random(seed)
        self._send = over_http(url, token)
        self._until = until
        self._thread = threading.Thread(target=self._run_noting)
        self._thread.start()

    def _run_noting(self) -> None:
        try:
            self._run()
        except Exception as error:
            self.problem = f"{type(error).__name__}: {error}"

    def _run(self) -> None:
        device, session = f"{self._chance.getrandbits(64):016x}", uuid7()
        n, cursor = 1, None
        while time.monotonic() < self._until and not self.problem:
            push = page(self._chance, session, device, n)
            request = wire.SyncRequest(wire.SCHEMA, device, cursor, n - 1, 1000, 1 << 20, push)
            body = wire.encode(request.to_dict())
            began = time.perf_counter()
            answer = self._send(Call("POST", "/memory/sync", body))
            self.took.append((time.perf_counter() - began) * 1000)
            if answer.status != 200:
                self.problem = f"{answer.status} {answer.body[:200]!r}"
                return
            reply = wire.decode_reply(answer.body)
            if reply.last_n != push[-1]["n"] or reply.results:
                self.problem = f"not taken in: {reply.results[:3]}"
            n, cursor = push[-1]["n"] + 1, (reply.epoch, reply.cursor)

    def join(self) -> None:
        self._thread.join()


def measured(address: str, users: int, seconds: float) -> dict[str, Any]:
    store = open_store(address)
    made = [store.add_user(f"user {users} {n}", STARTED).id for n in range(users)]
    tokens = [make_token(store, user, STARTED) for user in made]
    store.close()
    server, url = own_server(address)
    try:
        cpu, began = server.cpu_ms(), time.monotonic()
        running = [User(url, token, n, began + seconds) for n, token in enumerate(tokens)]
        for user in running:
            user.join()
        took, used = time.monotonic() - began, server.cpu_ms() - cpu
    finally:
        server.close()
    problems = [user.problem for user in running if user.problem]
    assert not problems, problems[:3]
    each = [ms for user in running for ms in user.took]
    return {
        "requests_per_s": round(len(each) / took, 1),
        "messages_per_s": round(len(each) * MESSAGES / took, 1),
        "p50_ms": round(median(each), 1),
        "p95_ms": round(quantiles(each, n=20)[-1], 1),
        "server_cpu_ms_per_request": round(used / len(each), 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--users", type=int, nargs="+", default=USERS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each number of users")
    options = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    left_out = ""
    for kind in ("sqlite", "postgres"):
        lent: AbstractContextManager[Cluster | None] = (
            cluster(safe=True) if kind == "postgres" else nullcontext()
        )
        try:
            with lent as running, tempfile.TemporaryDirectory(prefix="py-memory-bench-") as name:
                for users in options.users:
                    address = f"sqlite:///{Path(name) / f'{users}.db'}"
                    if running is not None:
                        address = running.address(running.database(), "app")
                    found = measured(address, users, options.seconds)
                    results.setdefault(kind, {})[str(users)] = found
                    print(f"{kind}, {users} users: {found}", flush=True)
        except pytest.skip.Exception as skipped:
            left_out = str(skipped)
    settings = {"messages_a_request": MESSAGES, "seconds": options.seconds}
    print(json.dumps({"bench": "sync_throughput", **settings, "results": results, "left_out": left_out}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
