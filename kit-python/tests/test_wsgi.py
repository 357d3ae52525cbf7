import io
import resource
import unittest
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper, setup_testing_defaults

from quarterdeck_kit import Kit, quarterdeck

from .adapter_suite import AdapterSuite, Reply, item_wsgi_app


class WSGIClient:
    app: Any

    def ask(self, path: str, method: str = "GET", headers: Mapping[str, str] = {}) -> Reply:
        environ: dict[str, Any] = {"REQUEST_METHOD": method}
        environ["PATH_INFO"], _, environ["QUERY_STRING"] = path.partition("?")
        environ["PATH_INFO"] = unquote_to_bytes(environ["PATH_INFO"]).decode("latin-1")
        environ.update({f"HTTP_{name.upper()}": value for name, value in headers.items()})
        setup_testing_defaults(environ)
        environ["wsgi.file_wrapper"] = FileWrapper
        head: list[Any] = []
        body = self.app(environ, lambda status, headers, exc_info=None: head.extend([status, headers]))
        data = b"".join(body)
        if hasattr(body, "close"):
            body.close()
        return Reply(int(head[0].split()[0]), {name.lower(): value for name, value in head[1]}, data)


class PlainWSGITest(WSGIClient, AdapterSuite, unittest.TestCase):
    item_template = "/items/<id>"

    def serve(self, kit: Kit) -> None:
        self.app = quarterdeck(item_wsgi_app, kit=kit)

    def test_a_stream_is_counted_at_its_end_once_and_closed(self) -> None:
        kit = self.start()
        ended = []

        def stream(environ: Any, start_response: Any) -> Any:
            start_response("200 OK", [])
            try:
                yield b"one"
                yield b"two"
            finally:
                ended.append(1)

        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/stream"}
        body = quarterdeck(stream, kit=kit)(environ, lambda *_: None)
        self.assertEqual(next(iter(body)), b"one")
        self.assertEqual(self.counts(kit), {})
        body.close()  # The client has left.
        body.close()
        self.assertEqual((self.counts(kit), ended), ({"GET unmatched": 1}, [1]))

    def test_a_million_different_urls_take_no_memory(self) -> None:
        kit = self.start()
        self.ask("/first")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for number in range(1_000_000):
            self.app({"REQUEST_METHOD": "GET", "PATH_INFO": f"/scanned/{number}"}, lambda *_: None)
        grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown_kib, 2048)
        self.assertEqual(self.counts(kit), {"GET unmatched": 1_000_001})

    def test_a_file_is_left_to_the_server(self) -> None:
        kit = self.start()
        file = FileWrapper(io.BytesIO(b"data"))
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/file", "wsgi.file_wrapper": FileWrapper}
        self.assertIs(quarterdeck(lambda environ, start: file, kit=kit)(environ, lambda *_: None), file)
        self.assertEqual(self.counts(kit), {"GET unmatched": 1})

    def test_an_application_that_fails_is_counted(self) -> None:
        kit = self.start()
        app = quarterdeck(lambda environ, start: 1 / 0, kit=kit)
        self.assertRaises(ZeroDivisionError, app, {"REQUEST_METHOD": "GET", "PATH_INFO": "/"}, None)
        self.assertEqual(self.counts(kit), {"GET unmatched": 1})

    def test_it_needs_a_name(self) -> None:
        self.assertRaises(TypeError, quarterdeck, item_wsgi_app)


try:
    import flask
except ImportError:
    flask = None  # type: ignore[assignment]


@unittest.skipUnless(flask, "Flask is not installed (Debian: python3-flask)")
class FlaskTest(WSGIClient, AdapterSuite, unittest.TestCase):
    item_template = "/items/<item_id>"

    def serve(self, kit: Kit) -> None:
        app = flask.Flask(__name__)
        self.app = quarterdeck(app, kit=kit)
        self.assertIs(self.app, app)
        app.get("/items/<item_id>", endpoint="item")(lambda item_id: "an item")
        app.get("/broken", endpoint="broken")(lambda: 1 / 0)

    def test_an_error_is_counted_by_its_route(self) -> None:
        kit = self.start()
        self.app.logger.disabled = True
        self.assertEqual(self.ask("/broken").status, 500)
        self.assertEqual(self.counts(kit), {"GET /broken": 1})
