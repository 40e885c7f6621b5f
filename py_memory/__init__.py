"""An agent's memory in one SQLite file, the same in a browser page (Pyodide) and on CPython."""

from .agent import ChatAgent
from .errors import (
    BusyError,
    ConflictError,
    DatabaseCorruptError,
    ImportRefusedError,
    IncognitoEndedError,
    IncognitoError,
    InvalidInputError,
    ModelError,
    NewerDatabaseError,
    NotADatabaseError,
    NotFoundError,
    PyMemoryError,
    StorageError,
    TooLargeError,
    UndoExpiredError,
    UnregisteredKeyError,
)
from .incognito import IncognitoStore
from .models.offline import OfflineAssistant
from .store import MemoryStore

__version__ = "0.1.0"

__all__ = [
    "BusyError",
    "ChatAgent",
    "ConflictError",
    "DatabaseCorruptError",
    "ImportRefusedError",
    "IncognitoEndedError",
    "IncognitoError",
    "IncognitoStore",
    "InvalidInputError",
    "MemoryStore",
    "ModelError",
    "NewerDatabaseError",
    "NotADatabaseError",
    "NotFoundError",
    "OfflineAssistant",
    "PyMemoryError",
    "StorageError",
    "TooLargeError",
    "UndoExpiredError",
    "UnregisteredKeyError",
    "__version__",
]
