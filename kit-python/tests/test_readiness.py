import asyncio
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from quarterdeck_kit.readiness import Readiness, ReadinessResult

from .waiting import until


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def reasons(result: ReadinessResult) -> dict:
    return {check.name: check.reason for check in result.checks}


def refuse() -> None:
    raise OSError("connection refused")


class ReadinessTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.told: list[str] = []
        self.readiness = Readiness(self.clock, lambda result: self.told.append(str(reasons(result))))
        self.hold = threading.Event()
        self.addCleanup(self.hold.set)

    def ask(self) -> ReadinessResult:
        return self.readiness.ask()

    def test_without_checks_it_is_ready(self) -> None:
        self.assertEqual(self.ask(), ReadinessResult(True, ()))

    def test_one_failing_check_is_enough_and_every_reason_is_told(self) -> None:
        def nameless() -> None:
            raise TypeError

        def leave() -> None:
            raise SystemExit("leaving")

        checks = {"good": lambda: "anything", "refused": refuse, "nameless": nameless, "leaves": leave}
        for name, run in {**checks, "no": lambda: False, "none": lambda: None}.items():
            self.readiness.add(name, run)
        result = self.ask()
        self.assertFalse(result.ok)
        expected = {"good": None, "refused": "connection refused", "nameless": "TypeError", "leaves": "leaving"}
        self.assertEqual(reasons(result), {**expected, "no": "answered no", "none": None})

    def test_a_flood_of_words_is_one_short_line(self) -> None:
        def flood() -> None:
            raise ValueError("far too much\n" * 100_000)

        self.readiness.add("flood", flood)
        reason = reasons(self.ask())["flood"]
        self.assertLessEqual(len(reason), 300)
        self.assertNotIn("\n", reason)

    def test_checks_run_together(self) -> None:
        met = threading.Barrier(2, timeout=30)
        self.readiness.add("one", met.wait, 5)
        self.readiness.add("other", met.wait, 5)
        self.assertTrue(self.ask().ok)

    def test_a_check_that_hangs_fails_by_its_limit_and_is_not_begun_again(self) -> None:
        begun = []

        def hang() -> None:
            begun.append(1)
            self.hold.wait(30)

        self.readiness.add("hung", hang, 0.02)
        self.assertEqual(reasons(self.ask()), {"hung": "no answer within 20 ms"})
        threads = threading.active_count()
        for _ in range(50):
            self.clock.now += 1
            self.assertEqual(reasons(self.ask()), {"hung": "still running, no answer within 20 ms"})
        self.assertEqual((len(begun), threading.active_count()), (1, threads))
        self.hold.set()
        until("it has ended", lambda: threading.active_count() < threads)
        self.clock.now += 1
        self.assertTrue(self.ask().ok)

    def test_a_result_is_kept_for_a_second(self) -> None:
        asked: list[int] = []
        self.readiness.add("store", lambda: asked.append(1))
        for self.clock.now, times in ((0, 1), (0.999, 1), (1, 2)):
            self.ask()
            self.assertEqual(len(asked), times)

    def test_a_flood_of_askers_shares_one_round(self) -> None:
        begun = []

        def slow() -> None:
            begun.append(1)
            self.hold.wait(5)

        self.readiness.add("slow", slow, 10)
        with ThreadPoolExecutor(50) as pool:
            answers = [pool.submit(self.ask) for _ in range(200)]
            until("it has begun", lambda: begun)
            self.hold.set()
            self.assertTrue(all(answer.result().ok for answer in answers))
        self.assertEqual(len(begun), 1)

    def test_from_the_stop_on_it_is_not_ready_for_those_who_asked_before_too(self) -> None:
        self.readiness.add("slow", lambda: self.hold.wait(5), 10)
        with ThreadPoolExecutor() as pool:
            asked = pool.submit(self.ask)
            self.readiness.stop()
            self.hold.set()
            self.assertEqual(reasons(asked.result()), {"running": "stopping"})
        self.assertFalse(self.ask().ok)

    def test_why_is_told_once_and_again_when_it_changes(self) -> None:
        reason: list[str] = []

        def check() -> None:
            if reason:
                raise ValueError(reason[0])

        self.readiness.add("store", check)
        for reason[:] in ([], ["refused"], ["refused"], ["full"], [], []):
            self.ask()
            self.clock.now += 1
        self.assertEqual(self.told, ["{'store': 'refused'}", "{'store': 'full'}", "{'store': None}"])


class AsyncReadinessTest(ReadinessTest):
    """The same on an event loop."""

    def ask(self) -> ReadinessResult:
        return asyncio.run(self.readiness.ask_async())

    def test_asynchronous_checks_run_on_the_loop_and_one_that_hangs_is_ended(self) -> None:
        ended = []

        async def hang() -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                ended.append(1)

        async def refused() -> None:
            refuse()

        async def fine() -> asyncio.AbstractEventLoop:
            return asyncio.get_running_loop()

        for name, run in {"hung": hang, "refused": refused, "fine": fine}.items():
            self.readiness.add(name, run, 0.05)
        expected = {"hung": "no answer within 50 ms", "refused": "connection refused", "fine": None}
        self.assertEqual(reasons(self.ask()), expected)
        self.clock.now += 1
        self.assertEqual(reasons(self.ask()), expected)
        self.assertEqual(len(ended), 2)

    def test_a_plain_function_that_gives_an_awaitable_is_awaited_on_the_services_loop(self) -> None:
        async def story() -> bool:
            here = asyncio.get_running_loop()

            async def ping() -> bool:
                return asyncio.get_running_loop() is here

            self.readiness.add("client", lambda: ping())
            return (await self.readiness.ask_async()).ok

        self.assertTrue(asyncio.run(story()))

    def test_whoever_asked_first_may_leave(self) -> None:
        async def story() -> bool:
            going = asyncio.Event()
            self.readiness.add("slow", going.wait, 5)
            first = asyncio.create_task(self.readiness.ask_async())
            second = asyncio.create_task(self.readiness.ask_async())
            await asyncio.sleep(0)
            first.cancel()
            going.set()
            return (await second).ok

        self.assertTrue(asyncio.run(story()))

    def test_a_flood_of_askers_shares_one_round(self) -> None:
        begun: list[int] = []

        async def story() -> bool:
            self.readiness.add("slow", lambda: begun.append(1))
            return all(result.ok for result in await asyncio.gather(*(self.readiness.ask_async() for _ in range(1000))))

        self.assertTrue(asyncio.run(story()))
        self.assertEqual(len(begun), 1)
