"""Syncing over the PostgreSQL store: the same histories, and the faults that a database of its own has."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from py_memory import MemoryStore
from py_memory.errors import StorageError
from py_memory.server.endpoint import Endpoint
from py_memory.server.store import ContendedError, UnavailableError
from py_memory.server.tokens import make_token
from py_memory.sync import wire
from py_memory.sync.engine import Answer, Call

from .conftest import SteppedClock
from .postgres import Cluster, cluster
from .sync_support import Server, dump, filled, server_dump
from .test_sync_machine import Devices

psycopg = pytest.importorskip("psycopg", reason="the extra “postgres” is not installed")
from py_memory.server import postgres_store, postgres_unit  # noqa: E402
from py_memory.server.postgres_store import PostgresStore  # noqa: E402

pytestmark = pytest.mark.cpython


def test_any_history_ends_the_same(postgres: Cluster) -> None:
    class OverPostgres(Devices):
        def make_server(self) -> Server:
            self.lent = postgres.store()
            return Server(self.clock, self.lent.__enter__())

        def teardown(self) -> None:
            super().teardown()
            self.lent.__exit__(None, None, None)

    OverPostgres.TestCase.settings = settings(
        max_examples=int(os.environ.get("PY_MEMORY_EXAMPLES", "10")),
        stateful_step_count=30,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    OverPostgres.TestCase("runTest").runTest()


@pytest.fixture
def server(postgres: Cluster, clock: SteppedClock) -> Iterator[Server]:
    with postgres.store() as address:
        server = Server(clock, address)
        yield server
        server.store.close()


def page(memory: MemoryStore, server: Server, token: str) -> Call:
    """The first page of changes that `memory` sends, not sent yet."""
    sent: list[Call] = []

    def stop(call: Call) -> Answer | None:
        if call.method != "POST":
            return None
        sent.append(call)
        raise ConnectionResetError

    server.on_call = stop
    with pytest.raises(ConnectionResetError):
        server.sync(memory, token)
    server.on_call = lambda call: None
    return sent[0]


def head(server: Server, user: str) -> int:
    with server.store.unit(user, write=False) as unit:
        return unit.head().seq


# -- 34: the database ends a transaction --


@pytest.mark.parametrize("state", ["40001", "40P01"])
@pytest.mark.parametrize("times", [1, 5])
def test_fault_34_transaction_ended_for_another(
    postgres: Cluster, server: Server, clock: SteppedClock, state: str, times: int
) -> None:
    """The database says so itself, at the last statement of the page: it is tried again, or 503 and nothing
    of the page is there."""
    user = server.user()
    token, memory = server.token(user), filled(clock)
    call = page(memory, server, token)
    database = postgres.named(server.store)
    postgres.execute(
        f"""
        CREATE SEQUENCE public.failed;
        GRANT USAGE ON SEQUENCE public.failed TO app;
        CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('public.failed') > {times} THEN RETURN NEW; END IF;
            RAISE EXCEPTION 'of the database' USING ERRCODE = '{state}';
        END $$;
        CREATE TRIGGER failing BEFORE UPDATE ON py_memory.heads FOR EACH ROW EXECUTE FUNCTION public.fail()
        """,
        database,
    )
    try:
        answer = server.answer(token, call)
        if times == 1:
            assert answer.status == 200
        else:
            assert (answer.status, answer.headers["retry-after"]) == (503, "2")
            assert "of the database" not in answer.body.decode()
            assert head(server, user) == 0
            assert server_dump(server, user)["messages"] == []
    finally:
        postgres.execute(
            "DROP TRIGGER failing ON py_memory.heads; DROP FUNCTION public.fail; DROP SEQUENCE public.failed",
            database,
        )
    server.sync(memory, token)
    assert server_dump(server, user) == dump(memory)


def test_fault_34_real_deadlock(postgres: Cluster, server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    lock = "SELECT 1 FROM py_memory.heads WHERE user_id = %s FOR UPDATE"
    failed: list[BaseException] = []
    started = threading.Event()

    def cross() -> None:
        try:
            with server.store.unit(ann, write=True) as unit:
                unit.set_last_n("a" * 16, 1)
                started.set()
                database: Any = unit
                postgres_unit.act_as(database._db, bob)
                database._db.execute(lock, (bob,))
        except BaseException as error:
            failed.append(error)

    with psycopg.connect(postgres.address(postgres.named(server.store), "postgres")) as other:
        other.execute(
            "SET LOCAL deadlock_timeout = '1h'"
        )  # so that the store's transaction is the one to end
        other.execute(lock, (bob,))
        crossing = threading.Thread(target=cross)
        crossing.start()
        assert started.wait(10)
        other.execute(lock, (ann,))
        crossing.join(30)
    assert [type(error) for error in failed] == [ContendedError]
    with server.store.unit(ann, write=False) as unit:
        assert unit.last_n("a" * 16) == 0


def test_fault_34_connection_ended_in_the_middle(
    postgres: Cluster, server: Server, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the database is restarted: after some rows of a page, and while its commit is under way."""
    user = server.user()
    token, memory = server.token(user), filled(clock)
    call = page(memory, server, token)
    end = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app' "
        f"AND datname = '{postgres.named(server.store)}'"
    )
    put = postgres_store.PostgresUnit.put
    seen: list[str] = []

    def dying(self: Any, kind: str, *rest: Any) -> None:
        put(self, kind, *rest)
        seen.append(kind)
        if len(seen) == 4:
            postgres.execute(end)

    monkeypatch.setattr(postgres_store.PostgresUnit, "put", dying)
    answer = server.answer(token, call)
    assert answer.status == 503
    assert json.loads(answer.body)["error"]["name"] == "Unavailable"
    assert head(server, user) == 0  # with a new connection
    assert server_dump(server, user)["sessions"] == []
    monkeypatch.undo()
    # Idle connections that were ended are replaced before anybody is lent one.
    postgres.execute(end)
    assert server.answer(token, call).status == 200
    once = head(server, user)
    assert server.answer(token, call).status == 200  # sent again: the answer alone may have been lost
    assert head(server, user) == once
    server.sync(memory, token)
    assert server_dump(server, user) == dump(memory)


def test_fault_34_database_restarted(clock: SteppedClock) -> None:
    with cluster() as own, own.store() as address:
        server = Server(clock, address)
        user = server.user()
        token, memory = server.token(user), filled(clock)
        server.sync(memory, token)
        store = server.store
        assert isinstance(store, PostgresStore)
        store._pool.timeout = 0.3
        own.stop()
        memory.add_message(memory.list_sessions()[0].id, "user", "while it is away")
        request = wire.SyncRequest(wire.SCHEMA, "b" * 16, None, 0, 500, 1 << 20)
        down = server.answer(token, Call("POST", "/memory/sync", wire.encode(request.to_dict())))
        assert (down.status, down.headers["retry-after"]) == (503, "2")
        with pytest.raises(UnavailableError):
            store.users()
        with pytest.raises(StorageError):
            PostgresStore(address)
        own.start()
        store._pool.timeout = 10
        server.sync(memory, token)
        assert server_dump(server, user) == dump(memory)
        store.close()


# -- 35: nobody is kept waiting by others --


def test_fault_35_pool_exhausted(postgres: Cluster, clock: SteppedClock) -> None:
    with postgres.store() as address:
        store = PostgresStore(address, max_connections=1, wait_s=0.2)
        ann, bob = store.add_user("ann", 1), store.add_user("bob", 1)
        token = make_token(store, bob.id, clock())
        endpoint = Endpoint(store, clock=clock)
        headers = {"authorization": f"Bearer {token}"}
        with store.unit(ann.id, write=True) as unit:
            unit.set_last_n("a" * 16, 7)
            busy = endpoint.handle("GET", "/memory/head", headers, b"")
            assert (busy.status, busy.headers["Retry-After"]) == (503, "2")
            refused = endpoint.admits("GET", "/memory/head", headers)
            assert refused is not None
            assert refused.status == 503
            assert endpoint.handle("GET", "/healthz", {}, b"").status == 200  # the process itself lives
        assert endpoint.handle("GET", "/memory/head", headers, b"").status == 200
        with store._pool.connection() as db:  # the one that served both users is nobody's
            row = db.execute("SELECT current_setting('py_memory.user_id', true)").fetchone()
            assert row == ("",)
            assert db.execute("SELECT user_id FROM py_memory.devices").fetchall() == []
        store.close()


def test_fault_35_slow_body(postgres: Cluster) -> None:
    """Those who send slowly hold no connection of the pool, and are not waited for without end."""
    uvicorn = pytest.importorskip("uvicorn", reason="the extra “server” is not installed")
    from py_memory.server.app import make_app

    with postgres.store() as address:
        store = PostgresStore(address, max_connections=1, wait_s=2)
        user = store.add_user("ann", 1)
        token = make_token(store, user.id, 1)
        config = uvicorn.Config(make_app(Endpoint(store), body_wait_s=1.5), port=0, log_level="error")
        listening = config.bind_socket()
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        place = ("127.0.0.1", listening.getsockname()[1])
        rest = f"HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        while not running.started:
            time.sleep(0.02)
        slow = [socket.create_connection(place, timeout=20) for _ in range(5)]
        try:
            for line in slow:
                line.sendall(f"POST /memory/sync {rest}Content-Length: 9\r\n\r\n{{".encode())
            time.sleep(0.2)
            with socket.create_connection(place, timeout=20) as quick:
                quick.sendall(f"GET /memory/head {rest}\r\n".encode())
                assert quick.recv(100).startswith(b"HTTP/1.1 200")
            for line in slow:
                assert line.recv(100).startswith(b"HTTP/1.1 408")
        finally:
            for line in slow:
                line.close()
            running.should_exit = True
            thread.join(10)
            store.close()
