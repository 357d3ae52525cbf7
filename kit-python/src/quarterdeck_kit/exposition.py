"""The service's series in text format 0.0.4: the two of the specification, and the processes' own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import process, worker_file
from .request_metrics import BOUNDS
from .worker_file import WorkerNumbers

Workers = list[tuple["Path | None", WorkerNumbers]]


def request_lines(workers: Workers) -> Iterator[str]:
    requests: Counter[tuple[str, str]] = Counter()
    for _, numbers in workers:
        requests.update(numbers.requests)
    yield "# HELP http_requests_total Total HTTP requests"
    yield "# TYPE http_requests_total counter"
    for (method, endpoint), count in requests.items():
        # Room is kept for series that nobody has asked for yet.
        if count:
            yield f'http_requests_total{{method="{escaped(method)}",endpoint="{escaped(endpoint)}"}} {count}'


def latency_lines(workers: Workers) -> Iterator[str]:
    yield "# HELP http_request_duration_seconds Request latency"
    yield "# TYPE http_request_duration_seconds histogram"
    total = 0
    for index, bound in enumerate((*BOUNDS, "+Inf")):
        total += sum(numbers.buckets[index] for _, numbers in workers)
        yield f'http_request_duration_seconds_bucket{{le="{bound}"}} {total}'
    yield f"http_request_duration_seconds_sum {sum(numbers.seconds for _, numbers in workers)}"
    yield f"http_request_duration_seconds_count {total}"


def process_lines(workers: Workers) -> Iterator[str]:
    """Memory and descriptors of the living; the time of all, so that it never falls."""
    # A process may have several files, one for each kit of the same name.
    alive = {n.pid for _, n in workers if process.is_alive(n.pid, n.born)}
    yield from _series(
        "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", map(process.resident_bytes, alive)
    )
    yield from _series(
        "process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.", _cpu(workers, alive)
    )
    yield from _series("process_open_fds", "gauge", "Number of open file descriptors.", map(process.open_fds, alive))
    started = [numbers.started for _, numbers in workers if numbers.started]
    yield from _series(
        "process_start_time_seconds",
        "gauge",
        "Start time of the process since unix epoch in seconds.",
        [min(started)] if started else [],
    )


def _cpu(workers: Workers, alive: set[int]) -> Iterator[float]:
    told: set[int] = set()
    for path, numbers in workers:
        yield numbers.cpu_before
        now = process.cpu_seconds(numbers.pid) if numbers.pid in alive - told else None
        told.add(numbers.pid)
        if now is not None and path is not None and now > numbers.cpu_seen:
            try:
                worker_file.note_cpu_seen(path, now)
            except OSError:
                pass  # It was removed meanwhile; the next scrape no longer sees it.
        yield max(now or 0.0, numbers.cpu_seen)


def _series(name: str, kind: str, help_text: str, values: Iterable[float | None]) -> Iterator[str]:
    known = [value for value in values if value is not None]
    if known:
        yield f"# HELP {name} {help_text}"
        yield f"# TYPE {name} {kind}"
        yield f"{name} {round(sum(known), 2)}"


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
