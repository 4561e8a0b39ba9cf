"""Records that come with a protocol which the folder does not have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.cli.running import called
from tests.judgments.making import a_task

from adjudge.evaluation import Evaluation
from adjudge.judgments.store.records import write_records


def test_an_import_names_protocols_that_are_not_here(tmp_path: Path) -> None:
    one = Evaluation.init(tmp_path / "one", name="e")
    with one.store() as store:
        store.add_tasks([replace(a_task(store, "t1"), protocol="of-somebody-else")])
        write_records(store, tmp_path / "x.jsonl")
    Evaluation.init(tmp_path / "two", name="e")
    done = called(tmp_path, "judgments", "import", "records", "x.jsonl", "two")
    assert done.returncode == 0
    assert 'the protocol "of-somebody-else" is not here: its judgments are left out' in done.stderr
