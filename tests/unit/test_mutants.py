"""Faults put into the program on purpose: the tests must see each of them.

A mutant is one change in one file of a copy of the package; the tests named with it run on the copy and have
to fail. A mutant whose text is not found any more fails here too, so that none goes stale.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpython

ROOT = Path(__file__).resolve().parents[2]

# name → (file, text, what it becomes, tests that must fail)
MUTANTS = {
    # facts with a life
    "a correction deletes": ("facts.py", 'status="superseded",\n                confidence', 'status="archived",\n                confidence', "test_facts.py"),
    "a correction keeps its confidence": ("facts.py", "CORRECTED, CORRECTION = 0.3, 0.95", "CORRECTED, CORRECTION = 0.9, 0.95", "test_facts.py"),
    "nothing expires": ("rows/facts.py", "f.expires_at > ?)", "f.expires_at > ? - 9e15)", "test_facts.py"),
    "an edit asks nothing": ("store.py", "fact_rows.mark_for_review(db, self.user_id, message_id, version_id)", "pass", "test_messages.py test_facts.py test_state_machine.py"),
    "a branch asks nothing": ("store.py", "self._leave_branch(session, parent_id)", "pass", "test_health.py"),
    "keys are not checked": ("migrations/0001_initial.sql", "SELECT RAISE(ABORT, 'unregistered fact key');", "SELECT 1;", "test_schema_rules.py"),
    # consent
    "the uncertain is proposed": ("facts.py", "LEAST_CONFIDENCE = 0.7", "LEAST_CONFIDENCE = 0.1", "test_facts.py"),
    "a rejection is forgotten": ("facts.py", "if self.is_refused(key, value):", "if False:", "test_facts.py"),
    "what is inferred is true at once": ("facts.py", 'fact = self._new(key, value, "candidate"', 'fact = self._new(key, value, "current"', "test_facts.py"),
    "don't remember is ignored": ("extraction/refusals.py", "if _PRIVATE.search(", "if None and _PRIVATE.search(", "test_extraction.py"),
    # extraction
    "quotations are read": ("extraction/masking.py", "    return without_quotations(\"\".join((*pieces, text[done:])))", "    return \"\".join((*pieces, text[done:]))", "test_extraction.py"),
    "secrets are read": ("extraction/masking.py", "    for begin, end in secret_spans(text):", "    for begin, end in ():", "test_extraction.py"),
    "what is asked is stated": ("extraction/guards.py", "    if sentence.text.rstrip(\"\\\"'”’」)） \").endswith((\"?\", \"？\")):", "    if False:", "test_extraction.py"),
    "questions take nothing for granted": ("extraction/__init__.py", "(_RULES if clause.start in at else _ASIDES)[language](clause, reading)", "(_RULES[language](clause, reading) if clause.start in at else [])", "test_extraction.py"),
    "a text to be written is the user's word": ("extraction/refusals.py", "(_PLAY, _WORKED_ON, _COMPOSED)", "(_PLAY, _WORKED_ON)", "test_extraction.py"),
    "names known count for nothing": ("extraction/__init__.py", "language: Reading(known=known) for", "language: Reading() for", "test_extraction.py"),
    "a date has no day": ("extraction/days.py", "(_SPOKEN, _DATE) if dated else (_SPOKEN,)", "(_SPOKEN,)", "test_extraction.py"),
    # contradictions
    "opposites stand together": ("health.py", '("user::likes", "user::dislikes"), ', "", "test_health.py"),
    "identities are joined blindly": ("migrations/0001_initial.sql", "SELECT RAISE(ABORT, 'contact belongs to another identity')", "SELECT 1", "test_schema_rules.py"),
    # weight and rest
    "use counts for nothing": ("weight.py", "use = 1 - 0.5 ** (1 + fact.use_count)", "use = 0.5 ** (1 + fact.use_count)", "test_health.py"),
    "the pinned rests": ("weight.py", "and not fact.pinned", "", "test_health.py"),
    "merging deletes": ("facts.py", 'status="superseded",\n                superseded_by=survivor', 'status="archived",\n                superseded_by=None', "test_health.py"),
    # forgetting
    "the index keeps its words": ("forgetting.py", "            index.optimize(self._db)", "            pass", "test_forgetting.py"),
    "versions stay": ("forgetting.py", 'for table in ("message_versions", "tool_calls", "uses"):', 'for table in ("tool_calls",):', "test_forgetting.py test_undo.py"),
    "no tombstone is left": ("forgetting.py", "add_tombstones(self._db, self._user, table, [id], self._now)", "pass", "test_forgetting.py test_memory_file.py"),
    "undo brings back half": ("undo.py", 'if self._insert(table, key, row) and table == "messages":', 'if table != "uses" and self._insert(table, key, row) and table == "messages":', "test_undo.py"),
    # owners
    "everybody's messages": ("rows/messages.py", 'WHERE m.id = ? AND m.user_id = ?", (id, user_id))', 'WHERE m.id = ? AND ? IS NOT NULL", (id, user_id))', "test_messages.py test_sessions.py test_facts.py test_search.py"),
    "agents see all": ("rows/facts.py", '_VISIBLE = "(f.agent_id IS NULL OR f.agent_id = ? OR f.visibility = \'shared\')"', '_VISIBLE = "(f.agent_id IS NULL OR ifnull(?, 1) IS NOT NULL)"', "test_facts.py"),
    # health
    "orphans are not seen": ("rows/health.py", "found += [(table, row[\"id\"]) for row in rows]", "found += []", "test_health.py"),
    "duplicates are not seen": ("rows/health.py", "if len(ids) > 1]", "if len(ids) > 2]", "test_health.py"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(name: str, tmp_path: Path) -> None:
    file, text, instead, tests = MUTANTS[name]
    shutil.copytree(ROOT / "py_memory", tmp_path / "py_memory", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests").mkdir()
    shutil.copytree(ROOT / "tests" / "unit", tmp_path / "tests" / "unit")
    source = tmp_path / "py_memory" / file
    whole = source.read_text("utf-8")
    assert text in whole, f"The mutant {name!r} looks for a text that is no longer in {file}."
    source.write_text(whole.replace(text, instead), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += [f"tests/unit/{test}" for test in tests.split()]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, f"The tests do not see {name!r}:\n{done.stdout[-800:]}"
