"""The HTTP side of syncing, free of any server: a request's parts in, an answer's parts out.

`openapi.json` beside this file describes every route. Errors are {"error": {"name", "message"}} with a
sentence, never a trace; nothing is logged of what a memory holds.
"""

from __future__ import annotations

import gzip
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from py_memory.clock import Clock, system_clock
from py_memory.errors import InvalidInputError, StorageError
from py_memory.sync.wire import MAX_BODY_BYTES, MIN_SCHEMA, SCHEMA, decode_request, encode

from .operations import Log, Noted, Operations, place_of
from .service import DeviceForkedError, Quota, QuotaError, ResyncError, SchemaTooOldError, SyncService
from .store import Store, Token, UnavailableError
from .tokens import check_token, key_of

__all__ = ["PATHS", "PUBLIC_PATHS", "Endpoint", "HttpAnswer"]

PUBLIC_PATHS = ("/healthz", "/metrics", "/openapi.json")
PATHS = ("/memory/sync", "/memory/head", *PUBLIC_PATHS)
MAX_RATIO = 100  # of a compressed body; small ones may be anything
RATIO_FROM_BYTES = 1 << 20
GZIP_FROM_BYTES = 256
GZIP_LEVEL = 4
REQUESTS_PER_MINUTE = 600
RETRY_AFTER_S = 2  # when the store is not reached
_KNOWN_CLIENTS = 10_000


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class _Refused(Exception):
    def __init__(self, status: int, name: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.name, self.more = status, name, more


class _Rate:
    """Token buckets, one for each client, the longest unseen forgotten first."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._most = float(per_minute)
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def wait_s(self, client: str) -> float:
        """0 if the request may go on, else seconds until one may."""
        with self._lock:
            now = self._clock()
            left, then = self._left.pop(client, (self._most, now))
            left = min(self._most, left + max(0, now - then) * self._most / 60_000)
            self._left[client] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > _KNOWN_CLIENTS:
                self._left.popitem(last=False)
            return 0.0 if left >= 1 else (1 - left) * 60 / self._most


@cache
def _description() -> bytes:
    return (resources.files(__package__) / "openapi.json").read_bytes()


class Endpoint:
    """Answers requests out of one store. `origins`: pages of these may call it besides its own. `metrics`:
    whether /metrics is answered, to anyone who asks. `log` is given a line of JSON for each request."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock | None = None,
        quota: Quota | None = None,
        origins: Iterable[str] = (),
        per_minute: int = REQUESTS_PER_MINUTE,
        metrics: bool = False,
        log: Log | None = None,
    ) -> None:
        self._store = store
        self._clock = clock or system_clock
        self._service = SyncService(store, self._clock, quota)
        self._origins = frozenset(origins)
        self._rate = _Rate(per_minute, self._clock)
        self._operations = Operations(PATHS, log)
        self._metrics = metrics

    def admits(self, method: str, path: str, headers: Mapping[str, str]) -> HttpAnswer | None:
        """What is refused before a body is read: an unknown token, too long a body. None lets it in."""
        began = time.perf_counter()
        try:
            self._check(method, path, headers)
        except Exception as error:
            return self._answer(self._failure(error), method, path, headers, 0, began, error)
        return None

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> HttpAnswer:
        """Header names in small letters. Never raises."""
        began, failed = time.perf_counter(), None
        try:
            answer = self._handle(method, path, headers, body)
        except Exception as error:
            answer, failed = self._failure(error), error
        return self._answer(answer, method, path, headers, len(body), began, failed)

    # -- inside --

    def _failure(self, error: Exception) -> HttpAnswer:
        if isinstance(error, UnavailableError):
            error = _Refused(503, "Unavailable", str(error), retry_after=RETRY_AFTER_S)
        if not isinstance(error, _Refused):
            name = type(error).__name__
            error = _Refused(500, "ServerError", f"The server failed ({name}). Try again later.")
        return self._refusal(error)

    def _check(self, method: str, path: str, headers: Mapping[str, str]) -> Token | None:
        if path not in PATHS:
            raise _Refused(404, "NotFound", "There is no such address here.")
        if method == "OPTIONS":
            self._check_length(headers)
            return None
        if path == "/metrics" and not self._metrics:
            raise _Refused(404, "NotFound", "There is no such address here.")
        if path in PUBLIC_PATHS:
            if method not in ("GET", "HEAD"):
                raise _Refused(405, "MethodNotAllowed", "Only GET is answered here.", allow="GET, HEAD")
            self._check_length(headers)
            return None
        token = self._token(headers.get("authorization", ""))
        allowed = "POST" if path == "/memory/sync" else "GET"
        if method != allowed:
            raise _Refused(405, "MethodNotAllowed", f"Only {allowed} is answered here.", allow=allowed)
        self._check_length(headers)
        return token

    def _check_length(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "0")
        # isdigit() alone takes "²", which is no number.
        if not (length.isascii() and length.isdigit()) or len(length) > 12:
            raise _Refused(400, "BadLength", "The length of a request is a number of bytes.")
        if int(length) > MAX_BODY_BYTES:
            raise self._too_large()

    def _token(self, header: str) -> Token:
        kind, _, given = header.partition(" ")
        found = (
            check_token(self._store, given.strip(), self._clock()) if kind.lower() == "bearer" else "missing"
        )
        if isinstance(found, str):
            if found == "revoked":
                raise _Refused(
                    403, "Revoked", "This token was revoked. Ask for a new one to sync this device again."
                )
            sentence = {
                "missing": "A token is needed: Authorization: Bearer mt_….",
                "unknown": "This token is not known here.",
                "expired": "This token has expired. Ask for a new one; nothing is lost.",
            }[found]
            raise _Refused(401, "Unauthorized", sentence)
        return found

    def _handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> HttpAnswer:
        token = self._check(method, path, headers)
        if method == "OPTIONS":
            return HttpAnswer(204)
        if path == "/metrics":
            kind = "text/plain; version=0.0.4; charset=utf-8"
            return HttpAnswer(200, self._operations.metrics().encode(), {"Content-Type": kind})
        if path == "/openapi.json":
            return HttpAnswer(200, _description())
        if token is None:
            return HttpAnswer(200, b'{"status":"ok"}')
        if wait := self._rate.wait_s(token.key):
            raise _Refused(429, "TooMany", "Too many requests. Wait a moment.", retry_after=int(wait) + 1)
        try:
            if path == "/memory/head":
                return self._head(token, headers)
            return self._sync(token, headers, body)
        except InvalidInputError as error:
            raise _Refused(400, "InvalidRequest", str(error)) from error
        except ResyncError as error:
            raise _Refused(410, "ResyncRequired", str(error)) from error
        except DeviceForkedError as error:
            raise _Refused(409, "DeviceForked", str(error)) from error
        except SchemaTooOldError as error:
            raise _Refused(426, "UpdateNeeded", str(error), min_schema=MIN_SCHEMA) from error
        except (QuotaError, StorageError) as error:
            raise _Refused(507, "NoRoom", str(error)) from error

    def _head(self, token: Token, headers: Mapping[str, str]) -> HttpAnswer:
        head = self._service.head(token.user_id)
        etag = f'"{head["epoch"]}.{head["seq"]}"'
        if headers.get("if-none-match") == etag:
            return HttpAnswer(304, headers={"ETag": etag})
        return HttpAnswer(200, encode({"protocol": 1, "schema": SCHEMA, **head}), {"ETag": etag})

    def _sync(self, token: Token, headers: Mapping[str, str], body: bytes) -> HttpAnswer:
        request = decode_request(self._inflated(headers.get("content-encoding"), body))
        if request.push and token.scope != "sync":
            raise _Refused(403, "ReadOnly", "This token only reads. What is new on this device stays here.")
        return HttpAnswer(200, encode(self._service.sync(token.user_id, request).to_dict()))

    def _inflated(self, encoding: str | None, body: bytes) -> bytes:
        if encoding in (None, "", "identity"):
            if len(body) > MAX_BODY_BYTES:
                raise self._too_large()
            return body
        if encoding != "gzip":
            raise _Refused(415, "UnknownEncoding", "A body comes as it is or as gzip.")
        most = min(MAX_BODY_BYTES, max(RATIO_FROM_BYTES, MAX_RATIO * len(body)))
        inflater = zlib.decompressobj(wbits=31)
        try:
            found = inflater.decompress(body, most + 1)
        except zlib.error as error:
            raise InvalidInputError("The body is no sound gzip.") from error
        if len(found) > most:
            raise self._too_large()
        if not inflater.eof:
            raise InvalidInputError("The body is cut short.")
        return found

    @staticmethod
    def _too_large() -> _Refused:
        sentence = f"A request has at most {MAX_BODY_BYTES:,} bytes. Send less at a time."
        return _Refused(413, "TooLarge", sentence, max_bytes=MAX_BODY_BYTES)

    @staticmethod
    def _refusal(refused: _Refused) -> HttpAnswer:
        more = dict(refused.more)
        headers = {}
        if "retry_after" in more:
            headers["Retry-After"] = str(more["retry_after"])
        if allow := more.pop("allow", None):
            headers["Allow"] = allow
        if refused.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        error = {"name": refused.name, "message": str(refused), **more}
        return HttpAnswer(refused.status, encode({"error": error}), headers)

    def _answer(
        self,
        answer: HttpAnswer,
        method: str,
        path: str,
        headers: Mapping[str, str],
        size: int,
        began: float,
        failed: Exception | None,
    ) -> HttpAnswer:
        """The answer as it travels, noted."""
        made = self._packed(answer, headers)
        error = failed.name if isinstance(failed, _Refused) else None
        self._operations.note(
            Noted(
                at=self._clock(),
                method=method,
                route=path,
                status=made.status,
                ms=(time.perf_counter() - began) * 1000,
                bytes_in=size,
                bytes_out=len(made.body),
                token=key_of(headers.get("authorization", "")),
                error=error,
                place=None if failed is None or isinstance(failed, _Refused) else place_of(failed),
            )
        )
        return made

    def _packed(self, answer: HttpAnswer, headers: Mapping[str, str]) -> HttpAnswer:
        made = {
            "Content-Type": "application/json",
            "Cache-Control": "no-store",
            "Vary": "Origin",
            **answer.headers,
        }
        body = answer.body
        if len(body) >= GZIP_FROM_BYTES and "gzip" in headers.get("accept-encoding", ""):
            body = gzip.compress(body, GZIP_LEVEL, mtime=0)
            made["Content-Encoding"] = "gzip"
        origin = headers.get("origin")
        if origin is not None and (origin in self._origins or "*" in self._origins):
            made["Access-Control-Allow-Origin"] = origin
            made["Access-Control-Allow-Methods"] = "GET, POST"
            made["Access-Control-Allow-Headers"] = (
                "authorization, content-type, content-encoding, if-none-match"
            )
            made["Access-Control-Max-Age"] = "600"
            made["Access-Control-Expose-Headers"] = "etag, retry-after"
        return HttpAnswer(answer.status, body, made)
