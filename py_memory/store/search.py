"""Finding what was said, and what answers rested on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from py_memory import inspection, text, trace
from py_memory.checks import (
    check_count,
    check_id,
    check_items,
    check_mapping,
    check_texts,
    check_time,
    json_text,
)
from py_memory.counting import count_messages
from py_memory.errors import InvalidInputError, shown
from py_memory.recall import ranked
from py_memory.recall import search as finding
from py_memory.records import AnswerBasis, Explanation, Hit, MessageCount, Prompt, Recollection, Use
from py_memory.rows import facts as fact_rows
from py_memory.rows import messages, sessions, tool_calls
from py_memory.rows import uses as use_rows

from .base import StoreBase

__all__ = ["SearchOperations"]

_MOST_ANSWERS = 1_000
_FILTERS = frozenset(
    {"session_id", "role", "speaker", "since", "until", "metadata", "order", "limit", "offset"}
)


class SearchOperations(StoreBase):
    """A part of MemoryStore."""

    def recall(
        self,
        query: str | Sequence[str],
        *,
        limit: int = 20,
        session_id: str | None = None,
        history: bool = False,
    ) -> list[Recollection]:
        """Memories that bear on a question, or on any of several, best first."""
        check_count(limit, "The limit")
        queries = check_texts(query, "The question")
        return ranked.recall(
            self.database,
            self.user_id,
            self.agent_id,
            queries,
            now=self.clock(),
            limit=limit,
            session_id=session_id,
            history=history,
            meanings=self._embedding.meanings(queries),
        )

    def search(self, text: str, **filters: Any) -> list[Hit]:
        """Messages that hold the text exactly, newest first. Filters: session_id, role, speaker, since, until
        (ms), metadata, limit, offset; order "newest" or "best"."""
        if unknown := sorted(filters.keys() - _FILTERS):
            raise InvalidInputError(
                f"Search has no filter {shown(unknown[0])}; it has {', '.join(sorted(_FILTERS))}."
            )
        check_count(filters.get("limit", 0), "The limit")
        check_count(filters.get("offset", 0), "The offset")
        for name in ("since", "until"):
            check_time(filters.get(name), name)
        if filters.get("order", "newest") not in ("newest", "best"):
            raise InvalidInputError(f"The order is newest or best, not {shown(filters['order'])}.")
        if filters.get("metadata") is not None:
            metadata = check_mapping(filters["metadata"], "The metadata")
            if any(isinstance(value, list | dict) for value in metadata.values()):
                raise InvalidInputError("Search takes plain values of metadata, no lists or mappings.")
        return finding.search(self.database, self.user_id, text, **filters)

    def active_recall(self, text: str, *, limit: int = 5, exclude: Iterable[str] = ()) -> list[Recollection]:
        """The best memories for a message that did not ask for any, without those in `exclude` (ids); []
        where nothing is near enough to be worth a model's attention."""
        check_count(limit, "The limit")
        (query,) = check_texts([text], "The question")
        return ranked.recall_actively(
            self.database,
            self.user_id,
            self.agent_id,
            query,
            now=self.clock(),
            limit=limit,
            exclude=frozenset(check_texts(exclude, "What is left out")),
            meanings=self._embedding.meanings([query]),
        )

    def record_uses(self, message_id: str, uses: Iterable[tuple[str, str, Mapping[str, Any] | str]]) -> None:
        """Notes which memories, (kind, id, reason) in order of rank, an answer rests on."""
        items = [self._use(item) for item in check_items(uses, "The uses")]
        with self.database.transaction():
            messages.get_message(self.database, self.user_id, message_id)
            use_rows.insert_uses(self.database, self.user_id, message_id, items, self.clock())
            self._event("rested on", "messages", message_id, json_text([id for _, id, _ in items]))
            ids = [id for kind, id, _ in items if kind == "facts"]
            fact_rows.mark_used(self.database, self.user_id, ids, self.clock())

    @staticmethod
    def _use(item: object) -> tuple[str, str, Mapping[str, Any]]:
        if not isinstance(item, tuple | list) or len(item) != 3:
            raise InvalidInputError(f"A use is (kind, id, reason), not {shown(item)}.")
        kind, id, why = item
        why = {"why": why} if isinstance(why, str) else check_mapping(why, "The reason of a use")
        return text.clean(kind)[0], check_id(id, "memory"), why

    def list_uses(self, message_id: str) -> list[Use]:
        return use_rows.list_uses(self.database, self.user_id, message_id)

    def answer_basis(self, message_ids: Sequence[str]) -> list[AnswerBasis]:
        """What answers were made with, for a glance at many of them; explain() tells each memory. Those made
        with nothing are left out. At most 1,000 ids."""
        ids = check_texts(message_ids, "Ids of answers")
        if len(ids) > _MOST_ANSWERS:
            raise InvalidInputError(f"At most {_MOST_ANSWERS} answers are looked at at once, not {len(ids)}.")
        memories = use_rows.count_uses(self.database, self.user_id, ids)
        tools = tool_calls.names_by_answer(self.database, self.user_id, ids)
        return [
            AnswerBasis(id, memories.get(id, 0), tuple(tools.get(id, ())))
            for id in dict.fromkeys(ids)
            if id in memories or id in tools
        ]

    def count_messages(
        self,
        *,
        topic: str | Sequence[str] | None = None,
        since: int | None = None,
        until: int | None = None,
        session_id: str | None = None,
        role: str | None = "user",
        intent: str | None = None,
        feedback: int | None = None,
        within_ms_of: Sequence[Any] | None = None,
        words: str | Sequence[str] | None = None,
    ) -> MessageCount:
        """Counts messages about a topic (a text they hold, or one of several; capitals do not matter) from
        `since` up to `until` (ms), of one role (None: both), with an intent or feedback.

        `within_ms_of` is (tool, status, ms) of a tool call in the same session; None stands for any tool or
        status, and without ms it is five minutes. `words` is a list, or "impatience" for the built-in one in
        English and Chinese; Latin words count where they stand whole. Reads every message of the period.
        """
        check_time(since, "since")
        check_time(until, "until")
        if session_id is not None:
            sessions.get_session(self.database, self.user_id, session_id)
        if role not in ("user", "assistant", None):
            raise InvalidInputError(
                f"Messages of a user or an assistant are counted, not of {shown(role, 40)}."
            )
        if feedback not in (-1, 0, 1, None):
            raise InvalidInputError(f"Feedback is -1, 0 or 1, not {shown(feedback, 40)}.")
        zone = self.get_setting("zone")
        return count_messages(
            self.database,
            self.user_id,
            topic=topic,
            since=since,
            until=until,
            session_id=session_id,
            role=role,
            intent=self._short(intent, "The intent"),
            feedback=feedback,
            within_ms_of=within_ms_of,
            words=words,
            zone=zone if isinstance(zone, str) else None,
        )

    def explain(self, message_id: str) -> Explanation:
        """Why an answer says what it says: the memories it rested on, best first, each as it is now."""
        return trace.explain(self.database, self.user_id, self._facts, message_id)

    def inspect_prompt(self, message_id: str) -> Prompt:
        """What was sent to the model for an answer, and why each memory was in it; what has been forgotten
        since is gone from it. Raises NotFoundError, and InvalidInputError for a message that is no answer."""
        answer = messages.get_message(self.database, self.user_id, message_id)
        return inspection.inspect_prompt(
            self.database, self.user_id, self._facts, answer, incognito=self.incognito
        )
