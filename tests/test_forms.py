"""Abstracts and extracts of one length from the same systems, as at DUC-2002: never refused, never mixed."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.running import called
from tests.conftest import files_of
from tests.judgments.conftest import new_database, new_place, server

import adjudge
from adjudge.core.errors import UsageError
from adjudge.data.target import Target
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.records import read_records, write_records
from adjudge.judgments.store.store import open_store
from adjudge.judgments.tasks import TextRef

__all__ = ["new_database", "new_place", "server"]  # fixtures of the store's tests

PLAN = ((50, "abstract"), (200, "abstract"), (200, "extract"))
THINGS = ("storm", "strike", "race", "fire", "vote", "flood", "trial")


WORDS = [
    "rain",
    "fell",
    "on",
    "roads",
    "and",
    "roofs",
    "while",
    "people",
    "ran",
    "home",
    "with",
    "their",
    "bags",
    "over",
    "wet",
    "heads",
    "that",
    "night",
]


def summary(topic: int, system: str, length: int, form: str) -> dict[str, object]:
    """A text that shares more with those of its own form: so a score tells which references it met."""
    thing, own = THINGS[topic], f"{form} of {length} words"
    ends = {"ann": "and nobody was hurt", "bob": "and two were hurt", "good": "and then nobody was hurt"}
    more = f"The {thing} began on Monday {ends.get(system, f'or so {system} says')}."
    said = random.Random(f"{topic} {system} {length} {form}").sample(WORDS, 9)
    people = system in ("ann", "bob")
    return {
        "topic": f"t{topic}",
        "system": system,
        "length": length,
        "form": form,
        "summary": f"This is the {own} about it. {more} Then {' '.join(said)}.",
        "role": "both" if people else "peer",
        "kind": "human" if people else "machine",
        "author": system if people else None,
    }


ROWS = [
    summary(topic, system, *target)
    for topic in range(len(THINGS))
    for system in ("ann", "bob", "good", "poor")
    for target in PLAN
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Imported, split into units, scored, judged by simulated assessors: all by commands."""
    folder = tmp_path_factory.mktemp("forms")
    (folder / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    for line in (
        "init e",
        "import jsonl all.jsonl e",
        "units e --levels",
        "judge simulate e --protocol duc-2002 --assessors 1 --repeats 0.1 --seed 1",
        "judge simulate e --protocol rating --assessors 2 --seed 1",
        "judge simulate e --protocol preference-summaries --assessors 1 --seed 1",
        "score e -m rouge-2 -m words -m coverage -m wins -m rating(aspect=fluency) -m level-weighted-coverage",
    ):
        done = called(folder, *line.split())
        assert done.returncode == 0, f"{line}: {done.stderr}"
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "e", tmp_path / "e")
    return tmp_path


def run(folder: Path, line: str) -> str:
    done = called(folder, *line.split())
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(folder: Path, line: str) -> str:
    done = called(folder, *line.split())
    assert done.returncode == 2, done.stdout
    return done.stderr


# In the folder


def test_every_summary_is_taken_and_nothing_is_wrong(folder: Path) -> None:
    e = Evaluation.open(folder / "e")
    found = Counter(s.target for s in e.collection.all_summaries())
    assert found == {Target(*target): 4 * len(THINGS) for target in PLAN}
    assert e.collection.forms == ("abstract", "extract")
    assert [f.code for f in e.check().findings] == ["no-documents"]
    assert json.loads(run(folder, "check e --json"))["counts"]["forms"] == ["abstract", "extract"]
    shown = run(folder, "show e --topic t0 --system good")
    assert [line for line in shown.splitlines() if line.startswith("good")] == [
        "good (target 50, abstract, 29 words, peer)",
        "good (target 200, abstract, 29 words, peer)",
        "good (target 200, extract, 29 words, peer)",
    ]


def test_a_missing_extract_is_missing_although_there_is_an_abstract(folder: Path) -> None:
    path = folder / "e" / "summaries.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    gone = [line for line in lines if (r := json.loads(line))["topic"] == "t3" and r["system"] == "poor"]
    assert [json.loads(line)["form"] for line in gone] == ["abstract", "abstract", "extract"]
    path.write_text("".join(line for line in lines if line != gone[2]), encoding="utf-8")
    (finding,) = (f for f in Evaluation.open(folder / "e").check().findings if "missing" in f.what)
    assert finding.what == "1 summary of 1 system missing"


def test_a_system_can_be_renamed_and_withdrawn_with_all_its_forms(folder: Path) -> None:
    run(folder, "rename e --system good --to fine --why new")
    e = Evaluation.open(folder / "e")
    assert Counter(s.form for s in e.collection.all_summaries() if s.system == "fine") == {
        "abstract": 2 * len(THINGS),
        "extract": len(THINGS),
    }
    assert "2 topics changed" not in run(folder, "score e -m rouge-2")
    run(folder, "withdraw e --system fine --why late")
    assert "fine" not in run(folder, "scores e -m rouge-2 --csv -")


@pytest.mark.parametrize("form", ["abstract", "extract"])
def test_importers_take_the_form_that_is_said(tmp_path: Path, form: str) -> None:
    run(tmp_path, "init e")
    (tmp_path / "wide.csv").write_text("topic,summary:a,reference:r\nt,Rain.,It rained.\n", encoding="utf-8")
    (tmp_path / "long.csv").write_text(f"topic,system,summary,form\nt,b,Rain.,{form}\n", encoding="utf-8")
    peers = tmp_path / "peers"
    peers.mkdir()
    (peers / "D061.M.200.J.19").write_text("Rain fell.\n", encoding="utf-8")
    (tmp_path / "scores.csv").write_text("topic,a\nt,0.5\n", encoding="utf-8")
    run(tmp_path, f"import csv wide.csv e --length 50 --form {form}")
    run(tmp_path, "import csv long.csv e")
    run(tmp_path, f"import duc peers e --form {form}")
    run(tmp_path, f"import scores scores.csv e -m other --form {form}")
    e = Evaluation.open(tmp_path / "e")
    assert {(s.system, s.target) for s in e.collection.all_summaries()} == {
        ("a", Target(50, form)),
        ("r", Target(50, form)),
        ("b", Target(None, form)),
        ("19", Target(200, form)),
    }
    assert [s.form for s in e.scores().rows()] == [form]
    # the other form of the same summary is another summary
    run(tmp_path, f"import duc peers e --form {'abstract' if form == 'extract' else 'extract'}")
    assert len(Evaluation.open(tmp_path / "e").collection.peers("D061")) == 2
    assert '--form is "headline", expected one of: abstract, extract' in refused(
        tmp_path, "import duc peers e --form headline"
    )


@pytest.mark.parametrize("form", [None, "abstract"])
def test_judgments_are_imported_about_summaries_of_a_form(tmp_path: Path, form: str | None) -> None:
    run(tmp_path, "init e")
    option = f" --form {form}" if form else ""
    row = (
        "D061 M - 100 J B K x 19 y 0 1 0 0 2 0 0 3 0 0 0 0 0.60 8 5 3 11 0.309 0.200 0.354 0.215 0.140 0.236"
    )
    (tmp_path / "short.table").write_text(row.replace(" ", "\t") + "\n", encoding="utf-8")
    (tmp_path / "content.table").write_text("D061\tA\tC\t19\t4\nD061\tA\tC\t2\t3\n", encoding="utf-8")
    (tmp_path / "crowd.csv").write_text(
        "task,worker,label,form\nD061/19,w1,4,extract\nD061/19,w1,3,\nD061/19,w2,3,poem\n", encoding="utf-8"
    )
    run(tmp_path, f"judgments import see short.table e --reference-column 5{option}")
    run(tmp_path, f"judgments import nist content.table e --aspect content --length 100{option}")
    said = run(tmp_path, f"judgments import crowd crowd.csv e --aspect fluency --length 100{option}")
    assert "left out 1: row with a form that is none of: abstract, extract (first: crowd.csv:4)" in said
    with Evaluation.open(tmp_path / "e").store() as store:
        tasks = store.tasks()
    found = Counter((task.protocol, task.peer, task.reference) for task in tasks)
    assert found == {
        ("duc-2002", TextRef("19", 100, form), TextRef("B", 100, form)): 1,
        ("responsiveness", TextRef("19", 100, form), None): 1,
        ("responsiveness", TextRef("2", 100, form), None): 1,
        ("rating", TextRef("19", 100, "extract"), None): 1,
        ("rating", TextRef("19", 100, form), None): 1,
    }
    # sums of a page, which nobody is asked for, are known to whatever reads answers
    assert "coverage: 1 score" in run(tmp_path, "score e -m coverage")
    assert "error" not in run(tmp_path, "check e")


# Scores


def test_a_peer_is_scored_against_references_of_its_own_form(folder: Path) -> None:
    e = Evaluation.open(folder / "e")
    rows = [row for row in e.scores().rows() if row.measure == "rouge-2"]
    assert len(rows) == len(ROWS)
    own = {(row.topic, row.system, row.length, row.form): row.value for row in rows}
    texts = {(s.topic, s.system, s.length, s.form): s.text for s in e.collection.all_summaries()}
    for (topic, system, length, form), value in own.items():
        references = [texts[topic, w, length, form] for w in ("ann", "bob") if w != system]
        text = texts[topic, system, length, form]
        assert value == pytest.approx(adjudge.rouge(text, references, "rouge-2").mean("rouge-2")), (
            topic,
            system,
        )


def test_a_score_file_has_the_column_where_a_form_is_set(folder: Path, small: Evaluation) -> None:
    (stored,) = (folder / "e" / "scores").glob("rouge-2--*.parquet")
    assert "form" in pq.read_schema(stored).names
    small.score("rouge-2")
    (bare,) = (small.folder.path / "scores").glob("rouge-2--*.parquet")
    assert "form" not in pq.read_schema(bare).names
    before = files_of(folder / "e")
    assert "kept" in run(folder, "score e -m rouge-2 -m coverage -m wins")
    assert files_of(folder / "e") == before


def test_measures_of_judgments_keep_forms_apart(folder: Path) -> None:
    scores = Evaluation.open(folder / "e").scores()
    for measure in ("coverage", "wins", "rating(aspect=fluency)", "level-weighted-coverage"):
        rows = scores.of(measure)
        found = {
            (int(n), str(f)) for n, f in rows[["length", "form"]].drop_duplicates().itertuples(index=False)
        }
        assert found == set(PLAN), measure
    # levels are lengths of one author and one form: nobody wrote extracts of two lengths
    levels = scores.of("level-weighted-coverage").groupby("form")["value"].apply(lambda v: v.notna().any())
    assert levels.to_dict() == {"abstract": True, "extract": False}


# Comparing


def headings(text: str) -> list[str]:
    return re.findall(r"^(\S[^(\n]*) \((?:higher|lower) is better.*$", text, flags=re.MULTILINE)


def test_every_length_and_form_is_compared_by_itself(folder: Path) -> None:
    assert headings(run(folder, "compare e -m rouge-2")) == [
        "ROUGE-2, 50 words, abstract",
        "ROUGE-2, 200 words, abstract",
        "ROUGE-2, 200 words, extract",
    ]
    assert headings(run(folder, "compare e -m rouge-2 --form extract")) == ["ROUGE-2, 200 words, extract"]
    assert headings(run(folder, "compare e -m rouge-2 --length 200")) == [
        "ROUGE-2, 200 words, abstract",
        "ROUGE-2, 200 words, extract",
    ]
    assert headings(run(folder, "compare e -m rouge-2 --length 50")) == ["ROUGE-2, 50 words, abstract"]
    found = json.loads(run(folder, "compare e -m rouge-2 --json"))
    assert [(each["length"], each["form"]) for each in found] == [*PLAN]
    assert all("form:" in each["signature"] for each in found)


@pytest.mark.parametrize("command", ["compare", "groups", "topics", "plan"])
def test_files_and_json_have_the_form(folder: Path, command: str) -> None:
    more = " --difference 0.1 --simulations 50" if command == "plan" else ""
    rows = list(csv.DictReader(io.StringIO(run(folder, f"{command} e -m rouge-2{more} --csv -"))))
    assert {(int(row["length"]), row["form"]) for row in rows} == set(PLAN)
    found = json.loads(run(folder, f"{command} e -m rouge-2{more} --json"))
    assert [(each["length"], each["form"]) for each in found] == [*PLAN]


def test_a_form_that_is_not_there_is_answered_with_those_that_are(folder: Path) -> None:
    for line in (
        "compare e -m rouge-2",
        "compare e -m rouge-2 --counts",
        "groups e -m rouge-2",
        "topics e -m rouge-2",
        "lengths e -m rouge-2",
        "plan e -m rouge-2",
        "anova e -m rouge-2 --length 200",
        "scores e -m rouge-2 --matrix --length 200",
        "report e -m rouge-2",
    ):
        said = refused(folder, f"{line} --form extracts")
        assert 'no scores of form "extracts" (nearest: "extract"' in said, line
        assert "it has: abstract, extract" in said, line
    said = refused(folder, "scores e -m rouge-2 --form extracts")
    assert (
        'no scores of form "extracts" (nearest: "extract", "abstract"); there are: abstract, extract' in said
    )
    said = refused(folder, "anova e -m rouge-2 --length 50 --form extract")
    assert "it has: abstract" in said
    assert "at length 50" in said


def test_forms_are_never_mixed_unasked(folder: Path) -> None:
    e = Evaluation.open(folder / "e")
    for analysis in (e.compare, e.groups, e.topics):
        with pytest.raises(UsageError, match=r"several forms \(abstract, extract\): choose one with form$"):
            analysis("rouge-2", length=200)
    assert e.compare("rouge-2", length=200, form="extract").matrix.target == Target(200, "extract")
    said = refused(folder, "anova e -m rouge-2 --length 200")
    assert "choose one with --form, or make form a factor" in said


def test_form_is_a_factor(folder: Path) -> None:
    (found,) = json.loads(run(folder, "anova e -m rouge-2 --length 200 --factors system,topic,form --json"))
    assert found["levels"] == {"system": 4, "topic": len(THINGS), "form": 2}
    assert found["form"] is None
    (one,) = json.loads(run(folder, "anova e -m rouge-2 --length 200 --form extract --json"))
    assert (one["form"], one["rows"]) == ("extract", 4 * len(THINGS))


def test_lengths_of_one_form(folder: Path) -> None:
    (found,) = json.loads(run(folder, "lengths e -m rouge-2 --form abstract --json"))
    assert [(each["length"], each["form"]) for each in found["tables"]["noise"]] == [
        ("50", "abstract"),
        ("200", "abstract"),
        ("all", "abstract"),
    ]
    assert "several forms" in refused(folder, "lengths e -m rouge-2")


def test_scores_can_be_listed_by_form(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run(folder, "scores e -m rouge-2 --form extract --csv -"))))
    assert [row["form"] for row in rows] == ["extract"] * 4 * len(THINGS)
    tidy = list(csv.DictReader(io.StringIO(run(folder, "scores e -m coverage --tidy --csv -"))))
    assert {(row["length"], row["form"]) for row in tidy} == {(str(n), f) for n, f in PLAN}
    assert {row["author"] for row in tidy if row["system"] == "ann"} == {"ann"}
    matrix = run(folder, "scores e -m rouge-2 --matrix --length 200 --form extract --csv -")
    assert len(matrix.splitlines()) == 1 + len(THINGS)


def test_one_form_alone_is_in_files_but_not_in_headings(make: Callable[..., Evaluation]) -> None:
    from adjudge.data.rows import Summary

    rows = [
        Summary(f"t{k}", s, f"The {thing} and {s}.", 50, roles, form="extract")
        for k, thing in enumerate(THINGS)
        for s, roles in (("ann", ("reference",)), ("a", ("peer",)), ("b", ("peer",)))
    ]
    e = make(*rows)
    e.score("rouge-1")
    at, name = e.folder.path.parent, e.folder.path.name
    assert headings(run(at, f"compare {name}")) == ["ROUGE-1, 50 words"]
    (found,) = json.loads(run(at, f"compare {name} --json"))
    assert found["form"] == "extract"
    assert "form" not in found["signature"]
    assert run(at, f"scores {name} --csv -").splitlines()[0] == (
        "measure,topic,system,length,form,assessor,reference,repeat,value,why"
    )


def test_without_forms_the_column_is_there_and_empty(small: Evaluation) -> None:
    small.score("rouge-1")
    at, name = small.folder.path.parent, small.folder.path.name
    rows = list(csv.DictReader(io.StringIO(run(at, f"scores {name} --csv -"))))
    assert {row["form"] for row in rows} == {""}
    assert json.loads(run(at, f"compare {name} --json"))[0]["form"] is None
    assert "form" not in run(at, f"compare {name}")


def test_a_table_of_scores_takes_a_form(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("topic,a,b\n" + "".join(f"t{k},0.{k},0.{k + 1}\n" for k in range(8)), encoding="utf-8")
    assert {s.form for s in adjudge.read_scores(path, form="extract").rows()} == {"extract"}
    import pandas as pd

    frame = pd.read_csv(path)
    assert {s.form for s in adjudge.read_scores(frame, form="extract").rows()} == {"extract"}


def test_the_report_names_forms(folder: Path) -> None:
    run(folder, "report e -m rouge-2 -o out")
    page = (folder / "out" / "index.html").read_text(encoding="utf-8")
    for length, form in PLAN:
        assert f"ROUGE-2, {length} words, {form}" in page
    assert "abstracts and extracts" in page
    assert len(list((folder / "out").glob("rouge-2-*-extract-league.csv"))) == 1


# Judgments


def test_pairs_and_pages_show_texts_of_one_length_and_form(folder: Path) -> None:
    e = Evaluation.open(folder / "e")
    with e.store() as store:
        tasks = store.tasks()
    pages = [task for task in tasks if task.protocol == "duc-2002"]
    assert all(task.peer and task.reference and task.peer.target == task.reference.target for task in pages)
    pairs = [task for task in tasks if task.protocol == "preference-summaries"]
    assert len(pairs) == len(THINGS) * len(PLAN) * 6
    assert all(
        TextRef.named(task.left or {}).target == TextRef.named(task.right or {}).target for task in pairs
    )
    assert {(task.left or {})["form"] for task in pairs} == {"abstract", "extract"}


def test_the_same_tasks_have_the_same_ids(folder: Path) -> None:
    for protocol, more in (("duc-2002", "--repeats 0.1"), ("preference-summaries", "")):
        line = f"judge simulate e --protocol {protocol} --assessors 1 {more} --seed 1"
        assert "0 tasks and 0 answers added" in run(folder, line)
    said = run(folder, "assign e --protocol rating --assessor anna --dry-run")
    assert f"{len(ROWS)} tasks for 1 assessor" in said


def test_an_edited_extract_leaves_judgments_of_the_abstract_alone(folder: Path) -> None:
    path = folder / "e" / "summaries.jsonl"
    text = path.read_text(encoding="utf-8")
    old = next(
        line
        for line in text.splitlines()
        if (r := json.loads(line))["topic"] == "t0" and (r["system"], r["form"]) == ("good", "extract")
    )
    path.write_text(text.replace(old, old.replace("Monday", "Tuesday")), encoding="utf-8")
    checked = called(folder, "check", "e", "--json")
    assert checked.returncode == 1  # the units no longer fit
    findings = [f for f in json.loads(checked.stdout)["findings"] if "judged" in f["what"]]
    (found,) = (f for f in findings if f["what"] == "judged, and since then the peer's text has changed")
    assert found["count"] == 2 + 2  # two references, two raters
    left = Evaluation.open(folder / "e").judgments().left_out
    assert {each.task.peer for each, _ in left if each.task.peer} == {TextRef("good", 200, "extract")}


def test_records_keep_forms(folder: Path, new_place: Path | str, tmp_path: Path) -> None:
    with Evaluation.open(folder / "e").store() as store:
        name, kept = store.evaluation, store.tasks()
        write_records(store, tmp_path / "one.jsonl")
    with open_store(new_place, name) as other:
        read_records(other, tmp_path / "one.jsonl")
        assert other.tasks() == kept
        write_records(other, tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_tables_of_judgments_show_forms_where_there_are_several(folder: Path) -> None:
    printed = run(folder, "judgments tables e --table coverage-by-source")
    assert printed.splitlines()[1].split()[:3] == ["length", "form", "source"]
    (found,) = json.loads(run(folder, "judgments tables e --table coverage-by-source --json"))
    assert list(found["tables"]) == ["coverage-by-source"]
    assert {(row["length"], row["form"]) for row in found["tables"]["coverage-by-source"]} == set(PLAN)


def test_preferences_are_fitted_by_form(folder: Path) -> None:
    (every,) = json.loads(run(folder, "prefer fit e --of systems --json"))
    (one,) = json.loads(run(folder, "prefer fit e --of systems --form extract --json"))
    strengths = [fit["tables"]["strengths"] for fit in (every, one)]
    played = [sum(item["wins"] + item["ties"] / 2 for item in items) for items in strengths]
    assert played[0] == 3 * len(THINGS) * 6
    assert played[1] == len(THINGS) * 6
    said = refused(folder, "prefer fit e --of systems --form extracts")
    assert 'no preferences between summaries of form "extracts"' in said
    assert "there are: abstract, extract" in said
    run(folder, "prefer export e out.csv --of summaries")
    rows = list(csv.DictReader((folder / "out.csv").read_text(encoding="utf-8").splitlines()))
    assert Counter(row["form"] for row in rows) == {
        "abstract": 2 * len(THINGS) * 6,
        "extract": len(THINGS) * 6,
    }


def test_the_table_of_answers_has_the_form(folder: Path) -> None:
    run(folder, "judgments export e answers.csv")
    rows = list(csv.DictReader((folder / "answers.csv").read_text(encoding="utf-8").splitlines()))
    for protocol in ("duc-2002", "rating", "preference-summaries"):
        found = {(int(row["length"]), row["form"]) for row in rows if row["protocol"] == protocol}
        assert found == set(PLAN), protocol
