"""What a sync would send, counted without making its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from py_memory.database import Database
from py_memory.records import HERE_ONLY, SyncPreview
from py_memory.rows import sync_preview as rows
from py_memory.rows.staying import RESTS_ON_HERE_ONLY
from py_memory.rows.sync import get_state

from .kinds import KINDS
from .staying import is_secret_fact

__all__ = ["preview"]


def preview(db: Database, user_id: str) -> SyncPreview:
    first = get_state(db, user_id) is None
    sent = {
        kind: rows.count_to_send(db, user_id, kind, about.id, all_=first) for kind, about in KINDS.items()
    }
    stays = Counter(_staying(db, user_id, first))
    sent["facts"] -= stays["here_only"] + stays["secret"]
    streaming = rows.count_to_send(db, user_id, "messages", "id", all_=first, only="r.status = 'streaming'")
    sent["messages"] -= streaming
    stays["streaming"] = streaming
    stays["hidden_text"] = rows.count_to_send(
        db, user_id, "messages", "id", all_=first, only=f"(r.has_secret = 1 OR {RESTS_ON_HERE_ONLY})"
    )
    stays["summaries"] = rows.count_summaries(db, user_id)
    gone = 0 if first else sum(rows.count_gone(db, user_id, kind, about.id) for kind, about in KINDS.items())
    return SyncPreview(
        first,
        {kind: count for kind, count in sent.items() if count},
        gone,
        {why: count for why, count in stays.items() if count},
    )


def _staying(db: Database, user_id: str, first: bool) -> Iterator[str]:
    for visibility, key, value in rows.facts_to_send(db, user_id, all_=first):
        if visibility in HERE_ONLY:
            yield "here_only"
        elif is_secret_fact(key, value):
            yield "secret"
