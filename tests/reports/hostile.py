"""An evaluation whose every name and text would break a page, a picture, a spreadsheet or a paper.

`hostile_evaluation` is a folder, `hostile_frame` a table of scores (whose names may hold what a folder refuses).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from adjudge.data.rows import Document, Row, Summary, System, Topic
from adjudge.evaluation import Evaluation

MARK = "pwned"
"""Within what would be run; no page has an element or attribute of it."""
HTML = (
    f"<script>alert('{MARK}')</script>",
    f'"><img src=x onerror="{MARK}()">',
    f"</style><b class={MARK}>",
    f"]]><!--{MARK}-->",
    f"' onmouseover='{MARK}()",
    "{{ 7*7 }}{% raw %}",
)
LATEX = (
    r"\input{/etc/passwd}",
    r"$x_1^2$ & 50% #1 ~{",
    r"}\end{table}\undefined{",
    r"\\*[1cm] ^^41 --- ``''",
)
FORMULAS = ("=1+1", "+cmd|' /C calc'!A0", "@SUM(A1:A9)", "-2+3", "'=HYPERLINK(1)")
LETTERS = ("emoji 🙂👍🏽", "中文系统", "naïve Ångström ß", "עברית مرحبا", "x\u0301\u0308\u0323 combining")
LONG = "a-very-long-name-" + "x" * 150
NAMES = (*HTML, *LATEX, *FORMULAS, *LETTERS, LONG)
UNPRINTABLE = ("bidi \u202eesrever\u202c", "tab\tcell", "line\nbreak", "bell\x07 null\x00", "sep\u2028arate")
SYSTEMS = tuple(NAMES[k] for k in (0, 1, 2, 6, 7, 8, 10, 11, 15, 16, 20))
ASSESSORS = (HTML[0], LATEX[1], FORMULAS[0])
TOPICS = 7
ASPECTS = (f"rating <b>{MARK}</b> & 100%_$", r"=1+\aspect{^_}")
AUTOMATIC = ("<i>auto</i> #1", "near_%")


def hostile_rows() -> Iterator[Row]:
    for k, system in enumerate(SYSTEMS):
        yield System(
            system, kind=("machine", "baseline")[k % 2], label=f"{NAMES[-1 - k]} {UNPRINTABLE[k % 5]}"
        )
    for t in range(TOPICS):
        topic = f"{t} {NAMES[t]}"
        yield Topic(
            topic, title=f"{NAMES[-1 - t]} {UNPRINTABLE[t % 5]}", set=NAMES[t // 2], type=NAMES[t % 3]
        )
        text = " ".join(NAMES) + " ".join(UNPRINTABLE)
        yield Document(topic, NAMES[t], f"The storm {t} began. {text}. It ended on Tuesday.")
        yield Summary(topic, "writer <u>", f"The storm {t} began and ended. {text}", 50, ("reference",))
        for k, system in enumerate(SYSTEMS):
            yield Summary(topic, system, f"The storm {t}. " * (1 + k % 4) + NAMES[(t + k) % len(NAMES)], 50)


def hostile_frame(*, unprintable: bool = False) -> pd.DataFrame:
    """Scores by assessors and by nobody; of a table alone, names may hold control characters too."""
    rows: list[tuple[str, str, str, float, str | None]] = []
    for t in range(TOPICS):
        topic = f"{t} {NAMES[t]}"
        for k, system in enumerate(SYSTEMS):
            name = f"{system} {UNPRINTABLE[k % 5]}" if unprintable else system
            true = 4 - 0.3 * k + math.sin(3 * t + k)
            for aspect in ASPECTS:
                for a, assessor in enumerate(ASSESSORS):
                    value = float(round(min(5, max(1, true + math.sin(7 * t + 5 * k + a)))))
                    rows.append((aspect, topic, name, value, assessor))
            for j, measure in enumerate(AUTOMATIC):
                rows.append((measure, topic, name, true + (1 + j) * math.cos(11 * t + 5 * k + j), None))
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "value", "assessor"])
    return frame if unprintable else frame.assign(length=50)


def hostile_evaluation(folder: Path) -> Evaluation:
    """A folder with texts, imported scores of people and of measures, and ROUGE."""
    e = Evaluation.init(folder, name=f"{HTML[0]} {LATEX[1]} {LETTERS[1]}")
    e.take(("hostile", row) for row in hostile_rows())
    table = folder.parent / f"{folder.name}.csv"
    hostile_frame().to_csv(table, index=False)
    e.import_data(table)
    e.score(["rouge-1"])
    return Evaluation.open(folder)
