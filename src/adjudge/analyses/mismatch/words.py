"""What is said of units about which people and a measure disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.phrases import Argument, Spoken
from adjudge.core.results import Style
from adjudge.core.words import counted, listed
from adjudge.judgments.tagging import MISMATCH_KINDS

if TYPE_CHECKING:
    from adjudge.analyses.mismatch.result import MismatchResult
    from adjudge.stats.shares import ClusteredShare

KIND_WORDS: Mapping[str, str] = {
    "missed": "people: fully covered, {measure}: not covered",
    "credited": "people: not covered, {measure}: covered",
}
MOST = 5
"""Mismatches that a terminal shows in full."""


def left_out(n: int, why: str) -> str:
    return f"{counted(n, 'judgment')} of model units {why}"


NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "without-assessors": lambda assessors: (
        f"without {listed(assessors)}: neither their judgments nor their tags count"
    ),
    "several-targets": lambda targets: (
        f"summaries of {listed(targets)} are counted together: {Argument('length')} and {Argument('form')}"
        " choose one length and form"
    ),
    "judgments-left-out": lambda n, why: f"{left_out(n, why)} left out",
    "units-without-value": lambda n, title: (
        f"{counted(n, 'judged unit')} without anything that {title} counts: not decided"
    ),
    "tagged-and-no-mismatch": lambda n: (
        f"{counted(n, 'tagged unit is', 'tagged units are')} no mismatch with these cut-offs: their tags are kept, not"
        " counted"
    ),
}


def kind_words(result: MismatchResult, kind: str) -> str:
    return KIND_WORDS[kind].format(measure=result.title)


def sentences(result: MismatchResult) -> Iterator[str]:
    missed, credited = (result.share(kind) for kind in MISMATCH_KINDS)
    yield (
        f"{result.title} misses {_of(missed)} that people call fully covered{_interval(missed)}, and credits"
        f" {_of(credited)} that people call not covered{_interval(credited)}."
    )
    cut = result.cut
    who = "every assessor" if cut.agree == "all" else "most assessors"
    full = "100 %" if cut.full == 1 else f"{100 * cut.full:g} % or more"
    none = "0 %" if cut.none == 0 else f"{100 * cut.none:g} % or less"
    yield (
        f"Fully covered: {full} by {who}; not covered: {none}. {result.title} covers a unit from {cut.covered:g} on,"
        f" and misses it up to {cut.uncovered:g}."
    )
    yield from _about_tags(result)
    counted_once = "A unit counts once for every summary that was judged against it."
    if len({unit.unit.topic for unit in result.units}) < 2:
        yield f"{counted_once} Intervals are Wilson's, and take the units of the one topic as independent."
    else:
        yield (
            f"{counted_once} Intervals are Wilson's, widened by how much shares differ between topics. A system with no"
            " mismatch, or with nothing else, takes the widening of all systems together; where that is not known"
            " either, units count as independent. Intervals are for these assessors."
        )


def _of(share: ClusteredShare) -> str:
    return f"{share.hits:,} of the {counted(share.n, 'unit')}" if share.n else "none of 0 units"


def _interval(share: ClusteredShare) -> str:
    if not share.n:
        return ""
    return f" ({100 * share.share:.1f} %, {100 * share.low:.1f} to {100 * share.high:.1f} %)"


def _about_tags(result: MismatchResult) -> Iterator[str]:
    total = counted(len(result.mismatches), "mismatch", "mismatches")
    people = [
        {tags.assessor for tags in unit.mismatch_tags} for unit in result.mismatches if unit.mismatch_tags
    ]
    if people:
        who = counted(len(set().union(*people)), "person", "people")
        yield f"{len(people):,} of {total} tagged, by {who}."
    elif result.mismatches:
        yield f"{total} to tag."


def first_mismatches(result: MismatchResult) -> Iterator[tuple[str, Style]]:
    """The first mismatches with both texts, as a terminal shows them."""
    for unit in result.mismatches[:MOST]:
        assert unit.kind is not None
        yield f"\n{kind_words(result, unit.kind)} ({unit.match.value:.3f})\n", "title"
        yield f"  topic {unit.unit.topic}, reference {unit.reference.system}: {_line(unit.unit.text)}\n", ""
        marked = " … ".join(_line(peer_unit.text) for peer_unit in unit.marked)
        yield f"  {unit.peer.system}: {marked or _line(unit.peer.text)}\n", ""
        if unit.tag_names:
            yield f"  tags: {'; '.join(unit.tag_names.values())}\n", ""
    if (left := len(result.mismatches) - MOST) > 0:
        yield f"\nand {left:,} more: a page or a CSV file has all\n", ""


def _line(text: str) -> str:
    return " ".join(text.split())
