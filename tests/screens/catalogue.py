"""Every screen of the page: a name, and how it is reached from a chat with nothing open.

A new screen is one function here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

TALK = {
    "en": ("I'm Lena, I'm vegetarian, and my daughter Mei is 6.", "What do you know about me?"),
    "zh": ("我叫小林，我吃素，我女儿小美6岁。", "你知道我什么？"),
}
FACTS = {
    "en": {
        "user::home": "Lisbon",
        "user::work": "The Mill",
        "user::likes": "Coffee",
        "task::1": "Water the plants",
    },
    "zh": {"user::home": "里斯本", "user::work": "磨坊", "user::likes": "咖啡", "task::1": "浇花"},
}
LIKES = {
    "en": ("Tea", "Hiking", "Opera", "Chess", "Rain", "Maps", "Plums", "Trains", "Linen"),
    "zh": ("茶", "徒步", "歌剧", "下棋", "雨天", "地图", "李子", "火车", "亚麻"),
}
DISLIKED = {"en": "coffee", "zh": "咖啡"}
EXPIRED = {"en": "1 Main Street", "zh": "主街1号"}
EDIT = {"en": "Edit message", "zh": "编辑消息"}
INSPECT = {"en": "What the model was sent", "zh": "发给模型的内容"}
NAMED = {"en": "Work", "zh": "工作"}
SOUGHT = {"en": "vegetarian", "zh": "吃素"}


@dataclass(frozen=True)
class Visit:
    page: Page
    lang: str
    width: int

    def see(self, selector: str) -> None:
        expect(self.page.locator(selector).first).to_be_visible()

    def click(self, selector: str) -> None:
        self.page.locator(selector).first.click()

    def command(self, id: str) -> None:
        """What the palette calls so."""
        self.page.keyboard.press("Control+k")
        self.click(f"#palette-{id}")

    def call(self, method: str, **kwargs: Any) -> Any:
        return self.page.evaluate("([method, kwargs]) => pyMemory.call(method, kwargs)", [method, kwargs])

    def scroll(self, selector: str) -> None:
        self.page.locator(selector).first.evaluate("(element) => element.scrollIntoView({block: 'end'})")


Open = Callable[[Visit], None]
SCREENS: dict[str, Open] = {}


def screen(name: str) -> Callable[[Open], Open]:
    def note(open_: Open) -> Open:
        assert name not in SCREENS
        SCREENS[name] = open_
        return open_

    return note


@screen("chat")
def chat(visit: Visit) -> None:
    visit.see("article[data-role=assistant]")


@screen("chat-edit-proposal")
def edit_proposal(visit: Visit) -> None:
    visit.click(".proposals li button:nth-of-type(2)")
    visit.see(".editor input")


@screen("chat-edit-message")
def edit_message(visit: Visit) -> None:
    visit.page.locator("article[data-role=user]").first.hover()
    visit.click(f'[aria-label="{EDIT[visit.lang]}"]')
    visit.see(".message-editor")


@screen("memory-inbox")
def inbox(visit: Visit) -> None:
    visit.command("memory")
    visit.see(".panel .proposals")


@screen("memory")
def memory(visit: Visit) -> None:
    visit.command("memory")
    visit.see(".panel .entry")
    visit.scroll(".panel .entry:last-of-type")


@screen("memory-disputed")
def disputed(visit: Visit) -> None:
    visit.call("set_fact", key="user::dislikes", value=DISLIKED[visit.lang])
    assert visit.call("fix_health", kind="contradictions")["counts"] == {"contradictions": 1}
    visit.command("memory")
    visit.see(".panel .proposals")


@screen("memory-forgotten")
def forgotten(visit: Visit) -> None:
    fact = visit.call("set_fact", key="user::note", value=DISLIKED[visit.lang])
    visit.call("forget", fact_id=fact["id"])
    visit.command("memory")
    visit.see(".panel .entry")
    for summary in visit.page.locator(".panel details.bygone > summary").all():
        summary.click()
    visit.see(".bygone li")
    visit.scroll(".panel details.bygone:last-of-type")


@screen("memory-search")
def memory_search(visit: Visit) -> None:
    visit.command("memory")
    visit.page.locator(".panel input[type=search]").fill(SOUGHT[visit.lang])


@screen("memory-search-nothing")
def memory_search_nothing(visit: Visit) -> None:
    visit.command("memory")
    visit.page.locator(".panel input[type=search]").fill("zzzz")
    visit.see(".panel .none")


@screen("sessions")
def sessions(visit: Visit) -> None:
    if visit.width <= 800:
        visit.click("button.menu")
    visit.see(".session")


@screen("sessions-search-nothing")
def sessions_search(visit: Visit) -> None:
    sessions(visit)
    visit.page.locator(".sidebar input[type=search]").fill("zzzz")
    visit.see(".sidebar .none")


@screen("palette")
def palette(visit: Visit) -> None:
    visit.page.keyboard.press("Control+k")
    visit.page.locator(".palette input").fill("")
    visit.see(".palette #palette-health")


@screen("palette-nothing")
def palette_nothing(visit: Visit) -> None:
    palette(visit)
    visit.page.locator(".palette input").fill("zzzz")
    visit.see(".palette .none")


@screen("shortcuts")
def shortcuts(visit: Visit) -> None:
    visit.command("shortcuts")
    visit.see(".keys-group")


@screen("storage")
def storage(visit: Visit) -> None:
    visit.command("storage")
    visit.see("dialog meter")


@screen("export")
def export(visit: Visit) -> None:
    visit.command("exportOther")
    visit.see(".export-form")


@screen("import")
def import_(visit: Visit) -> None:
    visit.command("import")
    visit.see(".drop-here")


@screen("import-paste")
def import_paste(visit: Visit) -> None:
    import_(visit)
    for summary in visit.page.locator(".import-more summary").all():
        summary.click()


@screen("import-preview")
def import_preview(visit: Visit) -> None:
    import_(visit)
    messages = [{"uuid": "m", "sender": "human", "text": "Tea?"}]
    chats = [{"uuid": id, "name": f"Tea {id}", "chat_messages": messages} for id in ("k", "l")]
    file = {"name": "c.json", "mimeType": "application/json", "buffer": json.dumps(chats).encode()}
    visit.page.get_by_test_id("import-file").set_input_files(file)  # type: ignore[arg-type]
    visit.see(".which input")


@screen("import-pick")
def import_pick(visit: Visit) -> None:
    import_preview(visit)
    visit.page.locator(".which input").last.click()
    visit.see(".pick-list")


@screen("import-report")
def import_report(visit: Visit) -> None:
    import_preview(visit)
    visit.click("dialog .primary")
    visit.see(".import-report, dialog .dialog-actions .primary")
    expect(visit.page.locator("dialog progress")).to_have_count(0)


@screen("import-problem")
def import_problem(visit: Visit) -> None:
    import_(visit)
    file = {"name": "c.json", "mimeType": "application/json", "buffer": b"{]"}
    visit.page.get_by_test_id("import-file").set_input_files(file)  # type: ignore[arg-type]
    visit.see(".import-problem, .which input, dialog .dialog-actions .primary")


@screen("about-you")
def about(visit: Visit) -> None:
    visit.command("about")
    visit.see(".about-group")


@screen("models")
def models(visit: Visit) -> None:
    visit.command("models")
    visit.see("#model-address")


@screen("models-device")
def models_device(visit: Visit) -> None:
    models(visit)
    visit.click("[data-kind=device] summary")
    visit.see("#model-file-address")


@screen("models-browser")
def models_browser(visit: Visit) -> None:
    models(visit)
    visit.click("[data-kind=browser] summary")
    visit.see("[data-kind=browser] .kind-note")


@screen("prompt")
def prompt(visit: Visit) -> None:
    visit.page.locator("article[data-role=assistant]").last.hover()
    visit.page.locator(f'[aria-label="{INSPECT[visit.lang]}"]').last.click()
    visit.see(".used-memory")


@screen("settings")
def settings(visit: Visit) -> None:
    visit.command("settings")
    visit.see(".settings-section")


@screen("settings-end")
def settings_end(visit: Visit) -> None:
    settings(visit)
    visit.scroll(".settings-section:last-of-type")


@screen("settings-refused")
def settings_refused(visit: Visit) -> None:
    proposal = visit.call("propose_fact", key="user::contact::phone", value="+351 912 345 678")
    visit.call("reject_fact", id=proposal["id"], never_this_kind=True)
    settings(visit)
    visit.see(".refused-kinds li")
    visit.scroll(".refused-kinds")


@screen("health")
def health(visit: Visit) -> None:
    visit.call("set_fact", key="user::address", value=EXPIRED[visit.lang], expires_at=1)
    visit.command("health")
    visit.see(".finding")


@screen("health-fixed")
def health_fixed(visit: Visit) -> None:
    health(visit)
    visit.click("[data-kind=stale] button")
    expect(visit.page.locator("[data-kind=stale]")).to_have_count(0)
    visit.see(".toast")


@screen("profiles")
def profiles(visit: Visit) -> None:
    visit.command("profiles")
    visit.see(".profile")


@screen("profiles-delete")
def profiles_delete(visit: Visit) -> None:
    profiles(visit)
    visit.page.locator(".profile .icon-button").last.click()
    visit.see("#profile-typed")


@screen("chat-used")
def used(visit: Visit) -> None:
    visit.page.locator(".used-chip").last.click()
    visit.see(".basis-memory")


@screen("chat-why")
def why(visit: Visit) -> None:
    visit.page.locator("article[data-role=assistant]").last.hover()
    visit.page.locator(".why-action").last.click()
    visit.see(".basis-by")


def choose_files(visit: Visit, *names: str) -> None:
    content = b"def greet():\n    return 'hello'\n"
    files = [{"name": name, "mimeType": "text/plain", "buffer": content} for name in names]
    visit.page.get_by_test_id("attach-file").set_input_files(files)  # type: ignore[arg-type]


@screen("chat-attaching")
def attaching(visit: Visit) -> None:
    choose_files(visit, "a-file-with-quite-a-long-name-for-a-small-screen.py", "notes.txt")
    expect(visit.page.locator(".attached li")).to_have_count(2)


@screen("chat-attached")
def attached(visit: Visit) -> None:
    answers = visit.page.locator("article[data-role=assistant]")
    before = answers.count()
    visit.click(".round-button.send")
    expect(answers.nth(before)).to_have_attribute("data-status", "complete", timeout=60_000)
    visit.page.locator(".attachment summary").first.click()
    visit.scroll("article[data-role=user]:has(.attachment)")


@screen("profiles-two")
def profiles_two(visit: Visit) -> None:
    """Another one is made and opened; then back, so that the others show what was said before."""
    profiles(visit)
    visit.page.fill("#new-profile", NAMED[visit.lang])
    visit.click(".profile-form button")
    visit.see(".empty")
    expect(visit.page.locator(".memory-status[data-state=saved]")).to_be_visible(timeout=60_000)
    if visit.width <= 800:
        visit.click("button.menu")
    visit.see(".profile-button")
    visit.click(".profile-button")
    expect(visit.page.locator(".profile")).to_have_count(2)


@screen("profiles-back")
def profiles_back(visit: Visit) -> None:
    profiles(visit)
    visit.click(".profile:not(.here) button")
    expect(visit.page.locator("dialog")).to_have_count(0)
    expect(visit.page.locator(".memory-status[data-state=saved]")).to_be_visible(timeout=60_000)


def enlarge(visit: Visit) -> None:
    visit.page.evaluate("() => void (document.documentElement.dataset.text = 'largest')")


@screen("largest-chat")
def largest_chat(visit: Visit) -> None:
    enlarge(visit)


@screen("largest-memory")
def largest_memory(visit: Visit) -> None:
    enlarge(visit)
    memory(visit)


@screen("largest-settings")
def largest_settings(visit: Visit) -> None:
    enlarge(visit)
    settings(visit)


@screen("message-too-large")
def too_large(visit: Visit) -> None:
    # Many bytes in few characters, which a browser lays out sooner.
    visit.page.locator("#message").evaluate(
        """(field) => {
            field.value = "\u6c34".repeat(360_000);
            field.dispatchEvent(new Event("input", {bubbles: true}));
        }"""
    )
    visit.page.locator(".round-button.send").click()
    visit.see(".composer-problem")


@screen("offline")
def offline(visit: Visit) -> None:
    visit.page.fill("#message", "")
    visit.page.context.set_offline(True)
    visit.see(".offline")


@screen("incognito")
def incognito(visit: Visit) -> None:
    visit.page.context.set_offline(False)
    visit.command("newIncognito")
    visit.see(".incognito-note")
