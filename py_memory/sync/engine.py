"""The client of a sync, free of any transport: a generator that yields calls and is sent their answers.

Each answer is taken in by one transaction, and a page is sent again until it is acknowledged. So whatever
happens between two steps (a lost request, a lost reply, a killed process) the next sync goes on where this
one stood.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from py_memory.checks import read_json
from py_memory.clock import Clock
from py_memory.database import Database
from py_memory.errors import InvalidInputError, PyMemoryError, SyncError, shown
from py_memory.records import SyncReport
from py_memory.rows import sync as rows

from .incoming import Incoming
from .outgoing import (
    Page,
    make_page,
    mark_everything,
    page_on_its_way,
    put_page,
    start_over,
    take_back_outbox,
)
from .wire import (
    MAX_PULL_BYTES,
    MAX_PULL_ROWS,
    MAX_PUSH_BYTES,
    MAX_PUSH_MUTATIONS,
    SCHEMA,
    Reply,
    SyncRequest,
    decode_reply,
    encode_request,
)

__all__ = ["Answer", "Call", "Pause", "SyncRun", "check_address"]

GZIP_FROM_BYTES = 256
GZIP_LEVEL = 4
MAX_RATIO, RATIO_FROM_BYTES = 100, 1 << 20  # a server takes what shrinks further for an attack
CLOCK_WORTH_A_WORD_MS = 120_000
MAX_PAUSES, MAX_PAUSE_S = 3, 30.0


@dataclass(frozen=True, slots=True)
class Call:
    """One HTTP request, relative to the server's address. `sent` and `received`: rows so far. `meanwhile`:
    what may be called once while the server works on its answer, so that both work at the same time."""

    method: str
    path: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    received: int = 0
    meanwhile: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for `seconds`, with a little jitter, and send None."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """Header names in small letters; the body is decompressed."""

    status: int
    headers: dict[str, str]
    body: bytes


Steps = Generator[Call | Pause, Answer | None, Any]


def check_address(url: object) -> str:
    """An http or https address without user, query or fragment. Raises InvalidInputError."""
    if isinstance(url, str) and url.isprintable() and len(url) <= 2000:
        try:
            parts = urlsplit(url)
            sound = parts.scheme in ("http", "https") and parts.hostname and parts.port is not False
        except ValueError:
            sound = False
        if sound and not (parts.query or parts.fragment or parts.username or parts.password):
            return url.rstrip("/")
    raise InvalidInputError(f"A server's address begins with https:// or http://; this is {shown(url)}.")


class _ResyncNeeded(Exception):
    """The server asks this device to begin again from the start."""


class _Forked(Exception):
    """Another copy uses this device id."""


class _TakenBack(Exception):
    """What was to be sent once more has been taken back meanwhile: something of it was forgotten."""


class _TooMuch(Exception):
    """The page is too large for the server, or for something before it. `limit`: the bytes the server says it
    takes; None if it is not the server that speaks."""

    def __init__(self, limit: int | None) -> None:
        super().__init__()
        self.limit = limit


class SyncRun:
    """One sync of one owner's memory. `owner` is the owner's id, another one after a first sync."""

    def __init__(
        self,
        db: Database,
        user_id: str,
        clock: Clock,
        *,
        undoable: Callable[[], bool],
        join: Callable[[str, dict[str, Any], str, str], None],
        backup: Callable[[], str | None],
        drop_backup: Callable[[], None],
        follow_owner: Callable[[str], None],
        done: Callable[[], None],
        page_rows: int | None = None,
    ) -> None:
        """`undoable()`: whether deletions may still be undone; `join`: see Incoming. `backup()`: writes a
        copy of the memory and returns its path, None where there is none to write; `drop_backup()` deletes
        it, since something was forgotten elsewhere. `follow_owner(id)`: the memory belongs to another owner
        from the open transaction on. `done()`: the sync ends with the open transaction. `page_rows`: the most
        rows that travel at once, each way."""
        self._db = db
        self.owner = user_id
        self._clock = clock
        self._undoable = undoable
        self._join = join
        self._backup = backup
        self._drop_backup = drop_backup
        self._follow_owner = follow_owner
        self._done = done
        self._from_server: dict[str, Any] = {}  # its address and time, to be noted
        self._requests = 0
        self._first = self._restarted = False
        self._most = page_rows or MAX_PUSH_MUTATIONS
        self._most_rows = page_rows or MAX_PULL_ROWS
        self._pauses = 0
        self._incoming: Incoming | None = None
        self._page: Page | None = None  # on its way, as it lies in the database
        self._ahead: Page | None = None  # the next one, made while the answer was waited for
        self._seen: object = None  # the database's state that both hold for

    def steps(self, url: str) -> Generator[Call | Pause, Answer | None, SyncReport]:
        """Raises SyncError. Everything that was acknowledged until then is kept."""
        head = yield from self._head()
        self._begin(url, head)
        self._from_server = {"url": url, "offset_ms": head["offset_ms"]}
        self._incoming = incoming = Incoming(self._db, self.owner, self._clock, self._drop_backup, self._join)
        while True:
            sent, request, body = self._next()
            try:
                reply = yield from self._exchange(request, body)
            except _ResyncNeeded:
                self._restart(from_start=True)
                continue
            except _Forked:
                self._restart(from_start=False)
                continue
            except _TooMuch as too_much:
                self._split(sent, len(body), too_much.limit)
                continue
            except _TakenBack:
                continue
            with self._db.transaction():
                ahead = self._ahead if self._db.state == self._seen else None
                self._page = self._ahead = None
                merely = incoming.take(reply, sent)
                more = reply.has_more or self._put_next(ahead if merely else None)
                self._seen = self._db.state
                if not more:
                    rows.set_state(self._db, self.owner, synced_at=self._clock())
                    self._done()
            if not more:
                return self._report(incoming)

    # -- steps --

    def _head(self) -> Generator[Call | Pause, Answer | None, dict[str, Any]]:
        """Who the token belongs to, and what time it is there."""
        sent_at = self._clock()
        answer = yield from self._ask(Call("GET", "/memory/head"))
        try:
            head = _object(answer.body)
            user, server_time = head["user"], head["server_time"]
            if not (isinstance(user, str) and 0 < len(user) <= 100 and user.isprintable()):
                raise ValueError
            if type(server_time) is not int or not 0 <= server_time < 1 << 48:
                raise ValueError
        except (ValueError, TypeError, KeyError) as error:
            raise _not_a_server() from error
        # The answer was written about half-way between sending and receiving.
        return {"user": user, "offset_ms": server_time - (sent_at + self._clock()) // 2}

    def _begin(self, url: str, head: dict[str, Any]) -> None:
        if rows.get_state(self._db, self.owner) is None:
            self._first = True
            backup = self._backup()
            with self._db.transaction():
                if head["user"] != self.owner:
                    if rows.is_owner(self._db, head["user"]):
                        raise SyncError(
                            "other_user",
                            "This file holds the memory of another owner beside this one, and the token "
                            "belongs to that one. Open the memory as that owner, or use another token.",
                        )
                    rows.change_owner(self._db, self.owner, head["user"], self._clock())
                rows.start_state(self._db, head["user"], os.urandom(8).hex(), url)
                rows.set_state(self._db, head["user"], backup=backup)
                mark_everything(self._db, head["user"])
                before = self.owner
                self._db.on_rollback(lambda: self._follow_owner(before))
                self._follow_owner(head["user"])
            self.owner = head["user"]
        elif head["user"] != self.owner:
            raise SyncError(
                "other_user",
                "This token belongs to another user than the one this memory was synced with. Nothing was "
                "sent; use a token of the same user.",
            )

    def _next(self) -> tuple[list[dict[str, Any]], SyncRequest, bytes]:
        """The page that is on its way already, else the next one: its mutations, the request, its body."""
        with self._db.transaction():
            page = self._page if self._db.state == self._seen else None
            self._ahead = None
            if self._from_server:  # with the first page: each transaction waits for the disk
                rows.set_state(self._db, self.owner, **self._from_server)
                rows.retry_rejected(self._db, self.owner, "too_large", self._clock())
                self._from_server = {}
            rows.note_times(self._db, self._clock())
            state = rows.get_state(self._db, self.owner)
            assert state is not None
            if state.resyncing:  # first what is there, then what to add to it
                page = None
            elif page is None:
                self._put_next()
                page = self._page
            self._page, self._seen = page, self._db.state
        cursor = None if state.epoch is None else (state.epoch, state.cursor)
        sent, payloads = (page.mutations, page.payloads) if page else ([], [])
        device = page.device if page else state.device
        request = SyncRequest(SCHEMA, device, cursor, state.acked_n, self._most_rows, MAX_PULL_BYTES, sent)
        return sent, request, encode_request(request, payloads)

    def _put_next(self, ahead: Page | None = None) -> bool:
        """Makes a page be on its way, unless one is; in the transaction that takes the last one in. Returns
        whether there is one. `ahead`: the next page, if it has been made."""
        rows.note_times(self._db, self._clock())
        page = None if ahead else page_on_its_way(self._db, self.owner)
        if page is None:
            page = ahead or self._made()
            if page is not None:
                put_page(self._db, self.owner, page, self._clock())
        self._page = page if page and page.mutations else None
        return self._page is not None

    def _made(self) -> Page | None:
        return make_page(
            self._db,
            self.owner,
            self._clock(),
            undoable=self._undoable(),
            most=self._most,
            most_bytes=MAX_PUSH_BYTES,
        )

    def _make_ahead(self) -> None:
        """The next page, while the server works on this one. It leaves only if nothing has changed here by
        the time of an answer that merely acknowledges, and stands on nothing that is acknowledged then."""
        page = self._page
        if page is None or self._ahead is not None or self._db.state != self._seen:
            return
        ahead = None
        with suppress(PyMemoryError):  # what it is will be said when the page has to be made
            ahead = self._made()
        sent = {(mutation["kind"], mutation["id"]) for mutation in page.mutations}
        if ahead is not None and ahead.mutations and sent.isdisjoint(ahead.left):
            self._ahead = ahead

    def _restart(self, *, from_start: bool) -> None:
        """A new device id, so that numbers begin anew; what was on its way is noted again. `from_start`: all
        rows are read again first, and what the server does not have is sent to it."""
        if self._restarted:
            raise SyncError(
                "failed", "The server keeps asking to start over. Nothing is lost; try again later."
            )
        self._restarted = True
        backup = self._backup() if from_start else None
        with self._db.transaction():
            state = rows.get_state(self._db, self.owner)
            assert state is not None
            start_over(self._db, self.owner, self._clock())
            if from_start:
                rows.set_state(
                    self._db,
                    self.owner,
                    epoch=None,
                    cursor=0,
                    resyncing=True,
                    pass_=state.pass_ + 1,
                    backup=backup or state.backup,
                )

    def _split(self, sent: list[dict[str, Any]], size: int, limit: int | None) -> None:
        """Half the page next time. One row that alone is over the server's limit is set aside, for the user
        to see, until the next sync; what anything else finds too large waits."""
        if not sent:
            raise SyncError("failed", "The server finds an empty request too large. Nothing is lost.")
        if len(sent) == 1 and (limit is None or size <= limit):
            raise SyncError(
                "too_large",
                f"Something between this device and the server refuses a request of {size:,} bytes as too "
                "large. Nothing is lost, what is new waits here; ask who runs the server or the network.",
            )
        with self._db.transaction():
            if rows.outgoing(self._db, self.owner) != sent:
                return  # taken back meanwhile
            if len(sent) == 1:
                rows.reject(self._db, self.owner, sent[0], "too_large", self._clock())
                rows.drop_outgoing(self._db, self.owner)
            else:
                take_back_outbox(self._db, self.owner, self._clock())
            rows.set_state(self._db, self.owner, next_n=sent[0]["n"])
        self._page = None
        self._most = max(1, len(sent) // 2)

    def _exchange(self, request: SyncRequest, body: bytes) -> Generator[Call | Pause, Answer | None, Reply]:
        headers = {"content-type": "application/json"}
        if len(body) >= GZIP_FROM_BYTES:
            packed = _gzipped(body)
            if len(body) <= max(RATIO_FROM_BYTES, MAX_RATIO * len(packed)):
                body = packed
                headers["content-encoding"] = "gzip"
        counts = self._incoming.counts if self._incoming else {}
        so_far = counts.get("pushed", 0), counts.get("pulled", 0)
        meanwhile = self._make_ahead if self._page and self._page.full else None
        call = Call("POST", "/memory/sync", body, headers, *so_far, meanwhile)
        answer = yield from self._ask(call, request.device)
        try:
            reply = decode_reply(answer.body)
        except InvalidInputError as error:
            raise _not_a_server() from error
        before = -1 if request.cursor is None else request.cursor[1]
        acknowledged = bool(request.push) and reply.last_n >= request.push[0]["n"]
        if (reply.has_more or request.push) and reply.cursor <= before and not acknowledged:
            raise SyncError(
                "failed", "The server's answer leads no further. Nothing is lost; try again later."
            )
        if reply.user != self.owner or reply.cursor < (request.cursor or ("", 0))[1]:
            raise SyncError(
                "failed", "The server's answer belongs to another request; nothing was taken from it."
            )
        return reply

    def _ask(self, call: Call, device: str | None = None) -> Generator[Call | Pause, Answer | None, Answer]:
        """`device`: whose changes the call carries."""
        while True:
            self._requests += 1
            answer = yield call
            if answer is None:
                raise TypeError("a call needs an answer")
            if answer.status == 200:
                self._pauses = 0  # it goes on: a long sync may be asked to wait now and then
                return answer
            seconds = self._refused(answer)
            yield Pause(seconds)
            if device is not None and not self._is_device(device):
                raise _TakenBack

    def _is_device(self, device: str) -> bool:
        state = rows.get_state(self._db, self.owner)
        return state is not None and state.device == device

    def _refused(self, answer: Answer) -> float:
        """Seconds to wait before asking again. Raises what ends or changes the sync."""
        status, said = answer.status, _said(answer)
        if status == 410:
            raise _ResyncNeeded
        if status == 409 and said.get("name") == "DeviceForked":
            raise _Forked
        if status == 413:
            limit = said.get("max_bytes") if said.get("name") == "TooLarge" else None
            raise _TooMuch(limit if type(limit) is int else None)
        if status in (429, 503):
            state = rows.get_state(self._db, self.owner)
            now = self._clock() + (state.offset_ms if state else 0)
            wait = _seconds(answer.headers.get("retry-after"), answer.headers.get("date"), now)
            self._pauses += 1
            if wait <= MAX_PAUSE_S and self._pauses <= MAX_PAUSES:
                return wait
            raise SyncError(
                "busy", f"The server asks to wait {wait:.0f} s. What is new goes out later.", wait
            )
        code, sentence = _SENTENCES.get(status, _OTHER)
        if not said and status not in _SENTENCES:
            raise _not_a_server()
        raise SyncError(code, f"{sentence} ({said['message']})" if said.get("message") else sentence)

    def _report(self, incoming: Incoming) -> SyncReport:
        state = rows.get_state(self._db, self.owner)
        assert state is not None
        counts = incoming.counts
        return SyncReport(
            user_id=self.owner,
            first=self._first,
            restarted=self._restarted,
            requests=self._requests,
            pushed=counts["pushed"],
            pulled=counts["pulled"],
            conflicts=counts["conflicts"],
            disputed=counts["disputed"],
            rejected=counts["rejected"],
            forgotten=tuple(incoming.forgotten),
            waiting=rows.count_by_table(self._db, self.owner),
            clock_offset_ms=state.offset_ms,
            clock_note=_clock_note(state.offset_ms),
            backup=state.backup,
        )


_SENTENCES = {
    400: (
        "failed",
        "The server does not understand this program's request. Nothing is lost; update the program.",
    ),
    401: (
        "unauthorized",
        "The server does not accept the token: it is wrong or has expired. Nothing is lost.",
    ),
    403: (
        "forbidden",
        "This device may no longer sync: its token was revoked or only reads. Nothing is lost.",
    ),
    426: ("update_needed", "The server needs a newer version of this program. What is new waits here."),
    507: ("quota", "The room on the server is used up. What is new waits here; what is there still arrives."),
}
_OTHER = ("failed", "The server failed. Nothing is lost; try again later.")


def _not_a_server() -> SyncError:
    return SyncError(
        "not_a_server",
        "What answers at this address is not a sync server, or something between changed its answer. Nothing "
        "was taken from it; check the address.",
    )


def _said(answer: Answer) -> dict[str, Any]:
    try:
        error = _object(answer.body)["error"]
        said = {name: _printable(str(error[name])) for name in ("name", "message")}
        return {**said, "max_bytes": error.get("max_bytes")}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}


def _printable(said: str) -> str:
    """Nothing that could steer a terminal."""
    return "".join(c for c in said[:300] if c.isprintable())


def _gzipped(body: bytes) -> bytes:
    """Not by the module of that name, which the page does not carry."""
    deflater = zlib.compressobj(GZIP_LEVEL, wbits=31)
    return deflater.compress(body) + deflater.flush()


def _object(body: bytes) -> Any:
    """Raises ValueError for what is no JSON, or nested too deeply."""
    try:
        return read_json(body.decode("utf-8"), depth=8)
    except InvalidInputError as error:
        raise ValueError from error


def _seconds(header: str | None, date: str | None, now: int) -> float:
    """What Retry-After says (RFC 9110, section 10.2.3), a number of seconds or a date: then after the
    answer's own date, or after `now` (ms) where it has none."""
    if header and header.isascii() and header.isdigit() and len(header) < 7:
        return float(header)
    until, since = _time_of(header), _time_of(date)
    if until is None:
        return 1.0
    return min(max(until - (now / 1000 if since is None else since), 1.0), 999_999.0)


def _time_of(date: str | None) -> float | None:
    """Seconds since 1970 of a date in a header; None for anything else."""
    from email.utils import parsedate_to_datetime  # rarely needed, and large

    try:
        return parsedate_to_datetime(date).timestamp() if date else None
    except (ValueError, TypeError, OverflowError):
        return None


def _clock_note(offset_ms: int) -> str:
    if abs(offset_ms) < CLOCK_WORTH_A_WORD_MS:
        return ""
    side = "behind" if offset_ms > 0 else "ahead of"
    return (
        f"This device's clock is {abs(offset_ms) / 60_000:,.0f} minutes {side} the server's. Changes are "
        "ordered by the server's time; set the clock right so that dates in the memory are right too."
    )
