"""A task with two side effects, killed with SIGKILL before every SQL statement, after every effect and at
every durable barrier, each time in a process of its own; after each kill the session goes on.

Nothing may be done twice, nothing may be recorded that did not happen, and the database must be sound.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.bench._page import finish
from tests.unit.agent_kills import instants, prepare, trial


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--every", type=int, default=1, help="take every n-th instant only")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        template, work = Path(folder) / "template.db", Path(folder) / "work"
        prepare(template)
        kinds = instants(work, template)
        chosen = range(1, len(kinds) + 1, options.every)
        killed: Counter[str] = Counter()
        problems = []
        for number in chosen:
            if problem := trial(work, template, number):
                problems.append(problem)
                print(problem, flush=True)
            killed[kinds[number - 1]] += 1
            if sum(killed.values()) % 100 == 0:
                print(f"{sum(killed.values())} of {len(chosen)} kills", flush=True)
    for kind, count in killed.items():
        print(f"{kind:<12}{count:>6}")
    finish(
        "agent_kills",
        kills=sum(killed.values()),
        instants=len(kinds),
        by_kind=dict(killed),
        problems=len(problems),
        seconds=round(time.monotonic() - started),
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
