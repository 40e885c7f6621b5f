"""The offline assistant: answers from memory alone, quotes what it found with its date, and says what it cannot do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..records import Cancel, Delta, Tool
from ..text import detect_language, terms
from .intents import Intent, understand
from .phrases import PHRASES, key_in_words, on_day

__all__ = ["OfflineAssistant"]

_SHOWN = 5  # finds quoted at most
_EXCERPT = 240  # characters of a quoted message
# What holds for anything one might plan.
_CONSTRAINTS = ("user::diet", "user::allergy", "user::dislikes", "user::family", "user::likes", "user::language")

Fact = Mapping[str, Any]


@dataclass
class _Answer:
    lines: list[str] = field(default_factory=list)
    uses: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, *lines: str) -> _Answer:
        self.lines.extend(lines)
        return self


class OfflineAssistant:
    """A Model (see records) that needs no language model. It uses the memory tools it is handed, by name."""

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        said = next((str(m["content"]) for m in reversed(messages) if m["role"] == "user"), "")
        work = _Work(said, {tool.name: tool.run for tool in tools})
        answer = await work.answer()
        for number, line in enumerate(answer.lines):
            if cancel.is_set():
                return
            yield Delta(text=line if number == 0 else f"\n{line}")
        yield Delta(uses=tuple(answer.uses), finish_reason="stop")


class _Work:
    """One answer."""

    def __init__(self, said: str, tools: Mapping[str, Callable[..., Awaitable[Any]]]) -> None:
        self.said = said
        self.tools = tools
        self.language = detect_language(said)

    def say(self, phrase: str, **values: str) -> str:
        return PHRASES[self.language][phrase].format(**values)

    async def ask(self, tool: str, **arguments: Any) -> Any:
        run = self.tools.get(tool)
        return await run(**arguments) if run else []

    async def answer(self) -> _Answer:
        noticed = await self.ask("memory_noticed") or {"stored": [], "proposed": [], "off_the_record": False}
        answer = _Answer()
        if noticed["off_the_record"]:
            return answer.add(self.say("off_the_record"))
        for fact in noticed["stored"]:
            phrase = "todo_stored" if fact["key"].startswith("task::") else "stored"
            answer.add(self.say(phrase, what=fact["value"]))
            answer.uses.append(("facts", fact["id"], "stored now"))
        if answer.lines:
            return answer
        intent = understand(self.said, self.language)
        handler: Callable[[Intent, _Answer], Awaitable[_Answer]] = getattr(self, f"_{intent.kind}")
        if intent.kind in ("statement", "greeting", "request") and noticed["proposed"]:
            return answer.add(self._proposed(noticed["proposed"]))
        await handler(intent, answer)
        if noticed["proposed"]:
            answer.add(self._proposed(noticed["proposed"]))
        return answer

    def _proposed(self, facts: Sequence[Fact]) -> str:
        separator = "；" if self.language == "zh" else "; "
        colon = "：" if self.language == "zh" else ": "
        parts = [f"{key_in_words(f['key'], self.language)}{colon}{f['value']}" for f in facts]
        return self.say("proposed", what=separator.join(parts))

    # -- one method an intent --

    async def _about_me(self, intent: Intent, answer: _Answer) -> _Answer:
        facts = await self.ask("memory_list")
        if not facts:
            return answer.add(self.say("about_nothing"))
        return self._list_facts(answer.add(self.say("about_me")), facts, "asked about")

    async def _todo_list(self, intent: Intent, answer: _Answer) -> _Answer:
        open_items = await self.ask("todo_list")
        if not open_items:
            return answer.add(self.say("todo_none"))
        return self._list_todos(answer.add(self.say("todo_open")), open_items)

    async def _todo_done(self, intent: Intent, answer: _Answer) -> _Answer:
        fitting = self._fitting(await self.ask("todo_list"), intent.topic)
        if not fitting:
            # “I made a cake” with no such to-do is something told, not something done.
            if self.language == "en" and self.said.lower().startswith(("done", "finished", "completed")):
                return answer.add(self.say("todo_unknown", what=intent.topic))
            return await self._statement(intent, answer)
        if len(fitting) > 1:
            return self._list_todos(answer.add(self.say("todo_which")), fitting)
        await self.ask("todo_done", fact_id=fitting[0]["id"])
        return answer.add(self.say("todo_done", what=fitting[0]["value"]))

    async def _forget(self, intent: Intent, answer: _Answer) -> _Answer:
        found = await self.ask("memory_find", text=intent.topic)
        fitting = self._fitting(found, intent.topic) or found
        if not fitting:
            return answer.add(self.say("forget_nothing", what=intent.topic))
        if len(fitting) > 1:
            return self._list_facts(answer.add(self.say("forget_which")), fitting, "may be meant")
        fact = fitting[0]
        await self.ask("memory_forget", fact_id=fact["id"])
        return answer.add(self.say("forgotten", what=fact["value"]))

    async def _question(self, intent: Intent, answer: _Answer) -> _Answer:
        facts = self._fitting(await self.ask("memory_list"), self.said)
        found = [f for f in await self.ask("memory_search", query=self.said) if f["kind"] == "messages"]
        found = [f for f in found if f["role"] == "user" and self._tells(f["text"])]
        if not facts and not found:
            return answer.add(self.say("found_nothing"))
        answer.add(self.say("found"))
        self._list_facts(answer, facts[:_SHOWN], "answers the question")
        return self._quote(answer, found[:_SHOWN])

    async def _request(self, intent: Intent, answer: _Answer) -> _Answer:
        facts = await self.ask("memory_list")
        fitting = self._fitting(facts, self.said)
        always = [fact for fact in facts if fact["key"].startswith(_CONSTRAINTS)]
        bearing = list({fact["id"]: fact for fact in (*always, *fitting)}.values())
        if not bearing:
            return answer.add(self.say("no_model"))
        return self._list_facts(answer.add(self.say("no_model_keep_in_mind")), bearing, "bears on the request")

    async def _statement(self, intent: Intent, answer: _Answer) -> _Answer:
        return answer.add(self.say("no_model_mind"))

    async def _greeting(self, intent: Intent, answer: _Answer) -> _Answer:
        names = [fact for fact in await self.ask("memory_list") if fact["key"] == "user::name"]
        name = ""
        if names:
            name = f"，{names[0]['value']}" if self.language == "zh" else f", {names[0]['value']}"
            answer.uses.append(("facts", names[0]["id"], "greeted by name"))
        return answer.add(self.say("greeting", name=name))

    async def _thanks(self, intent: Intent, answer: _Answer) -> _Answer:
        return answer.add(self.say("thanks"))

    async def _help(self, intent: Intent, answer: _Answer) -> _Answer:
        return answer.add(self.say("help"))

    @staticmethod
    def _tells(text: str) -> bool:
        """What the user asked or ordered before is no answer to a question."""
        return understand(text, detect_language(text)).kind in ("statement", "request", "todo_done")

    # -- lists --

    def _fitting(self, facts: Sequence[Fact], topic: str) -> list[Fact]:
        """Facts that share a word with the topic, most words first."""
        wanted = set(map(_stem, terms(topic, for_query=True)))
        scored = []
        for fact in facts:
            english, chinese = (key_in_words(fact["key"], language) for language in ("en", "zh"))
            words = set(map(_stem, terms(f"{english} {chinese} {fact['value']} {fact['quote'] or ''}")))
            if shared := len(wanted & words):
                scored.append((shared, fact))
        best = max((score for score, _ in scored), default=0)
        return [fact for score, fact in scored if score == best]

    def _list_facts(self, answer: _Answer, facts: Sequence[Fact], why: str) -> _Answer:
        for fact in facts:
            quote = self.say("quote", quote=fact["quote"]) if fact["quote"] else ""
            key = key_in_words(fact["key"], self.language)
            day = on_day(fact["said_at"], self.language)
            answer.add(self.say("fact", key=key, value=fact["value"], day=day, quote=quote))
            answer.uses.append(("facts", fact["id"], why))
        return answer

    def _list_todos(self, answer: _Answer, facts: Sequence[Fact]) -> _Answer:
        for fact in facts:
            answer.add(self.say("todo_item", what=fact["value"], day=on_day(fact["said_at"], self.language)))
            answer.uses.append(("facts", fact["id"], "left to do"))
        return answer

    def _quote(self, answer: _Answer, found: Sequence[Mapping[str, Any]]) -> _Answer:
        for item in found:
            excerpt = " ".join(item["text"].split())
            if len(excerpt) > _EXCERPT:
                excerpt = f"{excerpt[:_EXCERPT]}…"
            phrase = "found_message" if item["role"] == "user" else "found_reply"
            answer.add(self.say(phrase, day=on_day(item["created_at"], self.language), text=excerpt))
            answer.uses.append(("messages", item["id"], "answers the question"))
        return answer


def _stem(word: str) -> str:
    """Rough: plural and common endings off, so that “allergies” meets “allergy”."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("es", ""), ("s", ""), ("ed", "")):
        if word.isascii() and word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word
