"""Going back to the state of the memory that is kept from before, while the page runs."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import host_page as host

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]


def test_back_to_the_state_before_and_forth_again(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    owner = open_page(context)
    session = host.start_session(owner)
    host.add(owner, session, "before the rewrite")
    gone = host.add(owner, session, "to be forgotten")
    owner.evaluate("() => pyMemory.call('vacuum')")
    host.add(owner, session, "after it")
    host.add(owner, session, "and on")
    owner.evaluate("() => pyMemory.call('set_fact', {key: 'user::diet', value: 'vegetarian'})")

    # Another tab asks; the owner does it, and every tab follows.
    page = open_page(context)
    page.get_by_role("button", name="Storage").click()
    page.get_by_role("button", name="Go back…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Go back to how it was on")
    expect(dialog).to_contain_text("The memory then held: 2 messages.")
    expect(dialog).to_contain_text("what has come since: 2 messages and 1 memory")
    dialog.get_by_role("button", name="Cancel").click()
    assert len(host.texts(page, session)) == 4
    page.get_by_role("button", name="Storage").click()
    page.get_by_role("button", name="Go back…").click()
    page.get_by_role("dialog").get_by_role("button", name="Go back", exact=True).click()
    expect(page.get_by_text("Storage leads back to what you had before.")).to_be_visible()
    assert host.texts(owner, session) == ["before the rewrite", "to be forgotten"]
    assert owner.evaluate("() => pyMemory.call('get_fact', {key: 'user::diet'})") is None
    expect(owner.get_by_text("and on")).to_have_count(0)

    # The state that was left is kept across a new start, and is come back to in the same way.
    page.close()
    owner.reload()
    owner.evaluate("() => pyMemory.ready")
    before = owner.evaluate("() => pyMemory.call('stateBefore')")
    assert (before["messages"], before["facts"], before["newer"]) == (4, 1, {"messages": 0, "facts": 0})
    stale = before["generation"] - 1
    script = "(generation) => pyMemory.call('goBack', {generation}).then(() => null, ({code}) => code)"
    assert owner.evaluate(script, stale) == "no_state_before"
    assert owner.evaluate(script, before["generation"]) is None
    assert host.texts(owner, session) == ["before the rewrite", "to be forgotten", "after it", "and on"]
    assert owner.evaluate("() => pyMemory.call('check')") == []

    # What is forgotten goes from what is kept, and until it has gone there is nothing to go back to.
    owner.evaluate("(message_id) => pyMemory.call('forget', {message_id})", gone)
    assert owner.evaluate("() => pyMemory.call('stateBefore')") is None
    owner.get_by_role("button", name="Storage").click()
    owner.get_by_role("button", name="Go back…").click()
    expect(owner.get_by_text("No older state is kept any more.")).to_be_visible()
