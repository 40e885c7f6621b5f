"""What a round learns from the user's message."""

from __future__ import annotations

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
            store.propose_fact(
                proposal["key"],
                proposal["value"],
                confidence=proposal["confidence"],
                makes_way=proposal["key"].endswith("::age"),  # only the age told now can be right
                **details,
            )
