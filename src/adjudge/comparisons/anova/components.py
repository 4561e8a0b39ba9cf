"""The mixed model with names: how much of the variance is system, topic, assessor, noise. Fitting is in stats/."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.anova.rows import Rows
from adjudge.comparisons.anova.words import f, percent
from adjudge.engine import generator
from adjudge.wording import listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.linear.mixed import FixedTest, MixedFit

NOISE = "noise"
RESAMPLES = 500


@dataclass(frozen=True)
class Component:
    """One part of the variance, and its share of the whole."""

    term: str
    variance: float
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class RandomTerm:
    """A random term beside fixed systems: its variance, and whether the model needs it."""

    term: str
    variance: float
    ratio: float
    p: float


@dataclass(frozen=True)
class MixedMean:
    """A system's mean, with the standard error that it has where topics and assessors are a sample."""

    system: str
    mean: float
    error: float
    df: float


@dataclass(frozen=True)
class Components:
    """Two fits by REML: systems fixed, for their means and test; everything random, for the shares.

    `components` hold the shares of the second, the noise last. Where a model cannot be fitted, `why` says why.
    """

    formula: str
    means: tuple[MixedMean, ...]
    test: FixedTest
    random: tuple[RandomTerm, ...]
    components: tuple[Component, ...]
    level: float
    resamples: int
    seed: int
    why: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        interval = f"|shares:parametric-bootstrap:{self.level:g}:{self.resamples}|seed:{self.seed}"
        return f"reml:{self.formula.replace(' ', '')}{interval if self.resamples else ''}"

    def sentences(self, alpha: float) -> Iterator[str]:
        from adjudge.stats.paired import p_words

        if self.why is not None:
            yield f"The mixed model cannot be fitted: {self.why}."
            return
        yield self._shares()
        names = listed([each.term for each in self.random])
        t = self.test
        if t.why is None:
            verb = "matters" if t.p < alpha else "cannot be told from the noise"
            basis = f"F({t.df}, {t.denominator_df:.1f}) = {f(t.f)}, {p_words(t.p, alpha)}"
            yield f"With {names} random, system {verb}: {basis} (Satterthwaite's degrees of freedom)."
        for each in self.random:
            yield _random_words(each, alpha)

    def _shares(self) -> str:
        parts = [
            f"{percent(each.share)} {'is' if each.term == NOISE else 'lies in'} {each.term}{_interval(each)}"
            for each in sorted(self.components, key=lambda each: -each.share)
        ]
        return f"Of the variance, {listed(parts, most=len(parts))}."

    def to_frame(self) -> pd.DataFrame:
        """The parts of the variance."""
        import pandas as pd

        return pd.DataFrame([asdict(each) for each in self.components])

    def as_dict(self) -> dict[str, Any]:
        return {
            "formula": self.formula,
            "test": asdict(self.test),
            "means": [asdict(each) for each in self.means],
            "random": [asdict(each) for each in self.random],
            "components": [asdict(each) for each in self.components],
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "why": self.why,
        }


def mixed_model(
    rows: Rows, fixed: Sequence[str], random: Sequence[str], *, level: float, resamples: int | None, seed: int
) -> Components:
    """Fit both models; `random` are terms, `fixed` are factors, the system first.

    Without a number of resamples there are RESAMPLES where a fit is a matter of milliseconds, else none.
    """
    from adjudge.stats.linear.mixed import fit_mixed, fixed_means, random_tests

    names = list(rows.factors)
    factors = [rows.factors[name].codes for name in names]
    positions = [names.index(name) for name in fixed]
    keys = [tuple(names.index(name) for name in term.split(":")) for term in random]
    formula = f"value ~ {' + '.join([*fixed, *(f'(1 | {term})' for term in random)])}"
    fit = fit_mixed(rows.values, factors, fixed=positions, random=keys)
    means = fixed_means(fit)
    if fit.why is not None:
        return Components(formula, (), means.test, (), (), level, 0, seed, fit.why)
    every = fit_mixed(rows.values, factors, fixed=positions[1:], random=[(positions[0],), *keys])
    whole, terms = (every, [fixed[0], *random]) if every.why is None else (fit, list(random))
    quick = whole.found is not None and whole.found.reml.compiled
    chosen = resamples if resamples is not None else RESAMPLES if quick else 0
    shares, drawn = _shares(whole, terms, level, chosen, seed)
    notes = () if drawn else ("the shares have no intervals: nothing was resampled, see --resamples",)
    tested = zip(random, fit.variances, random_tests(fit), strict=True)
    columns = zip(rows.factors[fixed[0]].levels, means.means, means.standard_errors, means.df, strict=True)
    systems = [MixedMean(system, *map(float, numbers)) for system, *numbers in columns]
    return Components(
        formula,
        tuple(sorted(systems, key=rows.best_first)),
        means.test,
        tuple(RandomTerm(term, float(variance), test.ratio, test.p) for term, variance, test in tested),
        shares,
        level,
        drawn,
        seed,
        None,
        notes,
    )


def _shares(
    fit: MixedFit, terms: list[str], level: float, resamples: int, seed: int
) -> tuple[tuple[Component, ...], int]:
    from adjudge.stats.linear.mixed import variance_shares

    rng = generator(seed, f"anova/{'+'.join(terms)}")
    found = variance_shares(fit, rng=rng, resamples=resamples, level=level)
    columns = zip([*terms, NOISE], found.variances, found.shares, found.low, found.high, strict=True)
    return tuple(Component(term, *map(float, numbers)) for term, *numbers in columns), found.resamples


def _random_words(each: RandomTerm, alpha: float) -> str:
    from adjudge.stats.paired import p_words

    if each.variance == 0:
        return f"The variance of {each.term} is estimated as 0: the scores show none of it."
    basis = f"likelihood ratio {f(each.ratio)}, {p_words(each.p, alpha)}"
    verb = "is needed" if each.p < alpha else "is not needed"
    return f"The variance of {each.term} {verb} ({basis})."


def _interval(each: Component) -> str:
    if math.isnan(each.low):
        return ""
    return f" ({each.low * 100:.0f} to {each.high * 100:.0f} %)"
