"""adjudge rouge: line files as people have them, the numbers of rouge-score and sacrebleu, and the comparison."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from statistics import fmean

import pytest
from rouge_score import rouge_scorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from tests.approving import CheckPage
from tests.cli.running import called, examples

from adjudge.cli import main
from adjudge.cli.app import COMMANDS, arranged
from adjudge.measures.presets import PRESETS, USUAL
from adjudge.measures.registry import parse_measure

SUBJECTS = ("The storm", "A flood", "The mayor", "Nobody", "The dam", "Our team", "Rain", "The court")
REF = [f"{s} came to the city on Monday, and {n} people left." for n, s in enumerate(SUBJECTS * 2)]
REF2 = [f"On Monday {s.lower()} reached town; {n} persons had gone." for n, s in enumerate(SUBJECTS * 2)]
A = [f"{s} came to the city and {n} people left on Monday." for n, s in enumerate(SUBJECTS * 2)]
B = [f"{s} was not in town; {n % 5} people stayed." for n, s in enumerate(SUBJECTS * 2)]
PAGE = (Path(__file__).parents[2] / "docs" / "rouge.md").read_text(encoding="utf-8")
TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name, lines in (("a", A), ("b", B), ("ref", REF), ("ref2", REF2)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def run(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    done = called(folder, *shlex.split(line))
    assert done.returncode == 0, done.stderr
    return done


def refused(folder: Path, line: str) -> str:
    done = called(folder, *shlex.split(line))
    assert done.returncode in (1, 2), done.stdout
    assert done.stderr.count("\n") == 1
    return done.stderr


def means(done: subprocess.CompletedProcess[str]) -> dict[tuple[str, str], float]:
    return {(row["measure"], row["system"]): row["mean"] for row in json.loads(done.stdout)["means"]}


@pytest.mark.parametrize("references", [("ref.txt",), ("ref.txt", "ref2.txt")])
def test_the_numbers_are_those_of_rouge_score(here: Path, references: tuple[str, ...]) -> None:
    several = " ".join(f"--reference {name}" for name in references)
    found = means(run(here, f"rouge a.txt b.txt {several} --json"))
    scorer = rouge_scorer.RougeScorer(list(TYPES), use_stemmer=True)
    lines = {name: (here / name).read_text().splitlines() for name in ("a.txt", "b.txt", *references)}
    for system in ("a", "b"):
        targets = zip(*(lines[name] for name in references), strict=True)
        theirs = [
            scorer.score_multi(list(own), text)
            for own, text in zip(targets, lines[f"{system}.txt"], strict=True)
        ]
        for spec, name in zip(USUAL, TYPES, strict=True):
            for stat, field in (("f", "fmeasure"), ("recall", "recall"), ("precision", "precision")):
                own = str(parse_measure(f"{spec}(stat={stat})"))
                wanted = fmean(getattr(each[name], field) for each in theirs)
                assert found[own, system] == pytest.approx(wanted, abs=1e-9)


def test_the_numbers_are_those_of_sacrebleu(here: Path) -> None:
    done = run(here, "rouge a.txt --reference ref.txt --reference ref2.txt -m bleu,chrf,ter")
    signed = run(
        here, "rouge a.txt --reference ref.txt --reference ref2.txt -m bleu,chrf,ter --show-signature"
    )
    for metric, name in ((BLEU(), "BLEU"), (CHRF(), "chrF"), (TER(), "TER")):
        wanted = metric.corpus_score(A, [REF, REF2]).score
        assert re.search(rf"^{name} .* {wanted:.4f}$", done.stdout, re.MULTILINE), done.stdout
        assert f"corpus: {metric.get_signature()}" in signed.stdout
    assert "mean" in done.stdout.splitlines()[1]
    assert "corpus is sacrebleu's number for all texts together" in done.stdout


def test_the_table_names_f_recall_and_precision_and_the_systems_are_compared(here: Path) -> None:
    done = run(here, "rouge a.txt b.txt --reference ref.txt")
    lines = done.stdout.splitlines()
    assert lines[0] == "Means over 16 texts, 1 reference each"
    assert lines[1].split() == ["measure", "system", "F", "recall", "precision"]
    assert [line.split()[0] for line in lines[2:6]] == ["ROUGE-1", "ROUGE-1", "ROUGE-2", "ROUGE-2"]
    assert "ROUGE-2 (higher is better, 16 topics)" in lines
    assert "a is significantly better than b." in lines
    assert max(map(len, lines[:10])) <= 80
    csv_file = run(here, f"rouge a.txt b.txt --reference ref.txt -m '{USUAL[1]}' --csv -").stdout
    rows = list(csv.DictReader(io.StringIO(csv_file)))
    assert {(row["topic"], row["system"]) for row in rows} == {
        (str(n), s) for n in range(1, 17) for s in "ab"
    }
    (here / "lines.csv").write_text(csv_file)
    (apart,) = json.loads(run(here, f"compare lines.csv -m '{USUAL[1]}' --json").stdout)
    (ours,) = json.loads(run(here, f"rouge a.txt b.txt --reference ref.txt -m '{USUAL[1]}' --json").stdout)[
        "comparisons"
    ]
    assert [p["p_adjusted"] for p in ours["tables"]["pairs"]] == [
        p["p_adjusted"] for p in apart["tables"]["pairs"]
    ]
    assert (
        "Differences between systems (paired t)"
        in run(here, "rouge a.txt b.txt --reference ref.txt --pairs --test t").stdout
    )
    assert r"\begin{tabular}" in run(here, "rouge a.txt b.txt --reference ref.txt --latex").stdout
    first = run(here, "rouge a.txt b.txt --reference ref.txt -m rouge-1,rouge-2 --primary rouge-2").stdout
    assert "The claim rests on the primary measure, ROUGE-2." in first
    together = run(here, "rouge a.txt b.txt --reference ref.txt --across measures").stdout
    assert together.endswith("corrected over all measures together (4 pairs).\n")


def test_one_system_has_intervals(here: Path) -> None:
    lines = run(here, "rouge b.txt --reference ref.txt -m rouge-1").stdout.splitlines()
    assert lines[1].split()[:2] == ["measure", "F"]
    assert re.search(r"ROUGE-1( +0\.\d{4}){3} +0\.\d{4} to [01]\.\d{4}$", lines[2])


def test_patterns_are_expanded_here_too(here: Path) -> None:
    (here / "runs").mkdir()
    for name in ("system_b", "system_a"):
        (here / "runs" / f"{name}.txt").write_text((here / f"{name[-1]}.txt").read_text())
    done = run(here, "rouge 'runs/system_*.txt' --reference 'ref*.txt' -m rouge-1 --json")
    assert json.loads(done.stdout)["systems"] == ["system_a", "system_b"]
    assert json.loads(done.stdout)["references"] == [2]


def test_encodings_and_packed_files_are_recognised(here: Path) -> None:
    plain = means(run(here, "rouge a.txt --reference ref.txt --json"))
    text = (here / "a.txt").read_text()
    (here / "bom").mkdir()
    (here / "bom" / "a.txt").write_bytes(text.encode("utf-8-sig"))
    (here / "wide").mkdir()
    (here / "wide" / "a.txt").write_bytes(text.replace("\n", "\r\n").encode("utf-16"))
    (here / "gz").mkdir()
    (here / "gz" / "a.txt.gz").write_bytes(gzip.compress(text.encode()))
    (here / "cut").mkdir()
    (here / "cut" / "a.txt").write_text(text.removesuffix("\n"))
    for file in ("bom/a.txt", "wide/a.txt", "gz/a.txt.gz", "cut/a.txt"):
        assert means(run(here, f"rouge {file} --reference ref.txt --json")) == plain, file


def test_blank_lines_are_counted_and_scored_as_empty(here: Path) -> None:
    (here / "c.txt").write_text("".join(f"{line}\n" for line in ["", " ", *A[2:]]))
    done = run(here, "rouge c.txt --reference ref.txt -m rouge-1 --json")
    assert json.loads(done.stdout)["scores"]["rouge-1"]["c"][:2] == [0.0, 0.0]
    shown = run(here, "rouge c.txt --reference ref.txt")
    assert "note: c: 2 of 16 texts are blank, and scored as empty" in shown.stderr


def test_marks_of_sentences_are_line_breaks(here: Path) -> None:
    marked = [line.replace(" and ", " <q> and ") for line in A]
    (here / "m.txt").write_text("\n".join(marked))
    found = run(here, "rouge m.txt --reference ref.txt --json")
    assert "<q> taken as the end of a sentence" in found.stderr
    scorer = rouge_scorer.RougeScorer(["rougeLsum"], use_stemmer=True)
    broken = [line.replace(" <q> ", "\n") for line in marked]
    wanted = [scorer.score(r, t)["rougeLsum"].fmeasure for r, t in zip(REF, broken, strict=True)]
    assert means(found)[USUAL[3], "m"] == pytest.approx(fmean(wanted))
    kept = run(here, "rouge m.txt --reference ref.txt --sentence-mark none --json")
    assert means(kept)[USUAL[0], "m"] < means(found)[USUAL[0], "m"]


def test_whole_texts_and_the_note_that_names_the_other_form(here: Path) -> None:
    done = run(here, "rouge --peer a.txt --reference ref.txt")
    assert done.stdout.startswith("One text against 1 reference\n")
    assert "all have 16 lines" in done.stderr
    assert "adjudge rouge a.txt --reference ref.txt" in done.stderr
    (here / "short.txt").write_text("The storm came.\n")
    (here / "other.txt").write_text("A storm.\n")
    (note,) = run(here, "rouge --peer short.txt --reference other.txt").stderr.splitlines()
    assert note.startswith("note: ROUGE-Lsum equals ROUGE-L here")
    assert run(here, "rouge --peer short.txt --reference ref.txt").stderr == ""


MISTAKES = {
    "rouge a.txt": "no --reference: say adjudge rouge system.txt --reference references.txt",
    "rouge --reference ref.txt": "nothing to score: say adjudge rouge system.txt --reference references.txt",
    "rouge a.txt --peer b.txt --reference ref.txt": "say either --peer FILE or line files",
    "rouge '*.txt' --reference ref.txt": "ref.txt is given as a system and as a reference",
    "rouge a.txt --reference a.txt": "a.txt is given as a system and as a reference",
    "rouge 'x*.txt' --reference ref.txt": '"x*.txt" matches no file',
    "rouge none.txt --reference ref.txt": "none.txt: cannot be read",
    "rouge a.txt --reference none.txt": "none.txt: cannot be read",
    "rouge . --reference ref.txt": "is a folder",
    "rouge a.txt cut.txt --reference ref.txt": "a.txt 16 lines, cut.txt 3 lines, ref.txt 16 lines",
    "rouge empty.txt --reference empty2.txt": "empty.txt: the file is empty, expected a text a line",
    "rouge a.txt --reference ref.txt -m js": "js needs documents, and here are only texts and references",
    "rouge a.txt --reference ref.txt -m coverage": "coverage needs judgments",
    "rouge a.txt --reference ref.txt -m rouge2-recall": 'type "rouge-2-recall" (recall as ROUGE-1.5.5 has it) or',
    "rouge a.txt --reference ref.txt -m bertscore": "adjudge import scores FILE EVALUATION -m bertscore",
    "rouge a.txt --reference ref.txt -m rouge-1,": "names a measure that is empty",
    "rouge a.txt --reference ref.txt --test z": 'the test is "z"',
    "rouge a.txt b.txt --reference ref.txt --test z": 'the test is "z"',
    "rouge latin.txt --reference ref.txt": "latin.txt:1",
    "rouge a.txt --reference ref.txt ref2.txt": "ref2.txt stands after --reference ref.txt",
    "rouge t.csv --reference t.csv.gz": "t.csv is named as a table with columns: adjudge import t.csv EVALUATION",
    "rouge a.txt --reference json.txt": "json.txt holds JSON, expected a text a line: adjudge import json.txt",
    "rouge a.txt --reference rows.txt": "rows.txt is a Parquet file, expected a text a line",
    "rouge q.txt --reference ref.txt -m rougge": 'no measure "rougge"',
}


@pytest.mark.parametrize(("line", "said"), MISTAKES.items())
def test_mistakes_are_one_line_that_says_what_to_type(here: Path, line: str, said: str) -> None:
    (here / "cut.txt").write_text("\n".join(A[:3]))
    (here / "empty.txt").write_text("")
    (here / "t.csv").write_text("id,text\n" * 16)
    (here / "q.txt").write_text("a <q> b\n" * 16)
    (here / "json.txt").write_text('{"text": "a"}\n' * 16)
    (here / "rows.txt").write_bytes(b"PAR1....PAR1")
    (here / "empty2.txt").write_text("")
    (here / "latin.txt").write_bytes("\n".join(A).replace("The", "Thé").encode("latin-1"))
    assert said in refused(here, line)


def test_the_page_shows_what_is_printed(tmp_path: Path, check_page: CheckPage) -> None:
    for name, text in re.findall(r"```text (\S+)\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / name).write_text(text)
    assert check_page("rouge.md", "", lambda line: run(tmp_path, line)) == 1
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    with chdir(tmp_path), redirect_stdout(io.StringIO()) as out:
        exec(code, {})
    assert out.getvalue().startswith("Means over 3 texts, 1 to 2 references each")


# Measures by name, in other commands


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    run(folder, "demo e")
    run(folder, "score e -m rouge-score,tac,rouge-1,Rouge-2")
    return folder


def test_presets_and_lists_are_taken_by_every_command(demo: Path) -> None:
    for command in ("compare", "groups", "topics", "anova", "scores"):
        found = json.loads(run(demo, f"{command} e -m TAC --json").stdout)
        assert {each["measure"] for each in found} == set(PRESETS["tac"]), command
        found = json.loads(run(demo, f"{command} e -m ROUGE-1,rouge-2 --json").stdout)
        assert {each["measure"] for each in found} == {"rouge-1", "rouge-2"}, command
    (demo / "long.csv").write_text(run(demo, "scores e --csv -").stdout)
    found = json.loads(run(demo, "compare long.csv -m tac,rouge-1 --json").stdout)
    assert {each["measure"] for each in found} == {*PRESETS["tac"], "rouge-1"}
    run(demo, "report e -m tac,rouge-2 -o out")
    assert "ROUGE-SU4 recall, first 100 words" in (demo / "out" / "index.html").read_text()
    assert json.loads(run(demo, "plan e -m rouge-1,rouge-2 --difference 0.05 --simulations 50 --json").stdout)


def test_a_name_with_a_comma_that_is_there_is_taken_whole(tmp_path: Path) -> None:
    rows = "".join(f'{t},{s},"mean, pooled",{len(s) * t}\n' for t in range(1, 5) for s in ("a", "bb"))
    (tmp_path / "scores.csv").write_text(f"topic,system,measure,value\n{rows}")
    (found,) = json.loads(run(tmp_path, "compare scores.csv -m 'Mean, pooled' --json").stdout)
    assert found["measure"] == "mean, pooled"


def test_without_measures_the_field_s_are_chosen_and_duc_is_told_of_tac(tmp_path: Path) -> None:
    run(tmp_path, "demo e")
    done = run(tmp_path, "score e")
    assert [line.partition(": ")[0] for line in done.stdout.splitlines()] == [*USUAL, "next"]
    assert "-m tac" not in done.stderr
    assert done.stderr.count("refs=jackknife is fair to all") == 1
    for names in (("D0601", "D0602A"), ("D1001A-A", "d061j")):
        folder = tmp_path / names[0]
        folder.mkdir()
        rows = [
            json.dumps({"topic": t, "system": s, "text": "A storm came.", "roles": [r]})
            for t in names
            for s, r in (("x", "peer"), ("m", "reference"))
        ]
        (folder / "summaries.jsonl").write_text("\n".join(rows))
        said = run(tmp_path, f"score {names[0]}").stderr
        assert said.count("ROUGE as they ran it is -m tac (recall, first 100 words)") == 1
        assert "tac" not in run(tmp_path, f"score {names[0]} -m rouge-2").stderr


# Lists and help


def test_lists_fit_a_terminal_of_80_columns(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(demo)
    for line in ("measures", "scores e", "measures tac", "measures rouge-score"):
        monkeypatch.setattr("sys.argv", ["adjudge", *line.split()])
        monkeypatch.setattr("sys.stdout", shown := Terminal())
        main()
        assert 60 < max(map(len, shown.getvalue().splitlines())) <= 80, line
    monkeypatch.undo()


def test_lists_show_presets(demo: Path) -> None:
    listed = run(demo, "measures").stdout
    for preset in PRESETS:
        assert re.search(rf"^{preset} ", listed, re.MULTILINE)
        assert preset in {each["measure"] for each in json.loads(run(demo, "measures --json").stdout)}
    shown = run(demo, "scores e").stdout
    assert re.search(r"^ROUGE-2 +\d", shown, re.MULTILINE)
    assert "\n  rouge-2-recall(limit=100w)\n" in shown


@pytest.mark.parametrize("command", ["", *examples()])
def test_help_names_no_type_for_what_is_there_or_not(tmp_path: Path, command: str) -> None:
    shown = run(tmp_path, f"{command} --help").stdout
    assert "<bool>" not in shown
    assert "BOOLEAN" not in shown
    assert "--help" in shown


def test_the_types_would_be_noticed() -> None:
    command = next(each for each in COMMANDS if each.name == "score").load()
    flags = [option for option in command.params if getattr(option, "is_flag", False)]
    assert flags
    for option in flags:
        assert option.metavar == ""
        option.metavar = None
    assert all(option.metavar == "" for option in arranged(command).params if option in flags)


COMPLETED = {
    "adjudge sc": {"score", "scores"},
    "adjudge score e -m rouge-l": {"rouge-l", "rouge-l-recall", "rouge-lsum", "rouge-lsum-recall"},
    "adjudge score e -m ta": {"tac"},
    "adjudge compare e -m rouge-1,rouge-w": {"rouge-1,rouge-w"},
    "adjudge compare e --against ra": {"random"},
    "adjudge show e --system gr": {"greedy-best"},
    "adjudge assign e --protocol du": {"duc-2001", "duc-2002"},
    "adjudge measures ch": {"chrf"},
}


@pytest.mark.parametrize(("line", "wanted"), COMPLETED.items())
def test_shells_complete_commands_measures_systems_and_protocols(
    demo: Path, line: str, wanted: set[str]
) -> None:
    code = "import sys; sys.argv = ['adjudge']; from adjudge.cli import main; main()"
    asked = {
        "_ADJUDGE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
        "_TYPER_COMPLETE_ARGS": line,
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=demo,
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(done.stdout.split()) == wanted, done.stderr
