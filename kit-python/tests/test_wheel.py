import base64
import csv
import hashlib
import io
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from .waiting import temporary_directory

HERE = Path(__file__).resolve().parent.parent


def build(directory: Path) -> Path:
    subprocess.run([sys.executable, str(HERE / "build_wheel.py"), str(directory)], check=True, capture_output=True)
    (wheel,) = directory.iterdir()
    return wheel


class WheelTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.wheel = build(self.directory / "one")

    def test_the_same_input_gives_the_same_bytes(self) -> None:
        self.assertEqual(self.wheel.read_bytes(), build(self.directory / "two").read_bytes())

    def test_the_record_tells_every_file_and_its_hash(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(sorted(rows), sorted(names))
            for name in set(names) - {record}:
                digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                self.assertEqual(rows[name], [f"sha256={digest}", str(len(wheel.read(name)))])
        self.assertEqual(rows[record], ["", ""])

    def test_it_holds_the_package_its_types_and_nothing_else(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            folders = {name.partition("/")[0] for name in wheel.namelist()}
            metadata = wheel.read("quarterdeck_kit-0.1.0.dist-info/METADATA").decode()
            self.assertIn("quarterdeck_kit/py.typed", wheel.namelist())
        self.assertEqual(folders, {"quarterdeck_kit", "quarterdeck_kit-0.1.0.dist-info"})
        self.assertIn("Requires-Python: >=3.10\n", metadata)
        self.assertNotIn("Requires-Dist", metadata)

    def test_it_works_from_the_wheel_alone(self) -> None:
        code = "import quarterdeck_kit, sys; print(quarterdeck_kit.__file__)"
        env = {"PYTHONPATH": str(self.wheel)}
        told = subprocess.check_output([sys.executable, "-c", code], env=env, cwd="/", text=True)
        self.assertTrue(told.startswith(str(self.wheel)))
