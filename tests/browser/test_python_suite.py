"""Runs the unit tests inside Pyodide in Chromium: the page's own Python and SQLite."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from py_memory.server.site import SiteServer

ROOT = Path(__file__).resolve().parents[2]
RUNNER = Path(__file__).parent / "python_suite"
PYODIDE = ROOT / "web" / "node_modules" / "pyodide"
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "hypothesis", "sortedcontainers")
MINUTES = 9


def members() -> Iterator[tuple[Path, str]]:
    """(file, name in the zip) of the package, its unit tests and what they need."""
    for folder in ("py_memory", "tests/unit", "tests/data"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, str(path.relative_to(ROOT))
    for name in ("pyproject.toml", "tests/conftest.py", "tests/modelserver.py"):
        if (ROOT / name).exists():
            yield ROOT / name, name
    for package in PACKAGES:
        for file in metadata.files(package) or []:
            if ".." not in file.parts and file.suffix != ".pyc":
                yield Path(str(file.locate())), f"lib/{file}"


@pytest.fixture
def suite_url(tmp_path: Path) -> Iterator[str]:
    """A folder with the runner, the whole of Pyodide and the suite, on a server."""
    shutil.copytree(RUNNER, tmp_path, dirs_exist_ok=True)
    shutil.copy(ROOT / "web" / "policy.json", tmp_path)
    (tmp_path / "pyodide").mkdir()
    for name in PYODIDE_FILES:
        shutil.copy(PYODIDE / name, tmp_path / "pyodide")
    with zipfile.ZipFile(tmp_path / "suite.zip", "w") as archive:
        for path, name in members():
            archive.write(path, name)
    server = SiteServer(tmp_path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.url
    server.shutdown()
    server.server_close()


def test_unit_suite_inside_pyodide(
    suite_url: str,
    launch: Callable[..., BrowserContext],
    record_property: Callable[[str, object], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = launch().new_page()
    page.goto(suite_url)
    result = page.evaluate(
        """(ms) => Promise.race([
            result,
            new Promise((resolve) => setTimeout(() => resolve({ error: `still at ${progress}` }), ms)),
        ])""",
        MINUTES * 60_000,
    )
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
