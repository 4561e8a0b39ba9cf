"""adjudge scores"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show_json, show_table, write_csv
from adjudge.cli.sources import warn_of
from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.words import decimal
from adjudge.data.scores import UNSET

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores


def command(
    evaluation: options.Folder,
    measure: options.Measures = None,
    csv: options.Csv = None,
    matrix: Annotated[
        bool,
        typer.Option(
            "--matrix", help="Topics in rows, systems in columns, for one measure, length and form."
        ),
    ] = False,
    tidy: Annotated[
        bool,
        typer.Option("--tidy", help="A score per row, with all that is known of assessor, system and topic."),
    ] = False,
    length: options.Length = None,
    form: options.Form = None,
    json: options.Json = False,
) -> None:
    """List the scores, or export them as a long table or a matrix."""
    e = adjudge.open(evaluation)
    scores = e.scores()
    chosen = scores.resolved(measure) if measure else list(scores.measures)
    if matrix:
        if len(chosen) != 1:
            raise UsageError("--matrix takes one measure: name it with -m")
        frame = scores.matrix(chosen[0], length=length, form=form).to_frame()
        frame = frame.rename_axis("topic").reset_index()
    elif tidy:
        from adjudge.analyses.judged.result import tidy as tidied

        if len(chosen) != 1:
            raise UsageError("--tidy takes one measure: name it with -m")
        frame = _chosen(tidied(e.collection, scores.table, chosen[0]), length, form)
    else:
        import pandas as pd

        stored = scores.table.frame[scores.table.frame["measure"].isin(chosen)]
        derived = [scores.table.of(measure) for measure in chosen if measure in scores.table.derived]
        frame = _chosen(pd.concat([stored, *derived], ignore_index=True) if derived else stored, length, form)
    warn_of(scores, chosen)
    if csv is not None:
        write_csv(frame, csv)
        if str(csv) != "-":
            say(f"{csv}: {len(frame):,} rows")
    elif json:
        show_json(
            frame.astype(object).where(frame.notna(), None).to_dict("records")
            if measure or matrix
            else _summary(scores)
        )
    elif tidy:
        filled = frame.astype(object).where(frame.notna(), "")
        show_table(list(frame.columns), [list(row) for row in filled.itertuples(index=False)])
    elif matrix:
        columns = [frame.columns[0], *(f"{name}>" for name in frame.columns[1:])]
        cells = [[row[0], *map(decimal, row[1:])] for row in frame.itertuples(index=False)]
        show_table(columns, cells)
    else:
        _overview(scores, chosen)


def _chosen(frame: Any, length: int | None, form: str | None) -> Any:
    """The rows of a length and a form; a form that none has is a mistake."""
    if length is not None:
        frame = frame[frame["length"] == length]
    if form is None:
        return frame
    forms = frame["form"].fillna(UNSET)
    if not (forms == form).any():
        there = sorted(forms.unique())
        raise UsageError(
            f"no scores of form {quoted(form)}{nearest(form, there)}; there are: {', '.join(there)}"
        )
    return frame[forms == form]


def _summary(scores: Scores) -> list[dict[str, Any]]:
    return [
        {
            "measure": s.info.measure,
            "better": s.info.better,
            "range": list(s.info.range),
            "signature": s.info.signature,
            "origin": s.origin,
            "source": s.source,
            "rows": len(s.table.frame),
            "missing": int(s.table.frame["value"].isna().sum()),
            "stale_topics": list(scores.stale.get(s.info.measure, ())),
        }
        for s in scores.files
    ]


def _overview(scores: Scores, chosen: list[str]) -> None:
    if not scores.files:
        say("nothing has been scored yet; run: adjudge score EVALUATION")
        return
    shown = {f.info.measure: f.table.frame for f in scores.files if f.info.measure in chosen}
    shown |= {measure: scores.table.of(measure) for measure in chosen if measure in scores.table.derived}
    rows = [
        (
            scores.info[measure].heading,
            len(frame),
            frame["topic"].nunique(),
            frame["system"].nunique(),
            int(frame["value"].isna().sum()),
            decimal(frame["value"].mean()),
            scores.info[measure].better or "-",
        )
        for measure, frame in shown.items()
    ]
    show_table(("measure", "rows>", "topics>", "systems>", "missing>", "mean>", "better"), rows)
    print()
    say("names for -m, in the same order:")
    for measure in shown:
        say(f"  {measure}")
