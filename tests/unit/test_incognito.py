"""An incognito chat reads what is remembered and leaves nothing anywhere."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from py_memory import ChatAgent, IncognitoError, IncognitoStore, MemoryStore, OfflineAssistant
from py_memory.memory_tools import memory_tools
from tests.unit.support import run

if TYPE_CHECKING:
    from .conftest import SteppedClock

SECRET = "zirkonblau"


def answered(store: MemoryStore, text: str) -> str:
    """The answer of the newest chat, begun if there is none."""
    session = store.get_or_create_session().id
    return run(ChatAgent(store, OfflineAssistant()).chat_round(session, text)).content


@pytest.fixture
def real(clock: SteppedClock) -> MemoryStore:
    store = MemoryStore(":memory:", clock=clock)
    store.set_setting("zone", "Asia/Shanghai")
    store.set_fact("user::name", "Lena")
    store.set_fact("user::diet", "vegetarian")
    store.set_fact("task::water", "water the plants")
    store.propose_fact("user::home", "Oslo")
    store.add_message(store.create_session("Trips").id, "user", "We go to Kyoto in May")
    return store


TALK = [
    f"Hello, my codename is {SECRET}",
    f"Remember that my locker is {SECRET}",
    f"记住我的柜子是{SECRET}",
    "My daughter Anna is 9 and I live in Bergen",
    f"Remind me to buy {SECRET}",
    "I'm not vegetarian any more",
    "I watered the plants",
    "forget my diet",
    "forget everything about plants",
    "yes",
    "no",
    f"don't remember this: {SECRET}",
    "What do you know about me?",
    f"What did I say about {SECRET}?",
    "What is left to do?",
    "bye",
]


def test_the_real_file_stays_the_same_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    real = MemoryStore(path)
    real.set_fact("user::diet", "vegetarian")
    real.set_fact("task::water", "water the plants")
    real.database.query("PRAGMA wal_checkpoint(TRUNCATE)")
    files = {file.name: file.read_bytes() for file in tmp_path.iterdir() if not file.name.endswith("-shm")}
    changes = real.database.total_changes
    chat = IncognitoStore(real)
    for text in TALK:
        assert answered(chat, text)
    assert len(chat.list_messages(chat.get_or_create_session().id)) == 2 * len(TALK)
    chat.close()
    assert real.database.total_changes == changes
    assert {
        file.name: file.read_bytes() for file in tmp_path.iterdir() if not file.name.endswith("-shm")
    } == files
    assert [fact.value for fact in real.list_facts(prefix="user::")] == ["vegetarian"]
    real.close()


@pytest.mark.parametrize("text", TALK)
def test_no_answer_promises_what_is_not_kept(real: MemoryStore, text: str) -> None:
    before = real.database.total_changes
    answer = answered(IncognitoStore(real), text).lower()
    for promise in (
        "i'll remember",
        "on your list",
        "我记住了",
        "已记到",
        "kept:",
        "forgotten:",
        "stays here.",
        "taken it off",
    ):
        assert promise not in answer, f"{text!r}: {answer}"
    assert "i noticed" not in answer
    assert real.database.total_changes == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Remember that my locker is 42", "nothing of it is kept"),
        ("记住我的柜子是42号", "什么都不会保存"),
        ("Remind me to buy milk", "nothing of it is kept"),
        ("forget my diet", "nothing is changed or forgotten"),
        ("忘掉我的饮食", "不会改动或忘掉"),
        ("I watered the plants", "nothing is changed or forgotten"),
        ("undo", "nothing is changed or forgotten"),
        ("I was at the sea today", "nothing of it is kept"),
        ("Hello", "Hello, Lena. This chat is incognito"),
    ],
)
def test_it_says_honestly_that_nothing_is_kept(real: MemoryStore, text: str, says: str) -> None:
    assert says in answered(IncognitoStore(real), text)


@pytest.mark.parametrize(
    ("question", "why", "says"),
    [
        ("hello", "why did you say that?", "rested on this:\n- name: Lena"),
        ("What is my diet?", "how do you know that?", "vegetarian"),
        ("你好", "你为什么这么说？", "Lena"),
        ("bye", "why did you say that?", "rested on nothing that I remember"),
    ],
)
def test_it_says_what_an_answer_rested_on(real: MemoryStore, question: str, why: str, says: str) -> None:
    chat = IncognitoStore(real)
    assert "not answered anything yet" in answered(chat, "why did you say that?")
    answered(chat, question)
    assert says in answered(chat, why)


def test_it_knows_what_is_remembered_as_it_is_now(real: MemoryStore) -> None:
    chat = IncognitoStore(real)
    assert "vegetarian" in answered(chat, "What do you know about me?")
    assert "vegetarian" in answered(chat, "Plan dinner for Saturday")
    assert "water the plants" in answered(chat, "What is left to do?")
    assert "vegetarian" in chat.build_system_prompt()
    assert [item.kind for item in chat.recall("vegetarian diet") if item.kind == "facts"] == ["facts"]
    assert chat.get_setting("zone") == "Asia/Shanghai"
    real.set_fact("user::diet", "vegan")
    assert "vegan" in answered(chat, "What do you know about me?")
    real.forget(fact_id=real.list_facts(prefix="user::diet")[0].id)
    assert "vegan" not in answered(chat, "What is my diet?")


def test_what_is_forgotten_leaves_it_too(real: MemoryStore) -> None:
    chat = IncognitoStore(real)
    real.forget(fact_id=real.list_facts(prefix="user::diet")[0].id)
    chat.refresh()
    assert chat.list_facts(prefix="user::diet") == []


def test_it_reads_no_other_chat_and_nothing_unconfirmed(real: MemoryStore) -> None:
    chat = IncognitoStore(real)
    assert "Kyoto" not in answered(chat, "What did I say about Kyoto?")
    assert "Oslo" not in answered(chat, "What do you know about me?")
    assert [session.title for session in real.list_sessions()] == ["Trips"]


def test_a_model_hears_of_it_and_gets_reading_tools_only(real: MemoryStore) -> None:
    chat = IncognitoStore(real)
    prompts: list[list[dict[str, Any]]] = []
    names: list[list[str]] = []

    class Model(OfflineAssistant):
        async def reply(self, messages: Any, tools: Any, cancel: Any) -> Any:
            prompts.append([dict(message) for message in messages])
            names.append([tool.name for tool in tools])
            async for delta in super().reply(messages, tools, cancel):
                yield delta

    session = chat.create_session().id
    run(ChatAgent(chat, Model()).chat_round(session, "hi"))
    assert "incognito" in prompts[0][0]["content"]
    assert "vegetarian" in prompts[0][0]["content"]
    said = real.add_message(real.create_session().id, "user", "hi")
    reading = {"memory_noticed", "memory_search", "memory_list", "memory_going", "memory_why"}
    reading |= {"memory_history", "days_meant", "todo_list"}
    assert set(names[0]) & {tool.name for tool in memory_tools(real, said)} == reading
    run(ChatAgent(chat, Model()).chat_round(session, "在吗"))
    assert "无痕" in prompts[1][0]["content"]


def test_whatever_would_keep_or_change_is_refused(real: MemoryStore, tmp_path: Path) -> None:
    chat = IncognitoStore(real)
    fact = chat.list_facts()[0].id
    refused = {
        "set_fact": ("user::name", "Ann"),
        "propose_fact": ("user::name", "Ann"),
        "confirm_fact": (fact,),
        "reject_fact": (fact,),
        "pin_fact": (fact,),
        "end_fact": (fact,),
        "renew_fact": (fact,),
        "register_namespace": ("trip::",),
        "fix_health": ("stale",),
        "allow_kind": ("user::diet",),
        "consolidate": (),
        "export_to": (tmp_path / "out.db",),
        "import_file": (tmp_path / "in.db",),
        "import_rows": ([],),
        "import_chats": (tmp_path / "in.json",),
        "begin_import": (),
        "preview_import": (tmp_path / "in.json",),
        "export_text": (),
        "export_pieces": ("jsonl",),
    }
    for name, arguments in refused.items():
        with pytest.raises(IncognitoError):
            getattr(chat, name)(*arguments)
    for wanted in ({"fact_id": fact}, {"text": "vegetarian"}):
        with pytest.raises(IncognitoError):
            chat.forget(**wanted)
    assert list(tmp_path.iterdir()) == []
    # A new operation on facts must be thought of here too.
    words = ("fact", "namespace", "import", "export", "consolidate", "fix", "allow")
    reading = {
        "get_fact",
        "list_facts",
        "browse_facts",
        "read_facts",
        "fact_history",
        "facts_for_prompt",
        "list_namespaces",
    }
    names = {name for name, _ in inspect.getmembers(MemoryStore, inspect.isfunction) if name[0] != "_"}
    assert {name for name in names if any(word in name for word in words)} - reading == set(refused)


def test_its_own_messages_can_be_forgotten(real: MemoryStore) -> None:
    chat = IncognitoStore(real)
    said = chat.add_message(chat.create_session().id, "user", SECRET)
    chat.forget(message_id=said.id)
    assert chat.search(SECRET) == []


def test_what_another_process_keeps_meanwhile_is_seen(tmp_path: Path) -> None:
    real = MemoryStore(tmp_path / "memory.db")
    chat = IncognitoStore(real)
    other = MemoryStore(tmp_path / "memory.db")
    other.set_fact("user::diet", "vegan")
    assert "vegan" in answered(chat, "What do you know about me?")
    for store in (chat, other, real):
        store.close()


def test_closing_is_the_end(real: MemoryStore) -> None:
    chat = IncognitoStore(real)
    answered(chat, SECRET)
    chat.close()
    assert real.search(SECRET) == []
    with pytest.raises(Exception, match="closed"):
        chat.list_sessions()
