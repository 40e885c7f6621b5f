"""What a model reads in idle time."""

from __future__ import annotations

from py_memory.checks import check_count, json_text
from py_memory.errors import InvalidInputError, shown
from py_memory.records import Read, Reading

from .base import StoreBase

__all__ = ["ReadingOperations"]


class ReadingOperations(StoreBase):
    """A part of MemoryStore."""

    def next_reading(self, *, max_chars: int = 6000) -> Reading | None:
        """What a model is to read next, of at most about `max_chars` characters: messages that none has read
        (five, or fewer after five idle minutes), an extract to write better, or, once a day, the facts. None
        if nothing is due. Distiller puts it before a model."""
        check_count(max_chars, "The number of characters", least=500)
        with self.database.transaction():
            return self._readings.next(max_chars)

    def take_reading(self, reading: Reading, answer: str) -> Read:
        """Does what a model's answer to a reading says, as far as that may be believed: what it noticed waits
        for the user's yes. What has changed since is left alone. Raises InvalidInputError for an answer that
        does not follow the schema; nothing is changed then."""
        _check(reading)
        if not isinstance(answer, str):
            raise InvalidInputError(f"A model's answer is a text, not {shown(answer)}.")
        with self.database.transaction():
            read = self._readings.take(reading, answer)
            for fact in read.proposed:
                self._event("proposed", "facts", fact.id, f"{fact.key}\x1f{fact.value}")
            if read.summary is not None:
                self._event("summarised", "summaries", read.summary.id, read.summary.content)
            if read.disputed:
                done = json_text({"disputed": len(read.disputed)})
                self._event("consolidated", "memory", self.user_id, done)
            return read

    def skip_reading(self, reading: Reading) -> None:
        """Goes on behind a reading to which no usable answer came."""
        _check(reading)
        with self.database.transaction():
            self._readings.skip(reading)


def _check(reading: object) -> None:
    if not isinstance(reading, Reading):
        raise InvalidInputError(f"A reading is what next_reading() gives, not {shown(reading)}.")
