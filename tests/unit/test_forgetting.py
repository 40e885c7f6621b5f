"""Forgetting: what goes, what stays, and that no trace of the text is left in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from py_memory import ChatAgent, MemoryStore, OfflineAssistant
from py_memory.errors import InvalidInputError, NotFoundError
from py_memory.recall import index
from tests.unit.support import run

if TYPE_CHECKING:
    from .conftest import SteppedClock

SECRET = "xylographic quizzicality"
CHINESE = "丙烯酸酯过敏"
# Prefix compression of the index hides whole words from a search for bytes, so tails are looked for too.
TRACES = ("xylographic", "lographic", "quizzicality", "uizzical", "丙烯酸酯", "丙烯", "烯酸", "酯过")
# The index stores stems, each without the beginning that it shares with the one before: this is left.
TAILS_IN_INDEX = ("lograph", "uizzic", "烯", "敏")


def vocabulary(store: MemoryStore) -> set[str]:
    """Every term that the search index still holds, deleted ones included."""
    with store.database.transaction():
        store.database.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary "
            "USING fts5vocab('main', 'message_search', 'row')"
        )
    return {row["term"] for row in store.database.query("SELECT term FROM vocabulary")}


def traces_in(path: Path) -> list[str]:
    image = path.read_bytes()
    return [trace for trace in (*TRACES, *TAILS_IN_INDEX) if trace.encode() in image]


def tails_in_index(store: MemoryStore) -> list[str]:
    """fts5vocab passes over deleted terms whose bytes are still there, so the blocks are searched."""
    blocks = b"".join(row["block"] for row in store.database.query("SELECT block FROM message_search_data"))
    return [tail for tail in TAILS_IN_INDEX if tail.encode() in blocks]


def index_is_sound(store: MemoryStore) -> bool:
    with store.database.transaction():
        return index.is_sound(store.database)


def tell_everywhere(store: MemoryStore) -> None:
    """The secret in every table that can hold a text of the user."""
    session = store.create_session(f"About {SECRET}", metadata={"topic": SECRET})
    store.add_message(session.id, "user", "Something harmless before")
    said = store.add_message(session.id, "user", f"I love {SECRET}; {CHINESE}", metadata={"draft": SECRET})
    reply = store.add_message(session.id, "assistant", "Harmless once it is edited")
    store.edit_message(reply.id, "Harmless now")
    quoting = store.add_message(session.id, "assistant", f"You said {SECRET} and {CHINESE}")
    store.edit_message(quoting.id, "An edited answer: its older version says it")
    fact = store.set_fact("user::likes", SECRET, source_message_id=said.id, quote=f"I love {SECRET}")
    store.set_fact("user::allergy", CHINESE)
    store.set_fact("user::home", "Lyon", quote=f"{SECRET} in Lyon")
    store.set_fact("task::buy-xylographic-quizzicality", "buy it")
    store.propose_fact("user::likes", f"{SECRET} too")
    store.record_uses(reply.id, [("facts", fact.id, SECRET)])
    store.record_uses(reply.id, [("facts", "another", SECRET)])
    call = store.add_tool_call(session.id, "search", {"q": SECRET})
    store.update_tool_call(call.id, "failed", error=f"nothing about {CHINESE}")
    escaped = json.dumps({"goal": CHINESE, SECRET: 1})  # as another program would write it
    with store.database.transaction():
        for table, columns, values in (
            ("summaries", "session_id, level, content", (session.id, 1, f"On {SECRET}")),
            ("snapshots", "session_id, format, state_json, reason", (session.id, 1, escaped, "pause")),
            ("experiences", "topic, content", ("woodcut", f"{SECRET} works")),
        ):
            marks = ", ".join("?" for _ in values)
            store.database.execute(
                f"INSERT INTO {table} (id, user_id, created_at, {columns}) VALUES (?, ?, 1, {marks})",
                (f"{table} row", store.user_id, *values),
            )


@pytest.fixture
def file_store(tmp_path: Path, clock: SteppedClock) -> MemoryStore:
    return MemoryStore(tmp_path / "memory.db", clock=clock)


def test_no_trace_of_a_forgotten_text(file_store: MemoryStore, tmp_path: Path) -> None:
    store = file_store
    tell_everywhere(store)
    store.database.image_to(tmp_path / "before.db")
    assert traces_in(tmp_path / "before.db")
    assert {"xylograph", "丙烯"} <= vocabulary(store)
    assert tails_in_index(store) == list(TAILS_IN_INDEX)
    store.forget(text="XYLOGRAPHIC quizzicality")
    store.forget(text=CHINESE)
    for table, columns in (
        ("message_versions", "content"),
        ("messages", "metadata_json"),
        ("facts", "key || value || ifnull(quote, '')"),
        ("sessions", "ifnull(title, '') || metadata_json"),
        ("tool_calls", "input_json || ifnull(error_message, '')"),
        ("uses", "reason_json"),
        ("summaries", "content"),
        ("snapshots", "state_json"),
        ("experiences", "content"),
    ):
        said = "".join(row[0] for row in store.database.query(f"SELECT {columns} FROM {table}"))
        assert not [trace for trace in TRACES if trace in said], table
    assert store.recall(SECRET) == []
    assert store.search("quizzicality") == []
    left = vocabulary(store)
    assert not [term for term in left if "xylogr" in term or "quizz" in term or set(term) & set("丙烯酸酯")]
    assert tails_in_index(store) == []
    assert index_is_sound(store)
    store.database.image_to(tmp_path / "after.db")
    assert traces_in(tmp_path / "after.db") == []
    assert store.verify().ok
    store.close()
    # The live file as well: freed pages are overwritten.
    assert traces_in(tmp_path / "memory.db") == []


def test_what_says_nothing_of_it_stays(store: MemoryStore) -> None:
    tell_everywhere(store)
    store.set_fact("user::name", "Wei")
    store.forget(text=SECRET)
    assert [message.content for message in store.get_recent_messages(store.list_sessions()[0].id)] == [
        "Something harmless before",
        "Harmless now",
    ]
    assert {fact.value for fact in store.list_facts()} == {"Wei", CHINESE}
    assert store.list_sessions()[0].title is None


def test_structural_words_are_not_the_users(store: MemoryStore) -> None:
    store.set_fact("user::diet", "vegan")
    receipt = store.forget(text="diet")
    assert receipt.counts == {}
    assert len(store.list_facts()) == 1


def test_a_forgotten_fact_is_not_proposed_again(store: MemoryStore) -> None:
    session = store.create_session()
    message = store.add_message(session.id, "user", "I am vegan")
    fact = store.set_fact("user::diet", "vegan", source_message_id=message.id)
    receipt = store.forget(fact_id=fact.id)
    assert receipt.counts == {"facts": 1}
    assert "source_message" in receipt.beyond
    assert store.get_message(message.id).content == "I am vegan"
    assert store.propose_fact("user::diet", "Vegan") is None
    assert store.fact_history("user::diet") == []
    with pytest.raises(NotFoundError):
        store.forget(fact_id=fact.id)


def test_a_forgotten_message_leaves_the_rest_joined(store: MemoryStore) -> None:
    session = store.create_session()
    one, two, three = (store.add_message(session.id, "user", text) for text in ("one", "two", "three"))
    store.set_fact("user::note", "about two", source_message_id=two.id)
    receipt = store.forget(message_id=two.id)
    assert receipt.counts == {"messages": 1, "message_versions": 1, "facts": 1}
    assert [message.content for message in store.get_recent_messages(session.id)] == ["one", "three"]
    assert store.get_message(three.id).parent_id == one.id
    store.forget(message_id=three.id)
    assert store.get_session(session.id).current_message_id == one.id
    store.forget(message_id=one.id)
    assert store.get_session(session.id).current_message_id is None
    assert store.list_facts() == []
    assert index_is_sound(store)


def test_a_title_made_of_the_message_goes_with_it(store: MemoryStore) -> None:
    session = store.create_session("I love quizzicality")
    message = store.add_message(session.id, "user", "I love  quizzicality and woodcuts")
    store.forget(message_id=message.id)
    assert store.get_session(session.id).title is None
    other = store.create_session("Holidays")
    message = store.add_message(other.id, "user", "I love quizzicality")
    store.forget(message_id=message.id)
    assert store.get_session(other.id).title == "Holidays"


def test_a_title_made_of_the_message_follows_its_edits(store: MemoryStore) -> None:
    agent = ChatAgent(store, OfflineAssistant())
    session = store.create_session()
    run(agent.chat_round(session.id, f"My lover is {SECRET}  and nobody knows"))
    said = store.list_messages(session.id)[0]
    assert store.get_session(session.id).title == "My lover is xylographic quizzicality and"
    store.edit_message(said.id, "My  neighbour is kind")
    assert store.get_session(session.id).title == "My neighbour is kind"
    store.rename_session(session.id, "Neighbours")
    store.edit_message(said.id, "My neighbour is loud")
    assert store.get_session(session.id).title == "Neighbours"


def test_a_title_made_of_an_older_version_goes_with_the_message(store: MemoryStore) -> None:
    session = store.create_session()
    said = store.add_message(session.id, "user", f"My lover is {SECRET}")
    store.edit_message(said.id, "Nothing")
    store.rename_session(session.id, f"My lover is {SECRET}")
    store.forget(message_id=said.id)
    assert store.get_session(session.id).title is None


def test_facts_outlive_their_session_unless_asked(store: MemoryStore) -> None:
    for forget_facts, left in ((False, ["vegan"]), (True, [])):
        session = store.create_session()
        message = store.add_message(session.id, "user", "I am vegan")
        store.set_fact("user::diet", "vegan", source_message_id=message.id)
        store.propose_fact("user::home", "Lyon", source_message_id=message.id)
        for fact in store.list_facts():
            store.forget(fact_id=fact.id)
        store.set_fact("user::diet", "vegan", source_message_id=message.id)
        receipt = store.delete_session(session.id, forget_facts=forget_facts)
        assert (
            receipt.counts["sessions"]
            == receipt.counts["messages"]
            == receipt.counts["message_versions"]
            == 1
        )
        assert [fact.value for fact in store.list_facts()] == left
        assert store.list_facts(status="candidate") == []
        with pytest.raises(NotFoundError):
            store.delete_session(session.id)
    assert store.propose_fact("user::home", "Lyon") is None  # forgotten with its session


def test_tombstones_hold_ids_alone_and_no_salt_is_left(store: MemoryStore) -> None:
    tell_everywhere(store)
    session = store.list_sessions()[0].id
    gone = {row["id"] for row in store.database.query("SELECT id FROM messages")}
    gone |= {row["id"] for row in store.database.query("SELECT id FROM tool_calls")} | {session}
    store.delete_session(session, forget_facts=True)
    rows = store.database.query("SELECT * FROM tombstones")
    assert gone <= {row["id"] for row in rows}
    assert rows[0].keys() == ["user_id", "kind", "id", "created_at"]
    salted = {row["subject_id"] for row in store.database.query("SELECT subject_id FROM event_salts")}
    # The event that says a session was forgotten is about its id, and covers no content.
    assert salted & gone <= {session}
    assert store.verify().ok


def test_a_contact_goes_with_its_fact(store: MemoryStore) -> None:
    phone = store.set_fact("user::contact::phone", "+33 6 12 34 56 78")
    store.set_fact("user::contact::email", "wei@example.org")
    store.forget(fact_id=phone.id)
    assert store.database.query("SELECT * FROM identities") == []
    store.set_fact("user::contact::email", "chen@example.org")
    store.forget(text="chen@example.org")
    assert store.database.query("SELECT * FROM identities") == []


def test_cleanup_counts_first_and_deletes_what_it_counted(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session()
    old = store.add_message(session.id, "user", "an old one")
    answer = store.add_message(session.id, "assistant", "an old answer")
    store.add_tool_call(session.id, "search", {}, message_id=answer.id)
    store.record_uses(answer.id, [("messages", old.id, "old")])
    fact = store.set_fact("user::diet", "vegan", source_message_id=old.id)
    clock.advance(days=30)
    new = store.add_message(session.id, "user", "a new one")
    assert store.cleanup_old_messages(30).counts == {"messages": 0}  # exactly 30 days is not older
    assert store.cleanup_old_messages(30, delete=True).counts == {"messages": 0}
    clock.advance(1)
    preview = store.cleanup_old_messages(30)
    assert preview.counts == {"messages": 2, "message_versions": 2, "tool_calls": 1, "uses": 1}
    assert len(store.list_messages(session.id)) == 3
    receipt = store.cleanup_old_messages(30, delete=True)
    assert receipt.counts == preview.counts
    assert [message.id for message in store.list_messages(session.id)] == [new.id]
    assert store.get_message(new.id).parent_id is None
    (kept,) = store.list_facts()
    assert kept == fact
    assert kept.source_message_id == old.id  # as an id and a quote
    assert store.health() == []
    with pytest.raises(InvalidInputError):
        store.cleanup_old_messages(0)


def test_a_cleanup_is_taken_back_whole(store: MemoryStore, clock: SteppedClock) -> None:
    tell_everywhere(store)
    clock.advance(days=31)
    before = [store.list_messages(session.id) for session in store.list_sessions()]
    facts = store.list_facts(status=None)
    receipt = store.cleanup_old_messages(30, delete=True)
    assert receipt.counts["messages"] > 0
    assert store.list_facts(status=None) == facts
    store.undo(receipt.operation_id)
    assert [store.list_messages(session.id) for session in store.list_sessions()] == before
    assert store.search(SECRET)


def test_a_cleanup_leaves_the_sessions_system_message(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    system = store.add_message(session, "system", "Be brief.")
    store.add_message(session, "user", "an old one")
    clock.advance(days=31)
    assert store.cleanup_old_messages(30).counts["messages"] == 1
    store.cleanup_old_messages(30, delete=True)
    assert store.list_messages(session) == [system]


def test_cleaning_is_offered_once_a_month_to_a_large_memory(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    store.add_message(session, "user", "an old one")
    size = store.stats()["bytes"]
    assert store.cleanup_due(past_bytes=size - 1) is None  # nothing is old yet
    clock.advance(days=31)
    assert store.cleanup_due() is None  # far from 50 MB
    due = store.cleanup_due(past_bytes=size - 1)
    assert due is not None
    assert due.counts["messages"] == 1
    assert store.cleanup_due(past_bytes=size - 1) == due  # asking is no offer
    store.cleanup_offered()
    clock.advance(days=29)
    assert store.cleanup_due(past_bytes=size - 1) is None
    clock.advance(days=1)
    assert store.cleanup_due(past_bytes=size - 1) == due
    store.cleanup_old_messages(30, delete=True)
    store.add_message(session, "user", "another")
    clock.advance(days=29)
    assert store.cleanup_due(days=1, past_bytes=size - 1) is None
    clock.advance(days=1)
    assert store.cleanup_due(days=1, past_bytes=size - 1) is not None


def test_summaries_stay_after_a_cleanup(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session()
    store.add_message(session.id, "user", "an old one")
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO summaries (id, user_id, created_at, session_id, level, content) "
            "VALUES ('s', ?, 1, ?, 1, 'x')",
            (store.user_id, session.id),
        )
    clock.advance(days=31)
    store.cleanup_old_messages(30, delete=True)
    assert store.stats()["summaries"] == 1


@pytest.mark.parametrize("named", [{}, {"fact_id": "a", "text": "b"}, {"text": "  "}])
def test_exactly_one_thing_is_named(store: MemoryStore, named: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError):
        store.forget(**named)


def test_another_users_memory_is_out_of_reach(store: MemoryStore) -> None:
    other = MemoryStore(store.database.connection, user_id="other")
    session = other.create_session(SECRET)
    message = other.add_message(session.id, "user", SECRET)
    fact = other.set_fact("user::likes", SECRET)
    for named in ({"fact_id": fact.id}, {"message_id": message.id}, {"session_id": session.id}):
        with pytest.raises(NotFoundError):
            store.forget(**named)
    assert store.forget(text=SECRET).counts == {}
    assert other.get_message(message.id).content == SECRET
    assert other.get_session(session.id).title == SECRET


def test_forgetting_is_one_transaction(store: MemoryStore) -> None:
    tell_everywhere(store)
    changes = store.stats()
    with store.database.transaction():
        store.database.execute(
            "CREATE TEMP TRIGGER planted BEFORE DELETE ON main.messages BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    with pytest.raises(Exception, match="no"):
        store.forget(text=SECRET)
    assert {**store.stats(), "bytes": 0} == {**changes, "bytes": 0}
    assert index_is_sound(store)


@pytest.mark.parametrize("named", ["message_id", "session_id", "text", "cleanup", "import"])
def test_every_way_of_forgetting_leaves_nothing_in_the_index(
    store: MemoryStore, clock: SteppedClock, tmp_path: Path, named: str
) -> None:
    kept = store.create_session()
    clock.advance(days=1)
    session = store.create_session()
    message = store.add_message(session.id, "user", f"{SECRET} {CHINESE}")
    store.export_to(tmp_path / "with.db")
    copy = MemoryStore(":memory:", clock=clock)
    copy.import_file(tmp_path / "with.db")
    assert tails_in_index(store) == tails_in_index(copy) == list(TAILS_IN_INDEX)
    if named == "message_id":
        store.forget(message_id=message.id)
    elif named == "session_id":
        store.forget(session_id=session.id)
    elif named == "text":
        store.forget(text="quizzicality")
    elif named == "cleanup":
        clock.advance(days=31)
        store.cleanup_old_messages(30, delete=True)
    else:  # forgotten in another copy
        store.forget(message_id=message.id)
        store.export_to(tmp_path / "without.db")
        copy.import_file(tmp_path / "without.db")
        assert tails_in_index(copy) == []
    assert tails_in_index(store) == []
    assert store.get_session(kept.id).id == kept.id
    copy.close()


def test_another_branch_is_shown_where_nothing_stays_before_what_went(
    store: MemoryStore, clock: SteppedClock
) -> None:
    session = store.create_session().id
    root = store.add_message(session, "user", "first").id
    clock.advance(1000)
    left = store.add_message(session, "user", "left", parent_id=root).id
    clock.advance(1000)
    right = store.add_message(session, "user", "right", parent_id=root).id
    store.forget(message_id=right)
    gone = store.forget(message_id=root)
    assert store.get_session(session).current_message_id == left
    assert [message.id for message in store.get_recent_messages(session)] == [left]
    store.undo(gone.operation_id)
    assert store.get_session(session).current_message_id == root


def test_what_was_forgotten_is_listed_by_moment_and_number(store: MemoryStore, clock: SteppedClock) -> None:
    assert store.list_forgotten() == []
    session = store.create_session().id
    store.add_message(session, "user", "one")
    store.add_message(session, "user", "two")
    fact = store.set_fact("user::likes", "tea")
    store.forget(fact_id=fact.id)
    clock.advance(hours=1)
    store.forget(session_id=session)
    newest, first = store.list_forgotten()
    assert (newest.forgotten_at, first.forgotten_at) == (clock(), clock() - 3_600_000)
    assert dict(first.counts) == {"facts": 1}
    assert (newest.counts["sessions"], newest.counts["messages"]) == (1, 2)
    assert store.list_forgotten(limit=1) == [newest]


# -- looking before and after --


def test_a_look_at_what_would_go_changes_nothing(store: MemoryStore) -> None:
    session = store.create_session()
    said = store.add_message(session.id, "user", "I adore xylophones")
    fact = store.set_fact("user::likes", "xylophones", source_message_id=said.id, quote="adore xylophones")
    answer = store.add_message(session.id, "assistant", "Noted.")
    store.record_uses(answer.id, [("facts", fact.id, "bears on the request")])
    before = "\n".join(store.database.connection.iterdump())
    preview = store.preview_forgetting(fact_id=fact.id)
    assert "\n".join(store.database.connection.iterdump()) == before
    assert preview.undo_until == 0
    receipt = store.forget(fact_id=fact.id)
    assert (preview.counts, preview.beyond) == (receipt.counts, receipt.beyond)
    assert receipt.counts["uses"] == 1
    store.undo(receipt.operation_id)  # the trial has taken nothing of it away
    assert store.list_uses(answer.id)
    with store.action(), pytest.raises(InvalidInputError):
        store.preview_forgetting(fact_id=fact.id)


def test_what_still_holds_the_words_is_counted(store: MemoryStore) -> None:
    session = store.create_session()
    said = store.add_message(session.id, "user", "I adore Xylophones")
    fact = store.set_fact("user::likes", "xylophones", source_message_id=said.id)
    assert store.count_mentions("XYLOPHONES") == {"facts": 1, "message_versions": 1}
    store.forget(fact_id=fact.id)
    assert store.count_mentions("xylophones") == {"message_versions": 1}
    store.forget(message_id=said.id)
    assert store.count_mentions("xylophones") == {}
    with pytest.raises(InvalidInputError):
        store.count_mentions(" ")
