"""Run the original script once over all cases and write what it says. Needs a copy of ROUGE-1.5.5, and Perl.

    python -m tests.data.rouge155.make PATH/ROUGE-1.5.5.pl

The script is not part of this project. It reads irregular forms from a Berkeley DB file, which is made here
from home/, or made empty.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.data.rouge155.cases import CASES, FIELDS, HERE, HOME, PRINTED, Case, write

from adjudge.text.stemmers.porter import load_exceptions

_DATABASE = (
    "use DB_File; tie %d,'DB_File',shift,O_CREAT|O_RDWR,0644,$DB_HASH or die;"
    "while(<>){/(\\S+) (\\S+)/ and $d{$1}=$2} untie %d;"
)
_EVAL = re.compile(r"(\S+) (ROUGE-\S+) Eval (\S+)\.\1 R:(\S+) P:(\S+) F:(\S+)")
_AVERAGE = re.compile(r"(\S+) (ROUGE-\S+) Average_(.): (\S+) \(\S+ (\S+) - (\S+)\)")


def data_folder(folder: Path, full: bool) -> Path:
    folder.mkdir(parents=True)
    (folder / "smart_common_words.txt").write_bytes((HOME / "smart_common_words.txt").read_bytes())
    forms = load_exceptions(HOME) if full else {}
    lines = "".join(f"{form} {base}\n" for form, base in forms.items())
    database = str(folder / "WordNet-2.0.exc.db")
    subprocess.run(["perl", "-e", _DATABASE, database], input=lines, text=True, check=True)
    return folder


def original(script: str, home: Path, options: str, settings: Path, *more: str) -> str:
    command = ["perl", script, "-e", str(home), *options.split(), str(settings), *more]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rows(case: Case, printed: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, ...]]:
    for peer, measure, which, *values in pattern.findall(printed):
        yield (case.name, measure, peer, which, *values)


def main(script: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        homes = {full: data_folder(base / f"home-{full}", full) for full in (True, False)}
        scores: list[tuple[str, ...]] = []
        averages: list[tuple[str, ...]] = []
        for case in CASES:
            settings = write(base / case.form, case.form)
            options = f"-a -d {case.options}"
            printed = original(script, homes[case.home], options, settings)
            scores += rows(case, printed, _EVAL)
            averages += rows(case, printed, _AVERAGE)
        settings = write(base / "SPL", "SPL")
        for number, options in enumerate(PRINTED, 1):
            system = [] if "-a" in options else ["fluent"]
            printed = original(script, homes[False], options, settings, *system)
            (HERE / f"printed{number}.txt").write_text(printed, encoding="utf-8")
    _save("scores.csv", FIELDS, scores)
    _save("averages.csv", ("set", "measure", "peer", "statistic", "average", "low", "high"), averages)


def _save(name: str, header: tuple[str, ...], found: list[tuple[str, ...]]) -> None:
    with (HERE / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([header, *found])


if __name__ == "__main__":
    main(sys.argv[1])
