"""Pictures of judgments in panels, one below the other: what tables of content never mix has a panel of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.analyses.gathered import SOURCES, where
from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument
from adjudge.core.picture import INK, SERIES, drawn_text

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.gathered import Part

MOST_PANELS = 8
MOST_LINES = 200
"""Lines that one picture takes, over all panels."""
SOURCE_COLOURS = dict(zip(SOURCES.values(), SERIES, strict=False))


def panel_names(parts: Sequence[Part]) -> dict[Part, str]:
    """A name for every part, of what differs between them: `single, 100 words`; nothing, where there is one."""
    if len(parts) == 1:
        return {parts[0]: ""}
    unlike = [len(set(cells)) > 1 for cells in zip(*parts, strict=True)]
    return {part: _words(part, unlike) or "unset" for part in parts}


def common_words(parts: Sequence[Part]) -> str:
    """What all parts have in common but for the protocol, for a title: `, 100 words`; nothing where nothing is set."""
    alike = [len(set(cells)) == 1 for cells in zip(*parts, strict=True)]
    words = _words(parts[0], [False, *alike[1:]])
    return f", {words}" if words else ""


def _words(part: Part, kept: Sequence[bool]) -> str:
    """Some of what a part is, in words: `multi-document, 100 words`."""
    protocol, task, length, form = part
    cells = (protocol, task and f"{task}-document", length, form)
    return where(tuple(cell if keep else None for cell, keep in zip(cells, kept, strict=True)))


def check_size(panels: int, lines: int) -> None:
    """Refuse what no page has room for."""
    if panels > MOST_PANELS or lines > MOST_LINES:
        raise UsageError(
            f"{lines} lines in {panels} panels are too many for a picture: choose with {Argument('length')} or"
            f" {Argument('form')}"
        )


def in_panels(
    base: alt.Chart,
    panels: Sequence[str],
    draw: Callable[[alt.Chart, str], Any],
    *,
    colours_apart: bool = False,
) -> alt.TopLevelMixin:
    """One drawing for each panel, of the rows whose `panel` it is; `draw` gives them without a title.

    With `colours_apart` each panel has a legend of its own.
    """
    import altair as alt

    if len(panels) == 1:
        only: alt.TopLevelMixin = draw(base, panels[0])
        return only
    drawn = []
    for panel in panels:
        of_panel = base.transform_filter(alt.FieldEqualPredicate(field="panel", equal=drawn_text(panel)))
        title = alt.TitleParams(
            drawn_text(panel), anchor="start", frame="group", fontSize=13, color=INK, offset=6
        )
        drawn.append(draw(of_panel, panel).properties(title=title))
    chart = alt.vconcat(*drawn, spacing=24)
    return chart.resolve_scale(color="independent") if colours_apart else chart


def source_scale(there: Sequence[str]) -> alt.Scale:
    """Systems, baselines and humans in colours of their own."""
    import altair as alt

    return alt.Scale(domain=list(there), range=[SOURCE_COLOURS[source] for source in there])


def sources_in(sources: Sequence[str]) -> list[str]:
    """Those that are there, as DUC lists them."""
    return [source for source in SOURCES.values() if source in sources]
