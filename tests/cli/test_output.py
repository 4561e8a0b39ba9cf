"""How tables are printed: long ones are not fitted to the terminal, and look the same where they fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import called

from adjudge.cli import output
from adjudge.core import table
from adjudge.core.table import Column, Table

TABLE = Table(
    name="pairs",
    columns=(
        Column("a", "system", right=False),
        Column("n", "topics"),
        Column("mean", format=".2f"),
        Column("hidden", show="never"),
        Column("effect", right=False),
    ),
    rows=(
        ("lead", 20, 0.125, 1, "0.0619 (-0.165 to 0.177)"),
        ("系统", 1234, float("nan"), 2, None),
        ("a longer name", 3, -11.5, 3, "1"),
    ),
    title="Effects",
)


def test_a_long_table_looks_as_a_short_one_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output.show(TABLE)
    short = capsys.readouterr().out
    monkeypatch.setattr(output, "LONG", 1)
    output.show(TABLE)
    assert capsys.readouterr().out == short
    assert short.splitlines()[:2] == [
        "Effects",
        "system         topics    mean  effect",
    ]


def test_a_long_table_is_as_wide_as_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "LONG", 1)
    wide = Table(name="wide", columns=(Column("text"),), rows=(("x y " * 100 + "end",),))
    output.show(wide)
    assert capsys.readouterr().out.splitlines()[1].endswith("x y end")
    assert list(wide.lines()) == wide.to_text().splitlines()


def test_a_long_table_is_made_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(TABLE.lines())
    monkeypatch.setattr(table, "TOGETHER", 2)
    assert list(TABLE.lines()) == whole


def test_scores_near_zero_do_not_look_like_it(tmp_path: Path) -> None:
    """A league, and groups, of scores of about 1e-300."""
    rows = [f"t{t},s{s},{(1 + s + (t * 7 + s * 3) % 5) * 1e-300}" for t in range(8) for s in range(3)]
    (tmp_path / "tiny.csv").write_text("\n".join(["topic,system,value", *rows]), encoding="utf-8")
    for command in ("compare", "groups"):
        found = called(tmp_path, command, "tiny.csv")
        assert found.returncode == 0
        assert "0.0000" not in found.stdout
        assert "e-300" in found.stdout
