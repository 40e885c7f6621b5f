"""How requests to a model server travel from the page: fetch, which streams.

It says less than a socket about what went wrong: no network, a server that is not there, one that takes no
requests from pages, a missing permission and the page's own policy are all one TypeError. A page that can
find out more tells it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from .errors import ModelError
from .models.address import network_of
from .models.failures import failure

__all__ = ["FetchTransport"]


class FetchTransport:
    """A Transport. `origin` is the page's, for telling whom the server must let in; by default the one that
    this runs in. `explain` finds out why a request to an address failed: it gives the code of a failure, or
    "" where it cannot tell."""

    def __init__(
        self, origin: str | None = None, explain: Callable[[str], Awaitable[str]] | None = None
    ) -> None:
        self._origin, self._explain = origin, explain

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> FetchResponse:
        import js  # not at the top: a boot image cannot hold what belongs to a page
        from pyodide.ffi import JsException, to_js

        server = urlsplit(url).netloc
        space = network_of(urlsplit(url).hostname or "")
        controller = js.AbortController.new()
        options: dict[str, Any] = {
            "method": method,
            "headers": dict(headers),
            "signal": controller.signal,
            "redirect": "manual",  # the key must not follow one, and fetch does not say where one leads
            "credentials": "omit",
            "cache": "no-store",
            "referrerPolicy": "no-referrer",
        }
        if body:
            options["body"] = body.decode("utf-8")
        if space:  # Local Network Access: without it an https page may not ask a server on http
            options["targetAddressSpace"] = space
        try:
            found = await js.fetch(url, to_js(options, dict_converter=js.Object.fromEntries))
        except JsException:
            code = await self._explain(url) if self._explain else ""
            raise self._unreachable(server, space, code) from None
        except BaseException:
            controller.abort()
            raise
        if found.type == "opaqueredirect":
            controller.abort()
            raise failure("redirected_elsewhere", server=server)
        return FetchResponse(found, controller, server)

    def _unreachable(self, server: str, space: str | None, code: str) -> ModelError:
        import js

        origin = self._origin or str(js.location.origin)
        if not code and space:
            code = "blocked_local"
        elif not code:
            code = "offline" if js.navigator.onLine is False else "blocked"
        return failure(code, server=server, origin=origin)


class FetchResponse:
    def __init__(self, found: Any, controller: Any, server: str) -> None:
        self._controller, self._server = controller, server
        self._reader = found.body.getReader() if found.body else None
        self.status = int(found.status)
        names = ("content-type", "retry-after")  # what the client asks for; more a server need not show
        values = {name: found.headers.get(name) for name in names}
        self.headers: Mapping[str, str] = {name: value for name, value in values.items() if value}

    async def read(self) -> bytes:
        from pyodide.ffi import JsException

        if self._reader is None:
            return b""
        try:
            piece = await self._reader.read()
        except JsException:
            raise failure("interrupted", server=self._server) from None
        if piece.done:
            return b""
        data: bytes = piece.value.to_bytes()
        return data

    def close(self) -> None:
        self._controller.abort()
