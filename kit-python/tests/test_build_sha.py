import os
import shutil
import subprocess
import unittest
from pathlib import Path

from quarterdeck_kit import Kit, build_sha

from .waiting import temporary_directory

IDENTITY = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(directory: Path, *arguments: str) -> str:
    env = {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    command = ["git", "-C", str(directory), *arguments]
    return subprocess.run(command, check=True, env=env, capture_output=True, text=True).stdout.strip()


class RevisionTest(unittest.TestCase):
    def setUp(self) -> None:
        self.root = temporary_directory(self)

    def test_a_newline_after_the_commit_is_not_part_of_it(self) -> None:
        (self.root / "REVISION").write_text("a" * 40 + "\n")
        self.assertEqual(build_sha(self.root, {"QUARTERDECK_SHA": "b"}), "a" * 40)

    def test_it_is_found_above_the_code(self) -> None:
        (self.root / "REVISION").write_text("c0ffee")
        (self.root / "app/inner").mkdir(parents=True)
        self.assertEqual(build_sha(self.root / "app/inner", {}), "c0ffee")

    def test_missing_empty_or_a_directory_says_nothing(self) -> None:
        self.assertEqual(build_sha(self.root, {}), "unknown")
        (self.root / "REVISION").write_text(" \n")
        self.assertEqual(build_sha(self.root, {"QUARTERDECK_SHA": " b\n"}), "b")
        (self.root / "REVISION").unlink()
        (self.root / "REVISION").mkdir()
        self.assertEqual(build_sha(self.root, {"QUARTERDECK_SHA": ""}), "unknown")

    def test_bytes_that_are_no_text_harm_nobody(self) -> None:
        (self.root / "REVISION").write_bytes(b"\xff\xfe")
        Kit("hello", self.root).version().body.decode()


@unittest.skipUnless(shutil.which("git"), "git is not installed (Debian: git)")
class CheckoutTest(unittest.TestCase):
    def setUp(self) -> None:
        self.root = temporary_directory(self) / "checkout"
        self.root.mkdir()
        git(self.root, "init", "-b", "main")
        self.sha = self.commit(self.root)

    def commit(self, directory: Path) -> str:
        git(directory, "commit", "--allow-empty", "-m", "work")
        return git(directory, "rev-parse", "HEAD")

    def test_revision_goes_before_the_checkout_and_the_checkout_before_the_environment(self) -> None:
        self.assertEqual(build_sha(self.root, {"QUARTERDECK_SHA": "b"}), self.sha)
        (self.root / "REVISION").write_text("\n")
        self.assertEqual(build_sha(self.root, {}), self.sha)
        (self.root / "REVISION").write_text("a")
        self.assertEqual(build_sha(self.root, {}), "a")

    def test_a_branch_that_git_has_packed_is_found_and_a_loose_one_is_newer(self) -> None:
        git(self.root, "branch", "feature/main")
        git(self.root, "pack-refs", "--all")
        self.assertFalse((self.root / ".git/refs/heads/main").exists())
        self.assertEqual(build_sha(self.root, {}), self.sha)
        git(self.root, "commit", "--allow-empty", "-m", "newer")
        self.assertEqual(build_sha(self.root, {}), git(self.root, "rev-parse", "HEAD"))

    def test_a_detached_head_is_its_own_answer(self) -> None:
        git(self.root, "checkout", "--detach", self.sha)
        self.assertEqual(build_sha(self.root, {}), self.sha)

    def test_a_worktree_has_its_own_commit_on_a_branch_packed_or_detached(self) -> None:
        worktree = self.root.parent / "worktree"
        git(self.root, "worktree", "add", "-b", "side", str(worktree))
        git(worktree, "commit", "--allow-empty", "-m", "side work")
        side = git(worktree, "rev-parse", "HEAD")
        self.assertNotEqual(side, self.sha)
        self.assertEqual(build_sha(worktree, {}), side)
        git(self.root, "pack-refs", "--all")
        self.assertEqual(build_sha(worktree, {}), side)
        git(worktree, "checkout", "--detach", self.sha)
        self.assertEqual(build_sha(worktree, {}), self.sha)

    def test_a_checkout_without_a_commit_never_borrows_one_from_around_it(self) -> None:
        inner = self.root / "inner"
        inner.mkdir()
        git(inner, "init")
        self.assertEqual(build_sha(inner, {}), "unknown")

    def test_a_damaged_checkout_is_no_answer_and_no_failure(self) -> None:
        (self.root / ".git/refs/heads/main").write_text("half a sha")
        self.assertEqual(build_sha(self.root, {}), "unknown")
        (self.root / ".git/HEAD").unlink()
        self.assertEqual(build_sha(self.root, {}), "unknown")

    def test_it_never_changes_while_the_kit_lives(self) -> None:
        kit = Kit("hello", self.root)
        (self.root / "REVISION").write_text("another")
        self.assertEqual(kit.version().body, b'{"name":"hello","sha":"%b"}' % self.sha.encode())
