"""What a language model would have the memory forget: named, put into words for the user, asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .extraction.days import day_in
from .models.phrases import key_in_words, on_day
from .records import Fact, Message
from .store import MemoryStore
from .unfinished import ASK

__all__ = ["going_in_words", "named", "question_to_go"]

_LISTED = 10  # things that would go, told one by one


def named(store: MemoryStore, arguments: Mapping[str, Any]) -> tuple[list[Fact], list[Message]]:
    ids = set(arguments.get("fact_ids", ()))
    facts = [fact for fact in store.list_facts(status=None) if fact.id in ids] if ids else []
    found = (store.find_message(id) for id in dict.fromkeys(arguments.get("message_ids", ())))
    return facts, [message for message in found if message]


_GOES = {
    "en": {"head": "Forget for good:", "more": "… and {count} more", "self": "this question, too"},
    "zh": {"head": "彻底忘掉：", "more": "……另有 {count} 条", "self": "以及这条提问本身"},
}


def going_in_words(
    store: MemoryStore, facts: Sequence[Fact], messages: Sequence[Message], language: str
) -> str:
    """What would go, each on a line of its own. The question holds it all, so that it goes with it."""
    says, zone = _GOES[language], store.get_setting("zone")
    lines = [f"{key_in_words(fact.key, language)}: {fact.value}" for fact in facts]
    for message in messages:
        day = on_day(day_in(message.created_at, zone), language)
        said = " ".join(message.content.split())
        lines.append(f"{day}: “{said[:100]}{'…' if len(said) > 100 else ''}”")
    if more := len(lines) - _LISTED:
        lines = lines[:_LISTED] + ([says["more"].format(count=more)] if more > 0 else [])
    return "\n".join([says["head"], *(f"  - {line}" for line in (*lines, says["self"]))])


def question_to_go(store: MemoryStore, said: Message) -> list[str]:
    """The question that `said` says yes to, which holds what is forgotten; not where other calls were asked
    about in it, whose records would go as well."""
    question = store.find_message(said.parent_id) if said.parent_id else None
    if question is None or question.intent != ASK:
        return []
    calls = store.list_tool_calls(said.session_id, message_id=question.id)
    return [question.id] if all(call.tool_name == "memory_forget" for call in calls) else []
