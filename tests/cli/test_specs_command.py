"""compare with several statistics in one run, and with clusters of a bare table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import runner
from typer.testing import Result

from adjudge.analyses.tests import TESTS
from adjudge.cli.analysis import command_of
from adjudge.core.errors import UsageError


@pytest.fixture
def cli() -> Callable[[str], Result]:
    return runner(command_of("compare_all"))


def test_the_command_takes_specs(cli: Callable[[str], Result], tmp_path: Path) -> None:
    values = np.random.default_rng(3).normal(size=(15, 4)) + np.array([0.0, 0.2, 1.0, 1.5])
    topics = pd.Index([f"d{k}" for k in range(15)], name="topic")
    pd.DataFrame(values, index=topics, columns=["ours", "lead", "H1", "H2"]).to_csv(tmp_path / "m.csv")
    out = tmp_path / "pairs.csv"
    cli(f"{tmp_path}/m.csv --tests mc:w,hb:w,t --csv {out}")
    assert pd.read_csv(out)["test"].unique().tolist() == ["mc:w", "hb:w", "t"]
    shown = cli(f"{tmp_path}/m.csv --tests mc:w,hb:w,t --test t --show-signature").stdout
    assert "|test:t|" in shown or "|test:t:" in shown
    cli(f"{tmp_path}/m.csv --counts --tests mc:w,hb:median --human H* --csv {out}")
    rows = pd.read_csv(out)
    assert rows[["test", "statistic"]].values.tolist() == [["mc:w", "w"], ["hb:median", "median"]]
    assert rows["cutoff"].gt(0).all()
    [told] = json.loads(cli(f"{tmp_path}/m.csv --counts --tests mc:w,t --json").stdout)
    assert told["measures"][0]["tests"][0]["cutoff"] > 0
    cli(f"{tmp_path}/m.csv --counts --tests all --resamples 50 --csv {out}")
    assert pd.read_csv(out)["test"].tolist() == ["t", *(test for test in TESTS if test != "t")]
    for wrong, words in (
        ("--tests mc:q", 'the statistic of mc is "q"'),
        ("--tests mc:w --test all", "test=all runs every test: leave out tests"),
        ("--counts --test t", "compare --counts takes no --test"),
        ("--cluster sets", 'cluster is "sets" .*; expected one of: set, type, task, selector, assessor'),
    ):
        with pytest.raises(UsageError, match=words):
            cli(f"{tmp_path}/m.csv {wrong}")


def test_the_command_clusters_a_bare_table(cli: Callable[[str], Result], tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [
        {"topic": f"d{k}", "system": s, "value": rng.normal(), "set": f"s{k // 2}", "assessor": f"p{k // 4}"}
        for k in range(16)
        for s in ("a", "b")
    ]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "m.csv", index=False)
    frame.drop(columns="assessor").to_csv(tmp_path / "nobody.csv", index=False)
    # Whoever judged topics of several sets is a sample beside them: the model's answer makes the groups.
    for name, by, expected in (
        ("m", "set", "assessors:4:groups:4:sets:8|"),
        ("m", "assessor", "test:mc:statistic:mean:clusters:4:"),
        ("nobody", "set", "test:mc:statistic:mean:clusters:8:"),
    ):
        options = f"--test mc --cluster {by} --show-signature"
        shown = "".join(cli(f"{tmp_path}/{name}.csv {options}").stdout.split())
        assert f"cluster:{by}" in shown
        assert expected in shown
