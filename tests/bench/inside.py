"""Runs a benchmark's script inside Pyodide in Chromium, with this package and its tests beside it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["inside_pyodide"]


def inside_pyodide(script: Path, folders: Sequence[str], texts: Mapping[str, str]) -> dict[str, Any]:
    """The object that the script's last value spells in JSON. Beside it lie `folders` of this repository and
    `texts` (name to content). What it tells is printed."""
    # Not at the top: the benchmarks that use this run inside Pyodide too, where there is no Playwright.
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM_FLAGS, chromium
    from tests.browser.pyodide_site import pyodide_site

    with (
        tempfile.TemporaryDirectory(prefix="py-memory-bench-") as name,
        pyodide_site(Path(name), script, folders, texts=texts) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page()
        page.expose_function("tell", lambda line: print(line, flush=True))
        page.goto(url)
        page.evaluate("""() => {
            let told = progress;
            Object.defineProperty(globalThis, 'progress', {
                get: () => told,
                set(line) { told = line; void tell(line); },
            });
        }""")
        found = page.evaluate("result")
        browser.close()
    if "error" in found:
        sys.exit(f"Inside Pyodide it stopped: {found['error']}")
    result: dict[str, Any] = json.loads(found["report"])
    return result
