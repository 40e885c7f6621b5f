"""Vectors of texts: how they are kept, and which messages lie near a question by them.

A vector is kept as one bit a dimension (its sign), then one signed byte a dimension. The bits of all vectors
are compared first, by Hamming distance; of the nearest, and of what the words have found, the bytes decide.
Only directions matter, so the scale is not kept.

SQLite keeps the order of a CROSS JOIN: left to itself it reads every vector to find a few.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from heapq import nsmallest
from operator import mul
from statistics import fmean, pstdev

from py_memory.database import Database
from py_memory.rows.messages import NEWEST_VERSION

from .parameters import Parameters

__all__ = ["MAX_DIMS", "MOST_EMBEDDED", "Meaning", "nearness", "pack", "text_hash"]

MAX_DIMS = 4096
MOST_EMBEDDED = 2_000  # characters of a text, from its beginning; models read about as much

_VECTOR = "e.user_id = ? AND e.model = ? AND e.memory_kind = 'messages'"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vector of a question, packed, and the model that it is of."""

    model: str
    dims: int
    packed: bytes


def pack(values: object) -> bytes:
    """The bits and bytes of a vector of 1 to 4,096 finite numbers. Raises ValueError."""
    try:
        if isinstance(values, str | bytes) or not 1 <= len(values) <= MAX_DIMS:  # type: ignore[arg-type]
            raise ValueError(f"a vector has 1 to {MAX_DIMS} numbers")
        numbers = [float(value) for value in values]  # type: ignore[attr-defined]
    except (TypeError, OverflowError) as error:
        raise ValueError("a vector is a list of numbers") from error
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a vector's numbers are finite")
    most = max(map(abs, numbers))
    scaled = [round(127 * (number / most)) if most else 0 for number in numbers]
    bits = int("".join("1" if number > 0 else "0" for number in numbers), 2)
    return bits.to_bytes(_bits_size(len(numbers))) + array("b", scaled).tobytes()


def text_hash(text: str) -> str:
    """Of the text that a vector stands for; MOST_EMBEDDED characters of it."""
    return sha256(text[:MOST_EMBEDDED].encode()).hexdigest()[:32]


def nearness(
    db: Database,
    user_id: str,
    meaning: Meaning,
    found: Collection[int],
    session_id: str | None,
    parameters: Parameters,
) -> dict[int, float]:
    """seq → 0 to 1 for messages that `found` (seq) names or that lie nearest to the question: how many
    standard deviations above the average message, against `vector_full` of them. Vectors of another model,
    another length or another text than the message has now count for nothing."""
    of = (user_id, meaning.model)
    codes = _codes(db, of, meaning, session_id, parameters)
    asked = int.from_bytes(meaning.packed[: _bits_size(meaning.dims)])
    chosen = nsmallest(parameters.vector_candidates, codes, key=lambda row: (codes[row] ^ asked).bit_count())
    everyday = _similarities(db, meaning, _sample(db, of, meaning, codes, session_id, parameters)).values()
    if not everyday:
        return {}
    mean, deviation = fmean(everyday), pstdev(everyday)
    near = _similarities(db, meaning, dict.fromkeys([*chosen, *_rows_of(db, of, meaning, found)]), now=True)
    full = parameters.vector_full * deviation
    return {
        seq: min((similar - mean) / full, 1.0) for seq, similar in near.items() if full and similar > mean
    }


def _bits_size(dims: int) -> int:
    return (dims + 7) // 8


def _codes(
    db: Database, of: tuple[str, str], meaning: Meaning, session_id: str | None, parameters: Parameters
) -> dict[int, int]:
    """Bits by row, none if there are too many to look at each. Joined to one text by SQLite, which is faster
    than row by row."""
    size = _bits_size(meaning.dims)
    code = "e.rowid || ':' || hex(substr(e.vector, 1, ?))"
    if session_id is None:
        most = parameters.vector_scan
        held = f"SELECT 1 FROM embeddings e WHERE {_VECTOR} LIMIT ?"
        if db.value(f"SELECT count(*) FROM ({held})", (*of, most + 1)) > most:
            return {}
        where = f"embeddings e WHERE {_VECTOR} AND e.dims = ?"
        joined = db.value(f"SELECT group_concat({code}) FROM {where}", (size, *of, meaning.dims))
    else:
        where = f"messages m CROSS JOIN embeddings e ON {_VECTOR} AND e.memory_id = m.id AND e.dims = ?"
        joined = db.value(
            f"SELECT group_concat({code}) FROM {where} WHERE m.session_id = ?",
            (size, *of, meaning.dims, session_id),
        )
    codes = {}
    for item in joined.split(",") if joined else ():
        row, _, bits = item.partition(":")
        codes[int(row)] = int(bits, 16)
    return codes


def _sample(
    db: Database,
    of: tuple[str, str],
    meaning: Meaning,
    codes: Mapping[int, int],
    session_id: str | None,
    parameters: Parameters,
) -> list[int]:
    """Some rows of the whole memory, evenly spread where all are known, else the oldest."""
    most = parameters.vector_sample
    if codes and session_id is None:
        return list(codes)[:: max(1, len(codes) // most)]
    sql = f"SELECT e.rowid AS number FROM embeddings e WHERE {_VECTOR} AND e.dims = ? LIMIT ?"
    return [row["number"] for row in db.query(sql, (*of, meaning.dims, most))]


def _rows_of(db: Database, of: tuple[str, str], meaning: Meaning, seqs: Iterable[int]) -> list[int]:
    rows = db.query(
        "SELECT e.rowid AS number FROM json_each(?) j CROSS JOIN messages m ON m.seq = j.value "
        f"CROSS JOIN embeddings e ON {_VECTOR} AND e.memory_id = m.id WHERE e.dims = ?",
        (json.dumps(list(seqs)), *of, meaning.dims),
    )
    return [row["number"] for row in rows]


def _similarities(
    db: Database, meaning: Meaning, rows: Iterable[int], *, now: bool = False
) -> Mapping[int, float]:
    """Cosines by the message's seq; with `now` only where the vector is of the text the message has now."""
    start = _bits_size(meaning.dims)
    asked = array("b", meaning.packed[start:])
    length = math.hypot(*asked)
    found = db.query(
        "SELECT m.seq, e.vector, e.text_hash, "
        f"substr(v.content, 1, {MOST_EMBEDDED}) AS text FROM json_each(?) j "
        "CROSS JOIN embeddings e ON e.rowid = j.value "
        "CROSS JOIN messages m ON m.id = e.memory_id AND m.user_id = e.user_id "
        f"JOIN message_versions v ON {NEWEST_VERSION} "
        "WHERE m.role IN ('user', 'assistant') AND m.status IN ('complete', 'stopped')",
        (json.dumps(list(rows)),),
    )
    out = {}
    for seq, vector, hash, text in map(tuple, found):
        if len(vector) == start + meaning.dims and not (now and hash != text_hash(text)):
            values = array("b", vector[start:])
            lengths = length * math.hypot(*values)
            out[seq] = sum(map(mul, asked, values)) / lengths if lengths else 0.0
    return out
