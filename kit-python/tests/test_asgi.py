import asyncio
import signal
import unittest
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from quarterdeck_kit import Kit, QuarterdeckMiddleware, quarterdeck

from .adapter_suite import AdapterSuite, Reply


async def item_app(scope: Any, receive: Any, send: Any) -> None:
    found = scope["path"].startswith("/items/")
    if found:
        scope["quarterdeck.endpoint"] = "/items/{id}"
    await send({"type": "http.response.start", "status": 200 if found else 404, "headers": []})
    await send({"type": "http.response.body", "body": b"an item" if found else b""})


class ASGIClient:
    app: Any

    def ask(self, path: str, method: str = "GET", headers: Mapping[str, str] = {}, root_path: str = "") -> Reply:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        asyncio.run(self.app(self.scope(path, method, headers, root_path), receive, send))
        told = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], told, b"".join(message.get("body", b"") for message in sent[1:]))

    def scope(self, path: str, method: str, headers: Mapping[str, str], root_path: str) -> dict[str, Any]:
        path, _, query = path.partition("?")
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "method": method,
            "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": root_path,
            "headers": raw, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
        }  # fmt: skip


class PlainASGITest(ASGIClient, AdapterSuite, unittest.TestCase):
    item_template = "/items/{id}"

    def serve(self, kit: Kit) -> None:
        self.app = quarterdeck(item_app, kit=kit)
        self.assertIsInstance(self.app, QuarterdeckMiddleware)

    def test_the_kit_answers_below_a_root_path_too(self) -> None:
        self.start()
        self.assertEqual(self.ask("/api/healthz", root_path="/api").body, b'{"ok":true}')

    def test_a_client_that_leaves_in_the_middle_is_counted_and_so_is_a_failure(self) -> None:
        kit = self.start()

        async def story() -> None:
            async def wait_for_ever(scope: Any, receive: Any, send: Any) -> None:
                await asyncio.Event().wait()

            self.app.app = wait_for_ever
            task = asyncio.create_task(self.app(self.scope("/wait", "GET", {}, ""), None, None))
            await asyncio.sleep(0)
            self.assertEqual(self.counts(kit), {})
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(story())
        self.assertEqual(self.counts(kit), {"GET unmatched": 1})

    def test_lifespan_and_websockets_reach_the_application_untouched(self) -> None:
        kit, seen = self.start(), []

        async def note(scope: Any, receive: Any, send: Any) -> None:
            seen.append((scope["type"], receive, send))

        app = QuarterdeckMiddleware(note, kit=kit)
        for kind in ("lifespan", "websocket"):
            asyncio.run(app({"type": kind, "path": "/healthz"}, "receive", "send"))  # type: ignore[arg-type]
        self.assertEqual(seen, [("lifespan", "receive", "send"), ("websocket", "receive", "send")])
        self.assertEqual(self.counts(kit), {})

    def test_the_servers_stop_signal_is_heard_and_passed_on(self) -> None:
        kit, heard = self.start(), []
        before = signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
        self.addCleanup(signal.signal, signal.SIGTERM, before)

        async def nothing(scope: Any, receive: Any, send: Any) -> None:
            pass

        asyncio.run(QuarterdeckMiddleware(nothing, kit=kit)({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
        signal.raise_signal(signal.SIGTERM)
        self.assertTrue(kit.stopping.is_set())
        self.assertEqual((heard, self.ask("/readyz").status), ([1], 503))


try:
    import starlette.applications
    import starlette.responses
    import starlette.routing as routing
except ImportError:
    starlette = None  # type: ignore[assignment]
try:
    import fastapi
except ImportError:
    fastapi = None  # type: ignore[assignment]


async def item(request: Any) -> Any:
    return starlette.responses.PlainTextResponse("an item")


@unittest.skipUnless(starlette, "Starlette is not installed (Debian: python3-starlette)")
class StarletteTest(ASGIClient, AdapterSuite, unittest.TestCase):
    item_template = "/items/{id}"

    def serve(self, kit: Kit) -> None:
        inner = starlette.applications.Starlette(routes=[routing.Route("/deep/{id}", item)])
        static = routing.Mount("/static/{kind}", app=item_app)
        routes = [routing.Route("/items/{id}", item), routing.Mount("/{tenant}/in", app=inner), static]
        self.app = quarterdeck(starlette.applications.Starlette(routes=routes), kit=kit)

    def test_below_a_mount_the_whole_template_counts(self) -> None:
        kit = self.start()
        for path in ("/a/in/deep/1", "/b/in/deep/2", "/c/in/nowhere", "/static/css/x"):
            self.ask(path)
        self.ask("/a/in/deep/1", "POST")
        inner = "/{tenant}/in/deep/{id}"
        expected = {f"GET {inner}": 2, "GET unmatched": 1, "GET /static/{kind}/{path}": 1, f"POST {inner}": 1}
        self.assert_counted(kit, expected)


@unittest.skipUnless(fastapi, "FastAPI is not installed (Debian: python3-fastapi)")
class FastAPITest(ASGIClient, AdapterSuite, unittest.TestCase):
    item_template = "/v1/items/{item_id}"
    item_path = "/v1/items/7"

    def serve(self, kit: Kit) -> None:
        self.app = quarterdeck(fastapi.FastAPI(), kit=kit)
        router = fastapi.APIRouter(prefix="/v1")

        @router.get("/items/{item_id}", response_class=starlette.responses.PlainTextResponse)
        async def one(item_id: str) -> str:
            return "an item"

        self.app.include_router(router)
