"""Rounds of one session take turns: a message that is sent while an answer streams waits for its end."""

from __future__ import annotations

import asyncio

from .cancelling import StoppedError, unless_cancelled
from .records import Cancel

__all__ = ["Turn", "Turns"]


class Turns:
    """The rounds that wait or run, by session."""

    def __init__(self) -> None:
        self._queues: dict[str, list[Turn]] = {}

    def has(self, session_id: str) -> bool:
        return session_id in self._queues

    def join(self, session_id: str) -> Turn:
        """A place at the end of the session's queue. It must be left in the end."""
        turn = Turn(self, session_id)
        self._queues.setdefault(session_id, []).append(turn)
        return turn

    def is_first(self, turn: Turn) -> bool:
        return self._queues[turn.session_id][0] is turn

    def leave(self, turn: Turn) -> None:
        queue = self._queues[turn.session_id]
        queue.remove(turn)
        if queue:
            queue[0].come.set()
        else:
            del self._queues[turn.session_id]


class Turn:
    def __init__(self, turns: Turns, session_id: str) -> None:
        self._turns = turns
        self.session_id = session_id
        self.come = asyncio.Event()

    @property
    def waits(self) -> bool:
        return not self._turns.is_first(self)

    async def wait(self, cancel: Cancel) -> bool:
        """Waits until those before are over. False where the user stopped it meanwhile."""
        while self.waits:
            try:
                await unless_cancelled(self.come.wait(), cancel)
            except StoppedError:
                return False
        return True

    def leave(self) -> None:
        self._turns.leave(self)
