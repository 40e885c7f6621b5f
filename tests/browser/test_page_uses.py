"""The first minute, counted in actions; what an answer used, and where it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from .conftest import READY_MS, wait_until_ready
from .test_page import articles, button, call

Launch = Callable[..., BrowserContext]

MOST_ACTIONS = 12
WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "told": "I'm Lin, vegetarian, my daughter Mei is 6, I answer in Chinese",
        "learned": ["Lin", "vegetarian", "Mei", "6", "Chinese"],
        "keep_all": "Keep all",
        "new_chat": "New chat",
        "asked": "plan Saturday dinner",
        "answer": ["vegetarian", "Mei, 6 years old"],
        "used": "used 3 memories",
        "used_less": "used 2 memories",
        "why": "Why did you say that?",
        "assistant": "No model was asked",
        "where": "Show me where",
        "memory": "Memory",
        "forget": "Forget",
        "export": "Export",
        "sure": "% sure",
    },
    "zh": {
        "told": "我叫林，吃素，女儿小梅6岁，我用中文回答",
        "learned": ["林", "吃素", "小梅", "6", "中文"],
        "keep_all": "全部保留",
        "new_chat": "新对话",
        "asked": "计划周六的晚餐",
        "answer": ["吃素", "小梅，6岁"],
        "used": "用到 3 条记忆",
        "used_less": "用到 2 条记忆",
        "why": "为什么这么说？",
        "assistant": "没有询问任何模型",
        "where": "看出处",
        "memory": "记忆",
        "forget": "忘掉",
        "export": "导出",
        "sure": "把握",
    },
}
MARKED = "() => [...(CSS.highlights.get('found') ?? [])].map(String).join('')"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_first_minute(launch: Launch, site_url: str, lang: str) -> None:
    words = WORDS[lang]
    context = launch(viewport={"width": 1280, "height": 800}, locale="zh-CN" if lang == "zh" else "en-GB")
    page = context.new_page()
    expect.set_options(timeout=READY_MS)
    actions = 0

    def act(work: Callable[[], object]) -> None:
        nonlocal actions
        actions += 1
        work()

    def write(text: str) -> None:
        box = page.locator("#message")
        act(lambda: box.fill(text))
        act(lambda: box.press("Enter"))

    try:
        act(lambda: page.goto(f"{site_url}?lang={lang}"))
        write(words["told"])  # the memory has not started yet
        cards = page.locator(".proposals .card")
        expect(cards).to_have_count(len(words["learned"]))
        assert sorted(cards.locator(".value").all_inner_texts()) == sorted(words["learned"])
        for value in words["learned"]:
            expect(page.locator("mark.learned", has_text=value).first).to_be_visible()
        act(lambda: button(page, words["keep_all"]).click())
        expect(cards).to_have_count(0)
        act(lambda: button(page, words["new_chat"]).click())
        write(words["asked"])
        answer = articles(page, "assistant")
        for part in words["answer"]:
            expect(answer).to_contain_text(part)
        chip = button(answer, words["used"])
        act(lambda: chip.click())
        used = answer.locator(".basis-memory")
        expect(used).to_have_count(3)
        expect(used.first).to_contain_text(words["sure"])

        page.evaluate("pyMemory.flush()")
        context.set_offline(True)
        act(lambda: page.reload())
        wait_until_ready(page)
        expect(chip).to_be_visible()
        with page.expect_download() as file:
            act(lambda: button(page, words["export"]).click())
        assert file.value.suggested_filename.endswith(".db")
        assert actions <= MOST_ACTIONS

        # Why, and the exact words it came from.
        button(answer, words["why"]).press("Enter")
        expect(answer.locator(".basis")).to_contain_text(words["assistant"])
        button(used.first, words["where"]).press("Enter")
        expect(articles(page, "user")).to_contain_text(words["told"])
        assert_marked(page, words["told"])

        # What is forgotten was used by no answer any more.
        diet = call(page, "list_facts", keys=["user::diet"])[0]
        call(page, "forget", fact_id=diet["id"])
        page.locator(".session-title").first.click()
        expect(button(answer, words["used_less"])).to_be_visible()
        assert page.evaluate("pyMemory.call('list_facts')")
    finally:
        expect.set_options(timeout=5_000)


def assert_marked(page: Page, told: str) -> None:
    for _ in range(100):
        marked = page.evaluate(MARKED)
        if marked:
            break
        page.wait_for_timeout(30)
    assert marked
    assert marked in told
    assert marked != told
