"""What travels: the kinds of rows, which columns never change once a row is made, and which do, in groups.

A group is what is merged as one: of two changes to a group that did not know of each other the one with the
higher stamp stays. Where the loser is something a person said or chose (`shown`), it is kept for review; the
rest (which branch is on screen, how often a tool was tried) is settled silently.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

__all__ = ["BLANKS", "CONFLICTS", "FORGETTABLE", "KINDS", "OWNERS", "REJECTED", "Group", "Kind", "type_of"]

CONFLICTS = "conflicts"  # the server makes these rows: {kind, id, group, stamp, set} of a change that lost
# Forgotten parts of a session that stays, and the column they lie in.
BLANKS = {"session_titles": "title", "session_metadata": "metadata_json"}
# A fact that goes because the user said no to it, by its id alone; and whether nothing of its kind is wanted
# again. A device that has the fact leaves its own fingerprint first, so no key and no fingerprint travels.
REJECTED = {"rejected_facts": False, "rejected_kinds": True}
# Columns that name a row this one goes with.
OWNERS = ("session_id", "message_id", "memory_id")


@dataclass(frozen=True)
class Group:
    columns: tuple[str, ...]
    shown: tuple[str, ...] = ()  # columns whose loss is put to the user


@dataclass(frozen=True)
class Kind:
    """A table. `id` is the column that names a row on the wire."""

    identity: tuple[str, ...]
    groups: dict[str, Group] = field(default_factory=dict)
    id: str = "id"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return (*self.identity, *(name for group in self.groups.values() for name in group.columns))

    @cached_property
    def types(self) -> dict[str, type]:
        return {column: type_of(column) for column in self.columns}


# In an order in which rows refer to earlier kinds only.
KINDS: dict[str, Kind] = {
    # Each device registers the built-in ones, so their name is the prefix.
    "namespaces": Kind((), {"state": Group(("single_valued", "ttl_ms"))}, id="prefix"),
    "sessions": Kind(
        ("created_at",),
        {
            "meta": Group(("title", "metadata_json"), ("title",)),
            "activity": Group(("status", "last_active_at", "ended_at", "current_message_id")),
        },
    ),
    "messages": Kind(
        (
            "created_at",
            "session_id",
            "role",
            "speaker",
            "tool_call_id",
            "metadata_json",
            "import_source",
            "import_id",
            "import_json",
        ),
        {
            "state": Group(("status", "parent_id", "has_secret")),
            "tags": Group(("intent", "feedback"), ("feedback",)),
        },
    ),
    "message_versions": Kind(("created_at", "message_id", "author", "content")),
    "tool_calls": Kind(
        ("created_at", "session_id", "message_id", "tool_name", "input_json"),
        {
            "state": Group(
                ("status", "output_json", "started_at", "completed_at", "error_message", "validation_json"),
                ("status", "output_json"),
            )
        },
    ),
    "facts": Kind(
        ("created_at", "agent_id", "key", "spoken_words", "zone", "visibility", "imported_from"),
        {
            "state": Group(
                (
                    "value",
                    "category",
                    "source_message_id",
                    "source_version_id",
                    "quote",
                    "confidence",
                    "status",
                    "superseded_by",
                    "superseded_at",
                    "valid_from",
                    "valid_to",
                    "expires_at",
                ),
                ("value", "status"),
            ),
            "flags": Group(("pinned", "needs_review"), ("pinned",)),
        },
    ),
    "uses": Kind(("created_at", "message_id", "memory_kind", "memory_id", "rank", "reason_json")),
    "identities": Kind(("created_at", "phone", "email")),
    "experiences": Kind(
        ("created_at", "topic", "content"),
        {"state": Group(("status", "success_count", "failure_count"))},
    ),
}

# What can be named in a forget besides the kinds themselves.
FORGETTABLE = frozenset((*KINDS, *BLANKS, *REJECTED, CONFLICTS))

_INTEGERS = frozenset(
    {"created_at", "last_active_at", "ended_at", "started_at", "completed_at", "superseded_at", "valid_from"}
    | {
        "valid_to",
        "expires_at",
        "single_valued",
        "ttl_ms",
        "has_secret",
        "feedback",
        "pinned",
        "needs_review",
    }
    | {"rank", "success_count", "failure_count"}
)


def type_of(column: str) -> type:
    """int, float or str: what a known column holds where it is not None."""
    return int if column in _INTEGERS else float if column == "confidence" else str
