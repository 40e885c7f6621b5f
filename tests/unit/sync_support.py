"""Several memories and one server, in one process."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from py_memory import MemoryStore
from py_memory.errors import SyncError
from py_memory.records import SyncReport
from py_memory.server.endpoint import Endpoint
from py_memory.server.open_store import open_store
from py_memory.server.tokens import make_token
from py_memory.sync.engine import Answer, Call
from py_memory.sync.kinds import KINDS
from py_memory.sync.transport import drive

if TYPE_CHECKING:
    from .conftest import SteppedClock

ADDRESS = "http://sync.test"
# The body of a request that asks for nothing.
GOOD = {"protocol": 1, "schema": 1, "device": "a" * 16, "cursor": None, "acked": 0, "pull": {}, "push": []}


class Server:
    """A server over a store in memory, or at an address. `on_call` sees each call before it is answered and
    may answer instead, `on_answer` sees the answer and may change it."""

    def __init__(self, clock: SteppedClock, address: str = ":memory:", **options: Any) -> None:
        self.clock = clock
        self.store = open_store(address)
        self.endpoint = Endpoint(self.store, clock=clock, **{"per_minute": 1_000_000, **options})
        self.calls: list[Call] = []
        self.on_call: Callable[[Call], Answer | None] = lambda call: None
        self.on_answer: Callable[[Call, Answer], Answer] = lambda call, answer: answer

    def user(self, name: str = "ann") -> str:
        """A new user's id."""
        return self.store.add_user(name, self.clock()).id

    def token(self, user_id: str, **details: Any) -> str:
        return make_token(self.store, user_id, self.clock(), **details)

    def send(self, token: str, call: Call) -> Answer:
        self.calls.append(call)
        if (answer := self.on_call(call)) is not None:
            return answer
        if call.meanwhile:
            call.meanwhile()
        return self.on_answer(call, self.answer(token, call))

    def answer(self, token: str, call: Call) -> Answer:
        headers = {
            "authorization": f"Bearer {token}",
            "content-length": str(len(call.body or b"")),
            **call.headers,
        }
        got = self.endpoint.handle(call.method, call.path, headers, call.body or b"")
        body = gzip.decompress(got.body) if got.headers.get("Content-Encoding") == "gzip" else got.body
        return Answer(got.status, {name.lower(): value for name, value in got.headers.items()}, body)

    def sync(self, memory: MemoryStore, token: str) -> SyncReport:
        return drive(memory.sync_steps(ADDRESS), lambda call: self.send(token, call))


def dump(memory: MemoryStore) -> dict[str, list[dict[str, Any]]]:
    """Everything that travels, without what is local to a file, in one order."""
    found = {}
    for kind, about in KINDS.items():
        rows = memory.database.query(f"SELECT * FROM {kind} WHERE user_id = ?", (memory.user_id,))
        names = (about.id, *about.columns)
        found[kind] = sorted(
            ({name: row[name] for name in names} for row in rows if _travels(memory, kind, row)),
            key=lambda row: row[names[0]],
        )
    return found


def _travels(memory: MemoryStore, kind: str, row: Any) -> bool:
    return not (kind == "facts" and row["visibility"] in ("session", "device"))


def server_dump(server: Server, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """The same as the server holds it."""
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    with server.store.unit(user_id, write=False) as unit:
        for _, text in unit.changes(0, 1_000_000):
            row = json.loads(text)
            if row["kind"] in KINDS and not row.get("forgotten"):
                about = KINDS[row["kind"]]
                values = {about.id: row["id"], **row["identity"]}
                for group in row["groups"].values():
                    values |= group["set"]
                found[row["kind"]].append(values)
    for kind, about in KINDS.items():
        found[kind].sort(key=lambda row: row[about.id])
    return found


def filled(clock: SteppedClock, count: int = 5, offset: int = 0) -> MemoryStore:
    memory = MemoryStore(":memory:", clock=lambda: clock() + offset)
    session = memory.create_session("Chat")
    for number in range(count):
        memory.add_message(session.id, "user", f"message {number}")
        clock.advance(seconds=1)
    return memory


def second(server: Server, user: str, clock: SteppedClock, offset: int = 0) -> tuple[MemoryStore, str]:
    """Another device that has synced once."""
    memory, token = MemoryStore(":memory:", clock=lambda: clock() + offset), server.token(user)
    server.sync(memory, token)
    return memory, token


def cut_off(server: Server, memory: MemoryStore, token: str) -> None:
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "unreachable"


def lose(*_: Any) -> Any:
    raise SyncError("unreachable", "The line is cut.")


def pushes(server: Server) -> list[list[dict[str, Any]]]:
    bodies = [call.body or b"" for call in server.calls if call.method == "POST"]
    return [json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)["push"] for body in bodies]


def held(memory: MemoryStore, text: str) -> list[str]:
    """Tables that hold a text."""
    names = [
        row[0]
        for row in memory.database.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%' "
            "UNION SELECT name FROM sqlite_master WHERE name GLOB 'sync_*' AND type = 'table'"
        )
    ]
    return [
        name
        for name in names
        if any(text in str(tuple(row)) for row in memory.database.query(f"SELECT * FROM {name}"))
    ]
