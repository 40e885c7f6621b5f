"""Memory as tools: what a model may ask of it. Plain values in and out, so that any model can use them.

A model never makes a fact true by itself: what it adds waits for the user, and it forgets or confirms only
in answer to a message that asks for this, whatever a remembered text may say.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import InvalidInputError
from .extraction import propose, task_key
from .extraction.clauses import split_statement
from .extraction.days import day_in
from .extraction.guards import MAX_READ, refusal, secret_spans
from .models.intents import understand
from .records import Fact, Message, Tool
from .store import MemoryStore
from .text import normalize

__all__ = ["Noticed", "memory_tools", "noticed_in"]

_TEXT = {"type": "string"}
_IDS = {"type": "array", "items": _TEXT}


@dataclass
class Noticed:
    """What was learned from a message: `stored` as asked, `proposed` and waiting for an answer, `known`
    before. `refused` says why nothing was: "private", "roleplay", "joke", "secret"."""

    stored: list[Fact] = field(default_factory=list)
    proposed: list[Fact] = field(default_factory=list)
    known: list[Fact] = field(default_factory=list)
    refused: str | None = None


def noticed_in(store: MemoryStore, said: Message) -> Noticed:
    """What the memory holds of what `said` states, whenever it was learned."""
    secret = "secret" if secret_spans(said.content[:MAX_READ]) else None
    noticed = Noticed(refused=refusal(said.content) or secret)
    for proposal in propose(said.content):
        for fact in store.list_facts(status=None, prefix=proposal["key"]):
            if fact.key != proposal["key"] or normalize(fact.value) != normalize(proposal["value"]):
                continue
            if fact.status == "candidate":
                noticed.proposed.append(fact)
            elif fact.status == "current" and fact.source_message_id == said.id:
                noticed.stored.append(fact)
            elif fact.status == "current":
                noticed.known.append(fact)
    return noticed


def memory_tools(store: MemoryStore, said: Message) -> list[Tool]:
    """Tools over a store for answering the message `said`, which is the source of what they add."""

    def asked(*kinds: str) -> None:
        if understand(said.content).kind not in kinds:
            raise InvalidInputError("The user's message does not ask for this. Ask the user first.")

    async def memory_noticed() -> dict[str, Any]:
        noticed = noticed_in(store, said)
        return {
            "stored": _described(store, noticed.stored),
            "proposed": _described(store, noticed.proposed),
            "known": _described(store, noticed.known),
            "refused": noticed.refused,
        }

    async def memory_search(query: str, limit: int = 8) -> list[dict[str, Any]]:
        found = store.recall(query, limit=limit + 1)
        return [item.to_dict() for item in found if item.id != said.id][:limit]

    async def memory_list(status: str = "current") -> list[dict[str, Any]]:
        facts = sorted(
            store.list_facts(status=status), key=lambda fact: (not fact.pinned, fact.created_at, fact.id)
        )
        return _described(store, facts)

    async def memory_add(key: str, value: str, quote: str) -> list[dict[str, Any]]:
        if quote not in said.content:
            raise InvalidInputError("The quote is not in the user's message. Quote it exactly.")
        if refusal(said.content) or secret_spans(f"{quote}\n{value}"):
            raise InvalidInputError("The user does not want this kept, or it is a secret.")
        with store.action():
            facts = [
                store.propose_fact(key, part, quote=quote, source_message_id=said.id)
                for part in split_statement(value)
            ]
        return _described(store, [fact for fact in facts if fact])

    async def memory_confirm(keep: bool) -> list[dict[str, Any]]:
        asked("yes", "no")
        with store.action():
            waiting = _proposed_before(store, said)
            for fact in waiting:
                if keep:
                    store.confirm_fact(fact.id)
                else:
                    store.reject_fact(fact.id)
        return _described(store, waiting)

    async def memory_forget(fact_ids: Sequence[str] = (), message_ids: Sequence[str] = ()) -> dict[str, int]:
        asked("forget", "forget_all")
        counts: dict[str, int] = {}
        with store.action():
            for receipt in [
                *(store.forget(fact_id=id) for id in fact_ids),
                *(store.forget(message_id=id) for id in message_ids if id != said.id),
            ]:
                for table, count in receipt.counts.items():
                    counts[table] = counts.get(table, 0) + count
        return counts

    async def todo_add(what: str) -> list[dict[str, Any]]:
        with store.action():
            facts = [
                store.set_fact(task_key(part), part, source_message_id=said.id)
                for part in split_statement(what)
            ]
        if not facts:
            raise InvalidInputError("Say what to do: the to-do is empty.")
        return _described(store, facts)

    async def todo_list() -> list[dict[str, Any]]:
        return _described(
            store, sorted(store.list_facts(prefix="task::"), key=lambda fact: (fact.created_at, fact.id))
        )

    async def todo_done(fact_id: str) -> dict[str, Any]:
        return _described(store, [store.end_fact(fact_id)])[0]

    status = {"type": "string", "enum": ["current", "candidate", "superseded"]}
    return [
        _tool("memory_noticed", "Says what was stored or proposed from the user's message.", memory_noticed),
        _tool(
            "memory_search", "Finds messages and facts that bear on a question.", memory_search, query=_TEXT
        ),
        _tool(
            "memory_list",
            "Lists confirmed facts about the user, those that wait for a yes, or what was corrected.",
            memory_list,
            status=status,
        ),
        _tool(
            "memory_add",
            "Proposes a fact that the user's message states.",
            memory_add,
            key=_TEXT,
            value=_TEXT,
            quote=_TEXT,
        ),
        _tool(
            "memory_confirm",
            "Takes the user's yes or no to what was proposed before.",
            memory_confirm,
            keep={"type": "boolean"},
        ),
        _tool(
            "memory_forget",
            "Forgets facts and messages for good.",
            memory_forget,
            fact_ids=_IDS,
            message_ids=_IDS,
        ),
        _tool("todo_add", "Adds a to-do.", todo_add, what=_TEXT),
        _tool("todo_list", "Lists what is left to do, oldest first.", todo_list),
        _tool("todo_done", "Closes a to-do.", todo_done, fact_id=_TEXT),
    ]


def _tool(
    name: str, description: str, run: Callable[..., Awaitable[Any]], **properties: Mapping[str, Any]
) -> Tool:
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return Tool(name, description, schema, run)


def _proposed_before(store: MemoryStore, said: Message) -> list[Fact]:
    """What was proposed from the user's message before `said`."""
    answer = store.find_message(said.parent_id) if said.parent_id else None
    before = store.find_message(answer.parent_id) if answer and answer.parent_id else None
    return noticed_in(store, before).proposed if before else []


def _described(store: MemoryStore, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Facts with the time at which the user said it, and the day for which a to-do is meant."""
    out = []
    for fact in facts:
        source = store.find_message(fact.source_message_id) if fact.source_message_id else None
        due = None
        if fact.key.startswith("task::") and fact.spoken_words and fact.valid_from is not None:
            due = day_in(fact.valid_from, fact.zone)
        out.append(
            {**fact.to_dict(), "said_at": source.created_at if source else fact.created_at, "due": due}
        )
    return out
