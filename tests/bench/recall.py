"""What ranked recall finds of labelled conversations, how long it takes, and how large its index is.

--data takes a file of conversations, one a line: {"name", "lang", "turns": [[id, session, date, speaker,
text], …], "questions": [{"q", "cat", "ev": [turn ids]}]}. Recall is the share of a question's evidence
among the first 5, 10 and 20 ids, averaged; the category "adversarial" is kept apart. Without --data a made-up
memory is measured: latency at 10,000, 30,000 and 100,000 messages and 100,000 facts, beside plain FTS5 and
LIKE, the cost of adding one, bytes of index, and how many of the questions in unrelated.txt add nothing to a
prompt. --chromium does either inside Pyodide, and without --data also takes the latency through the page,
over five rounds of the questions. With --data, --embedder MODULE:NAME also uses the vectors of an embedder
(an object, or a class without arguments), and --floor says what active recall's floor costs in R@10, and on
which share of the questions in unrelated.txt (about general things) and unanswered.txt (about people, of whom
the memory does not know it) it adds nothing. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tests.bench._page import finish, open_page, profile, site
from tests.bench.inside import inside_pyodide
from tests.bench.recall_found import embedder_of, floored, measured, questions, scored, told

ROUNDS = 5  # of the same questions in the page

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


def in_page(size: int) -> dict[str, float]:
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
    print(f"{size} messages in the page: {out}")
    for ms, question in sorted(zip(best, asked, strict=True), reverse=True)[:3]:
        print(f"{ms:8.1f} ms at best: {question}", flush=True)
    return out


def in_pyodide(data: Path | None, sizes: Sequence[int], facts: int) -> dict[str, Any]:
    texts = {"options.json": json.dumps({"data": data is not None, "sizes": sizes, "facts": facts})}
    if data:
        texts["data.jsonl"] = data.read_text("utf-8")
    script = Path(__file__).with_name("recall_in_pyodide.py")
    return inside_pyodide(script, ("tests/bench",), texts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--embedder", type=embedder_of, metavar="MODULE:NAME")
    parser.add_argument("--floor", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--chromium", action="store_true", help="inside Pyodide, and latency in the page")
    options = parser.parse_args()
    numbers: dict[str, Any] = {}
    if options.chromium:
        numbers["pyodide"] = in_pyodide(options.data, options.sizes, options.facts)
        if not options.data:
            numbers["page"] = {str(size): in_page(size) for size in options.sizes}
    elif options.data:
        numbers["recall"] = scored(options.data, options.embedder)
        if options.floor:
            numbers["floor"] = floored(options.data)
    else:
        numbers |= measured(options.sizes, options.facts, lambda line: print(line, flush=True))
    finish("recall", **numbers)


if __name__ == "__main__":
    main()
