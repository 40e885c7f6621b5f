"""Which product wrote a file, told by what is in it and never by its name; and all that is in it, one
conversation at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from py_memory.errors import ImportRefusedError, InvalidInputError

from .chatgpt import read_chatgpt
from .chats import Chat, Entry, Skipped, Statements, mapping_of, text_of
from .claude import read_claude, read_claude_memories
from .deep_json import depth_of, dismantle
from .flat_chats import gemini_days, is_gemini, read_chatbot_ui, read_gemini
from .json_lines import is_memory_lines
from .json_stream import MAX_DEPTH, MAX_KEPT_DEPTH, START, Part, read_parts
from .librechat import read_librechat
from .open_webui import read_open_webui
from .plain_list import why_no_list
from .sources import Member, Source
from .statements import listed

__all__ = ["MEMORY", "MEMORY_LINES", "Shape", "entries", "shapes_of"]

MEMORY, MEMORY_LINES = "memory", "memory-lines"  # this program's own files
PASTED = "list"
GEMINI = "gemini"
MAX_PASTED_BYTES = 1 << 20
_LOOKED_AT = 20  # elements of a list, until one says what they are
_WRAPPERS = ("conversations", "history", "chats", "data")
_READERS: dict[str, Callable[[Mapping[str, Any]], Chat | Statements]] = {
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "claude-memories": read_claude_memories,
    "open-webui": read_open_webui,
    "librechat": read_librechat,
    "chatbot-ui": read_chatbot_ui,
}
_NESTED = "librechat"  # each message may hold the next
_TITLES = ("title", "name")
# What a reader can come across in a file of another form than its product writes.
_MALFORMED = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, InvalidInputError)


@dataclass(frozen=True)
class Shape:
    """`within`: the member of the file's object in which the conversations are; "" if the file is a list;
    None if the file is one conversation."""

    product: str
    within: str | None


def shapes_of(source: Source) -> list[tuple[Member, Shape]]:
    """The files that hold something to import. Raises ImportRefusedError if none does, or if one is
    damaged."""
    found = [(member, shape) for member in source.members if (shape := _shape_of(member))]
    if not found:
        raise ImportRefusedError(
            f"{source.name} is no export that this program knows (ChatGPT, Claude, Open WebUI, LibreChat, "
            "Chatbot UI, Gemini, a list of memories, or a memory's own file); nothing was imported.",
            code="unknown",
        )
    return found


def _shape_of(member: Member) -> Shape | None:
    if member.kind == "database":
        return Shape(MEMORY, None)
    if member.kind == "text":
        if what := why_no_list(member.head.decode("utf-8", "ignore")):
            raise ImportRefusedError(
                f"{member.name} looks like {what}, not like a list of memories with one on each line. Make "
                "such a list of it, or choose another file; nothing was imported."
            )
        return Shape(PASTED, None)
    if is_memory_lines(member.head):
        return Shape(MEMORY_LINES, None)
    with member.open() as file:
        return _by_parts(read_parts(file))


def _by_parts(parts: Iterator[Part]) -> Shape | None:
    names: set[str] = set()
    looked_at = 0
    for part in parts:
        if part.name is not None:
            names.add(part.name)
            if product := _product_of(names, {}):
                return Shape(product, None)
        if part.raw is None or part.raw == START or (part.name and part.name not in _WRAPPERS):
            continue
        if part.index is None or looked_at >= _LOOKED_AT:
            if part.name is None:
                return None
            continue
        looked_at += 1
        try:
            item = mapping_of(part.value())
        except InvalidInputError:
            continue
        if product := _product_of(item, item):
            return Shape(product, part.name or "")
        if part.name == "history" and "messages" in item:
            return Shape("chatbot-ui", part.name)
    if {"version", "history"} <= names:
        return Shape("chatbot-ui", "history")
    return None


def _product_of(names: Iterable[str], item: Mapping[str, Any]) -> str | None:
    names = set(names)
    if "chat_messages" in names:
        return "claude"
    if "mapping" in names:
        return "chatgpt"
    if "conversations_memory" in names or "project_memories" in names:
        return "claude-memories"
    if "conversationId" in names and names & {"messages", "messagesTree"}:
        return "librechat"
    if "chat" in names and (not item or mapping_of(item["chat"]).keys() & {"history", "messages"}):
        return "open-webui"
    if {"header", "title", "time"} <= names and is_gemini(item):
        return GEMINI
    return None


def entries(member: Member, shape: Shape, progress: Callable[[int], None] | None = None) -> Iterator[Entry]:
    """All that is in a file, read as a stream. `progress` is told the bytes of each read. Raises
    ImportRefusedError where the file is damaged."""
    with member.open(progress) as file:
        if shape.product == PASTED:
            yield _pasted(file)
            return
        items = _items(file, shape)
        if shape.product == GEMINI:
            yield from _gemini(items)
            return
        read = _READERS[shape.product]
        for item in items:
            yield item if isinstance(item, Skipped) else _read(read, item)


def _pasted(file: BinaryIO) -> Statements:
    data = file.read(MAX_PASTED_BYTES + 1)
    if len(data) > MAX_PASTED_BYTES:
        raise ImportRefusedError(
            "The list of memories is over 1 MiB. Divide it; nothing was imported.", code="list_too_long"
        )
    try:
        return Statements(PASTED, listed(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise ImportRefusedError(
            "The text is not in UTF-8. Save it as UTF-8; nothing was imported.", code="utf16"
        ) from error


def _items(file: BinaryIO, shape: Shape) -> Iterator[Mapping[str, Any] | Skipped]:
    most = MAX_DEPTH if shape.product == _NESTED else MAX_KEPT_DEPTH
    if shape.within is None:
        yield _whole(read_parts(file), most)
        return
    for part in read_parts(file):
        if part.index is None or (part.name or "") != shape.within:
            continue
        if part.problem:
            yield Skipped(None, part.problem)
            continue
        try:
            item = part.value(most)
        except InvalidInputError:
            yield Skipped(None, "malformed")
            continue
        if isinstance(item, Mapping):
            yield item
        else:
            dismantle(item)
            yield Skipped(None, "malformed")


def _whole(parts: Iterator[Part], most: int) -> Mapping[str, Any] | Skipped:
    """The object that the file is."""
    out: dict[str, Any] = {}
    for part in parts:
        if part.problem:
            dismantle(out)
            return Skipped(None, part.problem)
        name = part.name or ""
        try:
            if part.raw == START and part.index is None:
                out[name] = []
            elif part.index is None:
                out[name] = part.value(most)
            else:
                out[name].append(part.value(most))
        except InvalidInputError:
            dismantle(out)
            return Skipped(None, "malformed")
    return out


def _read(read: Callable[[Mapping[str, Any]], Chat | Statements], item: Mapping[str, Any]) -> Entry:
    title = next((named for name in _TITLES if (named := text_of(item.get(name)))), None)
    try:
        entry = read(item)
    except _MALFORMED:
        return Skipped(title, "malformed")
    if isinstance(entry, Chat):
        if not (entry.id and entry.messages):
            return Skipped(title, "empty", entry.id or None)
        _flatten(entry)
    return entry


def _flatten(chat: Chat) -> None:
    """Leaves out what is nested deeper than JSON is kept, or copied, here."""
    for message in chat.messages:
        message.raw = _shallow(message.raw)
        for use in message.tools:
            use.input, use.output = _shallow(use.input), _shallow(use.output)


def _shallow(value: Any) -> Any:
    return None if depth_of(value, MAX_KEPT_DEPTH) > MAX_KEPT_DEPTH else value


def _gemini(items: Iterator[Mapping[str, Any] | Skipped]) -> Iterator[Entry]:
    skipped: list[Skipped] = []

    def activities() -> Iterator[Mapping[str, Any]]:
        for item in items:
            if isinstance(item, Skipped):
                skipped.append(item)
            elif is_gemini(item):
                yield item

    for day in gemini_days(activities()):
        yield _read(lambda _, day=day: read_gemini(day), {})  # type: ignore[misc]
        yield from islice(skipped, len(skipped))
        skipped.clear()
    yield from skipped
