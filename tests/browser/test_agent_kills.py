"""The browser killed at the durable barriers of chat rounds: nothing doubled, the session goes on by asking.

PY_MEMORY_AGENT_KILLS sets how many of the barriers; `build.py bench agent_kills` takes all.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from tests.browser.agent_kills import barriers, check, kill_at, prepare

KILLS = int(os.environ.get("PY_MEMORY_AGENT_KILLS", "4"))


def test_killed_at_a_barrier_of_a_round_the_session_goes_on(
    launch: Callable[..., BrowserContext], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    context = launch(tmp_path / "whole")
    page = open_page(context)
    count = barriers(page, prepare(page))
    context.close()
    assert count >= 6  # three rounds of at least two saves, each beginning and ending
    kinds: Counter[str] = Counter()
    for number in range(1, count + 1, max(1, count // KILLS)):
        profile = tmp_path / f"profile {number}"
        context = launch(profile)
        page = open_page(context)
        session = prepare(page)
        kinds[kill_at(context, page, profile, session, number)] += 1
        context = launch(profile)
        check(open_page(context), session, tmp_path / "raw.db")
        context.close()
    print(f"{count} barriers, kills: {dict(kinds)}", file=sys.stderr)
    assert sum(kinds.values()) >= min(KILLS, count)
