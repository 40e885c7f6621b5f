"""The commands that read and write files: export and import."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from py_memory.database import HEADER
from py_memory.errors import InvalidInputError
from py_memory.formats.chat_job import preview
from py_memory.formats.shapes import MEMORY, MEMORY_LINES, shapes_of
from py_memory.formats.sources import open_source
from py_memory.store import MemoryStore

from .tables import table
from .terminal import say, write, write_json
from .words import WORDS, counted, language, on

__all__ = ["add", "export", "put_in_order"]

SHOWN = 20  # conversations listed by a dry run


def export(options: argparse.Namespace, path: Path) -> int:
    """The format follows from the target's name where none is given."""
    target = None if options.target is None else Path(options.target)
    by_name = {".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown"}
    format = options.format or by_name.get(target.suffix.lower() if target else "", "db")
    store = MemoryStore(path)
    if target is None:
        if format == "db":
            raise InvalidInputError(WORDS[language()]["needs_target"])
        text = store.export_text(format, session_id=options.session, language=language())
        if isinstance(sys.stdout, TextIOWrapper):  # the same bytes as in a file
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        if sys.stdout.isatty():  # to be looked at; a file or another program gets what is stored
            write(text)
        else:
            sys.stdout.write(text)
        return 0
    if target.exists():
        raise InvalidInputError(WORDS[language()]["exists"].format(path=target))
    store.export_to(target, format=format, session_id=options.session, language=language())
    say("exported", path=target)
    return 0


def put_in_order(options: argparse.Namespace) -> None:
    """`import memory.db FILE` and `import FILE memory.db` both say which is which: the memory is a database,
    or is not there yet."""
    first, second = Path(options.file), Path(options.source)
    if first.is_file() and not _is_database(first) and (_is_database(second) or not second.exists()):
        options.file, options.source = options.source, options.file


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(HEADER)) == HEADER
    except OSError:
        return False


def add(options: argparse.Namespace, path: Path) -> int:
    """A dry run never makes or changes the memory's file."""
    with open_source(options.source) as source:  # before a file is made for nothing
        product = shapes_of(source)[0][1].product
        if options.dry_run and product not in (MEMORY, MEMORY_LINES):
            _show(options, preview(source))
            return 0
    store = MemoryStore(path if path.exists() or not options.dry_run else ":memory:")
    if product in (MEMORY, MEMORY_LINES):
        report = _add_memory(store, options)
    else:
        try:
            report = store.import_chats(
                options.source,
                only=options.only,
                memories=not options.no_memories,
                progress=_progress if sys.stderr.isatty() else None,
            )
        except KeyboardInterrupt:
            say("stopped")
            return 130
    if options.json:
        write_json(report)
    elif "imported" in report:
        say(
            "imported",
            imported=counted(report["imported"]),
            skipped=counted(report["skipped"]),
            conflicts=report["conflicts"],
            refused=len(report["refused"]),
        )
    else:
        parts = ("conversations", "messages", "suggestions")
        say("added_chats", **{part: counted(report[part]) for part in parts})
        _say_reasons(Counter(item["why"] for item in report["skipped"]))
    return 0


class _TakenBack(Exception):
    """Ends the transaction of a dry run."""


def _add_memory(store: MemoryStore, options: argparse.Namespace) -> dict[str, Any]:
    report: dict[str, Any] = {}
    try:
        with store.action():
            report = store.import_file(options.source, mode=options.mode)
            if options.dry_run:
                raise _TakenBack
    except _TakenBack:
        pass
    return report


def _progress(figures: Mapping[str, int]) -> None:
    part = min(100, 100 * figures["bytes"] // max(1, figures["total_bytes"]))
    end = "\n" if part == 100 else ""
    print(f"\r{part:3} %  {figures['conversations']:,}", end=end, file=sys.stderr, flush=True)


def _show(options: argparse.Namespace, seen: Mapping[str, Any]) -> None:
    if options.json:
        write_json(seen)
        return
    word = "would_add" if seen["first"] is None else "would_add_dated"
    say(word, **{**seen, "first": on(seen["first"]), "last": on(seen["last"])})
    rows = [[on(chat["last"]), chat["title"], chat["messages"], chat["id"]] for chat in seen["chats"][:SHOWN]]
    if rows:
        write(table(["when", "title", "messages", "id"], rows) + "\n")
    if (more := seen["conversations"] - len(rows)) > 0:
        say("more", count=more)
    _say_reasons(seen["skipped"])


def _say_reasons(reasons: Mapping[str, int]) -> None:
    if reasons:
        say("left_out", reasons=counted(reasons))
