"""From an empty folder to a report, by the commands that each step prints; people come first on the way."""

from __future__ import annotations

import random
import shlex
import uuid
from pathlib import Path

import pytest
from tests.cli.running import called

import adjudge
from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.next_step import after_judging
from adjudge.judgments.tasks import Event

WORTH = {"good": 4.5, "fair": 3.0, "poor": 1.5}


def judge(e: Evaluation, rng: random.Random) -> int:
    """Answers every task as people do in the browser, by the store's own path."""
    with e.store() as store:
        events = [
            Event(
                id=str(uuid.UUID(int=rng.getrandbits(128))),
                evaluation=task.evaluation,
                task=task.id,
                assessor=task.assessor,
                question=question,
                answer={"value": min(5, max(1, round(WORTH[task.peer.system] + rng.gauss(0, 0.6))))},
            )
            for task in store.tasks()
            if task.peer is not None
            for question in e.protocol(task.protocol).asked()
        ]
        store.append(events)
    return len(events)


def last_line(folder: Path, command: str) -> str:
    done = called(folder, *shlex.split(command)[1:])
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.splitlines()[-1]


def commands(line: str) -> list[str]:
    return line.partition("next: ")[2].split(", then ")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Three systems on eight topics with a reference each, rated by three people."""
    e = Evaluation.init(tmp_path / "my-eval")
    rows = [
        Summary(f"t{t}", name, f"The {name} rain of day {t} fell on {word}.")
        for t, word in enumerate(["hills", "roads", "fields", "towns", "rivers", "woods", "coasts", "plains"])
        for name in WORTH
    ]
    references = [
        Summary(f"t{t}", "writer", f"The good rain of day {t} fell.", roles=("reference",)) for t in range(8)
    ]
    e.take([(f"row {k}", row) for k, row in enumerate([*rows, *references])])
    for person in ("anna", "Ben", "carla"):
        todo = last_line(tmp_path, f"adjudge people add my-eval {person}")
    (assign,) = commands(todo)
    assert commands(last_line(tmp_path, f"{assign} --per-summary 3")) == ["adjudge serve my-eval"]
    assert commands(last_line(tmp_path, "adjudge judgments list my-eval")) == ["adjudge serve my-eval"]
    assert judge(Evaluation.open(tmp_path / "my-eval"), random.Random(3)) == 72 * 4
    return tmp_path / "my-eval"


def test_judgments_lead_to_a_report_that_begins_with_people(judged: Path) -> None:
    here = judged.parent
    line = last_line(here, "adjudge judgments list my-eval")
    assert line.startswith("72 judgments by 3 people; next: ")
    score, compare = commands(line)
    again, report = commands(last_line(here, score))
    assert again == compare
    names = [c.measure for c in adjudge.compare_all(judged).results]
    people = [name for name in names if name.startswith("rating")]
    assert len(people) == 4
    assert len(names) > 4
    assert names[:4] == people
    last_line(here, compare)
    last_line(here, report)
    page = (here / "report" / "index.html").read_text("utf-8")
    assert "No measure of the report is people" not in page
    assert page.index("coherence rating") < page.index("ROUGE-1")


def test_the_store_says_who_judged(judged: Path) -> None:
    e = Evaluation.open(judged)
    with e.store() as store:
        todo = after_judging("my eval", store)
    assert todo.why == "72 judgments by 3 people"
    assert todo.commands == ("adjudge score 'my eval'", "adjudge compare 'my eval'")


def test_an_evaluation_shows_what_is_in_it(judged: Path) -> None:
    e = adjudge.open(judged)
    assert repr(e).splitlines() == [
        f"adjudge.open({str(judged)!r})",
        "4 systems (3 machines and 1 human), 8 topics, 32 summaries, 0 documents",
        "72 judgments by Ben, anna and carla",
        "no scores",
    ]
    e.score("rating", "rouge-1")
    assert repr(e).splitlines()[-1] == (
        "scores: coherence rating; consistency rating; fluency rating; relevance rating; ROUGE-1"
    )
    next((judged / "scores").glob("rouge*.parquet")).write_bytes(b"no Parquet")
    assert "scores: coherence rating" in repr(adjudge.open(judged))
    (judged / "summaries.jsonl").write_text("{", encoding="utf-8")
    assert "summaries.jsonl:1" in repr(adjudge.open(judged))


def test_one_measure_is_people_s_where_none_is_named(judged: Path) -> None:
    e = adjudge.open(judged)
    e.score("rating", "rouge-1", "nams", "nams(stem=lovins)")
    with pytest.raises(UsageError, match=r"several measures \(rating"):
        e.compare()
    for text in ("rating", "nam*", "zopf-2018,rating"):
        with pytest.raises(UsageError, match="one measure is looked at here, not "):
            e.compare(text)
    assert e.compare("rouge1").measure == "rouge-1"
    here = judged.parent
    done = called(here, "figure", "forest", "my-eval", "-o", "forest.svg")
    assert done.returncode == 0, done.stderr
    assert "of 7 measures coherence rating is drawn: -m chooses another" in done.stderr
    headings = called(here, "plan", "my-eval").stdout
    assert "relevance rating" in headings
    assert "ROUGE" not in headings
    frame = e.scores().to_frame()
    frame = frame[frame["measure"].isin(["rating(aspect=fluency)", "rouge-1"])]
    assert adjudge.compare(frame).measure == "rating(aspect=fluency)"
