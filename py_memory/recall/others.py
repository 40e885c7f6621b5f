"""Facts, summaries, tool results and experiences that bear on a question.

They are few and short beside messages: BM25 over their own index, with the same words standing in for those
of the question, and each kind's own conditions in its query.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import nlargest
from typing import Any

from py_memory.database import Database, Row
from py_memory.records import Recollection

from .expansion import wanted
from .parameters import Parameters
from .postings import Postings
from .question import Question
from .ranking import Ranked

__all__ = ["KINDS", "rank_others"]

KINDS = ("facts", "summaries", "tool_calls", "experiences")  # a row's number is 4 · seq + place in here

# SQLite keeps the order of a CROSS JOIN: with JOIN it walks through the list once for each fact there is.
# An agent sees what belongs to nobody in particular, what is its own, and what another agent shares.
_FACTS = (
    "SELECT f.seq, f.id, f.key || ': ' || f.value AS text, f.created_at, f.confidence AS trust, f.status, "
    "f.source_message_id, m.session_id, NULL AS role "
    "FROM json_each(?) j CROSS JOIN facts f ON f.seq = j.value "
    "LEFT JOIN messages m ON m.id = f.source_message_id "
    "WHERE f.user_id = ? AND (f.agent_id IS NULL OR f.agent_id = ? OR f.visibility = 'shared') "
    "AND (f.status = 'current' AND (f.expires_at IS NULL OR f.expires_at > ?) "
    "OR ? AND f.status = 'superseded')"
)
_SUMMARIES = (
    "SELECT s.seq, s.id, s.content AS text, s.created_at, 1.0 AS trust, s.session_id "
    "FROM json_each(?) j CROSS JOIN summaries s ON s.seq = j.value "
    "WHERE s.user_id = ? AND s.compressed_into IS NULL"
)
_RESULTS = (
    "SELECT t.seq, t.id, t.tool_name || ': ' || substr(t.output_json, 1, 2000) AS text, t.created_at, "
    "1.0 AS trust, t.session_id, t.message_id, t.tool_name "
    "FROM json_each(?) j CROSS JOIN tool_calls t ON t.seq = j.value "
    "WHERE t.user_id = ? AND t.status = 'success'"
)
_EXPERIENCES = (
    "SELECT e.seq, e.id, e.content AS text, e.created_at, "
    "(e.success_count + 1.0) / (e.success_count + e.failure_count + 1.0) AS trust, e.topic "
    "FROM json_each(?) j CROSS JOIN experiences e ON e.seq = j.value "
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
    messages: Sequence[Ranked] = (),
) -> Iterator[Recollection]:
    """The best of each kind, in no particular order. `history` takes in facts that have been superseded. Tool
    results gain from those `messages` between which they stand."""
    postings = Postings(db, user_id, table="memory_search")
    if not postings.total or limit < 1:
        return
    scores: dict[int, float] = {}
    terms: dict[int, list[str]] = {}
    for item in wanted(question, parameters):
        gains: dict[int, float] = {}
        for token, share in ((item.token, 1.0), *item.akin, *item.linked):
            numbers = postings.of(token, parameters.common_least)
            if len(numbers) > parameters.common_least:  # it tells nothing
                continue
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
        found: list[tuple[Row, Recollection]] = []
        for row in _rows(db, kind, seqs, user_id, agent_id, now, history) if seqs else ():
            number = row["seq"] * 4 + place
            session = row["session_id"] if "session_id" in row.keys() else None  # noqa: SIM118
            if session_id is not None and session != session_id:
                continue
            factors = {"kind": parameters.kinds[kind] * row["trust"]}
            around = 0.0
            if kind == "tool_calls":
                factors |= {"result": parameters.result} if question.asks_result else {}
                around = parameters.around_call * _around(row, messages, parameters.gap_ms)
            score = scores[number] * norms.get(number, 1.0) * math.prod(factors.values())
            reason: dict[str, Any] = {
                "terms": terms[number],
                "own": round(scores[number], 3),
                "factors": {name: round(value, 3) for name, value in factors.items()},
            }
            if kind == "facts":
                reason["status"] = row["status"]
            recalled = Recollection(
                kind,
                row["id"],
                row["text"],
                score + min(around, score),
                row["created_at"],
                session,
                None,
                reason,
                _source(kind, row),
            )
            found.append((row, recalled))
        if kind == "tool_calls" and question.asks_last:
            yield from _last_first(found, parameters)
        else:
            yield from (recalled for _, recalled in found)


def _last_first(found: Sequence[tuple[Row, Recollection]], parameters: Parameters) -> Iterator[Recollection]:
    """Where the last time is asked for, the newest of a tool's results that fits about as well as the tool's
    best comes before that."""
    by_tool: dict[str, list[Recollection]] = {}
    for row, item in found:
        by_tool.setdefault(row["tool_name"], []).append(item)
    for items in by_tool.values():
        best = max(item.score for item in items)
        fitting = [item for item in items if item.score >= parameters.last_share * best]
        newest = max(fitting, key=lambda item: (item.created_at, item.id))
        for item in items:
            if item is newest:
                reason = {**item.reason, "factors": {**item.reason["factors"], "last": parameters.last}}
                yield replace(item, score=best * parameters.last, reason=reason)
            else:
                yield item


def _around(row: Row, messages: Sequence[Ranked], gap_ms: int) -> float:
    """What the best message scores that was said around a call."""
    return max(
        (
            message.score
            for message in messages
            if message.session_id == row["session_id"]
            and abs(message.created_at - row["created_at"]) <= gap_ms
        ),
        default=0.0,
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
