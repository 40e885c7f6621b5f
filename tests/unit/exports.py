"""Exports as other products write them, made for the tests: each with what has broken importers before."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = [
    "EXPORTS",
    "chatgpt",
    "chatgpt_message",
    "claude",
    "json_file",
    "large_chatgpt",
    "turns",
    "zipped",
]

AT = 1_700_000_000  # s


def json_file(value: Any) -> io.BytesIO:
    return io.BytesIO(json.dumps(value, ensure_ascii=False).encode())


def zipped(members: Mapping[str, Any]) -> io.BytesIO:
    """A zip; a name that ends in / is a directory, bytes go in as they are, anything else as JSON."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
            archive.writestr(name, b"" if name.endswith("/") else data)
    file.seek(0)
    return file


# -- ChatGPT --


def chatgpt_message(role: str, text: Any, time: float | None = None, **more: Any) -> dict[str, Any]:
    """A message; `text` may be the content itself. `name` is the author's. No `metadata` unless given."""
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    author = {"role": role, "name": more.pop("name", None), "metadata": {}}
    return {
        "author": author,
        "create_time": time,
        "content": content,
        "weight": 1.0,
        "recipient": "all",
        **more,
    }


def chatgpt(
    id: str,
    messages: Mapping[str, tuple[str | None, dict[str, Any] | None]],
    *,
    children: bool = True,
    **more: Any,
) -> dict[str, Any]:
    """A conversation of {message id: (parent, message)}."""
    mapping: dict[str, Any] = {}
    for own, (parent, message) in messages.items():
        given = None if message is None else {"id": own, **message}
        mapping[own] = {"id": own, "message": given, "parent": parent}
    if children:
        for own, node in mapping.items():
            node["children"] = [child for child, (parent, _) in messages.items() if parent == own]
    about = {
        "id": id,
        "conversation_id": id,
        "title": f"Chat {id}",
        "create_time": AT,
        "update_time": AT + 900.25,
        "current_node": list(messages)[-1],
    }
    return {**about, "mapping": mapping, **more}


def turns(id: str, *texts: str) -> dict[str, Any]:
    """A plain conversation of ChatGPT: user and assistant by turns."""
    messages: dict[str, Any] = {f"{id}-root": (None, None)}
    for place, text in enumerate(texts):
        role = "assistant" if place % 2 else "user"
        messages[f"{id}-{place}"] = (list(messages)[-1], chatgpt_message(role, text, AT + place))
    return chatgpt(id, messages)


def large_chatgpt(conversations: int, characters: int) -> Iterator[bytes]:
    """The bytes of an export, made as they are asked for."""
    yield b"["
    for number in range(conversations):
        if number:
            yield b","
        text = f"question {number} " + "lorem ipsum “dolor” \\ " * (characters // 21)
        yield json.dumps(turns(f"large-{number}", text, f"answer {number}")).encode()
    yield b"]"


# -- Claude --


def claude(id: str, *messages: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation; each message gets an id, and the time of its neighbours where it has none."""
    made = []
    for place, given in enumerate(messages):
        time = f"2025-03-01T10:00:0{place // 2}.123456Z"  # a question and its answer at the same time
        sender = "assistant" if place % 2 else "human"
        own = {"uuid": f"{id}-{place}", "sender": sender, "created_at": time, "updated_at": time}
        made.append({**own, "text": "", "content": [], "attachments": [], "files": [], **given})
    about = {"uuid": id, "name": f"Chat {id}", "created_at": "2025-03-01T10:00:00Z"}
    return {**about, "updated_at": "2025-03-01T10:05:00Z", "chat_messages": made, **more}


def said(text: str) -> dict[str, Any]:
    return {"text": text, "content": [{"type": "text", "text": text, "citations": []}]}


CLAUDE_MEMORIES = {
    "account_uuid": "acc",
    "conversations_memory": "**Work context**\n\nUser works as a nurse.\n\n**Personal**\n- Is vegetarian.",
    "project_memories": {"p1": "Building a boat in the garage."},
}

# -- others --


def open_webui(id: str) -> dict[str, Any]:
    thought = (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n'
        "&gt; 2 &lt; 3\n</details>\nBecause &amp;."
    )
    messages = {
        "m1": {"id": "m1", "parentId": None, "childrenIds": ["m2", "m3"], "role": "user", "content": "Why?"},
        "m2": {"id": "m2", "parentId": "m1", "role": "assistant", "content": "No idea.", "timestamp": AT},
        "m3": {"id": "m3", "parentId": "m1", "role": "assistant", "content": thought, "model": "llama"},
    }
    history = {"currentId": "m3", "messages": messages}
    chat = {"title": "Why", "models": ["llama"], "history": history, "messages": []}
    return {"id": id, "title": "Why", "created_at": AT, "updated_at": AT + 60, "chat": chat}


def librechat(id: str) -> dict[str, Any]:
    root = "00000000-0000-0000-0000-000000000000"
    messages = [
        {"messageId": "q", "parentMessageId": root, "text": "Hi", "sender": "User", "isCreatedByUser": True},
        {"messageId": "a", "parentMessageId": "q", "text": "", "sender": "GPT", "isCreatedByUser": False},
        {"messageId": "b", "parentMessageId": "q", "text": "Hello again", "sender": "GPT"},
    ]
    messages[1]["content"] = [{"type": "think", "think": "Greet."}, {"type": "text", "text": "Hello"}]
    for place, message in enumerate(messages):
        message["createdAt"] = f"2025-01-02T03:04:0{place}.000Z"
    return {"conversationId": id, "title": "Greeting", "endpoint": "openAI", "messages": messages}


def librechat_tree(id: str, depth: int) -> str:
    """A conversation in which each message holds the next, as JSON text: too deep for most writers."""
    begin = json.dumps({"conversationId": id, "title": "Deep"})[:-1] + ', "messagesTree": ['
    parts = [begin]
    for place in range(depth):
        message = {"messageId": f"{id}-{place}", "text": f"line {place}", "isCreatedByUser": place % 2 == 0}
        parts.append(json.dumps(message)[:-1] + ', "children": [')
    return "".join(parts) + "]}" * depth + "]}"


CHATBOT_UI = {
    "version": 4,
    "history": [
        {
            "id": 7,
            "name": "Tea",
            "model": {"id": "gpt-4", "name": "GPT-4"},
            "prompt": "You are kind.",
            "messages": [
                {"role": "user", "content": "Green or black?"},
                {"role": "assistant", "content": "Green."},
            ],
        },
        {
            "name": "Same",
            "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "1"}],
        },
        {
            "name": "Same",
            "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "2"}],
        },
    ],
    "folders": [],
    "prompts": [],
}
GEMINI = [
    {
        "header": "Gemini Apps",
        "title": "Prompted What is a fjord?",
        "time": "2025-05-02T08:00:00.500Z",
        "products": ["Gemini Apps"],
        "safeHtmlItem": [{"html": "<p>An <b>inlet</b> &amp; more.</p><ul><li>deep</li></ul>"}],
    },
    {"header": "Gemini Apps", "title": "Prompted Hello", "time": "2025-05-01T23:59:00Z", "subtitles": []},
    {"header": "Gemini Apps", "title": "Prompted Before that", "time": "2025-05-01T08:00:00Z"},
    {"header": "Search", "title": "Searched for shoes", "time": "2025-05-01T07:00:00Z"},
]
PASTED = """# What you know about me

- Is vegetarian.
2. [2024-05-02]. Has a daughter named Mei who is 6.
* Building a boat in the garage

Diet:
"""

EXPORTS: dict[str, Callable[[], io.BytesIO]] = {
    "chatgpt": lambda: json_file([turns("c1", "I sail", "Nice"), turns("c2", "Hello", "Hi", "Bye")]),
    "chatgpt wrapped": lambda: json_file({"version": 1, "conversations": [turns("c1", "I sail", "Nice")]}),
    "chatgpt alone": lambda: json_file(turns("c1", "I sail", "Nice")),
    "chatgpt zip": lambda: zipped(
        {
            "export/": b"",
            "export/conversations.json": [turns("c1", "I sail", "Nice")],
            "export/user.json": {"id": "user-1", "email": "lin@example.org"},
            "export/message_feedback.json": [{"conversation_id": "c1", "rating": "thumbsUp"}],
            "export/shared_conversations.json": [{"id": "s", "conversation_id": "c1", "title": "Chat"}],
            "export/chat.html": b"<html><body>[1]</body></html>",
            "export/file-abc.png": b"\x89PNG\r\n\x1a\n\0\0",
            "__MACOSX/export/._conversations.json": b"[]",
        }
    ),
    "claude": lambda: json_file([claude("k1", said("I sail"), said("Nice"))]),
    "claude zip": lambda: zipped(
        {
            "data-2025-batch-0000/": b"",
            "data-2025-batch-0000/conversations.json": [claude("k1", said("I sail"), said("Nice"))],
            "data-2025-batch-0000/users.json": [
                {"uuid": "u", "full_name": "Lin", "email_address": "l@x.org"}
            ],
            "data-2025-batch-0000/projects.json": [{"uuid": "p", "name": "Boat", "docs": []}],
            "data-2025-batch-0000/memories.json": [CLAUDE_MEMORIES],
        }
    ),
    "zip of zips": lambda: zipped(
        {
            "conversations-000.zip": zipped(
                {"conversations.json": [claude("k1", said("I sail"))]}
            ).getvalue(),
            "memories-000.zip": zipped({"memories/acc.json": CLAUDE_MEMORIES}).getvalue(),
        }
    ),
    "claude memories": lambda: json_file([CLAUDE_MEMORIES]),
    "open webui": lambda: json_file([open_webui("w1")]),
    "librechat": lambda: json_file(librechat("l1")),
    "librechat tree": lambda: io.BytesIO(librechat_tree("l2", 300).encode()),
    "chatbot ui": lambda: json_file(CHATBOT_UI),
    "gemini": lambda: json_file(GEMINI),
    "pasted list": lambda: io.BytesIO(PASTED.encode()),
}
