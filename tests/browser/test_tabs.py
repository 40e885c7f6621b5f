"""Several tabs, one owner."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from tests.browser import host_page as host
from tests.browser.conftest import wait_for, wait_until
from tests.browser.tab_soak import soak

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


def wait_for_owner(page: Page, owner: str) -> None:
    page.wait_for_function("(owner) => pyMemory.status().owner === owner", arg=owner)


def test_fault_08_two_tabs_write_through_one_owner(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    assert [host.status(page)["owner"] for page in (first, second)] == ["this-tab", "other-tab"]
    session = host.start_session(first)
    second.evaluate("() => { globalThis.changes = 0; pyMemory.on('changed', () => changes++); }")
    for number in range(5):
        host.add(first, session, f"first {number}")
        host.add(second, session, f"second {number}")
    assert host.texts(first, session) == host.texts(second, session)
    assert len(host.texts(first, session)) == 10
    assert second.evaluate("() => changes") == 10
    assert host.status(second)["state"] == "saved"


def test_take_over_when_the_owner_closes(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    session = host.start_session(first)
    host.add(second, session, "through the first tab")
    # Asked while the owner goes away: some of these are under way, some come after.
    second.evaluate(
        """(session_id) => { globalThis.answers = Promise.all(Array.from({length: 20}, (_, i) =>
            pyMemory.call('add_message', {session_id, role: 'user', content: `message ${i}`}))) }""",
        session,
    )
    first.close()
    wait_for_owner(second, "this-tab")
    assert len(second.evaluate("() => answers")) == 20
    assert sorted(host.texts(second, session)) == sorted(
        ["through the first tab", *(f"message {i}" for i in range(20))]
    )


def test_use_here_takes_the_memory_over(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    session = host.start_session(first)
    host.add(first, session, "from the first")
    second.evaluate("() => pyMemory.takeOver()")
    wait_for_owner(second, "this-tab")
    wait_for_owner(first, "other-tab")
    host.add(first, session, "through the second")
    assert host.texts(second, session) == ["from the first", "through the second"]


def test_a_frozen_former_owner_cannot_write(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    session = host.start_session(first)
    host.add(first, session, "agreed")
    # The first worker sleeps through its loss of the lock, with a message on its way.
    first.evaluate("() => pyMemory.flush()")
    devtools = first.workers[0]
    devtools.evaluate(
        "() => { setTimeout(() => { const end = Date.now() + 4000; while (Date.now() < end); }, 0) }"
    )
    first.evaluate(
        "(session_id) => { pyMemory.call('add_message', {session_id, role: 'user', content: 'late'}) }",
        session,
    )
    second.evaluate("() => pyMemory.takeOver()")
    wait_for_owner(second, "this-tab")
    host.add(second, session, "while it slept")
    wait_for_owner(first, "other-tab")
    wait_until(second, lambda: len(host.texts(second, session)) == 3, "it was sent again")
    assert sorted(host.texts(second, session)) == ["agreed", "late", "while it slept"]
    second.reload()
    second.evaluate("() => pyMemory.ready")
    assert sorted(host.texts(second, session)) == ["agreed", "late", "while it slept"]


def test_what_a_frozen_owner_saves_while_the_next_one_starts_is_kept(launch: Launch, site_url: str) -> None:
    context = launch(service_workers="block")
    held: list[Route] | None = []
    first = context.new_page()
    first.goto(site_url + "?lang=en")
    first.evaluate("() => pyMemory.ready")
    session = host.start_session(first)
    host.add(first, session, "agreed")
    host.add(first, session, "late")
    # Its last save is taken out of the log, to come back when the next owner has read what is stored.
    first.evaluate("() => pyMemory.close()")
    host.database(first, "log", "take last")
    context.route("**/*.wasm", lambda route: route.continue_() if held is None else held.append(route))
    second = context.new_page()
    second.add_init_script(
        "globalThis.steps = []; addEventListener('DOMContentLoaded', () =>"
        " globalThis.pyMemory?.on('boot', ({step}) => steps.push(step)))"
    )
    second.goto(site_url + "?lang=en", wait_until="commit")
    wait_for(second, "globalThis.steps?.includes('restore')")
    host.database(first, "log", "give back")
    early, held = held, None
    for route in early:
        route.continue_()
    second.evaluate("() => pyMemory.ready")
    assert host.texts(second, session) == ["agreed", "late"]
    host.add(second, session, "after it")
    second.reload()
    second.evaluate("() => pyMemory.ready")
    assert host.texts(second, session) == ["agreed", "late", "after it"]


def test_a_frozen_tab_loses_the_memory_to_one_that_needs_it(launch: Launch, open_page: OpenPage) -> None:
    # Stopping the process stops a service worker in it too, which a browser that freezes a tab does not.
    context = launch(service_workers="block")
    first, second = open_page(context), open_page(context)
    session = host.start_session(first)
    host.add(first, session, "before the freeze")
    frozen = host.renderer_of(first)
    assert frozen != host.renderer_of(second)
    os.kill(frozen, signal.SIGSTOP)
    try:
        host.add(second, session, "asked of a frozen tab")
        assert host.status(second)["owner"] == "this-tab"
        third = open_page(context)
        host.add(third, session, "from a new tab")
    finally:
        os.kill(frozen, signal.SIGCONT)
    wait_for_owner(first, "other-tab")
    expected = ["before the freeze", "asked of a frozen tab", "from a new tab"]
    assert [host.texts(page, session) for page in (first, second, third)] == [expected] * 3


def test_a_busy_owner_is_not_taken_for_frozen(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first, second = open_page(context), open_page(context)
    session = host.start_session(first)
    first.workers[0].evaluate(
        "() => { setTimeout(() => { const end = Date.now() + 16000; while (Date.now() < end); }, 0) }"
    )
    host.add(second, session, "patience")
    assert [host.status(page)["owner"] for page in (first, second)] == ["this-tab", "other-tab"]


def test_a_message_sent_twice_is_answered_once(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    session = host.start_session(page)
    message = {
        "text": "only once",
        "session_id": session,
        "message_id": "0198f0a0-0000-7000-8000-000000000001",
    }
    script = """async (message) => {
        const together = await Promise.all([pyMemory.send(message), pyMemory.send(message)]);
        return [...together, await pyMemory.send(message)].map((answer) => answer.id);
    }"""
    ids = page.evaluate(script, message)
    assert len(set(ids)) == 1
    page.reload()
    page.evaluate("() => pyMemory.ready")
    again = page.evaluate("(message) => pyMemory.send(message)", message)
    assert again["id"] == ids[0]
    assert len(host.texts(page, session)) == 2


@pytest.mark.parametrize("tabs", [2, 5])
def test_no_turn_is_lost_or_doubled_while_owners_are_killed(
    launch: Launch, open_page: OpenPage, tabs: int
) -> None:
    """In full by `build.py bench tabs`."""
    context = launch(service_workers="block")
    outcome = soak(lambda: open_page(context), tabs=tabs, turns=300, kills=4)
    assert outcome.problems() == []
    assert outcome.kills == 4
    assert outcome.unacknowledged >= 1
    assert len(outcome.texts) >= 300
