"""Vectors from an embedder that somebody connects: a cache beside the texts, which stay the truth.

Vectors of messages are made in idle time, a bounded number at once, with no transaction open. Whatever an
embedder does (it raises, answers late, is cancelled, gives too few numbers, or none that are finite), words
alone find what they found before; it is left alone for a minute and state() says why.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import OrderedDict
from collections.abc import Coroutine, Iterable, Sequence
from itertools import islice
from typing import Any

from .clock import Clock
from .database import Database
from .errors import InvalidInputError, shown
from .extraction.secrets import secret_spans
from .recall.vectors import MOST_EMBEDDED, Meaning, pack, text_hash
from .records import Embedder, EmbedderState
from .rows import embeddings as rows
from .text import clean

__all__ = ["Embedding"]

RETRY_MS = 60_000  # an embedder that failed is left alone for so long
MOST_WAIT_MS = 3_600_000  # a text on which it fails alone is tried again after a minute, two, … an hour
QUESTION_S = 2.0  # what an embedder may take for a question before recall goes on without it …
BATCH_S = 30.0  # … and for a batch of messages
MOST_AT_ONCE = 32  # texts
WINDOW = 200  # messages looked at between two looks at the clock
MAX_NAME_CHARACTERS = 200
_QUESTIONS_KEPT = 16
_OTHERS_AT_ONCE = 500  # vectors of other models deleted in one step


class _Failed(Exception):
    """`problem` is one of EmbedderState's."""

    def __init__(self, problem: str, detail: str = "") -> None:
        super().__init__(detail)
        self.problem = problem
        self.detail = detail


class Embedding:
    """One owner's vectors. Without an embedder every method does nothing."""

    def __init__(self, db: Database, user_id: str, clock: Clock) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self.connect(None)

    def connect(self, embedder: Embedder | None) -> None:
        """Raises InvalidInputError for what is no embedder."""
        name = getattr(embedder, "name", None)
        if embedder is not None and not (
            isinstance(name, str) and 0 < len(name) <= MAX_NAME_CHARACTERS and clean(name)[0] == name
        ):
            raise InvalidInputError(
                f"An embedder's name is a text of 1 to {MAX_NAME_CHARACTERS} characters, not {shown(name)}."
            )
        if embedder is not None and not callable(getattr(embedder, "embed", None)):
            raise InvalidInputError("An embedder has a method embed(texts) that gives one vector for each.")
        self._embedder = embedder
        self._name = name or ""
        self._waits = inspect.iscoroutinefunction(getattr(embedder, "embed", None))
        self._dims: int | None = None
        self._asked: OrderedDict[str, Meaning] = OrderedDict()
        self._problem: _Failed | None = None
        self._retry_at = 0
        self._at_once = 1
        # (id, hash) of texts that failed alone → when to try again, 0 for now, and how long it waited (ms)
        self._passed_over: dict[tuple[str, str], tuple[int, int]] = {}
        self.look_again()

    def look_again(self) -> None:
        """Rows have come back or from elsewhere: every message is looked at once more."""
        # Newer messages go first, upward from _high; then what was there, downward from _low.
        self._high = self._low = rows.last_message(self._db) if self._embedder else 0
        self._changed: set[int] = set()  # seq

    def state(self) -> EmbedderState | None:
        if self._embedder is None:
            return None
        return EmbedderState(
            self._name,
            self._dims,
            rows.count_embedded(self._db, self._user, self._name),
            self._finished(),
            len(self._passed_over),
            self._problem.problem if self._problem else None,
            self._problem.detail if self._problem else "",
            self._retry_at if self._problem else None,
        )

    def changed(self, message_id: str, seq: int) -> None:
        """The message has another text or state now. Expects a transaction of the caller."""
        rows.delete_embeddings(self._db, self._user, message_id)
        if self._embedder is not None:
            self._changed.add(seq)

    def went(self) -> None:
        """Messages are gone: one that comes may get the local number of one that went."""
        self._high = min(self._high, rows.last_message(self._db))

    # -- questions --

    def meanings(self, queries: Iterable[str]) -> dict[str, Meaning]:
        """The vectors of those questions that have one: an embedder that has to be awaited gives them to
        prepare(), any other is asked here."""
        if self._embedder is None:
            return {}
        queries = list(queries)
        if not self._waits:
            _run_now(self._prepare(queries, awaiting=False))
        return {query: self._asked[key] for query in queries if (key := text_hash(query)) in self._asked}

    async def prepare(self, queries: Iterable[str]) -> None:
        """Asks the embedder about questions that are going to be put to recall."""
        await self._prepare(list(queries), awaiting=True)

    async def _prepare(self, queries: Sequence[str], *, awaiting: bool) -> None:
        new = list(dict.fromkeys(q for q in queries if text_hash(q) not in self._asked and q.strip()))
        new = [query for query in new[:_QUESTIONS_KEPT] if not secret_spans(query)]
        if not new or not self._may_ask():
            return
        start = time.monotonic()
        packed = await self._tried([query[:MOST_EMBEDDED] for query in new], QUESTION_S, awaiting)
        for query, vector in zip(new, packed or (), strict=False):
            if vector and self._dims:
                self._asked[text_hash(query)] = Meaning(self._name, self._dims, vector)
        while len(self._asked) > _QUESTIONS_KEPT:
            self._asked.popitem(last=False)
        if packed and time.monotonic() - start > QUESTION_S:  # one that cannot be interrupted
            self._note(_Failed("late", f"{QUESTION_S:g} s"))

    # -- messages --

    def work(self, budget_ms: int) -> bool:
        """Makes vectors of messages for about `budget_ms`, if the embedder need not be awaited. True if there
        is more to do."""
        if self._embedder is None or self._waits:
            return False
        return bool(_run_now(self._work(budget_ms, awaiting=False)))

    async def work_awaiting(self, budget_ms: int) -> bool:
        """The same with any embedder."""
        return self._embedder is not None and await self._work(budget_ms, awaiting=True)

    async def _work(self, budget_ms: int, *, awaiting: bool) -> bool:
        start = time.monotonic()
        while self._can_go_on(awaiting):
            if self._finished():
                if self._try_again():
                    continue
                return self._clear_others()
            began = time.monotonic()
            await self._step(awaiting)
            taken = (time.monotonic() - began) * 1000
            if taken > budget_ms / 2:
                self._at_once = max(1, self._at_once // 2)
            elif taken < budget_ms / 4:
                self._at_once = min(MOST_AT_ONCE, self._at_once * 2)
            if (time.monotonic() - start) * 1000 >= budget_ms:
                return self._can_go_on(awaiting)
        return False

    def _can_go_on(self, awaiting: bool) -> bool:
        return self._may_ask() and (awaiting or not self._waits)

    def _finished(self) -> bool:
        return not self._changed and self._low <= 0 and rows.last_message(self._db) <= self._high

    def _window(self) -> tuple[int, int, str]:
        """The next messages to look at: seq above the first and up to the second; and why these."""
        if self._changed:
            return min(self._changed) - 1, min(self._changed), "changed"
        if rows.last_message(self._db) > self._high:
            return self._high, self._high + WINDOW, "new"
        return max(self._low - WINDOW, 0), self._low, "old"

    def _move_on(self, after: int, until: int, why: str) -> None:
        if why == "changed":
            self._changed.discard(until)
        elif why == "new":
            self._high = min(until, rows.last_message(self._db))
        else:
            self._low = after

    async def _step(self, awaiting: bool) -> None:
        """Embeds some of what lacks a vector in the next window, and moves on once nothing does."""
        after, until, why = self._window()
        found = rows.embeddable(
            self._db, self._user, self._name, after=after, until=until, characters=MOST_EMBEDDED
        )
        unfit = [id for _, id, _, may, hash, _ in found if hash is not None and not may]
        wanted = [
            (id, text, text_hash(text))
            for _, id, text, may, hash, dims in found
            if may and (hash != text_hash(text) or (self._dims and dims != self._dims))
        ]
        wanted = [item for item in wanted if not self._passed_over.get((item[0], item[2]), (0, 0))[0]]
        if unfit:
            with self._db.transaction():
                for id in unfit:
                    rows.delete_embeddings(self._db, self._user, id)
        if not wanted:
            self._move_on(after, until, why)
            return
        now = wanted[: self._at_once]
        packed = await self._tried([text for _, text, _ in now], BATCH_S, awaiting)
        if not packed or not any(packed):
            if len(now) == 1 and not self._may_ask():  # it fails alone
                self._pass_over(now[0][0], now[0][2])
            self._at_once = max(1, len(now) // 2)
            return
        with self._db.transaction():
            for (id, text, hash), vector in zip(now, packed, strict=True):
                if vector and self._dims:
                    self._passed_over.pop((id, hash), None)
                    rows.store_embedding(
                        self._db, self._user, id, model=self._name, dims=self._dims, text=text,
                        characters=MOST_EMBEDDED, text_hash=hash, vector=vector, now=self._clock(),
                    )  # fmt: skip
                else:
                    self._pass_over(id, hash)

    def _pass_over(self, id: str, hash: str) -> None:
        """It may be the text or the embedder: the others go on, and it is tried again ever later."""
        _, waited = self._passed_over.get((id, hash), (0, RETRY_MS // 2))
        wait = min(2 * waited, MOST_WAIT_MS)
        self._passed_over[id, hash] = (self._clock() + wait, wait)

    def _try_again(self) -> bool:
        """Whether there are texts to be tried again, now that all others have their vectors."""
        now = self._clock()
        due = {item: (0, wait) for item, (at, wait) in self._passed_over.items() if 0 < at <= now}
        self._passed_over |= due
        if due:
            self.look_again()
        return bool(due)

    def _clear_others(self) -> bool:
        """Vectors of other models go once this one has its own."""
        with self._db.transaction():
            return rows.delete_other_models(self._db, self._user, self._name, _OTHERS_AT_ONCE) > 0

    # -- asking --

    def _may_ask(self) -> bool:
        return self._embedder is not None and self._clock() >= self._retry_at

    def _note(self, failed: _Failed) -> None:
        self._problem = failed
        self._retry_at = self._clock() + RETRY_MS

    async def _tried(self, texts: list[str], seconds: float, awaiting: bool) -> list[bytes | None] | None:
        """Packed vectors, None where one is no vector; None altogether if the embedder failed, has been
        replaced meanwhile, or would have to be awaited and cannot be here."""
        embedder = self._embedder
        try:
            answer = await self._ask(embedder, texts, seconds, awaiting)
            if answer is None or embedder is not self._embedder:
                return None
            packed = self._packed(answer, len(texts))
        except _Failed as failed:
            if embedder is self._embedder:
                self._note(failed)
            return None
        if all(packed):
            self._problem, self._retry_at = None, 0
        else:
            self._note(_Failed("not_a_vector"))
            self._retry_at = 0 if any(packed) else self._retry_at
        return packed

    async def _ask(
        self, embedder: Embedder | None, texts: list[str], seconds: float, awaiting: bool
    ) -> list[Any] | None:
        try:
            answer: Any = embedder.embed(texts) if embedder else None
            if inspect.isawaitable(answer):
                if not awaiting:
                    self._waits = True
                    if inspect.iscoroutine(answer):
                        answer.close()
                    return None
                answer = await _within(answer, seconds)
            return list(islice(answer, len(texts) + 1))
        except _Failed:
            raise
        except asyncio.CancelledError as error:
            if awaiting:  # this task is to end, see _not_cancelled()
                raise
            raise _Failed("cancelled") from error
        except TimeoutError as error:
            raise _Failed("late", f"{seconds:g} s") from error
        except Exception as error:
            raise _Failed("failed", shown(error, 200)) from error

    def _packed(self, vectors: Sequence[Any], count: int) -> list[bytes | None]:
        if len(vectors) != count:
            raise _Failed("wrong_count", f"{len(vectors)} for {count}")
        packed: list[bytes | None] = []
        lengths = set()
        for vector in vectors:
            try:
                packed.append(pack(vector))
                lengths.add(len(vector))
            except ValueError:
                packed.append(None)
        if len(lengths | ({self._dims} if self._dims else set())) > 1:
            self._dims = (
                None  # the next answer says anew how long they are; what is kept counts by its length
            )
            self.look_again()
            raise _Failed("wrong_length", ", ".join(map(str, sorted(lengths))))
        self._dims = max(lengths, default=self._dims)
        return packed


async def _within(answer: Any, seconds: float) -> Any:
    """What is awaited, given up after `seconds` whether or not it lets itself be cancelled."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # somebody drives this by hand: there is nothing to measure time with
        return await _not_cancelled(answer)
    task = asyncio.ensure_future(_not_cancelled(answer))
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody else may ask
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not done:
        task.cancel()
        raise TimeoutError
    return task.result()


async def _not_cancelled(answer: Any) -> Any:
    """That something inside the embedder was cancelled is the embedder's failure."""
    try:
        return await answer
    except asyncio.CancelledError as error:
        raise _Failed("cancelled") from error


def _run_now(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine that awaits nothing."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise RuntimeError("a coroutine that awaits nothing has awaited something")
