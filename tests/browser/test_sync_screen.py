"""The Sync screen as people use it: two profiles of Chromium, a server process that comes and goes, and what
goes wrong, in plain words."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from py_memory.server.sqlite_store import SqliteStore
from py_memory.server.tokens import make_token

from .conftest import ROOT, SITE, wait_for, wait_until
from .test_model_server import STORED
from .test_page import button, call

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


class SyncSite:
    """A site that also syncs, in a process of its own that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, self.url = 0, ""
        with self._store() as store:
            self.user = store.add_user("ann", 1).id
        self.start()

    def _store(self) -> Any:
        from contextlib import closing

        return closing(SqliteStore(self.folder / "sync.db"))

    def token(self, **details: Any) -> str:
        with self._store() as store:
            return make_token(store, self.user, 1, **details)

    def start(self) -> None:
        command = [sys.executable, "-m", "py_memory.server.site", str(SITE), "--port", str(self.port)]
        self._process = subprocess.Popen(
            [*command, "--data", str(self.folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().split()[-1]
        self.port = int(self.url.rstrip("/").rpartition(":")[2])

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(10)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SyncSite]:
    expect.set_options(timeout=20_000)
    made = SyncSite(tmp_path)
    yield made
    made.kill()
    expect.set_options(timeout=5_000)


def dialog(page: Page) -> Locator:
    return page.locator("dialog")


def open_sync(page: Page) -> None:
    page.evaluate("() => document.querySelector('.sidebar-foot button:nth-of-type(2)').click()")
    expect(dialog(page)).to_be_visible()


def switch_on(page: Page, token: str) -> None:
    open_sync(page)
    page.get_by_label("Token", exact=True).fill(token)
    button(dialog(page), "Switch on").click()


def synced(page: Page) -> None:
    expect(dialog(page).get_by_text("In sync", exact=True)).to_be_visible()


def sync_now(page: Page) -> None:
    """Resolves after a sync that began now: the page also syncs by itself."""
    button(dialog(page), "Sync now").click()
    call(page, "sync_now")
    synced(page)


def test_two_devices_one_memory(launch: Launch, open_page: OpenPage, site: SyncSite) -> None:
    contexts = [launch(), launch()]
    one, other = (open_page(context, url=site.url) for context in contexts)
    token = site.token()
    call(one, "set_fact", key="user::likes", value="tea")
    proposed = call(one, "propose_fact", key="user::diet", value="vegan", quote="I am vegan")
    open_sync(one)
    expect(dialog(one)).to_contain_text("Whoever runs that server can read them")
    button(dialog(one), "What would be sent?").click()
    expect(dialog(one)).to_contain_text("Would be sent: 2 memories")
    expect(dialog(one)).to_contain_text("Nothing has been sent.")
    for typed, wrong, sentence in (
        (site.url, "nonsense", "This is no token"),
        ("http://sync.example.org", token, "not encrypted"),
        (site.url, "mt_0_0", "does not accept the token"),
    ):
        one.get_by_label("Server", exact=True).fill(typed)
        one.get_by_label("Token", exact=True).fill(wrong)
        button(dialog(one), "Switch on").click()
        expect(dialog(one).get_by_role("alert")).to_contain_text(sentence)
    assert call(one, "sync_status")["on"] is False
    one.get_by_label("Token", exact=True).fill(token)
    button(dialog(one), "Switch on").click()
    synced(one)
    switch_on(other, site.token())
    synced(other)
    assert [fact["value"] for fact in call(other, "list_facts")] == ["tea"]

    # Each says something else while it cannot reach the other.
    for context in contexts:
        context.set_offline(True)
    call(one, "confirm_fact", id=proposed["id"], value="vegetarian")
    call(other, "confirm_fact", id=proposed["id"], value="pescatarian")
    for context in contexts:
        context.set_offline(False)
    for page in (one, other, one):
        sync_now(page)
    pair = dialog(one).locator(".pair")
    expect(pair).to_have_count(1)
    expect(pair).to_contain_text("vegetarian")
    expect(pair).to_contain_text("pescatarian")
    button(pair, "Keep both").click()
    expect(pair).to_have_count(0)
    for page in (one, other):
        sync_now(page)
    assert sorted(fact["status"] for fact in call(other, "fact_history", key="user::diet")) == [
        "current",
        "superseded",
    ]
    expect(dialog(other).locator(".pair")).to_have_count(0)

    # The token is nowhere but in its own place.
    exported = bytes(one.evaluate("pyMemory.exportFile().then((bytes) => [...bytes])"))
    assert token.encode() not in exported
    assert one.evaluate(STORED, token) == ["py-memory-sync/tokens"]
    assert token not in one.content()

    button(dialog(one), "Undo the first sync…").click()
    button(dialog(one), "Go back").click()
    expect(button(dialog(one), "Switch on")).to_be_visible()
    assert call(one, "sync_status")["on"] is False
    assert [fact["value"] for fact in call(one, "list_facts")] == ["tea"]
    assert one.evaluate(STORED, token) == []


def test_it_goes_on_by_itself_whatever_is_killed(
    launch: Launch, open_page: OpenPage, site: SyncSite, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    context = launch(profile)
    page = open_page(context, url=site.url)
    # A page that is gone while it was switching on leaves neither its token nor leave to ask that server.
    context.route("**/memory/head", lambda route: None)
    tried = site.token()
    with context.expect_event("request", lambda request: request.url.endswith("/memory/head")):
        switch_on(page, tried)
    assert page.evaluate(STORED, tried) == ["py-memory-sync/tokens"]
    page.reload()
    wait_until(page, lambda: page.evaluate(STORED, tried) == [], "its token is gone")
    context.unroute("**/memory/head")
    switch_on(page, site.token())
    synced(page)
    site.kill()
    call(page, "set_fact", key="user::likes", value="tea")
    expect(dialog(page)).to_contain_text("Nothing answers at this address")
    page.evaluate("pyMemory.flush()")
    kill_browser(profile)
    site.start()
    page = open_page(launch(profile), url=site.url)
    wait_for(page, "pyMemory.call('sync_status').then(({changes}) => Object.keys(changes).length === 0)")
    reader = open_page(launch(), url=site.url)
    switch_on(reader, site.token())
    synced(reader)
    [fact] = call(reader, "list_facts")
    assert fact["value"] == "tea"

    # What is forgotten leaves as soon as it can no longer be undone. A change that it takes along is not
    # dropped without a word.
    reader.context.set_offline(True)
    call(reader, "pin_fact", id=fact["id"])
    call(page, "forget", fact_id=fact["id"])
    call(page, "sync_now")  # which leaves it, and says when it comes again
    call(page, "finish_forgetting")
    wait_for(page, "pyMemory.call('sync_status').then(({changes}) => Object.keys(changes).length === 0)")
    reader.context.set_offline(False)
    call(reader, "sync_now")
    expect(reader.locator(".toast", has_text="Forgetting wins")).to_have_count(1)
    expect(dialog(reader)).to_contain_text("forgotten on another device: 1 memory.")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_goes_wrong_is_said_in_plain_words(
    launch: Launch, open_page: OpenPage, site: SyncSite, lang: str
) -> None:
    english = lang == "en"
    context = launch()
    page = open_page(context, path=f"?lang={lang}", url=site.url)
    open_sync(page)
    page.locator("#sync-token").fill(site.token())
    dialog(page).locator("button[type=submit]").click()
    state = dialog(page).locator(".sync-state")
    expect(state).to_have_attribute("data-state", "good")
    now = dialog(page).locator("button.primary")
    html = {"status": 200, "content_type": "text/html", "body": "<html>Sign in</html>"}
    error = '{"error": {"name": "X", "message": "x"}}'
    for answer, in_english, in_chinese in (
        (html, "no sync server", "不是同步服务器"),
        ({"status": 429, "headers": {"Retry-After": "3600"}, "body": error}, "busy", "服务器繁忙"),
        ({"status": 507, "body": error}, "used up", "空间已用完"),
        ({"status": 401, "body": error}, "has expired", "已过期"),
        ({"status": 403, "body": error}, "revoked", "吊销"),
    ):
        context.route("**/memory/head", giving(answer))
        now.click()
        said = dialog(page).get_by_role("alert")
        expect(said).to_contain_text(in_english if english else in_chinese)
        expect(state).to_have_attribute("data-state", "failed")
        context.unroute("**/memory/head")
    # What only the user can mend is not tried again by itself; another token mends it.
    assert call(page, "sync_state")["nextAt"] is None
    page.locator("#sync-new-token").fill(site.token())
    dialog(page).locator(".from-address button").click()
    expect(state).to_have_attribute("data-state", "good")


def giving(answer: dict[str, Any]) -> Callable[[Route], None]:
    return lambda route: route.fulfill(**answer)


def kill_browser(profile: Path) -> None:
    """Ends every process of the browser on this profile at once, as a power cut would."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if f"--user-data-dir={profile}" in line:
                found.append(int(entry.name))
    assert found
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    time.sleep(0.3)
