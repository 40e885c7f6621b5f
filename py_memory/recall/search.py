"""Exact search for people: every message that holds a text, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from py_memory import text
from py_memory.database import Database
from py_memory.records import Hit
from py_memory.rows.messages import NEWEST_VERSION

__all__ = ["search"]

EXCERPT_BEFORE, EXCERPT_AFTER = 60, 140  # characters shown around a hit


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
    metadata: Mapping[str, object] | None = None,
    order: str = "newest",
    limit: int = 50,
    offset: int = 0,
) -> list[Hit]:
    """Messages that hold `wanted` as it stands (capitals, and full and half width, are the same), newest
    first, or with `order` "best" those first that hold it most often for their length. `metadata` names
    values that a message's metadata has at its top level.

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
    for name, value in (metadata or {}).items():
        where.append("EXISTS (SELECT 1 FROM json_each(m.metadata_json) e WHERE e.key = ? AND e.value IS ?)")
        values += [text.clean(name)[0], value]
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
    if order == "best":
        ranked = sorted(hits, key=lambda found: -found[0])  # stable: the newest first among equals
        return [hit for _, hit in ranked[offset : offset + limit]]
    return [hit for _, hit in islice(hits, offset, offset + limit)]


def _hits(db: Database, seqs: Sequence[int], needle: str) -> Iterator[tuple[float, Hit]]:
    """(density, hit) of those messages that hold the needle, in the order given. Texts are read one by one,
    as they can be large."""
    for seq in seqs:
        row = db.one(
            "SELECT m.id, m.session_id, m.role, m.created_at, v.content "
            f"FROM messages m JOIN message_versions v ON {NEWEST_VERSION} WHERE m.seq = ?",
            (seq,),
        )
        place = _place(row["content"], needle) if row else None
        if row and place:
            excerpt, start, length = _excerpt(row["content"], *place)
            folded = text.normalize(row["content"])
            # That a text is short is no merit by itself.
            density = folded.count(needle) / (len(folded) + EXCERPT_AFTER)
            hit = Hit(row["id"], row["session_id"], row["role"], row["created_at"], excerpt, start, length)
            yield density, hit


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
