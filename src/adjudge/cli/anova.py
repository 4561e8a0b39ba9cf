"""adjudge anova"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli import options
from adjudge.cli.output import deliver, say, show_table, warn
from adjudge.cli.sources import open_scores, pooled, warn_of
from adjudge.comparisons.anova import Anova, anova, f_text, number, p_text, percent
from adjudge.errors import UsageError
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.scores import Scores


def command(
    scores: options.Scores,
    measure: options.Measures = None,
    factors: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Terms in their order, such as type,system,topic or system,topic,system:topic.",
            show_default="system,topic; assessor before them where judgments are repeated",
        ),
    ] = None,
    interactions: Annotated[
        bool, typer.Option("--interactions", help="Add all two-way ones of assessor, system, topic.")
    ] = False,
    random: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Fit a mixed model too, with these random, such as topic,assessor."),
    ] = None,
    ss_type: Annotated[
        int, typer.Option("--type", min=1, max=3, help="Sums of squares: I in order, II, III.")
    ] = 1,
    pool: options.PoolHumans = None,
    length: options.Length = None,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    resamples: Annotated[
        int | None,
        typer.Option(
            min=0, help="Simulations for the intervals of the shares.", show_default="500, 0 for large models"
        ),
    ] = None,
    seed: options.Seed = 0,
    sizes: Annotated[bool, typer.Option("--sizes", help="Print the size of every interaction.")] = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """Which factors matter: system, topic, assessor, and how much of the variation each accounts for.

    Prints the analysis of variance as DUC-2002 did, what it means in words, and whether the residuals look as
    they should. --csv writes one row per term; with --random the parts of the variance follow.
    """
    data = open_scores(scores, human, baseline, lower_is_better)
    chosen = [data.resolve(m) for m in measure or []] or list(data.all_measures())
    warn_of(data, chosen)
    asked: dict[str, Any] = {
        "factors": _split("--factors", factors),
        "interactions": interactions,
        "random": _split("--random", random),
        "ss_type": ss_type,
        "pool_humans": pooled(pool),
        "length": length,
        "resamples": resamples,
        "seed": seed,
    }
    found = [_of(data, each, asked) for each in chosen]
    deliver(found, _frame, lambda result: _show(result, sizes), json=json, csv=csv, latex=latex)


def _of(data: Scores, measure: str, asked: dict[str, Any]) -> Anova:
    topics = {name: row.as_dict() for name, row in data.topics.items()}
    return anova(data.table, measure, topics=topics, kinds=data.kinds, authors=data.authors, **asked)


def _split(option: str, text: str | None) -> list[str]:
    """Names with commas between them."""
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"{option}: a name is missing in {text!r}")
    return names


def _frame(result: Anova) -> Any:
    """The terms of the table; with a mixed model, the parts of the variance below them."""
    import pandas as pd

    parts = [result.to_frame().assign(part="anova")]
    if result.components is not None:
        parts.append(result.components.to_frame().assign(part="variance", measure=result.measure))
    first = ["measure", "part", "term"]
    frame = pd.concat(parts, ignore_index=True).astype({"df": "Int64"})
    return frame[[*first, *(name for name in frame.columns if name not in first)]]


def _show(a: Anova, sizes: bool) -> None:
    levels = ", ".join(counted(n, name) for name, n in a.levels.items())
    length = f", {a.length} words" if a.length else ""
    say(f"{a.measure}{length} ({counted(a.n, 'row')}: {levels})", "bold")
    show_table(
        ("", "df>", "sum of squares>", "mean square>", "F>", "p>", "share>"),
        [
            (
                row.term,
                row.df,
                number(row.ss),
                number(row.ms),
                f_text(row.f),
                p_text(row.p),
                "" if row.share != row.share else percent(row.share),
            )
            for row in a.to_frame().itertuples()
        ],
    )
    if sizes:
        for each in a.interactions:
            _show_sizes(each.term, each.to_frame())
    if a.components is not None and a.components.components:
        _show_components(a)
    for line in [*a.sentences(), *a.residual_sentences()]:
        say(line)
    for line in a.warnings():
        warn(line)
    say(a.signature, "dim")


def _show_sizes(term: str, frame: Any) -> None:
    rows = [
        (name, *("" if value != value else f"{value:.4f}" for value in frame.loc[name]))
        for name in frame.index
    ]
    show_table((term, *(f"{column}>" for column in frame.columns)), rows)


def _show_components(a: Anova) -> None:
    found = a.components
    assert found is not None
    interval = f"{found.level:.0%} interval"
    rows = [
        (
            each.term,
            f"{each.variance:.6g}",
            percent(each.share),
            "-" if each.low != each.low else f"{each.low:.1%} to {each.high:.1%}",
        )
        for each in found.components
    ]
    show_table(("variance of", "estimate>", "share>", interval), rows)
