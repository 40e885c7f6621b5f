"""Entries of an import on their way from the worker that reads them to the one that adds them: as JSON, and
checked again on arrival."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from py_memory.checks import check_time, read_json
from py_memory.errors import InvalidInputError, shown

from .chats import SKIPPED, Chat, ChatMessage, Entry, Skipped, Statements, ToolUse

__all__ = ["entry_from_json", "entry_to_json"]

T = TypeVar("T")

_KINDS: dict[str, type] = {"chat": Chat, "statements": Statements, "skipped": Skipped}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def entry_to_json(entry: Entry) -> str:
    return json.dumps({"kind": _NAMES[type(entry)], **dataclasses.asdict(entry)})


def entry_from_json(source: str) -> Entry:
    """Raises InvalidInputError."""
    given = read_json(source, "An entry of an import")
    kind = given.pop("kind", None) if isinstance(given, dict) else None
    if kind == "chat":
        messages = [_message(message) for message in _list(given.pop("messages", []), Mapping)]
        return _made(Chat, {**given, "messages": messages})
    if kind == "statements":
        return _made(Statements, given)
    if kind == "skipped":
        if given.get("why") not in SKIPPED:
            raise InvalidInputError(f"An entry is left out for no known reason: {shown(given.get('why'))}.")
        return _made(Skipped, given)
    raise InvalidInputError(f"There is no kind of entry {shown(kind)}.")


def _message(given: Mapping[str, Any]) -> ChatMessage:
    tools = [_made(ToolUse, dict(use)) for use in _list(given.get("tools", []), Mapping)]
    return _made(ChatMessage, {**given, "tools": tools})


def _list(value: object, kind: Any) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise InvalidInputError(f"A list is expected in an entry, not {shown(value)}.")
    return value


# What a field may hold, by its annotation.
_ALLOWED: dict[str, Any] = {
    "str": str,
    "str | None": (str, type(None)),
    "bool": bool,
    "bool | None": (bool, type(None)),
    "dict[str, Any]": dict,
}


def _made(kind: Callable[..., T], given: Mapping[str, Any]) -> T:
    """A record of what was given, if every field is there and of its type."""
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if unknown := given.keys() - fields.keys():
        raise InvalidInputError(f"An entry of an import has no {shown(min(unknown))}.")
    for name, value in given.items():
        annotation = str(fields[name].type)
        if annotation == "int | None":
            check_time(value, name)
        elif annotation == "list[str]":
            _list(value, str)
        elif annotation in _ALLOWED and not isinstance(value, _ALLOWED[annotation]):
            raise InvalidInputError(f"{name} of an entry is not {annotation}: {shown(value)}.")
    try:
        return kind(**given)
    except TypeError as error:
        raise InvalidInputError(f"An entry of an import is not whole ({error}).") from error
