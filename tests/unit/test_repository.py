"""Rules of the repository itself: pinned dependencies, each with its reason, and no registry addresses."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpython

ROOT = Path(__file__).resolve().parents[2]
NODE_FOLDERS = ("web", "tests/bench/peers", "tests/bench/sync")
EXACT_NPM = re.compile(r"\d+\.\d+\.\d+([-+.\w]*)?")
EXACT_PYTHON = re.compile(r"[A-Za-z0-9_.-]+==[\w.]+")


def node_packages(folder: str) -> dict[str, str]:
    package = json.loads((ROOT / folder / "package.json").read_text("utf-8"))
    return {**package["dependencies"], **package.get("devDependencies", {})}


def python_requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    requirements = list(project["build-system"]["requires"])
    for extra in project["project"]["optional-dependencies"].values():
        requirements += extra
    # build.py's own pins: the Node for machines that have none, and the wheel that the site carries.
    requirements += re.findall(r'^[A-Z_]+ = "([\w-]+==[\w.]+)', (ROOT / "build.py").read_text("utf-8"), re.M)
    return requirements


def test_core_has_no_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["dependencies"] == []


@pytest.mark.parametrize("folder", NODE_FOLDERS)
def test_lock_file_holds_no_registry_address(folder: str) -> None:
    text = (ROOT / folder / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in text
    assert '"integrity"' in text
    assert "registry" not in text


@pytest.mark.parametrize("folder", NODE_FOLDERS)
def test_node_packages_are_pinned_and_locked(folder: str) -> None:
    locked = json.loads((ROOT / folder / "package-lock.json").read_text("utf-8"))["packages"]
    for name, version in node_packages(folder).items():
        assert EXACT_NPM.fullmatch(version), f"{name} {version} is not an exact version"
        assert locked[f"node_modules/{name}"]["version"] == version


def test_python_packages_are_pinned() -> None:
    requirements = python_requirements()
    assert len(requirements) > 5
    for requirement in requirements:
        assert EXACT_PYTHON.fullmatch(requirement.partition(";")[0]), f"{requirement} is not an exact version"


def test_every_dependency_has_its_line() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `([^`]+)` \|", text, re.M))
    node = {name for folder in NODE_FOLDERS for name in node_packages(folder)}
    used = {*node, *(requirement.partition("==")[0] for requirement in python_requirements())}
    assert listed == used, "docs/dependencies.md lists what is used, one line each"


def test_the_policy_has_one_source() -> None:
    policy = json.loads((ROOT / "web" / "policy.json").read_text("utf-8"))
    assert policy["default-src"] == "'none'"
    assert "'unsafe-inline'" not in json.dumps(policy)
    assert "'unsafe-eval'" not in json.dumps(policy)
    holders = [
        path.relative_to(ROOT).as_posix()
        for folder in ("py_memory", "web/src", "web/public")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".ts", ".tsx", ".html", ".mjs")
        and "wasm-unsafe-eval" in path.read_text("utf-8")
    ]
    assert holders == []


def test_a_class_is_styled_in_one_place() -> None:
    """All styles of the page are one sheet: two parts that name a class alike would dress each other."""
    styles = sorted((ROOT / "web" / "src" / "ui" / "styles").glob("*.css"))
    assert styles
    rules = [name for file in styles for name in re.findall(r"^(\.[\w-]+) \{", file.read_text("utf-8"), re.M)]
    assert sorted({name for name in rules if rules.count(name) > 1}) == []
