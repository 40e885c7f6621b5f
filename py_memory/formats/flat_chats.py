"""Exports without links between messages: Chatbot UI v1, and Gemini's activity in Google Takeout.

They give few ids or none, so a message is known by what came before it and what it says: a conversation that
went on since the last import gets what is new.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from .chats import Chat, items_of, mapping_of, text_of, time_of
from .tree import Node, arrange, chain

__all__ = ["gemini_days", "is_gemini", "read_chatbot_ui", "read_gemini"]

CHATBOT_UI = "chatbot-ui"
GEMINI = "gemini"
_ROLES = ("user", "assistant")
_BREAK = re.compile(r"<(?:br|/p|/li|/h\d|/div|/tr|/pre)\b[^>]*>", re.IGNORECASE)
_BULLET = re.compile(r"<li\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_BLANK = re.compile(r"\n{3,}")
_PROMPTED = re.compile(r"^(?:Prompted|Said|Asked)\s+")
_PRODUCTS = ("gemini", "bard")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _named(nodes: Iterable[Node]) -> Iterator[Node]:
    """Messages with ids made from their own words and all before them."""
    before = ""
    for node in nodes:
        node.id = before = _digest(before, node.role, node.text)
        yield node


def read_chatbot_ui(item: Mapping[str, Any]) -> Chat:
    """One conversation of a `history`."""
    given = [mapping_of(message) for message in items_of(item.get("messages"))]
    nodes = [
        Node("", None, text_of(message.get("role")), text_of(message.get("content")))
        for message in given
        if text_of(message.get("role")) in _ROLES and text_of(message.get("content")).strip()
    ]
    messages, current = arrange(chain(_named(nodes)), nodes[-1].id if nodes else None, None)
    title = text_of(item.get("name")) or None
    own = item.get("id")
    id = str(own) if isinstance(own, str | int) and own != "" else ""
    id = id or _digest(title or "", messages[0].text if messages else "")
    model = mapping_of(item.get("model"))
    metadata = {"model": text_of(model.get("id"))} if text_of(model.get("id")) else {}
    if prompt := text_of(item.get("prompt")):
        metadata["prompt"] = prompt[:2000]
    return Chat(CHATBOT_UI, id[:200], title, None, None, messages, current, metadata)


# -- Gemini --


def is_gemini(item: Mapping[str, Any]) -> bool:
    """Whether an activity is one of Gemini; Takeout writes those of other products in the same form."""
    named = [text_of(item.get("header")), *map(text_of, items_of(item.get("products")))]
    return any(product in name.lower() for name in named for product in _PRODUCTS)


def gemini_days(items: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Activities that follow each other in the file, by the day (UTC) on which they happened: there are no
    conversations in the file."""
    day: list[Mapping[str, Any]] = []
    for item in items:
        if day and _day(item) != _day(day[0]):
            yield day
            day = []
        day.append(item)
    if day:
        yield day


def _day(item: Mapping[str, Any]) -> str:
    time = time_of(text_of(item.get("time")))
    return "" if time is None else datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d")


def read_gemini(day: list[Mapping[str, Any]]) -> Chat:
    """The prompts of one day with their answers, oldest first."""
    nodes: list[Node] = []
    for item in reversed(day):  # the newest comes first in the file
        time = time_of(text_of(item.get("time")))
        prompt = _PROMPTED.sub("", text_of(item.get("title"))).strip()
        answer = "\n\n".join(
            _plain(text_of(mapping_of(i).get("html"))) for i in items_of(item.get("safeHtmlItem"))
        )
        if not prompt:
            continue
        asked = Node(_digest(str(time), prompt), None, "user", prompt, time)
        for subtitle in items_of(item.get("subtitles")):
            if name := text_of(mapping_of(subtitle).get("name")):
                asked.metadata.setdefault("attachments", []).append({"file": name})
        nodes.append(asked)
        if answer.strip():
            nodes.append(Node(_digest(asked.id, "answer"), None, "assistant", answer, time))
    messages, current = arrange(chain(nodes), nodes[-1].id if nodes else None, None)
    name = _day(day[0])
    return Chat(GEMINI, f"day:{name}", f"Gemini {name}".strip(), None, None, messages, current)


def _plain(source: str) -> str:
    """An answer's HTML as text."""
    text = _TAG.sub("", _BULLET.sub("- ", _BREAK.sub("\n", source)))
    return _BLANK.sub("\n\n", html.unescape(text)).strip()
