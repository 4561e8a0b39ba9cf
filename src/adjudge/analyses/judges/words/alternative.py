"""What is said of the alternative-annotator test of judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.judges.alternative import AlternativeResult, AlternativeRow, AspectAlternative

NOTES = {
    "how-tested": lambda units, alpha: (
        "alignment is minus the root mean squared difference from the other assessors; ties count for both sides;"
        f" t-tests over {listed(units)}, Benjamini-Yekutieli at {alpha:g}; a judge passes where it wins against at"
        " least"
        " half of the assessors"
    ),
    "best-constant": "the constant is the one that does best in this test",
    "ranks-as-answers": (
        "length and the best measure become answers by rank, in the shares of people's answers; length in its better"
        " direction"
    ),
    "few-topics": ("{judge}, {aspect}: {n} {units} are few for the t-test (the paper asks for {enough})"),
    "assessors-not-counted": lambda judge, aspect, units, assessors: (
        f"{judge}, {aspect}: {listed(assessors)} left out, with too few {units} shared with the judge and another"
        " assessor"
    ),
}


def sentences(result: AlternativeResult) -> Iterator[str]:
    """One for each question; those on which the test was not made for one reason have one together."""
    if len(result.aspects) != 1:
        judges = dict.fromkeys(aspect.judge for aspect in result.aspects)
        yield (
            " ".join(_summed(result, judge) for judge in judges) or "There is no question to test a judge on."
        )
    not_made: dict[tuple[str, str], list[str]] = {}
    for aspect in result.aspects:
        if aspect.why is None:
            yield _about(aspect)
        else:
            not_made.setdefault((aspect.judge, aspect.why), []).append(aspect.aspect)
    for (judge, why), aspects in not_made.items():
        yield f"On {listed(aspects, most=20)}, there is no alternative-annotator test of {judge}: {why}."


def _about(aspect: AspectAlternative) -> str:
    """Whether the judge passes, and who else does."""
    of_judge = aspect.of_judge
    start = (
        f"On {aspect.aspect}, {aspect.judge} {'passes' if of_judge.passes else 'fails'} the alternative-annotator test:"
        f" it wins against {round(of_judge.winning_rate * of_judge.assessors)} of"
        f" {counted(of_judge.assessors, 'assessor')} (epsilon {aspect.epsilon:g}, average advantage"
        f" {of_judge.average:.2f})"
    )
    if not of_judge.passes:
        others = [*aspect.empty, *aspect.measured]
        return f"{start}; {_who(others)}." if others else f"{start}."
    if aspect.empty:
        return f"{start}; so {_who(aspect.empty, verb_first=True)}, so passing says nothing here."
    if aspect.measured:
        return f"{start}; so {_who(aspect.measured, verb_first=True)}, so passing needs no judge here."
    return f"{start}; {_who([row for row in aspect.rows[1:] if row.why is None])} not."


def _who(rows: Sequence[AlternativeRow], *, verb_first: bool = False) -> str:
    """`the constant 4 does`, `does the constant 4`."""
    names = listed(
        [
            {"random": "answers drawn at random", "length": "length alone"}.get(row.kind, row.name)
            for row in rows
        ]
    )
    verb = "do" if len(rows) > 1 or rows[0].kind == "random" else "does"
    return f"{verb} {names}" if verb_first else f"{names} {verb}"


def _summed(result: AlternativeResult, judge: str) -> str:
    """Of several questions: where a judge passes, and what that says."""
    aspects = [aspect for aspect in result.aspects if aspect.judge == judge]
    made = [aspect for aspect in aspects if aspect.why is None]
    if not made:
        why = dict.fromkeys(str(aspect.why) for aspect in aspects)
        return f"There is no alternative-annotator test of {judge}: {'; '.join(why)}."
    passed = [aspect for aspect in made if aspect.of_judge.passes]
    text = (
        f"{judge} passes the alternative-annotator test at epsilon {made[0].epsilon:g} on {len(passed)} of"
        f" {counted(len(made), 'question')}"
    )
    if passed:
        text += f" ({listed([aspect.aspect for aspect in passed])})"
    if empty := [aspect.aspect for aspect in passed if aspect.empty]:
        text += f"; constant, random or length-based answers pass too on {listed(empty)}, so passing says nothing there"
    if measured := [aspect.aspect for aspect in passed if aspect.measured and not aspect.empty]:
        text += f"; a measure passes too on {listed(measured)}, so no judge is needed there"
    if alone := [aspect.aspect for aspect in passed if not aspect.measured and not aspect.empty]:
        text += f"; no control passes on {listed(alone)}"
    if left := [aspect.aspect for aspect in aspects if aspect.why is not None]:
        text += f"; not tested on {listed(left)}"
    return f"{text}."
