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
    "don't remember is ignored": ("extraction/guards.py", "if _PRIVATE.search(", "if None and _PRIVATE.search(", "test_extraction.py"),
    # extraction
    "quotations are read": ("extraction/guards.py", "    return _without_quotations(\"\".join((*pieces, text[done:])))", "    return \"\".join((*pieces, text[done:]))", "test_extraction.py"),
    "secrets are read": ("extraction/guards.py", "    for begin, end in secret_spans(text):", "    for begin, end in ():", "test_extraction.py"),
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
    # recall
    "no feedback": ("recall/ranking.py", "        self._add_feedback()", "", "test_recall.py"),
    "neighbours by rowid": ("recall/ranking.py", "WHERE n.session_id = m.session_id ", "WHERE n.user_id = m.user_id ", "test_recall.py"),
    "anybody may have said it": ("recall/parameters.py", "speaker: float = 2.5", "speaker: float = 1.0", "test_recall.py"),
    "only messages are recalled": ("recall/ranked.py", "*map(_of_message, messages), *others", "*map(_of_message, messages),", "test_recall.py"),
    "what was corrected is recalled": ("recall/others.py", "OR ? AND f.status", "OR ? + 1 AND f.status", "test_recall.py"),
    "recall crosses owners": ("recall/postings.py", "alone = not messages or", "alone = True or", "test_recall.py"),
    "near enough is exact": ("recall/search.py", "    if found < 0:\n        return None", "    found = max(found, 0)", "test_search.py test_recall.py"),
    "one language only": ("recall/expansion.py", "    for other, weight in links(word)", "    for other, weight in links(word)[:0]", "test_recall.py"),
    "always something to add": ("recall/ranked.py", "if item.score >= size * _floor(item, parameters)]", "if item.score]", "test_recall.py"),
    "yesterday is no day": ("marks.py", "timedelta(days=_SHIFTS[match.group()])", "timedelta(days=0)", "test_recall.py"),
    "the scorer's order is lost": ("recall/bench.py", "for message in found]", "for message in reversed(found)]", "test_recall.py"),
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
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
    ]
    command += [f"tests/unit/{test}" for test in tests.split()]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, f"The tests do not see {name!r}:\n{done.stdout[-800:]}"
