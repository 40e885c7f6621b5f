"""Questions about what tools have said, each with the results that answer it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from py_memory import MemoryStore
from py_memory.clock import DAY_MS
from py_memory.recall.question import read_question

from .conftest import SteppedClock

LINES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "tool_results.jsonl").read_text("utf-8").splitlines()
]
CALLS = sorted((line for line in LINES if "call" in line), key=lambda line: -line["days"])
QUESTIONS = [line for line in LINES if "q" in line]
NOW = 1_790_000_000_000


@pytest.fixture(scope="module")
def filled() -> Iterator[tuple[MemoryStore, dict[str, str]]]:
    """A memory of three weeks, and the names of the calls in it by id."""
    clock = SteppedClock()
    store = MemoryStore(":memory:", clock=clock)
    names = {}
    for line in CALLS:
        clock.now = NOW - line["days"] * DAY_MS
        session = store.create_session().id
        store.add_message(session, "user", line["said"])
        clock.advance(seconds=1)
        call = store.add_tool_call(session, line["tool"], line["input"])
        store.update_tool_call(call.id, "success", output=line["output"])
        names[call.id] = line["call"]
        clock.advance(seconds=1)
        store.add_message(session, "assistant", line["answered"])
        for number in range(3):
            clock.advance(seconds=60)
            store.add_message(session, "user", f"by the way, note {number} about nothing 今天没什么事")
    clock.now = NOW
    yield store, names
    store.close()


def test_the_set_is_large_enough() -> None:
    chinese = sum(any("\u4e00" <= letter <= "\u9fff" for letter in line["q"]) for line in QUESTIONS)
    assert len(QUESTIONS) >= 30
    assert min(chinese, len(QUESTIONS) - chinese) >= 15


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda line: line["q"])
def test_a_result_is_found(filled: tuple[MemoryStore, dict[str, str]], question: dict[str, Any]) -> None:
    """Among the first three results and the first five memories; first of all results where the last time is
    asked for."""
    store, names = filled
    found = store.recall(question["q"], limit=10)
    results = [names[item.id] for item in found if item.kind == "tool_calls"]
    assert set(results[: 1 if question.get("first") else 3]) & set(question["want"])
    assert set(question["want"]) & {names.get(item.id) for item in found[:5]}


def test_most_come_first_of_all_results(filled: tuple[MemoryStore, dict[str, str]]) -> None:
    store, names = filled
    first = 0
    for question in QUESTIONS:
        found = store.recall(question["q"], limit=10)
        first += next(names[item.id] for item in found if item.kind == "tool_calls") in question["want"]
    assert first >= len(QUESTIONS) - 3


def test_a_result_comes_before_the_talk_about_it_where_it_is_asked_for(
    filled: tuple[MemoryStore, dict[str, str]],
) -> None:
    store, _ = filled
    found = store.recall("What did the weather tool say for Oslo?")
    assert found[0].kind == "tool_calls"
    assert found[0].reason["factors"]["result"] > 1
    assert store.recall("Oslo weather")[0].kind == "messages"


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("the same as last time", True),
        ("和上次一样", True),
        ("the latest forecast", True),
        ("what did I do last week?", False),
        ("my last name", False),
        ("last Friday", False),
        ("上周五", False),
    ],
)
def test_the_last_time_is_asked_for(words: str, asks: bool) -> None:
    from py_memory.recall.parameters import DEFAULTS

    assert read_question(words, NOW, DEFAULTS).asks_last is asks
