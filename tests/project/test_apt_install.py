"""tools/apt_install.sh takes its policy back, however it ends: while it is there no service of the computer starts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.waiting import HANG

SCRIPT = Path(__file__).parents[2] / "tools" / "apt_install.sh"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
APT = """#!/bin/sh
# Says that it has begun, and waits until somebody writes here.
echo begun >"$STUB/begun"
read -r how <"$STUB/go"
exit "$how"
"""


@contextmanager
def installing(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The script in a group of its own, with an apt-get that waits."""
    for name, source in (("apt-get", APT), ("id", "#!/bin/sh\necho 0\n")):
        (folder / name).write_text(source)
        (folder / name).chmod(0o755)
    for name in ("begun", "go"):
        os.mkfifo(folder / name)
    (folder / "tmp").mkdir()
    more = {"PATH": f"{folder}:{os.environ['PATH']}", "STUB": str(folder), "TMPDIR": str(folder / "tmp")}
    process = subprocess.Popen(
        [shutil.which("dash") or "sh", str(SCRIPT), "a test", "nothing"],
        env=os.environ | more | {"POLICY_RC_D": str(folder / "policy")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        assert (folder / "begun").read_text() == "begun\n"
        assert (folder / "policy").read_text() == "#!/bin/sh\nexit 101\n"
        yield process
    finally:
        process.kill()
        process.wait()


def left(folder: Path) -> list[str]:
    return [each.name for each in (folder / "policy", *(folder / "tmp").iterdir()) if each.exists()]


@pytest.mark.parametrize("sent", SIGNALS, ids=lambda sent: sent.name)
def test_the_policy_goes_when_everything_is_interrupted(tmp_path: Path, sent: signal.Signals) -> None:
    """As by Ctrl-C, or by closing the terminal."""
    with installing(tmp_path) as process:
        os.killpg(process.pid, sent)
        assert process.wait(HANG) == 128 + sent
    assert left(tmp_path) == []


@pytest.mark.parametrize("sent", SIGNALS, ids=lambda sent: sent.name)
def test_the_policy_stays_as_long_as_packages_are_installed(tmp_path: Path, sent: signal.Signals) -> None:
    with installing(tmp_path) as process:
        os.kill(process.pid, sent)
        assert (tmp_path / "policy").exists()
        (tmp_path / "go").write_text("0\n")
        assert process.wait(HANG) == 128 + sent
    assert left(tmp_path) == []


def test_the_policy_goes_when_packages_cannot_be_installed(tmp_path: Path) -> None:
    with installing(tmp_path) as process:
        (tmp_path / "go").write_text("100\n")
        assert process.wait(HANG) == 1
    assert left(tmp_path) == []


def test_a_policy_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "policy").write_text("#!/bin/sh\nexit 101\n")
    with installing(tmp_path) as process:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(HANG) == 128 + signal.SIGINT
    assert left(tmp_path) == ["policy"]
