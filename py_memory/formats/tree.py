"""From the messages of an export to a tree that can be kept: parents before children, no circles, times that
agree with the order, and what was never on screen folded into the messages around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .chats import ChatMessage, ToolUse

__all__ = ["Node", "arrange", "chain"]

MAX_REASONING = 20_000  # characters kept of what a model thought


@dataclass
class Node:
    """A message of an export. One that is not `shown` is folded into the answer after it: a `call` of a tool
    (name, input), its `result` (name, output, failed), or `reasoning`."""

    id: str
    parent: str | None
    role: str = "assistant"
    text: str = ""
    time: int | None = None
    shown: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)
    raw: Any = None
    tools: list[ToolUse] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    call: tuple[str, Any] | None = None
    result: tuple[str, Any, bool] | None = None
    reasoning: str = ""


def chain(nodes: Iterable[Node]) -> list[Node]:
    """Messages without links: each follows the one before."""
    out: list[Node] = []
    for node in nodes:
        node.parent = out[-1].id if out else None
        out.append(node)
    return out


def arrange(
    nodes: Iterable[Node], current: str | None, created: int | None
) -> tuple[list[ChatMessage], str | None]:
    """The messages to be kept, parents first, and the end of the branch on screen: `current`, or the newest
    end if there is no such message. `created` is the time (ms) of a beginning that has none."""
    by_id: dict[str, Node] = {}
    for node in nodes:
        by_id.setdefault(node.id, node)
    _cut(by_id)
    order = list(_parents_first(by_id))
    kept = _fold(order, by_id)
    messages = [kept[node.id] for node in order if node.id in kept]
    _give_times(messages, created)
    while current is not None and current not in kept:
        current = by_id[current].parent if current in by_id else None
    return messages, current or _newest_end(messages)


def _cut(by_id: dict[str, Node]) -> None:
    """A link that leads nowhere begins a branch instead; of a circle the message that is first in the file
    does."""
    place = {id: number for number, id in enumerate(by_id)}
    sound: set[str] = set()
    for id in by_id:
        path: list[str] = []
        on_path: set[str] = set()
        at: str | None = id
        while at is not None and at not in sound:
            if at in on_path:
                first = min(path[path.index(at) :], key=place.__getitem__)
                by_id[first].parent = None
                break
            path.append(at)
            on_path.add(at)
            node = by_id[at]
            if node.parent not in by_id:
                node.parent = None
            at = node.parent
        sound.update(path)


def _parents_first(by_id: dict[str, Node]) -> Iterator[Node]:
    children: dict[str | None, list[Node]] = {}
    for node in by_id.values():
        children.setdefault(node.parent, []).append(node)
    waiting = children.get(None, [])[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(children.get(node.id, []))


# -- folding --


def _fold(order: list[Node], by_id: dict[str, Node]) -> dict[str, ChatMessage]:
    kept: dict[str, ChatMessage] = {}
    anchor: dict[str, str | None] = {}  # a message, or the nearest one before it that is kept
    folded: set[str] = set()
    for node in order:
        before = anchor[node.parent] if node.parent else None
        anchor[node.id] = node.id if node.shown else before
        if not node.shown:
            continue
        message = ChatMessage(
            node.id,
            before,
            node.role,
            node.text,
            node.time,
            node.time,
            node.metadata,
            node.raw,
            node.tools,
            node.statements,
        )
        kept[node.id] = message
        if node.role == "assistant":
            run = _hidden_before(node, by_id, folded)
            message.tools = [*_paired(run), *message.tools]
            reasoning = "\n\n".join(item.reasoning for item in run if item.reasoning)
            if reasoning and "reasoning" not in message.metadata:
                message.metadata["reasoning"] = reasoning[:MAX_REASONING]
    for node in reversed(order):  # calls after which nothing was said
        place = anchor[node.id]
        if not node.shown and node.id not in folded and place is not None:
            kept[place].tools += _paired([*_hidden_before(node, by_id, folded), node])
            folded.add(node.id)
    return kept


def _hidden_before(node: Node, by_id: dict[str, Node], folded: set[str]) -> list[Node]:
    """Messages between this one and the one before that is kept, oldest first, which no other has taken."""
    run: list[Node] = []
    while node.parent is not None:
        node = by_id[node.parent]
        if node.shown or node.id in folded:
            break
        folded.add(node.id)
        run.append(node)
    return run[::-1]


def _paired(run: list[Node]) -> list[ToolUse]:
    """Calls with their results."""
    uses: list[ToolUse] = []
    for node in run:
        if node.call:
            uses.append(ToolUse(*node.call))
        if node.result:
            name, output, failed = node.result
            waiting = [use for use in uses if use.failed is None]
            use = next((use for use in waiting if use.name == name), waiting[0] if waiting else None)
            if use is None:
                use = ToolUse(name)
                uses.append(use)
            use.output, use.failed = output, failed
    return uses


# -- times and the branch on screen --


def _give_times(messages: list[ChatMessage], created: int | None) -> None:
    """A message is later than the one it follows, by a millisecond where the file does not say so; one
    without a time comes after those beside it."""
    known = [message.time for message in messages if message.time is not None]
    begin = created if created is not None else min(known, default=None)
    given: dict[str, int] = {}
    beside: dict[str | None, int] = {}  # the latest reply so far
    for message in messages:
        after = given.get(message.parent) if message.parent is not None else None
        time = message.time
        if time is None:
            late = beside.get(message.parent)
            time = begin if after is None else after + 1
            if time is not None and late is not None:
                time = max(time, late + 1)
        elif after is not None:
            time = max(time, after + 1)
        message.time = time
        if time is not None:
            given[message.id] = time
            beside[message.parent] = max(time, beside.get(message.parent, time))


def _newest_end(messages: list[ChatMessage]) -> str | None:
    parents = {message.parent for message in messages}
    ends = [
        (message.time or 0, place, message.id)
        for place, message in enumerate(messages)
        if message.id not in parents
    ]
    return max(ends)[2] if ends else None
