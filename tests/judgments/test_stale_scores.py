"""Scores that were made from judgments which are gone: said by check, compare and the removal, and scored away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import called

import adjudge
from adjudge.data.rows import Summary

SPEC = "rating(aspect=fluency)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    e = adjudge.init(tmp_path / "e", name="e")
    e.take(("", Summary(t, s, f"{s} on {t}")) for t in ("t1", "t2", "t3") for s in ("a", "b"))
    rows = [f"t{t}/{s},w1,{1 + (t + k) % 3}" for t in (1, 2, 3) for k, s in enumerate("ab")]
    (tmp_path / "crowd.csv").write_text("\n".join(["task,worker,label", *rows]) + "\n", encoding="utf-8")
    done = called(tmp_path, "judgments", "import", "crowd", "crowd.csv", "e", "--aspect", "fluency")
    assert done.returncode == 0, done.stderr
    assert called(tmp_path, "score", "e", "-m", SPEC, "-m", "words").returncode == 0
    return tmp_path


def protocol(folder: Path) -> str:
    with adjudge.open(folder / "e").store() as store:
        return store.tasks()[0].protocol


def remove(folder: Path) -> str:
    done = called(folder, "judgments", "remove", "e", "--protocol", protocol(folder), "--why", "a pilot")
    assert done.returncode == 0, done.stderr
    return done.stdout


def codes(folder: Path) -> list[str]:
    found = json.loads(called(folder, "check", "e", "--json").stdout)
    return [each["code"] for each in found["findings"]]


def test_scores_of_judgments_that_are_there_are_not_named(folder: Path) -> None:
    assert "scores-of-other-judgments" not in codes(folder)


def test_a_removal_says_what_to_type_and_that_works(folder: Path) -> None:
    said = remove(folder)
    assert f'run: adjudge score e -m "{SPEC}"' in said
    assert "scores-of-other-judgments" in codes(folder)
    compared = called(folder, "compare", "e", "-m", SPEC)
    told = "judgments or texts of 3 topics changed since, or are gone (t1, t2, t3); run: adjudge score e"
    assert f'{told} -m "{SPEC}"' in compared.stderr + compared.stdout
    scored = called(folder, "score", "e", "-m", SPEC)
    assert scored.returncode == 0, scored.stderr
    assert f"{SPEC}: 0 scores, 3 gone (t1, t2, t3)" in scored.stdout
    assert "its scores were removed" in scored.stderr
    assert "scores-of-other-judgments" not in codes(folder)
    assert adjudge.open(folder / "e").scores().measures == ("words",)
    again = called(folder, "score", "e", "-m", SPEC)  # now there is nothing to take away
    assert again.returncode == 1
    assert "needs judgments, and there are none" in again.stderr


def test_the_bare_name_takes_all_its_scores_away(folder: Path) -> None:
    remove(folder)
    scored = called(folder, "score", "e", "-m", "rating", "-m", "words")
    assert f"{SPEC}: 0 scores, 3 gone" in scored.stdout, scored.stderr
    assert "words: 6 scores, 3 topics kept" in scored.stdout


def test_where_other_judgments_are_left(folder: Path) -> None:
    first = protocol(folder)
    (folder / "own.toml").write_text(
        'name = "own"\nversion = "1"\nkind = "rating"\ntitle = "Own"\n\n[[aspects]]\nkey = "wit"\nask = "Witty?"\n'
        'choices = [{ value = 1, label = "no" }, { value = 2, label = "yes" }]\n',
        encoding="utf-8",
    )
    (folder / "own.csv").write_text("task,worker,label\nt1/a,w1,1\nt1/b,w1,2\n", encoding="utf-8")
    words = ("own.csv", "e", "--aspect", "wit", "--protocol", "own.toml")
    assert called(folder, "judgments", "import", "crowd", *words).returncode == 0
    adjudge.open(folder / "e").remove_judgments(first, "a pilot")
    scored = called(folder, "score", "e", "-m", SPEC)
    assert f"{SPEC}: 0 scores, 3 gone" in scored.stdout, scored.stderr


def test_a_store_that_is_gone_altogether_is_noticed(folder: Path) -> None:
    (folder / "e" / "judgments.sqlite").unlink()
    assert "scores-of-other-judgments" in codes(folder)


def test_an_answer_that_came_later_is_noticed(folder: Path) -> None:
    (folder / "more.csv").write_text("task,worker,label\nt2/a,w2,3\n", encoding="utf-8")
    assert (
        called(folder, "judgments", "import", "crowd", "more.csv", "e", "--aspect", "fluency").returncode == 0
    )
    found = [f for f in adjudge.open(folder / "e").check().findings if f.code == "scores-of-other-judgments"]
    assert [f.where for f in found] == [("t2",)]
