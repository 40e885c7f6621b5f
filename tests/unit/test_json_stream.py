"""JSON read part by part: the values that the standard parser gives, whatever the size, depth and damage."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory.errors import ImportRefusedError, InvalidInputError
from py_memory.formats import json_stream
from py_memory.formats.deep_json import depth_of, parse_deep
from py_memory.formats.json_stream import START, read_parts

scalars: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8)
)
scalars |= st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(['"', "\\", '\\"', "]}", "\n"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


class Trickle(io.BytesIO):
    """Gives a few bytes at a time, as a zip may."""

    step = 1

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self.step)


def is_list_or_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except ValueError:
        return False


def together(file: io.BytesIO) -> Any:
    """What the parts make up."""
    parts = list(read_parts(file))
    if any(part.name is not None for part in parts):
        out: dict[str, Any] = {}
        for part in parts:
            name = part.name or ""
            if part.index is not None:
                out[name].append(part.value())
            else:
                out[name] = [] if part.raw == START else part.value()
        return out
    return [part.value() for part in parts]


@given(st.lists(values, max_size=5), st.booleans(), st.integers(1, 7))
def test_a_list_has_the_values_of_the_standard_parser(items: list[Any], ascii: bool, step: int) -> None:
    file = Trickle(json.dumps(items, ensure_ascii=ascii, indent=1).encode("utf-8", "replace"))
    file.step = step
    assert together(file) == json.loads(json.dumps(items).encode("utf-8", "replace"))


@given(st.dictionaries(st.text(min_size=1, max_size=4), values, min_size=1, max_size=5), st.integers(1, 7))
def test_so_has_an_object(item: dict[str, Any], step: int) -> None:
    file = Trickle(json.dumps(item).encode())
    file.step = step
    assert together(file) == json.loads(json.dumps(item))


@given(values)
def test_deep_values_are_read_alike(value: Any) -> None:
    assert parse_deep(json.dumps(value, indent=1), 1000) == json.loads(json.dumps(value))


@given(st.text(alphabet='[]{},:"\\01tnul ', max_size=14))
def test_what_is_no_json_is_refused_by_both(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(InvalidInputError):
            parse_deep(text, 1000)
    else:
        assert parse_deep(text, 1000) == expected


@given(st.text(alphabet='[]{},:"\\01tnul ', max_size=14))
def test_nothing_but_an_error_of_our_own_comes_out(text: str) -> None:
    try:
        found = together(io.BytesIO(text.encode()))
    except (ImportRefusedError, InvalidInputError):
        assert not is_list_or_object(text)
    else:
        assert found == (json.loads(text) or [])


def test_thousands_of_levels_are_read_without_recursion() -> None:
    depth = 15_000
    source = b'[{"a": ' + b"[" * depth + b"1" + b"]" * depth + b"}]"
    (part,) = read_parts(io.BytesIO(source))
    assert part.depth == depth + 1
    value: Any = part.value(depth + 5)["a"]  # type: ignore[index]
    assert depth_of(value, 100) == 101
    for _ in range(depth):
        (value,) = value
    assert value == 1


def test_what_is_deeper_than_asked_for_is_not_built() -> None:
    (part,) = read_parts(io.BytesIO(b'[{"a": ' + b"[" * 9000 + b"]" * 9000 + b', "b": [1]}]'))
    value = part.value()
    assert depth_of(value, 200) == json_stream.MAX_KEPT_DEPTH
    assert value["b"] == [1]  # type: ignore[index]
    assert parse_deep('[[[1], 2], {"a": {"b": []}}]', 2) == [[None, 2], {"a": None}]


@pytest.mark.parametrize("end", ["", "]", "}", ",", '"'])
def test_a_deep_text_that_breaks_off_does_no_harm(end: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_deep("[" * 15_000 + end, 20_000)


def test_what_is_too_large_or_too_deep_is_passed_over() -> None:
    deep = b"[" * 20_001 + b"]" * 20_001
    source = b'["' + b"x" * 3000 + b'", 1, [' + b"2," * 2000 + b"3], " + deep + b", 4]"
    parts = list(read_parts(io.BytesIO(source), most=2000))
    assert [part.problem for part in parts] == ["too_large", None, "too_large", "too_large", None]
    assert [part.raw for part in parts] == [None, b"1", None, None, b"4"]
    (part,) = read_parts(io.BytesIO(b"[" + deep + b"]"))
    assert part.problem == "too_deep"
    with pytest.raises(InvalidInputError, match="too_deep"):
        part.value()


def test_no_more_than_a_part_is_in_memory() -> None:
    """A long list is read in steps: the first part is there before the rest has been asked for."""
    chunk = json_stream._CHUNK
    file = io.BytesIO(b"[" + b",".join(b'"%0100d"' % number for number in range(100_000)) + b"]")
    parts = read_parts(file)
    next(parts)
    assert file.tell() == chunk
    assert sum(1 for _ in parts) == 99_999


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (b"", "neither a list nor an object"),
        (b"12", "neither a list nor an object"),
        (b'"text"', "neither a list nor an object"),
        (b"[1, 2", "cut short"),
        (b'["abc', "does not end"),
        (b'["abc\\', "does not end"),
        (b'[{"a": [1}', "closes what another"),
        (b'[{"a": 1}', "cut short"),
        (b"[1 2]", "is expected"),
        (b"[1,]", "value is missing|closes"),
        (b'{"a" 1}', "is expected"),
        (b"{1: 2}", "a name is expected"),
        (b'{"\\q": 2}', "name cannot be read"),
        (b"[1] [2]", "more follows"),
        (b"[" + b"1" * 600_000 + b"]", "number does not end"),
    ],
)
def test_damage_is_told_with_its_place(source: bytes, why: str) -> None:
    with pytest.raises(ImportRefusedError, match=f"at byte [0-9,]+: .*({why}).*nothing was imported"):
        list(read_parts(io.BytesIO(source)))


def test_a_fault_inside_a_part_spoils_that_one_alone() -> None:
    parts = list(read_parts(io.BytesIO(b'\xef\xbb\xbf[{"a": nul}, {"b": NaN}, {"c": "\xff"}]')))
    for part in parts[:2]:
        with pytest.raises(InvalidInputError):
            part.value()
    assert parts[2].value() == {"c": "\ufffd"}
