import os
import re
import signal
import subprocess
import sys
import unittest
from collections.abc import Callable
from unittest import mock

from quarterdeck_kit import process, worker_file, workers
from quarterdeck_kit.metrics import Metrics

from . import SOURCE
from .waiting import temporary_directory, until


class Worker:
    """A real forked process that counts requests, until it is told to end."""

    def __init__(self, test: unittest.TestCase, work: Callable[[], object]) -> None:
        ready, told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                work()
                os.write(told, b"x")
                signal.pause()
            finally:
                os._exit(1)
        os.close(told)
        test.assertEqual(os.read(ready, 1), b"x")
        os.close(ready)
        self._alive = True
        test.addCleanup(self.kill)

    def kill(self) -> None:
        if self._alive:
            self._alive = False
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


class WorkersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.metrics = Metrics("hello", self.directory)

    def worker(self, times: int, endpoint: str = "/") -> Worker:
        return Worker(self, lambda: [self.metrics.observe("GET", endpoint, 0.02) for _ in range(times)])

    def value(self, series: str) -> float:
        found = re.search(rf"^{re.escape(series)} (\S+)$", self.metrics.render(None)[1], re.M)
        return float(found[1]) if found else 0.0

    def test_every_worker_tells_the_sum_of_all(self) -> None:
        self.metrics.observe("GET", "/", 0.02)
        self.worker(2)
        self.worker(3)
        self.worker(4, "/other")
        self.assertEqual(self.value('http_requests_total{method="GET",endpoint="/"}'), 6)
        self.assertEqual(self.value('http_requests_total{method="GET",endpoint="/other"}'), 4)
        self.assertEqual(self.value('http_request_duration_seconds_bucket{le="0.025"}'), 10)
        self.assertAlmostEqual(self.value("http_request_duration_seconds_sum"), 0.2)

    def test_a_worker_that_dies_leaves_its_counts_and_takes_its_gauges(self) -> None:
        self.metrics.open()
        alone, fds = self.value("process_resident_memory_bytes"), self.value("process_open_fds")
        worker = self.worker(5)
        self.assertGreater(self.value("process_resident_memory_bytes"), alone * 1.1)
        self.assertGreater(self.value("process_open_fds"), fds)
        started = self.value("process_start_time_seconds")
        worker.kill()
        self.assertEqual(self.value('http_requests_total{method="GET",endpoint="/"}'), 5)
        self.assertAlmostEqual(self.value("process_resident_memory_bytes"), alone, delta=alone * 0.1)
        self.assertEqual(self.value("process_open_fds"), fds)
        self.assertEqual(self.value("process_start_time_seconds"), started)

    def test_the_processor_time_never_falls(self) -> None:
        def burn() -> None:
            self.metrics.open()
            until("some time was used", lambda: (process.cpu_seconds(os.getpid()) or 0) >= 0.1)

        worker = Worker(self, burn)
        before = self.value("process_cpu_seconds_total")
        self.assertGreaterEqual(before, 0.1)
        worker.kill()
        self.assertGreaterEqual(self.value("process_cpu_seconds_total"), before)
        self.worker(1)
        self.assertGreaterEqual(self.value("process_cpu_seconds_total"), before)

    def test_however_often_workers_are_replaced_there_are_no_more_files(self) -> None:
        self.metrics.open()
        for _ in range(10):
            self.worker(2).kill()
        self.assertEqual(self.value('http_requests_total{method="GET",endpoint="/"}'), 20)
        self.assertEqual(len(workers.worker_paths(self.directory)), 2)

    def test_damaged_files_are_left_out_with_a_note(self) -> None:
        self.metrics.observe("GET", "/", 0)
        (whole,) = workers.worker_paths(self.directory)
        data = bytearray(whole.read_bytes())
        for number, damage in enumerate((b"", b"half", os.urandom(worker_file.SIZE), data[:-1])):
            (self.directory / f"9{number}.worker").write_bytes(damage)
        for at, byte in ((24, 255), (24, 3), (worker_file._SERIES * 8 + 15, 255), (worker_file._SERIES * 8 + 16, 255)):
            changed = bytearray(data)
            changed[at] = byte
            (self.directory / f"8{at}{byte}.worker").write_bytes(changed)
        with self.assertLogs("quarterdeck", "WARNING") as noted:
            self.assertEqual(self.value('http_requests_total{method="GET",endpoint="/"}'), 1)
            self.metrics.render(None)
        self.assertEqual(len(noted.records), 8)
        self.worker(1)
        self.assertEqual(self.value('http_requests_total{method="GET",endpoint="/"}'), 2)


class ServiceDirectoryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.base = temporary_directory(self)
        env = {key: value for key, value in os.environ.items() if key != "QUARTERDECK_METRICS_DIR"}
        patched = mock.patch.dict(os.environ, {**env, "XDG_RUNTIME_DIR": str(self.base)}, clear=True)
        patched.start()
        self.addCleanup(patched.stop)

    def test_forked_workers_meet_in_their_parents_directory(self) -> None:
        metrics = Metrics("hello/ü")
        worker = Worker(self, lambda: metrics.observe("GET", "/", 0))
        metrics.observe("GET", "/", 0)
        self.assertIn('endpoint="/"} 2\n', metrics.render(None)[1])
        worker.kill()
        other = Metrics("another service")
        other.observe("GET", "/", 0)
        self.assertIn('endpoint="/"} 1\n', other.render(None)[1])

    def test_what_a_dead_parent_left_is_removed_and_what_a_living_one_has_is_not(self) -> None:
        (self.base / f"quarterdeck-{os.getuid()}").mkdir(mode=0o700)
        base = self.base / f"quarterdeck-{os.getuid()}"
        living = f"hello-1.{os.getppid()}.{process.born(os.getppid())}.{process.boot_id()}"
        for name in (f"hello-1.{os.getpid()}.1.{process.boot_id()}", f"{living[:-1]}x", living, "something else"):
            (base / name).mkdir()
        mine = workers.service_directory("hello")
        self.assertEqual({path.name for path in base.iterdir()}, {living, "something else", mine.name})

    def test_a_process_that_served_alone_leaves_nothing(self) -> None:
        code = "from quarterdeck_kit import Kit; Kit('x').metrics.open()"
        env = {**os.environ, "PYTHONPATH": str(SOURCE)}
        subprocess.run([sys.executable, "-c", code], check=True, env=env)
        self.assertEqual(list((self.base / f"quarterdeck-{os.getuid()}").iterdir()), [])

    def test_a_place_that_others_may_write_to_is_not_trusted(self) -> None:
        base = self.base / f"quarterdeck-{os.getuid()}"
        base.mkdir()
        base.chmod(0o777)
        self.assertRaises(PermissionError, workers.service_directory, "hello")

    def test_the_place_can_be_chosen(self) -> None:
        with mock.patch.dict(os.environ, {"QUARTERDECK_METRICS_DIR": str(self.base / "chosen")}):
            self.assertEqual(workers.service_directory("hello").parent, self.base / "chosen")
