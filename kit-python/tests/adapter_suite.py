"""What every adapter of the kit must do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from quarterdeck_kit import Kit

from .waiting import temporary_directory, until


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class AdapterSuite:
    """Mixed into a TestCase that serves, besides the kit, `item_path` by the template `item_template`."""

    item_template: str
    item_path = "/items/7"

    def serve(self: Any, kit: Kit) -> None:
        raise NotImplementedError

    def ask(self: Any, path: str, method: str = "GET", headers: Mapping[str, str] = {}) -> Reply:
        raise NotImplementedError

    def start(self: Any, **checks: Any) -> Kit:
        kit = Kit("hello", temporary_directory(self), checks, metrics_directory=temporary_directory(self))
        self.serve(kit)
        return kit

    def counts(self: Any, kit: Kit) -> dict[str, int]:
        sample = r'^http_requests_total\{method="(.+?)",endpoint="(.+)"\} (\d+)$'
        found = re.findall(sample, kit.metrics.render(None)[1], re.M)
        return {f"{method} {endpoint}": int(count) for method, endpoint, count in found}

    def assert_counted(self: Any, kit: Kit, expected: dict[str, int]) -> None:
        """Waits: a request is counted when it has ended, which its client may know a little earlier."""
        until(f"the counts are {expected}", lambda: self.counts(kit) == expected, 5)

    def test_health_readiness_and_version_are_the_specifications_to_the_byte(self: Any) -> None:
        self.start()
        yes, version = b'{"ok":true}', b'{"name":"hello","sha":"unknown"}'
        bodies = {"/healthz": yes, "/readyz": yes, "/version": version}
        for path, body in bodies.items():
            reply = self.ask(f"{path}?from=a-probe")
            self.assertEqual((path, reply.status, reply.body), (path, 200, body))
            self.assertEqual(reply.headers["content-type"], "application/json; charset=utf-8")
            self.assertEqual(reply.headers["content-length"], str(len(body)))
            self.assertEqual(reply.headers["cache-control"], "no-store")

    def test_not_ready_is_503_while_health_stays_as_it_was(self: Any) -> None:
        self.start(store=lambda: 1 / 0)
        with self.assertLogs("quarterdeck", "WARNING") as told:
            reply = self.ask("/readyz")
        self.assertEqual(told.records[0].getMessage(), "not ready: store: division by zero")
        self.assertEqual((reply.status, reply.body, reply.headers["cache-control"]), (503, b'{"ok":false}', "no-store"))
        self.assertEqual(self.ask("/healthz").status, 200)

    def test_not_ready_from_the_moment_of_the_stop(self: Any) -> None:
        kit = self.start()
        self.assertEqual(self.ask("/readyz").status, 200)
        kit._readiness.stop()
        self.assertEqual(self.ask("/readyz").status, 503)

    def test_metrics_come_as_text_or_as_openmetrics_where_that_is_preferred(self: Any) -> None:
        self.start()
        text = self.ask("/metrics")
        self.assertEqual(text.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        self.assertIn(b"# HELP http_requests_total Total HTTP requests\n", text.body)
        other = self.ask("/metrics", headers={"Accept": "application/openmetrics-text"})
        self.assertEqual(other.headers["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.assertTrue(other.body.endswith(b"\n# EOF\n"))

    def test_head_is_as_get_without_the_body(self: Any) -> None:
        self.start()
        for path in ("/healthz", "/readyz", "/version"):
            get, head = self.ask(path), self.ask(path, "HEAD")
            self.assertEqual((path, head.status, head.body), (path, 200, b""))
            self.assertEqual({**head.headers, "date": ""}, {**get.headers, "date": ""})
        head = self.ask("/metrics", "HEAD")
        self.assertEqual(head.body, b"")
        self.assertGreater(int(head.headers["content-length"]), 1000)

    def test_requests_are_counted_by_method_and_route_template(self: Any) -> None:
        kit = self.start()
        self.assertEqual(self.ask(f"{self.item_path}?a=1").body, b"an item")
        self.ask(self.item_path)
        self.ask("/healthz", "HEAD")
        self.assert_counted(kit, {f"GET {self.item_template}": 2, "HEAD /healthz": 1})

    def test_whatever_no_route_matches_is_one_endpoint_however_many_paths(self: Any) -> None:
        kit = self.start()
        scanned = ["/a", "/b", "/c.php", "/healthz/", "/%00", "/%ff%fe", "/quo%22te"]
        for path in scanned:
            self.assertEqual(self.ask(path).status, 404)
        self.assertEqual(self.ask("/healthz", "DELETE").status, 404)
        self.assertEqual(self.ask("/", "BREW").status, 404)
        self.assert_counted(kit, {"GET unmatched": len(scanned), "DELETE unmatched": 1, "other unmatched": 1})


def item_wsgi_app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    if environ["PATH_INFO"].startswith("/items/"):
        environ["quarterdeck.endpoint"] = "/items/<id>"
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"an item"]
    start_response("404 Not Found", [])
    return []
