"""Running coroutines without an event loop, so that the same tests pass on CPython and inside the page, and
an embedder that needs no model."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar
from zlib import crc32

__all__ = ["Grams", "run"]

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits for anything outside itself."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


class Grams:
    """Counts runs of three characters, told apart by a hash: misspelt words stay near each other."""

    def __init__(self, name: str = "grams", dims: int = 256) -> None:
        self.name = name
        self.dims = dims
        self.fails = False
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        if self.fails:
            raise RuntimeError("the embedder is out of order")
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        counts = [0.0] * self.dims
        padded = f"  {text.lower()} "
        for at in range(len(padded) - 2):
            counts[crc32(padded[at : at + 3].encode()) % self.dims] += 1.0
        mean = sum(counts) / self.dims
        return [count - mean for count in counts]

    @property
    def texts(self) -> set[str]:
        """All that it has been shown."""
        return {text for batch in self.batches for text in batch}
