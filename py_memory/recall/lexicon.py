"""The lexicon that lets a question in one language find a memory in another: words and what lies near
them.

`lexicon.bin` is made by tools/lexicon.py, which says from what; docs/dependencies.md has the licences. It
is read on first use, in about 15 ms. Terms are English stems and Chinese words.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import accumulate

from py_memory import text

from .stemming import stem

__all__ = ["chinese_words", "links"]

_LONGEST = 4  # characters of a Chinese word


class _Lexicon:
    def __init__(self, data: bytes) -> None:
        head, _, packed = data.partition(b"\n")
        counts = json.loads(head)
        body = zlib.decompress(packed)
        end = body.index(b"\0")
        self.terms = body[:end].decode().split("\n")
        at = end + 1
        self._starts = [0, *accumulate(body[at : at + counts["terms"]])]
        at += counts["terms"]
        self._targets = array("H", body[at : at + 2 * counts["links"]])
        if sys.byteorder == "big":
            self._targets.byteswap()
        at += 2 * counts["links"]
        self._weights = body[at : at + counts["links"]]
        self._words: dict[str, str] = json.loads(body[at + counts["links"] + 1 :])

    def _place(self, term: str) -> int | None:
        at = bisect_left(self.terms, term)
        return at if at < len(self.terms) and self.terms[at] == term else None

    def __contains__(self, term: str) -> bool:
        return self._place(term) is not None

    def links(self, term: str) -> Iterator[tuple[str, float]]:
        if (at := self._place(term)) is not None:
            for link in range(self._starts[at], self._starts[at + 1]):
                target = self.terms[self._targets[link]]
                yield self._words.get(target, target), self._weights[link] / 255


@cache
def _lexicon() -> _Lexicon:
    return _Lexicon(resources.files("py_memory.recall").joinpath("lexicon.bin").read_bytes())


def links(word: str) -> list[tuple[str, float]]:
    """Words near a word, as they can be looked for, with weights up to 1, the nearest first."""
    return list(_lexicon().links(stem(word)))


def chinese_words(folded: str) -> list[str]:
    """The Chinese words of a text that the lexicon knows, each the longest that fits, from the left."""
    lexicon = _lexicon()
    found: dict[str, None] = {}
    for piece in text.cjk_runs(folded):
        at = 0
        while at < len(piece):
            for length in range(min(_LONGEST, len(piece) - at), 0, -1):
                if (word := piece[at : at + length]) in lexicon:
                    break
            else:
                length, word = 1, ""
            if len(word) > 1:
                found[word] = None
            at += length
    return list(found)
