"""The example services under gunicorn and uvicorn, with several workers."""

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import unittest
from http.client import HTTPConnection
from pathlib import Path

from . import SOURCE
from .waiting import temporary_directory, until

SERVERS = Path(__file__).parent / "servers"


def missing(*modules: str) -> list[str]:
    return [module for module in modules if importlib.util.find_spec(module) is None]


class RealServerTest(unittest.TestCase):
    def start(self, module: str, *arguments: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        env = {**os.environ, "PYTHONPATH": str(SOURCE), "XDG_RUNTIME_DIR": str(temporary_directory(self))}
        command = [sys.executable, "-m", module, *(argument.replace("PORT", str(self.port)) for argument in arguments)]
        silent = subprocess.DEVNULL
        self.process = subprocess.Popen(command, cwd=SERVERS, env=env, stderr=silent, stdout=silent)
        self.addCleanup(self.stop)
        until("it is ready", self.is_ready)

    def stop(self) -> None:
        """By force: gunicorn loses a signal that meets a worker's start, and then waits for half a minute."""
        workers = self.workers() if self.process.poll() is None else []
        self.process.kill()
        self.process.wait()
        for pid in workers:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def is_ready(self) -> bool:
        try:
            return self.ask("/readyz") == '{"ok":true}'
        except OSError:
            return False

    def ask(self, path: str) -> str:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def count(self, endpoint: str) -> int:
        found = re.search(rf'endpoint="{re.escape(endpoint)}"}} (\d+)\n', self.ask("/metrics"))
        return int(found[1]) if found else 0

    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(pid) for pid in children]

    def assert_one_truth(self, endpoint: str) -> None:
        for number in range(40):
            self.ask(f"/items/{number}")
        until("all are counted", lambda: self.count(endpoint) == 40)
        self.assertEqual({self.count(endpoint) for _ in range(20)}, {40})

    def assert_counts_survive_a_death(self, endpoint: str) -> None:
        before = self.workers()
        os.kill(before[-1], signal.SIGKILL)
        until("another has taken its place", lambda: len(self.workers()) == len(before) and before != self.workers())
        until("it is ready again", self.is_ready)
        self.assertEqual({self.count(endpoint) for _ in range(20)}, {40})


@unittest.skipIf(missing("flask", "gunicorn"), "not installed (Debian: python3-flask, gunicorn)")
class GunicornTest(RealServerTest):
    def test_three_workers_give_one_truth_and_so_they_do_when_one_dies(self) -> None:
        self.start("gunicorn", "-w", "3", "-b", "127.0.0.1:PORT", "flask_app:app")
        self.assert_one_truth("/items/<item_id>")
        self.assert_counts_survive_a_death("/items/<item_id>")

    def test_an_application_loaded_before_the_fork_and_workers_that_are_replaced(self) -> None:
        self.start("gunicorn", "-w", "3", "--preload", "--max-requests", "15", "-b", "127.0.0.1:PORT", "flask_app:app")
        self.assert_one_truth("/items/<item_id>")

    def test_workers_with_threads(self) -> None:
        self.start("gunicorn", "-w", "2", "--threads", "4", "-b", "127.0.0.1:PORT", "flask_app:app")
        self.assert_one_truth("/items/<item_id>")


@unittest.skipIf(missing("fastapi", "uvicorn"), "not installed (Debian: python3-fastapi, uvicorn)")
class UvicornTest(RealServerTest):
    def test_two_workers_give_one_truth(self) -> None:
        self.start("uvicorn", "--workers", "2", "--port", "PORT", "fastapi_app:app")
        self.assert_one_truth("/items/{item_id}")

    @unittest.skipIf(missing("gunicorn"), "gunicorn is not installed (Debian: gunicorn)")
    def test_workers_of_gunicorn(self) -> None:
        worker = "uvicorn.workers.UvicornWorker"
        self.start("gunicorn", "-w", "2", "-k", worker, "-b", "127.0.0.1:PORT", "fastapi_app:app")
        self.assert_one_truth("/items/{item_id}")
        self.assert_counts_survive_a_death("/items/{item_id}")

    def test_the_servers_own_stop_still_works_and_finishes_what_is_under_way(self) -> None:
        self.start("uvicorn", "--port", "PORT", "fastapi_app:app")
        slow = HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.addCleanup(slow.close)
        slow.request("GET", "/slow?s=1")
        until("it is under way", self.is_ready)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(slow.getresponse().read(), b"slow\n")
        self.assertEqual(self.process.wait(30), 0)
