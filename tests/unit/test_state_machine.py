"""Any history of calls leaves a memory that is whole. PY_MEMORY_EXAMPLES: how many histories are tried."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from py_memory import MemoryStore, PyMemoryError
from py_memory.clock import DAY_MS
from py_memory.recall import index
from py_memory.recall.vectors import text_hash
from tests.unit.support import Grams

WORDS = st.sampled_from(["tea", "Tea", "茶", "coffee", "peanuts", "花生酱", "a walk", "xylophone"])
KEYS = st.sampled_from(
    ["user::name", "user::diet", "user::likes", "user::dislikes", "user::allergy", "user::address", "task::a"]
)


class Memory(RuleBasedStateMachine):
    """Two owners in one file; what one does never shows with the other."""

    sessions = Bundle("sessions")
    messages = Bundle("messages")
    facts = Bundle("facts")
    operations = Bundle("operations")

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_790_000_000_000
        self.store = MemoryStore(":memory:", clock=lambda: self.now)
        self.other = MemoryStore(self.store.database.connection, user_id="other", clock=lambda: self.now)
        session = self.other.create_session("Theirs")
        said = self.other.add_message(session.id, "user", "xylophone and tea")
        self.other.set_fact("user::likes", "tea", source_message_id=said.id)
        self.theirs = self._of_the_other()
        self.embedder = Grams()
        self.store.connect_embedder(self.embedder)
        self.forgotten: dict[str, str] = {}  # text → operation that forgot it

    def _of_the_other(self) -> list[Any]:
        return [
            self.other.list_facts(status=None),
            self.other.search("xylophone"),
            self.other.list_sessions(),
        ]

    def _said(self, word: str) -> None:
        """It may be there again."""
        for text in [text for text in self.forgotten if text.lower() in word.lower()]:
            del self.forgotten[text]

    @rule(target=sessions)
    def create_session(self) -> str:
        return self.store.create_session().id

    @rule(target=messages, session=sessions, word=WORDS, role=st.sampled_from(["user", "assistant"]))
    def add_message(self, session: str, word: str, role: str) -> str | None:
        self.now += 1000
        with suppress(PyMemoryError):
            self._said(word)
            return self.store.add_message(session, role, f"about {word}").id
        return None

    @rule(message=messages, word=WORDS)
    def edit_message(self, message: str, word: str) -> None:
        with suppress(PyMemoryError):
            self._said(word)
            self.store.edit_message(message, f"rather {word}")

    @rule(target=messages, session=sessions, parent=messages, word=WORDS)
    def branch(self, session: str, parent: str, word: str) -> str | None:
        with suppress(PyMemoryError):
            self._said(word)
            return self.store.add_message(session, "user", f"or {word}", parent_id=parent).id
        return None

    @rule(target=facts, key=KEYS, word=WORDS, source=messages)
    def set_fact(self, key: str, word: str, source: str) -> str | None:
        with suppress(PyMemoryError):
            self._said(word)
            return self.store.set_fact(key, word, source_message_id=source).id
        return None

    @rule(target=facts, key=KEYS, word=WORDS)
    def propose(self, key: str, word: str) -> str | None:
        fact = self.store.propose_fact(key, word)
        if fact:
            self._said(word)
        return fact.id if fact else None

    @rule(target=operations, fact=facts, keep=st.booleans())
    def decide(self, fact: str, keep: bool) -> str | None:
        with suppress(PyMemoryError):
            return (
                self.store.confirm_fact(fact).operation_id
                if keep
                else self.store.reject_fact(fact).operation_id
            )
        return None

    @rule(target=operations, fact=facts)
    def end_fact(self, fact: str) -> str | None:
        with suppress(PyMemoryError):
            return self.store.end_fact(fact).operation_id
        return None

    @rule(target=operations, fact=facts)
    def forget_fact(self, fact: str) -> str | None:
        with suppress(PyMemoryError):
            return self.store.forget(fact_id=fact).operation_id
        return None

    @rule(target=operations, message=messages)
    def forget_message(self, message: str) -> str | None:
        with suppress(PyMemoryError):
            return self.store.forget(message_id=message).operation_id
        return None

    @rule(target=operations, word=WORDS)
    def forget_text(self, word: str) -> str:
        operation = self.store.forget(text=word).operation_id
        for text in list(self.forgotten):
            if word.lower() in text.lower():
                del self.forgotten[text]
        self.forgotten[word] = operation
        return operation

    @rule(target=operations, session=sessions, facts=st.booleans())
    def delete_session(self, session: str, facts: bool) -> str | None:
        with suppress(PyMemoryError):
            return self.store.delete_session(session, forget_facts=facts).operation_id
        return None

    @rule(operation=operations)
    def undo(self, operation: str | None) -> None:
        with suppress(PyMemoryError):
            self.store.undo(operation or "")
            self.forgotten.clear()  # what it brings back may hold any of them

    @rule(days=st.integers(0, 100))
    def time_passes(self, days: int) -> None:
        self.now += days * DAY_MS

    @rule()
    def consolidate(self) -> None:
        self.store.consolidate()

    @rule(delete=st.booleans())
    def cleanup(self, delete: bool) -> None:
        self.store.cleanup_old_messages(30, delete=delete)

    @rule(fails=st.booleans())
    def rest(self, fails: bool) -> None:
        self.now += 3_600_000
        self.embedder.fails = fails
        while self.store.idle_work(1000):
            pass
        if not fails and not self.store.database.in_transaction:
            assert self._embedded() == self._searchable()

    def _searchable(self) -> set[tuple[str, str]]:
        sessions = self.store.list_sessions()
        said = [message for s in sessions for message in self.store.list_messages(s.id, limit=1000)]
        return {(message.id, text_hash(message.content)) for message in said}

    def _embedded(self) -> set[tuple[str, str]]:
        rows = self.store.database.query("SELECT memory_id, text_hash, user_id FROM embeddings")
        assert {row["user_id"] for row in rows} <= {self.store.user_id}
        return {(row["memory_id"], row["text_hash"]) for row in rows}

    @invariant()
    def every_vector_is_of_a_text_that_is_there(self) -> None:
        assert self._embedded() <= self._searchable()

    @invariant()
    def one_value_under_a_single_valued_key(self) -> None:
        single = [fact.key for fact in self.store.list_facts() if fact.key in ("user::name", "user::diet")]
        assert len(single) == len(set(single))

    @invariant()
    def nothing_is_orphaned_and_the_index_is_right(self) -> None:
        kinds = {finding.kind for finding in self.store.health()}
        assert not kinds & {"orphans", "index_unsound", "damaged", "chain_broken", "unsupported"}, kinds
        assert self.store.database.query("PRAGMA foreign_key_check") == []

    @invariant()
    def what_was_forgotten_is_gone(self) -> None:
        for word in self.forgotten:
            assert self.store.search(word) == []
            assert not [f for f in self.store.list_facts(status=None) if word.lower() in f.value.lower()]

    @invariant()
    def parents_and_the_message_shown_are_there(self) -> None:
        for session in self.store.list_sessions():
            there = {message.id: message for message in self.store.list_messages(session.id, limit=1000)}
            assert {message.parent_id for message in there.values()} - {None} <= there.keys()
            assert session.current_message_id in there if there else session.current_message_id is None

    @invariant()
    def other_owners_are_untouched(self) -> None:
        assert self._of_the_other() == self.theirs

    def teardown(self) -> None:
        with self.store.database.transaction():
            assert index.is_sound(self.store.database)
        assert self.store.database.integrity_check() == []
        self.store.close()


Memory.TestCase.settings = settings(
    max_examples=int(os.environ.get("PY_MEMORY_EXAMPLES", "40")), stateful_step_count=25, deadline=None
)
TestMemory = Memory.TestCase
