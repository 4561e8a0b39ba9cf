"""A worked evaluation, from texts to a report, with the commands a user would type.

python tools/demo.py [FOLDER]      the folder, and FOLDER-report, are made anew
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEASURES = "rouge-2(refs=jackknife),coverage,pyramid,rating(aspect=overall)"
MAKE = (
    (
        "Fourteen invented news stories, four writers, nine systems; simulated assessors judge them",
        "demo {0} --full",
    ),
    (
        "Scores, from texts and from judgments; people are never compared with their own reference",
        "score {0} -m '{1}'",
    ),
)
SHOW = (  # none of these changes the evaluation, so they run side by side
    ("Which systems really differ, as assessors see it?", "compare {0} -m coverage --length 100"),
    (
        "A figure: every difference with its interval",
        "figure forest {0} -m pyramid -o {0}-report/forest.svg",
    ),
    ("A page to read, with its tables as CSV and LaTeX", "report {0} -o {0}-report"),
)
LOOK = (
    ("The report", "{uri}/index.html"),
    ("The figure", "{uri}/forest.svg (its rows: forest.csv)"),
    (
        "All tables and figures in LaTeX for a paper, in a few minutes",
        "{adjudge} report {0} -o {report} --paper {0}-paper",
    ),
    ("The app in which people judge", "{adjudge} serve {0}"),
    (
        "A dossier of a program that judges, in a minute or so",
        "{adjudge} judge train {0} --protocol duc-2002 -o judge.json",
        "{adjudge} judge apply {0} judge.json --name tree",
        "{adjudge} judge report {0} tree",
    ),
)


def main(folder: str) -> int:
    report = Path(f"{folder}-report")
    for old in (Path(folder), report):
        shutil.rmtree(old, ignore_errors=True)
    report.mkdir(parents=True)
    start = time.monotonic()
    steps = [(why, step.format(folder, MEASURES)) for why, step in (*MAKE, *SHOW)]
    with tempfile.TemporaryDirectory() as scratch, started_on_ratings(Path(scratch)):
        for number, (why, line) in enumerate(steps[: len(MAKE)], 1):
            announce(number, len(steps), why, line)
            done = subprocess.run(command(line), check=False)
            if done.returncode:
                return done.returncode
    running = [started(line) for _, line in steps[len(MAKE) :]]
    results = [(*process.communicate(), process.returncode) for process in running]
    for (number, (why, line)), (said, _, code) in zip(
        list(enumerate(steps, 1))[len(MAKE) :], results, strict=True
    ):
        announce(number, len(steps), why, line)
        print(said, end="", flush=True)
        if code:
            return int(code)
    print(f"\nDone in {time.monotonic() - start:.0f} s. Five things to look at:")
    for number, (what, *where) in enumerate(LOOK, 1):
        print(f"{number}. {what}:")
        for line in where:
            there = line.format(folder, adjudge=typed(), report=report, uri=report.resolve().as_uri())
            print(f"   {there}")
    return 0


def typed() -> str:
    """The program as it can be typed here: by its path where the shell does not know it, as after `make demo`."""
    return (
        "adjudge" if shutil.which("adjudge") else os.path.relpath(Path(sys.executable).with_name("adjudge"))
    )


def started_on_ratings(folder: Path) -> subprocess.Popen[bytes]:
    """Compiles what the report calls, while the texts are made on another core: by a report of a few ratings."""
    rows = [
        f"rating,t{t},{system},{who},{(3 * t + 5 * k + 7 * w + t * k * w) % 5}"
        for t in range(8)
        for k, system in enumerate("abcde")
        for w, who in enumerate(("anna", "bert", "cora"))
    ]
    rows += [f"other,t{t},{system},,{(t * k) % 7}" for t in range(8) for k, system in enumerate("abcde")]
    (folder / "ratings.csv").write_text(
        "\n".join(["measure,topic,system,assessor,value", *rows]), encoding="utf-8"
    )
    line = f"report {shlex.quote(str(folder / 'ratings.csv'))} -o {shlex.quote(str(folder / 'report'))}"
    return subprocess.Popen(command(line), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def announce(number: int, of: int, why: str, line: str) -> None:
    print(f"\n[{number}/{of}] {why}\n$ adjudge {line}", flush=True)


def command(line: str) -> list[str]:
    return [sys.executable, "-m", "adjudge", *shlex.split(line)]


def started(line: str) -> subprocess.Popen[str]:
    return subprocess.Popen(command(line), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "demo-evaluation"))
