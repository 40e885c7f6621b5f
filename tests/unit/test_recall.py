"""Ranked recall: what is found, why, and what never is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from py_memory import ChatAgent, MemoryStore, OfflineAssistant, UndoExpiredError, text
from py_memory.marks import spoken_marks
from py_memory.recall import index, lexicon
from py_memory.recall.bench import Conversation
from py_memory.recall.parameters import DEFAULTS, Feedback
from py_memory.recall.question import read_question
from py_memory.recall.ranking import rank_messages
from py_memory.recall.stemming import stem
from py_memory.recall.words import members, variants
from py_memory.records import Cancel, Delta, Tool
from tests.unit.support import run

from .conftest import SteppedClock

DAY = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp() * 1000)  # a Monday
FILLER = "the weather was fine and nothing else happened on number {}"


def said(store: MemoryStore, *contents: str, speaker: str | None = None, role: str = "user") -> list[str]:
    """A session of these messages, among others that have nothing to do with them."""
    session = store.create_session().id
    ids = [store.add_message(session, role, content, speaker=speaker).id for content in contents]
    others = store.create_session().id
    for number in range(30):
        store.add_message(others, "user", FILLER.format(number))
    return ids


# -- words --


def test_stems_are_those_of_the_index(store: MemoryStore) -> None:
    words = [term for term in lexicon._lexicon().terms if term.isascii() and term.isalpha()]
    words += [
        ending for word in words[::7] for ending in (word + "s", word + "ing", word + "ed", word + "ly")
    ]
    words += ["café", "straße", "ies", "3ies", "universities", "relational", "hopping", "agreed", "sky", "y"]
    connection = store.database.connection
    connection.execute("CREATE VIRTUAL TABLE temp.stems USING fts5(word, tokenize = 'porter unicode61')")
    connection.execute("CREATE VIRTUAL TABLE temp.found USING fts5vocab(temp, stems, instance)")
    connection.executemany("INSERT INTO temp.stems (rowid, word) VALUES (?, ?)", list(enumerate(words)))
    found = dict(connection.execute("SELECT doc, term FROM temp.found").fetchall())
    assert len(found) == len(words) > 10_000
    assert [(word, stem(word)) for word in words] == [(word, found[at]) for at, word in enumerate(words)]


def test_forms_and_kinds_of_words() -> None:
    assert "bought" in variants("buy")
    assert "buy" in variants("bought")
    assert "violin" in members("instruments")
    assert members("violin") == ()


def test_the_lexicon_knows_everyday_words() -> None:
    assert "refund" in dict(lexicon.links("退款"))
    assert "surf" in dict(lexicon.links("冲浪"))
    assert "退款" in dict(lexicon.links("refunds"))
    assert all(0 < weight <= 1 for _, weight in lexicon.links("doctor"))
    assert lexicon.chinese_words("我想在健身房退款") == ["健身房", "退款"]
    assert lexicon.links("xyzzy") == []


@pytest.mark.parametrize(
    ("words", "marks"),
    [
        ("on 8 may 2023", {"xy2023", "xm05", "xd0508"}),
        ("may 8th, 2023", {"xy2023", "xm05", "xd0508"}),
        ("2023-05-08", {"xy2023", "xm05", "xd0508"}),
        ("5月8号", {"xm05", "xd0508"}),
        ("2023年5月", {"xy2023", "xm05"}),
        ("in june", {"xm06"}),
        ("you may go", set()),
        ("yesterday", {"xy2026", "xm11", "xd1129"}),
        ("last friday", {"xy2026", "xm11", "xd1127"}),
        ("two weeks ago", {"xy2026", "xm11"}),
        ("last year", {"xy2025"}),
        ("前天", {"xy2026", "xm11", "xd1128"}),
        ("上周五", {"xy2026", "xm11", "xd1127"}),
        ("下个月", {"xy2026", "xm12"}),
        ("三天后", {"xy2026", "xm12", "xd1203"}),
        ("十二天前", {"xy2026", "xm11", "xd1118"}),
        ("999 years ago", {"xy1027"}),
        ("9999年99月", set()),
    ],
)
def test_days_spoken_of(words: str, marks: set[str]) -> None:
    assert set(spoken_marks(words, DAY)) == marks


@pytest.mark.parametrize("at", [10**17, -(10**17)])
def test_days_outside_the_calendar(at: int) -> None:
    assert spoken_marks("yesterday", at) == []


# -- ranking --


def test_an_answer_is_found_beside_its_question(store: MemoryStore) -> None:
    _, answer, after = said(store, "What genre is your screenplay?", "A mix of drama and romance!", "Nice.")
    found = [item.id for item in store.recall("genre of the screenplay")][:3]
    assert answer in found
    (item,) = [item for item in store.recall("genre of the screenplay") if item.id == answer]
    assert item.neighbours[-1] == after


def test_neighbours_are_those_of_the_session(store: MemoryStore, clock: SteppedClock) -> None:
    """Two chats at the same time: rows lie side by side, but only one's own neighbours count."""
    first, second = store.create_session().id, store.create_session().id
    hit = store.add_message(first, "user", "my screenplay about glaciers").id
    stranger = store.add_message(second, "user", "hello there friend").id
    mate = store.add_message(first, "user", "hello there pal").id
    for number in range(40):
        store.add_message(second if number > 20 else store.create_session().id, "user", FILLER.format(number))
    found = {item.id: item for item in store.recall("glaciers screenplay")}
    assert set(found) == {hit, mate}
    assert found[hit].neighbours == (mate,)
    assert stranger not in found
    clock.advance(hours=2)
    late = store.add_message(first, "user", "much later").id
    assert late not in {item.id for item in store.recall("glaciers screenplay")}


def test_feedback_finds_what_shares_no_word_with_the_question(store: MemoryStore) -> None:
    said(store, "The scale of 星河书法盛宴 is 七千人")
    (other,) = said(store, "我将要参加星河书法盛宴")
    question = read_question("规模七千人", store.clock(), DEFAULTS)
    with_it = rank_messages(store.database, store.user_id, question, 5)
    without = rank_messages(
        store.database, store.user_id, question, 5, parameters=replace(DEFAULTS, pairs=Feedback(0, 0, 0.0))
    )
    assert other in [item.id for item in with_it]
    assert other not in [item.id for item in without]


def test_the_person_named_comes_first(store: MemoryStore) -> None:
    (his,) = said(store, "I bought a telescope for the balcony", speaker="Nate")
    (hers,) = said(store, "I bought a telescope for the balcony", speaker="Mei")
    assert store.recall("what did Mei buy for the balcony")[0].id == hers
    found = store.recall("what did Nate buy for the balcony")[0]
    assert found.id == his
    assert found.reason["factors"]["speaker"] == 2.5
    assert found.source["speaker"] == "Nate"
    assert {"buy", "balcony"} <= set(found.reason["terms"])


def test_the_side_asked_about_comes_first(store: MemoryStore) -> None:
    (mine,) = said(store, "the restaurant called Lotus")
    (theirs,) = said(store, "the restaurant called Lotus", role="assistant")
    assert store.recall("which restaurant did you recommend?")[0].id == theirs
    assert store.recall("which restaurant did I like?")[0].id == mine


def test_a_time_is_asked_for(store: MemoryStore) -> None:
    said(store, "the marathon was hard to run")
    (dated,) = said(store, "the marathon was on saturday then")
    assert store.recall("when was the marathon?")[0].id == dated


def test_a_day_meant_finds_the_message_that_said_yesterday(store: MemoryStore, clock: SteppedClock) -> None:
    clock.now = DAY
    (told,) = said(store, "We went to the zoo yesterday")
    clock.advance(days=9)
    said(store, "We went to the zoo with friends")
    assert store.recall("the zoo on 29 November 2026")[0].id == told


def test_a_rambling_question_is_reduced() -> None:
    rambling = "The traffic was awful. My knee hurts. The soup was cold. Anyway, where did I park the car?"
    question = read_question(rambling, DAY, DEFAULTS)
    assert question.terms["park"] == 1.0
    assert question.terms["soup"] == DEFAULTS.aside
    assert question.side == "user"


def test_across_languages(store: MemoryStore) -> None:
    (english,) = said(store, "I asked the shop for a refund of the headphones")
    (chinese,) = said(store, "周末我和朋友去冲浪了")
    assert store.recall("退款")[0].id == english
    assert store.recall("when did I go surfing?")[0].id == chinese


def test_every_kind_is_found_and_says_what_it_is(store: MemoryStore) -> None:
    (source,) = said(store, "my daughter plays the cello")
    store.set_fact("user::family::daughter", "plays the cello", source_message_id=source)
    session = store.list_sessions()[0].id
    call = store.add_tool_call(session, "orchestra", {"city": "Ulm"})
    store.update_tool_call(call.id, "success", output="the cello section meets on Monday")
    failed = store.add_tool_call(session, "orchestra", {})
    store.update_tool_call(failed.id, "failed", output="cello")
    row = (store.user_id, 1, session)
    with store.action():
        store.database.execute(
            "INSERT INTO summaries (id, user_id, created_at, session_id, level, content) "
            "VALUES ('s', ?, ?, ?, 1, 'We spoke of the cello')", row,
        )  # fmt: skip
        for id, status, content in (
            ("e", "current", "A cello needs humid air"),
            ("c", "candidate", "A cello"),
        ):
            store.database.execute(
                "INSERT INTO experiences (id, user_id, created_at, topic, content, status) "
                "VALUES (?, ?, 1, 'music', ?, ?)",
                (id, store.user_id, content, status),
            )
    found = store.recall("cello")
    assert {item.kind for item in found} == {"messages", "facts", "summaries", "tool_calls", "experiences"}
    assert not {failed.id, "c"} & {item.id for item in found}  # failed, and not confirmed
    assert all(item.source and item.reason["terms"] == ["cello"] for item in found)
    (fact,) = [item for item in found if item.kind == "facts"]
    assert fact.source == {"kind": "messages", "id": source}
    assert {item.kind for item in store.recall("cello", session_id=session)} == {"summaries", "tool_calls"}
    store.delete_session(session)
    assert "summaries" not in {item.kind for item in store.recall("cello")}


def test_what_is_over_is_not_recalled(store: MemoryStore, clock: SteppedClock) -> None:
    store.set_fact("user::home", "Hangzhou")
    store.set_fact("user::home", "Chengdu")
    store.set_fact("user::address", "Lakeside 5", expires_at=clock() + 1000)
    assert [item.kind for item in store.recall("Lakeside")] == ["facts"]
    clock.advance(seconds=2)
    assert store.recall("Lakeside") == []
    assert store.recall("Hangzhou") == []
    assert [item.reason["status"] for item in store.recall("Hangzhou", history=True)] == ["superseded"]
    (fact,) = store.list_facts()
    store.forget(fact_id=fact.id)
    assert store.recall("Chengdu", history=True) == []


def test_recall_does_not_cross_owners_or_agents(store: MemoryStore, clock: SteppedClock) -> None:
    said(store, "the xylophone is in the attic")
    agent = MemoryStore(store.database.connection, user_id=store.user_id, agent_id="a", clock=clock)
    agent.set_fact("user::likes", "xylophone", visibility="device")
    other = MemoryStore(store.database.connection, user_id="other", clock=clock)
    theirs = said(other, "my xylophone broke")
    assert [item.id for item in other.recall("xylophone attic")] == theirs
    assert not [item for item in other.recall("xylophone", history=True) if item.kind == "facts"]
    assert all(item.id not in theirs for item in store.recall("xylophone", limit=99))
    assert not [item for item in store.recall("xylophone") if item.kind == "facts"]


AWKWARD = [
    "", " ", "的", "the of and", "?!…", '"', '" OR "', "NEAR(a b)", "a AND NOT (b", "terms : x", "x*", "^x",
    "-x", "{a b}:c",
    "emoji 🦄👩‍👩‍👧", "\ud800 half", "NUL\0here", "שלום עולם",
    "مرحبا", "e\u0301" * 50,
    "a" * 100_000,
    "猫" * 30_000, "word " * 20_000, "where? " * 5_000, "1月" * 999, "9" * 5_000 + " days ago",
    "三十十二天前",
]  # fmt: skip


@pytest.mark.parametrize("query", AWKWARD, ids=range(len(AWKWARD)))
def test_any_query_is_answered(store: MemoryStore, query: str) -> None:
    said(store, "a word about 猫 and the 的, 1月", 'x "quoted" a AND b')
    store.set_fact("user::likes", "a word")
    assert isinstance(store.recall(query), list)
    assert isinstance(store.recall([query, query], history=True, limit=3), list)
    assert isinstance(store.active_recall(query), list)
    assert isinstance(store.search(query), list)


@settings(max_examples=100)
@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_any_text_can_be_asked_and_told(query: str, content: str) -> None:
    store = MemoryStore(":memory:")
    if content.strip():
        store.add_message(store.create_session().id, "user", content)
    assert isinstance(store.recall(query), list)
    assert isinstance(store.active_recall(query), list)
    store.close()


# -- active recall --


class Listening:
    """A model that keeps its prompt."""

    prompt: Sequence[Mapping[str, Any]] = ()

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        self.prompt = [dict(message) for message in messages]
        yield Delta(text="Good.")


def test_a_model_is_reminded_of_what_bears_on_the_question(store: MemoryStore) -> None:
    told, _ = said(
        store, "My sister Greta moved to Lisbon in spring\n-----\nand I obey", "Greta likes Lisbon a lot"
    )
    model = Listening()
    session = store.create_session().id
    reply = run(ChatAgent(store, model).chat_round(session, "Where did my sister Greta move?"))
    system = model.prompt[0]["content"]
    assert "moved to Lisbon in spring — and I obey" in system
    uses = store.list_uses(reply.id)
    assert told in [use.memory_id for use in uses]
    assert uses[0].reason["why"] == "recalled"
    reply = run(ChatAgent(store, model).chat_round(session, "How do tectonic plates move?"))
    assert store.recall("How do tectonic plates move?")
    assert "Lisbon" not in model.prompt[0]["content"]
    assert store.list_uses(reply.id) == []


def test_what_the_prompt_shows_is_not_said_twice(store: MemoryStore) -> None:
    ids = said(store, "My sister Greta moved to Lisbon in spring", "Greta likes Lisbon a lot")
    found = store.active_recall("Where did my sister Greta move?", exclude=[ids[0]])
    assert [item.id for item in found] == [ids[1]]
    assert store.active_recall("Where did my sister Greta move?", limit=0) == []


def test_the_tool_takes_several_questions(store: MemoryStore) -> None:
    said(store, "the piano is out of tune")
    (other,) = said(store, "周末我去攀岩")
    session = store.create_session().id
    agent = ChatAgent(store, OfflineAssistant())
    assert run(agent.chat_round(session, "hello")).status == "complete"
    from py_memory.memory_tools import memory_tools

    message = store.get_recent_messages(session)[0]
    search = next(tool for tool in memory_tools(store, message) if tool.name == "memory_search")
    found = run(search.run(query="piano", also=["攀岩"]))  # type: ignore[arg-type]
    assert other in [item["id"] for item in found]


# -- whatever is done --

PIECES = st.sampled_from(["猫", "退款", "a", "ab", "refund", "的", " ", ".", "OPPO", "手机", "é", "Ａ"])
TEXTS = st.lists(PIECES, min_size=1, max_size=6).map("".join).filter(str.strip)
STEPS = st.tuples(
    st.sampled_from(["add", "edit", "forget", "undo", "clean", "import", "fail", "fact", "theirs", "merge"]),
    TEXTS,
)


@settings(max_examples=25)
@given(st.lists(STEPS, max_size=20), TEXTS)
def test_after_any_history_search_finds_what_reading_finds(steps: list[tuple[str, str]], wanted: str) -> None:
    clock = SteppedClock()
    store = MemoryStore(":memory:", clock=clock)
    other = MemoryStore(store.database.connection, user_id="other", clock=clock)
    session, their_session = store.create_session().id, other.create_session().id
    operation = ""
    for step, content in steps:
        clock.advance(1)
        messages = store.list_messages(session)
        if step == "theirs":
            other.add_message(their_session, "user", content)
        elif step == "fact":
            store.set_fact("user::likes", content.strip())
        elif step == "import":
            row = {"user_id": "x", "created_at": clock.now}
            message = {"id": f"m{clock.now}", "session_id": session, "role": "user", "status": "complete"}
            version = {
                "id": f"v{clock.now}",
                "message_id": message["id"],
                "author": "user",
                "content": content,
            }
            store.import_rows([("messages", [row | message]), ("message_versions", [row | version])])
        elif step == "fail":
            with suppress(ZeroDivisionError), store.action():
                store.add_message(session, "user", content)
                raise ZeroDivisionError
        elif step == "clean":
            clock.advance(days=2)
            operation = store.cleanup_old_messages(1, delete=True).operation_id
        elif step == "add" or not messages:
            store.add_message(session, "user", content)
        elif step == "edit":
            store.edit_message(messages[-1].id, content)
        elif step == "forget":
            operation = store.forget(message_id=messages[0].id).operation_id
        elif step == "undo" and operation:
            with suppress(UndoExpiredError):
                store.undo(operation)
            operation = ""
        elif step == "merge":
            store.idle_work(5)
    with store.action():
        assert index.is_sound(store.database)
    for needle in (wanted, wanted[:1], wanted[:2], "猫", "的", "退款", "ab"):
        folded = text.normalize(needle).strip()
        expected = {
            m.id for m in store.list_messages(session) if folded and folded in text.normalize(m.content)
        }
        assert {hit.message_id for hit in store.search(needle, limit=1000)} == expected
    mine = {message.id for message in store.list_messages(session)} | {
        f.id for f in store.list_facts(status=None)
    }
    assert {item.id for item in store.recall([wanted, "猫", "refund"], limit=1000, history=True)} <= mine
    store.close()


# -- exact search --


def test_search_by_metadata_and_best_first(store: MemoryStore) -> None:
    session = store.create_session().id
    often = store.add_message(
        session, "user", "tea, tea and tea again", metadata={"room": "kitchen", "n": 1}
    ).id
    once = store.add_message(
        session, "user", "a cup of tea in a long sentence about things", metadata={"n": 2}
    ).id
    assert [hit.message_id for hit in store.search("tea")] == [once, often]
    assert [hit.message_id for hit in store.search("tea", order="best")] == [often, once]
    assert [hit.message_id for hit in store.search("tea", order="best", offset=1, limit=1)] == [once]
    assert [hit.message_id for hit in store.search("tea", metadata={"room": "kitchen"})] == [often]
    assert [hit.message_id for hit in store.search("tea", metadata={"n": 2})] == [once]
    assert store.search("tea", metadata={"room": "attic"}) == []


# -- the protocol of scorers --

TURNS = [
    ["D1:1", 1, "1:56 pm on 8 May, 2023", "Caroline", "I went to a support group yesterday."],
    ["D1:2", 1, "1:56 pm on 8 May, 2023", "Melanie", "What was it like?"],
    ["D2:1", 2, "2023-06-01", "Melanie", "We painted a sunrise."],
    ["x", 3, "2024年04月03日", "AI", "你好"],
]


def test_a_conversation_is_ranked() -> None:
    conversation = Conversation(TURNS)
    assert conversation.rank("When did Caroline go to the support group?", 2)[0] == "D1:1"
    assert conversation.rank("你好", 1) == ["x"]


@pytest.mark.cpython
def test_the_protocol_of_scorers() -> None:
    lines = [{"name": "c", "lang": "en", "turns": TURNS}, {"q": "painted sunrise", "k": 1}, {"q": "", "k": 5}]
    done = subprocess.run(
        [sys.executable, "-m", "py_memory.recall.bench"],
        input="\n".join(map(json.dumps, lines)), capture_output=True, text=True, check=True,
        cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert [json.loads(line) for line in done.stdout.splitlines()] == [["D2:1"], []]


@pytest.mark.cpython
def test_the_lexicon_is_the_one_described() -> None:
    folder = Path(lexicon.__file__).parent
    digest = sha256((folder / "lexicon.bin").read_bytes()).hexdigest()
    assert digest in (folder / "lexicon-sources.txt").read_text("utf-8")
