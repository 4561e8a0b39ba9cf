"""How reliable every annotator is, by name: the joint fit, and signs that somebody did not read.

The mathematics is in stats/preference/crowd.py and stats/preference/careless.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from adjudge.comparisons.preferences.fitting import among
from adjudge.formats.preferences import Preferences
from adjudge.judgments.store.anonymous import is_anonymous
from adjudge.stats.preference.answers import Answers
from adjudge.stats.preference.bradley_terry import Strengths
from adjudge.stats.preference.careless import Clicker, Clickers, clickers
from adjudge.stats.preference.crowd import CrowdFit, fit_crowd

OF_TEXTS = ("failed-checks", "inconsistent")
"""Warnings that come of answers to the very same texts."""


@dataclass(frozen=True)
class Annotator:
    """One annotator. A share of nothing is NaN."""

    name: str
    answers: int
    reliability: float
    """The chance that an answer is what the fitted strengths would say, and not its opposite."""
    se: float
    left_share: float
    """How often what was shown first was preferred."""
    agreement: float
    """With what the others' answers say."""
    checks_right: int
    checks: int
    repeats_same: int
    repeats: int
    codes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        found = asdict(self)
        return found | {"codes": list(self.codes), "warnings": list(self.warnings)}

    def cells(self) -> dict[str, str]:
        """For a table: columns that are numbers end in `>`."""
        return {
            "annotator": self.name,
            "answers>": f"{self.answers:,}",
            "reliability>": _number(self.reliability, ".2f"),
            "se>": _number(self.se, ".2f"),
            "left>": _number(self.left_share, ".0%"),
            "agrees>": _number(self.agreement, ".0%"),
            "checks>": f"{self.checks_right}/{self.checks}" if self.checks else "-",
            "repeats>": f"{self.repeats_same}/{self.repeats}" if self.repeats else "-",
            "": ", ".join(self.codes),
        }


def annotators_of(given: Preferences, checks: Preferences | None = None) -> tuple[Annotator, ...]:
    """A row per annotator who is somebody: names such as crowd-anonymous stand for nobody in particular.

    `checks` are pairs whose answer is known, by the items' names, on one topic or, where they name none, on all.
    """
    people = [number for number, name in enumerate(given.annotators) if not is_anonymous(name)]
    answers = replace(given.answers, who=np.where(np.isin(given.answers.who, people), given.answers.who, -1))
    if not np.any(answers.who >= 0):
        return ()
    met = np.unique(np.concatenate([answers.first, answers.second]))
    fitted = fit_crowd(among(answers, met))
    seen = clickers(among(answers, met), times=given.took_ms or None)
    planted = _planted(given, answers, checks, fitted.strengths)
    return tuple(
        _annotator(given.annotators[row.who], row, own, fitted)
        for row, own in zip(seen.rows, planted.rows, strict=True)
    )


def _planted(given: Preferences, answers: Answers, checks: Preferences | None, any_: Strengths) -> Clickers:
    """Repeats and checks, which are about the same texts: a system on another topic is another item here."""
    n = answers.n
    numbers = np.concatenate([answers.cluster * n + answers.first, answers.cluster * n + answers.second])
    texts, at = np.unique(numbers, return_inverse=True)
    first, second = at[: len(answers)], at[len(answers) :]
    apart = replace(answers, n=len(texts), first=first, second=second)
    level = replace(any_, values=np.ones(len(texts)))  # nothing is held against the others here
    names = {
        (given.topics[text // n] if given.topics else "", given.items[text % n]): k
        for k, text in enumerate(texts.tolist())
    }
    return clickers(apart, level, checks=list(_known(checks, names, given.topics or ("",))))


def _annotator(name: str, row: Clicker, planted: Clicker, fitted: CrowdFit) -> Annotator:
    found = [each for each in row.warnings if each.code not in OF_TEXTS]
    found += [each for each in planted.warnings if each.code in OF_TEXTS]
    return Annotator(
        name,
        row.answers,
        float(fitted.reliability[row.who]),
        float(fitted.errors[row.who]),
        row.left_share,
        row.agreement,
        planted.checks_right,
        planted.checks_asked,
        planted.repeats_same,
        planted.repeats_asked,
        tuple(each.code for each in found),
        tuple(each.sentence for each in found),
    )


def _known(
    checks: Preferences | None, numbers: Mapping[tuple[str, str], int], topics: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Pairs of items, the better one first; a check that is a tie tells nothing."""
    for each in checks.rows() if checks is not None else ():
        sides = (each.left, each.right) if each.winner == "left" else (each.right, each.left)
        for topic in topics if each.topic not in topics else (each.topic,):
            better, worse = (numbers.get((topic, side)) for side in sides)
            if each.winner != "tie" and better is not None and worse is not None:
                yield better, worse


def _number(value: float, form: str) -> str:
    return "-" if value != value else format(value, form)
