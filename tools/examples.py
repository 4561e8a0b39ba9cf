"""Writes the tables in examples/ from the demo, so that every command of the README has something to read.

python -m tools.examples
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

import adjudge
from adjudge.demo.build import build
from adjudge.demo.judged import add_judgments
from adjudge.evaluation import Evaluation

EXAMPLES = Path(__file__).parents[1] / "examples"
SYSTEMS = ("centroid", "fluent", "headlines", "lead", "vague")
TOPICS = 12
PEOPLE = {"simulated-1": "anna", "simulated-2": "bert", "simulated-3": "carla"}
RATING = "rating(aspect=overall)"


def main() -> None:
    with TemporaryDirectory() as scratch:
        e = demo(Path(scratch) / "demo", assessors=True)
        e.score("rouge-1", "rouge-2", "nams", RATING)
        topics = sorted(e.collection.topics)[:TOPICS]
        ratings = rows_of(e, RATING, topics)
        judge = demo(Path(scratch) / "judge", assessors=False)
        judge.simulate_judgments("responsiveness", assessors=1, noise=0.35, seed=7)
        judge.score(RATING)
        judged = {(row["topic"], row["system"]): row["value"] for row in rows_of(judge, RATING, topics)}
        write_scores(e, topics)
        write_ratings(ratings)
        write_judged(ratings, judged)
        write_metrics(e, ratings, topics)
        write_duels(e, topics, Path(scratch) / "duels.csv")
        write_articles(e, topics)


def demo(path: Path, *, assessors: bool) -> Evaluation:
    path.mkdir()
    build(path, seed=0, full=True)
    e = adjudge.open(path)
    if assessors:
        add_judgments(e, seed=0, full=True)
    return adjudge.open(path)


def rows_of(e: Evaluation, measure: str, topics: Sequence[str]) -> list[dict[str, Any]]:
    """The scores at 100 words of the systems that the examples have."""
    frame = e.scores().table.of(e.scores().resolve(measure))
    frame = frame[frame["system"].isin(SYSTEMS) & frame["topic"].isin(topics) & (frame["length"] == 100)]
    frame = frame[frame["repeat"] == 0]
    frame = frame.sort_values(["topic", "system", "assessor"])
    rows: list[dict[str, Any]] = frame.to_dict("records")
    return rows


def write_scores(e: Evaluation, topics: Sequence[str]) -> None:
    values = {(row["topic"], row["system"]): row["value"] for row in rows_of(e, "rouge-1", topics)}
    write("scores.csv", ["topic", *SYSTEMS], ([t, *(f"{values[t, s]:.4f}" for s in SYSTEMS)] for t in topics))


def write_ratings(ratings: Sequence[dict[str, Any]]) -> None:
    write(
        "ratings.csv",
        ["topic", "system", "assessor", "overall"],
        ([r["topic"], r["system"], PEOPLE[r["assessor"]], int(r["value"])] for r in ratings),
    )


def write_judged(ratings: Sequence[dict[str, Any]], judged: dict[tuple[str, str], float]) -> None:
    answers: dict[tuple[str, str], dict[str, int]] = {}
    for row in ratings:
        answers.setdefault((row["topic"], row["system"]), {})[row["assessor"]] = int(row["value"])
    write(
        "judged.csv",
        ["doc", "model", "human1", "human2", "human3", "judge"],
        ([*where, *(given.get(p) for p in PEOPLE), int(judged[where])] for where, given in answers.items()),
    )


def write_metrics(e: Evaluation, ratings: Sequence[dict[str, Any]], topics: Sequence[str]) -> None:
    """People's mean ratings beside three metrics, of which the last is somebody's own."""
    metrics = {
        name: {(r["topic"], r["system"]): r["value"] for r in rows_of(e, measure, topics)}
        for name, measure in (("rouge1", "rouge-1"), ("rouge2", "rouge-2"), ("mymetric", "nams"))
    }
    people: dict[tuple[str, str], list[float]] = {}
    for row in ratings:
        people.setdefault((row["topic"], row["system"]), []).append(row["value"])
    write(
        "metrics.csv",
        ["topic", "system", "overall", *metrics],
        (
            [*where, f"{sum(v) / len(v):.2f}", *(f"{values[where]:.4f}" for values in metrics.values())]
            for where, v in people.items()
        ),
    )


def write_duels(e: Evaluation, topics: Sequence[str], scratch: Path) -> None:
    e.prefer.export_answers(scratch, of="summaries", form="models")
    frame = pd.read_csv(scratch)
    ours = frame["model_a"].isin(SYSTEMS) & frame["model_b"].isin(SYSTEMS) & frame["topic"].isin(topics)
    frame["judge"] = frame["assessor"].map(PEOPLE)
    columns = ["model_a", "model_b", "winner", "judge"]
    write("duels.csv", columns, frame.loc[ours, columns].itertuples(index=False))


def write_articles(e: Evaluation, topics: Sequence[str]) -> None:
    """A data set as Hugging Face has them: an article, its reference, and what two systems made of it."""
    rows = []
    for topic in topics:
        texts = {s.system: s.text for s in e.collection.summaries[topic] if s.length in (None, 100)}
        reference = next(
            s.text for s in e.collection.summaries[topic] if "reference" in s.roles and s.length == 100
        )
        article = e.collection.documents[topic][0].text
        rows.append(
            {
                "id": topic,
                "article": article,
                "highlights": reference,
                "fluent": texts["fluent"],
                "vague": texts["vague"],
            }
        )
    pd.DataFrame(rows).to_parquet(EXAMPLES / "news.parquet", index=False)


def write(name: str, columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    with (EXAMPLES / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
