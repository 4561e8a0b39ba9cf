"""What to do next: how many more topics, or assessors, would decide between the best system and a rival.

The numbers are those that `plan` prints for the difference of the two, and the call that prints them is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from adjudge.analyses.base import TABLE
from adjudge.analyses.conclusions import candidates
from adjudge.analyses.tests import DEFAULT_TEST, TESTS
from adjudge.core.phrases import Argument, Call

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.plan import Plan
    from adjudge.analyses.plan.deciding import Deciding

MOST_TOPICS = 1_000
"""In all. Rivals for which it takes more are as good as equal, and more than these are not simulated either."""
MOST_ASSESSORS = 50
MOST_SYSTEMS = 100
"""With more it would take seconds."""
MOST_RIVALS = 3
"""For whom topics are simulated."""


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """What would find the difference between two systems with the usual power, were it as large as it seems."""

    system: str
    """The better by its mean."""
    rival: str
    difference: float
    """As plan was asked for it."""
    have: int
    """Topics that there are."""
    topics: int | None
    """In all; None where no number of topics is enough, and more assessors are needed."""
    assessors: int | None
    """Where topics alone do not do: at least so many, in all."""
    call: Call
    """That prints the number."""

    def facts(self) -> dict[str, Any]:
        names = ("system", "rival", "difference", "have", "topics", "assessors")
        more = None if self.topics is None else self.topics - self.have
        return {name: getattr(self, name) for name in names} | {
            "more_topics": more,
            "command": ["adjudge", *self.call.words],
        }


def next_step(c: Comparison) -> NextStep | None:
    """For the best system that is not human, where there are others: the first rival that can be decided."""
    if c.scores is None or c.scores.source == "-" or (asked := _plan(c)) is None:  # what was piped in is gone
        return None
    pairs = list(_undecided(c))
    if not pairs:
        return None
    from adjudge.analyses.plan.deciding import Deciding

    if (deciding := Deciding.of(c.scores, asked)) is None:
        return None
    steps = _of_assessors(c, deciding, pairs) if c.sampled else _of_topics(c, deciding, pairs)
    return next(steps, None)


def _undecided(c: Comparison) -> Iterator[tuple[str, str, float]]:
    """The best system, each rival that may be as good, and by how much the former is ahead; the nearest first."""
    import numpy as np

    systems = [s.system for s in c.standings]
    places = [k for k, system in enumerate(systems) if c.kinds.get(system) != "human"]
    places = places if len(places) > 1 else list(range(len(systems)))
    best, *rivals = [systems[places[k]] for k in candidates(c.better[np.ix_(places, places)])] or [""]
    sign = -1 if c.matrix.info.better == "lower" else 1
    counts, at = c.tested[c.test].results.counts, c.matrix.systems.index
    for rival in rivals:
        first, second = sorted((at(best), at(rival)))
        [k] = np.flatnonzero((counts.first == first) & (counts.second == second))
        ahead = float(counts.difference[k]) * (1 if first == at(best) else -1)
        if ahead * sign > 0 and math.isfinite(ahead):
            yield best, rival, float(f"{abs(ahead):.2g}")


def _of_topics(c: Comparison, deciding: Deciding, pairs: list[tuple[str, str, float]]) -> Iterator[NextStep]:
    tried = 0
    for best, rival, difference in pairs:
        topics = deciding.topics(difference, most=MOST_TOPICS)
        tried += math.isfinite(topics)
        if deciding.task.have < topics <= MOST_TOPICS:
            yield _step(c, deciding, (best, rival, difference), topics=int(topics))
        if tried == MOST_RIVALS:
            return


def _of_assessors(
    c: Comparison, deciding: Deciding, pairs: list[tuple[str, str, float]]
) -> Iterator[NextStep]:
    """For assessors like these: by topics alone where that does, else by more assessors."""
    sample, task = deciding.sample, deciding.task
    if sample is None or math.isnan(sample.between.likings):
        return
    too_many: list[tuple[str, str, float]] = []
    for pair in pairs:
        topics = sample.needed(task, pair[-1])
        if task.have < topics <= MOST_TOPICS:
            yield _step(c, deciding, pair, topics=math.ceil(topics))
        elif math.isinf(topics):
            too_many.append(pair)
    for pair in too_many:
        if sample.between.seen < (fewest := sample.fewest(task, pair[-1])) <= MOST_ASSESSORS:
            yield _step(c, deciding, pair, assessors=math.ceil(fewest))


def _step(
    c: Comparison,
    deciding: Deciding,
    pair: tuple[str, str, float],
    *,
    topics: int | None = None,
    assessors: int | None = None,
) -> NextStep:
    system, rival, difference = pair
    return NextStep(
        system=system,
        rival=rival,
        difference=difference,
        have=deciding.task.have,
        topics=topics,
        assessors=assessors,
        call=_call(c, deciding.asked, difference),
    )


def _plan(c: Comparison) -> Plan | None:
    """The plan of the same comparison; None where `plan` knows no such comparison."""
    from adjudge.analyses.plan import Correct, Plan

    asked = c.asked
    same = (
        c.complete
        and asked.against is None
        and c.matrix.info.better is not None
        and c.codes is None
        and c.ordering != "apart"
        and asked.length != "all"
        and asked.correct in get_args(Correct)
        and c.corrected == int(c.family.sum())
        and not asked.pool_humans
        and asked.zeros == "wilcox"
        and len(c.standings) <= MOST_SYSTEMS
    )
    if not same:
        return None
    from adjudge.stats.power.search import chosen

    if not c.sampled and not chosen(c.test if c.test in TESTS else DEFAULT_TEST).quick:
        return None
    return Plan(
        measure=c.measure,
        # Where one measure is primary, what was asked for names no target of its own.
        length=asked.length or (c.matrix.length if c.role else None),
        form=asked.form or (c.matrix.target.form if c.role else None),
        test=c.test if c.test in TESTS else DEFAULT_TEST,
        correct=asked.correct,  # type: ignore[arg-type]
        alpha=asked.alpha,
        among=asked.among,
        pool=asked.pool,
        seed=asked.seed,
        **{name: getattr(asked, name) for name in (*TABLE, "without")},
    )


def _call(c: Comparison, plan: Plan, difference: float) -> Call:
    """The plan of the difference, with whatever else was asked for."""
    assert c.scores is not None
    source = c.scores.source or (str(c.scores.folder) if c.scores.folder is not None else "")
    options = plan.changed()
    del options["measure"]
    in_python = f'"{source}"' if source else "scores"
    return Call(
        arguments=[Argument("difference", difference), *map(_argument, options.items())],
        command=["plan", source or "SCORES", "-m", c.measure],
        function=f'adjudge.plan({in_python}, "{c.measure}")',
    )


def _argument(entry: tuple[str, Any]) -> Argument:
    name, value = entry
    flag = {"columns": "map", "lower_is_better": "lower"}.get(name, "")
    if name == "lower_is_better" and value is True:
        flag = ""
    return Argument(name, dict(value) if isinstance(value, Mapping) else _listed(value), flag=flag)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple | set | frozenset) else value
