"""Facts, summaries, tool results and experiences that bear on a question.

They are few and short beside messages: BM25 over their own index, with the same words standing in for those
of the question, and each kind's own conditions in its query.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from heapq import nlargest

from py_memory.database import Database, Row
from py_memory.records import Recollection

from .expansion import wanted
from .parameters import Parameters
from .postings import Postings
from .question import Question

__all__ = ["KINDS", "rank_others"]

KINDS = ("facts", "summaries", "tool_calls", "experiences")  # a row's number is 4 · seq + place in here

# An agent sees what belongs to nobody in particular, what is its own, and what another agent shares.
_FACTS = (
    "SELECT f.seq, f.id, f.key || ': ' || f.value AS text, f.created_at, f.confidence AS trust, f.status, "
    "f.source_message_id, m.session_id, NULL AS role "
    "FROM json_each(?) j JOIN facts f ON f.seq = j.value LEFT JOIN messages m ON m.id = f.source_message_id "
    "WHERE f.user_id = ? AND (f.agent_id IS NULL OR f.agent_id = ? OR f.visibility = 'shared') "
    "AND (f.status = 'current' AND (f.expires_at IS NULL OR f.expires_at > ?) "
    "OR ? AND f.status = 'superseded')"
)
_SUMMARIES = (
    "SELECT s.seq, s.id, s.content AS text, s.created_at, 1.0 AS trust, s.session_id "
    "FROM json_each(?) j JOIN summaries s ON s.seq = j.value "
    "WHERE s.user_id = ? AND s.compressed_into IS NULL"
)
_RESULTS = (
    "SELECT t.seq, t.id, t.tool_name || ': ' || substr(t.output_json, 1, 2000) AS text, t.created_at, "
    "1.0 AS trust, t.session_id, t.message_id FROM json_each(?) j JOIN tool_calls t ON t.seq = j.value "
    "WHERE t.user_id = ? AND t.status = 'success'"
)
_EXPERIENCES = (
    "SELECT e.seq, e.id, e.content AS text, e.created_at, "
    "(e.success_count + 1.0) / (e.success_count + e.failure_count + 1.0) AS trust, e.topic "
    "FROM json_each(?) j JOIN experiences e ON e.seq = j.value "
    "WHERE e.user_id = ? AND e.status = 'current'"
)


def rank_others(
    db: Database,
    user_id: str,
    agent_id: str | None,
    question: Question,
    limit: int,
    *,
    now: int,
    history: bool,
    session_id: str | None,
    parameters: Parameters,
) -> Iterator[Recollection]:
    """The best of each kind, in no particular order. `history` takes in facts that have been superseded."""
    postings = Postings(db, user_id, table="memory_search")
    if not postings.total or limit < 1:
        return
    scores: dict[int, float] = {}
    terms: dict[int, list[str]] = {}
    for item in wanted(question, parameters):
        gains: dict[int, float] = {}
        for token, share in ((item.token, 1.0), *item.akin, *item.linked):
            numbers = postings.of(token, parameters.common_least)
            gain = item.weight * share * postings.rarity_of_few(len(numbers))
            for number in numbers:
                gains[number] = max(gain, gains.get(number, 0.0))
        for number, gain in gains.items():
            scores[number] = scores.get(number, 0.0) + gain
            terms.setdefault(number, []).append(item.token)
    best = nlargest(parameters.candidates, scores, key=lambda number: (scores[number], number))
    norms = postings.norms(best, parameters.k1, parameters.b)
    for place, kind in enumerate(KINDS):
        seqs = [number // 4 for number in best if number % 4 == place]
        for row in _rows(db, kind, seqs, user_id, agent_id, now, history) if seqs else ():
            number = row["seq"] * 4 + place
            session = row["session_id"] if "session_id" in row.keys() else None  # noqa: SIM118
            if session_id is not None and session != session_id:
                continue
            weight = parameters.kinds[kind] * row["trust"]
            reason = {
                "terms": terms[number],
                "own": round(scores[number], 3),
                "factors": {"kind": round(weight, 3)},
            }
            if kind == "facts":
                reason["status"] = row["status"]
            yield Recollection(
                kind,
                row["id"],
                row["text"],
                scores[number] * norms.get(number, 1.0) * weight,
                row["created_at"],
                session,
                None,
                reason,
                _source(kind, row),
            )


def _rows(
    db: Database, kind: str, seqs: list[int], user_id: str, agent_id: str | None, now: int, history: bool
) -> list[Row]:
    given = json.dumps(seqs)
    if kind == "facts":
        return db.query(_FACTS, (given, user_id, agent_id, now, history))
    return db.query(
        {"summaries": _SUMMARIES, "tool_calls": _RESULTS}.get(kind, _EXPERIENCES), (given, user_id)
    )


def _source(kind: str, row: Row) -> dict[str, str]:
    """Where it comes from: a message, a session, or for know-how its topic."""
    if kind == "experiences":
        return {"kind": "topic", "id": row["topic"]}
    message = {"facts": "source_message_id", "tool_calls": "message_id"}.get(kind)
    if message and row[message]:
        return {"kind": "messages", "id": row[message]}
    return {"kind": "sessions", "id": row["session_id"]} if row["session_id"] else {}
