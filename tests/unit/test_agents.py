"""Several agents on one memory: each has facts of its own, and what is shared is one for all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from py_memory import BusyError, ConflictError, MemoryStore, NotFoundError

if TYPE_CHECKING:
    from .conftest import SteppedClock

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def agents(clock: SteppedClock) -> tuple[MemoryStore, MemoryStore, MemoryStore]:
    """The user's own view, and those of the agents "one" and "two"."""
    base = MemoryStore(":memory:", clock=clock)
    return base, *(MemoryStore(base.database.connection, agent_id=id, clock=clock) for id in ("one", "two"))


def values(store: MemoryStore, key: str) -> list[str]:
    return [fact.value for fact in store.fact_history(key) if fact.status == "current"]


def test_what_an_agent_keeps_to_itself_takes_the_place_of_nothing_shared(
    agents: tuple[MemoryStore, MemoryStore, MemoryStore], clock: SteppedClock
) -> None:
    base, one, two = agents
    base.set_fact("user::home", "Oslo")
    clock.advance(1)
    one.set_fact("user::home", "Bergen")
    assert values(base, "user::home") == values(two, "user::home") == ["Oslo"]
    assert values(one, "user::home") == ["Bergen", "Oslo"]
    found = one.get_fact("user::home")
    assert found is not None
    assert found.value == "Bergen"
    # What one agent shares corrects what all see, whoever said it.
    clock.advance(1)
    two.set_fact("user::home", "Tromsø", visibility="shared")
    assert values(base, "user::home") == values(two, "user::home") == ["Tromsø"]
    assert values(one, "user::home") == ["Tromsø", "Bergen"]


def test_the_facts_of_another_agent_cannot_be_touched_by_their_id(
    agents: tuple[MemoryStore, MemoryStore, MemoryStore],
) -> None:
    _, one, two = agents
    fact = one.set_fact("user::note", "the code is 17")
    waiting = one.propose_fact("user::home", "Oslo")
    assert waiting is not None
    for change in (
        lambda: two.pin_fact(fact.id),
        lambda: two.end_fact(fact.id),
        lambda: two.renew_fact(fact.id),
        lambda: two.confirm_fact(fact.id, value="x"),
        lambda: two.confirm_fact(waiting.id),
        lambda: two.reject_fact(waiting.id),
        lambda: two.forget(fact_id=fact.id),
    ):
        with pytest.raises(NotFoundError):
            change()
    assert [found.id for found in one.list_facts(status=None)] == [waiting.id, fact.id]
    assert two.list_facts(status=None) == []


def test_an_answer_is_not_explained_by_what_another_agent_keeps_to_itself(
    agents: tuple[MemoryStore, MemoryStore, MemoryStore],
) -> None:
    base, one, two = agents
    fact = one.set_fact("user::note", "the code is 17")
    shared = one.set_fact("user::home", "Oslo", visibility="shared")
    answer = one.add_message(one.create_session().id, "assistant", "There.")
    one.record_uses(answer.id, [("facts", fact.id, "told"), ("facts", shared.id, "told")])
    assert "code" not in str(two.explain(answer.id).to_dict())
    assert [reason.status for reason in two.explain(answer.id).reasons] == ["forgotten", "current"]
    for seeing in (one, base):
        assert [reason.status for reason in seeing.explain(answer.id).reasons] == ["current", "current"]


def test_forgetting_a_text_leaves_another_agents_facts(
    agents: tuple[MemoryStore, MemoryStore, MemoryStore],
) -> None:
    base, one, two = agents
    one.set_fact("user::note", "the code is 17")
    two.set_fact("user::note", "a code of dress")
    one.set_fact("user::job", "code reviewer", visibility="shared")
    assert two.forget(text="code").counts == {"facts": 2}
    assert [fact.value for fact in one.list_facts(status=None)] == ["the code is 17"]
    # The user's own view takes all of it.
    assert base.forget(text="code").counts == {"facts": 1}


def test_each_agent_asks_for_itself(agents: tuple[MemoryStore, MemoryStore, MemoryStore]) -> None:
    _, one, two = agents
    first, second = (store.propose_fact("user::home", "Oslo") for store in (one, two))
    assert first is not None
    assert second is not None
    assert (first.agent_id, second.agent_id) == ("one", "two")
    one.confirm_fact(first.id)
    assert [fact.id for fact in two.list_facts(status="candidate")] == [second.id]


def test_undo_sees_only_its_own_scope(agents: tuple[MemoryStore, MemoryStore, MemoryStore]) -> None:
    _, one, two = agents
    fact = one.set_fact("user::home", "Oslo")
    receipt = one.forget(fact_id=fact.id)
    two.set_fact("user::home", "Oslo")
    one.undo(receipt.operation_id)
    assert values(one, "user::home") == values(two, "user::home") == ["Oslo"]


# -- two processes --

COUNT = 150
WRITER = """
import json, random, sys, time
from py_memory import MemoryStore
path, user, agent, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
store = MemoryStore(path, user_id=user, agent_id=agent)
print("ready", flush=True)
sys.stdin.readline()
seen = set()
for number in range(count):
    if number:  # the other has had the pause to write in
        shared = store.get_fact("user::home")
        assert shared is not None
        seen.add(shared.agent_id)
    store.set_fact("user::mood", f"{agent} {number}")
    store.set_fact("user::home", f"{agent} {number}", visibility="shared")
    store.set_fact(f"order::{agent}::{number}", "paid")
    mine = store.get_fact("user::mood")
    assert mine is not None and mine.value == f"{agent} {number}", mine
    with store.action():
        home = [fact for fact in store.fact_history("user::home") if fact.status == "current"]
    assert len(home) == 1, home
    seen.add(home[0].agent_id)
    time.sleep(random.random() * 0.03)  # SQLite's lock knows no queue: leave the other a chance
    foreign = [f for f in store.list_facts(status=None) if f.agent_id not in (None, agent)]
    assert all(fact.visibility == "shared" for fact in foreign), foreign
print(json.dumps(sorted(seen)))
store.close()
"""


def start_writer(*arguments: str) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, "-c", WRITER, *arguments], cwd=ROOT, text=True, **pipes)


@pytest.mark.cpython
def test_two_processes_write_at_once_and_nothing_is_lost_or_seen_by_the_wrong_one(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    user = MemoryStore(path).user_id
    writers = [start_writer(path, user, agent, str(COUNT)) for agent in ("one", "two")]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:  # both are open: now at once
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        outputs = [writer.communicate(timeout=240) for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
    assert [(writer.returncode, errors) for writer, (_, errors) in zip(writers, outputs, strict=True)] == [
        (0, "")
    ] * 2
    # They did write at the same time: each has seen what the other shares.
    assert all("one" in json.loads(output) and "two" in json.loads(output) for output, _ in outputs)

    base = MemoryStore(path, user_id=user)
    rows = base.database.query(
        "SELECT key, status, agent_id, visibility FROM facts WHERE user_id = ?", (user,)
    )
    assert len(rows) == 2 * 3 * COUNT
    current = Counter(
        (row["key"], "" if row["visibility"] == "shared" else row["agent_id"])
        for row in rows
        if row["status"] == "current"
    )
    assert set(current.values()) == {1}
    assert len(current) == 2 * COUNT + 2 + 1
    assert (
        len([fact for fact in base.fact_history("user::home") if fact.status == "superseded"])
        == 2 * COUNT - 1
    )
    assert base.database.integrity_check() == []
    assert base.verify().ok
    assert [fact.key for fact in base.list_facts()] == ["user::home"]
    for agent in ("one", "two"):
        own = MemoryStore(path, user_id=user, agent_id=agent)
        assert len(own.list_facts()) == COUNT + 2
        own.close()
    base.close()


@pytest.mark.cpython
def test_a_file_kept_too_long_by_another_process_is_said_plainly(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = MemoryStore(path)
    assert store.database.value("PRAGMA busy_timeout") == 10_000
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
            "c.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.readline()",
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        store.database.query("PRAGMA busy_timeout=100")
        with pytest.raises(BusyError, match="Another process kept"):
            store.set_fact("user::name", "Lena")
    finally:
        holder.communicate("\n")
    store.set_fact("user::name", "Lena")
    assert [fact.value for fact in store.list_facts()] == ["Lena"]
    store.close()


def test_one_scope_has_one_value_whoever_writes(agents: tuple[MemoryStore, MemoryStore, MemoryStore]) -> None:
    base, one, _ = agents
    one.set_fact("user::home", "Oslo")
    with pytest.raises(ConflictError, match="second current"), base.database.transaction():
        base.database.execute(
            "INSERT INTO facts (id, user_id, created_at, agent_id, key, value, confidence, status) "
            "VALUES ('x', ?, 1, 'one', 'user::home', 'Bergen', 1.0, 'current')",
            (base.user_id,),
        )
