import shutil
import subprocess
import sys
import unittest
from unittest import mock

from quarterdeck_kit import UNMATCHED, Kit
from quarterdeck_kit.metrics import Metrics

from .waiting import temporary_directory

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"

EXPECTED = """# HELP http_requests_total Total HTTP requests
# TYPE http_requests_total counter
http_requests_total{method="GET",endpoint="/items/{id}"} 2
http_requests_total{method="POST",endpoint="/items"} 1
# HELP http_request_duration_seconds Request latency
# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le="0.005"} 0
http_request_duration_seconds_bucket{le="0.01"} 0
http_request_duration_seconds_bucket{le="0.025"} 0
http_request_duration_seconds_bucket{le="0.05"} 1
http_request_duration_seconds_bucket{le="0.1"} 1
http_request_duration_seconds_bucket{le="0.25"} 1
http_request_duration_seconds_bucket{le="0.5"} 2
http_request_duration_seconds_bucket{le="1"} 2
http_request_duration_seconds_bucket{le="2.5"} 2
http_request_duration_seconds_bucket{le="5"} 2
http_request_duration_seconds_bucket{le="10"} 2
http_request_duration_seconds_bucket{le="+Inf"} 3
http_request_duration_seconds_sum 20.34
http_request_duration_seconds_count 3
"""


def promtool(text: str) -> tuple[int, str]:
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class MetricsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.metrics = Metrics("hello", self.directory)

    def text(self, accept: "str | None" = None) -> str:
        return self.metrics.render(accept)[1]

    def samples(self) -> list[str]:
        return [line for line in self.text().split("\n") if line.startswith("http_requests_total{")]

    def test_the_two_series_have_the_specifications_names_kinds_help_texts_and_labels(self) -> None:
        self.metrics.observe("GET", "/items/{id}", 0.3)
        self.metrics.observe("GET", "/items/{id}", 0.04)
        self.metrics.observe("POST", "/items", 20)
        self.assertTrue(self.text().startswith(EXPECTED), self.text())

    def test_before_the_first_request_the_series_are_announced(self) -> None:
        self.assertIn("# TYPE http_requests_total counter\n# HELP http_request_duration_seconds", self.text())

    def test_the_process_is_measured_too(self) -> None:
        values = dict(line.split(" ") for line in self.text().splitlines() if line.startswith("process_"))
        self.assertGreater(float(values["process_resident_memory_bytes"]), 1e6)
        self.assertGreater(float(values["process_start_time_seconds"]), 1e9)
        self.assertGreaterEqual(float(values["process_cpu_seconds_total"]), 0)
        self.assertGreater(float(values["process_open_fds"]), 2)

    def test_label_values_are_escaped_and_what_is_no_utf_8_is_replaced(self) -> None:
        for endpoint in ('/"quoted"', "/new\nline", "/back\\slash", "/half\udcff", "/other half\udcfe", "/ü\0"):
            self.metrics.observe("GET", endpoint, 0)
            self.metrics.observe("GET", endpoint, 0)
        found = [line.partition("endpoint=")[2] for line in self.samples()]
        names = [r'"/\"quoted\""', r'"/new\nline"', r'"/back\\slash"', '"/half?"', '"/other half?"', '"/ü\0"']
        self.assertEqual(found, [f"{name}}} 2" for name in names])
        Kit("hello", metrics_directory=self.directory).metrics_text(OPEN_METRICS).body.decode()

    def test_unknown_methods_are_one(self) -> None:
        for number in range(100):
            self.metrics.observe(f"HACK{number}", UNMATCHED, 0)
        self.assertEqual(self.samples(), ['http_requests_total{method="other",endpoint="unmatched"} 100'])

    def test_even_a_service_with_endless_templates_stays_bounded_and_counts_every_request(self) -> None:
        for number in range(20_000):
            self.metrics.observe("GET", f"/made/up/{number}", 0)
        self.metrics.observe("GET", "/" + "long" * 100_000, 0)
        self.assertLess(len(self.samples()), 8000)
        self.assertEqual(sum(int(line.rpartition(" ")[2]) for line in self.samples()), 20_001)

    def test_the_content_types_are_exact_and_a_scrape_changes_nothing(self) -> None:
        self.metrics.observe("GET", "/", 0.01)
        before = self.text().partition("# HELP process")[0]
        content_type, text = self.metrics.render(OPEN_METRICS)
        self.assertEqual(content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.assertIn("# TYPE http_requests counter\nhttp_requests_total{", text)
        self.assertTrue(text.endswith("\n# EOF\n"))
        self.assertEqual(self.metrics.render(None)[0], "text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(self.text().partition("# HELP process")[0], before)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed (Debian: prometheus)")
    def test_promtool_finds_nothing_wrong_before_and_after_an_openmetrics_scrape(self) -> None:
        self.metrics.observe("GET", '/"\n\\', 0.01)
        self.assertEqual(promtool(self.text()), (0, ""))
        self.text(OPEN_METRICS)
        self.assertEqual(promtool(self.text()), (0, ""))

    def test_where_nothing_can_be_written_it_counts_for_this_process(self) -> None:
        alone = Metrics("hello", self.directory / "missing")
        with self.assertLogs("quarterdeck", "WARNING"):
            alone.observe("GET", "/", 0)
        self.assertIn('endpoint="/"} 1\n', alone.render(None)[1])


class PrometheusClientTest(unittest.TestCase):
    def render(self, client: object) -> str:
        with mock.patch.dict(sys.modules, {"prometheus_client": client}):
            return Metrics("hello", temporary_directory(self)).render(None)[1]

    def test_its_series_follow_without_those_that_the_kit_writes(self) -> None:
        try:
            import prometheus_client
        except ImportError:
            self.skipTest("prometheus_client is not installed (Debian: python3-prometheus-client)")
        counter = prometheus_client.Counter("jobs", "Jobs")
        other = prometheus_client.Counter("http_requests", "Mine")
        self.addCleanup(prometheus_client.REGISTRY.unregister, counter)
        self.addCleanup(prometheus_client.REGISTRY.unregister, other)
        counter.inc()
        text = self.render(prometheus_client)
        self.assertIn("jobs_total 1.0\n", text)
        for family in ("process_resident_memory_bytes", "http_requests_total", "process_cpu_seconds_total"):
            self.assertEqual(text.count(f"# TYPE {family} "), 1, family)
        if shutil.which("promtool"):
            self.assertEqual(promtool(text), (0, ""))

    def test_one_that_fails_does_not_take_the_kits_series_with_it(self) -> None:
        with self.assertLogs("quarterdeck", "ERROR"):
            text = self.render(mock.Mock(generate_latest=mock.Mock(side_effect=RuntimeError("broken collector"))))
        self.assertIn("http_requests_total", text)
