"""The kit on ASGI: FastAPI, Starlette, or any other. `app = QuarterdeckMiddleware(app, name="hello")`."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from time import perf_counter
from typing import Any

from .kit import ENDPOINTS, Answer, Kit
from .readiness_check import ReadinessCheck
from .route_template import route_template
from .stop_signals import listen_in_on_stop

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class QuarterdeckMiddleware:
    """Options of a new kit, or a kit that was made before. To be outermost: what a middleware around it refuses is not
    counted. The application's own attributes (`app.get`, `app.state`) are reached through it."""

    def __init__(
        self,
        app: ASGIApp,
        name: str | None = None,
        checks: Mapping[str, ReadinessCheck] | None = None,
        root: str | os.PathLike[str] | None = None,
        kit: Kit | None = None,
    ) -> None:
        if kit is None and name is None:
            raise TypeError("QuarterdeckMiddleware needs the service's name, or a kit")
        self.app = app
        self.kit = kit or Kit(name or "", root, checks)

    def __getattr__(self, attribute: str) -> Any:
        if attribute == "app":
            raise AttributeError(attribute)  # Not made yet, as while it is being copied.
        return getattr(self.app, attribute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._request(scope, receive, send)
            return
        if scope["type"] == "lifespan":
            self.kit.metrics.open()
            listen_in_on_stop(self.kit)
        await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        method, path, root_path = scope["method"], scope["path"], scope.get("root_path", "")
        own_path = path[len(root_path) :] if root_path and path.startswith(f"{root_path}/") else path
        if own_path in ENDPOINTS and method in ("GET", "HEAD"):
            try:
                await _send(await self._answer(own_path, scope), method, send)
            finally:
                self.kit.metrics.observe(method, own_path, perf_counter() - started)
            return
        # Counted when the answer has ended, or the client has left, or the application has failed.
        try:
            await self.app(scope, receive, send)
        finally:
            endpoint = route_template(scope, path, root_path)
            self.kit.metrics.observe(method, endpoint, perf_counter() - started)

    async def _answer(self, path: str, scope: Scope) -> Answer:
        # Readiness may take long, and others are served meanwhile.
        if path == "/readyz":
            return await self.kit.readyz_async()
        accept = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"accept"), None)
        return ENDPOINTS[path](self.kit, accept)


async def _send(answer: Answer, method: str, send: Send) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else answer.body})
