"""adjudge withdraw, rename and remove say what they did to files, scores and judging."""

from __future__ import annotations

import json

from tests.cli.running import runner

from adjudge.cli import edits
from adjudge.evaluation import Evaluation

rename, remove, withdraw = runner(edits.rename), runner(edits.remove), runner(edits.withdraw)


def test_what_was_done_to_judging_is_said_and_counted(small: Evaluation) -> None:
    small.simulate_judgments("rating", assessors=2)
    with small.store() as store:
        store.people.add("dora")
    small.assign("rating", assessors=["dora"], per_summary=1)
    small.score("rating(aspect=fluency)")
    said = rename(f"{small.path} --system good --to better --why x").output.splitlines()
    assert said == [
        'rename to better: system "good": 3 in summaries.jsonl; noted in changes.jsonl',
        "scores changed too: rating(aspect=fluency)",
        "judging: 9 tasks renamed; 6 judgments kept, under the new name",
    ]
    said = withdraw(f"{small.path} --topic t1 --why x").output.splitlines()
    assert said[-1] == "judging: 3 open tasks cancelled; 6 judgments kept, which do not count"
    said = withdraw(f"{small.path} --topic t1 --why x --restore").output.splitlines()
    assert said[-1] == "judging: 3 open tasks restored; 6 judgments count again"
    said = remove(f"{small.path} --system poor --topic t2 --why x --json").output.splitlines()
    assert json.loads("".join(said))["tasks"] == {"cancelled": 1, "judged": 2}


def test_nothing_is_said_of_judging_where_nobody_judges(small: Evaluation) -> None:
    assert "judging" not in rename(f"{small.path} --system good --to better --why x").output
    assert not (small.path / "judgments.sqlite").exists()
