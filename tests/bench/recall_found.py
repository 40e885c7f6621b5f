"""What ranked recall finds and how long it takes; runs on CPython and inside Pyodide alike."""

from __future__ import annotations

import importlib
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from py_memory import MemoryStore, text
from py_memory.embedding import Embedding
from py_memory.recall.bench import Conversation
from py_memory.recall.lexicon import links
from py_memory.recall.words import members

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


def scored(path: Path, embedder: Any = None, tell: Callable[[str], None] = print) -> dict[str, list[float]]:
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
    tell(f"{'category':<18}" + "".join(f"{f'R@{cut}':>8}" for cut in CUTS) + f"{'MRR':>8}{'n':>8}")
    for name, row in table.items():
        tell(f"{name:<18}" + "".join(f"{value:>8g}" for value in row))
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


def compared(store: MemoryStore, contents: Sequence[str]) -> dict[str, list[float]]:
    """Median and p95 in ms of the same questions asked of recall, of plain FTS5 with the same words joined by
    OR, and of LIKE with the words one after the other, each giving its ten best."""
    db = store.database
    shown = (
        "SELECT m.id FROM messages m JOIN message_versions v ON v.message_id = m.id "
        "WHERE m.seq = ? AND m.user_id = ?"
    )
    fts = (
        "SELECT rowid FROM message_search WHERE message_search MATCH ? ORDER BY bm25(message_search) LIMIT 10"
    )

    def plain(question: str) -> None:
        for (seq,) in db.query(fts, (text.match_any(question),)):
            db.query(shown, (seq, store.user_id))

    def like(question: str) -> None:
        words = text.terms(question, for_query=True)
        where = " OR ".join("content LIKE ?" for _ in words) or "0"
        db.query(
            f"SELECT message_id FROM message_versions WHERE {where} ORDER BY created_at DESC LIMIT 10",
            tuple(f"%{word}%" for word in words),
        )

    asked = questions(contents)
    out = {}
    ways: dict[str, Callable[[str], Any]] = {"recall": store.recall, "fts5": plain, "like": like}
    for name, way in ways.items():
        times = []
        for question in (*asked[:2], *asked):
            start = time.perf_counter()
            way(question)
            times.append((time.perf_counter() - start) * 1000)
        times = times[2:]
        out[name] = [round(median(times), 1), round(quantiles(times, n=20)[-1], 1)]
    return out


def measured(sizes: Sequence[int], facts: int, tell: Callable[[str], None]) -> dict[str, Any]:
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
            size_sql = "SELECT sum(length(block)) FROM message_search_data"
            text_sql = "SELECT sum(length(CAST(content AS BLOB))) FROM message_versions"
            share = store.database.value(size_sql) / store.database.value(text_sql)
            out[str(size)] = {
                **compared(store, contents[:size]),
                "add": round(median(adding), 3),
                "index_share": round(share, 2),
            }
            tell(f"{size} messages: {out[str(size)]}")
        silent = sum(not store.active_recall(question) for question in UNRELATED)
        out["silent"] = silent
        tell(f"{silent} of {len(UNRELATED)} unrelated questions add nothing")
        for at in range(0, facts, 500):
            with store.action():
                for number in range(at, min(at + 500, facts)):
                    store.set_fact(f"user::thing-{number}", contents[number % len(contents)][:100])
        out[f"{facts} facts"] = compared(store, contents)
        tell(f"and {facts} facts: {out[f'{facts} facts']}")
        store.close()
    return out
