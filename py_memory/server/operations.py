"""What whoever runs the server may see of it: counts for Prometheus and a line for each request. Neither
holds anything that a user or a client said: routes, methods and errors are out of lists, tokens go by their
key's id."""

from __future__ import annotations

import json
import threading
import traceback
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

__all__ = ["Log", "Noted", "Operations", "place_of"]

Log: TypeAlias = Callable[[str], None]

BUCKETS_S = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0)
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Noted:
    """`ms`: how long the answer took, its transfer left out. `error`: the name that the client was given.
    `place`: where in the program a failure arose."""

    at: int
    method: str
    route: str
    status: int
    ms: float
    bytes_in: int
    bytes_out: int
    token: str | None = None
    error: str | None = None
    place: str | None = None


class Operations:
    def __init__(self, routes: tuple[str, ...], log: Log | None = None) -> None:
        self._routes = frozenset(routes)
        self._log = log
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._bytes: Counter[str] = Counter()
        self._seconds: dict[str, list[int]] = {}
        self._total_s: dict[str, float] = {}

    def note(self, noted: Noted) -> None:
        route = noted.route if noted.route in self._routes else OTHER
        method = noted.method if noted.method in METHODS else OTHER
        with self._lock:
            self._answers[route, method, noted.status] += 1
            self._bytes["in"] += noted.bytes_in
            self._bytes["out"] += noted.bytes_out
            counts = self._seconds.setdefault(route, [0] * (len(BUCKETS_S) + 1))
            counts[bisect_left(BUCKETS_S, noted.ms / 1000)] += 1
            self._total_s[route] = self._total_s.get(route, 0.0) + noted.ms / 1000
        if self._log is not None:
            line = {
                "time": noted.at,
                "method": method,
                "route": route,
                "status": noted.status,
                "ms": round(noted.ms, 1),
                "bytes_in": noted.bytes_in,
                "bytes_out": noted.bytes_out,
                "token": noted.token,
                "error": noted.error,
                "place": noted.place,
            }
            self._log(json.dumps({name: value for name, value in line.items() if value is not None}))

    def metrics(self) -> str:
        """In Prometheus' text format, version 0.0.4."""
        with self._lock:
            answers, sizes = sorted(self._answers.items()), sorted(self._bytes.items())
            seconds = {route: list(counts) for route, counts in sorted(self._seconds.items())}
            total_s = dict(self._total_s)
        lines = [
            "# HELP py_memory_requests_total Requests answered.",
            "# TYPE py_memory_requests_total counter",
        ]
        lines += [
            f'py_memory_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}'
            for (route, method, status), count in answers
        ]
        lines += [
            "# HELP py_memory_bytes_total Bytes of bodies, as they travelled.",
            "# TYPE py_memory_bytes_total counter",
            *(f'py_memory_bytes_total{{direction="{way}"}} {count}' for way, count in sizes),
            "# HELP py_memory_request_seconds Time to make an answer.",
            "# TYPE py_memory_request_seconds histogram",
        ]
        for route, counts in seconds.items():
            so_far = 0
            for most, count in zip((*BUCKETS_S, "+Inf"), counts, strict=True):
                so_far += count
                lines.append(f'py_memory_request_seconds_bucket{{route="{route}",le="{most}"}} {so_far}')
            lines.append(f'py_memory_request_seconds_sum{{route="{route}"}} {total_s[route]:.6f}')
            lines.append(f'py_memory_request_seconds_count{{route="{route}"}} {so_far}')
        return "\n".join(lines) + "\n"


def place_of(error: BaseException) -> str:
    """The kind of an error and where it arose, without its words, which may quote what a memory holds."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} at {where}"
