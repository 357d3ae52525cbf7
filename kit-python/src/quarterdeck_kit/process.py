"""What Linux tells of a process under /proc. Where there is no /proc, nothing is told and nothing fails."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_PROC = Path("/proc")


def _ticks_per_second() -> int:
    return os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str] | None:
    """The fields after the command's name, which may itself hold spaces and parentheses."""
    try:
        return (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return None


def born(pid: int) -> int:
    """Ticks from boot to the start of the process; 0 if unknown. With the pid it names a process once and for all."""
    stat = _stat(pid)
    return int(stat[19]) if stat else 0


def is_alive(pid: int, born_at: int) -> bool:
    if _PROC.joinpath("self").exists():
        stat = _stat(pid)
        # A zombie has ended; only its parent has not yet heard of it.
        return stat is not None and int(stat[19]) == born_at and stat[0] not in "ZX"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def start_time_seconds(born_at: int) -> float:
    """As seconds since 1970; 0 if unknown."""
    boot = _boot_seconds()
    return boot + born_at / _ticks_per_second() if boot and born_at else 0.0


@cache
def _boot_seconds() -> int:
    try:
        lines = (_PROC / "stat").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("btime ")), 0)


@cache
def boot_id() -> str:
    """Tells one boot from the next: ticks and pids start over."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip().replace("-", "")[:8]
    except OSError:
        return "0"


def resident_bytes(pid: int) -> int | None:
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float | None:
    stat = _stat(pid)
    return (int(stat[11]) + int(stat[12])) / _ticks_per_second() if stat else None


def open_fds(pid: int) -> int | None:
    """None for a process of another user."""
    try:
        return len(os.listdir(_PROC / str(pid) / "fd"))
    except OSError:
        return None


def command_line(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return b""
