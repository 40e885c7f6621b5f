"""Conversations of a ChatGPT export: a mapping of messages by id, with branches, hidden messages, tool calls
and the memories that the product saved."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .chats import Chat, items_of, mapping_of, text_of, time_of
from .statements import listed, profile_lines
from .tree import Node, arrange

__all__ = ["read_chatgpt"]

SOURCE = "chatgpt"
MAX_SOURCES = 50
_CITED = re.compile("\ue200([^\ue201]{0,2000})\ue201")
_PRIVATE_MARK = re.compile("[\ue200-\ue2ff]")
_FOOTNOTE = re.compile(r"【\d+(?::\d+)?†[^】]{0,200}】")
_BIO_SAYS = re.compile(r"\s*(?:model set context|memory|forget\b|no (?:new )?memor)", re.IGNORECASE)
_MARKED = (  # conversation → metadata
    ("default_model_slug", "model"),
    ("gizmo_id", "gizmo"),
    ("conversation_template_id", "project"),
    ("is_archived", "archived"),
    ("is_starred", "starred"),
)


def read_chatgpt(item: Mapping[str, Any]) -> Chat:
    """One conversation. `children` and `metadata` may be missing; links may be cut or go round."""
    mapping = mapping_of(item.get("mapping"))
    parents = _parents(mapping)
    nodes = [_node(id, parents.get(id), mapping_of(given)) for id, given in mapping.items()]
    created, updated = time_of(item.get("create_time")), time_of(item.get("update_time"))
    current = text_of(item.get("current_node")) or None
    messages, current = arrange(nodes, current, created)
    metadata = {name: item[given] for given, name in _MARKED if isinstance(item.get(given), str | bool)}
    private = item.get("is_do_not_remember") is True
    id = (
        text_of(item.get("conversation_id"))
        or text_of(item.get("id"))
        or (messages[0].id if messages else "")
    )
    return Chat(
        SOURCE,
        id,
        text_of(item.get("title")) or None,
        created,
        updated,
        messages,
        current,
        {name: value for name, value in metadata.items() if value},
        private,
    )


def _parents(mapping: Mapping[str, Any]) -> dict[str, str]:
    """What each message follows. A missing link is taken from the list of children, where there is one."""
    parents: dict[str, str] = {}
    for id, given in mapping.items():
        for child in items_of(mapping_of(given).get("children")):
            if isinstance(child, str):
                parents.setdefault(child, id)
    for id, given in mapping.items():
        if parent := text_of(mapping_of(given).get("parent")):
            parents[id] = parent
    return parents


def _node(id: str, parent: str | None, given: Mapping[str, Any]) -> Node:
    message = mapping_of(given.get("message"))
    content, metadata = mapping_of(message.get("content")), mapping_of(message.get("metadata"))
    author = mapping_of(message.get("author"))
    role, name = text_of(author.get("role")), text_of(author.get("name"))
    recipient = text_of(message.get("recipient")) or "all"
    node = Node(id, parent, role, time=time_of(message.get("create_time")), shown=False)
    if not message:
        return node
    if node.time is None:
        node.time = time_of(message.get("update_time"))
    kind = text_of(content.get("content_type")) or "text"
    if _noted(node, kind, role, name, recipient, content):
        return node
    text = _text(node, kind, content)
    if kind in ("thoughts", "reasoning_recap"):
        node.reasoning = text
    elif role in ("tool", "function"):
        node.result = (name or "tool", text or None, kind == "system_error")
    elif role == "assistant" and recipient != "all":
        node.call = (recipient, text)
    elif role in ("user", "assistant") and metadata.get("is_visually_hidden_from_conversation") is not True:
        node.text = _readable(text)
        node.shown = bool(node.text.strip()) or node.raw is not None
        _describe(node, metadata)
        if node.shown and not node.text.strip():
            node.text = f"[{kind[:80]}]"
    return node


def _noted(node: Node, kind: str, role: str, name: str, recipient: str, content: Mapping[str, Any]) -> bool:
    """Messages in which the product keeps what it knows about the user stay, as the source of what is
    proposed, with the role of a tool. Returns whether it is one."""
    if kind == "user_editable_context":
        texts = [text_of(content.get(part)) for part in ("user_profile", "user_instructions")]
        node.statements = [line for text in texts for line in profile_lines(text)]
        kept_as = "profile"
    elif kind == "model_editable_context":
        texts = [text_of(content.get("model_set_context"))]
        node.statements = listed(texts[0])
        kept_as = "saved_memory"
    elif "bio" in (recipient if role == "assistant" else "", name if role == "tool" else ""):
        texts = [_text(node, kind, content)]
        node.statements = [] if _BIO_SAYS.match(texts[0]) else listed(texts[0])
        kept_as = "saved_memory"
    else:
        return False
    if node.statements:
        node.role, node.shown, node.metadata["kind"] = "tool", True, kept_as
        node.text = "\n\n".join(text for text in texts if text.strip())
    return True


def _text(node: Node, kind: str, content: Mapping[str, Any]) -> str:
    """What a message says. What has no text is noted on the node."""
    if kind == "code":
        language = text_of(content.get("language"))
        code = text_of(content.get("text"))
        fence = language if language not in ("", "unknown") else ""
        return f"```{fence}\n{code}\n```" if node.role == "assistant" and fence else code
    if kind in ("text", "multimodal_text"):
        return "\n\n".join(filter(None, (_part(node, part) for part in items_of(content.get("parts")))))
    names: tuple[str, ...]
    if kind in ("tether_quote", "sonic_webpage"):
        names = ("title", "url", "text")
    elif kind == "tether_browsing_display":
        names = ("summary", "result")
    elif kind == "system_error":
        names = ("name", "text")
    elif kind == "reasoning_recap":
        names = ("content",)
    elif kind == "thoughts":
        thoughts = [mapping_of(thought) for thought in items_of(content.get("thoughts"))]
        return "\n\n".join(
            part
            for thought in thoughts
            for name in ("summary", "content")
            if (part := text_of(thought.get(name)))
        )
    elif kind == "execution_output":
        names = ("text",)
    else:
        node.raw = dict(content)
        names = ("text", "result", "content")
    said = [text_of(content.get(name)) for name in names]
    if not any(said):
        said = [_part(node, part) for part in items_of(content.get("parts"))]
    return "\n".join(filter(None, said))


def _part(node: Node, part: object) -> str:
    if isinstance(part, str):
        return part
    given = mapping_of(part)
    if pointer := text_of(given.get("asset_pointer")):
        kept = {
            name: given[name]
            for name in ("width", "height", "size_bytes")
            if isinstance(given.get(name), int)
        }
        node.metadata.setdefault("attachments", []).append({"file": pointer, **kept})
        return f"![]({pointer})"
    if text := text_of(given.get("text")):  # what was spoken
        return text
    if given:
        node.raw = [*(node.raw if isinstance(node.raw, list) else []), dict(given)]
    return ""


def _describe(node: Node, metadata: Mapping[str, Any]) -> None:
    if model := text_of(metadata.get("model_slug")):
        node.metadata["model"] = model
    sources: list[dict[str, str]] = []
    for cited in (*items_of(metadata.get("citations")), *items_of(metadata.get("content_references"))):
        about = mapping_of(cited)
        about = mapping_of(about.get("metadata")) or about
        if (url := text_of(about.get("url"))) and url not in [source["url"] for source in sources]:
            sources.append({"url": url, "title": text_of(about.get("title"))})
    if sources:
        node.metadata["sources"] = sources[:MAX_SOURCES]
    for attached in items_of(metadata.get("attachments")):
        if name := text_of(mapping_of(attached).get("name")):
            node.metadata.setdefault("attachments", []).append({"file": name})


def _readable(text: str) -> str:
    """Without the marks that stand for citations: names in them stay, references go."""
    return _PRIVATE_MARK.sub("", _FOOTNOTE.sub("", _CITED.sub(_resolved, text)))


def _resolved(match: re.Match[str]) -> str:
    kind, _, rest = match.group(1).partition("\ue202")
    if kind != "entity":
        return ""
    try:
        words = json.loads(rest)
    except (ValueError, RecursionError):
        return ""
    named = words[1] if isinstance(words, list) and len(words) > 1 else ""
    return text_of(named)
