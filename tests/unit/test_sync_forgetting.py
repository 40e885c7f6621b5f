"""What must not be on the server, nor be left of it here: secrets, what is for one device alone, and what was
forgotten, whatever is on its way or set aside meanwhile."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from py_memory import ChatAgent, MemoryStore, OfflineAssistant
from py_memory.sync.engine import Answer, Call
from py_memory.sync.staying import HIDDEN

from .conftest import SteppedClock
from .sync_support import (
    Server,
    cut_off,
    dump,
    filled,
    held,
    lose,
    pushes,
    second,
    server_dump,
)


def test_secrets_and_what_is_for_this_device_stay(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    session = memory.list_sessions()[0].id
    said = memory.add_message(session, "user", "my password is hunter2-Zx81!")
    assert said.has_secret
    memory.add_message(session, "assistant", "I will not keep that.")
    memory.set_fact("user::likes", "quiet", visibility="device")
    memory.set_fact("user::note", "for now", visibility="session")
    memory.add_tool_call(session, "log in", {"password": "hunter2-Zx81!"})
    server.sync(memory, token)
    with server.store.unit(user, write=False) as unit:
        everything = "".join(text for _, text in unit.changes(0, 1000))
    assert "hunter2" not in everything
    assert "quiet" not in everything
    assert "for now" not in everything
    other, _ = second(server, user, clock)
    assert [m.content for m in other.get_recent_messages(session, 2)] == [
        HIDDEN,
        "I will not keep that.",
    ]
    assert token not in json.dumps([dict(row) for row in memory.database.query("SELECT * FROM sync_state")])


def test_forgetting_takes_the_copy_from_before_the_sync(
    server: Server, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = MemoryStore(tmp_path / "memory.db", clock=clock)
    fact = memory.set_fact("user::likes", "marzipan")
    backup = server.sync(memory, token).backup
    assert backup is not None
    memory.forget(fact_id=fact.id)
    assert not Path(backup).exists()


def test_what_can_be_undone_is_not_sent_as_forgotten(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    session = memory.list_sessions()[0].id
    server.sync(memory, token)
    receipt = memory.delete_session(session)
    server.sync(memory, token)
    assert server_dump(server, user)["sessions"]
    memory.undo(receipt.operation_id)
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)
    assert memory.get_session(session).title == "Chat"


def test_forgotten_words_of_a_session_leave_every_list_of_conflicts_and_the_server(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    (other, its_token), (third, third_token) = second(server, user, clock), second(server, user, clock)
    server.sync(other, its_token)
    server.sync(third, third_token)
    memory.rename_session(session, "A surprise party")
    third.rename_session(session, "A surprise party")
    third.forget(text="surprise")
    clock.advance(seconds=11)
    other.rename_session(session, "Tea")
    server.sync(memory, token)
    server.sync(other, its_token)
    assert [conflict.lost["title"] for conflict in other.sync_conflicts()] == ["A surprise party"]
    server.sync(third, third_token)
    assert server_dump(server, user)["sessions"][0]["title"] is None
    server.sync(memory, token)
    server.sync(other, its_token)
    assert [device.sync_conflicts() for device in (memory, other, third)] == [[], [], []]
    assert {device.get_session(session).title for device in (memory, other, third)} == {None}


def kept_back(server: Server, memory: MemoryStore, token: str, *, arrives: bool) -> None:
    """A page is made; its request, or the answer to it, is lost."""
    if arrives:
        server.on_answer = lambda call, answer: lose() if call.method == "POST" else answer
    else:
        server.on_call = lambda call: lose() if call.method == "POST" else None
    cut_off(server, memory, token)
    server.on_call, server.on_answer = lambda call: None, lambda call, answer: answer


@pytest.mark.parametrize("arrives", [False, True])
@pytest.mark.parametrize("what", ["text", "message", "session"])
def test_what_is_forgotten_while_it_is_on_its_way_does_not_leave(
    server: Server, user: str, token: str, clock: SteppedClock, arrives: bool, what: str
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.create_session("Zoo")
    said = memory.add_message(session.id, "user", "a zebra")
    later = memory.add_message(memory.list_sessions()[1].id, "user", "something else")
    kept_back(server, memory, token, arrives=arrives)
    assert "sync_outbox" in held(memory, "zebra")
    named = {"text": "zebra", "message": said.id, "session": session.id}[what]
    receipt = memory.forget(**{what if what == "text" else f"{what}_id": named})  # type: ignore[arg-type]
    assert held(memory, "zebra") == []
    server.calls.clear()
    server.sync(memory, token)  # still undoable: neither sent nor forgotten there
    assert "zebra" not in json.dumps(pushes(server))
    assert later.id in {row["id"] for row in server_dump(server, user)["messages"]}
    clock.advance(seconds=11)
    server.sync(memory, token)
    assert "zebra" not in json.dumps(pushes(server))
    assert held(memory, "zebra") == []
    assert dump(memory) == server_dump(server, user)
    assert memory.sync_conflicts() == []
    assert receipt.counts["messages"] == 1


@pytest.mark.parametrize("arrives", [False, True])
@pytest.mark.parametrize("between", [False, True])
def test_what_comes_back_by_undo_leaves_again(
    server: Server, user: str, token: str, clock: SteppedClock, arrives: bool, between: bool
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    memory.add_message(memory.list_sessions()[0].id, "user", "a zebra")
    memory.rename_session(memory.list_sessions()[0].id, "zebra title")
    kept_back(server, memory, token, arrives=arrives)
    receipt = memory.forget(text="zebra")
    if between:
        server.sync(memory, token)
    memory.undo(receipt.operation_id)
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)
    assert [row["content"] for row in dump(memory)["message_versions"]].count("a zebra") == 1
    assert dump(memory)["sessions"][0]["title"] == "zebra title"
    assert memory.sync_conflicts() == []


@pytest.mark.parametrize("what", ["message", "session", "fact"])
@pytest.mark.parametrize("undone", [False, True])
def test_what_arrives_for_something_forgotten_comes_back_with_it(
    server: Server, user: str, token: str, clock: SteppedClock, what: str, undone: bool
) -> None:
    memory = filled(clock)
    session = memory.list_sessions()[0].id
    said = memory.get_recent_messages(session, 1)[0].id
    fact = memory.set_fact("user::likes", "zebras").id
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    named: dict[str, Any] = {f"{what}_id": {"message": said, "session": session, "fact": fact}[what]}
    receipt = memory.forget(**named)
    other.edit_message(said, "a zebra")
    answer = other.add_message(session, "assistant", "a zebra crossing").id
    other.add_tool_call(session, "look", {"at": "zebra"}, message_id=said)
    other.pin_fact(fact)
    other.record_uses(answer, [("facts", fact, "zebras")])
    server.sync(other, its_token)
    server.sync(memory, token)
    assert "uses" not in held(memory, fact)
    if undone:
        memory.undo(receipt.operation_id)
        assert "a zebra" in json.dumps(dump(memory)["message_versions"])
    clock.advance(seconds=11)
    for device, key in ((memory, token), (other, its_token), (memory, token)):
        server.sync(device, key)
    assert dump(memory) == dump(other) == server_dump(server, user)
    assert "index_unsound" not in {found.kind for found in memory.health()}
    there = json.dumps(server_dump(server, user))
    assert ("zebra crossing" in there) == (undone or what != "session")
    assert ('"memory_id"' in there) == (undone or what == "message")


def test_words_of_an_earlier_state_on_its_way_are_forgotten(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    memory.rename_session(session, "A zebra party")
    kept_back(server, memory, token, arrives=False)
    memory.rename_session(session, "Tea")
    memory.forget(text="zebra")
    assert held(memory, "zebra") == []
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)


@pytest.mark.parametrize("arrives", [False, True])
def test_forgetting_while_an_answer_is_awaited(
    server: Server, user: str, token: str, clock: SteppedClock, arrives: bool
) -> None:
    memory = filled(clock)
    server.sync(memory, token)
    session = memory.list_sessions()[0].id
    fact = memory.set_fact("user::likes", "zebras")
    memory.add_message(session, "user", "something else")
    forgotten: list[str] = []

    def forget(call: Call) -> Answer | None:
        if call.method == "POST" and not forgotten:
            forgotten.append(memory.forget(fact_id=fact.id).operation_id)
            return None if arrives else Answer(503, {"retry-after": "0"}, b"")
        return None

    server.on_call = forget
    server.sync(memory, token)
    assert "zebras" not in json.dumps(pushes(server)[2:])
    clock.advance(seconds=11)
    server.sync(memory, token)
    assert held(memory, "zebras") == []
    assert dump(memory) == server_dump(server, user)


def test_what_was_set_aside_is_forgotten_too(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    """Refused, waiting for something else, or lost against another device: none keeps forgotten words."""
    memory = filled(clock)
    said = memory.add_message(memory.list_sessions()[0].id, "user", "a zebra")
    fact = memory.propose_fact("user::diet", "tea")
    assert fact is not None
    server.sync(memory, token)
    other, its_token = second(server, user, clock)
    for device, value in ((memory, "zebra steak"), (other, "okapi")):
        device.confirm_fact(fact.id, value=value)
        clock.advance(seconds=1)
    with memory.database.transaction():
        memory.database.execute(
            "UPDATE messages SET speaker = 'zebra' || char(0) || 'b' WHERE id = ?", (said.id,)
        )
        memory.database.execute("UPDATE messages SET intent = 'a' || char(0) WHERE id = ?", (said.id,))
    with server.store.unit(user, write=True) as unit:
        unit.put("dreams", "d1", unit.next_seq(), {"identity": {"text": "zebra"}, "groups": {}}, {})
        version = {"message_id": "m9", "author": "user", "content": "zebra crossing", "created_at": 1}
        unit.put(
            "message_versions",
            "v9",
            unit.next_seq(),
            {"identity": version, "groups": {}},
            {"message_id": "m9"},
        )
    for device, key in ((memory, token), (other, its_token), (memory, token)):
        server.sync(device, key)
    assert {"sync_conflicts", "sync_deferred"} <= set(held(memory, "zebra"))
    assert said.id in {item["id"] for item in memory.sync_status().rejected}
    receipt = memory.forget(text="zebra")
    clock.advance(seconds=1)
    assert held(memory, "zebra") == []
    memory.undo(receipt.operation_id)
    assert {"sync_conflicts", "sync_deferred"} <= set(held(memory, "zebra"))
    assert said.id in {item["id"] for item in memory.sync_status().rejected}
    server.sync(memory, token)
    assert len(memory.sync_conflicts()) == 1
    memory.forget(text="zebra")
    server.sync(memory, token)
    clock.advance(seconds=11)
    server.sync(memory, token)
    server.sync(other, its_token)
    memory.compact()
    assert held(memory, "zebra") == []
    assert memory.sync_status().rejected == ()
    assert memory.sync_conflicts() == other.sync_conflicts() == []
    with server.store.unit(user, write=False) as unit:
        kinds = {json.loads(text)["kind"] for _, text in unit.changes(0, 1000) if "zebra" in text}
    assert kinds == {"dreams"}  # of a program that knows what it is


def test_what_is_forgotten_elsewhere_leaves_the_copy_from_before_the_sync(
    server: Server, user: str, token: str, clock: SteppedClock, tmp_path: Path
) -> None:
    memory = MemoryStore(tmp_path / "memory.db", clock=clock)
    fact = memory.set_fact("user::likes", "marzipan")
    backup = server.sync(memory, token).backup
    assert backup is not None
    other, its_token = second(server, user, clock)
    other.set_fact("user::likes", "tea")
    server.sync(other, its_token)
    server.sync(memory, token)
    assert Path(backup).exists()
    other.forget(fact_id=fact.id)
    clock.advance(seconds=11)
    server.sync(other, its_token)
    server.sync(memory, token)
    assert not Path(backup).exists()
    assert memory.sync_status().backup is None


SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


def test_no_secret_leaves_in_anything_else(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    kept = memory.set_fact("user::note", SECRET)
    plain = memory.set_fact("user::name", "Ann", quote=f"I am Ann, my key is {SECRET}")
    turned = memory.propose_fact("user::diet", "vegan")
    assert turned is not None
    session = memory.create_session(f"The key {SECRET}", metadata={"api_key": SECRET, "colour": "green"})
    said = memory.add_message(session.id, "user", f"it is {SECRET}")
    with memory.database.transaction():  # as a program that did not know this kind has left it
        memory.database.execute("UPDATE messages SET has_secret = 0 WHERE id = ?", (said.id,))
    server.sync(memory, token)
    memory.confirm_fact(turned.id, value=SECRET)
    memory.rename_session(session.id, f"Again {SECRET}")
    server.sync(memory, token)
    there = server_dump(server, user)
    assert SECRET not in json.dumps(there)
    assert kept.id not in {row["id"] for row in there["facts"]}
    assert next(row["value"] for row in there["facts"] if row["id"] == plain.id) == "Ann"
    titles = {row["title"]: row["metadata_json"] for row in there["sessions"]}
    assert json.loads(titles[f"Again {HIDDEN}"])["colour"] == "green"
    assert server.sync(memory, token).pushed == 0
    assert memory.get_session(session.id).title == f"Again {SECRET}"
    assert {fact.value for fact in memory.list_facts()} == {SECRET, "Ann"}


def test_keys_and_prefixes_that_hold_a_text_go_with_it(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = filled(clock)
    memory.register_namespace("zebra::")
    memory.register_namespace("user::zebra-food", single_valued=False)
    memory.register_namespace("zebra-house::")
    for key in ("user::ZEBRA", "zebra::stripes", "user::zebra-food", "user::note::the zebra"):
        memory.set_fact(key, "many")
    memory.set_fact("zebra-house::keeper", "Ann")
    memory.set_fact("user::name", "Ann")
    server.sync(memory, token)
    receipt = memory.forget(text="zebra")
    assert [fact.key for fact in memory.list_facts(status=None)] == ["user::name"]
    assert memory.search("zebra") == []
    # The chain of events names what it is about, as it names the ids of rows.
    assert {*held(memory, "zebra"), *held(memory, "ZEBRA")} <= {"events", "event_salts"}
    memory.undo(receipt.operation_id)
    assert len(memory.list_facts()) == 6
    server.sync(memory, token)
    assert dump(memory) == server_dump(server, user)
    assert memory.forget(text="name").counts == {}


def on_server(server: Server, user: str) -> str:
    with server.store.unit(user, write=False) as unit:
        return "".join(text for _, text in unit.changes(0, 1000))


def test_what_tells_of_a_fact_that_stays_stays(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = MemoryStore(":memory:", clock=clock)
    session = memory.create_session("Tea")
    here = memory.set_fact("user::likes", "marzipan", visibility="device")
    memory.set_fact("user::diet", 'no "pork"', visibility="session")
    memory.set_fact("user::name", "Ann")
    agent = ChatAgent(memory, OfflineAssistant())
    told = asyncio.run(agent.chat_round(session.id, "What do you know about me?"))
    assert "marzipan" in told.content
    asked = asyncio.run(agent.chat_round(session.id, "What is my name?"))
    assert "Ann" in asked.content
    # In other words, as the record of uses alone tells.
    other_words = memory.add_message(
        session.id, "assistant", "Sweets of almonds then", metadata={"a": "almonds"}
    )
    memory.record_uses(other_words.id, [("facts", here.id, {"why": "in the prompt"})])
    memory.add_tool_call(session.id, "shop", {"for": "almonds", "n": 2}, message_id=other_words.id)
    # Without such a record.
    memory.add_message(session.id, "assistant", "Have some MARZIPAN.")
    memory.add_tool_call(session.id, "find", {"json": json.dumps({"diet": 'no "pork"'}), "colour": "red"})
    memory.propose_experience("cakes", "With marzipan it goes well.")
    memory.rename_session(session.id, "Marzipan and tea")
    server.sync(memory, token)
    there = on_server(server, user)
    for word in ("arzipan", "pork", "almonds"):
        assert word.casefold() not in there.casefold()
    assert asked.content in {row["content"] for row in server_dump(server, user)["message_versions"]}
    assert '\\"colour\\": \\"red\\"' in there
    assert memory.get_message(told.id).content == told.content


def test_an_answer_stays_where_its_fact_became_one_for_this_device(
    server: Server, user: str, token: str, clock: SteppedClock
) -> None:
    memory = MemoryStore(":memory:", clock=clock)
    session = memory.create_session("Tea")
    fact = memory.set_fact("user::likes", "marzipan")
    answer = memory.add_message(session.id, "assistant", "Sweets of almonds")
    memory.record_uses(answer.id, [("facts", fact.id, {})])
    with memory.database.transaction():
        memory.database.execute("UPDATE facts SET visibility = 'device' WHERE id = ?", (fact.id,))
    assert memory.preview_sync().stays == {"here_only": 1, "hidden_text": 1}
    server.sync(memory, token)
    assert "almonds" not in on_server(server, user)


@pytest.mark.parametrize(
    "key",
    [
        *("user::password", "user::wifi_password", "user::bank::pin", "user::login", "user::contact::token"),
        *("user::Wi-Fi key", "user::door-code", "user::银行密码", "user::card_number"),
    ],
)
def test_a_fact_whose_key_names_a_secret_stays(
    server: Server, user: str, token: str, clock: SteppedClock, key: str
) -> None:
    memory = MemoryStore(":memory:", clock=clock)
    session = memory.create_session("Tea")
    memory.set_fact(key, "plainzebra")
    for plain in ("user::likes::pinball", "user::passport::country", "user::skill::keyboards"):
        memory.set_fact(plain, "red")
    memory.add_message(session.id, "assistant", "It is plainzebra.")
    memory.add_tool_call(session.id, "look up", {"value": "plainzebra"})
    assert memory.preview_sync().stays["secret"] == 1
    server.sync(memory, token)
    assert "plainzebra" not in on_server(server, user)
    assert len(server_dump(server, user)["facts"]) == 3
