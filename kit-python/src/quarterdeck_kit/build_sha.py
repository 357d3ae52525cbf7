"""Which commit this process runs: the file REVISION at the root of its code, else the checkout it runs from, else
QUARTERDECK_SHA, else `unknown`. Git's own files are read, so that no git program is needed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def build_sha(directory: str | os.PathLike[str], env: Mapping[str, str] = os.environ) -> str:
    """`directory` is where the code lies: REVISION and .git are looked for there and above."""
    return _recorded_sha(Path(directory)) or env.get("QUARTERDECK_SHA", "").strip() or "unknown"


def _recorded_sha(directory: Path) -> str | None:
    start = Path(os.path.abspath(directory))
    for place in (start, *start.parents):
        revision = _read(place / "REVISION")
        if revision:
            return revision
        # The nearest checkout decides, even one without a commit: one further up is another project's.
        if (place / ".git").exists():
            return _checkout_sha(place / ".git")
    return None


def _checkout_sha(dot_git: Path) -> str | None:
    # In a worktree or submodule .git is a file that names the real directory.
    pointer = re.fullmatch(r"gitdir: (.+)", _read(dot_git) or "")
    git_directory = dot_git.parent / pointer[1] if pointer else dot_git
    head = _read(git_directory / "HEAD") or ""
    if _COMMIT.fullmatch(head):
        return head
    ref = re.fullmatch(r"ref: (refs/.+)", head)
    if not ref:
        return None
    common = git_directory / (_read(git_directory / "commondir") or ".")
    found = (_read(git_directory / ref[1]), _read(common / ref[1]), _packed_sha(common, ref[1]))
    return next((sha for sha in found if sha and _COMMIT.fullmatch(sha)), None)


def _packed_sha(directory: Path, ref: str) -> str | None:
    lines = (_read(directory / "packed-refs") or "").split("\n")
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), None)


def _read(file: Path) -> str | None:
    try:
        return file.read_text("utf-8", "replace").strip() or None
    except (OSError, ValueError):
        return None
