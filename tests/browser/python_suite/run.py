"""Runs inside Pyodide: pytest over the unit tests; the last value is the report as JSON."""

import json
import os
import sys

os.chdir("/suite")
sys.path[:0] = ["/suite", "/suite/lib"]

import pytest  # noqa: E402 -- it lies in the folder just named

tell = globals()["tell"]  # given by worker.js


class Collector:
    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.texts: dict[str, str] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        tell(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if self.outcomes.get(report.nodeid) != "failed":
            self.outcomes[report.nodeid] = report.outcome
        if report.outcome != "passed":
            self.texts[report.nodeid] = report.longreprtext + "".join(
                f"\n--- {title}\n{text}" for title, text in report.sections
            )


collector = Collector()
code = pytest.main(
    [
        "tests/unit",
        "-m",
        "not cpython",
        "-q",
        "--capture=sys",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
    ],
    plugins=[collector],
)
json.dumps(
    {
        "code": int(code),
        "python": sys.version.split()[0],
        "outcomes": collector.outcomes,
        "texts": collector.texts,
    }
)
