"""The offline assistant: answers from memory alone, quotes what it found with its date, and says what it
cannot do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from py_memory.records import Cancel, Delta, Tool
from py_memory.text import detect_language, normalize

from .intents import Intent, understand
from .matching import fitting, same_subject, shared_words, task_words
from .phrases import PHRASES, in_words, key_in_words, on_day

__all__ = ["OfflineAssistant"]

_SHOWN = 5  # finds quoted at most
_EXCERPT = 240  # characters of a quoted message
# What holds for anything one might plan.
_CONSTRAINTS = tuple(
    f"user::{name}"
    for name in ["diet", "allergy", "condition", "dislikes", "family", "pet", "likes", "favorite", "language"]
)
_TELLING = ("statement", "todo_done", "request")  # kinds of messages in which a user tells something

Item = Mapping[str, Any]


@dataclass
class _Answer:
    lines: list[str] = field(default_factory=list)
    uses: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, *lines: str) -> None:
        self.lines.extend(lines)


class OfflineAssistant:
    """A Model (see records) that needs no language model. It uses the memory tools it is handed, by name."""

    names_its_uses = True  # its deltas say which memories it rests on

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], cancel: Cancel
    ) -> AsyncIterator[Delta]:
        said = next((str(m["content"]) for m in reversed(messages) if m["role"] == "user"), "")
        work = _Work(said, {tool.name: tool.run for tool in tools})
        await work.answer()
        for number, line in enumerate(work.out.lines):
            if cancel.is_set():
                return
            yield Delta(text=line if number == 0 else f"\n{line}")
        yield Delta(uses=tuple(work.out.uses), finish_reason="stop")


class _Work:
    """One answer."""

    def __init__(self, said: str, tools: Mapping[str, Callable[..., Awaitable[Any]]]) -> None:
        self.said = said
        self.tools = tools
        self.language = detect_language(said)
        self.out = _Answer()

    def say(self, phrase: str, **values: object) -> None:
        self.out.add(self.phrase(phrase, **values))

    def phrase(self, phrase: str, **values: object) -> str:
        return PHRASES[self.language][phrase].format(**values)

    async def ask(self, tool: str, **arguments: Any) -> Any:
        return await self.tools[tool](**arguments)

    async def answer(self) -> None:
        noticed = await self.ask("memory_noticed")
        if noticed["refused"] == "private":
            return self.say("private")
        intent = understand(self.said)
        if not self._acknowledged(noticed):
            if noticed["refused"] == "secret" and intent.kind in ("statement", "forget"):
                return self.say("secret")
            introduced = noticed["proposed"] and intent.kind in (
                "statement",
                "greeting",
                "request",
                "todo_done",
            )
            if not introduced:
                await getattr(self, f"_{intent.kind}")(intent)
        if noticed["proposed"]:
            self.say("proposed", what=self._in_words(noticed["proposed"]))
            self._rests_on(noticed["proposed"], "proposed now")
        return None

    def _acknowledged(self, noticed: Mapping[str, Sequence[Item]]) -> bool:
        """Says what was stored as asked; never more than what is stored."""
        for group, fact_phrase, todo_phrase in (
            ("stored", "stored", "todo_stored"),
            ("known", "known", "todo_known"),
        ):
            facts = noticed[group]
            for phrase, some in (
                (fact_phrase, [f for f in facts if not _is_todo(f)]),
                (todo_phrase, [f for f in facts if _is_todo(f)]),
            ):
                if some:
                    self.say(phrase, what=self._in_words(some))
                    self._rests_on(some, f"{group} fact")
        return bool(self.out.lines)

    def _in_words(self, facts: Iterable[Item]) -> str:
        """Facts as “diet: vegetarian; …”; notes and to-dos are their own words."""
        colon, separator = ("：", "；") if self.language == "zh" else (": ", "; ")
        return separator.join(
            fact["value"]
            if fact["key"] == "user::note" or _is_todo(fact)
            else f"{key_in_words(fact['key'], self.language)}{colon}{fact['value']}"
            for fact in facts
        )

    def _rests_on(self, facts: Iterable[Item], why: str) -> None:
        self.out.uses.extend(("facts", fact["id"], why) for fact in facts)

    # -- one method an intent --

    async def _yes(self, intent: Intent) -> None:
        confirmed = await self.ask("memory_confirm", keep=True)
        if not confirmed:
            return self.say("agreed")
        self.say("confirmed", what=self._in_words(confirmed))
        return self._rests_on(confirmed, "confirmed now")

    async def _no(self, intent: Intent) -> None:
        rejected = await self.ask("memory_confirm", keep=False)
        if rejected:
            return self.say("rejected", what=self._in_words(rejected))
        return self.say("agreed")

    async def _about_me(self, intent: Intent) -> None:
        facts = await self.ask("memory_list")
        waiting = await self.ask("memory_list", status="candidate")
        if not facts and not waiting:
            return self.say("about_nothing")
        if facts:
            self.say("about_me")
            self._list_facts([*filter(_is_fact, facts), *filter(_is_todo, facts)], "asked about")
        if waiting:
            self.say("about_waiting", what=self._in_words(waiting))
        return None

    async def _todo_list(self, intent: Intent) -> None:
        todos = await self.ask("todo_list")
        if not todos:
            return self.say("todo_none")
        self.say("todo_open")
        return self._list_todos(todos)

    async def _todo_done(self, intent: Intent) -> None:
        todos = await self.ask("todo_list")
        done = [todo for todo in todos if same_subject(todo["value"], intent.topic)]
        exact = [todo for todo in done if task_words(todo["value"]) <= task_words(intent.topic)]
        done = exact or done
        if not done:
            # “I made a cake” with no such to-do is something told, not something done.
            if self.said.lower().startswith(
                ("done", "finished", "completed", "tick", "mark", "完成", "做完", "搞定")
            ):
                return self.say("todo_unknown", what=intent.topic)
            return await self._statement(intent)
        if len(done) > 1:
            self.say("todo_which")
            return self._list_todos(done)
        await self.ask("todo_done", fact_id=done[0]["id"])
        self.say("todo_done", what=done[0]["value"])
        return self._rests_on(done, "done now")

    async def _forget(self, intent: Intent) -> None:
        found = fitting(await self.ask("memory_list"), intent.topic, strict=True)
        if not found:
            messages = await self._messages_about(intent.topic)
            if not messages:
                return self.say("forget_nothing", what=intent.topic)
            return self._show_what_goes(intent.topic, [], messages)
        if len(found) > 1:
            self.say("forget_which")
            return self._list_facts(found, "may be meant")
        (fact,) = found
        await self.ask("memory_forget", fact_ids=[fact["id"]])
        # The value is not repeated: it would stand in the conversation again.
        self.say("forgotten", key=key_in_words(fact["key"], self.language))
        if left := await self._messages_about(intent.topic, fact["value"]):
            self.say("forgotten_messages", count=len(left), topic=intent.topic)
        return None

    async def _forget_all(self, intent: Intent) -> None:
        facts = fitting(await self.ask("memory_list"), intent.topic, strict=True)
        messages = await self._messages_about(intent.topic)
        if not facts and not messages:
            return self.say("forget_nothing", what=intent.topic)
        if not intent.sure:
            return self._show_what_goes(intent.topic, facts, messages)
        gone = {"fact_ids": [f["id"] for f in facts], "message_ids": [m["id"] for m in messages]}
        await self.ask("memory_forget", **gone)
        return self.say("forgotten_all", facts=len(facts), messages=len(messages))

    def _show_what_goes(self, topic: str, facts: Sequence[Item], messages: Sequence[Item]) -> None:
        self.say("forget_see", facts=len(facts), messages=len(messages))
        self._list_facts(facts, "would be forgotten")
        self._quote([m for m in messages if m["role"] == "user"], "would be forgotten")
        self.say("forget_sure", topic=topic)

    async def _question(self, intent: Intent) -> None:
        facts = fitting(await self.ask("memory_list"), self.said)[:_SHOWN]
        found = (await self._told_about(self.said))[:_SHOWN]
        # What has been corrected since is not said again beside what holds now.
        keys = {fact["key"] for fact in facts}
        old = [fact for fact in await self.ask("memory_list", status="superseded") if fact["key"] in keys]
        quoted = {fact["source_message_id"] for fact in (*facts, *old)}
        found = [
            message for message in found if message["id"] not in quoted or len(message["text"]) > _EXCERPT
        ]
        if not facts and not found:
            return self.say("found_nothing")
        self.say("found")
        self._list_facts(facts, "answers the question")
        return self._quote(found, "answers the question")

    async def _request(self, intent: Intent) -> None:
        facts = [fact for fact in await self.ask("memory_list") if _is_fact(fact)]
        waiting = await self.ask("memory_list", status="candidate")
        always = [fact for fact in facts if fact["key"].startswith(_CONSTRAINTS)]
        bearing = list({fact["id"]: fact for fact in (*always, *fitting(facts, self.said))}.values())
        waiting = [fact for fact in waiting if fact["key"].startswith(_CONSTRAINTS)]
        known = {fact["source_message_id"] for fact in (*bearing, *waiting)}
        related = [message for message in await self._told_about(self.said) if message["id"] not in known][:3]
        self.say("no_model_keep_in_mind" if bearing or waiting or related else "no_model")
        self._list_facts(bearing, "bears on the request")
        if waiting:
            self.say("about_waiting", what=self._in_words(waiting))
        if related:
            self.say("related")
            self._quote(related, "bears on the request")

    async def _statement(self, intent: Intent) -> None:
        asks_to_remember = self.said.lower().startswith(
            ("remember", "please remember", "记住", "请记住", "记一下")
        )
        self.say("nothing_to_store" if asks_to_remember else "no_model_mind")

    async def _greeting(self, intent: Intent) -> None:
        names = [fact for fact in await self.ask("memory_list") if fact["key"] == "user::name"]
        comma = "，" if self.language == "zh" else ", "
        self.say("greeting", name=f"{comma}{names[0]['value']}" if names else "")
        self._rests_on(names[:1], "greeted by name")

    async def _small_talk(self, intent: Intent) -> None:
        self.say("small_talk")

    async def _farewell(self, intent: Intent) -> None:
        self.say("farewell")

    async def _thanks(self, intent: Intent) -> None:
        self.say("thanks")

    async def _help(self, intent: Intent) -> None:
        self.say("help")

    # -- finding and listing --

    async def _told_about(self, question: str) -> list[Item]:
        """Messages in which the user told something about it: what they asked or ordered before is no
        answer."""
        found = [
            item
            for item in await self.ask("memory_search", query=question, limit=30)
            if item["kind"] == "messages"
            and item["role"] == "user"
            and understand(item["text"]).kind in _TELLING
        ]
        best = max((shared_words(item["text"], question) for item in found), default=0)
        return [item for item in found if 2 * shared_words(item["text"], question) >= max(best, 1)]

    async def _messages_about(self, topic: str, value: str = "") -> list[Item]:
        """All messages, the assistant's too, that hold the topic or the value."""
        wanted = [normalize(words) for words in (topic, value) if words]
        found = {
            item["id"]: item for item in await self.ask("memory_search", query=f"{topic} {value}", limit=200)
        }
        return [
            item
            for item in found.values()
            if item["kind"] == "messages"
            and (
                any(words in normalize(item["text"]) for words in wanted)
                or same_subject(topic, item["text"], whole=True)
            )
        ]

    def _list_facts(self, facts: Sequence[Item], why: str) -> None:
        for fact in facts:
            quote = self.phrase("quote", quote=_excerpt(fact["quote"])) if fact["quote"] else ""
            key = key_in_words(fact["key"], self.language)
            self.say(
                "fact", key=key, value=fact["value"], day=on_day(fact["said_at"], self.language), quote=quote
            )
        self._rests_on(facts, why)

    def _list_todos(self, todos: Sequence[Item]) -> None:
        for todo in todos:
            day = on_day(todo["said_at"], self.language)
            if todo["due"]:
                due = in_words(date.fromisoformat(todo["due"]), self.language)
                self.say("todo_due", what=todo["value"], due=due, day=day)
            else:
                self.say("todo_item", what=todo["value"], day=day)
        self._rests_on(todos, "left to do")

    def _quote(self, messages: Sequence[Item], why: str) -> None:
        for item in messages:
            self.say(
                "found_message", day=on_day(item["created_at"], self.language), text=_excerpt(item["text"])
            )
            self.out.uses.append(("messages", item["id"], why))


def _is_todo(fact: Item) -> bool:
    return bool(fact["key"].startswith("task::"))


def _is_fact(fact: Item) -> bool:
    return not _is_todo(fact)


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]}…"
