"""Pairs of several lengths or forms: taken together only with a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.approving import Approved

from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.formats import crowd


@pytest.fixture
def asked(make: Callable[..., Evaluation], tmp_path: Path) -> Evaluation:
    e = make(
        *(
            Summary(topic, system, f"{system} {form} {topic}", 100, form=form)
            for topic in ("t1", "t2")
            for system in "abc"
            for form in ("abstract", "extract")
        )
    )
    rows = [
        f"{topic},{left},{right},w{n},left,100,{form}"
        for n in range(3)
        for topic in ("t1", "t2")
        for left, right in ("ab", "bc", "ca")
        for form in ("abstract", "extract")
    ]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(["topic,left,right,worker,label,length,form", *rows]) + "\n", encoding="utf-8")
    e.take_judgments(crowd.read([path], evaluation=e.settings.name, protocol="preference-summaries"))
    return e


def test_several_forms_are_named(asked: Evaluation, approved: Approved) -> None:
    (fit,) = asked.prefer.fit("systems")
    [note] = fit.notes_of("pooled-targets")
    approved(note)


def test_one_that_was_chosen_needs_no_word(asked: Evaluation) -> None:
    (fit,) = asked.prefer.fit("systems", form="abstract")
    assert not fit.notes_of("pooled-targets")
