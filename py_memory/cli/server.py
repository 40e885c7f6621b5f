"""The commands that need no memory file: serving, and the users and tokens of a sync server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from py_memory.clock import DAY_MS, system_clock
from py_memory.errors import InvalidInputError, NotFoundError, shown
from py_memory.server.endpoint import Endpoint
from py_memory.server.moving import move
from py_memory.server.open_store import NEEDS_POSTGRES, default_database, is_postgres, open_store
from py_memory.server.site import SiteServer
from py_memory.server.store import Store, User
from py_memory.server.tokens import SCOPES, make_token

from .tables import table
from .terminal import write_json
from .words import WORDS, language

__all__ = ["add_server_commands"]


def add_server_commands(commands: Any, words: Mapping[str, str]) -> None:
    """Adds `serve` and `server` to the parser's commands."""
    serve = commands.add_parser("serve", help=words["serve"], description=words["serve"])
    _store_options(serve, words)
    serve.add_argument("--site", type=Path, help=words["site"])
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=_port, default=8000)
    serve.add_argument("--origin", action="append", default=[], help=words["origin"])
    serve.add_argument("--metrics", action="store_true", help=words["metrics"])
    serve.add_argument("--log", choices=("requests", "none"), default="requests", help=words["log"])
    serve.set_defaults(run=_serve, file=None)

    server = commands.add_parser("server", help=words["server"], description=words["server"])
    subjects = server.add_subparsers(dest="subject", required=True, metavar="users|tokens|migrate|move")
    users = subjects.add_parser("users", help=words["users"]).add_subparsers(dest="action", required=True)
    tokens = subjects.add_parser("tokens", help=words["tokens"]).add_subparsers(dest="action", required=True)

    def command(group: Any, name: str, run: Any, *arguments: str) -> argparse.ArgumentParser:
        about = words.get(name)
        made: argparse.ArgumentParser = group.add_parser(name, help=about, description=about)
        for argument in arguments:
            made.add_argument(argument)
        _store_options(made, words)
        made.add_argument("--json", action="store_true")
        made.set_defaults(run=run, file=None)
        return made

    command(users, "add", _add_user, "name")
    command(users, "list", _list_users)
    add = command(tokens, "add", _add_token, "name")
    add.add_argument("--device", default="", help=words["label"])
    add.add_argument("--scope", choices=SCOPES, default="sync")
    add.add_argument("--days", type=int, help=words["days"])
    command(tokens, "list", _list_tokens, "name")
    command(tokens, "revoke", _revoke, "key")
    migrate = command(subjects, "migrate", _migrate)
    migrate.add_argument("--owner", required=True, metavar="ADDRESS", help=words["owner"])
    moving = command(subjects, "move", _move)
    moving.add_argument("--to", required=True, metavar="ADDRESS", help=words["move_to"])


def _store_options(parser: argparse.ArgumentParser, words: Mapping[str, str]) -> None:
    parser.add_argument("--database", help=words["database"])
    parser.add_argument("--data", type=Path, default=Path("data"), help=words["data"])


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 5 or int(text) > 65_535:
        raise argparse.ArgumentTypeError(WORDS[language()]["no_port"])
    return int(text)


def _check_line(text: str, what: str) -> None:
    """Raises InvalidInputError."""
    if not text.isprintable() or len(text) > 200:
        raise InvalidInputError(WORDS[language()]["one_line"].format(what=what))


def _user(store: Store, name: str) -> User:
    try:
        return store.user_named(name)
    except NotFoundError:
        said = WORDS[language()]["no_user"].format(name=shown(name))
        raise InvalidInputError(said) from None


@contextmanager
def _store(options: argparse.Namespace) -> Iterator[Store]:
    with closing(open_store(_address(options))) as store:
        yield store


def _address(options: argparse.Namespace) -> str:
    return options.database or default_database(options.data)


def _show(options: argparse.Namespace, items: list[dict[str, Any]]) -> int:
    if options.json:
        write_json(items)
    elif items:
        print(table(list(items[0]), [list(item.values()) for item in items]))
    return 0


def _add_user(options: argparse.Namespace, path: Path | None) -> int:
    if not options.name.strip() or not options.name.isprintable() or len(options.name) > 200:
        raise InvalidInputError("A user's name is one line of at most 200 characters.")
    with _store(options) as store:
        user = store.add_user(options.name, system_clock())
    return _show(options, [{"user": user.name, "id": user.id}])


def _list_users(options: argparse.Namespace, path: Path | None) -> int:
    with _store(options) as store:
        users = store.users()
    return _show(options, [{"user": user.name, "id": user.id} for user in users])


def _add_token(options: argparse.Namespace, path: Path | None) -> int:
    if options.days is not None and not 1 <= options.days <= 36_500:
        raise InvalidInputError("A token lives from 1 to 36500 days.")
    _check_line(options.device, WORDS[language()]["device_name"])
    now = system_clock()
    until = None if options.days is None else now + options.days * DAY_MS
    about: dict[str, Any] = {"label": options.device, "scope": options.scope, "expires_at": until}
    with _store(options) as store:
        token = make_token(store, _user(store, options.name).id, now, **about)
    if not options.json:
        print(token)  # whole, on a line of its own
        return 0
    return _show(options, [{"token": token, "device": options.device, "scope": options.scope}])


def _list_tokens(options: argparse.Namespace, path: Path | None) -> int:
    now = system_clock()
    shown = []
    with _store(options) as store:
        tokens = store.tokens(_user(store, options.name).id)
    for token in tokens:
        expired = token.expires_at is not None and token.expires_at <= now
        state = "revoked" if token.revoked_at else "expired" if expired else "valid"
        shown.append({"key": token.key, "device": token.label, "scope": token.scope, "state": state})
    return _show(options, shown)


def _revoke(options: argparse.Namespace, path: Path | None) -> int:
    _check_line(options.key, WORDS[language()]["key_id"])
    with _store(options) as store:
        revoked = store.revoke(options.key, system_clock())
    if not revoked:
        raise InvalidInputError(WORDS[language()]["no_valid_token"].format(key=shown(options.key)))
    return 0


def _migrate(options: argparse.Namespace, path: Path | None) -> int:
    address = _address(options)
    if not is_postgres(address):
        raise InvalidInputError("An SQLite store is kept up to date by the server itself.")
    try:
        from py_memory.server.postgres_schema import migrate
        from py_memory.server.postgres_store import role_of
    except ImportError:
        raise InvalidInputError(NEEDS_POSTGRES) from None
    applied = migrate(options.owner, role_of(address))
    return _show(options, [{"migration": number} for number in applied])


def _move(options: argparse.Namespace, path: Path | None) -> int:
    with _store(options) as source, closing(open_store(options.to)) as target:
        counts = move(source, target)
    return _show(options, [{"table": name, "rows": count} for name, count in counts.items()])


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _serve(options: argparse.Namespace, path: Path | None) -> int:
    if options.site is not None and not (options.site / "policy.json").is_file():
        raise InvalidInputError(WORDS[language()]["no_site"].format(path=options.site))
    log = _to_stderr if options.log == "requests" else None
    with _store(options) as store:
        endpoint = Endpoint(store, origins=options.origin, metrics=options.metrics, log=log)
        return _serve_endpoint(options, endpoint)


def _serve_endpoint(options: argparse.Namespace, endpoint: Endpoint) -> int:
    """With uvicorn where the extra `server` is installed, else with the standard library's server."""
    try:
        import uvicorn

        from py_memory.server.app import make_app
    except ImportError:
        print(WORDS[language()]["plain_server"], file=sys.stderr)
        plain = SiteServer(options.site, options.host, options.port, endpoint)
        print(f"Serving at {plain.url}", flush=True)
        try:
            plain.serve_forever()
        except KeyboardInterrupt:
            plain.server_close()
        return 0
    app = make_app(endpoint, options.site)
    config = uvicorn.Config(
        app,
        host=options.host,
        port=options.port,
        access_log=False,  # the endpoint has its own, which holds nothing that a client said
        log_level="warning",
        timeout_keep_alive=60,
        limit_concurrency=200,
        server_header=False,
    )
    listening = config.bind_socket()
    print(f"Serving at http://{options.host}:{listening.getsockname()[1]}/", flush=True)
    uvicorn.Server(config).run(sockets=[listening])
    return 0
