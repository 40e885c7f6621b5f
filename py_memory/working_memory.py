"""Working memory: the last rounds of the sessions in use, in this process alone.

It is apart from long-term memory and never answers for it: one indexed query tells which messages are on
screen now, in which version and state, and only texts that are still those come from here. So nothing edited,
forgotten or left behind can stay in it, whoever wrote; what is not here is read from the database.
"""

from __future__ import annotations

from dataclasses import dataclass

from .clock import Clock
from .database import Database
from .records import Message
from .rows import messages as rows
from .rows.sessions import get_session

__all__ = ["ROUNDS", "TTL_MS", "WorkingMemory"]

ROUNDS = 12  # beyond 10 to 15, models follow the newest instruction less well
TTL_MS = 30 * 60 * 1000
MAX_MESSAGES = 4 * ROUNDS  # a round may hold messages of tools as well
MAX_SESSIONS = 8


@dataclass
class _Set:
    until: int
    messages: dict[str, Message]


class WorkingMemory:
    def __init__(self, db: Database, user_id: str, clock: Clock) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._sets: dict[str, _Set] = {}

    def messages(self, session_id: str) -> list[Message]:
        """The last 12 rounds of the branch on screen, oldest first, after the session's system message if it
        has one. Raises NotFoundError."""
        shown = get_session(self._db, self._user, session_id).current_message_id
        self._drop_expired()
        known = self._sets[session_id].messages if session_id in self._sets else {}
        states = _last_rounds(rows.branch_states(self._db, self._user, shown, MAX_MESSAGES))
        found = {
            id: known[id] for id, state in states.items() if id in known and rows.state_of(known[id]) == state
        }
        missing = [id for id in states if id not in found]
        if len(missing) > 2:
            found = {message.id: message for message in rows.branch(self._db, self._user, shown, len(states))}
        else:  # an ordinary turn: the question and its answer
            read = (rows.find_message(self._db, self._user, id) for id in missing)
            found |= {message.id: message for message in read if message}
        window = [found[id] for id in states if id in found]
        self._keep(session_id, window)
        system = rows.system_message(self._db, self._user, session_id)
        return window if system is None or system in window else [system, *window]

    def _keep(self, session_id: str, window: list[Message]) -> None:
        self._sets.pop(session_id, None)  # the one used last stands last
        finished = {message.id: message for message in window if message.status != "streaming"}
        self._sets[session_id] = _Set(self._clock() + TTL_MS, finished)
        while len(self._sets) > MAX_SESSIONS:
            del self._sets[next(iter(self._sets))]

    def _drop_expired(self) -> None:
        now = self._clock()
        self._sets = {id: kept for id, kept in self._sets.items() if kept.until > now}


def _last_rounds(states: dict[str, rows.State]) -> dict[str, rows.State]:
    """From the twelfth last message of the user on; all, if there are fewer."""
    ids = list(states)
    begins = [place for place, (role, *_) in enumerate(states.values()) if role == "user"]
    return {id: states[id] for id in ids[begins[-ROUNDS] :]} if len(begins) >= ROUNDS else states
