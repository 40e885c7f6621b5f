"""Tools whose arguments are checked before they run: a model may send anything."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .errors import InvalidInputError
from .records import Tool
from .text import clean

__all__ = ["checked_tool"]

_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "a text"),
    "boolean": (bool, "true or false"),
    "integer": (int, "a whole number"),
    "array": (list, "a list of texts"),
}


def checked_tool(
    name: str, description: str, run: Callable[..., Awaitable[Any]], **properties: Mapping[str, Any]
) -> Tool:
    """A tool of the memory itself: what it changes lies in the same database, so that it has no side effect
    that could outlive a crash."""
    parameters = inspect.signature(run).parameters
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": [key for key in properties if parameters[key].default is inspect.Parameter.empty],
        "additionalProperties": False,
    }

    async def checked(**arguments: Any) -> Any:
        return await run(**_checked(name, schema, arguments))

    return Tool(name, description, schema, checked, side_effect=False)


def _checked(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments with texts that can be stored. Raises InvalidInputError with a sentence that tells
    the model what to send."""
    if missing := [name for name in schema["required"] if name not in arguments]:
        raise InvalidInputError(f"{tool} needs {', '.join(missing)}.")
    out: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in schema["properties"]:
            raise InvalidInputError(f"{tool} takes no {name}; it takes {', '.join(schema['properties'])}.")
        wanted = schema["properties"][name]["type"]
        type_, words = _TYPES[wanted]
        if wanted == "array" and isinstance(value, tuple):
            value = list(value)
        right = isinstance(value, type_) and (type_ is bool or not isinstance(value, bool))
        if not right or (wanted == "array" and not all(isinstance(item, str) for item in value)):
            raise InvalidInputError(f"{tool}: {name} must be {words}, not {type(value).__name__}.")
        out[name] = clean(value)[0] if wanted == "string" else value
    return out
