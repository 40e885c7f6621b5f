"""Sessions: their life, their order, and what is refused."""

from __future__ import annotations

import pytest

from py_memory import ConflictError, MemoryStore, NotFoundError, TooLargeError

from .conftest import SteppedClock


def test_a_session_starts_active_and_empty(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session("  Trip\nto  Kyoto ", metadata={"device": "phone"})
    assert session == store.get_session(session.id)
    assert (session.title, session.status, session.metadata) == (
        "Trip to Kyoto",
        "active",
        {"device": "phone"},
    )
    assert (session.created_at, session.last_active_at, session.ended_at) == (clock.now, clock.now, None)
    assert session.current_message_id is None
    assert session.to_dict()["user_id"] == store.user_id


def test_the_same_id_again_is_the_same_session(store: MemoryStore) -> None:
    session = store.create_session("One")
    assert store.create_session("Two", id=session.id) == session
    assert len(store.list_sessions()) == 1


def test_titles_have_a_limit_in_characters(store: MemoryStore) -> None:
    assert store.create_session("字" * 200).title == "字" * 200
    with pytest.raises(TooLargeError):
        store.create_session("字" * 201)
    with pytest.raises(TooLargeError):
        store.rename_session(store.create_session().id, "x" * 201)
    assert len(store.list_sessions()) == 2


def test_get_or_create_takes_the_most_recently_active(store: MemoryStore, clock: SteppedClock) -> None:
    first = store.get_or_create_session()
    clock.advance(seconds=1)
    second = store.start_new_session("Second")
    assert store.get_or_create_session().id == second.id
    clock.advance(seconds=1)
    store.add_message(first.id, "user", "hello again")
    assert store.get_or_create_session().id == first.id
    store.end_session(first.id)
    assert store.get_or_create_session().id == second.id
    store.end_session(second.id)
    assert store.get_or_create_session().id not in (first.id, second.id)


def test_a_new_message_makes_an_ended_session_active(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session()
    clock.advance(seconds=5)
    ended = store.end_session(session.id)
    assert (ended.status, ended.ended_at) == ("completed", clock.now)
    clock.advance(seconds=5)
    store.add_message(session.id, "user", "one more thing")
    again = store.get_session(session.id)
    assert (again.status, again.ended_at, again.last_active_at) == ("active", None, clock.now)


@pytest.mark.parametrize("task", ["tool call", "to-do"])
@pytest.mark.parametrize("look", ["list", "get"])
def test_a_day_idle_with_an_open_task_is_abandoned(
    store: MemoryStore, clock: SteppedClock, task: str, look: str
) -> None:
    idle, quiet = store.create_session("Idle"), store.create_session("Nothing open")
    message = store.add_message(idle.id, "user", "remind me to call Mei")
    store.add_message(quiet.id, "user", "thanks")
    if task == "tool call":
        store.add_tool_call(idle.id, "refund", {"order": 7}, status="running")
    else:
        store.set_fact("task::call-mei", "call Mei", source_message_id=message.id)

    def status(id: str) -> str:
        if look == "get":
            return store.get_session(id).status
        return next(session.status for session in store.list_sessions() if session.id == id)

    clock.advance(hours=23, seconds=3599)
    assert status(idle.id) == "active"
    clock.advance(seconds=1)
    assert status(idle.id) == "abandoned"
    assert status(quiet.id) == "active"
    assert store.get_or_create_session().id in (idle.id, quiet.id)  # abandoned is not ended
    store.add_message(idle.id, "user", "I am back")
    assert status(idle.id) == "active"
    assert store.verify().ok


def test_a_task_that_is_done_leaves_the_session_active(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session()
    call = store.add_tool_call(session.id, "refund", {}, status="running")
    store.update_tool_call(call.id, "success", output={"ok": True})
    clock.advance(days=3)
    assert store.get_session(session.id).status == "active"


def test_looking_at_sessions_writes_nothing(store: MemoryStore) -> None:
    store.create_session()
    before = store.database.total_changes
    store.list_sessions()
    store.get_or_create_session()
    assert store.database.total_changes == before


def test_listing_pages_by_time_and_filters_by_title(store: MemoryStore, clock: SteppedClock) -> None:
    made = []
    for number in range(5):
        made.append(store.create_session(f"Trip {number} 旅行"))
        clock.advance(seconds=1)
    newest_first = [session.id for session in reversed(made)]
    assert [session.id for session in store.list_sessions()] == newest_first
    page = store.list_sessions(limit=2)
    rest = store.list_sessions(before=page[-1].last_active_at)
    assert [session.id for session in (*page, *rest)] == newest_first
    assert [session.title for session in store.list_sessions(query="trip 3")] == ["Trip 3 旅行"]
    assert len(store.list_sessions(query="旅行")) == 5
    assert store.list_sessions(query="%") == []


def test_renaming_and_deleting(store: MemoryStore) -> None:
    session = store.create_session("Old")
    store.add_message(session.id, "user", "to be deleted")
    assert store.rename_session(session.id, "New").title == "New"
    receipt = store.delete_session(session.id)
    assert receipt.counts["messages"] == 1
    with pytest.raises(NotFoundError):
        store.get_session(session.id)
    for operation in (store.end_session, store.delete_session, lambda id: store.rename_session(id, "x")):
        with pytest.raises(NotFoundError):
            operation(session.id)
    assert store.search("deleted") == []


def test_another_users_sessions_do_not_exist(store: MemoryStore, clock: SteppedClock) -> None:
    mine = store.create_session("Mine")
    other = MemoryStore(
        store.database.connection, user_id="0198c0de-0000-7000-8000-000000000001", clock=clock
    )
    assert other.list_sessions() == []
    for operation in (other.get_session, other.end_session, other.delete_session):
        with pytest.raises(NotFoundError):
            operation(mine.id)
    with pytest.raises(ConflictError):
        other.create_session("Theirs", id=mine.id)
    assert store.get_session(mine.id) == mine
