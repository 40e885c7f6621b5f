"""Kills the browser at chosen instants of a save, for the test of 50 kills and the benchmark of 1,000."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page

from tests.browser import host_page as host

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


def kill_once(
    context: BrowserContext,
    page: Page,
    profile: Path,
    session: str,
    number: int,
    choose: random.Random,
) -> Marks:
    """Writes until an instant of the phase whose turn it is, and kills. Returns what the page had said.

    That is the phase as it was known at the kill, and every acknowledgement, also those still on their way.
    """
    marks = Marks(page)
    write_until(page, session, number, marks, PHASES[number % len(PHASES)], choose)
    host.kill_browser(context, profile)
    at_kill = marks.phase
    with pytest.raises(Error):
        page.evaluate("() => 1")  # hears what was still on its way
    marks.phase = at_kill
    return marks


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
    warning = host.status(page)["warning"]
    assert warning is None, f"seed {seed}: the memory says {warning!r}"
    found = host.integrity(host.raw_file(page, raw))
    assert found == ["ok"], f"seed {seed}: {found[:3]}"
    script = """(ids) => Promise.all(ids.map((id) => pyMemory.call('get_message', {id}).then(
        () => null, (error) => `${id} ${error.name}: ${error.message}`))
    ).then((lost) => lost.filter(Boolean))"""
    lost = page.evaluate(script, acknowledged)
    assert not lost, (
        f"seed {seed}: {len(lost)} of {len(acknowledged)} lost, first {lost[0]}; {host.status(page)}"
    )
