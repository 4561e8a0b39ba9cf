"""The corrections for many tests: what each is called, and what to cite. The mathematics is in stats/multiple.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Correction:
    """One correction, as people ask for it and as sentences name it."""

    short: str
    """`Holm`: in brackets, as Holm over 66 pairs."""
    name: str
    """`Holm's correction`: in a sentence."""
    in_methods: str = ""
    """In a paragraph on methods, where that says more."""
    cite: tuple[str, ...] = ()
    from_scores: bool = False
    """Whether it resamples the scores; the others need the p-values alone."""
    tarone: bool = False
    """Whether tests that can never be significant do not count (Tarone 1990)."""

    def corrected(self, tests: int) -> str:
        """Before a p: `Holm-corrected `; one test needs no correction."""
        return f"{self.short}-corrected " if self.short and tests > 1 else ""

    def over_pairs(self, pairs: int) -> str:
        """Behind a test: `, Holm's correction for all pairs`; one pair needs none."""
        return f", {self.for_all_pairs}" if pairs > 1 else ""

    @property
    def for_all_pairs(self) -> str:
        return f"{self.name} for all pairs" if self.short else "not corrected for the number of pairs"

    @property
    def methods_name(self) -> str:
        return self.in_methods or self.name

    def over(self, what: str) -> str:
        """`Holm over 66 pairs`; nothing without a correction."""
        return f"{self.short} over {what}" if self.short else ""


CORRECTIONS: dict[str, Correction] = {
    "none": Correction(short="", name="no correction"),
    "bonferroni": Correction(
        short="Bonferroni", name="Bonferroni's correction", cite=("dunn1961",), tarone=True
    ),
    "holm": Correction(short="Holm", name="Holm's correction", cite=("holm1979",), tarone=True),
    "bh": Correction(
        short="Benjamini-Hochberg", name="Benjamini and Hochberg's correction", cite=("benjamini1995",)
    ),
    "westfall-young": Correction(
        short="Westfall-Young",
        name="Westfall and Young's correction",
        in_methods="Westfall and Young's step-down correction by the largest statistic",
        cite=("westfall1993",),
        from_scores=True,
    ),
}
"""By the name that people ask for."""
FROM_P = tuple(name for name, correction in CORRECTIONS.items() if not correction.from_scores)
"""Those that need the p-values alone, and so are there for tests of any kind."""
