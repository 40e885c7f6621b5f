"""A process that acts on the world and is killed at any instant: nothing happens twice, nothing is broken.

Here at every effect and barrier and some statements; `build.py bench agent_kills` takes all of them.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.unit.agent_kills import instants, prepare, trial

pytestmark = [
    pytest.mark.cpython,
    pytest.mark.skipif(
        not hasattr(os, "fork") or not hasattr(signal, "SIGKILL"), reason="needs fork and SIGKILL"
    ),
]

STATEMENTS = 16


def test_killed_at_any_instant_nothing_is_done_twice(tmp_path: Path) -> None:
    template = tmp_path / "template.db"
    prepare(template)
    kinds = instants(tmp_path / "work", template)
    assert kinds.count("effect") == 2
    assert kinds.count("barrier") >= 6
    chosen = {number for number, kind in enumerate(kinds, 1) if kind != "statement"}
    chosen |= {number + 1 for number in chosen if number < len(kinds)}  # the statement after it
    chosen |= set(range(1, len(kinds) + 1, max(1, len(kinds) // STATEMENTS)))
    problems = [trial(tmp_path / "work", template, number) for number in sorted(chosen)]
    assert [problem for problem in problems if problem] == []
    assert len(problems) > STATEMENTS
