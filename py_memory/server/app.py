"""The sync server and the page as one ASGI application, for uvicorn or any other ASGI server.

Needs the extra `server`. Answers are made in worker threads: the store waits for its disk.
"""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from py_memory.sync.wire import MAX_BODY_BYTES

from .endpoint import Endpoint
from .site import SiteFiles

__all__ = ["make_app"]


def make_app(endpoint: Endpoint, site: Path | None = None) -> Starlette:
    """`site`: the folder of a built page, if it is to be served as well. Raises FileNotFoundError."""
    files = SiteFiles(site) if site else None

    async def memory(request: Request) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        method, path = request.method, request.url.path
        answer = await run_in_threadpool(endpoint.admits, method, path, headers)
        if answer is None:
            body = bytearray()
            try:
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > MAX_BODY_BYTES:  # it is longer than it said
                        break
            except ClientDisconnect:
                return Response(status_code=400)
            answer = await run_in_threadpool(endpoint.handle, method, path, headers, bytes(body))
        return Response(answer.body, answer.status, answer.headers)

    async def page(request: Request) -> Response:
        if files is None:
            return Response("There is no page here.\n", 404, media_type="text/plain")
        found = await run_in_threadpool(files.answer, request.url.path, request.headers.get("if-none-match"))
        safe = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
        return Response(found.body, found.status, {**found.headers, **safe})

    methods = ["GET", "POST", "OPTIONS"]
    return Starlette(
        routes=[
            Route("/memory/{rest:path}", memory, methods=methods),
            Route("/healthz", memory, methods=methods),
            Route("/{rest:path}", page, methods=["GET"]),
        ]
    )
