"""What is said of agreement."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.analyses.methods import cite
from adjudge.analyses.phrasebook import interval
from adjudge.core.words import counted, exact_percent, listed, percent

if TYPE_CHECKING:
    from adjudge.analyses.agreement.coefficients import QuestionAgreement
    from adjudge.analyses.agreement.pyramids import ComparedPyramids
    from adjudge.analyses.agreement.result import AgreementResult
    from adjudge.stats.agreement import AgreementCoefficient

MOST_SAID = 6
"""Questions of which each is explained in sentences of its own."""

ASKS = {
    "alpha": "do answers depend on the thing judged, not on who judges?",
    "AC1": "do two assessors give the same answer more often than by guessing?",
    "AC2": "do two assessors give near answers more often than by guessing?",
    "agreement": "how often do two assessors give the same answer?",
    "Fleiss' kappa": "do they agree more than the answers' frequencies would by chance?",
    "ICC(1,1)": "how reliable is one rating, if each thing has assessors of its own?",
    "ICC(2,1)": "how reliable is one rating, by assessors drawn from many?",
    "ICC(2,k)": "how reliable is the mean of k ratings, by assessors drawn from many?",
}
"""Which question each coefficient answers."""
INTERVALS = {"F": "F, things independent", "REML": "simulated from REML, things independent"}
"""Where the intervals of intraclass correlations come from."""
WEIGHTS = {"none": "", "linear": " with linear weights", "quadratic": " with quadratic weights"}


def _left_out(measures: Mapping[str, int], what: str) -> str:
    return f"{counted(sum(measures.values()), 'score')} {what} left out, of {listed(list(measures))}"


def _answered_again(n: int) -> str:
    return f"{counted(n, 'repeated answer')} left out: the first counts"


def _judged_alone(questions: Mapping[str, int]) -> str:
    of = listed([f"{title} {n:,}" for title, n in questions.items()])
    n = sum(questions.values())
    things = f"{counted(n, 'thing')} judged by only one assessor do{'es' * (n == 1)} not count for alpha"
    return f"{things}, of {of}" if len(questions) > 1 else things


NOTES: dict[str, Callable[..., str]] = {
    "not-at-target": lambda why: f"{why}: left out",
    "scores-of-nobody": lambda measures: _left_out(measures, "without an assessor"),
    "scores-without-value": lambda measures: _left_out(measures, "without a value"),
    "anonymous-answers": lambda n: f"{counted(n, 'anonymous answer')} left out",
    "pyramids-together": lambda targets: f"pyramids: peers of {listed(targets)} are pooled",
    "answered-again": _answered_again,
    "judged-alone": _judged_alone,
    "few-topics": lambda topics, enough: (
        f"intervals from only {topics} topics are somewhat too narrow (fewer than {enough})"
    ),
    "no-interval": lambda coefficients, questions, why: (
        f"no interval for {listed(coefficients)} on {listed(questions)}: {why}"
    ),
    "no-ac": lambda ac, questions, why: f"no {ac} and kappas on {listed(questions)}: {why}",
    "many-pairs": lambda most: f"no intervals for more than {most} pairs of assessors",
    "alpha-of-one-system": lambda: (
        "alpha of one system is also low where all its summaries deserve the same answer"
    ),
}


def sentences(result: AgreementResult) -> Iterator[str]:
    yield _headline(result)
    questions = result.questions
    if 1 < len(questions) <= MOST_SAID:
        yield from map(question_sentence, questions)
    elif unsure := [q.title for q in questions if len(questions) > 1 and q.alpha.crossed]:
        yield f"The interval of alpha includes .667 or .800 on {listed(unsure)}."
    for q in questions:
        yield from _contradictions(q)
        yield from _copies(q)
    yield from _apart([q for q in questions if q.apart])
    yield from _absences(result)
    yield from map(pyramid_sentence, result.pyramids)


def about(result: AgreementResult, table: str) -> Iterator[str]:
    """What one of the tables says by itself."""
    if table == "agreement":
        yield from sentences(result)
    elif table == "coefficients":
        names = dict.fromkeys(c.name for q in result.questions for c in q.coefficients)
        yield from (f"{name}: {ASKS[name]}" for name in names)
    elif table == "without-assessor":
        yield from _absences(result)
    elif table == "pyramids":
        yield from map(pyramid_sentence, result.pyramids)
        if not result.pyramids:
            yield "No two assessors marked the same peers with a pyramid."


def _headline(result: AgreementResult) -> str:
    if not result.questions:
        return "There are no answers by named assessors: no agreement to compute."
    if len(result.questions) == 1:
        return question_sentence(result.questions[0])
    return _verdicts(result, named=True)


def verdicts(result: AgreementResult, most: int) -> str:
    """The headline; of many questions, or of titles that a list would mix up, the counts alone."""
    titles = [q.title for q in result.questions]
    if len(titles) <= 1 or (len(titles) <= most and not any("," in title for title in titles)):
        return _headline(result)
    return _verdicts(result, named=False)


def _verdicts(result: AgreementResult, *, named: bool) -> str:
    from adjudge.stats.agreement import reliability

    titles: dict[str, list[str]] = {reliability(value): [] for value in (0.9, 0.7, 0.0)}
    for q in result.questions:
        if q.alpha.why is None:
            titles[reliability(q.alpha.value)].append(q.title)
    parts = [
        f"{verdict} on {len(of_verdict)}{f': {listed(of_verdict)}' if named else ''}"
        for verdict, of_verdict in titles.items()
        if of_verdict
    ]
    if undefined := sum(q.alpha.why is not None for q in result.questions):
        parts.append(f"undefined on {undefined}")
    return f"Of {len(result.questions)} questions, alpha is {'; '.join(parts)}."


def question_sentence(q: QuestionAgreement) -> str:
    """Alpha, its interval, and what Krippendorff's thresholds say of it."""
    return f"{q.title}: {alpha_sentence(q.alpha, q.topics)}"


def alpha_sentence(alpha: AgreementCoefficient, topics: int) -> str:
    """`alpha = 0.574 (0.546 to 0.599) from 100 topics, not reliable (below .667).`"""
    from adjudge.stats.agreement import alpha_text, reliability

    if alpha.why is not None:
        return f"no alpha ({alpha.why})."
    crossed = [f"{threshold:.3f}"[1:] for threshold in alpha.crossed]
    crossing = f"; the interval includes {' and '.join(crossed)}" if crossed else ""
    value = f"{alpha_text(alpha.value)}{interval(alpha.low, alpha.high)}"
    return f"alpha = {value} from {counted(topics, 'topic')}, {reliability(alpha.value)}{crossing}."


def _contradictions(q: QuestionAgreement) -> Iterator[str]:
    """Two who answer in opposite directions, or far apart, which a mean over assessors hides."""
    opposed = sorted((pair for pair in q.pairs if pair.contradict), key=lambda pair: pair.alpha.value)
    if len(opposed) > MOST_SAID:
        yield f"{q.title}: {len(opposed):,} pairs of assessors disagree more than by chance; the most are:"
    for pair in opposed[:MOST_SAID]:
        two = (
            f"{q.title}: {pair.a} and {pair.b} disagree more than by chance (alpha of the two {pair.alpha.value:z.3f}"
            f"{interval(pair.alpha.low, pair.alpha.high)}"
        )
        if math.isnan(pair.correlation):
            yield f"{two})."
            continue
        two += f", correlation {pair.correlation:z.2f})"
        if pair.correlation < 0:
            yield f"{two}: a mean of the two says little. Does one read the scale the wrong way round?"
        else:
            yield f"{two}: their levels are far apart."


def _copies(q: QuestionAgreement) -> Iterator[str]:
    """Two who always give the same answers, which raises alpha and lets the others look odd."""
    same = [f"{pair.a} and {pair.b}" for pair in q.pairs if pair.identical]
    if same:
        yield (
            f"{q.title}: {listed(same)} gave the same answers to everything that both judged: if one is a copy, alpha"
            " is too high."
        )


def _apart(questions: list[QuestionAgreement]) -> Iterator[str]:
    from adjudge.analyses.agreement.coefficients import APART

    if len(questions) > MOST_SAID:
        name = questions[0].ac.name
        yield (
            f"{name} exceeds alpha by more than {APART:g} on {listed([q.title for q in questions])}: {name} rewards"
            " equal or near answers, alpha only answers that depend on the thing judged."
        )
    else:
        yield from map(apart_sentence, questions)


def apart_sentence(q: QuestionAgreement) -> str:
    """Why alpha and AC differ, with the constant answer as evidence."""
    ac, constant = q.ac, q.constant
    differ = (
        f"{q.title}: {ac.name} {ac.value:z.3f}, alpha {q.alpha.value:z.3f}: {ac.name} rewards equal or near answers,"
        " alpha only answers that depend on the thing judged."
    )
    if constant is None:
        return differ
    common = f"{differ} {percent(constant.share)} of the answers are {constant.answer:g}"
    if constant.ac.why is not None:
        return f"{common}."
    alpha = f"alpha {constant.alpha.value:z.3f}"
    if constant.alpha.why is not None:
        alpha = f"no alpha ({constant.alpha.why})"
    return (
        f"{common}; always giving it would get {ac.name} {constant.ac.value:z.3f} and {alpha}, compared with the"
        " assessors' median."
    )


def _absences(result: AgreementResult) -> Iterator[str]:
    several = [q for q in result.questions if q.alpha.why is None and len(q.assessors) > 1]
    three = [q for q in several if len(q.assessors) > 2]
    if len(three) > MOST_SAID:
        raised = Counter(most.assessor for q in three if (most := q.most_apart()) is not None)
        if raised:
            who = listed([f"{name} on {n}" for name, n in raised.most_common()])
            yield f"Leaving one assessor out raises alpha most for {who} of {len(three)} questions."
        else:
            yield f"Leaving an assessor out raises alpha on none of {len(three)} questions."
    else:
        yield from map(absence_sentence, three)


def absence_sentence(q: QuestionAgreement) -> str:
    """Whose absence raises alpha most: an observation."""
    most = q.most_apart()
    if most is None:
        return f"{q.title}: leaving an assessor out does not raise alpha."
    rise, between = most.rise, ""
    if not math.isnan(rise.low):
        between = f", {exact_percent(rise.level)} interval {rise.low:z.3f} to {rise.high:z.3f}"
    return (
        f"{q.title}: without {most.assessor}, alpha is {most.alpha.value:z.3f} ({rise.value:+.3f}{between}; the largest"
        f" of {len(q.without)} changes, uncorrected)."
    )


def pyramid_sentence(pair: ComparedPyramids) -> str:
    units = pair.both + pair.only_a + pair.only_b
    if not pair.same_pyramid:
        both = f"{pair.a} and {pair.b} used no common pyramid"
    elif not units:
        both = f"neither {pair.a} nor {pair.b} found a content unit"
    else:
        of = counted(units, "content unit")
        both = f"{pair.a} and {pair.b} agree on {pair.both:,} of {of} that either found"
    if math.isnan(pair.difference):
        return f"Pyramids: {both}; no peer has a pyramid score by both."
    return (
        f"Pyramids: {both}; their scores of {counted(pair.peers, 'peer')} differ by {pair.difference:+.3f} on"
        f" average{interval(pair.low, pair.high)}, in size by {pair.apart:.3f}, at most {pair.furthest:.3f}"
        f" ({pair.furthest_peer})."
    )


def methods(result: AgreementResult) -> Iterator[str]:
    """How agreement was computed, for a paper."""
    if not result.questions:
        return
    o = result.asked
    yield (
        f"Agreement between assessors is Krippendorff's alpha with the {o.scale} distance{cite('krippendorff2019')},"
        f" Gwet's {result.ac}{WEIGHTS[o.chosen_weights]}{cite('gwet2008')}, and the intraclass correlation"
        f" ICC(2,1){cite('shrout1979')}."
    )
    if any(math.isfinite(q.alpha.low) for q in result.questions):
        yield (
            f"{100 * o.level:g}% intervals of alpha and {result.ac} are percentile bootstrap intervals over topics,"
            f" with {o.resamples:,} resamples{cite('efron1993')}."
        )
