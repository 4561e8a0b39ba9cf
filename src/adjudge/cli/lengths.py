"""adjudge lengths"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli import options
from adjudge.cli.output import deliver, say, show_table, warn
from adjudge.cli.sources import open_scores, pooled, warn_of
from adjudge.comparisons.lengths import TASKS, AtLength, LengthsResult, lengths_of, of_topics
from adjudge.errors import UsageError, quoted
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.scores import Scores


def command(
    scores: options.Scores,
    measure: options.Measures = None,
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="TASK", help=f"Topics of one task only: {' or '.join(TASKS)}."),
    ] = None,
    pool: options.PoolHumans = None,
    seed: options.Seed = 0,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """Hold target lengths against each other: scores centred by topic, groups, noise, and how rankings agree.

    Each length is compared by itself; "all" averages within a topic first. Systems that share a letter cannot be
    told apart by Tukey's test on the model system + topic. --csv writes one row per system and length.
    """
    if task not in (None, *TASKS):
        raise UsageError(f"--task is {quoted(task)}, expected one of: {', '.join(TASKS)}")
    data = open_scores(scores, human, baseline, lower_is_better)
    chosen = [data.resolve(m) for m in measure or ()] or data.all_measures()
    warn_of(data, chosen)
    found = [_result(data, m, task, pooled(pool), seed) for m in chosen]
    deliver(found, LengthsResult.to_frame, lambda r: _show(r, data), json=json, csv=csv, latex=latex)


def _result(data: Scores, measure: str, task: str | None, pool_humans: bool, seed: int) -> LengthsResult:
    tasks = {name: topic.task for name, topic in data.topics.items()}
    each = zip(data.table.lengths(measure), data.table.each_length(measure), strict=True)
    matrices = {n: data.matrix(measure, length=asked, pool_humans=pool_humans) for n, asked in each}
    if task is not None:
        kept = {name for name, of in tasks.items() if of == task}
        matrices = {n: of_topics(matrix, kept) for n, matrix in matrices.items()}
        matrices = {n: matrix for n, matrix in matrices.items() if matrix.topics}
        if not matrices:
            raise UsageError(f"--task {task}: no topic with scores of {measure} is {task}")
    return lengths_of(matrices, tasks=tasks, seed=seed)


def _show(r: LengthsResult, data: Scores) -> None:
    say(f"{r.measure} ({r.info.direction}, {counted(len(r.lengths), 'length')})", "bold")
    heads = [f"{each.column}>" for each in r.columns]
    columns = [head for name in heads for head in (name, "group")]
    show_table(
        ("system", "kind", *columns),
        [
            (system, data.kind(system), *(cell for each in r.columns for cell in _cells(each, system)))
            for system in r.systems()
        ],
        title="Scores centred by topic",
    )
    print()
    show_table(
        ("length", "topics>", "systems>", "residual df>", "mean square>", "HSD>", "pairs told apart>"),
        [
            (
                each.column,
                len(each.matrix.topics),
                each.tukey.columns,
                int(each.tukey.df),
                _number(each.tukey.mean_square),
                _number(each.tukey.hsd),
                f"{each.told_apart} of {each.pairs}",
            )
            for each in r.columns
        ],
        title="Noise",
    )
    print()
    for line in r.sentences():
        say(line)
    for line in r.warnings():
        warn(line)
    say(r.signature, "dim")


def _cells(each: AtLength, system: str) -> tuple[str, str]:
    standing = each.standing(system)
    if standing is None or standing.centred != standing.centred:
        return "-", ""
    return f"{standing.centred:+.4f}", standing.group


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.4g}"
