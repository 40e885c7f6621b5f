"""Several tabs that write turns while the tab that owns the memory is killed again and again."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

from tests.browser import host_page as host
from tests.browser.conftest import wait_for

# Each turn waits for the one before. `asked` counts requests, `done` answers.
WRITE = """([session_id, writer, turns]) => {
    globalThis.turns = {asked: 0, done: 0, error: null};
    (async () => {
        for (let turn = 0; turn < turns; turn++) {
            globalThis.turns.asked = turn + 1;
            const content = `writer ${writer} turn ${turn}`;
            await pyMemory.call('add_message', {session_id, role: 'user', content});
            globalThis.turns.done = turn + 1;
        }
    })().catch((error) => { globalThis.turns.error = String(error); });
}"""
PROGRESS = "() => ({...globalThis.turns, owner: pyMemory.status().owner})"


@dataclass
class Writer:
    """A tab and what it has to write. One that is killed hands the rest to a new one."""

    page: Page
    process: int
    turns: int
    asked: int = 0
    done: int = 0


@dataclass
class Outcome:
    kills: int = 0
    unacknowledged: int = 0  # kills while another tab waited for an answer
    writers: list[Writer] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def problems(self) -> list[str]:
        """What is lost, double or out of order. Of a killed tab's last turn nobody knows what became."""
        out = [f"{text} is there {n} times" for text, n in Counter(self.texts).items() if n > 1]
        for number, writer in enumerate(self.writers):
            start = f"writer {number} turn "
            there = [int(text.removeprefix(start)) for text in self.texts if text.startswith(start)]
            if there != list(range(len(there))) or not writer.done <= len(there) <= writer.asked:
                out.append(
                    f"writer {number}: {writer.done} of {writer.asked} were answered, there are {there}"
                )
        return out


def soak(open_tab: Callable[[], Page], *, tabs: int, turns: int, kills: int) -> Outcome:
    """Kills the owner's process `kills` times, spread over the turns."""
    outcome = Outcome()
    session = ""

    def add(count: int) -> Writer:
        nonlocal session
        page = open_tab()
        session = session or host.start_session(page)
        writer = Writer(page, host.renderer_of(page), count)
        page.evaluate(WRITE, [session, len(outcome.writers), count])
        outcome.writers.append(writer)
        return writer

    live = [add(turns // tabs) for _ in range(tabs)]
    for number in range(kills):
        mark = turns * (number + 1) // (kills + 1)
        gone = sum(writer.done for writer in outcome.writers if writer not in live)
        while gone + sum(look(writer)["done"] for writer in live) < mark:
            live[0].page.wait_for_timeout(5)
        owner = next((writer for writer in live if look(writer)["owner"] == "this-tab"), None)
        while owner is None:  # just being taken over
            live[0].page.wait_for_timeout(20)
            owner = next((writer for writer in live if look(writer)["owner"] == "this-tab"), None)
        outcome.unacknowledged += any(w.asked > w.done for w in live if w is not owner)
        os.kill(owner.process, signal.SIGKILL)
        outcome.kills += 1
        live.remove(owner)
        # What it had asked for when it died is not known to the last turn.
        owner.asked = owner.turns
        live.append(add(max(1, owner.turns - owner.done)))
    for writer in live:
        wait_for(writer.page, f"turns.done === {writer.turns} || turns.error !== null", 300_000)
        error = look(writer)["error"]
        assert error is None, error
    outcome.texts = host.texts(live[0].page, session)
    return outcome


def look(writer: Writer) -> dict[str, Any]:
    state: dict[str, Any] = writer.page.evaluate(PROGRESS)
    writer.asked, writer.done = state["asked"], state["done"]
    return state
