"""Approved texts belong to tests, and one that changed fails."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.approving import APPROVED, TESTS, Approved, file_of, read, write


def test_every_text_belongs_to_a_test_that_asks_for_it() -> None:
    for file in APPROVED.rglob("*.txt"):
        module = (TESTS / file.relative_to(APPROVED)).with_suffix(".py")
        asking = {
            node.name
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef) and "approved" in {a.arg for a in node.args.args}
        }
        named = {name.partition(" ")[0].partition("[")[0] for name in read(file)}
        assert named <= asking, f"{file}: nobody asks for {sorted(named - asking)}"


def test_another_text_fails_and_says_how_it_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.approving.APPROVED", tmp_path)
    module = TESTS / "test_none.py"
    Approved(module, "test_it", rewrite=True)(["One.", "Two."])
    Approved(module, "test_it", rewrite=False)("One.\nTwo.\n")
    with pytest.raises(AssertionError, match=r"-Two\.\n\+Three\."):
        Approved(module, "test_it", rewrite=False)("One.\nThree.")
    with pytest.raises(AssertionError, match="nobody has approved"):
        Approved(module, "test_other", rewrite=False)("One.")


def test_texts_of_one_test_have_numbers_or_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.approving.APPROVED", tmp_path)
    module = TESTS / "test_none.py"
    write(file_of(module), "test_before", "A\n\nB")
    said = Approved(module, "test_it[a-1]", rewrite=True)
    said("first")
    said("second")
    said("third", "alone")
    assert read(file_of(module)) == {
        "test_before": "A\n\nB",
        "test_it[a-1]": "first",
        "test_it[a-1] 2": "second",
        "test_it[a-1] alone": "third",
    }
    with pytest.raises(AssertionError, match="two texts under one label"):
        said("fourth", "alone")
