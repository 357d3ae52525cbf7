import os
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from . import SOURCE
from .waiting import temporary_directory, until

SERVICE = Path(__file__).parent / "stopping_service.py"
SLOW = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"


class Client:
    def __init__(self, test: unittest.TestCase, port: int, request: bytes = b"") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        test.addCleanup(self.socket.close)
        self.socket.sendall(request)

    def answer(self) -> bytes:
        """Until the server closes."""
        parts = []
        try:
            while part := self.socket.recv(65536):
                parts.append(part)
        except ConnectionResetError:
            pass
        return b"".join(parts)

    def next_answer(self) -> bytes:
        data = b""
        while b"}" not in data and b"done" not in data:
            part = self.socket.recv(65536)
            if not part:
                break
            data += part
        return data


class StopTest(unittest.TestCase):
    """A real process and real signals."""

    def start(self, passed: "socket.socket | None" = None, **env: str) -> None:
        self.directory = temporary_directory(self)
        self.release = self.directory / "release"
        if passed is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                env["PORT"] = str(probe.getsockname()[1])
        self.port = int(env.get("PORT") or passed.getsockname()[1])  # type: ignore[union-attr]
        command = [sys.executable, str(SERVICE)]
        options: dict[str, Any] = {}
        if passed is not None:
            # As systemd does: the socket is descriptor 3, and the pid is that of the program itself.
            command = ["sh", "-c", 'export LISTEN_PID=$$ LISTEN_FDS=1; exec 3<&"$FD" "$0" "$@"', *command]
            env["FD"], options["pass_fds"] = str(passed.fileno()), [passed.fileno()]
        places = {"PYTHONPATH": str(SOURCE), "XDG_RUNTIME_DIR": str(self.directory), "RELEASE": str(self.release)}
        env = {**os.environ, **places, **env}
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, **options)
        self.addCleanup(self.process.stdout.close)  # type: ignore[union-attr]
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        until("it answers", self.answers)

    def answers(self) -> bool:
        try:
            return b'{"ok":true}' in Client(self, self.port, b"GET /healthz HTTP/1.0\r\n\r\n").answer()
        except ConnectionRefusedError:
            return False

    def refuses(self) -> bool:
        try:
            Client(self, self.port)
        except ConnectionRefusedError:
            return True
        except ConnectionResetError:
            pass  # Met the very moment of closing.
        return False

    def slow_requests(self, count: int) -> list[Client]:
        clients = [Client(self, self.port, SLOW) for _ in range(count)]
        for _ in clients:
            self.assertEqual(self.process.stdout.readline(), b"under way\n")  # type: ignore[union-attr]
        return clients

    def ended(self) -> tuple[int, bytes]:
        said, _ = self.process.communicate(timeout=30)
        return self.process.returncode, said

    def test_a_stop_in_the_middle_of_100_slow_requests_breaks_none(self) -> None:
        self.start()
        idle = Client(self, self.port)
        kept = Client(self, self.port, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertIn(b'{"ok":true}', kept.next_answer())
        clients = self.slow_requests(100)
        self.process.send_signal(signal.SIGTERM)
        until("nobody new is let in", self.refuses)
        self.assertEqual((idle.answer(), kept.answer()), (b"", b""))
        self.release.touch()
        for client in clients:
            answer = client.answer()
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK\r\n") and answer.endswith(b"\r\n\r\ndone"), answer)
            self.assertIn(b"\r\nConnection: close\r\n", answer)
        self.assertEqual(self.ended(), (0, b"cut off 0\n"))

    def test_a_request_sent_behind_one_under_way_is_not_answered_after_connection_close(self) -> None:
        self.start()
        (client,) = self.slow_requests(1)
        client.socket.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        self.process.send_signal(signal.SIGINT)
        until("nobody new is let in", self.refuses)
        self.release.touch()
        self.assertEqual(client.answer().count(b"HTTP/1.1 "), 1)
        self.assertEqual(self.ended(), (0, b"cut off 0\n"))

    def test_a_request_that_was_arriving_when_the_stop_began_is_answered_and_not_ready(self) -> None:
        self.start()
        late = Client(self, self.port, b"GET /readyz HT")
        slow = self.slow_requests(1)
        self.process.send_signal(signal.SIGTERM)
        until("nobody new is let in", self.refuses)
        late.socket.sendall(b"TP/1.1\r\nHost: x\r\n\r\n")
        answer = late.answer()
        self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer)
        self.assertTrue(answer.endswith(b'\r\nConnection: close\r\n\r\n{"ok":false}'), answer)
        self.release.touch()
        slow[0].answer()
        self.assertEqual(self.ended(), (0, b"cut off 0\n"))

    def test_the_limit_cuts_off_what_is_left(self) -> None:
        self.start(LIMIT="0.2")
        clients = self.slow_requests(3)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual([client.answer() for client in clients], [b"", b"", b""])
        self.assertEqual(self.ended(), (0, b"cut off 3\n"))

    def test_a_second_signal_ends_it_at_once(self) -> None:
        self.start()
        (client,) = self.slow_requests(1)
        self.process.send_signal(signal.SIGTERM)
        until("nobody new is let in", self.refuses)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.ended(), (-signal.SIGTERM, b""))
        self.assertEqual(client.answer(), b"")

    def test_it_serves_on_the_socket_that_systemd_passes(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as passed:
            self.start(passed)
            self.assertTrue(self.answers())
            self.process.send_signal(signal.SIGTERM)
            self.assertEqual(self.ended(), (0, b"cut off 0\n"))
            # The socket is systemd's: whoever comes now waits for the next start.
            self.assertFalse(self.refuses())
