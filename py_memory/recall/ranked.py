"""Ranked recall over all kinds of memory, for the agent and for whoever asks in their own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from py_memory import text
from py_memory.database import Database
from py_memory.records import Fact, Recollection
from py_memory.rows import facts as fact_rows

from .parameters import DEFAULTS, Parameters
from .question import read_question
from .ranking import Ranked, rank_messages

__all__ = ["recall"]

_FACT_WEIGHT = 2.0  # a confirmed fact counts for more than a message that shares as many words


def recall(
    db: Database,
    user_id: str,
    agent_id: str | None,
    queries: Sequence[str],
    *,
    now: int,
    limit: int = 20,
    session_id: str | None = None,
    history: bool = False,
    parameters: Parameters = DEFAULTS,
) -> list[Recollection]:
    """Memories that bear on any of the queries, best first. `history` takes in facts that have been
    superseded."""
    best: dict[str, Recollection] = {}
    for query in queries:
        question = read_question(query, now, parameters)
        messages = rank_messages(db, user_id, question, limit, session_id=session_id, parameters=parameters)
        for found in (*map(_of_message, messages), *_facts(db, user_id, agent_id, query, now, history)):
            if found.id not in best or best[found.id].score < found.score:
                best[found.id] = found
    ranked = sorted(best.values(), key=lambda item: (-item.score, -item.created_at, item.id))
    return ranked[: max(limit, 0)]


def _of_message(found: Ranked) -> Recollection:
    reason = {
        "terms": list(found.terms),
        "own": round(found.own, 3),
        "factors": {name: round(value, 3) for name, value in found.factors.items()},
        "share": round(found.share, 3),
    }
    return Recollection(
        "messages",
        found.id,
        found.content,
        found.score,
        found.created_at,
        found.session_id,
        found.role,
        reason,
        {"kind": "sessions", "id": found.session_id, "speaker": found.speaker},
        found.neighbours,
    )


def _facts(
    db: Database, user_id: str, agent_id: str | None, query: str, now: int, history: bool
) -> Iterator[Recollection]:
    wanted = set(text.terms(text.clean(query)[0], for_query=True))
    if not wanted:
        return
    facts: Iterable[Fact] = fact_rows.list_facts(db, user_id, agent_id, status="current", now=now)
    if history:
        old = fact_rows.list_facts(db, user_id, agent_id, status="superseded", now=now)
        facts = [*facts, *old]
    for fact in facts:
        words = text.terms(" ".join((fact.key.replace("::", " "), fact.value, fact.quote or "")))
        shared = sorted(wanted & set(words))
        if shared:
            score = _FACT_WEIGHT * fact.confidence * len(shared) / len(wanted) ** 0.5
            reason = {"terms": shared, "status": fact.status}
            yield Recollection(
                "facts", fact.id, f"{fact.key}: {fact.value}", score, fact.created_at, reason=reason
            )
