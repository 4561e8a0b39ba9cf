"""Where exported judgments may go: files, pipes and standard output."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from tests.cli.running import called
from tests.waiting import HANG


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    assert called(tmp_path, "demo", "e").returncode == 0
    done = called(tmp_path, "judge", "simulate", "e", "--protocol", "rating", "--assessors", "1")
    assert done.returncode == 0, done.stderr
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_a_dash_is_standard_output(judged: Path) -> None:
    assert called(judged, "judgments", "export", "e", "plain.jsonl").returncode == 0
    plain = (judged / "plain.jsonl").read_text(encoding="utf-8")
    pipe = judged / "pipe"
    got: list[str] = []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    assert called(judged, "judgments", "export", "e", "pipe").returncode == 0
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(HANG)
    assert got == [plain]
    out = called(judged, "judgments", "export", "e", "-")
    assert (out.returncode, out.stdout) == (0, plain)
    assert not (judged / "-").exists()
    assert called(judged, "judgments", "export", "e", "-", "--json").returncode == 2
