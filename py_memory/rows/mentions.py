"""Rows that hold a text anywhere. The text is compared as `text.normalize` leaves it."""

from __future__ import annotations

from .. import text
from ..database import Database
from ..records import Fact, Message
from .facts import get_fact
from .messages import get_message

__all__ = ["facts_mentioning", "messages_mentioning", "sessions_mentioning", "summaries_mentioning"]


def _ids(db: Database, sql: str, user_id: str, wanted: str) -> list[str]:
    rows = db.query(sql, (user_id,))
    return list(dict.fromkeys(row["id"] for row in rows if wanted in text.normalize(row["said"])))


def messages_mentioning(db: Database, user_id: str, wanted: str) -> list[Message]:
    """Messages any version of which holds it."""
    sql = "SELECT message_id AS id, content AS said FROM message_versions WHERE user_id = ? ORDER BY id"
    return [get_message(db, user_id, id) for id in _ids(db, sql, user_id, wanted)]


def facts_mentioning(db: Database, user_id: str, wanted: str) -> list[Fact]:
    sql = (
        "SELECT id, value || char(10) || ifnull(quote, '') || char(10) || ifnull(spoken_words, '') AS said "
        "FROM facts WHERE user_id = ? ORDER BY id"
    )
    return [get_fact(db, user_id, id) for id in _ids(db, sql, user_id, wanted)]


def summaries_mentioning(db: Database, user_id: str, wanted: str) -> list[str]:
    sql = (
        "SELECT id, ifnull(topic, '') || char(10) || content || char(10) || conclusions_json || open_items_json AS said "
        "FROM summaries WHERE user_id = ? ORDER BY id"
    )
    return _ids(db, sql, user_id, wanted)


def sessions_mentioning(db: Database, user_id: str, wanted: str) -> list[str]:
    return _ids(db, "SELECT id, ifnull(title, '') AS said FROM sessions WHERE user_id = ?", user_id, wanted)
