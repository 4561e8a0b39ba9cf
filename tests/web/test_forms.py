"""Abstracts and extracts of one length in the app: each page shows its own text, and none says which it is."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.web.making import ASSESSORS, fill, rows, running, settle

from adjudge.data.rows import Row, Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.tasks import TextRef

FORMS = {"abstract": "Sunny weather followed.", "extract": "Cloudy weather followed."}


def twice(path: Path) -> Evaluation:
    """Every summary as two, of one length, that differ in their last sentence."""
    evaluation = Evaluation.init(path)
    for row in rows():
        forms = FORMS if isinstance(row, Summary) else {"": ""}
        evaluation.take(("test", _of(row, form, end)) for form, end in forms.items())
    evaluation.units()
    return evaluation


def _of(row: Row, form: str, end: str) -> Row:
    if not isinstance(row, Summary):
        return row
    return Summary(row.topic, row.system, f"{row.text} {end}", row.length, row.roles, row.author, form=form)


@pytest.mark.parametrize("protocol", ["duc-2002", "rating", "preference-summaries"])
def test_a_page_shows_the_texts_of_its_form_and_does_not_say_which(tmp_path: Path, protocol: str) -> None:
    evaluation = twice(tmp_path / "e")
    folder = settle(evaluation)
    with Evaluation.open(folder.path).store() as store:
        fill(store, evaluation)
    seen: Counter[str] = Counter()
    with running(folder) as app:
        for person in ASSESSORS:
            client = app.client(person)
            for task in app.tasks(person, protocol):
                key = app.key(task)
                pair = {"count": 1, "first": key}
                page = (
                    client.get(f"/task/{key}")
                    if task.left is None
                    else client.post("/api/pairs/next", json=pair)
                )
                assert page.status_code == 200
                texts = [
                    task.peer,
                    task.reference,
                    *map(TextRef.named, filter(None, (task.left, task.right))),
                ]
                forms = {text.form for text in texts if text is not None}
                (form,) = (each for each in forms if each is not None)
                other = next(each for each in FORMS if each != form)
                shown = page.text if task.left is None else json.dumps(page.json()["pairs"][0])
                assert FORMS[form] in shown
                assert FORMS[other] not in shown
                assert not {"abstract", "extract"} & set(page.text.lower().replace('"', " ").split())
                seen[form] += 1
    assert set(seen) == set(FORMS)
