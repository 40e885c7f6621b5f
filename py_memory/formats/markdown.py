"""The memory as a text that people read: conversations as they are on screen, and what is known with its
sources. Secrets are masked; what is not on screen is counted, not shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from py_memory.database import Database
from py_memory.errors import InvalidInputError
from py_memory.extraction.days import zone_of
from py_memory.extraction.secrets import without_secrets
from py_memory.facts import Facts
from py_memory.records import Fact, Message, Session
from py_memory.rows import messages as message_rows
from py_memory.rows import sessions as session_rows
from py_memory.rows import tool_calls

__all__ = ["LANGUAGES", "written_markdown"]

_WHOLE_BRANCH = 1_000_000  # messages
_ALL = 1_000_000  # sessions
LANGUAGES = ("en", "zh")
_WORDS = {
    "en": {
        "memory": "Memory",
        "known": "What is known",
        "waiting": "Waiting for an answer",
        "sessions": "Conversations",
        "untitled": "Untitled",
        "user": "You",
        "assistant": "Assistant",
        "system": "Instructions",
        "tool": "Note",
        "used": "Tool",
        "elsewhere": "{count} messages of other branches are not shown.",
        "from": "From {source}",
        "stopped": "stopped",
        "failed": "failed",
        "nothing": "Nothing yet.",
        "said": "said on {date}",
    },
    "zh": {
        "memory": "记忆",
        "known": "已知内容",
        "waiting": "等待确认",
        "sessions": "会话",
        "untitled": "无标题",
        "user": "你",
        "assistant": "助手",
        "system": "指示",
        "tool": "备注",
        "used": "工具",
        "elsewhere": "另有 {count} 条其他分支的消息未显示。",
        "from": "来自 {source}",
        "stopped": "已停止",
        "failed": "失败",
        "nothing": "暂无内容。",
        "said": "{date} 说过",
    },
}


def written_markdown(
    db: Database,
    user_id: str,
    facts: Facts,
    *,
    session_id: str | None,
    language: str,
    zone: str | None,
) -> Iterator[str]:
    """Pieces of the text. One session, or without `session_id` what is known and then all of them, the newest
    first. Raises NotFoundError, InvalidInputError (the language)."""
    if language not in LANGUAGES:
        raise InvalidInputError(f"The language is one of {', '.join(LANGUAGES)}.")
    words, here = _WORDS[language], zone_of(zone)

    def on(time: int) -> str:
        try:
            return datetime.fromtimestamp(time / 1000, here).strftime("%Y-%m-%d %H:%M")
        except (OverflowError, ValueError, OSError):  # outside of Python's calendar
            return "—"

    if session_id is not None:
        yield from _session(db, user_id, session_rows.get_session(db, user_id, session_id), words, on, 1)
        return
    yield f"# {words['memory']}\n"
    yield from _facts(db, user_id, facts.list_facts(status=None), words, on)
    yield f"\n## {words['sessions']}\n"
    found = session_rows.list_sessions(db, user_id, limit=_ALL, before=None, query=None)
    for session in found:
        yield "\n"
        yield from _session(db, user_id, session, words, on, 3)
    if not found:
        yield f"\n{words['nothing']}\n"


def _facts(
    db: Database, user_id: str, found: Sequence[Fact], words: dict[str, str], on: Callable[[int], str]
) -> Iterator[str]:
    notes: list[str] = []
    for status, title in (("current", "known"), ("candidate", "waiting")):
        some = sorted((f for f in found if f.status == status), key=lambda f: (f.key, f.created_at, f.id))
        if not some and status == "candidate":
            continue
        yield f"\n## {words[title]}\n\n"
        if not some:
            yield f"{words['nothing']}\n"
        for fact in some:
            mark = ""
            if fact.quote:
                notes.append(_note(db, user_id, fact, words, on))
                mark = f"[^{len(notes)}]"
            yield f"- **{_line(fact.key)}**: {_line(fact.value)}{mark}\n"
    if notes:
        yield "\n"
    for number, note in enumerate(notes, 1):
        yield f"[^{number}]: {note}\n"


def _note(db: Database, user_id: str, fact: Fact, words: dict[str, str], on: Callable[[int], str]) -> str:
    source = (
        message_rows.find_message(db, user_id, fact.source_message_id) if fact.source_message_id else None
    )
    said = words["said"].format(date=on(source.created_at if source else fact.created_at))
    parts = [f"“{_line(fact.quote or '')}”", said]
    if fact.imported_from:
        parts.append(words["from"].format(source=_line(fact.imported_from)))
    return " · ".join(parts)


def _session(
    db: Database,
    user_id: str,
    session: Session,
    words: dict[str, str],
    on: Callable[[int], str],
    level: int,
) -> Iterator[str]:
    mark = "#" * level
    about = [f"{on(session.created_at)} – {on(session.last_active_at)}"]
    origin = session.metadata.get("import")
    if isinstance(origin, dict) and isinstance(origin.get("source"), str):
        about.append(words["from"].format(source=_line(origin["source"])))
    yield f"{mark} {_line(session.title or words['untitled'])}\n\n*{' · '.join(about)}*\n"
    shown = message_rows.branch(db, user_id, session.current_message_id, _WHOLE_BRANCH)
    calls: dict[str | None, list[str]] = {}
    for call in tool_calls.list_tool_calls(db, user_id, session.id):
        calls.setdefault(call.message_id, []).append(f"`{_line(call.tool_name)}` ({call.status})")
    for message in shown:
        yield from _message(message, calls.get(message.id, []), words, on, level + 1)
    others = len(message_rows.seqs_of_session(db, user_id, session.id)) - len(shown)
    if others > 0:
        yield f"\n*{words['elsewhere'].format(count=others)}*\n"


def _message(
    message: Message, calls: list[str], words: dict[str, str], on: Callable[[int], str], level: int
) -> Iterator[str]:
    state = f" ({words[message.status]})" if message.status in ("stopped", "failed") else ""
    yield f"\n{'#' * level} {words[message.role]} · {on(message.created_at)}{state}\n\n"
    if calls:
        yield f"*{words['used']}: {', '.join(calls)}*\n\n"
    yield f"{without_secrets(message.content).rstrip()}\n"


def _line(text: str) -> str:
    """A text as part of one line: what it says, and nothing that Markdown would take for more."""
    plain = " ".join(str(without_secrets(text)).split())
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in plain)
