"""An import of another product's export, from the file to the report: looked at first, then carried out in
slices, with progress and a way to stop.

A small file is one transaction. A large one is a transaction for every few whole conversations, after all of
it has been read once to see that it is sound. Either way the whole is one operation that can be undone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from py_memory.clock import Clock
from py_memory.database import Database
from py_memory.errors import ImportRefusedError
from py_memory.facts import Facts
from py_memory.undo import UndoLog

from .chat_import import ChatImport
from .chats import Chat, Entry, Skipped, Statements
from .json_stream import read_parts
from .shapes import MEMORY, MEMORY_LINES, entries, shapes_of
from .sources import Source

__all__ = ["ChatJob", "chosen_entries", "preview"]

ONE_TRANSACTION_BYTES = 16 << 20
BATCH_CHARACTERS = 1 << 20  # added before a commit of a large import
MAX_LISTED = 20_000  # conversations
MAX_IGNORED_LISTED = MAX_SESSIONS_LISTED = 50
MAX_SAMPLES = 5  # saved memories, so that one sees what they are
MAX_SAMPLE_CHARACTERS = 200
UNDO_MS = 120_000  # what was imported is looked at before it is judged; nothing but ids is kept for it

Progress = Callable[[Mapping[str, int]], object]
Cancel = Callable[[], bool]


class Cancelled(Exception):
    """The user wants no more. Caught here: nobody else sees it."""


def preview(source: Source, read: Callable[[int], None] | None = None) -> dict[str, Any]:
    """What an import would bring: {format, formats, conversations, messages, memories, samples, first, last,
    chats, more, skipped, ignored}. `chats`: [{id, title, messages, first, last}], at most 20,000 of them,
    `more` how many are not listed; `samples`: the first saved memories; times in ms. Of this program's own
    files only the format is told. `read` is told the bytes of each read.

    Raises ImportRefusedError: not an export, or damaged.
    """
    found = shapes_of(source)
    formats = Counter(shape.product for _, shape in found)
    out: dict[str, Any] = {
        "format": found[0][1].product,
        "formats": dict(formats),
        "conversations": 0,
        "messages": 0,
        "memories": 0,
        "samples": [],
        "first": None,
        "last": None,
        "chats": [],
        "more": 0,
        "skipped": Counter(),
        "ignored": _without_chats(source, [member.name for member, _ in found]),
    }
    for entry in chosen_entries(source, read=read):
        if isinstance(entry, Skipped):
            out["skipped"][entry.why] += 1
        elif isinstance(entry, Statements):
            _sample(out, entry.texts)
        else:
            _count(out, entry)
    out["skipped"] = dict(out["skipped"])
    return out


def _without_chats(source: Source, used: list[str]) -> list[str]:
    others = [member.name for member in source.members if member.name not in used]
    return sorted([*source.ignored, *others])[:MAX_IGNORED_LISTED]


def _sample(out: dict[str, Any], statements: list[str]) -> None:
    out["memories"] += len(statements)
    room = MAX_SAMPLES - len(out["samples"])
    out["samples"] += [statement[:MAX_SAMPLE_CHARACTERS] for statement in statements[:room]]


def _count(out: dict[str, Any], chat: Chat) -> None:
    times = [message.time for message in chat.messages if message.time is not None]
    times += [moment for moment in (chat.created, chat.updated) if moment is not None]
    out["conversations"] += 1
    out["messages"] += len(chat.messages)
    for message in chat.messages:
        if message.statements and not chat.private:
            _sample(out, message.statements)
    if times:
        out["first"] = min(times) if out["first"] is None else min(out["first"], *times)
        out["last"] = max(times) if out["last"] is None else max(out["last"], *times)
    if len(out["chats"]) >= MAX_LISTED:
        out["more"] += 1
        return
    about = {"id": chat.id, "title": (chat.title or "")[:200] or None, "messages": len(chat.messages)}
    out["chats"].append({**about, "first": min(times, default=None), "last": max(times, default=None)})


def chosen_entries(
    source: Source,
    *,
    only: Collection[str] | None = None,
    memories: bool = True,
    read: Callable[[int], None] | None = None,
) -> Iterator[Entry]:
    """All that is in a source; `only` keeps to conversations with these ids, `memories` False leaves out what
    the product had saved. `read` is told the bytes of each read."""
    for member, shape in shapes_of(source):
        if shape.product in (MEMORY, MEMORY_LINES):
            continue
        for entry in entries(member, shape, read):
            if isinstance(entry, Statements):
                if memories:
                    yield entry
            elif only is None or entry.id in only:
                if isinstance(entry, Chat) and not memories:
                    for message in entry.messages:
                        message.statements = []
                yield entry


class ChatJob:
    """One import. step() does a slice of it, until `done`; then `report` says what came of it. Where somebody
    else reads, add() takes the entries and finish() ends it."""

    def __init__(
        self,
        db: Database,
        user_id: str,
        clock: Clock,
        facts: Facts,
        undo: UndoLog,
        note: Callable[[str, str], None],
        found: Iterator[Entry] | None = None,
        *,
        size: int = 0,
        product: str | None = None,
        check: Callable[[], None] | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        """`found` are the entries, `size` the bytes they are read from, `product` what
        wrote them; `check` reads all of a large file once
        before anything is changed. `note` puts an event about a session into the chain, in a transaction."""
        self._db, self._undo, self._note = db, undo, note
        self._import = ChatImport(db, user_id, clock, facts)
        self._found = found or iter(())
        self._size = size
        self._empty = {"format": product, **_EMPTY_REPORT}
        self._check = check if size > ONE_TRANSACTION_BYTES else None
        self._progress, self._cancel = progress, cancel
        self.bytes_read = 0  # of the file, counted by whoever reads it
        self._noted = 0  # sessions that have their event
        self._cancelled = False
        self.done = False
        self.report: dict[str, Any] = {}

    def go_on_in(self, other: ChatJob) -> None:
        """Goes on where another job would begin: the same memory has been opened anew. Not inside a
        transaction."""
        self._db, self._undo, self._note = other._db, other._undo, other._note
        self._import = other._import.after(self._import)

    def step(self, budget_ms: int) -> None:
        """Goes on for about `budget_ms`; a small import is done in one step. Raises what reading raises; a
        small import has changed nothing then, a large one has added whole conversations or none."""
        deadline = time.monotonic() + budget_ms / 1000
        if self._check:
            self._check()
            self._check = None
        if self._size <= ONE_TRANSACTION_BYTES:
            self._all_at_once()
            return
        while not self.done:
            self._batch()
            if time.monotonic() >= deadline:
                return

    def add(self, entries: Iterable[Entry]) -> dict[str, int]:
        """Adds some more, in one transaction. Returns what there is by now: {conversations, messages}."""
        with self._db.transaction():
            for entry in entries:
                self._import.add(entry)
            self._note_sessions()
        return self._so_far()

    def finish(self, *, cancelled: bool = False) -> None:
        """Makes the report. Raises ImportRefusedError where nothing was found and nobody cancelled."""
        self._cancelled = cancelled
        with self._db.transaction():
            self._finish()

    def _all_at_once(self) -> None:
        try:
            with self._db.transaction():
                for entry in self._found:
                    self._add(entry)
                self._finish()
        except Cancelled:
            self.done, self._cancelled = True, True
            self.report = {**self._empty, "cancelled": True}

    def _batch(self) -> None:
        added = 0
        with self._db.transaction():
            try:
                for entry in self._found:
                    self._add(entry)
                    added += _characters(entry)
                    if added >= BATCH_CHARACTERS:
                        self._note_sessions()
                        return
            except Cancelled:  # before the next one: what is added is whole
                self._cancelled = True
            self._finish()

    def _add(self, entry: Entry) -> None:
        if self._cancel is not None and self._cancel():
            raise Cancelled
        self._import.add(entry)
        if self._progress is not None:
            self._progress({"bytes": self.bytes_read, "total_bytes": self._size, **self._so_far()})

    def _so_far(self) -> dict[str, int]:
        made = self._import.additions
        return {"conversations": made.conversations.total(), "messages": made.messages["added"]}

    def _note_sessions(self) -> None:
        made = self._import.additions.made_sessions
        for id in made[self._noted :]:
            self._note("sessions", id)
        self._noted = len(made)

    def _finish(self) -> None:
        made = self._import.additions
        known = made.conversations["known"] + made.suggestions["known"]
        if made.is_nothing and not known and not self._cancelled:
            raise ImportRefusedError(_nothing(made.skipped), code="nothing")
        self._note_sessions()
        operation = None
        if not made.is_nothing:
            operation = self._undo.begin(UNDO_MS)
            made.note(operation)
            for id in made.made_facts:
                self._note("facts", id)
        self.report = {
            **self._empty,
            "conversations": dict(+made.conversations),
            "messages": dict(+made.messages),
            "suggestions": dict(+made.suggestions),
            "skipped": made.skipped,
            "sessions": made.made_sessions[:MAX_SESSIONS_LISTED],
            "cancelled": self._cancelled,
            "operation_id": operation.id if operation else None,
            "undo_until": operation.until if operation else None,
        }
        self.done = True


def _characters(entry: Entry) -> int:
    return sum(len(message.text) for message in entry.messages) if isinstance(entry, Chat) else 0


_EMPTY_REPORT: dict[str, Any] = {
    "conversations": {},
    "messages": {},
    "suggestions": {},
    "skipped": [],
    "sessions": [],
    "cancelled": False,
    "operation_id": None,
    "undo_until": None,
}


def _nothing(skipped: list[dict[str, Any]]) -> str:
    reasons = ", ".join(sorted({item["why"] for item in skipped}))
    return (
        f"Nothing in the file could be imported{f' ({reasons})' if reasons else ''}; "
        "the memory is as it was. Choose another file or other conversations."
    )


def check_sound(source: Source) -> None:
    """Reads every file once, so that a damaged one is found before anything is added. Raises
    ImportRefusedError."""
    for member, _ in shapes_of(source):
        if member.kind == "json":
            with member.open() as file:
                for _part in read_parts(file):
                    pass
