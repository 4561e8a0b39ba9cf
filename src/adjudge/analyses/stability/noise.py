"""What the noise of judging leaves of one measure's ranking. The mathematics is in stats/judge_noise.py."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.scores import Scores
from adjudge.analyses.stability import Stability
from adjudge.core.engine import generator
from adjudge.core.words import natural
from adjudge.data.scores import MeasureInfo
from adjudge.judgments.tasks import is_anonymous

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.judge_noise import JudgeNoise, RankDraws

Unranked = Literal["description", "anonymous", "nobody"]
"""Why a measure has no judge noise: it ranks nothing, or no named assessor gave its scores."""


@dataclass(frozen=True)
class RankNoise:
    """What the noise of judging leaves of one measure's ranking. Arrays of `noise` are in the order of `systems`."""

    info: MeasureInfo
    length: int | None
    form: str | None
    systems: tuple[str, ...]
    noise: JudgeNoise
    anonymous: int
    """Rows of nobody in particular, left out."""
    again: int
    """Rows that are somebody's second of the same, averaged with the first."""
    resampled: bool

    @property
    def target(self) -> str:
        """The length and form, in words."""
        words = [f"{self.length} words"] if self.length is not None else []
        return ", ".join([*words, *([self.form] if self.form is not None else [])])

    @property
    def title(self) -> str:
        return f"{self.info.heading} ({self.target})" if self.target else self.info.heading

    @property
    def drawn(self) -> RankDraws | None:
        """For assessors like these, where that can be said; else for these."""
        return self.noise.like or self.noise.these

    @property
    def order(self) -> list[int]:
        """The systems from the best on."""
        return sorted(range(len(self.systems)), key=lambda k: (int(self.noise.ranks[k]), k))

    @property
    def parts(self) -> list[list[str]]:
        """Systems that can be compared, through topics that they share; one part where all can."""
        parts: dict[int, list[str]] = {}
        for system, part in zip(self.systems, self.noise.part.tolist(), strict=True):
            parts.setdefault(part, []).append(system)
        return list(parts.values())

    def first(self) -> list[str]:
        """The systems that rank 1 is in the range of."""
        assert self.drawn is not None
        return [self.systems[k] for k in self.order if self.drawn.low[k] == 1]

    def sure_pairs(self) -> tuple[int, int]:
        """Pairs in which the better mean stays ahead in at least the level's share of draws; and all pairs."""
        assert self.drawn is not None
        beats = [self.drawn.beats[a, b] for a, b in combinations(self.order, 2)]
        return sum(bool(share >= self.drawn.level) for share in beats), len(beats)

    def how(self) -> str:
        """How it was computed, for a signature."""
        names = ("system", "topic", "assessor")
        terms = ",".join(":".join(names[k] for k in key) for key in self.noise.terms)
        model = "assessors:resampled" if self.resampled else f"random:{terms}|reml"
        return f"{self.info.signature or self.info.measure}|{model}|draws:{self.drawn.draws if self.drawn else 0}"


def rank_noises(
    scores: Scores, options: Stability
) -> tuple[list[RankNoise], dict[Unranked, dict[str, int]], list[str]]:
    """The noise of every measure with named assessors, length and form by itself; of those named, where any are.

    Also the measures that have none, by reason, with how many scores; and what there is to know of the scores.
    """
    noises: list[RankNoise] = []
    unranked: dict[Unranked, dict[str, int]] = {"description": {}, "anonymous": {}, "nobody": {}}
    notes: list[str] = []
    for measure, length, form in scores.targets(
        options.measure or (), length=options.length, form=options.form
    ):
        rows = scores.table.at(measure, length=length, form=form)
        assessors = rows.loc[rows["value"].notna(), "assessor"].dropna()
        named = any(not is_anonymous(str(name)) for name in assessors.unique())
        if named and scores.info[measure].better is not None:
            notes += scores.unsaid_notes(measure)
            noises.append(_rank_noise(scores.info[measure], rows, options))
            continue
        why: Unranked = "description" if named else "anonymous" if len(assessors) else "nobody"
        why = next((reason for reason, measures in unranked.items() if measure in measures), why)
        unranked[why][measure] = unranked[why].get(measure, 0) + (len(assessors) or len(rows))
    return noises, {why: measures for why, measures in unranked.items() if measures}, notes


def _rank_noise(info: MeasureInfo, rows: pd.DataFrame, options: Stability) -> RankNoise:
    from adjudge.stats.judge_noise import judge_noise

    named = rows["assessor"].notna() & ~rows["assessor"].fillna("").map(is_anonymous)
    kept = rows[named & rows["value"].notna()]
    # As scores are pooled everywhere: over repeats, then over references.
    cell = ["topic", "system", "assessor"]
    reference = kept["reference"].fillna("")
    pooled = kept.assign(reference=reference).groupby([*cell, "reference"], sort=True)["value"].mean()
    frame = pooled.groupby(level=cell, sort=True).mean().reset_index()
    codes, levels = {}, {}
    for name in ("system", "topic", "assessor"):
        levels[name] = sorted(frame[name].astype(str).unique(), key=natural)
        at = {level: number for number, level in enumerate(levels[name])}
        codes[name] = frame[name].astype(str).map(at).to_numpy(dtype="int64")
    noise = judge_noise(
        frame["value"].to_numpy(dtype="float64"),
        codes["system"],
        codes["topic"],
        codes["assessor"],
        rng=generator(options.seed, f"stability/{info.measure}"),
        better=info.better or "higher",
        draws=options.draws,
        level=options.level,
        resample=options.draw_assessors,
        progress=options.progress,
    )
    lengths, forms = rows["length"].dropna().unique(), rows["form"].dropna().unique()
    return RankNoise(
        info=info,
        length=int(lengths[0]) if len(lengths) == 1 else None,
        form=str(forms[0]) if len(forms) == 1 else None,
        systems=tuple(levels["system"]),
        noise=noise,
        anonymous=int((~named & rows["assessor"].notna() & rows["value"].notna()).sum()),
        again=len(kept) - len(pooled),
        resampled=options.draw_assessors,
    )
