"""What ranked recall finds of labelled conversations, how long it takes, and how large its index is.

--data takes a file of conversations, one a line: {"name", "lang", "turns": [[id, session, date, speaker,
text], …], "questions": [{"q", "cat", "ev": [turn ids]}]}. Recall is the share of a question's evidence
among the first 5, 10 and 20 ids, averaged; the category "adversarial" is kept apart. Without --data a
made-up memory is measured: latency at 10,000, 30,000 and 100,000 messages, the cost of adding one, bytes of
index, and how many of the questions in unrelated.txt add nothing to a prompt. --chromium takes the latency
in the page alone, over five rounds of the questions. With --data, --embedder MODULE:NAME also uses the
vectors of an embedder (an object, or a class without arguments), and --floor says what active recall's floor
costs in R@10, and on which share of the questions in unrelated.txt (about general things) and unanswered.txt
(about people, of whom the memory does not know it) it adds nothing. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from py_memory import MemoryStore
from py_memory.embedding import Embedding
from py_memory.recall.bench import Conversation
from py_memory.recall.lexicon import links
from py_memory.recall.words import members
from tests.bench._page import finish, open_page, profile, site

CUTS = (5, 10, 20)
ROUNDS = 5  # of the same questions in Chromium
UNRELATED = Path(__file__).with_name("unrelated.txt").read_text("utf-8").splitlines()
UNANSWERED = Path(__file__).with_name("unanswered.txt").read_text("utf-8").splitlines()
KINDS = ("animal", "art", "city", "country", "dessert", "exercise", "food", "game", "instrument", "sport")
OPENINGS = (
    "Yesterday I talked with {who} about the {thing}, and later we looked for a {other} near the {place}.",
    "{who} says the {thing} was better than the {other}; we will try the {place} next week.",
    "Do you remember the {thing}? {who} asked me where the {place} is.",
    "昨天我和{who}聊到{zh}，后来在{place}附近找了一家店。",
    "{who}觉得{zh}不错，下周我们想去{place}看看。",
)
PEOPLE = ["Mei", "Nate", "Greta", "Omar", "Lena", "Tom", "Aiko", "Ben", "Carla", "Deniz"]


def connected(conversation: Conversation, embedder: Any) -> Embedding:
    embedding = Embedding(conversation.db, conversation.user_id, lambda: 0)
    embedding.connect(embedder)
    while embedding.work(10_000):
        pass
    if (state := embedding.state()) and state.problem:
        raise SystemExit(f"The embedder fails: {state.problem} {state.detail}")
    return embedding


def scored(path: Path, embedder: Any = None) -> dict[str, list[float]]:
    """{category: [R@5, R@10, R@20, MRR, questions]} in percent."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * (len(CUTS) + 2))
    times: list[float] = []
    for line in path.read_text("utf-8").splitlines():
        given = json.loads(line)
        conversation = Conversation(given["turns"])
        embedding = connected(conversation, embedder)
        for question in given["questions"]:
            wanted = set(map(str, question["ev"]))
            start = time.perf_counter()
            meaning = embedding.meanings([question["q"]]).get(question["q"])
            ids = [str(id) for id in conversation.rank(question["q"], max(CUTS), meaning=meaning)]
            times.append((time.perf_counter() - start) * 1000)
            if not wanted:
                continue
            first = next((1 / place for place, id in enumerate(ids, 1) if id in wanted), 0.0)
            values = [*(len(wanted & set(ids[:cut])) / len(wanted) for cut in CUTS), first, 1.0]
            category = str(question.get("cat") or "all")
            for name in {category, category if category == "adversarial" else "total"}:
                sums[name] = [total + value for total, value in zip(sums[name], values, strict=True)]
    table = {
        name: [*(round(100 * value / row[-1], 1) for value in row[:-1]), row[-1]]
        for name, row in sorted(sums.items())
    }
    print(f"{'category':<18}" + "".join(f"{f'R@{cut}':>8}" for cut in CUTS) + f"{'MRR':>8}{'n':>8}")
    for name, row in table.items():
        print(f"{name:<18}" + "".join(f"{value:>8g}" for value in row))
    table["ms"] = [round(median(times), 1), round(quantiles(times, n=20)[-1], 1)]
    return table


def floored(path: Path) -> dict[str, float]:
    """Points of R@10 that are lost where active recall adds nothing, and in percent how often it does so for
    questions without an answer."""
    lost: list[float] = []
    silent: dict[str, list[bool]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        given = json.loads(line)
        conversation = Conversation(given["turns"])
        for question in given["questions"]:
            wanted = set(map(str, question["ev"]))
            if wanted and question.get("cat") != "adversarial":
                ids = map(str, conversation.rank(question["q"], 10))
                found = len(wanted & set(ids)) / len(wanted)
                lost.append(0.0 if conversation.reminds(question["q"]) else found)
        for name, asked in (("unrelated", UNRELATED), ("unanswered", UNANSWERED)):
            silent[name] += [not conversation.reminds(question) for question in asked]
    out = {"lost": round(100 * sum(lost) / len(lost), 2)}
    out |= {name: round(100 * sum(values) / len(values), 1) for name, values in silent.items()}
    print(f"floor: {out}")
    return out


def embedder_of(name: str) -> Any:
    module, _, attribute = name.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    return found() if isinstance(found, type) else found


def told(count: int) -> list[str]:
    """Messages in both languages that speak of everyday things."""
    chance = random.Random(7)
    things = sorted({thing for kind in KINDS for thing in members(kind)})
    chinese = [
        word for thing in things for word, weight in links(thing) if weight == 1 and not word.isascii()
    ]
    return [
        chance.choice(OPENINGS).format(
            who=chance.choice(PEOPLE), thing=chance.choice(things), other=chance.choice(things),
            place=f"{chance.choice(things)} {chance.randrange(1000)}", zh=chance.choice(chinese),
        )
        for _ in range(count)
    ]  # fmt: skip


def questions(contents: list[str]) -> list[str]:
    chance = random.Random(8)
    return [f"What did we say about {' '.join(chance.choice(contents).split()[3:9])}?" for _ in range(20)] + [
        "退款的事是什么时候说的？", "我和Mei去了哪里看电影？",
        "Which instruments does Nate play?", "Where is the zoo?",
    ]  # fmt: skip


def measured(sizes: list[int]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    contents = told(max(sizes))
    with tempfile.TemporaryDirectory() as folder:
        store = MemoryStore(Path(folder) / "memory.db")
        done = 0
        for size in sizes:
            adding: list[float] = []
            for at in range(done, size, 50):
                with store.action():
                    session = store.create_session().id
                    for content in contents[at : at + 50]:
                        role = "assistant" if len(adding) % 2 else "user"
                        start = time.perf_counter()
                        store.add_message(session, role, content)
                        adding.append((time.perf_counter() - start) * 1000)
            done = size
            while store.idle_work(1000):
                pass
            times = []
            for query in questions(contents[:size]):
                start = time.perf_counter()
                store.recall(query)
                times.append((time.perf_counter() - start) * 1000)
            size_sql = "SELECT sum(length(block)) FROM message_search_data"
            text_sql = "SELECT sum(length(CAST(content AS BLOB))) FROM message_versions"
            share = store.database.value(size_sql) / store.database.value(text_sql)
            ms = {"median": round(median(times), 1), "p95": round(quantiles(times, n=20)[-1], 1)}
            out[str(size)] = {**ms, "add": round(median(adding), 3), "index_share": round(share, 2)}
            print(f"{size} messages: {out[str(size)]}", flush=True)
        silent = sum(not store.active_recall(question) for question in UNRELATED)
        out["silent"] = silent
        print(f"{silent} of {len(UNRELATED)} unrelated questions add nothing")
        store.close()
    return out


FILL = """async (contents) => {
    for (let at = 0; at < contents.length; at += 50) {
        const {id} = await pyMemory.call('create_session', {});
        const items = contents.slice(at, at + 50).map((content, i) => (
            {session_id: id, role: i % 2 ? 'assistant' : 'user', content}));
        await pyMemory.call('add_messages', {items});
    }
    await pyMemory.flush();
}"""
ASK = """async (queries) => {
    const times = [];
    for (const query of queries) {
        const start = performance.now();
        await pyMemory.call('recall', {query});
        times.push(performance.now() - start);
    }
    return times;
}"""


def in_chromium(size: int) -> dict[str, float]:
    contents = told(size)
    with site() as (playwright, url), profile(playwright) as context:
        page, _ = open_page(context, url + "?lang=en")
        page.set_default_timeout(0)
        for at in range(0, size, 1000):
            page.evaluate(FILL, contents[at : at + 1000])
        page.wait_for_timeout(5_000)
        asked = questions(contents)
        page.evaluate(ASK, asked[:2])
        rounds = [page.evaluate(ASK, asked) for _ in range(ROUNDS)]
    times = [ms for times in rounds for ms in times]
    best = [min(of_one) for of_one in zip(*rounds, strict=True)]  # without what else the machine does
    out = {
        "median": round(median(times), 1),
        "p95": round(quantiles(times, n=20)[-1], 1),
        "best_median": round(median(best), 1),
        "best_p95": round(quantiles(best, n=20)[-1], 1),
    }
    print(f"{size} messages in Chromium: {out}")
    for ms, question in sorted(zip(best, asked, strict=True), reverse=True)[:3]:
        print(f"{ms:8.1f} ms at best: {question}", flush=True)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--embedder", type=embedder_of, metavar="MODULE:NAME")
    parser.add_argument("--floor", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--chromium", action="store_true", help="only the latency in the page")
    options = parser.parse_args()
    numbers: dict[str, Any] = {}
    if options.data:
        numbers["recall"] = scored(options.data, options.embedder)
        if options.floor:
            numbers["floor"] = floored(options.data)
    elif not options.chromium:
        numbers |= measured(options.sizes)
    if options.chromium:
        numbers["chromium"] = {str(size): in_chromium(size) for size in options.sizes}
    finish("recall", **numbers)


if __name__ == "__main__":
    main()
