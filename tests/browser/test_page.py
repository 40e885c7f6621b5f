"""What people do with the page: talk, keep, find again, tidy up. In English and in Chinese."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

ANSWERED_MS = 20_000


@dataclass(frozen=True)
class Words:
    """What the page and its user say in one language."""

    lang: str
    html_lang: str
    introduction: str
    learned: tuple[str, ...]
    message: str
    conversation: str
    sessions: str
    new_chat: str
    memory: str
    panel: str
    keep: str
    keep_all: str
    edit: str
    no: str
    save: str
    forget: str
    undo: str
    status: str
    saved: str
    about_me: str
    remind: str
    task: str
    left_to_do: str
    done: str


EN = Words(
    lang="en",
    html_lang="en",
    introduction="I'm Lena, I'm vegetarian, and my daughter Mei is 6.",
    learned=("Lena", "vegetarian", "Mei"),
    message="Message",
    conversation="Conversation",
    sessions="Sessions",
    new_chat="New chat",
    memory="Memory",
    panel="What I remember",
    keep="Keep",
    keep_all="Keep all",
    edit="Edit",
    no="No",
    save="Save",
    forget="Forget",
    undo="Undo",
    status="Memory status",
    saved="Saved",
    about_me="What do you know about me?",
    remind="Remind me to water the plants.",
    task="water the plants",
    left_to_do="What is left to do?",
    done="Done",
)
ZH = Words(
    lang="zh",
    html_lang="zh-Hans",
    introduction="我叫小林，我吃素，我女儿小美6岁。",
    learned=("小林", "吃素", "小美"),
    message="消息",
    conversation="对话",
    sessions="会话",
    new_chat="新对话",
    memory="记忆",
    panel="我记得的事",
    keep="保留",
    keep_all="全部保留",
    edit="修改",
    no="不要",
    save="保存",
    forget="忘掉",
    undo="撤销",
    status="记忆状态",
    saved="已保存",
    about_me="你知道我什么？",
    remind="提醒我浇花",
    task="浇花",
    left_to_do="还有什么没做？",
    done="完成",
)


@pytest.fixture
def page(launch: Launch, open_page: OpenPage) -> Page:
    return open_page(launch(viewport={"width": 1280, "height": 800}))


@pytest.fixture(params=[EN, ZH], ids=lambda words: words.lang)
def words(request: pytest.FixtureRequest) -> Words:
    return request.param  # type: ignore[no-any-return]


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def articles(page: Page, role: str) -> Locator:
    return page.get_by_role("log").locator(f"article[data-role={role}]")


def say(page: Page, text: str, *, message: str = "Message") -> Locator:
    """Sends a message and gives its answer, once that is complete."""
    answers = articles(page, "assistant")
    before = answers.count()
    box = page.get_by_role("textbox", name=message, exact=True)
    box.fill(text)
    box.press("Enter")
    answer = answers.nth(before)
    expect(answer).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)
    return answer


def call(page: Page, method: str, **kwargs: Any) -> Any:
    return page.evaluate("([method, kwargs]) => pyMemory.call(method, kwargs)", [method, kwargs])


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + ANSWERED_MS / 1000
    while not holds():
        assert time.monotonic() < deadline, "It did not come about in time."
        time.sleep(0.05)


def sessions(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Sessions").locator(".session")


def panel(page: Page, name: str = "What I remember") -> Locator:
    return page.get_by_role("complementary", name=name)


def test_first_chat(launch: Launch, open_page: OpenPage, words: Words) -> None:
    page = open_page(launch(), f"?lang={words.lang}")
    assert page.get_attribute("html", "lang") == words.html_lang
    say(page, words.introduction, message=words.message)
    said = page.get_by_role("log", name=words.conversation).locator("article[data-role=user]")
    expect(said).to_contain_text(words.introduction)
    keep = button(page, words.keep)
    assert keep.count() >= 3
    underlined = "".join(said.locator("mark.waiting").all_inner_texts())
    assert all(value in underlined for value in words.learned)
    for _ in range(keep.count()):
        left = keep.count()
        keep.first.click()
        expect(keep).to_have_count(left - 1)
    assert said.locator("mark.kept").count() >= 3
    expect(said.locator("mark.waiting")).to_have_count(0)
    status = page.get_by_role("status", name=words.status)
    expect(status).to_have_text(words.saved)
    values = {fact["value"] for fact in call(page, "list_facts")}
    assert set(words.learned) <= values

    button(page, words.new_chat).click()
    expect(said).to_have_count(0)
    answer = say(page, words.about_me, message=words.message)
    for value in words.learned:
        expect(answer).to_contain_text(value)


def test_what_was_kept_is_there_after_a_reload(tmp_path: Path, launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch(tmp_path))
    say(page, EN.introduction)
    button(page, EN.keep_all).click()
    expect(button(page, EN.keep)).to_have_count(0)
    page.reload()
    expect(articles(page, "user").locator("mark.kept").first).to_be_visible(timeout=ANSWERED_MS)
    expect(articles(page, "assistant")).to_have_count(1)


def test_to_dos(launch: Launch, open_page: OpenPage, words: Words) -> None:
    page = open_page(launch(viewport={"width": 1280, "height": 800}), f"?lang={words.lang}")
    expect(say(page, words.remind, message=words.message)).to_contain_text(words.task)
    expect(say(page, words.left_to_do, message=words.message)).to_contain_text(words.task)
    button(page, words.memory).click()
    button(panel(page, words.panel), words.done).click()
    expect(button(panel(page, words.panel), words.done)).to_have_count(0)
    assert call(page, "list_facts", prefix="task::") == []
    button(page.locator(".toast"), words.undo).click()
    expect(button(panel(page, words.panel), words.done)).to_have_count(1)
    assert [fact["value"] for fact in call(page, "list_facts", prefix="task::")] == [words.task]


def test_edit_and_no(page: Page) -> None:
    say(page, EN.introduction)
    cards = page.locator(".proposals .card")
    proposed = cards.count()
    first, second = cards.filter(has_text="Lena"), cards.filter(has_text="vegetarian")
    button(second, EN.no).click()
    expect(cards).to_have_count(proposed - 1)
    button(page, EN.undo).click()
    expect(cards).to_have_count(proposed)
    button(first, EN.edit).click()
    field = page.get_by_role("textbox", name="Value of “Name”")
    field.fill("Magdalena")
    field.press("Enter")
    expect(cards).to_have_count(proposed - 1)
    assert call(page, "get_fact", key="user::name")["value"] == "Magdalena"


def test_never_suggest_this_kind(page: Page) -> None:
    say(page, EN.introduction)
    cards = page.locator(".proposals .card")
    proposed = cards.count()
    diet = cards.filter(has_text="Diet")
    button(diet, "More").click()
    button(diet, "Never suggest this kind").click()
    expect(cards).to_have_count(proposed - 1)
    expect(page.locator(".toast")).to_contain_text("“Diet” will not be suggested again.")
    say(page, "I am vegan.")
    expect(cards).to_have_count(proposed - 1)


def test_days_are_meant_by_the_clock_of_the_device(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch(timezone_id="Asia/Tokyo"))
    expect(page.locator(".memory-status")).to_have_text("Saved")
    wait_until(lambda: call(page, "get_setting", name="zone") == "Asia/Tokyo")
    # As after a journey: another zone, and the page is looked at again.
    call(page, "set_setting", name="zone", value="Europe/Berlin")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(lambda: call(page, "get_setting", name="zone") == "Asia/Tokyo")


@pytest.mark.parametrize(
    ("words", "due"), [(EN, "due 12 March 2035"), (ZH, "2035年3月12日 到期")], ids=("en", "zh")
)
def test_a_to_do_says_when_it_is_due(launch: Launch, open_page: OpenPage, words: Words, due: str) -> None:
    page = open_page(launch(timezone_id="America/New_York"), f"?lang={words.lang}")
    # Midnight in Berlin is the day before in New York.
    day = int(datetime(2035, 3, 12, tzinfo=timezone(timedelta(hours=1))).timestamp() * 1000)
    details = {"spoken_words": "on Monday", "valid_from": day, "zone": "Europe/Berlin"}
    call(page, "set_fact", key="task::water", value="water the plants", **details)
    call(page, "set_fact", key="task::call", value="call Mei")
    button(page, words.memory).click()
    entries = panel(page, words.panel).locator(".entry")
    expect(entries.filter(has_text="plants").locator(".since")).to_have_text(due)
    expect(entries.filter(has_text="Mei").locator(".since")).not_to_contain_text("due")


def test_what_is_forgotten_in_words_can_be_undone(page: Page) -> None:
    call(page, "set_fact", key="user::diet", value="vegetarian")
    say(page, "Forget my diet.")
    assert call(page, "list_facts") == []
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Forgotten: 1 memory.")
    button(toast, EN.undo).click()
    wait_until(lambda: [fact["value"] for fact in call(page, "list_facts")] == ["vegetarian"])


def test_toasts_stand_over_the_conversation(page: Page) -> None:
    middle = """(names) => names.map((name) => {
        const {left, right} = document.querySelector(name).getBoundingClientRect();
        return (left + right) / 2;
    })"""
    for opened in (False, True):
        if opened:
            button(page, EN.memory).click()
            expect(panel(page)).to_be_visible()
        say(page, "The boiler makes a noise.")
        button(sessions(page).first, "Delete").click()
        expect(page.locator(".toast")).to_be_visible()
        toast, column = page.evaluate(middle, [".toast", ".composer"])
        assert abs(toast - column) < 2
        button(page.locator(".toast"), "Dismiss").click()


def test_sessions(page: Page) -> None:
    say(page, "The trip to Kyoto is in May.")
    button(page, EN.new_chat).click()
    say(page, "The boiler makes a noise.")
    expect(sessions(page)).to_have_count(2)

    boiler = sessions(page).filter(has_text="boiler")
    boiler.hover()
    button(boiler, "Rename").click()
    title = page.get_by_role("textbox", name="Title of the chat")
    title.fill("Heating")
    title.press("Enter")
    expect(sessions(page).filter(has_text="Heating")).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text("Heating")

    search = page.get_by_role("searchbox", name="Search titles")
    search.fill("kyoto")
    expect(sessions(page)).to_have_count(1)
    expect(sessions(page)).to_contain_text("Kyoto")
    search.fill("nothing has this title")
    expect(sessions(page)).to_have_count(0)
    search.fill("")
    expect(sessions(page)).to_have_count(2)

    sessions(page).filter(has_text="Kyoto").locator(".session-title").click()
    expect(articles(page, "user")).to_contain_text("Kyoto")


def test_delete_and_undo(page: Page) -> None:
    say(page, EN.introduction)
    button(page, EN.keep_all).click()
    expect(button(page, EN.keep)).to_have_count(0)
    button(sessions(page).first, "Delete").click()
    expect(sessions(page)).to_have_count(0)
    expect(articles(page, "user")).to_have_count(0)
    button(page, EN.undo).click()
    expect(sessions(page)).to_have_count(1)
    expect(articles(page, "user")).to_contain_text(EN.introduction)
    expect(articles(page, "user").locator("mark.kept").first).to_be_visible()

    button(sessions(page).first, "Delete").click()
    expect(sessions(page)).to_have_count(0)
    assert len(call(page, "list_facts")) >= 3
    page.get_by_role("button", name=re.compile("^Also forget")).click()
    expect(page.locator(".toast")).to_contain_text("with what was learned from it")
    assert call(page, "list_facts") == []


def test_memory_panel(page: Page) -> None:
    say(page, EN.introduction)
    button(page, EN.keep_all).click()
    expect(button(page, EN.keep)).to_have_count(0)
    button(page, EN.new_chat).click()
    say(page, "I live in Berlin.")
    button(page, EN.memory).click()
    expect(panel(page).get_by_role("heading", name="To confirm")).to_be_visible()
    name = panel(page).locator(".entry").filter(has_text="Lena")
    expect(name).to_contain_text("Name")
    expect(name).to_contain_text("since")
    expect(name).to_contain_text("I'm Lena")

    button(name, "Pin").click()
    expect(panel(page).get_by_role("heading", name="Pinned")).to_be_visible()
    button(name, "Unpin").click()
    expect(panel(page).get_by_role("heading", name="Pinned")).to_have_count(0)

    button(name, EN.edit).click()
    field = page.get_by_role("textbox", name="Value of “Name”")
    field.fill("Magdalena")
    field.press("Enter")
    changed = panel(page).locator(".entry").filter(has_text="Magdalena")
    expect(changed).to_contain_text("Before: Lena")

    diet = panel(page).locator(".entry").filter(has_text="Diet")
    button(diet, EN.forget).click()
    button(page.get_by_role("dialog"), EN.forget).click()
    expect(diet).to_have_count(0)
    button(page, EN.undo).click()
    expect(diet).to_have_count(1)

    button(diet, "Show me where").click()
    target = page.locator("article.target")
    expect(target).to_contain_text(EN.introduction)
    expect(target).to_be_in_viewport()
    expect(target).to_be_focused()


def test_a_message_sent_before_the_start_is_answered_once(
    tmp_path: Path, launch: Launch, site_url: str
) -> None:
    context = launch(tmp_path)
    page = context.new_page()
    page.goto(site_url + "?lang=en")
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill("My name is Ada.")
    box.press("Enter")
    sent = articles(page, "user")
    expect(sent).to_have_count(1)
    expect(sent).to_contain_text("Waiting")
    # Gone before Python has started: the message was already on disk.
    page.wait_for_timeout(300)
    page.reload()
    expect(articles(page, "assistant")).to_have_attribute("data-status", "complete", timeout=60_000)
    expect(articles(page, "user")).to_have_count(1)
    assert len(call(page, "list_sessions")) == 1


def test_a_new_chat_begun_before_the_start(launch: Launch, site_url: str) -> None:
    page = launch().new_page()
    page.goto(site_url + "?lang=en")
    button(page, EN.new_chat).click()
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill("My name is Ada.")
    box.press("Enter")
    expect(articles(page, "assistant")).to_have_attribute("data-status", "complete", timeout=60_000)
    expect(articles(page, "user")).to_contain_text("My name is Ada.")


def test_long_histories_are_read_piece_by_piece(page: Page) -> None:
    session = call(page, "create_session", title="Long")
    items = [{"session_id": session["id"], "role": "user", "content": f"Line {n} of it."} for n in range(400)]
    far = call(page, "add_messages", items=items)[50]["id"]
    call(page, "set_fact", key="user::note", value="far away", source_message_id=far)
    sessions(page).filter(has_text="Long").locator(".session-title").click()
    line = articles(page, "user").filter(has_text="Line 399 of it.")
    expect(line).to_be_in_viewport()
    assert articles(page, "user").count() < 100, "a history is not read whole to show its end"

    # Scrolling up reads more, and what is being read stays where it is.
    line = articles(page, "user").filter(has_text="Line 372 of it.")
    line.evaluate("(article) => article.scrollIntoView({block: 'start'})")
    expect(articles(page, "user").filter(has_text="Line 335 of it.")).to_have_count(1)
    place = """(article) =>
        article.getBoundingClientRect().top - article.closest(".log").getBoundingClientRect().top"""
    assert abs(line.evaluate(place)) < 2
    order = articles(page, "user").all_inner_texts()
    numbers = [int(re.findall(r"Line (\d+)", text)[0]) for text in order]
    assert numbers == list(range(numbers[0], 400))

    # A message that is far away is gone to, with its neighbours; the newest one is one step away.
    button(page, EN.memory).click()
    button(panel(page), "Show me where").click()
    target = page.locator("article.target")
    expect(target).to_contain_text("Line 50 of it.")
    expect(target).to_be_in_viewport()
    expect(target).to_be_focused()
    assert articles(page, "user").count() < 200
    button(page, EN.memory).click()
    page.get_by_role("button", name="Newest message").click()
    expect(articles(page, "user").last).to_contain_text("Line 399 of it.")
    expect(articles(page, "user").last).to_be_in_viewport()
    # Going to the edge reads one page, not everything.
    page.get_by_role("log").press("Home")
    expect(articles(page, "user").filter(has_text="Line 340 of it.")).to_have_count(1)
    page.wait_for_timeout(300)
    expect(articles(page, "user").filter(has_text="Line 250 of it.")).to_have_count(0)


def test_a_long_answer_is_rendered_whole(page: Page) -> None:
    lines = [f"## Part {n}\n\n- **first** of {n}\n- see [all][book]\n" for n in range(300)]
    code = "\n".join(f"value_{n} = {n}" for n in range(500))
    content = "\n".join(
        [*lines, f"```python\n{code}\n```", "", "[book]: https://example.com/book", "", "The end."]
    )
    session = call(page, "create_session", title="Answer")["id"]
    call(page, "add_message", session_id=session, role="assistant", content=content)
    sessions(page).filter(has_text="Answer").locator(".session-title").click()
    answer = articles(page, "assistant")
    answer.get_by_role("button", name="Show all of it").click()
    expect(answer).to_contain_text("The end.")
    expect(answer.locator(".heading")).to_have_count(300)
    expect(answer.locator("li strong")).to_have_count(300)
    expect(answer.locator("a[href='https://example.com/book']")).to_have_count(300)
    assert answer.locator("pre code").evaluate("(code) => code.textContent").strip() == code
    heads = answer.locator(".heading").all_text_contents()
    assert heads == [f"Part {n}" for n in range(300)]


def choose(page: Page, *files: Path) -> None:
    button(page, "Import").click()
    with page.expect_file_chooser() as choosing:
        button(page, "Choose files…").click()
    choosing.value.set_files(files)


def test_export_and_import(page: Page, tmp_path: Path, launch: Launch, open_page: OpenPage) -> None:
    say(page, EN.introduction)
    button(page, EN.keep_all).click()
    expect(button(page, EN.keep)).to_have_count(0)
    with page.expect_download() as downloading:
        button(page, "Export").click()
    file = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(file)
    assert file.read_bytes().startswith(b"SQLite format 3\0")

    other = open_page(launch())
    choose(other, file)
    button(other, "Add it").click()
    report = other.get_by_role("dialog", name="Import finished")
    expect(report).to_contain_text("Added: 1 chat, 2 messages and 4 memories.", timeout=ANSWERED_MS)
    expect(other.locator(".toast.busy")).to_have_count(0)
    button(report, "OK").click()
    choose(other, file)
    button(other, "Add it").click()
    expect(report).to_contain_text("The file holds nothing that was not here already.", timeout=ANSWERED_MS)
    expect(report).to_contain_text("Here already, and left as it is: 1 chat, 2 messages and 4 memories.")
    button(report, "OK").click()
    expect(articles(other, "user")).to_contain_text(EN.introduction)

    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database" * 100)
    choose(other, broken)
    expect(other.get_by_role("alert")).to_contain_text("not a memory", timeout=ANSWERED_MS)


def test_an_import_is_seen_to_go_on(page: Page, tmp_path: Path) -> None:
    page.evaluate(
        """() => {
            const importFile = pyMemory.importFile.bind(pyMemory);
            pyMemory.importFile = async (...args) => {
                await new Promise((resolve) => (globalThis.goOn = resolve));
                return importFile(...args);
            };
        }"""
    )
    file = tmp_path / "broken.db"
    file.write_bytes(b"SQLite format 3\0" + b"cut short" * 100)
    choose(page, file)
    button(page, "Add it").click()
    expect(page.locator(".toast.busy")).to_have_text("Importing…")
    expect(button(page, "Import")).to_be_disabled()
    page.evaluate("goOn()")
    expect(page.locator(".toast.problem")).to_contain_text("Nothing was changed")
    expect(page.locator(".toast.busy")).to_have_count(0)
    expect(button(page, "Import")).to_be_enabled()


def test_storage(page: Page) -> None:
    say(page, EN.introduction)
    button(page, "Storage").click()
    dialog = page.get_by_role("dialog", name="Storage")
    expect(dialog).to_contain_text("Saved")
    expect(dialog).to_contain_text("1 chat and 2 messages")
    expect(dialog).to_contain_text("4 more wait for your yes")
    expect(dialog).to_contain_text("this page works without a connection")
    expect(dialog).to_contain_text("used")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    button(page.locator(".card").first, EN.keep).click()
    button(page, "Storage").click()
    expect(dialog).to_contain_text("1 chat, 2 messages and 1 memory")
    expect(dialog).to_contain_text("3 more wait for your yes")
    expect(dialog).to_contain_text("the browser was asked and declined")
    expect(dialog).to_contain_text("In use: no. 1")
    expect(dialog).to_contain_text("None before it is kept")
    button(dialog, "Check now").click()
    expect(dialog).to_contain_text("everything is in order")
    with page.expect_download():
        button(dialog, "Export now").click()
    expect(dialog).to_contain_text("Nothing new since")
    call(page, "vacuum")
    expect(dialog).to_contain_text("In use: no. 2")
    expect(dialog).to_contain_text("Kept in case that is damaged: no. 1")


def test_a_long_title_ends_with_a_clause(page: Page) -> None:
    said = "The trip to Kyoto is in May, and the tickets are not booked yet, nor is the hotel by the river."
    say(page, said)
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("The trip to Kyoto is in May")
    expect(title).to_have_attribute("title", said)
    button(sessions(page).first, "Delete").click()
    expect(page.locator(".toast")).to_contain_text("“The trip to Kyoto is in May, and…” is deleted")


def answer_ends(page: Page, status: str, content: str) -> Locator:
    """A question and its answer, which ends otherwise than complete."""
    session = call(page, "get_or_create_session")["id"]
    said = call(page, "add_message", session_id=session, role="user", content=EN.about_me)["id"]
    begun = {"session_id": session, "role": "assistant", "content": "", "parent_id": said}
    answer = call(page, "add_message", **begun, status="streaming")["id"]
    call(page, "set_message_status", message_id=answer, status=status, content=content)
    sessions(page).locator(".session-title").click()
    expect(articles(page, "assistant")).to_have_attribute("data-status", status)
    return articles(page, "assistant")


def test_a_stopped_answer_says_so(page: Page) -> None:
    answer = answer_ends(page, "stopped", "This is what I")
    expect(answer).to_contain_text("This is what I")
    expect(answer.locator("footer")).to_contain_text("Stopped")
    expect(answer.locator(".failed")).to_have_count(0)


def test_stop_stops_the_round_of_this_chat(page: Page) -> None:
    page.evaluate(
        """() => {
            pyMemory.send = ({message_id}) => new Promise(() => (globalThis.sent = message_id));
            pyMemory.cancel = async (id) => Boolean((globalThis.cancelled = id));
        }"""
    )
    expect(button(page, "Stop")).to_have_count(0)
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill(EN.about_me)
    box.press("Enter")
    button(page, "Stop").click()
    wait_until(lambda: page.evaluate("globalThis.cancelled !== undefined && cancelled === sent"))


def test_a_failed_answer_can_be_asked_for_again(page: Page) -> None:
    failed = answer_ends(page, "failed", "The model could not be reached.").first
    expect(failed).to_contain_text("The model could not be reached.")
    expect(failed.locator(".failed")).to_contain_text("This answer failed.")
    button(failed, "Try again").click()
    expect(articles(page, "assistant")).to_have_attribute("data-status", "complete", timeout=ANSWERED_MS)
    expect(articles(page, "user")).to_have_count(1)
    button(page, "Previous version").click()
    expect(articles(page, "assistant")).to_have_attribute("data-status", "failed")


def test_two_tabs(launch: Launch, open_page: OpenPage) -> None:
    context = launch()
    first = open_page(context)
    second = open_page(context)
    expect(second.locator(".banner[data-code=other-tab]")).to_be_visible()
    say(second, EN.introduction)
    expect(sessions(first)).to_have_count(1)
    expect(articles(first, "user")).to_contain_text(EN.introduction)
    button(second, "Use here").click()
    expect(second.locator(".banner[data-code=other-tab]")).to_have_count(0, timeout=ANSWERED_MS)
    expect(first.locator(".banner[data-code=other-tab]")).to_be_visible(timeout=ANSWERED_MS)
