"""Static server for a built site, with the caching, types and security policy that a host should send.

The folder carries its own policy in `policy.json`, so that any other server can send the same one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import mimetypes
import sys
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from py_memory.errors import PyMemoryError

from .endpoint import PUBLIC_PATHS, Endpoint
from .open_store import default_database, open_store

__all__ = ["SiteFiles", "SiteServer", "content_security_policy", "main"]

# Said here and not left to the system's own tables, which differ between machines.
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".img": "application/octet-stream",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/zip",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}
WITH_POLICY = {".html", ".js", ".mjs"}  # documents and worker scripts; others carry no policy of their own
IMMUTABLE_FOLDERS = {"assets", "pyodide", "python"}  # their paths hold a hash or an exact version
MAX_ADDRESS = 2_000  # characters
NO_FILE = "There is no such file here."
NO_SYNC = "This server has no sync endpoint. The memory in your browser works without it."


def content_security_policy(folder: Path) -> str:
    """The policy of the site in `folder` as one header value."""
    directives: dict[str, str] = json.loads((folder / "policy.json").read_text("utf-8"))
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


@dataclass(frozen=True, slots=True)
class FileAnswer:
    status: HTTPStatus
    body: bytes
    headers: dict[str, str]


class SiteFiles:
    """What a site's folder answers. Raises FileNotFoundError where there is none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve(strict=True)
        self.policy = content_security_policy(self.folder)

    def answer(self, path: str, known_etag: str | None) -> FileAnswer:
        """For a decoded URL path."""
        file = self._locate(path)
        if file is None:
            return plain_text(HTTPStatus.NOT_FOUND, NO_FILE)
        body = file.read_bytes()
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        immutable = file.relative_to(self.folder).parts[0] in IMMUTABLE_FOLDERS
        headers = {
            "Content-Type": CONTENT_TYPES.get(file.suffix)
            or mimetypes.guess_type(file.name)[0]
            or "application/octet-stream",
            "Cache-Control": "public, max-age=31536000, immutable" if immutable else "no-cache",
            "ETag": etag,
        }
        if file.suffix in WITH_POLICY:
            headers["Content-Security-Policy"] = self.policy
        if known_etag == etag:
            return FileAnswer(HTTPStatus.NOT_MODIFIED, b"", headers)
        return FileAnswer(HTTPStatus.OK, body, headers)

    def _locate(self, path: str) -> Path | None:
        """The file behind a decoded URL path, or None if there is none inside the folder."""
        if "\0" in path or "\\" in path:
            return None
        try:
            file = (self.folder / path.lstrip("/")).resolve()
            if path.endswith("/"):
                file /= "index.html"
            return file if file.is_relative_to(self.folder) and file.is_file() else None
        except (OSError, ValueError):  # a name that the file system does not take
            return None


def plain_text(status: HTTPStatus, sentence: str, headers: dict[str, str] | None = None) -> FileAnswer:
    return FileAnswer(
        status, f"{sentence}\n".encode(), {"Content-Type": "text/plain; charset=utf-8", **(headers or {})}
    )


class SiteServer(ThreadingHTTPServer):
    """Serves one folder at `url`, if one is given, and syncing if an endpoint is given. Port 0 takes a free
    one. Raises OSError when the port is taken."""

    daemon_threads = True
    request_queue_size = 128  # connections at one instant; of more than the usual 5 some would be refused

    def __init__(
        self,
        folder: Path | None,
        host: str = "127.0.0.1",
        port: int = 0,
        endpoint: Endpoint | None = None,
    ) -> None:
        self.files = None if folder is None else SiteFiles(folder)
        self.endpoint = endpoint
        super().__init__((host, port), Handler)

    @property
    def url(self) -> str:
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0') else host}:{port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a connection early is no error worth a stack trace."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection of one client."""

    server: SiteServer
    protocol_version = "HTTP/1.1"
    server_version = "py_memory"
    sys_version = ""
    disable_nagle_algorithm = True  # head and body are two writes; the second shall not wait for an answer
    timeout = 60  # seconds an idle connection is kept

    def do_GET(self) -> None:
        path = self._path()
        if path is None:
            return
        own = PUBLIC_PATHS if self.server.endpoint else ("/healthz",)
        if path in own or path.startswith("/memory/"):
            self._memory(path)
        elif self.server.files is None:
            self._give(plain_text(HTTPStatus.NOT_FOUND, NO_FILE))
        else:
            self._give(self.server.files.answer(path, self.headers.get("If-None-Match")))

    do_HEAD = do_GET

    def do_POST(self) -> None:
        path = self._path()
        if path is None:
            return
        if path.startswith("/memory/"):
            self._memory(path)
            return
        # The body is left unread, so the connection cannot serve another request.
        self.close_connection = True
        sentence = "Only GET and HEAD are answered here."
        self._give(plain_text(HTTPStatus.METHOD_NOT_ALLOWED, sentence, {"Allow": "GET, HEAD"}))

    def do_OPTIONS(self) -> None:
        path = self._path()
        if path is not None:
            self._memory(path)

    def _path(self) -> str | None:
        """The decoded path of the address asked for; None if it is no address, which is then answered."""
        try:
            if len(self.path) <= MAX_ADDRESS:
                return unquote(urlsplit(self.path).path)
            status, sentence = HTTPStatus.REQUEST_URI_TOO_LONG, "This address is too long."
        except ValueError:
            status, sentence = HTTPStatus.BAD_REQUEST, "This is no address."
        self.close_connection = True
        self._give(plain_text(status, sentence))
        return None

    def _memory(self, path: str) -> None:
        endpoint = self.server.endpoint
        if endpoint is None:
            self.close_connection = self.command == "POST"
            if path == "/healthz":
                self._send(HTTPStatus.OK, b'{"status": "ok"}', {"Content-Type": "application/json"})
            else:
                body = json.dumps({"error": {"name": "NotImplemented", "message": NO_SYNC}}).encode()
                self._send(HTTPStatus.NOT_IMPLEMENTED, body, {"Content-Type": "application/json"})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = endpoint.admits(self.command, path, headers)
        if answer is None:
            body = self.rfile.read(int(headers.get("content-length", "0")))
            answer = endpoint.handle(self.command, path, headers, body)
        else:
            self.close_connection = True
        self._send(HTTPStatus(answer.status), answer.body, answer.headers)

    def _give(self, answer: FileAnswer) -> None:
        self._send(answer.status, answer.body, answer.headers)

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Cache-Control": "no-store", **headers}.items():
            self.send_header(name, value)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        if status not in (HTTPStatus.NOT_MODIFIED, HTTPStatus.NO_CONTENT):
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: they say when somebody used their memory."""


def main(arguments: list[str] | None = None) -> int:
    """Serves a built site until interrupted; the last line of output ends with its address."""
    parser = argparse.ArgumentParser(prog="python -m py_memory.server.site", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    parser.add_argument("--data", type=Path, help="folder of the sync store; without it nothing is synced")
    options = parser.parse_args(arguments)
    try:
        endpoint = Endpoint(open_store(default_database(options.data))) if options.data else None
        server = SiteServer(options.folder, options.host, options.port, endpoint)
    except PyMemoryError as error:
        print(error, file=sys.stderr)
        return 1
    except FileNotFoundError as error:
        print(f"{error.filename} is missing: this is not a built site.", file=sys.stderr)
        return 1
    except OSError as error:
        print(
            f"Port {options.port} on {options.host} cannot be used ({error.strerror}). "
            "Choose another with --port, or --port 0 for a free one.",
            file=sys.stderr,
        )
        return 1
    print(f"Serving the memory page at {server.url}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
