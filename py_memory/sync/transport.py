"""Running a sync over HTTP on CPython. A page fetches by itself; see browser.py."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable, Generator
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TypeVar
from urllib.parse import urlsplit

from py_memory.errors import SyncError

from .engine import Answer, Call, Pause, check_address
from .wire import MAX_BODY_BYTES

__all__ = ["Transport", "drive", "over_http"]

TIMEOUT_S = 60.0
T = TypeVar("T")
Transport = Callable[[Call], Answer]


def drive(steps: Generator[Call | Pause, Answer | None, T], send: Transport) -> T:
    """Runs the steps to their end."""
    answer: Answer | None = None
    try:
        while True:
            step = steps.send(answer)
            if isinstance(step, Pause):
                time.sleep(step.seconds * random.uniform(1.0, 1.3))
                answer = None
            else:
                answer = send(step)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        steps.close()


def over_http(url: str, token: str) -> Transport:
    """A transport that keeps one connection. Its calls raise SyncError "unreachable"."""
    parts = urlsplit(check_address(url))
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT_S)
    always = {"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip", "Accept": "application/json"}

    def send(call: Call) -> Answer:
        fresh, meanwhile = connection.sock is None, call.meanwhile
        while True:
            try:
                connection.request(call.method, parts.path + call.path, call.body, {**always, **call.headers})
                if meanwhile:
                    meanwhile()
                    meanwhile = None
                got = connection.getresponse()
                body = got.read(MAX_BODY_BYTES + 1)
                headers = {name.lower(): value for name, value in got.getheaders()}
                break
            except (OSError, HTTPException) as error:
                connection.close()
                if fresh:  # a kept connection may simply have ended; asking twice is harmless
                    raise SyncError(
                        "unreachable",
                        f"The sync server at {parts.netloc} cannot be reached ({error}). What is new waits.",
                    ) from error
                fresh = True
        if len(body) > MAX_BODY_BYTES:
            connection.close()
        return Answer(got.status, headers, _plain(body, headers.get("content-encoding")))

    return send


def _plain(body: bytes, encoding: str | None) -> bytes:
    """The body decompressed, or nothing of one that is damaged or too large."""
    if len(body) > MAX_BODY_BYTES:
        return b""
    if encoding != "gzip":
        return body
    inflater = zlib.decompressobj(wbits=31)
    try:
        found = inflater.decompress(body, MAX_BODY_BYTES)
    except zlib.error:
        return b""
    return found if inflater.eof else b""
