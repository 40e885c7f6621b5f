"""The browser is killed with SIGKILL at chosen instants of a save, again and again on one profile.

PY_MEMORY_KILLS sets how often.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page

from tests.browser import host_page as host

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

KILLS = int(os.environ.get("PY_MEMORY_KILLS", "50"))
PHASES = ("before put", "in flight", "after complete", "in compaction")

# Writes turns without end and tells on the console what it does: the marks are read outside, at the kill.
WRITE = """async ([session_id, round]) => {
    const say = (text) => console.debug('mark ' + text);
    pyMemory.on('status', (status) => { if (status.state === 'saving') say('in flight'); });
    for (let turn = 0; ; turn++) {
        say('before put');
        const content = `round ${round}, turn ${turn}: ` + 'Mei cannot eat peanuts. '.repeat(40);
        const role = turn % 2 ? 'assistant' : 'user';
        const {id} = await pyMemory.call('add_message', {session_id, role, content});
        say('after complete ' + id);
        if (turn % 7 === 6) {
            say('in compaction');
            await pyMemory.call('compact');
            say('after complete');
        }
    }
}"""


class Marks:
    """The last thing the page said, and every message that it was told is saved."""

    def __init__(self, page: Page) -> None:
        self.phase = ""
        self.acknowledged: list[str] = []
        page.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        word, _, text = message.text.partition(" ")
        if word != "mark":
            return
        if text.startswith("after complete"):
            self.phase = "after complete"
            self.acknowledged += text.split()[2:]
        else:
            self.phase = text


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
        marks = Marks(page)
        write_until(page, session, round_, marks, PHASES[round_ % len(PHASES)], choose)
        host.kill_browser(context, profile)
        counts[marks.phase] += 1
        acknowledged += marks.acknowledged
        with pytest.raises(Error):
            page.evaluate("() => 1")
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


def write_until(
    page: Page, session: str, round_: int, marks: Marks, phase: str, choose: random.Random
) -> None:
    """Returns at an instant of this phase, after some turns and a moment that no clock of the page knows."""
    page.evaluate(f"(args) => {{ ({WRITE})(args); }}", [session, round_])
    turns = choose.randrange(1, 16)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        page.wait_for_event("console", timeout=30_000)
        if len(marks.acknowledged) >= turns and marks.phase == phase:
            time.sleep(choose.random() * (0.03 if phase == "in compaction" else 0.004))
            return
    raise AssertionError(f"the page never was in the phase {phase!r}")


def check(page: Page, acknowledged: list[str], raw: Path, seed: int) -> None:
    assert host.status(page)["warning"] is None, f"seed {seed}"
    assert host.integrity(host.raw_file(page, raw)) == ["ok"], f"seed {seed}"
    script = """(ids) => Promise.all(ids.map((id) => pyMemory.call('get_message', {id}).then(
        () => null, (error) => `${id} ${error.name}: ${error.message}`))
    ).then((lost) => lost.filter(Boolean))"""
    lost = page.evaluate(script, acknowledged)
    assert not lost, (
        f"seed {seed}: {len(lost)} of {len(acknowledged)} lost, first {lost[0]}; {host.status(page)}"
    )
