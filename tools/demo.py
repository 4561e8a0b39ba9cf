"""A worked evaluation, from texts to a ranked report, with the commands a user would type.

python tools/demo.py [FOLDER]      the folder, and FOLDER-report, are made anew
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

STEPS = (
    (
        "Twelve invented news stories, four writers, nine systems; simulated assessors judge them",
        "demo {0} --judged",
    ),
    ("NIST's two baselines, made from the documents", "baselines {0}"),
    ("What is there, and does anything look wrong?", "check {0}"),
    ("Sentences and discourse units of the baselines too", "units {0}"),
    ("Scores; people are never compared with their own reference", "score {0} {1}"),
    ("Which systems really differ?", "compare {0} -m {2}"),
    ("How many pairs does each test find, and do machines pass for human?", "compare {0} --counts"),
    ("How much is due to systems, topics, assessors?", "anova {0} -m coverage --interactions"),
    ("A page to read", "report {0} -o {0}-report"),
)
MEASURES = ("rouge-1(refs=jackknife)", "rouge-2(refs=jackknife)", "coverage", "pyramid", "words")


def main(folder: str) -> int:
    for old in (Path(folder), Path(f"{folder}-report")):
        shutil.rmtree(old, ignore_errors=True)
    start = time.monotonic()
    chosen = " ".join(f'-m "{m}"' for m in MEASURES)
    for number, (why, step) in enumerate(STEPS, 1):
        line = step.format(folder, chosen, f'"{MEASURES[1]}"')
        print(f"\n[{number}/{len(STEPS)}] {why}\n$ adjudge {line}", flush=True)
        arguments = [part.strip('"') for part in line.split()]
        done = subprocess.run([sys.executable, "-m", "adjudge", *arguments], check=False)
        if done.returncode:
            return done.returncode
    page = Path(f"{folder}-report", "index.html").resolve()
    print(f"\nDone in {time.monotonic() - start:.0f} s. The report: {page.as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "demo-evaluation"))
