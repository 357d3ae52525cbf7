"""A threaded HTTP/1.1 server from the standard library: `serve(app, name="hello")`.

It stops without breaking a request: not ready at once, nothing new, `Connection: close` on what is under way, then a
limit.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from types import FrameType
from typing import Any

from .connection import Connection
from .http_handler import with_kit
from .kit import Kit
from .listen import listening_socket
from .readiness_check import ReadinessCheck
from .wsgi import QuarterdeckWSGI
from .wsgi_handler import wsgi_handler

log = logging.getLogger("quarterdeck")

STOP_LIMIT_S = 10.0
#: Past this many the next wait to be accepted, so that a flood cannot take all threads.
MAX_CONNECTIONS = 1000


def serve(
    app: Any,
    name: str | None = None,
    checks: Mapping[str, ReadinessCheck] | None = None,
    root: str | os.PathLike[str] | None = None,
    kit: Kit | None = None,
    *,
    port: int | None = None,
    host: str = "0.0.0.0",
    stop_limit_s: float = STOP_LIMIT_S,
) -> int:
    """Serves a BaseHTTPRequestHandler class or a WSGI application until SIGTERM or SIGINT; a second signal ends the
    process at once. Listens on the socket that systemd passes, else at `port`, by default PORT. Gives back how many
    requests the limit cut off."""
    inner = getattr(app, "wsgi_app", app)
    if kit is None and name is None and isinstance(inner, QuarterdeckWSGI):
        app, kit = inner.app, inner.kit  # It has the kit already: once is enough.
    if kit is None and name is None:
        raise TypeError("serve needs the service's name, or a kit")
    server = Server(app, kit or Kit(name or "", root, checks), listening_socket(port, host))
    stop_on_signals(server)
    log.info("listening on %s", server.address)
    return server.run(stop_limit_s)


def stop_on_signals(server: Server) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, signal.SIG_DFL)
        server.begin_stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


class Server:
    def __init__(self, app: Any, kit: Kit, listener: socket.socket) -> None:
        is_handler = isinstance(app, type) and issubclass(app, BaseHTTPRequestHandler)
        self.kit = kit
        self._handler = with_kit(app if is_handler else wsgi_handler(app), kit)
        self._listener = listener
        self.address: Any = listener.getsockname()
        self._connections: dict[Any, Connection] = {}
        self._changed = threading.Condition()
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_writer.setblocking(False)

    def begin_stop(self) -> None:
        """May be called by a signal handler or another thread."""
        self.kit.begin_stop()
        try:
            self._wake_writer.send(b"x")
        except OSError:
            pass  # Woken already.

    def run(self, stop_limit_s: float = STOP_LIMIT_S) -> int:
        self.kit.metrics.open()
        self._listener.setblocking(False)
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._wake_reader, selectors.EVENT_READ)
            while not self.kit.stopping.is_set():
                selector.select()
                self._accept_one()
        # Whoever was let in by the kernel before the stop is answered too.
        while self._accept_one():
            pass
        self._listener.close()
        return self._finish(stop_limit_s)

    def _accept_one(self) -> bool:
        with self._changed:
            while len(self._connections) >= MAX_CONNECTIONS and not self.kit.stopping.is_set():
                self._changed.wait(0.1)
        try:
            client, address = self._listener.accept()
        except BlockingIOError:
            return False
        except OSError as error:
            # Out of descriptors, or the client has left: neither may end the service.
            log.warning("a connection could not be accepted: %s", error)
            self.kit.stopping.wait(0.05)
            return False
        client.setblocking(True)
        with self._changed:
            self._connections[client] = Connection(client)
        threading.Thread(target=self._handle, args=[client, address], daemon=True).start()
        return True

    def _handle(self, client: socket.socket, address: Any) -> None:
        try:
            self._handler(client, address, self)  # type: ignore[arg-type]
        except OSError:
            pass  # The client has left.
        except Exception:
            log.exception("a request failed")
        finally:
            try:
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            client.close()
            with self._changed:
                self._connections.pop(client, None)
                self._changed.notify_all()

    def connection_of(self, handler: BaseHTTPRequestHandler) -> Connection:
        return self._connections[handler.request]

    def _finish(self, limit_s: float) -> int:
        deadline = time.monotonic() + limit_s
        with self._changed:
            while self._connections and time.monotonic() < deadline:
                # One that was busy when the stop began turns idle later.
                for connection in self._connections.values():
                    connection.close_if_idle()
                self._changed.wait(min(0.1, max(0.0, deadline - time.monotonic())))
            left = list(self._connections.values())
        for connection in left:
            connection.cut_off()
        self._wake_reader.close()
        self._wake_writer.close()
        return sum(connection.busy for connection in left)
