"""What to do next with an evaluation, in words that are printed alike wherever a step is done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.core.phrases import Argument, Call
from adjudge.core.words import counted
from adjudge.judgments.tasks import PROGRAMS

if TYPE_CHECKING:
    from adjudge.judgments.store.store import Store


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """Commands in their order, and why now."""

    why: str = ""
    commands: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{f'{self.why}; ' if self.why else ''}next: {', then '.join(self.commands)}"


def _command(words: str, evaluation: str | Path, *more: str, asking: str | None = None) -> str:
    protocol = [] if asking is None else [Argument("protocol", [asking])]
    return str(Call(command=[*words.split(), str(evaluation), *more], arguments=protocol))


def after_init(evaluation: str | Path) -> NextStep:
    return NextStep(commands=(_command("import FILE", evaluation),))


def after_demo(evaluation: str | Path, *, baselines: bool) -> NextStep:
    """The demo; with baselines, or with those still to be made."""
    scored = after_judging(evaluation)
    return scored if baselines else NextStep(commands=(_command("baselines", evaluation), *scored.commands))


def after_import(
    evaluation: str | Path, holds: Collection[str], *, scores: bool = False, judgments: bool = False
) -> NextStep:
    """By what the evaluation has now: peers, references, scores, or a store of judgments; `scores` where these came
    in last."""
    if scores or (holds and "scores" in holds and "peers" not in holds):
        return NextStep(commands=(_command("compare", evaluation),))
    if judgments:
        return NextStep(commands=(_command("judgments list", evaluation),))
    if {"peers", "references"} <= {*holds}:
        return after_judging(evaluation)
    if "peers" in holds:
        add, assign = _command("people add", evaluation, "anna"), _command("assign", evaluation, asking=ASK)
        return NextStep(
            why="there are no references: import some, or let people judge", commands=(add, assign)
        )
    return NextStep(why="no summaries of systems yet", commands=(_command("import FILE", evaluation),))


ASK = "rating"
"""What people are asked where the evaluation does not say it."""


def after_people(evaluation: str | Path, *, protocol: str | None) -> NextStep:
    """Somebody may judge; `protocol` is what the evaluation asks."""
    return NextStep(commands=(_command("assign", evaluation, asking=None if protocol else ASK),))


def after_assigning(evaluation: str | Path) -> NextStep:
    return NextStep(commands=(_command("serve", evaluation),))


def after_judging(evaluation: str | Path, store: Store | None = None) -> NextStep:
    """Scores, and what they show; with what people have judged, where the store is open."""
    why = "" if store is None else judged_words(store)
    return NextStep(why=why, commands=(_command("score", evaluation), _command("compare", evaluation)))


def after_scoring(evaluation: str | Path) -> NextStep:
    return NextStep(commands=(_command("compare", evaluation), _command("report", evaluation)))


def judged_words(store: Store) -> str:
    """`528 judgments by 3 people`; empty where nobody judged."""
    assessors = [
        judged.task.assessor for judged in store.current() if judged.answers and judged.origin not in PROGRAMS
    ]
    if not assessors:
        return ""
    by = counted(len({*assessors}), "person", "people")
    return f"{counted(len(assessors), 'judgment')} by {by}"
