"""Tasks and rounds killed with SIGKILL at every instant that counts; after each kill the session goes on.

On CPython a task with two side effects is killed before every SQL statement, after every effect and at every
durable barrier, each time in a process of its own; in Chromium rounds of the assistant are killed at every
durable barrier. Nothing may be done twice, nothing recorded that did not happen, and the database is sound.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Playwright

from tests.bench._page import finish, site
from tests.browser import agent_kills as in_page
from tests.browser.conftest import CHROMIUM_FLAGS, chromium, wait_until_ready
from tests.unit.agent_kills import instants, prepare, trial


def on_cpython(folder: Path, every: int) -> tuple[Counter[str], list[str]]:
    template, work = folder / "template.db", folder / "work"
    prepare(template)
    kinds = instants(work, template)
    killed: Counter[str] = Counter()
    problems = []
    for number in range(1, len(kinds) + 1, every):
        if problem := trial(work, template, number):
            problems.append(problem)
            print(problem, flush=True)
        killed[kinds[number - 1]] += 1
        if sum(killed.values()) % 100 == 0:
            print(f"{sum(killed.values())} of {len(kinds) // every} kills", flush=True)
    return killed, problems


def in_chromium(playwright: Playwright, url: str, folder: Path, every: int) -> tuple[Counter[str], list[str]]:
    def start(profile: Path) -> tuple[BrowserContext, Page]:
        context = playwright.chromium.launch_persistent_context(
            str(profile), executable_path=chromium(), headless=True, args=CHROMIUM_FLAGS
        )
        page = context.new_page()
        page.goto(f"{url}?lang=en")
        wait_until_ready(page)
        return context, page

    context, page = start(folder / "whole")
    count = in_page.barriers(page, in_page.prepare(page))
    context.close()
    killed: Counter[str] = Counter()
    problems = []
    for number in range(1, count + 1, every):
        profile = folder / f"profile {number}"
        context, page = start(profile)
        session = in_page.prepare(page)
        killed[f"browser, {in_page.kill_at(context, page, profile, session, number)}"] += 1
        context, page = start(profile)
        try:
            in_page.check(page, session, folder / "raw.db")
        except AssertionError as error:
            problems.append(f"barrier {number}: {error}")
            print(problems[-1], flush=True)
        context.close()
    return killed, problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--every", type=int, default=1, help="take every n-th instant only")
    parser.add_argument("--only", choices=("cpython", "browser"))
    options = parser.parse_args()
    started = time.monotonic()
    killed: Counter[str] = Counter()
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only != "browser":
            found, wrong = on_cpython(folder, options.every)
            killed, problems = killed + found, problems + wrong
        if options.only != "cpython":
            with site() as (playwright, url):
                found, wrong = in_chromium(playwright, url, folder, options.every)
            killed, problems = killed + found, problems + wrong
    for kind, count in killed.items():
        print(f"{kind:<18}{count:>6}")
    finish(
        "agent_kills",
        kills=sum(killed.values()),
        by_kind=dict(killed),
        problems=len(problems),
        seconds=round(time.monotonic() - started),
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
