"""adjudge stability: every part prints, in every form; what is absent says why; the page shows what is printed."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.approving import CheckPage
from tests.cli.running import runner

import adjudge
from adjudge.analyses.scores import Scores, read_scores
from adjudge.analyses.stability import Stability
from adjudge.analyses.stability.result import StabilityResult
from adjudge.analyses.stability.words import absence, noise_sentences
from adjudge.cli.analysis import command_of
from adjudge.core.errors import UsageError
from adjudge.data.reading import reading_once
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation

PAGE = (Path(__file__).parents[2] / "docs" / "stability.md").read_text(encoding="utf-8")
run = runner(command_of("stability"))


@pytest.fixture(scope="module")
def folder(judged_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judged demo, its coverage scored."""
    path = tmp_path_factory.mktemp("stability")
    shutil.copytree(judged_demo, path / "my-eval")
    adjudge.open(path / "my-eval").score("coverage")
    return path


@pytest.fixture(scope="module")
def few(judged_few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the judged demo, scored."""
    path = shutil.copytree(judged_few, tmp_path_factory.mktemp("few") / "e")
    adjudge.open(path).score("coverage", "retention", "rouge-1")
    return path


@pytest.fixture(scope="module")
@reading_once()
def found(folder: Path) -> StabilityResult:
    return adjudge.stability(folder / "my-eval")


@pytest.fixture(scope="module")
def read(folder: Path) -> Scores:
    return read_scores(folder / "my-eval")


@pytest.fixture(scope="module")
def kept() -> dict[str, StabilityResult]:
    """Results by what was asked."""
    return {}


@pytest.fixture
def computed_once(read: Scores, kept: dict[str, StabilityResult], monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that ask the same of `my-eval`, and differ in what they show of it, share its reading and its result."""
    compute = Stability.run

    def run(self: Stability, scores: Scores) -> StabilityResult:
        if str(self) not in kept:
            kept[str(self)] = compute(self, scores)
        return kept[str(self)]

    monkeypatch.setattr(Stability, "read", lambda self, source: read)
    monkeypatch.setattr(Stability, "run", run)


@pytest.fixture(autouse=True)
def _there(folder: Path) -> Iterator[None]:
    with chdir(folder):
        yield


@pytest.mark.usefixtures("computed_once")
def test_the_page_shows_real_output(check_page: CheckPage) -> None:
    assert check_page("stability.md", "stability", run) == 4
    blocks = re.findall(r"stability my-eval --table (\S+)", PAGE)
    assert {"conflicts", "resolutions", "self-agreement", "judge-noise"} <= set(blocks)


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_page_names_every_table(found: StabilityResult) -> None:
    for name in [*(table.name for table in found.all_tables), *found.on_demand()]:
        assert f"`{name}`" in PAGE


@pytest.mark.usefixtures("computed_once")
def test_every_part_is_printed_and_every_sentence_is_in_json(found: StabilityResult) -> None:
    done = run("my-eval")
    assert done.stdout.startswith(found.headline())
    for table in found.all_tables:
        assert f"({table.name})" in done.stdout
    notes = " ".join(done.stderr.split())
    assert "123 planted repeats left out of the tables of judgments" in notes
    assert notes.count("judgments are simulated") == 1
    (said,) = json.loads(run("my-eval --json").stdout)
    assert said["headline"] == found.headline()
    assert list(said["tables"]) == [table.name for table in found.all_tables]
    assert said["absent"] == {}
    (said,) = json.loads(run("my-eval --table pairs --json").stdout)
    pairs = [each for each in said["tables"]["pairs"] if each["population"] == "like"]
    assert len(pairs) == 36
    assert all(0 < each["probability"] < 1 for each in pairs)


@pytest.mark.usefixtures("computed_once")
def test_csv_is_of_one_table_and_latex_of_all(found: StabilityResult) -> None:
    assert run("my-eval --csv -").stdout == found.table("conflicts").to_csv()
    rows = list(csv.DictReader(io.StringIO(run("my-eval --table resolutions --csv -").stdout)))
    assert [row["system"] for row in rows] == list(found.resolutions[0].systems)
    assert float(rows[0]["min"]) == found.resolutions[0].scores["min"][0]
    assert run("my-eval --latex").stdout.count(r"\begin{tabular}") == len(found.all_tables)
    assert run("my-eval --table beats --markdown").stdout.count("\n| ") == 10


def test_bars_hold_every_resolution_and_original_is_coverage(found: StabilityResult) -> None:
    (own,) = found.resolutions
    for k in range(len(own.systems)):
        every = [scores[k] for scores in own.scores.values()]
        assert own.scores["min"][k] == min(every)
        assert own.scores["max"][k] == max(every)
    # Without planted repeats, which scores are averaged over; they are few, and a note says so.
    assert any("averaged with the first (ORIGINAL" in note for note in found.only(["judge-noise"]).warnings())
    means = dict(zip(found.noise[0].systems, found.noise[0].noise.means, strict=True))
    assert dict(zip(own.systems, own.scores["original"], strict=True)) == pytest.approx(means, abs=0.002)


@reading_once()
def test_the_evaluation_has_it_too_and_seeds_decide(few: Path) -> None:
    found = adjudge.stability(few, "coverage")
    again = adjudge.open(few).stability("coverage")
    assert again.as_dict()["tables"] == found.as_dict()["tables"]
    other = adjudge.stability(few, "coverage", seed=1)
    assert other.table("pairs") != found.table("pairs")
    assert other.resolutions[0].rankings == found.resolutions[0].rankings


@reading_once()
def test_a_named_measure_is_resolved_and_others_say_that_they_are_not(few: Path) -> None:
    e = adjudge.open(few)
    assert e.stability("retention").resolutions[0].measure == "retention"
    found = e.stability("rouge-1")
    assert found.resolutions[0].measure == "coverage"
    assert found.noise == ()
    (of,) = found.absent["noise"].data["unranked"].values()
    assert list(of) == ["rouge-1"]
    assert [note.code for note in found.general] == ["coverage-instead"]


# What is absent


def test_a_folder_without_judgments_says_so(tmp_path: Path) -> None:
    build(tmp_path / "plain")
    found = adjudge.stability(tmp_path / "plain")
    assert found.headline().startswith("Nothing can be said about the stability of ")
    assert {part: note.code for part, note in found.absent.items()} == {
        "conflicts": "no-coverage",
        "resolutions": "no-coverage",
        "repeats": "no-repeats",
        "noise": "no-noise",
    }
    done = run(str(tmp_path / "plain"))
    assert (
        "note: not shown: judge noise: nothing has been scored; nobody has judged summaries here"
        in " ".join(done.stderr.split())
    )
    (said,) = json.loads(run(f"{tmp_path / 'plain'} --json").stdout)
    assert list(said["tables"]) == ["absent"]


def test_judgments_without_repeats_could_not_have_shown_a_conflict(make: Callable[..., Evaluation]) -> None:
    from adjudge.data.rows import Summary, Topic

    rows = [
        Topic("t1"),
        Summary("t1", "ref", "A storm came. Nobody was hurt.", 10, ("reference",)),
        Summary("t1", "a", "There was a storm.", 10),
        Summary("t1", "b", "Everyone is fine.", 10),
    ]
    e = make(*rows)
    e.units()
    e.simulate_judgments("duc-2002", assessors=1)
    found = e.stability()
    assert re.fullmatch(
        r"None of \d+ judgments of model units was repeated, so there can be no conflicts\.",
        found.headline(),
    )
    assert found.absent["repeats"].code == "no-repeats"


def rated(assessors: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        (f"t{t}", s, f"p{a}", quality + rng.normal())
        for t in range(12)
        for s, quality in (("good", 2.0), ("fair", 1.8), ("poor", 0.0))
        for a in range(assessors)
    ]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])


def test_a_file_with_assessors_has_judge_noise_alone(tmp_path: Path) -> None:
    rated().to_csv(tmp_path / "ratings.csv", index=False)
    done = run(str(tmp_path / "ratings.csv"))
    assert "for assessors like these 3, on these topics" in done.stdout
    assert (
        "note: not shown: repeated judgments, resolved scores and planted repeats, which need" in done.stderr
    )
    assert "3 people judged, taken to disagree about all systems alike" in done.stderr
    (own,) = adjudge.stability(rated()).noise
    assert [own.systems[k] for k in own.order] == ["good", "fair", "poor"]
    (other,) = adjudge.stability(adjudge.read_scores(rated(), lower_is_better=True)).noise
    assert [other.systems[k] for k in other.order] == ["poor", "fair", "good"]


def test_a_file_without_assessors_says_so(tmp_path: Path) -> None:
    found = adjudge.stability(rated().groupby(["topic", "system"], as_index=False)["value"].mean())
    assert found.noise == ()
    assert absence(found.absent["noise"]) == (
        "judge noise: score (36 scores by no named assessor); a column named assessor says who judged"
    )


def test_anonymous_scores_are_nobodys() -> None:
    frame = rated()
    frame.loc[frame["assessor"] == "p2", "assessor"] = "crowd-anonymous"
    (own,) = adjudge.stability(frame).noise
    assert (own.noise.assessors, own.anonymous) == (2, 36)
    assert "36 anonymous scores left out" in adjudge.stability(frame).warnings()
    frame["assessor"] = "anonymous"
    frame = frame.drop_duplicates(["topic", "system"])
    assert adjudge.stability(frame).noise == ()
    nobody = adjudge.stability(frame).absent["noise"]
    assert absence(nobody) == "judge noise: score (36 scores by anonymous assessors)"


def test_systems_with_other_topics_are_ranked_as_compare_orders_them(tmp_path: Path) -> None:
    """a is better than b on every topic of both, and b has the easy ones alone."""
    rng = np.random.default_rng(2)
    rows = [
        (f"t{t}", s, f"p{a}", quality + 3 * (t < 5) + rng.normal(scale=0.1))
        for t in range(10)
        for s, quality in (("a", 1.5), ("b", 1.0), ("c", 0.5))
        for a in range(3)
        if s != "b" or t < 5
    ]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    (own,) = adjudge.stability(frame).noise
    assert [own.systems[k] for k in own.order] == ["a", "b", "c"]
    done = run(str(tmp_path / "gaps.csv"))
    notes = " ".join(done.stderr.split())
    assert "5 of 30 summaries have no score by a named assessor (b on 5 topics)" in notes
    assert (
        "not everybody judged everything (75 of 90 scores); means are adjusted for topics and assessors"
        in notes
    )
    apart = frame[(frame["system"] == "b") | ~frame["topic"].isin([f"t{t}" for t in range(5)])]
    (own,) = adjudge.stability(apart).noise
    assert next(noise_sentences(own)) == (
        "score: no noise can be simulated: systems without common topics cannot be compared (a and c; b)."
    )
    (table,) = adjudge.stability(apart).all_tables
    assert [row["rank"] for row in table.records()] == [None] * 3


@pytest.mark.usefixtures("computed_once")
def test_one_table_has_its_own_headline_and_sentences(found: StabilityResult) -> None:
    for table in found.all_tables:
        alone = found.only([table.name])
        assert list(alone.sentences()) == list(found.about(table.name))
    (said,) = json.loads(run("my-eval --table rankings --json").stdout)
    assert list(said["tables"]) == ["rankings"]
    assert said["headline"].endswith("2 rankings of the 9 systems agree with the bars.")
    printed = run("my-eval --table rankings").stdout
    assert printed.count("2 rankings of") == 1


RULES = {
    "": "each assessor's own",
    "--resolve one-assessor": "each assessor's own",
    "--resolve all-assessors": "those of all assessors",
}


def widths_of(printed: str) -> dict[str, float]:
    (said,) = json.loads(printed)
    return {row["system"]: row["max"] - row["min"] for row in said["tables"]["resolutions"]}


@pytest.mark.usefixtures("computed_once")
def test_the_rule_of_the_paper_is_the_default_and_the_other_has_a_name(found: StabilityResult) -> None:
    """Who writes their own words is judged once by each assessor: by the paper's rule they have no bar."""
    ben = {
        resolve: widths_of(run(f"my-eval --table resolutions --json --quick {resolve}").stdout)["ben"]
        for resolve in RULES
    }
    assert ben[""] == ben["--resolve one-assessor"] == 0
    assert ben["--resolve all-assessors"] > 0.05
    (own,) = found.resolutions
    assert dict(zip(own.systems, own.widths, strict=True))["ben"] == 0
    assert 0.005 < max(own.widths_of_same_marks) < max(own.widths) < 0.05
    for resolve, title in RULES.items():
        assert title in run(f"my-eval --table resolutions --quick {resolve}").stdout


def test_judge_noise_is_the_table_of_every_measure(tmp_path: Path) -> None:
    frame = pd.concat([rated().assign(measure=name) for name in ("clear", "short")])
    frame.to_csv(tmp_path / "two.csv", index=False)
    (said,) = json.loads(run(f"{tmp_path / 'two.csv'} --table judge-noise --draws 100 --json").stdout)
    assert list(said["tables"]) == ["judge-noise-clear", "judge-noise-short"]
    with pytest.raises(UsageError, match='no table "noise"'):
        run(f"{tmp_path / 'two.csv'} --table noise --draws 100")


def test_simulated_judgments_are_counted_once_without_somebody(few: Path) -> None:
    notes = run(f"{few} -m coverage --without simulated-1 --table rankings").stderr
    assert len(re.findall(r"judgments are simulated", notes)) == 1


def test_errors_name_options(tmp_path: Path) -> None:
    rated().to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(UsageError, match="^level is 2, expected a number between 0 and 1"):
        run(f"{tmp_path / 'x.csv'} --level 2")


# Lengths and forms


def lengths_and_forms(make: Callable[..., Evaluation]) -> Evaluation:
    """Two lengths and two forms, with a sentence that systems share."""
    from adjudge.data.rows import Summary, Topic

    rows: list[object] = []
    for topic in ("t1", "t2"):
        rows.append(Topic(topic))
        for length, form in ((10, "abstract"), (10, "extract"), (20, "abstract")):
            rows.append(
                Summary(topic, "ref", "A storm came. Nobody was hurt.", length, ("reference",), form=form)
            )
            rows += [
                Summary(topic, s, f"A storm came. Own words of {s}.", length, form=form) for s in ("a", "b")
            ]
    e = make(*rows)
    e.units()
    e.simulate_judgments("duc-2002", assessors=2, repeats=0.5, seed=3)
    return e


def test_length_and_form_choose_in_every_part(make: Callable[..., Evaluation]) -> None:
    e = lengths_and_forms(make)
    everything = e.stability()
    parts = [
        e.stability(length=length, form=form)
        for length, form in ((10, "abstract"), (10, "extract"), (20, "abstract"))
    ]
    for kind in range(2):
        total = len(everything.again[kind].judgments)
        assert sum(len(each.again[kind].judgments) for each in parts) == total
        assert len(everything.again[kind].keys) == sum(len(each.again[kind].keys) for each in parts)

    def repeats(found: StabilityResult) -> int:
        return sum(each.answers for each in found.repeats if each.part == "all")

    assert repeats(everything) == sum(map(repeats, parts)) > 0
    assert len(everything.resolutions) == 3
    assert [len(each.resolutions) for each in parts] == [1, 1, 1]
    notes = " ".join(everything.warnings())
    assert "planted repeats of several lengths (10 and 20) are counted together" in notes
    assert "several forms (abstract and extract) are counted together" in notes
    assert not any("counted together" in note for each in parts for note in each.warnings())
    with pytest.raises(UsageError, match="has no judgments of length 77; it has: 10, 20"):
        e.stability(length=77)
    with pytest.raises(UsageError, match='has no judgments of form "poem"; it has: abstract, extract'):
        e.stability(form="poem")


def test_resampling_from_ten_up(tmp_path: Path) -> None:
    rated(4).to_csv(tmp_path / "four.csv", index=False)
    with pytest.raises(UsageError, match="4 assessors are too few to resample them, 10 are needed"):
        run(f"{tmp_path / 'four.csv'} --draw-assessors")
    rated(10).to_csv(tmp_path / "ten.csv", index=False)
    assert (
        "|assessors:resampled|draws:200|"
        in run(f"{tmp_path / 'ten.csv'} --draw-assessors --draws 200 --show-signature").stdout
    )


@pytest.mark.shared_data
@reading_once()
def test_summeval_has_judge_noise_of_its_experts(summeval: Path) -> None:
    """As the page says."""
    e = adjudge.open(summeval)
    found = e.stability("expert:coherence")
    (own,) = found.noise
    assert own.noise.like is not None
    assert own.noise.these is not None
    like = [own.systems[k] for k in own.order if own.noise.like.low[k] == 1]
    these = [own.systems[k] for k in own.order if own.noise.these.low[k] == 1]
    assert (like, these) == (["M22", "M23", "M17"], ["M22", "M23"])
    pairs = int(re.search(r"in (\d+) of 66 pairs", found.headline())[1])  # type: ignore[index]
    assert f"{pairs} of 66 pairs" in " ".join(PAGE.split())
    assert set(found.absent) == {"conflicts", "resolutions", "repeats"}
    crowd = e.stability("crowd:coherence")
    assert crowd.noise == ()
    assert (
        absence(crowd.absent["noise"]) == "judge noise: crowd:coherence (6,000 scores by no named assessor)"
    )
    assert "judge noise leaves out" not in " ".join(found.warnings())  # nobody asked for the crowd's
    everything = e.stability(draws=100)
    assert len(everything.noise) == 4
    assert (
        "judge noise leaves out crowd:coherence, crowd:consistency, crowd:fluency and crowd:relevance (24,000 scores by"
        " no named assessor)"
    ) in everything.warnings()
    assert "3,600 judgments of 1,200 summaries" in everything.table().title
