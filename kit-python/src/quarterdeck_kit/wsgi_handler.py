"""A WSGI application as a handler of the standard-library server, with HTTP/1.1's kept connections."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote_to_bytes

from .wsgi import EndpointWitness, Environ, WSGIApp

log = logging.getLogger("quarterdeck")


def wsgi_handler(app: WSGIApp) -> type[BaseHTTPRequestHandler]:
    return type("WSGIHandler", (_WSGIHandler,), {"app": staticmethod(app)})


class _WSGIHandler(BaseHTTPRequestHandler):
    app: WSGIApp
    server: Any
    endpoint: str | None

    def __getattr__(self, attribute: str) -> Any:
        # The standard library looks for a method's own name; the application knows which it takes.
        if attribute.startswith("do_"):
            return self._run
        raise AttributeError(attribute)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are counted, not told."""

    def log_message(self, format: str, *arguments: Any) -> None:
        log.info("%s: %s", self.address_string(), format % arguments)

    def _run(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal():
            self.send_error(411)  # It would have to be buffered: say how long it is.
            self.close_connection = True
            return
        unread = io.BufferedReader(_Body(self.rfile, int(length)))
        environ = self._environ(unread, length)
        response = _Response(self)
        witness = EndpointWitness(environ, response.start)
        try:
            response.send(self.app(environ, witness))
        except ConnectionError:
            raise
        except Exception:
            log.exception("%s %s failed", self.command, self.path)
            response.fail()
        finally:
            self.endpoint = witness.name()
        if unread.raw.remaining:  # type: ignore[attr-defined]
            self.close_connection = True  # The next request lies behind what nobody read.

    def _environ(self, body: io.BufferedReader, length: str) -> Environ:
        path, _, query = self.path.partition("?")
        host, port, *_ = self.server.address if isinstance(self.server.address, tuple) else ("localhost", 0)
        environ: Environ = {
            "REQUEST_METHOD": self.command,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": length,
            "SERVER_NAME": host,
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": self.request_version,
            "REMOTE_ADDR": self.client_address[0] if self.client_address else "",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": body,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        for name in self.headers:
            key = f"HTTP_{name.upper().replace('-', '_')}"
            # A name with an underscore could pass for another header.
            if "_" not in name and key not in ("HTTP_CONTENT_TYPE", "HTTP_CONTENT_LENGTH", "HTTP_PROXY"):
                environ[key] = ",".join(self.headers.get_all(name) or [])
        return environ


class _Body(io.RawIOBase):
    def __init__(self, source: Any, length: int) -> None:
        self._source = source
        self.remaining = length

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read1(min(len(buffer), self.remaining)) if self.remaining else b""
        self.remaining -= len(data)
        buffer[: len(data)] = data
        return len(data)


class _Response:
    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        self._head: tuple[str, list[tuple[str, str]]] | None = None
        self._sent = self._chunked = False

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        if exc_info and self._sent:
            raise exc_info[1].with_traceback(exc_info[2])
        if self._head is not None and not exc_info:
            raise AssertionError("start_response was called twice")
        self._head = (status, headers)
        return self._write

    def send(self, body: Iterable[bytes]) -> None:
        try:
            # The length of what is there as a whole is known without the application's word.
            whole = len(body[0]) if isinstance(body, (list, tuple)) and len(body) == 1 else None
            for part in body:
                if part:
                    self._write(part, whole)
            if not self._sent:
                self._send_head(0)
            if self._chunked:
                self._handler.wfile.write(b"0\r\n\r\n")
        finally:
            close = getattr(body, "close", None)
            if close is not None:
                close()

    def fail(self) -> None:
        if self._sent:
            self._handler.close_connection = True  # Too late for another status: the client sees the answer end early.
        else:
            self._handler.send_error(500)

    def _write(self, part: bytes, length: int | None = None) -> None:
        if not self._sent:
            self._send_head(length)
        if self._handler.command != "HEAD":
            self._handler.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if self._chunked else part)

    def _send_head(self, length: int | None) -> None:
        if self._head is None:
            raise AssertionError("the application gave an answer without start_response")
        status, headers = self._head
        handler, self._sent = self._handler, True
        code, _, reason = status.partition(" ")
        handler.send_response(int(code), reason)
        for name, value in headers:
            handler.send_header(name, value)
        has_body = code not in ("204", "304") and code[0] != "1"
        if has_body and not any(name.lower() == "content-length" for name, _ in headers):
            if length is not None:
                handler.send_header("Content-Length", str(length))
            elif handler.request_version == "HTTP/1.1":
                self._chunked = handler.command != "HEAD"
                handler.send_header("Transfer-Encoding", "chunked")
            else:
                handler.close_connection = True
        handler.end_headers()
