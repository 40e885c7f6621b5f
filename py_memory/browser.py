"""The edge to the page: requests of the worker come in as JSON text and answers leave as JSON text.

It makes nothing durable itself: the worker saves the pages that a request has changed, and
`MemoryStore.durable` waits for that.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol
from urllib.parse import urlsplit

from .agent import ChatAgent
from .browser_sync import PageSync
from .database import open_block_file
from .distilling import Distiller
from .errors import (
    ImportRefusedError,
    IncognitoEndedError,
    InvalidInputError,
    ModelError,
    PyMemoryError,
    SyncError,
)
from .formats.own_files import read_rows
from .incognito import IncognitoStore
from .models.failures import failure, sentence
from .models.offline import OfflineAssistant
from .models.page import Chosen, PageBridge, PageModel, Unusable
from .recall import index
from .records import Message, Receipt, Record
from .rows import stats
from .store import MemoryStore
from .sync.engine import check_address

if TYPE_CHECKING:
    from .formats.chat_job import ChatJob
    from .models.openai import OpenAIModel

__all__ = ["ChatReader", "Host", "look_into", "read_chats", "read_file", "start"]

# They take paths, hand out context managers or belong to the host.
NOT_FOR_THE_PAGE = {
    "action",
    "begin_import",
    "close",
    "compact",
    "connect_embedder",
    "durable",
    "embed_waiting",
    "export_pieces",
    "export_to",
    "idle_work",
    "import_chats",
    "import_file",
    "import_rows",
    "sync_steps",
    "undo_sync",
    "next_reading",
    "preview_import",
    "skip_reading",
    "take_reading",
    "prepare_recall",
}


PART_CHARACTERS = 1 << 19  # of what crosses at once: then others have their turn


class Bridge(PageBridge, Protocol):
    """What the worker offers. `durable` gives a promise of whether it worked; `chat` takes an event of a
    round as JSON text; `syncing` how far a sync is; `why_not` gives a promise of why a request failed, by its
    code in failures.py."""

    def durable(self) -> Any: ...

    def chat(self, event: str, /) -> None: ...

    def syncing(self, progress: str, /) -> None: ...

    def why_not(self, address: str, /) -> Any: ...


class PageStore(MemoryStore):
    """Notes until when (ms) the deletions made through it can be undone: then their traces must go."""

    forgotten_until = 0

    def forget(self, **kwargs: Any) -> Receipt:
        return self._noted(super().forget(**kwargs))

    def delete_session(self, session_id: str, **kwargs: Any) -> Receipt:
        return self._noted(super().delete_session(session_id, **kwargs))

    def cleanup_old_messages(self, days: int = 30, *, delete: bool = False) -> Receipt:
        receipt = super().cleanup_old_messages(days, delete=delete)
        return self._noted(receipt) if delete else receipt

    def reject_fact(self, id: str, **kwargs: Any) -> Receipt:
        return self._noted(super().reject_fact(id, **kwargs))

    def reject_experience(self, id: str) -> Receipt:
        return self._noted(super().reject_experience(id))

    def _forgotten_elsewhere(self) -> None:
        super()._forgotten_elsewhere()
        self.forgotten_until = max(self.forgotten_until, self.clock())  # nobody here can take it back

    def _noted(self, receipt: Receipt) -> Receipt:
        self.forgotten_until = max(self.forgotten_until, receipt.undo_until)
        return receipt


class Host:
    """The open memory of one page. All texts are JSON: {"value": …} or {"error": {"name", "message"}}."""

    def __init__(self, path: str, bridge: Bridge) -> None:
        self._bridge = bridge
        self._rounds: dict[str, asyncio.Event] = {}
        self._incognito: dict[str, IncognitoStore] = {}
        self._agents: dict[str, ChatAgent] = {}  # of incognito chats
        self._disputed = False
        self._reading: asyncio.Event | None = None  # set to stop what the model reads in idle time
        self._imports: dict[str, ChatJob] = {}
        self._syncs = PageSync(bridge)
        self._chosen = Chosen(OfflineAssistant())
        self._open(path)

    def _open(self, path: str) -> None:
        self._store = PageStore(open_block_file(path))
        self._store.durable = self._durable
        self._agent = ChatAgent(self._store, self._chosen)
        self._distiller = Distiller(self._store, self._chosen)
        for chat in self._incognito.values():
            chat.base = self._store

    async def _durable(self) -> bool:
        return bool(await self._bridge.durable())

    def dispatch(self, method: str, kwargs: str, request_id: str) -> str | Coroutine[Any, Any, str]:
        """Runs a public method of the store; chat_round, a coroutine, runs a round of the agent. The argument
        `incognito` names the incognito chat for which it is."""
        arguments = json.loads(kwargs)
        incognito = arguments.pop("incognito", None)
        if method == "sync":
            return self._sync(self._store_of(incognito), arguments)
        if method == "chat_round":
            return self._chat(arguments, request_id, incognito)
        return answer(lambda: self._method(method, self._store_of(incognito))(**arguments))

    def use_model(self, settings: str) -> None:
        """Who answers from the next round on: {"kind": "offline"}, {"kind": "server", "address", "model",
        "key"}, or {"kind", "name"} of a model that a page runs, "device" or "browser"."""
        choice = json.loads(settings)
        kind = choice["kind"]
        if kind == "server":
            try:
                self._chosen.model = self._server(choice)
            except PyMemoryError as error:
                self._chosen.model = Unusable(error)
        elif kind in ("device", "browser"):
            self._chosen.model = PageModel(self._bridge, choice.get("name") or kind)
        else:
            self._chosen.model = OfflineAssistant()
        self._distiller = Distiller(self._store, self._chosen)

    async def read_along(self) -> str:
        """One step of what a model does in idle time (see Distiller), never of an incognito chat: "read",
        "nothing" where nothing is due, "stopped", or "failed" where the model cannot be used."""
        if isinstance(self._chosen.model, OfflineAssistant | Unusable) or self._reading:
            return "nothing"
        self._reading = stopped = asyncio.Event()
        try:
            if await self._distiller.step(stopped) is not None:
                return "read"
            return "stopped" if stopped.is_set() else "nothing"
        except Exception:  # a round tells the user what is wrong with the model
            return "failed"
        finally:
            self._reading = None

    def stop_reading(self) -> None:
        """Somebody waits for the model, or for the memory."""
        if self._reading:
            self._reading.set()

    async def probe_model(self, server: str) -> str:
        """The models of a server {"address", "key", "language"}, which is asked for them now."""
        settings = json.loads(server)
        try:
            found = await self._server(settings).list_models()
            if not found:
                raise failure("no_models", server=urlsplit(settings["address"]).netloc)
            return json.dumps({"value": plain(found)})
        except ModelError as error:
            told = sentence(error, settings["language"])
            return json.dumps({"error": {"name": type(error).__name__, "message": told}})
        except Exception as error:
            return json.dumps({"error": described(error)})

    def _server(self, settings: Mapping[str, Any]) -> OpenAIModel:
        from .browser_fetch import FetchTransport  # most starts need none of it
        from .models.openai import OpenAIModel

        name, key = settings.get("model"), settings.get("key")
        transport = FetchTransport(explain=self._bridge.why_not)
        return OpenAIModel(settings["address"], name, key=key, transport=transport)

    def open_incognito(self, id: str) -> str:
        """Begins an incognito chat; it is the one session of a store of its own, and lives until it is closed
        or this host is."""

        def run() -> Any:
            chat = self._incognito.get(id)
            if chat is None:
                chat = IncognitoStore(self._store)
                try:
                    session = chat.create_session(id=id)
                except BaseException:
                    chat.close()
                    raise
                self._incognito[id] = chat
                return session
            return chat.get_session(id)

        return answer(run)

    def close_incognito(self, id: str) -> None:
        self._agents.pop(id, None)
        if chat := self._incognito.pop(id, None):
            chat.close()

    def _store_of(self, incognito: str | None) -> MemoryStore:
        if incognito is None:
            return self._store
        chat = self._incognito.get(incognito)
        if chat is None:
            raise IncognitoEndedError(incognito)
        return chat

    @staticmethod
    def _method(name: str, store: MemoryStore) -> Callable[..., Any]:
        hidden = name.startswith("_") or name in NOT_FOR_THE_PAGE
        if hidden or not callable(getattr(MemoryStore, name, None)):
            raise InvalidInputError(f"There is no operation {name!r} that a page can call.")
        method: Callable[..., Any] = getattr(store, name)
        return method

    async def _chat(self, kwargs: dict[str, Any], request_id: str, incognito: str | None) -> str:
        cancel = self._rounds[request_id] = asyncio.Event()
        chat = {"incognito": incognito} if incognito else {}

        def report(event: Mapping[str, Any]) -> None:
            self._bridge.chat(json.dumps({**plain(event), "request_id": request_id, **chat}))

        try:
            message = await self._round(self._agent_of(incognito), kwargs, request_id, report, cancel)
            return json.dumps({"value": plain(message)}, allow_nan=False)
        except Exception as error:
            return json.dumps({"error": described(error)})
        finally:
            del self._rounds[request_id]

    async def _sync(self, store: MemoryStore, kwargs: Mapping[str, Any]) -> str:
        """MemoryStore.sync() over the page's own fetch."""
        try:
            address, token = check_address(kwargs.get("url")), str(kwargs.get("token", ""))
            report = await self._syncs.run(store, address, token)
            return json.dumps({"value": plain(report)}, allow_nan=False)
        except Exception as error:
            return json.dumps({"error": described(error)})

    def stop_sync_now(self) -> None:
        """A running sync ends after its present step."""
        self._syncs.stop()

    def undo_sync(self, path: str, batches: Iterable[str]) -> str:
        """Makes the copy of this memory at `path` what it was before its first sync, with syncing off:
        batches of read_file() of the state from then. Returns the report."""

        def run() -> Mapping[str, Any]:
            copy = MemoryStore(open_block_file(path), user_id=self._store.user_id)
            try:
                copy.stop_sync()
                return copy.import_rows(map(json.loads, batches), mode="replace")
            finally:
                copy.close()

        return answer(run)

    @staticmethod
    async def _round(
        agent: ChatAgent,
        kwargs: Mapping[str, Any],
        request_id: str,
        report: Callable[[Mapping[str, Any]], None],
        cancel: asyncio.Event,
    ) -> Message:
        """`again` names an answer to be given anew, `instead_of` a message that this one is an edit of."""
        if again := kwargs.get("again"):
            return await agent.regenerate(again, message_id=request_id, on_event=report, cancel=cancel)
        return await agent.chat_round(
            kwargs.get("session_id"),
            kwargs.get("text", ""),
            message_id=request_id,
            instead_of=kwargs.get("instead_of"),
            on_event=report,
            cancel=cancel,
        )

    def _agent_of(self, incognito: str | None) -> ChatAgent:
        """One agent for each store: it knows which rounds run."""
        if incognito is None:
            return self._agent
        if incognito not in self._agents:
            self._agents[incognito] = ChatAgent(self._store_of(incognito), self._chosen)
        return self._agents[incognito]

    def cancel(self, request_id: str) -> bool:
        """Asks a running chat round to stop. False when there is none."""
        cancel = self._rounds.get(request_id)
        if cancel is None:
            return False
        cancel.set()
        return True

    def in_transaction(self) -> bool:
        return self._store.database.in_transaction

    def take_forgotten(self) -> int:
        """Until when (ms) what was forgotten since the last call can be undone; 0 if nothing was."""
        until, self._store.forgotten_until = self._store.forgotten_until, 0
        if until:  # nor may an incognito chat go on knowing it
            for chat in self._incognito.values():
                chat.refresh()
        return until

    def idle_work(self, budget_ms: int) -> bool:
        """One slice of housekeeping. True if there is more to do."""
        before = self._store.count_waiting()
        more = bool(self._store.idle_work(budget_ms))
        self._disputed = self._disputed or before != self._store.count_waiting()
        return more

    def take_disputed(self) -> bool:
        """Whether housekeeping has put facts to the user since the last call."""
        disputed, self._disputed = self._disputed, False
        return disputed

    def check(self) -> str:
        """SQLite's quick check as a JSON list of problems."""
        return json.dumps(self._store.database.integrity_check(quick=True))

    def compare(self, path: str) -> str:
        """What an older state of this memory, in the block file at `path`, holds, and what has come since:
        {messages, facts, newer: {messages, facts}}, facts being current ones. The file is not used again."""

        def run() -> Mapping[str, Any]:
            older = MemoryStore(open_block_file(path), user_id=self._store.user_id)
            try:
                return stats.compared(self._store.database, older.database, self._store.user_id)
            finally:
                older.close()

        return answer(run)

    def optimize(self) -> None:
        """Rewrites the search index, in which deleted words would otherwise linger."""
        with self._store.database.transaction():
            index.optimize(self._store.database)

    def image(self, path: str) -> None:
        """Writes a compact copy of the memory."""
        self._store.database.image_to(path)

    def export_image(self, path: str, session_id: str | None = None) -> str:
        """Writes the file the user gets: compact and without what only synchronisation needs."""
        return answer(lambda: self._store.export_to(path, session_id=session_id))

    def export_text(self, options: str, emit: Callable[[str], None]) -> str:
        """Emits the memory as text, in parts: `options` are those of MemoryStore.export_text()."""

        def run() -> None:
            part: list[str] = []
            size = 0
            with self._store.database.transaction():
                for piece in self._store.export_pieces(**json.loads(options)):
                    part.append(piece)
                    size += len(piece)
                    if size >= PART_CHARACTERS:
                        emit("".join(part))
                        part, size = [], 0
            emit("".join(part))

        return answer(run)

    def import_into(self, path: str, batches: Iterable[str], mode: str) -> str:
        """Adds rows to the copy of this memory at `path`: batches of read_file(). Returns the report."""

        def run() -> Mapping[str, Any]:
            copy = MemoryStore(open_block_file(path), user_id=self._store.user_id)
            try:
                return copy.import_rows(map(json.loads, batches), mode=mode)
            finally:
                copy.close()

        return answer(run)

    def begin_import(self, id: str, product: str) -> None:
        """An import of what a ChatReader reads, by the name `id`."""
        self._imports[id] = self._store.begin_import(product=product)

    def add_entries(self, id: str, entries: str) -> str:
        """Adds some of them, a JSON list, in one transaction; gives {conversations, messages} so far."""
        from .formats.entries_json import entry_from_json

        return answer(lambda: self._imports[id].add(map(entry_from_json, json.loads(entries))))

    def end_import(self, id: str, how: str) -> str:
        """Gives the report. `how`: "done", "cancelled" (what was added stays) or "failed" (it is taken
        back)."""
        job = self._imports.pop(id)

        def run() -> Mapping[str, Any]:
            job.finish(cancelled=how != "done")
            if how == "failed" and (operation := job.report["operation_id"]):
                self._store.undo(operation)
            return job.report

        return answer(run)

    def adopt(self, path: str) -> None:
        """Goes on with the file at `path`, imports as well. No chat round may be running."""
        self._store.close()
        self._open(path)
        for job in self._imports.values():
            job.go_on_in(self._store.begin_import())

    def close(self) -> None:
        self._store.close()


def start(path: str, bridge: Bridge) -> Host:
    """Opens the memory in the block file at `path`, made if missing. Raises what MemoryStore raises."""
    return Host(path, bridge)


def read_file(path: str, emit: Callable[[str], None]) -> str:
    """Reads a file that nobody trusts and emits its rows in batches of JSON text."""

    def run() -> None:
        for batch in read_rows(Path(path)):
            emit(json.dumps(batch, default=_refuse))

    return answer(run)


def look_into(files: str, note: Callable[[int, int], None]) -> str:
    """What an import of the files, a JSON list of [path, name], would bring; see
    MemoryStore.preview_import(). `note` is told the bytes read so far, and of how many."""
    from .formats.chat_job import preview
    from .formats.sources import open_sources

    def run() -> Mapping[str, Any]:
        with open_sources(json.loads(files)) as source:
            done = 0

            def read(size: int) -> None:
                nonlocal done
                done += size
                note(done, source.size)

            return preview(source, read)

    return answer(run)


def read_chats(files: str, options: str, note: Callable[[int, int], None]) -> ChatReader:
    """Reads what look_into() has seen. `options`: {only: [id] or null, memories: bool}."""
    return ChatReader(json.loads(files), json.loads(options), note)


class ChatReader:
    """Other products' exports, some entries at a time, so that whoever adds them sets the pace."""

    def __init__(
        self, files: list[tuple[str, str]], options: Mapping[str, Any], note: Callable[[int, int], None]
    ) -> None:
        self._files, self._options, self._note = files, options, note
        self._parts = self._read()

    def next(self) -> str:
        """{entries, done}: the next ones, as JSON texts for Host.add_entries(). Raises nothing; an error ends
        it."""
        return answer(lambda: next(self._parts))

    def _read(self) -> Iterator[Mapping[str, Any]]:
        from .formats.chat_job import chosen_entries
        from .formats.entries_json import entry_to_json
        from .formats.sources import open_sources

        only = self._options.get("only")
        with open_sources(self._files) as source:
            done = 0

            def count(read: int) -> None:
                nonlocal done
                done += read
                self._note(done, source.size)

            found = chosen_entries(
                source,
                only=None if only is None else frozenset(only),
                memories=self._options.get("memories") is not False,
                read=count,
            )
            part: list[str] = []
            size = 0
            for entry in found:
                part.append(entry_to_json(entry))
                size += len(part[-1])
                if size >= PART_CHARACTERS:
                    yield {"entries": part, "done": False}
                    part, size = [], 0
            yield {"entries": part, "done": True}


def _refuse(value: object) -> NoReturn:
    raise ImportRefusedError(f"The file holds a value of a kind no memory holds: {type(value).__name__}.")


def answer(run: Callable[[], Any]) -> str:
    try:
        return json.dumps({"value": plain(run())}, allow_nan=False)
    except Exception as error:
        return json.dumps({"error": described(error)})


def described(error: Exception) -> dict[str, Any]:
    code = getattr(error, "code", "")
    named: dict[str, Any] = {"name": type(error).__name__, "message": str(error)}
    if isinstance(error, SyncError):
        named |= {"code": code, "why": error.why, "retry_after": error.retry_after}
    return {**named, "code": code} if isinstance(error, ImportRefusedError) and code else named


def plain(value: Any) -> Any:
    """Records, wherever they are, as JSON-ready mappings."""
    if isinstance(value, Record):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(item) for item in value]
    return value
