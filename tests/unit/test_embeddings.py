"""Vectors are a cache beside the texts: what they add, where they go, and that a broken embedder costs
nothing."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from py_memory import ChatAgent, IncognitoStore, MemoryStore, OfflineAssistant
from py_memory.embedding import MOST_AT_ONCE, RETRY_MS
from py_memory.errors import IncognitoError, InvalidInputError
from py_memory.recall import ranked
from py_memory.recall.parameters import DEFAULTS
from py_memory.recall.vectors import MAX_DIMS, pack, text_hash
from py_memory.records import Cancel, Delta, Recollection, Tool
from tests.unit.support import Grams, in_time, run

from .conftest import SteppedClock

FILLER = "the weather was fine and nothing else happened on number {}"
TOLD = "We booked the Portuguese restaurant downstairs"
MISSPELT = "protuguese resturant"


class Broken(Grams):
    """Answers as `answer` does: with vectors, by raising, or with something else altogether."""

    def __init__(self, answer: Any) -> None:
        super().__init__("broken")
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        vectors = super().embed(texts)
        return self.answer(vectors)


class Awaited:
    name = "grams"

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner or Grams()

    async def embed(self, texts: Sequence[str]) -> Any:
        answer = self.inner.embed(texts)
        return await answer if isinstance(answer, Awaitable) else answer


@pytest.fixture
def told(store: MemoryStore) -> MemoryStore:
    session = store.create_session().id
    store.add_message(session, "user", TOLD)
    other = store.create_session().id
    for number in range(60):
        store.add_message(other, "user", FILLER.format(number))
    return store


def rest(store: MemoryStore) -> None:
    for _ in range(300):
        if not store.idle_work(50):
            return
    pytest.fail("there is always more to do")


def rows(store: MemoryStore) -> list[dict[str, Any]]:
    found = store.database.query(
        "SELECT memory_id, model, dims, text_hash, vector, user_id, memory_kind FROM embeddings "
        "ORDER BY model, memory_id"
    )
    return [dict(row) for row in found]


def texts(found: list[Recollection]) -> list[str]:
    return [item.text for item in found]


def raises(error: BaseException) -> Any:
    def answer(vectors: Any) -> Any:
        raise error

    return answer


# -- what they add --


def test_other_words_are_found(told: MemoryStore) -> None:
    assert TOLD not in texts(told.recall(MISSPELT))
    told.connect_embedder(Grams())
    rest(told)
    found = told.recall(MISSPELT)
    assert found[0].text == TOLD
    assert found[0].reason["near"] > 0.5
    assert found[0].score > 0.5
    told.connect_embedder(None)
    assert TOLD not in texts(told.recall(MISSPELT))


def test_words_still_count_most(told: MemoryStore) -> None:
    told.connect_embedder(Grams())
    rest(told)
    assert told.recall("restaurant")[0].text == TOLD
    assert told.recall("") == []


def test_within_a_session(told: MemoryStore) -> None:
    told.connect_embedder(Grams())
    rest(told)
    (here,) = [s.id for s in told.list_sessions() if len(told.list_messages(s.id)) == 1]
    elsewhere = next(s.id for s in told.list_sessions() if s.id != here)
    assert texts(told.recall(MISSPELT, session_id=here)) == [TOLD]
    assert TOLD not in texts(told.recall(MISSPELT, session_id=elsewhere))


def test_large_memories_look_only_at_what_words_find(
    told: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.connect_embedder(Grams())
    rest(told)
    meanings = told._embedding.meanings([MISSPELT, "Portuguese"])
    small = replace(DEFAULTS, vector_scan=10)

    def recalled(query: str) -> list[Recollection]:
        return ranked.recall(
            told.database, told.user_id, None, [query], now=told.clock(), parameters=small, meanings=meanings
        )

    assert recalled(MISSPELT) == []
    assert recalled("Portuguese")[0].text == TOLD


def test_words_decide_whether_a_model_is_reminded(told: MemoryStore) -> None:
    told.connect_embedder(Grams())
    rest(told)
    assert TOLD in texts(told.recall(MISSPELT))
    meanings = told._embedding.meanings([MISSPELT])
    for parameters in (DEFAULTS, replace(DEFAULTS, vector=50.0)):
        found = ranked.recall_actively(
            told.database, told.user_id, None, MISSPELT,
            now=told.clock(), limit=5, parameters=parameters, meanings=meanings,
        )  # fmt: skip
        assert found == []
    assert texts(told.active_recall("Portuguese restaurant downstairs")) == [TOLD]


# -- how they are kept --


def test_a_vector_is_labelled(told: MemoryStore) -> None:
    told.connect_embedder(Grams(dims=20))
    rest(told)
    kept = rows(told)
    assert len(kept) == 61
    (row,) = [row for row in kept if row["text_hash"] == text_hash(TOLD)]
    assert (row["model"], row["dims"], row["memory_kind"]) == ("grams", 20, "messages")
    assert row["user_id"] == told.user_id
    assert row["vector"] == pack(Grams(dims=20).vector(TOLD))
    assert len(row["vector"]) == 3 + 20
    state = told.embedder_state()
    assert state is not None
    assert (state.embedded, state.done, state.dims, state.problem) == (61, True, 20, None)


def test_directions_survive_packing() -> None:
    assert pack([1.0, -1.0, 0.0]) == bytes([0b100, 127, 129, 0])
    assert pack([1e300, -1e300, 0]) == pack([1e-300, -1e-300, 0.0])
    assert pack([0.0] * 9) == bytes(11)
    assert len(pack([1.0] * MAX_DIMS)) == MAX_DIMS // 8 + MAX_DIMS
    for wrong in (
        [],
        [math.nan],
        [math.inf, 1],
        ["a"],
        "123",
        b"12",
        7,
        None,
        [1.0] * (MAX_DIMS + 1),
        [None],
    ):
        with pytest.raises(ValueError, match=r"a vector|convert"):
            pack(wrong)


def test_models_are_never_mixed(told: MemoryStore, clock: SteppedClock) -> None:
    told.connect_embedder(Grams("first"))
    rest(told)
    second = Grams("second")
    told.connect_embedder(second)
    assert TOLD not in texts(told.recall(MISSPELT))  # only vectors of the other model are there
    rest(told)
    assert {row["model"] for row in rows(told)} == {"second"}  # those of the other have gone
    assert told.recall(MISSPELT)[0].text == TOLD


def test_lengths_are_never_mixed(told: MemoryStore) -> None:
    told.connect_embedder(Grams(dims=300))
    rest(told)
    told.connect_embedder(Grams(dims=200))
    assert TOLD not in texts(told.recall(MISSPELT))
    rest(told)
    assert {row["dims"] for row in rows(told)} == {200}
    assert told.recall(MISSPELT)[0].text == TOLD


def test_a_vector_of_another_text_counts_for_nothing(told: MemoryStore) -> None:
    told.connect_embedder(Grams())
    rest(told)
    with told.database.transaction():
        told.database.execute("UPDATE embeddings SET text_hash = 'of something else'")
    assert TOLD not in texts(told.recall(MISSPELT))
    told.connect_embedder(Grams())
    rest(told)
    assert told.recall(MISSPELT)[0].text == TOLD


def test_a_vector_that_is_damaged_counts_for_nothing(told: MemoryStore) -> None:
    told.connect_embedder(Grams())
    rest(told)
    with told.database.transaction():
        told.database.execute("UPDATE embeddings SET vector = x'00ff'")
    assert TOLD not in texts(told.recall(MISSPELT))


def test_steps_are_bounded_and_no_transaction_is_open(told: MemoryStore) -> None:
    open_when_asked = []

    class Watching(Grams):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            open_when_asked.append(told.database.in_transaction)
            return super().embed(texts)

    embedder = Watching()
    told.connect_embedder(embedder)
    assert told.idle_work(0) is True
    assert len(embedder.batches) <= 1
    rest(told)
    assert max(map(len, embedder.batches)) <= MOST_AT_ONCE
    assert len(embedder.texts) == 61
    assert not any(open_when_asked)
    asked = len(embedder.batches)
    rest(told)
    assert len(embedder.batches) == asked  # nothing is embedded twice


def test_the_newest_come_first(told: MemoryStore) -> None:
    embedder = Grams()
    told.connect_embedder(embedder)
    told.add_message(told.create_session().id, "user", "said just now")
    told.idle_work(0)
    assert embedder.batches[0] == ["said just now"]


def test_only_what_can_be_recalled(store: MemoryStore) -> None:
    session = store.create_session().id
    store.add_message(session, "system", "You are an assistant")
    streaming = store.add_message(session, "assistant", "so far", status="streaming").id
    embedder = Grams()
    store.connect_embedder(embedder)
    rest(store)
    assert embedder.texts == set()
    store.set_message_status(streaming, "complete", "so far and no further")
    rest(store)
    assert embedder.texts == {"so far and no further"}
    assert len(rows(store)) == 1
    store.set_message_status(streaming, "failed")
    assert rows(store) == []


def test_secrets_are_not_shown(store: MemoryStore) -> None:
    session = store.create_session().id
    store.add_message(session, "user", "My password is hunter2-and-more")
    store.add_message(session, "user", "Nothing to hide here")
    embedder = Grams()
    store.connect_embedder(embedder)
    rest(store)
    store.recall("is my password: hunter2-and-more?")
    run(store.prepare_recall("my password is hunter3-and-more"))
    assert embedder.texts == {"Nothing to hide here"}


def test_of_a_long_text_the_beginning(store: MemoryStore) -> None:
    session = store.create_session().id
    long = store.add_message(session, "user", "long " * 20_000).id
    embedder = Grams()
    store.connect_embedder(embedder)
    rest(store)
    store.recall("what " * 3_000)
    assert {len(text) for text in embedder.texts} == {2_000}
    assert [row["memory_id"] for row in rows(store)] == [long]


# -- where they go --


def test_an_edit_takes_them(told: MemoryStore) -> None:
    told.connect_embedder(Grams("of long ago"))
    rest(told)
    told.connect_embedder(None)
    (id,) = [item.id for item in told.recall("Portuguese")]
    told.edit_message(id, "We cancelled it")
    assert text_hash(TOLD) not in {row["text_hash"] for row in rows(told)}
    told.connect_embedder(Grams())
    rest(told)
    told.edit_message(id, "We booked it again")
    rest(told)
    assert [row["text_hash"] for row in rows(told) if row["memory_id"] == id] == [
        text_hash("We booked it again")
    ]


@pytest.mark.parametrize("how", ["message", "text", "session", "cleanup"])
def test_forgetting_takes_and_counts_them(told: MemoryStore, clock: SteppedClock, how: str) -> None:
    told.connect_embedder(Grams())
    rest(told)
    before = rows(told)
    (item,) = told.recall("Portuguese", limit=1)
    gone = 61 if how == "cleanup" else 1
    if how == "cleanup":
        clock.advance(days=40)
    receipt = {
        "message": lambda: told.forget(message_id=item.id),
        "text": lambda: told.forget(text="PORTUGUESE"),
        "session": lambda: told.delete_session(str(item.session_id)),
        "cleanup": lambda: told.cleanup_old_messages(30, delete=True),
    }[how]()
    assert receipt.counts["embeddings"] == gone
    assert len(rows(told)) == 61 - gone
    assert text_hash(TOLD) not in {row["text_hash"] for row in rows(told)}
    told.undo(receipt.operation_id)
    assert rows(told) == before
    rest(told)
    assert rows(told) == before


def test_a_number_used_again_is_embedded(store: MemoryStore) -> None:
    store.connect_embedder(Grams())
    session = store.create_session().id
    store.add_message(session, "user", "one")
    last = store.add_message(session, "user", "two").id
    rest(store)
    store.forget(message_id=last)
    store.add_message(session, "user", "three")
    rest(store)
    assert {row["text_hash"] for row in rows(store)} == {text_hash("one"), text_hash("three")}


def test_what_is_forgotten_while_the_embedder_thinks(told: MemoryStore) -> None:
    class Slow(Grams):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            for text in texts:
                with suppress(Exception):
                    told.forget(text=text)
            return super().embed(texts)

    told.connect_embedder(Slow())
    rest(told)
    assert rows(told) == []


def test_what_is_edited_while_the_embedder_thinks(told: MemoryStore) -> None:
    (item,) = told.recall("Portuguese", limit=1)

    class Slow(Grams):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            assert text_hash(TOLD) not in {row["text_hash"] for row in rows(told)}
            if TOLD in texts:
                told.edit_message(item.id, TOLD + " but cancelled")
            return super().embed(texts)

    told.connect_embedder(Slow())
    rest(told)
    (row,) = [row for row in rows(told) if row["memory_id"] == item.id]
    assert told.health() == []
    assert row["text_hash"] == text_hash(TOLD + " but cancelled")
    assert row["vector"] == pack(Grams().vector(TOLD + " but cancelled"))


def test_an_exported_file_has_them_and_an_import_does_not_take_them(
    told: MemoryStore, tmp_path: Path, clock: SteppedClock
) -> None:
    told.connect_embedder(Grams())
    rest(told)
    told.export_to(tmp_path / "memory.db")
    again = MemoryStore(tmp_path / "memory.db", clock=clock)
    assert rows(again) == rows(told)
    again.close()
    other = MemoryStore(":memory:", clock=clock)
    embedder = Grams()
    other.connect_embedder(embedder)
    other.import_file(tmp_path / "memory.db")
    assert rows(other) == []
    rest(other)
    assert [row["vector"] for row in rows(other)] == [row["vector"] for row in rows(told)]
    other.import_file(tmp_path / "memory.db", mode="replace")
    assert rows(other) == []
    other.close()


def test_owners_are_kept_apart(told: MemoryStore, clock: SteppedClock) -> None:
    other = MemoryStore(told.database.connection, user_id="other", clock=clock)
    other.add_message(other.create_session().id, "user", "theirs alone")
    embedder = Grams()
    told.connect_embedder(embedder)
    rest(told)
    assert "theirs alone" not in embedder.texts
    other.connect_embedder(Grams())
    rest(other)
    assert {row["user_id"] for row in rows(told)} == {told.user_id, "other"}
    assert TOLD not in texts(other.recall(MISSPELT))
    told.connect_embedder(Grams("new"))
    rest(told)
    assert {row["model"] for row in rows(told) if row["user_id"] == "other"} == {"grams"}


def test_an_incognito_chat_has_none(told: MemoryStore) -> None:
    embedder = Grams()
    told.connect_embedder(embedder)
    rest(told)
    chat = IncognitoStore(told)
    with pytest.raises(IncognitoError):
        chat.connect_embedder(embedder)
    chat.add_message(chat.create_session().id, "user", "between us")
    chat.idle_work(1000)
    chat.recall("between us")
    assert "between us" not in embedder.texts
    chat.close()


# -- a broken embedder --

BREAKS = {
    "failed": raises(RuntimeError("no such model")),
    "late": raises(TimeoutError()),
    "cancelled": raises(asyncio.CancelledError()),
    "wrong_count": lambda vectors: vectors[:-1],
    "wrong_length": lambda vectors: [vector[: 9 + at] for at, vector in enumerate([*vectors])],
    "not_a_vector": lambda vectors: [[math.nan, *vector[1:]] for vector in vectors],
}
ODD = {
    "nothing": lambda vectors: None,
    "a number": lambda vectors: 7,
    "text": lambda vectors: "vectors",
    "endless": lambda vectors: iter(lambda: vectors[0], None),
    "too many": lambda vectors: [*vectors, *vectors],
    "empty": lambda vectors: [[] for _ in vectors],
    "nested": lambda vectors: [[vector] for vector in vectors],
    "huge": lambda vectors: [[10**400] * 3 for _ in vectors],
    "infinite": lambda vectors: [[math.inf, 1.0] for _ in vectors],
    "words": lambda vectors: [["a", "b"] for _ in vectors],
    "an error that cannot be shown": raises(type("Mute", (Exception,), {"__repr__": lambda self: 1 / 0})()),
}


@pytest.mark.parametrize("how", [*BREAKS, *ODD])
def test_a_broken_embedder_costs_nothing(told: MemoryStore, clock: SteppedClock, how: str) -> None:
    queries = [MISSPELT, "restaurant", "the weather on number 7"]
    expected = [texts(told.recall(query)) for query in queries]
    embedder = Broken(BREAKS.get(how) or ODD[how])
    told.connect_embedder(embedder)
    for _ in range(8):
        rest(told)
        assert [texts(told.recall(query)) for query in queries] == expected
        clock.advance(RETRY_MS)
    told.recall(["one question", "and another"])
    state = told.embedder_state()
    assert state is not None
    assert (state.problem == how) if how in BREAKS else state.problem in BREAKS
    assert [finding.kind for finding in told.health()] == ["embedder"]
    assert state.embedded == 0 or how == "wrong_length"
    embedder.answer = lambda vectors: vectors
    clock.advance(RETRY_MS)
    told.connect_embedder(embedder)
    rest(told)
    assert len(rows(told)) == 61
    assert {row["dims"] for row in rows(told)} == {256}
    assert told.recall(MISSPELT)[0].text == TOLD
    assert told.health() == []
    assert told.database.integrity_check() == []


def test_it_is_left_alone_for_a_minute(told: MemoryStore, clock: SteppedClock) -> None:
    embedder = Grams()
    embedder.fails = True
    told.connect_embedder(embedder)
    told.recall("one")
    rest(told)
    told.recall("two")
    assert len(embedder.batches) == 1
    state = told.embedder_state()
    assert state is not None
    assert state.retry_at == clock.now + RETRY_MS
    assert "out of order" in state.detail
    embedder.fails = False
    clock.advance(RETRY_MS)
    rest(told)
    assert len(rows(told)) == 61


def test_one_text_it_fails_on_does_not_stop_the_rest(told: MemoryStore, clock: SteppedClock) -> None:
    class Picky(Grams):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if TOLD in texts:
                raise ValueError("not this one")
            return super().embed(texts)

    told.connect_embedder(Picky())
    for _ in range(10):
        rest(told)
        clock.advance(RETRY_MS)
    state = told.embedder_state()
    assert state is not None
    assert (state.embedded, state.passed_over, state.done) == (60, 1, True)


def test_what_failed_alone_is_tried_again(store: MemoryStore, clock: SteppedClock) -> None:
    store.add_message(store.create_session().id, "user", TOLD)
    embedder = Grams()
    embedder.fails = True
    store.connect_embedder(embedder)
    for _ in range(10):
        rest(store)
        clock.advance(hours=1)
    assert len(embedder.batches) == 10
    embedder.fails = False
    rest(store)
    assert len(rows(store)) == 1
    state = store.embedder_state()
    assert state is not None
    assert (state.passed_over, state.problem) == (0, None)


def test_one_vector_that_is_none_does_not_stop_the_rest(told: MemoryStore) -> None:
    class Picky(Grams):
        def vector(self, text: str) -> list[float]:
            return [math.nan] * self.dims if text == TOLD else super().vector(text)

    told.add_message(told.create_session().id, "user", "more")
    told.connect_embedder(Picky())
    told._embedding._at_once = MOST_AT_ONCE
    rest(told)
    state = told.embedder_state()
    assert state is not None
    assert (state.embedded, state.passed_over, state.done) == (61, 1, True)


@pytest.mark.parametrize("embedder", [object(), 7, type("Nameless", (), {"embed": print})()])
def test_what_is_no_embedder(store: MemoryStore, embedder: Any) -> None:
    for wrong in (
        embedder,
        *(type("E", (), {"name": name, "embed": print})() for name in ("", "a\0", "x" * 201, 3)),
    ):
        with pytest.raises(InvalidInputError):
            store.connect_embedder(wrong)
    with pytest.raises(InvalidInputError):
        store.connect_embedder(type("E", (), {"name": "e", "embed": 3})())  # type: ignore[arg-type]
    assert store.embedder_state() is None
    assert run(store.embed_waiting()) is False


# -- one that has to be awaited --


def test_one_that_is_awaited(told: MemoryStore) -> None:
    told.connect_embedder(Awaited())
    assert told.idle_work(1000) is False
    assert rows(told) == []
    while in_time(told.embed_waiting()):
        pass
    assert len(rows(told)) == 61
    assert TOLD not in texts(told.recall(MISSPELT))  # nobody could wait for the question's vector
    in_time(told.prepare_recall(MISSPELT))
    assert told.recall(MISSPELT)[0].text == TOLD


def test_one_that_turns_out_to_be_awaited(told: MemoryStore) -> None:
    class Hidden(Grams):
        def embed(self, texts: Sequence[str]) -> Any:
            return Awaited().embed(texts)

    told.connect_embedder(Hidden())
    assert told.idle_work(1000) is False
    assert told.recall("Portuguese")[0].text == TOLD
    state = told.embedder_state()
    assert state is not None
    assert (state.problem, state.passed_over) == (None, 0)
    while in_time(told.embed_waiting()):
        pass
    assert len(rows(told)) == 61


class Listens:
    """A model that says nothing worth hearing."""

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        yield Delta(text="I see.", finish_reason="stop")


def test_the_agent_asks_about_what_was_said(told: MemoryStore) -> None:
    embedder = Awaited()
    told.connect_embedder(embedder)
    session = told.create_session().id
    in_time(ChatAgent(told, Listens()).chat_round(session, "Portuguese restaurant?"))
    assert "Portuguese restaurant?" in embedder.inner.texts
    in_time(ChatAgent(told, OfflineAssistant()).chat_round(session, "What did we say about Portuguese?"))


pytest_cpython = pytest.mark.cpython  # an event loop of its own


@pytest_cpython
def test_one_that_never_answers_is_given_up(told: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn(Awaited):
        async def embed(self, texts: Sequence[str]) -> Any:
            while True:
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.2)
                    return None
                return None

    monkeypatch.setattr("py_memory.embedding.QUESTION_S", 0.02)
    told.connect_embedder(Stubborn())
    asyncio.run(told.prepare_recall("Portuguese"))
    state = told.embedder_state()
    assert state is not None
    assert state.problem == "late"
    assert told.recall("Portuguese")[0].text == TOLD


@pytest_cpython
def test_who_is_cancelled_while_waiting_loses_nothing(told: MemoryStore) -> None:
    class Hanging(Awaited):
        async def embed(self, texts: Sequence[str]) -> Any:
            await asyncio.sleep(60)

    async def cancelled() -> bool:
        task = asyncio.ensure_future(told.embed_waiting())
        await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        return task.cancelled()

    told.connect_embedder(Hanging())
    assert asyncio.run(cancelled())
    state = told.embedder_state()
    assert state is not None
    assert (state.problem, state.passed_over) == (None, 0)
    assert not told.database.in_transaction
    told.connect_embedder(Awaited())
    while asyncio.run(told.embed_waiting()):
        pass
    assert len(rows(told)) == 61


@pytest_cpython
def test_another_is_connected_meanwhile(told: MemoryStore) -> None:
    class Switching(Awaited):
        async def embed(self, texts: Sequence[str]) -> Any:
            told.connect_embedder(Grams("new"))
            return await super().embed(texts)

    told.connect_embedder(Switching())
    asyncio.run(told.embed_waiting(0))
    assert rows(told) == []
    rest(told)
    assert {row["model"] for row in rows(told)} == {"new"}
