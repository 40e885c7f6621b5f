"""Counting messages: the same as reading them all, one by one."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory import MemoryStore
from py_memory.counting import IMPATIENCE
from py_memory.records import MessageCount
from tests.unit.conftest import SteppedClock

TEXTS = [
    "Where is my refund?",
    "REFUND me right now, this is taking forever",
    "Refunds are refundable, unhurried",
    "Hurry up!",
    "hurry, hurry: the refund",
    "我要退款",
    "退款怎么还没到，我很着急",
    "快点吧，等了三天了",
    "ｒｅｆｕｎｄ please",
    "Nice weather",
    "already refunded_already",
]
STATUSES = ["success", "failed", "running"]
EVENTS = st.one_of(
    st.tuples(
        st.just("say"),
        st.sampled_from(TEXTS),
        st.sampled_from(["user", "assistant", "tool"]),
        st.sampled_from(["complete", "failed", "stopped", "streaming"]),
        st.sampled_from([None, "refund", "chat"]),
        st.sampled_from([-1, 0, 1]),
    ),
    st.tuples(st.just("call"), st.sampled_from(["pay", "mail"]), st.sampled_from(STATUSES)),
    st.tuples(st.just("edit"), st.sampled_from(TEXTS)),
    st.tuples(st.just("wait"), st.sampled_from([1, 1000, 60_000, 3_600_000])),
    st.tuples(st.just("session")),
)
QUESTIONS = st.fixed_dictionaries(
    {
        "topic": st.sampled_from([None, "refund", ["refund", "退款"], "退"]),
        "since": st.sampled_from([None, 60_000, 3_600_000]),
        "until": st.sampled_from([None, 120_000, 7_200_000]),
        "role": st.sampled_from(["user", "assistant", None]),
        "intent": st.sampled_from([None, "refund"]),
        "feedback": st.sampled_from([None, -1, 1]),
        "within_ms_of": st.sampled_from(
            [None, ("pay", "failed", 60_000), ("pay", None, 1000), (None, "success"), (None, None, 0)]
        ),
        "words": st.sampled_from([None, "impatience", ["hurry", "快点"], ["already", "now,"]]),
    }
)
CJK = "\u3400-\u9fff"


def plainly(
    said: list[dict[str, Any]], calls: list[dict[str, Any]], question: dict[str, Any]
) -> MessageCount:
    """The same count in the plainest way."""

    def folded(text: str) -> str:
        return unicodedata.normalize("NFKC", text).lower()

    def holds(text: str, word: str) -> bool:
        left = rf"(?<![^\W{CJK}])" if re.match(rf"[^\W{CJK}]", word) else ""
        right = rf"(?![^\W{CJK}])" if re.search(rf"[^\W{CJK}]$", word) else ""
        return re.search(f"{left}{re.escape(word)}{right}", text) is not None

    topics, words, near = question["topic"], question["words"], question["within_ms_of"]
    topics = [topics] if isinstance(topics, str) else topics
    listed = [*IMPATIENCE["en"], *IMPATIENCE["zh"]] if words == "impatience" else words or []
    total = []
    for message in said:
        at = message["at"]
        if (
            message["status"] not in ("complete", "stopped")
            or message["role"] not in ((question["role"],) if question["role"] else ("user", "assistant"))
            or (question["since"] is not None and at < question["since"])
            or (question["until"] is not None and at >= question["until"])
            or (question["intent"] is not None and message["intent"] != question["intent"])
            or (question["feedback"] is not None and message["feedback"] != question["feedback"])
            or (topics and not any(folded(topic) in folded(message["text"]) for topic in topics))
        ):
            continue
        gaps = []
        if near:
            tool, status, within = (*near, 300_000)[:3]
            gaps = [
                at - call["at"]
                for call in calls
                if call["session"] == message["session"]
                and tool in (None, call["tool"])
                and status in (None, call["status"])
                and abs(at - call["at"]) <= within
            ]
        total.append(
            {
                **message,
                "near": bool(gaps),
                "after": any(gap >= 0 for gap in gaps),
                "words": [word for word in listed if holds(folded(message["text"]), folded(word))],
            }
        )
    matching = [
        one for one in total if (one["near"] or not near) and (one["words"] or question["words"] is None)
    ]
    matching.sort(key=lambda one: (one["at"], one["id"]))

    def tally(values: list[Any]) -> dict[Any, int]:
        return {value: values.count(value) for value in values}

    return MessageCount(
        total=len(total),
        near_call=sum(one["near"] for one in total),
        after_call=sum(one["after"] for one in total),
        with_words=sum(bool(one["words"]) for one in total),
        near_call_with_words=sum(one["near"] and bool(one["words"]) for one in total),
        matching=len(matching),
        by_word=tally([word for one in total for word in one["words"]]),
        by_day={"1970-01-01": len(matching)} if matching else {},
        by_intent=tally([one["intent"] for one in matching if one["intent"]]),
        by_feedback=tally([str(one["feedback"]) for one in matching]),
        message_ids=tuple(one["id"] for one in matching[:100]),
    )


@given(st.lists(EVENTS, max_size=40), st.lists(QUESTIONS, min_size=1, max_size=4))
def test_it_counts_what_a_plain_scan_counts(events: list[Any], questions: list[dict[str, Any]]) -> None:
    clock = SteppedClock(1000)
    store = MemoryStore(":memory:", clock=clock)
    other = MemoryStore(store.database.connection, user_id="other", clock=clock)
    other.add_message(other.create_session().id, "user", "my refund, hurry")
    session = store.create_session().id
    said: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for kind, *rest in events:
        if kind == "say":
            text, role, status, intent, feedback = rest
            message = store.add_message(session, role, text, status=status, intent=intent)
            store.set_feedback(message.id, feedback)
            one = {"id": message.id, "session": session, "at": clock.now, "text": text, "role": role}
            said.append({**one, "status": status, "intent": intent, "feedback": feedback})
        elif kind == "call":
            tool, status = rest
            call = store.add_tool_call(session, tool, {}, status="running")
            started = clock.now
            clock.advance(500)
            if status != "running":
                store.update_tool_call(call.id, status)
                started = clock.now
            calls.append({"session": session, "tool": tool, "status": status, "at": started})
        elif kind == "edit" and said and said[-1]["status"] == "complete":
            store.edit_message(said[-1]["id"], rest[0])
            said[-1]["text"] = rest[0]
        elif kind == "wait":
            clock.advance(rest[0])
        elif kind == "session":
            session = store.create_session().id
    for question in questions:
        counted = store.count_messages(**question)
        assert counted.to_dict() == plainly(said, calls, question).to_dict()
        assert list(counted.by_word.values()) == sorted(counted.by_word.values(), reverse=True)


def test_the_refund_question(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    store.add_message(session, "user", "退款什么时候到？")
    clock.advance(days=20)
    week_ago = clock.now
    for n in range(5):
        clock.advance(hours=5)
        if n < 3:
            call = store.add_tool_call(session, "pay", {}, status="running")
            store.update_tool_call(call.id, "failed", error="declined")
        clock.advance(seconds=90)
        words = "，我很着急" if n in (0, 4) else ""
        store.add_message(session, "user", f"退款流程是怎样的{words}", intent="refund")
        store.add_message(session, "assistant", "退款要三天，不用着急。")
    found = store.count_messages(
        topic="退款", since=week_ago, within_ms_of=("pay", "failed", 120_000), words="impatience"
    )
    assert (found.total, found.near_call, found.after_call, found.with_words) == (5, 3, 3, 2)
    assert (found.near_call_with_words, found.matching) == (1, 1)
    assert found.by_word == {"着急": 2}
    assert found.by_intent == {"refund": 1}
    assert len(found.message_ids) == 1


def test_a_latin_word_counts_where_it_stands_whole(store: MemoryStore) -> None:
    session = store.create_session().id
    for said in ("no rush at all", "rushing, and the crush of it", "再rush一下"):
        store.add_message(session, "user", said)
    assert store.count_messages(words=["rush"]).by_word == {"rush": 2}


def test_days_are_the_users(store: MemoryStore, clock: SteppedClock) -> None:
    session = store.create_session().id
    clock.now = 1_790_000_000_000 // 86_400_000 * 86_400_000 + 23 * 3_600_000  # 23:00 UTC
    store.add_message(session, "user", "late")
    (utc,) = store.count_messages().by_day
    store.set_setting("zone", "+08:00")
    (there,) = store.count_messages().by_day
    assert there > utc


@pytest.mark.parametrize(
    ("text", "impatient"),
    [
        ("Hurry up with my refund!", True),
        ("I've been waiting for ages", True),
        ("An unhurried walk", False),
        ("I wait for the bus", False),
        ("你们怎么还没退款，到底要多久才到账", True),
        ("快点发货", True),
        ("今天天气不错", False),
    ],
)
def test_impatience_in_both_languages(store: MemoryStore, text: str, impatient: bool) -> None:
    store.add_message(store.create_session().id, "user", text)
    assert store.count_messages(words="impatience").matching == impatient
