"""Tools of the memory itself: what they change lies in the same database, so that they have no side effect
that could outlive a crash."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .arguments import checked_arguments
from .records import Tool

__all__ = ["memory_tool"]


def memory_tool(
    name: str,
    description: str,
    run: Callable[..., Awaitable[Any]],
    /,
    **properties: Mapping[str, Any],
) -> Tool:
    """A tool whose schema is written out: reading the hints of every tool would take time in every round."""
    parameters = inspect.signature(run).parameters
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": [key for key in properties if parameters[key].default is inspect.Parameter.empty],
        "additionalProperties": False,
    }

    async def checked(**arguments: Any) -> Any:
        return await run(**checked_arguments(name, schema, arguments))

    return Tool(name, description, schema, checked, side_effect=False)
