"""Summaries: nothing decided and nothing open is lost, nothing secret comes in, and what they quote stays
true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from py_memory import ChatAgent, InvalidInputError, MemoryStore, NotFoundError, OfflineAssistant
from py_memory.consolidation import ROUNDS
from py_memory.extraction.outcomes import quotable
from py_memory.records import Message, Summary
from tests.unit.conftest import SteppedClock
from tests.unit.support import run

CONVERSATIONS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "conversations.jsonl").read_text("utf-8").splitlines()
]


def tell(store: MemoryStore, session: str, *turns: tuple[str, str]) -> list[Message]:
    return [store.add_message(session, role, content) for role, content in turns]


def rounds(store: MemoryStore, session: str, number: int, said: str = "We chose plan {n}.") -> None:
    for n in range(number):
        tell(store, session, ("user", said.format(n=n)), ("assistant", f"Fine, {n}."))
        store.summarise_if_due(session)


def summarised(store: MemoryStore, session: str, **options: Any) -> Summary:
    summary = store.summarise(session, **options)
    assert summary is not None
    return summary


def everything(store: MemoryStore, session: str) -> str:
    return "\n".join(
        "\n".join((one.topic or "", one.content, *one.conclusions, *one.open_items))
        for one in store.list_summaries(session)
    )


@pytest.mark.parametrize("number", [49, 50, 51, 101, 120, 420])
def test_a_long_backlog_is_covered_oldest_first_until_nothing_is_left(
    store: MemoryStore, number: int
) -> None:
    session = store.create_session().id
    said = tell(store, session, *(("assistant" if n % 2 else "user", f"Word {n}.") for n in range(number)))
    covered: list[str] = []
    while waiting := store.pending_summary(session).messages:
        assert len(waiting) <= 50
        summary = summarised(store, session)
        assert (summary.first_message_id, summary.last_message_id) == (waiting[0].id, waiting[-1].id)
        assert waiting[-1].role == "assistant" or waiting[-1].id == said[-1].id
        covered += [message.id for message in waiting]
    assert covered == [message.id for message in said]
    assert store.summarise(session) is None


def test_a_backlog_is_due_whoever_spoke_last(store: MemoryStore) -> None:
    session = store.create_session().id
    tell(store, session, *(("user", f"Word {n}.") for n in range(60)))
    summary = store.summarise_if_due(session)
    assert summary is not None
    assert summary.message_count == 50
    assert store.summarise_if_due(session) is None


def test_there_are_enough_labelled_conversations() -> None:
    for language in ("en", "zh"):
        own = [one for one in CONVERSATIONS if one["lang"] == language]
        assert len(own) >= 30
        assert all(one["decisions"] or one["open"] for one in own)


@pytest.mark.parametrize("number", range(len(CONVERSATIONS)))
def test_every_decision_and_every_open_item_is_in_the_summary(store: MemoryStore, number: int) -> None:
    labelled = CONVERSATIONS[number]
    session = store.create_session().id
    said = tell(store, session, *((role, text) for role, text in labelled["turns"]))
    summary = summarised(store, session)
    for label in labelled["decisions"]:
        assert any(label in item for item in summary.conclusions), (label, summary.conclusions)
    for label in labelled["open"]:
        assert any(label in item for item in summary.open_items), (label, summary.open_items)
    for label in labelled["noise"]:
        assert not any(label in item for item in (*summary.conclusions, *summary.open_items)), label
    # Quoted, every word of it, and honest about being an extract.
    for quote in (*summary.conclusions, *summary.open_items):
        assert any(quote in message.content for message in said)
        assert quote in summary.content
    # What the rules take for neither is quoted as well, so that nothing the user states is lost.
    for message in said:
        for _, quote in quotable(message.content) if message.role == "user" else ():
            assert quote in summary.content or len(quote.split()) == 1, quote
    honest = {"en": "no model has summarised it", "zh": "未经模型概括"}[labelled["lang"]]
    assert honest in summary.content
    assert summary.topic
    assert (summary.level, summary.message_count) == (1, len(said))
    assert (summary.first_message_id, summary.last_message_id) == (said[0].id, said[-1].id)


def test_little_is_quoted_as_decided_or_open_that_is_neither(store: MemoryStore) -> None:
    quoted = wrong = 0
    for labelled in CONVERSATIONS:
        session = store.create_session().id
        tell(store, session, *((role, text) for role, text in labelled["turns"]))
        summary = summarised(store, session)
        labels = [*labelled["decisions"], *labelled["open"]]
        items = [*summary.conclusions, *summary.open_items]
        quoted += len(items)
        wrong += sum(not any(label in item for label in labels) for item in items)
    assert wrong / quoted < 0.1, (wrong, quoted)


@pytest.mark.parametrize(
    "small_talk",
    [
        "Hello there!",
        "What is the capital of Peru?",
        "It rained all night.",
        "If we took plan B, the roof would leak.",
        "> We decided on plan B.",
        "```\nlet's go with B\n```",
        "你好！",
        "秘鲁的首都是哪里？",
        "昨晚下了一夜雨。",
        "如果选 B 方案，屋顶会漏水。",
    ],
)
def test_what_is_neither_is_not_made_one(store: MemoryStore, small_talk: str) -> None:
    session = store.create_session().id
    tell(store, session, ("user", small_talk))
    summary = summarised(store, session)
    assert (summary.conclusions, summary.open_items) == ((), ())


# -- what must not come in --

SECRETS = [
    ("We decided on the password: hunter22.", "hunter22"),
    ("Let's use the key sk-live-abcdefghijklmnop1234.", "abcdefghijklmnop"),
    ("我们决定密码是 abc12345。", "abc12345"),
    ("TODO: pay with card 4111 1111 1111 1111.", "4111"),
]


@pytest.mark.parametrize(("said", "secret"), SECRETS)
def test_no_secret_enters_a_summary(store: MemoryStore, said: str, secret: str) -> None:
    session = store.create_session().id
    tell(store, session, ("user", said), ("assistant", f"Noted: {said}"), ("user", "We chose the red one."))
    summary = summarised(store, session)
    assert summary.conclusions == ("We chose the red one.",)
    assert secret not in json.dumps(summary.to_dict())
    tell(store, session, ("user", said))
    answer = {
        "topic": said[:60],
        "summary": f"They said: {said}",
        "conclusions": [{"text": said, "quote": said}],
        "open_items": [],
    }
    summary = summarised(store, session, answer=json.dumps(answer))
    assert secret not in json.dumps(summary.to_dict())


@pytest.mark.parametrize(
    "private", ["Please don't remember this: we chose Rome.", "别记下来：我们选了罗马。"]
)
def test_what_is_not_to_be_kept_stays_out(store: MemoryStore, private: str) -> None:
    session = store.create_session().id
    tell(store, session, ("user", private), ("user", "We still need tickets."))
    summary = summarised(store, session)
    assert "Rome" not in summary.content
    assert "罗马" not in summary.content
    assert summary.open_items == ("We still need tickets.",)


def test_a_message_of_a_mebibyte_makes_a_short_summary(store: MemoryStore) -> None:
    session = store.create_session().id
    tell(store, session, ("user", "We chose " + "x" * 1_000_000))
    summary = summarised(store, session)
    assert len(summary.content) < 2000


# -- when --


def test_one_is_made_after_five_rounds_and_not_before(store: MemoryStore) -> None:
    session = store.create_session().id
    rounds(store, session, ROUNDS - 1)
    assert store.list_summaries(session) == []
    assert store.pending_summary(session).due is None
    rounds(store, session, 1, "We chose the last.")
    (summary,) = store.list_summaries(session)
    assert summary.message_count == 2 * ROUNDS
    assert len(summary.conclusions) == ROUNDS
    assert store.pending_summary(session).messages == ()
    assert store.summarise(session) is None


@pytest.mark.parametrize(
    ("long", "due"), [("word " * 1801, "tokens"), ("字" * 4501, "tokens"), ("word", None)]
)
def test_one_is_due_past_three_thousand_tokens(store: MemoryStore, long: str, due: str | None) -> None:
    session = store.create_session().id
    tell(store, session, ("user", long), ("assistant", "I see."))
    assert store.pending_summary(session).due == due


@pytest.mark.parametrize("kind", ["tool_finished", "plan_step", "confirmed"])
def test_a_task_node_makes_one_due(store: MemoryStore, kind: str) -> None:
    session = store.create_session().id
    tell(store, session, ("user", "We chose oak."))
    store.task_node(session, kind)
    assert store.summarise_if_due(session) is None  # the round is not over
    tell(store, session, ("assistant", "Fine."))
    assert store.pending_summary(session).due == "task_node"
    assert store.summarise_if_due(session) is not None
    tell(store, session, ("user", "And now?"), ("assistant", "Nothing."))
    assert store.pending_summary(session).due is None


def test_a_tool_that_finished_is_a_node_and_the_memorys_own_is_not(store: MemoryStore) -> None:
    session = store.create_session().id
    tell(store, session, ("user", "Send it."), ("assistant", "Sent."))
    for name, due in (("memory_search", None), ("send_mail", "task_node")):
        call = store.add_tool_call(session, name, {}, status="running")
        assert store.pending_summary(session).due is None
        store.update_tool_call(call.id, "success", output=1)
        assert store.pending_summary(session).due == due


def test_a_step_of_the_plan_that_changed_is_a_node(store: MemoryStore) -> None:
    session = store.create_session().id
    tell(store, session, ("user", "Plan it."), ("assistant", "Planned."))
    store.save_snapshot(session, {"goal": "a trip", "scratchpad": "x"}, "test")
    assert store.pending_summary(session).due is None
    plan = [{"step": "book", "status": "active"}, {"step": "pack", "status": "pending"}]
    store.save_snapshot(session, {"goal": "a trip", "plan": plan}, "test")
    assert store.pending_summary(session).due == "task_node"
    store.summarise(session)
    tell(store, session, ("user", "Go on."), ("assistant", "Going."))
    store.save_snapshot(session, {"goal": "a trip", "plan": plan}, "test")
    assert store.pending_summary(session).due is None


def test_the_agent_makes_them_as_it_goes(store: MemoryStore) -> None:
    agent = ChatAgent(store, OfflineAssistant())
    session = store.create_session().id
    for n in range(ROUNDS):
        run(agent.chat_round(session, f"We decided to plant tree number {n}."))
    (summary,) = store.list_summaries(session)
    assert len(summary.conclusions) == ROUNDS
    run(agent.chat_round(session, "I am allergic to peanuts."))
    run(agent.chat_round(session, "yes"))
    newest = store.list_summaries(session)[-1]
    assert newest.message_count == 4  # the yes was a task node
    assert store.verify().ok


def test_it_covers_the_branch_on_screen_alone(store: MemoryStore) -> None:
    session = store.create_session().id
    first, *_ = tell(
        store, session, ("user", "We chose oak."), ("assistant", "Fine."), ("user", "We chose pine.")
    )
    summarised(store, session)
    store.add_message(session, "user", "We chose elm.", parent_id=first.id)
    assert store.list_summaries(session) == []  # pine is no longer on screen
    summary = summarised(store, session)
    assert summary.conclusions == ("We chose oak.", "We chose elm.")


# -- compressing --


def test_older_ones_are_compressed_after_twenty_rounds(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    for _ in range(25):
        clock.advance(seconds=60)
        rounds(store, session, 1, f"We chose plan {clock.now}.")
    below = store.list_summaries(session, level=1)
    (above,) = store.list_summaries(session, level=2)
    assert [one.compressed_into for one in below] == [above.id] * 4 + [None]
    assert above.message_count == 40
    assert set(above.conclusions) == {item for one in below[:4] for item in one.conclusions}
    assert (above.first_message_id, above.last_message_id) == (
        below[0].first_message_id,
        below[3].last_message_id,
    )
    assert "Put together from 4 earlier summaries" in above.content


def test_levels_grow_with_the_history_and_the_text_does_not(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    for _ in range(180):
        clock.advance(seconds=60)
        rounds(store, session, 1, f"We chose plan {clock.now} for the garden and the house behind it.")
    levels = [one.level for one in store.list_summaries(session)]
    assert levels.count(1) == 36
    assert levels.count(2) == 8
    assert levels.count(3) == 1
    assert max(len(one.content) for one in store.list_summaries(session)) < 12_000


# -- staying true --


@pytest.fixture
def told(store: MemoryStore, clock: SteppedClock) -> tuple[MemoryStore, str, list[Message]]:
    """Six summaries of five rounds, four of them compressed into one."""
    session = store.create_session().id
    said = []
    for n in range(30):
        clock.advance(seconds=60)
        said += tell(store, session, ("user", f"We chose the colour c{n}c."), ("assistant", "Fine."))
        store.summarise_if_due(session)
    assert [one.level for one in store.list_summaries(session)].count(2) == 1
    return store, session, said


def sound(store: MemoryStore, session: str) -> None:
    """Every summary is held up by what is there."""
    all_of = {one.id: one for one in store.list_summaries(session)}
    for one in all_of.values():
        assert one.compressed_into is None or all_of[one.compressed_into].level == one.level + 1
        if one.level > 1:
            assert any(child.compressed_into == one.id for child in all_of.values())
        if one.last_message_id:
            store.get_message(one.last_message_id)
    assert [finding.kind for finding in store.health() if finding.kind in ("orphans", "chain_broken")] == []


def test_an_edited_message_changes_what_quotes_it(told: tuple[MemoryStore, str, list[Message]]) -> None:
    store, session, said = told
    count = len(store.list_summaries(session))
    store.edit_message(said[4].id, "We chose no colour at all.")
    text = everything(store, session)
    assert "c2c" not in text
    assert "We chose no colour at all." in store.list_summaries(session, level=2)[0].conclusions
    assert len(store.list_summaries(session)) == count
    sound(store, session)


@pytest.mark.parametrize("place", [4, 18, 50, 58])
def test_a_forgotten_message_is_in_no_summary_and_comes_back_with_undo(
    told: tuple[MemoryStore, str, list[Message]], place: int
) -> None:
    store, session, said = told
    before = store.list_summaries(session)
    word = f"c{place // 2}c"
    assert word in everything(store, session)
    receipt = store.forget(message_id=said[place].id)
    assert word not in everything(store, session)
    assert f"c{place // 2 - 1}c" in everything(store, session)  # its neighbours stay
    sound(store, session)
    store.undo(receipt.operation_id)
    assert store.list_summaries(session) == before
    sound(store, session)


def test_forgetting_a_text_forgets_it_in_every_level(told: tuple[MemoryStore, str, list[Message]]) -> None:
    store, session, _ = told
    before = store.list_summaries(session)
    receipt = store.forget(text="c7c")
    assert "c7c" not in everything(store, session)
    assert "c8c" in everything(store, session)
    sound(store, session)
    store.undo(receipt.operation_id)
    assert store.list_summaries(session) == before


def test_a_summary_goes_with_the_last_of_its_messages(told: tuple[MemoryStore, str, list[Message]]) -> None:
    store, session, said = told
    for message in said[:10]:
        store.forget(message_id=message.id)
    assert len(store.list_summaries(session, level=1)) == 5
    sound(store, session)
    store.delete_session(session)
    assert store.stats()["summaries"] == 0


def test_a_forgotten_fact_is_not_quoted_any_more(store: MemoryStore) -> None:
    agent = ChatAgent(store, OfflineAssistant())
    session = store.create_session().id
    run(agent.chat_round(session, "Remember that I am allergic to peanuts."))
    run(agent.chat_round(session, "We chose the red carpet."))
    summarised(store, session)
    assert "peanuts" in everything(store, session)
    (fact,) = store.list_facts(prefix="user::allergy")
    receipt = store.forget(fact_id=fact.id)
    assert "peanuts" not in everything(store, session)
    assert "red carpet" in everything(store, session)
    chosen = [m for m in store.list_messages(session) if "carpet" in m.content and m.role == "user"]
    store.edit_message(chosen[0].id, "We chose the blue carpet.")
    assert "peanuts" not in everything(store, session)  # made anew, and still not
    assert receipt.counts["summaries"] == 1


def test_going_on_from_an_earlier_message_takes_what_was_left(
    told: tuple[MemoryStore, str, list[Message]],
) -> None:
    store, session, said = told
    store.add_message(session, "user", "We chose glass.", parent_id=said[43].id)
    text = everything(store, session)
    assert "c25c" not in text  # left behind
    assert "c3c" in text  # before the fork
    sound(store, session)
    assert [m.content for m in store.pending_summary(session).messages][-1] == "We chose glass."


def test_they_stay_when_old_messages_are_cleaned_away(
    told: tuple[MemoryStore, str, list[Message]], clock: SteppedClock
) -> None:
    store, session, _ = told
    before = store.list_summaries(session)
    clock.advance(days=40)
    new = store.add_message(session, "user", "We chose linen.")
    store.cleanup_old_messages(30, delete=True)
    assert store.list_summaries(session) == before
    assert [m.id for m in store.pending_summary(session).messages] == [new.id]
    store.forget(message_id=new.id)
    assert store.list_summaries(session) == before


@pytest.mark.cpython
def test_an_imported_summary_does_not_bring_back_what_was_forgotten(
    tmp_path: Path, clock: SteppedClock
) -> None:
    here, there = (MemoryStore(tmp_path / name, clock=clock) for name in ("here.db", "there.db"))
    session = here.create_session().id
    said = tell(
        here, session, ("user", "We chose Zanzibar."), ("assistant", "Fine."), ("user", "We need a map.")
    )
    here.export_to(tmp_path / "first.db")
    there.import_file(tmp_path / "first.db")
    here.forget(message_id=said[0].id)
    for _ in range(30):  # enough for a summary of summaries
        clock.advance(seconds=60)
        rounds(there, session, 1)
    assert "Zanzibar" in everything(there, session)
    assert there.list_summaries(session, level=2)
    there.export_to(tmp_path / "second.db")
    here.import_file(tmp_path / "second.db")
    assert len(here.list_summaries(session, level=1)) >= 5
    assert "Zanzibar" not in everything(here, session)
    assert "We need a map." in everything(here, session)
    sound(here, session)


@pytest.mark.cpython
def test_a_backup_of_a_cleaned_memory_keeps_its_summaries(tmp_path: Path, clock: SteppedClock) -> None:
    store = MemoryStore(":memory:", clock=clock)
    session = store.create_session().id
    rounds(store, session, 12)
    clock.advance(days=31)
    store.cleanup_old_messages(30, delete=True)
    kept = [one.content for one in store.list_summaries(session)]
    assert kept
    store.export_to(tmp_path / "backup.db")
    for mode in ("merge", "replace"):
        restored = MemoryStore(":memory:", clock=clock)
        restored.import_file(tmp_path / "backup.db", mode=mode)
        assert [one.content for one in restored.list_summaries(session)] == kept


def test_summaries_are_the_owners(store: MemoryStore) -> None:
    session = store.create_session().id
    rounds(store, session, ROUNDS)
    other = MemoryStore(store.database.connection, user_id="other")
    for call in (other.list_summaries, other.summarise, other.pending_summary):
        with pytest.raises(NotFoundError):
            call(session)


# -- a model's --


def test_a_models_summary_is_taken_where_it_quotes(store: MemoryStore) -> None:
    session = store.create_session().id
    said = tell(
        store,
        session,
        ("user", "We go to Oslo in May. `rm -rf /` is a joke."),
        ("assistant", "By train?"),
        ("user", "By train, yes. Who feeds the cat?"),
    )
    answer = {
        "topic": "A trip to Oslo",
        "summary": "They plan a trip.",
        "conclusions": [
            {"text": "To Oslo by train", "quote": "By train, yes."},
            {"text": "They bought tickets", "quote": "We bought tickets"},
            {"text": "Delete all", "quote": "rm -rf"},
        ],
        "open_items": [{"text": "Somebody must feed the cat", "quote": "Who feeds the cat?"}],
    }
    summary = summarised(store, session, answer=json.dumps(answer), last_message_id=said[2].id)
    assert summary.topic == "A trip to Oslo"
    assert summary.conclusions[:1] == ("To Oslo by train",)
    assert "They bought tickets" not in summary.conclusions
    assert summary.open_items == ("Somebody must feed the cat",)
    assert "They plan a trip." in summary.content
    assert "Summarised by a model" in summary.content


GOOD = {"topic": "x", "summary": "y", "conclusions": [], "open_items": []}


@pytest.mark.parametrize(
    "answer",
    [
        5,
        "",
        "no JSON",
        "[]",
        "{}",
        json.dumps({**GOOD, "more": 1}),
        json.dumps({**GOOD, "topic": 5}),
        json.dumps({**GOOD, "topic": "x" * 81}),
        json.dumps({**GOOD, "conclusions": "a"}),
        json.dumps({**GOOD, "conclusions": ["a"]}),
        json.dumps({**GOOD, "open_items": [{"text": "a"}]}),
        json.dumps({**GOOD, "open_items": [{"text": "a", "quote": None}]}),
        json.dumps({**GOOD, "open_items": [{"text": "a", "quote": "a"}] * 31}),
    ],
)
def test_a_models_answer_that_does_not_follow_the_schema(store: MemoryStore, answer: str) -> None:
    session = store.create_session().id
    tell(store, session, ("user", "We chose oak."))
    with pytest.raises(InvalidInputError):
        store.summarise(session, answer=answer)
    assert store.list_summaries(session) == []
    summarised(store, session)


def test_only_what_is_pending_can_be_summarised(store: MemoryStore) -> None:
    session = store.create_session().id
    (message,) = tell(store, session, ("user", "We chose oak."))
    with pytest.raises(NotFoundError):
        store.summarise(session, last_message_id="0190a0b0-0000-7000-8000-000000000001")
    assert summarised(store, session, last_message_id=message.id).message_count == 1
