"""What the service answers. Health, readiness, version and metrics are the kit's, see __main__.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from .slug import slug_of

NAME = "hello-quarterdeck"

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]
Answer = tuple[str, object]


def application(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    route = ROUTES.get(environ["PATH_INFO"])
    if route is None:
        return send(start_response, "404 Not Found", {"error": "Nothing is at this path."})
    # Requests are counted under this name. For paths with parts that vary, such as /items/7, name the template.
    environ["quarterdeck.endpoint"] = environ["PATH_INFO"]
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
        return send(start_response, "405 Method Not Allowed", {"error": "Ask with GET."}, ("Allow", "GET, HEAD"))
    status, answer = route(parse_qs(environ.get("QUERY_STRING", "")))
    return send(start_response, status, answer)


def front(query: dict[str, list[str]]) -> Answer:
    return "200 OK", {"service": NAME, "try": "/slug?title=Hello, world"}


def slug(query: dict[str, list[str]]) -> Answer:
    title = query.get("title", [""])[0]
    if not slug_of(title):
        return "422 Unprocessable Content", {"error": "title must have a letter or a digit: /slug?title=Hello, world"}
    return "200 OK", {"title": title, "slug": slug_of(title)}


ROUTES: dict[str, Callable[[dict[str, list[str]]], Answer]] = {"/": front, "/slug": slug}


def send(start_response: StartResponse, status: str, answer: object, *headers: tuple[str, str]) -> Iterable[bytes]:
    body = json.dumps(answer, ensure_ascii=False).encode()
    about = [("Content-Type", "application/json; charset=utf-8"), ("Content-Length", str(len(body)))]
    start_response(status, [*about, *headers])
    return [body]
