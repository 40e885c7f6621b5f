"""What was sent to the model for an answer, and why each memory was in it.

Kept are the names of the parts (in the answer's row, and the memories as its uses), never a copy of their
text: the prompt is put together again from what is there. So what has been forgotten is gone from it too, and
what was edited since reads as it did then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .database import Database
from .errors import InvalidInputError, PyMemoryError
from .facts import Facts
from .prompts import Parts, render, sections
from .records import Experience, Fact, Message, Overview, Prompt, Reason, Recollection, Summary
from .rows import experiences as experience_rows
from .rows import images, snapshots
from .rows import messages as message_rows
from .rows import summaries as summary_rows
from .rows import uses as use_rows
from .trace import reason_of

__all__ = ["inspect_prompt"]

_WHY = {
    "pinned": ("You have pinned it.", "你把它置顶了。"),
    "used": ("A confirmed fact that answers have rested on before.", "已确认的事实，以前的回答用到过。"),
    "known": ("A confirmed fact about you.", "关于你的已确认的事实。"),
    "earlier": ("It sums up what was said earlier in this conversation.", "概括了这次对话早些时候的内容。"),
    "elsewhere": ("It sums up an earlier conversation.", "概括了之前的一次对话。"),
    "recalled": ("It fits the words of your message: {terms}.", "与你消息中的词相符：{terms}。"),
    "found": ("The model searched for it: {terms}.", "模型搜索到的：{terms}。"),
    "its result was read": ("A tool that the model called returned it.", "模型调用的工具返回了它。"),
    "in the prompt": ("It bears on the message.", "与这条消息有关。"),
}


def inspect_prompt(db: Database, user_id: str, facts: Facts, answer: Message, incognito: bool) -> Prompt:
    """Raises InvalidInputError for a message that is no answer."""
    if answer.role != "assistant":
        raise InvalidInputError("Only an answer has a prompt. Name a message of the assistant.")
    record = message_rows.prompt_of(db, user_id, answer.id)
    uses = use_rows.list_uses(db, user_id, answer.id)
    language = "zh" if record and record.get("language") == "zh" else "en"
    reasons = tuple(reason_of(db, user_id, facts, use) for use in uses)
    words = tuple(_in_words(reason, language) for reason in reasons)
    if record is None:
        return Prompt(answer.id, language, None, (), reasons, words)
    gone: list[str] = []
    try:
        parts = _parts(db, user_id, facts, answer, record, reasons, gone, incognito)
        messages, shown = tuple(render(parts)), tuple(sections(parts))
    except (PyMemoryError, KeyError, TypeError, ValueError, AttributeError):  # of a file that nobody trusts
        return Prompt(answer.id, language, None, (), reasons, words)
    return Prompt(
        answer.id,
        language,
        record["model"] if isinstance(record.get("model"), str) else None,
        messages,
        reasons,
        words,
        tokens=_number(record.get("tokens")),
        counted=bool(record.get("counted")),
        limit=_number(record.get("limit")),
        left_out=_numbers(record.get("left_out")),
        gone=len(gone),
        exact=not gone and not record.get("resumed"),
        usage=_numbers(record.get("usage")) or None,
        parts=shown,
        tools=_names(record.get("tools")),
        tool_tokens=_number(record.get("tool_tokens")),
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _numbers(value: Any) -> dict[str, int]:
    given = value if isinstance(value, dict) else {}
    return {name: count for name, count in given.items() if isinstance(count, int)}


def _names(value: Any) -> tuple[str, ...]:
    given = value if isinstance(value, list) else []
    return tuple(name for name in given if isinstance(name, str))


def _in_words(reason: Reason, language: str) -> str:
    why = reason.why.get("because") or reason.why.get("why")
    words = _WHY.get(str(why))
    if words is None:
        return str(why)
    terms = reason.why.get("terms") or (reason.why.get("reason") or {}).get("terms") or []
    return words[language == "zh"].format(terms=", ".join(map(str, terms)) or "…")


def _parts(
    db: Database,
    user_id: str,
    facts: Facts,
    answer: Message,
    record: Mapping[str, Any],
    reasons: tuple[Reason, ...],
    gone: list[str],
    incognito: bool,
) -> Parts:
    """The parts that are still there; what is not goes into `gone`."""
    wanted = record.get("memories", {})

    def message(id: str) -> Message | None:
        found = message_rows.find_message(db, user_id, id)
        return _as_sent(db, user_id, found, record) if found else None

    def there(kind: str, why: str = "in the prompt") -> list[Reason]:
        """Uses go with what they name, so that their number tells how many are gone."""
        found = [
            reason
            for reason in reasons
            if reason.why.get("why") == why and kind in (reason.kind, why) and reason.status != "forgotten"
        ]
        gone.extend([kind] * (wanted.get(kind, 0) - len(found)))
        return found

    known: list[Fact] = [facts.get(reason.id) for reason in there("facts")]
    summaries: list[Summary] = summary_rows.read_summaries(
        db, user_id, [reason.id for reason in there("summaries")]
    )
    experiences: list[Experience] = [
        experience_rows.get_experience(db, user_id, reason.id) for reason in there("experiences")
    ]
    recalled = [_recollected(db, facts, reason, message) for reason in there("recalled", "recalled")]
    history = []
    for id in record["history"]:
        if found := message(id):
            history.append(found)
        else:
            gone.append(id)
    own = message(record["own"]) if record.get("own") else None
    state = None
    if named := record.get("snapshot"):
        saved = [s for s in snapshots.list_snapshots(db, user_id, answer.session_id) if s.id == named]
        state = saved[0].state if saved else None
        gone.extend([] if saved else [named])
    return Parts(
        record["language"],
        Overview(answer.session_id, state, tuple(summaries), tuple(known)),
        tuple(history),
        record["memory_chars"],
        record["message_chars"],
        own=own,
        recalled=tuple(recalled),
        experiences=tuple(experiences),
        incognito=incognito,
    )


def _as_sent(db: Database, user_id: str, message: Message, record: Mapping[str, Any]) -> Message:
    """With the text it had then: the version that is named, else the first."""
    if not message.edited:
        return message
    versions = message_rows.list_versions(db, user_id, message.id)
    named = record.get("edited", {}).get(message.id)
    text = next((v.content for v in versions if v.id == named), versions[0].content)
    return Message(**{**message.to_dict(), "content": text})


def _recollected(db: Database, facts: Facts, reason: Reason, message: Any) -> Recollection:
    """What was recalled, as recall gave it."""
    text, created_at, speaker = reason.text, reason.said_at or 0, None
    if reason.kind == "facts":
        created_at = facts.get(reason.id).created_at
    elif reason.kind == "messages" and (found := message(reason.id)):
        text, speaker = found.content, found.speaker
    elif reason.kind == "tool_calls" and (row := images.read_row(db, "tool_calls", (reason.id,))):
        text = f"{row['tool_name']}: {str(row['output_json'])[:2000]}"
    source = {"speaker": speaker}
    return Recollection(
        reason.kind, reason.id, text, 0.0, created_at, role=reason.role, reason=reason.why, source=source
    )
