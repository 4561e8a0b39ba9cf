"""How the studies of preferences are printed: prefer_study.py's tables. Decides nothing about the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjudge.cli.output import say, show_table, warn

if TYPE_CHECKING:
    from adjudge.evaluation import Evaluation
    from adjudge.trust.preferences.paper_table import PaperTable, Rows
    from adjudge.trust.preferences.trajectories import Convergence


class WithRows:
    """A table with the rows that were asked for."""

    def __init__(self, table: PaperTable, rows: Rows):
        self.table, self.rows = table, rows

    def as_dict(self) -> dict[str, Any]:
        return self.table.as_dict()

    def to_latex(self) -> str:
        return self.table.to_latex(self.rows)


def means(e: Evaluation, measure: str) -> Any:
    """A row per system and length: the mean over topics, the best first."""
    import pandas as pd

    data = e.scores()
    rows = []
    for length in data.table.each_length(measure):
        matrix = data.matrix(measure, length=length)
        for system, column in zip(matrix.systems, matrix.values.T, strict=True):
            known = column[column == column]
            rows.append(
                {
                    "measure": measure,
                    "system": system,
                    "kind": data.kind(system),
                    "length": length,
                    "topics": len(known),
                    "mean": float(known.mean()) if len(known) else float("nan"),
                }
            )
    return pd.DataFrame(rows).sort_values("mean", ascending=False, kind="stable")


def number(value: float) -> str:
    return "-" if value != value else f"{value:.4f}"


def show_paper(table: PaperTable, rows: Rows, named: dict[str, str]) -> None:
    """A table, what it says, and of every heading that is new what stands behind it."""
    heads, lines = table.printed(rows)
    show_table(heads, lines, title=table.title)
    for line in table.sentences():
        say(line)
    for line in (*table.reasons(), *table.notes):
        warn(line)
    for heading, signature in table.signatures.items():
        if named.get(heading) != signature:
            named[heading] = signature
            say(f"{heading}: {signature}", "dim")
    say(table.signature, "dim")


def show_trajectories(found: Convergence, *, topics: bool = False) -> None:
    """Means over topics, the other measures, and every topic with its interval where that is asked for."""
    from adjudge.trust.preferences.agreement import shown

    say(f"Agreement with {found.human} by the number of answers per topic", "bold")
    show_table(
        ("answers>", "agreement>", "topics>"),
        [(n, f"{mean:.3f}", topics) for n, mean, topics in found.mean()],
    )
    print()
    show_table(("measure", "agreement>"), [(name, shown(value)) for name, value in found.lines().items()])
    if topics:
        print()
        show_table(
            ("topic", "answers>", "agreement>", f"{found.level:.0%} of runs"),
            [
                (topic.topic, point.n, f"{point.mean:.3f}", f"{point.low:.3f}-{point.high:.3f}")
                for topic in found.measured
                for point in topic.points
            ],
        )
    for line in found.sentences():
        say(line)
    reasons = {topic.why: 0 for topic in found.topics if topic.why}
    for topic in found.topics:
        if topic.why:
            reasons[topic.why] += 1
    for why, count in reasons.items():
        warn(f"{count:,} without a trajectory: {why}")
    for note in found.notes:
        warn(note)
    say(found.signature, "dim")
