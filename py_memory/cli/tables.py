"""Tables for a terminal, in which Chinese characters take two columns."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence

__all__ = ["table", "width"]

IDS = ("id", "message_id")  # heads of columns that another command is given
LEAST = 8  # columns that a cell keeps when space is short


def width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _plain(value: object) -> str:
    """On one line, without anything that a terminal would obey."""
    text = "" if value is None else str(value)
    return "".join(c if c.isprintable() else " " for c in text)


def _cut(text: str, columns: int) -> str:
    if width(text) <= columns:
        return text
    out = ""
    for character in text:
        if width(out) + width(character) > columns - 1:
            break
        out += character
    return out + "…"


def table(heads: Sequence[str], rows: Sequence[Sequence[object]], columns: int | None = None) -> str:
    """A table no wider than the terminal: what is too long is cut with “…”, the widest columns first. Where
    the output is no terminal, ids stay whole: another program reads them."""
    columns = columns or shutil.get_terminal_size((120, 40)).columns
    cells = [[_plain(head) for head in heads], *([_plain(value) for value in row] for row in rows)]
    widths = [max(width(row[i]) for row in cells) for i in range(len(heads))]
    whole = () if sys.stdout.isatty() else IDS
    may_be_cut = [i for i, head in enumerate(heads) if head not in whole]
    while may_be_cut and sum(widths) + 2 * len(widths) > columns:
        widest = max(may_be_cut, key=lambda i: widths[i])
        if widths[widest] <= LEAST:
            break
        widths[widest] -= 1
    lines = [
        "  ".join(
            _cut(cell, space) + " " * (space - width(_cut(cell, space)))
            for cell, space in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]
    lines.insert(1, "  ".join("─" * space for space in widths))
    return "\n".join(lines)
