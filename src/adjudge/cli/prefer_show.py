"""How fits of preferences are printed for people. What is fitted is decided in prefer.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjudge.cli.output import say, show_table, warn
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.preferences.fitting import PreferenceFit

MOST_SHOWN, MOST_COLUMNS, WIDEST = 30, 12, 70


def frame_of(fit: PreferenceFit, matrix: bool) -> Any:
    frame = fit.pairs_frame() if matrix else fit.to_frame()
    frame.insert(0, "of", fit.title)
    return frame


def show(fit: PreferenceFit, matrix: bool, *, alone: bool) -> None:
    from adjudge.comparisons.preferences.fit_tables import interval, number, ranks

    say(f"{fit.title} ({counted(len(fit.items), 'item')}, {counted(fit.answers, 'answer')})", "bold")
    shown = fit.standings[:MOST_SHOWN]
    show_table(
        (">", "item", "strength>", f"{fit.level:.0%} interval", "ranks", "wins>", "losses>", "ties>"),
        [
            (
                each.rank or "-",
                _cut(each.item),
                "-" if each.rank is None else f"{each.strength:.3g}",
                interval(each),
                ranks(each),
                number(each.wins),
                number(each.losses),
                number(each.ties),
            )
            for each in shown
        ],
    )
    if len(shown) < len(fit.standings):
        say(f"and {counted(len(fit.standings) - len(shown), 'other')}; --csv writes them all")
    if matrix:
        _matrix(fit)
    if fit.annotators:
        _annotators(fit)
    if matrix or fit.annotators:
        print()
    say(fit.sentence())
    if not alone:
        for line in fit.warnings():
            warn(f"{fit.title}: {line}")
    say(fit.signature, "dim")


def _matrix(fit: PreferenceFit) -> None:
    frame = fit.win_probabilities().iloc[:MOST_COLUMNS, :MOST_COLUMNS]
    names = [_cut(name, 16) for name in frame.columns]
    print()
    rows = [
        [name, *("-" if p != p else f"{p:.2f}" for p in row)]
        for name, row in zip(names, frame.to_numpy().tolist(), strict=True)
    ]
    show_table(
        ("", *(f"{name}>" for name in names)), rows, title="how likely the row's is preferred to the column's"
    )
    if len(fit.fitted) > MOST_COLUMNS:
        say(f"the {MOST_COLUMNS} strongest; --csv with --matrix writes every pair")


def _annotators(fit: PreferenceFit) -> None:
    print()
    rows = [each.cells() for each in fit.annotators]
    show_table(tuple(rows[0]), [tuple(row.values()) for row in rows])


def _cut(text: str, most: int = WIDEST) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
