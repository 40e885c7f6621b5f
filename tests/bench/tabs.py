"""Several tabs, one memory: that nothing is lost while owners are killed, and how long taking over takes.

Two tabs, then five, write 2,000 turns while the owner's process is killed 20 times. Then the owner is killed
while one other tab waits, which has Python ready (as it has ten seconds after it was opened) or has not. The
last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from statistics import median

from playwright.sync_api import BrowserContext, Page

from tests.bench._page import finish, open_page, profile, site
from tests.browser import host_page as host
from tests.browser.conftest import wait_for
from tests.browser.tab_soak import soak

STANDBY_READY_MS = 16_000
NOTE_OWNER = """() => {
    globalThis.owned = null;
    pyMemory.on('owner', ({owner}) => { if (owner === 'this-tab') globalThis.owned = Date.now(); });
}"""


def take_over(context: BrowserContext, url: str, *, wait_ms: int) -> float:
    """Milliseconds from the owner's death until the tab that waited owns the memory."""
    pages: list[Page] = []
    for _ in range(2):
        page, _ = open_page(context, url)
        pages.append(page)
    owner, other = pages
    process = host.renderer_of(owner)
    other.evaluate(NOTE_OWNER)
    other.wait_for_timeout(wait_ms)
    killed = time.time() * 1000
    os.kill(process, signal.SIGKILL)
    wait_for(other, "globalThis.owned !== null")
    ms = float(other.evaluate("owned")) - killed
    other.close()
    return ms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    numbers: dict[str, float] = {}
    problems: list[str] = []
    with site() as (playwright, url):
        url += "?lang=en"
        for tabs in (2, 5):
            with profile(playwright, service_workers="block") as context:
                outcome = soak(
                    lambda context=context: open_page(context, url)[0],
                    tabs=tabs,
                    turns=options.turns,
                    kills=options.kills,
                )
            found = outcome.problems()
            problems += found
            print(
                f"{tabs} tabs: {len(outcome.texts)} turns, {outcome.kills} kills, {outcome.unacknowledged} "
                f"of them with an unacknowledged turn in another tab, {len(found)} problems",
                flush=True,
            )
            numbers |= {f"turns_{tabs}": len(outcome.texts), f"unacknowledged_{tabs}": outcome.unacknowledged}
        with profile(playwright, service_workers="block") as context:
            page, _ = open_page(context, url)
            page.wait_for_timeout(6_000)  # by then the boot image has been fetched
            page.close()
            for name, wait_ms in (("without", 500), ("with", STANDBY_READY_MS)):
                times = [take_over(context, url, wait_ms=wait_ms) for _ in range(options.rounds)]
                print(f"taking over {name} standby: median {median(times):.0f} ms, most {max(times):.0f} ms")
                numbers[f"take_over_{name}_standby_ms"] = round(median(times))
    finish("tabs", kills=options.kills, problems=len(problems), **numbers)
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
