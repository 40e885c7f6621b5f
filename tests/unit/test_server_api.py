"""The server asked from its own description: every route, with and without a token, by two users."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from py_memory import MemoryStore
from py_memory.server import endpoint as endpoint_module
from py_memory.server.endpoint import PATHS, Endpoint
from py_memory.sync import wire
from py_memory.sync.engine import Call
from py_memory.sync.kinds import FORGETTABLE

from .conftest import SteppedClock
from .sync_support import Server, server_dump

pytestmark = pytest.mark.cpython
schemathesis = pytest.importorskip("schemathesis")
from py_memory.server.app import make_app  # noqa: E402

STORES = ["sqlite", "postgres"]
DESCRIPTION = json.loads((Path(endpoint_module.__file__).parent / "openapi.json").read_text("utf-8"))
OPERATIONS = [(path, method) for path, methods in DESCRIPTION["paths"].items() for method in methods]
SECURED = [
    (path, method) for path, method in OPERATIONS if "security" not in DESCRIPTION["paths"][path][method]
]
STEADY = settings(
    max_examples=20, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
SECRET = "only-ann-knows-of-the-elderberry"
CHECKS = [
    getattr(schemathesis.checks, name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    )
]


@pytest.fixture(params=STORES)
def server(request: pytest.FixtureRequest, clock: SteppedClock) -> Iterator[Server]:
    with ExitStack() as used:
        address = ":memory:"
        if request.param == "postgres":
            address = used.enter_context(request.getfixturevalue("postgres").store())
        server = Server(clock, address, metrics=True)
        used.callback(server.store.close)
        yield server


@pytest.fixture
def api(server: Server) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", make_app(server.endpoint))


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=lambda value: value)
def test_answers_are_as_described(server: Server, api: Any, path: str, method: str) -> None:
    token = server.token(server.user())
    operation = api[path][method]

    @STEADY
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        answer = case.call(headers={"Authorization": f"Bearer {token}"})
        case.validate_response(answer, checks=CHECKS)

    ask()


@pytest.mark.parametrize(("path", "method"), SECURED, ids=lambda value: value)
def test_nothing_is_answered_without_a_token(server: Server, api: Any, path: str, method: str) -> None:
    user = server.user()
    expired, revoked = server.token(user, expires_at=server.clock() - 1), server.token(user)
    server.store.revoke(revoked.split("_")[1], server.clock())
    operation = api[path][method]
    tokens = {None: 401, "": 401, f"mt_{'0' * 12}_{'0' * 64}": 401, expired: 401, revoked: 403}

    @STEADY
    @given(case=operation.as_strategy(), token=st.sampled_from(list(tokens)))
    def ask(case: Any, token: str | None) -> None:
        case.headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = case.call()
        assert answer.status_code == tokens[token]
        case.validate_response(answer, checks=CHECKS)

    ask()
    with server.store.unit(user, write=False) as unit:
        assert unit.head().seq == 0


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=lambda value: value)
def test_two_users_on_every_route(server: Server, api: Any, path: str, method: str) -> None:
    """Bob knows every id, the cursor and the device of Ann: no answer says anything of hers."""
    ann, bob = server.user("ann"), server.user("bob")
    memory = MemoryStore(":memory:", clock=server.clock)
    session = memory.create_session(SECRET)
    memory.add_message(session.id, "user", SECRET)
    memory.set_fact("user::name", SECRET)
    server.sync(memory, server.token(ann))
    before = server_dump(server, ann)
    with server.store.unit(ann, write=False) as unit:
        head = unit.head()
        rows = [json.loads(text) for _, text in unit.changes(0, 100)]
    device = json.loads(_body(server.calls[-1]))["device"]
    ids = st.sampled_from([(row["kind"], row["id"]) for row in rows])
    token = server.token(bob)
    operation = api[path][method]

    @STEADY
    @given(
        case=operation.as_strategy(), named=st.lists(ids, min_size=1, max_size=4), from_cursor=st.booleans()
    )
    def ask(case: Any, named: list[tuple[str, str]], from_cursor: bool) -> None:
        if isinstance(case.body, dict):
            with server.store.unit(bob, write=False) as unit:
                last = unit.last_n(device)
            stamp = f"{server.clock():012x}-0000-{device}"
            about: dict[str, Any] = {"stamp": stamp, "groups": {"meta": {"title": "x"}}}
            push = [
                {"n": last + 1 + number, "op": ("put", "forget")[number % 2], "kind": kind, "id": id, **about}
                for number, (kind, id) in enumerate(named)
            ]
            cursor = f"{head.epoch}.{head.seq}" if from_cursor else None
            case.body = {
                "protocol": 1,
                "schema": 1,
                "device": device,
                "acked": 0,
                "cursor": cursor,
                "push": push,
            }
        answer = case.call(headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"})
        assert answer.status_code < 500
        assert SECRET not in answer.text
        assert ann not in answer.text

    ask()
    assert server_dump(server, ann) == before


def _body(call: Call) -> bytes:
    return gzip.decompress(call.body) if (call.body or b"")[:2] == b"\x1f\x8b" else call.body or b""


def test_the_description_is_of_this_server() -> None:
    assert tuple(DESCRIPTION["paths"]) == PATHS
    schemas = DESCRIPTION["components"]["schemas"]
    assert set(schemas["Mutation"]["properties"]["kind"]["enum"]) == FORGETTABLE
    assert schemas["Request"]["properties"]["push"]["maxItems"] == wire.MAX_PUSH_MUTATIONS
    request = wire.SyncRequest(1, "a" * 16, None, 0, 1, 1)
    assert set(request.to_dict()) == set(schemas["Request"]["properties"])
    reply = wire.Reply("u", 1, "e", 1, [], [], 1, False)
    assert set(reply.to_dict()) == set(schemas["Reply"]["properties"])
    limits = (wire.MAX_BODY_BYTES >> 20, wire.MAX_PUSH_MUTATIONS, wire.MAX_ROW_BYTES >> 20)
    said = "Limits of a request: {} MiB inflated, {:,} changes, {} MiB a row.".format(*limits)
    assert said in DESCRIPTION["info"]["description"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH"])
def test_methods_that_are_not_described_are_refused(clock: SteppedClock, path: str, method: str) -> None:
    server = Server(clock, metrics=True)
    headers = {"authorization": f"Bearer {server.token(server.user())}", "content-length": "0"}
    described = method.lower() in DESCRIPTION["paths"][path]
    answer = server.endpoint.handle(method, path, headers, b"")
    assert (answer.status == 405) is not described
    if answer.status == 405:
        assert "Allow" in answer.headers


def test_metrics_are_off_unless_asked_for(clock: SteppedClock) -> None:
    assert Server(clock).endpoint.handle("GET", "/metrics", {}, b"").status == 404
    assert isinstance(Server(clock, metrics=True).endpoint, Endpoint)
