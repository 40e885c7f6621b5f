"""Ranked recall over all kinds of memory, for the agent and for whoever asks in their own words."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from py_memory import text
from py_memory.database import Database
from py_memory.records import Recollection

from .others import rank_others
from .parameters import DEFAULTS, Parameters
from .postings import Postings
from .question import read_question
from .ranking import Ranked, rank_messages
from .vectors import Meaning

__all__ = ["recall", "recall_actively"]


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
    meanings: Mapping[str, Meaning] | None = None,
) -> list[Recollection]:
    """Memories that bear on any of the queries, best first. `history` takes in facts that have been
    superseded; `meanings` are the vectors of those queries that have one."""
    best: dict[str, Recollection] = {}
    for query in queries:
        question = read_question(query, now, parameters)
        messages = rank_messages(
            db, user_id, question, limit,
            session_id=session_id, parameters=parameters, meaning=(meanings or {}).get(query),
        )  # fmt: skip
        others = rank_others(
            db, user_id, agent_id, question, limit,
            now=now, history=history, session_id=session_id, parameters=parameters, messages=messages,
        )  # fmt: skip
        for found in (*map(_of_message, messages), *others):
            if found.id not in best or best[found.id].score < found.score:
                best[found.id] = found
    ranked = sorted(best.values(), key=lambda item: (-item.score, -item.created_at, item.id))
    return ranked[: max(limit, 0)]


def recall_actively(
    db: Database,
    user_id: str,
    agent_id: str | None,
    query: str,
    *,
    now: int,
    limit: int,
    exclude: Collection[str] = (),
    parameters: Parameters = DEFAULTS,
    meanings: Mapping[str, Meaning] | None = None,
) -> list[Recollection]:
    """The best memories for a message nobody asked to be recalled for: none unless they are near enough. That
    is for the words to say: vectors always have a nearest one."""

    def ranked(meanings: Mapping[str, Meaning] | None) -> list[Recollection]:
        most = limit + len(exclude)
        found = recall(
            db, user_id, agent_id, [query], now=now, limit=most, parameters=parameters, meanings=meanings
        )
        return [item for item in found if item.id not in exclude]

    found = ranked(None)
    about = read_question(query, now, parameters).about
    size = math.log(Postings(db, user_id).total + 1)

    def above(item: Recollection) -> float:
        """The score as a multiple of what it has to be."""
        return item.score / max(size * _floor(item, about, parameters), 1e-9)

    best = max(map(above, found), default=0.0)
    if best < 1:
        return []
    if meanings:
        found = ranked(meanings)
        best = max(map(above, found), default=0.0)
    return [item for item in found if above(item) >= parameters.floor_share * best][:limit]


def _floor(item: Recollection, about: str, parameters: Parameters) -> float:
    if about == "anything" and "speaker" in item.reason["factors"]:
        about = "somebody"  # who is named
    return parameters.floors[about][text.has_cjk(item.text)]


def _of_message(found: Ranked) -> Recollection:
    reason: dict[str, Any] = {
        "terms": list(found.terms),
        "own": round(found.own, 3),
        "factors": {name: round(value, 3) for name, value in found.factors.items()},
        "share": round(found.share, 3),
    }
    if found.near:
        reason["near"] = round(found.near, 3)
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
