"""What somebody chooses to import: a file, or a zip of many. Recognised by its bytes and read as a stream."""

from __future__ import annotations

import contextlib
import io
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from py_memory.checks import check_path
from py_memory.database import HEADER
from py_memory.errors import ImportRefusedError, InvalidInputError, StorageError, TooLargeError

__all__ = ["MAX_UNPACKED_BYTES", "Member", "Source", "open_source", "open_sources"]

MAX_UNPACKED_BYTES = 4 << 30  # of a whole zip
MAX_MEMBERS = 100_000
_HEAD = 4096
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# What the standard library raises for zips that are damaged, one way or another.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What people choose by mistake: what their first bytes are, and what to say.
_MISTAKES = (
    (b"\x1f\x8b", "gzip", "a gzip file; unpack it first"),
    (b"%PDF", "pdf", "a PDF"),
    (b"\x89PNG", "picture", "a picture"),
    (b"\xff\xd8\xff", "picture", "a picture"),
    (b"Rar!", "archive", "a RAR archive; unpack it first"),
    (b"7z\xbc\xaf", "archive", "a 7z archive; unpack it first"),
    (b"\xff\xfe", "utf16", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "utf16", "text in UTF-16; save it as UTF-8"),
)
_HTML = (b"<!doctype", b"<html", b"<?xml")


@dataclass(frozen=True)
class Member:
    """A file to be read, alone or in a zip. `kind`: "json", "text" or, alone, "database". `size` in bytes,
    unpacked."""

    name: str
    size: int
    kind: str
    head: bytes
    _open: Callable[[], BinaryIO]

    @contextlib.contextmanager
    def open(self, progress: Callable[[int], None] | None = None) -> Iterator[BinaryIO]:
        """The contents from the start. `progress` is told how many bytes each read gave. Reading raises
        ImportRefusedError where the zip is damaged."""
        with _translated(self.name):
            file = self._open()
        try:
            yield _Counted(file, self.name, progress)  # type: ignore[misc]
        finally:
            file.close()


@dataclass(frozen=True)
class Source:
    """`ignored`: names of files, in a zip or chosen with others, that hold no chats by their first bytes."""

    name: str
    members: tuple[Member, ...]
    ignored: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members)


class _Counted:
    def __init__(self, file: BinaryIO, name: str, progress: Callable[[int], None] | None) -> None:
        self._file, self._name, self._progress = file, name, progress

    def read(self, size: int = -1) -> bytes:
        with _translated(self._name):
            data = self._file.read(size)
        if self._progress:
            self._progress(len(data))
        return data


class _Kept(io.RawIOBase):
    """A file that stays open when its reader is done with it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        file.seek(0)

    def read(self, size: int = -1) -> Any:
        return self._file.read(size)


@contextlib.contextmanager
def _translated(name: str) -> Iterator[None]:
    try:
        yield
    except _UNREADABLE as error:
        raise ImportRefusedError(
            f"{name} could not be read ({error}). Download the export again; nothing was imported.",
            code="damaged",
        ) from error


@contextlib.contextmanager
def open_source(source: str | Path | BinaryIO, *, name: str | None = None) -> Iterator[Source]:
    """A path, or a binary file that can be sought in. Raises ImportRefusedError for what cannot hold chats,
    StorageError, TooLargeError, InvalidInputError."""
    with contextlib.ExitStack() as stack:
        if isinstance(source, str | Path):
            path = check_path(source, "The file")
            name = name or path.name
            try:
                file: Any = stack.enter_context(path.open("rb"))
            except OSError as error:
                raise StorageError(
                    f"{name} could not be read ({error.strerror}). Check its name and place."
                ) from error
        elif callable(getattr(source, "read", None)) and callable(getattr(source, "seek", None)):
            file, name = source, name or "The file"
        else:
            raise InvalidInputError("A file to import is a path or an open binary file.")
        yield _looked_into(file, name, stack)


@contextlib.contextmanager
def open_sources(files: Sequence[tuple[str | Path, str]]) -> Iterator[Source]:
    """Files (path, name) that were chosen together, as one source: what holds no chats among several is
    ignored. Raises what open_source() raises, for several files only where none of them holds any."""
    if not files:
        raise InvalidInputError("Choose a file to import.")
    with contextlib.ExitStack() as stack:
        opened: list[Source] = []
        ignored: list[str] = []
        refused: ImportRefusedError | None = None
        for path, name in files:
            try:
                opened.append(stack.enter_context(open_source(path, name=name)))
            except ImportRefusedError as error:
                refused = refused or error
                ignored.append(name)
        if not opened:
            assert refused is not None
            raise refused
        members = tuple(member for source in opened for member in source.members)
        ignored += [name for source in opened for name in source.ignored]
        yield Source(opened[0].name, members, tuple(ignored))


def _looked_into(file: Any, name: str, stack: contextlib.ExitStack) -> Source:
    with _translated(name):
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        head = file.read(_HEAD)
    if not isinstance(head, bytes):
        raise InvalidInputError(f"{name} is open as text; open it as a binary file.")
    if head.startswith(_ZIP):
        members, ignored = _unzipped(file, name, stack, nested=False)
        if not members:
            raise ImportRefusedError(f"The zip {name} holds no chats; nothing was imported.", code="no_chats")
        if (total := sum(member.size for member in members)) > MAX_UNPACKED_BYTES:
            raise TooLargeError(f"What is in the zip {name}", total, MAX_UNPACKED_BYTES)
        return Source(name, tuple(members), tuple(ignored))
    kind = _kind(head)
    if not size or kind is None:
        raise _refusal(head, name)
    return Source(name, (Member(name, size, kind, head, lambda: _Kept(file)),), ())  # type: ignore[arg-type,return-value]


def _kind(head: bytes) -> str | None:
    """What the first bytes can be: "json", "text", "zip", "database", or None."""
    if head.startswith(HEADER):
        return "database"
    if head.startswith(_ZIP):
        return "zip"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"[", b"{"):
        return "json"
    if not start or b"\0" in head or start[:9].lower().startswith(_HTML):
        return None
    if any(head.startswith(mark) for mark, _, _ in _MISTAKES):
        return None
    try:
        head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:  # not merely a character that the end cuts in two
            return None
    return "text"


def _refusal(head: bytes, name: str) -> ImportRefusedError:
    if not head.strip():
        return ImportRefusedError(f"{name} is empty. Choose the export of a chat product.", code="empty")
    code, what = "binary", "neither JSON nor a zip nor plain text"
    if head.lstrip()[:9].lower().startswith(_HTML):
        code, what = "web_page", "a web page; choose the .json or .zip of the same export"
    for mark, mistake, said in _MISTAKES:
        if head.startswith(mark):
            code, what = mistake, said
    return ImportRefusedError(f"{name} is {what}; nothing was imported.", code=code)


def _unzipped(
    file: Any, name: str, stack: contextlib.ExitStack, *, nested: bool
) -> tuple[list[Member], list[str]]:
    with _translated(name):
        archive = stack.enter_context(zipfile.ZipFile(file))
        entries = archive.infolist()
    if len(entries) > MAX_MEMBERS:
        raise TooLargeError(f"The zip {name}", len(entries), MAX_MEMBERS, "files")
    members: list[Member] = []
    ignored: list[str] = []
    for entry in sorted(entries, key=lambda entry: entry.filename):
        own = entry.filename.rsplit("/", 1)[-1]
        if not own or own.startswith("._") or entry.filename.startswith("__MACOSX/"):
            continue  # a directory, or what a Mac adds
        if entry.compress_type not in _METHODS:
            raise ImportRefusedError(
                f"The zip {name} is packed in an unusual way. Unpack it first; nothing was imported.",
                code="packed",
            )
        if entry.flag_bits & 1:
            raise ImportRefusedError(
                f"The zip {name} is locked with a password. Unpack it first; nothing was imported.",
                code="password",
            )
        with _translated(entry.filename), archive.open(entry) as inside:
            head = inside.read(_HEAD)
        kind = _kind(head)
        if kind == "zip" and not nested and entry.file_size <= MAX_UNPACKED_BYTES:
            more, passed_over = _unzipped(
                _unpacked(archive, entry, stack), entry.filename, stack, nested=True
            )
            members += more
            ignored += passed_over
        elif kind == "json":
            members.append(Member(entry.filename, entry.file_size, kind, head, _opener(archive, entry)))
        else:
            ignored.append(entry.filename)
    return members, ignored


def _opener(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
    return lambda: archive.open(entry)  # type: ignore[return-value]


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, stack: contextlib.ExitStack) -> Any:
    """A zip in the zip: sought in, so it is unpacked as it is into a temporary file."""
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    with _translated(entry.filename), archive.open(entry) as inside:
        shutil.copyfileobj(inside, copy)
    return copy
