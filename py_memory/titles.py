"""The titles of chats that are made from what was said first, and what titles quote."""

from __future__ import annotations

from collections.abc import Iterable

from . import text as texts

__all__ = ["is_quoted_from", "title_of"]

_CHARACTERS = 40  # the page shows the whole first message, as far as there is room


def title_of(content: str) -> str:
    """The title that a chat gets from a message."""
    return " ".join(content.split())[:_CHARACTERS]


def is_quoted_from(title: str | None, contents: Iterable[str]) -> bool:
    """Whether a title is the beginning of one of the texts."""
    start = texts.normalize(title or "").rstrip(".… ")
    return bool(start) and any(
        texts.normalize(" ".join(content.split())).startswith(start) for content in contents
    )
