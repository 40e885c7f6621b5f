"""Runs inside Pyodide: recall as options.json says; the last value is its result as JSON."""

import json
import os
import sys
from pathlib import Path

os.chdir("/suite")
sys.path.insert(0, "/suite")

from tests.bench import recall_found  # noqa: E402 -- it lies in the folder just named

tell = globals()["tell"]  # given by worker.js
options = json.loads(Path("options.json").read_text("utf-8"))
if options["data"]:
    found = recall_found.scored(Path("data.jsonl"), tell=tell)
else:
    found = recall_found.measured(options["sizes"], options["facts"], tell)
json.dumps(found)
