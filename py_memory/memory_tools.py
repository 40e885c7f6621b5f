"""Memory as tools: what a model may ask of it. Plain values in and out, so that any model can use them.

A model never makes a fact true by itself: what it adds waits for the user, and it forgets or confirms only
in answer to a message that asks for this, whatever a remembered text may say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .checked_tools import checked_tool as _tool
from .context import day_of
from .errors import InvalidInputError, UndoExpiredError
from .extraction import propose, task_key
from .extraction.clauses import split_statement
from .extraction.days import day_in, day_spoken_of
from .extraction.refusals import MAX_READ, refusal
from .extraction.secrets import secret_spans
from .models.intents import understand
from .records import Fact, Message, Receipt, Tool
from .store import MemoryStore
from .text import normalize

__all__ = ["Noticed", "known_names", "memory_tools", "noticed_in"]

MAX_FOUND = 200
STATUSES = ("current", "candidate", "superseded", "archived", "disputed", "all")

_TEXT = {"type": "string"}
_YES_OR_NO = {"type": "boolean"}
_IDS = _TEXTS = {"type": "array", "items": _TEXT}
# Why an answer rests on a memory, where it offers to forget or to end what it shows: memory_settle takes the
# user up on exactly that.
TO_FORGET, TO_END = "would be forgotten", "would end"
# What an incognito chat may do.
READING = frozenset(
    {"memory_noticed", "memory_search", "memory_list", "memory_going", "memory_why", "day_meant", "todo_list"}
)
UNCONFIRMED = "waits for a yes"  # and memory_confirm on this


@dataclass
class Noticed:
    """What was learned from a message: `stored` as asked, `proposed` and waiting for an answer, `known`
    before. `refused` says why nothing was: "private", "roleplay", "joke", "secret", "incognito"."""

    stored: list[Fact] = field(default_factory=list)
    proposed: list[Fact] = field(default_factory=list)
    known: list[Fact] = field(default_factory=list)
    refused: str | None = None


def noticed_in(store: MemoryStore, said: Message) -> Noticed:
    """What the memory holds of what `said` states, whenever it was learned."""
    secret = "secret" if secret_spans(said.content[:MAX_READ]) else None
    noticed = Noticed(refused=refusal(said.content) or secret)
    for proposal in propose(said.content, known=known_names(store, before=said)):
        if store.incognito and proposal["explicit"]:
            noticed.refused = noticed.refused or "incognito"
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


def known_names(store: MemoryStore, *, before: Message | None = None) -> dict[str, str]:
    """Names of the user's relatives and pets, confirmed or waiting, each with the key it is known under. With
    `before` those that were known when that message came: it is read again as it was read then."""
    return {
        fact.value: fact.key
        for status in ("candidate", "current")
        for prefix in ("user::family::", "user::pet::")
        for fact in store.list_facts(status=status, prefix=prefix)
        if fact.key.count("::") == 2 and (before is None or _was_known(fact, before))
    }


def _was_known(fact: Fact, said: Message) -> bool:
    if fact.created_at == said.created_at:
        return fact.source_message_id != said.id
    return fact.created_at < said.created_at


def memory_tools(
    store: MemoryStore,
    said: Message,
    on_forgotten: Callable[[Receipt], None] | None = None,
    undoable: str | None = None,
) -> list[Tool]:
    """Tools over a store for answering the message `said`, which is the source of what they add.
    `on_forgotten` gets the receipt of what they delete, as it can be undone; `undoable` is the operation that
    was the last of these in the conversation."""

    def asked(*kinds: str) -> None:
        if understand(said.content).kind not in kinds:
            raise InvalidInputError("The user's message does not ask for this. Ask the user first.")

    def forget(fact_ids: Sequence[str], message_ids: Sequence[str]) -> dict[str, int]:
        """In one action, so that it can be taken back as one. What went, by table."""
        counts: Counter[str] = Counter()
        with store.action():
            receipts = [store.forget(fact_id=id) for id in fact_ids]
            # Only what was named or shown goes: what else was learned from a message stays.
            receipts += [store.forget(message_id=id, keep_facts=True) for id in message_ids]
        for receipt in receipts:
            counts.update(receipt.counts)
        if receipts and on_forgotten:
            on_forgotten(replace(receipts[0], counts=dict(counts)))
        return dict(counts)

    async def memory_noticed() -> dict[str, Any]:
        noticed = noticed_in(store, said)
        return {
            "stored": _described(store, noticed.stored),
            "proposed": _described(store, noticed.proposed),
            "known": _described(store, noticed.known),
            "refused": noticed.refused,
            "incognito": store.incognito,
        }

    async def memory_search(query: str, also: Sequence[str] = (), limit: int = 20) -> list[dict[str, Any]]:
        if not 1 <= limit <= MAX_FOUND:
            raise InvalidInputError(f"A limit lies between 1 and {MAX_FOUND}, not {limit}.")
        await store.prepare_recall([query, *also])
        found = store.recall([query, *also], limit=limit + 1)
        return [_on_day(store, item.to_dict()) for item in found if item.id != said.id][:limit]

    async def memory_list(status: str = "current") -> list[dict[str, Any]]:
        if status not in STATUSES:
            raise InvalidInputError(f"A status is one of {', '.join(STATUSES)}, not {status!r}.")
        facts = sorted(
            store.list_facts(status=None if status == "all" else status),
            key=lambda fact: (not fact.pinned, fact.created_at, fact.id),
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
        return forget(fact_ids, [id for id in message_ids if id != said.id])

    async def memory_going(fact_ids: Sequence[str] = (), message_ids: Sequence[str] = ()) -> dict[str, Any]:
        round = [said.id, *(reply.id for reply in store.replies_to(said.id))]
        ids = list(dict.fromkeys((*message_ids, *round)))
        facts = [
            fact
            for fact in store.list_facts(status=None)
            if fact.id in fact_ids or fact.source_message_id in ids
        ]
        messages = [message for id in ids if (message := store.find_message(id))]
        return {
            "facts": _described(store, facts),
            "messages": [
                _on_day(store, {**message.to_dict(), "text": message.content}) for message in messages
            ],
            "round": round,
        }

    async def memory_settle(yes: bool) -> dict[str, Any]:
        asked("yes", "no", "forget_all")
        what, facts, messages = _offered(store, said)
        described = _described(store, facts)
        counts = {"facts": 0, "messages": 0}
        if yes and what == TO_FORGET:
            counts |= forget([fact.id for fact in facts], messages)
        elif yes:
            with store.action():
                for fact in facts:
                    store.end_fact(fact.id)
        return {"what": what, "facts": described, "counts": counts}

    async def memory_undo() -> dict[str, Any]:
        asked("undo")
        if undoable is None:
            return {"what": None}
        try:
            store.undo(undoable)
        except UndoExpiredError:
            return {"what": "too late"}
        return {"what": "undone"}

    async def memory_why() -> dict[str, Any]:
        answer = store.find_message(said.parent_id) if said.parent_id else None
        if answer is None or answer.role != "assistant":
            return {"answered": False, "reasons": []}
        reasons = store.explain(answer.id).reasons
        known = {fact.id: fact for fact in store.list_facts(status=None)}
        zone = store.get_setting("zone")
        return {
            "answered": True,
            "reasons": [
                {
                    **reason.to_dict(),
                    "fact": _described(store, [known[reason.id]])[0] if reason.id in known else None,
                    "said_on": None if reason.said_at is None else day_in(reason.said_at, zone),
                }
                for reason in reasons
            ],
        }

    async def day_meant(words: str) -> dict[str, Any]:
        zone = store.get_setting("zone")
        spoken = day_spoken_of(words, said.created_at, zone)
        return {"day": day_in(spoken[1], zone) if spoken and spoken[1] is not None else None}

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

    status = {"type": "string", "enum": list(STATUSES)}
    tools = [
        _tool("memory_noticed", "Says what was stored or proposed from the user's message.", memory_noticed),
        _tool(
            "memory_search",
            "Finds messages and facts that bear on a question. `also` takes the same question in other "
            "words, its parts, and both languages where the user speaks Chinese and English.",
            memory_search,
            query=_TEXT,
            also=_TEXTS,
            limit={"type": "integer", "minimum": 1, "maximum": MAX_FOUND},
        ),
        _tool(
            "memory_list",
            "Lists confirmed facts about the user, those that wait for a yes, what was corrected, or all.",
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
            keep=_YES_OR_NO,
        ),
        _tool(
            "memory_forget",
            "Forgets facts and messages for good.",
            memory_forget,
            fact_ids=_IDS,
            message_ids=_IDS,
        ),
        _tool(
            "memory_going",
            "Says what forgetting facts and messages would take away, without doing it.",
            memory_going,
            fact_ids=_IDS,
            message_ids=_IDS,
        ),
        _tool(
            "memory_settle",
            "Takes the user's yes or no to what the answer before offered to forget or to end.",
            memory_settle,
            yes=_YES_OR_NO,
        ),
        _tool(
            "memory_undo",
            "Takes back the last deletion of this conversation, for 10 seconds after it.",
            memory_undo,
        ),
        _tool(
            "memory_why",
            "Says which memories the answer before the user's message rested on, with sources and dates.",
            memory_why,
        ),
        _tool("day_meant", "Says which day words such as “tomorrow” mean.", day_meant, words=_TEXT),
        _tool("todo_add", "Adds a to-do.", todo_add, what=_TEXT),
        _tool("todo_list", "Lists what is left to do, oldest first.", todo_list),
        _tool("todo_done", "Closes a to-do.", todo_done, fact_id=_TEXT),
    ]
    return [tool for tool in tools if tool.name in READING] if store.incognito else tools


def _offered(store: MemoryStore, said: Message) -> tuple[str | None, list[Fact], list[str]]:
    """What the answer that `said` follows directly offered to forget or to end: (which of the two, facts,
    message ids), as far as it is still there."""
    answer = store.find_message(said.parent_id) if said.parent_id else None
    request = store.find_message(answer.parent_id) if answer and answer.parent_id else None
    if not answer or not request or answer.role != "assistant" or request.role != "user":
        return None, [], []
    before, now = understand(request.content), understand(said.content)
    if before.kind not in ("forget", "forget_all", "ended"):
        return None, [], []
    if now.kind == "forget_all" and not (now.sure and before.kind != "ended" and before.topic == now.topic):
        return None, [], []
    what = TO_END if before.kind == "ended" else TO_FORGET
    uses = [use for use in store.list_uses(answer.id) if use.reason.get("why") == what]
    ids = {use.memory_id for use in uses if use.memory_kind == "facts"}
    facts = [fact for fact in store.list_facts(status=None) if fact.id in ids]
    messages = [use.memory_id for use in uses if use.memory_kind == "messages"]
    messages = [id for id in messages if store.find_message(id)]
    return (what if facts or messages else None), facts, messages


def _proposed_before(store: MemoryStore, said: Message) -> list[Fact]:
    """What was proposed from the user's message before `said`, or shown as unconfirmed in answer to it."""
    answer = store.find_message(said.parent_id) if said.parent_id else None
    before = store.find_message(answer.parent_id) if answer and answer.parent_id else None
    if not answer or not before:
        return []
    proposed = noticed_in(store, before).proposed
    if not proposed and understand(before.content).kind == "question":
        shown = {use.memory_id for use in store.list_uses(answer.id) if use.reason.get("why") == UNCONFIRMED}
        proposed = [fact for fact in store.list_facts(status="candidate") if fact.id in shown]
    return proposed


def _described(store: MemoryStore, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Facts with the time and day at which the user said it, and the day that its words mean."""
    out = []
    for fact in facts:
        source = store.find_message(fact.source_message_id) if fact.source_message_id else None
        said_at = source.created_at if source else fact.created_at
        said_on = day_in(said_at, store.get_setting("zone"))
        out.append({**fact.to_dict(), "said_at": said_at, "said_on": said_on, "due": day_of(fact)})
    return out


def _on_day(store: MemoryStore, item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "said_on": day_in(item["created_at"], store.get_setting("zone"))}
