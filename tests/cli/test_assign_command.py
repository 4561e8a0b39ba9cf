"""adjudge assign: the table, JSON, dry runs, mistakes; the page shows what is printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.running import runner

import adjudge
from adjudge.cli import assign as cli
from adjudge.core.errors import DataError, UsageError
from adjudge.core.phrases import spoken
from adjudge.data.rows import Summary
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.sessions import Secrets

PAGE = (Path(__file__).parents[2] / "docs" / "assigning.md").read_text(encoding="utf-8")
WHO = ("ada", "ben", "chloe", "dev", "eva")
run = runner(cli.command)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo with units; its four writers and one more judge."""
    monkeypatch.chdir(tmp_path)
    build(tmp_path / "my-eval")
    e = adjudge.open("my-eval")
    e.units()
    with e.store() as store:
        for name in WHO:
            store.accounts.add(name)
    return tmp_path / "my-eval"


def commands_and_outputs() -> list[tuple[str, str]]:
    """Every console block of the page: the command, and what it shows."""
    blocks = re.findall(r"```console\n\$ adjudge assign ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 3
    return blocks


def test_the_page_shows_what_is_printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a secret that is the same every time: every store has another."""
    monkeypatch.setattr(Secrets, "get", lambda *_, **__: b"")
    for command, output in commands_and_outputs():
        assert run(command).output == output


def test_the_pages_python_runs(folder: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(block, {})


def test_tasks_are_added_once(folder: Path) -> None:
    line = "my-eval --protocol rating --per-summary 2 --repeats 0.1 --seed 1"
    assert "nothing was written" in run(f"{line} --dry-run").output
    with adjudge.open(folder).store() as store:
        assert store.tasks() == []
    first = json.loads(run(f"{line} --json").output)
    assert (first["new_tasks"], first["of_them_repeats"], first["written"]) == (236, 20, True)
    assert [each["name"] for each in first["assessors"]] == list(WHO)
    assert {each["tasks"] for each in first["topics"]} == {18}
    again = run(line).output
    assert "0 tasks for 5 assessors, 216 there before" in again
    assert again.endswith("nothing is missing; no task was added\nnext: adjudge serve my-eval\n")
    with adjudge.open(folder).store() as store:
        assert len(store.tasks()) == 236


def test_options_reach_the_plan(folder: Path) -> None:
    line = "my-eval --protocol preference-summaries --per-topic 4 --topic d01 --topic d02 --order mixed"
    found = json.loads(run(f"{line} --assessor eva --assessor dev --json --dry-run").output)
    assert (found["pages"], found["order"], found["written"]) == (8, "mixed", False)
    assert [each["name"] for each in found["assessors"]] == ["dev", "eva"]
    assert [each["name"] for each in found["topics"]] == ["d01", "d02"]


def test_mistakes_are_one_line(folder: Path) -> None:
    for line, error, said in (
        ("my-eval", UsageError, "no protocol is named"),
        ("my-eval --protocol rating --per-summary 9", UsageError, "--per-summary is 9, expected 1 to 5"),
        ("my-eval --protocol rating --phase 3", UsageError, "the phase is 3, expected 1 or 2"),
        (
            "my-eval --protocol rating --repeats 2",
            UsageError,
            "--repeats is 2, expected a share from 0 to 0.5",
        ),
        ("my-eval --protocol rating --order by-name", UsageError, 'the order is "by-name"'),
        ("my-eval --protocol preference-sentences", UsageError, "adjudge prefer sample"),
        ("my-eval --protocol rating --assessor evi", DataError, 'no person "evi" (nearest: "eva", "dev")'),
    ):
        with pytest.raises(error) as found:
            run(line)
        shown = spoken(found.value.text, "command")
        assert said in shown
        assert "\n" not in shown


def test_an_evaluation_without_people_says_what_to_do(
    small: Evaluation, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    before = snapshot(small.path)
    for protocol in ("rating", "duc-2002"):
        with pytest.raises(UsageError, match="there are no assessors"):
            run(f"{small.path} --protocol {protocol}")
    assert snapshot(small.path) == before


def test_units_are_made_where_the_protocol_shows_them(
    small: Evaluation, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    before = snapshot(small.path)
    line = f"{small.path} --protocol duc-2002 --assessor x"
    said = "24 units would be made first, as adjudge units does: 12 summaries had none"
    assert said in run(f"{line} --dry-run").output.splitlines()
    assert (
        json.loads(run(f"{line} --dry-run --json").output)["units_made"] == 24
    )  # 12 sentences, and two clauses of each of 6 references
    assert snapshot(small.path) == before
    with small.store() as store:
        store.people.add("x")
    before = snapshot(small.path)
    with pytest.raises(UsageError) as refused:  # both, or neither
        run(f"{line} --per-summary 2")
    assert spoken(refused.value.text, "command").startswith("--per-summary is 2, ")
    assert {name for name in snapshot(small.path) if "judgments" not in name} == {
        name for name in before if "judgments" not in name
    }
    assert said.replace("would be made", "made") in run(line).output.splitlines()
    made = (small.path / "units.jsonl").read_bytes()
    with small.store() as store:
        tasks = store.tasks()
    assert len(tasks) == 3 * 5
    assert all("peer-units" in task.hashes for task in tasks)
    assert "made first" not in run(line).output
    small.units()
    assert (small.path / "units.jsonl").read_bytes() == made, "as adjudge units makes them"
    with pytest.raises(DataError, match="units, by assign cannot be undone: 15 open tasks"):
        small.undo()
    small.remove_judgments("duc-2002", "pilot")
    assert small.undo().files == {"units.jsonl": "removed"}


def test_units_for_new_summaries_leave_the_others_as_they_are(small: Evaluation) -> None:
    """Those edited by hand, discourse units of peers, and levels."""
    small.take([("test", Summary("t1", "ann", "A storm began.", 5, ("reference",)))])
    small.units(edus_for="all", levels=True)
    path = small.path / "units.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    edited = next(row for row in rows if row["system"] == "good")
    edited["edited"] = True
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    before = {json.dumps(row, sort_keys=True) for row in rows}
    assert any("level" in row for row in rows)
    small.take([("test", Summary("t2", "late", "It came late. It left early.", 10))])
    with small.store() as store:
        store.people.add("x")
    found = small.assign("duc-2002", assessors=["x"])
    assert found.notes[0].endswith("1 summary had none")
    after = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {json.dumps(row, sort_keys=True) for row in after if row["system"] != "late"} == before


def test_texts_that_give_themselves_away_are_named_a_few_at_a_time(folder: Path) -> None:
    path = folder / "summaries.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["system"] == "greedy-best":
            row["text"] += " (greedy-best)"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = run("my-eval --protocol rating --dry-run")
    assert done.stderr.count("note: ") == 6
    assert 'note: d01/greedy-best holds "greedy-best": assessors will see it' in done.stderr
    assert "7 more such texts; --json lists all" in done.stderr
