"""What people decide about two versions, what a sync would send, and a no that reaches the other devices."""

from __future__ import annotations

from typing import Any

import pytest

from py_memory import MemoryStore
from py_memory.errors import InvalidInputError, NotFoundError
from py_memory.records import SyncConflict
from py_memory.sync import engine

from .conftest import SteppedClock
from .sync_support import Server, dump

Device = tuple[MemoryStore, str]


@pytest.fixture
def server(clock: SteppedClock) -> Server:
    return Server(clock)


@pytest.fixture
def devices(server: Server, clock: SteppedClock) -> list[Device]:
    """Two devices of one user that have synced."""
    user = server.user()
    made = [(MemoryStore(":memory:", clock=clock), server.token(user)) for _ in range(2)]
    rounds(server, made)
    return made


def rounds(server: Server, devices: list[Device]) -> None:
    for memory, token in (*devices, *devices):
        server.sync(memory, token)


def both_edit(
    server: Server, devices: list[Device], clock: SteppedClock, key: str = "user::diet"
) -> tuple[str, SyncConflict]:
    """A proposal that each device confirms in words of its own: (id of the fact, the conflict)."""
    (one, _), (other, _) = devices
    fact = one.propose_fact(key, "vegan", quote="I am vegan", confidence=0.8)
    assert fact is not None
    rounds(server, devices)
    one.confirm_fact(fact.id, value="vegetarian")
    clock.advance(seconds=1)
    other.confirm_fact(fact.id, value="pescatarian")
    rounds(server, devices)
    (conflict,) = one.sync_conflicts()
    assert conflict.key == key
    assert (conflict.lost["value"], conflict.kept["value"]) == ("vegetarian", "pescatarian")
    assert conflict.takes == ("kept", "lost", "both", "new")
    return fact.id, conflict


def values(memory: MemoryStore, key: str = "user::diet") -> dict[str, str]:
    return {fact.value: fact.status for fact in memory.fact_history(key)}


@pytest.mark.parametrize(
    ("key", "take", "value", "expected"),
    [
        ("user::diet", "kept", None, {"pescatarian": "current"}),
        ("user::diet", "lost", None, {"vegetarian": "current"}),
        ("user::diet", "both", None, {"pescatarian": "current", "vegetarian": "superseded"}),
        ("user::likes", "both", None, {"pescatarian": "current", "vegetarian": "current"}),
        ("user::diet", "new", "flexitarian", {"flexitarian": "current", "pescatarian": "superseded"}),
        ("user::likes", "new", "flexitarian", {"flexitarian": "current", "pescatarian": "archived"}),
    ],
)
def test_a_conflict_ends_as_was_decided_on_every_device(
    server: Server,
    devices: list[Device],
    clock: SteppedClock,
    key: str,
    take: str,
    value: str | None,
    expected: dict[str, str],
) -> None:
    _, conflict = both_edit(server, devices, clock, key)
    devices[0][0].settle_sync_conflict(conflict.id, take, value=value)
    rounds(server, devices)
    for memory, _ in devices:
        assert values(memory, key) == expected
        assert memory.sync_conflicts() == []


@pytest.mark.parametrize(
    ("key", "takes", "current", "former"),
    [
        ("user::diet", ("both", "lost"), {"vegetarian"}, {"pescatarian"}),
        ("user::diet", ("lost", "both"), {"vegetarian"}, {"pescatarian"}),
        ("user::diet", ("both", "both"), {"pescatarian"}, {"vegetarian"}),
        ("user::diet", ("both", "kept"), {"pescatarian"}, {"vegetarian"}),
        ("user::likes", ("both", "lost"), {"vegetarian", "pescatarian"}, set()),
        ("user::likes", ("both", "both"), {"vegetarian", "pescatarian"}, set()),
    ],
)
def test_both_loses_nothing_whatever_another_device_decides(
    server: Server,
    devices: list[Device],
    clock: SteppedClock,
    key: str,
    takes: tuple[str, str],
    current: set[str],
    former: set[str],
) -> None:
    _, conflict = both_edit(server, devices, clock, key)
    for (memory, _), take in zip(devices, takes, strict=True):
        memory.settle_sync_conflict(conflict.id, take)
        clock.advance(seconds=1)
    rounds(server, devices)
    for memory, _ in devices:
        said = sorted((fact.value, fact.status == "current") for fact in memory.fact_history(key))
        assert said == sorted([*((value, True) for value in current), *((value, False) for value in former)])
        assert memory.sync_conflicts() == []
    assert dump(devices[0][0]) == dump(devices[1][0])


def test_what_cannot_be_decided_changes_nothing(
    server: Server, devices: list[Device], clock: SteppedClock
) -> None:
    id, conflict = both_edit(server, devices, clock)
    (memory, _), (other, _) = devices
    wrong: list[tuple[str, str | None]] = [("new", None), ("kept", "x"), ("neither", None), ("new", " ")]
    for take, value in (*wrong, ("new", "x" * 101)):
        with pytest.raises(InvalidInputError):
            memory.settle_sync_conflict(conflict.id, take, value=value)
    with pytest.raises(NotFoundError):
        memory.settle_sync_conflict("nothing", "kept")
    assert [found.id for found in memory.sync_conflicts()] == [conflict.id]
    for device, title in ((memory, "Mine"), (other, "Yours")):
        device.rename_session(_session(device, server, devices), title)
        clock.advance(seconds=1)
    rounds(server, devices)
    (about_title,) = (found for found in memory.sync_conflicts() if found.kind == "sessions")
    assert about_title.takes == ("kept", "lost", "new")
    with pytest.raises(InvalidInputError, match="kept, lost, new"):
        memory.settle_sync_conflict(about_title.id, "both")
    memory.settle_sync_conflict(about_title.id, "new", value="Ours")
    rounds(server, devices)
    assert other.list_sessions()[0].title == "Ours"
    assert id


def _session(memory: MemoryStore, server: Server, devices: list[Device]) -> str:
    if not memory.list_sessions():
        devices[0][0].create_session("Chat")
        rounds(server, devices)
    return memory.list_sessions()[0].id


@pytest.mark.parametrize(
    ("take", "value", "expected"),
    [
        ("current", None, {"Anna": "current", "Ann": "archived"}),
        ("disputed", None, {"Anna": "superseded", "Ann": "current"}),
        ("new", "Anne", {"Anne": "current", "Anna": "superseded", "Ann": "archived"}),
    ],
)
def test_a_dispute_ends_as_was_decided(
    server: Server,
    devices: list[Device],
    clock: SteppedClock,
    take: str,
    value: str | None,
    expected: dict[str, str],
) -> None:
    (one, _), (other, _) = devices
    one.set_fact("user::name", "Ann")
    clock.advance(seconds=1)
    other.set_fact("user::name", "Anna")
    rounds(server, devices)
    (found,) = one.conflicts()
    with pytest.raises(InvalidInputError, match="one value at a time"):
        one.settle_conflict(found.fact.id, "both")
    one.settle_conflict(found.fact.id, take, value=value)
    rounds(server, devices)
    for memory, _ in devices:
        assert values(memory, "user::name") == expected
        assert memory.conflicts() == []
    with pytest.raises(InvalidInputError, match="not disputed"):
        one.settle_conflict(found.fact.id, "current")


def test_that_both_hold_is_known_on_the_other_device_too(
    server: Server, devices: list[Device], clock: SteppedClock
) -> None:
    (one, _), (other, _) = devices
    one.set_fact("user::diet", "vegetarian")
    clock.advance(seconds=1)
    one.set_fact("user::likes", "steak")
    one.consolidate()
    rounds(server, devices)
    (found,) = other.conflicts()
    one.settle_conflict(found.fact.id, "both")
    rounds(server, devices)
    for memory, _ in devices:
        memory.consolidate()
        assert memory.conflicts() == []
        assert values(memory)["vegetarian"] == "current"


def test_the_one_that_is_taken_ends_what_it_excludes(devices: list[Device], clock: SteppedClock) -> None:
    memory = devices[0][0]
    memory.set_fact("user::diet", "vegetarian")
    clock.advance(seconds=1)
    memory.set_fact("user::likes", "steak")
    memory.consolidate()
    (found,) = memory.conflicts()
    memory.settle_conflict(found.fact.id, "disputed")
    assert values(memory) == {"vegetarian": "current"}
    assert values(memory, "user::likes") == {"steak": "archived"}


# -- rejections --


@pytest.mark.parametrize("whole_kind", [False, True])
def test_a_no_on_one_device_is_a_no_on_the_other(
    server: Server, devices: list[Device], clock: SteppedClock, whole_kind: bool
) -> None:
    (one, _), (other, _) = devices
    fact = one.propose_fact("user::likes", "marzipan")
    assert fact is not None
    rounds(server, devices)
    beside = other.propose_fact("user::likes", "Marzipan")  # the same, which waits there already
    assert beside is not None
    assert beside.id == fact.id
    one.reject_fact(fact.id, never_this_kind=whole_kind)
    rounds(server, devices)
    assert other.list_facts(status="candidate") != []  # it can still be undone
    clock.advance(seconds=11)
    rounds(server, devices)
    for memory, _ in devices:
        assert waiting(memory) == 0
        assert memory.list_facts(status=None) == []
        assert memory.propose_fact("user::likes", "marzipan") is None
        assert (memory.propose_fact("user::likes", "nougat") is None) is whole_kind


def test_a_no_that_is_taken_back_stays_here(
    server: Server, devices: list[Device], clock: SteppedClock
) -> None:
    (one, _), (other, _) = devices
    fact = one.propose_fact("user::likes", "marzipan")
    assert fact is not None
    rounds(server, devices)
    one.undo(one.reject_fact(fact.id).operation_id)
    clock.advance(seconds=11)
    rounds(server, devices)
    for memory, _ in devices:
        assert [found.id for found in memory.list_facts(status="candidate")] == [fact.id]
    other.forget(fact_id=fact.id)  # what is forgotten is not proposed again either
    clock.advance(seconds=11)
    rounds(server, devices)
    assert one.propose_fact("user::likes", "marzipan") is None


def test_what_made_way_may_come_again_everywhere(
    server: Server, devices: list[Device], clock: SteppedClock
) -> None:
    (one, _), (other, _) = devices
    session = one.create_session("Chat")
    first, later = (one.add_message(session.id, "user", text) for text in ("I am 6", "I am 7"))
    one.propose_fact("user::age", "6", source_message_id=first.id)
    rounds(server, devices)
    one.propose_fact("user::age", "7", source_message_id=later.id, makes_way=True)
    clock.advance(seconds=11)
    rounds(server, devices)
    assert [fact.value for fact in other.list_facts(status="candidate")] == ["7"]
    assert other.propose_fact("user::age", "6") is not None


def waiting(memory: MemoryStore) -> int:
    status = memory.sync_status()
    return sum(status.changes.values()) + sum(status.waiting.values())


# -- a dry run --


def test_a_dry_run_tells_what_leaves_and_changes_nothing(server: Server, clock: SteppedClock) -> None:
    memory = MemoryStore(":memory:", clock=clock)
    session = memory.create_session("Chat")
    memory.add_message(session.id, "user", "Hello")
    memory.add_message(session.id, "user", "The password is: hunter2hunter2")
    memory.set_fact("user::name", "Ann")
    memory.set_fact("user::likes", "quiet", visibility="device")
    before = everything(memory)
    found = memory.preview_sync()
    assert everything(memory) == before
    assert found.first
    assert found.rows["messages"] == 2
    assert found.rows["facts"] == 1
    assert found.stays["here_only"] == 1
    assert found.stays["hidden_text"] == 1
    token = server.token(server.user())
    server.sync(memory, token)
    assert memory.preview_sync().rows == {}
    assert server.calls != []
    kept = memory.set_fact("user::likes", "tea")
    memory.rename_session(session.id, "Tea")
    later = memory.preview_sync()
    assert (later.first, later.rows, later.forgotten) == (False, {"sessions": 1, "facts": 1}, 0)
    server.sync(memory, token)
    memory.forget(fact_id=kept.id)
    assert memory.preview_sync().forgotten == 1


def test_progress_is_told_with_each_request(
    server: Server, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "MAX_PUSH_MUTATIONS", 100)
    memory = MemoryStore(":memory:", clock=clock)
    for number in range(105):
        memory.set_fact("user::likes", f"number {number}")
    server.sync(memory, server.token(server.user()))
    told: list[Any] = [call.sent for call in server.calls if call.method == "POST"]
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] == 100


def everything(memory: MemoryStore) -> list[Any]:
    names = [
        row["name"] for row in memory.database.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    return [[tuple(row) for row in memory.database.query(f"SELECT * FROM {name}")] for name in names]
