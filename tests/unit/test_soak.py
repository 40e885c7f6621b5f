"""The soak, shortened: it finds nothing broken, and goes on after its process was killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.cpython

ROOT = Path(__file__).resolve().parents[2]


def command(folder: Path, *, scenarios: int = 7, days: int = 3) -> list[str]:
    """From the last scenario in English on; the next is in Chinese."""
    some = {"first": 5, "scenarios": scenarios, "days": days, "rounds": 36, "folder": folder}
    options = [f"--{name}={value}" for name, value in some.items()]
    return [sys.executable, "-m", "tests.bench.soak", *options]


def finished(output: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output.splitlines()[-1])
    return found


def test_a_short_soak_survives_being_killed(tmp_path: Path) -> None:
    process = subprocess.Popen(command(tmp_path), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob("*/progress.json")):
            assert time.monotonic() < deadline, "no day was finished"
            assert process.poll() is None, "it ended before a day was finished"
            time.sleep(0.05)
    finally:
        process.kill()
        process.communicate()
    done = subprocess.run(command(tmp_path), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found = finished(done.stdout)
    assert (found["scenarios"], found["days"], found["broken"]) == (2, 6, 0)
    assert found["rounds"] == 2 * 3 * 36
    assert found["right_percent"] >= 99
    assert found["found_percent"] >= 99
    assert found["asked"] >= 30
    assert found["most_current_facts"] >= 50


def test_the_soak_sees_what_is_broken(tmp_path: Path) -> None:
    """A memory that answers nothing, holds two current values and has lost a source does not pass."""
    spoil = """
import sys
from py_memory.rows import facts
from tests.bench import soak
real = soak.Scenario._tidy
def tidy(self, day):
    real(self, day)
    db = self.store.database
    with db.transaction():
        db.execute("DROP TRIGGER IF EXISTS one_current_fact_on_update")
        db.execute("UPDATE facts SET status = 'current' WHERE key = 'user::home'")
        db.execute("UPDATE facts SET source_message_id = 'gone' WHERE key = 'user::note'")
soak.Scenario._tidy = tidy
sys.exit(soak.main(sys.argv[1:]))
"""
    arguments = [sys.executable, "-c", spoil, *command(tmp_path, scenarios=6, days=1)[3:]]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr[-2000:]
    assert "one current value" in done.stdout
    assert "provenance" in done.stdout
    assert finished(done.stdout)["broken"] > 0
