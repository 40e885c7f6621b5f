"""What a whole chat round costs in a memory of 100,000 messages and in one of 1,000.

Two memories on disk, each with half of its messages in the session that goes on and the rest in others, with
summaries as they come, take turns. A round is the user's words, what is learned from them, the prompt with
its overview, the answer, and the summary when one is due; told apart are rounds that state something with a
plain model, the same with the offline assistant, and questions, which search. With --page the same rounds run
in the built page. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from py_memory import ChatAgent, MemoryStore, OfflineAssistant
from py_memory.records import Cancel, Delta, Tool
from tests.bench._page import finish, open_page, profile, site
from tests.bench.persistence import SETTLE
from tests.unit.support import run

SMALL, LARGE, FACTS = 1_000, 100_000, 100
BATCH = 50  # as many as one summary covers
FILL = """async ([messages, facts]) => {
    const content = (n) => `We talked about number ${n} 和第${n}件事.`;
    const sessions = [];
    for (let n = 0; n < 10; n++)
        sessions.push((await pyMemory.call('create_session', {title: `chat ${n}`})).id);
    for (let at = 0; at < messages; at += 50) {
        const session_id = sessions[at % 100 ? 9 : (at / 100) % 9];
        const items = Array.from({length: 50}, (_, i) => (
            {session_id, role: i % 2 ? 'assistant' : 'user', content: content(at + i)}));
        await pyMemory.call('add_messages', {items});
        await pyMemory.call('summarise', {session_id});
    }
    for (let n = 0; n < facts; n++)
        await pyMemory.call('set_fact', {key: `user::thing-${n}`, value: `value ${n}`});
    await pyMemory.flush();
    return sessions[9];
}"""
TURN = """async ([session_id, text]) => {
    const start = performance.now();
    await pyMemory.call('chat_round', {session_id, text});
    return performance.now() - start;
}"""


class Echo:
    """The plainest model."""

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        yield Delta(f"You said: {messages[-1]['content']}")


def fill(path: Path, messages: int) -> tuple[MemoryStore, str]:
    store = MemoryStore(path)
    sessions = [store.create_session(f"chat {n}").id for n in range(10)]
    for at in range(0, messages, BATCH):
        session = sessions[9 if at % 100 else at // 100 % 9]
        with store.action():
            for n in range(at, at + BATCH):
                role = "assistant" if n % 2 else "user"
                store.add_message(session, role, f"We talked about number {n} 和第{n}件事.")
            store.summarise(session)
    for n in range(FACTS):
        store.set_fact(f"user::thing-{n}", f"value {n}")
    while store.idle_work(200):
        pass
    return store, sessions[9]


def said(kind: str, turn: int) -> str:
    return (
        f"What did I say about number {turn}?" if kind == "question" else f"The bus was late again, {turn}."
    )


def measured(turns: int, rounds: Mapping[str, Callable[[str, int], float]]) -> dict[str, dict[str, float]]:
    """Milliseconds by kind of round and memory, taking turns."""
    times: dict[str, dict[str, list[float]]] = {}
    for turn in range(turns):
        for kind in ("statement", "assistant", "question"):
            for name, one in rounds.items():
                times.setdefault(kind, {}).setdefault(name, []).append(one(kind, turn))
    out = {kind: {name: median(values) for name, values in of.items()} for kind, of in times.items()}
    for kind, of in times.items():
        # What is due only now and then counts as well, so the mean stands beside the median.
        out[kind]["ratio"] = out[kind]["large"] / out[kind]["small"]
        out[kind]["mean_ratio"] = fmean(of["large"]) / fmean(of["small"])
    return out


def on_this_python(turns: int) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory(prefix="py-memory-bench-") as folder:
        rounds: dict[str, Callable[[str, int], float]] = {}
        for name, messages in (("small", SMALL), ("large", LARGE)):
            started = time.monotonic()
            store, session = fill(Path(folder) / f"{name}.db", messages)
            print(f"{name}: {store.stats()}, filled in {time.monotonic() - started:.0f} s", flush=True)

            def one(kind: str, turn: int, store: MemoryStore = store, session: str = session) -> float:
                model = Echo() if kind == "statement" else OfflineAssistant()
                started = time.process_time()  # what others do on the machine does not count
                run(ChatAgent(store, model).chat_round(session, said(kind, turn)))
                return (time.process_time() - started) * 1000

            rounds[name] = one
        return measured(turns, rounds)


def in_the_page(turns: int) -> dict[str, dict[str, float]]:
    with site() as (playwright, url), profile(playwright) as small, profile(playwright) as large:
        rounds: dict[str, Callable[[str, int], float]] = {}
        for name, context, messages in (("small", small, SMALL), ("large", large, LARGE)):
            page, _ = open_page(context, url + "?lang=en")
            page.set_default_timeout(0)
            session = page.evaluate(FILL, [messages, FACTS])
            page.evaluate(SETTLE)

            def one(kind: str, turn: int, page: Any = page, session: str = session) -> float:
                return float(page.evaluate(TURN, [session, said(kind, turn)]))

            rounds[name] = one
        return measured(turns, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--page", action="store_true", help="in the built page instead")
    options = parser.parse_args()
    found = in_the_page(options.turns) if options.page else on_this_python(options.turns)
    for kind, of in found.items():
        print(f"{kind}: {', '.join(f'{name} {value:.2f}' for name, value in of.items())}")
    finish(
        "turns",
        where="page" if options.page else "cpython",
        turns=options.turns,
        **{f"{kind}_{name}": round(value, 2) for kind, of in found.items() for name, value in of.items()},
    )


if __name__ == "__main__":
    main()
