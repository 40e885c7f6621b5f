"""What the work on facts of one turn costs in a large memory and in a small one, in the page.

The work: propose a fact, confirm it, correct it, ask for it, and choose what a model is told, each made
durable. Two browsers, one with 1,000 messages and 100 facts, one with 100 times as much, take turns. The last
line is one line of JSON.
"""

from __future__ import annotations

import argparse
from statistics import median, quantiles

from playwright.sync_api import Page

from tests.bench._page import finish, open_page, profile, site
from tests.bench.persistence import SETTLE

FILL = """async ([messages, facts]) => {
    const {id} = await pyMemory.call('create_session', {title: 'filled'});
    for (let at = 0; at < messages; at += 500) {
        const content = (n) => `We talked about number ${n} 和第${n}件事.`;
        const items = Array.from({length: Math.min(500, messages - at)}, (_, i) => (
            {session_id: id, role: i % 2 ? 'assistant' : 'user', content: content(at + i)}));
        await pyMemory.call('add_messages', {items});
    }
    for (let at = 0; at < facts; at += 50) {
        await Promise.all(Array.from({length: Math.min(50, facts - at)}, (_, i) =>
            pyMemory.call('set_fact', {key: `user::thing-${at + i}`, value: `value ${at + i}`})));
    }
    await pyMemory.flush();
}"""
WORK = """async (turn) => {
    const key = `user::new-${turn}`;
    const start = performance.now();
    const fact = await pyMemory.call('propose_fact', {key, value: 'first'});
    await pyMemory.call('confirm_fact', {id: fact.id});
    await pyMemory.call('set_fact', {key, value: 'second'});
    await pyMemory.call('get_fact', {key});
    await pyMemory.call('list_facts', {prefix: key});
    await pyMemory.call('facts_for_prompt', {});
    return performance.now() - start;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--times", type=int, default=100, help="how much larger the large memory is")
    options = parser.parse_args()
    with (
        site() as (playwright, url),
        profile(playwright) as small_context,
        profile(playwright) as large_context,
    ):
        pages: dict[str, Page] = {}
        for name, context, factor in (("small", small_context, 1), ("large", large_context, options.times)):
            page, _ = open_page(context, url + "?lang=en")
            page.set_default_timeout(0)
            page.evaluate(FILL, [1_000 * factor, 100 * factor])
            page.evaluate(SETTLE)
            print(f"{name}: {page.evaluate('''() => pyMemory.call('stats')''')}", flush=True)
            pages[name] = page
        times: dict[str, list[float]] = {"small": [], "large": []}
        for turn in range(options.turns):
            for name, page in pages.items():
                times[name].append(float(page.evaluate(WORK, turn)))
    for name, values in times.items():
        print(f"{name}: median {median(values):.1f} ms, p95 {quantiles(values, n=20)[-1]:.1f} ms")
    finish(
        "facts",
        turns=options.turns,
        small_ms=round(median(times["small"]), 2),
        large_ms=round(median(times["large"]), 2),
        ratio=round(median(times["large"]) / median(times["small"]), 2),
    )


if __name__ == "__main__":
    main()
