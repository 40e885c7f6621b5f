"""Rules that the schema keeps by itself, whoever writes: proved with plain SQL, past the Python above it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from py_memory import MemoryStore
from py_memory.errors import ConflictError, UnregisteredKeyError

Insert = Callable[..., None]


@pytest.fixture
def insert(store: MemoryStore) -> Insert:
    """Inserts one row of given columns with plain SQL."""

    def insert(table: str, **columns: object) -> None:
        row = {"user_id": store.user_id, "created_at": 1, **columns}
        names, marks = ", ".join(row), ", ".join("?" for _ in row)
        with store.database.transaction():
            store.database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))

    return insert


def fact(insert: Insert, id: str, key: str, **columns: object) -> None:
    insert("facts", **{"id": id, "key": key, "value": id, "confidence": 0.9, "status": "current", **columns})


def change(store: MemoryStore, sql: str, *parameters: object) -> None:
    with store.database.transaction():
        store.database.execute(sql, parameters)


@pytest.mark.parametrize("key", ["weather::today", "user", "userx::name", "", "user:name"])
def test_a_key_under_no_namespace_is_refused(insert: Insert, key: str) -> None:
    with pytest.raises(UnregisteredKeyError):
        fact(insert, "a", key)


def test_a_key_cannot_be_changed_to_an_unregistered_one(store: MemoryStore, insert: Insert) -> None:
    fact(insert, "a", "user::name")
    with pytest.raises(UnregisteredKeyError):
        change(store, "UPDATE facts SET key = 'weather::today' WHERE id = 'a'")


def test_one_current_fact_for_a_single_valued_key(store: MemoryStore, insert: Insert) -> None:
    fact(insert, "a", "user::name")
    with pytest.raises(ConflictError, match="second current fact"):
        fact(insert, "b", "user::name")
    fact(insert, "c", "user::name", status="superseded")
    with pytest.raises(ConflictError, match="second current fact"):
        change(store, "UPDATE facts SET status = 'current' WHERE id = 'c'")
    assert [found.id for found in store.list_facts()] == ["a"]


def test_the_longest_prefix_decides(store: MemoryStore, insert: Insert) -> None:
    for id in ("peanuts", "milk"):
        fact(insert, id, "user::allergy")
    store.register_namespace("trip::", single_valued=False)
    store.register_namespace("trip::budget", single_valued=True)
    for id in ("kyoto", "nara"):
        fact(insert, id, "trip::stop")
    fact(insert, "20000", "trip::budget")
    with pytest.raises(ConflictError):
        fact(insert, "30000", "trip::budget")


def test_a_whole_key_is_no_prefix(store: MemoryStore, insert: Insert) -> None:
    store.register_namespace("hobby")
    fact(insert, "a", "hobby")
    with pytest.raises(UnregisteredKeyError):
        fact(insert, "b", "hobby::chess")


def test_agents_do_not_stand_in_for_each_other_unless_shared(store: MemoryStore, insert: Insert) -> None:
    fact(insert, "a", "user::name", agent_id="one")
    fact(insert, "b", "user::name", agent_id="two")
    fact(insert, "c", "user::name")
    with pytest.raises(ConflictError):
        change(store, "UPDATE facts SET visibility = 'shared' WHERE id = 'a'")


def test_a_namespace_holds_no_wildcard(insert: Insert) -> None:
    for prefix in ("*", "us?r::", "[a]", ""):
        with pytest.raises(ConflictError):
            insert("namespaces", id=f"n{prefix}", prefix=prefix)


@pytest.mark.parametrize(
    "columns",
    [
        {"status": "guessed"},
        {"confidence": 1.5},
        {"confidence": -0.1},
        {"value": ""},
        {"value": "x" * 101},
        {"category": "gossip"},
        {"visibility": "public"},
        {"pinned": 2},
        {"value": b"bytes"},
    ],
    ids=str,
)
def test_values_of_a_fact_are_checked(insert: Insert, columns: dict[str, object]) -> None:
    with pytest.raises(ConflictError):
        fact(insert, "a", "user::name", **columns)


def test_contacts_belong_to_one_identity(store: MemoryStore, insert: Insert) -> None:
    insert("identities", id="mei", phone="+8613800000001", email="mei@example.org")
    insert("identities", id="half", phone="+8613800000001")
    with pytest.raises(ConflictError, match="another identity"):
        insert("identities", id="x", phone="+8613800000001", email="other@example.org")
    with pytest.raises(ConflictError, match="another identity"):
        insert("identities", id="x", phone="+8613800000009", email="mei@example.org")
    with pytest.raises(ConflictError, match="another identity"):
        change(store, "UPDATE identities SET email = 'other@example.org' WHERE id = 'half'")
    with pytest.raises(ConflictError):
        insert("identities", id="nobody")
    insert("identities", id="same", phone="+8613800000001", email="mei@example.org")


def test_identities_are_looked_up_by_index(store: MemoryStore) -> None:
    for column in ("phone", "email"):
        plan = store.database.query(
            f"EXPLAIN QUERY PLAN SELECT 1 FROM identities WHERE user_id = ? AND {column} = ?",
            (store.user_id, "x"),
        )
        assert f"identities_by_{column}" in plan[0]["detail"]


def test_a_session_has_one_system_message(store: MemoryStore) -> None:
    session = store.create_session()
    store.add_message(session.id, "system", "Be brief.")
    with pytest.raises(ConflictError):
        store.add_message(session.id, "system", "Be long.")
    store.add_message(store.create_session().id, "system", "Be long.")
    assert [message.content for message in store.list_messages(session.id)] == ["Be brief."]


def test_the_profile_is_what_is_current_about_the_user(store: MemoryStore) -> None:
    store.set_fact("user::name", "Wei")
    store.set_fact("user::name", "Wei Chen")
    store.set_fact("task::milk", "buy milk")
    rows = store.database.query("SELECT key, value FROM user_profile WHERE user_id = ?", (store.user_id,))
    assert [tuple(row) for row in rows] == [("user::name", "Wei Chen")]
