"""All figures, in the order in which people ask: who is better, where, whether to trust it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.agreement import figures as agreement
from adjudge.analyses.anova import figures as anova
from adjudge.analyses.assessors import figures as assessors
from adjudge.analyses.catalogue.choice import choices, first_drawn
from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec, Progress
from adjudge.analyses.compare import figures as compare
from adjudge.analyses.groups import figures as groups
from adjudge.analyses.judged import figures as judged
from adjudge.analyses.judges import figures as judges
from adjudge.analyses.lengths import figures as lengths
from adjudge.analyses.meta import figures as meta
from adjudge.analyses.plan import figures as plan
from adjudge.analyses.preferences import figures as preferences
from adjudge.analyses.slices import figures as slices
from adjudge.analyses.stability import figures as stability
from adjudge.analyses.topics import figures as topics
from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.table import Table

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores, Source
    from adjudge.core.picture import Figure
    from adjudge.data.scores import AllLengths

FAMILIES = (
    compare,
    groups,
    topics,
    anova,
    plan,
    lengths,
    slices,
    judged,
    stability,
    agreement,
    assessors,
    meta,
    judges,
    preferences,
)
CATALOGUE: dict[str, FigureSpec] = {spec.name: spec for family in FAMILIES for spec in family.SPECS}


def figure(
    scores: Source,
    name: str,
    measures: str | Sequence[str] = (),
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    topics: str | Sequence[str] = (),
    order: Literal["rank", "given"] | None = None,
    against: str | None = None,
    people: str | Sequence[str] = (),
    level: str | None = None,
    judge: str | Sequence[str] = (),
    topic: str | None = None,
    by: str | None = None,
    seed: int = 0,
    progress: Progress = lambda done, of: None,
) -> Figure:
    """A figure by its name, as `adjudge figure` lists them: `figure("my-eval", "forest", "rouge-2")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. `topics` says
    which topics, such as `task=multi`.
    """
    from adjudge.analyses.scores import scores_of

    options = FigureOptions(
        measures=_several(measures),
        length=length,
        form=form,
        order=order,
        against=against,
        people=_several(people),
        level=level,
        judge=_several(judge),
        topic=topic,
        by=by,
        seed=seed,
        progress=progress,
    )
    return spec_of(name).drawn(scores_of(scores, topics=topics), options)


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def spec_of(name: str) -> FigureSpec:
    if name not in CATALOGUE:
        raise UsageError(
            f"there is no figure {quoted(name)}{nearest(name, CATALOGUE)}; `adjudge figure` lists them"
        )
    return CATALOGUE[name]


def all_figures(scores: Scores, options: FigureOptions) -> Iterator[tuple[FigureSpec, Figure | None, str]]:
    """Every figure that these scores have, of what `choices` tries; of the others why not."""
    asked = choices(scores, options)
    for spec in CATALOGUE.values():
        figure, why = first_drawn(spec, scores, asked)
        yield spec, figure, why


def listing() -> Table:
    rows = ((spec.name, spec.about, spec.after) for spec in CATALOGUE.values())
    return Table.of("figures", rows, "name shows after", title="Figures")
