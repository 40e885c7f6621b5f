"""Registered fact keys: which prefixes exist, whether they hold one value, how long their facts live."""

from __future__ import annotations

from py_memory.database import Database, Row
from py_memory.errors import UnregisteredKeyError
from py_memory.ids import uuid7
from py_memory.records import Namespace

__all__ = [
    "BUILT_IN",
    "ensure_namespace",
    "is_in_use",
    "list_namespaces",
    "namespace_of",
    "register_built_in",
    "upsert_namespace",
]

ADDRESS_TTL_MS = 90 * 86_400_000

# (prefix, holds one value, lifetime in ms)
BUILT_IN: tuple[tuple[str, bool, int | None], ...] = (
    ("user::", True, None),
    ("user::likes", False, None),
    ("user::dislikes", False, None),
    ("user::allergy", False, None),
    ("user::note", False, None),
    ("user::decision", False, None),
    ("user::event", False, None),
    ("user::address", True, ADDRESS_TTL_MS),
    ("order::", True, None),
    ("product::", True, None),
    ("task::", True, None),
)
# What somebody may have several of: daughters, friends, dogs, languages. There are too many such keys to
# register each beforehand, so each is when it is first used.
_SEVERAL = frozenset({"speaks", "condition"})
_SEVERAL_RELATIVES = (
    *("daughter", "son", "child", "stepdaughter", "stepson", "goddaughter", "godson", "granddaughter"),
    *("grandson", "grandchild", "sister", "brother", "aunt", "uncle", "cousin", "niece", "nephew"),
    *("daughter-in-law", "son-in-law", "sister-in-law", "brother-in-law"),
)
_SEVERAL_OF_EACH = frozenset({"likes", "dislikes", "allergy", "condition"})


def _record(row: Row) -> Namespace:
    return Namespace(row["prefix"], bool(row["single_valued"]), row["ttl_ms"])


def upsert_namespace(
    db: Database, user_id: str, prefix: str, *, single_valued: bool, ttl_ms: int | None, now: int
) -> None:
    db.execute(
        "INSERT INTO namespaces (id, user_id, created_at, prefix, single_valued, ttl_ms) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, prefix) DO UPDATE "
        "SET single_valued = excluded.single_valued, ttl_ms = excluded.ttl_ms",
        (uuid7(now), user_id, now, prefix, single_valued, ttl_ms),
    )


def register_built_in(db: Database, user_id: str, now: int) -> None:
    for prefix, single_valued, ttl_ms in BUILT_IN:
        upsert_namespace(db, user_id, prefix, single_valued=single_valued, ttl_ms=ttl_ms, now=now)


def list_namespaces(db: Database, user_id: str) -> list[Namespace]:
    rows = db.query(
        "SELECT prefix, single_valued, ttl_ms FROM namespaces WHERE user_id = ? ORDER BY prefix", (user_id,)
    )
    return [_record(row) for row in rows]


def is_in_use(db: Database, user_id: str, prefix: str) -> bool:
    """Whether there are facts under a prefix, of any status."""
    found = db.one(
        "SELECT 1 FROM facts WHERE user_id = ? AND substr(key, 1, length(?)) = ? LIMIT 1",
        (user_id, prefix, prefix),
    )
    return found is not None


def namespace_of(db: Database, user_id: str, key: str) -> Namespace:
    """The longest registered prefix of the key. Raises UnregisteredKeyError."""
    row = db.one(
        "SELECT prefix, single_valued, ttl_ms FROM namespaces WHERE user_id = ? "
        "AND (? = prefix OR prefix GLOB '*::' AND ? GLOB prefix || '?*') "
        "ORDER BY length(prefix) DESC LIMIT 1",
        (user_id, key, key),
    )
    if row is None:
        raise UnregisteredKeyError(key)
    return _record(row)


def ensure_namespace(db: Database, user_id: str, key: str, now: int) -> Namespace:
    """namespace_of() a fact that is stated, proposed or confirmed. A key that may hold several values, and
    that nobody has registered otherwise, is registered. Raises UnregisteredKeyError."""
    found = namespace_of(db, user_id, key)
    if found.prefix == "user::" and _holds_several(key):
        upsert_namespace(db, user_id, key, single_valued=False, ttl_ms=None, now=now)
        return Namespace(key, False, None)
    return found


def _holds_several(key: str) -> bool:
    match key.split("::"):
        case ["user", what]:
            return what in _SEVERAL
        case ["user", "pet" | "relation", _]:
            return True
        case ["user", "family", who]:  # "younger-sister" is one of the sisters
            return any(who == one or who.endswith(f"-{one}") for one in _SEVERAL_RELATIVES)
        case ["user", "family" | "pet", _, what]:
            return what in _SEVERAL_OF_EACH
    return False
