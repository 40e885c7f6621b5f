"""What may come in: the checks of ids, numbers, times and JSON at the package's border."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from .errors import InvalidInputError, shown
from .text import clean

__all__ = [
    "MAX_ID_CHARACTERS",
    "MAX_JSON_DEPTH",
    "MAX_TIME",
    "check_choice",
    "check_count",
    "check_id",
    "check_items",
    "check_mapping",
    "check_path",
    "check_texts",
    "check_time",
    "json_text",
    "parse_json",
    "read_json",
]

MAX_ID_CHARACTERS = 100
MAX_JSON_DEPTH = 100
MAX_TIME = 8_640_000_000_000_000  # ms; the last instant of JavaScript's calendar (ECMA-262, 21.4.1.1)
# A text of JSON, or what is left of one that is cut off: it matches at every quote, and so never looks twice.
_JSON_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_AS_SQUARE = bytes.maketrans(b"{}", b"[]")
_JSON_BRACKETS = re.compile(r"[\[\]{}]")


def check_id(id: object, what: str) -> str:
    """An id as a caller gives it. Raises InvalidInputError."""
    if not isinstance(id, str) or not 0 < len(id) <= MAX_ID_CHARACTERS or not id.isprintable():
        raise InvalidInputError(
            f"The id of a {what} is a text of 1 to {MAX_ID_CHARACTERS} printable characters, not {shown(id)}."
        )
    return id


def check_count(number: object, what: str, *, least: int = 0, most: int = 2**31) -> int:
    """A whole number. Raises InvalidInputError."""
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise InvalidInputError(f"{what} is a whole number from {least} to {most}, not {shown(number)}.")
    return number


def check_time(time: object, what: str) -> int | None:
    """A time in milliseconds UTC, or None. Raises InvalidInputError."""
    if time is None:
        return None
    if isinstance(time, bool) or not isinstance(time, int) or abs(time) > MAX_TIME:
        raise InvalidInputError(f"{what} is a time in whole milliseconds UTC, not {shown(time)}.")
    return time


def check_mapping(value: object, what: str) -> Mapping[str, Any]:
    """A mapping, {} for None. Raises InvalidInputError."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"{what} is a mapping, not {shown(value)}.")
    return value


def check_choice(value: object, what: str, choices: Iterable[str]) -> str:
    """One of several texts. Raises InvalidInputError."""
    known = sorted(choices)
    if not isinstance(value, str) or value not in known:
        raise InvalidInputError(f"{what} is one of {', '.join(known)}, not {shown(value)}.")
    return value


def check_texts(values: object, what: str) -> list[str]:
    """Several texts, or one. Raises InvalidInputError."""
    if isinstance(values, str):
        return [values]
    if not isinstance(values, Iterable) or isinstance(values, bytes | Mapping):
        raise InvalidInputError(f"{what} is a text or a list of texts, not {shown(values)}.")
    return [clean(value)[0] for value in values]


def check_items(values: object, what: str) -> Iterable[Any]:
    """Several things, in any form that can be gone through. Raises InvalidInputError."""
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
        raise InvalidInputError(f"{what} are a list, not {shown(values)}.")
    return values


def check_path(path: object, what: str) -> Path:
    """A path of a file. Raises InvalidInputError."""
    try:
        if isinstance(path, str | Path) and 0 < len(str(path)) <= 4096 and b"\0" not in os.fsencode(path):
            return Path(path)
    except UnicodeEncodeError:
        pass
    raise InvalidInputError(f"{what} is a path, not {shown(path)}.")


def json_text(value: Any, what: str = "The value") -> str:
    """A value as JSON. Lone surrogates become U+FFFD. Raises InvalidInputError for what JSON cannot hold."""
    try:
        return clean(json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True))[0]
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"{what} cannot be kept as JSON ({error}).") from error


def read_json(source: str, what: str = "The text", *, depth: int = MAX_JSON_DEPTH, once: bool = False) -> Any:
    """Reads JSON that nobody trusts: no infinite numbers, at most `depth` levels; with `once` no name stands
    twice in an object. Raises InvalidInputError."""
    # Asked before it is parsed: in WebAssembly a parser out of stack takes the interpreter with it.
    if _depth_exceeds(source, depth):
        raise InvalidInputError(f"{what} is nested too deeply: more than {depth} levels.")
    return parse_json(source, what, once=once)


def parse_json(source: str, what: str = "The text", *, once: bool = False) -> Any:
    """Like read_json(), for a text whose depth is known already."""
    pairs = _named_once if once else None
    try:
        return json.loads(source, parse_constant=_not_finite, parse_float=_finite, object_pairs_hook=pairs)
    except ValueError as error:
        raise InvalidInputError(f"{what} is not JSON ({error}).") from error


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _not_finite(number)


def _not_finite(number: str) -> NoReturn:
    raise ValueError(f"{number[:20]} is no number JSON can hold")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return made


def _depth_exceeds(source: str, most: int) -> bool:
    if source.count("[") + source.count("{") <= most:
        return False
    # Each round takes the innermost brackets away. What is left then is deeper, or no JSON.
    outside = "".join(source.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = outside.encode("ascii", "ignore").translate(_AS_SQUARE, _NO_BRACKET)
    for _ in range(min(most, 16)):
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return False
    depth = 0
    for bracket in _JSON_BRACKETS.findall(_JSON_TEXT.sub("", source)):
        depth += 1 if bracket in "[{" else -1
        if depth > most:
            return True
    return False
