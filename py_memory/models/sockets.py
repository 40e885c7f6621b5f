"""HTTP/1.1 over asyncio's sockets: one request a connection, so that stopping is closing it."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from .failures import failure

__all__ = ["SocketTransport"]

READ_BYTES = 65_536
MAX_HEADER_BYTES = 65_536

_HEX = re.compile(rb"[0-9A-Fa-f]{1,12}")


class SocketTransport:
    """`connect_s`: seconds to wait for the connection, TLS included."""

    def __init__(self, connect_s: float = 10) -> None:
        self._connect_s = connect_s

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> SocketResponse:
        parts = urlsplit(url)
        server = parts.netloc
        reader, writer = await self._connect(parts.scheme, parts.hostname or "", parts.port, server)
        try:
            lines = [f"{method} {parts.path or '/'} HTTP/1.1", f"Host: {server}", "Connection: close"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            if body:
                lines.append(f"Content-Length: {len(body)}")
            writer.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
            response = SocketResponse(reader, writer, server)
            await response.begin()
            return response
        except BaseException:
            writer.transport.abort()
            raise

    async def _connect(
        self, scheme: str, host: str, port: int | None, server: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        secure = scheme == "https"
        if secure:
            import ssl  # where there is none, as in a page, there are no sockets either

            unsafe: tuple[type[Exception], ...] = (ssl.SSLError, ssl.CertificateError)
        else:
            unsafe = ()
        connecting = asyncio.open_connection(
            host, port or (443 if secure else 80), ssl=secure or None, happy_eyeballs_delay=0.25
        )
        try:
            return await asyncio.wait_for(connecting, self._connect_s)
        except TimeoutError:
            raise failure("connect_timeout", server=server, seconds=self._connect_s) from None
        except unsafe:
            raise failure("not_secure", server=server) from None
        except socket.gaierror:
            raise failure("unknown_host", server=server) from None
        except (OSError, UnicodeError):
            raise failure("unreachable", server=server) from None


class SocketResponse:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: str) -> None:
        self._reader, self._writer, self._server = reader, writer, server
        self._chunks: _Chunks | None = None
        self._left: int | None = None  # bytes of the body; None: until the connection ends
        self.status = 0
        self.headers: Mapping[str, str] = {}

    async def begin(self) -> None:
        """Reads status and headers."""
        try:
            while self.status < 200:  # past 100 Continue and the like
                self.status = _status(await self._reader.readline())
                self.headers = await self._header()
        except OSError:
            raise failure("no_answer", server=self._server) from None
        except ValueError:
            raise failure("not_a_server", server=self._server) from None
        length = self.headers.get("content-length", "")
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            self._chunks = _Chunks()
        elif self.status in (204, 304):
            self._left = 0
        elif length.isascii() and length.isdecimal():
            self._left = int(length)

    async def _header(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        room = MAX_HEADER_BYTES
        while line := await self._reader.readline():
            if not line.strip():
                return headers
            room -= len(line)
            if room < 0:
                raise ValueError("too many headers")
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        raise ConnectionError("ended within the headers")

    async def read(self) -> bytes:
        try:
            if self._chunks is None:
                return await self._read_plain()
            while not self._chunks.ended:
                if not (data := await self._reader.read(READ_BYTES)):
                    raise ConnectionError("ended within the body")
                if body := self._chunks.feed(data):
                    return body
            return b""
        except (OSError, ValueError):
            raise failure("interrupted", server=self._server) from None

    async def _read_plain(self) -> bytes:
        if self._left is None:
            return await self._reader.read(READ_BYTES)
        if not self._left:
            return b""
        data = await self._reader.read(min(self._left, READ_BYTES))
        if not data:
            raise ConnectionError("ended within the body")
        self._left -= len(data)
        return data

    def close(self) -> None:
        self._writer.transport.abort()


def _status(line: bytes) -> int:
    if not line:
        raise ConnectionError("no answer")
    name, _, rest = line.partition(b" ")
    if not name.startswith(b"HTTP/1.") or not rest[:3].isdigit():
        raise ValueError("no HTTP")
    status = int(rest[:3])
    if status < 100:
        raise ValueError("no status")
    return status


class _Chunks:
    """The chunked coding of RFC 9112, section 7.1; what may follow the last chunk is left unread."""

    def __init__(self) -> None:
        self._rest = b""
        self._left = 0  # bytes of the chunk, with the line end behind it
        self.ended = False

    def feed(self, data: bytes) -> bytes:
        """The body's bytes in `data`. Raises ValueError for what is not chunked."""
        data = self._rest + data
        body: list[bytes] = []
        at = 0
        while not self.ended:
            if self._left:
                if self._left > 2:
                    body.append(data[at : at + self._left - 2])
                taken = min(self._left, len(data) - at)
                at, self._left = at + taken, self._left - taken
                if self._left:
                    break
            end = data.find(b"\n", at)
            if end < 0:
                break
            size = data[at:end].partition(b";")[0].strip()
            if not _HEX.fullmatch(size):
                raise ValueError("no size of a chunk")
            at, self._left = end + 1, int(size, 16) + 2
            self.ended = self._left == 2
        self._rest = data[at:]
        if len(self._rest) > MAX_HEADER_BYTES:
            raise ValueError("no size of a chunk")
        return b"".join(body)
