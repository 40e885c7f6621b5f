"""The sync server and the page as one ASGI application, for uvicorn or any other ASGI server.

Needs the extra `server`. Answers are made in worker threads: the store waits for its disk.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from py_memory.sync.wire import MAX_BODY_BYTES

from .endpoint import PUBLIC_PATHS, Endpoint
from .site import SiteFiles

__all__ = ["make_app"]

BODY_WAIT_S = 60.0


def make_app(endpoint: Endpoint, site: Path | None = None, *, body_wait_s: float = BODY_WAIT_S) -> Starlette:
    """`site`: the folder of a built page, if it is to be served as well. A body that takes longer than
    `body_wait_s` seconds is not waited for. Raises FileNotFoundError."""
    files = SiteFiles(site) if site else None

    async def memory(request: Request) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        method, path = request.method, request.url.path
        answer = await run_in_threadpool(endpoint.admits, method, path, headers)
        if answer is None:
            body = bytearray()
            try:
                async with asyncio.timeout(body_wait_s):
                    async for chunk in request.stream():
                        body += chunk
                        if len(body) > MAX_BODY_BYTES:  # it is longer than it said
                            break
            except ClientDisconnect:
                return Response(status_code=400)
            except TimeoutError:  # nothing of the store was held meanwhile
                return Response(status_code=408, headers={"Connection": "close"})
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
            *(Route(path, memory, methods=methods) for path in PUBLIC_PATHS),
            Route("/{rest:path}", page, methods=["GET"]),
        ]
    )
