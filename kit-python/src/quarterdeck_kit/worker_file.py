"""The numbers of one worker process, in a small file that the service's other workers can read.

The worker alone writes, by memory map, in aligned cells of eight bytes, so no lock is needed between processes. The
others read it as a file, never by map: a truncated file then is an error, not a signal that ends the reader.
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from pathlib import Path

MAGIC = int.from_bytes(b"QDKIT\0\0\1", "little")
#: Room for about three thousand series. Whatever comes after is counted as unmatched.
SIZE = 256 * 1024
BUCKETS = 12

# Cells, in the order of the file.
_MAGIC, _PID, _BORN, _USED, _STARTED, _CPU_BEFORE, _CPU_SEEN, _BUCKETS = range(8)
_SECONDS = _BUCKETS + BUCKETS
_SERIES = _SECONDS + 1
_CELL = 8


class Unreadable(Exception):
    """The file is not one of ours, or is damaged."""


@dataclass(frozen=True)
class WorkerNumbers:
    """What one file says: the counts of all its owners, and who owns it now."""

    pid: int
    born: int
    started: float
    cpu_before: float
    cpu_seen: float
    buckets: tuple[int, ...]
    seconds: float
    requests: dict[tuple[str, str], int]


class WorkerFile:
    """Open for writing. Without a file it is memory of this process alone."""

    def __init__(self, fd: int | None = None) -> None:
        self._map = mmap.mmap(fd if fd is not None else -1, SIZE)
        view = memoryview(self._map)
        self.counts = view.cast("Q")
        self.reals = view.cast("d")

    def claim(self, pid: int, born: int, started: float) -> None:
        """Makes this process the owner. The counts of an owner before it stay and are counted on."""
        if self.counts[_MAGIC] != MAGIC:
            self.reals[_STARTED] = started
            self.counts[_USED] = _SERIES * _CELL
        self.reals[_CPU_BEFORE] += self.reals[_CPU_SEEN]
        self.reals[_CPU_SEEN] = 0.0
        self.counts[_BORN] = born
        self.counts[_PID] = pid
        self.counts[_MAGIC] = MAGIC

    def add_series(self, method: str, endpoint: str) -> int | None:
        """The cell that counts this series; None when the file is full."""
        key = f"{method}\0{endpoint}".encode("utf-8", "replace")
        used = self.counts[_USED]
        end = used + 2 * _CELL + -(-len(key) // _CELL) * _CELL
        if end > SIZE:
            return None
        self._map[used + 2 * _CELL : used + 2 * _CELL + len(key)] = key
        self.counts[used // _CELL] = 0
        self.counts[used // _CELL + 1] = len(key)
        # Last, so that nobody reads a series that is half there.
        self.counts[_USED] = end
        return used // _CELL

    def cells(self) -> dict[tuple[str, str], int]:
        return _cells(bytes(self._map))

    def numbers(self) -> WorkerNumbers:
        return parse(bytes(self._map))

    bucket_cell = _BUCKETS
    seconds_cell = _SECONDS


def read(path: Path) -> WorkerNumbers:
    with open(path, "rb", buffering=0) as file:
        return parse(file.read(SIZE + 1))


def note_cpu_seen(path: Path, seconds: float) -> None:
    """Scrapes write down what they saw, so that the time of a worker that dies is not lost. The only foreign write."""
    fd = os.open(path, os.O_WRONLY)
    try:
        cell = memoryview(bytearray(_CELL)).cast("d")
        cell[0] = seconds
        os.pwrite(fd, cell, _CPU_SEEN * _CELL)
    finally:
        os.close(fd)


def parse(data: bytes) -> WorkerNumbers:
    if len(data) != SIZE:
        raise Unreadable(f"{len(data)} bytes instead of {SIZE}")
    view = memoryview(data)
    counts, reals = view.cast("Q"), view.cast("d")
    if counts[_MAGIC] != MAGIC:
        raise Unreadable("not written by this version of the kit")
    return WorkerNumbers(
        pid=counts[_PID],
        born=counts[_BORN],
        started=reals[_STARTED],
        cpu_before=reals[_CPU_BEFORE],
        cpu_seen=reals[_CPU_SEEN],
        buckets=tuple(counts[_BUCKETS:_SECONDS]),
        seconds=reals[_SECONDS],
        requests={key: counts[cell] for key, cell in _cells(data).items()},
    )


def _cells(data: bytes) -> dict[tuple[str, str], int]:
    counts = memoryview(data).cast("Q")
    found: dict[tuple[str, str], int] = {}
    used, at = counts[_USED], _SERIES * _CELL
    if not at <= used <= SIZE or used % _CELL:
        raise Unreadable("its length is damaged")
    while at < used:
        length = counts[at // _CELL + 1]
        end = at + 2 * _CELL + -(-length // _CELL) * _CELL
        if end > used:
            raise Unreadable("a series is damaged")
        method, separator, endpoint = _text(data[at + 2 * _CELL : at + 2 * _CELL + length]).partition("\0")
        if not separator:
            raise Unreadable("a series has no name")
        found[method, endpoint] = at // _CELL
        at = end
    return found


def _text(key: bytes) -> str:
    try:
        return key.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("a series has a damaged name") from error
