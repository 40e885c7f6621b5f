"""The client of OpenAI-compatible servers, against a real one: whole answers, cut ones, and every fault."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import shutil
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from py_memory import (
    ChatAgent,
    InvalidInputError,
    MemoryStore,
    ModelAddressError,
    ModelBadAnswerError,
    ModelError,
    ModelInterruptedError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelRateLimitedError,
    ModelStalledError,
    ModelUnauthorisedError,
    ModelUnreachableError,
)
from py_memory.models.openai import OpenAIModel, Patience
from py_memory.models.sockets import SocketTransport
from py_memory.records import Delta, ModelInfo, Tool
from tests.modelserver import LINE, ModelServer

pytestmark = pytest.mark.cpython

KEY = "sk-do-not-show-0123456789"
QUICK = Patience(start_s=5, idle_s=5)


class Watch:
    """A cancel that sets itself after so many seconds."""

    def __init__(self, seconds: float = float("inf")) -> None:
        self._until = time.monotonic() + seconds

    def is_set(self) -> bool:
        return time.monotonic() > self._until


def model(server: ModelServer, **settings: Any) -> OpenAIModel:
    return OpenAIModel(server.url, "test-model", **{"patience": QUICK, **settings})


async def collect(
    model: OpenAIModel,
    cancel: Watch | None = None,
    tools: Sequence[Tool] = (),
    on_delta: Callable[[Delta], None] = lambda delta: None,
) -> list[Delta]:
    deltas = []
    async for delta in model.reply([{"role": "user", "content": "Hello"}], tools, cancel or Watch()):
        deltas.append(delta)
        on_delta(delta)
    await asyncio.sleep(0)  # lets a closed connection go
    return deltas


def ask(model: OpenAIModel, *args: Any, **kwargs: Any) -> list[Delta]:
    return asyncio.run(collect(model, *args, **kwargs))


def text(deltas: Sequence[Delta]) -> str:
    return "".join(delta.text for delta in deltas)


async def _run(**arguments: Any) -> str:
    return "done"


TOOL = Tool("add", "Adds", {"type": "object", "properties": {"x": {"type": "integer"}}}, _run)


# -- answers --


@pytest.mark.parametrize("how", [{}, {"split": 1}, {"split": 7, "newline": "\r\n"}, {"comments": True}])
def test_an_answer_arrives_whole_however_it_is_cut(model_server: ModelServer, how: dict[str, Any]) -> None:
    said = "Guten Tag, 早上好 🌧 — that is all."
    model_server.script({"text": said, **how})
    deltas = ask(model(model_server))
    assert text(deltas) == said
    assert [delta.finish_reason for delta in deltas if delta.finish_reason] == ["stop"]
    assert [delta.usage for delta in deltas if delta.usage] == [
        {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    ]


def test_calls_arrive_in_pieces(model_server: ModelServer) -> None:
    calls = [{"name": "add", "arguments": {"x": "天气", "y": [1, 2]}}, {"name": "add", "arguments": {"x": 5}}]
    model_server.script({"text": "Let me see.", "tool_calls": calls, "split": 1, "argument_characters": 2})
    deltas = ask(model(model_server), tools=[TOOL])
    arguments = ["", ""]
    for delta in deltas:
        if piece := delta.tool_call:
            arguments[piece.index] += piece.arguments
    assert [json.loads(one) for one in arguments] == [call["arguments"] for call in calls]
    assert [delta.finish_reason for delta in deltas if delta.finish_reason] == ["tool_calls"]
    (request,) = model_server.requests()
    assert request["body"]["tools"][0]["function"]["name"] == "add"
    assert request["body"]["stream"] is True


def test_a_server_that_does_not_stream_is_read_too(model_server: ModelServer) -> None:
    model_server.script({"text": "All at once.", "stream": False})
    deltas = ask(model(model_server))
    assert text(deltas) == "All at once."
    assert deltas[-1].finish_reason == "stop"


def test_what_the_model_thinks_is_no_answer(model_server: ModelServer) -> None:
    model_server.script({"reasoning": "The user greets me.", "text": "Hello."})
    assert text(ask(model(model_server))) == "Hello."


def test_twenty_thousand_lines_arrive(model_server: ModelServer) -> None:
    model_server.script({"lines": 20_000})
    lines = text(ask(model(model_server))).splitlines()
    assert len(lines) == 20_000
    assert lines[-1] == LINE.format(number=19_999)


def test_pieces_are_passed_on_as_they_come(model_server: ModelServer) -> None:
    model_server.script({"pieces": ["one ", "two"], "stall_after": 2})
    heard: list[str] = []
    impatient = model(model_server, patience=Patience(idle_s=0.3))
    with pytest.raises(ModelStalledError):
        ask(impatient, on_delta=lambda delta: heard.append(delta.text))
    assert heard == ["one "]


def test_models_are_listed_and_the_first_that_chats_answers(model_server: ModelServer) -> None:
    models = ["nomic-embed-text", {"id": "gemma", "max_model_len": 4096}]
    model_server.script({"text": "Hello."}, models=models)
    nameless = OpenAIModel(model_server.url)
    assert asyncio.run(nameless.list_models()) == [ModelInfo("nomic-embed-text"), ModelInfo("gemma", 4096)]
    assert text(ask(nameless)) == "Hello."
    assert model_server.requests()[0]["body"]["model"] == "gemma" == nameless.name
    assert nameless.context_tokens == 4096
    model_server.script(models=[])
    with pytest.raises(ModelNotFoundError):
        ask(OpenAIModel(model_server.url))


def test_a_server_is_met_before_it_is_talked_with(model_server: ModelServer) -> None:
    model_server.script(
        models=["nomic-embed-text", {"id": "gemma", "context_length": 8192}, "other"], key=KEY
    )
    named, nameless = (OpenAIModel(model_server.url, name, key=KEY) for name in ("gemma", None))
    assert [asyncio.run(one.meet()) for one in (named, nameless)] == ["gemma", "gemma"]
    assert (named.context_tokens, nameless.context_tokens) == (8192, 8192)
    unlisted = OpenAIModel(model_server.url, "hidden", key=KEY)
    assert (asyncio.run(unlisted.meet()), unlisted.context_tokens) == ("hidden", None)
    without_list = OpenAIModel(f"{model_server.address}/elsewhere", "gemma", key=KEY)
    assert asyncio.run(without_list.meet()) == "gemma"
    with pytest.raises(ModelUnauthorisedError):
        asyncio.run(OpenAIModel(model_server.url, "gemma").meet())


def test_an_answer_can_be_asked_for_in_json(model_server: ModelServer) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    plain = model(model_server, options={"temperature": 0, "seed": 5})
    model_server.script({"text": "{}", "times": 2})
    ask(plain.in_json(schema))
    ask(plain)
    in_json, free = (request["body"] for request in model_server.requests())
    assert in_json["response_format"]["json_schema"]["schema"] == schema
    assert "response_format" not in free
    assert (free["temperature"], free["seed"]) == (0, 5)


@pytest.mark.parametrize(
    ("complaint", "field"),
    [
        ("registry.ollama.ai/library/gemma3:270m does not support tools", "tools"),
        ("tools param requires --jinja flag", "tools"),
        ("Unrecognized request argument supplied: stream_options", "stream_options"),
        ("'response_format.type' must be 'text'", "response_format"),
    ],
)
def test_a_field_that_a_server_does_not_know_is_left_out(
    model_server: ModelServer, complaint: str, field: str
) -> None:
    model_server.script({"status": 400, "error": complaint}, {"text": "Like this."}, {"text": "Again."})
    asked = model(model_server).in_json({"type": "object"})
    assert text(ask(asked, tools=[TOOL])) == "Like this."
    assert text(ask(asked, tools=[TOOL])) == "Again."
    assert asked.takes_tools == (field != "tools")
    assert [field in request["body"] for request in model_server.requests()] == [True, False, False]


# -- faults --


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"status": 401}, ModelUnauthorisedError),
        ({"status": 429, "headers": {"Retry-After": "3600"}}, ModelRateLimitedError),
        ({"status": 404, "error": "model 'test-model' not found"}, ModelNotFoundError),
        ({"status": 404, "body": "<html>Not here</html>"}, ModelAddressError),
        ({"body": "<html>Welcome to the router</html>"}, ModelAddressError),
        ({"body": "hello", "headers": {"Content-Type": "application/json"}}, ModelBadAnswerError),
        ({"raw": ['data: {"choices": [{"delta": {"con\n\n']}, ModelBadAnswerError),
        ({"raw": ["id: 1\n\nwhat is this\n\n"]}, ModelInterruptedError),
        ({"raw": ["data: [DONE"]}, ModelBadAnswerError),
        ({"text": "Half of", "disconnect_after": 2}, ModelInterruptedError),
        ({"disconnect_after": 0}, ModelInterruptedError),
    ],
)
def test_each_fault_is_its_own_error(
    model_server: ModelServer, answer: dict[str, Any], error: type[ModelError]
) -> None:
    model_server.script(answer)
    with pytest.raises(error) as raised:
        ask(model(model_server))
    assert model_server.address.removeprefix("http://") in str(raised.value)
    assert len(model_server.requests()) == 1


def test_a_stall_ends_after_its_time(model_server: ModelServer) -> None:
    model_server.script({"stall_after": 0}, {"text": "And so", "stall_after": 2})
    with pytest.raises(ModelStalledError, match=r"did not begin to answer within 0\.3 s"):
        ask(model(model_server, patience=Patience(start_s=0.3)))
    model_server.wait_until_left()
    with pytest.raises(ModelStalledError, match=r"sent nothing for 0\.3 s"):
        ask(model(model_server, patience=Patience(idle_s=0.3)))
    model_server.wait_until_left()


def test_a_server_that_wants_to_be_left_alone_says_for_how_long(model_server: ModelServer) -> None:
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 600))
    model_server.script(*({"status": 429, "headers": {"Retry-After": wish}} for wish in ("20", date)))
    waits = []
    for _ in range(2):
        with pytest.raises(ModelRateLimitedError) as raised:
            ask(model(model_server))
        waits.append(raised.value.retry_after_ms or 0)
    assert waits[0] == 20_000
    assert 590_000 < waits[1] <= 600_000
    assert len(model_server.requests()) == 2  # asking again is for whoever can tell the user


@pytest.mark.parametrize("wish", ["soon", "-5", "1e999", "nan", "Mon, 99 Nov 2026", ""])
def test_a_wish_that_cannot_be_read_is_none(model_server: ModelServer, wish: str) -> None:
    model_server.script({"status": 429, "headers": {"Retry-After": wish}})
    with pytest.raises(ModelRateLimitedError) as raised:
        ask(model(model_server))
    assert raised.value.retry_after_ms is None


# -- cancelling --


@pytest.mark.parametrize(
    "answer",
    [
        {"stall_after": 0},
        {"text": "And so", "stall_after": 2},
        {"lines": 100_000, "delay_ms": 5},
    ],
)
def test_cancelling_ends_at_once_and_closes_the_connection(
    model_server: ModelServer, answer: dict[str, Any]
) -> None:
    model_server.script(answer)
    begun = time.monotonic()
    deltas = ask(model(model_server), Watch(0.3))
    assert time.monotonic() - begun < 3
    assert deltas[-1].finish_reason == "cancelled"
    model_server.wait_until_left()


def test_leaving_an_answer_closes_the_connection(model_server: ModelServer) -> None:
    model_server.script({"lines": 100_000, "delay_ms": 5})

    async def leave() -> None:
        deltas = model(model_server).reply([{"role": "user", "content": "Hello"}], [], Watch())
        async for delta in deltas:
            if delta.text:
                break
        await deltas.aclose()  # type: ignore[attr-defined]
        await asyncio.to_thread(model_server.wait_until_left)

    asyncio.run(leave())


# -- where requests go --


def test_nothing_there(unused: int) -> None:
    with pytest.raises(ModelUnreachableError, match=f"127.0.0.1:{unused}"):
        ask(OpenAIModel(f"http://127.0.0.1:{unused}", "x"))
    with pytest.raises(ModelUnreachableError, match=r"no computer named nowhere\.invalid"):
        ask(OpenAIModel("http://nowhere.invalid", "x"))


@pytest.fixture
def unused() -> Iterator[int]:
    """A port that is taken, and nobody listens on it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_a_connection_that_is_not_taken_ends_after_its_time(unused: int) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(8)]
        try:
            for one in waiting:
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", port))
            with pytest.raises(ModelUnreachableError, match=r"within 0\.3 s"):
                ask(OpenAIModel(f"http://127.0.0.1:{port}", "x", transport=SocketTransport(0.3)))
        finally:
            for one in waiting:
                one.close()


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000,
        b"\0" * 99_999,
    ],
)
def test_what_is_no_web_server_is_said_to_be_none(garbage: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(garbage)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with pytest.raises(ModelAddressError, match="not as a model server"):
            ask(OpenAIModel(f"http://127.0.0.1:{port}", "x", patience=QUICK))
        thread.join(5)


@pytest.mark.parametrize("body", [b"zz\r\nabc\r\n", b"-5\r\n", b"5\r\nabc", b"1" * 70_000])
def test_a_body_that_breaks_off_or_makes_no_sense_is_an_interruption(body: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with pytest.raises(ModelInterruptedError):
            ask(OpenAIModel(f"http://127.0.0.1:{port}", "x", patience=QUICK))
        thread.join(5)


def test_redirects_lead_nowhere_else_and_the_key_stays(model_server: ModelServer) -> None:
    with ModelServer() as other:
        model_server.script({"redirect": f"{other.url}/chat/completions?key=5"})
        with pytest.raises(ModelAddressError, match=other.address) as raised:
            ask(model(model_server, key=KEY))
        assert "key=5" not in str(raised.value)
        assert other.requests("") == []


def test_redirects_on_the_same_server_are_followed(model_server: ModelServer) -> None:
    model_server.script({"redirect": "/v1/chat/completions"}, {"text": "Here."})
    assert text(ask(model(model_server, key=KEY))) == "Here."
    model_server.script({"redirect": "/v1/chat/completions", "times": 0})
    with pytest.raises(ModelAddressError):
        ask(model(model_server))
    assert len(model_server.requests()) == 4
    model_server.script({"redirect": "/v1/chat/completions", "status": 302})
    with pytest.raises(ModelAddressError):  # a 302 would turn the question into a GET
        ask(model(model_server))


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    import ssl  # the page's Python has none

    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("There is no openssl here to make a certificate with.")
    certificate = tmp_path / "own.pem"
    command = [
        openssl,
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(certificate)]
    subprocess.run([*command, "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    program = f"""
import asyncio
from py_memory.models.openai import OpenAIModel
print(asyncio.run(OpenAIModel("https://localhost:PORT", "x", key={KEY!r}).list_models()))
"""
    heard: list[bytes] = []
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            while True:
                try:
                    plain, _ = server.accept()
                    with context.wrap_socket(plain, server_side=True) as connection:
                        heard.append(connection.recv(65_536))
                        body = b'{"data": [{"id": "safe"}]}'
                        connection.sendall(
                            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
                        )
                except ssl.SSLError:
                    continue
                except OSError:
                    return

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(ModelUnreachableError, match="certificate"):
            asyncio.run(OpenAIModel(f"https://localhost:{port}", "x", key=KEY).list_models())
        assert heard == []
        done = subprocess.run(
            [sys.executable, "-c", program.replace("PORT", str(port))],
            env={**os.environ, "SSL_CERT_FILE": str(certificate)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert "safe" in done.stdout, done.stderr
    assert len(heard) == 1


# -- the key --


def test_the_key_goes_into_its_header_alone(
    model_server: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not into the database, its export, a log, an address, a message, a repr, or a copy in a file."""
    caplog.set_level(0)
    model_server.script({"text": "Hello."}, {"status": 401, "echo_key": True}, key=KEY)
    asked = model(model_server, key=f" {KEY}\n")
    store = MemoryStore(tmp_path / "memory.db")
    session = store.create_session().id
    agent = ChatAgent(store, asked)
    answers = [asyncio.run(agent.chat_round(session, "Hello, who are you?")) for _ in range(2)]
    assert [answer.status for answer in answers] == ["complete", "failed"]
    store.export_to(tmp_path / "copy.db")
    store.close()
    for request in model_server.requests():
        assert request["headers"]["authorization"] == f"Bearer {KEY}"
        assert KEY not in request["path"] + json.dumps(request["body"])
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()
    model_server.script({"status": 500, "echo_key": True, "times": 0}, key=KEY)
    with pytest.raises(ModelOverloadedError) as raised:
        ask(asked)
    told = "".join(traceback.format_exception(raised.value)) + repr(raised.value.details)
    shown = [repr(asked), str(vars(asked)), told, caplog.text, pickle.dumps(asked).decode("latin-1")]
    assert not [text for text in shown if KEY in text]


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel", "nul\0", 5, b"bytes"])
def test_what_is_no_key_is_refused_and_not_repeated(key: Any) -> None:
    with pytest.raises(InvalidInputError) as raised:
        OpenAIModel("https://host.example", "x", key=key)
    assert str(key) not in str(raised.value)


def test_a_missing_key_and_a_wrong_one_are_told_apart(model_server: ModelServer) -> None:
    model_server.script(key=KEY)
    codes = []
    for key in (None, "sk-other"):
        with pytest.raises(ModelUnauthorisedError) as raised:
            asyncio.run(model(model_server, key=key).list_models())
        codes.append(raised.value.code)
    assert codes == ["no_key", "wrong_key"]


# -- in a chat --


def test_a_chat_asks_a_busy_server_again(model_server: ModelServer, store: MemoryStore) -> None:
    model_server.script({"status": 503}, {"status": 429, "headers": {"Retry-After": "7"}}, {"text": "Now."})
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    reply = asyncio.run(ChatAgent(store, model(model_server), sleep=sleep).chat_round(None, "Hello there"))
    assert (reply.status, reply.content) == ("complete", "Now.")
    assert [round(wait) for wait in waits] == [1, 7]
    assert len(model_server.requests()) == 3


@pytest.mark.parametrize(
    ("said", "answer", "told"),
    [
        ("Good morning", {"status": 401}, "wants a key"),
        ("早上好", {"status": 401}, "需要密钥"),
        ("早上好", {"text": "你好，", "disconnect_after": 2}, "你好，\n\n这次没能回答"),
    ],
)
def test_a_chat_keeps_the_question_and_tells_in_its_language(
    model_server: ModelServer, store: MemoryStore, said: str, answer: dict[str, Any], told: str
) -> None:
    model_server.script(answer)
    reply = asyncio.run(ChatAgent(store, model(model_server)).chat_round(None, said))
    assert reply.status == "failed"
    assert told in reply.content
    assert store.get_recent_messages(reply.session_id)[0].content == said


def test_a_chat_finds_in_memory_what_a_real_server_asks_for(
    model_server: ModelServer, store: MemoryStore
) -> None:
    store.set_fact("user::diet", "vegetarian")
    earlier = store.create_session("Locker").id
    store.add_message(earlier, "user", "My locker at the pool is number 42.")
    model_server.script(
        {"tool_calls": [{"name": "memory_search", "arguments": {"query": "locker pool"}}], "split": 3},
        {"text": "It is number 42."},
    )
    reply = asyncio.run(ChatAgent(store, model(model_server)).chat_round(None, "Which locker is mine?"))
    assert (reply.status, reply.content) == ("complete", "It is number 42.")
    first, second = (request["body"]["messages"] for request in model_server.requests())
    assert "vegetarian" in first[0]["content"]
    assert second[-1]["role"] == "tool"
    assert "number 42" in second[-1]["content"]
    assert second[-2]["tool_calls"][0]["id"] == second[-1]["tool_call_id"]


def test_stopping_keeps_what_arrived(model_server: ModelServer, store: MemoryStore) -> None:
    model_server.script({"text": "It was", "stall_after": 2})
    agent = ChatAgent(store, model(model_server))
    reply = asyncio.run(agent.chat_round(None, "Tell me a story", cancel=Watch(0.5)))
    assert (reply.status, reply.content) == ("stopped", "It was")
    model_server.wait_until_left()
