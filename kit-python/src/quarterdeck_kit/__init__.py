"""One line makes a service keep the contract: health, readiness, version and metrics, for ASGI and WSGI alike.

    app = quarterdeck(app, name="hello")
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any

from . import wsgi
from .asgi import QuarterdeckMiddleware
from .build_sha import build_sha
from .kit import Answer, Kit
from .readiness import ReadinessResult
from .readiness_check import CheckResult, ReadinessCheck
from .request_metrics import UNMATCHED
from .server import serve
from .wsgi import QuarterdeckWSGI

__version__ = "0.1.0"
__all__ = [
    "UNMATCHED",
    "Answer",
    "CheckResult",
    "Kit",
    "QuarterdeckMiddleware",
    "QuarterdeckWSGI",
    "ReadinessCheck",
    "ReadinessResult",
    "build_sha",
    "quarterdeck",
    "serve",
]


def quarterdeck(
    app: Any,
    name: str | None = None,
    checks: Mapping[str, ReadinessCheck] | None = None,
    root: str | os.PathLike[str] | None = None,
    kit: Kit | None = None,
) -> Any:
    """Puts the kit on an application of either kind, and gives back what the server is to serve."""
    if is_asgi(app):
        return QuarterdeckMiddleware(app, name, checks, root, kit)
    return wsgi.quarterdeck(app, name, checks, root, kit)


def is_asgi(app: Any) -> bool:
    """An ASGI application takes scope, receive and send; a WSGI one takes environ and start_response."""
    if hasattr(app, "wsgi_app"):
        return False
    if inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None)):
        return True
    try:
        return len(inspect.signature(app).parameters) == 3
    except (TypeError, ValueError):
        return False
