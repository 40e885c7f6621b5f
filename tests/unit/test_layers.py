"""The package's structure: imports go downward only, and each edge has one module of its own."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "py_memory"
MODULES = sorted(PACKAGE.rglob("*.py"))

# First match wins; a module may import its own layer and those before it.
LAYERS = [
    ("errors", "ids", "clock", "marks", "text", "checks", "records", "snapshots"),
    ("database", "migrations"),
    ("rows",),
    ("recall",),
    ("models",),
    (
        "extraction",
        "consolidation",
        "counting",
        "facts",
        "undo",
        "lineage",
        "overview",
        "pages",
        "working_memory",
        "removal",
        "titles",
        "forgetting",
        "context",
        "formats",
        "sync",
        "inspection",
        "prompts",
        "weight",
        "health",
        "trace",
        "experience",
        "embedding",
        "personal",
        "readings",
        "resuming",
        "topics",
    ),
    ("store", "incognito"),
    (
        "agent",
        "answers",
        "arguments",
        "cancelling",
        "conversation",
        "distilling",
        "going",
        "learning",
        "memory_tool",
        "memory_tools",
        "memory_views",
        "noticed",
        "outputs",
        "prompting",
        "retries",
        "task_tools",
        "tool_runs",
        "tool_schema",
        "tools",
        "turns",
        "unfinished",
    ),
    ("server", "adapters", "cli", "browser", "browser_fetch", "browser_sync", "__init__", "__main__"),
]
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}
OBJECT = r"(UNIQUE\s+|VIRTUAL\s+|TEMP\w*\s+)*(TABLE|INDEX|VIEW|TRIGGER)"
SQL = re.compile(
    r"^\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|"
    rf"(CREATE|DROP|ALTER)\s+{OBJECT}\s|PRAGMA\s+\w|WITH\s+\w+[^.]*\bAS\s*\(\s*SELECT\s)",
    re.IGNORECASE | re.DOTALL,
)
IN_THE_PAGE = ("browser", "browser_fetch", "browser_sync")
MAY_HOLD_SQL = ("rows", "database", "recall", "formats")
SERVER_SQL = (
    "server/sqlite_store.py",
    "server/postgres_schema.py",
    "server/postgres_store.py",
    "server/postgres_unit.py",
)  # every store has its own


def part(path: Path) -> str:
    """The layer's name for a file: its first folder or its own name."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def label(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, absolute module name) of every import statement, also inside functions."""
    folder = path.relative_to(PACKAGE.parent).parent.parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(folder[: len(folder) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            # `from py_memory import store` names a module; other imports name what is in one.
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "py_memory" else [module]
            yield from ((node.lineno, name) for name in names)


@pytest.mark.parametrize("path", MODULES, ids=label)
def test_imports_go_downward(path: Path) -> None:
    here = LAYER_OF.get(part(path))
    assert here is not None, f"{label(path)} is in no layer: name it in LAYERS and in docs/architecture.md."
    for line, name in imports(path):
        if name.startswith("py_memory."):
            there = name.split(".")[1]
            assert there in LAYER_OF, f"{label(path)}:{line} takes {name} from the package's front door."
            assert LAYER_OF[there] <= here, f"{label(path)}:{line} imports {name} from a layer above."


@pytest.mark.parametrize("path", MODULES, ids=label)
def test_only_the_standard_library_is_imported(path: Path) -> None:
    for line, name in imports(path):
        top = name.partition(".")[0]
        if top in ("psycopg", "psycopg_pool"):
            assert label(path).startswith("server/postgres_"), f"{label(path)}:{line} imports {name}."
        elif top in ("starlette", "uvicorn"):
            assert label(path) in ("server/app.py", "cli/server.py"), f"{label(path)}:{line} imports {name}."
        elif top in ("js", "pyodide"):
            assert part(path) in IN_THE_PAGE, f"{label(path)}:{line} imports {name}; only {IN_THE_PAGE} may."
        else:
            allowed = top == "py_memory" or top in sys.stdlib_module_names
            assert allowed, f"{label(path)}:{line} imports {name}, which is not in the standard library."


@pytest.mark.parametrize("path", MODULES, ids=label)
def test_only_database_opens_sqlite(path: Path) -> None:
    if part(path) != "database" and label(path) != "server/sqlite_store.py":
        names = [name for _, name in imports(path) if name.partition(".")[0] in ("sqlite3", "_sqlite3")]
        assert not names, f"{label(path)} imports sqlite3; go through database.py."


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if part(path) not in MAY_HOLD_SQL and label(path) not in SERVER_SQL],
    ids=label,
)
def test_sql_stays_in_its_layers(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            assert not SQL.match(node.value), f"{label(path)}:{node.lineno} holds SQL: {node.value[:60]!r}"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM b",
        "\n  insert or replace into t VALUES (1)",
        "PRAGMA user_version",
        "DELETE FROM facts",
    ],
)
def test_the_sql_pattern_finds_sql(text: str) -> None:
    assert SQL.match(text)


@pytest.mark.parametrize(
    "text", ["Choose a fact from the list", "Update the program and open it again.", "With it as (a) part"]
)
def test_the_sql_pattern_leaves_sentences(text: str) -> None:
    assert not SQL.match(text)
