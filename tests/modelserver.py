"""A model server for the tests: OpenAI's chat protocol on real sockets, in a process of its own, with answers
and faults as a test sets them for each request.

    with ModelServer() as server:
        server.script({"text": "Hello."}, {"status": 429, "headers": {"Retry-After": "1"}}, {"text": "Yes."})
        …                                        # the program talks with server.url, three requests
        server.requests()                        # what came: method, path, headers, body, how it ended

A request takes the first answer left whose `when` (if any) is in the last user message; where none fits, the
words of that message are sent back. An answer is a mapping of
    text, or pieces (a list: one delta each), or lines (a number: an answer of so many lines)
    tool_calls: [{"name", "arguments", "id"?}], cut into pieces of `argument_characters` (default 5)
    usage, finish_reason, reasoning (a text in a field of its own, before the answer)
    stream: false, for one JSON object whatever was asked for
    split: bytes of a write to the socket (1 cuts every character and every line end in two)
    newline: the end of a line, default "\\n";  delay_ms: before each piece;  comments: true, for ": …" lines
    raw: a list of strings sent as the body, as they are
    status, error (the message in it), code, headers, body (as it is, instead of an error);
    echo_key: true, to tell the request's key in the error
    redirect: an address;  no_done: true, to leave out "[DONE]"
    stall_after, disconnect_after: after so many pieces (0: before the headers; for a stall, in place of them)
    when: words that the last user message must hold;  times: how many requests it is for (default 1, 0 all)
`script` also takes models (ids, or whole entries of /v1/models), key (then asked of every request) and
origin (default "*"; None sends no CORS headers, so that a page is refused), and forgets all that came before.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

__all__ = ["ModelServer"]

LINE = "Line {number}: 天气很好, and so on and so forth."


class ModelServer:
    """The running process, as tests use it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--port", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()  # http://127.0.0.1:PORT
        assert self.address, "The model server did not start."

    @property
    def url(self) -> str:
        return f"{self.address}/v1"

    def script(self, *answers: Mapping[str, Any], **settings: Any) -> None:
        self._ask("PUT", "/script", {"answers": answers, **settings})

    def requests(self, path: str = "/chat/completions") -> list[dict[str, Any]]:
        """What has come so far to addresses that end in `path`, oldest first. `ended` is "" while it is being
        answered, then "complete" or "left" (the client closed the connection)."""
        found: list[dict[str, Any]] = self._ask("GET", "/requests")
        return [request for request in found if request["path"].endswith(path)]

    def wait_until_left(self, seconds: float = 10) -> None:
        """Waits until the client of the newest request has closed its connection."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if (asked := self.requests()) and asked[-1]["ended"] == "left":
                return
            time.sleep(0.02)
        raise AssertionError(f"The client has not left within {seconds} s.")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()  # it ends with its standard input, so that none is left behind
        self._process.wait(10)

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)


class _State:
    """What the test has set, and what has come."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.set({})

    def set(self, script: Mapping[str, Any]) -> None:
        with self.lock:
            self.answers = [dict(answer) for answer in script.get("answers", ())]
            self.models: Sequence[Any] = script.get("models", ["test-model"])
            self.key: str | None = script.get("key")
            self.origin: str | None = script.get("origin", "*")
            self.requests: list[dict[str, Any]] = []

    def next_answer(self, said: str) -> dict[str, Any]:
        with self.lock:
            for answer in self.answers:
                if answer.get("when", "") in said:
                    left = answer.get("times", 1)
                    if left == 1:
                        self.answers.remove(answer)
                    elif left:
                        answer["times"] = left - 1
                    return answer
        return {"text": f"You said: {said}"}


STATE = _State()


class _Left(Exception):
    """The client is gone, or was cut off."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "modelserver"

    def log_message(self, format: str, *args: object) -> None:
        pass

    # -- requests --

    def do_OPTIONS(self) -> None:
        self._note(b"")
        self.send_response(204)
        self._cors()
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_PUT(self) -> None:
        STATE.set(json.loads(self._body()))
        self._json(200, {})

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/requests":
            with STATE.lock:
                self._json(200, STATE.requests)
            return
        self._note(b"")
        if self._refused():
            return
        if path == "/v1/models":
            models = [model if isinstance(model, dict) else {"id": model} for model in STATE.models]
            self._json(200, {"object": "list", "data": models})
        else:
            self._json(404, {"error": {"message": f"There is nothing at {path}."}})

    def do_POST(self) -> None:
        body = self._body()
        noted = self._note(body)
        try:
            if self._refused():
                return
            if urlsplit(self.path).path == "/v1/chat/completions":
                self._answer(json.loads(body))
            else:
                self._json(404, {"error": {"message": f"There is nothing at {self.path}."}})
            noted["ended"] = "complete"
        except (_Left, OSError):
            noted["ended"] = "left"
            self.close_connection = True

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _note(self, body: bytes) -> dict[str, Any]:
        noted: dict[str, Any] = {
            "method": self.command,
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": json.loads(body) if body else None,
            "ended": "",
            "time": time.time(),
        }
        with STATE.lock:
            STATE.requests.append(noted)
        return noted

    def _refused(self) -> bool:
        if STATE.key is None or self.headers.get("Authorization") == f"Bearer {STATE.key}":
            return False
        self._json(401, {"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}})
        return True

    # -- answers --

    def _cors(self) -> None:
        if STATE.origin is not None:
            self.send_header("Access-Control-Allow-Origin", STATE.origin)
            self.send_header("Access-Control-Allow-Headers", "authorization, content-type")
            self.send_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
            self.send_header("Access-Control-Allow-Private-Network", "true")

    def _json(self, status: int, value: object, headers: Mapping[str, str] | None = None) -> None:
        self._whole(status, "application/json", json.dumps(value, ensure_ascii=False), headers)

    def _whole(self, status: int, kind: str, text: str, headers: Mapping[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(status)
        self._cors()
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, asked: Mapping[str, Any]) -> None:
        answer = STATE.next_answer(_said(asked))
        if "redirect" in answer:
            self._whole(answer.get("status", 307), "text/plain", "", {"Location": answer["redirect"]})
        elif answer.get("stall_after") == 0:
            self._stall()
        elif answer.get("disconnect_after") == 0:
            self._cut()
        elif answer.get("status", 200) != 200 or "body" in answer:
            self._fail(answer)
        elif not asked.get("stream") or answer.get("stream") is False:
            self._json(200, _whole_answer(answer))
        else:
            self._stream(answer)

    def _fail(self, answer: Mapping[str, Any]) -> None:
        headers = answer.get("headers", {})
        if "body" in answer:
            kind = headers.get("Content-Type", "text/html")
            self._whole(answer.get("status", 200), kind, answer["body"], headers)
            return
        said = answer.get("error", "The server says no.")
        if answer.get("echo_key"):
            said += f" Your key is {self.headers.get('Authorization', '').removeprefix('Bearer ')}."
        error = {"message": said, "type": "error", "code": answer.get("code")}
        self._json(answer["status"], {"error": error}, headers)

    def _stream(self, answer: Mapping[str, Any]) -> None:
        self.send_response(200)
        self._cors()
        for name, value in {"Content-Type": "text/event-stream", **answer.get("headers", {})}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        split = answer.get("split", 0)
        for number, piece in enumerate(_body(answer)):
            if number == answer.get("stall_after"):
                self._stall()
            if number == answer.get("disconnect_after"):
                self._cut()
            time.sleep(answer.get("delay_ms", 0) / 1000)
            data = piece.encode()
            for begin in range(0, len(data), split or len(data)):
                self._chunk(data[begin : begin + split] if split else data)
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _stall(self) -> None:
        """Says nothing until the client has gone."""
        self.wfile.flush()
        self.connection.settimeout(60)
        with contextlib.suppress(OSError):
            self.connection.recv(1)
        raise _Left

    def _cut(self) -> None:
        """Ends the connection at once, without a goodbye."""
        self.wfile.flush()
        time.sleep(0.3)  # what was sent is read first: a reset throws away what is still on its way
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        raise _Left


def _said(asked: Mapping[str, Any]) -> str:
    """The last message of the user."""
    users = [message for message in asked.get("messages", ()) if message.get("role") == "user"]
    content = users[-1]["content"] if users else ""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _pieces(answer: Mapping[str, Any]) -> list[str]:
    if "pieces" in answer:
        return list(answer["pieces"])
    if "lines" in answer:
        return [LINE.format(number=number) + "\n" for number in range(answer["lines"])]
    text = answer.get("text", "")
    return [text[begin : begin + 8] for begin in range(0, len(text), 8)]


def _calls(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": call.get("id", f"call_{index}"),
            "type": "function",
            "function": {
                "name": call["name"],
                "arguments": call["arguments"]
                if isinstance(call["arguments"], str)
                else json.dumps(call["arguments"], ensure_ascii=False),
            },
        }
        for index, call in enumerate(answer.get("tool_calls", ()))
    ]


def _reason(answer: Mapping[str, Any]) -> str:
    return str(answer.get("finish_reason", "tool_calls" if answer.get("tool_calls") else "stop"))


def _usage(answer: Mapping[str, Any]) -> dict[str, int]:
    return dict(answer.get("usage", {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}))


def _whole_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "".join(_pieces(answer))}
    if calls := _calls(answer):
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _reason(answer)}
    return {"id": "1", "object": "chat.completion", "choices": [choice], "usage": _usage(answer)}


def _body(answer: Mapping[str, Any]) -> Iterator[str]:
    """The events of a streamed answer."""
    if "raw" in answer:
        yield from answer["raw"]
        return
    end = answer.get("newline", "\n")

    def event(value: object) -> str:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return f"data: {text}{end}{end}"

    def delta(finish: str | None = None, **fields: Any) -> str:
        choice = {"index": 0, "delta": fields, "finish_reason": finish}
        return event({"id": "1", "object": "chat.completion.chunk", "choices": [choice]})

    yield delta(role="assistant", content="")
    if "reasoning" in answer:
        yield delta(reasoning_content=answer["reasoning"])
    for piece in _pieces(answer):
        if answer.get("comments"):
            yield f": still here{end}{end}"
        yield delta(content=piece)
    size = answer.get("argument_characters", 5)
    for call in _calls(answer):
        arguments = call["function"]["arguments"]
        yield delta(tool_calls=[{**call, "function": {**call["function"], "arguments": ""}}])
        for begin in range(0, len(arguments), size):
            part = {"index": call["index"], "function": {"arguments": arguments[begin : begin + size]}}
            yield delta(tool_calls=[part])
    yield delta(finish=_reason(answer))
    yield event({"id": "1", "choices": [], "usage": _usage(answer)})
    if not answer.get("no_done"):
        yield event("[DONE]")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a client that left is no news
            super().handle_error(request, client_address)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    server = _Server(("127.0.0.1", parser.parse_args().port), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
