"""The site's server, over real sockets."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from py_memory.server.endpoint import Endpoint
from py_memory.server.open_store import default_database, open_store
from py_memory.server.site import SiteServer, main
from py_memory.server.tokens import make_token

pytestmark = pytest.mark.cpython

POLICY = {"default-src": "'none'", "script-src": "'self'"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    files = {
        "index.html": "<!doctype html><title>t</title>",
        "sw.js": "self",
        "manifest.webmanifest": "{}",
        "policy.json": json.dumps(POLICY),
        "assets/app-ABC.js": "1",
        "assets/app-ABC.css": "a{}",
        "pyodide/1.0/pyodide.mjs": "2",
        "pyodide/1.0/pyodide.asm.wasm": "\0asm",
        "python/stdlib-abc.zip": "PK",
        "wheels/py_memory-0.1.0-py3-none-any.whl": "PK",
    }
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    (tmp_path / "secret.txt").write_text("outside")
    return site


@pytest.fixture
def server(folder: Path) -> Iterator[SiteServer]:
    server = SiteServer(folder)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def ask(
    server: SiteServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.putrequest(method, path, skip_host=False)  # sends the path as it is, dots and all
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, body


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/?lang=zh", "text/html; charset=utf-8"),
        ("/sw.js", "text/javascript; charset=utf-8"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/assets/app-ABC.css", "text/css; charset=utf-8"),
        ("/pyodide/1.0/pyodide.mjs", "text/javascript; charset=utf-8"),
        ("/pyodide/1.0/pyodide.asm.wasm", "application/wasm"),
        ("/python/stdlib-abc.zip", "application/zip"),
    ],
)
def test_content_types(server: SiteServer, path: str, content_type: str) -> None:
    status, headers, body = ask(server, path)
    assert (status, headers["content-type"]) == (200, content_type)
    assert int(headers["content-length"]) == len(body) > 0
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/sw.js", "/assets/app-ABC.js", "/pyodide/1.0/pyodide.mjs"])
def test_documents_and_scripts_carry_the_policy(server: SiteServer, path: str) -> None:
    assert ask(server, path)[1]["content-security-policy"] == "default-src 'none'; script-src 'self'"


@pytest.mark.parametrize(
    ("path", "immutable"),
    [
        ("/", False),
        ("/sw.js", False),
        ("/wheels/py_memory-0.1.0-py3-none-any.whl", False),
        ("/assets/app-ABC.js", True),
        ("/pyodide/1.0/pyodide.asm.wasm", True),
        ("/python/stdlib-abc.zip", True),
    ],
)
def test_only_hashed_paths_are_cached_for_good(server: SiteServer, path: str, immutable: bool) -> None:
    expected = "public, max-age=31536000, immutable" if immutable else "no-cache"
    assert ask(server, path)[1]["cache-control"] == expected


def test_an_unchanged_file_is_not_sent_again(server: SiteServer, folder: Path) -> None:
    tag = ask(server, "/")[1]["etag"]
    assert ask(server, "/", if_none_match=tag)[::2] == (304, b"")
    (folder / "index.html").write_text("<!doctype html><title>new</title>")
    status, headers, body = ask(server, "/", if_none_match=tag)
    assert (status, headers["etag"] != tag, b"new" in body) == (200, True, True)


def test_head_is_get_without_a_body(server: SiteServer) -> None:
    got, asked = ask(server, "/"), ask(server, "/", "HEAD")
    assert (asked[0], asked[2]) == (200, b"")
    assert asked[1]["content-length"] == got[1]["content-length"]


@pytest.mark.parametrize("path", ["/assets/gone.js", "/nothing", "/assets/", "/assets"])
def test_a_missing_file_is_a_plain_404(server: SiteServer, path: str) -> None:
    status, headers, body = ask(server, path)
    assert (status, headers["content-type"]) == (404, "text/plain; charset=utf-8")
    assert b"<" not in body


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/assets/../../secret.txt",
        "//../secret.txt",
        "/..\\secret.txt",
        "/sw.js%00.html",
    ],
)
def test_nothing_outside_the_folder_is_served(server: SiteServer, path: str) -> None:
    status, _, body = ask(server, path)
    assert status == 404
    assert b"outside" not in body


def test_a_link_out_of_the_folder_is_not_followed(server: SiteServer, folder: Path) -> None:
    (folder / "assets" / "link.js").symlink_to(folder.parent / "secret.txt")
    assert ask(server, "/assets/link.js")[0] == 404


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_sync_says_that_it_is_not_there(server: SiteServer, method: str) -> None:
    status, headers, body = ask(server, "/memory/sync", method)
    assert (status, headers["content-type"]) == (501, "application/json")
    if method != "HEAD":
        assert json.loads(body)["error"]["message"].endswith(".")


def test_health(server: SiteServer) -> None:
    status, _, body = ask(server, "/healthz")
    assert (status, json.loads(body)) == (200, {"status": "ok"})


def test_other_methods_are_refused(server: SiteServer) -> None:
    status, headers, _ = ask(server, "/", "POST")
    assert (status, headers["allow"]) == (405, "GET, HEAD")


def test_many_connections_at_once(server: SiteServer) -> None:
    idle = http.client.HTTPConnection("127.0.0.1", server.server_address[1])
    idle.connect()  # one that never asks must not block the others
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: ask(server, "/")[0], range(40))) == {200}
    idle.close()


def test_connections_wait_until_they_are_taken() -> None:
    """A hundred devices come at the same instant."""
    server, lines = SiteServer(None), []
    try:
        for _ in range(100):
            lines.append(socket.create_connection(("127.0.0.1", server.server_port), timeout=20))
    finally:
        for line in lines:
            line.close()
        server.server_close()
    assert len(lines) == 100


def test_a_taken_port_is_one_sentence(server: SiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert server.files is not None
    assert main([str(server.files.folder), "--port", str(server.server_address[1])]) == 1
    assert "--port 0" in capsys.readouterr().err


def test_a_folder_that_is_no_site_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--port", "0"]) == 1
    assert "not a built site" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "/" + "a" * 1000, 404),
        *((method, "/" + "a" * 5000, 414) for method in ("GET", "POST", "OPTIONS")),
        *((method, "http://[::1", 400) for method in ("GET", "POST", "OPTIONS")),
    ],
)
def test_an_address_that_is_none_is_answered(
    server: SiteServer, method: str, target: str, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10) as connection:
        connection.sendall(f"{method} {target} HTTP/1.1\r\n\r\n".encode())
        assert connection.recv(100).split()[1] == str(status).encode()


@pytest.mark.parametrize("length", ["²", "-1", "1" * 13, "9" * 12, "x"])
@pytest.mark.parametrize("path", ["/memory/sync", "/memory/head", "/healthz"])
def test_a_length_that_is_none_is_answered(tmp_path: Path, path: str, length: str) -> None:
    store = open_store(default_database(tmp_path))
    token = make_token(store, store.add_user("Ada", 1).id, 1, label="", scope="sync", expires_at=None)
    server = SiteServer(None, endpoint=Endpoint(store))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        method = "POST" if path == "/memory/sync" else "GET"
        with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10) as connection:
            head = f"{method} {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}"
            connection.sendall(f"{head}\r\n\r\n".encode("latin-1"))
            assert connection.recv(100).split()[1] in (b"400", b"413")
        assert ask(server, "/")[0] == 404  # there is no page
        assert ask(server, "/healthz")[0] == 200
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        store.close()
