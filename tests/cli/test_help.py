"""The first screen: what a newcomer needs, on a terminal of 40 lines and 80 columns; everything else by `help`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import called, examples

from adjudge.cli.app import COMMANDS, FIRST


def test_the_first_screen_fits_and_names_every_command(tmp_path: Path) -> None:
    shown = called(tmp_path, "--help").stdout
    lines = shown.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    named = [line.split()[0] for line in lines if line.startswith("  ")]
    assert named[: len(FIRST)] == list(FIRST)
    assert {command.name for command in COMMANDS} <= set(shown.split())
    bare = called(tmp_path)
    assert (bare.returncode, bare.stderr) == (2, shown)


def test_help_all_has_a_line_for_every_command(tmp_path: Path) -> None:
    lines = called(tmp_path, "help", "all").stdout.splitlines()
    names = [line[2:].partition("  ")[0].strip() for line in lines if line.startswith("  ")]
    assert {name for name in examples() if not any(line.startswith(f"  {name} ") for line in lines)} == set()
    assert len(set(names)) == len(names)
    assert sum(line.startswith("  ") for line in lines) == len(examples())


@pytest.mark.parametrize("command", ["compare", "judge llm", "prefer", "import csv"])
def test_help_of_a_command_is_its_help(tmp_path: Path, command: str) -> None:
    words = command.split()
    assert called(tmp_path, "help", *words).stdout == called(tmp_path, *words, "--help").stdout


def test_help_of_nothing_is_the_first_screen_and_of_a_mistake_one_line(tmp_path: Path) -> None:
    assert called(tmp_path, "help").stdout == called(tmp_path, "--help").stdout
    wrong = called(tmp_path, "help", "compair")
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
    assert 'no command "compair" (nearest: "compare")' in wrong.stderr
