"""What stays on the device: facts that are for it alone, secrets, and what tells of such a fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from py_memory.database import Database
from py_memory.extraction.secrets import names_a_secret, secret_spans
from py_memory.records import HERE_ONLY
from py_memory.rows import staying as rows

__all__ = ["HIDDEN", "Staying", "is_secret_fact", "without"]

HIDDEN = "•••"  # stands where a text stays on the device
# A shorter value ("no", "7") stands in any text; what rests on it is known by the record of uses alone.
_SHORTEST_BYTES = 3
_WHOLE_WORD_BELOW = 4  # characters


def is_secret_fact(key: str, value: str) -> bool:
    return names_a_secret(key) or bool(secret_spans(key) or secret_spans(value))


class Staying:
    """What tells of a fact that never leaves, as the facts are now. The facts are read when a text is first
    asked about."""

    def __init__(self, db: Database, user_id: str) -> None:
        self._db = db
        self._user = user_id

    def resting(self, message_ids: Iterable[str]) -> set[str]:
        """Those of these answers that are noted to rest on such a fact: one may be told of in other words."""
        return {
            id
            for id, visibility, key, value in rows.facts_rested_on(self._db, self._user, message_ids)
            if visibility in HERE_ONLY or is_secret_fact(key, value)
        }

    def tells(self, text: str) -> bool:
        """Whether the value of such a fact stands in a text."""
        if not self._values:
            return False
        small = _plain(text)
        return any(
            value in small
            and (
                len(value) >= _WHOLE_WORD_BELOW
                or re.search(rf"(?<![a-z0-9]){re.escape(value)}(?![a-z0-9])", small)
            )
            for value in self._values
        )

    @cached_property
    def _values(self) -> list[str]:
        secret = [key for key in rows.keys_of_facts(self._db, self._user) if names_a_secret(key)]
        values = rows.values_here_only(self._db, self._user)
        if secret:
            values += rows.values_under(self._db, self._user, secret)
        plain = {_plain(value) for value in values}
        return [value for value in plain if len(value.encode()) >= _SHORTEST_BYTES]


def _plain(text: str) -> str:
    """Without what JSON in a text, or an excerpt of it, makes of the same words."""
    return " ".join(text.replace("\\", "").casefold().split())


def without(value: Any, stays: Callable[[str], bool]) -> Any:
    """A JSON value with a mark in the place of each text and number that stays."""
    if isinstance(value, dict):
        return {HIDDEN if stays(name) else name: without(item, stays) for name, item in value.items()}
    if isinstance(value, list):
        return [without(item, stays) for item in value]
    if value is None or isinstance(value, bool):
        return value
    return HIDDEN if stays(str(value)) else value
