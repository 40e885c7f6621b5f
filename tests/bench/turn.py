"""One durable turn of two messages, with a memory that grows: milliseconds and bytes written."""

from __future__ import annotations

import statistics

from playwright.sync_api import Page

from tests.bench._page import arguments, finish, import_file, open_page, profile, site

SIZES = (0, 2_000, 10_000)  # messages that are there already
TURNS = 40

FILL = """async (count) => {
    const talk = "We spoke of the trip to Kyoto in May, 预算是两万元, and Mei's peanut allergy.";
    const { id } = await pyMemory.call("create_session", { title: "Filled" });
    for (let done = 0; done < count; done += 500) {
        const items = Array.from({ length: Math.min(500, count - done) }, (_, i) =>
            ({ session_id: id, role: i % 2 ? "assistant" : "user", content: `${talk} ${(done + i) * 7919}` }));
        await pyMemory.call("add_messages", { items });
    }
    await pyMemory.flush();
}"""

MEASURE = """async (turns) => {
    const { id } = await pyMemory.call("create_session", { title: "Measured" });
    await pyMemory.flush();
    const before = pyMemory.status().written.bytes;
    const times = [];
    for (let turn = 0; turn < turns; turn++) {
        const started = performance.now();
        for (const role of ["user", "assistant"]) {
            const content = `Turn ${turn} about booking ${turn * 31}`;
            await pyMemory.call("add_message", { session_id: id, role, content });
        }
        times.push(performance.now() - started);
    }
    return { times, bytes: (pyMemory.status().written.bytes - before) / turns };
}"""


def measure(page: Page, label: str) -> dict[str, float]:
    result = page.evaluate(MEASURE, TURNS)
    times = sorted(result["times"])
    numbers = {
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
        "bytes": round(result["bytes"]),
    }
    print(f"{label}: {numbers}")
    return numbers


def main() -> None:
    options = arguments(__doc__)
    results: dict[str, dict[str, float]] = {}
    with site() as (playwright, url), profile(playwright) as context:
        page, _ = open_page(context, url)
        if options.data:
            import_file(page, options.data)
            results["data"] = measure(page, str(options.data))
        else:
            filled = 0
            for size in SIZES:
                page.evaluate(FILL, size - filled)
                filled = size
                results[str(size)] = measure(page, f"{size} messages")
    finish("turn", messages=results)


if __name__ == "__main__":
    main()
