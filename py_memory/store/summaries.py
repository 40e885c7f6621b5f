"""What a prompt goes on from: the working set, summaries, the overview."""

from __future__ import annotations

from py_memory import context, text
from py_memory.checks import check_count
from py_memory.overview import load_overview
from py_memory.records import Message, Overview, PendingSummary, Summary

from .facts import FactOperations
from .messages import MessageOperations

__all__ = ["SummaryOperations"]

MAX_MEMORY_CHARS = 3000  # of facts, saved state and summaries in a prompt


class SummaryOperations(FactOperations, MessageOperations):
    """A part of MemoryStore."""

    def build_system_prompt(self, *, session_id: str | None = None, limit: int = 12) -> str:
        """System text with the confirmed facts, pinned and most used first, and of a session its overview; in
        Chinese where the user last wrote it."""
        recent = self.get_recent_messages(session_id, 10) if session_id else []
        said = next((message.content for message in reversed(recent) if message.role == "user"), "")
        language = text.detect_language(said)
        if session_id:
            overview = self.load_overview(session_id, limit=limit)
        else:
            overview = Overview("", None, (), tuple(self.facts_for_prompt(limit)))
        shown = [message.id for message in recent]
        return context.system_prompt(
            context.memory_part(overview, max(MAX_MEMORY_CHARS, limit * 310), language, shown=shown), language
        )

    def working_set(self, session_id: str) -> list[Message]:
        """The last 12 rounds of the branch on screen, oldest first, held in this process for 30 minutes after
        their last use; the session's system message before them."""
        return self._working.messages(session_id)

    def load_overview(self, session_id: str, *, limit: int = 12) -> Overview:
        """What a session starts or goes on from, read without a model: its last saved state, the last
        summaries (those of other sessions where it has none) and at most `limit` facts about the user."""
        check_count(limit, "The limit")
        return load_overview(self.database, self.user_id, session_id, self._consolidation, self._facts, limit)

    def summarise(
        self, session_id: str, *, answer: str | None = None, last_message_id: str | None = None
    ) -> Summary | None:
        """Summarises what no summary covers yet, the oldest first and at most 50 messages at a time, up to
        `last_message_id` if given, as an extract in the speakers' own words, or from a model's `answer` after
        extraction.structured_summary.SUMMARY_SCHEMA. None where there is nothing.

        Raises InvalidInputError for an answer that does not follow the schema, NotFoundError.
        """
        with self.database.transaction():
            return self._summarised(
                self._consolidation.summarise(session_id, answer=answer, last_message_id=last_message_id)
            )

    def summarise_if_due(self, session_id: str) -> Summary | None:
        """An extract once five rounds, 3,000 tokens (estimated) or a task node have come since the last; None
        before. ChatAgent calls it after each round."""
        with self.database.transaction():
            return self._summarised(self._consolidation.summarise_if_due(session_id))

    def _summarised(self, summary: Summary | None) -> Summary | None:
        if summary is not None:
            self._event("summarised", "summaries", summary.id, summary.content)
        return summary

    def pending_summary(self, session_id: str) -> PendingSummary:
        """What a summary would cover now, for whoever has a model write it."""
        return self._consolidation.pending(session_id)

    def list_summaries(self, session_id: str, *, level: int | None = None) -> list[Summary]:
        """Oldest first. Level 1 stands for messages, each higher one for summaries of the level below."""
        if level is not None:
            check_count(level, "The level", least=1)
        return self._consolidation.list_summaries(session_id, level=level)

    def task_node(self, session_id: str, kind: str) -> None:
        """The hook for what runs an agent: "tool_finished", "plan_step" or "confirmed" make a summary due at
        the end of the round."""
        self._consolidation.task_node(session_id, kind)
