"""Judgments of an evaluation's folder, from the store to the scores: in a file, and in a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import called
from tests.conftest import few_topics

import adjudge
from adjudge.core.errors import StoreUnavailable, UsageError
from adjudge.demo.build import build


def demo(path: Path, database: str | None = None) -> adjudge.evaluation.Evaluation:
    build(path)
    few_topics(path)
    if database:
        settings = path / "evaluation.toml"
        settings.write_text(
            settings.read_text(encoding="utf-8") + f'\ndatabase = "{database}"\n', encoding="utf-8"
        )
    return adjudge.open(path)


def test_a_file_and_a_server_give_the_same_scores(tmp_path: Path, new_database: str) -> None:
    found = []
    for name, database in (("file", None), ("server", new_database)):
        e = demo(tmp_path / name, database)
        assert not e.has_judgments or database
        e.simulate_judgments("responsiveness", assessors=2, noise=0.2, seed=3)
        e.score("rating(aspect=overall)", "rating(aspect=content, scale=z)")
        found.append(e.scores().frame)
        assert (e.path / "judgments.sqlite").exists() == (database is None)
    assert found[0].equals(found[1])


def test_check_names_changed_texts_in_a_database_too(tmp_path: Path, new_database: str) -> None:
    e = demo(tmp_path / "e", new_database)
    e.simulate_judgments("rating", assessors=1)
    assert "judged-text-changed" not in {finding.code for finding in e.check().findings}
    path = e.path / "summaries.jsonl"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"text": "', '"text": "Now ', 1), encoding="utf-8"
    )
    (finding,) = [f for f in adjudge.open(e.path).check().findings if f.code == "judged-text-changed"]
    assert finding.count == 1


def test_two_evaluations_share_a_database(tmp_path: Path, new_database: str) -> None:
    first, second = demo(tmp_path / "a", new_database), demo(tmp_path / "b")
    settings = second.path / "evaluation.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("Adjudge demo", "Another demo") + f'\ndatabase = "{new_database}"\n')
    second = adjudge.open(second.path)
    first.simulate_judgments("rating", assessors=1, seed=1)
    assert second.judgments().by_topic == {}
    second.simulate_judgments("rating", assessors=2, seed=1)
    assert sum(map(len, second.judgments().by_topic.values())) == 2 * sum(
        map(len, first.judgments().by_topic.values())
    )


def test_renaming_an_evaluation_keeps_its_judgments(tmp_path: Path) -> None:
    e = demo(tmp_path / "e")
    e.simulate_judgments("rating", assessors=1)
    settings = e.path / "evaluation.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace("Adjudge demo", "Renamed"), encoding="utf-8"
    )
    assert adjudge.open(e.path).judgments().by_topic


def test_a_protocol_of_ones_own_lies_in_the_folder(tmp_path: Path) -> None:
    e = demo(tmp_path / "e")
    with pytest.raises(UsageError, match="no protocol is named"):
        e.protocol()
    (e.path / "mine.toml").write_text(
        'name = "mine"\nversion = "1"\nkind = "rating"\ntitle = "Mine"\n'
        '[[aspects]]\nkey = "tone"\nask = "Tone?"\nchoices = [{ value = 1 }, { value = 2 }, { value = 3 }]\n'
    )
    settings = e.path / "evaluation.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + '\nprotocol = "mine.toml"\n', encoding="utf-8")
    e = adjudge.open(e.path)
    assert e.protocol().name == "mine"
    assert e.protocol("rating").name == "rating"
    e.simulate_judgments(assessors=2, noise=0.3)
    e.score("rating(aspect=tone)")
    assert set(e.scores().frame["value"]) <= {1.0, 2.0, 3.0}


def test_importing_into_an_empty_folder(tmp_path: Path) -> None:
    adjudge.init(tmp_path / "e")
    table = tmp_path / "content.table"
    head = "".join(
        "|  " * k + n + "\n" for k, n in enumerate(["Topic", "Selector", "Assessor", "Summarizer", "Score"])
    )
    rows = "D0601\tA\tB\t1\t2\nD0601\tA\tB\t17\t4\nD0601\tA\tC\t17\t5\nD0602\tD\tD\tE\t5\n"
    table.write_text(f"{head}{'|  ' * 5}\n{rows}")

    def run(*arguments: str) -> str:
        done = called(tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    line = ("judgments", "import", "nist", "content.table", "e", "--aspect", "content")
    assert "4 tasks and 4 answers added" in run(*line)
    assert "0 tasks and 0 answers added\n4 tasks and 4 answers were there already" in run(*line)
    run("score", "e", "-m", "rating(aspect=content)")
    e = adjudge.open(tmp_path / "e")
    matrix = e.matrix("rating(aspect=content)")
    assert matrix.systems == ("1", "17", "E")
    assert matrix.values[0, 1] == 4.5
    assert e.scores().kinds_of(matrix.systems) == {"1": "baseline", "17": "machine", "E": "human"}
    assert e.check().errors == 0
    assert (
        "selector"
        in run("scores", "e", "-m", "rating(aspect=content)", "--tidy", "--csv", "-").splitlines()[0]
    )


def test_pyramids_come_back_out_as_ducviews_files(tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "formats" / "data" / "ducview" / "good"
    adjudge.init(tmp_path / "e")
    for arguments in (
        ["judgments", "import", "ducview", str(source), "e"],
        ["judgments", "export", "e", "out", "--ducview"],
    ):
        assert called(tmp_path, *arguments).returncode == 0
    written = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {name for name in written if name.endswith(".pan")} == {p.name for p in source.glob("*.pan")}
    assert any(name.endswith(".pyr") for name in written)
    empty = adjudge.init(tmp_path / "none")
    empty.store().close()
    done = called(tmp_path, "judgments", "export", "none", "x", "--ducview")
    assert done.returncode == 1
    assert "there are no pyramids to write" in done.stderr


def test_a_database_that_is_not_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_DATABASE", "postgresql://nobody@127.0.0.1:9/nothing")
    e = demo(tmp_path / "e", "postgresql://nobody@127.0.0.1:9/nothing")
    with pytest.raises(StoreUnavailable) as error:
        e.judgments()
    assert "\n" not in str(error.value)
