"""The command line as people use it: every example runs as printed, mistakes are one line, JSON is JSON."""

from __future__ import annotations

import csv
import io
import json
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.running import ADJUDGE, call, called, examples
from tests.waiting import HANG, free_port

import adjudge
from adjudge.assessors.simulated import simulate_judgments
from adjudge.cli.app import COMMANDS

Run = Callable[..., subprocess.CompletedProcess[str]]
DATA = Path(__file__).parent.parent
EXAMPLES = examples()


def judged(folder: Path) -> None:
    """Files of judgments in every format, and simulated ones in the evaluation."""
    drawn = "".join(
        "|  " * k + name + "\n"
        for k, name in enumerate(["Topic", "Selector", "Assessor", "Summarizer", "Score"])
    )
    rows = "".join(f"D0601\tA\tB\t{system}\t{score}\n" for system, score in ((1, 2), (17, 4), ("E", 5)))
    (folder / "content.table").write_text(f"{drawn}{'|  ' * 5}\n{rows}")
    row = "D061 M - 100 J B K x 19 y 0 1 0 0 2 0 0 3 0 0 0 0 0.60 8 5 3 11 .309 .2 .354 .215 .14 .236"
    head = "".join(f"{'| ' * k}c{k}\n" for k in range(33))
    (folder / "duc2002.results").write_text(
        f"SEE results\nphase 1\n\n{head}{'| ' * 33}\n{row.replace(' ', '  ')}\n"
    )
    shutil.copytree(DATA / "formats" / "data" / "ducview" / "good", folder / "pyramids")
    (folder / "crowd.csv").write_text("task,worker,label\nd01/vague,w1,3\nd01/vague,w2,4\nd02/vague,w1,2\n")
    assert called(folder, "units", "my-eval").returncode == 0
    done = called(
        folder, "judge", "simulate", "my-eval", "--protocol", "rating", "--assessors", "2", "--noise", "0.2"
    )
    assert done.returncode == 0, done.stderr
    e = adjudge.open(folder / "my-eval")
    some = dict(list(e.collection.summaries.items())[:4])  # pages have most of all answers
    simulate_judgments(e.folder, replace(e.collection, summaries=some), "duc-2002", assessors=1)
    learned = called(folder, "judge", "train", "my-eval", "--protocol", "duc-2002", "-o", "judge.json")
    assert learned.returncode == 0, learned.stderr
    assert called(folder, "judgments", "export", "my-eval", "judgments.jsonl").returncode == 0
    (folder / "arena.csv").write_text(
        "topic,model_a,model_b,winner,judge\n"
        + "".join(
            f"d{k:02},{a},{b},{('model_a', 'model_b', 'tie')[(k + n) % 3]},{('ann', 'bob')[k % 2]}\n"
            for k in range(1, 13)
            for n, (a, b) in enumerate([("lead", "vague"), ("vague", "fluent"), ("fluent", "lead")])
        )
    )
    assert called(folder, "prefer", "simulate", "my-eval", "--per-topic", "20").returncode == 0
    assert called(folder, "prefer", "sample", "my-eval", "--per-topic", "20").returncode == 0
    for name in ("bert", "carla"):
        assert called(folder, "people", "add", "my-eval", name).returncode == 0


@pytest.fixture(scope="session")
def template(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The demo, scored, and a file for every importer."""
    return once("cli", fill)


def fill(folder: Path) -> None:
    assert called(folder, "demo", "my-eval").returncode == 0
    assert called(folder, "score", "my-eval", "-m", "rouge-1,rouge-2").returncode == 0
    rating = {"coherence": 3, "consistency": 5, "fluency": 4, "relevance": 2}
    (folder / "model_annotations.jsonl").write_text(
        json.dumps(
            {
                "id": "cnn-1",
                "model_id": "M1",
                "decoded": "A summary.",
                "text": "The source.",
                "references": ["One."],
                "expert_annotations": [rating] * 3,
                "turker_annotations": [rating] * 5,
            }
        )
    )
    (folder / "outputs.jsonl").write_text(
        "".join(json.dumps({"id": f"d{k:02}", "decoded": f"Output {k}."}) + "\n" for k in range(1, 13))
    )
    for name in ("baseline-7", "tuned-7"):
        rows = [f'd{k:02},"A text, by {name}, on {k}."' for k in range(1, 13)]
        (folder / f"{name}.csv").write_text("\n".join(["topic,summary", *rows]))
    (folder / "summaries-sacrerouge.jsonl").write_text(
        json.dumps(
            {
                "instance_id": "d01",
                "summarizer_id": "7",
                "summarizer_type": "peer",
                "summary": {"text": "A peer."},
                "references": [],
            }
        )
    )
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
    for name in ("a", "b", "ref"):
        (folder / f"{name}.txt").write_text("".join(f"Line {k} of file {name}.\n" for k in range(8)))
    (folder / "model-b.txt").write_text("On Monday there was a storm.")
    (folder / "matrix.csv").write_text(
        "topic,a,b,H1\n" + "".join(f"t{k},{k},{k + 1},{k + 2}\n" for k in range(8))
    )
    for name in ("system_a", "system_b", "ref1", "ref2", "src"):
        (folder / f"{name}.txt").write_text("".join(f"Rain, by {name}, on {k}.\n" for k in range(8)))
    for part in ("lead", "ours", "reference"):
        (folder / "outputs" / part).mkdir(parents=True)
        for k in range(4):
            (folder / "outputs" / part / f"{k}.txt").write_text(f"Rain, by {part}, on {k}.\n")
    judged(folder)
    (folder / "empty").mkdir()
    (folder / "empty" / "evaluation.toml").write_text('name = "empty"\n')
    (folder / "empty" / "summaries.jsonl").write_text('{"topic": "t", "system": "s", "text": "A."}\n')
    (folder / "lengths.csv").write_text(
        "measure,topic,system,length,value\n"
        + "".join(
            f"coverage,t{k},{s},{n},{(7 * k + 3 * len(s) + n) % 11 / 11}\n"
            for k in range(6)
            for s in ("a", "bb", "ccc")
            for n in (50, 100)
        )
    )
    (folder / "ratings.csv").write_text(
        "topic,system,assessor,value\n"
        + "".join(
            f"t{k},{s},{who},{(7 * k + 3 * len(s)) % 5 + n + k % (n + 2)}\n"
            for k in range(6)
            for s in ("a", "bb", "ccc")
            for n, who in enumerate(("ann", "bob", "cy"))
        )
    )
    (folder / "rated.csv").write_text(
        "measure,topic,system,assessor,value\n"
        + "".join(
            f"{name},t{k},s{s},{who},{value}\n"
            for k in range(6)
            for s in range(7)
            for name, who, value in (
                ("overall", "ann", (3 * s + k) % 5),
                ("overall", "bob", (3 * s + 2 * k) % 5),
                ("rouge-2", "", (s + k) % 7 / 10),
                ("js", "", (2 * s + 3 * k) % 11 / 10),
            )
        )
    )
    (folder / "bertscore.csv").write_text("system,topic,measure,value\nlead,d01,bertscore,0.9\n")


@pytest.fixture
def here(template: Path, tmp_path: Path) -> Path:
    shutil.copytree(template, tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def run(here: Path) -> Run:
    def adjudge(*arguments: str) -> subprocess.CompletedProcess[str]:
        return called(here, *arguments)

    return adjudge


def test_every_command_has_an_example_in_its_help(tmp_path: Path) -> None:
    assert [name for name, example in EXAMPLES.items() if not example.startswith(f"adjudge {name} ")] == []
    shown = called(tmp_path, "compare", "--help").stdout
    assert EXAMPLES["compare"] in shown


def test_the_list_of_commands_says_what_the_commands_say_of_themselves() -> None:
    for command in COMMANDS:
        assert (command.load().help or "").split("\n\n")[0].replace("\n", " ") == command.about


def test_serve_serves_until_it_is_interrupted(here: Path) -> None:
    assert EXAMPLES["serve"].split()[-2:] == ["--port", "8000"]
    port = str(free_port())
    arguments = [*shlex.split(EXAMPLES["serve"])[1:-1], port]
    with subprocess.Popen([*ADJUDGE, *arguments], cwd=here, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = [server.stdout.readline() for _ in range(4)]
        assert f"http://127.0.0.1:{port}/" in said[0]
        assert "Only this computer" in said[1]
        assert f"http://127.0.0.1:{port}/in#" in said[3]
        second = called(here, *arguments)
        assert (second.returncode, second.stderr.count("\n")) == (2, 1)
        assert f"cannot listen on 127.0.0.1, port {port}" in second.stderr
        server.send_signal(signal.SIGINT)
        assert server.wait(HANG) == 0


ALONE = ("init", "score", "compare", "rouge155", "people add")
"""Examples that run in a process of their own, so that nothing another command loaded can help them."""


@pytest.mark.parametrize("command", [name for name in EXAMPLES if name != "serve"])
def test_every_example_runs_as_printed(here: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    example = EXAMPLES[command]
    if command == "judgments confirm":  # which needs a database, and notes it in the user's own folder
        monkeypatch.setenv("XDG_CONFIG_HOME", str(here / "config"))
        with (here / "my-eval" / "evaluation.toml").open("a") as settings:
            settings.write('\ndatabase = "postgresql://adjudge@db.example.org/judgments"\n')
    if command == "undo":
        _withdraw(here)
    done = (call if command in ALONE else called)(here, *shlex.split(example)[1:])
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert done.stdout


JSON_CALLS = [
    "init other",
    "demo other",
    "check my-eval",
    "show my-eval",
    "show my-eval --topic d01 --system lead",
    "withdraw my-eval --system vague --why x",
    "rename my-eval --topic d01 --to x1 --why x",
    "remove my-eval --system vague --why x",
    "undo my-eval",
    "history my-eval",
    "units my-eval",
    "baselines my-eval",
    "measures",
    "measures rouge-2",
    "score my-eval",
    "rouge --peer summary.txt --reference model-a.txt -m rouge-1",
    "rouge a.txt b.txt --reference ref.txt",
    "scores my-eval",
    "scores my-eval -m rouge-1",
    "scores my-eval -m rouge-1 --matrix",
    "compare my-eval",
    "compare matrix.csv",
    "compare my-eval --counts",
    "topics my-eval",
    "agreement my-eval",
    "meta rated.csv --people overall --resamples 50",
    "mismatch my-eval --measure nams",
    "topics matrix.csv",
    "anova my-eval -m rouge-1",
    "anova matrix.csv",
    "groups my-eval",
    "groups matrix.csv --against a",
    "lengths lengths.csv",
    "assessors ratings.csv",
    "compare ratings.csv --without bob",
    "plan my-eval -m rouge-1 --difference 0.05 --simulations 50",
    "simulate --n-topics 8 --simulations 50",
    "stability my-eval",
    "judgments list my-eval",
    "judgments tables my-eval",
    "units my-eval --levels",
    "judgments export my-eval out.jsonl",
    "judgments backup my-eval copy.sqlite",
    "judgments erase my-eval simulated-1",
    "judgments import nist content.table my-eval --aspect content",
    "judgments import see duc2002.results my-eval",
    "judgments import ducview pyramids my-eval",
    "judgments import crowd crowd.csv my-eval --aspect fluency",
    "judgments import records judgments.jsonl my-eval",
    "judgments import summeval model_annotations.jsonl my-eval",
    "judge simulate my-eval --protocol responsiveness",
    "judge train my-eval --protocol duc-2002",
    "judge apply my-eval judge.json",
    "judge llm my-eval --protocol rating --url http://127.0.0.1:9/v1 --model m --dry-run",
    "judge report my-eval simulated-2 --resamples 100",
    "judge drift my-eval simulated-1 simulated-2 --resamples 100",
    "people add my-eval anna",
    "people list my-eval",
    "people suspend my-eval bert",
    "people suspend my-eval bert --restore",
    "people link my-eval bert",
    "assign my-eval --protocol rating --per-summary 2 --dry-run",
    "prefer sample my-eval --per-topic 5",
    "prefer import arena.csv my-eval",
    "prefer export my-eval pairs.csv --open",
    "prefer fit arena.csv",
    "prefer simulate my-eval --per-topic 5",
    "prefer score my-eval --from ref --simulated 50",
    "prefer converge my-eval --people rating(aspect=relevance) --runs 2 --step 50",
    "prefer report my-eval --people rating(aspect=relevance)",
    "report my-eval",
    "import jsonl outputs.jsonl my-eval",
    "import lines system_a.txt --reference ref1.txt lines",
    "import folder outputs texts",
    "import scores bertscore.csv my-eval --dry-run",
    "slices my-eval -m rouge-1",
    "examples my-eval -m rouge-1",
    "figure",
    "figure forest my-eval -m rouge-2",
    "figure all matrix.csv",
    "reproduce duc-2002 my-eval",
]


def _withdraw(here: Path) -> None:
    """Something to undo: units cannot be once they are judged."""
    assert called(here, "withdraw", "my-eval", "--system", "garbled", "--why", "late").returncode == 0


@pytest.mark.parametrize("line", JSON_CALLS)
def test_json_is_json_and_nothing_else(here: Path, line: str) -> None:
    if "lead" in line:
        assert called(here, "baselines", "my-eval").returncode == 0
    if "undo" in line:
        _withdraw(here)
    done = called(here, *line.split(), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) not in ({}, [])


def test_every_command_has_json() -> None:
    covered = {line.split()[0] for line in JSON_CALLS}
    # rouge155 prints what the original prints; serve serves
    assert {c.name for c in COMMANDS} - covered == {"rouge155", "serve"}


MISTAKES = [
    (2, "score my-eval -m rogue-2", 'no measure "rogue-2" (nearest: "rouge-2"'),
    (2, "show my-eval --topic d1", 'no topic "d1" (nearest: "d'),
    (2, "reproduce duc-2001 my-eval", 'no paper "duc-2001" (nearest: "duc-2002")'),
    (2, "compare my-eval --test z", 'the test is "z"; expected one of: wilcoxon, t'),
    (2, "compare my-eval --correct hlom", '--correct is "hlom" (nearest: "holm")'),
    (2, "compare my-eval --against nobody", '--against "nobody": no such system'),
    (2, "compare my-eval --side better", "--side better needs --against SYSTEM"),
    (2, "compare my-eval --among people", '--among is "people"; expected one of: all, machines'),
    (2, "compare my-eval --margin 0", "--margin is 0, expected a number above 0"),
    (2, "compare my-eval --cluster set --test wilcoxon", "say --test t or --test mc, or --cluster none"),
    (
        2,
        "compare my-eval --length long",
        '--length is "long", expected a whole number, 1 or more, or all or unset',
    ),
    (2, "compare my-eval --pool machines", 'compare has no option --pool (nearest: "--pool-humans")'),
    (2, "compare matrix.csv --human X*", '--human "X*": no such system'),
    (1, "compare absent.csv", "absent.csv"),
    (2, "compare matrix.csv --without ann", "says of no score who judged"),
    (2, "anova ratings.csv --without bop", 'no scores by "bop" (nearest: "bob")'),
    (2, "groups my-eval -m rouge-1 --without ann", "says of no score who judged"),
    (2, "assessors matrix.csv", "has no assessors: nobody's judgments can be looked at"),
    (2, "compare my-eval --counts --among machines", "compare --counts takes no --among"),
    (2, "compare my-eval --counts --correct bh", "compare --counts takes no --correct"),
    (
        2,
        "judgments import crowd crowd.csv my-eval --map worker",
        '--map is "worker", expected FIELD=COLUMN',
    ),
    (1, "judgments list empty", "no judgments yet"),
    (2, "judge simulate my-eval", "no protocol is named"),
    (1, "people add my-eval bert", 'person "bert": has an account already, as assessor'),
    (2, "people add my-eval anna --public-url example.org", '--public-url is "example.org"'),
    (1, "people suspend my-eval brt", '"brt" has no account (nearest: "bert")'),
    (1, "people link my-eval nobody", '"nobody" has no account'),
    (
        1,
        "people list empty",
        "empty: nobody yet; add somebody with: adjudge people add empty NAME",
    ),
    (2, "assign my-eval", "no protocol is named"),
    (2, "assign my-eval --protocol rating --per-summary 9", "--per-summary is 9, expected 1 to 2"),
    (2, "assign my-eval --protocol preference-sentences", "their pairs come from `adjudge prefer sample`"),
    (2, "assign my-eval --protocol rating --phase 3", "the phase is 3, expected 1 or 2"),
    (2, "assign my-eval --protocol rating --repeats 2", "--repeats is 2, expected a share from 0 to 0.5"),
    (1, "assign my-eval --protocol rating --assessor nobody", 'no person "nobody"'),
    (2, "assign empty --protocol rating", "there are no assessors: add them with"),
    (1, "prefer fit nothing.csv", "cannot be read"),
    (
        2,
        "prefer fit arena.csv --of systems",
        "--of belongs to a folder; the items of arena.csv are what it names",
    ),
    (2, "prefer sample my-eval --how luck", '--how is "luck"'),
    (2, "prefer export my-eval o.csv --batch 5", "belong to --open"),
    (2, "serve my-eval --root-path adjudge", '--root-path is "adjudge", expected something like /adjudge'),
    (2, "serve my-eval --public-url example.org", '--public-url is "example.org"'),
    (1, "serve nowhere", "nowhere: no such folder"),
    (2, "judge simulate my-eval --protocol duc2002", 'no protocol "duc2002" (nearest: "duc-2002"'),
    (1, "score empty -m coverage", "coverage needs judgments, and there are none"),
    (1, "judgments erase my-eval nobody", "nobody"),
    (1, "judgments import records summary.txt my-eval", "summary.txt:1"),
    (
        2,
        "groups matrix.csv --tested rank",
        '--tested is "rank" (nearest: "ranks"); expected one of: values, ',
    ),
    (2, "groups matrix.csv --contrast a", "expected A-B"),
    (2, "topics matrix.csv --against t99", "t99"),
    (2, "compare my-eval --length 50", "rouge-1 has no scores at length 50; it has: 100"),
    (
        1,
        "compare my-eval -m rouge-7",
        "rouge-7 has not been scored here; run: adjudge score my-eval -m rouge-7",
    ),
    (1, "rouge --peer none.txt --reference model-a.txt", "none.txt: cannot be read: No such file"),
    (2, "rouge --peer summary.txt --reference model-a.txt -m js", "js needs documents"),
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
    (2, "import lines 'nothing*.txt' my-eval", "matches no file in"),
    (2, "import lines 'system_*.txt' 'ref*.txt'", "comes after the files"),
    (1, "import lines system_a.txt system_b.txt", "system_b.txt: is a file, expected an evaluation's folder"),
    (2, "import lines *.txt --reference ref1.txt new", "given as a system and as a reference"),
    (2, "import lines system_a.txt system_b.txt --reference ref1.txt ref2.txt new", "in quotes"),
    (2, "import lines --reference ref1.txt ref2.txt --source src.txt system_a.txt new", "in quotes"),
    (1, "import lines system_a.txt --reference summary.txt new", "system_a.txt 8 lines, summary.txt 1 line"),
    (2, "import lines summaries new", "summaries is a folder: say 'summaries/*.txt'"),
    (2, "import lines matrix.csv new", "adjudge import matrix.csv EVALUATION"),
    (2, "import lines new", "no files to read"),
    (2, "import folder summaries new", "the layout is not clear; say --pattern"),
    (1, "import folder nowhere new", "nowhere: no such folder"),
    (1, "import folder matrix.csv new", "matrix.csv: is a file, expected a folder"),
    (2, "import folder outputs new --pattern {system}{topic}.txt", "with nothing between them"),
    (2, "import folder outputs new --pattern {system}/{topic}.html", "no file below outputs matches"),
    (2, "import folder outputs new --pattern {model}/{topic}.txt", "has {model}"),
    (2, "import folder outputs new --max-size x", '--max-size is "x"'),
    (2, "import lines system_a.txt new --kind person", '--kind is "person"'),
    (2, "import lines system_a.txt new --form poem", '--form is "poem"'),
    (1, "import lines absent.txt new", "absent.txt: cannot be read: No such file"),
    (2, "import lines system_a.txt new --encoding klingon", 'unknown encoding "klingon"'),
    (2, "import lines system_a.txt new.txt", "comes after the files"),
    (2, "withdraw my-eval --why x", "say which: --system, --topic, or both"),
    (2, "scores my-eval --matrix", "--matrix takes one measure: name it with -m"),
    (2, "score my-eval --workers none", '--workers is "none"'),
]


@pytest.mark.parametrize(("code", "line", "said"), MISTAKES, ids=[m[1] for m in MISTAKES])
def test_a_mistake_is_one_line_with_the_right_exit_code(here: Path, code: int, line: str, said: str) -> None:
    done = called(here, *shlex.split(line))
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.startswith("adjudge: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (here / "new").exists()


def test_an_unknown_command_or_option_exits_with_2(here: Path) -> None:
    for line in ("scroe my-eval", "score --nope my-eval", "score", "compare my-eval --seed -1"):
        done = (call if line == "score" else called)(here, *line.split())
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_check_exits_with_1_on_errors_only(here: Path, run: Run) -> None:
    assert run("check", "my-eval").returncode == 0
    path = here / "my-eval" / "summaries.jsonl"
    path.write_text(path.read_text() + '{"topic": "d01"}\n')
    done = call(here, "check", "my-eval")
    assert done.returncode == 1
    assert 'summaries.jsonl:133: no "system"' in done.stdout
    assert json.loads(run("check", "my-eval", "--json").stdout)["errors"] == 1


def test_scores_export_long_and_as_a_matrix(here: Path, run: Run) -> None:
    assert run("scores", "my-eval", "--csv", "long.csv").returncode == 0
    with (here / "long.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert ",".join(rows[0]) == "measure,topic,system,length,form,assessor,reference,repeat,value,why"
    assert len(rows) == 2 * 9 * 12
    run("scores", "my-eval", "-m", "rouge-1", "--matrix", "--csv", "matrix.csv")
    with (here / "matrix.csv").open(encoding="utf-8", newline="") as stream:
        matrix = list(csv.DictReader(stream))
    assert len(matrix) == 12
    cell = next(r for r in rows if (r["measure"], r["topic"], r["system"]) == ("rouge-1", "d05", "ada"))
    assert matrix[4]["ada"] == cell["value"]
    assert run("scores", "my-eval", "-m", "rouge-2", "--csv", "-").stdout.startswith("measure,topic,system")


def test_compare_prints_a_league_table_its_signature_and_its_pairs(here: Path, run: Run) -> None:
    done = run("compare", "my-eval", "-m", "rouge-2", "--show-signature")
    lines = done.stdout.splitlines()
    assert lines[0] == "ROUGE-2, 100 words (higher is better, 12 topics)"
    assert lines[1].split()[:7] == ["system", "kind", "mean", "95%", "interval", "ranks", "group"]
    assert sum("●" in line for line in lines) == 9
    assert lines[-1].startswith(
        "compare(measure=rouge-2, length=100)|rouge-2|stat:f|alpha:0.5|stem:porter-nltk|stop:none|words:rouge"
        "|limit:none|refs:3-4:max|v:"
    )
    assert "seed:0" in lines[-1]
    assert "Differences between systems (paired t, Holm over 36 pairs)" in lines
    assert (
        "Differences" not in run("compare", "my-eval").stdout
    )  # of several measures only where it is asked for
    assert run("compare", "my-eval", "--pairs").stdout.count("Differences between systems") > 1
    assert run("compare", "my-eval", "-m", "rouge-2", "--latex").stdout.startswith(r"\begin{table}")
    run("compare", "my-eval", "-m", "rouge-2", "--csv", "pairs.csv")
    with (here / "pairs.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 36


def test_compare_reads_bare_tables(here: Path, run: Run) -> None:
    assert run("scores", "my-eval", "-m", "rouge-2", "--matrix", "--csv", "rouge-2.csv").returncode == 0
    bare = run("compare", "rouge-2.csv", "--human", "ada,ben", "--json")
    whole = run("compare", "my-eval", "-m", "rouge-2", "--json")
    for mine, theirs in zip(
        json.loads(bare.stdout)[0]["tables"]["pairs"],
        json.loads(whole.stdout)[0]["tables"]["pairs"],
        strict=True,
    ):
        assert {k: mine[k] for k in ("a", "b", "p", "difference")} == {
            k: theirs[k] for k in ("a", "b", "p", "difference")
        }
    long = "measure,topic,system,value,kind\n" + "".join(
        f"m,t{k},{s},{k + d},{kind}\n"
        for k in range(8)
        for s, d, kind in (("x", 0, "machine"), ("y", k % 3, "human"))
    )
    (here / "long.csv").write_text(long)
    shown = run("compare", "long.csv", "--among", "human-machine", "--lower-is-better", "--effects").stdout
    assert "m (lower is better, 8 topics)" in shown
    assert "Hodges-Lehmann" in shown
    done = subprocess.run(
        [*ADJUDGE, "compare", "-", "--json"], input=long, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)[0]["topics"] == 8


def test_topics_named_as_topics_at_lengths_are_counted_one_by_one(here: Path, run: Run) -> None:
    topics = [f"set{k} @ {n}" for k in (1, 2) for n in (1, 2, 3, 4)]
    rows = "".join(f"{topic},{k % 5},{(k * k) % 7},{k}\n" for k, topic in enumerate(topics))
    (here / "sets.csv").write_text(f"topic,a,b,c\n{rows}", encoding="utf-8")
    (found,) = json.loads(run("compare", "sets.csv", "--length", "all", "--json").stdout)
    assert found["topics"] == 8
    assert (
        found["tables"]["league"]
        == json.loads(run("compare", "sets.csv", "--json").stdout)[0]["tables"]["league"]
    )


def test_forms_are_compared_one_at_a_time(here: Path, run: Run) -> None:
    rows = "".join(
        f"d{t},{system},{form},{t + len(form) + k}\n"
        for t in range(6)
        for k, system in enumerate("ab")
        for form in ("abstract", "extract")
    )
    (here / "forms.csv").write_text(f"topic,system,form,value\n{rows}", encoding="utf-8")
    found = json.loads(run("compare", "forms.csv", "--json").stdout)
    assert [each["form"] for each in found] == ["abstract", "extract"]
    (one,) = json.loads(run("compare", "forms.csv", "--form", "extract", "--json").stdout)
    assert one == found[1]
    for command in ("groups", "topics"):
        assert "forms, extract (higher is better" in run(command, "forms.csv", "--form", "extract").stdout
    refused = run("compare", "forms.csv", "--form", "table")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert 'forms has no scores of form "table"; it has: abstract, extract' in refused.stderr


def test_counts_are_rankels_tables(here: Path, run: Run) -> None:
    shown = run("compare", "my-eval", "--counts").stdout
    assert "Pairs of systems that differ significantly" in shown
    assert "Pairs of a human and a machine that differ significantly" in shown
    assert "Humans that a machine does not differ from significantly, of 2: ROUGE-2 at 100 words" in shown
    [table] = json.loads(run("compare", "my-eval", "--counts", "--tests", "wilcoxon,mc", "--json").stdout)
    assert [t["test"] for t in table["measures"][0]["tests"]] == ["wilcoxon", "mc"]
    run("compare", "my-eval", "--counts", "--tests", "all", "--csv", "counts.csv")
    with (here / "counts.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 2 * 8
    assert run("compare", "matrix.csv", "--counts").returncode == 0


def test_counts_of_several_data_sets_stand_side_by_side(here: Path, run: Run) -> None:
    shown = run("compare", "my-eval", "other=matrix.csv", "--counts", "--tests", "t,mc")
    assert shown.returncode == 0
    over, headings = (line.split() for line in shown.stdout.splitlines()[1:3])
    assert [over[0], headings[0]] == ["my-eval:", "measure"]
    assert "other:" in over
    assert "random swaps of the mean" in shown.stdout
    assert "note: other has no scores of ROUGE-1 at 100 words and ROUGE-2" in shown.stderr
    written = run("compare", "x=matrix.csv", "y=matrix.csv", "--counts", "--csv", "-").stdout
    assert [row["data"] for row in csv.DictReader(io.StringIO(written))] == ["x"] * 3 + ["y"] * 3
    [alone] = json.loads(run("compare", "x=matrix.csv", "--counts", "--json").stdout)
    assert alone["data"] == ["x"]
    for arguments, said in (
        (("matrix.csv", "my-eval"), "several data sets, as years, are for --counts"),
        (
            ("matrix.csv", "matrix.csv", "--counts"),
            'two data sets are called "matrix": give them others, as NAME=matrix.csv',
        ),
        (("my-eval", "x=matrix.csv", "--counts", "--csv", "matrix.csv"), "would be written over"),
    ):
        refused = run("compare", *arguments)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert said in refused.stderr


def test_seeds_and_workers(here: Path, run: Run) -> None:
    first = run("compare", "my-eval", "-m", "rouge-1", "--seed", "3", "--json").stdout
    assert run("compare", "my-eval", "-m", "rouge-1", "--seed", "3", "--json").stdout == first
    assert run("compare", "my-eval", "-m", "rouge-1", "--seed", "4", "--json").stdout != first
    files = sorted((here / "my-eval" / "scores").iterdir())
    before = [f.read_bytes() for f in files]
    assert run("score", "my-eval", "-m", "rouge-1,rouge-2", "--again", "--workers", "2").returncode == 0
    assert [f.read_bytes() for f in files] == before


def test_scoring_after_a_change_says_what_was_stale(here: Path, run: Run) -> None:
    path = here / "my-eval" / "summaries.jsonl"
    path.write_text(path.read_text().replace("Velanu", "Velana", 1))
    warned = run("compare", "my-eval", "-m", "rouge-1").stderr
    assert "note: rouge-1 is out of date: 1 topic changed since (d05)" in warned
    assert "1 had changed (d05), 11 topics kept" in run("score", "my-eval", "-m", "rouge-1").stdout
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


def test_version(tmp_path: Path) -> None:
    assert call(tmp_path, "--version").stdout.startswith("adjudge 0.")
