"""adjudge compare"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.analyses.tests import (
    ALL,
    ALPHA,
    LEVEL,
    RESAMPLES,
    SIDES,
    STATISTICS,
    TESTS,
    ZEROS,
    Test,
)
from adjudge.cli import options
from adjudge.cli.completion import complete_systems
from adjudge.cli.output import deliver, not_over, say, show, show_json, warn, write_csv
from adjudge.cli.sources import (
    length_of,
    of_target,
    open_scores,
    pooled,
    print_paper,
    show_result,
    takes_table,
    warn_of,
)
from adjudge.cli.usage import too_many_tables, with_measures
from adjudge.core.errors import UsageError, quoted
from adjudge.data.packed import PACKED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adjudge.analyses.compare.counts import CountsTable
    from adjudge.analyses.compare.judge_corrected import CorrectedComparison
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.compare.paper import ComparedMeasures
    from adjudge.analyses.scores import Scores
    from adjudge.formats.scoretable import TableOptions

AMONG = ("all", "machines", "humans", "human-machine")
CLUSTERS = ("set", "type", "task", "selector", "assessor")
ADVICE = ": name a --primary measure, or correct --across measures"
COUNTED: tuple[Test, ...] = ("t-unpaired", "t", "wilcoxon")  # the paper's three


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MORE",
            help="With --counts: further data sets, to stand beside the first. Each is called as its file, or as you"
            " say: 2009=tac09.csv 2010=tac10.csv.",
            show_default=False,
        ),
    ] = None,
    measure: options.Measures = None,
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            metavar="TEST",
            help=f"The test over topics: {', '.join(TESTS)}; or all. Default: wilcoxon. It makes the groups, unless"
            " assessors are a sample (--assessor-effects).",
        ),
    ] = None,
    tests: Annotated[
        str | None,
        typer.Option(
            "--tests",
            metavar="A,B",
            help="Run these tests; the first makes the groups unless --test does. Of mc and hb with a statistic: mc:w.",
        ),
    ] = None,
    correct: options.Correct = "holm",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="SYSTEM",
            help="Compare all systems with this one only.",
            autocompletion=complete_systems,
        ),
    ] = None,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help=f"With --against: {', '.join(SIDES)}.")
    ] = "both",
    among: Annotated[
        str, typer.Option("--among", metavar="WHO", help=f"Which pairs: {', '.join(AMONG)}.")
    ] = "all",
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", metavar="D", help="Also say which systems are the same within this difference."
        ),
    ] = None,
    length: options.Lengths = None,
    form: options.Form = None,
    pool: options.PoolHumans = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="BY",
            help=f"Swap and resample whole clusters of topics (with --test mc): {', '.join(CLUSTERS)}.",
        ),
    ] = None,
    statistic: Annotated[
        str | None,
        typer.Option("--statistic", metavar="S", help=f"What mc and hb resample: {', '.join(STATISTICS)}."),
    ] = None,
    zeros: Annotated[
        str,
        typer.Option("--zeros", metavar="Z", help=f"Equal scores in Wilcoxon's test: {', '.join(ZEROS)}."),
    ] = "wilcox",
    alpha: Annotated[float, typer.Option("--alpha", help="A p up to this is a difference.")] = ALPHA,
    level: Annotated[
        float, typer.Option("--level", help="Of the means' intervals, and of pointwise ones.")
    ] = LEVEL,
    intervals: Annotated[
        str,
        typer.Option(
            "--intervals",
            metavar="HOW",
            help="Of differences: agreeing (with test and correction), or pointwise.",
        ),
    ] = "agreeing",
    assessor_effects: options.AssessorEffects = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="Correct this judge's scores by people's, and compare with both: an assessor, a measure, or a"
            " program that judged in the folder.",
        ),
    ] = None,
    at_random: options.AtRandom = False,
    mean_intervals: Annotated[
        str,
        typer.Option(
            "--mean-intervals",
            metavar="OF",
            help="Of means where assessors are a sample: deviation (from the average system), or raw.",
        ),
    ] = "deviation",
    primary: options.Primary = None,
    across: options.Across = "each",
    resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples",
            min=1,
            help=f"Of mc and hb. Otherwise {RESAMPLES:,}, and more where the correction for many pairs needs them.",
        ),
    ] = None,
    seed: options.Seed = 0,
    counts: Annotated[
        bool,
        typer.Option("--counts", help="Count the pairs that differ, by test and kind (Rankel's tables)."),
    ] = False,
    effects: Annotated[bool, typer.Option("--effects", help="How large the differences are.")] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Say every pair in words.")] = False,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: Annotated[
        bool,
        typer.Option(
            "--latex",
            help="Print a table for a paper: of several measures systems x measures, else the league table.",
        ),
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the same for a README or a pull request.")
    ] = False,
    methods: options.Methods = False,
    league_csv: Annotated[
        Path | None,
        typer.Option(
            "--league-csv",
            metavar="FILE",
            help="Write the league tables, one row per measure and system ('-': print them).",
        ),
    ] = None,
) -> None:
    """Rank the systems: means, intervals over topics, and groups that do not differ.

    Systems that share a letter are not significantly different by the test with its correction. Pairs that could
    not have been found, whatever their scores, are counted apart, and do not burden the others. --csv writes one
    row per pair and test; with --counts, one per measure and test; with --effects, one per pair. For a paper:
    adjudge compare my-eval -m rouge-1 -m rouge-2 --latex --methods

    Scores that several assessors gave have two answers, for these assessors and for others like them; groups are
    those of the second unless --assessor-effects fixed.

    With --judge NAME people judged some topics and the judge more: differences are people's, made surer by the judge
    (prediction-powered inference), and how many human judgments that saves is said.
    """
    if among not in AMONG:
        raise UsageError(f"--among is {quoted(among)}, expected one of: {', '.join(AMONG)}")
    if cluster not in (None, *CLUSTERS):
        raise UsageError(f"--cluster is {quoted(cluster)}, expected one of: {', '.join(CLUSTERS)}")
    several = tuple(each.strip() for each in (tests or "").split(",") if each.strip())
    if tests is not None and not several:
        raise UsageError("--tests names no test")
    if several and test == ALL:
        raise UsageError("--test all runs every test: leave out --tests")
    if latex and markdown:
        raise UsageError("--latex and --markdown print the same table: choose one")
    if csv is not None and league_csv is not None and str(csv) == str(league_csv):
        raise UsageError("--csv and --league-csv write different tables: give them different names")
    if at_random and judge is None:
        raise UsageError(
            "--at-random is about the topics that people judged for a judge: say --judge NAME too"
        )
    if judge is not None:
        no_use: dict[str, object] = {
            "--counts": counts,
            "--test": test,
            "--tests": tests,
            "--margin": margin,
            "--cluster": cluster,
            "--statistic": statistic,
            "--zeros": zeros != "wilcox",
            "--resamples": resamples,
            "--assessor-effects": assessor_effects,
            "--mean-intervals": mean_intervals != "deviation",
            "--primary": primary,
            "--across": across != "each",
            "--effects": effects,
            "--methods": methods,
        }
        if ignored := next((option for option, value in no_use.items() if value), None):
            raise UsageError(
                f"--judge compares by Student's t on differences corrected by people's: leave out {ignored}"
            )
        if more:
            raise UsageError(f"compare --judge takes {too_many_tables(more[0])}")
        if len(measure or ()) > 1:
            raise UsageError("--judge corrects one measure: name the one that people gave with -m")
    if counts:
        asked = {
            "--methods": methods,
            "--league-csv": league_csv,
            "--against": against,
            "--margin": margin,
            "--pool": pool,
            "--cluster": cluster,
            "--assessor-effects": assessor_effects,
            "--pairs": pairs,
            "--effects": effects,
            "--among": among != "all",
            "--correct": correct not in ("holm", "none"),
        }
        if ignored := next((option for option, value in asked.items() if value), None):
            raise UsageError(
                f"--counts counts all pairs, not corrected, as the paper does: leave out {ignored}"
            )
    if more and not counts:
        if whole := with_measures(["compare", str(scores), *more]):
            raise UsageError(f"a measure stands after -m; say: {shlex.join(['adjudge', *whole])}")
        raise UsageError(
            f"compare takes {too_many_tables(more[0])}; several data sets, as years, are for --counts"
        )
    if counts:
        named = _data_sets([str(scores), *(more or ())])
        for path in named.values():
            not_over(csv, path)
        sets = {
            name: open_scores(path, table, human, baseline, lower_is_better) for name, path in named.items()
        }
        also = [test] if test else []
        counting = TESTS if test == ALL else (*also, *several) if several else (*COUNTED, *also)
        found_counts = adjudge.counts(
            sets[None] if None in sets else {str(name): each for name, each in sets.items()},
            measure,
            length=length_of(length),
            form=form,
            tests=counting,
            alpha=alpha,
            level=level,
            statistic=statistic,
            zeros=zeros,
            resamples=resamples or RESAMPLES,
            seed=seed,
        )
        _show_counts(found_counts, sets, json=json, csv=csv, latex=latex, markdown=markdown)
        return
    data = open_scores(scores, table, human, baseline, lower_is_better)
    if judge is not None:
        from adjudge.analyses.compare.judge_corrected import compare_corrected

        corrected = compare_corrected(
            data,
            measure[0] if measure else None,
            judge=judge,
            length=length_of(length),
            form=form,
            correct=correct,
            against=against,
            side=side,
            among=among,  # type: ignore[arg-type]
            alpha=alpha,
            level=level,
            pool_humans=pooled(pool),
            intervals=intervals,
            at_random=at_random,
            seed=seed,
        )
        warn_of(data, [corrected.measure])
        if league_csv is not None:
            write_csv(corrected.to_frame(), league_csv)
        if json or csv is not None or league_csv is None:
            deliver(
                [corrected],
                lambda found: found.pairs_frame(),
                lambda found: show_corrected(found, pairs=pairs),
                json=json,
                csv=csv,
                latex=latex,
                markdown=markdown,
            )
        return
    from adjudge.analyses.compare.pairs import compare_all

    found = compare_all(
        data,
        measure or (),
        length=length_of(length),
        form=form,
        test=test,
        tests=several,
        correct=correct,
        against=against,
        side=side,
        among=among,  # type: ignore[arg-type]
        margin=margin,
        alpha=alpha,
        level=level,
        statistic=statistic,
        zeros=zeros,
        resamples=resamples,
        seed=seed,
        pool_humans=pooled(pool),
        cluster=cluster or False,
        intervals=intervals,
        assessor_effects=assessor_effects,
        mean_intervals=mean_intervals,
        primary=primary,
        across=across,
    )
    warn_of(data, (c.measure for c in found))
    if league_csv is not None:
        write_csv(found.to_frame(), league_csv)
    for_print = not json and (latex or markdown or methods)
    if json or csv is not None or not (for_print or league_csv is not None):
        _deliver(found, json=json, csv=csv, pairs=pairs, effects=effects)
    if for_print:
        print_paper(found, latex=latex, markdown=markdown, methods=methods)


def _deliver(found: ComparedMeasures, *, json: bool, csv: Path | None, pairs: bool, effects: bool) -> None:
    """One comparison below the other, for scripts or for people."""
    from adjudge.analyses.compare.pairs import scope_words

    deliver(
        found,
        lambda c: of_target(c.effects_frame() if effects else c.pairs_frame(), c.matrix),
        lambda c: _show(c, pairs=pairs, effects=effects),
        json=json,
        csv=csv,
        latex=False,
        markdown=False,
    )
    if csv is None and not json and (said := scope_words(found, advice=ADVICE)):
        print()
        say(said)


def show_corrected(found: CorrectedComparison, *, pairs: bool) -> None:
    """The league table, the pairs where they are few, and what is said; with `pairs` each in words."""
    from adjudge.analyses.compare.judge_corrected import MOST_PAIRS

    def differences() -> None:
        if pairs or len(found.pairs) <= MOST_PAIRS:
            print()
            show(found.pairs_table())
        print()

    said = [f"  {found.pair_sentence(pair)}" for pair in found.pairs] if pairs else []
    show_result(found.table(), before=differences, more=said)


def _show(c: Comparison, *, pairs: bool, effects: bool) -> None:
    table = c.table()
    said = [f"  {c.pair_sentence(pair)}" for pair in c.pairs[c.test]] if pairs else []
    if not effects:
        show_result(table, more=said)
        return
    say(table.title, "bold")
    show(replace(table, title=""))
    say(c.headline())
    print()
    sizes = c.effects_table()
    show(sizes)
    for line in said:
        say(line)
    for line in (*table.notes, *sizes.notes):
        warn(line)
    say(c.signature, "dim")


def _data_sets(given: list[str]) -> dict[str | None, Path]:
    """Data sets by their names: as said, NAME=PATH, or as their files are called; a single one needs none."""
    found: dict[str | None, Path] = {}
    for text in given:
        name, sign, path = text.partition("=")
        if not (sign and name and path) or Path(text).exists():
            name, path = _called(Path(text)), text
            if len(given) == 1:
                return {None: Path(text)}
        if name in found:
            raise UsageError(f"two data sets are called {quoted(name)}: give them others, as NAME={path}")
        found[name] = Path(path)
    return found


def _called(path: Path) -> str:
    """A file's or a folder's name without what says how it is written."""
    if str(path) == "-":
        return "standard input"
    name = Path(path.resolve().name)
    if path.is_dir():
        return str(name)
    return name.with_suffix("").stem if name.suffix in PACKED else name.stem


def _show_counts(
    table: CountsTable,
    sets: Mapping[str | None, Scores],
    *,
    json: bool,
    csv: Path | None,
    latex: bool,
    markdown: bool,
) -> None:
    for name, data in sets.items():
        warn_of(data, (m.measure for m in table.measures if m.data == name))
    if csv is not None:
        write_csv(table.to_frame(), csv)
    if json:
        show_json(table.as_dict())
    elif latex:
        print(table.to_latex())
    elif markdown:
        print(table.to_markdown())
    elif csv is None:
        for number, each in enumerate([*table.tables(), *table.machine_tables()]):
            if number:
                print()
            show(each)
        print()
        for line in table.sentences():
            say(line)
        for line in (*table.blanks(), *table.notes):
            warn(line)
        say(table.signature, "dim")
