"""How the page feels when there is much: long answers, long histories and a full memory, against little.

In one memory a short chat, a history of 5,000 turns and an answer of 20,000 lines take turns: scrolling (the
work of a frame, and tasks that hold the page up), going to any place, and typing (key press to painted). Then
a memory of 100,000 messages and 2,000 facts takes turns with an empty one: opening a chat, searching,
scrolling, opening the memory panel, and typing. A run is good where no median is more than twice that of
little. Frames are not held back to the rate of a screen, so that what is measured is their work. Filled
memories are kept in dist/bench for the next run. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import itertools
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import BrowserContext, Page

from py_memory import MemoryStore
from py_memory.database import open_block_file
from tests.bench._page import finish, open_page, plant, profile, site
from tests.browser.conftest import ROOT

CACHE = ROOT / "dist" / "bench"
FLAGS = ("--disable-frame-rate-limit", "--disable-gpu-vsync")
SIZE = {"width": 1280, "height": 800}
TURNS, LINES = 5_000, 20_000
SHORT_TURNS = 10  # fill the window
CHAT = 50  # messages of a chat in the full memory
SETTLE_MS = 4_000  # what the memory looks after when it is idle, and the boot image, come then
STEP_PX, FRAMES, JUMPS, KEYS = 120, 120, 6, 12
TEXT = "how long does this take to be"
SHORT, LONG, ANSWER = "Short chat", "Long history", "Long answer"
# Told, and not held against what is little: a place that was never near is laid out when it is jumped to, and
# all of a short chat has been; of a word in every other message fifty are found, among few hardly one; for a
# word that nobody said all texts are read.
COMMON, UNHEARD = "garden", "zanzibar"
APART = ("jump of the scroll bar", "search a common word", "search an unheard word")

TALK = (
    "we talked about the garden the train was late again please remind me of the list for dinner she said "
    "that the house by the lake needs a new roof before winter because it rains in every autumn and nobody "
    "has time"
)
WORDS = TALK.split(" ")

# Helpers in the page. A frame counts as painted when the task after its callback runs.
TOOLS = """() => {
    const log = () => document.querySelector('[role=log]');
    const painted = () => new Promise((done) => requestAnimationFrame(() => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = () => done(performance.now());
        port2.postMessage(0);
    }));
    const still = async () => {
        for (let calm = 0, before = ''; calm < 8; ) {
            await new Promise((go) => setTimeout(go, 40));
            const now = `${log()?.scrollHeight} ${log()?.scrollTop} ${document.querySelectorAll('*').length}`;
            calm = now === before ? calm + 1 : 0;
            before = now;
        }
    };
    let long = [];
    new PerformanceObserver((list) => {
        long.push(...list.getEntries().map((entry) => entry.duration));
    }).observe({type: 'longtask'});
    let keys = [];
    const note = ({timeStamp}) => void painted().then((now) => keys.push(now - timeStamp));
    const until = (found) => new Promise((done) => {
        const look = () => found() ? painted().then(done) : setTimeout(look, 1);
        look();
    });
    globalThis.bench = {
        still,
        scroll: async (frames, step) => {
            const times = [];
            long = [];
            let up = log().scrollTop > 0;
            for (let i = 0; i < frames; i += 1) {
                const start = performance.now();
                const before = log().scrollTop;
                log().scrollBy({top: up ? -step : step, behavior: 'instant'});
                if (log().scrollTop === before) up = !up;
                times.push(await painted() - start);
            }
            await new Promise((go) => setTimeout(go, 50));
            return {times, long};
        },
        jump: async (places) => {
            const times = [];
            for (const place of places) {
                const start = performance.now();
                log().scrollTo({top: place * log().scrollHeight, behavior: 'instant'});
                times.push(await painted() - start);
                await still();
            }
            return times;
        },
        keys: () => {
            keys = [];
            document.querySelector('#message').addEventListener('keydown', note);
        },
        keysDone: async () => {
            await painted();
            document.querySelector('#message').removeEventListener('keydown', note);
            return keys;
        },
        open: async (title, last) => {
            const rows = [...document.querySelectorAll('.session-title')];
            const row = rows.find((one) => one.textContent === title);
            const start = performance.now();
            row.click();
            const articles = () => [...document.querySelectorAll('[role=log] article')];
            const there = () => articles().at(-1)?.textContent.includes(last)
                && document.querySelector('h1').textContent === title;
            return await until(there) - start;
        },
        panel: async () => {
            const start = performance.now();
            document.querySelector('.header [aria-label=Memory]').click();
            const time = await until(() => document.querySelector('.panel .entry')) - start;
            await still();
            document.querySelector('.panel header [aria-label=Close]').click();
            await still();
            return time;
        },
        search: async (text, found) => {
            const field = document.querySelector('.sidebar input[type=search]');
            const type = (value) => {
                field.value = value;
                field.dispatchEvent(new InputEvent('input', {bubbles: true}));
            };
            const start = performance.now();
            type(text);
            const rows = () => [...document.querySelectorAll('.session-title')];
            const good = () => rows().length && rows().every((row) => row.textContent.includes(found));
            const time = await until(good) - start;
            type('');
            await until(() => rows().length > 1);
            await still();
            return time;
        },
        ask: async (method, kwargs) => {
            const start = performance.now();
            await pyMemory.call(method, kwargs);
            return performance.now() - start;
        },
    };
}"""


def sentence(number: int) -> str:
    dice = random.Random(number)
    return f"{' '.join(dice.choices(WORDS, k=dice.randint(6, 40)))} 和第{number}件事."


def lines_of_answer(count: int) -> str:
    """Markdown as models write it."""
    out: list[str] = []
    for part in itertools.count(1):
        if len(out) >= count:
            return "\n".join(out[:count])
        out += [f"## Part {part}", "", sentence(part), f"and **{part}** more with `code`.", ""]
        out += [f"- point {n} of [part {part}](https://example.com/{part})" for n in range(8)] + [""]
        if part % 3 == 0:
            out += ["```python", *(f"value_{n} = {part} * {n}" for n in range(30)), "```", ""]
        if part % 5 == 0:
            out += ["| name | value |", "|---|---|", *(f"| row {n} | {n * part} |" for n in range(12)), ""]
    raise AssertionError


def talk(store: MemoryStore, title: str, messages: int, first: int = 0) -> str:
    """A chat of that many messages; its last is `end of` its title."""
    session = store.create_session(title).id
    for begin in range(0, messages, 500):
        with store.action():
            for n in range(begin, min(messages, begin + 500)):
                text = f"end of {title}" if n == messages - 1 else sentence(first + n)
                store.add_message(session, "assistant" if n % 2 else "user", text)
    return session


def fill_long(store: MemoryStore) -> None:
    talk(store, LONG, 2 * TURNS)
    session = talk(store, ANSWER, 2)
    question = store.add_message(session, "user", "Now all of it, please.")
    store.add_message(session, "assistant", lines_of_answer(LINES), parent_id=question.id)
    talk(store, SHORT, 2 * SHORT_TURNS)


def fill_empty(store: MemoryStore) -> None:
    """Nothing but the two chats that are opened in turn, and a fact to see."""
    talk(store, "Other chat", 2 * SHORT_TURNS)
    talk(store, SHORT, 2 * SHORT_TURNS)
    store.set_fact("user::likes", "tea")


def fill_full(store: MemoryStore, messages: int, facts: int) -> None:
    long = min(2 * TURNS, messages // 4)
    for number, begin in enumerate(range(long, messages - 4 * SHORT_TURNS, CHAT)):
        talk(store, f"Chat {number}", CHAT, begin)
    sources = [hit.message_id for hit in store.search("garden", limit=200)]
    kinds = (
        "user::likes",
        "task::{}",
        "user::relation::r{}",
        "user::thing-{}",
        "user::event::{}",
        "user::note",
    )
    with store.action():
        for number in range(facts):
            key = kinds[number % len(kinds)].format(number)
            source = sources[number % len(sources)] if number % 4 == 0 else None
            if number % 40 == 0:
                store.propose_fact(key, f"proposal {number}", source_message_id=source)
            else:
                store.set_fact(key, f"value {number} of the memory", source_message_id=source)
    talk(store, LONG, long)
    fill_empty(store)


FILLS = (fill_long, fill_empty, fill_full)


def filled(name: str, fill: Callable[[MemoryStore], None]) -> Path:
    """The memory as a file, made at the first run and whenever the schema or its content is another."""
    schema = [file.read_bytes() for file in sorted((ROOT / "py_memory" / "migrations").glob("*.sql"))]
    words = [inspect.getsource(one).encode() for one in (sentence, lines_of_answer, talk, *FILLS)]
    mark = hashlib.sha256(b"".join(schema + words)).hexdigest()[:12]
    path = CACHE / f"page-{name}-{mark}.db"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        for old in CACHE.glob(f"page-{name}-*.db"):
            old.unlink()
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="py-memory-bench-") as folder:
            store = MemoryStore(open_block_file(f"{folder}/filled.db"))
            fill(store)
            while store.idle_work(1000):
                pass
            store.database.image_to(path)
            print(f"{path.name}: {store.stats()}, filled in {time.monotonic() - started:.0f} s", flush=True)
            store.close()
    return path


Times = dict[str, dict[str, list[float]]]


class Runs:
    """Milliseconds by what was done and where."""

    def __init__(self) -> None:
        self.times: Times = {}

    def note(self, what: str, where: str, *ms: float) -> None:
        self.times.setdefault(what, {}).setdefault(where, []).extend(ms)

    def compared(self, base: str) -> dict[str, dict[str, dict[str, float]]]:
        """{what: {where: {median, p95, ratio of medians}}}, printed as well."""
        out: dict[str, dict[str, dict[str, float]]] = {}
        for what, places in self.times.items():
            for where, values in places.items():
                p95 = quantiles(values, n=20)[-1] if len(values) > 1 else values[0]
                least = median(places[base])
                ratio = median(values) / least if least else float(median(values) > 0)
                found = {"median": round(median(values), 2), "p95": round(p95, 2), "ratio": round(ratio, 2)}
                out.setdefault(what, {})[where] = found
                print(
                    f"{what:22} {where:22} median {found['median']:8.2f}  p95 {found['p95']:8.2f}"
                    f"  {ratio:.2f} times  (n = {len(values)})",
                    flush=True,
                )
        return out


def scrolled(page: Page, runs: Runs, where: str, dice: random.Random) -> None:
    found = page.evaluate("([frames, step]) => bench.scroll(frames, step)", [FRAMES, STEP_PX])
    runs.note("frame of scrolling", where, *found["times"])
    runs.note("long tasks of a scroll", where, sum(found["long"]))
    page.evaluate("bench.still()")
    places = [dice.random() for _ in range(JUMPS)]
    runs.note("jump of the scroll bar", where, *page.evaluate("(places) => bench.jump(places)", places))


def typed(page: Page, runs: Runs, where: str) -> None:
    page.focus("#message")
    page.evaluate("bench.keys()")
    for letter in TEXT[:KEYS]:
        page.keyboard.press(letter if letter != " " else "Space")
        page.wait_for_timeout(30)
    runs.note("key to painted", where, *page.evaluate("bench.keysDone()"))
    page.fill("#message", "")


def opened(page: Page, title: str, last: str = "") -> float:
    time_ms = float(
        page.evaluate("([title, last]) => bench.open(title, last)", [title, last or f"end of {title}"])
    )
    page.evaluate("bench.still()")
    return time_ms


def prepared(context: BrowserContext, url: str, file: Path) -> Page:
    plant(context, url, file)
    page, ready_ms = open_page(context, url + "?lang=en")
    print(f"{file.name}: ready after {ready_ms:.0f} ms", flush=True)
    page.set_default_timeout(0)
    page.set_viewport_size(SIZE)
    page.evaluate(TOOLS)
    page.wait_for_selector(".session-title")
    page.wait_for_timeout(SETTLE_MS)
    page.evaluate("bench.still()")
    return page


def long_against_short(page: Page, rounds: int, dice: random.Random) -> Runs:
    runs = Runs()
    places = [(SHORT, ""), (LONG, ""), (ANSWER, "Part 1")]
    for _ in range(rounds):
        for title, last in places:
            runs.note("open", title, opened(page, title, last))
            whole = page.get_by_role("button", name="Show all of it")
            if whole.count():
                whole.click()
                page.evaluate("bench.still()")
            scrolled(page, runs, title, dice)
            typed(page, runs, title)
    return runs


def full_against_empty(pages: dict[str, Page], rounds: int, dice: random.Random) -> Runs:
    runs = Runs()
    for number in range(rounds):
        for where, page in pages.items():
            runs.note("open a chat", where, opened(page, "Other chat"))
            runs.note("open a chat", where, opened(page, SHORT))
            if where == "full":
                runs.note("open a long chat", where, opened(page, LONG))
            else:
                runs.note("open a long chat", where, opened(page, "Other chat"))
            scrolled(page, runs, where, dice)
            runs.note("open the memory", where, page.evaluate("bench.panel()"))
            runs.note(
                "search chats", where, page.evaluate("([a, b]) => bench.search(a, b)", ["short", SHORT])
            )
            ask = "(text) => bench.ask('search', {text, limit: 50})"
            runs.note("search words", where, page.evaluate(ask, f"第{number + 3}件事"))
            runs.note("search a common word", where, page.evaluate(ask, COMMON))
            runs.note("search an unheard word", where, page.evaluate(ask, UNHEARD))
            typed(page, runs, where)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=100_000, help="of the full memory")
    parser.add_argument("--facts", type=int, default=2_000, help="of the full memory")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("long", "full"), help="one half of it")
    options = parser.parse_args()
    print(
        f"{options}; {SIZE}, {STEP_PX} px a frame, {FRAMES} frames, {JUMPS} jumps, {KEYS} keys a round",
        flush=True,
    )
    dice = random.Random(7)
    found: dict[str, Any] = {}
    with site() as (playwright, url):
        if options.only != "full":
            file = filled("long", fill_long)
            with profile(playwright, FLAGS) as context:
                page = prepared(context, url, file)
                found["long"] = long_against_short(page, options.rounds, dice).compared(SHORT)
        if options.only != "long":
            name = f"{options.messages}-{options.facts}"
            files = {
                "empty": filled("empty", fill_empty),
                "full": filled(name, lambda store: fill_full(store, options.messages, options.facts)),
            }
            with profile(playwright, FLAGS) as empty, profile(playwright, FLAGS) as full:
                pages = {}
                for where, context in (("empty", empty), ("full", full)):
                    pages[where] = prepared(context, url, files[where])
                found["full"] = full_against_empty(pages, options.rounds, dice).compared("empty")
    finish(
        "page",
        rounds=options.rounds,
        messages=options.messages,
        facts=options.facts,
        worst_ratio=max(
            place["ratio"]
            for half in found.values()
            for what, places in half.items()
            for place in places.values()
            if what not in APART
        ),
        **found,
    )


if __name__ == "__main__":
    main()
