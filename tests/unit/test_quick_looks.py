"""Looking for a word before a pattern is tried changes nothing of what is found."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory import checks, marks
from py_memory.errors import InvalidInputError
from py_memory.extraction import secrets

PIECES = st.sampled_from(
    [
        *("password", "PASSWORD", "paſſword", "PİN", "pın", "api_key", "wi-fi Key", "OTP"),
        *(
            " is ",
            ": ",
            "=",
            "hunter2",
            "Bearer abcdefgh12345678",
            "https://ann:pw@host",
            "-----BEGIN PRIVATE KEY-----",
        ),
        *(
            "sk-live-abcdefghijklmnop",
            "AKIA0123456789AB",
            "eyJabcdefgh.abcdefgh.x",
            "密码是",
            "卡号 1234",
            "123-45-6789",
        ),
        *("4111 1111 1111 1111", "110101199003071234", "aB3dE5fG7hI9jK1lM3nO5pQ7", "\n", ". ", "x"),
        *(
            "2026-11-30",
            "30 nov",
            "november",
            "may 5, 2026",
            "3月5日",
            "2026年3月",
            "yesterday",
            "昨天",
            "two weeks ago",
        ),
        *(
            "三天前",
            "last friday",
            "上周五",
            "next week",
            "去年",
            "下个月",
            "1999",
            "the day before yesterday",
        ),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=8).map(" ".join) | st.lists(PIECES, max_size=6).map(
    "".join
)


@given(TEXTS)
def test_secrets(text: str) -> None:
    spans = [
        match.span()
        for pattern in (*(pattern for _, pattern in secrets._SECRETS), secrets._RANDOM)
        for match in pattern.finditer(text)
    ]
    assert set(spans) <= set(secrets.secret_spans(text))


@given(TEXTS.map(str.lower))
def test_marks(text: str) -> None:
    said = datetime(2026, 11, 30, tzinfo=UTC)
    quick = marks.spoken_marks(text, int(said.timestamp() * 1000))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(marks, "_found", lambda needed, pattern, text: pattern.finditer(text))
        assert quick == marks.spoken_marks(text, int(said.timestamp() * 1000))


@given(
    st.lists(st.sampled_from(['"', "\\", "[", "]", "{", "}", "a", "\n", ","]), max_size=60).map("".join),
    st.integers(0, 6),
)
def test_depth(source: str, most: int) -> None:
    """Counted character by character. What is no JSON may be taken for deeper or flatter: it is refused
    by either reading."""
    depth = deepest = 0
    quoted = escaped = False
    for character in source:
        if quoted:
            quoted, escaped = (character != '"' or escaped), character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            deepest = max(depth, deepest)
        elif character in "]}":
            depth -= 1
    assert checks._depth_exceeds(source, most) == (deepest > most)


def test_a_text_of_quotes_alone_is_read_quickly() -> None:
    """Each of these is looked at once: a pattern that went back would take hours."""
    for source in (
        '"' + '\\"' * 2_000_000,
        '"' + "\\" * 4_000_001,
        '"' * 4_000_001,
        "[" * 200 + '"' + "x" * 4_000_000,
    ):
        with pytest.raises(InvalidInputError):
            checks.read_json(source)
