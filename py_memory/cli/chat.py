"""`py-memory chat`: the agent of the page, in a terminal."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from py_memory.agent import ChatAgent
from py_memory.models.offline import OfflineAssistant
from py_memory.models.phrases import key_in_words
from py_memory.records import Fact, Message
from py_memory.store import MemoryStore

from .terminal import Stop, chosen_model, say, stopping, write
from .words import language

__all__ = ["chat"]


class _Screen:
    """Shows an answer as it arrives."""

    def __init__(self) -> None:
        self._shown = ""

    def hear(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "delta":
            self._shown += event["text"]
            write(event["text"])
        elif event["type"] == "retry":
            say("again", reason=event["error"], seconds=-(-int(event["wait_ms"]) // 1000))

    def end(self, answer: Message) -> None:
        """What was said besides the model's own words, such as why it failed."""
        rest = answer.content.removeprefix(self._shown)
        if rest == answer.content and self._shown:
            rest = f"\n{rest}"
        write(f"{rest}\n")


def chat(options: argparse.Namespace, path: Path) -> int:
    """Talks until the input ends. Raises what ends it before: a server that cannot be used, a memory that
    cannot be opened."""
    model = chosen_model(options) or OfflineAssistant()
    store = MemoryStore(path)
    try:
        agent = ChatAgent(store, model)
        session = store.get_or_create_session().id
        told: set[str] = set()
        while True:
            try:
                said = input("> ")
            except (EOFError, KeyboardInterrupt):
                print()
                say("goodbye")
                return 0
            if said.strip() in ("/keep", "/drop"):
                _settle(store, session, keep=said.strip() == "/keep")
            elif said.strip():
                _round(agent, session, said)
                new = [fact for fact in _noticed(store, session) if fact.id not in told]
                told.update(fact.id for fact in new)
                if new:
                    say("noticed", facts=_listed(new))
    finally:
        store.close()


def _round(agent: ChatAgent, session: str, said: str) -> None:
    screen, stop = _Screen(), Stop()
    with stopping(stop):
        answer = asyncio.run(agent.chat_round(session, said, on_event=screen.hear, cancel=stop))
    screen.end(answer)


def _noticed(store: MemoryStore, session: str) -> list[Fact]:
    """What was noticed in this chat and waits for a yes."""
    return store.list_facts(status="candidate", session_id=session)


def _settle(store: MemoryStore, session: str, *, keep: bool) -> None:
    noticed = _noticed(store, session)
    for fact in noticed:
        if keep:
            store.confirm_fact(fact.id)
        else:
            store.reject_fact(fact.id)
    if noticed:
        say("kept" if keep else "dropped", facts=_listed(noticed))
    else:
        say("nothing_noticed")


def _listed(facts: list[Fact]) -> str:
    return ", ".join(f"{key_in_words(fact.key, language())}: {fact.value}" for fact in facts)
