"""Know-how about tools and tasks, kept after a yes."""

from __future__ import annotations

from collections.abc import Iterable

from py_memory import text
from py_memory.checks import check_texts
from py_memory.errors import InvalidInputError, shown
from py_memory.records import Experience, Receipt
from py_memory.rows import experiences as experience_rows

from .base import StoreBase

__all__ = ["ExperienceOperations"]


class ExperienceOperations(StoreBase):
    """A part of MemoryStore."""

    def propose_experience(self, topic: str, content: str) -> Experience | None:
        """Puts know-how about a tool or a kind of task before the user; None if it is known or was rejected.
        Raises InvalidInputError if it holds anything about a person, TooLargeError."""
        with self.database.transaction():
            experience = self._experiences.propose(topic, content)
            if experience:
                self._event(
                    "proposed", "experiences", experience.id, f"{experience.topic}\x1f{experience.content}"
                )
            return experience

    def confirm_experience(self, id: str) -> Experience:
        """The user's yes: from now on it is offered in every session."""
        with self.database.transaction():
            experience = self._experiences.confirm(id)
            self._event("confirmed", "experiences", id)
            return experience

    def reject_experience(self, id: str) -> Receipt:
        """Deletes an experience, confirmed or not; it is not proposed again. Undoable for 10 s."""
        with self.database.transaction():
            self._experiences.refuse(experience_rows.get_experience(self.database, self.user_id, id))
            receipt = self._forgetting.forget_experience(id)
            self._event("rejected", "experiences", receipt.operation_id)
            return receipt

    def list_experiences(self, *, status: str | None = None, topic: str | None = None) -> list[Experience]:
        """Oldest first; `status` "candidate" or "current"."""
        return experience_rows.list_experiences(self.database, self.user_id, status=status, topic=topic)

    def experiences_for(self, said: str, tools: Iterable[str] = (), *, limit: int = 3) -> list[Experience]:
        """Confirmed know-how that bears on a message or on the named tools, the most reliable first."""
        return self._experiences.offered(text.clean(said)[0], check_texts(tools, "The tools"), limit)

    def count_outcome(self, experience_id: str, success: bool) -> Experience:
        """Notes that an experience was followed, and whether it helped."""
        if not isinstance(success, bool):
            raise InvalidInputError(f"Whether it helped is True or False, not {shown(success)}.")
        with self.database.transaction():
            experience_rows.get_experience(self.database, self.user_id, experience_id)
            experience_rows.count_outcome(self.database, self.user_id, experience_id, success)
            self._event("helped" if success else "failed", "experiences", experience_id)
            return experience_rows.get_experience(self.database, self.user_id, experience_id)
