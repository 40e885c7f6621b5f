"""Exact search for people: every message that holds a text, and no other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from py_memory import text
from py_memory.database import Database, Row
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

    The index narrows the candidates; each is then compared itself, so that nothing inexact is shown. What
    many messages may hold is looked for in the last chats first.
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
    looked = _Looking(db, user_id, needle, " AND ".join(where), values, in_all_chats=session_id is None)
    if order == "best":
        ranked = sorted(
            looked.everywhere(), key=lambda found: -found[0]
        )  # stable: the newest first of equals
        return [hit for _, hit in ranked[offset : offset + limit]]
    if offset + limit <= _FEW and looked.is_common():
        newest = looked.newest(offset + limit)
        if newest is not None:
            return [hit for _, hit in looked.hits(newest[offset:])]
    return [hit for _, hit in islice(looked.everywhere(), offset, offset + limit)]


_FEW = 1_000  # messages that are looked through and sorted at once
_CHATS = 40  # the last ones, in which what is common is looked for first

# Plain ASCII is quicker to fold.
_HOLDS = (
    "CASE WHEN length(v.content) = length(CAST(v.content AS BLOB)) "
    "THEN instr(lower(v.content), ?) ELSE instr(search_fold(v.content), ?) END"
)


class _Looking:
    """For one text among the messages `m` that meet a condition."""

    def __init__(
        self,
        db: Database,
        user_id: str,
        needle: str,
        where: str,
        values: Sequence[object],
        *,
        in_all_chats: bool,
    ) -> None:
        self._db, self._user, self._needle = db, user_id, needle
        self._in_all_chats = in_all_chats
        self._where, self._values = where, values
        self._match = text.match_all(needle)

    def is_common(self) -> bool:
        """Whether many messages may hold it, or the index cannot tell."""
        if not self._in_all_chats:
            return False
        if not self._match:
            return True
        few = self._db.query(
            "SELECT rowid FROM message_search WHERE message_search MATCH ? LIMIT ?", (self._match, _FEW + 1)
        )
        return len(few) > _FEW

    def newest(self, count: int) -> list[int] | None:
        """seq of the newest `count` that hold it, newest first, if the last chats hold so many."""
        chats = self._db.query(
            "SELECT s.id, (SELECT max(m.created_at) FROM messages m WHERE m.session_id = s.id) AS newest "
            "FROM sessions s WHERE s.user_id = ? ORDER BY newest DESC LIMIT ?",
            (self._user, _CHATS + 1),
        )
        found: list[Row] = []
        for chat in chats:
            # Neither this chat nor one after it has anything newer.
            if len(found) == count and found[-1]["created_at"] > (chat["newest"] or 0):
                break
            found += self._db.query(
                "SELECT m.seq, m.created_at, m.id FROM messages m "
                f"CROSS JOIN message_versions v ON {NEWEST_VERSION} WHERE m.session_id = ? AND {_HOLDS} "
                f"AND {self._where} ORDER BY m.created_at DESC, m.id DESC LIMIT ?",
                (chat["id"], self._needle, self._needle, *self._values, count),
            )
            found = sorted(found, key=lambda row: (row["created_at"], row["id"]), reverse=True)[:count]
        else:
            if len(chats) > _CHATS:
                return None
        return [row["seq"] for row in found]

    def everywhere(self) -> Iterator[tuple[float, Hit]]:
        """All that hold it, newest first, as hits() gives them."""
        if self._match:
            source, values = "messages m", [self._match]
            within = "m.seq IN (SELECT rowid FROM message_search WHERE message_search MATCH ?)"
        else:
            within, values = _HOLDS, [self._needle, self._needle]
            source = f"messages m CROSS JOIN message_versions v ON {NEWEST_VERSION}"
            if self._in_all_chats:  # texts first, so that only the messages of those that hold it are read
                source = (
                    f"message_versions v CROSS JOIN messages m ON m.id = v.message_id AND {NEWEST_VERSION}"
                )
        rows = self._db.query(
            f"SELECT m.seq FROM {source} WHERE {within} AND {self._where} "
            "ORDER BY m.created_at DESC, m.id DESC",
            (*values, *self._values),
        )
        return self.hits(row["seq"] for row in rows)

    def hits(self, seqs: Iterable[int]) -> Iterator[tuple[float, Hit]]:
        """(density, hit) of those that hold it. Texts are read one by one, as they can be large."""
        for seq in seqs:
            row = self._db.one(
                "SELECT m.id, m.session_id, m.role, m.created_at, v.content "
                f"FROM messages m JOIN message_versions v ON {NEWEST_VERSION} WHERE m.seq = ?",
                (seq,),
            )
            place = _place(row["content"], self._needle) if row else None
            if row and place:
                excerpt, start, length = _excerpt(row["content"], *place)
                folded = text.normalize(row["content"])
                # That a text is short is no merit by itself.
                density = folded.count(self._needle) / (len(folded) + EXCERPT_AFTER)
                said = row["id"], row["session_id"], row["role"], row["created_at"]
                yield density, Hit(*said, excerpt, start, length)


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
