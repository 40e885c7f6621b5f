"""Conversations of a LibreChat export: a list of messages with links, or a tree in which each message holds
those that follow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .chats import Chat, ToolUse, items_of, mapping_of, text_of, time_of
from .deep_json import depth_of, dismantle
from .json_stream import MAX_KEPT_DEPTH
from .tree import Node, arrange

__all__ = ["read_librechat"]

SOURCE = "librechat"
_ROOT = "00000000-0000-0000-0000-000000000000"


def read_librechat(given: Mapping[str, Any]) -> Chat:
    """One conversation, taken apart as it is read. The branch on screen is not in the file: the newest is
    taken."""
    item = dict(given)
    nodes: list[Node] = []
    for place, (message, parent) in enumerate(_taken_apart(item)):
        linked = text_of(message.get("parentMessageId"))
        above = parent or (None if linked in ("", _ROOT) else linked)
        nodes.append(_node(text_of(message.get("messageId")) or f"{place}", above, message))
    created = time_of(item.get("createdAt"))
    messages, current = arrange(nodes, None, created)
    metadata: dict[str, Any] = {}
    options = mapping_of(item.get("options"))
    if model := text_of(item.get("model")) or text_of(options.get("model")):
        metadata["model"] = model
    if endpoint := text_of(item.get("endpoint")):
        metadata["endpoint"] = endpoint
    id = text_of(item.get("conversationId")) or (messages[0].id if messages else "")
    return Chat(
        SOURCE,
        id,
        text_of(item.get("title")) or None,
        created,
        time_of(item.get("updatedAt")),
        messages,
        current,
        metadata,
    )


def _taken_apart(item: dict[str, Any]) -> list[tuple[dict[str, Any], str | None]]:
    """Each message with the one that held it; a long conversation is nested thousands deep. Nothing deep is
    left in the item and in the messages."""
    flat, nested = items_of(item.pop("messages", None)), items_of(item.pop("messagesTree", None))
    waiting: list[tuple[Any, str | None]] = [(message, None) for message in reversed(flat or nested)]
    if flat:
        dismantle(nested)
    _make_shallow(item)
    out: list[tuple[dict[str, Any], str | None]] = []
    while waiting:
        message, parent = waiting.pop()
        if not isinstance(message, dict):
            dismantle(message)
            continue
        out.append((message, parent))
        own = text_of(message.get("messageId")) or None
        children = message.pop("children", None)
        waiting += [(child, own) for child in reversed(items_of(children))]
        if not isinstance(children, list):
            dismantle(children)
        _make_shallow(message)
    return out


def _make_shallow(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if depth_of(value, MAX_KEPT_DEPTH) > MAX_KEPT_DEPTH:
            given[name] = None
            dismantle(value)


def _node(id: str, parent: str | None, message: Mapping[str, Any]) -> Node:
    mine = message.get("isCreatedByUser")
    if not isinstance(mine, bool):
        mine = text_of(message.get("sender")).lower() in ("user", "human")
    node = Node(id, parent, "user" if mine else "assistant", time=time_of(message.get("createdAt")))
    said = [text_of(message.get("text"))]
    thought: list[str] = []
    unknown: list[Any] = []
    for given in items_of(message.get("content")):
        part = mapping_of(given)
        kind = text_of(part.get("type"))
        if kind == "text":
            said.append(_inner(part.get("text")))
        elif kind == "think":
            thought.append(_inner(part.get("think")))
        elif kind == "tool_call":
            call = mapping_of(part.get("tool_call"))
            output = call.get("output")
            known = None if output is None else False
            node.tools.append(ToolUse(text_of(call.get("name")) or "tool", call.get("args"), output, known))
        elif kind == "error":
            said.append(_inner(part.get("error")))
        elif part:
            unknown.append({name: value for name, value in part.items() if name != "children"})
    # The flattened text repeats the parts; they are taken where there is none.
    node.text = said[0] if said[0].strip() else "\n\n".join(part for part in said if part.strip())
    if unknown:
        node.raw = unknown
        node.text = node.text or f"[{text_of(unknown[0].get('type'))[:80] or '…'}]"
    if reasoning := "\n\n".join(filter(None, thought)):
        node.metadata["reasoning"] = reasoning[:20_000]
    if model := text_of(message.get("model")):
        node.metadata["model"] = model
    for file in items_of(message.get("files")):
        if name := text_of(mapping_of(file).get("filename")):
            node.metadata.setdefault("attachments", []).append({"file": name})
            node.text = node.text or f"[{name}]"
    if not node.text.strip() and node.tools:
        node.text = " · ".join(f"[{use.name}]" for use in node.tools)
    node.shown = bool(node.text.strip())
    return node


def _inner(value: object) -> str:
    """A text, alone or as {value: text}."""
    return text_of(value) or text_of(mapping_of(value).get("value"))
