"""The template of the route that answered, as FastAPI and Starlette know it; None when no route did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Where an application that neither knows may name the template itself.
ENDPOINT_KEY = "quarterdeck.endpoint"


def route_template(scope: Mapping[str, Any], path: str, root_path: str) -> str | None:
    """`path` and `root_path` are those from before the application: mounting changes them in the scope."""
    named = scope.get(ENDPOINT_KEY)
    if isinstance(named, str):
        return named
    if "endpoint" not in scope:
        return None
    route = scope.get("route")
    if route is not None and scope.get("root_path", "") == root_path:
        return getattr(route, "path", None)
    # Starlette itself does not say which route it was, and below a mount only the last part is known.
    routes = getattr(scope.get("router"), "routes", None) or []
    return _find(routes, {**scope, "path": path, "root_path": root_path, "path_params": {}})


def _find(routes: list[Any], scope: dict[str, Any]) -> str | None:
    partly = None
    for route in routes:
        match, child = route.matches(scope)
        # Starlette's Match: NONE 0, PARTIAL 1 (another method), FULL 2.
        if match.value == 0:
            continue
        template = getattr(route, "path", "")
        if "root_path" in child or not hasattr(route, "methods"):
            return _below(route, template, {**scope, **child})
        if match.value == 2:
            return template
        partly = partly or template
    return partly


def _below(mount: Any, template: str, scope: dict[str, Any]) -> str | None:
    """Starlette goes into the first mount that fits and never comes back, even if nothing in it matches."""
    routes = getattr(mount, "routes", None) or []
    if not routes:
        return template + "/{path}"
    found = _find(routes, scope)
    return None if found is None else template + found
