"""The benchmark `sync_soak` in short."""

from __future__ import annotations

from pathlib import Path

import pytest

from .sync_long import LongHistory

pytestmark = pytest.mark.cpython


@pytest.mark.parametrize("seed", [1, 2])
def test_a_long_history_ends_the_same_everywhere(seed: int, tmp_path: Path) -> None:
    history = LongHistory(seed, tmp_path)
    history.live(400)
    ended = history.finish_all()
    assert ended["lost"] > 0
    history.close()
