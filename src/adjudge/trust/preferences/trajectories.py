"""Agreement by the number of answers: the result, in words and tables. How it comes about: converge.py."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge.trust.preferences.agreement import plain, shown
from adjudge.wording import counted, listed, tex

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Point:
    """Agreement with so many answers: the mean of the runs, and where the middle of them lies."""

    n: int
    mean: float
    low: float
    high: float
    error: float
    """The standard error of the mean over runs."""


@dataclass(frozen=True)
class Trajectory:
    """One topic: agreement by the number of answers, and other measures' agreement on the same topic."""

    topic: str
    answers: int
    points: tuple[Point, ...] = ()
    lines: Mapping[str, float] = field(default_factory=dict)
    why: str | None = None

    def at(self, n: int) -> Point:
        """Where the topic stands with so many answers, or with all where it has fewer."""
        return next((point for point in self.points if point.n >= min(n, self.answers)), self.points[-1])

    def needed(self, measure: str) -> int | None:
        """The number of answers from which on the mean stays above another measure's agreement, if it does."""
        line, found = self.lines.get(measure, math.nan), None
        for point in reversed(self.points):
            if not point.mean > line:
                break
            found = point.n
        return found


@dataclass(frozen=True)
class Convergence:
    """Figure 3's data: a trajectory per topic."""

    human: str
    topics: tuple[Trajectory, ...]
    runs: int
    level: float
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def measured(self) -> tuple[Trajectory, ...]:
        """The topics that have a trajectory."""
        return tuple(topic for topic in self.topics if topic.points)

    def mean(self) -> Iterator[tuple[int, float, int]]:
        """Answers, mean agreement over all topics, and how many topics have so many answers.

        A topic with fewer answers counts with all of its own: so the topics are the same from first to last.
        """
        most = max(self.measured, key=lambda topic: topic.answers, default=None)
        for n in () if most is None else [point.n for point in most.points]:
            means = [topic.at(n).mean for topic in self.measured]
            yield n, math.fsum(means) / len(means), sum(topic.answers >= n for topic in self.measured)

    def lines(self) -> dict[str, float]:
        """Other measures' agreement, meaned over the topics that have a trajectory."""
        names = dict.fromkeys(name for topic in self.measured for name in topic.lines)
        values = {
            n: [t.lines[n] for t in self.measured if t.lines.get(n, math.nan) == t.lines.get(n)]
            for n in names
        }
        return {n: math.fsum(v) / len(v) if v else math.nan for n, v in values.items()}

    def sentences(self) -> Iterator[str]:
        """What was found, in plain words."""
        if not self.measured:
            yield f"No topic has a trajectory ({self.topics[0].why if self.topics else 'there are no topics'})."
            return
        every = list(self.mean())
        (first, low, _), (last, high, whole) = every[0], every[-1]
        topics = len(self.measured)
        fewer = "" if whole == topics else " (or all, where there are fewer)"
        yield (
            f"With {counted(first, 'answer')} per topic {low:.1%} of the pairs are ordered as {self.human} does, with"
            f" {last:,}{fewer} it is {high:.1%}; {counted(topics, 'topic')}, {counted(self.runs, 'run')} each."
        )
        above = [name for name, line in self.lines().items() if high > line]
        if above:
            yield f"With {last:,} answers that is above {listed(above)}."

    def to_frame(self) -> pd.DataFrame:
        """Long: a row per topic and number of answers, then a row per topic and other measure, its n unset."""
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for topic in self.topics:
            rows += [
                {"topic": topic.topic, "measure": "preference", **asdict(point)} for point in topic.points
            ]
            rows += [{"topic": topic.topic, "measure": name, "mean": v} for name, v in topic.lines.items()]
        columns = ["topic", "measure", "n", "mean", "low", "high", "error"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({"n": "Int64"})

    def to_latex(self) -> str:
        """Means over topics for a paper, with booktabs rules."""
        lines = [r"\begin{tabular}{rrr}", r"\toprule", r"answers & agreement & topics \\", r"\midrule"]
        lines += [rf"{n} & {mean:.3f} & {topics} \\" for n, mean, topics in self.mean()]
        lines += [r"\midrule", *(rf"{tex(name)} & {shown(v, '--')} & \\" for name, v in self.lines().items())]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """For --json; NaN becomes null."""
        return {
            "human": self.human,
            "runs": self.runs,
            "level": self.level,
            "signature": self.signature,
            "sentences": list(self.sentences()),
            "notes": list(self.notes),
            "lines": plain(self.lines()),
            "mean": [{"n": n, "agreement": mean, "topics": topics} for n, mean, topics in self.mean()],
            "topics": [
                {
                    "topic": t.topic,
                    "answers": t.answers,
                    "why": t.why,
                    "lines": plain(dict(t.lines)),
                    "points": [plain(asdict(point)) for point in t.points],
                }
                for t in self.topics
            ],
        }
