"""The command line as people use it: every example runs as printed, mistakes are one line, JSON is JSON."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.cli.app import COMMANDS, EXAMPLES

ADJUDGE = [sys.executable, "-c", "from adjudge.cli import main; main()"]
Run = Callable[..., subprocess.CompletedProcess[str]]


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ADJUDGE, *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, scored, and a file for every importer."""
    folder = tmp_path_factory.mktemp("cli")
    assert call(folder, "demo", "my-eval").returncode == 0
    assert call(folder, "score", "my-eval").returncode == 0
    rating = {"coherence": 3, "consistency": 5, "fluency": 4, "relevance": 2}
    (folder / "model_annotations.jsonl").write_text(json.dumps({
        "id": "cnn-1", "model_id": "M1", "decoded": "A summary.", "text": "The source.",
        "references": ["One."], "expert_annotations": [rating] * 3, "turker_annotations": [rating] * 5,
    }))  # fmt: skip
    (folder / "outputs.jsonl").write_text(
        "".join(json.dumps({"id": f"d{k:02}", "decoded": f"Output {k}."}) + "\n" for k in range(1, 13))
    )
    for name in ("baseline-7", "tuned-7"):
        rows = [f'd{k:02},"A text, by {name}, on {k}."' for k in range(1, 13)]
        (folder / f"{name}.csv").write_text("\n".join(["topic,summary", *rows]))
    (folder / "summaries-sacrerouge.jsonl").write_text(json.dumps({
        "instance_id": "d01", "summarizer_id": "7", "summarizer_type": "peer", "summary": {"text": "A peer."},
        "references": [],
    }))  # fmt: skip
    (folder / "duc-docs" / "d061j").mkdir(parents=True)
    (folder / "duc-docs" / "d061j" / "AP880911-0016").write_text(
        "<DOC>\n<DOCNO> AP880911-0016 </DOCNO>\n<TEXT>\nGilbert came nearer.\n</TEXT>\n</DOC>\n"
    )
    (folder / "summaries" / "peers").mkdir(parents=True)
    (folder / "summaries" / "models").mkdir()
    (folder / "summaries" / "peers" / "D1.P1").write_text("The storm came on Monday.\n")
    (folder / "summaries" / "models" / "D1.A").write_text("A storm came.\n")
    (folder / "settings.xml").write_text(
        '<ROUGE-EVAL version="1.0"><EVAL ID="D1"><PEER-ROOT>summaries/peers</PEER-ROOT>'
        "<MODEL-ROOT>summaries/models</MODEL-ROOT>"
        '<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS><P ID="P1">D1.P1</P></PEERS>'
        '<MODELS><M ID="A">D1.A</M></MODELS></EVAL></ROUGE-EVAL>'
    )
    (folder / "rouge.txt").write_text("lead ROUGE-2 Eval d01.lead R:0.10000 P:0.20000 F:0.13333\n")
    (folder / "summary.txt").write_text("The storm came on Monday.")
    (folder / "model-a.txt").write_text("A storm came.")
    (folder / "model-b.txt").write_text("On Monday there was a storm.")
    (folder / "bertscore.csv").write_text("system,topic,measure,value\nlead,d01,bertscore,0.9\n")
    return folder


@pytest.fixture
def here(template: Path, tmp_path: Path) -> Path:
    shutil.copytree(template, tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def run(here: Path) -> Run:
    def adjudge(*arguments: str) -> subprocess.CompletedProcess[str]:
        return call(here, *arguments)

    return adjudge


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_example_runs_as_printed_and_stands_in_the_help(here: Path, command: str) -> None:
    example = EXAMPLES[command]
    shown = call(here, *command.split(), "--help").stdout
    assert " ".join(example.split()) in " ".join(shown.replace("│", " ").split())
    done = call(here, *shlex.split(example)[1:])
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert done.stdout


JSON_CALLS = [
    "init other", "demo other", "check my-eval", "show my-eval", "show my-eval --topic d01 --system lead",
    "withdraw my-eval --system vague --why x", "rename my-eval --topic d01 --to x1 --why x",
    "remove my-eval --system vague --why x", "units my-eval", "baselines my-eval", "measures",
    "measures rouge-2", "score my-eval",
    "rouge --peer summary.txt --reference model-a.txt -m rouge-1", "scores my-eval", "scores my-eval -m rouge-1",
    "scores my-eval -m rouge-1 --matrix", "compare my-eval", "report my-eval",
    "import jsonl outputs.jsonl my-eval", "import scores bertscore.csv my-eval --dry-run",
]  # fmt: skip


@pytest.mark.parametrize("line", JSON_CALLS)
def test_json_is_json_and_nothing_else(run: Run, line: str) -> None:
    if "lead" in line:
        assert run("baselines", "my-eval").returncode == 0
    done = run(*line.split(), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) not in ({}, [])


def test_every_command_has_json() -> None:
    covered = {line.split()[0] for line in JSON_CALLS}
    assert {c.name for c in COMMANDS} - covered == {"rouge155"}  # it prints what the original prints


MISTAKES = [
    (2, "score my-eval -m rogue-2", 'no measure "rogue-2" (nearest: "rouge-2"'),
    (2, "show my-eval --topic d1", 'no topic "d1" (nearest: "d'),
    (2, "compare my-eval --test z", '--test is "z", expected one of: wilcoxon, t'),
    (2, "compare my-eval --length 50", "rouge-1 has no scores at length 50; it has: 100"),
    (
        1,
        "compare my-eval -m rouge-7",
        'rouge-7 has not been scored here; run: adjudge score ... -m "rouge-7"',
    ),
    (1, "rouge --peer none.txt --reference model-a.txt", "none.txt: cannot be read: No such file"),
    (2, "rouge --peer summary.txt --reference model-a.txt -m words", "words is not a ROUGE"),
    (1, "check nowhere", "nowhere: no such folder; make an evaluation with: adjudge init nowhere"),
    (1, "check .", "no evaluation here (neither evaluation.toml nor summaries.jsonl)"),
    (1, "init my-eval", "my-eval: an evaluation is here already"),
    (1, "demo my-eval", "my-eval: an evaluation is here already"),
    (1, "import jsonl nothing.jsonl my-eval", "nothing.jsonl"),
    (2, "import jsonl outputs.jsonl my-eval --map text", '--map is "text", expected FIELD=COLUMN'),
    (2, "import jsonl outputs.jsonl my-eval --replace --skip", "--replace and --skip exclude each other"),
    (2, "import jsonl outputs.jsonl my-eval --max-line huge", '--max-line is "huge"'),
    (
        1,
        "import jsonl outputs.jsonl my-eval --max-line 10",
        "outputs.jsonl:1: the line is longer than 10 bytes",
    ),
    (2, "withdraw my-eval --why x", "say which: --system, --topic, or both"),
    (2, "scores my-eval --matrix", "--matrix takes one measure: name it with -m"),
    (2, "score my-eval --workers none", '--workers is "none"'),
]


@pytest.mark.parametrize(("code", "line", "said"), MISTAKES, ids=[m[1] for m in MISTAKES])
def test_a_mistake_is_one_line_with_the_right_exit_code(run: Run, code: int, line: str, said: str) -> None:
    done = run(*line.split())
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.startswith("adjudge: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_an_unknown_command_or_option_exits_with_2(run: Run) -> None:
    for line in ("scroe my-eval", "score --nope my-eval", "score", "compare my-eval --seed -1"):
        done = run(*line.split())
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_check_exits_with_1_on_errors_only(here: Path, run: Run) -> None:
    assert run("check", "my-eval").returncode == 0
    path = here / "my-eval" / "summaries.jsonl"
    path.write_text(path.read_text() + '{"topic": "d01"}\n')
    done = run("check", "my-eval")
    assert done.returncode == 1
    assert 'summaries.jsonl:133: no "system"' in done.stdout
    assert json.loads(run("check", "my-eval", "--json").stdout)["errors"] == 1


def test_scores_export_long_and_as_a_matrix(here: Path, run: Run) -> None:
    assert run("scores", "my-eval", "--csv", "long.csv").returncode == 0
    with (here / "long.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert ",".join(rows[0]) == "measure,topic,system,length,assessor,reference,repeat,value,why"
    assert len(rows) == 2 * 9 * 12
    run("scores", "my-eval", "-m", "rouge-1", "--matrix", "--csv", "matrix.csv")
    with (here / "matrix.csv").open(encoding="utf-8", newline="") as stream:
        matrix = list(csv.DictReader(stream))
    assert len(matrix) == 12
    cell = next(r for r in rows if (r["measure"], r["topic"], r["system"]) == ("rouge-1", "d05", "ada"))
    assert matrix[4]["ada"] == cell["value"]
    assert run("scores", "my-eval", "-m", "rouge-2", "--csv", "-").stdout.startswith("measure,topic,system")


def test_compare_prints_a_league_table_its_signature_and_its_pairs(here: Path, run: Run) -> None:
    done = run("compare", "my-eval", "-m", "rouge-2")
    lines = done.stdout.splitlines()
    assert lines[0] == "rouge-2, 100 words (higher is better, 12 topics)"
    assert lines[1].split() == ["system", "kind", "topics", "mean", "95%", "interval", "group"]
    assert lines[-1].startswith(
        "rouge-2|stat:recall|stem:porter-155|stop:none|words:rouge|limit:none|refs:3-4:pooled|v:"
    )
    assert "seed:0" in lines[-1]
    words = run("compare", "my-eval", "-m", "rouge-2", "--pairs").stdout
    assert "fluent is better than vague (paired Wilcoxon, exact, p = .0" in words
    assert run("compare", "my-eval", "-m", "rouge-2", "--latex").stdout.startswith(r"\begin{tabular}")
    run("compare", "my-eval", "-m", "rouge-2", "--csv", "pairs.csv")
    with (here / "pairs.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 2 * 36


def test_seeds_and_workers(here: Path, run: Run) -> None:
    first = run("compare", "my-eval", "-m", "rouge-1", "--seed", "3", "--json").stdout
    assert run("compare", "my-eval", "-m", "rouge-1", "--seed", "3", "--json").stdout == first
    assert run("compare", "my-eval", "-m", "rouge-1", "--seed", "4", "--json").stdout != first
    files = sorted((here / "my-eval" / "scores").iterdir())
    before = [f.read_bytes() for f in files]
    assert run("score", "my-eval", "--again", "--workers", "2").returncode == 0
    assert [f.read_bytes() for f in files] == before


def test_scoring_after_a_change_says_what_was_stale(here: Path, run: Run) -> None:
    path = here / "my-eval" / "summaries.jsonl"
    path.write_text(path.read_text().replace("Velanu", "Velana", 1))
    warned = run("compare", "my-eval", "-m", "rouge-1").stderr
    assert "note: rouge-1 is out of date: 1 topic changed since (d05)" in warned
    assert "1 had changed (d05), 11 topics kept" in run("score", "my-eval").stdout
    assert "out of date" not in run("compare", "my-eval", "-m", "rouge-1").stderr


def test_withdrawn_is_named_in_the_output(run: Run) -> None:
    run("withdraw", "my-eval", "--system", "vague", "--why", "wrong prompt")
    done = run("score", "my-eval", "-m", "rouge-1")
    assert "note: vague: 12 withdrawn summaries left out (wrong prompt)" in done.stderr
    assert "vague" not in run("compare", "my-eval", "-m", "rouge-1").stdout
    assert "vague: 12 withdrawn" in run("show", "my-eval").stdout
    assert "withdrawn: wrong prompt" in run("show", "my-eval", "--system", "vague").stdout


def test_output_stops_when_nobody_reads_it(here: Path) -> None:
    command = f"{shlex.join([*ADJUDGE, 'show', 'my-eval', '--system', 'ada'])} | head -1"
    done = subprocess.run(["sh", "-c", command], cwd=here, capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_version(run: Run) -> None:
    assert run("--version").stdout.startswith("adjudge 0.")
