"""The README's Python examples, run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from py_memory.database import SCHEMA_VERSION
from tests.modelserver import ModelServer

pytestmark = pytest.mark.cpython

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]


def test_python_examples_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    model_server: ModelServer,
) -> None:
    examples = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
    assert len(examples) == 4
    assert all(len(example.splitlines()) < 20 for example in examples)
    model_server.script({"text": "No nuts."})
    monkeypatch.chdir(tmp_path)
    shared: dict[str, object] = {}
    for example in examples:
        here = example.replace("http://localhost:11434/v1", model_server.url)
        exec(compile(here, str(README), "exec"), shared)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "Mei"
    assert "peanuts" in printed[1]
    assert "jasmine" in printed[-2]
    assert printed[-1] == "No nuts."
    (request,) = model_server.requests()
    assert "user::family::daughter: Mei" in request["body"]["messages"][0]["content"]


def test_the_format_names_the_schema_version_in_use() -> None:
    text = (ROOT / "docs" / "format.md").read_text("utf-8")
    assert f"| `user_version` | the schema version; now {SCHEMA_VERSION} |" in text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), f"{path.name} links to {target}, which is not there"
