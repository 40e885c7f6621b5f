"""10,000 random operations on three devices whose clocks are ten years apart, 10 times over, with faults.

Edits, facts, forgetting, undo, imports, copied and restored devices, lost and repeated requests and replies,
killed devices, a server that dies in the middle of a page; tests/unit/sync_long.py has the list. In the end
devices and server hold the same, by the hash of their dumps, and each change that lost waits for review once.
It can be stopped at any time: finished seeds are kept. A seed draws everything, ids as well, so that a
history can be lived again. The last line is one line of JSON.

    build.py bench sync_soak [--seeds N] [--operations N] [--postgres N] [--minutes M] [--fresh]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.unit.postgres import Cluster, cluster
from tests.unit.sync_long import LongHistory

SEEDS, OPERATIONS, ON_POSTGRES = 10, 10_000, 2


@contextmanager
def drawn(seed: int) -> Iterator[None]:
    """What the operating system draws otherwise, and ids, which go on from the last one made."""
    draw = random.Random(seed)
    random.seed(seed)
    with mock.patch("os.urandom", draw.randbytes), mock.patch("py_memory.ids._last", (0, 0)):
        yield


def live(seed: int, operations: int, running: Cluster | None) -> dict[str, Any]:
    """One history. Returns what came of it; `problem` is empty where all is well."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="py-memory-soak-") as name, drawn(seed):
        history = LongHistory(seed, Path(name), running)
        problem, ended = "", {}
        try:
            history.live(operations)
            ended = history.finish_all()
        except Exception as error:
            trail = "\n".join(history.trail)
            print(f"{trail}\n{''.join(traceback.format_exception(error)[-8:])}", file=sys.stderr)
            problem = f"{type(error).__name__}: {error}"[:2000]
        finally:
            history.close()
    seconds = round(time.monotonic() - started, 1)
    return {**ended, "operations": dict(history.counts), "seconds": seconds, "problem": problem}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="not used here")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"default: {SEEDS}")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--operations", type=int, default=OPERATIONS, help=f"default: {OPERATIONS}")
    parser.add_argument(
        "--postgres", type=int, default=ON_POSTGRES, help=f"seeds over PostgreSQL as well ({ON_POSTGRES})"
    )
    parser.add_argument("--minutes", type=float, help="begin no seed after this time; the next run goes on")
    parser.add_argument(
        "--folder", type=Path, default=Path("dist/sync_soak"), help="what is done is kept here"
    )
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # else sets are walked in another order each time
        command = [sys.executable, "-m", "tests.bench.sync_soak", *sys.argv[1:]]
        os.execve(command[0], command, {**os.environ, "PYTHONHASHSEED": "0"})
    if options.fresh:
        shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    note = options.folder / "done.json"
    done: dict[str, dict[str, Any]] = json.loads(note.read_text("utf-8")) if note.exists() else {}
    started = time.monotonic()
    seeds = range(options.first, options.first + options.seeds)
    wanted = {"sqlite": list(seeds), "postgres": list(seeds)[: options.postgres]}
    left_out = ""
    for kind, numbers in wanted.items():
        left = [n for n in numbers if f"{kind} {n} {options.operations}" not in done]
        lent: AbstractContextManager[Cluster | None] = nullcontext()
        if kind == "postgres" and left:
            lent = cluster()
        try:
            with lent as running:
                for seed in left:
                    if options.minutes and time.monotonic() - started > options.minutes * 60:
                        break
                    found = live(seed, options.operations, running)
                    print(f"{kind}, seed {seed}: {json.dumps(found)}", flush=True)
                    if not found["problem"]:
                        done[f"{kind} {seed} {options.operations}"] = found
                        note.write_text(json.dumps(done, indent=1), "utf-8")
                    else:
                        return report(options, wanted, done, f"{kind}, seed {seed}: {found['problem']}", "")
        except pytest.skip.Exception as skipped:
            left_out = str(skipped)
    return report(options, wanted, done, "", left_out)


def report(
    options: argparse.Namespace,
    wanted: dict[str, list[int]],
    done: dict[str, dict[str, Any]],
    problem: str,
    left_out: str,
) -> int:
    found = {
        kind: [done[name] for n in numbers if (name := f"{kind} {n} {options.operations}") in done]
        for kind, numbers in wanted.items()
    }
    everything = [*found["sqlite"], *found["postgres"]]
    result = {
        "bench": "sync_soak",
        "operations_each": options.operations,
        "seeds": {kind: len(results) for kind, results in found.items()},
        "wanted": {kind: len(numbers) for kind, numbers in wanted.items()},
        "operations": sum(sum(each["operations"].values()) for each in everything),
        "server_died": sum(each["operations"].get("server died", 0) for each in everything),
        "rows": sum(each["rows"] for each in everything),
        "lost": sum(each["lost"] for each in everything),
        "to_review": sum(each["to_review"] for each in everything),
        "seconds": round(sum(each["seconds"] for each in everything)),
        "left_out": left_out,
        "problem": problem,
    }
    print(json.dumps(result))
    whole = all(len(found[kind]) == len(numbers) for kind, numbers in wanted.items() if not left_out)
    return 0 if whole and not problem else 1


if __name__ == "__main__":
    sys.exit(main())
