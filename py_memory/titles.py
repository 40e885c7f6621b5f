"""The titles of chats that are made from what was said first, and what titles quote."""

from __future__ import annotations

import re
from collections.abc import Iterable

from . import text as texts
from .errors import TooLargeError

__all__ = ["MAX_TITLE_CHARACTERS", "checked_title", "is_quoted_from", "title_of"]

MAX_TITLE_CHARACTERS = 200

_CHARACTERS = 40  # the page shows the whole first message, as far as there is room


# A file that was attached to a message, between fences; its name stands for it.
_ATTACHED = re.compile(r"^(~~~|```) file: ([^\n]*)\n.*?(?:^\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


def _in_a_line(content: str) -> str:
    return " ".join(_ATTACHED.sub(r"\2", content).split())


def checked_title(title: str) -> str | None:
    """A title that somebody wrote, on one line; None for an empty one. Raises TooLargeError."""
    title = " ".join(texts.clean(title)[0].split())
    if len(title) > MAX_TITLE_CHARACTERS:
        raise TooLargeError("The title", len(title), MAX_TITLE_CHARACTERS, "characters")
    return title or None


def title_of(content: str) -> str:
    """The title that a chat gets from a message."""
    return _in_a_line(content)[:_CHARACTERS]


def is_quoted_from(title: str | None, contents: Iterable[str]) -> bool:
    """Whether a title is the beginning of one of the texts."""
    start = texts.normalize(title or "").rstrip(".… ")
    return bool(start) and any(texts.normalize(_in_a_line(content)).startswith(start) for content in contents)
