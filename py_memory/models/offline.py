"""The offline assistant: answers from memory alone, quotes what it found with its date, and says what it
cannot do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from py_memory.records import Cancel, Delta, Tool
from py_memory.text import detect_language, normalize, terms

from .answer import EXCERPT, Answer, Item, is_fact, is_todo
from .bearing import about_named, bearing_on, in_groups, in_second_person, is_about_food, topic_of, whose
from .intents import Intent, asks_of_oneself, asks_to_eat, is_nod, understand
from .matching import (
    answering,
    ended,
    fitting,
    is_part,
    same_subject,
    shared_words,
    task_words,
    tells_of,
    under_key_named,
    with_parts,
)
from .meant import MAY_BE_MEANT, Meant, chosen, meant_by, names_no_other
from .phrases import key_in_words, on_day

__all__ = ["OfflineAssistant"]

_LAST_DAY = "9999-12-31"
_SHOWN = 5  # finds quoted at most
_LISTED = 20  # facts listed at most in answer to a question
_FOUND = 200  # messages looked through at most for what is to be forgotten
_FOOD = ("user::diet", "user::allergy", "user::condition", "user::dislikes")
_TELLING = ("statement", "todo_done", "request", "ended")  # kinds of messages in which a user tells something
# Of these kinds, a message from which something was learned asks for nothing else.
_INTRODUCING = ("statement", "greeting", "request", "todo_done", "ended")
# What of several values is over or goes is named by the value.
_BY_VALUE = ("user::likes", "user::dislikes", "user::allergy", "user::note", "user::decision", "user::event")
# Reasons for which an answer rests on what it offers to forget or to end; a “yes” takes it up.
_TO_FORGET, _TO_END = "would be forgotten", "would end"
_EXPLAINED = "explains the answer before"


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
        self.out = Answer(self.language)
        self.learned: set[str] = set()  # ids of what this message itself told
        self.say = self.out.say

    async def ask(self, tool: str, **arguments: Any) -> Any:
        return await self.tools[tool](**arguments)

    async def answer(self) -> None:
        noticed = await self.ask("memory_noticed")
        self.out.incognito = noticed["incognito"]
        self.learned = {fact["id"] for fact in (*noticed["proposed"], *noticed["stored"])}
        if noticed["refused"] == "private":
            return self.say("private")
        intent = understand(self.said)
        if not self._acknowledged(noticed):
            if not self.out.incognito and not noticed["proposed"] and await self._chooses():
                return None
            if noticed["refused"] == "incognito":
                return self.say("incognito")
            if noticed["refused"] == "secret" and intent.kind in ("statement", "forget"):
                return self.say("secret")
            if not ((noticed["proposed"] or noticed["passed_over"]) and intent.kind in _INTRODUCING):
                await getattr(self, f"_{intent.kind}")(intent)
        if noticed["proposed"]:
            # Each has a card of its own beside the message, so that the values need no telling again.
            count = len(noticed["proposed"])
            things = self.out.counted(count, "things", spelled=True)
            self.say("proposed" if count > 1 else "proposed_one", things=things)
            self.out.rests_on(noticed["proposed"], "proposed now")
        if noticed["passed_over"]:
            self.say("passed_over")
        return None

    def _acknowledged(self, noticed: Mapping[str, Sequence[Item]]) -> bool:
        """Says what was stored as asked; never more than what is stored."""
        for group, fact_phrase, todo_phrase in (
            ("stored", "stored", "todo_stored"),
            ("known", "known", "todo_known"),
        ):
            facts = noticed[group]
            for phrase, some in (
                (fact_phrase, [f for f in facts if not is_todo(f)]),
                (todo_phrase, [f for f in facts if is_todo(f)]),
            ):
                if some:
                    self.say(phrase, what=self.out.in_words(some))
                    self.out.rests_on(some, f"{group} fact")
        return bool(self.out.lines)

    # -- one method an intent --

    async def _undo(self, intent: Intent) -> None:
        if self.out.incognito:
            return self.say("unchanged")
        undone = await self.ask("memory_undo")
        return self.say({"undone": "undone", "too late": "undo_late"}.get(undone["what"], "undo_nothing"))

    async def _yes(self, intent: Intent) -> None:
        if self.out.incognito:
            return self.say("agreed")
        settled = await self.ask("memory_settle", yes=True)
        if settled["what"] == _TO_FORGET:
            return self._say_gone(settled["counts"])
        if settled["what"] == _TO_END:
            self.say("ended", what=self.out.in_words(settled["facts"]))
            return self.out.rests_on(settled["facts"], "ended now")
        confirmed = await self.ask("memory_confirm", keep=True)
        if not confirmed:
            if intent.topic:
                return self.say("nothing_waits")
            if not is_nod(self.said) and await self._list_waiting():
                return None
            return self.say("agreed" if is_nod(self.said) else "nothing_asked")
        self.say("confirmed", what=self.out.in_words(confirmed))
        return self.out.rests_on(confirmed, "confirmed now")

    async def _waiting(self, intent: Intent) -> None:
        if not await self._list_waiting():
            self.say("waiting_none")

    async def _list_waiting(self) -> bool:
        """Names what was noticed in any conversation and not answered, for a “yes” to take up. Whether there
        is any."""
        waiting = await self.ask("memory_list", status="candidate")
        if waiting:
            self.say("waiting")
            self.out.list_facts(waiting, "waits for a yes")
            self.say("confirm_how" if len(waiting) == 1 else "confirm_which")
        return bool(waiting)

    async def _no(self, intent: Intent) -> None:
        if self.out.incognito:
            return self.say("agreed")
        settled = await self.ask("memory_settle", yes=False)
        if settled["what"] == _TO_FORGET:
            return self.say("kept_all")
        if settled["what"] == _TO_END:
            return self.say("ended_kept", what=self.out.in_words(settled["facts"]))
        rejected = await self.ask("memory_confirm", keep=False)
        if rejected:
            return self.say("rejected", what=self.out.in_words(rejected))
        return self.say("agreed")

    async def _why(self, intent: Intent) -> None:
        """Which memories the answer before this message rested on, with their sources and days."""
        explained = await self.ask("memory_why")
        if not explained["answered"]:
            return self.say("why_no_answer")
        reasons = explained["reasons"]
        if not reasons:
            return self.say("why_nothing")
        facts = [item["fact"] for item in reasons if item["fact"]]
        now = [fact for fact in facts if fact["status"] in ("current", "candidate", "disputed")]
        past = [fact for fact in facts if fact not in now]
        others = [item for item in reasons if not item["fact"] and item["status"] != "forgotten"]
        if now or others:
            self.say("why_head")
        self.out.list_facts(now, _EXPLAINED)
        for item in others:
            self.out.tell(item, _EXPLAINED)
        if past:
            self.say("why_corrected")
            self.out.list_facts(past, _EXPLAINED)
        if gone := sum(item["status"] == "forgotten" for item in reasons):
            self.say("why_gone", things=self.out.counted(gone, "things"))
        return None

    async def _about_me(self, intent: Intent) -> None:
        facts = await self.ask("memory_list")
        waiting = await self.ask("memory_list", status="candidate")
        if not facts and not waiting:
            return self.say("about_nothing")
        if facts:
            self.say("about_me")
            self.out.list_facts([*filter(is_fact, facts), *filter(is_todo, facts)], "asked about")
        if waiting:
            self.say("about_waiting")
            self.out.list_facts(waiting, "waits for a yes")
        return None

    async def _todo_list(self, intent: Intent) -> None:
        if intent.topic:
            return await self._schedule(intent)
        todos = await self.ask("todo_list")
        self.say("todo_open" if todos else "todo_none")
        return self.out.list_todos(todos)

    async def _schedule(self, intent: Intent) -> None:
        """What is on in the days asked about, from today where none are named: appointments and to-dos."""
        days = await self.ask("days_meant", words=intent.topic or self.said)
        first, last = days["first"] or days["today"] or "", days["last"] or _LAST_DAY
        todos = await self.ask("todo_list")
        events = [fact for fact in await self.ask("memory_list") if is_fact(fact) and fact["due"]]
        wanted, due = (
            sorted((one for one in some if first <= (one["due"] or "") <= last), key=lambda one: one["due"])
            for some in (events, todos)
        )
        if days["first"] is None:
            self.say("schedule" if wanted or due else "schedule_none")
        else:
            self.say("todo_open_on" if wanted or due else "todo_none_on", day=self._from_to(first, last))
        self.out.list_facts(wanted, "asked about", shown=_LISTED)
        self.out.list_todos(due)
        if others := len(todos) - len(due):
            self.say("todo_others", todos=self.out.counted(others, "todos"))
        return

    def _from_to(self, first: str, last: str) -> str:
        start, end = on_day(first, self.language), on_day(last, self.language)
        return start if first == last else self.out.phrase("between", first=start, last=end)

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
            return self.out.list_todos(done)
        if self.out.incognito:
            return self.say("unchanged")
        await self.ask("todo_done", fact_id=done[0]["id"])
        self.say("todo_done", what=done[0]["value"])
        return self.out.rests_on(done, "done now")

    async def _ended(self, intent: Intent) -> None:
        """Something is no longer so. Nothing changes before a yes."""
        facts = ended([fact for fact in await self.ask("memory_list") if is_fact(fact)], intent.topic)
        if not facts:
            return await self._statement(intent)
        if self.out.incognito:
            return self.say("unchanged")
        key = key_in_words(facts[0]["key"], self.language)
        if facts[0]["key"] in _BY_VALUE:
            command = self.out.phrase("forget_value", value=facts[0]["value"])
        else:
            command = self.out.phrase("forget_command", key=key)
        if len(facts) > 1:
            self.say("ended_which", command=command)
            return self.out.list_facts(facts, "may be over")
        self.say("ended_ask", what=self.out.in_words(facts), command=command)
        return self.out.rests_on(facts, _TO_END)

    async def _forget(self, intent: Intent) -> None:
        if self.out.incognito:
            return self.say("unchanged")
        everything = [
            fact
            for fact in await self.ask("memory_list", status="all")
            if fact["status"] in ("current", "candidate", "superseded", "archived")
        ]
        living = [
            fact
            for fact in everything
            if fact["status"] in ("current", "candidate") and fact["id"] not in self.learned
        ]
        if kind := under_key_named(living, intent.topic):
            meant = Meant(kind, sure=True)
        else:
            meant = meant_by(intent.topic, living)
        if not meant.facts:
            messages = await self._messages_about(intent.topic)
            if not messages:
                return self.say("forget_nothing", what=intent.topic)
            return await self._show_what_goes([], messages)
        fact = with_parts(meant.facts)
        if fact is None or not meant.sure:
            return self._ask_which(meant.facts if fact is None else [fact])
        going = [fact, *(other for other in everything if is_part(other, fact))]
        if kind:  # what was corrected before goes with it
            going += [old for old in everything if old["key"] == fact["key"] and old not in living]
        return await self._forget_these([fact], going, living, intent.topic)

    def _ask_which(self, facts: Sequence[Item]) -> None:
        self.say("forget_which" if len(facts) > 1 else "forget_this")
        self.out.list_facts(facts, MAY_BE_MEANT, numbered=True)
        self.say("forget_which_how" if len(facts) > 1 else "forget_this_how")

    async def _chooses(self) -> bool:
        """Whether the message answers “which one shall I forget?”; then it is done."""
        asked = await self.ask("memory_choices")
        options = asked["facts"]
        picked = chosen(self.said, options)
        if options and not any(character.isalpha() for character in self.said):
            self.language = self.out.language = asked["asked_in"]  # a number is of no language
        if picked is None:
            if options and names_no_other(self.said):
                self._ask_which(options)
                return True
            return False
        if not picked:
            self.say("kept_all")
            return True
        everything = await self.ask("memory_list", status="all")
        living = [fact for fact in everything if fact["status"] in ("current", "candidate")]
        going = {fact["id"]: fact for fact in picked}
        going |= {o["id"]: o for o in everything if any(is_part(o, fact) for fact in picked)}
        await self._forget_these(picked, list(going.values()), living, "")
        return True

    async def _forget_these(
        self, named: Sequence[Item], going: Sequence[Item], living: Sequence[Item], topic: str
    ) -> None:
        left = {
            message["id"]: message for gone in going for message in await self._messages_about(topic, gone)
        }
        # A message from which something else was learned that stays is left alone.
        tells_more = {other["source_message_id"] for other in living if other not in going}
        kept = [id for id in left if id in tells_more]
        left = {id: message for id, message in left.items() if id not in tells_more}
        await self.ask("memory_forget", fact_ids=[gone["id"] for gone in going])
        # The value is not repeated: it would stand in the conversation again.
        keys = dict.fromkeys(key_in_words(fact["key"], self.language) for fact in named)
        self.say("forgotten", key=("、" if self.language == "zh" else ", ").join(keys))
        if left:
            self.say("forgotten_messages", messages=self.out.counted(len(left), "messages"))
            self.out.uses.extend(("messages", id, _TO_FORGET) for id in left)
        if kept:
            self.say("forgotten_kept", messages=self.out.counted(len(kept), "messages"))

    async def _forget_all(self, intent: Intent) -> None:
        if self.out.incognito:
            return self.say("unchanged")
        if intent.sure:
            settled = await self.ask("memory_settle", yes=True)
            if settled["what"]:
                return self._say_gone(settled["counts"])
        facts = await self.ask("memory_list", status="all")
        facts = under_key_named(facts, intent.topic) or fitting(facts, intent.topic, strict=True)
        messages = await self._messages_about(intent.topic, *facts)
        if not facts and not messages:
            return self.say("forget_nothing", what=intent.topic)
        return await self._show_what_goes(facts, messages)

    async def _forget_everything(self, intent: Intent) -> None:
        self.say("forget_topicless")

    async def _show_what_goes(self, facts: Sequence[Item], messages: Sequence[Item]) -> None:
        """The offer of which a plain “yes” makes use: the answer rests on exactly what would go."""
        going = await self.ask(
            "memory_going",
            fact_ids=[fact["id"] for fact in facts],
            message_ids=[message["id"] for message in messages],
        )
        self.say("forget_see", what=self._what(len(going["facts"]), len(going["messages"])))
        self.out.list_facts(going["facts"], _TO_FORGET, shown=_SHOWN)
        told = [m for m in going["messages"] if m["role"] == "user" and m["id"] not in going["round"]]
        self.out.quote(told[:_SHOWN], _TO_FORGET)
        shown = {message["id"] for message in told[:_SHOWN]}
        others = [message["id"] for message in going["messages"] if message["id"] not in shown]
        self.out.uses.extend(("messages", id, _TO_FORGET) for id in others)
        if more := len(others) - len(going["round"]):
            self.say("more_messages", count=more)
        self.say("forget_sure")

    def _what(self, facts: int, messages: int) -> str:
        counts = [(facts, "facts"), (messages, "messages")]
        joint = "和 " if self.language == "zh" else " and "
        return joint.join(self.out.counted(count, what) for count, what in counts if count)

    def _say_gone(self, counts: Mapping[str, int]) -> None:
        self.say("forgotten_all", what=self._what(counts["facts"], counts["messages"]))

    async def _question(self, intent: Intent) -> None:
        if asks_to_eat(self.said) and await self._bearing_on_food():
            return None
        waiting = await self.ask("memory_list", status="candidate")
        known = [*await self.ask("memory_list"), *waiting]
        fits = answering(known, self.said)
        if asks_of_oneself(self.said):
            fits = sorted(fits, key=lambda fact: whose(fact["key"]) != "")
        facts = [fact for fact in fits if fact["status"] == "current"]
        waiting = [fact for fact in fits if fact["status"] == "candidate"]
        found = (await self._told_about(self.said))[:_SHOWN]
        # What has been corrected since is not said again beside what holds now.
        keys = {fact["key"] for fact in facts}
        old = [
            fact
            for status in ("superseded", "archived")
            for fact in await self.ask("memory_list", status=status)
            if fact["key"] in keys
        ]
        # Where facts answer, a message from which something else was learned does not.
        quoted = {fact["source_message_id"] for fact in (*fits, *old, *(known if fits else ()))}
        found = [
            message for message in found if message["id"] not in quoted or len(message["text"]) > EXCERPT
        ]
        if not fits and not found:
            return self.say("found_nothing")
        if facts or found:
            self.say("found")
            self.out.list_facts(facts, "answers the question", shown=_LISTED)
            self.out.quote(found, "answers the question")
        if waiting:
            self.say("about_waiting")
            self.out.list_facts(waiting, "waits for a yes", shown=_LISTED)
            self.say("confirm_how" if len(waiting) == 1 else "confirm_which")
        return None

    async def _bearing_on_food(self) -> bool:
        """Lists what was stated about diet and allergies of those whom the question names, else of the user;
        whether there is anything."""
        known = [
            fact
            for status in ("current", "candidate", "disputed")
            for fact in await self.ask("memory_list", status=status)
        ]
        theirs = [fact for fact in about_named(known, self.said) if is_about_food(fact["key"])]
        bearing = theirs or [fact for fact in known if fact["key"].startswith(_FOOD)]
        facts = [fact for fact in bearing if fact["status"] == "current"]
        unsure = [fact for fact in bearing if fact["status"] != "current"]
        if facts:
            self.say("food_you_said")
            self.out.list_facts(facts, "bears on the question")
        if unsure:
            self.say("about_waiting")
            self.out.list_facts(unsure, "waits for a yes")
        return bool(facts or unsure)

    async def _request(self, intent: Intent) -> None:
        """What bears on a request is told, since it cannot be fulfilled: each kind of thing on one line."""
        known = await self.ask("memory_list")
        bearing = bearing_on([fact for fact in known if is_fact(fact)], self.said)
        waiting = bearing_on(
            [fact for fact in await self.ask("memory_list", status="candidate") if is_fact(fact)], self.said
        )
        days = await self.ask("days_meant", words=self.said)
        busy = [f for f in known if days["first"] and days["first"] <= (f["due"] or "") <= days["last"]]
        bearing = [fact for fact in bearing if fact not in busy]
        quoted = {fact["source_message_id"] for fact in (*bearing, *waiting, *busy)}
        related = [
            item
            for item in await self._told_about(self.said)
            if item["id"] not in quoted and understand(item["text"]).kind != "request"  # asked, not told
        ][:3]
        what = in_second_person(intent.topic, self.language)
        if what:
            self.say("no_model_to", what=what)
        else:
            self.say("no_model")
        if bearing:
            self.say("bearing", days=self._days(bearing))
            for line in in_groups(bearing, self.language):
                self.say("bearing_item", what=line)
            self.out.rests_on(bearing, "bears on the request")
        if busy:
            self.say("that_day", day=self._from_to(days["first"], days["last"]))
            self.say("bearing_item", what=self.out.in_words(busy))
            self.out.rests_on(busy, "bears on the request")
        if waiting:
            self.say("about_waiting")
            self.out.list_facts(waiting, "waits for a yes")
        if related:
            self.say("related")
            self.out.quote(related, "bears on the request")
        if settle := topic_of(self.said).settle[self.language == "zh"]:
            self.say("settle", what=settle)

    def _days(self, facts: Sequence[Item]) -> str:
        days = sorted({fact["said_on"] for fact in facts})
        return self._from_to(days[0], days[-1])

    async def _statement(self, intent: Intent) -> None:
        asks_to_remember = self.said.lower().startswith(
            ("remember", "please remember", "记住", "请记住", "记一下")
        )
        self.say("nothing_to_store" if asks_to_remember else "no_model_mind")

    async def _greeting(self, intent: Intent) -> None:
        names = [fact for fact in await self.ask("memory_list") if fact["key"] == "user::name"]
        comma = "，" if self.language == "zh" else ", "
        self.say("greeting", name=f"{comma}{names[0]['value']}" if names else "")
        self.out.rests_on(names[:1], "greeted by name")

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
            and tells_of(item["text"], question)
        ]
        best = max((shared_words(item["text"], question) for item in found), default=0)
        return [item for item in found if 2 * shared_words(item["text"], question) >= max(best, 1)]

    async def _messages_about(self, topic: str, *facts: Item) -> list[Item]:
        """All messages, the assistant's too, that hold the topic, or the value of one of the facts, or from
        which one was learned."""
        sources = {fact["source_message_id"] for fact in facts}
        values = [fact["value"] for fact in facts if _is_telling(fact["value"])]
        wanted = [normalize(words) for words in (topic, *values) if words]
        found = {
            item["id"]: item
            for query in (topic, *values, *(fact["quote"] or "" for fact in facts))
            for item in (await self.ask("memory_search", query=query, limit=_FOUND) if query else ())
            if item["kind"] == "messages"
        }
        return [
            item
            for item in found.values()
            if item["id"] in sources
            or any(words in normalize(item["text"]) for words in wanted)
            or same_subject(topic, item["text"], whole=True)
        ]


def _is_telling(value: str) -> bool:
    """Whether a message that holds this value is about it: an age such as “6” stands in too many."""
    return len(value) > 2 if value.isascii() else len(terms(value)) > 1
