"""Conversations of an Open WebUI export: a tree of messages by id, or a plain list in older files."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

from .chats import Chat, items_of, mapping_of, text_of, time_of
from .tree import Node, arrange, chain

__all__ = ["read_open_webui"]

SOURCE = "open-webui"
_DETAILS = re.compile(r"<details\b([^>]*)>(.*?)</details>\s*", re.DOTALL)
_SUMMARY = re.compile(r"<summary>.*?</summary>\s*", re.DOTALL)
_QUOTED = re.compile(r"^> ?", re.MULTILINE)


def read_open_webui(item: Mapping[str, Any]) -> Chat:
    """One conversation."""
    chat = mapping_of(item.get("chat"))
    history = mapping_of(chat.get("history"))
    by_id = mapping_of(history.get("messages"))
    if by_id:
        nodes = [
            _node(id, text_of(mapping_of(given).get("parentId")) or None, mapping_of(given))
            for id, given in by_id.items()
        ]
        current = text_of(history.get("currentId")) or None
    else:
        given = [mapping_of(message) for message in items_of(chat.get("messages"))]
        nodes = chain(_node(text_of(m.get("id")) or f"{place}", None, m) for place, m in enumerate(given))
        current = nodes[-1].id if nodes else None
    created = time_of(item.get("created_at")) or time_of(chat.get("timestamp"))
    messages, current = arrange(nodes, current, created)
    id = text_of(item.get("id")) or text_of(chat.get("id")) or (messages[0].id if messages else "")
    title = text_of(item.get("title")) or text_of(chat.get("title")) or None
    metadata: dict[str, Any] = {}
    if models := [model for model in items_of(chat.get("models")) if isinstance(model, str)]:
        metadata["model"] = models[0]
    for name in ("archived", "pinned"):
        if item.get(name) is True:
            metadata[name] = True
    return Chat(SOURCE, id, title, created, time_of(item.get("updated_at")), messages, current, metadata)


def _node(id: str, parent: str | None, message: Mapping[str, Any]) -> Node:
    role = text_of(message.get("role"))
    node = Node(id, parent, role, time=time_of(message.get("timestamp")))
    content = message.get("content")
    if isinstance(content, list):  # parts, as the interfaces of models have them
        content = "\n\n".join(text_of(mapping_of(part).get("text")) for part in content)
    node.text = _DETAILS.sub(lambda match: _folded(node, match), text_of(content)).strip()
    if model := text_of(message.get("model")):
        node.metadata["model"] = model
    for file in items_of(message.get("files")):
        if name := text_of(mapping_of(file).get("name")):
            node.metadata.setdefault("attachments", []).append({"file": name})
    if not node.text and (files := node.metadata.get("attachments")):
        node.text = " ".join(f"[{file['file']}]" for file in files)
    node.shown = role in ("user", "assistant") and bool(node.text)
    return node


def _folded(node: Node, match: re.Match[str]) -> str:
    """Reasoning leaves the text; it is kept beside it."""
    if 'type="reasoning"' not in match.group(1):
        return match.group()
    thought = _QUOTED.sub("", html.unescape(_SUMMARY.sub("", match.group(2)))).strip()
    if thought:
        before = node.metadata.get("reasoning", "")
        node.metadata["reasoning"] = f"{before}\n\n{thought}".strip()[:20_000]
        node.reasoning = node.metadata["reasoning"]
    return ""
