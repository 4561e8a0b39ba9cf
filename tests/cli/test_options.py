"""What every command's help shows first, and that an option means the same wherever it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from adjudge.analyses.base import Analysis
from adjudge.cli.app import COMMANDS, LAST, MOST_FIRST
from adjudge.core.options import READING, declared

OWN = {
    "compare": {"With --judge"},
    "prefer fit": {"With --judge"},
    "judge llm": {"Which model", "What is asked", "How it is asked", "Limits"},
    "figure": {"For some figures"},
    "mismatch": {"Tags"},
}
"""Panels that only these commands have."""
ROLE = "the same kind of thing in every command, which says what it does there"
METAVARS = {
    "--against": "a system, a topic, or in figures either",
    "--assessors": "a number, and in plan several to compare",
    "--between": "two systems",
    "--by": "what slices and figures are by",
    "--full": "the whole demo; of mismatches a limit",
    "--length": "a number of words, or all where lengths can be averaged",
    "--level": "a confidence level; of correlations, as the field calls it, the level of aggregation",
    "--measure": "a specification, or the name of an imported measure",
    "--noise": "an amount, and in simulate its distribution",
    "--order": "of tasks or of systems",
    "--out": "a file or a folder",
    "--among": "pairs, and in meta systems",
    "--systems": "names of columns, a number to plan with, or a kind",
    "--show": "how many topics, and of a judge what it sees",
    "--test": "a test",
}
"""Options whose values are of another kind in some commands, with the reason."""
HELPS = {
    **METAVARS,
    "--alpha": "also the level of intervals where there are no tests",
    "--assessor": ROLE,
    "--bias": "of ratings, and of sides",
    "--correct": ROLE,
    "--difference": "to detect, or planted",
    "--dry-run": "what would be sent, where something is sent",
    "--form": ROLE,
    "--from": ROLE,
    "--judge": ROLE,
    "--margin": "of systems, and of judges",
    "--name": ROLE,
    "--of": "pairs to ask about, and what is ranked",
    "--pairs": "of preferences, which many systems have, not by default",
    "--part": ROLE,
    "--people": "of preferences one measure, which is scored if it is not yet",
    "--protocol": ROLE,
    "--question": ROLE,
    "--quick": "leaves out what takes long, which differs",
    "--repeats": "sides are exchanged where there are sides",
    "--resamples": ROLE,
    "--restore": "what was withdrawn or suspended",
    "--seed": "of rouge155 the original's",
    "--simulations": ROLE,
    "--system": ROLE,
    "--tests": ROLE,
    "--topic": ROLE,
}
"""Options whose help differs between commands, with the reason."""


def commands() -> dict[str, Any]:
    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        if not hasattr(command, "commands"):
            yield name, command
        for inner, one in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {inner}", one)

    return {name: one for command in COMMANDS for name, one in walk(command.name, command.load())}


ALL = commands()


def options_of(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "option" and not p.hidden]


def panel(option: Any) -> str | None:
    return getattr(option, "rich_help_panel", None)


@pytest.mark.parametrize("name", ALL)
def test_a_command_shows_ten_options_first(name: str) -> None:
    options = options_of(ALL[name])
    assert sum(panel(option) is None for option in options) <= MOST_FIRST
    assert {panel(option) for option in options} <= {None, *LAST, *OWN.get(name, ())}
    shown = [option for option in options if panel(option) is None]
    assert options[: len(shown)] == shown


def test_tables_are_read_by_the_same_options_everywhere() -> None:
    reading = {
        f"--{(about.command or name).replace('_', '-')}"
        for name, (about, _) in declared(Analysis).items()
        if about.panel == READING
    }
    for name, command in ALL.items():
        options = options_of(command)
        if len(options) > MOST_FIRST:
            outside = {o.opts[-1] for o in options if o.opts[-1] in reading and panel(o) != READING}
            assert outside == set(), name


def test_an_option_means_the_same_everywhere() -> None:
    metavars, helps = defaultdict(set), defaultdict(set)
    for command in ALL.values():
        for option in options_of(command):
            metavars[option.opts[-1]].add(option.metavar)
            helps[option.opts[-1]].add(option.help)
    differ = {name for name, values in metavars.items() if len(values) > 1}
    assert differ <= METAVARS.keys()
    assert {name for name, texts in helps.items() if len(texts) > 1} <= HELPS.keys()


def test_exceptions_are_needed() -> None:
    texts = defaultdict(set)
    for command in ALL.values():
        for option in options_of(command):
            texts[option.opts[-1]].add((option.metavar, option.help))
    assert {name for name in HELPS if len(texts[name]) < 2} == set()


@pytest.mark.parametrize("name", ALL)
def test_help_is_a_sentence(name: str) -> None:
    for option in options_of(ALL[name]):
        text = option.help or ""
        assert text.rstrip(")")[-1:] in ".?", (option.opts, text)
        assert text[0].isupper() or not text[0].isalpha() or text.split()[0].endswith(":"), (
            option.opts,
            text,
        )
