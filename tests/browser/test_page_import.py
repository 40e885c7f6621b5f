"""Other products' exports on the page: looked into, picked, added and taken back; and what goes out again."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

AT = 1_700_000_000  # s
IMPORTED_MS = 30_000


def chat(id: str, title: str | None, *texts: str) -> dict[str, Any]:
    """A conversation as ChatGPT exports it; some have no metadata, no children and no time."""
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    before = "root"
    for place, said in enumerate(texts):
        node = f"{id}-{place}"
        content = {"content_type": "text", "parts": [said]}
        author = {"role": "assistant" if place % 2 else "user"}
        message = {"id": node, "author": author, "create_time": AT + place or None, "content": content}
        mapping[node] = {"id": node, "parent": before, "message": {**message, "recipient": "all"}}
        before = node
    about = {"id": id, "conversation_id": id, "title": title, "create_time": AT, "update_time": AT + 60}
    return {**about, "mapping": mapping, "current_node": before}


def saved_memories(*memories: str) -> dict[str, Any]:
    told = {"content_type": "model_editable_context", "model_set_context": "\n".join(memories)}
    made = chat("saved", "Hello", "Hello")
    mapping = made["mapping"]
    message = {"id": "told", "author": {"role": "system"}, "create_time": AT, "content": told}
    mapping["told"] = {"id": "told", "parent": "root", "message": message}
    mapping["saved-0"]["parent"] = "told"
    return made


def chatgpt_zip(file: Path, shards: int = 3) -> Path:
    """With directories and shards, a picture, and other files than conversations."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export/", b"")
        for shard in range(shards):
            chats = [chat(f"c{shard}-{n}", f"Trip {shard}{n}", "Where to sail?", "North.") for n in range(4)]
            archive.writestr(f"export/conversations-{shard:03}.json", json.dumps(chats))
        extra = [chat("empty", "Nothing"), saved_memories("1. User is vegetarian.", "2. Works as a nurse.")]
        archive.writestr("export/conversations-900.json", json.dumps(extra))
        archive.writestr("export/user.json", json.dumps({"id": "u"}))
        archive.writestr("export/file-1.png", b"\x89PNG\r\n\x1a\n\0")
    return file


def locked(file: Path) -> Path:
    """The same zip with the mark of a password on each of its files."""
    data = bytearray(file.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + place] |= 1
            at = data.find(mark, at + 1)
    made = file.with_name("locked.zip")
    made.write_bytes(data)
    return made


def button(where: Page | Locator, name: str) -> Locator:
    return where.get_by_role("button", name=name, exact=True)


def choose(page: Page, *files: Path) -> None:
    page.get_by_test_id("import-file").set_input_files(files)


def drop(page: Page, file: Path) -> None:
    page.evaluate(
        """([name, text]) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], name));
            const init = {dataTransfer, bubbles: true, cancelable: true};
            document.body.dispatchEvent(new DragEvent('dragover', init));
            document.body.dispatchEvent(new DragEvent('drop', init));
        }""",
        [file.name, file.read_text("utf-8")],
    )


def test_an_export_is_looked_into_picked_added_and_taken_back(
    launch: Launch, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(launch())
    export = chatgpt_zip(tmp_path / "export.zip")
    button(page, "Import").click()
    dialog = page.get_by_role("dialog")
    choose(page, export)
    expect(dialog).to_contain_text("13 conversations, 26 messages", timeout=IMPORTED_MS)
    expect(dialog).to_contain_text("14 November 2023")
    expect(dialog).to_contain_text("User is vegetarian.")
    expect(dialog).to_contain_text("1 conversation: nothing was said in it")
    expect(dialog).to_contain_text("2 other files without conversations")
    # Some, without the memories.
    dialog.get_by_label("Only some").check()
    expect(button(dialog, "Import 0 conversations")).to_be_disabled()
    dialog.get_by_label("Search titles").fill("trip 1")
    button(dialog, "Tick all 4").click()
    dialog.get_by_label("Trip 11").uncheck()
    dialog.get_by_label("Suggest 2 saved memories").uncheck()
    button(dialog, "Import 3 conversations").click()
    expect(dialog).to_contain_text("3 conversations with 6 messages are here now.", timeout=IMPORTED_MS)
    expect(page.locator(".session")).to_have_count(3)
    button(dialog, "Undo").click()
    expect(dialog).to_contain_text("as it was before")
    expect(page.locator(".session")).to_have_count(0)
    button(dialog, "Done").click()
    expect(button(page, "Import")).to_be_focused()
    # All of it, and once more.
    button(page, "Import").click()
    choose(page, export)
    button(dialog, "Import 13 conversations").click()
    expect(dialog).to_contain_text("13 conversations with 26 messages are here now.", timeout=IMPORTED_MS)
    expect(dialog).to_contain_text("2 memories wait for your yes.")
    button(dialog, "Look at the memories").click()
    expect(page.locator(".panel .card")).to_have_count(2)
    assert page.evaluate("pyMemory.call('list_facts')") == []
    button(page, "Import").click()
    choose(page, export)
    button(dialog, "Import 13 conversations").click()
    expect(dialog).to_contain_text("Nothing was added", timeout=IMPORTED_MS)
    expect(button(dialog, "Undo")).to_have_count(0)
    page.keyboard.press("Escape")
    begin = "([options, length]) => pyMemory.exportFile(options).then((bytes) => [...bytes.slice(0, length)])"
    one = page.evaluate("pyMemory.call('list_sessions', {limit: 1}).then(([{id}]) => id)")
    assert bytes(page.evaluate(begin, [{"session_id": one}, 15])) == b"SQLite format 3"
    markdown = bytes(page.evaluate(begin, [{"format": "markdown", "language": "zh"}, 99_999])).decode()
    assert "Where to sail?" in markdown
    # Out as lines, and in again somewhere else: nothing is missing.
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("another form")
    page.keyboard.press("Enter")
    dialog.get_by_label("JSON Lines").check()
    with page.expect_download() as downloading:
        button(dialog, "Export").click()
    lines = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(lines)
    assert lines.suffix == ".jsonl"
    other = open_page(launch())
    drop(other, lines)
    button(other, "Add it").click()
    report = other.get_by_role("dialog", name="Import finished")
    expect(report).to_contain_text("13 chats, 26 messages and 2 memories", timeout=IMPORTED_MS)
    said = "pyMemory.exportFile({format: 'jsonl'}).then((bytes) => new TextDecoder().decode(bytes))"
    kinds = ("sessions", "messages", "message_versions", "facts")  # each memory has namespaces of its own
    there, here = (
        {line for line in text.splitlines() if json.loads(line).get("table") in kinds}
        for text in (other.evaluate(said), lines.read_text("utf-8"))
    )
    assert there == here != set()


def test_what_cannot_be_imported_is_said_in_chinese(
    launch: Launch, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(launch(viewport={"width": 390, "height": 844}), "?lang=zh")
    export = chatgpt_zip(tmp_path / "export.zip")
    half, empty, picture = (tmp_path / name for name in ("half.zip", "empty.json", "photo.json"))
    half.write_bytes(export.read_bytes()[:900])
    empty.write_bytes(b"")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    button(page, "导入").click()
    dialog = page.get_by_role("dialog")
    for file, why in (
        (picture, "这是图片"),
        (half, "文件已损坏"),
        (empty, "文件是空的"),
        (locked(export), "有密码"),
    ):
        choose(page, file)
        expect(dialog.get_by_role("alert")).to_contain_text(why, timeout=IMPORTED_MS)
        button(dialog, "选择其他文件").click()
    assert page.evaluate("pyMemory.call('list_sessions')") == []
    # A list, pasted; what comes of it is asked about first.
    dialog.get_by_text("改为粘贴一份列表").click()
    dialog.get_by_label("记忆，每行一条").fill("- 我吃素\n- 用户住在杭州\n")
    button(dialog, "看看内容").click()
    button(dialog, "建议 2 条记忆").click()
    expect(dialog).to_contain_text("2 条记忆等你点头。", timeout=IMPORTED_MS)
    button(dialog, "查看这些记忆").click()
    button(page, "全部保留").click()
    expect(page.locator(".panel .entry")).to_have_count(2)
    # And read as a page, with the words it came from.
    button(page, "整页阅读").click()
    expect(dialog.locator(".about-notes li")).to_contain_text(["用户住在杭州", "我吃素"])
    dialog.get_by_role("link", name="注 1", exact=True).click()
    expect(dialog.locator("#about-note-1")).to_be_focused()
    page.emulate_media(media="print")
    expect(button(dialog, "打印…")).to_be_hidden()
    expect(dialog.get_by_role("heading", name="我对你的了解")).to_be_visible()
    assert page.evaluate("document.querySelector('.main').checkVisibility()") is False


def test_a_large_import_does_not_keep_the_page(launch: Launch, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(launch())
    export = tmp_path / "conversations.json"
    chats = [chat(f"c{n}", f"Trip {n}", *(f"{n} {k} sail " * 160 for k in range(6))) for n in range(250)]
    export.write_text(json.dumps(chats))
    button(page, "Import").click()
    dialog = page.get_by_role("dialog")
    choose(page, export)
    button(dialog, "Import 250 conversations").click()
    expect(page.get_by_test_id("import-progress")).to_contain_text(re.compile("^[1-9]"), timeout=IMPORTED_MS)
    # Others are answered between two parts.
    session = page.evaluate("pyMemory.call('create_session', {title: 'Meanwhile'})")
    assert session["title"] == "Meanwhile"
    button(dialog, "Cancel").click()
    expect(page.get_by_role("dialog", name="Import stopped")).to_be_visible(timeout=IMPORTED_MS)
    button(dialog, "Undo").click()
    expect(dialog).to_contain_text("as it was before", timeout=IMPORTED_MS)
    assert len(page.evaluate("pyMemory.call('list_sessions')")) == 1
    assert page.evaluate("pyMemory.call('search', {text: 'sail'})") == []
    button(dialog, "Done").click()

    # Cut short, it says so at the next start, and goes on where it was.
    button(page, "Import").click()
    choose(page, export)
    button(dialog, "Import 250 conversations").click()
    expect(page.get_by_test_id("import-progress")).to_contain_text(re.compile("^[1-9]"), timeout=IMPORTED_MS)
    page.reload()
    cut = page.locator(".toast", has_text="was cut short")
    button(cut, "Import").click(timeout=IMPORTED_MS)
    choose(page, export)
    button(dialog, "Import 250 conversations").click()
    button(dialog, "Go on in the background").click()
    # Between two parts the file may be written anew, as it is after something was forgotten.
    before = page.evaluate("pyMemory.status().generation")
    page.evaluate("pyMemory.call('vacuum')")
    assert page.evaluate("pyMemory.status().generation") > before
    expect(page.locator(".toast").last).to_contain_text("Import finished", timeout=60_000)
    assert page.evaluate("pyMemory.call('stats').then(({sessions}) => sessions)") == 251
