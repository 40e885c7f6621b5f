"""Tools for developers: a Python function becomes one that a model may call.

    tools = Tools()

    @tools.tool(timeout_ms=10_000)
    async def send(to: Annotated[str, "whom to write to"], urgent: bool = False) -> str:
        "Sends a letter."

    ChatAgent(store, model, tools)

The schema comes from the type hints, the description from the first paragraph of the docstring.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

from .checks import check_count, json_text
from .errors import InvalidInputError, shown
from .records import Tool
from .tool_schema import built, hints_of, schema_of

__all__ = ["Tools", "checked_tools", "tool"]

TIMEOUT_MS = 60_000  # of a tool that names none
MAX_DESCRIPTION = 1_000  # characters; what is longer costs every prompt
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what OpenAI-compatible servers take

F = TypeVar("F", bound=Callable[..., Any])


def tool(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    side_effect: bool = True,
    asks: bool | None = None,
    timeout_ms: int | None = TIMEOUT_MS,
    validate: Callable[[Mapping[str, Any]], Any] | None = None,
    describe: Callable[[Mapping[str, Any], str], str] | None = None,
    max_output_bytes: int | None = None,
) -> Tool:
    """A function, which may be a coroutine, as a Tool (see records.Tool for what the options mean).

    Raises InvalidInputError where a parameter has no hint, or one that JSON has no kind for.
    """
    if not callable(function):
        raise InvalidInputError(f"A tool is made from a function, not {shown(function)}.")
    hints = hints_of(function)

    async def run(**arguments: Any) -> Any:
        result = function(**{key: built(hints[key], value) for key, value in arguments.items()})
        return await result if inspect.isawaitable(result) else result

    made = Tool(
        name or str(getattr(function, "__name__", "")),
        _first_paragraph(function) if description is None else description,
        schema_of(function, hints),
        run,
        side_effect=side_effect,
        asks=asks,
        validate=validate,
        describe=describe,
        timeout_ms=timeout_ms,
        max_output_bytes=max_output_bytes,
    )
    return checked_tools([made])[0]


def _first_paragraph(function: Callable[..., Any]) -> str:
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def checked_tools(tools: Iterable[Tool], *, reserved: Iterable[str] = ()) -> list[Tool]:
    """Tools that a model can be given. Raises InvalidInputError for a name that servers refuse, is there
    twice or belongs to the memory (`reserved`), for a schema that is none, and for a time or size that is
    none."""
    names, taken = set[str](), set(reserved)
    out = []
    for item in tools:
        if not isinstance(item, Tool):
            raise InvalidInputError(f"A tool is a Tool, such as tool(function) makes, not {shown(item)}.")
        if not isinstance(item.name, str) or not _NAME.fullmatch(item.name):
            raise InvalidInputError(
                f"A tool's name is 1 to 64 letters, digits, _ and -, not {shown(item.name)}."
            )
        if item.name in names | taken:
            whose = "the memory has one" if item.name in taken else "there are two"
            raise InvalidInputError(f"A tool named {item.name!r} cannot be added: {whose} of that name.")
        if not isinstance(item.description, str) or len(item.description) > MAX_DESCRIPTION:
            raise InvalidInputError(
                f"The description of {item.name} is a text of at most {MAX_DESCRIPTION:,} characters."
            )
        _check_schema(item)
        for limit, what in ((item.timeout_ms, "time limit"), (item.max_output_bytes, "output limit")):
            if limit is not None:
                check_count(limit, f"The {what} of {item.name}", least=1)
        names.add(item.name)
        out.append(item)
    return out


def _check_schema(item: Tool) -> None:
    schema = item.parameters
    right = isinstance(schema, Mapping) and schema.get("type", "object") == "object"
    if not right or not isinstance(schema.get("properties", {}), Mapping):
        raise InvalidInputError(
            f"The parameters of {item.name} are a JSON schema of type object, not {shown(schema)}."
        )
    json_text(dict(schema), f"The schema of {item.name}")


class Tools(Sequence[Tool]):
    """A registry of tools, to be given to ChatAgent."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = checked_tools(tools)

    def add(self, item: Tool) -> None:
        """Raises InvalidInputError, as checked_tools() does."""
        self._tools = checked_tools([*self._tools, item])

    @overload
    def tool(self, function: F, /) -> F: ...
    @overload
    def tool(self, /, **options: Any) -> Callable[[F], F]: ...
    def tool(self, function: Any = None, /, **options: Any) -> Any:
        """Decorator: adds the function as a tool and leaves it as it is. `options` are those of tool()."""

        def add(function: F) -> F:
            self.add(tool(function, **options))
            return function

        return add if function is None else add(function)

    @overload
    def __getitem__(self, place: int) -> Tool: ...
    @overload
    def __getitem__(self, place: slice) -> list[Tool]: ...
    def __getitem__(self, place: int | slice) -> Tool | list[Tool]:
        return self._tools[place]

    def __len__(self) -> int:
        return len(self._tools)
