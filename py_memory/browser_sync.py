"""A sync over the page's own fetch: it tells how far it is, says why a server is not reached, and can be
stopped."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Protocol

from .errors import ConflictError, SyncError
from .records import SyncReport
from .rows import sync as sync_rows
from .store import MemoryStore
from .sync.engine import Answer, Call, Pause

__all__ = ["PageSync"]

NO_ANSWER_S = 60.0
PAGE_ROWS = 1_000  # the worker does nothing else while it makes or takes in so many


class SyncBridge(Protocol):
    """What the worker offers. `syncing` is told how far a sync is, as JSON text {sent, received, left};
    `why_not` gives a promise of why a request failed."""

    def syncing(self, progress: str, /) -> None: ...

    def why_not(self, address: str, /) -> Any: ...


class PageSync:
    """One sync at a time."""

    def __init__(self, bridge: SyncBridge) -> None:
        self._bridge = bridge
        self._stopped: asyncio.Event | None = None

    def stop(self) -> None:
        """A running sync ends with SyncError "stopped"; what was acknowledged is kept."""
        if self._stopped:
            self._stopped.set()

    async def run(self, store: MemoryStore, address: str, token: str) -> SyncReport:
        """Durable before its report is given. Raises what MemoryStore.sync() raises."""
        if self._stopped:
            raise ConflictError("A sync of this memory is running already. Wait for it.")
        self._stopped = stopped = asyncio.Event()
        steps = store.sync_steps(address, page_rows=PAGE_ROWS)
        answer: Answer | None = None
        try:
            while True:
                step = steps.send(answer)
                # What was acknowledged must not be sent again by a page that closes now.
                await store.durable()
                if isinstance(step, Pause):
                    await _unless(stopped, asyncio.sleep(step.seconds))
                    answer = None
                else:
                    if step.method == "POST":
                        self._tell(store, step)
                    answer = await _unless(stopped, self._fetch(address, token, step))
        except StopIteration as end:
            report: SyncReport = end.value
            return report
        finally:
            self._stopped = None
            steps.close()

    def _tell(self, store: MemoryStore, step: Call) -> None:
        waiting = sync_rows.count_by_table(store.database, store.user_id)
        left = waiting.get("changes", 0) + waiting.get("outbox", 0)
        self._bridge.syncing(json.dumps({"sent": step.sent, "received": step.received, "left": left}))

    async def _fetch(self, address: str, token: str, call: Call) -> Answer:
        """Raises SyncError "unreachable"."""
        import js  # not at the top: a boot image cannot hold what belongs to a page
        from pyodide.ffi import JsException
        from pyodide.http import pyfetch

        controller = js.AbortController.new()
        headers = {"authorization": f"Bearer {token}", **call.headers}
        try:
            async with asyncio.timeout(NO_ANSWER_S):
                got = await pyfetch(
                    address + call.path,
                    method=call.method,
                    headers=headers,
                    credentials="omit",
                    cache="no-store",
                    redirect="error",  # the token must not follow one
                    referrerPolicy="no-referrer",
                    signal=controller.signal,
                    **({} if call.body is None else {"body": call.body}),
                )
                body = await got.bytes()
        except (JsException, OSError, TimeoutError) as error:  # pyodide's own class is an OSError
            controller.abort()
            why = "slow" if isinstance(error, TimeoutError) else str(await self._bridge.why_not(address))
            raise SyncError(
                "unreachable", "The sync server cannot be reached. What is new waits here.", why=why
            ) from None
        except BaseException:
            controller.abort()
            raise
        found = {name.lower(): value for name, value in got.headers.items()}
        return Answer(int(got.status), found, bytes(body))


async def _unless(stopped: asyncio.Event, work: Any) -> Any:
    """What comes of the work, unless it is to end before it is done."""
    task, end = asyncio.ensure_future(work), asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
        if not stopped.is_set():
            return task.result()
        raise SyncError("stopped", "The sync was stopped. Nothing is lost; it goes on where it stood.")
    finally:
        for one in (task, end):
            one.cancel()
