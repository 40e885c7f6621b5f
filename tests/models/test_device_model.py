"""A real model, Gemma 3 270M, in a real browser with the network off. Run by `build.py test --models`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import launch, open_page, playwright, server, site_url, start_server, wait_for
from tests.browser.test_model_server import answers, dialog, say

__all__ = ["launch", "open_page", "playwright", "server", "site_url", "start_server"]

MODEL = Path(os.environ.get("PY_MEMORY_GEMMA", "missing"))
LOADED_MS = 300_000  # one thread reads 253 MB
FACT = "Remember that my dog is called Biscuit."
QUESTION = "What is my dog's name?"
RUNS, ENOUGH = 10, 8  # answers, and how many of them must hold the fact

# What the worker asks of the model that this page runs.
RECORD_PORT = """
    globalThis.asked = [];
    const Plain = Worker;
    globalThis.Worker = class extends Plain {
        constructor(...given) {
            super(...given);
            this.addEventListener("message", ({ data }) => {
                if (data?.type === "port" && data.message.type === "generate") asked.push(data.message.turns);
            });
        }
    };
"""


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    if not MODEL.exists():
        pytest.skip("There is no model: run `python3 build.py test --models`.")
    expect.set_options(timeout=LOADED_MS)
    yield
    expect.set_options(timeout=5_000)


def pick(page: Page, file: Path) -> None:
    page.locator(".model-button").click()
    dialog(page).get_by_text("A model file on this device").click()
    page.get_by_test_id("model-file").set_input_files(file)


def picked(page: Page, file: Path) -> None:
    """The dialog closes once the model is loaded."""
    pick(page, file)
    expect(dialog(page).get_by_role("status")).to_be_visible()
    expect(dialog(page)).to_have_count(0)
    page.locator(".model-button").click()
    expect(dialog(page).get_by_test_id("serving")).to_have_text("It runs in this tab.")
    page.keyboard.press("Escape")


def inspected(page: Page) -> None:
    """A person who looks at what was sent finds the fact, why it is there, and its source."""
    answers(page).get_by_role("button", name="What the model was sent").click()
    used = dialog(page).locator(".used-memory", has_text="Biscuit").first
    expect(used).to_be_visible()
    facts = dialog(page).locator(".sent-part", has_text="What is known about you")
    facts.locator("summary").click()
    expect(facts).to_contain_text("Biscuit")
    used.get_by_role("button", name="Go to the message").click()
    expect(page.locator("article[data-role=user].target")).to_contain_text(FACT)


def test_a_told_fact_is_in_the_prompt_and_in_the_answer_with_the_network_off(
    launch: Callable[..., Any],
    open_page: Callable[..., Page],
    server: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    context = launch()
    context.add_init_script(RECORD_PORT)
    requests: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    page = open_page(context, url=server.url)
    say(page, FACT)
    expect(answers(page)).to_have_attribute("data-status", "complete")
    assert [url for url in requests if "wllama" in url or "device-" in url] == []

    begun = time.monotonic()
    picked(page, MODEL)
    figures = [f"{time.monotonic() - begun:.1f} s to copy and load the file"]
    page.evaluate("pyMemory.flush()")

    server.stop()
    context.set_offline(True)
    page.reload()  # the program, what runs the model, and the model itself lie in this browser
    page.get_by_role("button", name="New chat", exact=True).click()
    begun = time.monotonic()
    say(page, QUESTION)
    answer = answers(page)
    expect(answer).to_have_attribute("data-status", "streaming")
    wait_for(
        page, "document.querySelector('[data-role=assistant] .answer-text')?.innerText.length > 2", LOADED_MS
    )
    figures.append(
        f"{time.monotonic() - begun:.1f} s to the first words after a reload, the file loaded again"
    )
    expect(answer).to_have_attribute("data-status", "complete")
    (turns,) = page.evaluate("asked")
    assert "Biscuit" in turns[0]["content"]
    assert turns[0]["role"] == "system"
    assert turns[-1] == {"role": "user", "content": QUESTION}
    assert "Biscuit" in answer.inner_text()
    inspect = "(id) => pyMemory.call('inspect_prompt', { message_id: id })"
    prompt = page.evaluate(inspect, answer.get_attribute("data-id"))
    assert prompt["exact"]
    assert prompt["model"] == MODEL.name
    assert [turn["content"] for turn in prompt["messages"]] == [turn["content"] for turn in turns]
    assert any("Biscuit" in memory["text"] for memory in prompt["memories"])

    held = 1
    begun = time.monotonic()
    for number in range(1, RUNS):
        page.get_by_role("button", name="New chat", exact=True).click()
        say(page, QUESTION)
        expect(answers(page)).to_have_attribute("data-status", "complete")
        held += "Biscuit" in answers(page).inner_text()
        assert len(page.evaluate("asked")) == number + 1
    figures.append(f"{(time.monotonic() - begun) / (RUNS - 1):.1f} s for an answer, mean of {RUNS - 1}")
    inspected(page)
    with capsys.disabled():
        print("", *figures, f"{held} of {RUNS} answers held the fact", sep="\n  ")
    assert held >= ENOUGH


def test_stop_ends_the_answer_and_the_file_can_be_removed(
    launch: Callable[..., Any], open_page: Callable[..., Page]
) -> None:
    page = open_page(launch())
    picked(page, MODEL)
    say(page, "Count: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,")
    wait_for(
        page, "document.querySelector('[data-role=assistant] .answer-text')?.innerText.length > 8", LOADED_MS
    )
    page.get_by_role("button", name="Stop").click()
    expect(answers(page)).to_have_attribute("data-status", "stopped")
    page.locator(".model-button").click()
    dialog(page).get_by_role("button", name="Remove the file").click()
    expect(dialog(page).get_by_role("button", name="Choose a file…")).to_be_visible()
    left = """async () => {
        const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("py-memory-models");
        const folder = await root.getDirectoryHandle("py-memory");
        return Array.fromAsync(folder.keys());
    }"""
    assert page.evaluate(left) == []


def test_copying_can_be_given_up(launch: Callable[..., Any], open_page: Callable[..., Page]) -> None:
    page = open_page(launch())
    pick(page, MODEL)
    dialog(page).get_by_role("button", name="Cancel").click()
    expect(dialog(page).get_by_role("button", name="Choose")).to_be_visible()
    expect(page.locator(".model-button")).to_contain_text("Offline assistant")
