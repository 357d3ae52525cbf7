"""What /metrics says, in the text format or OpenMetrics."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .exposition import latency_lines, process_lines, request_lines
from .open_metrics import open_metrics, prefers_open_metrics
from .request_metrics import RequestMetrics

log = logging.getLogger("quarterdeck")

TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Metrics:
    def __init__(self, name: str, directory: Path | None = None) -> None:
        self._requests = RequestMetrics(name, directory)
        self.observe = self._requests.observe
        self.open = self._requests.open

    def render(self, accept: str | None) -> tuple[str, str]:
        """The content type and the text that fit the Accept header."""
        workers = self._requests.read_workers()
        lines = [*request_lines(workers), *latency_lines(workers), *process_lines(workers), ""]
        text = "\n".join(lines) + _client_text()
        # A name from outside may hold halves of characters, which UTF-8 cannot carry.
        text = text.encode("utf-8", "replace").decode()
        return (OPEN_METRICS_TYPE, open_metrics(text)) if prefers_open_metrics(accept) else (TEXT_TYPE, text)


def _client_text() -> str:
    """The service's own series, if it uses prometheus_client. Who never imported it has none there."""
    client = sys.modules.get("prometheus_client")
    if client is None:
        return ""
    try:
        return client.generate_latest(_OwnFamilies(_registry(client))).decode()
    except Exception:
        log.exception("the series of prometheus_client are left out of the metrics")
        return ""


def _registry(client: Any) -> Any:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return client.REGISTRY
    from prometheus_client import multiprocess  # type: ignore[import-not-found]

    registry = client.CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)
    return registry


class _OwnFamilies:
    """The families of a registry but for those that the kit writes itself."""

    def __init__(self, registry: Any) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Any]:
        for family in self._registry.collect():
            if not family.name.startswith("process_") and family.name not in (
                "http_requests",
                "http_requests_total",
                "http_request_duration_seconds",
            ):
                yield family
