"""The prompt for one answer: gathered from the memory, fitted to what the model takes, and named part by part
so that it can be looked at later."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import context
from .checks import json_text
from .errors import InvalidInputError
from .prompts import PER_MESSAGE, Parts, estimate, fitted, left_out, render
from .records import Experience, Message, Model, Overview, Tool
from .store import MAX_MEMORY_CHARS, MemoryStore
from .text import detect_language, estimate_tokens

__all__ = ["Prepared", "prepare"]

MAX_CHARS, MAX_FACTS, MAX_RECALLED = 4000, 12, 5  # where the model does not say what it takes
MOST_CHARS = 60_000  # of what was said, however much the model takes
ANSWER_TOKENS = 1_024  # kept free for the answer, or a quarter of what the model takes
_MARGIN = 0.9  # of the room where tokens are only estimated
_COUNTS = 5  # times that a model's own counter is asked
# Of the memory's tools those that a model with little room gets first.
_FIRST = ("memory_search", "memory_add", "memory_list", "memory_update", "memory_forget", "memory_confirm")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prompt. `uses` says which memories are in it and why, `record` is what of it is kept."""

    messages: list[dict[str, Any]]
    tools: list[Tool]
    uses: list[tuple[str, str, Mapping[str, Any]]]
    experiences: Sequence[Experience]
    record: dict[str, Any]


async def prepare(
    store: MemoryStore,
    model: Model,
    said: Message,
    tools: Sequence[Tool],
    resumption: str,
    at_most: int | None = None,
) -> Prepared:
    """The prompt for answering `said`. `at_most` is a limit in tokens that the model has turned out to have.
    A model says by `context_tokens` how many tokens prompt and answer may have together, and may have
    `count_tokens(text)`, which may be a coroutine."""
    if not _looks_for_itself(model):
        await store.prepare_recall(said.content)
    takes = _number(model, "context_tokens")
    offered = _tools_for(model, tools, takes)
    limit = at_most
    if limit is None and takes is not None:
        answer = min(_number(model, "answer_tokens") or ANSWER_TOKENS, takes // 4)
        limit = max(takes - answer - sum(map(_tokens_of, offered)), 1)
    whole, snapshot_id = _gather(store, said, offered, resumption, limit, _looks_for_itself(model))
    parts, tokens, counted = await _fit(model, whole, limit)
    memory = context.memory_part(parts.overview, parts.memory_chars, parts.language, shown=parts.shown)
    record = {
        "language": parts.language,
        "model": getattr(model, "name", None) or type(model).__name__,
        "history": [message.id for message in parts.history],
        "edited": {message.id: message.version_id for message in parts.history if message.edited},
        "own": parts.own.id if parts.own else None,
        "memories": {kind: count for kind, count in _counts(parts, memory).items() if count},
        "snapshot": snapshot_id if parts.overview.snapshot else None,
        "message_chars": parts.message_chars,
        "memory_chars": parts.memory_chars,
        "resumed": bool(resumption),
        "tokens": tokens,
        "counted": counted,
        "limit": limit,
        "left_out": left_out(whole, parts) | _fewer(tools, offered),
        "tools": [tool.name for tool in offered],
        "tool_tokens": sum(map(_tokens_of, offered)),
    }
    return Prepared(render(parts), offered, _uses(parts, memory), parts.experiences, record)


def _looks_for_itself(model: Model) -> bool:
    return bool(getattr(model, "names_its_uses", False))


def _number(model: Model, name: str) -> int | None:
    value = getattr(model, name, None)
    return value if isinstance(value, int) and value > 0 else None


def _gather(
    store: MemoryStore,
    said: Message,
    tools: Sequence[Tool],
    resumption: str,
    limit: int | None,
    looks_for_itself: bool,
) -> tuple[Parts, str | None]:
    language = detect_language(said.content)
    chars = MAX_CHARS if limit is None else max(MAX_CHARS, min(limit * 2, MOST_CHARS))
    window = store.working_set(said.session_id)
    ids = [message.id for message in window]
    window = window[: ids.index(said.id) + 1] if said.id in ids else [said]
    history = context.within_budget(context.said_in(window), chars, None)
    overview = store.load_overview(said.session_id, limit=MAX_FACTS)
    memory = context.memory_part(overview, MAX_MEMORY_CHARS, language, shown=ids)
    recalled, experiences = [], []
    if not looks_for_itself:
        known = {said.id, *ids, *(fact.id for fact in memory.facts), *(s.id for s in memory.summaries)}
        recalled = store.active_recall(said.content, limit=MAX_RECALLED, exclude=known)
        experiences = store.experiences_for(said.content, [tool.name for tool in tools])
    parts = Parts(
        language,
        replace(overview, facts=memory.facts, summaries=memory.summaries),
        tuple(history),
        MAX_MEMORY_CHARS,
        chars,
        own=next((message for message in window if message.role == "system"), None),
        recalled=tuple(recalled),
        experiences=tuple(experiences),
        incognito=store.incognito,
        resumption=resumption,
    )
    return parts, _snapshot_id(store, said.session_id, overview)


def _snapshot_id(store: MemoryStore, session_id: str, overview: Overview) -> str | None:
    if not overview.snapshot:
        return None
    try:
        latest = store.latest_snapshot(session_id)
    except InvalidInputError:
        return None
    return latest.id if latest else None


async def _fit(model: Model, whole: Parts, limit: int | None) -> tuple[Parts, int, bool]:
    """(the parts that fit, their tokens, whether the model has counted them). A counter may lie in another
    process: it is asked for the whole prompt, and estimates are corrected by what it says."""
    if getattr(model, "count_tokens", None) is None:
        parts = whole if limit is None else fitted(whole, limit * _MARGIN)
        return parts, estimate(render(parts)), False
    parts, factor = whole, 1.0
    for _ in range(_COUNTS):
        messages = render(parts)
        try:
            tokens = await _counted(model, messages)
        except Exception:  # the answer does not fail with its counter
            parts = whole if limit is None else fitted(whole, limit * _MARGIN)
            return parts, estimate(render(parts)), False
        if limit is None or tokens <= limit:
            return parts, tokens, True
        factor = max(factor * 1.02, tokens / max(estimate(messages), 1))
        smaller = fitted(whole, limit / factor)
        if smaller == parts:
            break
        parts = smaller
    return parts, tokens, True


async def _counted(model: Any, messages: Sequence[Mapping[str, Any]]) -> int:
    count = model.count_tokens("\n".join(str(message["content"]) for message in messages))
    tokens = await count if inspect.isawaitable(count) else count
    return int(tokens) + PER_MESSAGE * len(messages)


def _uses(parts: Parts, memory: context.MemoryPart) -> list[tuple[str, str, Mapping[str, Any]]]:
    out: list[tuple[str, str, Mapping[str, Any]]] = []
    for fact in memory.facts:
        because = "pinned" if fact.pinned else "used" if fact.use_count else "known"
        out.append(("facts", fact.id, {"why": "in the prompt", "because": because}))
    for summary in memory.summaries:
        because = "earlier" if summary.session_id == parts.overview.session_id else "elsewhere"
        out.append(("summaries", summary.id, {"why": "in the prompt", "because": because}))
    out += [(item.kind, item.id, {"why": "recalled", **item.reason}) for item in parts.recalled]
    out += [("experiences", item.id, {"why": "in the prompt"}) for item in parts.experiences]
    return out


def _counts(parts: Parts, memory: context.MemoryPart) -> dict[str, int]:
    return {
        "facts": len(memory.facts),
        "summaries": len(memory.summaries),
        "experiences": len(parts.experiences),
        "recalled": len(parts.recalled),
    }


# -- tools --


def _tokens_of(tool: Tool) -> int:
    told = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return estimate_tokens(json_text(told)) + PER_MESSAGE


def _tools_for(model: Model, tools: Sequence[Tool], takes: int | None) -> list[Tool]:
    """All, or of a model that takes little those that fit into a quarter of it: the developer's and the most
    needed of the memory's before others."""
    if getattr(model, "takes_tools", True) is False:
        return []
    if takes is None or _looks_for_itself(model):
        return list(tools)
    room = takes // 4
    kept = set()
    for tool in sorted(tools, key=_rank):
        room -= _tokens_of(tool)
        if room >= 0:
            kept.add(tool.name)
    return [tool for tool in tools if tool.name in kept]


def _rank(tool: Tool) -> int:
    if tool.name in _FIRST:
        return _FIRST.index(tool.name)
    own = tool.name.startswith(("memory_", "todo_", "task_", "day_", "experience_"))
    return len(_FIRST) + 1 if own else -1


def _fewer(tools: Sequence[Tool], offered: Sequence[Tool]) -> dict[str, int]:
    return {"tools": len(tools) - len(offered)} if len(offered) < len(tools) else {}
