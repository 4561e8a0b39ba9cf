"""How far measures order summaries as people do, topic by topic (Zopf 2018, equation 1). Counting: stats/orders.py."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from adjudge.comparisons.scores import Among, Scores
from adjudge.data.scores import AllLengths, ScoreMatrix
from adjudge.errors import DataError, UsageError, quoted
from adjudge.stats.agreement import PairAgreement, pair_agreement
from adjudge.stats.bootstrap import bootstrap_means
from adjudge.wording import counted, tex

if TYPE_CHECKING:
    import pandas as pd

Systems = Literal["machine", "all"]
LEVEL, RESAMPLES = 0.95, 2000
_AMONG: dict[Systems, Among] = {"machine": "machines", "all": "all"}


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """A measure and people on one topic."""

    topic: str
    share: float
    agreed: int
    pairs: int
    ties: int
    human_ties: int
    missing: int
    why: str | None = None


@dataclass(frozen=True)
class Agreement:
    """A measure's agreement with people: per topic, and the mean over topics with an interval over topics."""

    measure: str
    human: str
    topics: tuple[TopicAgreement, ...]
    mean: float
    low: float
    high: float
    level: float
    systems: Systems
    signature: str
    why: str | None = None
    """Why there is no mean."""

    @property
    def n(self) -> int:
        """Topics that have an agreement."""
        return sum(topic.pairs > 0 for topic in self.topics)

    @property
    def pairs(self) -> int:
        return sum(topic.pairs for topic in self.topics)

    @property
    def missing(self) -> int:
        """Pairs in which a score is missing."""
        return sum(topic.missing for topic in self.topics)

    def sentence(self) -> str:
        """What was found, in plain words."""
        if self.why is not None:
            return f"{self.measure}: no agreement with {self.human} ({self.why})."
        over = f"{counted(self.n, 'topic')}, {counted(self.pairs, 'pair')}"
        known = "" if math.isnan(self.low) else f" ({self.level:.0%} interval {_range(self.low, self.high)})"
        return f"{self.measure} orders {self.mean:.1%} of the pairs as {self.human} does{known}; {over}."

    def record(self) -> dict[str, Any]:
        """The mean as one row."""
        return {
            "measure": self.measure,
            "human": self.human,
            "agreement": self.mean,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "topics": self.n,
            "pairs": self.pairs,
            "missing": self.missing,
            "systems": self.systems,
            "why": self.why,
        }

    def to_frame(self) -> pd.DataFrame:
        """A row per topic."""
        import pandas as pd

        about = {"measure": self.measure, "human": self.human}
        return pd.DataFrame([about | asdict(topic) for topic in self.topics])

    def to_latex(self) -> str:
        """The topics for a paper, with booktabs rules."""
        lines = [r"\begin{tabular}{lrr}", r"\toprule", r"topic & agreement & pairs \\", r"\midrule"]
        lines += [rf"{tex(t.topic)} & {shown(t.share, '--')} & {t.pairs} \\" for t in self.topics]
        lines += [r"\midrule", rf"mean & {shown(self.mean, '--')} & {self.pairs} \\"]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """For --json; NaN becomes null."""
        return plain(self.record()) | {
            "signature": self.signature,
            "sentence": self.sentence(),
            "per_topic": [plain(asdict(topic)) for topic in self.topics],
        }


def agreements(
    data: Scores,
    human: str,
    measures: Sequence[str] = (),
    *,
    rng: np.random.Generator,
    systems: Systems = "machine",
    length: int | AllLengths | None = None,
    half: bool = False,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> list[Agreement]:
    """Of each measure with the human one; of all that have a direction, unless some are named.

    Over machines, baselines among them, unless `systems` is "all". A system or topic that only one of the two
    measures knows is missing, and counted. The topics of a resample are the same for all measures.
    """
    if systems not in get_args(Systems):
        raise UsageError(f"systems is {quoted(systems)}, expected one of: {', '.join(get_args(Systems))}")
    people = human_matrix(data, human, systems, length)
    chosen = [data.resolve(measure) for measure in measures] or _directed(data, people.measure)
    found = [_topics(data, people, measure, length, half) for measure in chosen]
    shares = np.array([[topic.share for topic in topics] for topics in found]).T.reshape(-1, len(found))
    low, high = bootstrap_means(shares, rng=rng, resamples=resamples, level=level)
    return [
        _agreement(measure, people, topics, (float(low[k]), float(high[k]), level), systems, half, resamples)
        for k, (measure, topics) in enumerate(zip(chosen, found, strict=True))
    ]


def _agreement(
    measure: str,
    people: ScoreMatrix,
    topics: Sequence[TopicAgreement],
    interval: tuple[float, float, float],
    systems: Systems,
    half: bool,
    resamples: int,
) -> Agreement:
    shares = [topic.share for topic in topics if topic.pairs]
    ties = "half" if half else "strict"
    signature = f"agreement|{measure}|human:{people.measure}|systems:{systems}|ties:{ties}|bootstrap:{resamples}:topics"
    why = None if shares else common_reason([topic.why for topic in topics])
    mean = math.fsum(shares) / len(shares) if shares else math.nan
    return Agreement(measure, people.measure, tuple(topics), mean, *interval, systems, signature, why)


def human_matrix(
    data: Scores, human: str, systems: Systems = "machine", length: int | AllLengths | None = None
) -> ScoreMatrix:
    """What people say of the systems that count, turned so that higher is better."""
    from dataclasses import replace

    name = data.resolve(human)
    matrix = data.matrix(name, length=length_for(data, name, length), among=_AMONG[systems])
    if matrix.info.better is None:
        raise UsageError(f"--human {name} is a description: nobody is better by it")
    if matrix.info.better == "lower":
        matrix = replace(matrix, values=-matrix.values)
    return matrix


def length_for(data: Scores, measure: str, length: int | AllLengths | None) -> int | AllLengths | None:
    """The length that was asked for; a measure that knows no lengths has its scores anyway."""
    return None if data.table.lengths(measure) == (None,) else length


def aligned(people: ScoreMatrix, matrix: ScoreMatrix, topic: str) -> np.ndarray | None:
    """A measure's scores of the systems that people judged, in their order; None where it does not know the topic."""
    if topic not in matrix.topics:
        return None
    row = dict(zip(matrix.systems, matrix.values[matrix.topics.index(topic)].tolist(), strict=True))
    return np.array([row.get(system, math.nan) for system in people.systems])


def _topics(
    data: Scores, people: ScoreMatrix, measure: str, length: int | AllLengths | None, half: bool
) -> list[TopicAgreement]:
    matrix = data.matrix(measure, length=length_for(data, measure, length))
    better = matrix.info.better
    if better is None:
        raise UsageError(f"{measure} is a description: nobody is better by it, so it cannot agree")
    found = []
    for topic, said in zip(people.topics, people.values, strict=True):
        scores = aligned(people, matrix, topic)
        if scores is None:
            missing = math.comb(int(np.count_nonzero(~np.isnan(said))), 2)
            found.append(TopicAgreement(topic, math.nan, 0, 0, 0, 0, missing, f"{measure} has no scores"))
        else:
            pairs = pair_agreement(said, scores, better=better, half=half)
            reasons = [why for t, s, why in matrix.missing if t == topic and s in people.systems]
            found.append(_of_topic(topic, pairs, reasons if np.isnan(scores).all() else ()))
    return found


def _of_topic(topic: str, found: PairAgreement, reasons: Sequence[str]) -> TopicAgreement:
    """A topic on which a measure has no score at all says why it has none."""
    why = common_reason(reasons) if found.why and reasons else found.why
    return TopicAgreement(
        topic, found.share, found.agreed, found.pairs, found.ties, found.human_ties, found.missing, why
    )


def _directed(data: Scores, human: str) -> list[str]:
    found = [m for m in data.measures if m != human and data.table.info[m].better is not None]
    if not found:
        raise DataError(f"{data.name}: nothing has been scored that could agree with {human}")
    return found


def common_reason(reasons: Sequence[str | None]) -> str:
    """Why no topic has an agreement: the reason, where there is one, or how many there are."""
    said = list(dict.fromkeys(reason for reason in reasons if reason))
    if not said:
        return "no topic is judged"
    return said[0] if len(said) == 1 else f"{said[0]}, and {counted(len(said) - 1, 'other reason')}"


def lines(found: Sequence[Agreement]) -> Iterator[str]:
    """What readers should know of pairs that do not count."""
    for each in found:
        if each.missing:
            yield f"{each.measure}: {counted(each.missing, 'pair lacks', 'pairs lack')} a score and were left out"


def shown(value: float, missing: str = "n/a") -> str:
    """An agreement to three digits, as the paper prints it."""
    return missing if math.isnan(value) else f"{value:.3f}"


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """Null for what is no finite number."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in record.items()}


def _range(low: float, high: float) -> str:
    return f"{low:.3f} to {high:.3f}"
