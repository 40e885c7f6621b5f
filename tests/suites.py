"""The test suites of `build.py test`: what each runs, how long it may take, and one table of results."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TSC = Path("web/node_modules/typescript/bin/tsc")


@dataclass(frozen=True)
class Suite:
    """`pytest` holds pytest's arguments; `commands` are further checks that each count as one test.
    `needs` names what build.py prepares first: "packages" (of the page), "site" (built), "browser",
    "postgres" (its programs), "model" (a file for the page to run)."""

    budget_s: int
    pytest: tuple[str, ...] = ()
    commands: dict[str, tuple[str, ...]] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()


PYTHON_SUITE = "tests/browser/test_python_suite.py"
SUITES = {
    "lint": Suite(
        20,
        commands={
            "ruff check": ("python", "-m", "ruff", "check", "."),
            "ruff format": ("python", "-m", "ruff", "format", "--check", "."),
            "mypy": ("python", "-m", "mypy", "py_memory"),
            "TypeScript, page": ("node", str(TSC), "-p", "web/tsconfig.json"),
            "TypeScript, worker": ("node", str(TSC), "-p", "web/tsconfig.worker.json"),
        },
        needs=frozenset({"packages"}),
    ),
    "unit": Suite(
        660, pytest=("tests/unit", "-n", "2", "--dist", "worksteal"), needs=frozenset({"postgres"})
    ),
    "pyodide": Suite(300, pytest=(PYTHON_SUITE,), needs=frozenset({"packages", "browser"})),
    "browser": Suite(
        1690,
        pytest=("tests/browser", f"--ignore={PYTHON_SUITE}", "-n", "2", "--dist", "worksteal"),
        needs=frozenset({"site", "browser"}),
    ),
    # Only by name or with --screens.
    "screens": Suite(1800, pytest=("tests/screens",), needs=frozenset({"site", "browser"})),
    # Only by name or with --models.
    "models": Suite(1800, pytest=("tests/models",), needs=frozenset({"site", "browser", "model"})),
}


@dataclass
class Result:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0

    def add(self, other: Result) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.seconds += other.seconds


def run_suites(names: Iterable[str], *, python: Path, env: dict[str, str], reports: Path) -> int:
    """Runs the suites in order, also after a failure; returns the exit code."""
    reports.mkdir(parents=True, exist_ok=True)
    results = {name: run_suite(name, python, env, reports) for name in names}
    total = Result()
    print(f"\n{'suite':<10}{'passed':>8}{'failed':>8}{'skipped':>9}{'time':>9}{'budget':>9}")
    for name, result in results.items():
        total.add(result)
        print(
            f"{name:<10}{result.passed:>8}{result.failed:>8}{result.skipped:>9}"
            f"{result.seconds:>7.0f} s{SUITES[name].budget_s:>7} s"
        )
    print(f"{total.passed} passed, {total.failed} failed", flush=True)
    return 1 if total.failed or not total.passed else 0


def run_suite(name: str, python: Path, env: dict[str, str], reports: Path) -> Result:
    suite, result, started = SUITES[name], Result(), time.monotonic()
    print(f"\n== {name}", flush=True)

    def left() -> float:
        return suite.budget_s - (time.monotonic() - started)

    for title, (program, *arguments) in suite.commands.items():
        code = run_within([str(python) if program == "python" else program, *arguments], env, left())
        result.add(Result(passed=int(code == 0), failed=int(code != 0)))
        print(f"{title}: {'passed' if code == 0 else 'FAILED'}", flush=True)
    if suite.pytest:
        report = reports / f"{name}.xml"
        report.unlink(missing_ok=True)
        flags = ("-q", "-ra", "--durations=5", f"--junit-xml={report}")
        code = run_within([str(python), "-m", "pytest", *flags, *suite.pytest], env, left())
        result.add(counted(report))
        if code and not result.failed:
            result.failed += 1  # it could not start, found no test, or ran out of time
    result.seconds = time.monotonic() - started
    return result


def run_within(command: list[str], env: dict[str, str], seconds: float) -> int:
    """Exit code of the command; past its time it is ended together with every process that it started."""
    process = subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True)
    try:
        return process.wait(timeout=max(seconds, 1))
    except subprocess.TimeoutExpired:
        print(f"Stopped: the suite is over its time budget in `{' '.join(command[:4])} …`.", flush=True)
        return 1
    finally:
        if process.poll() is None:
            end_group(process)


def end_group(process: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def counted(report: Path) -> Result:
    """Counts of a JUnit report. A test that runs a whole suite elsewhere says how many tests that had."""
    result = Result()
    if not report.exists():
        return result
    for case in ElementTree.parse(report).iter("testcase"):
        inner = {
            item.get("name", ""): int(item.get("value", "0"))
            for item in case.iter("property")
            if item.get("name") in ("passed", "failed", "skipped")
        }
        if inner:
            result.add(Result(inner.get("passed", 0), inner.get("failed", 0), inner.get("skipped", 0)))
        elif case.find("failure") is not None or case.find("error") is not None:
            result.failed += 1
        elif case.find("skipped") is not None:
            result.skipped += 1
        else:
            result.passed += 1
    return result
