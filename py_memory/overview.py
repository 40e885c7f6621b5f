"""What a session starts or goes on from, read without a model: its last saved state, the last summaries, and
what is confirmed about the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .consolidation import Consolidation
from .database import Database
from .facts import Facts
from .records import Overview
from .rows import summaries as rows
from .rows.sessions import get_session

__all__ = ["SUMMARIES", "load_overview"]

SUMMARIES = 4  # of the session, or of the others that were active last where it has none of its own


def load_overview(
    db: Database, user_id: str, session_id: str, consolidation: Consolidation, facts: Facts, limit: int
) -> Overview:
    """At most `limit` facts. Raises NotFoundError."""
    get_session(db, user_id, session_id)
    own = consolidation.latest(session_id, SUMMARIES)
    others = () if own else rows.newest_of_other_sessions(db, user_id, session_id, SUMMARIES)
    return Overview(
        session_id=session_id,
        snapshot=_snapshot(db, user_id, session_id),
        summaries=tuple(own or others),
        facts=tuple(facts.facts_for_prompt(limit)),
    )


def _snapshot(db: Database, user_id: str, session_id: str) -> Mapping[str, Any] | None:
    """The state saved last, None where there is none."""
    state = rows.latest_state(db, user_id, session_id)
    return state if isinstance(state, dict) and state else None
