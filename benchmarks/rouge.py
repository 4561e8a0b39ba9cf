"""ROUGE beside its peers, same texts, CPU seconds in processes of their own.

The peers are installed into .venv-bench by this script. Slow ones score every tenth topic, and their time is
multiplied. Cold is a new process with compiled kernels on disk, its start and its imports counted; warm is a
second run in the same process. Every time is the best of three runs, theirs and ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.corpora import Corpus, cnn_like, tac_like

ROOT = Path(__file__).parent.parent
BENCH = ROOT / ".venv-bench"
PEERS = ("rouge-metric==1.0.1", "rouge-score==0.1.2", "rouge-rust==0.1.12")
EVERY = 10

READ = """
import json, sys, time
topics = json.load(open(sys.argv[1]))
peers = [p for ps, rs in topics for p in ps]
references = [rs for ps, rs in topics for p in ps]
"""
OURS = "from adjudge.measures.rouge.many import rouge_many\nscore = lambda: rouge_many(peers, references, {0!r})\n"
EIGHT = [
    *(f"rouge-{n}-recall" for n in range(1, 5)),
    *("rouge-lsum-recall", "rouge-w(split=lines)", "rouge-s4", "rouge-su4"),
]
SIX = [f"rouge-{name}" for name in ("1", "2", "3", "4", "l", "lsum")]
THREE = [f"rouge-{name}(stem=none)" for name in ("1", "2", "l")]
METRIC = """
from rouge_metric import PyRouge
scorer = PyRouge(rouge_n=(1, 2, 3, 4), rouge_l=True, rouge_w=True, rouge_w_weight=1.2, rouge_s=True,
                 rouge_su=True, skip_gap=4)
score = lambda: scorer.evaluate(peers, references)
"""
SCORE = """
from rouge_score import rouge_scorer
scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeLsum"], use_stemmer=True)
score = lambda: [scorer.score_multi(r, p) for p, r in zip(peers, references)]
"""
RUST = """
import fast_rouge
pairs = [(r, p) for p, rs in zip(peers, references) for r in rs]
left, right = [r for r, _ in pairs], [p for _, p in pairs]
score = lambda: fast_rouge.score_batch_flat(left, right)
"""
COLD = "start = time.process_time()\n{0}\nscore()\nprint(time.process_time() - start + {1})"
WARM = "{0}\nscore()\nstart = time.process_time()\nscore()\nprint(time.process_time() - start)"
ONCE = "{0}\nstart = time.process_time()\nscore()\nprint(time.process_time() - start)"
STARTING = "import time; print(time.process_time())"

# (peer, its code, how much of the corpus it gets, our measures, how we run, wanted on TAC-like, on CNN-like)
Race = tuple[str, str, int, list[str], str, float, float]
RACES: tuple[Race, ...] = (
    ("rouge-metric", METRIC, EVERY, EIGHT, "cold", 150, 40),
    ("rouge-score", SCORE, EVERY, SIX, "warm", 500, 150),
    ("rouge-rust", RUST, 1, THREE, "warm", 5, 1.5),
)


def main() -> None:
    _install()
    with tempfile.TemporaryDirectory() as folder:
        for name, made in (("TAC-like", tac_like()), ("CNN-like", cnn_like())):
            whole = _write(Path(folder, "whole.json"), made)
            part = _write(Path(folder, "part.json"), made[::EVERY])
            for race in RACES:
                _race(name, race, whole, part, race[5] if name == "TAC-like" else race[6])


def _race(corpus: str, race: Race, whole: Path, part: Path, wanted: float) -> None:
    peer, code, every, measures, how = race[:5]
    theirs = every * _seconds(
        BENCH / "bin" / "python", READ + ONCE.format(code), part if every > 1 else whole
    )
    ours_code = OURS.format(measures)
    python = Path(sys.executable)
    if how == "cold":
        _seconds(python, READ + WARM.format(ours_code), part)  # so that the kernels are on disk
        start = _seconds(python, STARTING, whole)
        ours = _seconds(python, READ + COLD.format(ours_code, start), whole)
    else:
        ours = _seconds(python, READ + WARM.format(ours_code), whole)
    print(
        f"{corpus}: {peer:12} {theirs:8.2f} s, ours {how} {ours:6.3f} s: {theirs / ours:6.1f} x (wanted {wanted:g} x)"
    )


def _seconds(python: Path, code: str, corpus: Path) -> float:
    """What a run prints, the best of three. Bytecode is kept on disk, as that of an installed package is."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [str(python), "-c", code, str(corpus)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True, env=env) for _ in range(3)]
    return min(float(run.stdout.split()[-1]) for run in runs)


def _write(path: Path, corpus: Corpus) -> Path:
    path.write_text(json.dumps(corpus), encoding="utf-8")
    return path


def _install() -> None:
    python = BENCH / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(BENCH)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PEERS], check=True)
