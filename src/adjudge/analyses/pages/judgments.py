"""What chapters on judgments look at: whose measures, which length and form, and what they say of that choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from adjudge.analyses.pages.chapter import FORM, LENGTH, Absent, Findings
from adjudge.analyses.pages.sections import SectionPart
from adjudge.core.words import counted, listed
from adjudge.data.scores import UNSET
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.table import Table
    from adjudge.data.scores import AllLengths

R = TypeVar("R", bound=Any)
T = TypeVar("T")
MOST_PEOPLE = 4
"""Measures of people that the page looks at."""


class JudgmentsPart(SectionPart[R]):
    """An analysis in the chapter that asks whether judgments can be trusted."""

    ANCHOR: ClassVar[str] = "chapter-trust"
    QUESTION: ClassVar[str] = "Can the judgments be trusted?"
    PAPER: ClassVar[str] = "Judgments"
    SIGNED: ClassVar[str] = ""
    """What its signature is of, where it has one."""

    def about(self, result: R, findings: Findings) -> Iterator[str]:
        """Which of people's measures were looked at."""
        scores, people = findings.scores, people_of(findings)
        judged = _judged(scores, list(scores.measures))
        if len(people) < len(judged):
            names = listed([scores.info[name].words for name in people])
            yield (
                f"Of {counted(len(judged), 'measure')} that assessors gave, {names}"
                f" {'is' if len(people) == 1 else 'are'} looked at here; the commands below take any with -m."
            )

    def signatures(self, result: R) -> Iterator[tuple[str, str]]:
        if self.SIGNED:
            yield self.SIGNED, result.table().signature

    def tables(self, result: R) -> Iterable[tuple[str, Sequence[Table]]]:
        return ((self.NAME, [result.table()]),)


def people_of(findings: Findings) -> list[str]:
    """People's measures that the page looks at: those of the report, else any; a few, one of each kind first.

    One question of twelve says little by itself, so that a measure which is its own kind comes before them.
    """
    scores = findings.scores
    reported = list(dict.fromkeys(c.measure for c in findings.comparisons))
    kinds: dict[str, list[str]] = {}
    for name in _judged(scores, reported) or _judged(scores, list(scores.measures)):
        kinds.setdefault(name.partition("(")[0].partition(":")[0], []).append(name)
    alone = [names[0] for names in kinds.values() if len(names) == 1]
    return [*alone, *(name for names in kinds.values() if len(names) > 1 for name in names)][:MOST_PEOPLE]


def _judged(scores: Scores, names: Sequence[str]) -> list[str]:
    return [
        name
        for name in names
        if name in scores.info
        and scores.info[name].better is not None
        and judge_of(name) is None
        and scores.assessors(name)
    ]


def unscored(scores: Scores) -> Absent | None:
    """That there are judgments of which no scores were made; None where there are none."""
    from adjudge.analyses.gathered import gathered_of

    gathered = gathered_of(scores)
    judged = gathered.judgments.by_topic.values() if gathered is not None else ()
    if not (n := sum(map(len, judged))) or _judged(scores, list(scores.measures)):
        return None
    return Absent(
        f"{counted(n, 'task was', 'tasks were')} judged, and no score counts that",
        "adjudge score . adds such scores",
    )


def without_people(scores: Scores) -> Absent:
    """Why nothing is told of judgments where there are none, or no scores of them."""
    if (there := unscored(scores)) is not None:
        return there
    how = (
        "adjudge assign and adjudge serve let people judge; adjudge import brings in ratings"
        if scores.folder is not None
        else "A column named assessor says who judged"
    )
    return Absent("No measure of the report names assessors, so nothing can be said of who judged", how)


def in_all(scores: Scores, measures: Sequence[str], what: str, value: T | None) -> T | None:
    """A length or form, where the scores of every measure have it."""
    there = [set(getattr(scores.table, what)(name)) for name in measures]
    return value if value is not None and all(value in values for values in there) else None


def one_length(findings: Findings, measures: Sequence[str]) -> int | AllLengths | None:
    """The length that was asked for; of several the report's first, where every measure has it, else all."""
    lengths = [findings.scores.table.lengths(name) for name in measures]
    length, main = findings.target[0], findings.main_target.length
    if length is None and len({n for some in lengths for n in some}) > 1:
        return main if all(main in some or some == (None,) for some in lengths) else "all"
    return length


def length_words(findings: Findings, measures: Sequence[str]) -> Iterator[str]:
    """Which of several lengths was looked at."""
    chosen = one_length(findings, measures)
    lengths = sorted({n for name in measures for n in findings.scores.table.lengths(name) if n is not None})
    if findings.target[0] is None and isinstance(chosen, int) and len(lengths) > 1:
        names = listed([f"{n:,}" for n in lengths], most=len(lengths))
        yield (
            f"Of the lengths {names} words, {chosen:,} is looked at here, which has the most scores; {LENGTH} takes"
            " another."
        )


def one_form(scores: Scores, measures: Sequence[str], form: str | None) -> str | None:
    """The form that was asked for; of several that all measures have, the one with the most scores.

    These analyses look at one form, and a report of all forms would have none of them otherwise.
    """
    there = [set(scores.table.forms(name)) for name in measures]
    common = sorted(set.intersection(*there)) if there else []
    if form is not None or not common or max(map(len, there)) < 2:
        return form
    sizes = Counter(
        name for measure in measures for name in scores.table.of(measure)["form"].astype(object).fillna(UNSET)
    )
    return max(common, key=lambda name: sizes[name])


def form_words(findings: Findings, measures: Sequence[str], where: str = "here") -> Iterator[str]:
    """Which of several forms was looked at."""
    scores, form = findings.scores, findings.target[1]
    chosen = one_form(scores, measures, form)
    forms = sorted({name for measure in measures for name in scores.table.forms(measure)})
    if form is None and chosen is not None and len(forms) > 1:
        yield (
            f"Of the forms {listed(forms)}, {chosen} is looked at {where}, which has the most scores; {FORM} takes"
            " another."
        )
