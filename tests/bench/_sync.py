"""What the benchmarks of syncing share: a memory to send, servers and clients in processes of their own, a
relay that counts what passes between them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import select
import selectors
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from py_memory import MemoryStore
from py_memory.server.open_store import open_store
from py_memory.server.tokens import make_token

__all__ = [
    "Process",
    "Relay",
    "documents",
    "documents_of_server",
    "fill",
    "hash_of",
    "new_user",
    "own_client",
    "own_server",
    "text_of",
]

ROOT = Path(__file__).resolve().parents[2]
PER_SESSION = 100
STARTED = 1_790_000_000_000
_HANZI = [chr(0x4E00 + n % 2500) + chr(0x4E00 + n * 7 % 2500) for n in range(8000)]
_WORDS = [_HANZI[n] if n % 3 == 0 else f"w{n * 2654435761 % 2**32:x}" for n in range(8000)]
_METHODS = (b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ")


def text_of(chance: random.Random, words: int) -> str:
    """By Zipf's law, a third of the words Chinese, as in the other benchmarks."""
    return " ".join(_WORDS[int(len(_WORDS) ** chance.random()) - 1] for _ in range(words))


def fill(path: Path, messages: int) -> None:
    """A memory of so many messages in chats of 100: 30 words of the user, 90 of the assistant."""
    chance, now = random.Random(1), [STARTED]

    def clock() -> int:
        now[0] += 7
        return now[0]

    store = MemoryStore(path, clock=clock)
    for begin in range(0, messages, PER_SESSION):
        with store.action():
            session = store.create_session(f"Chat {begin // PER_SESSION}").id
            for number in range(min(PER_SESSION, messages - begin)):
                role, words = ("assistant", 90) if number % 2 else ("user", 30)
                store.add_message(session, role, text_of(chance, words))
    store.close()


def _document(session: Any = None, message: Any = None, version: Any = None) -> dict[str, Any]:
    if session is not None:
        columns = ("created_at", "title", "metadata_json", "status", "last_active_at", "current_message_id")
        return {"_id": session["id"], "kind": "session", **{name: session[name] for name in columns}}
    return {
        "_id": message["id"],
        "kind": "message",
        **{name: message[name] for name in ("created_at", "session_id", "parent_id", "role", "status")},
        **{name: version[name] for name in ("author", "content")},
        "version_id": version["id"],
    }


def documents(store: MemoryStore) -> Iterator[dict[str, Any]]:
    """One for each session and each message, in the order of their ids."""
    found = [_document(dict(row)) for row in store.database.query("SELECT * FROM sessions")]
    versions = {
        row["message_id"]: dict(row) for row in store.database.query("SELECT * FROM message_versions")
    }
    for row in store.database.query("SELECT * FROM messages"):
        found.append(_document(message=dict(row), version=versions[row["id"]]))
    yield from sorted(found, key=lambda document: str(document["_id"]))


def documents_of_server(address: str, user_id: str) -> Iterator[dict[str, Any]]:
    """The same as the server holds it."""
    by_kind: dict[str, list[dict[str, Any]]] = {"sessions": [], "messages": [], "message_versions": []}
    store = open_store(address)
    with store.unit(user_id, write=False) as unit:
        for _, text in unit.changes(0, 1 << 40):
            row = json.loads(text)
            if row["kind"] in by_kind:
                values = {"id": row["id"], **row["identity"]}
                for group in row["groups"].values():
                    values |= group["set"]
                by_kind[row["kind"]].append(values)
    store.close()
    versions = {version["message_id"]: version for version in by_kind["message_versions"]}
    found = [_document(session) for session in by_kind["sessions"]]
    found += [_document(message=m, version=versions[m["id"]]) for m in by_kind["messages"]]
    yield from sorted(found, key=lambda document: str(document["_id"]))


def hash_of(found: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """As client.mjs does it."""
    total, count = hashlib.sha256(), 0
    for document in found:
        line = json.dumps(sorted(document.items()), ensure_ascii=False, separators=(",", ":"))
        total.update(f"{line}\n".encode())
        count += 1
    return {"count": count, "hash": total.hexdigest()}


class Process:
    """A program that prints an address first, or one that takes commands: JSON objects, a line each way."""

    def __init__(self, command: list[str], *, cwd: Path = ROOT) -> None:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self._process.pid

    def line(self) -> str:
        assert self._process.stdout is not None
        found = self._process.stdout.readline()
        if not found:
            raise RuntimeError(f"{self._process.args!r} ended ({self._process.wait()})")
        return found.strip()

    def has_line(self, seconds: float) -> bool:
        """Whether it says something, or ends, within so many seconds."""
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def send(self, command: str, **values: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"command": command, **values}) + "\n")
        self._process.stdin.flush()

    def ask(self, command: str, **values: Any) -> Any:
        self.send(command, **values)
        return json.loads(self.line())

    def cpu_ms(self) -> float:
        """Processor time so far (proc_pid_stat(5), fields 14 and 15)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        if self.running:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


def own_server(address: str, port: int = 0) -> tuple[Process, str]:
    """The server and its URL."""
    process = Process([sys.executable, "-m", "tests.bench._sync_server", address, str(port)])
    return process, process.line()


def own_client(memory: Path, url: str, token: str) -> Process:
    return Process([sys.executable, "-m", "tests.bench._sync_client", str(memory), url, token])


def new_user(address: str, name: str = "ann", tokens: int = 1) -> tuple[str, list[str]]:
    """The id and tokens of a new user of a store."""
    store = open_store(address)
    user = store.add_user(name, STARTED).id
    made = [make_token(store, user, STARTED) for _ in range(tokens)]
    store.close()
    return user, made


class Relay:
    """Passes connections on to a server and counts bytes each way and requests: no client here sends one
    before the answer to the one before, so that each begins a read of its own."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").rstrip("/").rpartition(":")
        self._to = (host, int(port))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.up = self.down = self.requests = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def counted(self) -> dict[str, int]:
        return {"bytes_up": self.up, "bytes_down": self.down, "requests": self.requests}

    def _run(self) -> None:
        others: dict[socket.socket, socket.socket] = {}
        from_client: set[socket.socket] = set()
        with contextlib.suppress(OSError):  # closed
            while True:
                for key, _ in self._selector.select():
                    found: Any = key.fileobj
                    if found is self._listening:
                        near, far = found.accept()[0], socket.create_connection(self._to)
                        others |= {near: far, far: near}
                        from_client.add(near)
                        for each in (near, far):
                            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                            self._selector.register(each, selectors.EVENT_READ)
                    elif found in others:
                        self._pass(found, others, from_client)

    def _pass(
        self,
        found: socket.socket,
        others: dict[socket.socket, socket.socket],
        from_client: set[socket.socket],
    ) -> None:
        try:
            data = found.recv(1 << 18)
            if data:
                others[found].sendall(data)
        except OSError:
            data = b""
        if not data:
            other = others.pop(found)
            others.pop(other, None)
            for each in (found, other):
                from_client.discard(each)
                self._selector.unregister(each)
                each.close()
        elif found in from_client:
            self.up += len(data)
            self.requests += data.startswith(_METHODS)
        else:
            self.down += len(data)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listening.close()
