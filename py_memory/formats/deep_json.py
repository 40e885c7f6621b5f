"""JSON nested too deeply for the interpreter's own parser, which calls itself at each level: read with a list
of what is open instead. Slower, and used only where depth asks for it.

In WebAssembly even letting go of a deep value is fatal: the interpreter frees what is inside from within. So
what is deep is not built, or taken apart by whoever asked for it.
"""

from __future__ import annotations

import re
from typing import Any

from py_memory.checks import parse_json
from py_memory.errors import InvalidInputError

__all__ = ["depth_of", "dismantle", "parse_deep"]

_TOKEN = re.compile(r'[ \t\r\n]*(?:([\[\]{},:])|("[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s\[\]{},:"]++))', re.DOTALL)
_NOTHING = object()


def parse_deep(source: str, most: int) -> Any:
    """The value of a JSON text of any depth; lists and objects more than `most` levels deep become None.
    Raises InvalidInputError."""
    root: list[Any] = []
    try:
        _build(source, root, most)
    except InvalidInputError:
        dismantle(root)
        raise
    return root[0]


def dismantle(value: Any) -> None:
    """Empties lists and objects, and all that is in them, one after the other."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
            item.clear()
        elif isinstance(item, list):
            waiting += item
            item.clear()


def _build(source: str, root: list[Any], most: int) -> None:
    open_: list[Any] = [root]
    names: list[Any] = [_NOTHING]  # of the object that is open at each level: the name read last
    at = 0
    before = ""  # the mark before: "" for a value
    end = len(source.rstrip(" \t\r\n"))
    first = True
    while at < end:
        token = _TOKEN.match(source, at)
        if token is None:
            raise _malformed(at)
        at = token.end()
        mark, scalar = token.groups()
        inside = open_[-1]
        is_object = isinstance(inside, dict)
        begins = first or before in ("[", "{", ",", ":")
        if mark in ("]", "}"):
            if (mark == "}") != is_object or len(open_) == 1 or before in (",", ":"):
                raise _malformed(at)
            if is_object and names[-1] is not _NOTHING:
                raise _malformed(at)
            open_.pop()
            names.pop()
            before = ""
            continue
        if mark == ",":
            if begins or len(open_) == 1 or (is_object and names[-1] is not _NOTHING):
                raise _malformed(at)
        elif mark == ":":
            if not is_object or names[-1] is _NOTHING or before != "":
                raise _malformed(at)
        else:
            if not begins:
                raise _malformed(at)
            value = parse_json(scalar) if mark is None else ([] if mark == "[" else {})
            kept = None if mark is not None and len(open_) > most else value
            if not is_object:
                inside.append(kept)
            elif before == ":":
                inside[names[-1]] = kept
                names[-1] = _NOTHING
            elif isinstance(value, str):
                names[-1] = value
            else:
                raise _malformed(at)
            if mark is not None:
                open_.append(value)
                names.append(_NOTHING)
        before = mark or ""
        first = False
    if len(open_) != 1 or len(root) != 1:
        raise _malformed(at)


def _malformed(at: int) -> InvalidInputError:
    return InvalidInputError(f"The text is not JSON (character {at:,}).")


def depth_of(value: Any, most: int) -> int:
    """How deep a JSON value is, at most `most` + 1."""
    level, depth = [value], 0
    while level and depth <= most:
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not any(isinstance(item, dict | list) for item in level):
            break
        depth, level = depth + 1, inner
    return depth
