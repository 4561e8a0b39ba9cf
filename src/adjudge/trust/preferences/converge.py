"""How agreement with people grows with the number of answers (Zopf 2018, figure 3). One agreement: agreement.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.comparisons.scores import ScoreData
from adjudge.data.rows import Summary
from adjudge.data.scores import ScoreMatrix
from adjudge.engine import Workers, chunked, generator, run
from adjudge.errors import DataError, UsageError
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.judged.preference_fit import among, similarity_of
from adjudge.measures.judged.preference_sources import human_answers, topic_sentences
from adjudge.measures.judged.preference_texts import Penalty, summary_weights
from adjudge.stats.orders import agreement_shares
from adjudge.stats.preference.answers import Answers, FloatArray, propagated
from adjudge.stats.preference.bradley_terry import fit
from adjudge.trust.preferences.agreement import Systems, agreements, human_matrix
from adjudge.trust.preferences.trajectories import Convergence, Point, Trajectory
from adjudge.wording import counted, listed

STEP, RUNS, LEVEL = 10, 100, 0.95
BLOCK = 10
"""Runs that one worker does together."""


@dataclass(frozen=True)
class Prepared:
    """Everything of a topic that does not change from run to run; u = weights v (equations 4 and 5)."""

    topic: str
    answers: Answers
    similarity: FloatArray | None
    """None: what an answer says of other pairs is not used."""
    weights: FloatArray
    human: FloatArray


def sizes(answers: int, step: int = STEP) -> list[int]:
    """10, 20, ... answers, and all of them."""
    return [*range(step, answers, step), answers] if answers else []


def one_run(prepared: Prepared, at: Sequence[int], rng: np.random.Generator) -> FloatArray:
    """Agreement by the number of answers, in one random order of the answers.

    The first n of a random order are n drawn at random. Preferences add up, so that a step costs only what is new, and
    the fit starts where the one before ended.
    """
    order = rng.permutation(len(prepared.answers))
    n = prepared.answers.n
    wins, values, done = np.zeros((n, n)), np.ones(n), 0
    scores = np.empty((len(at), len(prepared.weights)))
    for row, size in enumerate(at):
        new = prepared.answers.take(order[done:size])
        wins += new.wins() if prepared.similarity is None else propagated(new, prepared.similarity)
        values = fit(wins, start=values).values
        scores[row] = prepared.weights @ values
        done = size
    return agreement_shares(prepared.human, scores)


def _block(job: tuple[Prepared, int, int, int, range]) -> FloatArray:
    prepared, step, seed, number, runs = job
    rng = generator(seed, f"prefer/converge/{prepared.topic}", number)
    at = sizes(len(prepared.answers), step)
    return np.array([one_run(prepared, at, rng) for _ in runs]).reshape(len(runs), len(at))


def converge(
    batches: Mapping[str, TopicBatch],
    data: ScoreData,
    human: str,
    lines: Mapping[str, str] | None = None,
    *,
    similarity: str = "tfidf-jaccard",
    smooth: bool = True,
    penalty: Penalty = "sentence",
    step: int = STEP,
    runs: int = RUNS,
    level: float = LEVEL,
    systems: Systems = "machine",
    length: int | None = None,
    seed: int = 0,
    workers: Workers = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Convergence:
    """n of a topic's answers drawn at random, `runs` times, for n = step, 2 step, ..., all: agreement with people.

    `lines` are measures in `data`, by heading, that the trajectories are held against. The draws of a topic depend on
    the seed and the topic's name alone.
    """
    if step < 1 or runs < 1:
        raise UsageError(f"step is {step} and runs is {runs}, expected 1 or more")
    people = human_matrix(data, human, systems, length)
    prepared: dict[str, Prepared | str] = {
        topic: prepare(batches.get(topic), people, row, length or people.length, similarity, smooth, penalty)
        for row, topic in enumerate(people.topics)
    }
    ready = [each for each in prepared.values() if isinstance(each, Prepared)]
    blocks = chunked(range(runs), BLOCK)
    jobs = [(each, step, seed, number, block) for each in ready for number, block in enumerate(blocks)]
    found: dict[str, list[FloatArray]] = {each.topic: [] for each in ready}
    for done, (job, shares) in enumerate(zip(jobs, run(_block, jobs, workers=workers), strict=True), 1):  # type: ignore[arg-type]
        found[job[0].topic].append(shares)
        progress(done, len(jobs))
    beside = _lines(data, people, lines or {}, systems, length)
    options = f"smooth:{str(smooth).lower()}|similarity:{similarity}|penalty:{penalty}"
    return Convergence(
        people.measure,
        tuple(_trajectory(t, prepared[t], found.get(t, []), step, level, beside[t]) for t in people.topics),
        runs,
        level,
        f"converge|human:{people.measure}|systems:{systems}|{options}|runs:{runs}|seed:{seed}",
        _notes(batches),
    )


def prepare(
    batch: TopicBatch | None,
    people: ScoreMatrix,
    row: int,
    length: int | None,
    similarity: str,
    smooth: bool,
    penalty: Penalty,
) -> Prepared | str:
    """What the runs of a topic share, or why there can be none."""
    if batch is None:
        return "the topic has no summaries"
    given = human_answers(batch)
    if (why := given.why_none()) is not None:
        return why
    texts = [sentence.text for sentence in topic_sentences(batch)]
    alike = similarity_of(batch, similarity)
    known = {summary.system: summary for summary in of_length(batch.peers, length)}
    own = [system for system in people.systems if system in known]
    weights = summary_weights(
        [known[system].text for system in own], texts, alike, penalty=penalty, language=batch.language
    )
    said = people.values[row][[people.systems.index(system) for system in own]]
    return Prepared(
        batch.topic.topic, given.answers, among(batch, similarity) if smooth else None, weights, said
    )


def of_length(peers: Sequence[Summary], length: int | None) -> list[Summary]:
    """The summaries that people's scores are about; several of one system are never mixed."""
    found = [peer for peer in peers if length is None or peer.length in (length, None)]
    if len({peer.system for peer in found}) < len(found):
        lengths = listed([str(n or "unset") for n in dict.fromkeys(peer.length for peer in found)])
        raise DataError(
            f"{found[0].topic}: summaries of several lengths ({lengths}): choose one with --length"
        )
    return found


def _lines(
    data: ScoreData, people: ScoreMatrix, lines: Mapping[str, str], systems: Systems, length: int | None
) -> dict[str, dict[str, float]]:
    """By topic, the agreement of other measures, under their headings; without intervals, so nothing is drawn."""
    found: dict[str, dict[str, float]] = {topic: {} for topic in people.topics}
    chosen = {name: measure for name, measure in lines.items() if measure in data.measures}
    if chosen:
        every = agreements(
            data,
            people.measure,
            list(chosen.values()),
            systems=systems,
            length=length,
            resamples=1,
            rng=np.random.default_rng(0),
        )
        for name, each in zip(chosen, every, strict=True):
            for topic in each.topics:
                found[topic.topic][name] = topic.share
    return found


def _trajectory(
    topic: str,
    prepared: Prepared | str,
    blocks: Sequence[FloatArray],
    step: int,
    level: float,
    lines: Mapping[str, float],
) -> Trajectory:
    if isinstance(prepared, str):
        return Trajectory(topic, 0, (), lines, prepared)
    shares = np.concatenate(blocks)
    answers = len(prepared.answers)
    if np.isnan(shares).all():
        return Trajectory(topic, answers, (), lines, "people see no difference between summaries")
    low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2], axis=0)
    error = (
        shares.std(axis=0, ddof=1) / math.sqrt(len(shares)) if len(shares) > 1 else np.full(len(low), np.nan)
    )
    points = zip(sizes(answers, step), shares.mean(axis=0), low, high, error, strict=True)
    found = tuple(Point(n, *(float(value) for value in rest)) for n, *rest in points)
    return Trajectory(topic, answers, found, lines)


def _notes(batches: Mapping[str, TopicBatch]) -> tuple[str, ...]:
    given = [human_answers(batch) for batch in batches.values()]
    simulated = sum(each.simulated for each in given)
    return (
        f"{simulated:,} of {counted(sum(len(g.answers) for g in given), 'answer')} are simulated",
    ) * bool(simulated)
