"""Where the workers of one service meet: a directory that belongs to their common parent, one file for each worker.

A worker that starts takes over the file of one that died, counts and all, so there are never more files than there
were workers at one time, however often they are replaced.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import multiprocessing
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import process, worker_file
from .worker_file import Unreadable, WorkerFile

log = logging.getLogger("quarterdeck")
_SUFFIX = ".worker"


def service_directory(name: str) -> Path:
    """The same for all workers of one parent, and for nobody else. QUARTERDECK_METRICS_DIR names another place, whose
    counts outlive the parent."""
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    slug = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name)[:40]}-{digest}"
    chosen = os.environ.get("QUARTERDECK_METRICS_DIR")
    if chosen:
        directory = Path(chosen) / slug
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return directory
    base = _private_base()
    _remove_abandoned(base)
    parent = parent_of_workers()
    directory = base / f"{slug}.{parent}.{process.born(parent)}.{process.boot_id()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    return directory


def parent_of_workers() -> int:
    """The pid of the process that started this one as a worker of the service; this process's own if it is alone."""
    parent = os.getppid()
    forked = process.command_line(parent)
    is_worker = (
        multiprocessing.parent_process() is not None
        or "gunicorn.arbiter" in sys.modules
        # Forked and nothing executed since.
        or (forked != b"" and forked == process.command_line(os.getpid()))
    )
    return parent if is_worker else os.getpid()


def _private_base() -> Path:
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"quarterdeck-{os.getuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    found = base.lstat()
    # The place may be open to all: what another user has put there is not ours to trust.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(f"{base} belongs to somebody else; remove it or set QUARTERDECK_METRICS_DIR")
    return base


def _remove_abandoned(base: Path) -> None:
    for directory in base.iterdir():
        parts = directory.name.rsplit(".", 3)
        if len(parts) != 4 or not (parts[1] + parts[2]).isdecimal():
            continue
        parent_lives = parts[3] == process.boot_id() and process.is_alive(int(parts[1]), int(parts[2]))
        if not parent_lives and not any(_has_owner(path) for path in worker_paths(directory)):
            shutil.rmtree(directory, ignore_errors=True)


def worker_paths(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"*{_SUFFIX}"))


def _has_owner(path: Path) -> bool:
    try:
        numbers = worker_file.read(path)
    except (OSError, Unreadable):
        return False
    return process.is_alive(numbers.pid, numbers.born)


def open_worker_file(directory: Path) -> WorkerFile:
    """A file for this process: that of a worker that died, or a new one."""
    pid = os.getpid()
    born = process.born(pid)
    with _alone_in(directory):
        path, fd = _take_over(directory) or _create(directory)
        try:
            file = WorkerFile(fd)
            file.claim(pid, born, process.start_time_seconds(born))
        finally:
            os.close(fd)
    log.debug("counting requests in %s", path)
    return file


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Two workers that start at once may not take over the same file."""
    fd = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _take_over(directory: Path) -> tuple[Path, int] | None:
    for path in worker_paths(directory):
        try:
            numbers = worker_file.read(path)
        except (OSError, Unreadable):
            continue
        if not process.is_alive(numbers.pid, numbers.born):
            return path, os.open(path, os.O_RDWR)
    return None


def _create(directory: Path) -> tuple[Path, int]:
    number = next(n for n in range(1_000_000) if not (directory / f"{n}{_SUFFIX}").exists())
    path = directory / f"{number}{_SUFFIX}"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        # All of it now: on a full disk the first touch of a page that is not there would end the process.
        os.posix_fallocate(fd, 0, worker_file.SIZE)
    except OSError:
        os.close(fd)
        path.unlink(missing_ok=True)
        raise
    return path, fd
