"""docs/models.md says what is so: the tools, the limits, the order in which a prompt grows shorter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from py_memory import MemoryStore
from py_memory.conversation import MAX_TOOL_TURNS
from py_memory.memory_tools import memory_tools
from py_memory.outputs import MAX_OUTPUT_BYTES
from py_memory.prompting import ANSWER_TOKENS, MAX_RECALLED
from py_memory.retries import ATTEMPTS
from py_memory.task_tools import task_tools
from py_memory.tool_runs import MAX_ARGUMENT_BYTES, MAX_CALLS
from py_memory.tools import TIMEOUT_MS

pytestmark = pytest.mark.cpython

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text("utf-8")


def test_every_tool_of_the_memory_has_its_line(store: MemoryStore) -> None:
    said = store.add_message(store.create_session().id, "user", "hello")
    tools = [*memory_tools(store, said, for_model=True), *task_tools(store, said)]
    rows = re.findall(r"^\| `((?:memory|todo|task|experience)_\w+)` \| ([\w, ]*?) ?\| .+ \|$", TEXT, re.M)
    written = {name: {word for word in arguments.split(", ") if word} for name, arguments in rows}
    assert written == {tool.name: set(tool.parameters["properties"]) for tool in tools}
    assert len(rows) == len(tools)


def test_the_limits_are_those_in_use() -> None:
    for said in (
        f"make {MAX_CALLS} calls, in at most {MAX_TOOL_TURNS}\n",
        f"at most {MAX_ARGUMENT_BYTES >> 10} KiB",
        f"| `timeout_ms` | {TIMEOUT_MS:,} |",
        f"| `max_output_bytes` | {MAX_OUTPUT_BYTES:,} |",
        f"else {ANSWER_TOKENS:,} or a quarter",
    ):
        assert said in TEXT
    assert (ATTEMPTS, MAX_RECALLED) == (4, 5)
    assert "asked up to four times" in TEXT
    assert "at most five memories" in TEXT
