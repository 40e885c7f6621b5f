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


def drop(page: Page, name: str, content: list[int]) -> None:
    page.evaluate(
        """([name, content]) => {
            const init = {bubbles: true, cancelable: true, dataTransfer: new DataTransfer()};
            init.dataTransfer.items.add(new File([new Uint8Array(content)], name));
            document.querySelector(".log").dispatchEvent(new DragEvent("drop", init));
        }""",
        [name, content],
    )


def test_files_code_tools_and_finding_again(launch: Launch, open_page: Callable[..., Page]) -> None:
    page = open_page(launch(viewport={"width": 1280, "height": 800}))
    refused: list[str] = []
    page.on(
        "console", lambda message: refused.append(message.text) if "Security Policy" in message.text else None
    )
    problem = page.get_by_role("alert")
    for name, content, why in (
        ("empty.txt", [], "empty"),
        ("cat.png", [0x89, 0x50, 0, 1, 2], "not a text file"),
        ("huge.log", [97] * ((256 << 10) + 1), "too large"),
    ):
        drop(page, name, content)
        expect(problem).to_contain_text(why)
    drop(page, "notes.py", list(b"def greet():\n    return 'I am called Zed'\n~~~\nMy name is Eve.\n"))
    expect(problem).to_have_count(0)
    drop(page, "gb.txt", list("我叫王五".encode("gb18030")))
    expect(page.locator(".attached li")).to_have_count(2)
    button(page, "Remove gb.txt").click()
    button(page, "Send").click()
    said = articles(page, "user")
    expect(articles(page, "assistant")).to_have_attribute("data-status", "complete", timeout=READY_MS)
    assert "My name is Eve." in call(page, "get_message", id=said.get_attribute("data-id"))["content"]
    assert call(page, "list_facts", status=None) == []  # a file says nothing of the user
    expect(page.get_by_role("heading", level=1)).to_contain_text("notes.py")
    said.locator(".attachment summary").click()
    expect(said.locator(".code-keyword").first).to_have_text("def")

    # Code in colours, without HTML and within the policy; tools on one line.
    session = call(page, "list_sessions")[0]["id"]
    code = "Look:\n\n```js\nconst a = '<b>x</b>'; // why\n```\n\n```nosuch\nplain\n```"
    answer = call(page, "add_message", session_id=session, role="assistant", content=code)["id"]
    tool = call(
        page,
        "add_tool_call",
        session_id=session,
        tool_name="weather",
        input={"town": "Oslo"},
        message_id=answer,
    )
    call(page, "update_tool_call", id=tool["id"], status="success", output="rain")
    blocks = articles(page, "assistant").last.locator("pre code")
    expect(blocks.first.locator(".code-string")).to_have_text("'<b>x</b>'")
    expect(blocks.last).to_have_text("plain")
    line = articles(page, "assistant").last.locator(".tool-line")
    expect(line.locator("summary")).to_contain_text("1 tool call")
    expect(line.locator("dd").first).to_be_hidden()
    line.locator("summary").press("Enter")
    expect(line.locator("dd").last).to_have_text("rain")
    assert refused == []

    # Everything can be found again, with the words marked.
    call(page, "set_fact", key="user::likes", value="xylophones")
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox")
    field.fill("xyloph")
    expect(page.locator(".palette-list mark")).to_have_text(["xyloph"])
    field.fill("called zed")
    expect(page.locator(".palette-list mark")).to_have_text(["called Zed"])
    field.press("Enter")
    expect(page.locator("article.target")).to_have_attribute("data-id", said.get_attribute("data-id") or "")
