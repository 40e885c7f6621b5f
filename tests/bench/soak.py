"""A long life in short time: 12 scenarios of 87 simulated days, 100 rounds a day, with the offline assistant.

Each scenario plants at least 50 facts on known days, among them corrections, to-dos and decisions, and asks
about them every day. After each day the memory must be whole (INVARIANTS). It can be stopped at any time: a
scenario goes on from its last whole day. The last line is one line of JSON.

    build.py bench soak [--days N] [--scenarios N] [--rounds N] [--folder DIR] [--fresh] [--chromium]

With --chromium the same runs inside Pyodide in Chromium, from the beginning, 10 days unless said otherwise.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from py_memory import ChatAgent, MemoryStore, OfflineAssistant
from py_memory.clock import DAY_MS
from py_memory.prompting import MAX_CHARS
from py_memory.recall import index
from py_memory.records import Cancel, Delta, Fact, Tool, ToolCallDelta
from py_memory.rows.tombstones import is_forgotten
from py_memory.store import MAX_MEMORY_CHARS
from tests.bench.inside import inside_pyodide
from tests.bench.soak_words import SCENARIOS, WORDS
from tests.unit.support import run

START = 1_767_225_600_000  # 2026-01-01, 00:00 UTC
ASKED = 8  # planted facts asked about each day, in turn
OWN_TEXT = 500  # characters of the system text besides memory
CLEANING = 4  # every fourth scenario cleans away old messages each month
MERGING_DAYS = 7  # a second device states some of the same facts, and is merged in, this often


@dataclass
class Planted:
    """`kind` is place, person, home, decision or task."""

    kind: str
    day: int
    say: str
    ask: str
    expected: str
    done: str = ""  # what closes a task, said five days later


@dataclass
class Tally:
    day: int = 0  # whole days done
    rounds: int = 0
    asked: int = 0
    right: int = 0
    looked_up: int = 0
    found: int = 0
    merged: int = 0
    cleaned: int = 0
    tool_rounds: int = 0
    bytes_per_message: float = 0.0
    current_facts: int = 0
    most_facts: int = 0
    summaries: int = 0
    wrong: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


class DeathError(BaseException):
    """The process is gone."""


class Worker:
    """A model that calls a tool once and then reports; it notes the prompt it is given."""

    def __init__(self) -> None:
        self.prompt: list[Mapping[str, Any]] = []

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        if messages[-1]["role"] == "tool":
            yield Delta("The report is sent.")
            return
        self.prompt = list(messages)
        yield Delta(tool_call=ToolCallDelta(0, "call", "send_report", "{}"))


def plant(name: str, language: str, days: int) -> list[Planted]:
    words, chance = WORDS[language], random.Random(name)
    things, places = chance.sample(words.things, 28), words.places
    people, tasks = chance.sample(words.people, 12), chance.sample(words.tasks, 6)
    homes, topics = chance.sample(words.homes, 5), chance.sample(words.topics, 6)
    made: list[tuple[str, str, str, str, str]] = []
    for thing in things:
        place = chance.choice(places)
        made.append(
            (
                "place",
                words.place.format(thing=thing, place=place),
                words.where.format(thing=thing),
                place,
                "",
            )
        )
    for person in people:
        duty = chance.choice(words.duties)
        made.append(
            (
                "person",
                words.person.format(person=person, duty=duty),
                words.who.format(person=person),
                duty,
                "",
            )
        )
    for home in homes:
        made.append(("home", words.home.format(home=home), words.where_home, home, ""))
    for topic in topics:
        made.append(
            ("decision", words.decided.format(topic=topic), words.what_decided.format(topic=topic), topic, "")
        )
    for task, done in tasks:
        made.append(("task", words.remind.format(task=task), words.left, task, done))
    chance.shuffle(made)
    return [
        Planted(kind, number * days // len(made), say, ask, expected, done)
        for number, (kind, say, ask, expected, done) in enumerate(made)
    ]


class Scenario:
    def __init__(self, number: int, options: argparse.Namespace) -> None:
        self.name, self.language, self.chatter = SCENARIOS[number]
        self.number = number
        self.days, self.rounds = options.days, options.rounds
        self.folder = Path(options.folder) / self.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "memory.db"
        self.note, self.effects = self.folder / "progress.json", self.folder / "effects.txt"
        self.planted = plant(self.name, self.language, self.days)
        self.now = START
        self.tally = Tally()
        self.store: MemoryStore
        self.worker = Worker()

    # -- days --

    def live(self) -> Tally:
        self._resume()
        while self.tally.day < self.days:
            started = time.monotonic()
            self._open()
            self._day(self.tally.day)
            self._check()
            self.store.close()
            self.tally.day += 1
            self._keep()
            print(self._line(time.monotonic() - started), flush=True)
        return self.tally

    def _keep(self) -> None:
        """The note is swapped in whole and names its copy, so that a kill leaves this day or the last."""
        shutil.copyfile(self.file, self._kept())
        new = self.folder / "progress.new"
        new.write_text(json.dumps(asdict(self.tally)), "utf-8")
        new.replace(self.note)
        for older in self.folder.glob("kept-*.db"):
            if older != self._kept():
                older.unlink()

    def _kept(self) -> Path:
        return self.folder / f"kept-{self.tally.day}.db"

    def _resume(self) -> None:
        """From the last whole day; what came after it never happened."""
        for leftover in self.folder.glob("memory.db*"):
            leftover.unlink()
        if self.note.exists():
            self.tally = Tally(**json.loads(self.note.read_text("utf-8")))
            shutil.copyfile(self._kept(), self.file)
            sent = self.effects.read_text("utf-8").splitlines() if self.effects.exists() else []
            kept = [line for line in sent if int(line) < self.tally.day]
            self.effects.write_text("".join(f"{line}\n" for line in kept), "utf-8")
        else:
            self.effects.unlink(missing_ok=True)

    def _open(self) -> None:
        self.store = MemoryStore(self.file, clock=lambda: self.now)

    def _day(self, day: int) -> None:
        chance = random.Random(f"{self.name} {day}")
        self.now = START + day * DAY_MS + 6 * 3_600_000
        self.session = self.store.create_session(f"Day {day}").id
        planted = [item for item in self.planted if item.day == day]
        closing = [item for item in self.planted if item.done and item.day == day - 5]
        so_far = [item for item in self.planted if item.day < day]
        asking = [so_far[(day * ASKED + n) % len(so_far)] for n in range(min(ASKED, len(so_far)))]
        steps: list[Callable[[], None]] = [
            *(lambda item=item: self._plant(item) for item in planted),
            *(lambda item=item: self._say(item.done) for item in closing),
            *(lambda item=item: self._ask(item, day) for item in asking),
            lambda: self._work(day),
        ]
        spoken = len(steps) + sum(item.kind == "decision" for item in planted)  # their yes
        for _ in range(self.rounds - spoken):
            line = chance.choice(self.chatter).format(n=chance.randrange(2, 90))
            steps.append(lambda line=line: self._say(line))
        chance.shuffle(steps)
        for step in steps:
            step()
        self._tidy(day)
        self._look_up(day)

    def _say(self, text: str) -> str:
        self.now += 8 * 60_000
        self.tally.rounds += 1
        return run(ChatAgent(self.store, OfflineAssistant()).chat_round(self.session, text)).content

    def _plant(self, item: Planted) -> None:
        self._say(item.say)
        if item.kind == "decision":
            self._say(WORDS[self.language].yes)

    def _ask(self, item: Planted, day: int) -> None:
        answer = self._say(item.ask)
        self.tally.asked += 1
        if self._right(item, answer, day):
            self.tally.right += 1
        else:
            self.tally.wrong.append(
                f"{self.name}, day {day}: {item.ask} {item.expected!r} not in {answer[:200]!r}"
            )

    def _right(self, item: Planted, answer: str, day: int) -> bool:
        if item.kind == "home":
            homes = [other for other in self.planted if other.kind == "home"]
            newest = max(other.day for other in homes if other.day < day)
            may_be = {
                other.expected for other in homes if other.day in (newest, day)
            }  # today's order is open
            named = {other.expected for other in homes if other.expected in answer}
            return bool(named) and named <= may_be
        if item.done and item.day == day - 5:
            return True  # it ends today, before or after the question
        return (item.expected in answer) == (not item.done or item.day > day - 5)

    def _work(self, day: int) -> None:
        """A round with a tool that has an effect. Every third day the process dies right after the effect and
        the round is run again."""
        self.now += 8 * 60_000
        self.tally.rounds += 1
        self.tally.tool_rounds += 1
        dies = day % 3 == 0

        async def send() -> str:
            with self.effects.open("a", encoding="utf-8") as file:
                file.write(f"{day}\n")
            if dies:
                raise DeathError
            return "sent"

        tool = Tool(
            "send_report", "Sends the day's report.", {"type": "object", "properties": {}}, send, asks=False
        )
        id = f"report-{self.name}-{day}"

        def round() -> str:
            agent = ChatAgent(self.store, self.worker, [tool])
            return run(agent.chat_round(self.session, "Send the report, please.", message_id=id)).status

        if dies:
            try:
                round()
            except DeathError:
                self.store.close()
                self._open()
        status = round()
        if status != ("stopped" if dies else "complete"):
            self.tally.broken.append(f"{self.name}, day {day}: the report's round ended as {status}")

    def _tidy(self, day: int) -> None:
        """What an ordinary user does now and then: answer what waits, merge another device, clean."""
        self.now += 60_000
        for fact in self.store.list_facts(status="candidate"):
            self.store.reject_fact(fact.id)
        if day % MERGING_DAYS == MERGING_DAYS - 1:
            self._merge_other_device(day)
        done = self.store.consolidate()
        self.tally.merged += done["merged"]
        if self.number % CLEANING == 0 and day % 30 == 29:
            self.tally.cleaned += self.store.cleanup_old_messages(30, delete=True).counts["messages"]
        while self.store.idle_work(50):
            pass

    def _merge_other_device(self, day: int) -> None:
        """Another device was told some of the same in capitals, and its exported file is merged in."""
        said = [item for item in self.planted if item.day <= day and item.kind in ("place", "person")][-6:]
        exported = self.folder / "other.db"
        exported.unlink(missing_ok=True)
        other = MemoryStore(":memory:", clock=lambda: self.now)
        session = other.create_session("Another device").id
        for item in said:
            run(ChatAgent(other, OfflineAssistant()).chat_round(session, item.say.upper()))
        other.export_to(exported)
        other.close()
        self.store.import_file(exported)

    def _look_up(self, day: int) -> None:
        """Everything planted so far, through the API."""
        notes = [fact.value for fact in self.store.list_facts(prefix="user::note")]
        decisions = [fact.value for fact in self.store.list_facts(prefix="user::decision")]
        tasks = [fact.value for fact in self.store.list_facts(prefix="task::")]
        closed = {item.expected for item in self.planted if item.done and item.day <= day - 5}
        homes: dict[str, int] = {}
        for item in self.planted:
            if item.day > day:
                continue
            if item.kind == "home":
                homes[item.expected] = item.day
                continue
            held = {"decision": decisions, "task": tasks}.get(item.kind, notes)
            subject = item.expected if item.kind in ("decision", "task") else item.say
            found = any(value in subject or subject in value for value in held)
            self._count(found != (item.expected in closed), f"day {day}: look-up of {item.say!r}")
        if homes:
            newest = list(homes)[-1]
            fact = self.store.get_fact("user::home")
            same_day = [home for home, planted in homes.items() if planted == homes[newest]]
            self._count(
                fact is not None and fact.value in same_day, f"day {day}: home {fact} is not {newest}"
            )
            history = {fact.value for fact in self.store.fact_history("user::home")}
            self._count(history == set(homes), f"day {day}: {history} is not the history {homes}")

    def _count(self, right: bool, what: str) -> None:
        self.tally.looked_up += 1
        if right:
            self.tally.found += 1
        else:
            self.tally.wrong.append(f"{self.name}, {what}")

    # -- what must hold after each day --

    def _check(self) -> None:
        for name, holds in INVARIANTS.items():
            if problem := holds(self):
                self.tally.broken.append(f"{self.name}, day {self.tally.day}: {name}: {problem}")
        stats = self.store.stats()
        self.tally.bytes_per_message = round(stats["bytes"] / max(1, stats["messages"]), 1)
        self.tally.current_facts = len(self.store.list_facts())
        self.tally.most_facts = max(self.tally.most_facts, self.tally.current_facts)
        self.tally.summaries = stats["summaries"]

    def _line(self, seconds: float) -> str:
        tally = self.tally
        return (
            f"{self.name} day {tally.day}/{self.days}: {tally.right}/{tally.asked} answers, "
            f"{tally.found}/{tally.looked_up} look-ups, {tally.current_facts} facts, "
            f"{tally.bytes_per_message:.0f} bytes a message, {len(tally.broken)} broken, {seconds:.1f} s"
        )


def integrity(scenario: Scenario) -> object:
    return scenario.store.database.integrity_check()


def foreign_keys(scenario: Scenario) -> object:
    return [dict(row) for row in scenario.store.database.query("PRAGMA foreign_key_check")]


def one_current_value(scenario: Scenario) -> object:
    single = {space.prefix for space in scenario.store.list_namespaces() if space.single_valued}
    current = Counter(fact.key for fact in scenario.store.list_facts())
    many = {space.prefix for space in scenario.store.list_namespaces() if not space.single_valued}

    def is_single(key: str) -> bool:
        fitting = [p for p in single | many if key == p or (p.endswith("::") and key.startswith(p))]
        return max(fitting, key=len) in single

    return [key for key, count in current.items() if count > 1 and is_single(key)]


def provenance(scenario: Scenario) -> object:
    """Every fact that names a source quotes it, or the source was cleaned away."""
    store = scenario.store

    def is_supported(fact: Fact) -> bool:
        if fact.source_message_id is None:
            return True
        if store.find_message(fact.source_message_id) is None:
            return bool(fact.quote) and is_forgotten(
                store.database, store.user_id, "messages", fact.source_message_id
            )
        versions = store.message_versions(fact.source_message_id)
        return fact.quote is None or any(fact.quote in version.content for version in versions)

    return [fact.id for fact in store.list_facts(status=None) if not is_supported(fact)]


def search_index(scenario: Scenario) -> object:
    with scenario.store.database.transaction():
        return [] if index.is_sound(scenario.store.database) else ["does not agree with the messages"]


def event_chain(scenario: Scenario) -> object:
    report = scenario.store.verify()
    return [] if report.ok else [report.first_bad_seq]


def context_within_budget(scenario: Scenario) -> object:
    system, *turns = scenario.worker.prompt
    sizes = len(system["content"]), sum(len(str(turn["content"])) for turn in turns)
    return [] if sizes[0] <= MAX_MEMORY_CHARS + OWN_TEXT and sizes[1] <= MAX_CHARS else [sizes]


def no_tool_twice(scenario: Scenario) -> object:
    counts = Counter(scenario.effects.read_text("utf-8").split())
    return [day for day in range(scenario.tally.day + 1) if counts[str(day)] != 1]


def nothing_unsummarised(scenario: Scenario) -> object:
    waiting = len(scenario.store.pending_summary(scenario.session).messages)
    return [] if waiting < 10 else [waiting]


INVARIANTS: dict[str, Callable[[Scenario], object]] = {
    "integrity_check": integrity,
    "foreign keys": foreign_keys,
    "one current value": one_current_value,
    "provenance": provenance,
    "index integrity": search_index,
    "event chain": event_chain,
    "context within budget": context_within_budget,
    "no tool run twice": no_tool_twice,
    "nothing left unsummarised": nothing_unsummarised,
}


def soak(options: argparse.Namespace) -> dict[str, Any]:
    """Lives through the scenarios; the figures of all. `options` is what `main` parses."""
    if options.fresh:
        shutil.rmtree(options.folder, ignore_errors=True)
    tallies = [Scenario(number, options).live() for number in range(options.first, options.scenarios)]
    total: Counter[str] = Counter()
    for tally in tallies:
        total.update({name: value for name, value in asdict(tally).items() if isinstance(value, int)})
    asked, looked_up = max(1, total["asked"]), max(1, total["looked_up"])
    for problem in [text for tally in tallies for text in (*tally.broken, *tally.wrong)][:50]:
        print(problem)
    return {
        "bench": "soak",
        "scenarios": len(tallies),
        "days": total["day"],
        "rounds": total["rounds"],
        "asked": total["asked"],
        "right_percent": round(100 * total["right"] / asked, 2),
        "looked_up": total["looked_up"],
        "found_percent": round(100 * total["found"] / looked_up, 2),
        "broken": sum(len(tally.broken) for tally in tallies),
        "bytes_per_message": max(tally.bytes_per_message for tally in tallies),
        "most_current_facts": max(tally.most_facts for tally in tallies),
        "merged": total["merged"],
        "merging_saved_percent": round(
            100 * total["merged"] / max(1, total["merged"] + total["current_facts"]), 1
        ),
        "cleaned_messages": total["cleaned"],
        "summaries": total["summaries"],
        "tool_rounds": total["tool_rounds"],
    }


def in_chromium(options: argparse.Namespace) -> dict[str, Any]:
    texts = {"options.json": json.dumps(vars(options) | {"folder": "/soak"})}
    return inside_pyodide(Path(__file__).with_name("soak_in_page.py"), ("tests/unit", "tests/bench"), texts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, help="default: 87, and 10 with --chromium")
    parser.add_argument("--scenarios", type=int, default=len(SCENARIOS))
    parser.add_argument("--first", type=int, default=0, help="number of the first scenario")
    parser.add_argument("--rounds", type=int, default=100, help="a day")
    parser.add_argument("--folder", default="dist/soak", help="where it is kept, to go on from")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    parser.add_argument("--chromium", action="store_true", help="inside Pyodide in Chromium")
    options = parser.parse_args(arguments)
    options.days = options.days or (10 if options.chromium else 87)
    result = in_chromium(options) if options.chromium else soak(options)
    print(json.dumps(result))
    whole = not result["broken"] and min(result["right_percent"], result["found_percent"]) >= 99
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
