"""Counts requests, for every worker of the service: each writes its own numbers, a scrape on any of them reads all."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import threading
import weakref
from bisect import bisect_left
from pathlib import Path

from . import process, worker_file, workers
from .worker_file import Unreadable, WorkerFile, WorkerNumbers

log = logging.getLogger("quarterdeck")

#: Upper bounds of the latency buckets, in seconds.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
#: The endpoint of everything that no route matched: one value, so that scanners cannot grow it.
UNMATCHED = "unmatched"
#: The method of everything that HTTP does not name.
OTHER_METHOD = "other"
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT".split())


class RequestMetrics:
    """`directory` is where the workers meet; by default it follows from the name and the parent process."""

    def __init__(self, name: str, directory: Path | None = None) -> None:
        self._name = name
        self._chosen = directory
        self._forget()
        _all.add(self)

    def _forget(self) -> None:
        """A new process, forked or not, opens its own file with its first request: only then it is known to serve."""
        self._lock = threading.Lock()
        self._file: WorkerFile | None = None
        self._directory: Path | None = None
        self._cells: dict[tuple[str, str], int] = {}
        self._noted: set[Path] = set()

    def observe(self, method: str, endpoint: str | None, seconds: float) -> None:
        with self._lock:
            file = self._file or self._open()
            name = endpoint or UNMATCHED
            cell = self._cells.get((method, name)) or self._cell_of(file, method, name)
            counts = file.counts
            counts[cell] += 1
            counts[file.bucket_cell + bisect_left(BOUNDS, seconds)] += 1
            file.reals[file.seconds_cell] += seconds

    def open(self) -> None:
        """This process serves: from now on its memory counts, even before its first request."""
        with self._lock:
            if self._file is None:
                self._open()

    def _open(self) -> WorkerFile:
        try:
            directory = self._chosen or workers.service_directory(self._name)
            self._file = workers.open_worker_file(directory)
            self._directory = directory
            if self._chosen is None and directory.name.split(".")[1:2] == [str(os.getpid())]:
                atexit.register(_remove_own, directory, os.getpid())
        except OSError as error:
            log.warning("metrics of this worker alone, not of the whole service: %s", error)
            self._file = WorkerFile()
            born = process.born(os.getpid())
            self._file.claim(os.getpid(), born, process.start_time_seconds(born))
        self._cells = self._file.cells()
        # The series for what has no room any more must themselves have room.
        for method in (*sorted(_METHODS), OTHER_METHOD):
            self._cells.get((method, UNMATCHED)) or self._add(self._file, method, UNMATCHED)
        return self._file

    def _cell_of(self, file: WorkerFile, method: str, endpoint: str) -> int:
        known = method if method in _METHODS else OTHER_METHOD
        # Halves of characters, which UTF-8 cannot carry, are replaced before they are looked up.
        text = endpoint.encode("utf-8", "replace").decode()
        return self._cells.get((known, text)) or self._add(file, known, text) or self._cells[known, UNMATCHED]

    def _add(self, file: WorkerFile, method: str, endpoint: str) -> int | None:
        cell = file.add_series(method, endpoint)
        if cell is not None:
            self._cells[method, endpoint] = cell
        return cell

    def read_workers(self) -> list[tuple[Path | None, WorkerNumbers]]:
        """Every worker's numbers, those of the dead too."""
        with self._lock:
            file = self._file or self._open()
        if self._directory is None:
            return [(None, file.numbers())]
        found: list[tuple[Path | None, WorkerNumbers]] = []
        for path in workers.worker_paths(self._directory):
            try:
                found.append((path, worker_file.read(path)))
            except (OSError, Unreadable) as error:
                if path not in self._noted:
                    self._noted.add(path)
                    log.warning("%s is left out of the metrics: %s", path, error)
        return found


_all: weakref.WeakSet[RequestMetrics] = weakref.WeakSet()


def _forget_all() -> None:
    for metrics in list(_all):
        metrics._forget()


os.register_at_fork(after_in_child=_forget_all)


def _remove_own(directory: Path, pid: int) -> None:
    """A process that served alone leaves nothing behind. Forked children run this too, and may not."""
    if os.getpid() == pid:
        shutil.rmtree(directory, ignore_errors=True)
