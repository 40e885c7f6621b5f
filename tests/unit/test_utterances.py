"""How much of what people really say is noticed, and how much of what is noticed is right: two sets of
utterances of which half are traps. A fact counts as found when its key is equal (to-dos and single foods by
their first part) and one value contains the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from py_memory.extraction import propose
from py_memory.text import normalize

DATA = Path(__file__).parents[1] / "data"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


UTTERANCES = read("utterances.jsonl")
MORE = read("utterances_more.jsonl")  # by somebody who had never seen the rules
FIRST_PARTS = ("task::", "user::diet")


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    keys = {next((p for p in FIRST_PARTS if f["key"].startswith(p)), f["key"]) for f in (one, other)}
    values = normalize(one["value"]), normalize(other["value"])
    return len(keys) == 1 and (values[0] in values[1] or values[1] in values[0])


def measured(lang: str, utterances: list[dict[str, Any]] = UTTERANCES) -> tuple[float, float]:
    """(precision, recall)."""
    found = right = there = 0
    for line in utterances:
        if line["lang"] != lang:
            continue
        missing = list(line["facts"])
        there += len(missing)
        for proposal in propose(line["text"]):
            match = next((fact for fact in missing if same(fact, proposal)), None)
            found += 1
            if match:
                missing.remove(match)
                right += 1
            elif any(same(fact, proposal) for fact in line["facts"]):
                found -= 1  # the same fact in other words
    return right / found, right / there


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("utterances", "least_recall"), [(UTTERANCES, 0.95), (MORE, 0.8)], ids=["first", "more"]
)
def test_precision_and_recall(utterances: list[dict[str, Any]], least_recall: float, lang: str) -> None:
    precision, recall = measured(lang, utterances)
    print(f"{lang}: precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.95
    assert recall >= least_recall


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("utterances", [UTTERANCES, MORE], ids=["first", "more"])
def test_the_set_is_large_and_half_of_it_traps(utterances: list[dict[str, Any]], lang: str) -> None:
    lines = [line for line in utterances if line["lang"] == lang]
    assert len(lines) >= 170
    assert sum(not line["facts"] for line in lines) * 2 >= len(lines) - 5
