"""What a service mounts: health, readiness, version and metrics under one name. Adapters put it on a framework."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .build_sha import build_sha
from .metrics import Metrics
from .readiness import DEFAULT_LIMIT_S, Clock, Readiness, ReadinessResult
from .readiness_check import ReadinessCheck

log = logging.getLogger("quarterdeck")


@dataclass(frozen=True)
class Answer:
    """One answer of an endpoint, whatever the framework."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def reason(self) -> str:
        return "OK" if self.status == 200 else "Service Unavailable"


def _answer(status: int, content_type: str, body: str) -> Answer:
    data = body.encode("utf-8", "replace")
    headers = (("Content-Type", content_type), ("Content-Length", str(len(data))), ("Cache-Control", "no-store"))
    return Answer(status, headers, data)


def _json(status: int, document: object) -> Answer:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return _answer(status, "application/json; charset=utf-8", text)


_YES = _json(200, {"ok": True})
_NO = _json(503, {"ok": False})


def _log_readiness(result: ReadinessResult) -> None:
    if result.ok:
        log.info("ready again")
    else:
        log.warning("not ready: %s", "; ".join(f"{c.name}: {c.reason}" for c in result.checks if not c.ok))


class Kit:
    """`root` is where the service's code lies, to find its commit (default: the working directory). `checks` are the
    dependencies that must answer for the service to be ready, by name."""

    def __init__(
        self,
        name: str,
        root: str | os.PathLike[str] | None = None,
        checks: Mapping[str, ReadinessCheck] | None = None,
        *,
        on_readiness_change: Callable[[ReadinessResult], object] = _log_readiness,
        metrics_directory: str | os.PathLike[str] | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = name
        #: Taken once: it never changes while the process lives.
        self.sha = build_sha(root if root is not None else os.getcwd())
        self.metrics = Metrics(name, Path(metrics_directory) if metrics_directory is not None else None)
        #: What is long-lived (streams) waits for this and ends.
        self.stopping = threading.Event()
        self._stop_begun = False
        self._version = _json(200, {"name": name, "sha": self.sha})
        self._readiness = Readiness(clock, on_readiness_change)
        for check, run in (checks or {}).items():
            self.check(check, run)

    def check(self, name: str, run: ReadinessCheck, limit_s: float = DEFAULT_LIMIT_S) -> None:
        """Registers a dependency without which the service cannot do its job."""
        self._readiness.add(name, run, limit_s)

    def begin_stop(self) -> None:
        """Not ready from this moment on."""
        self._readiness.stop()
        # A signal may interrupt the very setting of the event, which must not be entered twice.
        if not self._stop_begun:
            self._stop_begun = True
            self.stopping.set()

    def readiness(self) -> ReadinessResult:
        """Why it is ready or not."""
        return self._readiness.ask()

    def healthz(self) -> Answer:
        """Asks nobody else: that it answers is the answer."""
        return _YES

    def readyz(self) -> Answer:
        return _YES if self._readiness.ask().ok else _NO

    async def readyz_async(self) -> Answer:
        return _YES if (await self._readiness.ask_async()).ok else _NO

    def version(self) -> Answer:
        return self._version

    def metrics_text(self, accept: str | None) -> Answer:
        return _answer(200, *self.metrics.render(accept))


#: The kit's endpoints, by path, for every adapter alike.
ENDPOINTS: Mapping[str, Callable[[Kit, "str | None"], Answer]] = {
    "/healthz": lambda kit, accept: kit.healthz(),
    "/readyz": lambda kit, accept: kit.readyz(),
    "/version": lambda kit, accept: kit.version(),
    "/metrics": lambda kit, accept: kit.metrics_text(accept),
}
