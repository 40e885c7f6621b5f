"""The trace: a chain of events that shows whether somebody changed it, and why an answer says what it says.

The chain finds accidents and careless edits; whoever holds the file can forge it whole. It stays bounded:
events of past months are folded into checkpoints that keep their number and the hash of the last of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from .clock import DAY_MS
from .database import Database
from .errors import NotFoundError
from .extraction.secrets import without_secrets
from .facts import Facts
from .records import ChainReport, Explanation, Reason, Use
from .rows import events, images
from .rows import messages as message_rows
from .rows import uses as use_rows
from .rows.events import START, Event, chained, sealed

__all__ = ["checkpoint", "explain", "reason_of", "verify"]

KEPT_DAYS = 31  # every event of the last month, at least, is there in full
FOLDED_AT_ONCE = 2_000
_LAST_TIME = 253_402_300_799_000  # ms; the end of the year 9999, the last one that Python's calendar has


# -- the chain --


def verify(db: Database) -> ChainReport:
    """Walks the whole chain and says what is wrong with the first event that does not fit."""
    return _walk(db)[0]


def _walk(db: Database, end: int | None = None) -> tuple[ChainReport, Event | None, str]:
    """The report, the last event that fits, and the seal of the last checkpoint; up to number `end`."""
    previous, seal, last, count, folded = START, START, None, 0, 0
    for event in events.read_events(db):
        if end is not None and event.seq > end:
            break
        if event.is_checkpoint and count == 0 and sealed(seal, event) == event.fields[-1]:
            seal, folded = str(event.fields[-1]), folded + int(str(event.fields[6]))
        elif not event.is_checkpoint and chained(previous, event) == event.chain_hash:
            # A gap shows that an event between was removed and the chain joined again.
            if event.seq != (last.seq if last else 0) + 1:
                return _bad("removed", event, count, folded), last, seal
            count += 1
        else:
            return _bad(_diagnosis(db, last, event), event, count, folded), last, seal
        previous, last = event.chain_hash, event
    at = last.seq if last else 0
    if end is None and events.last_salted(db) > at:
        report = ChainReport(False, count, at + 1, "removed", None, folded)
    else:
        report = ChainReport(True, count, folded=folded)
    return report, last, seal


def _bad(problem: str, event: Event, count: int, folded: int) -> ChainReport:
    return ChainReport(False, count, event.seq, problem, event.id, folded)


def _diagnosis(db: Database, last: Event | None, bad: Event) -> str:
    """What seems to have happened to an event that does not fit after `last`."""
    if bad.is_checkpoint:
        return "changed"
    previous = last.chain_hash if last else START
    later = [event for event in events.read_events(db, bad.seq) if not event.is_checkpoint]
    if any(chained(previous, event) == event.chain_hash for event in later):
        # Another event belongs here. Does this one belong somewhere else?
        hashes = [event.chain_hash for event in later]
        return "reordered" if any(chained(h, bad) == bad.chain_hash for h in hashes) else "inserted"
    if bad.seq != (last.seq if last else 0) + 1:
        return "removed"
    if not later and not events.has_salt(db, bad.seq):
        return "inserted"
    return "changed"


def checkpoint(db: Database, device: str, now: int) -> int:
    """Folds up to 2,000 events of the oldest month that is over for 31 days into its checkpoint; a chain that
    does not verify is left as it is. Expects a transaction of the caller. Returns how many were folded."""
    oldest = events.oldest_time(db)
    before = _month_of(now - KEPT_DAYS * DAY_MS)[1]
    if oldest is None or oldest >= before:
        return 0
    seals: list[Event] = []
    month: list[Event] = []
    for event in events.read_events(db):
        if event.is_checkpoint:
            seals.append(event)
        elif (
            event.time < before
            and len(month) < FOLDED_AT_ONCE
            and (not month or _same_month(month[0], event))
        ):
            month.append(event)
        else:
            break
    report, _, _ = _walk(db, month[-1].seq)
    if not report.ok:
        return 0
    count = len(month)
    if seals and _same_month(seals[-1], month[0]):  # the rest of a month that was folded in part
        former = seals.pop()
        events.remove_checkpoint(db, former.seq)
        count += int(str(former.fields[6]))
    events.fold(db, month[-1], count, device, str(seals[-1].fields[-1]) if seals else START)
    return len(month)


def _month_of(time: int) -> tuple[str, int]:
    """The month of a time (UTC) and its first millisecond."""
    day = datetime.fromtimestamp(min(max(time, 0), _LAST_TIME) / 1000, UTC)
    first = day.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return f"{day.year:04}-{day.month:02}", int(first.timestamp() * 1000)


def _same_month(one: Event, other: Event) -> bool:
    return _month_of(one.time)[0] == _month_of(other.time)[0]


# -- why an answer says what it says --


def explain(db: Database, user_id: str, facts: Facts, message_id: str) -> Explanation:
    """The memories an answer rested on, each as it is now; of what the agent may not see no more than that
    there was something. Raises NotFoundError."""
    message = message_rows.get_message(db, user_id, message_id)
    reasons = [reason_of(db, user_id, facts, use) for use in use_rows.list_uses(db, user_id, message_id)]
    model = (message_rows.prompt_of(db, user_id, message_id) or {}).get("model")
    return Explanation(
        message_id, message.created_at, tuple(reasons), model if isinstance(model, str) else None
    )


def reason_of(db: Database, user_id: str, facts: Facts, use: Use) -> Reason:
    """A memory that an answer rested on, as it is now."""
    known: dict[str, Any] = {"status": "forgotten"}
    if use.memory_kind == "facts":
        known = _fact(db, user_id, facts, use.memory_id) or known
    elif use.memory_kind == "messages":
        if message := message_rows.find_message(db, user_id, use.memory_id):
            known = {
                "status": "there",
                "text": message.content,
                "said_at": message.created_at,
                "source_id": message.id,
                "role": message.role,
            }
    else:
        row = images.read_row(db, use.memory_kind, (use.memory_id,))
        if row and row["user_id"] == user_id:
            known = {"status": "there", "text": _text_of(row), "said_at": row["created_at"]}
    rested = use.reason.get("why") not in use_rows.NOT_RESTED_ON
    return Reason(use.memory_kind, use.memory_id, use.rank, dict(use.reason), rested=rested, **known)


def _fact(db: Database, user_id: str, facts: Facts, id: str) -> dict[str, Any] | None:
    try:
        fact = facts.get(id)
    except NotFoundError:
        return None
    source = (
        message_rows.find_message(db, user_id, fact.source_message_id) if fact.source_message_id else None
    )
    return {
        "status": fact.status,
        "text": f"{fact.key}: {fact.value}",
        "said_at": source.created_at if source else fact.created_at,
        "quote": fact.quote,
        "source_id": source.id if source else None,
        "key": fact.key,
        "value": fact.value,
        "since": fact.created_at if fact.valid_from is None else fact.valid_from,
        "confidence": fact.confidence,
    }


def _text_of(row: Mapping[str, Any]) -> str:
    """Of a summary, an experience or a tool call."""
    if "tool_name" in row:
        told = f"{row['tool_name']} {row['input_json']} → {row['output_json'] or row['status']}"
        return str(without_secrets(told))
    return str(row["content"])
