"""Builds the wheel with the standard library alone: `python build_wheel.py [DIRECTORY]`. The same input gives the same
bytes. It is also the package's PEP 517 backend, so that `pip install` needs nothing else either."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "src"
PACKAGE = "quarterdeck_kit"
(VERSION,) = re.findall(r'__version__ = "(.+)"', (SOURCE / PACKAGE / "__init__.py").read_text("utf-8"))
DIST_INFO = f"{PACKAGE}-{VERSION}.dist-info"
# The earliest time that a zip file can tell: the files' own would change from checkout to checkout.
EPOCH = (1980, 1, 1, 0, 0, 0)

WHEEL = """Wheel-Version: 1.0
Generator: quarterdeck build_wheel
Root-Is-Purelib: true
Tag: py3-none-any
"""


def metadata() -> str:
    return f"""Metadata-Version: 2.1
Name: quarterdeck-kit
Version: {VERSION}
Summary: One line makes a Python service keep the contract: health, readiness, version and metrics.
License: MIT
Requires-Python: >=3.10
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text("utf-8")}"""


def write_wheel(directory: Path) -> str:
    files = {**package_files(), **dist_info_files()}
    files[f"{DIST_INFO}/RECORD"] = record(files).encode()
    directory.mkdir(parents=True, exist_ok=True)
    name = f"{PACKAGE}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(directory / name, "w", zipfile.ZIP_STORED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.create_system = 3  # Unix, wherever it is built.
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data)
    return name


def package_files() -> dict[str, bytes]:
    paths = (path for path in (SOURCE / PACKAGE).rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    return {path.relative_to(SOURCE).as_posix(): path.read_bytes() for path in sorted(paths)}


def dist_info_files() -> dict[str, bytes]:
    return {f"{DIST_INFO}/METADATA": metadata().encode(), f"{DIST_INFO}/WHEEL": WHEEL.encode()}


def record(files: dict[str, bytes]) -> str:
    lines = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    return "\n".join([*lines, f"{DIST_INFO}/RECORD,,", ""])


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


# What follows are the hooks of PEP 517; the names are given by it.


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    return write_wheel(Path(wheel_directory))


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    base = f"{PACKAGE}-{VERSION}"
    files = {f"src/{path}": data for path, data in package_files().items()}
    for name in ("README.md", "build_wheel.py", "pyproject.toml"):
        files[name] = (HERE / name).read_bytes()
    files["PKG-INFO"] = metadata().encode()
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as sdist:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(data)
            sdist.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    print(target / write_wheel(target))
