"""adjudge measures"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli import options
from adjudge.cli.completion import complete_measures
from adjudge.cli.output import say, show_json, show_table

if TYPE_CHECKING:
    from adjudge.measures.base import Measure


def command(
    measure: Annotated[
        str | None,
        typer.Argument(
            metavar="[MEASURE]",
            help="A measure or preset to explain.",
            show_default=False,
            autocompletion=complete_measures,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """List all measures and presets, or explain one: options and citation."""
    from adjudge.measures.presets import ABOUT, PRESETS
    from adjudge.measures.registry import parse_measure, registry
    from adjudge.measures.spec import same_name

    if measure is None:
        measures = [parse_measure(name) for name in registry()]
        if json:
            show_json([*map(_as_dict, measures), *map(_preset_as_dict, PRESETS)])
        else:
            show_table(("measure", "what it is"), [(m.name, m.ABOUT) for m in measures])
            print()
            show_table(("preset", "stands for"), [(name, ABOUT[name]) for name in PRESETS])
            say("adjudge measures NAME explains one, with its options and where it is from.")
        return
    if preset := same_name(measure, PRESETS):
        several = [parse_measure(spec) for spec in PRESETS[preset]]
        if json:
            show_json(_preset_as_dict(preset))
        else:
            say(preset, "bold")
            say(f"{ABOUT[preset]}.")
            for m in several:
                say(f"{m.title}\n  {m}")
        return
    one = parse_measure(measure)
    if json:
        show_json(_as_dict(one))
    else:
        _explain(one)


def _as_dict(measure: Measure) -> dict[str, Any]:
    return {
        "measure": str(measure),
        "title": measure.title,
        "about": measure.ABOUT,
        "citation": measure.CITATION,
        "better": measure.better,
        "needs": sorted(measure.needs),
        "options": {k: {"value": v, "choices": measure.OPTIONS.get(k)} for k, v in measure.options().items()},
    }


def _preset_as_dict(preset: str) -> dict[str, Any]:
    from adjudge.measures.presets import ABOUT, PRESETS

    return {"measure": preset, "about": ABOUT[preset], "stands_for": list(PRESETS[preset])}


def _explain(measure: Measure) -> None:
    say(str(measure), "bold")
    say(f"title: {measure.title}")
    say(f"{measure.ABOUT}. {measure.info().direction}. {measure.CITATION}.")
    say(f"needs: {', '.join(sorted(measure.needs)) or 'nothing but the summaries'}")
    defaults = {f.name: f.default for f in fields(measure)} | measure.usual()
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
