"""Parses the command line, runs one command, prints its result."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from http.client import InvalidURL
from pathlib import Path
from typing import Any

from py_memory.database import SCHEMA_VERSION, query_read_only
from py_memory.errors import (
    InvalidInputError,
    ModelError,
    NotADatabaseError,
    NotFoundError,
    PyMemoryError,
    shown,
)
from py_memory.models.failures import sentence
from py_memory.records import Fact, Message, Receipt
from py_memory.store import MemoryStore

from . import files
from .chat import chat
from .consolidate import consolidate
from .server import add_server_commands
from .tables import table
from .terminal import complain, say, take_any_output, write_json
from .words import WORDS, counted, language, on

__all__ = ["main"]

MAX_ROWS = 100_000
TOKEN_VARIABLE = "PY_MEMORY_TOKEN"
_MAKE_A_FILE = ("import", "chat")
FORMATS = ("db", "jsonl", "markdown")


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if all went well, 1 if health() found something wrong, 2 for an error said on standard error, 130
    after Ctrl-C."""
    take_any_output()
    options = _parser().parse_args(arguments)
    try:
        if options.file is None:
            served: int = options.run(options, None)
            return served
        if options.command == "import":
            files.put_in_order(options)
        path = Path(options.file)
        if options.command not in _MAKE_A_FILE and not path.is_file():
            raise NotADatabaseError(WORDS[language()]["no_file"].format(path=path))
        result: int = options.run(options, path)
        return result
    except PyMemoryError as error:
        said = sentence(error, language()) if isinstance(error, ModelError) else str(error)
        complain(f"{type(error).__name__}: {said}")
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        complain(WORDS[language()]["interrupted"])
        return 130
    except OSError as error:
        what = ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
        complain(WORDS[language()]["system_refuses"].format(what=what))
        return 2
    except UnicodeError:
        complain(WORDS[language()]["no_text"])
        return 2


def _parser() -> argparse.ArgumentParser:
    words = WORDS[language()]
    parser = argparse.ArgumentParser(prog="py-memory", description=words["about"])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace, Path], int]) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words[name], description=words[name])
        made.add_argument("file", metavar="memory.db")
        made.set_defaults(run=run)
        if name not in ("chat", "consolidate", "export"):
            made.add_argument("--json", action="store_true")
        return made

    command("inspect", _inspect)
    messages = command("messages", _messages)
    messages.add_argument("--session")
    messages.add_argument("--limit", type=int, default=50)
    facts = command("facts", _facts)
    facts.add_argument("--status", default="current", help=words["which_facts"])
    facts.add_argument("--prefix")
    answer = facts.add_mutually_exclusive_group()
    answer.add_argument("--confirm", metavar="ID", help=words["confirm"])
    answer.add_argument("--reject", metavar="ID", help=words["reject"])
    search = command("search", _search)
    search.add_argument("text")
    search.add_argument("--limit", type=int, default=50)
    search.add_argument("--ranked", action="store_true", help=words["ranked"])
    command("stats", _stats)
    sql = command("sql", _sql)
    sql.add_argument("statement")
    doctor = command("doctor", _doctor)
    doctor.add_argument("--fix", action="store_true")
    export = command("export", files.export)
    export.add_argument("target", nargs="?", help=words["target"])
    export.add_argument("--format", choices=FORMATS, help=words["which_format"])
    export.add_argument("--session", help=words["one_session"])
    add = command("import", files.add)
    add.add_argument("source", metavar="FILE", help=words["which_source"])
    add.add_argument("--mode", choices=("merge", "replace"), default="merge")
    add.add_argument("--dry-run", action="store_true", help=words["dry_run"])
    add.add_argument("--only", action="append", metavar="ID", help=words["only"])
    add.add_argument("--no-memories", action="store_true", help=words["no_memories"])
    forget = command("forget", _forget)
    what = forget.add_mutually_exclusive_group(required=True)
    for name in ("fact", "message", "session", "text"):
        what.add_argument(f"--{name}")
    forget.add_argument("--yes", action="store_true")
    for with_model in (command("chat", chat), command("consolidate", consolidate)):
        with_model.add_argument("--model", metavar="URL", help=words["model"])
        with_model.add_argument("--name", metavar="MODEL", help=words["model_name"])
        with_model.add_argument("--key-env", metavar="NAME", help=words["key_env"])
    sync = command("sync", _sync)
    sync.add_argument("url")
    sync.add_argument("--token", help=words["token"])
    sync.add_argument("--dry-run", action="store_true", help=words["sync_dry_run"])
    add_server_commands(commands, words)
    return parser


def _print(options: argparse.Namespace, items: Sequence[Mapping[str, Any]], heads: Sequence[str]) -> None:
    """As JSON the whole records, else the columns named."""
    if options.json:
        write_json(list(items))
    elif items:
        print(table(heads, [[item.get(head) for head in heads] for item in items]))
    else:
        say("none")


def _described(item: Message | Fact) -> dict[str, Any]:
    return {**item.to_dict(), "when": on(item.created_at)}


def _inspect(options: argparse.Namespace, path: Path) -> int:
    store = MemoryStore(path)
    sessions = store.list_sessions(limit=1)
    found = {
        "file": str(path),
        "schema": SCHEMA_VERSION,
        "user": store.user_id,
        "last active": on(sessions[0].last_active_at) if sessions else "",
        "trace": "ok" if store.verify().ok else WORDS[language()]["chain_broken"],
        **{name: count for name, count in store.stats().items() if count},
    }
    if options.json:
        write_json(found)
    else:
        print(table(["", path.name], list(found.items())))
    return 0


def _messages(options: argparse.Namespace, path: Path) -> int:
    store = MemoryStore(path)
    sessions = [options.session] if options.session else [s.id for s in store.list_sessions(limit=MAX_ROWS)]
    found = [message for id in sessions for message in store.list_messages(id, limit=max(0, options.limit))]
    found.sort(key=lambda message: (message.created_at, message.id))
    shown = [_described(message) for message in found[-options.limit :]] if options.limit > 0 else []
    _print(options, shown, ("when", "role", "content", "id"))
    return 0


def _facts(options: argparse.Namespace, path: Path) -> int:
    store = MemoryStore(path)
    if options.confirm is not None or options.reject is not None:
        return _answer(options, store)
    status = None if options.status == "all" else options.status
    facts = store.list_facts(status=status, prefix=options.prefix)
    _print(
        options,
        [_described(f) for f in facts],
        ("key", "value", "status", "confidence", "when", "quote", "id"),
    )
    return 0


def _answer(options: argparse.Namespace, store: MemoryStore) -> int:
    """The user's yes or no to a fact that waits for one."""
    yes = options.confirm is not None
    fact = _fact(store, options.confirm if yes else options.reject)
    if yes:
        store.confirm_fact(fact.id)
    else:
        store.reject_fact(fact.id)
    if options.json:
        write_json({"id": fact.id, "confirmed": yes})
    else:
        say("kept" if yes else "dropped", facts=f"{fact.key} = {fact.value}")
    store.close()
    return 0


def _fact(store: MemoryStore, id: str) -> Fact:
    """The fact with this id, or with an id that begins so. Raises NotFoundError, InvalidInputError."""
    found = [fact for fact in store.list_facts(status=None) if id and fact.id.startswith(id)]
    if not found:
        raise NotFoundError("fact", id)
    if len(found) > 1 and found[0].id != id:
        raise InvalidInputError(WORDS[language()]["ambiguous"].format(count=len(found), id=shown(id)))
    return found[0]


def _search(options: argparse.Namespace, path: Path) -> int:
    if options.ranked:
        found = MemoryStore(path).recall(options.text, limit=options.limit)
        shown = [{**item.to_dict(), "when": on(item.created_at)} for item in found]
        _print(options, shown, ("when", "kind", "score", "text", "id"))
        return 0
    hits = MemoryStore(path).search(options.text, limit=options.limit)
    items = [{**hit.to_dict(), "when": on(hit.created_at)} for hit in hits]
    _print(options, items, ("when", "role", "text", "message_id"))
    return 0


def _stats(options: argparse.Namespace, path: Path) -> int:
    counts = MemoryStore(path).stats()
    if options.json:
        write_json(counts)
    else:
        print(table(["table", "rows"], list(counts.items())))
    return 0


def _jsonable(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else value


def _sql(options: argparse.Namespace, path: Path) -> int:
    heads, rows = query_read_only(path, options.statement, MAX_ROWS)
    if options.json:
        items = [dict(zip(heads, row, strict=True)) for row in rows]
        write_json([{name: _jsonable(value) for name, value in item.items()} for item in items])
    elif rows:
        print(table(heads, rows))
    else:
        say("none")
    return 0


def _doctor(options: argparse.Namespace, path: Path) -> int:
    store = MemoryStore(path)
    words = WORDS[language()]
    findings = store.health()
    if options.fix:
        for finding in findings:
            if finding.fix:
                count = store.fix_health(finding.kind).counts[finding.kind]
                if not options.json:
                    say("fixed", kind=words[finding.kind], count=count)
        findings = store.health()
    if options.json:
        write_json([finding.to_dict() for finding in findings])
    elif findings:
        print(table(["", "#", "fix"], [[words[f.kind], f.count, f.fix or ""] for f in findings]))
        if any(finding.kind in ("waiting", "conflicts") for finding in findings):
            say("how_to_answer", file=path)
    else:
        say("healthy")
    return 1 if any(finding.kind != "waiting" for finding in findings) else 0


def _forget(options: argparse.Namespace, path: Path) -> int:
    """Without --yes the counts are those of a deletion that is taken back at once."""
    store = MemoryStore(path)
    receipt: Receipt = store.forget(
        fact_id=None if options.fact is None else _fact(store, options.fact).id,
        message_id=options.message,
        session_id=options.session,
        text=options.text,
    )
    if not options.yes:
        store.undo(receipt.operation_id)
    if options.json:
        write_json({**receipt.to_dict(), "done": options.yes})
    else:
        say("gone" if options.yes else "will_go", counts=counted(receipt.counts))
    if options.yes:
        store.compact()
    store.close()
    return 0


def _sync(options: argparse.Namespace, path: Path) -> int:
    store = MemoryStore(path)
    if options.dry_run:
        status = store.sync_status()
        write_json(status.to_dict())
        return 0
    token = options.token or os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise InvalidInputError(WORDS[language()]["no_token"].format(variable=TOKEN_VARIABLE))
    try:
        report = store.sync(options.url, token)
    except (InvalidURL, UnicodeError) as error:  # of a host that is none, seen only on the way there
        said = WORDS[language()]["no_address"].format(url=shown(options.url))
        raise InvalidInputError(said) from error
    store.close()
    if options.json:
        write_json(report.to_dict())
        return 0
    say("synced", pushed=report.pushed, pulled=report.pulled, waiting=sum(report.waiting.values()))
    if report.conflicts or report.disputed or report.rejected:
        say("to_review", conflicts=report.conflicts, disputed=report.disputed, rejected=report.rejected)
    if report.clock_note:
        say("clock_off", minutes=abs(report.clock_offset_ms) // 60_000)
    return 0
