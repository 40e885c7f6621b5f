"""A site with Pyodide as published, this package and its tests: for what runs inside it, in a worker."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from py_memory.server.site import SiteServer

ROOT = Path(__file__).resolve().parents[2]
RUNNER = Path(__file__).parent / "python_suite"
PYODIDE = ROOT / "web" / "node_modules" / "pyodide"
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
# The page's `result` is {report}, the script's last value, or {error}; `progress` is what it told last.
RESULT = """(ms) => Promise.race([
    result,
    new Promise((resolve) => setTimeout(() => resolve({ error: `still at ${progress}` }), ms)),
])"""


def members(folders: Sequence[str], packages: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """(file, name in the zip) of the package, of what is asked for and of what that needs."""
    for folder in ("py_memory", *folders):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, str(path.relative_to(ROOT))
    for name in ("pyproject.toml", "docs/models.md", "tests/conftest.py", "tests/modelserver.py"):
        if (ROOT / name).exists():
            yield ROOT / name, name
    for package in packages:
        for file in metadata.files(package) or []:
            if ".." not in file.parts and file.suffix != ".pyc":
                yield Path(str(file.locate())), f"lib/{file}"


@contextmanager
def pyodide_site(
    folder: Path,
    script: Path,
    folders: Sequence[str],
    packages: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    hosts: Sequence[str] = (),
) -> Iterator[str]:
    """The address of a page that runs `script` in `/suite`, where `folders` of this repository, `packages` of
    this environment (in `lib`) and `texts` (name → content) lie. It may talk to `hosts`."""
    shutil.copytree(RUNNER, folder, dirs_exist_ok=True)
    shutil.copyfile(script, folder / "run.py")
    policy = json.loads((ROOT / "web" / "policy.json").read_text("utf-8"))
    policy["connect-src"] = " ".join(("'self'", *hosts))
    (folder / "policy.json").write_text(json.dumps(policy), "utf-8")
    (folder / "pyodide").mkdir()
    for name in PYODIDE_FILES:
        shutil.copy(PYODIDE / name, folder / "pyodide")
    with zipfile.ZipFile(folder / "suite.zip", "w") as archive:
        for path, name in members(folders, packages):
            archive.write(path, name)
        for name, text in (texts or {}).items():
            archive.writestr(name, text)
    server = SiteServer(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()
