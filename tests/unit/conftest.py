"""Fixtures of the unit tests: a store whose clock the test sets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import settings

from py_memory import MemoryStore
from tests.modelserver import ModelServer

from .postgres import Cluster, cluster
from .sync_support import Server

# Nothing is timed here, and every run tries the same examples: a test that fails was broken by a change. New
# examples are looked for where PY_MEMORY_EXAMPLES says how many.
settings.register_profile("steady", deadline=None, derandomize="PY_MEMORY_EXAMPLES" not in os.environ)
settings.load_profile("steady")


class SteppedClock:
    """A clock that stands still until it is moved. Milliseconds UTC."""

    def __init__(self, now: int = 1_790_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def advance(self, milliseconds: int = 0, *, seconds: int = 0, hours: int = 0, days: int = 0) -> None:
        self.now += milliseconds + 1000 * (seconds + 3600 * (hours + 24 * days))


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def store(clock: SteppedClock) -> Iterator[MemoryStore]:
    store = MemoryStore(":memory:", clock=clock)
    yield store
    store.close()


@pytest.fixture(scope="session")
def running_model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model_server(running_model_server: ModelServer) -> ModelServer:
    """A model server in a process of its own that has no answers set."""
    running_model_server.script()
    return running_model_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server of its own for these tests."""
    with cluster() as running:
        yield running


STORES = ["sqlite", pytest.param("postgres", marks=pytest.mark.cpython)]


@pytest.fixture(params=STORES)
def server(request: pytest.FixtureRequest, clock: SteppedClock) -> Iterator[Server]:
    """Over every kind of store."""
    with ExitStack() as used:
        address = ":memory:"
        if request.param == "postgres":
            address = used.enter_context(request.getfixturevalue("postgres").store())
        server = Server(clock, address)
        used.callback(server.store.close)
        yield server


@pytest.fixture
def user(server: Server) -> str:
    return server.user()


@pytest.fixture
def token(server: Server, user: str) -> str:
    return server.token(user)
