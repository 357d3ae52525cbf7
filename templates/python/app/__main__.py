"""`python -m app`: serves on all interfaces at PORT (8000), or on the socket that systemd passes. The kit answers
/healthz, /readyz, /version and /metrics, and on SIGTERM finishes what is under way."""

from __future__ import annotations

import logging

from quarterdeck_kit import serve

from .web import NAME, application

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")

# What the service depends on goes into `checks`: it is ready when all of them pass.
serve(application, name=NAME, checks={})
