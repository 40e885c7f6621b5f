"""Runs the unit tests inside Pyodide in Chromium: the page's own Python and SQLite."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.pyodide_site import RESULT, pyodide_site

SCRIPT = Path(__file__).parent / "python_suite" / "run.py"
PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "hypothesis", "sortedcontainers")
MINUTES = 9


@pytest.fixture
def suite_url(tmp_path: Path) -> Iterator[str]:
    with pyodide_site(tmp_path, SCRIPT, ("tests/unit", "tests/data"), PACKAGES) as url:
        yield url


def test_unit_suite_inside_pyodide(
    suite_url: str,
    launch: Callable[..., BrowserContext],
    record_property: Callable[[str, object], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = launch().new_page()
    page.goto(suite_url)
    result = page.evaluate(RESULT, MINUTES * 60_000)
    assert "report" in result, f"The suite did not finish: {result.get('error')}"
    report = json.loads(result["report"])
    counts = Counter(report["outcomes"].values())
    for outcome in ("passed", "failed", "skipped"):
        record_property(outcome, counts[outcome])
    with capsys.disabled():
        print(f"\nInside Pyodide (Python {report['python']}): {dict(counts)}")
    failures = [name for name, outcome in report["outcomes"].items() if outcome == "failed"]
    if failures:
        texts = "\n\n".join(f"=== {name}\n{report['texts'][name]}" for name in failures)
        pytest.fail(f"{len(failures)} unit tests fail inside Pyodide:\n{texts}", pytrace=False)
    assert counts["passed"] > 0
    assert report["code"] == 0
