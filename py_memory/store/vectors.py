"""Connecting an embedder, whose vectors let recall find what says the same in other words."""

from __future__ import annotations

from collections.abc import Sequence

from py_memory.checks import check_count, check_texts
from py_memory.records import Embedder, EmbedderState

from .base import StoreBase

__all__ = ["VectorOperations"]


class VectorOperations(StoreBase):
    """A part of MemoryStore."""

    def connect_embedder(self, embedder: Embedder | None) -> None:
        """Lets recall() use an embedder's vectors beside the words; None goes back to words alone. The
        embedder is given the texts of messages and questions, except those that hold a secret. Raises
        InvalidInputError for what is no embedder.

        Vectors of messages are made by idle_work(), or by embed_waiting() where embed() is a coroutine."""
        self._embedding.connect(embedder)

    def embedder_state(self) -> EmbedderState | None:
        """How the embedder is doing, and what went wrong if anything did; None if there is none."""
        return self._embedding.state()

    async def embed_waiting(self, budget_ms: int = 1000) -> bool:
        """Makes vectors of messages that have none, for about `budget_ms`. True if there is more to do."""
        check_count(budget_ms, "The budget")
        return await self._embedding.work_awaiting(budget_ms)

    async def prepare_recall(self, query: str | Sequence[str]) -> None:
        """Before recall() of the same questions: asks an embedder whose embed() is a coroutine about them,
        for two seconds at most. Others are asked by recall() itself."""
        await self._embedding.prepare(check_texts(query, "The question"))
