"""`py-memory chat`: the agent of the page, in a terminal."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py_memory.agent import ChatAgent
from py_memory.errors import InvalidInputError
from py_memory.models.offline import OfflineAssistant
from py_memory.models.openai import OpenAIModel
from py_memory.records import Fact, Message, Model
from py_memory.store import MemoryStore

from .words import WORDS, language

__all__ = ["chat"]

# What a terminal would take as a command to itself, wherever a text comes from.
_CONTROLS = dict.fromkeys((*range(0x20), 0x7F, *range(0x80, 0xA0)), "\ufffd") | {9: "\t", 10: "\n"}


class _Stop:
    """Set by Ctrl-C."""

    def __init__(self) -> None:
        self._set = False

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True


class _Screen:
    """Shows an answer as it arrives."""

    def __init__(self) -> None:
        self._shown = ""

    def hear(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "delta":
            self._shown += event["text"]
            _write(event["text"])
        elif event["type"] == "retry":
            _say("again", reason=event["error"], seconds=-(-int(event["wait_ms"]) // 1000))

    def end(self, answer: Message) -> None:
        """What was said besides the model's own words, such as why it failed."""
        rest = answer.content.removeprefix(self._shown)
        if rest == answer.content and self._shown:
            rest = f"\n{rest}"
        _write(f"{rest}\n")


def chat(options: argparse.Namespace, path: Path) -> int:
    """Talks until the input ends. Raises what ends it before: a server that cannot be used, a memory that
    cannot be opened."""
    model = _model(options)
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
                _say("goodbye")
                return 0
            if said.strip() in ("/keep", "/drop"):
                _settle(store, session, keep=said.strip() == "/keep")
            elif said.strip():
                _round(agent, session, said)
                new = [fact for fact in _noticed(store, session) if fact.id not in told]
                told.update(fact.id for fact in new)
                if new and options.model:  # the offline assistant asks by itself
                    _say("noticed", facts=_listed(new))
    finally:
        store.close()


def _model(options: argparse.Namespace) -> Model:
    if not options.model:
        if options.name or options.key_env:
            raise InvalidInputError(WORDS[language()]["which_model"])
        return OfflineAssistant()
    key = os.environ.get(options.key_env) if options.key_env else None
    if options.key_env and not key:
        raise InvalidInputError(WORDS[language()]["no_key"].format(name=options.key_env))
    model = OpenAIModel(options.model, options.name, key=key)
    _say("answers", model=asyncio.run(model.find_name()))
    return model


def _round(agent: ChatAgent, session: str, said: str) -> None:
    screen, stop = _Screen(), _Stop()
    with _stopping(stop):
        answer = asyncio.run(agent.chat_round(session, said, on_event=screen.hear, cancel=stop))
    screen.end(answer)


@contextmanager
def _stopping(stop: _Stop) -> Iterator[None]:
    """Ctrl-C stops the answer; a second one, where something does not stop, ends the program."""

    def pressed(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _noticed(store: MemoryStore, session: str) -> list[Fact]:
    """What was noticed in this chat and waits for a yes."""
    said = {message.id for message in store.list_messages(session)}
    return [fact for fact in store.list_facts(status="candidate") if fact.source_message_id in said]


def _settle(store: MemoryStore, session: str, *, keep: bool) -> None:
    noticed = _noticed(store, session)
    for fact in noticed:
        if keep:
            store.confirm_fact(fact.id)
        else:
            store.reject_fact(fact.id)
    if noticed:
        _say("kept" if keep else "dropped", facts=_listed(noticed))
    else:
        _say("nothing_noticed")


def _listed(facts: list[Fact]) -> str:
    return ", ".join(f"{fact.key} = {fact.value}" for fact in facts)


def _say(word: str, **values: object) -> None:
    _write(WORDS[language()][word].format(**values) + "\n")


def _write(text: str) -> None:
    sys.stdout.write(text.translate(_CONTROLS))
    sys.stdout.flush()
