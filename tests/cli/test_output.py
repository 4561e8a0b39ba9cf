"""How tables are printed: nothing is cut, whatever the width."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
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


def test_a_table_in_a_pipe_is_as_wide_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    output.show(TABLE)
    assert capsys.readouterr().out.splitlines()[:2] == [
        "Effects",
        "system         topics    mean  effect",
    ]
    wide = Table(name="wide", columns=(Column("text"),), rows=(("x y " * 100 + "end",),))
    output.show(wide)
    assert capsys.readouterr().out.splitlines()[1].endswith("x y end")
    assert list(wide.lines()) == wide.to_text().splitlines()


NAMES = ("fluent-system", "系统", "b")
WIDE = Table(
    name="ranks",
    columns=(
        Column("system", right=False),
        Column("kind", right=False),
        *(Column(f"measure-{k}") for k in range(9)),
        Column("why", right=False),
    ),
    rows=tuple((name, "machine", *(k / 7 for k in range(9)), "for a reason " * 9) for name in NAMES),
)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 240, 400])
def test_a_table_that_is_too_wide_keeps_its_keys_and_numbers(width: int) -> None:
    lines = list(WIDE.lines(width))
    blocks = [block.splitlines() for block in "\n".join(lines).split("\n\n")]
    for block in blocks:
        assert block[0].startswith("system         kind ")
        assert [line.split()[0] for line in block[1:] if not line.startswith(" ")] == list(NAMES)
    assert " ".join(" ".join(block[0] for block in blocks).split()).count("measure-") == 9
    text = "\n".join(lines)
    for k in range(9):
        assert text.count(f"{k / 7:.3f}") == len(NAMES)
    assert text.count("reason") == 9 * len(NAMES)
    assert "…" not in text
    if width >= 60:
        assert max(map(cell_len, lines)) <= width
    assert (len(blocks) == 1) == (width >= 240)


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
