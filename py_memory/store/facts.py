"""Facts: stored, proposed, confirmed, ended, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from py_memory import text, trace
from py_memory.checks import (
    MAX_TIME,
    check_choice,
    check_count,
    check_id,
    check_items,
    check_texts,
    check_time,
    json_text,
)
from py_memory.errors import InvalidInputError, NotFoundError, shown
from py_memory.records import Conflict, Fact, Namespace, Receipt
from py_memory.rows import events, messages, namespaces

from .base import StoreBase

__all__ = ["FactOperations"]

_MOST_KEYS = 400  # named in one query; SQLite takes no expression deeper than 1,000
FACT_STATUSES = frozenset({"candidate", "current", "superseded", "disputed", "expired", "archived"})


class FactOperations(StoreBase):
    """A part of MemoryStore."""

    def set_fact(self, key: str, value: str, *, confidence: float | None = None, **details: Any) -> Fact:
        """States a fact. Over a current single-valued key it is a correction (0.95, the old one 0.3 and
        superseded) unless `confidence` is given. `details`: source_message_id, source_version_id, quote,
        category, expires_at, …

        Raises UnregisteredKeyError, TooLargeError (value over 100 characters), InvalidInputError.
        """
        with self.database.transaction():
            fact = self._facts.set_fact(key, value, confidence=confidence, **self._sourced(details))
            self._event("stated", "facts", fact.id, f"{key}\x1f{fact.value}")
            return fact

    def propose_fact(
        self, key: str, value: str, *, confidence: float = 0.8, makes_way: bool = False, **details: Any
    ) -> Fact | None:
        """Puts an inferred fact before the user; None if it is known, was rejected, or is too uncertain
        (under 0.7). With `makes_way` it takes the place of what other messages proposed under the key and
        nobody answered yet, such as an older age; that may be proposed again."""
        with self.database.transaction():
            if makes_way:
                for gone in self._facts.make_way(key, value, details.get("source_message_id")):
                    self._event("withdrawn", "facts", gone)
                    events.drop_salts(self.database, gone)
            fact = self._facts.propose_fact(key, value, confidence=confidence, **self._sourced(details))
            if fact:
                self._event("proposed", "facts", fact.id, f"{key}\x1f{fact.value}")
            return fact

    def confirm_fact(self, id: str, *, value: str | None = None) -> Fact:
        """Accepts a proposed or disputed fact, with another value if given."""
        with self.database.transaction():
            fact = self._facts.confirm_fact(id, value=value)
            self._event("confirmed", "facts", id, f"{fact.key}\x1f{fact.value}")
            return fact

    def reject_fact(self, id: str, *, never_this_kind: bool = False) -> Receipt:
        """Deletes a proposed fact; it is not proposed again. Undoable for 10 s."""
        with self.database.transaction():
            operation = self._facts.reject_fact(id, never_this_kind=never_this_kind)
            self._event("rejected", "facts", id)
            events.drop_salts(self.database, id)
            return Receipt(operation.id, {"facts": 1}, operation.until)

    def is_refused(self, key: str, value: str) -> bool:
        """Whether this is not proposed any more, because the user rejected it, forgot it, or wants nothing
        proposed under the key. Stating it with set_fact() allows it again."""
        return self._facts.is_refused(*check_texts([key, value], "The key and the value of a fact"))

    def list_refused_kinds(self, keys: Sequence[str]) -> list[str]:
        """Those of the keys under which nothing is proposed any more (see reject_fact). They are kept as
        fingerprints only, so that it can be asked of keys that are known, and not which ones there are."""
        return self._facts.refused_kinds(check_texts(keys, "Keys"))

    def allow_kind(self, key: str) -> Receipt:
        """Facts under the key may be proposed again. Undoable for 10 s."""
        with self.database.transaction():
            operation, count = self._facts.allow_kind(check_texts([key], "The key of a fact")[0])
            self._event("allowed", "memory", operation.id)
            return Receipt(operation.id, {"rejections": count}, operation.until)

    def pin_fact(self, id: str, pinned: bool = True) -> Fact:
        with self.database.transaction():
            fact = self._facts.pin_fact(id, pinned)
            self._event("pinned" if pinned else "unpinned", "facts", id)
            return fact

    def end_fact(self, id: str) -> Fact:
        """What it says is over, such as a task done: archived, still readable."""
        with self.database.transaction():
            fact = self._facts.end_fact(id)
            self._event("ended", "facts", id)
            return fact

    def get_fact(self, key: str, *, as_of: int | None = None, known_at: int | None = None) -> Fact | None:
        """The current fact under a key. `as_of` (ms): what was true then; `known_at` (ms): what was believed
        then."""
        check_time(as_of, "as_of")
        check_time(known_at, "known_at")
        return self._facts.get_fact(key, as_of=as_of, known_at=known_at)

    def list_facts(
        self,
        *,
        status: str | None = "current",
        prefix: str | None = None,
        category: str | None = None,
        keys: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        source_message_id: str | None = None,
        source_message_ids: Sequence[str] | None = None,
        session_id: str | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        """Pinned, most used and newest first. `status` None takes all; `session_id`, what was said in it."""
        if limit is not None:
            check_count(limit, "The limit")
        if status is not None:
            check_choice(status, "The status of a fact", FACT_STATUSES)
        prefix = None if prefix is None else text.clean(prefix)[0]
        sources = source_message_ids if source_message_id is None else [source_message_id]
        return self._facts.list_facts(
            status=status,
            prefix=prefix,
            category=category,
            keys=None if keys is None else check_texts(keys, "Keys"),
            ids=None if ids is None else check_texts(ids, "Ids of facts"),
            source_message_ids=None if sources is None else check_texts(sources, "Ids of sources"),
            session_id=None if session_id is None else check_id(session_id, "session"),
            limit=limit,
        )

    def browse_facts(
        self,
        groups: Sequence[Sequence[str]] = (),
        *,
        words: str | None = None,
        keys: Sequence[str] = (),
        limit: int = 50,
        offset: int = 0,
    ) -> list[Fact]:
        """Current facts page by page, for reading: pinned ones first, then those of each group, each a list
        of keys and of prefixes that end in "::", then the rest; in a group as they were learned. `words`
        takes only those whose key or value holds them, and those under `keys`, which is what the words say
        in another language. At most 400 keys in all."""
        return self._browse(groups, words, keys, limit, offset)[0]

    def _browse(
        self,
        groups: Sequence[Sequence[str]],
        words: str | None,
        keys: Sequence[str],
        limit: int,
        offset: int,
    ) -> tuple[list[Fact], int]:
        check_count(limit, "The limit")
        check_count(offset, "The offset")
        named = [check_texts(group, "Keys of a group") for group in check_items(groups, "Groups of keys")]
        also = check_texts(keys, "Keys")
        if (count := len(also) + sum(map(len, named))) > _MOST_KEYS:
            raise InvalidInputError(f"At most {_MOST_KEYS} keys can be named at once, not {count}.")
        return self._facts.browse_facts(
            groups=named,
            words=None if words is None else "".join(check_texts(words, "The words")),
            keys=also,
            limit=limit,
            offset=offset,
        )

    def facts_for_prompt(self, limit: int = 12) -> list[Fact]:
        """What a model is told about the user: pinned and most used first, no to-dos, nothing that asks for
        review."""
        check_count(limit, "The limit")
        return self._facts.facts_for_prompt(limit)

    def fact_history(self, key: str) -> list[Fact]:
        """Everything ever held under a key, newest first."""
        return self._facts.fact_history(key)

    def register_namespace(
        self, prefix: str, *, single_valued: bool = True, ttl_ms: int | None = None
    ) -> Namespace:
        """Allows fact keys under `prefix` (`trip::`), or one whole key (`user::hobby`)."""
        if not isinstance(prefix, str) or not prefix or any(mark in prefix for mark in "*?["):
            raise InvalidInputError(f"{shown(prefix)} cannot be a prefix: it is empty or holds one of * ? [.")
        if not isinstance(single_valued, bool):
            raise InvalidInputError(
                f"Whether a key is single-valued is True or False, not {shown(single_valued)}."
            )
        if ttl_ms is not None:
            check_count(ttl_ms, "The lifetime in milliseconds", least=1, most=MAX_TIME)
        with self.database.transaction():
            namespaces.upsert_namespace(
                self.database,
                self.user_id,
                prefix,
                single_valued=single_valued,
                ttl_ms=ttl_ms,
                now=self.clock(),
            )
            self._event("registered", "namespaces", prefix, json_text([single_valued, ttl_ms]))
        return Namespace(prefix, single_valued, ttl_ms)

    def list_namespaces(self) -> list[Namespace]:
        return namespaces.list_namespaces(self.database, self.user_id)

    def _sourced(self, details: dict[str, Any]) -> dict[str, Any]:
        """A source message is taken in the version that is newest now."""
        source = details.get("source_message_id")
        if source and not details.get("source_version_id"):
            message = messages.find_message(self.database, self.user_id, source)
            if message is None:
                raise NotFoundError("message", source)
            details["source_version_id"] = message.version_id
        return details

    def renew_fact(self, id: str) -> Fact:
        """Makes an expired or archived fact current again. Undoable for 10 s."""
        with self.database.transaction():
            fact = self._facts.renew_fact(id)
            self._event("renewed", "facts", id)
            return fact

    def consolidate(self) -> dict[str, int]:
        """Tidies up without asking: what has expired is marked so, facts that say the same become one, of two
        that exclude each other the older is put to the user, what has long been unused rests, and every fact
        is weighed anew; events of past months are folded. Undoable but for weighing and folding. Returns
        counts by what was done."""
        with self.database.transaction():
            done = {
                "expired": self._health.fix("stale"),
                "merged": self._health.fix("duplicates"),
                "archived": self._health.fix("resting"),
                "reviewed": self._health.fix("unsupported"),
                "disputed": self._health.fix("contradictions"),
                "weighed": self._health.weigh(),
            }
            if any(done.values()):
                self._event("consolidated", "memory", self.user_id, json_text(done))
            while trace.checkpoint(self.database, self._device, self.clock()):
                pass
            return done

    def conflicts(self) -> list[Conflict]:
        """What is disputed, each with the current fact that it disagrees with. confirm_fact() says that both
        hold (under one key the disputed one then takes the other's place), reject_fact() that it does not."""
        return self._health.conflicts()
