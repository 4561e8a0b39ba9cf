"""Record what some 800 commands print and write, and show how two recordings differ.

    python -m tools.transcripts record FOLDER [--workers N] [--only SCENE]
    python -m tools.transcripts compare OLD NEW [--any-version] [--lines N]

Each scene runs in a scratch folder of its own, from texts that are made here, from the folder that another scene
left, or from SummEval (../shared/data, skipped with a line where it is absent). Commands are real processes
(`python -m adjudge ...`); nothing of the package is imported. Which code is recorded is a matter of PYTHONPATH.

A recording has one text file a command: the call, the exit code, standard output, standard error, and the SHA-256 of
every file that was written, changed or removed. Beside it lie the contents of those files, as they were digested:
score files as rows, databases as numbers of rows, everything else that is text as text.

What has to vary is replaced before anything is stored, and nothing else:

    SCRATCH   the scratch folder's path
    <time>    a time of the days of the recording: 2026-11-15T19:28:54.465188Z, 2026-11-15 19:30 UTC
    <today>   the date of those days alone
    <token>   the personal link behind /in#, and keys of that length in JSON
    <uuid4>   random ids; ids made of the content (version 5) stay
    <person>  pseudonyms, which are drawn at random: p-039e766b78
              an export lists people in the order of these, so compare sorts their lines
    <seconds> how long something took, in words: "in 1.2 s"
"""

from __future__ import annotations

import argparse
import csv
import difflib
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMMEVAL = ROOT.parent / "shared" / "data" / "summeval" / "model_annotations.12systems.jsonl"
LIMIT = 600  # seconds for one command
UNSEEN = (".lock", "judgments.sqlite-wal", "judgments.sqlite-shm")


@dataclass(frozen=True)
class Scene:
    """Commands that run one after the other in a folder; `start` is the scene whose folder is copied first."""

    name: str
    lines: str
    start: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    summeval: bool = False

    def commands(self) -> list[str]:
        return [re.sub(" +", " ", line.strip()) for line in self.lines.splitlines() if line.strip()]


# ---------------------------------------------------------------- texts and tables that the scenes start from


def score_table() -> str:
    """Eight systems on twenty topics, two cells missing."""
    drawn = random.Random(20)
    systems = {
        "lead": 0.0,
        "s1": 0.02,
        "s2": 0.03,
        "s3": 0.05,
        "s4": 0.05,
        "s5": 0.08,
        "H1": 0.15,
        "H2": 0.17,
    }
    rows = ["topic," + ",".join(systems)]
    for k in range(1, 21):
        topic = drawn.gauss(0.3, 0.05)
        cells = [f"{topic + worth + drawn.gauss(0, 0.04):.4f}" for worth in systems.values()]
        if k in (5, 12):
            cells[k % 7] = ""
        rows.append(f"t{k:02}," + ",".join(cells))
    return "\n".join(rows) + "\n"


def shuffled(table: str) -> str:
    """The same rows in another order."""
    head, *rows = table.splitlines()
    random.Random(3).shuffle(rows)
    return "\n".join([head, *rows]) + "\n"


def long_table() -> str:
    """Five systems, twelve topics in six sets, three lengths, two assessors; whole scores from 1 to 7."""
    drawn = random.Random(7)
    rows = ["measure,topic,system,value,kind,assessor,length"]
    worths = (
        ("lead", "baseline", 2.5),
        ("s1", "machine", 3.0),
        ("s2", "machine", 3.6),
        ("s3", "machine", 4.4),
        ("H1", "human", 5.5),
    )
    for topic in range(1, 13):
        base = drawn.gauss(0, 0.6)
        for length in (50, 100, 200):
            for name, kind, worth in worths:
                for assessor, mild in (("ann", 0.3), ("bob", -0.3)):
                    value = worth + base + mild + drawn.gauss(0, 0.7) + (length > 50) * 0.2
                    score = min(7, max(1, round(value)))
                    rows.append(f"content,t{topic:02},{name},{score},{kind},{assessor},{length}")
    return "\n".join(rows) + "\n"


def odd_topics() -> str:
    """Topics whose names look like a topic with its length."""
    drawn = random.Random(5)
    rows = ["topic,a,b,c"]
    for name in range(1, 3):
        for k in range(1, 5):
            rows.append(f"set{name} @ {k}," + ",".join(f"{drawn.random():.3f}" for _ in range(3)))
    return "\n".join(rows) + "\n"


def arena() -> str:
    """Answers about four systems on ten topics by three people."""
    drawn = random.Random(11)
    names = {"ours": 1.2, "theirs": 0.9, "lead": 0.0, "random": -1.0}
    rows = ["question_id,model_a,model_b,winner,judge"]
    for topic in range(1, 11):
        for k in range(12):
            a, b = drawn.sample(list(names), 2)
            ahead = names[a] - names[b] + drawn.gauss(0, 1)
            winner = "tie" if abs(ahead) < 0.2 else "model_a" if ahead > 0 else "model_b"
            rows.append(f"q{topic},{a},{b},{winner},{('ann', 'bob', 'cyd')[k % 3]}")
    return "\n".join(rows) + "\n"


def lines(*objects: dict[str, object]) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


NIST = "Topic\n|\tSelector\n|\t|\tAssessor\n|\t|\t|\tSummarizer\n|\t|\t|\t|\tScore\n|\t|\t|\t|\t|\n"

IMPORTED = {
    "long.jsonl": lines(
        {
            "topic": "d1",
            "system": "lead",
            "summary": "Rain fell.",
            "length": 100,
            "article": "Rain fell on Monday. It was heavy.",
        },
        {
            "topic": "d1",
            "system": "ours",
            "summary": "Heavy rain on Monday.",
            "length": 100,
            "references": ["It rained hard.", "A wet Monday."],
        },
        {"topic": "d2", "system": "ours", "summary": None, "length": 100, "colour": "red"},
    ),
    "lead.jsonl": lines({"id": 1, "decoded": "Rain fell."}, {"id": 2, "decoded": "Snow fell."}),
    "wide.jsonl": lines(
        {
            "topic": "d1",
            "document": "Rain fell on Monday.",
            "summary:lead": "Rain fell.",
            "summary:ours": "A wet Monday.",
            "reference:A": "It rained.",
        }
    ),
    "outputs.jsonl": lines({"id": "d1", "decoded": "Rain fell.", "text": "Rain fell on Monday."}),
    "broken.jsonl": lines({"topic": "d1", "system": "lead", "summary": "Rain fell."})
    + '{"topic": "d2", "system"\n',
    "runs.csv": "topic,system,summary,length,reference\n"
    'd1,lead,"Rain fell, and ""snow"".",100,It rained.\nd2,lead,Snow fell.,100,It snowed.\n',
    "wide.tsv": "topic\tsummary:lead\tsummary:ours\treference:A\n"
    "d1\tRain fell.\tA wet Monday.\tIt rained.\nd2\tSnow.\t\tIt snowed.\n",
    "annotations.jsonl": lines(
        {
            "id": "cnn-1",
            "model_id": "M8",
            "decoded": "rain fell .",
            "text": "Rain fell on Monday.",
            "references": ["It rained."],
            "expert_annotations": [{"coherence": 4, "fluency": 5}, {"coherence": 3, "fluency": 5}],
            "turker_annotations": [{"coherence": 4}, {"coherence": 2}],
        }
    ),
    "sacre.jsonl": lines(
        {
            "instance_id": "d1",
            "summarizer_id": "17",
            "summarizer_type": "peer",
            "summary": {"text": ["Rain fell.", "Hard."]},
            "references": [{"summarizer_id": "A", "text": "It rained."}],
            "documents": [{"text": "Rain fell on Monday."}],
        }
    ),
    "metrics.jsonl": lines(
        {
            "instance_id": "d1",
            "summarizer_id": "17",
            "summarizer_type": "peer",
            "metrics": {"rouge-1": {"recall": 40.0, "f1": 30.0}},
        }
    ),
    "docs/D0601/AP880911-0016": "<DOC>\n<DOCNO> AP880911-0016 </DOCNO>\n<HEAD>Rain in the West</HEAD>\n<TEXT>\n"
    "   Rain fell on Monday &LR; in the west,\nR&AMP;D people said.\n   It was heavy.\n</TEXT>\n</DOC>\n",
    "models/D0601.M.250.A.B": "Rain fell in the west.\nIt was heavy.\n",
    "models/D0601.M.250.A.C": "It rained on Monday.\nThe west was wet.\n",
    "peers/D0601.M.250.A.17": '<html><body>\n<a name="1">[1]</a> <a href="#1" id=1>Rain fell.</a>\n'
    '<a name="2">[2]</a> <a href="#2" id=2>It was heavy.</a>\n</body></html>\n',
    "metrics.csv": "system,topic,measure,value,length,kind\nlead,d1,bertscore,0.71,100,baseline\n"
    "ours,d1,bertscore,0.83,100,machine\nours,d2,bertscore,NA,100,machine\n",
    "ter.csv": "topic,lead,ours\nd1,0.61,0.47\nd2,0.58,\n",
    "settings.xml": '<ROUGE-EVAL version="1.55">\n<EVAL ID="1">\n<PEER-ROOT>peer</PEER-ROOT>\n'
    "<MODEL-ROOT>model</MODEL-ROOT>\n"
    '<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>\n<PEERS>\n<P ID="17">d1.17</P>\n<P ID="18">d1.18</P>\n</PEERS>\n'
    '<MODELS>\n<M ID="A">d1.A</M>\n<M ID="B">d1.B</M>\n</MODELS>\n</EVAL>\n</ROUGE-EVAL>\n',
    "peer/d1.17": "Rain fell in the west on Monday.\nIt was heavy.\n",
    "peer/d1.18": "Heavy snow fell in the east.\n",
    "model/d1.A": "Heavy rain fell on Monday.\nThe west was wet.\n",
    "model/d1.B": "It rained in the west.\nRivers rose on Monday.\n",
    "content.table": NIST + "D0601\tA\tB\t1\t2\nD0601\tA\tB\t17\t4\n"
    "D0601\tA\tC\t17\t5\nD0601\tA\tB\tE\t5\nD0601\tA\tB\t18\t9\n",
    "linguistic_quality.table": NIST.replace(
        "Score\n|\t|\t|\t|\t|\n", "Question\n|\t|\t|\t|\t|\tScore\n|\t|\t|\t|\t|\t|\n"
    )
    + "D0601\tA\tB\t17\t1\t5\nD0601\tA\tB\t17\t2\t4\n",
    "short.results.table": "D061 M - 100 J B K x 19 y 0 1 0 0 2 0 0 3 0 0 0 0 0.60 8 5 3 11"
    " 0.309 0.200 0.354 0.215 0.140 0.236\n"
    "D061 S AP880911-0016 100 J B K x 19 y 0 0 0 0 0 0 0 0 0 0 0 0 0.00 5 5 0 9 0.511 0.600 0.310 0.341 0.400 0.207\n",
    "crowd.csv": "task,worker,label\nd1/lead,w1,4\nd1/lead,w2,5\nd1/ours,w1,3\n",
    "ratings.csv": "topic,system,worker,coherence,fluency\nd1,lead,w1,4,5\nd1,ours,w1,3,3\n",
    "pairs.csv": "topic,left,right,worker,winner\nd1,lead,ours,w1,left\nd1,lead,ours,w2,tie\n",
}

TABLES = {
    "table.csv": score_table(),
    "table-shuffled.csv": shuffled(score_table()),
    "long.csv": long_table(),
    "odd.csv": odd_topics(),
    "bad.csv": "topic,a,b\nt1,0.1,0.2\nt2,high,0.3\n",
    "twice.csv": "topic,system,value\nt1,a,1\nt1,a,2\n",
}

ROUGE_FILES = {
    name: IMPORTED[name] for name in ("settings.xml", "peer/d1.17", "peer/d1.18", "model/d1.A", "model/d1.B")
}

# ---------------------------------------------------------------- the scenes

GROUPS = (
    "init",
    "demo",
    "import",
    "check",
    "show",
    "withdraw",
    "rename",
    "remove",
    "units",
    "baselines",
    "people",
    "assign",
    "serve",
    "judgments",
    "judge",
    "prefer",
    "measures",
    "rouge",
    "rouge155",
    "score",
    "scores",
    "compare",
    "anova",
    "topics",
    "slices",
    "examples",
    "groups",
    "lengths",
    "plan",
    "simulate",
    "agreement",
    "assessors",
    "meta",
    "mismatch",
    "stability",
    "report",
    "figure",
)
BELOW = """import summeval;import jsonl;import csv;import sacrerouge;import duc;import scores;import rouge155
    import rouge-output;people add;people list;people suspend;people link;judgments import;judgments import nist
    judgments import see;judgments import ducview;judgments import summeval;judgments import crowd
    judgments import records;judgments list;judgments tables;judgments export;judgments backup;judgments erase
    judge simulate;judge train;judge apply;judge llm;judge report;judge drift
    prefer sample;prefer import;prefer export;prefer fit;prefer simulate;prefer score
    prefer converge;prefer report""".replace("\n", ";").split(";")
TESTS = ("t", "t-unpaired", "welch", "sign", "mc", "hb", "exact")
CORRECTIONS = ("none", "bonferroni", "holm", "bh", "westfall-young")


META = "--people coverage -m rouge-1,rouge-2,js --length 100 --form abstract --resamples 100"
META_PARTS = (
    "correlations",
    "ranks",
    "accuracy",
    "ceiling",
    "conclusions",
    "power",
    "better",
    "composites",
    "hotelling",
    "fooling",
    "curves",
    "slices",
)
ODD = {
    "one-system.csv": "topic,a\nt1,0.5\nt2,0.25\nt3,0.75\n",
    "one-topic.csv": "topic,a,b,c\nt1,0.5,0.25,0.75\n",
    "equal.csv": "topic,a,b,c\nt1,0.5,0.5,0.5\nt2,0.5,0.5,0.5\nt3,0.5,0.5,0.5\nt4,0.5,0.5,0.5\n",
    "tied.csv": "topic,a,b,c\n" + "".join(f"t{k},{k % 2},{k % 3 % 2},{k % 5 % 2}\n" for k in range(12)),
    "gaps.csv": "topic,a,b,c,d\n"
    + "".join(
        f"t{k},{'' if k % 3 == 0 else k / 7:.4},{k / 9:.4f},{'' if k % 4 else k / 5:.4},\n"
        for k in range(1, 15)
    ),
    "large.csv": "topic,a,b\n" + "".join(f"t{k},{k}e150,{k * k}e150\n" for k in range(1, 9)),
    "assessed.csv": "topic,system,assessor,measure,value\n"
    + "".join(
        f"t{t},s{s},{who},{measure},{(t * 7 + s * 3 + n * 5 + t * s * n + len(measure)) % 5 + 1}\n"
        for t in range(1, 11)
        for s in range(1, 5)
        for n, who in enumerate(("ann", "bob", "cyd"), 1)
        for measure in ("fluency", "overall")
    ),
    "judged.csv": "topic,system,assessor,measure,value\n"
    + "".join(
        f"t{t},s{s},{who},overall,{(t * 5 + s * 4 + n * (t + s) % 3) % 5 + 1}\n"
        for t in range(1, 13)
        for s in range(1, 5)
        for n, who in enumerate(("ann", "bob", "judge", "judge-2"), 1)
    )
    + "".join(
        f"t{t},s{s},,rouge-2,{(t * 5 + s * 4) % 7 / 10 + t / 100}\n"
        for t in range(1, 13)
        for s in range(1, 5)
    ),
}

SCENES = [
    Scene(
        "demo",
        """
        adjudge demo e --judged
        adjudge check e
        adjudge check e --json
        adjudge show e
        adjudge show e --json
        adjudge show e --topic d01
        adjudge show e --system fluent --topic d02
        adjudge judgments list e
        """,
    ),
    Scene(
        "scored",
        """
        adjudge baselines e --dry-run
        adjudge baselines e
        adjudge baselines e
        adjudge score e
        adjudge score e
        adjudge score e -m nams -m js -m words -m rouge-l -m "rouge-2(refs=jackknife)" --json
        adjudge score e -m rouge-su4 -m rouge-w -m bleu -m chrf -m source-cosine -m novel-2 -m fragment-density
        adjudge score e -m coverage -m length-adjusted-coverage -m uncovered -m retention -m recall -m unmarked
        adjudge score e -m quality-errors -m pyramid -m "pyramid(stat=original)" -m pyramid-units
        adjudge score e -m coverage -m pyramid
        adjudge scores e
        adjudge scores e --json
        adjudge scores e --csv scores.csv
        adjudge scores e --csv tidy.csv --tidy -m coverage
        adjudge scores e --matrix -m rouge-2 --csv -
        adjudge scores e -m pyramid --json
        adjudge check e
        adjudge score e -m rouge-2 --again --workers 1
        """,
        start="demo",
    ),
    Scene(
        "compare",
        "\n".join(
            [
                "adjudge compare e -m rouge-2",
                *(f"adjudge compare e -m rouge-2 --test {test} --resamples 500" for test in TESTS),
                "adjudge compare e -m rouge-2 --test all --resamples 300 --csv all-tests.csv",
                *(
                    f"adjudge compare e -m rouge-2 --test t --correct {how} --resamples 400"
                    for how in CORRECTIONS
                ),
                *(
                    f"adjudge compare e -m rouge-2 --test mc --statistic {s} --resamples 400"
                    for s in ("median", "t", "w")
                ),
                "adjudge compare e -m rouge-2 --zeros pratt --json",
                "adjudge compare e -m quality-errors --zeros pratt",
                "adjudge compare e -m coverage",
                "adjudge compare e -m coverage --json",
                "adjudge compare e -m pyramid --csv pairs.csv",
                "adjudge compare e -m pyramid --csv -",
                "adjudge compare e -m rouge-2 -m coverage --latex",
                "adjudge compare e -m rouge-2 --against lead --side better",
                "adjudge compare e -m rouge-2 --against random --side worse --test exact --json",
                "adjudge compare e -m coverage --among human-machine --pairs",
                "adjudge compare e -m coverage --among machines",
                "adjudge compare e -m rouge-2 --margin 0.02",
                "adjudge compare e -m coverage --pool-humans --level 0.9 --alpha 0.1",
                "adjudge compare e -m rouge-2 --cluster set --test mc --resamples 300",
                "adjudge compare e -m rouge-2 --length all",
                "adjudge compare e -m js --length 100 --seed 3",
                "adjudge compare e --counts",
                "adjudge compare e -m rouge-2 -m coverage --counts --csv counts.csv",
                "adjudge compare e -m rouge-2 -m coverage --counts --json",
                "adjudge compare e -m coverage --counts --latex",
                "adjudge compare e -m rouge-2 --effects",
                "adjudge compare e -m coverage --effects --json",
                "adjudge compare e -m coverage --effects --csv effects.csv",
                "adjudge compare e -m rouge-2 --effects --latex",
                "adjudge compare e",
            ]
        ),
        start="scored",
    ),
    Scene(
        "analyses",
        """
        adjudge groups e -m rouge-2
        adjudge groups e -m coverage --tested ranks --pairs
        adjudge groups e -m coverage --tested topic-ranks --json
        adjudge groups e -m rouge-2 --against lead
        adjudge groups e -m coverage --contrast humans-machines --pool-humans
        adjudge groups e -m coverage --contrast humans-machines --csv groups.csv
        adjudge groups e -m rouge-2 --latex
        adjudge anova e -m rouge-2
        adjudge anova e -m coverage
        adjudge anova e -m coverage --interactions --sizes
        adjudge anova e -m coverage --random topic,assessor --simulations 50
        adjudge anova e -m coverage --ss-type 3 --pool-humans --json
        adjudge anova e -m rouge-2 --factors type,system,topic --csv anova.csv
        adjudge anova e -m rouge-2 --latex
        adjudge topics e -m rouge-2
        adjudge topics e -m rouge-2 --against d04
        adjudge topics e -m coverage --json
        adjudge topics e -m coverage --csv topics.csv
        adjudge topics e -m rouge-2 --latex
        adjudge lengths e -m rouge-2
        adjudge plan e -m rouge-2 --simulations 200
        adjudge plan e -m rouge-2 --difference 0.01 --simulations 200
        adjudge plan e -m coverage --difference 5% --test all --simulations 100 --json
        adjudge plan e -m coverage --difference 0.05 --normal --simulations 200 --csv plan.csv
        adjudge plan e -m rouge-2 --difference 0.02 --comparisons 10 --simulations 200 --latex
        """,
        start="scored",
    ),
    Scene(
        "report",
        """
        adjudge report e -o report
        adjudge report e -o small -m coverage -m rouge-2 --test t --correct bh --seed 2 --json
        """,
        start="scored",
    ),
    Scene(
        "judgments",
        """
        adjudge judgments list e --topic d02
        adjudge judgments list e --json
        adjudge judgments tables e
        adjudge judgments tables e --json
        adjudge judgments tables e --latex
        adjudge judgments tables e --table coverage --csv coverage.csv
        adjudge judgments tables e --table nothing
        adjudge judgments export e answers.jsonl
        adjudge judgments export e answers.jsonl
        adjudge judgments export e blind.jsonl --pseudonyms --json
        adjudge judgments export e pyramids --ducview
        adjudge judgments backup e backup.sqlite
        adjudge init other
        adjudge judgments import ducview pyramids other --assessor pat
        adjudge check other
        adjudge score other -m pyramid -m "pyramid(stat=comprehensive, rounding=ducview, refs=jackknife)"
        adjudge scores other --csv -
        adjudge init third --name "Adjudge demo: twelve invented news stories"
        adjudge judgments import records answers.jsonl third
        adjudge judgments import records answers.jsonl third
        adjudge judgments export third again.jsonl
        adjudge judgments list third
        adjudge judgments erase e simulated-1
        adjudge judgments erase e nobody
        adjudge score e -m coverage
        adjudge judgments list e
        """,
        start="demo",
    ),
    Scene(
        "people",
        """
        adjudge people add e anna --name "Anna B."
        adjudge people add e bert --public-url https://judge.example.org --json
        adjudge people add e ada
        adjudge people add e zoe --organiser
        adjudge people add e anna
        adjudge people list e
        adjudge people suspend e bert
        adjudge people suspend e bert --restore
        adjudge people link e anna
        adjudge people link e nobody
        adjudge assign e --protocol rating --per-summary 2 --repeats 0.1 --seed 1 --dry-run
        adjudge assign e --protocol rating --per-summary 2 --repeats 0.1 --seed 1
        adjudge assign e --protocol rating --per-summary 2 --repeats 0.1 --seed 1
        adjudge assign e --protocol rating --per-summary 9
        adjudge assign e --protocol duc-2002 --assessor bert --topic d01 --order mixed --json
        adjudge assign e --protocol preference-summaries --per-topic 5 --seed 2
        adjudge assign e --protocol duc-2002 --phase 1 --dry-run
        adjudge people list e --json
        adjudge judgments list e
        adjudge judgments export e tasks.jsonl
        """,
        start="demo",
    ),
    Scene(
        "full",
        """
        adjudge demo my-eval --full
        adjudge judge train my-eval --protocol duc-2002 --resamples 20 -o judge.json
        adjudge judge apply my-eval judge.json --name tree
        adjudge score my-eval -m rouge-1,rouge-2,js,coverage,retention,length-adjusted-coverage
        adjudge score my-eval -m quality-errors,pyramid,words
        adjudge score my-eval -m "rating(aspect=overall)"
        """,
    ),
    Scene(
        "trust",
        "\n".join(
            f"adjudge {call}{form}"
            for call in (
                "agreement my-eval",
                "agreement my-eval --table coefficients --resamples 100",
                "agreement my-eval --table agreement-by-system --question overall",
                "agreement my-eval --table assessor-pairs --question overall",
                "assessors my-eval -m coverage",
                "assessors my-eval -m 'rating(aspect=overall)' --quick",
                "stability my-eval -m coverage --length 100 --form abstract --table judge-noise --draws 200",
                "mismatch my-eval --measure nams",
                "slices my-eval -m coverage --resamples 99",
                "examples my-eval -m rouge-2 --between fluent,random",
            )
            for form in ("", " --json", " --csv -", " --latex", " --markdown")
        )
        + """
        adjudge stability my-eval --draws 200
        adjudge stability my-eval --draws 200 --json
        adjudge mismatch my-eval --measure nams -o mismatches
        adjudge lengths my-eval -m coverage --form abstract
        """,
        start="full",
    ),
    Scene(
        "meta",
        "\n".join(
            f"adjudge meta my-eval {META}{rest}"
            for rest in (
                *(f" --part {part}{form}" for part in META_PARTS for form in ("", " --json", " --csv -")),
                *("", " --latex", " --markdown", " -o meta"),
            )
        ),
        start="full",
    ),
    Scene(
        "judges",
        "\n".join(
            f"adjudge {call}{form}"
            for call in (
                "judge report my-eval tree --resamples 100",
                "judge report judged.csv judge judge-2 --resamples 100",
                "judge drift judged.csv judge judge-2 --resamples 100",
                "compare judged.csv -m overall --judge judge",
            )
            for form in ("", " --json", " --csv -", " --latex", " --markdown")
        )
        + """
        adjudge judge report judged.csv judge judge-2 --panel mean --resamples 100
        adjudge judge report my-eval tree --resamples 100 -o tree
        """,
        start="full",
        files=ODD,
    ),
    Scene(
        "odd",
        "\n".join(
            f"adjudge {analysis} {table}"
            for table in ODD
            for analysis in ("compare", "groups", "anova", "topics", "slices", "lengths", "plan", "agreement")
        )
        + "\n"
        + "\n".join(
            f"adjudge {analysis} assessed.csv -m overall --{form}"
            for analysis in (
                "compare",
                "groups",
                "anova",
                "topics",
                "plan",
                "agreement",
                "assessors",
                "stability",
            )
            for form in ("json", "csv -", "latex", "markdown")
        )
        + """
        adjudge compare assessed.csv -m overall --assessor-effects fixed
        adjudge compare assessed.csv -m overall --without bob
        adjudge compare assessed.csv -m overall --pairs --effects --methods
        adjudge compare tied.csv --test mc --correct westfall-young --resamples 200
        adjudge compare gaps.csv --json
        adjudge groups gaps.csv --method tukey --json
        adjudge assessors assessed.csv
        adjudge stability assessed.csv -m overall --draws 200
        adjudge meta judged.csv --people overall
        adjudge meta judged.csv --people overall --json
        """,
        files=ODD,
    ),
    Scene(
        "figures",
        """
        adjudge figure
        adjudge figure all my-eval -m coverage,rouge-2 -o figures
        adjudge figure all assessed.csv -m overall -o assessed
        """,
        start="full",
        files=ODD,
    ),
    Scene(
        "full-report",
        """
        adjudge report my-eval -o report
        adjudge report my-eval -o rouge -m rouge-1,rouge-2 --json
        adjudge report assessed.csv -o assessed
        """,
        start="full",
        files=ODD,
    ),
    Scene(
        "plain",
        """
        adjudge demo p --seed 2
        adjudge units p
        adjudge units p --json
        adjudge units p --all --levels
        adjudge baselines p --length 50 --cut --json
        adjudge baselines p --length 50 --replace
        adjudge judge simulate p
        adjudge judge simulate p --protocol rating --assessors 4 --noise 0.2 --bias 0.1 --seed 1
        adjudge judge simulate p --protocol duc-2001 --assessors 2 --per-summary 1 --repeats 0.1 --seed 2 --json
        adjudge judge simulate p --protocol preference-summaries --assessors 2 --inconsistency 0.1 --seed 3
        adjudge judge simulate p --protocol preference-sentences --assessors 2 --per-summary 1 --seed 4
        adjudge judge simulate p --protocol pyramid --seed 5
        adjudge score p -m "rating(aspect=fluency)" -m quality -m wins -m retention
        adjudge score p -m "rating(aspect=fluency, scale=z)"
        adjudge measures rating
        adjudge judgments list p
        adjudge judgments tables p
        adjudge compare p -m wins
        adjudge compare p -m "rating(aspect=fluency)" --length 100
        adjudge anova p -m "rating(aspect=fluency)"
        adjudge plan p -m "rating(aspect=fluency)" --difference 0.3 --simulations 100
        adjudge check p
        adjudge report p -o report
        """,
    ),
    Scene(
        "prefer",
        """
        adjudge prefer sample e --per-topic 20 --assessor ann --assessor bob --repeats 0.1 --per-pair 2 --seed 1
        adjudge prefer sample e --per-topic 5 --how information --topic d01 --json
        adjudge prefer sample e --per-topic 5 --how variance --topic d02
        adjudge prefer sample e --of summaries --per-topic 4 --assessor ann --checks checks.csv --seed 1
        adjudge prefer export e pairs.csv --open --batch 100 --of sentences
        adjudge prefer export e hits.csv --open --hit 5 --of summaries
        answer pairs-1.csv back.csv
        adjudge prefer import back.csv e
        adjudge prefer import back.csv e --json
        adjudge prefer simulate e --from ref --per-topic 60 --assessors 3 --noise 0.1 --bias 0.05 --seed 1
        adjudge prefer simulate e --from py --per-topic 20 --assessors 2 --inconsistency 0.1 --seed 2 --json
        adjudge prefer fit e --of sentences --topics d01
        adjudge prefer fit e --of sentences --topics d01 --no-smooth --reliability --csv fit.csv
        adjudge prefer score e
        adjudge prefer score e --from man+ref --simulated 100 --seed 1 --csv prefer.csv
        adjudge prefer score e --from py --penalty printed --no-smooth --json
        adjudge score e -m coverage
        adjudge prefer converge e --people coverage --runs 5 --step 40
        adjudge prefer converge e --people coverage --runs 3 --step 60 --table topics --csv converge.csv
        adjudge prefer converge e --people coverage --runs 3 --step 60 --json
        adjudge prefer report e --people coverage --simulated 50
        adjudge prefer report e --people coverage --simulated 50 --rows topic --latex
        adjudge prefer report e --people coverage --simulated 50 --json
        adjudge prefer export e answers.csv --answers
        adjudge prefer export e models.csv --layout models --of sentences --topic d01
        adjudge compare e -m preference
        """,
        start="demo",
        files={"checks.csv": "topic,left,right,winner\nd01,fluent,random,left\n"},
    ),
    Scene(
        "arena",
        """
        adjudge prefer fit arena.csv
        adjudge prefer fit arena.csv --table strengths --table win-probabilities --table assessors --reliability
        adjudge prefer fit arena.csv --json
        adjudge prefer fit arena.csv --table pairs --csv -
        adjudge prefer fit arena.csv --csv fit.csv --level 0.9
        adjudge prefer fit arena.csv --latex
        adjudge init a
        adjudge prefer import arena.csv a
        adjudge prefer fit a --of systems
        adjudge prefer export a out.csv --layout models
        adjudge score a -m wins
        adjudge compare a -m wins
        adjudge check a
        """,
        files={"arena.csv": arena()},
    ),
    Scene(
        "edits",
        """
        adjudge withdraw e --system vague --topic d03 --why "wrong input"
        adjudge score e -m rouge-2
        adjudge withdraw e --system vague --topic d03 --why "it was right" --restore
        adjudge withdraw e --topic d04 --why "documents missing" --json
        adjudge score e -m rouge-2 -m coverage
        adjudge score e -m rouge-2 -m coverage
        adjudge compare e -m rouge-2
        adjudge rename e --system fluent --to fluent-v1 --why "a second version is coming"
        adjudge score e -m coverage -m rouge-2
        adjudge compare e -m coverage
        adjudge rename e --topic d05 --to d55 --why "another numbering" --json
        adjudge rename e --system random --to lead --why "a clash"
        adjudge remove e --system garbled --why "not ours"
        adjudge remove e --system vague --topic d01 --why "a test"
        adjudge remove e --topic d12 --why "out of scope" --json
        adjudge score e -m rouge-1 -m rouge-2 -m coverage -m pyramid
        adjudge check e
        adjudge judgments list e
        adjudge scores e
        adjudge judgments export e answers.jsonl
        """,
        start="scored",
    ),
    Scene(
        "changed",
        """
        prepend e/documents.jsonl
        change e/summaries.jsonl
        adjudge check e
        adjudge score e -m rouge-2 -m coverage
        adjudge compare e -m rouge-1
        adjudge judgments list e
        adjudge units e
        adjudge judgments tables e --table coverage-by-system
        """,
        start="scored",
    ),
    Scene(
        "imports",
        """
        adjudge init m
        adjudge init m
        adjudge import jsonl long.jsonl m
        adjudge import jsonl long.jsonl m
        adjudge import jsonl long.jsonl m --skip
        adjudge import jsonl long.jsonl m --replace --dry-run --json
        adjudge import jsonl broken.jsonl m
        adjudge import csv runs.csv m --reference-names A --skip
        adjudge import scores metrics.csv m
        adjudge import scores ter.csv m --lower-is-better
        adjudge scores m --csv -
        adjudge score m -m rouge-1
        adjudge compare m -m imported:bertscore
        adjudge check m
        adjudge init m2 --name "Files by system" --json
        adjudge import jsonl lead.jsonl m2 --kind baseline --length 100
        adjudge import jsonl outputs.jsonl m2 --map text=decoded --map document=text
        adjudge show m2
        adjudge init m3
        adjudge import jsonl wide.jsonl m3
        adjudge import csv wide.tsv m3 --skip
        adjudge show m3 --json
        adjudge init m4
        adjudge import summeval annotations.jsonl m4
        adjudge check m4
        adjudge init m5
        adjudge import sacrerouge sacre.jsonl metrics.jsonl m5
        adjudge show m5 --topic d1
        adjudge init m6
        adjudge import duc docs m6
        adjudge import duc models peers m6
        adjudge judgments import nist content.table m6 --aspect content --length 250
        adjudge judgments import nist linguistic_quality.table m6 --length 250 --json
        adjudge score m6 -m rouge-2 -m "rating(aspect=content)"
        adjudge scores m6 --csv -
        adjudge check m6
        adjudge init m7
        adjudge import rouge155 settings.xml m7
        adjudge rouge155 -a -d -n 2 -m settings.xml > rouge.txt
        adjudge import rouge-output rouge.txt m7
        adjudge score m7 -m rouge-1 -m rouge-l
        adjudge scores m7 --csv -
        adjudge init m8
        adjudge judgments import see short.results.table m8 --assessor-column 6 --reference-column 5
        adjudge score m8 -m coverage -m quality-errors -m unmarked
        adjudge judgments tables m8
        adjudge init m9
        adjudge judgments import crowd crowd.csv m9 --aspect fluency
        adjudge judgments import crowd ratings.csv m9
        adjudge judgments import crowd pairs.csv m9 --protocol preference-summaries
        adjudge judgments import summeval annotations.jsonl m9
        adjudge judgments list m9
        adjudge judgments export m9 m9.jsonl
        adjudge prefer fit m9 --of systems
        """,
        files=IMPORTED,
    ),
    Scene(
        "table",
        """
        adjudge compare table.csv
        adjudge compare - < table.csv
        adjudge compare table-shuffled.csv
        adjudge compare table.csv --human "H*" --baseline lead --test all --resamples 300 --json
        adjudge compare table.csv --human "H*" --counts
        adjudge compare table.csv --test hb --resamples 500 --csv -
        adjudge compare table.csv --lower-is-better --test exact
        adjudge compare table.csv --effects --latex
        adjudge compare table.csv --pool-humans --human "H*" --correct westfall-young --test mc --resamples 300
        adjudge compare long.csv --length 100
        adjudge compare long.csv --length all
        adjudge compare long.csv
        adjudge compare odd.csv --length all --test t
        adjudge groups table.csv
        adjudge groups table.csv --tested ranks --human "H*" --contrast humans-machines --json
        adjudge groups table.csv --against lead --csv -
        adjudge groups - --latex < table.csv
        adjudge anova table.csv
        adjudge anova table.csv --ss-type 2 --json
        adjudge anova table.csv --csv -
        adjudge anova long.csv --length 100 --interactions --latex
        adjudge anova - --random topic --simulations 50 < table.csv
        adjudge topics table.csv
        adjudge topics table.csv --json
        adjudge topics table.csv --csv - --against t03
        adjudge topics - --latex < table.csv
        adjudge lengths long.csv
        adjudge lengths long.csv --json
        adjudge lengths long.csv --csv -
        adjudge lengths long.csv --latex --pool-humans
        adjudge plan table.csv --simulations 200
        adjudge plan table.csv --difference 0.02 --simulations 200 --json
        adjudge plan table.csv --difference 5% --simulations 200 --csv -
        adjudge plan - --difference 0.02 --simulations 200 --latex < table.csv
        adjudge plan long.csv --length 100 --difference 0.5 --simulations 100
        """,
        files=TABLES,
    ),
    Scene(
        "simulate",
        """
        adjudge simulate --n-topics 24 --difference 0.5 --simulations 200 --resamples 200
        adjudge simulate --n-topics 16 --n-systems 4 --noise t3 --missing-half --simulations 100 --resamples 100 --json
        adjudge simulate --n-topics 20 --ratings --shared 0.3 --unequal 2 --uneven 2 --simulations 100 \
            --tests wilcoxon,t,mc:w --csv -
        adjudge simulate --n-topics 12 --round 0.5 --noise lognormal --simulations 100 --tests sign,exact \
            --workers 2 --csv s.csv
        """,
    ),
    Scene(
        "rouge",
        """
        adjudge rouge --peer peer/d1.17 --reference model/d1.A --reference model/d1.B
        adjudge rouge --peer peer/d1.17 --reference model/d1.A -m "rouge-2(stat=all)" -m rouge-w -m rouge-score --json
        adjudge rouge --peer absent.txt --reference model/d1.A
        adjudge rouge155 -a -d -n 2 -m settings.xml
        adjudge rouge155 -a -n 4 -w 1.2 -2 4 -U -c 95 -r 200 -f B -p 0.3 settings.xml
        adjudge rouge155 -n 1 -l 5 -t 1 -v settings.xml 17
        adjudge rouge155 -a -s settings.xml
        adjudge measures
        adjudge measures --json
        adjudge measures rouge-2
        adjudge measures nams
        adjudge measures preference --json
        """,
        files=ROUGE_FILES,
    ),
    Scene(
        "rated",
        """
        adjudge demo r
        adjudge judge simulate r --protocol rating --assessors 3 --noise 0.2 --bias 0.1 --repeats 0.1 --seed 1
        adjudge judge simulate r --protocol preference-summaries --assessors 2 --per-summary 1 --seed 3 --json
        adjudge score r -m "rating(aspect=fluency)" -m "rating(aspect=relevance, scale=z)" -m wins
        adjudge judgments list r
        adjudge judgments tables r
        adjudge compare r -m wins
        adjudge compare r -m "rating(aspect=fluency)" --csv -
        adjudge anova r -m "rating(aspect=fluency)" --interactions
        adjudge plan r -m "rating(aspect=fluency)" --difference 0.3 --simulations 100
        adjudge prefer fit r --of systems
        adjudge prefer fit r --of summaries --topics d01 --json
        adjudge report r -o report
        """,
    ),
    Scene(
        "tables",
        """
        adjudge judgments tables e --table coverage-by-system --csv coverage.csv
        adjudge judgments tables e --table agreement --table contradictions --seed 1
        adjudge judgments tables e --table quality-by-source --csv - --alpha 0.1
        """,
        start="demo",
    ),
    Scene(
        "prepended",
        """
        adjudge prefer simulate e --from ref --per-topic 20 --assessors 2 --seed 1
        adjudge prefer export e before.csv
        prepend e/documents.jsonl
        adjudge check e
        adjudge prefer export e after.csv
        adjudge prefer fit e --of sentences --topics d01
        adjudge prefer score e --csv -
        """,
        start="demo",
    ),
    Scene(
        "mistakes",
        """
        adjudge compare nowhere
        adjudge compare e -m rouge-22
        adjudge compare e -m rouge-3
        adjudge compare e -m rouge-2 --test wilcoxn
        adjudge compare e -m rouge-2 --correct holms
        adjudge compare e -m rouge-2 --against leed
        adjudge compare e -m rouge-2 --side better
        adjudge compare e -m rouge-2 --length 70
        adjudge compare e -m rouge-2 --alpha 2
        adjudge compare e --nonsense
        adjudge compare bad.csv
        adjudge compare twice.csv
        adjudge compare table.csv --human "X*"
        adjudge groups e -m rouge-2 --contrast humans-martians
        adjudge anova e -m rouge-2 --factors system,colour
        adjudge topics e -m rouge-2 --against d99
        adjudge score e -m rouge-2(stem=nobody)
        adjudge score e -m "bleu(wrong=1)"
        adjudge measures rouje
        adjudge show e --topic d99
        adjudge withdraw e --system nobody --why x
        adjudge rename e --system fluent --to "a/b" --why x
        adjudge remove e --why x
        adjudge assign e --protocol nothing
        adjudge judge simulate e --protocol duc-2003
        adjudge prefer fit nowhere.csv
        adjudge prefer converge e --people nothing
        adjudge plan e -m rouge-2 --power 1.5
        adjudge simulate --n-topics 0
        adjudge simulate --tests nothing
        adjudge import jsonl absent.jsonl e
        adjudge import nothing x e
        adjudge rouge155 -a absent.xml
        adjudge report e -o e
        adjudge demo e
        adjudge frobnicate
        adjudge
        damage e/summaries.jsonl
        adjudge check e
        adjudge score e
        """,
        start="scored",
        files=TABLES,
    ),
    Scene(
        "help",
        "\n".join(
            [
                "adjudge --version",
                "adjudge --help",
                *(f"adjudge {name} --help" for name in GROUPS),
                *(f"adjudge {name.strip()} --help" for name in BELOW),
            ]
        ),
    ),
    Scene(
        "summeval",
        """
        adjudge init s --name SummEval
        adjudge import summeval summeval.jsonl s
        adjudge check s
        adjudge show s
        adjudge score s -m rouge-1 -m rouge-2 -m js
        adjudge scores s
        adjudge compare s -m expert:coherence
        adjudge compare s -m expert:coherence --test t --correct bh --pairs
        adjudge compare s -m expert:coherence --test mc --resamples 500 --json
        adjudge compare s -m expert:coherence --test hb --resamples 500 --csv hb.csv
        adjudge compare s -m expert:relevance --test exact --correct bonferroni
        adjudge compare s -m rouge-2 --effects
        adjudge compare s -m rouge-1 -m rouge-2 -m expert:relevance --counts
        adjudge compare s -m crowd:fluency --test wilcoxon --latex
        adjudge anova s -m expert:coherence
        adjudge anova s -m expert:coherence --interactions --csv anova.csv
        adjudge anova s -m expert:coherence --random topic,assessor --simulations 0
        adjudge topics s -m expert:coherence --csv topics.csv
        adjudge groups s -m expert:coherence
        adjudge groups s -m rouge-2 --tested ranks --json
        adjudge plan s -m expert:coherence --difference 0.1 --simulations 200
        adjudge scores s --matrix -m expert:coherence --csv coherence.csv
        adjudge compare coherence.csv --test mc --resamples 500
        adjudge compare - --test mc --resamples 500 < coherence.csv
        adjudge report s -o report -m rouge-2 -m expert:coherence
        """,
        summeval=True,
    ),
    Scene(
        "summeval-judged",
        """
        adjudge init j --name "SummEval judged"
        adjudge judgments import summeval summeval.jsonl j
        adjudge judgments list j
        adjudge judgments tables j
        adjudge judgments tables j --json
        adjudge score j -m "rating(aspect=coherence)" -m "rating(aspect=relevance)"
        adjudge compare j -m "rating(aspect=coherence)"
        adjudge judgments export j answers.jsonl
        """,
        summeval=True,
    ),
]


# ---------------------------------------------------------------- what has to vary


class Normal:
    """Replaces what differs from one recording to the next by its nature; the list stands above."""

    def __init__(self, scratch: Path) -> None:
        now = datetime.now(UTC)
        days = "|".join(f"{now + timedelta(days=k):%Y-%m-%d}" for k in (-1, 0, 1))
        self.rules = [
            (re.compile(re.escape(str(scratch)) + r"(/[a-z-]+(?=[/\s'\":]|$))?"), "SCRATCH"),
            (re.compile(rf"(?:{days})[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00| UTC)?"), "<time>"),
            (re.compile(days), "<today>"),
            (re.compile(r"(?<=/in#)[\w-]{43}"), "<token>"),
            (re.compile(r'(?<=")[\w-]{43}(?=")'), "<token>"),
            (
                re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"),
                "<uuid4>",
            ),
            (re.compile(r"\bp-[0-9a-f]{10}\b"), "<person>"),
            (re.compile(r"\bin \d+(?:\.\d+)? (?:s|seconds?|ms)\b"), "in <seconds>"),
        ]

    def __call__(self, text: str) -> str:
        for pattern, word in self.rules:
            text = pattern.sub(word, text)
        return text


# ---------------------------------------------------------------- what a command wrote


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file with what changes when it is written."""
    found = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in UNSEEN)
    return {str(p.relative_to(folder)): (p.stat().st_mtime_ns, p.stat().st_size) for p in found}


def content(path: Path) -> bytes:
    """A file's content without what bytes add to it: the rows of score files and databases."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as parquet

        table = parquet.read_table(path)
        told = (table.schema.metadata or {}).get(b"adjudge", b"{}")
        head = [json.dumps(json.loads(told), sort_keys=True), json.dumps(table.schema.names)]
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        return "\n".join([*head, *(json.dumps(row) for row in rows)]).encode() + b"\n"
    if path.suffix == ".sqlite":
        with sqlite3.connect(path) as database:
            names = [
                row[0]
                for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
            ]
            counts = [
                (name, database.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0]) for name in names
            ]
        database.close()
        return "".join(f"{name}: {count} rows\n" for name, count in counts).encode()
    return path.read_bytes()


def slug(command: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", command.removeprefix("adjudge").strip() or "adjudge").strip("_")[:110]


# ---------------------------------------------------------------- steps that are no commands: what people do to files


def answer(folder: Path, source: str, target: str) -> None:
    """A batch as it comes back from a crowd platform."""
    with (folder / source).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for k, row in enumerate(rows):
        row |= {
            "worker": f"w{k % 3 + 1}",
            "answer": ("left", "right", "left", "skip")[k % 4],
            "seconds": str(3 + k % 7),
        }
    with (folder / target).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def rewrite(folder: Path, name: str, before: str) -> None:
    """Put a sentence before the first text of a file of rows."""
    path = folder / name
    path.write_text(
        path.read_text(encoding="utf-8").replace('"text": "', f'"text": "{before}', 1), encoding="utf-8"
    )


def act(folder: Path, step: str) -> bool:
    """Do a step that is no command; False where it is one."""
    words = step.split()
    if words[0] == "answer":
        answer(folder, words[1], words[2])
    elif words[0] == "prepend":
        rewrite(folder, words[1], "This was written afterwards. ")
    elif words[0] == "change":
        rewrite(folder, words[1], "Another beginning. ")
    elif words[0] == "damage":
        with (folder / words[1]).open("a", encoding="utf-8") as stream:
            stream.write('{"topic": "d01", "system"\n')
    else:
        return False
    return True


# ---------------------------------------------------------------- recording


def environment() -> dict[str, str]:
    """The caller's, with PYTHONPATH made absolute and nothing that depends on a terminal."""
    left_out = ("FORCE_COLOR", "ADJUDGE_ROUGE_DATA", "PYTHONDONTWRITEBYTECODE")
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    paths = [str(Path(p).resolve()) for p in kept.get("PYTHONPATH", "").split(os.pathsep) if p]
    return kept | {
        "PYTHONPATH": os.pathsep.join(paths),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "adjudge-transcripts-bytecode"),
    }


def run(command: str, folder: Path) -> tuple[int, bytes, bytes]:
    """A command line as people type it, with `< FILE` and `> FILE`."""
    command, _, target = command.partition(" > ")
    command, _, source = command.partition(" < ")
    call = [sys.executable, "-m", "adjudge", *shlex.split(command)[1:]]
    given = (folder / source).read_bytes() if source else b""
    done = subprocess.run(
        call, cwd=folder, input=given, capture_output=True, env=environment(), timeout=LIMIT
    )
    if target:
        (folder / target).write_bytes(done.stdout)
    return done.returncode, b"" if target else done.stdout, done.stderr


def transcript(command: str, code: int, out: str, err: str, files: dict[str, str]) -> str:
    parts = [
        f"$ {command}",
        f"exit {code}",
        "---- standard output",
        out.rstrip("\n"),
        "---- standard error",
        err.rstrip("\n"),
    ]
    return "\n".join([*parts, "---- files", *(f"{digest}  {name}" for name, digest in files.items())]) + "\n"


def play(scene: Scene, scratch: Path, target: Path) -> None:
    """Run a scene's commands and store what they did."""
    folder = scratch / scene.name
    if scene.start:
        shutil.copytree(scratch / scene.start, folder)
    folder.mkdir(exist_ok=True)
    for name, text in scene.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    if scene.summeval:
        shutil.copyfile(SUMMEVAL, folder / "summeval.jsonl")
    normal = Normal(scratch)
    stored = target / scene.name
    stored.mkdir(parents=True)
    index: list[dict[str, str | int | float]] = []
    for command in scene.commands():
        if act(folder, command):
            continue
        name = slug(command)
        again = sum(each["name"] == name or str(each["name"]).startswith(name + "~") for each in index)
        name = f"{name}~{again + 1}" if again else name
        before, began = state(folder), time.monotonic()
        code, out, err = run(command, folder)
        seconds = round(time.monotonic() - began, 2)
        after, files = state(folder), {}
        for path in sorted(before.keys() | after.keys()):
            if path not in after:
                files[path] = "removed"
            elif before.get(path) != after[path]:
                found = content(folder / path)
                with suppress(UnicodeDecodeError):
                    found = normal(found.decode("utf-8")).encode("utf-8")
                files[path] = hashlib.sha256(found).hexdigest()
                kept = stored / f"{name}.files" / path
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(found)
        text = transcript(
            command,
            code,
            normal(out.decode("utf-8", "replace")),
            normal(err.decode("utf-8", "replace")),
            files,
        )
        (stored / f"{name}.txt").write_text(text, encoding="utf-8")
        index.append({"name": name, "command": command, "exit": code, "seconds": seconds})
    (stored / "index.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    print(
        f"{scene.name}: {len(index)} commands, {sum(float(str(e['seconds'])) for e in index):.0f} s",
        flush=True,
    )


def chosen(only: list[str]) -> list[Scene]:
    """The scenes named and those that they start from; all where none is named."""
    by_name = {scene.name: scene for scene in SCENES}
    wanted: set[str] = set()
    for name in only or by_name:
        start: str | None = name
        while start:
            wanted.add(start)
            start = by_name[start].start
    return [scene for scene in SCENES if scene.name in wanted]


def record(target: Path, workers: int, only: list[str]) -> int:
    if target.exists():
        sys.exit(f"{target} is there already")
    target.mkdir(parents=True)
    where = "import importlib.util as u; print(u.find_spec('adjudge').origin)"
    env = environment()
    code = subprocess.run(
        [sys.executable, "-c", where], env=env, capture_output=True, text=True, check=True
    ).stdout.strip()
    print(f"recording {code}", flush=True)
    began = time.monotonic()
    scenes = chosen(only)
    if not SUMMEVAL.is_file():
        for scene in scenes:
            if scene.summeval:
                print(f"{scene.name}: skipped, needs {SUMMEVAL}")
        scenes = [scene for scene in scenes if not scene.summeval]
    with (
        tempfile.TemporaryDirectory(prefix="adjudge-transcripts-") as folder,
        ThreadPoolExecutor(workers) as pool,
    ):
        playing: dict[Future[None], str | None] = {}
        begin: list[str | None] = [None]
        while begin or playing:
            for scene in scenes:
                if scene.start in begin:
                    playing[pool.submit(play, scene, Path(folder), target)] = scene.name
            done, _ = wait(playing, return_when=FIRST_COMPLETED)
            begin = [playing.pop(future) for future in done if future.result() is None]
    count = len(list(target.glob("*/*.txt")))
    seconds = round(time.monotonic() - began)
    about = {"code": code, "commands": count, "seconds": seconds, "at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}"}
    (target / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(f"{count} commands in {seconds} s: {target}")
    return 0


# ---------------------------------------------------------------- comparing


def commands_of(folder: Path) -> Iterator[Path]:
    for index in sorted(folder.glob("*/index.json")):
        for each in json.loads(index.read_text(encoding="utf-8")):
            yield (index.parent / f"{each['name']}.txt").relative_to(folder)


def read(path: Path, any_version: bool) -> list[str] | None:
    """A stored text's lines; None where it is absent, one line of digest where it is no text."""
    if not path.is_file():
        return None
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [f"sha256 {hashlib.sha256(data).hexdigest()}"]
    people = iter(sorted(re.findall(r'^\{"kind": "person".*$', text, re.MULTILINE)))
    text = re.sub(r'^\{"kind": "person".*$', lambda _: next(people), text, flags=re.MULTILINE)
    if any_version:
        text = re.sub(r"(?<=\bv:)\d+\.\d+\.\d+\w*|(?<=[Aa]djudge )\d+\.\d+\.\d+\w*", "<version>", text)
    return text.splitlines()


def differences(old: Path, new: Path, name: Path, any_version: bool) -> Iterator[tuple[str, list[str]]]:
    """What differs of a command: its transcript, then the files that it wrote."""
    a, b = read(old / name, any_version), read(new / name, any_version)
    digest = re.compile(r"^[0-9a-f]{64}  ")
    plain_a, plain_b = ([digest.sub("", line) for line in side or []] for side in (a, b))
    if plain_a != plain_b:
        yield str(name), list(difflib.unified_diff(plain_a, plain_b, "old", "new", lineterm="", n=2))
    folder = name.with_suffix("").name + ".files"
    files = {
        p.relative_to(side / name.parent / folder)
        for side in (old, new)
        for p in (side / name.parent / folder).rglob("*")
        if p.is_file()
    }
    for file in sorted(files):
        a, b = (read(side / name.parent / folder / file, any_version) for side in (old, new))
        if (
            a != b and a is not None and b is not None
        ):  # a file that only one wrote is in the transcript's diff
            yield f"{name} wrote {file}", list(difflib.unified_diff(a, b, "old", "new", lineterm="", n=1))


def compare(old: Path, new: Path, any_version: bool, most: int) -> int:
    olds, news = list(commands_of(old)), list(commands_of(new))
    names = [name for name in olds if name in set(news)]
    if not names:
        sys.exit(f"{old} and {new} have no command in common")
    for side, others, folder in ((olds, set(news), old), (news, set(olds), new)):
        for name in side:
            if name not in others:
                print(f"only in {folder}: {name.with_suffix('')}")
    different = 0
    for name in names:
        found = list(differences(old, new, name, any_version))
        different += bool(found)
        for k, (title, diff) in enumerate(found):
            if k == 0:
                stored = read(old / name, False) or read(new / name, False) or [""]
                print(f"\n==== {name.parent}: {stored[0]}")
            if title != str(name):
                print(f"== {title.partition(' wrote ')[2]}")
            print(*(line[:300] for line in diff[2 : 2 + most]), sep="\n")
            if len(diff) > most + 2:
                print(f"... {len(diff) - most - 2} more lines")
    print(f"\n{len(names) - different} commands the same, {different} different")
    return int(different > 0)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Record what commands print and write; compare two recordings."
    )
    parts = parser.add_subparsers(dest="part", required=True)
    recording = parts.add_parser("record")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--workers", type=int, default=2, help="scenes at a time")
    recording.add_argument(
        "--only", action="append", default=[], choices=[s.name for s in SCENES], metavar="SCENE"
    )
    comparing = parts.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--any-version", action="store_true", help="the version in signatures may differ")
    comparing.add_argument("--lines", type=int, default=40, help="of a diff, at most")
    given = parser.parse_args()
    if given.part == "record":
        return record(given.folder, given.workers, given.only)
    return compare(given.old, given.new, given.any_version, given.lines)


if __name__ == "__main__":
    sys.exit(main())
