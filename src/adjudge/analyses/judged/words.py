"""What is said of the tables of judgments, table by table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from adjudge.analyses.agreement import words as agreement_words
from adjudge.analyses.gathered import Part, where
from adjudge.analyses.judged.result import POOLED, JudgedTables
from adjudge.analyses.judged.unit_coverage import ALL
from adjudge.analyses.judged.volume import EVERYBODY, place_words
from adjudge.core.words import as_sentence, counted, listed, percent
from adjudge.measures.judged.quality import NONE

if TYPE_CHECKING:
    from adjudge.analyses.judged.adjustment import LengthAdjustment
    from adjudge.analyses.judged.overview import JudgingOverview
    from adjudge.analyses.judged.parts import JudgedResult, JudgedTable
    from adjudge.analyses.judged.quality_answers import QualityAnswers, SourceAnswers
    from adjudge.analyses.judged.unit_coverage import CoverageSpread, UnitCoverage
    from adjudge.analyses.judged.unmarked import UnmarkedTables
    from adjudge.analyses.judged.volume import JudgingVolume, Submitted


def topics_missing(part: Part, topics: Mapping[str, int], ranked: bool) -> str:
    missing = ", ".join(f"{system} on {counted(n, 'topic')}" for system, n in topics.items())
    how = "adjusted for topics" if ranked else "over each system's own topics"
    return f"{where(part)}: no score for {missing}; means are {how}"


NOTES: Mapping[str, str | Callable[..., str]] = {
    **{code: agreement_words.NOTES[code] for code in ("anonymous-answers", "judged-alone", "no-interval")},
    "left-out": lambda n, why: f"{counted(n, 'judgment')} left out: {why}",
    "lengths-pooled": "{n} target lengths are pooled, as in DUC-2002",
    "forms-pooled": lambda forms: f"summaries of {len(forms)} forms are pooled ({listed(forms)})",
    "not-answered": lambda n: f"{counted(n, 'question is', 'questions are')} not answered yet",
    "anonymous-ratings": lambda n: f"{counted(n, 'anonymous rating')} pooled only",
    "topics-missing": topics_missing,
    "partly-timed": "{protocol}: times are known for {timed:,} of {answers:,} answers",
    "not-among-comparisons": lambda n: (
        f"{counted(n, 'page')} not among the comparisons: the peer has no units"
    ),
    "what-is-missing": ("missing: topics for which other systems have such a summary and this one has not"),
}
NOTHING = {
    "unit-coverage": "Nobody has judged model units here.",
    "coverage-quartiles": "Nobody has judged coverage here.",
    "quality-by-question": "Nobody has answered a question on quality here.",
    "length-adjustment": "Nobody has judged coverage of summaries with a target length here.",
    "unmarked-by-source": "Nobody was asked about unmarked units here.",
    "volume": "Nothing has been judged.",
    "summaries-by-system": "Nobody submitted a summary.",
}
"""By a result's first table: what is said of one without rows."""


def sentences(result: JudgedTables | JudgedResult) -> Iterator[str]:
    names = [table.name for table in result.all_tables]
    lines = [line for name in names for line in about(result, name)]
    if isinstance(result, JudgedTables):
        yield f"{counted(len(names), 'table')} of what was judged."
        yield from lines
    else:
        first = result.all_tables[0]
        yield from lines or [as_sentence(first.title) if first.rows else NOTHING[names[0]]]


def about(result: JudgedTables | JudgedResult, name: str) -> Iterator[str]:
    """What one table says by itself."""
    part = result.part_of(name) if isinstance(result, JudgedTables) else result
    if name in ROWS:
        counts, least, words = ROWS[name]
        rows: Iterator[dict[str, Any]] = part.table(name).records()
        for row in rows:
            if row[counts] >= least:
                yield f"{where(tuple(row.get(key) for key in PLACE))}: {words.format(**row)}."
    for start, say in SAID.items():
        if name == start or name.startswith(f"{start}-"):
            yield from say(part, name)


PLACE = ("protocol", "task", "length", "form", "source", "system")
"""The columns that say where a row is of."""
ROWS: Mapping[str, tuple[str, int, str]] = {
    "quality-by-source": (
        "n",
        2,
        "{mean:.2f} of {questions} questions found errors on average ({low:z.2f} to {high:z.2f}, n = {n:,}),"
        " at most {max:.0f}",
    ),
    "coverage-by-source": ("n", 2, "mean coverage {mean:.3f} ({low:z.3f} to {high:z.3f}, n = {n:,})"),
    "coverage-by-system": ("n", 2, "mean coverage {mean:.3f} ({low:z.3f} to {high:z.3f}, n = {n:,})"),
    # What Lin and Hovy 2002, section 4, call inter-human agreement. It is no agreement between assessors.
    "human-retention": (
        "n",
        1,
        "mean retention of human peers {mean:.1%} ({statistic}, n = {n:,})",
    ),
    "uncovered-by-source": ("units", 1, "{share:.0%} of {units:,} model units are not covered"),
}
"""What is said of every row of a table whose count, in a column, is large enough."""


def _answers(result: JudgedTable, name: str) -> Iterator[str]:
    """Which question found most: the uneven distribution that Over and Liggett point out."""
    shares = {}
    for row in _records(result):
        counts = {value: n for value, n in row.items() if value not in ("question", "label", "unanswered")}
        if NONE in counts and (total := sum(counts.values())):
            shares[row["label"] or row["question"]] = 1 - counts[NONE] / total
    if shares:
        most = max(shares, key=lambda label: shares[label])
        yield f"Most errors: {most} ({percent(shares[most])} of its answers)."


def _records(result: JudgedTable) -> Iterator[dict[str, Any]]:
    return result.made.records()


def _quality_by_question(result: QualityAnswers, name: str) -> Iterator[str]:
    """Of every source, the question that most often found errors."""
    groups: dict[tuple[str, str | None, str], list[SourceAnswers]] = {}
    for row in result.rows:
        if row.counts_errors and row.n:
            groups.setdefault((row.protocol, row.task, row.source), []).append(row)
    for key, rows in groups.items():
        most = max(rows, key=lambda row: row.error_share)
        if most.error_share:
            share = f"{percent(most.error_share)} of {counted(most.n, 'answer')}"
            yield f"{where(key)}: most errors in {most.label} ({share})."
        else:
            yield f"{where(key)}: no errors."


def _quality_by_peer(result: QualityAnswers, name: str) -> Iterator[str]:
    """The peers with most and fewest errors, over all questions."""
    groups: dict[tuple[str, str | None], dict[str, list[int]]] = {}
    for row in result.peers:
        if row.counts_errors and row.n and row.system is not None:
            sums = groups.setdefault((row.protocol, row.task), {}).setdefault(row.system, [0, 0])
            sums[0] += row.n - row.counts[NONE]
            sums[1] += row.n
    for key, peers in groups.items():
        shares = {system: errors / n for system, (errors, n) in peers.items()}
        most, fewest = max(shares, key=lambda s: shares[s]), min(shares, key=lambda s: shares[s])
        if len(shares) > 1 and shares[most] > shares[fewest]:
            yield (
                f"{where(key)}: errors most often by {most} ({percent(shares[most])} of"
                f" {counted(peers[most][1], 'answer')}), least often by {fewest} ({percent(shares[fewest])})."
            )


def _coverage_quartiles(result: CoverageSpread, name: str) -> Iterator[str]:
    for part in dict.fromkeys(row.part for row in result.rows):
        means = [
            f"{row.source} {row.average.mean:.2f}"
            for row in result.rows
            if row.part == part and row.system is None and row.average.n
        ]
        if means:
            yield f"{where(part)}: mean coverage of a page: {', '.join(means)}."


def _unit_coverage(result: UnitCoverage, name: str) -> Iterator[str]:
    """How many units have no coverage and full coverage: of every part, all sources together, then each."""
    for part in dict.fromkeys(row.part for row in result.rows if name == f"unit-coverage-{row.part[0]}"):
        rows = [row for row in result.rows if row.part == part and row.n]
        for row in sorted(rows, key=lambda row: row.source != ALL):
            yield (
                f"{where((*part, row.source))}: of {row.n:,} model units, {percent(row.none)} are not covered,"
                f" {percent(row.full)} fully."
            )


def _length_adjustment(result: LengthAdjustment, name: str) -> Iterator[str]:
    for part in result.parts:
        moved = [f"{s.system} from {s.rank} to {s.adjusted_rank}" for s in part.systems if s.moved]
        systems = counted(len(part.systems), "system")
        if not part.ranked:
            effect = "systems that share no topics are not ranked"
        elif moved:
            effect = f"length adjustment changes the ranks of {len(moved)} of {systems}: {listed(moved)}"
        else:
            effect = f"length adjustment changes no rank of {systems}"
        yield f"{where(part.part)}: {effect}."


def _unmarked(result: UnmarkedTables, name: str) -> Iterator[str]:
    for row in result.sources:
        if row.unmarked:
            yield (
                f"{where((*row.part, row.source))}: {row.mean_unmarked:.1f} peer units per page are unmarked,"
                f" {percent(row.share)} of them relevant."
            )


def _ratings(result: JudgedTable, name: str) -> Iterator[str]:
    for row in _records(result):
        if row["assessor"] == POOLED:
            of = counted(row["n"], "rating")
            yield f"{row['aspect']}: mean {row['mean']:z.2f}, median {row['median']:.4g} ({of})."


def _contradictions(result: JudgedTable, name: str) -> Iterator[str]:
    rows = list(_records(result))
    total = sum(row["answers"] for row in rows)
    odd = sum(row["marked_but_none"] + row["some_but_unmarked"] for row in rows)
    yield f"{odd:,} of {total:,} answers on model units contradict themselves ({odd / total:.1%})."


def _volume(result: JudgingVolume, name: str) -> Iterator[str]:
    for row in result.rows:
        if row.assessor != EVERYBODY:
            continue
        parts = [counted(row.summaries, "summary", "summaries")] if row.summaries else []
        parts.append(counted(row.judgments, "judgment"))
        if row.units:
            parts.append(counted(row.units, "answer to model units", "answers to model units"))
        if row.comparisons:
            parts.append(counted(row.comparisons, "comparison of units", "comparisons of units"))
        yield f"{row.protocol}: {listed(parts)}."


def _submitted(result: Submitted, name: str) -> Iterator[str]:
    systems = {row.system for row in result.tasks}
    if not systems:
        return
    total = sum(row.summaries for row in result.tasks)
    yield f"{counted(len(systems), 'system')} submitted {counted(total, 'summary', 'summaries')}."
    gaps = [row for row in result.tasks if row.missing]
    if not gaps:
        yield "None is missing."
        return
    missing = [
        f"{row.missing} of {row.topics} by {row.system}"
        + (f" ({place_words(row.place)})" if any(part is not None for part in row.place) else "")
        for row in gaps
    ]
    many = sum(row.missing for row in gaps)
    yield f"{counted(many, 'summary is', 'summaries are')} missing: {listed(missing)}."


SAID: Mapping[str, Callable[[Any, str], Iterable[str]]] = {
    "answers": _answers,
    "quality-by-question": _quality_by_question,
    "quality-by-peer": _quality_by_peer,
    "coverage-quartiles": _coverage_quartiles,
    "unit-coverage": _unit_coverage,
    "length-adjustment": _length_adjustment,
    "unmarked-by-source": _unmarked,
    "ratings-by-assessor": _ratings,
    "agreement": lambda result, name: [
        f"{title}: {agreement_words.alpha_sentence(alpha, topics)}" for title, alpha, topics in result.alphas
    ],
    "contradictions": _contradictions,
    "volume": _volume,
    "summaries-by-system": _submitted,
}
"""By a table's name, or what that begins with."""


def odd_lines(overview: JudgingOverview) -> list[str]:
    """What is odd among judgments; the first few by name."""
    lines = list(overview.unknown)
    for one, many, odd in (
        ("contradicts itself", "contradict themselves", overview.contradictions),
        ("is out of date", "are out of date", overview.out_of_date),
    ):
        if odd:
            lines.append(f"{counted(len(odd), f'answer {one}', f'answers {many}')}:")
            lines += [f"  {o.topic}, {o.assessor}, {o.question}: {o.what}" for o in odd[:5]]
            if len(odd) > 5:
                lines.append(f"  and {len(odd) - 5:,} more (see JSON)")
    return lines
