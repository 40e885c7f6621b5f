"""The README's examples for other people's pages, run as they stand beside the built site."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from .conftest import wait_for

ROOT = Path(__file__).resolve().parents[2]
Launch = Callable[..., BrowserContext]


def examples() -> list[str]:
    return re.findall(r"^```js\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)


@pytest.fixture
def page_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    shutil.copytree(ROOT / "dist" / "site", folder)
    return folder


@pytest.fixture
def own_server(page_folder: Path, start_server: Callable[[Path], Any]) -> Any:
    return start_server(page_folder)


def html(script: str) -> str:
    return f'<!doctype html><meta charset="utf-8"><script type="module" src="{script}"></script>'


def test_a_page_of_ones_own(launch: Launch, page_folder: Path, own_server: Any) -> None:
    (page_folder / "mine.html").write_text(html("mine.js"))
    (page_folder / "mine.js").write_text(examples()[0])
    page = launch().new_page()
    page.goto(own_server.url + "mine.html")
    wait_for(page, "document.body?.textContent.includes('Hello')")
    assert page.inner_text("body") == "Hello, Ada."


def test_the_wheel_in_a_pyodide_of_ones_own(launch: Launch, page_folder: Path, own_server: Any) -> None:
    shutil.copytree(ROOT / "web" / "node_modules" / "pyodide", page_folder / "own")
    (page_folder / "own.html").write_text(html("own.js"))
    (page_folder / "own.js").write_text(
        f"""
        import {{ loadPyodide }} from "./own/pyodide.mjs";
        const siteUrl = document.baseURI;
        const pyodide = await loadPyodide();
        {examples()[1]}
        document.body.textContent = pyodide.runPython(`
            from py_memory import MemoryStore
            store = MemoryStore(":memory:")
            store.set_fact("user::name", "Ada")
            store.get_fact("user::name").value`);
        """
    )
    page = launch().new_page()
    page.goto(own_server.url + "own.html")
    wait_for(page, "Boolean(document.body?.textContent)")
    assert page.inner_text("body") == "Ada"
