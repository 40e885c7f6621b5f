"""Running the sync server: its limits, what it notes and counts, and the commands that set it up."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from py_memory import MemoryStore
from py_memory.errors import SyncError
from py_memory.server import sqlite_store
from py_memory.server.endpoint import MAX_RATIO, RATIO_FROM_BYTES
from py_memory.server.service import Quota
from py_memory.server.sqlite_store import SqliteStore
from py_memory.sync import wire
from py_memory.sync.engine import Answer, Call

from .conftest import SteppedClock
from .sync_support import GOOD, Server, dump, filled, server_dump

ROOT = Path(__file__).resolve().parents[2]
SECRET = "elderberry"


def ask(server: Server, token: str, body: bytes, **headers: str) -> Answer:
    return server.answer(token, Call("POST", "/memory/sync", body, headers))


def inflated(call: Call) -> str:
    body = call.body or b""
    return (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode()


# -- limits --


def test_a_body_has_a_length_and_a_limit(clock: SteppedClock) -> None:
    server = Server(clock)
    headers = {"authorization": f"Bearer {server.token(server.user())}"}
    most = wire.MAX_BODY_BYTES
    for length, status in ((str(most), None), (str(most + 1), 413), ("x", 400), ("9" * 13, 400), ("-1", 400)):
        refused = server.endpoint.admits("POST", "/memory/sync", {**headers, "content-length": length})
        assert (refused and refused.status) == status
        if status == 413 and refused:
            assert json.loads(refused.body)["error"]["max_bytes"] == most
    longer_than_said = {**headers, "content-length": "1"}
    assert server.endpoint.handle("POST", "/memory/sync", longer_than_said, b" " * (most + 1)).status == 413


def test_gzip_may_inflate_only_so_much(clock: SteppedClock) -> None:
    server = Server(clock)
    token = server.token(server.user())

    def inflating(size: int) -> bytes:
        return gzip.compress(json.dumps(GOOD).encode().ljust(size), mtime=0)

    gzipped = {"content-encoding": "gzip"}
    small, large = inflating(RATIO_FROM_BYTES), inflating(RATIO_FROM_BYTES + 1)
    assert len(large) * MAX_RATIO < RATIO_FROM_BYTES
    assert ask(server, token, small, **gzipped).status == 200  # a small one may be anything
    assert ask(server, token, large, **gzipped).status == 413
    noise = json.dumps({**GOOD, "noise": os.urandom(RATIO_FROM_BYTES).hex()}).encode()
    assert ask(server, token, gzip.compress(noise, mtime=0), **gzipped).status == 200
    assert ask(server, token, noise, **{"content-encoding": "br"}).status == 415


def test_a_token_asks_only_so_often(clock: SteppedClock) -> None:
    server = Server(clock, per_minute=3)
    user = server.user()
    busy, other = server.token(user), server.token(user)
    head = Call("GET", "/memory/head")
    assert [server.answer(busy, head).status for _ in range(4)] == [200, 200, 200, 429]
    refused = server.answer(busy, head)
    assert refused.headers["retry-after"] == "21"
    assert server.answer(other, head).status == 200
    clock.advance(seconds=19)
    assert server.answer(busy, head).status == 429
    clock.advance(seconds=1)
    assert [server.answer(busy, head).status for _ in range(2)] == [200, 429]
    clock.advance(seconds=3600)
    assert [server.answer(busy, head).status for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize("what", ["rows", "bytes"])
def test_a_user_has_only_so_much_room(clock: SteppedClock, what: str) -> None:
    server = Server(clock)
    user = server.user()
    token, memory = server.token(user), filled(clock, 4)
    server.sync(memory, token)
    with server.store.unit(user, write=False) as unit:
        used = unit.head()
    quota = Quota(rows=used.rows + 5) if what == "rows" else Quota(bytes=used.bytes + 500)
    server.endpoint._service._quota = quota
    before = server_dump(server, user)
    for number in range(20):
        memory.add_message(memory.list_sessions()[0].id, "user", f"more {number} {'x' * 100}")
    with pytest.raises(SyncError) as caught:
        server.sync(memory, token)
    assert caught.value.code == "quota"
    assert f"{quota.rows:,} rows" in str(caught.value)
    assert server_dump(server, user) == before
    reply = json.loads(ask(server, token, json.dumps({**GOOD, "device": "b" * 16}).encode()).body)
    assert len(reply["changes"]) == sum(map(len, before.values()))
    server.endpoint._service._quota = Quota()
    server.sync(memory, token)
    assert server_dump(server, user) == dump(memory)


def test_a_page_has_only_so_many_rows_and_bytes(clock: SteppedClock) -> None:
    server = Server(clock)
    user = server.user()
    with server.store.unit(user, write=True) as unit:
        for number in range(wire.MAX_PULL_ROWS + 20):
            body = {"identity": {"created_at": 1}, "groups": {}}
            unit.put("sessions", str(number), unit.next_seq(), body, {})
        for number in range(4):
            body = {"identity": {"content": "x" * 1_600_000}, "groups": {}}
            unit.put("message_versions", f"v{number}", unit.next_seq(), body, {})
    token = server.token(user)

    def pull(cursor: str | None, **pull: int) -> dict[str, Any]:
        answer = ask(server, token, json.dumps({**GOOD, "cursor": cursor, "pull": pull}).encode())
        found: dict[str, Any] = json.loads(answer.body)
        return found

    first = pull(None, rows=1_000_000, bytes=1 << 30)
    assert (len(first["changes"]), first["has_more"]) == (wire.MAX_PULL_ROWS, True)
    second = pull(first["cursor"], bytes=1 << 30)
    assert (len(second["changes"]), second["has_more"]) == (22, True)
    third = pull(second["cursor"], bytes=10)  # one row travels, however long it is
    assert (len(third["changes"]), third["has_more"]) == (1, True)
    assert pull(third["cursor"])["has_more"] is False


def test_the_log_of_answers_holds_nothing_that_was_said(clock: SteppedClock) -> None:
    """What is forgotten would stay in it. An answer given again tells of the row as it is by then."""
    server = Server(clock)
    user = server.user()
    token, memory = server.token(user), filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    other = MemoryStore(":memory:", clock=clock)
    server.sync(other, server.token(user))
    memory.rename_session(session, "Elsewhere")
    server.sync(memory, token)
    other.rename_session(session, SECRET)
    server.calls.clear()
    server.sync(other, server.token(user))
    push = next(call for call in server.calls if SECRET in inflated(call))
    store = server.store
    assert isinstance(store, SqliteStore)
    logged = [row[0] for row in store._db.execute("SELECT result FROM mutation_log WHERE result IS NOT NULL")]
    assert any('"conflict"' in text for text in logged)
    assert not any(SECRET in text or "Elsewhere" in text for text in logged)
    again = json.loads(server.answer(server.token(user), push).body)
    assert [result["status"] for result in again["results"]] == ["conflict"]
    assert again["results"][0]["row"]["groups"]["meta"]["set"]["title"] in (SECRET, "Elsewhere")
    with server.store.unit(user, write=True) as unit:
        unit.forget("sessions", session, unit.next_seq())
    again = json.loads(server.answer(server.token(user), push).body)
    assert [result["status"] for result in again["results"]] == ["ignored_forgotten"]


# -- what is noted --


def test_a_line_for_each_request_and_nothing_of_what_was_said(
    clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    server = Server(clock, log=lines.append, metrics=True)
    user = server.user(SECRET)
    token, memory = server.token(user, label=SECRET), MemoryStore(":memory:", clock=clock)
    memory.add_message(memory.create_session(SECRET).id, "user", SECRET)
    memory.set_fact("user::name", SECRET)
    server.sync(memory, token)
    asked = len(server.calls)
    wrong = {
        "authorization": f"Bearer {token}",
        "content-length": "5",
        "user-agent": SECRET,
        "origin": SECRET,
    }
    endpoint = server.endpoint
    endpoint.handle("POST", "/memory/sync", wrong, f'{{"{SECRET}":1}}'.encode())
    endpoint.handle("GET", f"/memory/{SECRET}", wrong, b"")
    endpoint.handle(SECRET, "/memory/head", wrong, b"")
    endpoint.admits("POST", "/memory/sync", {"authorization": f"Bearer {SECRET}"})

    def broken(*_: Any) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(sqlite_store.SqliteUnit, "last_n", broken)
    failed = ask(server, token, json.dumps(GOOD).encode())
    assert failed.status == 500
    assert SECRET not in failed.body.decode()
    noted = [json.loads(line) for line in lines]
    assert len(noted) == asked + 5
    known = {"time", "method", "route", "status", "ms", "bytes_in", "bytes_out", "token", "error", "place"}
    assert all(set(line) <= known and "\n" not in text for line, text in zip(noted, lines, strict=True))
    assert [line["status"] for line in noted[-5:]] == [400, 404, 405, 401, 500]
    assert [line["route"] for line in noted[-5:]] == [
        "/memory/sync",
        "other",
        "/memory/head",
        "/memory/sync",
        "/memory/sync",
    ]
    assert noted[-1]["place"].startswith("RuntimeError at test_server_operations.py:")
    assert {line.get("token") for line in noted} == {token.split("_")[1], None}
    told = "\n".join(lines) + endpoint.handle("GET", "/metrics", {}, b"").body.decode()
    for secret in (SECRET, user, token.split("_")[2], *(row["id"] for row in dump(memory)["messages"])):
        assert secret not in told


def test_metrics_are_prometheus_text(clock: SteppedClock) -> None:
    server = Server(clock, metrics=True)
    token = server.token(server.user())
    for call in (Call("GET", "/memory/head"), Call("GET", "/memory/head"), Call("GET", "/memory/other")):
        server.answer(token, call)
    answer = server.endpoint.handle("GET", "/metrics", {}, b"")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = answer.body.decode().splitlines()
    assert 'py_memory_requests_total{route="/memory/head",method="GET",status="200"} 2' in lines
    assert 'py_memory_requests_total{route="other",method="GET",status="404"} 1' in lines
    assert 'py_memory_request_seconds_count{route="/memory/head"} 2' in lines
    assert 'py_memory_request_seconds_bucket{route="/memory/head",le="+Inf"} 2' in lines
    sample = re.compile(r'[a-z_]+\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\} \d+(\.\d+)?')
    described = {line.split()[2] for line in lines if line.startswith("# TYPE ")}
    for line in lines:
        assert line.startswith(("# HELP ", "# TYPE ")) or sample.fullmatch(line), line
        if not line.startswith("#"):
            name = line.partition("{")[0]
            assert name in described or re.sub("_(bucket|sum|count)$", "", name) in described


# -- commands --


@pytest.mark.cpython
def test_the_commands_move_a_server_to_postgresql(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    postgres = request.getfixturevalue("postgres")
    database = postgres.database(migrated=False)
    owner, app = postgres.address(database, "owner"), postgres.address(database, "app")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    env.pop("PY_MEMORY_DATABASE_URL", None)
    moved = {**env, "PY_MEMORY_DATABASE_URL": app}

    def run(*arguments: str, ok: bool = True, env: dict[str, str] = env) -> str:
        command = [sys.executable, "-m", "py_memory.cli", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is ok, done.stderr
        return done.stdout if ok else done.stderr

    def sync(env: dict[str, str], token: str) -> tuple[dict[str, Any], list[str]]:
        command = [sys.executable, "-m", "py_memory.cli", "serve", "--port", "0"]
        serving = subprocess.Popen(
            command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert serving.stdout is not None
        try:
            url = serving.stdout.readline().split()[-1]
            report: dict[str, Any] = json.loads(run("sync", "memory.db", url, "--token", token, "--json"))
        finally:
            serving.terminate()
            _, noted = serving.communicate(timeout=20)
        return report, noted.splitlines()

    run("server", "users", "add", "ann")
    token = run("server", "tokens", "add", "ann").split()[-1]
    memory = MemoryStore(tmp_path / "memory.db")
    memory.set_fact("user::name", "Ann")
    memory.close()
    assert sync(env, token)[0]["first"]
    assert "server migrate" in run("server", "move", "--to", app, ok=False)
    assert json.loads(run("server", "migrate", "--owner", owner, "--json", env=moved)) == [{"migration": 1}]
    counts = {row["table"]: row["rows"] for row in json.loads(run("server", "move", "--to", app, "--json"))}
    assert (counts["users"], counts["tokens"]) == (1, 1)
    assert counts["memory_rows"] > 0
    assert "users already" in run("server", "move", "--to", app, ok=False)
    memory = MemoryStore(tmp_path / "memory.db")
    memory.set_fact("user::likes", "tea")
    memory.close()
    report, noted = sync(moved, token)  # the same device, the same token: it goes on where it was
    assert (report["first"], report["restarted"]) == (False, False)
    assert report["pushed"] > 0
    assert {json.loads(line)["status"] for line in noted} == {200}
    rows = postgres.execute("SELECT count(*) FROM py_memory.memory_rows", database)[0][0]
    assert rows > counts["memory_rows"]
    postgres.drop(database)
