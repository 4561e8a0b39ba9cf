"""The full demo: four lengths, extracts, single documents, and everything that assessors can be asked."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from shutil import copytree

import pytest

import adjudge
from adjudge.analyses.lengths import lengths
from adjudge.analyses.scores import Scores
from adjudge.data.rows import Summary, System
from adjudge.data.target import Target
from adjudge.demo.build import AUTHOR, EXTRACTOR, SYSTEMS, items, stories, targets
from adjudge.demo.extract import fragments
from adjudge.evaluation import Evaluation
from adjudge.judgments.levels import level_of
from adjudge.measures.registry import parse_measure
from adjudge.text.words import count_words

ROOT = Path(__file__).parent.parent.parent
ABSTRACTS = [Target(length, "abstract") for length in (10, 50, 100, 200)]
EXTRACTS = Target(200, "extract")


@pytest.fixture(scope="module")
def full(full_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    e = Evaluation.open(copytree(full_demo, tmp_path_factory.mktemp("demo") / "e"))
    e.score("coverage", "level-weighted-coverage", "rating(aspect=overall)", "rouge-1", "wins")
    return e


@pytest.fixture(scope="module")
def scores(full: Evaluation) -> Scores:
    return full.scores()


def summaries(*, full: bool) -> dict[tuple[str, str, int | None, str | None], Summary]:
    rows = [row for _, row in items(full=full) if isinstance(row, Summary)]
    return {(row.topic, row.system, row.length, row.form): row for row in rows}


def test_what_the_small_demo_has_is_in_the_full_one_as_it_is() -> None:
    small, full = summaries(full=False), summaries(full=True)
    assert len(small) == 132
    for (topic, system, length, _), row in small.items():
        other = full[topic, system, length, "abstract"]
        assert (other.text, other.roles, other.author) == (row.text, row.roles, row.author)


def test_systems_of_the_full_demo_alone_state_costs_and_people_none() -> None:
    assert all(row.cost is None for _, row in items() if isinstance(row, System))
    stated = {row.system: row for _, row in items(full=True) if isinstance(row, System)}
    for row in stated.values():
        assert (row.cost is None) == (row.kind == "human")
        assert (row.currency is None) == (row.cost is None)
    priced = [row for row in stated.values() if row.cost is not None]
    assert max(priced, key=lambda row: row.cost or 0) is stated["fluent"]
    assert max(priced, key=lambda row: row.latency or 0) is stated["fluent"]
    assert max(row.cost or 0 for row in priced if row.kind == "baseline") < 0.1


def test_document_sets_have_four_lengths_and_extracts_and_single_documents_one() -> None:
    for story in stories(full=True):
        wanted = {*ABSTRACTS, EXTRACTS} if story["task"] == "multi" else {Target(100, "abstract")}
        assert set(targets(story, full=True)) == wanted
    assert Counter(story["task"] for story in stories(full=True)) == {"multi": 12, "single": 2}
    assert Counter(story["selector"] for story in stories(full=True)) == {
        "ada": 4,
        "ben": 4,
        "chloe": 3,
        "dev": 3,
    }
    assert Counter(story["type"] for story in stories(full=True)) == {
        "disaster": 4,
        "event": 4,
        "biography": 3,
        "series": 3,
    }


def test_one_writer_is_the_reference_at_every_other_length_and_nobody_is_her_own_reference(
    full: Evaluation,
) -> None:
    for topic in full.collection.topics:
        for target in {s.target for s in full.collection.summaries[topic]} - {Target(100, "abstract")}:
            references = [s for s in full.collection.references(topic) if s.target == target]
            assert [s.system for s in references] == [EXTRACTOR if target == EXTRACTS else AUTHOR]
            assert not references[0].is_peer


def test_every_system_takes_part_at_a_length_on_all_document_sets_or_on_none() -> None:
    found = Counter((system, length, form) for _, system, length, form in summaries(full=True))
    assert set(found.values()) == {12, 14}
    people = {system.system for system in SYSTEMS if system.kind == "human"}
    machines = {
        target: {who for who, length, form in found if Target(length, form) == target} - people
        for target in (*ABSTRACTS, EXTRACTS)
    }
    assert {str(target): len(who) for target, who in machines.items()} == {
        "10 words, abstract": 8,
        "50 words, abstract": 9,
        "100 words, abstract": 9,
        "200 words, abstract": 7,
        "200 words, extract": 3,
    }
    both = machines[Target(200, "abstract")] & machines[EXTRACTS] - {"lead", "coverage"}
    assert both == {"fluent"}


def test_extracts_are_sentences_of_the_documents_within_their_limit() -> None:
    """At 10 words, where no sentence fits, the beginnings of sentences."""
    source = {
        story["topic"]: [s for d in story["documents"] for s in d["text"]] for story in stories(full=True)
    }
    for (topic, system, length, form), row in summaries(full=True).items():
        if system not in ("greedy-best", "random", "centroid") and (form, system) not in (
            ("extract", "fluent"),
            ("extract", EXTRACTOR),
        ):
            continue
        assert length is not None
        assert count_words(row.text) <= 1.05 * length
        left, allowed = row.text, fragments(source[topic], 10) if length == 10 else source[topic]
        for sentence in sorted(allowed, key=len, reverse=True):
            left = left.replace(sentence, "", 1)
        assert not left.strip()


def test_baselines_are_those_that_the_command_makes(full: Evaluation, tmp_path: Path) -> None:
    e = Evaluation.open(copytree(full.path, tmp_path / "e"))
    _, report = e.baselines(lengths=[100], forms=["abstract"])
    assert not report.as_dict()["added"].get("summaries")


def test_units_have_all_levels_and_weigh_by_them(full: Evaluation, scores: Scores) -> None:
    rows = [u for units in full.collection.units.values() for u in units if u.system == AUTHOR]
    found = Counter((unit.length, level_of(unit)) for unit in rows if unit.kind == "edu")
    assert {level for length, level in found if length == 200} == {10, 50, 100, 200}
    assert {level for length, level in found if length == 10} == {10}
    weighted = scores.of("level-weighted-coverage")
    levelled = weighted[weighted["reference"] == AUTHOR]
    single = levelled["topic"].isin(["d13", "d14"])  # of which she wrote one length
    assert (levelled["value"].notna() == ~single).all()
    assert (~single).sum() > 500


def test_lengths_have_something_to_show(scores: Scores) -> None:
    found = lengths(scores, "coverage", form="abstract", pool_humans=True)
    assert [at.length for at in found.lengths] == [10, 50, 100, 200]
    noise = [at.tukey.mean_square for at in found.lengths]
    assert (
        noise[0] > noise[1] > noise[2] > noise[3]
    )  # as at DUC-2002: as target size decreases, noise increases


def test_assessors_were_asked_everything_and_all_of_it_is_simulated(full: Evaluation) -> None:
    judged = [each for some in full.judgments().by_topic.values() for each in some]
    assert {each.origin for each in judged} == {"simulated"}
    asked = Counter(each.task.protocol for each in judged)
    assert set(asked) == {
        "duc-2002",
        "pyramid",
        "responsiveness",
        "preference-sentences",
        "preference-summaries",
    }
    pages = [each.task for each in judged if each.task.protocol == "duc-2002"]
    assert sum(task.repeat_of is not None for task in pages) > 100
    times = Counter((t.topic, t.peer, t.reference) for t in pages if t.repeat_of is None)
    usual = {page for page in times if page[1] is not None and page[1].length == 100}
    assert {times[page] for page in usual} == {3}
    assert {times[page] for page in times.keys() - usual} == {2}
    assert set(Counter((topic, peer) for topic, peer, _ in usual).values()) == {2}


def test_the_planted_assessors_come_out_in_order(scores: Scores) -> None:
    for measure in ("coverage", "rating(aspect=overall)"):
        rows = scores.of(str(parse_measure(measure)))
        means = rows[rows["length"] == 100].groupby("assessor")["value"].mean()
        assert means["simulated-1"] < means["simulated-2"] < means["simulated-3"]


@pytest.mark.slow
def test_the_tour_fits_two_screens_and_ends_with_five_things_to_look_at(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "demo.py", "d"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    assert sum(max(1, -(-len(line) // 100)) for line in lines) <= 96  # of 100 characters
    assert "Five things to look at:" in done.stdout
    assert (tmp_path / "d-report" / "index.html").is_file()
    assert (tmp_path / "d-report" / "forest.svg").is_file()
    assert list((tmp_path / "d-report").glob("*.tex"))
    assert adjudge.open(tmp_path / "d").collection.topics
