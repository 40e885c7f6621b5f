"""What a screen shows at once, each read in one call: a part of a chat, of what is remembered, of what waits
for the user. Whatever the memory holds, a part costs as much as what is in it."""

from __future__ import annotations

from collections.abc import Sequence

from .database import Database
from .facts import Facts
from .health import Health
from .records import ChatPage, Fact, FactsPage, Message, WaitingPage
from .rows import messages, namespaces
from .rows.sessions import get_session

__all__ = ["chat_page", "facts_page", "waiting_page"]

_MOST_EXPIRED = 50
_MOST_FORMER = 500


def chat_page(
    db: Database,
    user_id: str,
    facts: Facts,
    session_id: str,
    limit: int,
    *,
    until: str | None,
    after: str | None,
    around: str | None,
) -> ChatPage:
    """See MemoryStore.read_chat()."""
    session = get_session(db, user_id, session_id)
    leaf = session.current_message_id
    earlier = later = False
    found: list[Message] = []
    if leaf is not None and limit > 0:
        if after is None:
            found = messages.branch(db, user_id, around or until or leaf, limit + 1)
            earlier, found = len(found) > limit, found[-limit:]
        if follows := after or around:
            next_ones = messages.branch_after(db, user_id, leaf, follows, limit + 1)
            earlier = earlier or after is not None
            later = len(next_ones) > limit
            found += next_ones[:limit]
        if found and not later:
            later = found[-1].id != leaf
    learned = [
        fact
        for fact in facts.list_facts(status=None, source_message_ids=[message.id for message in found])
        if fact.status == "candidate" or facts.is_live(fact)
    ]
    return ChatPage(
        session=session,
        messages=tuple(found),
        earlier=earlier,
        later=later,
        alternatives=messages.siblings(db, user_id, found),
        facts=tuple(learned),
        corrected=_corrected(db, user_id, facts, learned),
    )


def _corrected(db: Database, user_id: str, facts: Facts, found: Sequence[Fact]) -> tuple[Fact, ...]:
    """What the proposals among them would correct: where a key holds many values, nothing."""
    asked = {fact.key for fact in found if fact.status == "candidate"}
    single = [key for key in sorted(asked) if namespaces.namespace_of(db, user_id, key).single_valued]
    return tuple(facts.list_facts(keys=single)) if single else ()


def facts_page(facts: Facts, found: Sequence[Fact], total: int) -> FactsPage:
    """See MemoryStore.read_facts()."""
    keys = list(dict.fromkeys(fact.key for fact in found))
    former = facts.list_facts(status="superseded", keys=keys, limit=_MOST_FORMER) if keys else []
    return FactsPage(
        facts=tuple(found),
        total=total,
        former=tuple(former),
        expired=tuple(facts.list_facts(status="expired", limit=_MOST_EXPIRED)),
    )


def waiting_page(
    db: Database, user_id: str, facts: Facts, health: Health, limit: int, offset: int
) -> WaitingPage:
    """See MemoryStore.read_waiting()."""
    counts = facts.count_waiting()
    found = facts.waiting_facts(counts, limit, offset)
    disputed = [fact for fact in found if fact.status == "disputed"]
    return WaitingPage(
        facts=tuple(found),
        total=sum(counts.values()),
        corrected=_corrected(db, user_id, facts, found),
        conflicts=tuple(health.conflicts_of(disputed)) if disputed else (),
    )
