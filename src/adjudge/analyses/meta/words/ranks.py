"""What is said of ranks."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analyses.meta.ranks import RanksResult, RankTable
from adjudge.core.words import counted, listed

NOTES = {
    "no-rho": "{measure}: no rho at the system level ({why})",
    "ranks-of-fewer": lambda measure, n: (
        f"{measure}: {counted(n, 'system')} without a score, so that its ranks are of fewer, and none is marked"
    ),
}


def sentences(result: RanksResult) -> Iterator[str]:
    lines = [line for ranked in result.ranked for line in ranks_in_words(ranked)]
    yield from lines or ["There is nothing to rank."]


def about(result: RanksResult, table: str) -> Iterator[str]:
    for ranked in result.ranked:
        if ranked.name == table:
            yield from ranks_in_words(ranked)


def ranks_in_words(ranked: RankTable) -> Iterator[str]:
    if not ranked.tested:
        yield (
            f"Which ranks people's judgments on {ranked.human.words} leave open could not be tested"
            f" ({ranked.why_untested}), so that no rank can be said to lie outside."
        )
        return
    within = []
    for at, measure in enumerate(ranked.measures):
        if leavers := ranked.leavers(at):
            named = []
            for system in leavers:
                place, by_people = system.measures[at], f"people: {system.best}"
                assert place is not None
                if system.best != system.worst:
                    by_people = f"people leave {system.best} to {system.worst} open"
                named.append(f"{system.system} (rank {place.rank}, {by_people})")
            yield (
                f"{measure.words} gives {counted(len(leavers), 'system')} a rank outside what people's"
                f" significant differences on {ranked.human.words} leave open: {listed(named, most=9)}."
            )
        elif all(system.measures[at] is not None for system in ranked.systems):
            within.append(measure.words)
    if within and all(system.best == 1 and system.worst == len(ranked.systems) for system in ranked.systems):
        yield (
            f"People's judgments on {ranked.human.words} leave every rank open (no significant difference by"
            f" {ranked.tested}), so that no rank could lie outside."
        )
    elif within:
        yield (
            f"{listed(within, most=9)} {'ranks' if len(within) == 1 else 'rank'} every system within what people's"
            f" significant differences on {ranked.human.words} leave open (by {ranked.tested})."
        )
