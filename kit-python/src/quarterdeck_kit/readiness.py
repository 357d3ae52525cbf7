"""Readiness: registered checks, each with a time limit, run together; the result is kept for a second."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from dataclasses import dataclass

from .readiness_check import CheckResult, ReadinessCheck, RegisteredCheck, Run

KEPT_FOR_S = 1.0
DEFAULT_LIMIT_S = 1.0

Clock = Callable[[], float]


@dataclass(frozen=True)
class ReadinessResult:
    ok: bool
    checks: tuple[CheckResult, ...]


_STOPPING = ReadinessResult(False, (CheckResult("running", False, 0.0, "stopping"),))


class Readiness:
    """`tell_why` hears of the first failure, and then each time that what fails, or why, has changed."""

    def __init__(
        self, clock: Clock = time.monotonic, tell_why: Callable[[ReadinessResult], object] = lambda _: None
    ) -> None:
        self._clock = clock
        self._tell_why = tell_why
        self._told: list[str] = []
        self._checks: list[RegisteredCheck] = []
        self._lock = threading.Lock()
        self._latest: Future[ReadinessResult] | None = None
        self._known_at: float | None = None
        self._rounds: set[asyncio.Task[None]] = set()
        self._stopping = False

    def add(self, name: str, run: ReadinessCheck, limit_s: float = DEFAULT_LIMIT_S) -> None:
        self._checks.append(RegisteredCheck(name, run, limit_s))

    def stop(self) -> None:
        """From now on the answer is no: a stop signal arrived."""
        self._stopping = True

    def ask(self) -> ReadinessResult:
        if not self._stopping:
            latest, is_new = self._recent()
            if is_new:
                runs = [check.start(None) for check in self._checks]
                for run in runs:
                    wait_for_futures([run.future], timeout=run.remaining_s())
                self._conclude(latest, runs)
            result = latest.result()
            # The stop may have come while the checks ran.
            if not self._stopping:
                return result
        return _STOPPING

    async def ask_async(self) -> ReadinessResult:
        """The same for an event loop. Asynchronous checks run on it, the others in threads."""
        if not self._stopping:
            latest, is_new = self._recent()
            if is_new and not self._checks:
                self._conclude(latest, [])
            elif is_new:
                # On its own: whoever asked first may leave, and the others still wait for the result.
                task = asyncio.create_task(self._round(latest))
                self._rounds.add(task)
                task.add_done_callback(self._rounds.discard)
            result = latest.result() if latest.done() else await asyncio.shield(asyncio.wrap_future(latest))
            if not self._stopping:
                return result
        return _STOPPING

    async def _round(self, latest: Future[ReadinessResult]) -> None:
        runs: list[Run] = []
        try:
            runs = [check.start(asyncio.get_running_loop()) for check in self._checks]
            await asyncio.gather(*(self._limited(run) for run in runs))
        finally:
            self._conclude(latest, runs)

    async def _limited(self, run: Run) -> None:
        await asyncio.wait([asyncio.wrap_future(run.future)], timeout=run.remaining_s())
        run.give_up()

    def _recent(self) -> tuple[Future[ReadinessResult], bool]:
        """What is being found out or was found out less than a second ago; else what the caller must find out."""
        with self._lock:
            old = self._known_at is not None and self._clock() - self._known_at >= KEPT_FOR_S
            if self._latest is not None and not old:
                return self._latest, False
            self._latest, self._known_at = Future(), None
            return self._latest, True

    def _conclude(self, latest: Future[ReadinessResult], runs: list[Run]) -> None:
        checks = tuple(run.result() for run in runs)
        result = ReadinessResult(len(runs) == len(self._checks) and all(check.ok for check in checks), checks)
        with self._lock:
            self._known_at = self._clock()
        latest.set_result(result)
        failures = [f"{check.name}: {check.reason}" for check in checks if not check.ok]
        if failures != self._told:
            self._told = failures
            self._tell_why(result)
