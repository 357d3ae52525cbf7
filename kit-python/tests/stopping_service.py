"""A service that holds each request until the file RELEASE is there: the other side of test_stop."""

import os
import sys
import time

from quarterdeck_kit import serve


def app(environ, start_response):
    if environ["PATH_INFO"] == "/slow":
        os.write(1, b"under way\n")  # Not print, whose line and end may come apart between threads.
        while not os.path.exists(os.environ["RELEASE"]):
            time.sleep(0.01)
    start_response("200 OK", [("Content-Length", "4")])
    return [b"done"]


cut_off = serve(app, name="stopping", stop_limit_s=float(os.environ.get("LIMIT", "20")))
print(f"cut off {cut_off}", flush=True)
sys.exit(0)
