"""A tool's arguments against its JSON schema: a model may send anything, and is told what to send instead.

Known of JSON schema: type, enum, const, anyOf, oneOf (as anyOf), properties, required, additionalProperties,
items, and the bounds of numbers, texts and lists. What else a schema says is for the model to read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .checks import json_text
from .errors import InvalidInputError, shown

__all__ = ["checked", "checked_arguments"]

_MOST = 5  # mistakes told at once
_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"),
    "boolean": ((bool,), "true or false"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "array": ((list, tuple), "a list"),
    "object": ((dict,), "an object"),
    "null": ((type(None),), "null"),
}
_BOUNDS = {  # whether it is an upper bound
    "minimum": ("at least {}", False),
    "maximum": ("at most {}", True),
    "minLength": ("at least {} characters long", False),
    "maxLength": ("at most {} characters long", True),
    "minItems": ("a list of at least {} items", False),
    "maxItems": ("a list of at most {} items", True),
}


def checked_arguments(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, whole numbers as such. Raises InvalidInputError with sentences that tell the
    model what to send."""
    out = checked({**schema, "type": "object"}, dict(arguments), tool)
    return dict(out)


def checked(schema: Mapping[str, Any], value: Any, where: str) -> Any:
    """The value, with 3.0 as 3 where a whole number is wanted. Raises InvalidInputError."""
    value = _whole(schema, value)
    problems = []
    for problem in _problems(schema, value, where):
        problems.append(problem)
        if len(problems) == _MOST:
            break
    if problems:
        raise InvalidInputError(" ".join(problems))
    return value


def _types(schema: Mapping[str, Any]) -> list[str]:
    wanted = schema.get("type", ())
    return [kind for kind in ([wanted] if isinstance(wanted, str) else wanted) if kind in _KINDS]


def _whole(schema: Any, value: Any) -> Any:
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        wanted = _types(schema)
        return int(value) if "integer" in wanted and "number" not in wanted else value
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
        return {key: _whole(known.get(key, other), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(schema.get("items", {}), item) for item in value]
    return value


def _is(value: Any, kind: str) -> bool:
    classes, _ = _KINDS[kind]
    return isinstance(value, classes) and (kind == "boolean" or not isinstance(value, bool))


def _problems(schema: Any, value: Any, where: str) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        if schema is False:
            yield f"{where} must not be there."
        return
    wanted = _types(schema)
    if wanted and not any(_is(value, kind) for kind in wanted):
        kinds = " or ".join(_KINDS[kind][1] for kind in wanted)
        yield f"{where} must be {kinds}, not {_said(value)}."
        return
    if "enum" in schema and not _among(value, schema["enum"]):
        yield f"{where} must be one of {', '.join(map(_said, schema['enum']))}, not {_said(value)}."
    if "const" in schema and not _among(value, [schema["const"]]):
        yield f"{where} must be {_said(schema['const'])}, not {_said(value)}."
    options = schema.get("anyOf") or schema.get("oneOf") or ()
    if options and all(next(_problems(option, value, where), None) for option in options):
        yield f"{where} is {_said(value)}, which is none of what it may be: {_options(options)}."
    yield from _out_of_bounds(schema, value, where)
    if isinstance(value, dict):
        yield from _problems_of_object(schema, value, where)
    if isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from _problems(schema.get("items", {}), item, f"{where}[{place}]")


def _problems_of_object(schema: Mapping[str, Any], value: dict[str, Any], where: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    if missing := [name for name in schema.get("required", ()) if name not in value]:
        yield f"{where} needs {', '.join(missing)}."
    other = schema.get("additionalProperties", {})
    for name, item in value.items():
        if name in properties:
            yield from _problems(properties[name], item, _inside(where, name))
        elif other is False:
            takes = f"it takes {', '.join(properties)}" if properties else "it takes nothing"
            yield f"{where} takes no {shown(name, 40)}; {takes}."
        else:
            yield from _problems(other, item, _inside(where, name))


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if ": " in where else f"{where}: {name}"


def _out_of_bounds(schema: Mapping[str, Any], value: Any, where: str) -> Iterator[str]:
    for keyword, (words, is_most) in _BOUNDS.items():
        bound = schema.get(keyword)
        kind = str if keyword.endswith("Length") else list if keyword.endswith("Items") else int | float
        if bound is None or isinstance(value, bool) or not isinstance(value, kind):
            continue
        size = value if isinstance(value, int | float) else len(value)
        if size > bound if is_most else size < bound:
            yield f"{where} must be {words.format(bound)}, not {_said(size)}."


def _among(value: Any, choices: Sequence[Any]) -> bool:
    """JSON keeps true and 1 apart; Python does not."""
    return any(type(value) is type(choice) and value == choice for choice in choices) or (
        isinstance(value, float) and value in [c for c in choices if isinstance(c, int | float)]
    )


def _options(schemas: Sequence[Any]) -> str:
    said = []
    for schema in schemas:
        kinds = _types(schema) if isinstance(schema, Mapping) else []
        said.append(" or ".join(_KINDS[kind][1] for kind in kinds) or "a value of another kind")
    return "; ".join(said)


def _said(value: Any) -> str:
    """A value as JSON, as the model wrote it, cut short."""
    try:
        text = json_text(value)
    except InvalidInputError:
        text = shown(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
