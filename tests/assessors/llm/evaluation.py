"""A small evaluation whose systems have names that no text holds."""

from __future__ import annotations

from pathlib import Path

from adjudge.data.rows import Document, Row, Summary, System, Topic
from adjudge.evaluation import Evaluation

TOPICS = ("t1", "t2", "t3")
SYSTEMS = ("zq-alpha", "zq-beta", "zq-gamma")
NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"


def text(topic: int, system: int) -> str:
    """Sentences of a number of words that topic and system say."""
    first = " ".join(NUMBERS.split()[: 3 + system]).capitalize()
    second = " ".join(NUMBERS.split()[topic : topic + 4 + 2 * system]).capitalize()
    return f"{first}. {second}. The river rose in town {topic + 1}."


def made(path: Path) -> Evaluation:
    """With units; nobody has judged anything."""
    rows: list[Row] = [System(name, kind="machine") for name in SYSTEMS]
    rows.append(System("zq-writer", kind="human"))
    for t, topic in enumerate(TOPICS):
        rows.append(Topic(topic, question=f"What happened in town {t + 1}?"))
        body = f"The river rose in town {t + 1}. {NUMBERS.capitalize()}. Nobody was hurt. The bridge held."
        rows.append(Document(topic, f"doc-{topic}", body))
        rows += [Summary(topic, name, text(t, s), 50) for s, name in enumerate(SYSTEMS)]
        own = f"The river rose in town {t + 1}. Nobody was hurt."
        rows.append(Summary(topic, "zq-writer", own, 50, ("reference",)))
    e = Evaluation.init(path)
    e.take(("test", row) for row in rows)
    e.units()
    return Evaluation.open(path)
