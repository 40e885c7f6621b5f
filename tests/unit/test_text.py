"""Cleaning, sizes and the segmenting of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory import text
from py_memory.database import Database

ANY_TEXT = st.text(st.characters(), max_size=60)  # surrogates and NUL included


@pytest.mark.parametrize(
    ("given_text", "kept", "notes"),
    [
        ("plain", "plain", ()),
        ("a\0b", "a\ufffdb", ("nul_replaced",)),
        ("x\ud800y", "x\ufffdy", ("surrogate_replaced",)),
        ("\udc00\0", "\ufffd\ufffd", ("nul_replaced", "surrogate_replaced")),
        ("\ud83d\ude00", "😀", ()),  # a whole pair is the character it stands for
        ("שלום עולם", "שלום עולם", ()),
    ],
)
def test_clean(given_text: str, kept: str, notes: tuple[str, ...]) -> None:
    assert text.clean(given_text) == (kept, notes)


@given(ANY_TEXT)
def test_cleaned_text_can_be_stored_and_is_clean(given_text: str) -> None:
    cleaned, _ = text.clean(given_text)
    cleaned.encode()
    assert "\0" not in cleaned
    assert text.clean(cleaned) == (cleaned, ())


@pytest.mark.parametrize(
    ("given_text", "tokens"), [("", 0), ("abc", 1), ("abcd", 2), ("退款", 2), ("退款了", 2)]
)
def test_estimate_tokens(given_text: str, tokens: int) -> None:
    assert text.estimate_tokens(given_text) == tokens


@pytest.mark.parametrize(
    ("given_text", "language"),
    [
        ("Where is my order?", "en"),
        ("我的订单在哪里？", "zh"),
        ("", "en"),
        ("Please call 小梅 about the new house", "en"),
        ("我用 Python 3 写代码", "zh"),
        ("hello 你好", "zh"),  # a tie of letters goes to Chinese
        ("hi there friends 你好", "en"),
        ("修一下 `for name in every list of names`", "zh"),
        ("```\nfor name in names: print(name)\n```\n这是什么", "zh"),
        ("12 345 678 好", "zh"),
        ("12", "en"),
    ],
)
def test_detect_language(given_text: str, language: str) -> None:
    assert text.detect_language(given_text) == language


@pytest.mark.parametrize(
    ("given_text", "terms"),
    [
        ("Refund Policy", "refund policy"),
        ("我要退款", "退 款 要退 退款"),
        ("猫", "猫"),
        ("OPPO手机", "oppo 手 机 手机"),
        ("ＯＰＰＯ", "oppo"),
        ("アイス・カレー", "ア イ ス アイ イス カ レ ー カレ レー"),
        ("…!?", ""),
    ],
)
def test_search_terms(given_text: str, terms: str) -> None:
    assert text.search_terms(given_text) == terms


def test_search_marks_hold_the_speaker_and_the_day() -> None:
    assert text.search_marks("Mei", 1_683_504_000_000) == "mei xy2023 xm05 xd0508"
    assert text.search_marks(None, 0) == "xy1970 xm01 xd0101"
    assert text.search_marks("美", 10**17) == "美"  # a year that no calendar has


def test_a_question_leaves_out_what_is_too_common() -> None:
    assert text.match_any("What was the refund policy?") == '"refund" OR "policy"'
    assert text.match_any("what is it") == ""
    assert text.match_any("我的") == ""  # both characters are function words
    assert '"退款"' in text.match_any("我的退款")


@given(ANY_TEXT)
def test_no_text_breaks_the_query_syntax(given_text: str) -> None:
    database = Database(":memory:")
    for query in (text.match_any(given_text), text.match_all(given_text)):
        if query:
            database.query("SELECT rowid FROM message_search WHERE message_search MATCH ?", (query,))
    database.close()
