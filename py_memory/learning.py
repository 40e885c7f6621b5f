"""What a round learns from the user's message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .extraction import propose
from .noticed import known_names
from .records import Message
from .store import MemoryStore

__all__ = ["learn"]

_DETAILS = ("category", "quote", "spoken_words", "zone", "valid_from")


def learn(store: MemoryStore, said: Message) -> None:
    """What was asked to be remembered is stored at once; what the rules infer waits for the user. Of an
    incognito chat nothing is."""
    if store.incognito:
        return
    zone = store.get_setting("zone")
    zone = zone if isinstance(zone, str) else None
    known = known_names(store)
    for proposal in propose(said.content, now=said.created_at, zone=zone, known=known):
        details = {name: proposal[name] for name in _DETAILS}
        details |= {"source_message_id": said.id, "source_version_id": said.version_id}
        if proposal["explicit"]:
            store.set_fact(proposal["key"], proposal["value"], **details)
        else:
            if proposal["key"].endswith("::age"):
                _withdraw(store, proposal)
            store.propose_fact(
                proposal["key"], proposal["value"], confidence=proposal["confidence"], **details
            )


def _withdraw(store: MemoryStore, proposal: Mapping[str, Any]) -> None:
    """An age that waits for a yes makes way for the one that is told now."""
    for waiting in store.list_facts(status="candidate", prefix=proposal["key"]):
        if waiting.key == proposal["key"] and waiting.value != proposal["value"]:
            store.reject_fact(waiting.id)
