"""adjudge judge report: every form, every source; the page shows real output; what cannot be is said in one line."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from tests.approving import CheckPage
from tests.cli.running import called
from tests.conftest import few_topics

import adjudge
from adjudge.core.errors import UsageError
from adjudge.data.layout import SCORES
from adjudge.data.reading import reading_once

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
FEW = ("--resamples", "100")


@pytest.fixture(scope="module")
def folder(
    once: Callable[[str, Callable[[Path], object]], Path],
    judged_demo: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    """The judged demo with three measures, and a learned judge that has answered; no test adds answers to it, so they
    are read once."""
    made = once("dossier", partial(fill, judged_demo))
    with reading_once():
        yield Path(shutil.copytree(made, tmp_path_factory.mktemp("dossier") / "here"))


def fill(judged_demo: Path, path: Path) -> None:
    shutil.copytree(judged_demo, path / "my-eval")
    e = adjudge.open(path / "my-eval")
    e.score("rouge-1", "rouge-2", "js")
    e.train_judge("duc-2002", resamples=10).judge.save(path / "judge.json")
    e.apply_judge(path / "judge.json", name="tree")
    rows = [
        (f"t{t}", f"s{s}", who, min(5, max(1, (t * 7 + s * 3 + add) % 5 + 1)))
        for t in range(12)
        for s in range(5)
        for who, add in (("ann", 0), ("bob", t % 2), ("cay", s % 2), ("gpt", (t + s) % 2))
    ]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"]).assign(measure="overall")
    frame.to_csv(path / "ratings.csv", index=False)


@pytest.fixture(autouse=True)
def _there(folder: Path) -> Iterator[None]:
    with chdir(folder):
        yield


def test_the_page_shows_real_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch, check_page: CheckPage
) -> None:
    monkeypatch.setenv("COLUMNS", "118")
    assert check_page("judges.md", "", lambda line: called(folder, *line.split())) == 1


def test_the_pages_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(code, {"adjudge": adjudge})
    said = "tree on completeness: order better than ROUGE-1, but below a person's; level 0.02 below"
    assert said in capsys.readouterr().out


def test_without_a_name_all_programs(folder: Path) -> None:
    done = called(folder, "judge", "report", "my-eval", "--json", *FEW)
    (found,) = json.loads(done.stdout)
    assert found["judge"] == "tree"
    assert list(found["parts"]) == ["agreement", "ranking", "alternative", "effects"]
    assert [card["kind"] for card in found["cards"]] == ["learned"]


def test_a_folder_a_file_and_a_frame_say_the_same(folder: Path) -> None:
    done = called(folder, "judge", "report", "ratings.csv", "gpt", "--json", *FEW)
    of_file = json.loads(done.stdout)[0]["parts"]["agreement"]["tables"]
    frame = pd.read_csv(folder / "ratings.csv")
    of_frame = adjudge.judge_report(frame, "gpt", resamples=100)[0].as_dict()["parts"]["agreement"]["tables"]
    assert of_file == json.loads(json.dumps(of_frame))
    kinds = [row["kind"] for row in of_file["judge-agreement-overall"]]
    assert kinds.count("assessor") == 3
    assert {"judge", "people", "constant", "random", "length", "measure"} <= set(kinds)


def test_a_part_shows_its_tables(folder: Path) -> None:
    done = called(folder, "judge", "report", "ratings.csv", "gpt", "--part", "agreement", *FEW)
    assert "weighted kappa" in done.stdout
    assert "Does it rank systems" not in done.stdout


def test_files_and_a_page(folder: Path) -> None:
    done = called(folder, "judge", "report", "ratings.csv", "gpt", "-o", "page", "--csv", "rows.csv", *FEW)
    assert done.returncode == 0, done.stderr
    page = (folder / "page" / "index.html").read_text(encoding="utf-8")
    assert "What is it worth?" in page
    assert "gpt on overall" in page
    assert {path.name for path in (folder / "page").iterdir()} == {
        "index.html",
        "judges.tex",
        *(f"1-gpt-{part}.csv" for part in ("agreement", "ranking", "alternative", "effects")),
    }
    assert set(pd.read_csv(folder / "rows.csv")["judge"]) == {"gpt"}


def test_several_judges_and_their_panel(folder: Path) -> None:
    line = ("judge", "report", "ratings.csv", "gpt", "cay", "--panel", "mean", "-o", "page", *FEW)
    assert called(folder, *line).returncode == 0
    names = {path.name for path in (folder / "page").iterdir()}
    assert {"index.html", "1-gpt.html", "2-cay.html", "3-panel-mean-of-gpt-and-cay-panel.csv"} <= names
    index = (folder / "page" / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}"' in index for name in names if re.fullmatch(r"\d-.*\.html", name))
    one = called(folder, "judge", "report", "ratings.csv", "gpt", "-o", "page", *FEW)
    assert one.returncode == 0
    assert not (folder / "page" / "2-cay.html").exists()  # of another report


def test_hostile_names_are_escaped(folder: Path) -> None:
    frame = pd.read_csv(folder / "ratings.csv").replace({"assessor": {"gpt": "<script>x</script>"}})
    frame.to_csv(folder / "hostile.csv", index=False)
    line = ("judge", "report", "hostile.csv", "<script>x</script>", "-o", "hostile", *FEW)
    assert called(folder, *line).returncode == 0
    page = (folder / "hostile" / "index.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("form", ["--latex", "--markdown"])
def test_for_papers(folder: Path, form: str) -> None:
    done = called(folder, "judge", "report", "ratings.csv", "gpt", form, *FEW)
    assert done.returncode == 0
    assert ("tabular" if form == "--latex" else "|") in done.stdout


def test_a_judges_scores_are_never_shown_without_its_verdict(folder: Path, tmp_path: Path) -> None:
    e = adjudge.open(few_topics(shutil.copytree(folder / "my-eval", tmp_path / "few")))
    e.score("coverage(by=tree)")
    verdict = "tree on completeness: order not shown to be better than length (a person is); level"
    done = called(tmp_path, "compare", "few", "-m", "coverage(by=tree)")
    assert verdict in " ".join(done.stderr.split())
    e.report(tmp_path / "report", "coverage(by=tree)")
    assert verdict in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_the_signature_says_what_was_looked_at() -> None:
    found = adjudge.judge_report("ratings.csv", "gpt", resamples=50, question="overall", without="bob")
    assert found[0].signature.startswith(
        "judge report(without=bob, judges=gpt, question=overall, resamples=50)|"
    )


MISTAKES = [
    ("judge report ratings.csv", "a table does not say who is a program"),
    ("judge report ratings.csv gtp", 'no answers by "gtp"'),
    (
        "judge report ratings.csv gpt --part verdict",
        '--part is "verdict"; expected one of: agreement, ranking',
    ),
    ("judge report ratings.csv gpt --panel mean", "a panel has two judges or more"),
    ("judge report ratings.csv gpt --panel median", '--panel is "median"'),
    ("judge report ratings.csv gpt -q fluency", 'no judge answered "fluency"'),
    ("judge report ratings.csv gpt --margin 2", "--margin is 2"),
    ("judge report ratings.csv gpt --epsilon 1", "--epsilon is 1"),
    ("judge report ratings.csv gpt --json --latex", "both print"),
    ("judge report my-eval tree -o my-eval", "is an evaluation"),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES)
def test_mistakes_are_one_line(folder: Path, line: str, said: str) -> None:
    done = called(folder, *line.split())
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_result_shows_itself(folder: Path) -> None:
    found = adjudge.judge_report("ratings.csv", "gpt", resamples=50)
    assert "gpt" in repr(found)
    assert "<table" in found._repr_html_()
    assert found.of("gpt").judge == "gpt"
    with pytest.raises(UsageError, match="no dossier of 'ann'"):
        found.of("ann")
    with pytest.raises(UsageError, match='no part "verdict"'):
        found.of("gpt")["verdict"]
    assert (folder / "my-eval" / SCORES).exists()  # nothing was written there but scores
