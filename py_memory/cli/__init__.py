"""The command line: `py-memory COMMAND memory.db`, for people as tables, for programs with --json."""

from .main import main

__all__ = ["main"]
