"""README's examples run as printed, one after the other in one folder, judging included, on what is shipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.approving import CheckPage
from tests.cli.running import typed
from tests.pages import blocks, commands

ROOT = Path(__file__).parent.parent.parent


def test_the_readme_runs_as_printed(tmp_path: Path, check_page: CheckPage) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert check_page("../README.md", "", lambda line: typed(tmp_path, f"adjudge {line}")) == 1
    seen = set()
    for kind, block in blocks(text):
        seen.add(kind)
        if kind == "python":
            script = [sys.executable, "-c", block]
            done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr
        elif kind == "sh":
            for command in commands(f"```sh\n{block}```"):
                typed(tmp_path, command)
    assert seen == {"console", "sh", "python"}
    assert (tmp_path / "report" / "index.html").is_file()


def test_what_pages_have_people_type() -> None:
    text = (
        "```console\n$ adjudge --version\nadjudge 0.0\n```\n\n    adjudge check x  # a comment\n    adjudge show x\n"
        "```sh\nadjudge a \\\n  b\nls\n```\n"
    )
    assert list(commands(text)) == [
        "adjudge --version",
        "adjudge check x  # a comment",
        "adjudge show x",
        "adjudge a    b",
    ]
