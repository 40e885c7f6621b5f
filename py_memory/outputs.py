"""What a tool returned, cut to a size that a prompt and the memory can bear, and saying what was cut.

First long texts in it are shortened, then items of a list are left out; only what is neither is cut through.
"""

from __future__ import annotations

from typing import Any

from .checks import json_text, read_json
from .errors import InvalidInputError, shown

__all__ = ["MAX_OUTPUT_BYTES", "bounded"]

MAX_OUTPUT_BYTES = 32 << 10  # of JSON in UTF-8
_TEXTS = (4_000, 1_000, 250)  # characters left of each text, tried in turn
_SHOWN = 10_000  # characters of what JSON cannot hold


def bounded(output: Any, most: int = MAX_OUTPUT_BYTES) -> Any:
    """The output as plain JSON of at most `most` bytes, or as its text where JSON cannot hold it: it ran,
    whatever it returned."""
    try:
        output = read_json(json_text(output))
    except InvalidInputError:
        output = shown(output, _SHOWN)
    if _size(output) <= most:
        return output
    for length in _TEXTS:
        shorter = _shortened(output, length)
        if _size(shorter) <= most:
            return shorter
    if isinstance(shorter, list) and shorter and (fitting := _fitting(shorter, most)) is not None:
        return fitting
    return _cut(output, most)


def _size(value: Any) -> int:
    return len(json_text(value).encode())


def _shortened(value: Any, length: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return f"{value[:length]}… [{len(value) - length:,} of {len(value):,} characters left out]"
    if isinstance(value, list):
        return [_shortened(item, length) for item in value]
    if isinstance(value, dict):
        return {key: _shortened(item, length) for key, item in value.items()}
    return value


def _fitting(items: list[Any], most: int) -> list[Any] | None:
    """The first items that fit, and a note; None where not even one does."""
    room = most - 100  # bytes for the note
    kept: list[Any] = []
    for item in items:
        room -= _size(item) + 2
        if room < 0:
            break
        kept.append(item)
    return [*kept, f"[{len(items) - len(kept):,} of {len(items):,} items left out]"] if kept else None


def _cut(value: Any, most: int) -> str:
    text = value if isinstance(value, str) else json_text(value)
    size, room = len(text.encode()), max(most - 100, 0)
    while True:
        kept = text.encode()[:room].decode(errors="ignore")
        told = f"{kept}… [cut here: {len(kept.encode()):,} of {size:,} bytes are shown]"
        over = _size(told) - most
        if over <= 0 or not room:
            return told
        room = max(room - over, 0)  # quotation marks and the like take more room as JSON
