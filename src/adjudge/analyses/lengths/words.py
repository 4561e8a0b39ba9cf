"""What is said of target lengths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.analyses.compare import words as compare_words
from adjudge.analyses.phrasebook import enumerated, reason, too_few
from adjudge.core.words import capitalised, counted, listed, p_words
from adjudge.data.scores import LengthLeftOut

if TYPE_CHECKING:
    from adjudge.analyses.lengths.result import AtLength, LengthsResult, RankingAgreement


RANKINGS = "Rankings of systems"
NOTES = {
    **phrasebook.NOTES,
    **compare_words.NOTES,
    "missing-at-length": lambda at, n: f"{counted(n, 'score')} missing at {at}",
    "pairs-not-tested-at-length": lambda at, n, why: (
        f"{counted(n, 'pair')} not tested at {at}: {reason(why)}"
    ),
    "length-left-out-of-the-mean": lambda **left: str(LengthLeftOut(**left)),
}


def sentences(result: LengthsResult) -> Iterator[str]:
    """From the noise to the rankings."""
    if len(result.lengths) == 1:
        only = result.lengths[0].name
        yield f"There is one length ({only}): nothing to compare."
    if noise := about_noise(result):
        yield noise
    yield from _pairs_that_differ(result)
    for agreement in (*result.between_lengths, *result.between_tasks):
        yield about_agreement(agreement)


def about_noise(result: LengthsResult) -> str:
    """Over and Liggett 2002: as target size decreases, noise increases. Empty where fewer than two lengths have it."""
    noises = result.noises()
    if len(noises) < 2:
        return ""
    printed = [f"{noise:.3g}" for noise in noises.values()]
    grows = all(float(short) > float(long) for short, long in pairwise(printed))  # as it is printed
    by_length = list(zip(printed, noises, strict=True))
    values = listed([f"{noise} at {name}" for noise, name in reversed(by_length)], most=len(noises))
    word = "grows" if grows else "does not grow steadily"
    return f"The noise (residual mean square) {word} as summaries get shorter: {values}."


def _pairs_that_differ(result: LengthsResult) -> Iterator[str]:
    """How many pairs differ at every length, by which test; then where nothing can be said."""
    by_test: dict[str, list[str]] = {}
    for at_length in result.columns:
        if at_length.pairs:
            differ = f"{at_length.told_apart:,} of {at_length.pairs:,} {_where(at_length)}"
            by_test.setdefault(at_length.tests.words, []).append(differ)
    for test, differ_at in by_test.items():
        yield f"Pairs that differ significantly ({test}): {listed(differ_at, most=len(differ_at))}."
    for at_length in result.columns:
        tests = at_length.tests
        beyond = int((tests.conclusion == 2).sum()) - len(tests.why)
        if not at_length.pairs:
            why = reason(next(iter(tests.why.values()), None)) or "there is one system"
            yield f"No two systems can be compared {_where(at_length)}: {why}."
        elif beyond > 0:
            yield f"{capitalised(_where(at_length))}, {too_few(beyond, 'topics', 1 - tests.level)}."


def _where(at_length: AtLength) -> str:
    return f"with {at_length.name} averaged" if at_length.together else f"at {at_length.name}"


def about_agreement(agreement: RankingAgreement, start: str = RANKINGS) -> str:
    """How far two rankings agree."""
    tau, interval, at = agreement.tau, agreement.interval, agreement.tasks_at
    if at is None:
        which = f"{agreement.a} and {agreement.b}"
    else:
        over = "averaged over all lengths" if at.together else f"at {at.name}"
        which = f"single- and multi-document topics {over}"
    if tau.why is not None:
        return f"{start}, {which}, cannot be compared: {tau.why}."
    ends = ""
    # The bootstrap of two rankings that are the same knows no others, and shows no uncertainty.
    if interval.low < interval.high:
        ends = (
            f", {interval.level:.0%} interval {short_decimal(interval.low)} to {short_decimal(interval.high)}"
        )
    only = f"; without {enumerated(agreement.only)}" if agreement.only else ""
    return (
        f"{start}, {which}: Kendall's tau {short_decimal(tau.tau)}"
        f" ({counted(tau.n, 'system')}, {p_words(tau.p)}{ends}{only})."
    )


def short_decimal(value: float) -> str:
    """Two decimals, without a zero before the point, or a sign before nothing."""
    return f"{value:z.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.0f}"
