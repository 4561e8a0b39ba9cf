"""What is said of several comparisons together, and the captions of tables in papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.compare.marks import STAR, arrow, best_of, leads
from adjudge.analyses.compare.words import NOTES as NOTES
from adjudge.analyses.compare.words import headline
from adjudge.analyses.methods import (
    adjusted_words,
    alpha_words,
    correction_words,
    holes_words,
    interval_words,
    name_of_test,
    target_words,
    title,
    together_words,
    topics_words,
    without_difference,
)
from adjudge.analyses.phrasebook import enumerated
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.compare.several import ComparedMeasures


def sentences(result: ComparedMeasures) -> Iterator[Spoken]:
    """Who may be the best by every measure, the headline of every comparison, and over what p is corrected."""
    yield from dict.fromkeys([_headline(result), *(headline(c, named=True) for c in result)])
    if scope := scope_words(result):
        yield scope


def joint(result: ComparedMeasures) -> Iterator[Spoken]:
    """What stands below comparisons that were shown one by one."""
    advice = (
        f" For one claim over all measures: {Argument('primary', 'M')} or {Argument('across', 'measures')}."
    )
    if scope := _scope(result, advice):
        yield scope


def scope_words(comparisons: Sequence[Comparison]) -> str:
    """Over what the p-values of several comparisons are corrected; nothing to say of one."""
    return str(_scope(comparisons, ""))


def _scope(comparisons: Sequence[Comparison], advice: Spoken) -> Spoken:
    if len(comparisons) < 2 or comparisons[0].asked.correct == "none":
        return ""
    first = comparisons[0]
    primary = f" The claim rests on the primary measure, {first.matrix.info.words}." if first.role else ""
    if first.corrected > int(first.family.sum()):
        return f"p-values are corrected over all measures together ({counted(first.corrected, 'pair')}).{primary}"
    within = "measure"
    if len({c.measure for c in comparisons}) < len(comparisons):
        within = "measure and target" if len({c.measure for c in comparisons}) > 1 else "target"
    return f"p-values are corrected within each {within}.{primary or advice}"


def _headline(result: ComparedMeasures) -> str:
    if not result.results:
        return "Nothing is compared."
    asked, names = result.may_be_best()
    if len(asked) < 2:
        return headline(result[0], named=len(result) > 1)
    measures = "both measures" if len(asked) == 2 else f"all {len(asked)} measures"
    if len({c.measure for c in asked}) < len(asked):
        measures = "both" if len(asked) == 2 else f"all {len(asked)} comparisons"
    measures += " with a direction" if len(asked) < len(result) else ""
    if not names:
        return f"No system is in the top group by {measures}."
    if len(names) == 1 and all(leads(c, names[0]) for c in asked):
        return f"By {measures}, {names[0]} is significantly better than every other system."
    return f"Top group by {measures}: {enumerated(names)}."


# Captions


def caption(comparisons: Sequence[Comparison], kinds: Mapping[str, str]) -> str:
    """What a reader of the table alone must know: of how many topics, what bold and letters mean, by which test."""
    return " ".join(
        [
            *_means_words(comparisons),
            *_bold_words(comparisons, kinds),
            *(["↓: lower is better."] if any(map(arrow, comparisons)) else []),
            *_letter_words(comparisons),
        ]
    )


def league_caption(c: Comparison) -> str:
    """The same of the league table of one measure."""
    means = f"{title(c, [c])}: means over {topics_words([c])}{target_words([c])}."
    adjusted = [f"{holes}."] if (holes := holes_words(c, [c])) else []
    if c.is_adjusted:
        adjusted.append(f"Adjusted {adjusted_words(c)}.")
    interval = list(interval_words([c]))
    lower = ["Lower is better."] if c.matrix.info.better == "lower" else []
    open_ranks = ["Ranks are those that the significant differences leave open."] if lettered(c) else []
    bold = _bold_words([c], c.kinds)
    adjusted += together_words([c])
    return " ".join([means, *adjusted, *lower, *bold, *interval, *open_ranks, *_letter_words([c])])


def lettered(c: Comparison) -> bool:
    return c.complete and c.asked.against is None and len(c.standings) > 1


def _means_words(comparisons: Sequence[Comparison]) -> Iterator[str]:
    yield f"Means over {topics_words(comparisons)}{target_words(comparisons)}."
    yield from (f"{holes}." for c in comparisons if (holes := holes_words(c, comparisons)))
    for c in comparisons:
        if c.modelled and c.is_adjusted:
            yield f"{title(c, comparisons)}: {adjusted_words(c)}."
    moved = [title(c, comparisons) for c in comparisons if c.is_adjusted and not c.modelled]
    apart = [title(c, comparisons) for c in comparisons if c.ordering and not c.is_adjusted]
    if moved:
        model = "least-squares means of the model score = topic + system"
        yield f"Means of {listed(moved)} are {model}."
    if apart:
        yield f"Each mean of {listed(apart)} is over the topics that the system has."
    yield from together_words(comparisons)


def _bold_words(comparisons: Sequence[Comparison], kinds: Mapping[str, str]) -> Iterator[str]:
    bold = [best_of(c, kinds) for c in comparisons]
    if not any(bold):
        return
    human = "human" in kinds.values() and set(kinds.values()) != {"human"}
    whose = " that is not a human's" if human else ""
    yield f"Bold: the best mean{whose}."
    plain = [title(c, comparisons) for c in comparisons if c.matrix.info.better is None]
    if plain:
        yield f"{listed(plain)} {'is a description' if len(plain) == 1 else 'are descriptions'}: none is best."


def _letter_words(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """What the superscripts mean, by which test and correction; and which pairs share a letter for want of data."""
    tested = [c for c in comparisons if c.family.any()]
    if not tested:
        return
    first = tested[0]
    results = first.tested[first.test].results
    sided = "two-sided" if results.alternative == "two-sided" else "one-sided"
    drawn = list(dict.fromkeys(f"{c.resamples:,}" for c in tested if c.tested[c.test].results.resamples))
    by_name: dict[str, list[str]] = {}
    for c in tested:
        by_name.setdefault(name_of_test(c)[0], []).append(title(c, tested))
    names = list(by_name)
    if len(names) > 1:  # measures with assessors have a test of their own
        names = [f"{name} ({listed(of, most=len(of))})" for name, of in by_name.items()]
    how = [f"{sided} {'; '.join(names)}"]
    how += [f"{listed(drawn)} resamples"] if drawn else []
    how += [words] if (words := correction_words(tested)[0]) else []
    basis = f"({', '.join([*how, f'α = {alpha_words(first)}'])})"
    against = first.asked.against
    where = "Systems" if len(comparisons) == 1 else "Within a column, systems"
    if all(map(lettered, tested)):
        yield f"{where} that share a letter are not significantly different {basis}."
    elif against is not None:
        what = {"both": "different from", "better": "better than", "worse": "worse than"}[first.asked.side]
        yield f"{STAR}: significantly {what} {against} {basis}."
    else:
        yield f"Not all pairs were compared, so there are no letters {basis}."
        return
    shared = (" and shares a letter", " and share a letter") if against is None else ("", "")
    for _, total, words in without_difference(tested):
        yield f"{words}{shared[total > 1]}."
