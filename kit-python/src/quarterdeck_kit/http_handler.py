"""One connection of the standard-library server: the kit's endpoints first, then the service's own handler."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from time import perf_counter
from typing import Any

from .connection import Connection
from .kit import ENDPOINTS, Kit

#: An idle connection is kept for this long.
_IDLE_S = 75.0


def with_kit(handler: type[BaseHTTPRequestHandler], kit: Kit) -> type[BaseHTTPRequestHandler]:
    """The service's handler class, with the kit in front of its own methods. It names a request's template by setting
    `self.endpoint`; whatever it does not name is unmatched."""
    return type(f"{handler.__name__}WithKit", (_KitHandler, handler), {"kit": kit, "timeout": _IDLE_S})


class _KitHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without it an answer sent in two parts waits for the client's acknowledgement of the first.
    disable_nagle_algorithm = True
    kit: Kit
    server: Any

    def handle_one_request(self) -> None:
        connection: Connection = self.server.connection_of(self)
        self._parsed = self._connection_told = False
        self.endpoint: str | None = None
        try:
            arrived = self.rfile.peek(1)  # type: ignore[attr-defined]
        except OSError:
            arrived = b""
        # Idle until here: a stop may have ended the connection meanwhile.
        if not arrived or not connection.begin_request():
            self.close_connection = True
            return
        self._started = perf_counter()
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True  # The client has left.
        finally:
            connection.end_request()
            if self._parsed:
                self.kit.metrics.observe(self.command, self.endpoint, perf_counter() - self._started)
        if self.kit.stopping.is_set():
            self.close_connection = True

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        self._parsed = True
        path = self.path.partition("?")[0]
        if path not in ENDPOINTS or self.command not in ("GET", "HEAD"):
            return True
        self.endpoint = path
        answer = ENDPOINTS[path](self.kit, self.headers.get("Accept"))
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
        # A body that came along is not read, so the next request could not be found after it.
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True
        return False  # Answered.

    def send_header(self, keyword: str, value: str) -> None:
        self._connection_told = self._connection_told or keyword.lower() == "connection"
        super().send_header(keyword, value)

    def end_headers(self) -> None:
        if self.kit.stopping.is_set() and not self._connection_told:
            self.send_header("Connection", "close")
        super().end_headers()
