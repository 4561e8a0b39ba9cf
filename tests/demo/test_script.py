"""What `make demo` runs, and what it names at the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import examples
from tools.demo import LOOK, typed


def test_the_program_is_named_as_it_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    assert typed() == "adjudge"
    monkeypatch.setenv("PATH", "/nowhere")
    done = subprocess.run([typed(), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("adjudge ")


def test_five_things_to_look_at_of_which_the_commands_exist() -> None:
    assert len(LOOK) == 5
    lines = [line for _, *lines in LOOK for line in lines if line.startswith("{adjudge} ")]
    assert len(lines) == 5
    for line in lines:
        words = line.split()[1:3]
        assert {words[0], " ".join(words)} & set(examples()), line
