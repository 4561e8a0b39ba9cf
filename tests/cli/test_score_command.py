"""adjudge score: after texts are withdrawn, removed or restored, scoring once is enough."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adjudge.cli.app import app
from adjudge.data.rows import Summary
from adjudge.demo.build import items
from adjudge.demo.pyramids import pyramid_judgments
from adjudge.evaluation import Evaluation
from adjudge.judgments.tasks import Event, Task

MEASURES = ("words", "rouge-1", "coverage", "pyramid")  # of texts, of references, of judgments
LEFT_OUT = ("centroid", "garbled", "greedy-best", "random")


def run(line: str) -> str:
    done = CliRunner().invoke(app, shlex.split(line), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout if "--json" in line else " ".join(done.output.split())


def scored(folder: Path) -> dict[str, dict[str, Any]]:
    """What `adjudge score` says of every measure."""
    said = run(f"score {folder} --workers 1 --json" + "".join(f" -m {each}" for each in MEASURES))
    return {each["measure"]: each for each in json.loads(said)}


def settled(folder: Path) -> bool:
    """Whether nothing is new, changed or gone, and no comparison is out of date."""
    quiet = not any(
        each[what]
        for each in scored(folder).values()
        for what in ("new_topics", "changed_topics", "gone_topics")
    )
    return quiet and "out of date" not in run(
        f"compare {folder}" + "".join(f" -m {each}" for each in MEASURES)
    )


@pytest.fixture(scope="session")
def judged(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The demo with few of its systems, pyramids and one assessor, scored."""
    return once("few-judged", fill) / "e"


def fill(folder: Path) -> None:
    e = Evaluation.init(folder / "e")
    e.take((where, row) for where, row in items() if getattr(row, "system", None) not in LEFT_OUT)
    e.units()
    with e.store() as store:
        pyramids = [
            (w, each) for w, each in pyramid_judgments(store.evaluation) if isinstance(each, Task | Event)
        ]
    peers = {each.id: each.peer for _, each in pyramids if isinstance(each, Task) and each.peer is not None}
    gone = {task for task, peer in peers.items() if peer.system in LEFT_OUT}
    e.take_judgments(
        (w, each) for w, each in pyramids if (each.id if isinstance(each, Task) else each.task) not in gone
    )
    e.simulate_judgments("duc-2002", assessors=1)
    assert all(len(each["new_topics"]) == 12 for each in scored(e.path).values())


@pytest.fixture
def e(judged: Path, tmp_path: Path) -> Path:
    return shutil.copytree(judged, tmp_path / "e")


def test_a_withdrawn_topic_is_gone_once_and_comes_back(e: Path) -> None:
    run(f"withdraw {e} --topic d04 --why x")
    for each in scored(e).values():
        assert (each["gone_topics"], each["new_topics"], each["kept_topics"]) == (["d04"], [], 11)
    assert settled(e)
    run(f"withdraw {e} --topic d04 --why x --restore")
    assert "out of date: judgments or texts of 1 topic changed since, or are gone (d04)" in run(
        f"compare {e} -m coverage"
    )
    for each in scored(e).values():
        assert (each["new_topics"], each["kept_topics"]) == (["d04"], 11)
    assert settled(e)


def test_a_withdrawn_system_changes_topics_once(e: Path) -> None:
    run(f"withdraw {e} --system vague --why x")
    for each in scored(e).values():
        assert (len(each["changed_topics"]), each["kept_topics"]) == (12, 0)
    assert settled(e)


def test_a_removed_topic_leaves_nothing_to_do(e: Path) -> None:
    run(f"remove {e} --topic d04 --why x")
    assert settled(e)


def test_a_topic_that_nobody_judged_is_not_new_again_and_again(e: Path) -> None:
    Evaluation.open(e).take([("x", Summary("d99", "fluent", "A late text.", 100))])
    found = scored(e)
    assert (found["words"]["new_topics"], found["coverage"]["new_topics"]) == (["d99"], [])
    assert settled(e)


def test_a_system_withdrawn_on_one_topic_keeps_the_others(e: Path) -> None:
    run(f"withdraw {e} --system vague --topic d04 --why x")
    for each in scored(e).values():
        assert (each["changed_topics"], each["kept_topics"]) == (["d04"], 11)
    assert settled(e)
