"""Runs inside Pyodide: the soak with the options in options.json; the last value is its result as JSON."""

import argparse
import builtins
import json
import os
import sys

os.chdir("/suite")
sys.path.insert(0, "/suite")

from tests.bench import soak  # noqa: E402 -- it lies in the folder just named

tell = globals()["tell"]  # given by worker.js
builtins.print = lambda line, **_: tell(line)
with open("options.json", encoding="utf-8") as file:
    options = argparse.Namespace(**json.load(file))
json.dumps(soak.soak(options))
