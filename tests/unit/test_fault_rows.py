"""Every row of the list of faults between devices and a server has a test that is named after it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpython

TESTS = Path(__file__).resolve().parents[1]
# Row → what happens. 1 to 13 are the page's own (tests/browser), 36 belongs to the archive.
ROWS = {
    14: "request lost",
    15: "reply lost after the commit",
    16: "request doubled in parallel",
    17: "reply cut short, damaged, or a proxy's page",
    18: "crash between taking a page in and keeping the cursor",
    19: "edit while a push is under way",
    20: "clock years off, or jumping",
    21: "one device id on two machines",
    22: "file restored from a month ago",
    23: "server restored from a backup",
    24: "one invalid change among many",
    25: "one row too large",
    26: "first sync killed again and again (100,000 messages: build.py bench sync_kills)",
    27: "token expired in the middle",
    28: "device revoked",
    29: "asked to wait",
    30: "older and newer programs",
    31: "forgotten here, changed there",
    32: "edited here and there",
    33: "commits in another order than they began",
    34: "database ends a transaction",
    35: "pool exhausted, slow body",
    37: "disk full on the server",
    38: "another user's rows",
    39: "bodies meant to harm",
    40: "files meant to harm",
}


def test_every_row_has_its_test() -> None:
    sources = [file.read_text("utf-8") for file in sorted(TESTS.rglob("test_*.py"))]
    named = {int(number) for source in sources for number in re.findall(r"def test_fault_(\d\d)_", source)}
    assert ROWS.keys() - named == set()
    assert named <= ROWS.keys() | set(range(1, 14))
