"""What a model noticed waits for the user like everything inferred, and only if the user said it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from py_memory import InvalidInputError
from py_memory.extraction.structured import read_proposals

SAID = "I moved to Oslo last week. My friend says `I love tea`. My password is hunter22."


def answer(**changes: Any) -> str:
    fact = {"key": "user::home", "value": "Oslo", "quote": "I moved to Oslo", "confidence": 0.9}
    return json.dumps({"facts": [{**fact, **changes}]})


def test_a_quoted_fact_is_proposed() -> None:
    (proposal,) = read_proposals(answer(quote="I moved to Oslo last week"), SAID)
    assert (proposal["key"], proposal["value"]) == ("user::home", "Oslo")
    assert not proposal["explicit"]


@pytest.mark.parametrize(
    "changes",
    [
        {"quote": "I moved to Bergen"},
        {"value": "tea", "quote": "I love tea"},
        {"value": "hunter22", "quote": "My password is hunter22"},
        {"value": "x" * 101},
    ],
)
def test_what_the_user_did_not_state_is_left_out(changes: dict[str, Any]) -> None:
    assert read_proposals(answer(**changes), SAID) == []


def test_what_is_not_to_be_remembered_is_left_out() -> None:
    assert read_proposals(answer(), "I moved to Oslo. Don't remember this.") == []


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        '{"facts": 5}',
        '{"facts": [5]}',
        answer(confidence=2),
        answer(confidence="high"),
        answer(value=5),
        answer(quote=" "),
        answer(more="x"),
        json.dumps({"facts": [{}] * 21}),
        '{"facts": ' + "[" * 200 + "]" * 200 + "}",
    ],
)
def test_an_answer_that_does_not_follow_the_schema_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        read_proposals(text, SAID)
