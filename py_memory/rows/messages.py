"""Messages and their versions. A message is an identity with a place in its session; its text is its newest
version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from py_memory.checks import json_text
from py_memory.database import Database, Row
from py_memory.errors import NotFoundError
from py_memory.records import Message, MessageVersion

__all__ = [
    "NEWEST_VERSION",
    "Place",
    "State",
    "branch",
    "branch_after",
    "branch_since",
    "branch_states",
    "branches",
    "children_of",
    "find_message",
    "get_message",
    "get_place",
    "ids_of_session",
    "insert_message",
    "insert_version",
    "list_messages",
    "list_versions",
    "newest_after",
    "parents_in_session",
    "prompt_of",
    "replies_to",
    "rewrite_version",
    "seq_of",
    "seqs_of_session",
    "set_prompt",
    "siblings",
    "state_of",
    "system_message",
    "taken_ids",
    "update_message",
]

_IDS_AT_ONCE = 500  # SQLite takes at least 999 parameters
_LONGEST_WALK = 100_000  # messages; parent links that go in a circle end here

NEWEST_VERSION = """v.seq = (
    SELECT w.seq FROM message_versions w WHERE w.message_id = m.id
    ORDER BY w.created_at DESC, w.id DESC LIMIT 1)
"""
# CROSS: the messages come first. SQLite 3.39 would else read the versions of the whole memory for a branch.
_SELECT = (
    """
SELECT m.id, m.user_id, m.created_at, m.session_id, m.parent_id, m.role, m.status, m.speaker, m.tool_call_id,
    m.intent, m.feedback, m.has_secret, m.metadata_json, v.content, v.id AS version_id,
    EXISTS (SELECT 1 FROM message_versions o WHERE o.message_id = m.id AND o.seq <> v.seq) AS edited
FROM {source} m
CROSS JOIN message_versions v ON """
    + NEWEST_VERSION
)


_PROMPT = "py_memory.prompt"  # in the metadata of an answer: what its prompt was made of, in ids and numbers


def _record(row: Row) -> Message:
    values = dict(row)
    values["metadata"] = json.loads(values.pop("metadata_json"))
    values["metadata"].pop(_PROMPT, None)
    for flag in ("edited", "has_secret"):
        values[flag] = bool(values[flag])
    return Message(**values)


def insert_message(
    db: Database,
    user_id: str,
    *,
    id: str,
    session_id: str,
    parent_id: str | None,
    role: str,
    status: str,
    speaker: str | None,
    tool_call_id: str | None,
    intent: str | None,
    has_secret: bool,
    metadata: Mapping[str, Any],
    now: int,
    import_source: str | None = None,
    import_id: str | None = None,
    import_json: str | None = None,
) -> int:
    """Returns the row's `seq`. `import_*` say which product the message came from, under which id, and what
    of it was not understood."""
    cursor = db.execute(
        "INSERT INTO messages (id, user_id, created_at, session_id, parent_id, role, status, speaker, "
        "tool_call_id, intent, has_secret, metadata_json, import_source, import_id, import_json) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            id,
            user_id,
            now,
            session_id,
            parent_id,
            role,
            status,
            speaker,
            tool_call_id,
            intent,
            has_secret,
            json_text(metadata, "The metadata"),
            import_source,
            import_id,
            import_json,
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def insert_version(
    db: Database, user_id: str, *, id: str, message_id: str, author: str, content: str, now: int
) -> None:
    db.execute(
        "INSERT INTO message_versions (id, user_id, created_at, message_id, author, content) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (id, user_id, now, message_id, author, content),
    )


def rewrite_version(db: Database, user_id: str, version_id: str, content: str) -> None:
    """Fills the version of a message that was still streaming; finished versions are never rewritten."""
    db.execute(
        "UPDATE message_versions SET content = ? WHERE id = ? AND user_id = ?", (content, version_id, user_id)
    )


def find_message(db: Database, user_id: str, id: str) -> Message | None:
    row = db.one(_SELECT.format(source="messages") + " WHERE m.id = ? AND m.user_id = ?", (id, user_id))
    return _record(row) if row else None


def get_message(db: Database, user_id: str, id: str) -> Message:
    message = find_message(db, user_id, id)
    if message is None:
        raise NotFoundError("message", id)
    return message


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands, also one whose text has still to arrive."""

    id: str
    session_id: str
    parent_id: str | None


def get_place(db: Database, user_id: str, id: str) -> Place:
    row = db.one("SELECT id, session_id, parent_id FROM messages WHERE id = ? AND user_id = ?", (id, user_id))
    if row is None:
        raise NotFoundError("message", id)
    return Place(**dict(row))


def seq_of(db: Database, user_id: str, id: str) -> int:
    row = db.one("SELECT seq FROM messages WHERE id = ? AND user_id = ?", (id, user_id))
    if row is None:
        raise NotFoundError("message", id)
    return int(row["seq"])


def seqs_of_session(db: Database, user_id: str, session_id: str) -> list[int]:
    rows = db.query("SELECT seq FROM messages WHERE session_id = ? AND user_id = ?", (session_id, user_id))
    return [row["seq"] for row in rows]


def taken_ids(db: Database, ids: Iterable[str]) -> set[str]:
    """Those of the ids that a message has, whoever owns it."""
    wanted = list(ids)
    out: set[str] = set()
    for begin in range(0, len(wanted), _IDS_AT_ONCE):
        some = wanted[begin : begin + _IDS_AT_ONCE]
        marks = ", ".join("?" for _ in some)
        out |= {row["id"] for row in db.query(f"SELECT id FROM messages WHERE id IN ({marks})", some)}
    return out


def ids_of_session(db: Database, user_id: str, session_id: str) -> list[str]:
    rows = db.query("SELECT id FROM messages WHERE session_id = ? AND user_id = ?", (session_id, user_id))
    return [row["id"] for row in rows]


def branch(db: Database, user_id: str, leaf_id: str | None, limit: int) -> list[Message]:
    """At most `limit` messages from `leaf_id` up its parent links, oldest first; the walk stops at the first
    gap."""
    source = """(
        WITH RECURSIVE up (depth, id) AS (
            SELECT 1, ? UNION ALL
            SELECT up.depth + 1, p.parent_id FROM up JOIN messages p ON p.id = up.id
            WHERE up.depth < ? AND p.parent_id IS NOT NULL)
        SELECT up.depth, x.* FROM up JOIN messages x ON x.id = up.id)"""
    rows = db.query(
        _SELECT.format(source=source) + " WHERE m.user_id = ? ORDER BY m.depth DESC",
        (leaf_id, limit, user_id),
    )
    return [_record(row) for row in rows]


def branch_since(
    db: Database, user_id: str, leaf_id: str | None, stops: Iterable[str], limit: int
) -> tuple[list[Message], bool]:
    """The walk of branch() that ends before a message of `stops`: its oldest `limit` messages, oldest first,
    and whether newer ones follow."""
    ends = set(stops)
    ids: dict[str, None] = {}  # newest first
    at, reach = leaf_id, limit + 1  # steps of the walk: nearly always the first is enough
    while at is not None and at not in ids:
        rows = db.query(
            """
            WITH RECURSIVE up (depth, id) AS (
                SELECT 1, ? UNION ALL
                SELECT up.depth + 1, p.parent_id FROM up JOIN messages p ON p.id = up.id
                WHERE up.depth < ? AND p.parent_id IS NOT NULL)
            SELECT id FROM up ORDER BY depth""",
            (at, reach),
        )
        # Compared here: SQLite would go through `stops` anew at each step of the walk.
        length = next((place for place, row in enumerate(rows) if row["id"] in ends), len(rows))
        at = rows[-1]["id"] if length == reach else None
        ids |= dict.fromkeys(row["id"] for row in rows[: length if at is None else -1])
        reach *= 2
    walked = list(ids)
    if not walked:
        return [], False
    begin = walked[max(0, len(walked) - limit)]
    return branch(db, user_id, begin, min(len(walked), limit)), len(walked) > limit


def branch_after(db: Database, user_id: str, leaf_id: str, id: str, limit: int) -> list[Message]:
    """At most `limit` messages that come next after a message on the way to `leaf_id`, oldest first; [] where
    it is not on that way."""
    rows = db.query(
        """
        WITH RECURSIVE up (depth, id) AS (
            SELECT 1, ? UNION ALL
            SELECT up.depth + 1, p.parent_id FROM up JOIN messages p ON p.id = up.id
            WHERE up.id <> ? AND up.depth < ? AND p.parent_id IS NOT NULL)
        SELECT id FROM up ORDER BY depth DESC LIMIT ?""",
        (leaf_id, id, _LONGEST_WALK, limit + 1),
    )
    if rows[0]["id"] != id or len(rows) == 1:
        return []
    return branch(db, user_id, rows[-1]["id"], len(rows) - 1)


State = tuple[str, str, str, str | None, str | None, int, bool]


def branch_states(db: Database, user_id: str, leaf_id: str | None, limit: int) -> dict[str, State]:
    """Like branch(), without reading a text: id → its role, and what else must be the same for a
    message read before to be still what is there."""
    rows = db.query(
        """
        WITH RECURSIVE up (depth, id) AS (
            SELECT 1, ? UNION ALL
            SELECT up.depth + 1, p.parent_id FROM up JOIN messages p ON p.id = up.id
            WHERE up.depth < ? AND p.parent_id IS NOT NULL)
        SELECT m.id, m.role, m.status, m.parent_id, m.intent, m.feedback, m.has_secret,
            (SELECT w.id FROM message_versions w WHERE w.message_id = m.id
            ORDER BY w.created_at DESC, w.id DESC LIMIT 1) AS version_id
        FROM up JOIN messages m ON m.id = up.id WHERE m.user_id = ? ORDER BY up.depth DESC""",
        (leaf_id, limit, user_id),
    )
    return {
        row["id"]: (
            row["role"],
            row["version_id"],
            row["status"],
            row["parent_id"],
            row["intent"],
            row["feedback"],
            bool(row["has_secret"]),
        )
        for row in rows
    }


def state_of(message: Message) -> State:
    return (
        message.role,
        message.version_id,
        message.status,
        message.parent_id,
        message.intent,
        message.feedback,
        message.has_secret,
    )


def system_message(db: Database, user_id: str, session_id: str) -> Message | None:
    """The session's own system message, of which there is at most one."""
    row = db.one(
        _SELECT.format(source="messages") + " WHERE m.session_id = ? AND m.role = 'system' AND m.user_id = ?",
        (session_id, user_id),
    )
    return _record(row) if row else None


def parents_in_session(db: Database, user_id: str, session_id: str) -> dict[str, str | None]:
    """Message → the one it follows, over the whole session."""
    rows = db.query(
        "SELECT id, parent_id FROM messages WHERE session_id = ? AND user_id = ?", (session_id, user_id)
    )
    return {row["id"]: row["parent_id"] for row in rows}


def branches(db: Database, user_id: str, session_id: str) -> list[list[str]]:
    """Messages that follow the same one and are of the same role, where there are several, oldest first."""
    rows = db.query(
        "SELECT id, parent_id, role FROM (SELECT id, parent_id, role, created_at, "
        "count(*) OVER (PARTITION BY parent_id, role) AS many FROM messages "
        "WHERE session_id = ? AND user_id = ? AND role <> 'system') WHERE many > 1 ORDER BY created_at, id",
        (session_id, user_id),
    )
    groups: dict[tuple[str | None, str], list[str]] = {}
    for row in rows:
        groups.setdefault((row["parent_id"], row["role"]), []).append(row["id"])
    return list(groups.values())


def siblings(db: Database, user_id: str, shown: Sequence[Message]) -> dict[str, list[str]]:
    """Of messages of one session, each that stands beside others: the ids of all of them, oldest first."""
    ids = {message.id for message in shown}
    parents = {message.parent_id for message in shown} - {None}
    rows = db.query(
        "SELECT m.id, m.parent_id, m.role, m.created_at FROM json_each(?) j "
        "CROSS JOIN messages m ON m.parent_id = j.value WHERE m.user_id = ? AND m.role <> 'system'",
        (json_text(sorted(str(parent) for parent in parents)), user_id),
    )
    if first := next((message for message in shown if message.parent_id is None), None):
        rows += db.query(
            "SELECT m.id, m.parent_id, m.role, m.created_at FROM messages m "
            "WHERE m.session_id = ? AND m.parent_id IS NULL AND m.user_id = ? AND m.role <> 'system'",
            (first.session_id, user_id),
        )
    groups: dict[tuple[str | None, str], list[str]] = {}
    for row in sorted(rows, key=lambda row: (row["created_at"], row["id"])):
        groups.setdefault((row["parent_id"], row["role"]), []).append(row["id"])
    return {id: group for group in groups.values() if len(group) > 1 for id in group if id in ids}


def newest_after(db: Database, user_id: str, message: Message) -> str:
    """The end of the branch that goes on from a message by the newest message each time."""
    rows = db.query(
        "SELECT id, parent_id FROM messages WHERE session_id = ? AND user_id = ? AND parent_id IS NOT NULL "
        "ORDER BY created_at, id",
        (message.session_id, user_id),
    )
    newest = {row["parent_id"]: row["id"] for row in rows}
    at = message.id
    seen = {at}
    while (after := newest.get(at)) is not None and after not in seen:
        seen.add(after)
        at = after
    return at


def replies_to(db: Database, user_id: str, message_id: str) -> list[Message]:
    """Oldest first."""
    rows = db.query(
        _SELECT.format(source="messages")
        + " WHERE m.parent_id = ? AND m.user_id = ? ORDER BY m.created_at, m.id",
        (message_id, user_id),
    )
    return [_record(row) for row in rows]


def set_prompt(db: Database, user_id: str, id: str, prompt: Mapping[str, Any]) -> None:
    """Notes what the prompt for an answer was made of."""
    db.execute(
        f"UPDATE messages SET metadata_json = json_set(metadata_json, '$.\"{_PROMPT}\"', json(?)) "
        "WHERE id = ? AND user_id = ?",
        (json_text(prompt, "The prompt"), id, user_id),
    )


def prompt_of(db: Database, user_id: str, id: str) -> Mapping[str, Any] | None:
    row = db.one(
        f"SELECT json_extract(metadata_json, '$.\"{_PROMPT}\"') AS prompt FROM messages "
        "WHERE id = ? AND user_id = ?",
        (id, user_id),
    )
    found = json.loads(row["prompt"]) if row and isinstance(row["prompt"], str) else None
    return found if isinstance(found, dict) else None


def list_messages(
    db: Database, user_id: str, session_id: str, *, before: int | None, limit: int
) -> list[Message]:
    """The newest messages of a session over all branches, oldest first; `before` takes those created
    earlier."""
    bound = " AND m.created_at < ?" if before is not None else ""
    parameters = (session_id, user_id, *([] if before is None else [before]), limit)
    rows = db.query(
        _SELECT.format(source="messages")
        + f" WHERE m.session_id = ? AND m.user_id = ?{bound} ORDER BY m.created_at DESC, m.id DESC LIMIT ?",
        parameters,
    )
    return [_record(row) for row in reversed(rows)]


def list_versions(db: Database, user_id: str, message_id: str) -> list[MessageVersion]:
    """Oldest first."""
    rows = db.query(
        "SELECT id, message_id, created_at, author, content FROM message_versions "
        "WHERE message_id = ? AND user_id = ? ORDER BY created_at, id",
        (message_id, user_id),
    )
    return [MessageVersion(**dict(row)) for row in rows]


def update_message(db: Database, user_id: str, id: str, **changes: Any) -> None:
    """Sets some of status, intent, feedback, has_secret, parent_id."""
    allowed = {"status", "intent", "feedback", "has_secret", "parent_id"}
    if not changes or not changes.keys() <= allowed:
        raise ValueError(f"cannot set {changes.keys() - allowed} of a message")
    sets = ", ".join(f"{column} = ?" for column in changes)
    db.execute(f"UPDATE messages SET {sets} WHERE id = ? AND user_id = ?", (*changes.values(), id, user_id))


def children_of(db: Database, user_id: str, session_id: str, ids: Iterable[str]) -> list[tuple[str, str]]:
    """(child id, parent id) of every message in the session whose parent is among `ids`."""
    wanted = set(ids)
    rows = db.query(
        "SELECT id, parent_id FROM messages WHERE session_id = ? AND user_id = ? AND parent_id IS NOT NULL",
        (session_id, user_id),
    )
    return [(row["id"], row["parent_id"]) for row in rows if row["parent_id"] in wanted]
