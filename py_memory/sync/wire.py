"""The wire format: what a device asks and what the server answers, as JSON, decoded strictly on both sides.

A mutation is {n, op, kind, id, stamp, identity?, groups?, base?}: `op` put or forget; `identity` the columns
that never change, sent with a whole row; `groups` {group: {column: value}}; `base` {group: the server's stamp
that the change was made on, or null}. A row is {kind, id, seq, forgotten: true} or {kind, id, seq, identity,
groups: {group: {stamp, set}}}. Columns that a receiver does not know are kept by the server and passed over
by clients.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from py_memory.checks import read_json
from py_memory.errors import InvalidInputError

from .kinds import CONFLICTS, FORGETTABLE, KINDS
from .stamps import is_stamp

__all__ = [
    "MAX_BODY_BYTES",
    "MAX_PULL_BYTES",
    "MAX_PULL_ROWS",
    "MAX_PUSH_BYTES",
    "MAX_PUSH_MUTATIONS",
    "MAX_ROW_BYTES",
    "MIN_SCHEMA",
    "PROTOCOL",
    "SCHEMA",
    "Reply",
    "SyncRequest",
    "decode_reply",
    "decode_request",
    "encode",
    "encode_request",
    "mutation_problem",
]

PROTOCOL = 1  # another number cannot be talked to
SCHEMA = 1  # of the kinds and their columns; a server takes MIN_SCHEMA and above
MIN_SCHEMA = 1
MAX_PUSH_MUTATIONS = 5000
MAX_PUSH_BYTES = 4 << 20  # of a page; one row over it travels alone
MAX_PULL_ROWS = 5000
MAX_PULL_BYTES = 4 << 20
MAX_ROW_BYTES = 6 << 20  # a text of 1 MiB may be six times as long in JSON
MAX_BODY_BYTES = 8 << 20
_MAX_TEXT_BYTES = MAX_ROW_BYTES
_DEPTH = 8
_MAX_COLUMNS = 60
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_DEVICE = re.compile(r"[0-9a-f]{16}")
_INTEGERS = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """`cursor` is (epoch, seq), None at first; `acked` the highest number this device knows to be taken."""

    schema: int
    device: str
    cursor: tuple[str, int] | None
    acked: int
    rows: int
    bytes: int
    push: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "schema": self.schema,
            "device": self.device,
            "cursor": None if self.cursor is None else f"{self.cursor[0]}.{self.cursor[1]}",
            "acked": self.acked,
            "pull": {"rows": self.rows, "bytes": self.bytes},
            "push": self.push,
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """`results` name the mutations that did not simply go in as they were sent; `last_n` acknowledges all up
    to it."""

    user: str
    server_time: int
    epoch: str
    last_n: int
    results: list[dict[str, Any]]
    changes: list[dict[str, Any]]
    cursor: int
    has_more: bool
    schema: int = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "schema": self.schema,
            "user": self.user,
            "server_time": self.server_time,
            "epoch": self.epoch,
            "last_n": self.last_n,
            "results": self.results,
            "changes": self.changes,
            "cursor": f"{self.epoch}.{self.cursor}",
            "has_more": self.has_more,
        }


def encode(value: Any) -> bytes:
    """Compact JSON as UTF-8."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def encode_request(request: SyncRequest, payloads: Iterable[str]) -> bytes:
    """encode(request.to_dict()) with the JSON of each change as it is."""
    begin = encode(replace(request, push=[]).to_dict())  # ends with the empty list of changes
    return b"".join((begin[:-2], ",".join(payloads).encode(), b"]}"))


def decode_request(body: bytes) -> SyncRequest:
    """Raises InvalidInputError for anything but a request of this protocol."""
    found = _object(body, "The request")
    if found.get("protocol") != PROTOCOL:
        raise InvalidInputError(f"The request is not of protocol {PROTOCOL}.")
    device, push, pull = found.get("device"), found.get("push", []), found.get("pull", {})
    if not isinstance(device, str) or not _DEVICE.fullmatch(device):
        raise InvalidInputError("The device is not 16 hexadecimal digits.")
    if not isinstance(pull, dict) or not isinstance(push, list) or len(push) > MAX_PUSH_MUTATIONS:
        raise InvalidInputError(f"A request pushes a list of at most {MAX_PUSH_MUTATIONS} changes.")
    numbers = [mutation.get("n") if isinstance(mutation, dict) else None for mutation in push]
    first = numbers[0] if numbers else 1
    if type(first) is not int or not _is_count(first, least=1):
        raise InvalidInputError("The changes of a request have no numbers.")
    if numbers != list(range(first, first + len(numbers))):
        raise InvalidInputError("The changes of a request are numbered one after the other.")
    return SyncRequest(
        _count(found, "schema", 1 << 31),
        device,
        _cursor(found.get("cursor")),
        _count(found, "acked", 1 << 53),
        min(_count(pull, "rows", 1 << 31, MAX_PULL_ROWS), MAX_PULL_ROWS),
        min(_count(pull, "bytes", 1 << 31, MAX_PULL_BYTES), MAX_PULL_BYTES),
        push,
    )


def decode_reply(body: bytes) -> Reply:
    """Raises InvalidInputError for anything but a reply, such as a proxy's page of HTML."""
    found = _object(body, "The server's answer", whole=True)
    results, changes = found.get("results"), found.get("changes")
    cursor = _cursor(found.get("cursor"))
    sound = (
        found.get("protocol") == PROTOCOL
        and isinstance(found.get("user"), str)
        and isinstance(found.get("epoch"), str)
        and isinstance(found.get("has_more"), bool)
        and isinstance(results, list)
        and isinstance(changes, list)
        and cursor is not None
        and cursor[0] == found["epoch"]
        and all(_is_result(item) for item in results or ())
        and all(_is_row(item) for item in changes or ())
    )
    if not sound or results is None or changes is None or cursor is None:
        raise InvalidInputError("The server's answer is not one of a sync server; nothing was taken from it.")
    return Reply(
        found["user"],
        _count(found, "server_time", 1 << 48),
        found["epoch"],
        _count(found, "last_n", 1 << 53),
        results,
        changes,
        cursor[1],
        found["has_more"],
        _count(found, "schema", 1 << 31),
    )


def mutation_problem(mutation: dict[str, Any]) -> str | None:
    """A code for what is wrong with a change, None if nothing is."""
    kind, id, stamp = mutation.get("kind"), mutation.get("id"), mutation.get("stamp")
    if mutation.get("op") not in ("put", "forget"):
        return "unknown_op"
    if not isinstance(id, str) or not 0 < len(id) <= 200 or not id.isprintable():
        return "bad_id"
    if not is_stamp(stamp):
        return "bad_stamp"
    if mutation["op"] == "forget":
        return None if kind in FORGETTABLE else "unknown_kind"
    if kind not in KINDS:
        return "unknown_kind"
    identity, groups, base = mutation.get("identity"), mutation.get("groups", {}), mutation.get("base", {})
    if not (isinstance(groups, dict) and isinstance(base, dict) and isinstance(identity, dict | None)):
        return "bad_shape"
    if not groups.keys() <= KINDS[kind].groups.keys() or (identity is None and not groups):
        return "unknown_group"
    if any(value is not None and not is_stamp(value) for value in base.values()):
        return "bad_base"
    known = KINDS[kind].types
    for values in (identity or {}, *groups.values()):
        if not isinstance(values, dict) or len(values) > _MAX_COLUMNS:
            return "bad_shape"
        for column, value in values.items():
            if problem := _value_problem(column, value, known.get(column)):
                return problem
    return None


def _value_problem(column: str, value: Any, known: type | None) -> str | None:
    """`known`: what a column that this program knows holds."""
    if known is None and not _NAME.fullmatch(column):
        return "bad_column"
    if value is None:
        return None
    if known is not None and type(value) is not known and not (known is float and type(value) is int):
        return "bad_type"
    if type(value) is str:
        try:
            size = len(value) if value.isascii() else len(value.encode())
        except UnicodeEncodeError:
            return "lone_surrogate"
        return "too_large" if size > _MAX_TEXT_BYTES else "nul" if "\0" in value else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "bad_type"
    return "bad_number" if isinstance(value, int) and value not in _INTEGERS else None


def _object(body: bytes, what: str, *, whole: bool = False) -> dict[str, Any]:
    """`whole`: no text of it may hold half a character."""
    try:
        source = body.decode("utf-8")
        found = read_json(source, what, depth=_DEPTH, once=True)
        if whole and "\\ud" in source.lower():
            json.dumps(found, ensure_ascii=False).encode()  # no half of a character, which nothing can keep
    except UnicodeError as error:
        raise InvalidInputError(f"{what} is not UTF-8.") from error
    if not isinstance(found, dict):
        raise InvalidInputError(f"{what} is not a JSON object.")
    return found


def _cursor(value: Any) -> tuple[str, int] | None:
    if value is None:
        return None
    match = re.fullmatch(r"([0-9a-z]{1,32})\.(\d{1,15})", value) if isinstance(value, str) else None
    if match is None:
        raise InvalidInputError("The cursor is malformed.")
    return match[1], int(match[2])


def _is_count(value: Any, *, least: int = 0) -> bool:
    return type(value) is int and least <= value < 1 << 53


def _count(found: dict[str, Any], name: str, most: int, default: int | None = None) -> int:
    value = found.get(name, default)
    if type(value) is not int or not 0 <= value <= most:
        raise InvalidInputError(f"{name} is not a whole number of a sensible size.")
    return value


def _is_result(item: Any) -> bool:
    if not isinstance(item, dict) or not _is_count(item.get("n"), least=1):
        return False
    stamps, row = item.get("stamps", {}), item.get("row")
    return (
        isinstance(item.get("status"), str)
        and isinstance(stamps, dict)
        and all(is_stamp(stamp) for stamp in stamps.values())
        and (row is None or (_is_row(row) and not row.get("forgotten")))
    )


def _is_conflict(identity: dict[str, Any]) -> bool:
    names = ("row_kind", "memory_id", "part", "values_json")
    if not all(isinstance(identity.get(name), str) for name in names) or not is_stamp(identity.get("stamp")):
        return False
    try:
        return isinstance(read_json(identity["values_json"], depth=_DEPTH), dict)
    except InvalidInputError:
        return False


def _is_row(row: Any) -> bool:
    if (
        not isinstance(row, dict)
        or not isinstance(row.get("kind"), str)
        or not isinstance(row.get("id"), str)
    ):
        return False
    if not _is_count(row.get("seq")):
        return False
    if row.get("forgotten") is True:
        return True
    groups = row.get("groups")
    return (
        isinstance(row.get("identity"), dict)
        and isinstance(groups, dict)
        and all(
            isinstance(group, dict) and is_stamp(group.get("stamp")) and isinstance(group.get("set"), dict)
            for group in groups.values()
        )
        and (row["kind"] != CONFLICTS or _is_conflict(row["identity"]))
    )
