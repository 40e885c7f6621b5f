"""Memory as tools: what a model may ask of it. Plain values in and out, so that any model can use them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .errors import InvalidInputError
from .extraction.proposal import split_long, task
from .records import Fact, Tool
from .store import MemoryStore

__all__ = ["memory_tools"]

_TEXT = {"type": "string"}


def memory_tools(store: MemoryStore, *, source_message_id: str | None = None) -> list[Tool]:
    """Tools over a store. What they add is linked to `source_message_id`, the message being answered."""

    async def memory_search(query: str, limit: int = 8) -> list[dict[str, Any]]:
        found = store.recall(query, limit=limit + 1)
        return [item.to_dict() for item in found if item.id != source_message_id][:limit]

    async def memory_list(prefix: str | None = None) -> list[dict[str, Any]]:
        facts = sorted(store.list_facts(prefix=prefix), key=lambda fact: (not fact.pinned, fact.created_at, fact.id))
        return [_described(store, fact) for fact in facts if prefix or not fact.key.startswith("task::")]

    async def memory_add(text: str) -> list[dict[str, Any]]:
        with store.action():
            return [
                store.set_fact("user::note", part, source_message_id=source_message_id, quote=text).to_dict()
                for part in split_long(text)
            ]

    async def memory_find(text: str) -> list[dict[str, Any]]:
        """Facts that a person may mean by `text`."""
        ids = {item.id for item in store.recall(text, limit=20) if item.kind == "facts"}
        wanted = text.casefold().strip()
        facts = [f for f in store.list_facts() if f.id in ids or wanted in f.value.casefold()]
        return [_described(store, fact) for fact in facts]

    async def memory_forget(fact_id: str) -> dict[str, Any]:
        return store.forget(fact_id=fact_id).to_dict()

    async def todo_add(what: str) -> dict[str, Any]:
        proposal = task(what, what)
        if proposal is None:
            raise InvalidInputError("Say what to do: the task is empty.")
        return store.set_fact(proposal.key, proposal.value, source_message_id=source_message_id).to_dict()

    async def todo_list() -> list[dict[str, Any]]:
        return [_described(store, fact) for fact in reversed(store.list_facts(prefix="task::"))]

    async def todo_done(fact_id: str) -> dict[str, Any]:
        return store.end_fact(fact_id).to_dict()

    return [
        _tool("memory_search", "Finds messages and facts that bear on a question.", memory_search, query=_TEXT),
        _tool("memory_list", "Lists the confirmed facts about the user, without to-dos.", memory_list),
        _tool("memory_add", "Stores what the user asked to remember.", memory_add, text=_TEXT),
        _tool("memory_find", "Finds confirmed facts that a description may mean.", memory_find, text=_TEXT),
        _tool("memory_forget", "Forgets one fact for good.", memory_forget, fact_id=_TEXT),
        _tool("todo_add", "Adds a to-do.", todo_add, what=_TEXT),
        _tool("todo_list", "Lists what is left to do, oldest first.", todo_list),
        _tool("todo_done", "Closes a to-do.", todo_done, fact_id=_TEXT),
    ]


def _tool(name: str, description: str, run: Callable[..., Awaitable[Any]], **properties: Mapping[str, Any]) -> Tool:
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return Tool(name, description, schema, run)


def _described(store: MemoryStore, fact: Fact) -> dict[str, Any]:
    """A fact with the time of the message it came from."""
    return {**fact.to_dict(), "said_at": fact.valid_from or fact.created_at}
