"""The kit on WSGI: Flask, or any other. `app = quarterdeck(app, name="hello")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import perf_counter
from typing import Any

from .kit import ENDPOINTS, Answer, Kit
from .readiness_check import ReadinessCheck
from .route_template import ENDPOINT_KEY
from .stop_signals import listen_in_on_stop

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
WSGIApp = Callable[[Environ, StartResponse], Iterable[bytes]]


def quarterdeck(
    app: Any,
    name: str | None = None,
    checks: Mapping[str, ReadinessCheck] | None = None,
    root: str | os.PathLike[str] | None = None,
    kit: Kit | None = None,
) -> Any:
    """Options of a new kit, or a kit that was made before. Flask is given back as it is, with the kit inside; any
    other callable comes back wrapped."""
    if hasattr(app, "wsgi_app"):
        app.wsgi_app = QuarterdeckWSGI(app.wsgi_app, name, checks, root, kit)
        return app
    return QuarterdeckWSGI(app, name, checks, root, kit)


class QuarterdeckWSGI:
    def __init__(
        self,
        app: WSGIApp,
        name: str | None = None,
        checks: Mapping[str, ReadinessCheck] | None = None,
        root: str | os.PathLike[str] | None = None,
        kit: Kit | None = None,
    ) -> None:
        if kit is None and name is None:
            raise TypeError("quarterdeck needs the service's name, or a kit")
        self.app = app
        self.kit = kit or Kit(name or "", root, checks)
        listen_in_on_stop(self.kit)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        started = perf_counter()
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        if path in ENDPOINTS and method in ("GET", "HEAD"):
            # Again, because a server that forks its workers sets up their signals after the application was made.
            listen_in_on_stop(self.kit)
            answer = ENDPOINTS[path](self.kit, environ.get("HTTP_ACCEPT"))
            self.kit.metrics.observe(method, path, perf_counter() - started)
            return _send(answer, method, start_response)
        endpoint = EndpointWitness(environ, start_response)

        def count() -> None:
            self.kit.metrics.observe(method, endpoint.name(), perf_counter() - started)

        try:
            body = self.app(environ, endpoint)
        except BaseException:
            count()
            raise
        # The server sends a file its own, faster way, if it is the server's own object: that is counted as it begins.
        if isinstance(body, (list, tuple)) or _is_server_file(body, environ):
            count()
            return body
        return _Counted(body, count)


class EndpointWitness:
    """Stands in for start_response, and sees the rule that Flask matched: after the answer Flask forgets it."""

    __slots__ = ("_environ", "_rule", "_start_response")

    def __init__(self, environ: Environ, start_response: StartResponse) -> None:
        self._environ = environ
        self._start_response = start_response
        self._rule: str | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        rule = getattr(self._environ.get("werkzeug.request"), "url_rule", None)
        self._rule = getattr(rule, "rule", None)
        return self._start_response(*arguments, **named)

    def name(self) -> str | None:
        """What the application named itself goes first."""
        named = self._environ.get(ENDPOINT_KEY)
        return named if isinstance(named, str) else self._rule


class _Counted:
    """The body as it is, counted when the server closes it: at its end, or when the client has left."""

    def __init__(self, body: Iterable[bytes], count: Callable[[], None]) -> None:
        self._body = body
        self._count: Callable[[], None] | None = count

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        count, self._count = self._count, None
        try:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()
        finally:
            if count is not None:
                count()


def _send(answer: Answer, method: str, start_response: StartResponse) -> list[bytes]:
    start_response(f"{answer.status} {answer.reason}", list(answer.headers))
    return [] if method == "HEAD" else [answer.body]


def _is_server_file(body: object, environ: Environ) -> bool:
    wrapper = environ.get("wsgi.file_wrapper")
    return isinstance(wrapper, type) and isinstance(body, wrapper)
