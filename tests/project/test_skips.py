"""A test that skips without a word fails the run, or changes what all share; not one that lacks the shared data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SILENT = "import pytest\n\ndef test_x():\n    pytest.skip('no reason')\n"
SHARED = "import pytest\n\n@pytest.mark.shared_data\ndef test_x():\n    pytest.skip('needs data')\n"
CHANGING = """
def test_x(once):
    folder = once("shared", lambda folder: (folder / "file").write_text("as filled"))
    (folder / "file").write_text("changed")
"""
WHOLE = "import pytest\npytest.skip('all of it', allow_module_level=True)\n"


def run(folder: Path, *sources: str) -> subprocess.CompletedProcess[str]:
    for number, source in enumerate(sources):
        (folder / f"test_{number}.py").write_text(source + "\ndef test_y():\n    assert True\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml")]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", str(folder)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
        | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # installed ones take seconds to load
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_silent_skip_fails_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, SILENT, WHOLE)
    assert done.returncode == 1, done.stdout
    assert done.stdout.count("SKIPPED IN SILENCE") == 2


def test_a_changed_folder_that_all_tests_share_fails_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, CHANGING)
    assert done.returncode == 1, done.stdout
    assert "a test changed the folder of all tests: once-shared" in done.stdout


def test_a_skip_for_want_of_shared_data_is_counted(tmp_path: Path) -> None:
    done = run(tmp_path, SHARED)
    assert done.returncode == 0, done.stdout
    assert "1 tests skipped for want of shared data" in done.stdout
