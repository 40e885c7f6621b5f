"""A model behind the port, as Python sees it: what is asked, how it ends, and what is said when it fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from py_memory import InvalidInputError, ModelError
from py_memory.models.failures import sentence
from py_memory.models.page import Chosen, PageModel, Unusable
from py_memory.records import Delta


class Port:
    """The worker's end, whose page gives out these steps; None is the end, and after them it is silent."""

    def __init__(self, *steps: dict[str, Any] | None) -> None:
        self.steps = list(steps)
        self.asked: list[Any] = []
        self.ended: list[str] = []

    def port_ask(self, id: str, turns: str) -> None:
        self.asked.append(json.loads(turns))

    async def port_next(self, id: str) -> str | None:
        if not self.steps:
            await asyncio.sleep(60)
        step = self.steps.pop(0)
        return None if step is None else json.dumps(step)

    def port_end(self, id: str) -> None:
        self.ended.append(id)


class Soon:
    """Is set when it has been looked at a few times."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


async def reply(model: Any, messages: Sequence[dict[str, Any]], looks: int = 1_000) -> list[Delta]:
    return [delta async for delta in model.reply(messages, [], Soon(looks))]


QUESTION = [
    {"role": "system", "content": "Notes."},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
    {"role": "tool", "tool_call_id": "1", "content": "found"},
    {"role": "user", "content": "Well?"},
]


def test_only_what_such_a_model_understands_is_asked() -> None:
    port = Port({"text": "Yes"}, {"usage": {"total_tokens": 9}}, {"finish_reason": "stop"}, None)
    deltas = asyncio.run(reply(PageModel(port, "small.gguf"), QUESTION))
    assert port.asked == [[{"role": "system", "content": "Notes."}, {"role": "user", "content": "Well?"}]]
    assert [delta.text for delta in deltas] == ["Yes", "", ""]
    assert deltas[1].usage == {"total_tokens": 9}
    assert deltas[2].finish_reason == "stop"
    assert len(port.ended) == 1


def test_a_stop_ends_it_while_the_page_says_nothing() -> None:
    port = Port({"text": "So"})

    async def run() -> list[Delta]:
        return await asyncio.wait_for(reply(PageModel(port, "small.gguf"), QUESTION, looks=4), 10)

    deltas = asyncio.run(run())
    assert [delta.text for delta in deltas] == ["So", ""]
    assert deltas[-1].finish_reason == "cancelled"
    assert len(port.ended) == 1


PROBLEMS = {
    "no_tab": ("No open tab has the model", "没有打开的标签页在运行模型"),
    "tab_closed": ("was closed in the middle of the answer", "在回答中途被关闭"),
    "no_model": ("Choose it again", "重新选择"),
    "memory": ("too little memory", "内存不足"),
    "too_long": ("more than “small.gguf” can read at once", "超过了“small.gguf”一次能读的长度"),
    "failed": ("stopped with an error (of its own)", "出错停止了（of its own）"),
    "another": ("stopped with an error (of its own)", "出错停止了（of its own）"),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_each_problem_is_said_in_both_languages(problem: str) -> None:
    port = Port({"problem": problem, "message": "of its own"})
    with pytest.raises(ModelError) as caught:
        asyncio.run(reply(PageModel(port, "small.gguf"), QUESTION))
    english, chinese = PROBLEMS[problem]
    assert english in sentence(caught.value, "en")
    assert chinese in sentence(caught.value, "zh")
    assert len(port.ended) == 1


def test_what_was_chosen_speaks_for_itself() -> None:
    chosen = Chosen(PageModel(Port(None), "small.gguf"))
    assert (chosen.name, chosen.takes_tools, chosen.context_tokens) == ("small.gguf", False, 4096)
    assert not hasattr(chosen, "names_its_uses")
    chosen.model = Unusable(InvalidInputError("This is no key."))
    with pytest.raises(InvalidInputError, match="no key"):
        asyncio.run(reply(chosen, QUESTION))
