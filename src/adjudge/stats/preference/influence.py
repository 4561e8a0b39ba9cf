"""What every topic adds to Bradley-Terry strengths, so that strengths can be averaged over topics as scores are.

People's strengths are the maximum of their likelihood. To first order a topic moves them by its gradient times the
inverse information; these moves, one row per topic, have the strengths as their mean and the topic-clustered sandwich
as their variance. A judge's answers have gradients at the same strengths: rows that go with people's, and that
prediction-powered inference can use (one Newton step of the M-estimator of Angelopoulos, Duchi and Zrnic 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from adjudge.stats.checks import BoolArray
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers
from adjudge.stats.preference.models import PairLikelihood, climb_model, likelihood_of

NO_MAXIMUM = "people's strengths have no finite maximum: not every item has a chain of wins over every other"


@dataclass(frozen=True)
class TopicStrengths:
    """Log strengths with mean 0, and what every topic adds to them; topics x items."""

    log: FloatArray
    people: FloatArray
    """Rows of NaN for topics that people did not judge; the mean of the others is `log`."""
    judge: FloatArray
    """Rows of NaN for topics that the judge did not judge."""


def has_maximum(answers: PairAnswers) -> bool:
    """Whether chains of wins lead from every item to every other."""
    wins = answers.wins()
    return int(connected_components(csr_array(wins > 0), directed=True, connection="strong")[0]) == 1


def log_strengths(answers: PairAnswers) -> FloatArray:
    """At the maximum of the likelihood, with mean 0; a tie is half a win each."""
    like = likelihood_of(answers, np.zeros(len(answers), np.int64))
    log = climb_model(like, np.zeros(like.n, np.int64)).point
    return np.asarray(log - log.mean())


def topic_strengths(people: PairAnswers, judge: PairAnswers, topics: int) -> TopicStrengths | None:
    """Of two sets of answers about the same items on the same topics (`cluster`); None without a finite maximum.

    A topic's row in `people` is its jackknife pseudo-value by one Newton step, (n - 1) (I - I_t)^+ g_t about the
    strengths, which is its influence with the topic's own leverage taken into account: without it variances from few
    topics are too small.
    """
    if not has_maximum(people):
        return None
    log = log_strengths(people)
    gradients, information, there = _by_topic(people, log, topics)
    total = information.sum(axis=0)
    n = int(there.sum())
    # Strengths have mean 0, so that gradients and moves do: adding the mean's direction makes matrices invertible.
    still = np.full_like(total, np.trace(total) / len(log) ** 2)
    moves = np.full((topics, len(log)), np.nan)
    for topic in np.flatnonzero(there).tolist():
        rest = total - information[topic] + still
        # A topic without which nothing joins the items has no pseudo-value; its influence must do.
        joined = np.linalg.matrix_rank(rest) == len(log)
        step = np.linalg.solve(rest if joined else total + still, gradients[topic])
        moves[topic] = (n - 1 if joined else n) * step
    moves -= np.nanmean(moves, axis=0)
    judged, _, answered = _by_topic(judge, log, topics)
    further = n * np.linalg.solve(total + still, judged.T).T
    further[~answered] = np.nan
    return TopicStrengths(log=log, people=log + moves, judge=further)


def _by_topic(answers: PairAnswers, log: FloatArray, topics: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Gradients and information of every topic at some strengths, and which topics have answers."""
    like: PairLikelihood = likelihood_of(answers, answers.cluster)
    chance = expit(like.away(log))
    up = like.wins * (1 - chance) - like.losses * chance
    bent = like.weight * chance * (1 - chance)
    size = len(log)
    gradients, information = np.zeros((topics, size)), np.zeros((topics, size, size))
    first: IntArray = like.first
    second: IntArray = like.second
    np.add.at(gradients, (like.unit, first), up)
    np.add.at(gradients, (like.unit, second), -up)
    for one, two, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(information, (like.unit, one, two), sign * bent)
    there = np.zeros(topics, np.bool_)
    there[like.unit] = True
    return gradients, information, there
