"""What the tests of the host share: turns through `pyMemory`, and a look into IndexedDB behind its back."""

from __future__ import annotations

import base64
import os
import signal
import sqlite3
import struct
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

TALK = "We talked about the trip to Kyoto in May, 预算是两万元, and that Mei cannot eat peanuts."

# Bytes as base64 text, the way in which they get out of a page.
TO_TEXT = """((bytes) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 32768) {
        text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    }
    return btoa(text);
})"""

WITH_STORE = """async ({store, mode, body}) => {
    const db = await new Promise((resolve, reject) => {
        const open = indexedDB.open("py-memory");
        open.onsuccess = () => resolve(open.result);
        open.onerror = () => reject(open.error);
    });
    const result = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const transaction = db.transaction(store, mode);
    const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
    });
    const objects = transaction.objectStore(store);
    let value = null;
    // Chunks are stored as Blobs.
    const bytesOf = async ({body}) => body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : body;
    const putAgain = async (record) => {
        const again = db.transaction(store, mode);
        const over = new Promise((resolve, reject) => {
            again.oncomplete = resolve;
            again.onabort = () => reject(again.error);
        });
        again.objectStore(store).put(record);
        await over;
    };
    if (body.do === "keys") value = await result(objects.getAllKeys());
    if (body.do === "count") value = await result(objects.count());
    if (body.do === "take last") {
        const [key] = (await result(objects.getAllKeys())).slice(-1);
        globalThis.taken = await result(objects.get(key));
        objects.delete(key);
    }
    if (body.do === "give back") objects.put(globalThis.taken);
    if (body.do === "types") {
        const kind = (item) => item === null ? "null" : item.constructor.name;
        const records = await result(objects.getAll());
        value = [...new Set(records.flatMap((record) => Object.values(record).map(kind)))];
    }
    if (body.do === "text") value = await result(objects.get("text"));
    if (body.do === "find") {
        const letters = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
        const needle = letters(new TextEncoder().encode(body.text));
        const records = await result(objects.getAll());
        const text = async (record) =>
            record.body ? letters(await bytesOf(record)) : JSON.stringify(record) ?? "";
        const texts = await Promise.all(records.map(text));
        value = texts.filter((text) => [needle, body.text].some((one) => text.includes(one))).length;
    }
    if (body.do === "chunk") {
        const record = await result(objects.get(body.key));
        value = {seq: record.seq, body: TO_TEXT(await bytesOf(record))};
    }
    if (body.do === "put chunk") {
        const record = await result(objects.get(body.key));
        record.body = Uint8Array.from(atob(body.body), (letter) => letter.charCodeAt(0));
        record.checksum = body.checksum;
        await putAgain(record);
    }
    if (body.do === "flip") {
        const record = await result(objects.get(body.key));
        const bytes = await bytesOf(record);
        bytes[Math.floor(bytes.length / 2)] ^= 1;
        await putAgain({...record, body: record.body instanceof Blob ? new Blob([bytes]) : bytes});
    }
    await done;
    db.close();
    return value;
}""".replace("TO_TEXT", TO_TEXT)


def start_session(page: Page) -> str:
    return str(page.evaluate("() => pyMemory.call('create_session', {title: 'Test'}).then((s) => s.id)"))


def add(page: Page, session: str, text: str) -> str:
    """Adds a message and returns its id once it is durable."""
    script = """([session_id, content]) =>
        pyMemory.call('add_message', {session_id, role: 'user', content}).then((message) => message.id)"""
    return str(page.evaluate(script, [session, text]))


def add_many(page: Page, session: str, count: int, words: int = 20) -> None:
    """Adds messages without waiting for each other's save."""
    script = """async ([session_id, talk, count, words]) => {
        const content = (i) => Array.from({length: words}, (_, w) => `${talk} ${i * w}`).join(' ');
        await Promise.all(Array.from({length: count}, (_, i) =>
            pyMemory.call('add_message', {session_id, role: 'user', content: content(i)})));
    }"""
    page.evaluate(script, [session, TALK, count, words])


def texts(page: Page, session: str) -> list[str]:
    script = "(session_id) => pyMemory.call('list_messages', {session_id, limit: 100000})"
    return [message["content"] for message in page.evaluate(script, session)]


def sessions(page: Page) -> list[dict[str, Any]]:
    return list(page.evaluate("() => pyMemory.call('list_sessions', {})"))


def status(page: Page) -> dict[str, Any]:
    return dict(page.evaluate("() => pyMemory.status()"))


def database(page: Page, store: str, do: str, **more: Any) -> Any:
    """Does one of the things above in a store of the page's IndexedDB database."""
    mode = "readwrite" if do in ("flip", "put chunk", "take last", "give back") else "readonly"
    return page.evaluate(WITH_STORE, {"store": store, "mode": mode, "body": {"do": do, **more}})


def overwrite_chunk(page: Page, key: list[int], start: int, data: bytes) -> None:
    """Puts bytes into a stored chunk and gives it the checksum that belongs to them."""
    chunk = database(page, "chunks", "chunk", key=key)
    body = bytearray(base64.b64decode(chunk["body"]))
    body[start : start + len(data)] = data
    checksum = f"{xxh64(struct.pack('<3d', *key, chunk['seq']) + body):016x}"
    database(page, "chunks", "put chunk", key=key, body=base64.b64encode(body).decode(), checksum=checksum)


def xxh64(data: bytes) -> int:
    """The checksum of the stored records, after the specification of XXH64 (seed 0)."""
    p1, p2, p3, p4, p5 = (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
    mask = (1 << 64) - 1

    def rotate(value: int, bits: int) -> int:
        return ((value << bits) | (value >> (64 - bits))) & mask

    def mix(lane: int, word: int) -> int:
        return rotate((lane + word * p2) & mask, 31) * p1 & mask

    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        while at + 32 <= len(data):
            lanes = [
                mix(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at), strict=True)
            ]
            at += 32
        total = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True)) & mask
        for lane in lanes:
            total = ((total ^ mix(0, lane)) * p1 + p4) & mask
    else:
        total = p5
    total = (total + len(data)) & mask
    while at + 8 <= len(data):
        total = (rotate(total ^ mix(0, *struct.unpack_from("<Q", data, at)), 27) * p1 + p4) & mask
        at += 8
    if at + 4 <= len(data):
        total = (rotate(total ^ (struct.unpack_from("<I", data, at)[0] * p1 & mask), 23) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        total = rotate(total ^ (byte * p5 & mask), 11) * p1 & mask
    total = (total ^ (total >> 33)) * p2 & mask
    total = (total ^ (total >> 29)) * p3 & mask
    return total ^ (total >> 32)


def raw_file(page: Page, target: Path) -> Path:
    """Saves the live database as it is, page by page."""
    script = """async () => {
        const bytes = new Uint8Array(await (await pyMemory.recover('raw')).arrayBuffer());
        return TO_TEXT(bytes);
    }""".replace("TO_TEXT", TO_TEXT)
    target.write_bytes(base64.b64decode(page.evaluate(script)))
    return target


def export_file(page: Page, target: Path) -> Path:
    script = """async () => {
        const bytes = await pyMemory.exportFile();
        return TO_TEXT(bytes);
    }""".replace("TO_TEXT", TO_TEXT)
    target.write_bytes(base64.b64decode(page.evaluate(script)))
    return target


def import_file(page: Page, file: Path, mode: str = "merge") -> dict[str, Any]:
    script = """async ([text, mode]) => {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        return pyMemory.importFile(bytes, {mode}).then(
            (report) => ({report}), (error) => ({error: {name: error.name, message: error.message}}));
    }"""
    return dict(page.evaluate(script, [base64.b64encode(file.read_bytes()).decode(), mode]))


def integrity(file: Path) -> list[str]:
    connection = sqlite3.connect(file)
    try:
        return [row[0] for row in connection.execute("PRAGMA integrity_check")]
    finally:
        connection.close()


def renderer_of(page: Page) -> int:
    """The process that runs a page: the one whose main thread gets busy when the page does."""

    def ancestors(pid: int) -> list[int]:
        found = []
        while pid > 1:
            found.append(pid)
            pid = int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
        return found

    def ticks() -> dict[int, int]:
        found = {}
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and b"--type=renderer" in (entry / "cmdline").read_bytes():
                    fields = (entry / "task" / entry.name / "stat").read_text().rpartition(")")[2].split()
                    if os.getpid() not in ancestors(int(fields[1])):
                        continue
                    found[int(entry.name)] = int(fields[11]) + int(fields[12])
            except OSError:
                continue
        return found

    before = ticks()
    page.evaluate("() => { const end = Date.now() + 600; while (Date.now() < end); }")
    spent = {pid: now - before.get(pid, now) for pid, now in ticks().items()}
    return max(spent, key=lambda pid: spent[pid])


def kill_browser(context: BrowserContext, profile: Path) -> None:
    """SIGKILL to the browser and all its processes."""
    flag = f"--user-data-dir={profile}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if flag in arguments and not any(argument.startswith(b"--type=") for argument in arguments):
            os.killpg(os.getpgid(int(entry.name)), signal.SIGKILL)
            return
    raise AssertionError("no browser runs on this profile")
