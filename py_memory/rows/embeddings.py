"""Vectors of messages, each labelled with its model, its length and a hash of its text. They are a cache."""

from __future__ import annotations

from py_memory.database import Database

from .messages import NEWEST_VERSION

__all__ = [
    "Embeddable",
    "count_embedded",
    "delete_embeddings",
    "delete_other_models",
    "embeddable",
    "last_message",
    "of_memory",
    "store_embedding",
]

# A message that recall can find. One with a secret is not shown to an embedder.
_OPEN = (
    "m.role IN ('user', 'assistant') AND m.status IN ('complete', 'stopped') AND m.has_secret = 0 "
    "AND trim(v.content) <> ''"
)

_OF_MEMORY = (
    "user_id = ? AND memory_kind = ? AND memory_id = ? AND model IN ("
    "WITH RECURSIVE models (model) AS ("
    "SELECT min(e.model) FROM embeddings e WHERE e.user_id = ? UNION ALL "
    "SELECT (SELECT min(e.model) FROM embeddings e WHERE e.user_id = ? AND e.model > models.model) "
    "FROM models WHERE models.model IS NOT NULL) SELECT models.model FROM models)"
)

Embeddable = tuple[int, str, str, bool, str | None, int | None]


def last_message(db: Database) -> int:
    """The highest seq of a message, 0 if there is none."""
    return int(db.value("SELECT ifnull(max(seq), 0) FROM messages"))


def embeddable(
    db: Database, user_id: str, model: str, *, after: int, until: int, characters: int
) -> list[Embeddable]:
    """(seq, id, the beginning of its text, whether it may be embedded, the hash of the text and the length of
    the vector it has, None for none) of messages with `after` < seq <= `until`."""
    rows = db.query(
        f"SELECT m.seq, m.id, substr(v.content, 1, ?) AS text, {_OPEN} AS open, e.text_hash, e.dims "
        f"FROM messages m JOIN message_versions v ON {NEWEST_VERSION} LEFT JOIN embeddings e "
        "ON e.user_id = m.user_id AND e.model = ? AND e.memory_kind = 'messages' AND e.memory_id = m.id "
        "WHERE m.seq > ? AND m.seq <= ? AND m.user_id = ? ORDER BY m.seq",
        (characters, model, after, until, user_id),
    )
    return [
        (row["seq"], row["id"], row["text"], bool(row["open"]), row["text_hash"], row["dims"]) for row in rows
    ]


def store_embedding(
    db: Database,
    user_id: str,
    message_id: str,
    *,
    model: str,
    dims: int,
    text: str,
    characters: int,
    text_hash: str,
    vector: bytes,
    now: int,
) -> None:
    """Keeps the vector if the first `characters` of the message, if it is still there, are that text."""
    db.execute(
        "INSERT OR REPLACE INTO embeddings "
        "(memory_kind, memory_id, model, user_id, created_at, dims, text_hash, vector) "
        "SELECT 'messages', m.id, ?, m.user_id, ?, ?, ?, ? FROM messages m "
        f"JOIN message_versions v ON {NEWEST_VERSION} "
        f"WHERE m.id = ? AND m.user_id = ? AND {_OPEN} AND substr(v.content, 1, ?) = ?",
        (model, now, dims, text_hash, vector, message_id, user_id, characters, text),
    )


def of_memory(user_id: str, kind: str, id: str) -> tuple[str, tuple[str, ...]]:
    """The condition that names a memory's vectors of every model, and its values. The table's key begins with
    owner and model, so the models are looked up first, each by one step in the index."""
    return _OF_MEMORY, (user_id, kind, id, user_id, user_id)


def delete_embeddings(db: Database, user_id: str, message_id: str) -> int:
    """Of every model."""
    where, values = of_memory(user_id, "messages", message_id)
    return db.execute(f"DELETE FROM embeddings WHERE {where}", values).rowcount


def delete_other_models(db: Database, user_id: str, model: str, most: int) -> int:
    """At most `most` vectors of models other than this one."""
    gone = 0
    for differs in ("<", ">"):  # as ranges the index finds them
        gone += db.execute(
            f"DELETE FROM embeddings WHERE rowid IN (SELECT e.rowid FROM embeddings e "
            f"WHERE e.user_id = ? AND e.model {differs} ? LIMIT ?)",
            (user_id, model, most - gone),
        ).rowcount
    return gone


def count_embedded(db: Database, user_id: str, model: str) -> int:
    return int(
        db.value("SELECT count(*) FROM embeddings e WHERE e.user_id = ? AND e.model = ?", (user_id, model))
    )
