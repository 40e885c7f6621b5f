"""Damage in storage: the newest whole state is shown, the user is told, what is damaged is kept aside."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page

from tests.browser import host_page as host

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


def reload_ready(page: Page) -> None:
    page.reload()
    page.evaluate("() => pyMemory.ready")


def test_fault_03_a_damaged_last_record_costs_that_record_only(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    for number in range(3):
        host.add(page, session, f"message {number}")
    page.evaluate("() => pyMemory.flush()")
    last = host.database(page, "log", "keys")[-1]
    held = len(host.texts(page, session))
    host.database(page, "log", "flip", key=last)
    reload_ready(page)
    assert host.texts(page, session) in (
        [f"message {n}" for n in range(held - 1)],
        [f"message {n}" for n in range(held)],
    )
    assert host.status(page)["warning"] == "restored"
    assert host.database(page, "quarantine", "count") == 1
    host.add(page, session, "and on")
    reload_ready(page)
    assert host.texts(page, session)[-1] == "and on"
    assert host.status(page)["warning"] is None


def test_fault_13_a_damaged_chunk_is_made_from_the_generation_before(
    launch: Launch, open_page: OpenPage
) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    host.add(page, session, "in the base")
    page.evaluate("() => pyMemory.call('compact')")
    host.add(page, session, "in the log")
    host.database(page, "chunks", "flip", key=host.database(page, "chunks", "keys")[0])
    reload_ready(page)
    assert host.texts(page, session) == ["in the base", "in the log"]
    assert host.status(page)["warning"] == "restored"
    assert host.database(page, "quarantine", "count") == 1
    # The next start finds everything in order.
    reload_ready(page)
    assert host.texts(page, session) == ["in the base", "in the log"]
    assert host.status(page)["warning"] is None


def test_a_damaged_rewrite_falls_back_to_what_it_was_made_from(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    host.add(page, session, "before the rewrite")
    page.evaluate("() => pyMemory.call('vacuum')")
    host.add(page, session, "after it")
    host.database(page, "chunks", "flip", key=host.database(page, "chunks", "keys")[0])
    reload_ready(page)
    assert host.texts(page, session) == ["before the rewrite"]
    assert host.status(page)["warning"] == "restored"


def test_fault_13_damage_that_only_sqlite_sees_leads_to_the_generation_before(
    launch: Launch, open_page: OpenPage
) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    for number in range(200):
        host.add(page, session, f"message {number}")
    page.evaluate("() => pyMemory.call('vacuum')")
    key = host.database(page, "chunks", "keys")[0]
    # 75 pages become ones that no table can have.
    host.overwrite_chunk(page, key, 5 * 1024, b"\xff" * 75 * 1024)
    reload_ready(page)
    # The check comes in idle time; the worker then starts again by itself.
    page.wait_for_function("() => pyMemory.status().warning === 'restored'")
    assert host.texts(page, session) == [f"message {number}" for number in range(200)]
    assert host.database(page, "quarantine", "count") == 1


def test_when_nothing_is_whole_the_user_decides_and_nothing_is_deleted(
    launch: Launch, open_page: OpenPage
) -> None:
    page = open_page(launch())
    host.add(page, host.start_session(page), "hard to reach")
    page.evaluate("() => pyMemory.flush()")
    keys = host.database(page, "log", "keys")
    host.database(page, "log", "flip", key=keys[0])
    page.reload()
    page.wait_for_function("() => globalThis.pyMemory !== undefined")
    fault = page.evaluate("() => new Promise((resolve) => pyMemory.on('error', resolve))")
    assert (fault["code"], fault["choices"]) == ("damaged", ["raw", "empty"])
    assert host.database(page, "log", "keys") == keys
    page.evaluate("() => pyMemory.recover('empty')")
    assert host.sessions(page) == []
    assert host.database(page, "quarantine", "count") == 1
    session = host.start_session(page)
    host.add(page, session, "a new beginning")
    reload_ready(page)
    assert host.texts(page, session) == ["a new beginning"]
