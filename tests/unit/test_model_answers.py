"""What model servers send, however it is cut; what their errors mean; what the user is told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from py_memory import (
    ContextTooLongError,
    ModelAddressError,
    ModelBadAnswerError,
    ModelError,
    ModelInterruptedError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelRateLimitedError,
    ModelRefusedError,
    ModelUnauthorisedError,
)
from py_memory.errors import TooLargeError
from py_memory.models import sse
from py_memory.models.address import network_of, server_address
from py_memory.models.chat_answer import StreamedAnswer, error_of, models_in, whole_answer
from py_memory.models.failures import FAILURES, failure, sentence
from py_memory.records import Delta, ModelInfo, ToolCallDelta

DETAILS = {"server": "localhost:1234", "model": "tiny"}


def events(*pieces: bytes) -> list[str]:
    decoder = sse.EventDecoder()
    found = [event for piece in pieces for event in decoder.feed(piece)]
    return found + list(decoder.end())


# -- server-sent events --


@pytest.mark.parametrize(
    ("sent", "data"),
    [
        ("data: a\n\ndata: b\n\n", ["a", "b"]),
        ("data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        ("data: a\r\rdata: b\r\r", ["a", "b"]),
        ("\ufeffdata: a\n\n", ["a"]),
        (": a comment\n\ndata:a\n:\ndata:  b\n\n", ["a\n b"]),
        ("event: x\nid: 5\nretry: 100\nnonsense\ndata: a\n\n", ["a"]),
        ("event: nothing\n\n\n\ndata\n\n", [""]),
        ("data: the last has no empty line", ["the last has no empty line"]),
        ("data: 天气 🌧\n\n", ["天气 🌧"]),
    ],
)
def test_events_are_read_as_the_standard_says(sent: str, data: list[str]) -> None:
    assert events(sent.encode()) == data


@given(
    some.lists(some.text(some.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), max_size=5),
    some.sampled_from(["\n", "\r\n", "\r"]),
    some.integers(1, 7),
)
def test_it_does_not_matter_where_a_stream_is_cut(texts: list[str], end: str, size: int) -> None:
    sent = "".join(f"data: {text}{end}data: more{end}{end}" for text in texts).encode()
    pieces = [sent[begin : begin + size] for begin in range(0, len(sent), size)]
    assert events(*pieces) == [f"{text}\nmore" for text in texts]


def test_bytes_that_are_no_text_become_a_sign_for_that() -> None:
    assert events(b"data: a\xff\xfeb\n\n") == ["a��b"]


def test_a_stream_without_ends_does_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_CHARACTERS", 1000)
    with pytest.raises(TooLargeError):
        events(*[b"x" * 100] * 11)
    with pytest.raises(TooLargeError):
        events(*[b"data: " + b"x" * 100 + b"\n"] * 11)
    with pytest.raises(ModelBadAnswerError):
        list(StreamedAnswer(DETAILS).feed(b"x" * 1001))


# -- answers --


def chunk(finish: str | None = None, **delta: Any) -> str:
    return json.dumps({"choices": [{"delta": delta, "finish_reason": finish}]})


def streamed(*chunks: str, done: bool = True) -> list[Delta]:
    answer = StreamedAnswer(DETAILS)
    sent = "".join(f"data: {one}\n\n" for one in (*chunks, *(["[DONE]"] if done else [])))
    return [*answer.feed(sent.encode()), *answer.end()]


def call(**fields: Any) -> str:
    return chunk(tool_calls=[fields])


def joined(deltas: Iterable[Delta]) -> dict[int, tuple[str | None, str | None, str]]:
    """Calls as whoever runs them puts them together."""
    calls: dict[int, ToolCallDelta] = {}
    for delta in deltas:
        if piece := delta.tool_call:
            known = calls.get(piece.index, ToolCallDelta(piece.index))
            calls[piece.index] = ToolCallDelta(
                piece.index, known.id or piece.id, known.name or piece.name, known.arguments + piece.arguments
            )
    return {index: (call.id, call.name, call.arguments) for index, call in calls.items()}


def test_text_usage_and_the_end_are_told() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9, "details": {}}
    deltas = streamed(
        chunk(role="assistant", content=""),
        chunk(content="Good "),
        chunk(content="morning"),
        chunk("stop"),
        json.dumps({"choices": [], "usage": usage}),
    )
    assert [delta.text for delta in deltas if delta.text] == ["Good ", "morning"]
    assert [delta.finish_reason for delta in deltas if delta.finish_reason] == ["stop"]
    assert [delta.usage for delta in deltas if delta.usage] == [
        {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    ]


@pytest.mark.parametrize(
    "pieces",
    [
        [  # as OpenAI does
            call(index=0, id="a", function={"name": "add", "arguments": ""}),
            call(index=0, function={"arguments": '{"x": '}),
            call(index=1, id="b", function={"name": "take", "arguments": '{"y"'}),
            call(index=0, function={"arguments": "1}"}),
            call(index=1, function={"arguments": ": 2}"}),
        ],
        [  # no index, whole calls
            call(id="a", function={"name": "add", "arguments": '{"x": 1}'}),
            call(id="b", function={"name": "take", "arguments": '{"y": 2}'}),
        ],
        [  # always index 0
            call(index=0, id="a", function={"name": "add", "arguments": '{"x": 1}'}),
            call(index=0, id="b", function={"name": "take", "arguments": '{"y": 2}'}),
        ],
        [  # the id in each piece, arguments as an object
            call(index=0, id="a", function={"name": "add", "arguments": {"x": 1}}),
            call(index=1, id="b", function={"name": "take", "arguments": ""}),
            call(index=1, id="b", function={"arguments": '{"y": 2}'}),
        ],
        [  # the id comes late, the end without index
            call(index=0, function={"name": "add"}),
            call(index=0, id="a", function={"arguments": '{"x": 1}'}),
            call(id="b", function={"name": "take"}),
            call(function={"arguments": '{"y": 2}'}),
        ],
    ],
)
def test_pieces_of_calls_find_their_call(pieces: list[str]) -> None:
    calls = joined(streamed(*pieces, chunk("tool_calls")))
    assert calls == {0: ("a", "add", '{"x": 1}'), 1: ("b", "take", '{"y": 2}')}


def test_whole_calls_without_index_and_id_are_two() -> None:
    twice = [{"function": {"name": "add", "arguments": {"x": number}}} for number in (1, 2)]
    calls = joined(streamed(chunk("tool_calls", tool_calls=twice)))
    assert calls == {0: (None, "add", '{"x": 1}'), 1: (None, "add", '{"x": 2}')}


def test_an_answer_may_come_whole() -> None:
    message = {
        "content": [{"type": "text", "text": "Good "}, {"type": "text", "text": "morning"}],
        "tool_calls": [{"id": "a", "function": {"name": "add", "arguments": "{}"}}],
    }
    text = json.dumps(
        {"choices": [{"message": message, "finish_reason": "length"}], "usage": {"total_tokens": 4}}
    )
    deltas = list(whole_answer(text, DETAILS))
    assert deltas[0].text == "Good morning"
    assert joined(deltas) == {0: ("a", "add", "{}")}
    assert deltas[-1].finish_reason == "length"
    assert {"total_tokens": 4} in [delta.usage for delta in deltas]


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"delta": "x"}]},
        {"choices": [{"delta": {"content": 5, "tool_calls": {"a": 1}}}]},
        {"choices": [{"delta": {"tool_calls": [5, None]}}]},
        {"usage": {"prompt_tokens": "many", "total_tokens": -1, "completion_tokens": True}},
        {"something": "else"},
    ],
)
def test_what_is_unknown_in_a_chunk_is_passed_over(odd: dict[str, Any]) -> None:
    assert [delta.text for delta in streamed(json.dumps(odd), chunk(content="a"))] == ["a"]


def test_events_without_empty_lines_between_them_are_read() -> None:
    answer = StreamedAnswer(DETAILS)
    sent = f"data: {chunk(content='a')}\ndata: {chunk(content='b')}\ndata: [DONE]\n\n"
    assert [delta.text for delta in answer.feed(sent.encode())] == ["a", "b"]
    assert answer.done


def test_a_stream_that_ends_early_is_no_answer() -> None:
    with pytest.raises(ModelInterruptedError):
        streamed(chunk(content="and then"), done=False)
    assert streamed(chunk("stop", content="The end"), done=False)[0].text == "The end"


@pytest.mark.parametrize("bad", ["{", "5", '"text"', "[" * 200 + "]" * 200, '{"choices": [NaN]}'])
def test_what_is_no_answer_is_said_to_be_none(bad: str) -> None:
    with pytest.raises(ModelBadAnswerError):
        streamed(bad)
    with pytest.raises(ModelBadAnswerError):
        list(whole_answer(bad, DETAILS))


def test_an_error_in_the_stream_ends_it() -> None:
    error = json.dumps({"error": {"message": "The prompt exceeds the context size", "code": 400}})
    with pytest.raises(ContextTooLongError):
        streamed(chunk(content="a"), error)
    with pytest.raises(ModelOverloadedError, match="boom"):
        streamed('{"error": "boom"}')


def test_a_filter_that_leaves_nothing_is_told() -> None:
    with pytest.raises(ModelRefusedError):
        streamed(chunk("content_filter"))
    assert streamed(chunk("content_filter", content="Half"))[-1].finish_reason == "content_filter"


def test_models_and_their_context_are_listed() -> None:
    data = [
        {"id": "a", "max_model_len": 8192},
        {"id": "b", "meta": {"n_ctx": 2048, "n_ctx_train": 131072}},
        {"id": "c", "context_length": "long"},
        {"name": "no id"},
        7,
    ]
    found = models_in(json.dumps({"data": data}), DETAILS)
    assert found == [ModelInfo("a", 8192), ModelInfo("b", 2048), ModelInfo("c")]
    assert models_in('{"object": "list", "data": null}', DETAILS) == []
    for text in ("<html>", "{}", '{"data": 5}'):
        with pytest.raises(ModelAddressError):
            models_in(text, DETAILS)


# -- errors --


@pytest.mark.parametrize(
    ("status", "body", "error", "code"),
    [
        (401, {"error": {"message": "no"}}, ModelUnauthorisedError, "wrong_key"),
        (403, {}, ModelUnauthorisedError, "forbidden"),
        (402, {}, ModelUnauthorisedError, "quota"),
        (429, {"error": {"message": "slow down"}}, ModelRateLimitedError, "rate_limited"),
        (429, {"error": {"message": "no", "code": "insufficient_quota"}}, ModelUnauthorisedError, "quota"),
        (404, {"error": "model 'x' not found, try pulling it first"}, ModelNotFoundError, "model_not_found"),
        (400, {"error": {"message": "The model `x` does not exist"}}, ModelNotFoundError, "model_not_found"),
        (404, {"detail": "Not Found"}, ModelAddressError, "not_a_server"),
        (400, {"error": {"message": "", "code": "context_length_exceeded"}}, ContextTooLongError, None),
        (
            400,
            {
                "error": {
                    "message": "the request exceeds the available context size",
                    "type": "exceed_context_size_error",
                }
            },
            ContextTooLongError,
            None,
        ),
        (413, {}, ContextTooLongError, None),
        (503, {"error": {"message": "Loading model"}}, ModelOverloadedError, "loading"),
        (503, {}, ModelOverloadedError, "overloaded"),
        (529, {}, ModelOverloadedError, "overloaded"),
        (500, {}, ModelOverloadedError, "server_error"),
        (422, {"message": "temperature too high"}, ModelRefusedError, "refused"),
    ],
)
def test_an_error_answer_is_told_apart(
    status: int, body: Mapping[str, Any], error: type[ModelError], code: str | None
) -> None:
    found = error_of(status, json.dumps(body), DETAILS, "sk-1")
    assert type(found) is error
    assert code in (None, found.code)


def test_the_servers_words_are_quoted_short_and_without_the_key() -> None:
    said = json.dumps({"error": {"message": f"sk-abc is wrong\u0000\ud800 {'x' * 1000}"}})
    told = str(error_of(401, said, DETAILS, "sk-abc"))
    assert "sk-abc" not in told
    assert "… is wrong" in told
    assert len(told) < 600
    told.encode()
    assert "<html>" not in str(error_of(500, "<html>Internal error</html>", DETAILS))


# -- what the user is told --


def test_every_failure_says_what_to_do_in_both_languages() -> None:
    assert len(FAILURES) >= 12
    told = []
    for code in FAILURES:
        error = failure(code, **DETAILS, seconds=5, status=500, origin="https://me.example", address="x")
        for language in ("en", "zh"):
            text = sentence(error, language)
            assert "{" not in text
            assert text.endswith((".", "。"))
            assert bool(re.search("[一-鿿]", text)) == (language == "zh")
            # What happened, and what to do about it.
            assert len(re.split(r"[.:;。：；]\s?(?=[A-Z一-鿿i“])", text)) >= 2, text
            told.append(text)
        assert str(error) == sentence(error, "en")
    assert len(set(told)) == 2 * len(FAILURES)


def test_a_failure_names_what_it_is_about() -> None:
    error = failure("model_not_found", server="localhost:11434", model="gemma", said="not there")
    assert "localhost:11434" in str(error)
    assert "ollama pull gemma" in str(error)
    assert "ollama pull gemma" in sentence(error, "zh")
    assert sentence(error, "en").endswith("The server said: “not there”")
    assert sentence(error, "zh").endswith("服务器的说明：“not there”")
    assert sentence(ModelError("In its own words."), "zh") == "In its own words."


def test_a_failure_without_details_still_reads() -> None:
    for code in FAILURES:
        assert "{" not in sentence(failure(code), "zh")


# -- addresses --


@pytest.mark.parametrize(
    ("typed", "base"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("localhost:1234", "http://localhost:1234/v1"),
        (" 192.168.1.5:8080/v1/ ", "http://192.168.1.5:8080/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("api.openai.com", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        ("https://host.example/openai/v1/models", "https://host.example/openai/v1"),
        ("HTTPS://Host.Example/API", "https://host.example/API"),
    ],
)
def test_addresses_are_read_as_people_type_them(typed: str, base: str) -> None:
    assert server_address(typed).base == base


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "ftp://host",
        "http://",
        "http://user:secret@host/v1",
        "https://host/v1?key=secret",
        "https://host/v1#secret",
        "http://host:99999/v1",
        "http://[::1",
        "http://a b/v1",
        "http://host/\r\nX: y",
        "http://主机/v1",
        "javascript:alert(1)",
        None,
        5,
        "x" * 3 + "\0",
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(typed: Any) -> None:
    with pytest.raises(ModelAddressError) as raised:
        server_address(typed)
    assert "secret" not in str(raised.value)


def test_a_key_does_not_travel_for_everybody_to_read() -> None:
    for address in ("http://localhost:1", "http://192.168.0.9:1", "http://box.local", "https://host.example"):
        assert server_address(address, has_key=True)
    with pytest.raises(ModelAddressError):
        server_address("http://host.example", has_key=True)


def test_where_a_server_is() -> None:
    assert {network_of(host) for host in ("localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]")} == {
        "loopback"
    }
    assert {network_of(host) for host in ("10.0.0.1", "192.168.1.1", "172.20.0.1", "nas", "nas.local")} == {
        "local"
    }
    assert {network_of(host) for host in ("api.openai.com", "8.8.8.8", "localhost.example.com")} == {None}
