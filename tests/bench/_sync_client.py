"""A device: one JSON object a line in, one out; the commands of sync/client.mjs."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from py_memory import MemoryStore
from py_memory.errors import SyncError
from tests.bench._sync import documents, hash_of


def timed(store: MemoryStore, url: str, token: str) -> dict[str, Any]:
    cpu, started = time.process_time(), time.perf_counter()
    report = store.sync(url, token)
    return {
        "ms": (time.perf_counter() - started) * 1000,
        "cpu_ms": (time.process_time() - cpu) * 1000,
        "pushed": report.pushed,
        "pulled": report.pulled,
    }


def main() -> None:
    path, url, token = sys.argv[1:]
    store = MemoryStore(path)
    session = ""
    for line in sys.stdin:
        asked = json.loads(line)
        command = asked["command"]
        found: Any
        if command in ("push", "pull"):
            try:
                found = timed(store, url, token)
            except SyncError as error:
                found = {"error": error.code}
        elif command == "small":
            session = session or store.create_session("Small").id
            each, ids = [], set()
            for text in asked["texts"]:
                ids.add(store.add_message(session, "user", text).id)
                each.append(timed(store, url, token)["ms"])
            made = [document for document in documents(store) if document["_id"] in ids]
            found = {"each": each, "docs": made}
        elif command == "hash":
            kind = asked.get("kind")
            found = hash_of(found for found in documents(store) if kind in (None, found["kind"]))
        else:
            raise ValueError(command)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
