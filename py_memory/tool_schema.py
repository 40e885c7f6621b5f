"""JSON schemas from type hints: what a model is told about a Python function's arguments, and the Python
values that its JSON then becomes.

Hints may be str, int, float, bool, None, Any, Literal, Enum, Optional and unions, lists, sequences, sets,
tuples of one kind, mappings with text keys, dataclasses and TypedDicts, in each other. Annotated adds a
description (a text) or keywords of JSON schema (a mapping).
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Union

from .arguments import checked
from .checks import json_text
from .errors import InvalidInputError, shown

__all__ = ["Hints", "built", "hints_of", "schema_of"]

Hints = Mapping[str, Any]

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
_LISTS = {list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable}
_MAPPINGS = {dict, collections.abc.Mapping}
_MOST_NESTED = 8  # levels; a dataclass that holds itself has no end
_KNOWN = (
    "Use str, int, float, bool, Literal, Enum, Optional, lists, mappings with text keys, dataclasses or Any."
)


def hints_of(function: Callable[..., Any]) -> Hints:
    """The hints of a function's parameters by name. Raises InvalidInputError, which names the parameter."""
    name = getattr(function, "__name__", "The function")
    try:
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters.values()
    except (NameError, TypeError, ValueError) as error:
        raise InvalidInputError(f"The hints of {name} cannot be read ({error}).") from error
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidInputError(
                f"{name}: a model gives arguments by name, so that {parameter.name} cannot be "
                f"{parameter.kind.description}."
            )
        if parameter.name not in hints:
            raise InvalidInputError(f"{name}: {parameter.name} has no type hint. {_KNOWN}")
    return {parameter.name: hints[parameter.name] for parameter in parameters}


def schema_of(function: Callable[..., Any], hints: Hints) -> dict[str, Any]:
    """The JSON schema of a function's arguments. Raises InvalidInputError."""
    name = getattr(function, "__name__", "The function")
    defaults = {
        parameter.name: parameter.default
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is not inspect.Parameter.empty
    }
    return _object({key: _schema(hint, f"{name}: {key}") for key, hint in hints.items()}, defaults)


def _object(properties: Mapping[str, dict[str, Any]], defaults: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in defaults.items():
        if value not in (None, (), []) and _is_json(value):
            properties[key]["default"] = value
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [key for key in properties if key not in defaults],
        "additionalProperties": False,
    }


def _is_json(value: object) -> bool:
    try:
        json_text(value)
    except InvalidInputError:
        return False
    return True


def _schema(hint: Any, where: str, level: int = 0) -> dict[str, Any]:
    if level > _MOST_NESTED:
        raise InvalidInputError(f"{where} is nested more than {_MOST_NESTED} levels deep, or holds itself.")
    origin, given = typing.get_origin(hint), typing.get_args(hint)

    def inner(other: Any) -> dict[str, Any]:
        return _schema(other, where, level + 1)

    if origin is Annotated:
        return inner(given[0]) | _said_of(given[1:])
    if hint in (Any, object):
        return {}
    if isinstance(hint, type) and hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if origin is Literal:
        return _choice(given, where)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _choice([member.value for member in hint], where)
    if origin in (Union, types.UnionType):
        return _union([inner(other) for other in given])
    if (origin or hint) in _LISTS:
        if origin is tuple and (len(given) != 2 or given[1] is not Ellipsis):
            raise InvalidInputError(f"{where}: of tuples only tuple[kind, ...] can be told to a model.")
        out = {"type": "array", "items": inner(given[0]) if given else {}}
        return out | ({"uniqueItems": True} if (origin or hint) in (set, frozenset) else {})
    if (origin or hint) in _MAPPINGS:
        if given and given[0] is not str:
            raise InvalidInputError(f"{where}: the keys of a mapping must be texts, as JSON has no others.")
        return {"type": "object", "additionalProperties": inner(given[1]) if given else {}}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        fields = [field for field in dataclasses.fields(hint) if field.init]
        defaults = {
            field.name: None if field.default is dataclasses.MISSING else field.default
            for field in fields
            if field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        }
        hints = typing.get_type_hints(hint, include_extras=True)
        return _object({field.name: inner(hints[field.name]) for field in fields}, defaults)
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        optional = dict.fromkeys(hint.__optional_keys__)
        return _object({key: inner(_plain(value)) for key, value in hints.items()}, optional)
    raise InvalidInputError(f"{where} is a {shown(hint, 80)}, which JSON has no kind for. {_KNOWN}")


def _plain(hint: Any) -> Any:
    """Without Required and NotRequired."""
    origin = typing.get_origin(hint)
    return typing.get_args(hint)[0] if origin in (typing.Required, typing.NotRequired) else hint


def _said_of(notes: tuple[Any, ...]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for note in notes:
        if isinstance(note, str):
            out["description"] = note
        elif isinstance(note, Mapping):
            out |= note
    return out


def _choice(values: Any, where: str) -> dict[str, Any]:
    values = list(values)
    if not all(value is None or isinstance(value, str | int | float | bool) for value in values):
        raise InvalidInputError(f"{where}: the choices must be texts, numbers, true or false.")
    kinds = {_SCALARS[type(value)] for value in values if type(value) in _SCALARS}
    return ({"type": kinds.pop()} if len(kinds) == 1 else {}) | {"enum": values}


def _union(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Small models read `"type": ["string", "null"]` better than a choice of schemas."""
    if all(schema.keys() == {"type"} and isinstance(schema["type"], str) for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}


# -- the way back --


def built(hint: Any, value: Any) -> Any:
    """The Python value for JSON that has been checked against the hint's schema."""
    origin, given = typing.get_origin(hint), typing.get_args(hint)
    kind = origin or hint
    if origin is Annotated:
        return built(given[0], value)
    if origin in (Union, types.UnionType):
        return built(next((other for other in given if _fits(other, value)), Any), value)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value)
    if hint is float:
        return float(value)
    if kind in _LISTS:
        items = [built(given[0], item) if given else item for item in value]
        return kind(items) if kind in (tuple, set, frozenset) else items
    if kind in _MAPPINGS:
        return {key: built(given[1], item) if given else item for key, item in value.items()}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        return hint(**{key: built(hints[key], item) for key, item in value.items()})
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        return {key: built(_plain(hints[key]), item) for key, item in value.items()}
    return value


def _fits(hint: Any, value: Any) -> bool:
    try:
        checked(_schema(hint, "The argument"), value, "The argument")
    except InvalidInputError:
        return False
    return True
