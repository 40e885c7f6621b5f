"""Conversations and memories of a Claude export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .chats import Chat, Statements, ToolUse, items_of, mapping_of, text_of, time_of
from .statements import listed
from .tree import Node, arrange

__all__ = ["read_claude", "read_claude_memories"]

SOURCE = "claude"
_ROOT = "00000000-0000-4000-8000-000000000000"
_ROLES = {"human": "user", "assistant": "assistant"}
_KNOWN_BLOCKS = frozenset(
    {"text", "thinking", "redacted_thinking", "tool_use", "tool_result", "token_budget"}
)


def read_claude(item: Mapping[str, Any]) -> Chat:
    """One conversation. Without links each message follows the one before it in the file, whatever the
    times say."""
    created, updated = time_of(item.get("created_at")), time_of(item.get("updated_at"))
    id = text_of(item.get("uuid"))
    nodes: list[Node] = []
    for place, given in enumerate(items_of(item.get("chat_messages"))):
        message = mapping_of(given)
        own = text_of(message.get("uuid")) or f"{place}"
        parent = text_of(message.get("parent_message_uuid"))
        if not parent:
            parent = nodes[-1].id if nodes else _ROOT
        nodes.append(_node(own, None if parent == _ROOT else parent, message))
    messages, current = arrange(nodes, nodes[-1].id if nodes else None, created)
    metadata: dict[str, Any] = {}
    if project := text_of(mapping_of(item.get("project")).get("uuid")):
        metadata["project"] = project
    if summary := text_of(item.get("summary")):
        metadata["summary"] = summary[:2000]
    if not id and messages:
        id = messages[0].id
    title = text_of(item.get("name")) or None
    return Chat(SOURCE, id, title, created, updated, messages, current, metadata)


def _node(id: str, parent: str | None, message: Mapping[str, Any]) -> Node:
    role = _ROLES.get(text_of(message.get("sender")), "")
    node = Node(id, parent, role, time=time_of(message.get("created_at")))
    said: list[str] = []
    thought: list[str] = []
    unknown: list[Any] = []
    calls: dict[str, ToolUse] = {}
    for given in items_of(message.get("content")):
        block = mapping_of(given)
        kind = text_of(block.get("type"))
        if kind == "text":
            said.append(text_of(block.get("text")))
            _cite(node, block)
        elif kind == "thinking":
            thought.append(text_of(block.get("thinking")))
        elif kind == "tool_use":
            use = ToolUse(text_of(block.get("name")) or "tool", block.get("input"))
            calls[text_of(block.get("id")) or f"#{len(calls)}"] = use
            node.tools.append(use)
        elif kind == "tool_result":
            _finish(node, calls.get(text_of(block.get("tool_use_id"))), block)
        elif kind not in _KNOWN_BLOCKS:
            unknown.append(given)
    text = "\n\n".join(part for part in said if part.strip()) or text_of(message.get("text"))
    node.text = "\n\n".join(part for part in (text, *_attached(node, message)) if part.strip())
    if unknown:
        node.raw = unknown
    reasoning = "\n\n".join(part for part in thought if part)
    if reasoning:
        node.metadata["reasoning"] = reasoning[:20_000]
        node.reasoning = reasoning
    if not node.text.strip() and unknown:
        node.text = f"[{text_of(mapping_of(unknown[0]).get('type'))[:80] or '…'}]"
    node.shown = bool(role and node.text.strip())
    if not node.shown and node.tools:
        # An answer that was stopped after it had called a tool: the calls are all there is.
        node.text, node.shown = " · ".join(f"[{use.name}]" for use in node.tools), bool(role)
    return node


def _finish(node: Node, use: ToolUse | None, block: Mapping[str, Any]) -> None:
    """A result joins its call: by id, else the first of that name, or any that has none yet."""
    name = text_of(block.get("name"))
    waiting = [use for use in node.tools if use.failed is None]
    use = use or next((use for use in waiting if use.name == name), waiting[0] if waiting else None)
    if use is None:
        use = ToolUse(name or "tool")
        node.tools.append(use)
    content = block.get("content")
    texts = [text_of(mapping_of(part).get("text")) for part in items_of(content)]
    use.output = "\n".join(texts) if texts and all(texts) else content
    use.failed = block.get("is_error") is True


def _attached(node: Node, message: Mapping[str, Any]) -> list[str]:
    """What was pasted or attached as text; of other files the names."""
    out: list[str] = []
    for given in items_of(message.get("attachments")):
        file = mapping_of(given)
        name, body = text_of(file.get("file_name")), text_of(file.get("extracted_content"))
        if name:
            node.metadata.setdefault("attachments", []).append({"file": name})
        if body.strip():
            out.append(f"**{name}**\n\n{body}" if name else body)
        elif name:
            out.append(f"[{name}]")
    for given in items_of(message.get("files")):
        if name := text_of(mapping_of(given).get("file_name")):
            node.metadata.setdefault("attachments", []).append({"file": name})
            out.append(f"[{name}]")
    return out


def _cite(node: Node, block: Mapping[str, Any]) -> None:
    for given in items_of(block.get("citations")):
        about = mapping_of(given)
        about = mapping_of(about.get("details")) or about
        sources = node.metadata.setdefault("sources", [])
        url = text_of(about.get("url"))
        if url and len(sources) < 50 and url not in [source["url"] for source in sources]:
            sources.append({"url": url, "title": text_of(about.get("title"))})
        if not sources:
            del node.metadata["sources"]


def read_claude_memories(item: Mapping[str, Any]) -> Statements:
    """What Claude had noted about the user, by conversation and by project."""
    texts = [text_of(item.get("conversations_memory"))]
    texts += [text_of(text) for text in mapping_of(item.get("project_memories")).values()]
    return Statements(SOURCE, [line for text in texts for line in listed(text)])
