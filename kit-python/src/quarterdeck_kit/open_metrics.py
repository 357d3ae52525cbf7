"""OpenMetrics 1.0 derived from text format 0.0.4, so that one scrape never changes what the next one reads."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

_METADATA = re.compile(r"# (HELP|TYPE) (\S+) ?(.*)")
_BOUND = re.compile(r'(\ble=")(-?\d+)"')


def prefers_open_metrics(accept: str | None) -> bool:
    """True when the Accept header ranks OpenMetrics 1.0, by its name, at least as high as plain text."""
    if not accept or "openmetrics" not in accept.lower():
        return False
    ranges = [_parse_range(text) for text in accept.split(",")]
    open_metrics = _quality(
        [r for r in ranges if r.type == "application/openmetrics-text" and r.version in (None, "1.0.0")]
    )
    # The range that fits most closely decides (RFC 9110, 12.5.1).
    fitting = ([r for r in ranges if r.type == kind] for kind in ("text/plain", "text/*", "*/*"))
    text = _quality(next((found for found in fitting if found), []))
    return open_metrics > 0 and open_metrics >= text


class _Range(NamedTuple):
    type: str
    version: str | None
    q: float


def _parse_range(text: str) -> _Range:
    kind, *rest = (part.strip().lower().replace('"', "") for part in text.split(";"))
    parameters = dict((name.strip(), value.strip()) for name, _, value in (part.partition("=") for part in rest))
    try:
        q = float(parameters.get("q", "1"))
    except ValueError:
        q = 0.0
    return _Range(kind, parameters.get("version"), q if math.isfinite(q) else 0.0)


def _quality(ranges: list[_Range]) -> float:
    return max([0.0, *(r.q for r in ranges)])


def open_metrics(text: str) -> str:
    # Not splitlines: a label value may hold a separator that is no line's end here.
    lines = [line for line in text.split("\n") if line and (line[0] != "#" or _METADATA.match(line))]
    counters = {match[1] for line in lines if (match := re.fullmatch(r"# TYPE (\S+)_total counter", line))}
    return "\n".join([*(_convert(line, counters) for line in lines), "# EOF\n"])


def _convert(line: str, counters: set[str]) -> str:
    metadata = _METADATA.match(line) if line[0] == "#" else None
    if not metadata:
        return _BOUND.sub(r'\1\2.0"', line, count=1)
    keyword, name, rest = metadata.groups()
    family = name[: -len("_total")] if name.endswith("_total") else name
    family = family if family in counters else name
    if keyword == "HELP":
        return f"# HELP {family} " + rest.replace('"', '\\"')
    # In OpenMetrics a counter's samples end in _total; one that does not is of unknown type.
    kind = "unknown" if rest == "untyped" or (rest == "counter" and family == name) else rest
    return f"# TYPE {family} {kind}"
