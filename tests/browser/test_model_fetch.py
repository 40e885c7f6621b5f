"""The client of model servers inside Pyodide in Chromium: fetch streams, cancels, and says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext

from tests.browser.pyodide_site import RESULT, pyodide_site
from tests.modelserver import ModelServer

MINUTES = 5
KEY = "sk-do-not-show-0123456789"
RUN = """
import asyncio, json, sys, time
sys.path.insert(0, "/suite")
from py_memory import ModelError
from py_memory.browser_fetch import FetchTransport
from py_memory.models.openai import OpenAIModel, Patience

class Watch:
    def __init__(self, seconds):
        self.until = time.monotonic() + seconds
    def is_set(self):
        return time.monotonic() > self.until

async def ask(url, seconds=60, key=None):
    model = OpenAIModel(url, "m", key=key, transport=FetchTransport(),
                        patience=Patience(start_s=5, idle_s=1))
    found = {"text": "", "arguments": "", "finish": [], "error": None}
    begun = time.monotonic()
    try:
        async for delta in model.reply([{"role": "user", "content": "Hello"}], [], Watch(seconds)):
            found["text"] += delta.text
            found["arguments"] += delta.tool_call.arguments if delta.tool_call else ""
            found["finish"] += [delta.finish_reason] if delta.finish_reason else []
    except ModelError as error:
        found |= {"error": type(error).__name__, "code": error.code, "told": str(error)}
    found["seconds"] = time.monotonic() - begun
    return found

async def main(case):
    if case == "models":
        models = await OpenAIModel(URL, key=KEY, transport=FetchTransport()).list_models()
        return [model.id for model in models]
    return await ask(*case)

json.dumps([await main(case) for case in CASES])
"""


def test_a_page_talks_with_a_model_server(launch: Callable[..., BrowserContext], tmp_path: Path) -> None:
    said = "Guten Tag, 早上好 🌧"
    with ModelServer() as server, ModelServer() as closed, ModelServer() as elsewhere:
        server.script(
            {"text": said, "split": 1, "newline": "\r\n"},
            {"tool_calls": [{"name": "add", "arguments": {"x": "天气"}}], "split": 3},
            {"text": "All at once.", "stream": False},
            {"status": 503},
            {"text": "Half of", "disconnect_after": 2},
            {"text": "Half of", "stall_after": 2},
            {"redirect": f"{elsewhere.url}/chat/completions"},
            {"lines": 20_000},
            {"text": "And so", "stall_after": 2},
            key=KEY,
            models=["tiny", "small"],
        )
        closed.script(origin=None)
        asked = (server.url, 60, KEY)
        cases = ["models", *[asked] * 7, asked, (server.url, 0.5, KEY), (server.url,), (closed.url,)]
        cases.append(("http://127.0.0.1:9/v1",))
        cases.append((elsewhere.url,))  # the page's policy does not name it
        script = tmp_path / "script.py"
        script.write_text(f"URL, KEY, CASES = {server.url!r}, {KEY!r}, {cases!r}\n{RUN}", "utf-8")
        hosts = (server.address, closed.address, "http://127.0.0.1:9")
        page = launch().new_page()
        with pyodide_site(tmp_path / "site", script, (), hosts=hosts) as url:
            page.goto(url)
            result = page.evaluate(RESULT, MINUTES * 60_000)
        assert "report" in result, result
        found = json.loads(result["report"])
        models, text, call, whole, busy, half, stalled, redirected, long, stopped, *refused = found
        assert models == ["tiny", "small"]
        assert (text["text"], text["finish"]) == (said, ["stop"])
        assert json.loads(call["arguments"]) == {"x": "天气"}
        assert whole["text"] == "All at once."
        assert busy["code"] == "overloaded"
        assert (half["text"], half["error"]) == ("Half of", "ModelInterruptedError")
        assert (stalled["text"], stalled["error"]) == ("Half of", "ModelStalledError")
        assert redirected["code"] == "redirected_elsewhere"
        assert elsewhere.requests("") == []
        assert long["text"].count("\n") == 20_000
        assert (stopped["text"], stopped["finish"]) == ("And so", ["cancelled"])
        assert stopped["seconds"] < 3
        asked_last = [request for request in server.requests() if request["method"] == "POST"][-2]
        assert asked_last["ended"] == "left"
        assert [one["code"] for one in refused] == ["no_key", *["blocked_local"] * 3]
        assert "OLLAMA_ORIGINS=http://localhost:" in refused[1]["told"]
        assert KEY not in json.dumps(found)
