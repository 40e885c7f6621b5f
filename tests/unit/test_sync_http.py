"""Syncing over real sockets: the same histories, both servers, and the commands that set them up."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from py_memory import MemoryStore
from py_memory.errors import InvalidInputError, SyncError
from py_memory.server.endpoint import Endpoint
from py_memory.server.site import SiteServer
from py_memory.server.sqlite_store import SqliteStore
from py_memory.server.tokens import make_token
from py_memory.sync.engine import Answer, Call
from py_memory.sync.transport import over_http

from .conftest import SteppedClock
from .sync_support import Server, dump
from .test_sync_machine import Devices

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.cpython


@contextmanager
def plain_server(endpoint: Endpoint, site: Path) -> Iterator[str]:
    """The standard library's server."""
    (site / "policy.json").write_text("{}")
    (site / "index.html").write_text("<!doctype html><title>page</title>")
    server = SiteServer(site, endpoint=endpoint)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def asgi_server(endpoint: Endpoint, site: Path) -> Iterator[str]:
    """Starlette under uvicorn."""
    uvicorn = pytest.importorskip("uvicorn", reason="the extra “server” is not installed")
    from py_memory.server.app import make_app

    (site / "policy.json").write_text("{}")
    (site / "index.html").write_text("<!doctype html><title>page</title>")
    config = uvicorn.Config(make_app(endpoint, site), port=0, log_level="warning", access_log=False)
    listening = config.bind_socket()
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(10)


SERVERS = {"plain": plain_server, "asgi": asgi_server}


class HttpServer(Server):
    """Answers over a socket."""

    url = ""

    def answer(self, token: str, call: Call) -> Answer:
        return over_http(self.url, token)(call)


@pytest.mark.parametrize("kind", SERVERS)
def test_any_history_ends_the_same_over_http(kind: str, tmp_path: Path) -> None:
    opened: list[Any] = []

    class OverHttp(Devices):
        def make_server(self) -> Server:
            server = HttpServer(self.clock)
            site = tmp_path / str(len(opened))
            site.mkdir()
            running = SERVERS[kind](server.endpoint, site)
            server.url = running.__enter__()
            opened.append(running)
            return server

        def teardown(self) -> None:
            try:
                super().teardown()
            finally:
                opened[-1].__exit__(None, None, None)

    examples = int(os.environ.get("PY_MEMORY_EXAMPLES", "40")) // 10
    OverHttp.TestCase.settings = settings(
        max_examples=max(2, examples),
        stateful_step_count=20,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    OverHttp.TestCase("runTest").runTest()


@pytest.mark.parametrize("kind", SERVERS)
def test_page_and_sync_come_from_one_process(kind: str, tmp_path: Path, clock: SteppedClock) -> None:
    store = SqliteStore(tmp_path / "sync.db")
    endpoint = Endpoint(store, origins=["https://page.example"])
    token = make_token(store, store.add_user("ann", 1).id, 1)
    site = tmp_path / "site"
    site.mkdir()
    with SERVERS[kind](endpoint, site) as url:
        memory = MemoryStore(":memory:")
        memory.set_fact("user::name", "Ann")
        assert memory.sync(url, token).pushed > 0
        send = over_http(url, token)
        page = send(Call("GET", "/"))
        assert (page.status, b"<title>page" in page.body) == (200, True)
        assert send(Call("GET", "/no/such/file")).status == 404
        assert send(Call("GET", "/healthz")).status == 200
        head = send(Call("GET", "/memory/head"))
        unchanged = send(Call("GET", "/memory/head", headers={"if-none-match": head.headers["etag"]}))
        assert unchanged.status == 304
        assert send(Call("GET", "/memory/sync")).status == 405
        assert send(Call("GET", "/memory/other")).status == 404
        asked = {"origin": "https://page.example", "access-control-request-method": "POST"}
        allowed = send(Call("OPTIONS", "/memory/sync", headers=asked))
        assert allowed.headers["access-control-allow-origin"] == "https://page.example"
        foreign = send(Call("OPTIONS", "/memory/sync", headers={**asked, "origin": "https://other.example"}))
        assert "access-control-allow-origin" not in foreign.headers
        for wrong in ("", "mt_0_0", token[:-1] + ("0" if token[-1] != "0" else "1")):
            answer = over_http(url, wrong)(Call("POST", "/memory/sync", b"{"))
            assert answer.status == 401  # before anything of the body is read
    with pytest.raises(SyncError) as caught:
        memory.sync(url, token)
    assert caught.value.code == "unreachable"


@pytest.mark.parametrize(
    "address", ["", "ftp://x", "http://", "http://a:b@c", "http://x/?q", 5, None, "http://[", "x\n"]
)
def test_addresses_that_are_none(address: Any) -> None:
    with pytest.raises(InvalidInputError):
        MemoryStore(":memory:").sync(address, "t")


@pytest.mark.parametrize("token", ["", "t\n", "tökén", None, 5])
def test_tokens_that_are_none(token: Any) -> None:
    with pytest.raises(InvalidInputError):
        MemoryStore(":memory:").sync("http://localhost", token)


def test_the_commands_set_up_a_server_and_sync(tmp_path: Path) -> None:
    # In a folder of its own, for the data that lies where a command is run.
    env = {**os.environ, "PYTHONPATH": str(ROOT)}

    def run(*arguments: str, ok: bool = True) -> str:
        command = [sys.executable, "-m", "py_memory.cli", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is ok, done.stderr
        return done.stdout if ok else done.stderr

    (user,) = json.loads(run("server", "users", "add", "ann", "--json"))
    assert "already" in run("server", "users", "add", "ann", ok=False)
    token = re.search(
        r"mt_[0-9a-f]{12}_[0-9a-f]{64}", run("server", "tokens", "add", "ann", "--device", "laptop")
    )
    assert token is not None
    assert token[0].split("_")[2] not in (tmp_path / "data" / "sync.db").read_bytes().decode("latin-1")
    command = [sys.executable, "-m", "py_memory.cli", "serve", "--port", "0"]
    serving = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        url = serving.stdout.readline().split()[-1]
        memory = MemoryStore(tmp_path / "memory.db")
        memory.set_fact("user::name", "Ann")
        memory.close()
        report = json.loads(run("sync", "memory.db", url, "--token", token[0], "--json"))
        assert (report["first"], report["user_id"]) == (True, user["id"])
        run("server", "tokens", "revoke", token[0].split("_")[1])
        assert "revoked" in run("server", "tokens", "list", "ann")
        assert "SyncError" in run("sync", "memory.db", url, "--token", token[0], ok=False)
    finally:
        serving.terminate()
        serving.wait(10)
    other = MemoryStore(tmp_path / "memory.db")
    assert other.user_id == user["id"]
    assert [row["value"] for row in dump(other)["facts"]] == ["Ann"]
