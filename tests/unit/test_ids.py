"""Ids are UUIDv7 and rise within a process, whatever the clock does."""

from __future__ import annotations

import threading
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_memory.ids import uuid7


def test_it_is_a_uuid_of_version_7_with_its_time() -> None:
    far = 3_000_000_000_000
    id = uuid.UUID(uuid7(far))
    assert id.version == 7
    assert id.variant == uuid.RFC_4122
    assert id.int >> 80 >= far  # later only if an earlier test asked for a still later time


@given(st.lists(st.integers(min_value=0, max_value=2_000_000_000_000), min_size=2, max_size=50))
def test_ids_rise_even_when_the_clock_goes_back(times: list[int]) -> None:
    ids = [uuid7(time) for time in times]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


def test_many_ids_of_one_millisecond_differ_and_rise() -> None:
    ids = [uuid7(1_700_000_000_000) for _ in range(20_000)]
    assert ids == sorted(set(ids))


@pytest.mark.cpython
def test_threads_never_get_the_same_id() -> None:
    made: list[list[str]] = [[] for _ in range(8)]
    threads = [
        threading.Thread(target=lambda out=out: out.extend(uuid7() for _ in range(2000))) for out in made
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id for out in made for id in out}) == 16_000
