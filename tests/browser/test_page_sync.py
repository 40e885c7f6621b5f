"""`pyMemory.call("sync", …)`: the page syncs over its own fetch with the server that it came from."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from py_memory import MemoryStore
from py_memory.server.sqlite_store import SqliteStore
from py_memory.server.tokens import make_token

from .conftest import ROOT, SITE
from .test_page import call

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


@pytest.fixture
def synced_site(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """(address, token) of a site that also syncs."""
    store = SqliteStore(tmp_path / "sync.db")
    token = make_token(store, store.add_user("ann", 1).id, 1)
    store.close()
    command = [
        sys.executable,
        "-m",
        "py_memory.server.site",
        str(SITE),
        "--port",
        "0",
        "--data",
        str(tmp_path),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process.stdout.readline().split()[-1], token
    process.terminate()
    process.wait(10)


def test_page_and_program_share_one_memory(
    launch: Launch, open_page: OpenPage, synced_site: tuple[str, str], tmp_path: Path
) -> None:
    url, token = synced_site
    program = MemoryStore(tmp_path / "memory.db")
    program.add_message(
        program.create_session("From the program").id, "user", "The spare key lies under the fern"
    )
    program.sync(url, token)
    page = open_page(launch(), url=url)
    call(page, "set_fact", key="user::name", value="Ann")
    report = call(page, "sync", url=url, token=token)
    assert report["first"] is True
    assert [hit["text"] for hit in call(page, "search", text="spare key")] == [
        "The spare key lies under the fern"
    ]
    program.sync(url, token)
    fact = program.get_fact("user::name")
    assert fact is not None
    assert fact.value == "Ann"
    assert call(page, "sync", url=url, token=token)["pushed"] == 0
    page.reload()
    assert call(page, "sync_status")["on"] is True
    refused = page.evaluate(
        "(url) => pyMemory.call('sync', {url, token: 'mt_0_0'}).then(() => '', (error) => error.name)", url
    )
    assert refused == "SyncError"
