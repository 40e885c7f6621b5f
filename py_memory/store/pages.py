"""What a screen shows at once, in one call."""

from __future__ import annotations

from collections.abc import Sequence

from py_memory import pages
from py_memory.checks import check_count, check_id
from py_memory.errors import InvalidInputError, NotFoundError
from py_memory.records import ChatPage, FactsPage, WaitingPage
from py_memory.rows import messages

from .facts import FactOperations

__all__ = ["PageOperations"]


class PageOperations(FactOperations):
    """A part of MemoryStore."""

    def read_chat(
        self,
        session_id: str,
        *,
        limit: int = 30,
        until: str | None = None,
        after: str | None = None,
        around: str | None = None,
    ) -> ChatPage:
        """A part of the branch on screen with what belongs to it: its newest `limit` messages; or those that
        lead up to the message `until`, itself the last; or those that come next after the message `after`; or
        up to as many before, with itself, and after the message `around`. Raises NotFoundError, also for a
        message of another session."""
        check_count(limit, "The limit")
        named = [id for id in (until, after, around) if id is not None]
        if len(named) > 1:
            raise InvalidInputError("Messages are read until, after or around one message.")
        for id in named:
            message = messages.get_message(self.database, self.user_id, check_id(id, "message"))
            if message.session_id != session_id:
                raise NotFoundError("message", id)
        return pages.chat_page(
            self.database,
            self.user_id,
            self._facts,
            session_id,
            limit,
            until=until,
            after=after,
            around=around,
        )

    def read_facts(
        self,
        groups: Sequence[Sequence[str]] = (),
        *,
        words: str | None = None,
        keys: Sequence[str] = (),
        limit: int = 50,
        offset: int = 0,
    ) -> FactsPage:
        """A part of what browse_facts() gives, with how much there is in all, earlier values under the same
        keys, and what has expired."""
        return pages.facts_page(self._facts, *self._browse(groups, words, keys, limit, offset))

    def count_waiting(self) -> dict[str, int]:
        """How many facts wait for the user's answer: {"candidate": …, "disputed": …}."""
        return self._facts.count_waiting()

    def read_waiting(self, *, limit: int = 50, offset: int = 0) -> WaitingPage:
        """A part of what waits for the user's answer, what is disputed before what is proposed, each as it
        came; how much there is in all, what the proposals would correct, and what is disagreed with."""
        check_count(limit, "The limit")
        check_count(offset, "The offset")
        return pages.waiting_page(self.database, self.user_id, self._facts, self._health, limit, offset)
