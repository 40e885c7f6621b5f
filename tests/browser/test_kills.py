"""The browser is killed with SIGKILL at chosen instants of a save, again and again on one profile.

PY_MEMORY_KILLS sets how often; `build.py bench kills` does it 1,000 times.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from tests.browser import host_page as host
from tests.browser.kills import PHASES, check, kill_once

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

KILLS = int(os.environ.get("PY_MEMORY_KILLS", "50"))


def test_fault_01_killed_at_any_instant_it_loses_nothing_that_was_saved(
    launch: Launch, open_page: OpenPage, tmp_path: Path
) -> None:
    seed = random.randrange(2**32)
    choose = random.Random(seed)
    acknowledged: list[str] = []
    counts: Counter[str] = Counter()
    profile = tmp_path / "profile"
    session = ""
    for round_ in range(KILLS):
        context = launch(profile)
        page = open_page(context)
        session = session or host.start_session(page)
        check(page, acknowledged, tmp_path / "raw.db", seed)
        marks = kill_once(context, page, profile, session, round_, choose)
        counts[marks.phase] += 1
        acknowledged += marks.acknowledged
    page = open_page(launch(profile))
    check(page, acknowledged, tmp_path / "raw.db", seed)
    told = ", ".join(f"{phase}: {counts[phase]}" for phase in PHASES)
    print(f"{KILLS} kills ({told}), {len(acknowledged)} saved messages, 0 lost", file=sys.stderr)
    assert len(acknowledged) > KILLS
    if KILLS >= 20:
        assert all(counts[phase] for phase in PHASES)


def test_half_a_record_in_the_browsers_own_log_costs_nothing(
    launch: Launch, open_page: OpenPage, tmp_path: Path
) -> None:
    """What a kill between two writes of Chromium leaves. Two starts later it used to delete everything."""
    profile = tmp_path / "profile"
    context = launch(profile)
    page = open_page(context)
    session = host.start_session(page)
    said = ["before the kill", "after the kill", "after another one"]
    for text in said:
        host.add(page, session, text)
        host.kill_browser(context, profile)
        for log in profile.glob("Default/IndexedDB/*.leveldb/*.log"):
            with log.open("ab") as file:
                file.write(b"sums" + (100).to_bytes(2, "little") + b"\x01")  # a header without its record
        context = launch(profile)
        page = open_page(context)
    assert host.texts(page, session) == said
