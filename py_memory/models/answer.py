"""The text of an answer in the user's language, and the memories that it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .phrases import PHRASES, counted, key_in_words, on_day

__all__ = ["Answer", "Item", "is_fact", "is_todo"]

_IN_LIST = re.compile(r"- |\d+\. ")
EXCERPT = 240  # characters of a quoted message

Item = Mapping[str, Any]


class Answer:
    """Lines of Markdown. `uses` are (kind, id, why)."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.incognito = False  # then what is said differs where it would promise to keep something
        self.lines: list[str] = []
        self.uses: list[tuple[str, str, str]] = []

    def say(self, phrase: str, **values: object) -> None:
        line = self.phrase(phrase, **values)
        if self.lines and _IN_LIST.match(self.lines[-1]) and not line.startswith("- "):
            self.lines.append("")  # or Markdown takes the line into the last item of the list
        self.lines.append(line)

    def phrase(self, phrase: str, **values: object) -> str:
        phrases = PHRASES[self.language]
        if self.incognito:
            phrase = f"incognito_{phrase}" if f"incognito_{phrase}" in phrases else phrase
        return phrases[phrase].format(**values)

    def counted(self, number: int, what: str, *, spelled: bool = False) -> str:
        return counted(number, what, self.language, spelled=spelled)

    def rests_on(self, facts: Iterable[Item], why: str) -> None:
        self.uses.extend(("facts", fact["id"], why) for fact in facts)

    def in_words(self, facts: Iterable[Item]) -> str:
        """Facts as “diet: vegetarian; …”; notes and to-dos are their own words. A day spoken of is named."""
        colon, separator = ("：", "；") if self.language == "zh" else (": ", "; ")
        return separator.join(
            self._dated(fact)
            if fact["key"] == "user::note" or is_todo(fact)
            else f"{key_in_words(fact['key'], self.language)}{colon}{self._dated(fact)}"
            for fact in facts
        )

    def _dated(self, fact: Item) -> str:
        if not fact["due"]:
            return str(fact["value"])
        due = on_day(fact["due"], self.language)
        return f"{fact['value']}（{due}）" if self.language == "zh" else f"{fact['value']} ({due})"

    def list_facts(
        self, facts: Sequence[Item], why: str, *, shown: int | None = None, numbered: bool = False
    ) -> None:
        """Facts as a list, at most `shown` of them; the answer rests on all."""
        for number, fact in enumerate(facts[:shown], 1):
            values = {
                "key": key_in_words(fact["key"], self.language),
                "value": fact["value"],
                "day": on_day(fact["said_on"], self.language),
                "quote": self.phrase("quote", quote=_excerpt(fact["quote"])) if fact["quote"] else "",
            }
            if fact["due"]:
                self.say("fact_dated", due=on_day(fact["due"], self.language), **values)
            else:
                self.say("fact", **values)
            if numbered:
                self.lines[-1] = f"{number}. {self.lines[-1].removeprefix('- ')}"
        if shown is not None and len(facts) > shown:
            self.say("more_facts", count=len(facts) - shown)
        self.rests_on(facts, why)

    def list_todos(self, todos: Sequence[Item]) -> None:
        for todo in todos:
            day = on_day(todo["said_on"], self.language)
            if todo["due"]:
                self.say("todo_due", what=todo["value"], due=on_day(todo["due"], self.language), day=day)
            else:
                self.say("todo_item", what=todo["value"], day=day)
        self.rests_on(todos, "left to do")

    def quote(self, messages: Sequence[Item], why: str) -> None:
        for item in messages:
            day = on_day(item["said_on"], self.language)
            self.say("found_message", day=day, text=_excerpt(item["text"]))
            self.uses.append(("messages", item["id"], why))

    def tell(self, item: Item, why: str) -> None:
        """A memory of whatever kind but a fact, with its day."""
        day, text = on_day(item["said_on"], self.language), _excerpt(item["text"])
        phrase = {"user": "found_message", "assistant": "why_wrote"}.get(item["role"] or "", "why_other")
        self.say(phrase, day=day, text=text)
        self.uses.append((item["kind"], item["id"], why))


def is_todo(fact: Item) -> bool:
    return bool(fact["key"].startswith("task::"))


def is_fact(fact: Item) -> bool:
    return not is_todo(fact)


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT]}…"
