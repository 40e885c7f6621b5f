"""The browser killed with SIGKILL 1,000 times while it saves, 50 times on each of 20 profiles.

After each kill everything that was said to be saved must be there, and SQLite must find nothing wrong. The
state is kept in a folder, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from playwright.sync_api import Error, Playwright, sync_playwright

from tests.bench._page import finish, open_page
from tests.browser import host_page as host
from tests.browser.conftest import CHROMIUM_FLAGS, ROOT, SITE, Server, chromium
from tests.browser.kills import PHASES, check, kill_once

KILLS = 1_000
KILLS_PER_PROFILE = 50


@dataclass
class State:
    """How far it is. `acknowledged` and `session` belong to the profile in use."""

    port: int = 0  # part of the origin, and so of where the memory lies
    seed: int = field(default_factory=lambda: random.randrange(2**32))
    kills: int = 0
    checks: int = 0
    saved: int = 0
    seconds: float = 0.0
    phases: dict[str, int] = field(default_factory=dict)
    session: str = ""
    acknowledged: list[str] = field(default_factory=list)
    problem: str | None = None

    @staticmethod
    def read(folder: Path) -> State:
        file = folder / "state.json"
        return State(**json.loads(file.read_text())) if file.exists() else State()

    def write(self, folder: Path) -> None:
        new = folder / "state.new"
        new.write_text(json.dumps(asdict(self)))
        new.replace(folder / "state.json")


def one_kill(playwright: Playwright, url: str, folder: Path, state: State) -> None:
    """Opens, checks what the kill before has left, and kills once more."""
    profile = folder / "profile"
    if state.kills % KILLS_PER_PROFILE == 0 and state.session and state.acknowledged:
        look(playwright, url, folder, state)
        state.session, state.acknowledged = "", []
        state.write(folder)
        shutil.rmtree(profile, ignore_errors=True)
    context = playwright.chromium.launch_persistent_context(
        str(profile), executable_path=chromium(), headless=True, args=CHROMIUM_FLAGS
    )
    try:
        page, _ = open_page(context, url)
        if not state.session:
            state.session = host.start_session(page)
            page.evaluate("pyMemory.flush()")
        check(page, state.acknowledged, folder / "raw.db", state.seed)
        choose = random.Random(f"{state.seed} {state.kills}")
        marks = kill_once(context, page, profile, state.session, state.kills, choose)
    finally:
        with suppress(Error):
            context.close()
    state.kills += 1
    state.checks += 1
    state.saved += len(marks.acknowledged)
    state.acknowledged += marks.acknowledged
    state.phases[marks.phase] = state.phases.get(marks.phase, 0) + 1


def look(playwright: Playwright, url: str, folder: Path, state: State) -> None:
    """The check after the last kill on a profile."""
    context = playwright.chromium.launch_persistent_context(
        str(folder / "profile"), executable_path=chromium(), headless=True, args=CHROMIUM_FLAGS
    )
    try:
        page, _ = open_page(context, url)
        check(page, state.acknowledged, folder / "raw.db", state.seed)
        state.checks += 1
    finally:
        context.close()


def table(phases: Counter[str]) -> str:
    total = max(1, sum(phases.values()))
    lines = [f"{'killed':<18}{'times':>8}{'of all':>9}"]
    lines += [f"{phase:<18}{phases[phase]:>8}{100 * phases[phase] / total:>7.1f} %" for phase in PHASES]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--minutes", type=float, help="stop after this time; the next run goes on")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "dist" / "kills", help="where the state is kept"
    )
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    options = parser.parse_args()
    folder = options.folder
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    state = State.read(folder)
    if state.kills:
        print(f"going on after {state.kills} kills", flush=True)
    state.problem = None
    started = time.monotonic()
    server = Server(SITE)
    server.port = state.port
    server.start()
    state.port, url = server.port, server.url
    with sync_playwright() as playwright:
        while state.kills < options.kills:
            if options.minutes and time.monotonic() - started > options.minutes * 60:
                break
            before = time.monotonic()
            try:
                one_kill(playwright, url, folder, state)
            except AssertionError as error:
                state.problem = str(error)
            state.seconds += time.monotonic() - before
            state.write(folder)
            if state.problem:
                print(f"after {state.kills} kills: {state.problem}; the profile is in {folder}", flush=True)
                break
            if state.kills % 25 == 0:
                told = f"{state.kills} kills, {state.saved} saved messages, {state.seconds / 60:.0f} min"
                print(told, flush=True)
        if not state.problem and state.acknowledged:
            look(playwright, url, folder, state)
            state.write(folder)
    server.stop()
    phases = Counter(state.phases)
    print(table(phases))
    finish(
        "kills",
        kills=state.kills,
        wanted=options.kills,
        checks=state.checks,
        saved_messages=state.saved,
        lost=None if state.problem else 0,
        problem=state.problem,
        seconds=round(state.seconds),
        phases={phase: phases[phase] for phase in PHASES},
        percent={phase: round(100 * phases[phase] / max(1, state.kills), 1) for phase in PHASES},
    )
    sys.exit(1 if state.problem else 0)


if __name__ == "__main__":
    main()
