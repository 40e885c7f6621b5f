"""What people are told when a model cannot answer: each failure of a real server, in a chat, in English and
in Chinese, with what happened and what to do about it. docs/models.md has the same as a table.

What only a page can run into stands in tests/browser/test_model_server.py and test_model_https.py.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from py_memory import ChatAgent, MemoryStore
from py_memory.models.failures import FAILURES
from py_memory.models.openai import OpenAIModel, Patience
from py_memory.models.sockets import SocketTransport
from tests.modelserver import ModelServer

pytestmark = pytest.mark.cpython

DOCS = Path(__file__).resolve().parents[2] / "docs" / "models.md"
SAID = {"en": "Good morning, how are things?", "zh": "早上好，最近怎么样？"}
TOO_LONG = "This model's maximum context length is 4096 tokens."
BROKEN = 'data: {"choices": [{"delta": {"con\n\n'

# code → (what the server does, what is said happened and what to do, the same in Chinese)
TROUBLE: dict[str, tuple[Mapping[str, Any], tuple[str, str], tuple[str, str]]] = {
    "no_key": ({"status": 401}, ("wants a key", "Enter one"), ("需要密钥", "请在模型设置中填写")),
    "wrong_key": (
        {"status": 401, "key": "sk-old"},
        ("does not accept the key", "make a new one"),
        ("不接受这个密钥", "重新填写"),
    ),
    "forbidden": (
        {"status": 403},
        ("does not allow this", "Choose another model"),
        ("不允许", "请换一个模型"),
    ),
    "quota": (
        {"status": 402},
        ("has nothing left to spend", "choose another model"),
        ("额度已用完", "换一个模型"),
    ),
    "model_not_found": (
        {"status": 404, "error": "model 'm' not found, try pulling it first"},
        ("has no model named “m”", "ollama pull m"),
        ("没有名为“m”的模型", "ollama pull m"),
    ),
    "not_a_server": (
        {"status": 404, "body": "<html>Not here</html>"},
        ("not as a model server", "Check the address"),
        ("不是模型服务器", "请检查地址"),
    ),
    "not_a_server (a page)": (
        {"body": "<html>Welcome to the router</html>"},
        ("not as a model server", "Check the address"),
        ("不是模型服务器", "请检查地址"),
    ),
    "redirected": (
        {"redirect": "https://example.org/v1"},
        ("sends on to https://example.org/v1", "enter its address instead"),
        ("要求转到 https://example.org/v1", "请直接填写它的地址"),
    ),
    "rate_limited": (
        {"status": 429, "headers": {"Retry-After": "3600"}},
        ("has been asked too often", "Try again in 3600 s"),
        ("请求太多", "请在 3600 秒后再试"),
    ),
    "server_error": (
        {"status": 500, "times": 0},
        ("failed within (error 500)", "Try again"),
        ("内部出错（错误 500）", "请再试一次"),
    ),
    "overloaded": (
        {"status": 529, "times": 0},
        ("is too busy", "Try again in a moment"),
        ("现在太忙", "请稍后再试"),
    ),
    "loading": (
        {"status": 503, "error": "Loading model", "times": 0},
        ("is still loading the model", "Try again in a moment"),
        ("还在加载模型", "请稍后再试"),
    ),
    "context_too_long": (
        {"status": 400, "error": TOO_LONG, "code": "context_length_exceeded", "times": 0},
        ("more than “m” can read at once", "Start a new chat"),
        ("超过了“m”一次能读的长度", "请开始新对话"),
    ),
    "refused": (
        {"status": 422, "error": "no"},
        ("refused the request (error 422)", "Try other words"),
        ("拒绝了请求（错误 422）", "请换一种说法"),
    ),
    "filtered": (
        {"text": "", "finish_reason": "content_filter"},
        ("held the answer back", "Try other words"),
        ("拦下了回答", "请换一种说法"),
    ),
    "no_start": (
        {"stall_after": 0},
        ("did not begin to answer within 0.4 s", "try again"),
        ("在 0.4 秒内没有开始回答", "请再试一次"),
    ),
    "stalled": (
        {"text": "And so it", "stall_after": 2},
        ("stopped in the middle of the answer", "Try again"),
        ("回答中途停下", "请再试一次"),
    ),
    "no_answer": (
        {"disconnect_after": 0, "times": 0},
        ("closed the connection without an answer", "Try again"),
        ("没有回答就关闭了连接", "请再试一次"),
    ),
    "interrupted": (
        {"text": "And so it", "disconnect_after": 2},
        ("ended in the middle of the answer", "Try again"),
        ("回答中途断开", "请再试一次"),
    ),
    "bad_answer": (
        {"raw": [BROKEN]},
        ("sent something that is no answer", "choose another one"),
        ("发来的内容不是模型的回答", "换一个"),
    ),
}


def tell(store: MemoryStore, language: str, url: str, key: str | None = None, seconds: float = 10) -> str:
    """What stands in the answer to a message in that language, from a model at `url`."""

    async def at_once(seconds: float) -> None:
        pass

    patience = Patience(start_s=seconds, idle_s=seconds)
    model = OpenAIModel(url, "m", key=key, transport=SocketTransport(seconds), patience=patience)
    reply = asyncio.run(ChatAgent(store, model, sleep=at_once).chat_round(None, SAID[language]))
    assert reply.status == "failed"
    question, answer = store.get_recent_messages(reply.session_id, 2)
    assert (question.content, answer.id) == (SAID[language], reply.id)
    return reply.content


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TROUBLE)
def test_each_failure_says_what_happened_and_what_to_do(
    model_server: ModelServer, store: MemoryStore, name: str, language: str
) -> None:
    does, english, chinese = TROUBLE[name]
    key = does.get("key")
    model_server.script({part: value for part, value in does.items() if part != "key"})
    stalls = "stall_after" in does
    told = tell(store, language, model_server.url, key, 0.4 if stalls else 10)
    for words in english if language == "en" else chinese:
        assert words in told
    assert ("Your message is kept" if language == "en" else "你的消息已保存") in told
    if name.startswith(("stalled", "interrupted")):
        assert told.startswith("And so i"), "what had come stays"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_server_that_is_not_there_is_said_to_be_none(store: MemoryStore, language: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        told = tell(store, language, f"http://127.0.0.1:{taken.getsockname()[1]}")
    expected = {
        "en": ("Nothing answers at 127.0.0.1", "Check that the model server is running"),
        "zh": ("127.0.0.1", "没有应答", "请确认模型服务器正在运行"),
    }
    for words in expected[language]:
        assert words in told
    told = tell(store, language, "http://nowhere.invalid")
    expected = {
        "en": ("no computer named nowhere.invalid", "Check the address"),
        "zh": ("找不到名为 nowhere.invalid 的主机", "请检查地址"),
    }
    for words in expected[language]:
        assert words in told


def test_the_table_of_failures_is_the_one_in_use() -> None:
    """Every failure stands in the documentation once, with the sentence that is said."""
    _, _, table = DOCS.read_text("utf-8").partition("| code | English | Chinese |")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", table, re.M)
    assert [code for code, *_ in rows] == list(FAILURES)
    for code, english, chinese in rows:
        assert (english, chinese) == FAILURES[code][1:]
