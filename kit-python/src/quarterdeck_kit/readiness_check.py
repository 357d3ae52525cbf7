"""One dependency, asked within a limit. One that hangs is left behind, and not asked again while it hangs."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Union

#: Returns when the dependency is there; raises, with a reason, or returns False when it is not.
ReadinessCheck = Callable[[], Union[object, Awaitable[object]]]

_REASON_LENGTH = 300


@dataclass(frozen=True)
class CheckResult:
    name: str
    ok: bool
    took_s: float
    reason: str | None


class RegisteredCheck:
    def __init__(self, name: str, run: ReadinessCheck, limit_s: float) -> None:
        self.name = name
        self.limit_s = limit_s
        self._run = run
        self._latest: Run | None = None

    def start(self, loop: asyncio.AbstractEventLoop | None) -> Run:
        """`loop` runs what is asynchronous; all else, or without one, runs in a thread of its own."""
        hanging = self._latest
        if hanging is not None and not hanging.future.done():
            return StillRunning(self, hanging)
        run = self._latest = Run(self)
        if loop is not None and inspect.iscoroutinefunction(self._run):
            run.await_on(loop, self._run())
        else:
            arguments = [run, loop]
            threading.Thread(target=self._answer, args=arguments, name=f"readiness {self.name}", daemon=True).start()
        return run

    def _answer(self, run: Run, loop: asyncio.AbstractEventLoop | None) -> None:
        try:
            answer = self._run()
            if inspect.isawaitable(answer) and loop is not None:
                # As from `lambda: client.ping()`: the client belongs to the service's loop.
                loop.call_soon_threadsafe(run.await_on, loop, answer)
                return
            if inspect.isawaitable(answer):
                answer = asyncio.run(_awaited(answer))
            run.future.set_result(_reason_of_answer(answer))
        except BaseException as error:
            run.future.set_result(_reason_of(error))


class Run:
    """One asking. The future says why it failed, or None."""

    def __init__(self, check: RegisteredCheck) -> None:
        self.future: Future[str | None] = Future()
        self.started = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self._check = check
        self._verdict: str | None = None

    def await_on(self, loop: asyncio.AbstractEventLoop, answer: Awaitable[object]) -> None:
        self._task = loop.create_task(self._conclude(answer))

    async def _conclude(self, answer: Awaitable[object]) -> None:
        try:
            self.future.set_result(_reason_of_answer(await answer))
        except asyncio.CancelledError:
            self.future.set_result("cancelled")
        except BaseException as error:
            self.future.set_result(_reason_of(error))

    def remaining_s(self) -> float:
        return max(0.0, self.started + self._check.limit_s - time.monotonic())

    def give_up(self) -> None:
        """What hangs on the loop can be ended, unlike a thread. What it says then is no longer heard."""
        if self._task is not None and not self.future.done():
            self._verdict = self._too_late()
            self._task.cancel()

    def result(self) -> CheckResult:
        reason = self._verdict or (self.future.result() if self.future.done() else self._too_late())
        return CheckResult(self._check.name, reason is None, time.monotonic() - self.started, reason)

    def _too_late(self) -> str:
        return f"no answer within {round(self._check.limit_s * 1000)} ms"


class StillRunning(Run):
    """Stands for an earlier asking that has not ended: nothing is begun, so hanging threads cannot pile up."""

    def __init__(self, check: RegisteredCheck, earlier: Run) -> None:
        super().__init__(check)
        # Without a number: the reason is told whenever it changes.
        self.future.set_result(f"still running, {earlier._too_late()}")


async def _awaited(answer: Awaitable[object]) -> object:
    return await answer


def _reason_of_answer(answer: object) -> str | None:
    return "answered no" if answer is False else None


def _reason_of(error: BaseException) -> str:
    """One line of bounded length, whatever a dependency says."""
    return " ".join(str(error)[: 4 * _REASON_LENGTH].split())[:_REASON_LENGTH] or type(error).__name__
