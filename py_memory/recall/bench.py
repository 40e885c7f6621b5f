"""Ranks labelled conversations, to score recall on anybody's own data: python3 -m py_memory.recall.bench

Reads one JSON line {"name", "lang", "turns": [[id, session, date, speaker, text], …]}, then one line
{"q": question, "k": how many} per question, and answers each with one line: a JSON list of ids, best first.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from py_memory.database import Database
from py_memory.ids import uuid7
from py_memory.rows import messages, sessions, users

from . import index
from .parameters import DEFAULTS, Parameters
from .question import read_question
from .ranked import recall_actively
from .ranking import rank_messages
from .vectors import Meaning

__all__ = ["Conversation", "main"]

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DATE = re.compile(r"(\d{4})\D(\d{1,2})\D(\d{1,2})")
_SPOKEN = re.compile(r"(?:(\d+):(\d+)\s*([ap])m\D+)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*,?\s+(\d{4})")
_ASSISTANTS = frozenset({"ai", "assistant", "bot", "system", "助手"})
_BETWEEN = 60_000  # ms from one turn of a session to the next


def _time(words: str) -> int:
    """ms of a date such as 2024年04月03日, 2023-04-27 or 1:56 pm on 8 May, 2023; 0 if it is none of these."""
    if match := _DATE.search(words):
        year, month, day = map(int, match.groups())
        hour = minute = 0
    elif match := _SPOKEN.search(words):
        hour, minute = int(match[1] or 0) % 12 + 12 * (match[3] == "p"), int(match[2] or 0)
        day, month, year = int(match[4]), _MONTHS.index(match[5].lower()) + 1, int(match[6])
    else:
        return 0
    return int(datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() * 1000)


class Conversation:
    """A conversation in a memory of its own."""

    def __init__(self, turns: Sequence[Sequence[Any]]) -> None:
        self.db = Database(":memory:")
        self._now = 0
        self._ids: dict[str, Any] = {}
        known: dict[Any, tuple[str, int]] = {}
        with self.db.transaction():
            self.user_id, _ = users.ensure_user(self.db, None, 0)
            for id, session, date, speaker, content in turns:
                start = _time(str(date))
                if session not in known:
                    known[session] = uuid7(start), start
                    sessions.insert_session(self.db, self.user_id, known[session][0], None, {}, start)
                session_id, last = known[session]
                now = max(start, last + _BETWEEN)
                known[session] = session_id, now
                self._now = max(self._now, now)
                self._add(id, session_id, str(speaker), content, now)
            index.optimize(self.db)

    def _add(self, id: Any, session_id: str, speaker: str, content: str, now: int) -> None:
        message_id = uuid7(now)
        self._ids[message_id] = id
        role = "assistant" if speaker.lower() in _ASSISTANTS else "user"
        seq = messages.insert_message(
            self.db, self.user_id, id=message_id, session_id=session_id, parent_id=None, role=role,
            status="complete", speaker=speaker if len(speaker) > 1 and role == "user" else None,
            tool_call_id=None, intent=None, has_secret=False, metadata={}, now=now,
        )  # fmt: skip
        messages.insert_version(
            self.db, self.user_id, id=uuid7(now), message_id=message_id, author=role, content=content, now=now
        )
        index.add(self.db, seq)

    def rank(
        self, query: str, limit: int, parameters: Parameters = DEFAULTS, meaning: Meaning | None = None
    ) -> list[Any]:
        """Ids of turns, best first."""
        question = read_question(query, self._now, parameters)
        found = rank_messages(self.db, self.user_id, question, limit, parameters=parameters, meaning=meaning)
        return [self._ids[message.id] for message in found]

    def reminds(self, query: str) -> bool:
        """Whether active recall would add anything to a prompt."""
        return bool(recall_actively(self.db, self.user_id, None, query, now=self._now, limit=1))


def main() -> None:
    conversation = Conversation(json.loads(sys.stdin.readline())["turns"])
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(conversation.rank(asked["q"], asked.get("k", 20))), flush=True)


if __name__ == "__main__":
    main()
