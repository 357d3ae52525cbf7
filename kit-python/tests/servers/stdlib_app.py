"""A small service without a framework: `PORT=8000 python stdlib_app.py`."""

import json
import os
import time
from urllib.parse import parse_qs

from quarterdeck_kit import serve


def app(environ, start_response):
    status, content_type, body = answer(environ)
    start_response(status, [("Content-Type", content_type), ("Content-Length", str(len(body)))])
    return [body]


def answer(environ):
    path = environ["PATH_INFO"]
    text = "text/plain; charset=utf-8"
    if path == "/":
        environ["quarterdeck.endpoint"] = "/"
        return "200 OK", text, b"hello\n"
    if path.startswith("/items/"):
        environ["quarterdeck.endpoint"] = "/items/<id>"
        return "200 OK", "application/json", json.dumps({"id": path.removeprefix("/items/")}).encode()
    if path == "/slow":
        environ["quarterdeck.endpoint"] = "/slow"
        time.sleep(float(parse_qs(environ["QUERY_STRING"]).get("s", ["1"])[0]))
        return "200 OK", text, b"slow\n"
    return "404 Not Found", text, b"not found\n"


if __name__ == "__main__":
    serve(app, name=os.environ.get("NAME", "hello"))
