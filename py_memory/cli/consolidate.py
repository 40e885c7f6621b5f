"""`py-memory consolidate`: what the page does in idle time, for a timer or by hand."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from py_memory.distilling import Distiller
from py_memory.store import MemoryStore

from .terminal import Stop, chosen_model, say, stopping
from .words import WORDS, language

__all__ = ["consolidate"]

MOST_STEPS = 1000


def consolidate(options: argparse.Namespace, path: Path) -> int:
    """Ctrl-C ends it after what is done. Raises what keeps it from beginning, and ModelError for a model that
    fails; what was done before stays."""
    model = chosen_model(options)
    store = MemoryStore(path)
    try:
        words = WORDS[language()]
        done = [f"{words[f'tidied_{what}']} {count}" for what, count in store.consolidate().items() if count]
        say("tidied", counts=", ".join(done) or "0")
        if model is not None:
            stop = Stop()
            with stopping(stop):
                reads = asyncio.run(Distiller(store, model).run(stop, steps=MOST_STEPS))
            say(
                "was_read",
                readings=len(reads),
                proposed=sum(len(read.proposed) for read in reads),
                summaries=sum(read.summary is not None for read in reads),
                disputed=sum(len(read.disputed) for read in reads),
            )
        return 0
    finally:
        store.close()
