from __future__ import annotations

import json
import unittest
from typing import Any
from urllib.parse import quote

from quarterdeck_kit import quarterdeck

from app.web import NAME, application


def get(path: str, query: str = "", method: str = "GET") -> tuple[int, Any]:
    """Asks the service as it is served: with the kit."""
    statuses: list[str] = []
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query}
    served = quarterdeck(application, name=NAME)
    body = b"".join(served(environ, lambda status, headers, *_: statuses.append(status)))
    return int(statuses[0].split()[0]), json.loads(body)


class TheService(unittest.TestCase):
    def test_it_makes_a_slug_of_a_title(self) -> None:
        status, answer = get("/slug", "title=" + quote("Ärger & Spaß, part 2"))
        self.assertEqual((status, answer["slug"]), (200, "arger-spass-part-2"))

    def test_a_title_without_letters_is_refused(self) -> None:
        self.assertEqual([get("/slug", query)[0] for query in ("", "title=%20-%20")], [422, 422])

    def test_the_front_says_what_there_is_and_other_paths_are_not_there(self) -> None:
        self.assertEqual([get("/")[0], get("/nothing")[0], get("/", method="POST")[0]], [200, 404, 405])

    def test_it_keeps_the_rules_of_the_environment(self) -> None:
        self.assertEqual(get("/healthz"), (200, {"ok": True}))
        self.assertEqual(get("/readyz"), (200, {"ok": True}))
        self.assertEqual(get("/version")[1]["name"], NAME)
