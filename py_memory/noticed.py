"""What the memory holds of what one message states, whenever it was learned."""

from __future__ import annotations

from dataclasses import dataclass, field

from .extraction import propose
from .extraction.refusals import MAX_READ, refusal
from .extraction.secrets import secret_spans
from .records import Fact, Message
from .store import MemoryStore
from .text import normalize

__all__ = ["Noticed", "known_names", "noticed_in"]


@dataclass
class Noticed:
    """What was learned from a message: `stored` as asked, `proposed` and waiting for an answer, `known`
    before. `refused` says why nothing was: "private", "roleplay", "joke", "secret", "incognito".
    `passed_over`: something was not proposed because the user had said no to it, or had it forgotten."""

    stored: list[Fact] = field(default_factory=list)
    proposed: list[Fact] = field(default_factory=list)
    known: list[Fact] = field(default_factory=list)
    refused: str | None = None
    passed_over: bool = False


def noticed_in(store: MemoryStore, said: Message) -> Noticed:
    """What the memory holds of what `said` states, whenever it was learned."""
    secret = "secret" if secret_spans(said.content[:MAX_READ]) else None
    noticed = Noticed(refused=refusal(said.content) or secret)
    for proposal in propose(said.content, known=known_names(store, before=said)):
        if store.incognito and proposal["explicit"]:
            noticed.refused = noticed.refused or "incognito"
        if not store.incognito and store.is_refused(proposal["key"], proposal["value"]):
            noticed.passed_over = True
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
