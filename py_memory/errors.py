"""Every error the package raises. One base class, one class for each thing a caller would handle."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping

__all__ = [
    "BusyError",
    "ConflictError",
    "ContextTooLongError",
    "DatabaseCorruptError",
    "ImportRefusedError",
    "IncognitoEndedError",
    "IncognitoError",
    "InvalidInputError",
    "ModelAddressError",
    "ModelBadAnswerError",
    "ModelError",
    "ModelInterruptedError",
    "ModelNotFoundError",
    "ModelOverloadedError",
    "ModelRateLimitedError",
    "ModelRefusedError",
    "ModelStalledError",
    "ModelUnauthorisedError",
    "ModelUnreachableError",
    "NewerDatabaseError",
    "NotADatabaseError",
    "NotFoundError",
    "PyMemoryError",
    "StorageError",
    "SyncError",
    "TooLargeError",
    "UndoExpiredError",
    "UnregisteredKeyError",
    "shown",
]


# The interpreter's own repr() goes as deep as the value does; in WebAssembly a full stack ends everything.
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 1_000


def shown(value: object, most: int = 60) -> str:
    """A value in a message: at most `most` characters, whatever it is (a number too long to be written, a
    list too deep)."""
    if isinstance(value, str | bytes):
        value = value[: most + 1]
    try:
        said = _SHORT.repr(value)
    except Exception:
        said = f"a {type(value).__name__} that cannot be shown"
    return said if len(said) <= most else f"{said[:most]}…"


class PyMemoryError(Exception):
    """Base of all errors of this package. The message says what happened, to what, and what to do."""


class InvalidInputError(PyMemoryError):
    """A value that cannot be stored: empty text, an unknown role or status, a malformed id or date."""


class TooLargeError(InvalidInputError):
    """A text or file over its limit. Nothing was stored."""

    def __init__(self, what: str, size: int, limit: int, unit: str = "bytes") -> None:
        super().__init__(
            f"{what} has {size:,} {unit}; at most {limit:,} are accepted. Shorten or split it and try again."
        )
        self.size = size
        self.limit = limit


class NotFoundError(PyMemoryError):
    """No row with this id belongs to this user."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"There is no {kind} with id {shown(id)} in this memory. It may have been deleted.")


class ConflictError(PyMemoryError):
    """The change contradicts what is stored, or the same id arrives with other content."""


class UnregisteredKeyError(InvalidInputError):
    """A fact key under no registered namespace."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The fact key {shown(key)} is under no registered namespace. Use one such as 'user::name', "
            "or register the namespace first with register_namespace()."
        )


class UndoExpiredError(PyMemoryError):
    """The operation can no longer be undone: its time has passed, or it was undone already."""


class NotADatabaseError(PyMemoryError):
    """The file is empty, cut short, or not an SQLite database of this program."""


class DatabaseCorruptError(PyMemoryError):
    """SQLite reports damage. The file was not changed."""


class StorageError(PyMemoryError):
    """The file could not be read or written: locked by another program, read-only, or no space is left."""


class BusyError(StorageError):
    """Another process kept the file to itself for longer than 10 s. Nothing was changed."""


class NewerDatabaseError(PyMemoryError):
    """The file was written by a newer version. It was not changed."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"This memory has schema version {found}; this program knows versions up to {known}. "
            "Update the program and open it again. The file was not changed."
        )


class ImportRefusedError(PyMemoryError):
    """The file holds what no release of this program writes, or is no export that is known, or is damaged.
    Nothing was imported. `code` names the reason where a page has a sentence of its own for it: one of
    import_empty, _gzip, _pdf, _picture, _archive, _utf16, _web_page, _binary, _unknown, _no_chats, _packed,
    _password, _damaged, _list_too_long, _nothing; else ""."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code and f"import_{code}"


class IncognitoError(PyMemoryError):
    """An incognito chat was asked to keep or change something. Nothing was."""


class IncognitoEndedError(NotFoundError):
    """The incognito chat is gone, with all that was said in it."""

    def __init__(self, id: str) -> None:
        super().__init__("incognito chat", id)


class SyncError(PyMemoryError):
    """Syncing stopped; the memory is whole, and what waits still waits. `code` is one of unreachable,
    not_a_server, unauthorized, forbidden, other_user, busy, quota, too_large, update_needed, stopped, failed;
    with busy, `retry_after` seconds is the least to wait; with unreachable, `why` says more where that can be
    told (see NetReason in the page)."""

    def __init__(self, code: str, message: str, retry_after: float | None = None, *, why: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after
        self.why = why


class ModelError(PyMemoryError):
    """The language model failed or could not be reached. The message is fit for the user to read.

    `code` names the failure in models/failures.py, which has its sentence in English and Chinese, and
    `details` what stands in that sentence; "" where the message is all there is.
    """

    def __init__(
        self, message: str = "", *, code: str = "", details: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.details = dict(details or {})


class ModelUnreachableError(ModelError):
    """Nothing answers at the address, or the connection to it is not allowed or not safe."""


class ModelAddressError(ModelError):
    """What answers at the address is no model server, or sends on to another one."""


class ModelUnauthorisedError(ModelError):
    """The server refuses the key or wants one, or the account behind it is used up."""


class ModelRateLimitedError(ModelError):
    """Too much was asked of the server; `retry_after_ms` is how long it wants to be left alone, where it says
    so."""

    @property
    def retry_after_ms(self) -> int | None:
        value = self.details.get("retry_after_ms")
        return value if isinstance(value, int) else None


class ModelOverloadedError(ModelError):
    """The server is busy, is starting, or failed within."""


class ModelNotFoundError(ModelError):
    """The server does not have the model."""


class ContextTooLongError(ModelError):
    """The prompt has more tokens than the model takes."""


class ModelRefusedError(ModelError):
    """The server or the model will not answer this request."""


class ModelStalledError(ModelError):
    """The answer did not begin, or did not go on, within its time."""


class ModelInterruptedError(ModelError):
    """The connection ended in the middle of an answer."""


class ModelBadAnswerError(ModelError):
    """The server's answer does not follow the protocol."""
