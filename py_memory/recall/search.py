"""Finding: exact text for people, ranked recall for the agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from py_memory import text
from py_memory.database import Database
from py_memory.records import Fact, Hit, Recollection
from py_memory.rows import facts as fact_rows
from py_memory.rows.messages import NEWEST_VERSION

__all__ = ["recall", "search"]

EXCERPT_BEFORE, EXCERPT_AFTER = 60, 140  # characters shown around a hit
_FACT_WEIGHT = 2.0  # a confirmed fact counts for more than a message that shares as many words


def search(
    db: Database,
    user_id: str,
    wanted: str,
    *,
    session_id: str | None = None,
    role: str | None = None,
    speaker: str | None = None,
    since: int | None = None,
    until: int | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[Hit]:
    """Messages that hold `wanted` as it stands (capitals, and full and half width, are the same), newest
    first.

    The index narrows the candidates; each is then compared itself, so that nothing inexact is shown.
    """
    needle = text.normalize(text.clean(wanted)[0]).strip()
    if not needle or limit < 1:
        return []
    filters = {
        "m.session_id = ?": session_id,
        "m.role = ?": role,
        "m.speaker = ?": speaker,
        "m.created_at >= ?": since,
        "m.created_at < ?": until,
    }
    where = ["m.user_id = ?", "m.status IN ('complete', 'stopped')", "m.role IN ('user', 'assistant')"]
    where += [condition for condition, value in filters.items() if value is not None]
    values: list[object] = [user_id, *(value for value in filters.values() if value is not None)]
    source = "messages m"
    if query := text.match_all(needle):
        where.append("m.seq IN (SELECT rowid FROM message_search WHERE message_search MATCH ?)")
        values.append(query)
    else:  # no whole word to ask the index for, so texts are read; plain ASCII is quicker to fold
        source += f" JOIN message_versions v ON {NEWEST_VERSION}"
        where.append(
            "CASE WHEN length(v.content) = length(CAST(v.content AS BLOB)) "
            "THEN instr(lower(v.content), ?) ELSE instr(search_fold(v.content), ?) END"
        )
        values += [needle, needle]
    seqs = db.query(
        f"SELECT m.seq FROM {source} WHERE {' AND '.join(where)} ORDER BY m.created_at DESC, m.id DESC",
        values,
    )
    hits = _hits(db, [row["seq"] for row in seqs], needle)
    return list(islice(hits, offset, offset + limit))


def _hits(db: Database, seqs: Sequence[int], needle: str) -> Iterator[Hit]:
    """Those of the messages that hold the needle, in the order given. Texts are read one by one, as they can
    be large."""
    for seq in seqs:
        row = db.one(
            "SELECT m.id, m.session_id, m.role, m.created_at, v.content "
            f"FROM messages m JOIN message_versions v ON {NEWEST_VERSION} WHERE m.seq = ?",
            (seq,),
        )
        place = _place(row["content"], needle) if row else None
        if row and place:
            excerpt, start, length = _excerpt(row["content"], *place)
            yield Hit(row["id"], row["session_id"], row["role"], row["created_at"], excerpt, start, length)


def _place(content: str, needle: str) -> tuple[int, int] | None:
    """Where the needle stands in the content as (start, length), in characters."""
    folded = text.normalize(content)
    found = folded.find(needle)
    if found < 0:
        return None
    if len(folded) == len(content):
        return found, len(needle)
    # Folding changed lengths, so positions are counted character by character.
    bounds = [0]
    for character in content:
        bounds.append(bounds[-1] + len(text.normalize(character)))
    start = next((i for i in range(len(content)) if bounds[i + 1] > found), 0)
    end = next((i for i in range(start, len(content) + 1) if bounds[i] >= found + len(needle)), len(content))
    return start, max(1, end - start)


def _excerpt(content: str, start: int, length: int) -> tuple[str, int, int]:
    begin = max(0, start - EXCERPT_BEFORE)
    end = start + length + EXCERPT_AFTER
    return content[begin:end], start - begin, length


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
) -> list[Recollection]:
    """Memories that share telling words with any of the queries, best first: messages by bm25 (FTS5's k1 =
    1.2, b = 0.75) and facts by the share of words found. `history` takes in facts that have been
    superseded."""
    best: dict[str, Recollection] = {}
    for query in queries:
        cleaned = text.clean(query)[0]
        for found in (
            *_messages(db, user_id, cleaned, limit, session_id),
            *_facts(db, user_id, agent_id, cleaned, now, history),
        ):
            if found.id not in best or best[found.id].score < found.score:
                best[found.id] = found
    ranked = sorted(best.values(), key=lambda item: (-item.score, -item.created_at, item.id))
    return ranked[:limit]


def _messages(
    db: Database, user_id: str, query: str, limit: int, session_id: str | None
) -> Iterator[Recollection]:
    match = text.match_any(query)
    if not match or limit < 1:
        return
    within = " AND m.session_id = ?" if session_id else ""
    rows = db.query(
        "SELECT m.id, m.session_id, m.role, m.created_at, -bm25(message_search, 1.0, 1.0) AS score, "
        "(SELECT w.content FROM message_versions w WHERE w.message_id = m.id "
        "ORDER BY w.created_at DESC, w.id DESC LIMIT 1) AS content "
        "FROM message_search JOIN messages m ON m.seq = message_search.rowid "
        f"WHERE message_search MATCH ? AND m.user_id = ?{within} ORDER BY score DESC, m.seq DESC LIMIT ?",
        (match, user_id, *([session_id] if session_id else []), limit),
    )
    wanted = set(text.terms(query, for_query=True))
    for row in rows:
        shared = sorted(wanted & set(text.terms(row["content"])))
        yield Recollection(
            "messages",
            row["id"],
            row["content"],
            row["score"],
            row["created_at"],
            row["session_id"],
            row["role"],
            {"terms": shared},
        )


def _facts(
    db: Database, user_id: str, agent_id: str | None, query: str, now: int, history: bool
) -> Iterator[Recollection]:
    wanted = set(text.terms(query, for_query=True))
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
