"""A client's connection, as the stop sees it: idle ones are closed at once, busy ones may finish, and one that was opened
just now has its request on the way."""

from __future__ import annotations

import socket
import threading
import time

#: Who connects without saying anything, as browsers do ahead of need, is not waited for longer.
FRESH_S = 1.0


class Connection:
    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._closed = False
        self._opened = time.monotonic()
        self._used = False
        self.busy = False

    def begin_request(self) -> bool:
        """False when the connection was closed as idle before."""
        with self._lock:
            self.busy = not self._closed
            self._used = True
            return self.busy

    def end_request(self) -> None:
        self.busy = False

    def close_if_idle(self) -> None:
        with self._lock:
            if not self.busy and not self._is_fresh():
                self._shut_down()

    def _is_fresh(self) -> bool:
        return not self._used and time.monotonic() - self._opened < FRESH_S

    def cut_off(self) -> None:
        with self._lock:
            self._shut_down()

    def _shut_down(self) -> None:
        """Not close: another thread may be reading, and would not hear of it."""
        self._closed = True
        try:
            self._client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The client was faster.
