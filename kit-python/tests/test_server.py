import os
import socket
import threading
import unittest
from collections.abc import Mapping
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from typing import Any
from unittest import mock

from quarterdeck_kit import Kit
from quarterdeck_kit.listen import listening_socket
from quarterdeck_kit.server import Server

from .adapter_suite import AdapterSuite, Reply, item_wsgi_app


class RealServer(AdapterSuite):
    """Real sockets on port 0."""

    app: Any = staticmethod(item_wsgi_app)
    item_template = "/items/<id>"

    def serve(self: Any, kit: Kit) -> None:
        self.server = Server(self.app, kit, listening_socket(0, "127.0.0.1", {}))
        thread = threading.Thread(target=self.server.run)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.begin_stop)

    def connect(self: Any) -> HTTPConnection:
        connection = HTTPConnection(*self.server.address, timeout=30)
        self.addCleanup(connection.close)
        return connection

    def ask(self: Any, path: str, method: str = "GET", headers: Mapping[str, str] = {}) -> Reply:
        return reply_on(self.connect(), path, method, headers)


def reply_on(
    connection: HTTPConnection, path: str, method: str = "GET", headers: Mapping[str, str] = {}, body: Any = None
) -> Reply:
    connection.request(method, path, headers=dict(headers), body=body)
    response = connection.getresponse()
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


class WSGIServerTest(RealServer, unittest.TestCase):
    def test_a_connection_is_kept_for_many_requests(self) -> None:
        self.start()
        connection = self.connect()
        connection.connect()
        first = connection.sock
        for path in ("/healthz", "/items/1", "/nowhere", "/metrics"):
            reply_on(connection, path)
            self.assertIs(connection.sock, first, path)

    def test_a_stream_is_chunked_and_a_body_is_read(self) -> None:
        def echo(environ: Any, start_response: Any) -> Any:
            start_response("200 OK", [])
            yield b"you said: "
            yield environ["wsgi.input"].read()

        self.app = echo
        self.start()
        reply = reply_on(self.connect(), "/", "POST", body=b"x" * 100_000)
        self.assertEqual((reply.headers["transfer-encoding"], reply.body), ("chunked", b"you said: " + b"x" * 100_000))

    def test_a_body_that_nobody_read_is_not_taken_for_the_next_request(self) -> None:
        self.start()
        for path in ("/items/1", "/healthz"):
            with socket.create_connection(self.server.address, 5) as client:
                smuggled = b"DELETE /items/9 HTTP/1.1\r\nHost: x\r\n\r\n"
                head = f"GET {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(smuggled)}\r\n\r\n".encode()
                client.sendall(head + smuggled)
                self.assertEqual(b"".join(iter(lambda: received(client), b"")).count(b"HTTP/1.1 "), 1)

    def test_a_body_of_unknown_length_is_refused(self) -> None:
        self.start()
        headers = {"Transfer-Encoding": "chunked"}
        self.assertEqual(reply_on(self.connect(), "/items/1", "POST", headers, [b"part"]).status, 411)

    def test_an_application_that_fails_is_500_and_the_next_request_is_served(self) -> None:
        self.app = lambda environ, start_response: 1 / 0
        kit = self.start()
        with self.assertLogs("quarterdeck", "ERROR"):
            self.assertEqual(self.ask("/").status, 500)
        self.assertEqual(self.ask("/healthz").status, 200)
        self.assert_counted(kit, {"GET unmatched": 1, "GET /healthz": 1})

    def test_garbage_is_refused_and_the_next_client_is_served(self) -> None:
        self.start()
        for garbage in (b"\0\xff\r\n\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"\r\n"):
            with socket.create_connection(self.server.address, 5) as client:
                client.sendall(garbage)
                client.shutdown(socket.SHUT_WR)
                received(client)
        self.assertEqual(self.ask("/healthz").status, 200)


def received(client: socket.socket) -> bytes:
    """What a client that was cut off hears is nothing more."""
    try:
        return client.recv(65536)
    except ConnectionResetError:
        return b""


class Items(BaseHTTPRequestHandler):
    endpoint: "str | None"

    def do_GET(self) -> None:
        found = self.path.startswith("/items/")
        self.endpoint = "/items/<id>" if found else None
        body = b"an item" if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_DELETE = do_BREW = do_GET

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class HandlerClassServerTest(RealServer, unittest.TestCase):
    app = Items


class ListenTest(unittest.TestCase):
    def test_without_a_port_it_says_what_to_do(self) -> None:
        for env in ({}, {"PORT": "http"}, {"PORT": "70000"}):
            with self.assertRaisesRegex(ValueError, "PORT must be a number from 0 to 65535"):
                listening_socket(env=env)

    def test_it_listens_on_all_interfaces_at_port(self) -> None:
        with listening_socket(env={"PORT": "0"}) as listener:
            self.assertEqual(listener.getsockname()[0], "0.0.0.0")

    def test_variables_for_another_process_are_not_for_this_one(self) -> None:
        env = {"PORT": "0", "LISTEN_PID": str(os.getpid() + 1), "LISTEN_FDS": "1"}
        with mock.patch("quarterdeck_kit.listen._FIRST_PASSED_FD", -1), listening_socket(env=env) as listener:
            self.assertEqual(listener.getsockname()[0], "0.0.0.0")
        self.assertEqual(env, {"PORT": "0"})
