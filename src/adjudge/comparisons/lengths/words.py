"""What a result over lengths says in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from adjudge.comparisons.lengths.result import Agreement, AtLength, LengthsResult
from adjudge.stats.paired import p_words
from adjudge.wording import counted, listed


def sentences(result: LengthsResult) -> Iterator[str]:
    """From the noise to the rankings."""
    if len(result.lengths) == 1:
        yield f"{result.measure} has scores at one length ({result.lengths[0].name}): nothing to hold it against."
    yield from _noise(result)
    for each in result.columns:
        yield _told_apart(each, result)
    for agreement in (*result.between_lengths, *result.between_tasks):
        yield agreement_words(agreement)


def warnings(result: LengthsResult) -> list[str]:
    """Missing cells, what was left out, rankings of other systems."""
    found = []
    for each in result.lengths:
        holes = len(each.matrix.missing)
        if holes:
            found.append(f"at {each.name} {counted(holes, 'cell')} of the matrix {_is(holes)} missing")
        if each.pairs < len(each.tukey):
            why = next(iter(each.tukey.why.values()))
            found.append(f"at {each.name} {counted(len(each.tukey.why), 'pair')} cannot be tested: {why}")
    found += [str(each) for each in result.left_out]
    return found


def agreement_words(agreement: Agreement) -> str:
    """How far two rankings agree."""
    tau, interval = agreement.tau, agreement.interval
    if tau.why is not None:
        return f"{agreement.what.capitalize()} cannot be held together: {tau.why}."
    ends = ""
    # The bootstrap of two rankings that are the same knows no others, and shows no uncertainty.
    if interval.low < interval.high:
        ends = f", {interval.level:.0%} interval {_signed(interval.low)} to {_signed(interval.high)}"
    only = f"; {listed(agreement.only)} left out" if agreement.only else ""
    return (
        f"Kendall's tau between {agreement.what} is {_signed(tau.tau)}"
        f" ({counted(tau.n, 'system')}, {p_words(tau.p)}{ends}{only})."
    )


def _noise(result: LengthsResult) -> Iterator[str]:
    """Over and Liggett 2002: as target size decreases, noise increases."""
    known = [e for e in result.lengths if e.length is not None and not math.isnan(e.tukey.mean_square)]
    if len(known) < 2:
        return
    grows = all(short.tukey.mean_square > long.tukey.mean_square for short, long in pairwise(known))
    values = listed([f"{e.tukey.mean_square:.3g} at {e.name}" for e in reversed(known)], most=len(known))
    if grows:
        yield f"Noise grows as the target shrinks: the residual mean square is {values}."
        return
    yield f"Noise does not grow steadily as the target shrinks: the residual mean square is {values}."


def _told_apart(each: AtLength, result: LengthsResult) -> str:
    where = f"With {each.name} averaged" if each.together else f"At {each.name}"
    if not each.pairs:
        why = next(iter(each.tukey.why.values()), "there is one system")
        return f"{where} no two systems can be compared: {why}."
    differ = f"{each.told_apart} of {counted(each.pairs, 'pair')} of systems"
    about = "" if len(set(each.tukey.n.tolist())) == 1 else "about "
    return (
        f"{where} {differ} can be told apart: the difference that counts is {about}{each.tukey.hsd:.3g}"
        f" (Tukey's test, {result.level:.0%})."
    )


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.0f}"


def _is(n: int) -> str:
    return "is" if n == 1 else "are"
