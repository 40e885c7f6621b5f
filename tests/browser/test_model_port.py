"""Models that only a page can run, behind the model port: who serves, and what happens when that tab is
closed.

Headless Chromium has no model of its own, so these tests put a scripted `LanguageModel` in its place: the
page, the worker, the port and the tabs are the real ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from .conftest import wait_for
from .test_model_server import answers, dialog, patience, say

__all__ = ["patience"]

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

# `script.pieces` are given out one by one, each once `script.allowed` reaches its number.
SCRIPTED = """
    const pieces = ["It is ", "Biscuit", "."];
    globalThis.script = { pieces, allowed: 99, prompts: [], aborted: 0, fetched: 0.5, availability: "%s" };
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    globalThis.LanguageModel = {
        availability: async () => script.availability,
        create: async ({ initialPrompts = [], monitor } = {}) => {
            if (monitor && script.availability === "downloadable") {
                const target = new EventTarget();
                monitor(target);
                for (const loaded of [0, 0.5, 1]) {
                    while (loaded > script.fetched) await wait(20);
                    target.dispatchEvent(new ProgressEvent("downloadprogress", { loaded, total: 1 }));
                }
                script.availability = "available";
            }
            return {
                contextUsage: 42,
                destroy: () => undefined,
                promptStreaming: (input, { signal }) => {
                    script.prompts.push([...initialPrompts, { role: "user", content: input }]);
                    if (script.fails) throw new DOMException(script.fails, script.fails);
                    return new ReadableStream({
                        start: async (stream) => {
                            for (const [i, piece] of script.pieces.entries()) {
                                while (i >= script.allowed && !signal.aborted) await wait(20);
                                if (signal.aborted) {
                                    script.aborted += 1;
                                    return stream.error(signal.reason);
                                }
                                stream.enqueue(piece);
                            }
                            stream.close();
                        },
                    });
                },
            };
        },
    };
"""


def scripted(context: BrowserContext, availability: str = "available") -> None:
    context.add_init_script(SCRIPTED % availability)


def use_the_browser_model(page: Page, button: str = "Answer with it") -> None:
    """Three clicks."""
    page.locator(".model-button").click()
    dialog(page).get_by_text("The browser’s own model").click()
    dialog(page).locator("[data-kind=browser]").get_by_role("button", name=button).click()
    expect(page.locator(".model-button")).to_contain_text("The browser’s own model")
    expect(dialog(page)).to_have_count(0)


def test_the_memory_is_in_the_prompt_and_the_choice_stands(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    scripted(context)
    page = open_page(context)
    page.evaluate("pyMemory.call('set_fact', { key: 'user::name', value: 'Ada' })")
    use_the_browser_model(page)
    say(page, "What is my dog called?")
    expect(answers(page)).to_contain_text("It is Biscuit.")
    expect(answers(page)).to_have_attribute("data-status", "complete")
    (prompt,) = page.evaluate("script.prompts")
    assert prompt[0]["role"] == "system"
    assert "Ada" in prompt[0]["content"]
    assert prompt[-1] == {"role": "user", "content": "What is my dog called?"}
    # After a reload the choice stands, and nothing has to be clicked.
    page.reload()
    say(page, "And again?")
    expect(answers(page).nth(1)).to_contain_text("It is Biscuit.")


def test_stop_reaches_the_model_and_keeps_what_came(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    scripted(context)
    page = open_page(context)
    use_the_browser_model(page)
    page.evaluate("script.allowed = 2")
    say(page, "What is my dog called?")
    expect(answers(page)).to_contain_text("It is Biscuit")
    page.get_by_role("button", name="Stop").click()
    expect(answers(page)).to_have_attribute("data-status", "stopped")
    expect(answers(page)).to_contain_text("It is Biscuit")
    wait_for(page, "script.aborted === 1")


def test_the_tab_that_serves_is_named_and_another_takes_its_place(
    launch: Launch, open_page: OpenPage
) -> None:
    context = launch()
    scripted(context)
    first, second = open_page(context), open_page(context)  # the first owns the memory
    use_the_browser_model(second)
    first.locator(".model-button").click()
    expect(dialog(first).get_by_test_id("serving")).to_contain_text("another tab: “New chat · py_memory”")
    first.keyboard.press("Escape")

    second.evaluate("script.allowed = 1")
    say(first, "What is my dog called?")
    expect(answers(first)).to_contain_text("It is")
    assert len(second.evaluate("script.prompts")) == 1
    second.close()
    expect(answers(first)).to_have_attribute("data-status", "failed")
    expect(answers(first)).to_contain_text(
        "The tab that ran the model was closed in the middle of the answer."
    )
    assert first.evaluate("script.prompts") == []

    answers(first).get_by_role("button", name="Try again").click()
    expect(answers(first)).to_contain_text("It is Biscuit.")
    assert len(first.evaluate("script.prompts")) == 1
    first.locator(".model-button").click()
    expect(dialog(first).get_by_test_id("serving")).to_have_text("It runs in this tab.")


def test_a_round_goes_on_when_the_tab_of_the_memory_and_the_model_is_closed(
    launch: Launch, open_page: OpenPage
) -> None:
    context = launch()
    scripted(context)
    first, second = open_page(context), open_page(context)
    use_the_browser_model(first)
    expect(second.locator(".model-button")).to_contain_text("The browser’s own model")
    first.evaluate("script.allowed = 1")
    say(second, "What is my dog called?")
    expect(answers(second)).to_contain_text("It is")
    first.close()
    expect(answers(second)).to_contain_text("It is Biscuit.")
    expect(answers(second)).to_have_attribute("data-status", "complete")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_prompt_that_is_too_long_and_a_model_that_fails_are_said(
    launch: Launch, open_page: OpenPage, lang: str
) -> None:
    context = launch()
    scripted(context)
    page = open_page(context)
    use_the_browser_model(page)
    expected = {
        "QuotaExceededError": ("more than", "一次能读的长度"),
        "NotReadableError": ("stopped with an error (NotReadableError)", "出错停止了（NotReadableError）"),
    }
    for number, (fails, texts) in enumerate(expected.items()):
        page.evaluate("(name) => (script.fails = name)", fails)
        say(page, "What is new?" if lang == "en" else "有什么新消息吗？")
        expect(answers(page).nth(number)).to_have_attribute("data-status", "failed")
        expect(answers(page).nth(number)).to_contain_text(texts[0 if lang == "en" else 1])


def test_the_browser_fetches_its_model_with_progress(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    scripted(context, "downloadable")
    page = open_page(context)
    page.locator(".model-button").click()
    dialog(page).get_by_text("The browser’s own model").click()
    expect(dialog(page)).to_contain_text("The browser fetches its model once")
    dialog(page).get_by_role("button", name="Fetch and use it").click()
    expect(dialog(page).get_by_role("status")).to_contain_text("50 %")
    page.evaluate("script.fetched = 1")
    expect(dialog(page)).to_have_count(0)
    expect(page.locator(".model-button")).to_contain_text("The browser’s own model")


@pytest.mark.parametrize(
    ("missing", "english", "chinese"),
    [
        ("delete globalThis.LanguageModel", "This browser has none", "这个浏览器没有自带模型"),
        (SCRIPTED % "unavailable", "this device cannot run one", "这台设备无法运行"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_where_the_browser_has_no_model_the_choice_says_so(
    launch: Launch, open_page: OpenPage, missing: str, english: str, chinese: str, lang: str
) -> None:
    context = launch()
    context.add_init_script(missing)
    page = open_page(context, path=f"?lang={lang}")
    page.locator(".model-button").click()
    part: Any = dialog(page).locator("[data-kind=browser]")
    part.locator("summary").click()
    expect(part).to_contain_text(english if lang == "en" else chinese)
    expect(part.get_by_role("button")).to_have_count(0)
