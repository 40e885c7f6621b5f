"""What every store of the sync server promises, asked of each kind."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from py_memory.errors import ConflictError, InvalidInputError, NotFoundError, StorageError
from py_memory.server.moving import move
from py_memory.server.open_store import open_store
from py_memory.server.sqlite_store import SqliteStore
from py_memory.server.store import COPIED, Head, Logged, Store, StoredRow, Token, Unit

pytestmark = pytest.mark.cpython
KINDS = ("sqlite", "postgres")
New = Callable[[], Store]


@contextmanager
def maker(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[New]:
    """Makes stores of one kind."""
    with ExitStack() as used:

        def new() -> Store:
            if kind == "postgres":
                address = used.enter_context(request.getfixturevalue("postgres").store())
            else:
                address = str(folder / f"{os.urandom(4).hex()}.db")
            store = open_store(address)
            used.callback(store.close)
            return store

        yield new


@pytest.fixture(params=KINDS)
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[New]:
    with maker(request.param, request, tmp_path) as new:
        yield new


@pytest.fixture
def store(new: New) -> Store:
    return new()


@pytest.fixture
def ann(store: Store) -> str:
    return store.add_user("ann", 1).id


BODY = {
    "identity": {"created_at": 1},
    "groups": {"meta": {"stamp": "s", "set": {"title": "Tee 茶 \U0001f375"}}},
}


def put(unit: Unit, id: str, kind: str = "sessions", **owners: str) -> None:
    unit.put(kind, id, unit.next_seq(), {"identity": {"created_at": 1}, "groups": {}}, owners)


def test_users_have_names_of_their_own(store: Store) -> None:
    ann, bob = store.add_user("ann", 1), store.add_user("bób 茶", 2)
    assert store.users() == [ann, bob]
    assert store.user_named("bób 茶") == bob
    with pytest.raises(ConflictError, match="already"):
        store.add_user("ann", 3)
    with pytest.raises(NotFoundError):
        store.user_named("Ann")
    assert store.users() == [ann, bob]
    assert store.is_sound()


def test_tokens_are_found_by_key_and_listed_by_user(store: Store, ann: str) -> None:
    bob = store.add_user("bob", 2).id
    first = Token("0" * 12, ann, b"\0\xff" * 16, "laptop 茶", "sync", 5, None, None)
    second = Token("1" * 12, ann, b"b" * 32, "", "pull", 4, 2**50, None)
    theirs = Token("2" * 12, bob, b"c" * 32, "", "sync", 1, None, None)
    for token in (first, second, theirs):
        store.add_token(token)
    assert store.token("0" * 12) == first
    assert store.token("2" * 12) == theirs
    assert store.token("3" * 12) is None
    assert store.tokens(ann) == [second, first]
    assert store.revoke("0" * 12, 9)
    assert not store.revoke("0" * 12, 10)
    assert not store.revoke("3" * 12, 10)
    revoked = store.token("0" * 12)
    assert revoked is not None
    assert revoked.revoked_at == 9
    assert store.token("2" * 12) == theirs


def test_an_unknown_user_has_no_transaction(store: Store) -> None:
    for write in (False, True):
        with pytest.raises(NotFoundError), store.unit("01890000-0000-7000-8000-000000000000", write=write):
            raise AssertionError("not reached")


def test_a_row_is_read_as_it_was_put(store: Store, ann: str) -> None:
    with store.unit(ann, write=True) as unit:
        epoch = unit.head().epoch
        assert unit.head() == Head(epoch, 0, 0, 0)
        assert unit.row("sessions", "a") is None
        unit.put("sessions", "a", unit.next_seq(), BODY, {})
        size = unit.head().bytes
        unit.put("sessions", "a", unit.next_seq(), BODY, {})
        assert unit.head() == Head(epoch, 2, 1, size)
    with store.unit(ann, write=False) as unit:
        assert unit.head() == Head(epoch, 2, 1, size)
        assert unit.row("sessions", "a") == StoredRow("sessions", "a", 2, BODY)
        assert unit.row("messages", "a") is None
        ((seq, text),) = unit.changes(0, 10)
        assert (seq, json.loads(text)) == (2, {"kind": "sessions", "id": "a", "seq": 2, **BODY})


def test_changes_come_in_order_and_in_pages(store: Store, ann: str) -> None:
    with store.unit(ann, write=True) as unit:
        for number in range(7):
            put(unit, f"{9 - number}")
        put(unit, "9")
    with store.unit(ann, write=False) as unit:
        assert [seq for seq, _ in unit.changes(0, 3)] == [2, 3, 4]
        assert [seq for seq, _ in unit.changes(4, 30)] == [5, 6, 7, 8]
        assert unit.changes(8, 30) == []


def test_forgetting_takes_what_goes_with_it(store: Store, ann: str) -> None:
    with store.unit(ann, write=True) as unit:
        put(unit, "s")
        put(unit, "m", "messages", session_id="s")
        put(unit, "v", "message_versions", message_id="m")
        put(unit, "u", "uses", memory_id="s")
        put(unit, "other", "messages", session_id="t")
        assert unit.messages_of("s") == ["m"]
        unit.forget("messages", "m", unit.next_seq())
        assert unit.is_forgotten("m")
        assert unit.row("message_versions", "v") is None
        assert unit.messages_of("s") == []  # what is left of it names nothing
        unit.forget("sessions", "s", unit.next_seq())
        assert unit.row("uses", "u") is None
        assert unit.row("sessions", "s") == StoredRow("sessions", "s", unit.head().seq, None)
        assert (unit.is_forgotten("s"), unit.is_forgotten("other"), unit.is_forgotten("x")) == (
            True,
            False,
            False,
        )
        assert json.loads(unit.changes(6, 1)[0][1]) == {
            "kind": "sessions",
            "id": "s",
            "seq": 7,
            "forgotten": True,
        }
    with store.unit(ann, write=False) as unit:
        assert unit.head().rows == 3
        assert unit.head().bytes == sum(
            len(json.dumps(row.body, separators=(",", ":")))
            for row in (unit.row("messages", "other"),)
            if row
        )


def test_forgetting_a_title_leaves_its_session(store: Store, ann: str) -> None:
    with store.unit(ann, write=True) as unit:
        put(unit, "s")
        put(unit, "c", "conflicts", memory_id="s")
        put(unit, "u", "uses", memory_id="s")
        unit.forget("session_titles", "s", unit.next_seq())
        assert unit.row("conflicts", "c") is None
        assert unit.row("uses", "u") is not None
        assert not unit.is_forgotten("s")
        assert unit.row("session_titles", "s") is not None


def test_a_device_is_known_by_its_last_number(store: Store, ann: str) -> None:
    device, other = "a" * 16, "b" * 16
    with store.unit(ann, write=True) as unit:
        assert unit.last_n(device) == 0
        unit.log(device, 1, b"\0h", None)
        unit.log(device, 2, b"i", {"status": "rejected", "code": "茶"})
        assert unit.logged(device, 1) == Logged(b"\0h", None)
        unit.set_last_n(device, 2)
    with store.unit(ann, write=True) as unit:
        unit.log(device, 3, b"j", None)
        unit.set_last_n(device, 3)
    with store.unit(ann, write=False) as unit:
        assert (unit.last_n(device), unit.last_n(other)) == (3, 0)
        assert unit.logged(device, 2) == Logged(b"i", {"status": "rejected", "code": "茶"})
        assert unit.logged(device, 3) == Logged(b"j", None)
        assert unit.logged(device, 4) is None
        assert unit.logged(other, 1) is None


def test_a_transaction_that_fails_leaves_nothing(store: Store, ann: str) -> None:
    with store.unit(ann, write=True) as unit:
        before = unit.head()

    def fail() -> None:
        with store.unit(ann, write=True) as unit:
            put(unit, "a")
            unit.log("a" * 16, 1, b"h", None)
            unit.set_last_n("a" * 16, 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.unit(ann, write=False) as unit:
        assert unit.head() == before
        assert unit.row("sessions", "a") is None
        assert unit.last_n("a" * 16) == 0
        assert unit.logged("a" * 16, 1) is None


def test_users_do_not_see_each_other(store: Store, ann: str) -> None:
    bob = store.add_user("bob", 1).id
    with store.unit(ann, write=True) as unit:
        put(unit, "s")
        put(unit, "m", "messages", session_id="s")
        put(unit, "gone", "messages")
        unit.forget("messages", "gone", unit.next_seq())
        unit.log("a" * 16, 1, b"h", None)
        unit.set_last_n("a" * 16, 1)
    with store.unit(bob, write=True) as unit:
        assert unit.head().seq == 0
        assert unit.row("sessions", "s") is None
        assert unit.changes(0, 10) == []
        assert unit.messages_of("s") == []
        assert not unit.is_forgotten("gone")
        assert (unit.last_n("a" * 16), unit.logged("a" * 16, 1)) == (0, None)
        unit.forget("sessions", "s", unit.next_seq())  # an id of one's own that happens to be the same
    with store.unit(ann, write=False) as unit:
        row = unit.row("sessions", "s")
        assert row is not None
        assert row.body is not None
        assert unit.head().rows == 3


def test_writers_of_one_user_take_turns(store: Store, ann: str) -> None:
    """Each reads the counter, waits, and writes: no number is given twice."""

    def write(number: int) -> None:
        for round in range(5):
            with store.unit(ann, write=True) as unit:
                put(unit, f"{number}.{round}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.unit(ann, write=False) as unit:
        assert unit.head().seq == unit.head().rows == 30
        assert [seq for seq, _ in unit.changes(0, 100)] == list(range(1, 31))


def fill(store: Store) -> None:
    for name in ("ann", "bób"):
        user = store.add_user(name, 5).id
        store.add_token(
            Token(
                f"{len(name):012}" if name == "ann" else "f" * 12, user, b"\0h" * 16, "茶", "sync", 1, 2, None
            )
        )
        with store.unit(user, write=True) as unit:
            for number in range(1200):
                unit.put("messages", f"{name}{number}", unit.next_seq(), BODY, {"session_id": "s"})
                unit.log("a" * 16, number + 1, b"\0h", {"status": "rejected"} if number % 2 else None)
            unit.forget("messages", f"{name}7", unit.next_seq())
            unit.set_last_n("a" * 16, 1200)


def whole(store: Store) -> dict[str, Any]:
    with store.copying() as copying:
        users = copying.users()
        return {
            "epoch": copying.epoch(),
            "users": users,
            **{
                f"{user.name} {table}": [row for batch in copying.read(table, user.id) for row in batch]
                for user in users
                for table in COPIED
            },
        }


@pytest.mark.parametrize("kinds", [KINDS, KINDS[::-1]], ids=" to ".join)
def test_a_store_moves_to_another_kind_and_back(
    kinds: tuple[str, str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with maker(kinds[0], request, tmp_path) as here, maker(kinds[1], request, tmp_path) as there:
        source, target, back = here(), there(), here()
        fill(source)
        counts = move(source, target)
        assert counts == {
            "users": 2,
            "tokens": 2,
            "heads": 2,
            "devices": 2,
            "memory_rows": 2400,
            "mutation_log": 2400,
        }
        assert whole(target) == whole(source)
        move(target, back)
        assert whole(back) == whole(source)
        with pytest.raises(ConflictError, match="users already"):
            move(source, target)
        assert whole(target) == whole(source)
        with target.unit(target.user_named("ann").id, write=True) as unit:  # and goes on
            assert unit.head().seq == 1201
            assert unit.logged("a" * 16, 2) == Logged(b"\0h", {"status": "rejected"})


def test_a_move_that_fails_leaves_the_new_store_empty(new: New, tmp_path: Path) -> None:
    source, target = SqliteStore(tmp_path / "source.db"), new()
    fill(source)
    before = whole(target)
    # The last table of the last user names a device that no key may hold twice.
    source._db.execute("CREATE TABLE twice AS SELECT * FROM devices UNION ALL SELECT * FROM devices")
    source._db.execute("DROP TABLE devices")
    source._db.execute("ALTER TABLE twice RENAME TO devices")
    with pytest.raises(StorageError):
        move(source, target)
    assert whole(target) == before
    source.close()


@pytest.mark.parametrize("address", ["mysql://me:secret@host/db", "http://x", "sqlite:///", ""])
def test_addresses_of_no_store(address: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        open_store(address)
    assert "secret" not in str(caught.value)
