"""The socket to serve on: the one that systemd passes, else a new one on all interfaces at PORT."""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

_FIRST_PASSED_FD = 3
_BACKLOG = 1024


def listening_socket(
    port: int | None = None, host: str = "0.0.0.0", env: MutableMapping[str, str] = os.environ
) -> socket.socket:
    passed = _passed_socket(env)
    if passed is not None:
        return passed
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        # A restart need not wait for the connections of the process before it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port if port is not None else _port_from(env)))
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


def _passed_socket(env: MutableMapping[str, str]) -> socket.socket | None:
    """See sd_listen_fds(3). The variables are meant for one process, and so are taken away from its children."""
    pid, count = env.pop("LISTEN_PID", ""), env.pop("LISTEN_FDS", "")
    env.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdecimal() or int(count) < 1:
        return None
    os.set_inheritable(_FIRST_PASSED_FD, False)
    return socket.socket(fileno=_FIRST_PASSED_FD)


def _port_from(env: MutableMapping[str, str]) -> int:
    port = env.get("PORT", "")
    if not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"PORT must be a number from 0 to 65535, found {port!r}: set it, or pass port=")
    return int(port)
