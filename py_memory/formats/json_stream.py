"""Large JSON files read part by part: only the part that is being read is in memory.

A file is taken as a list of parts: the elements of an array, or the members of an object, whose own arrays
are parted too. A part is cut out by its brackets and parsed by whoever needs it, so a fault inside one spoils
that one alone. Raises ImportRefusedError where brackets or texts do not fit together: then nothing in the
file is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from py_memory.checks import MAX_JSON_DEPTH, parse_json
from py_memory.errors import ImportRefusedError, InvalidInputError

from .deep_json import parse_deep

__all__ = ["MAX_DEPTH", "MAX_KEPT_DEPTH", "MAX_PART_BYTES", "START", "Part", "read_parts"]

MAX_PART_BYTES = 64 << 20  # parsed, a conversation takes four times that and more
MAX_KEPT_DEPTH = MAX_JSON_DEPTH - 10  # with room for what is put around it
MAX_DEPTH = 20_000  # some products nest each answer in its question
_CHUNK = 1 << 18
_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\r\n]*")
_IN_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_MARK = re.compile(rb'["\[\]{}]')
_SCALAR = re.compile(rb"[^\s,:\[\]{}\"]*+")
_QUOTE, _BACKSLASH = b'"'[0], b"\\"[0]
_OPENING = {ord("["): ord("]"), ord("{"): ord("}")}
START = b"[]"  # the raw text of the part that says that an array begins


@dataclass(frozen=True, slots=True)
class Part:
    """`name`: the member of the object that the file is, None in an array. `index`: the place in that
    member's array or in the file's; None for a value that is no array, and for the part that announces one.
    `raw` is None for a part that is not kept, and `problem` says why: "too_large" or "too_deep"."""

    name: str | None
    index: int | None
    raw: bytes | None
    depth: int = 0
    problem: str | None = None

    def value(self, most: int = MAX_KEPT_DEPTH) -> object:
        """What is nested more than `most` levels deep in a part of over 100 becomes None. Who asks for more
        has to take it apart; see deep_json. Raises InvalidInputError."""
        if self.raw is None:
            raise InvalidInputError(f"The part was not kept ({self.problem}).")
        text = self.raw.decode("utf-8", "replace")
        return parse_json(text) if self.depth <= MAX_JSON_DEPTH else parse_deep(text, most)


def read_parts(file: BinaryIO, *, most: int = MAX_PART_BYTES) -> Iterator[Part]:
    """The parts of the JSON array or object in `file`, in their order. A part of over `most` bytes is passed
    over and has no raw text."""
    return _Reader(file, most).parts()


class _Reader:
    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self._most = most
        self._buffer = bytearray()
        self._at = 0  # in the buffer
        self._before = 0  # bytes of the file before the buffer
        self._ended = False

    def parts(self) -> Iterator[Part]:
        self._more()
        if self._buffer.startswith(_BOM):
            self._at = len(_BOM)
        first = self._next()
        if first == ord("["):
            self._at += 1
            yield from self._elements(None)
        elif first == ord("{"):
            self._at += 1
            yield from self._members()
        else:
            raise self._broken("it is neither a list nor an object")
        self._space()
        if self._at < len(self._buffer):
            raise self._broken("more follows after its end")

    def _members(self) -> Iterator[Part]:
        if self._next() == ord("}"):
            self._at += 1
            return
        while True:
            if self._next() != _QUOTE:
                raise self._broken("a name is expected")
            named = self._value(None, None)
            try:
                name = str(named.value())
            except InvalidInputError as error:
                raise self._broken("a name cannot be read") from error
            self._expect(b":")
            if self._next() == ord("["):
                self._at += 1
                yield Part(name, None, START)
                yield from self._elements(name)
            else:
                yield self._value(name, None)
            if self._expect(b",}") == ord("}"):
                return

    def _elements(self, name: str | None) -> Iterator[Part]:
        if self._next() == ord("]"):
            self._at += 1
            return
        index = 0
        while True:
            yield self._value(name, index)
            index += 1
            if self._expect(b",]") == ord("]"):
                return

    # -- values --

    def _value(self, name: str | None, index: int | None) -> Part:
        first = self._next()
        self._drop()
        begin = self._before
        kept, deepest = bytearray(), 0
        open_: list[int] = []
        while True:
            start = self._at
            if first == _QUOTE:
                self._at += 1
                while not self._text_ends():
                    self._take(kept, start)
                    self._need("a text does not end")
                    start = self._at
            elif first in _OPENING:
                self._at += 1
                open_.append(_OPENING[first])
                deepest = max(deepest, len(open_))
            elif open_ and first == open_[-1]:
                self._at += 1
                open_.pop()
            elif open_ and first in b"]}":
                raise self._broken("a bracket closes what another one opened")
            else:
                self._scalar()
            self._take(kept, start)
            if not open_:
                break
            first = self._mark(kept)
        size = self._before + self._at - begin
        if len(kept) > self._most:
            return Part(name, index, None, deepest, "too_large")
        if not size:
            raise self._broken("a value is missing")
        if deepest > MAX_DEPTH:
            return Part(name, index, None, deepest, "too_deep")
        return Part(name, index, bytes(kept), deepest)

    def _take(self, kept: bytearray, start: int) -> None:
        """Keeps what was read since `start`, unless the part is too large already."""
        if len(kept) <= self._most:
            kept += memoryview(self._buffer)[start : self._at]

    def _text_ends(self) -> bool:
        """Goes to behind the quotation mark that ends the text, or to where the buffer ends before it."""
        match = _IN_TEXT.match(self._buffer, self._at)
        assert match is not None
        self._at = match.end()
        if self._at < len(self._buffer) and self._buffer[self._at] == _QUOTE:
            self._at += 1
            return True
        return False

    def _scalar(self) -> None:
        while True:
            match = _SCALAR.match(self._buffer, self._at)
            assert match is not None
            if match.end() < len(self._buffer) or self._ended:
                self._at = match.end()
                return
            if match.end() - self._at > 10_000:
                raise self._broken("a number does not end")
            self._more()

    def _mark(self, kept: bytearray) -> int:
        """Goes to the next quotation mark or bracket."""
        while True:
            match = _MARK.search(self._buffer, self._at)
            start, self._at = self._at, match.start() if match else len(self._buffer)
            self._take(kept, start)
            if match:
                return self._buffer[self._at]
            self._need("it is cut short")

    # -- the buffer --

    def _more(self) -> None:
        data = self._file.read(_CHUNK)
        self._ended = not data
        self._buffer += data

    def _drop(self) -> None:
        """Lets go of what has been read."""
        del self._buffer[: self._at]
        self._before += self._at
        self._at = 0

    def _need(self, why: str) -> None:
        """Reads on in the middle of a value; a backslash at the end stays for what follows it."""
        self._drop()
        had = len(self._buffer)
        self._more()
        if len(self._buffer) == had:
            raise self._broken(why)

    def _space(self) -> None:
        while True:
            match = _SPACE.match(self._buffer, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._buffer) or self._ended:
                return
            self._drop()
            self._more()

    def _next(self) -> int:
        """The next character that is no space, or -1 at the end."""
        self._space()
        return self._buffer[self._at] if self._at < len(self._buffer) else -1

    def _expect(self, characters: bytes) -> int:
        found = self._next()
        if found < 0 or found not in characters:
            missing = " or ".join(chr(c) for c in characters)
            raise self._broken("it is cut short" if found < 0 else f"{missing} is expected")
        self._at += 1
        return found

    def _broken(self, why: str) -> ImportRefusedError:
        return ImportRefusedError(
            f"The JSON is damaged at byte {self._before + self._at:,}: {why}. "
            "Download the export again; nothing was imported.",
            code="damaged",
        )
