"""What the commands that talk with a model share: the model chosen, Ctrl-C, and writing safely."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

from py_memory.errors import InvalidInputError
from py_memory.models.openai import OpenAIModel

from .words import WORDS, language

__all__ = ["Stop", "chosen_model", "complain", "say", "stopping", "take_any_output", "write", "write_json"]

# What a terminal would take as a command to itself, wherever a text comes from.
_CONTROLS = dict.fromkeys((*range(0x20), 0x7F, *range(0x80, 0xA0)), "\ufffd") | {9: "\t", 10: "\n"}


class Stop:
    """Set by Ctrl-C."""

    def __init__(self) -> None:
        self._set = False

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True

    async def wait(self) -> None:
        while not self._set:  # noqa: ASYNC110 -- a signal's handler wakes no event loop
            await asyncio.sleep(0.05)


def chosen_model(options: argparse.Namespace) -> OpenAIModel | None:
    """The model of --model, met; None without. Raises ModelError, InvalidInputError."""
    if not options.model:
        if options.name or options.key_env:
            raise InvalidInputError(WORDS[language()]["which_model"])
        return None
    key = os.environ.get(options.key_env) if options.key_env else None
    if options.key_env and not key:
        raise InvalidInputError(WORDS[language()]["no_key"].format(name=options.key_env))
    model = OpenAIModel(options.model, options.name, key=key)
    say("answers", model=asyncio.run(model.meet()))
    return model


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
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


def say(word: str, **values: object) -> None:
    write(WORDS[language()][word].format(**values) + "\n")


def write(text: str) -> None:
    sys.stdout.write(text.translate(_CONTROLS))
    sys.stdout.flush()


def write_json(value: object) -> None:
    """Exact, whatever the characters that the output can carry. An infinite number, which JSON has no word
    for, is a text."""
    unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    print(json.dumps(_finite(value), ensure_ascii=not unicode, allow_nan=False, indent=1))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    return value


def complain(text: str) -> None:
    print(text.translate(_CONTROLS), file=sys.stderr)


def take_any_output() -> None:
    """Characters that the terminal's encoding lacks are written as escapes instead of ending the program."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
