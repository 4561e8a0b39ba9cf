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
    """Of the first table; the others have their own lines."""
    lines = list(ranks_in_words(result.ranked[0])) if result.ranked else []
    yield from lines or ["There is nothing to rank."]


def about(result: RanksResult, table: str) -> Iterator[str]:
    for ranked in result.ranked:
        if ranked.name == table:
            yield from ranks_in_words(ranked)


def ranks_in_words(ranked: RankTable) -> Iterator[str]:
    """Systems that a measure ranks outside what people's significant differences leave open."""
    if not ranked.tested:
        yield f"{ranked.human.words}: which ranks stay open could not be tested ({ranked.why_untested})."
        return
    if all(system.best == 1 and system.worst == len(ranked.systems) for system in ranked.systems):
        yield f"{ranked.human.words}: every rank stays open, no significant difference by {ranked.tested}."
        return
    within = []
    for at, measure in enumerate(ranked.measures):
        leavers = ranked.leavers(at)
        if not leavers and all(system.measures[at] is not None for system in ranked.systems):
            within.append(measure.words)
        named = []
        for system in leavers:
            place = system.measures[at]
            assert place is not None
            by_people = (
                f"{system.best}" if system.best == system.worst else f"{system.best} to {system.worst}"
            )
            named.append(f"{system.system} ({place.rank}, people {by_people})")
        if named:
            yield f"{measure.words} ranks outside what people leave open: {listed(named, most=9)}."
    if within:
        yield f"Every rank within what people leave open, by {ranked.tested}: {listed(within, most=9)}."
