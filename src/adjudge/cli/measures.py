"""adjudge measures"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli import options
from adjudge.cli.output import say, show_json, show_table

if TYPE_CHECKING:
    from adjudge.measures.base import Measure


def command(
    measure: Annotated[
        str | None, typer.Argument(metavar="[MEASURE]", help="Explain this one.", show_default=False)
    ] = None,
    json: options.Json = False,
) -> None:
    """List every measure with a line and its citation, or explain one with its options."""
    from adjudge.measures.registry import parse_measure, registry

    if measure is None:
        found = [parse_measure(name) for name in registry()]
        if json:
            show_json([_as_dict(m) for m in found])
        else:
            show_table(("measure", "what it is", "from"), [(m.name, m.ABOUT, m.CITATION) for m in found])
        return
    one = parse_measure(measure)
    if json:
        show_json(_as_dict(one))
    else:
        _explain(one)


def _as_dict(measure: Measure) -> dict[str, Any]:
    return {
        "measure": str(measure),
        "about": measure.ABOUT,
        "citation": measure.CITATION,
        "better": measure.better,
        "needs": sorted(measure.needs),
        "options": {k: {"value": v, "choices": measure.OPTIONS.get(k)} for k, v in measure.options().items()},
    }


def _explain(measure: Measure) -> None:
    say(str(measure), "bold")
    say(f"{measure.ABOUT}. {measure.info().direction}. {measure.CITATION}.")
    say(f"needs: {', '.join(sorted(measure.needs)) or 'nothing but the summaries'}")
    defaults = {f.name: f.default for f in fields(measure)}
    if measure.options():
        show_table(
            ("option", "value", "default", "choices"),
            [
                (
                    k,
                    v,
                    defaults[k],
                    ", ".join(measure.OPTIONS.get(k, ()))
                    or ", ".join((*measure.EXAMPLES.get(k, ()), "...") if k in measure.EXAMPLES else ()),
                )
                for k, v in measure.options().items()
            ],
        )
        print()
    say(measure.explanation())
