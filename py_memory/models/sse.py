"""Server-sent events: data out of a stream of bytes that may be cut anywhere.

After the HTML Living Standard, section 9.2.6: UTF-8, a byte order mark at the start is dropped, lines end
with LF, CR or CRLF, lines that begin with a colon are comments, data of several lines is joined by LF, and an
event ends with an empty line.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from py_memory.errors import TooLargeError

__all__ = ["EventDecoder"]

MAX_EVENT_CHARACTERS = 8 * 1024 * 1024  # far over any answer; a stream without line ends must not fill memory

_LINE_END = re.compile(r"\r\n|\n|\r")


class EventDecoder:
    """Feed it bytes, take the data of events. Other fields (event, id, retry) are ignored."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._begun = False
        self._after_cr = False
        self._rest: list[str] = []  # of a line whose end has not come
        self._data: list[str] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """Raises TooLargeError for an event over 8 MiB."""
        return self._events(self._decode(data))

    def end(self) -> Iterator[str]:
        """The last event where the stream ended without an empty line: some servers leave it out."""
        yield from self._events(self._decode(b"", True) + "\n\n")

    def _events(self, text: str) -> Iterator[str]:
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        if self._after_cr and text:
            text = text.removeprefix("\n")
            self._after_cr = False
        if text.endswith("\r"):
            self._after_cr = True
        *lines, rest = _LINE_END.split(text)
        for line in lines:
            whole = "".join((*self._rest, line))
            self._rest.clear()
            self._size = 0
            if (data := self._line(whole)) is not None:
                yield data
        if rest:
            self._rest.append(rest)
            self._size += len(rest)
            self._check(self._size)

    def _line(self, line: str) -> str | None:
        if not line:
            data = "\n".join(self._data)
            had_data = bool(self._data)
            self._data.clear()
            return data if had_data else None
        name, _, value = line.partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))
            self._check(sum(map(len, self._data)))
        return None

    @staticmethod
    def _check(size: int) -> None:
        if size > MAX_EVENT_CHARACTERS:
            raise TooLargeError("An event of the model's answer", size, MAX_EVENT_CHARACTERS, "characters")
