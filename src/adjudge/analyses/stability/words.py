"""What is said of how stable a ranking is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.analyses import phrasebook
from adjudge.analyses.gathered import where
from adjudge.analyses.methods import cite, listed_titles
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.gathered import Part
    from adjudge.analyses.stability.conflicts import JudgedAgain, Kind, ResolvedScores, Scope
    from adjudge.analyses.stability.noise import RankNoise
    from adjudge.analyses.stability.repeats import SelfAgreement
    from adjudge.analyses.stability.result import StabilityResult
    from adjudge.core.results import Note

KINDS: dict[Kind, str] = {
    "completeness": "the same marks, another completeness",
    "marking": "the same sentence, marked or not",
    "scu": "the same sentence, other SCUs",
}
JUDGED: dict[Kind, str] = {
    "completeness": "judgments of model units",
    "marking": "judgments of model units",
    "scu": "sentences annotated with SCUs",
}
SCOPES: dict[Scope, str] = {
    "summaries": "of different summaries",
    "within": "of different summaries, by the same assessor",
    "across": "of different summaries, by different assessors",
    "one": "of one summary, by different assessors",
    "between": "by different assessors",
    "all": "all",
}
POPULATIONS = {"these": "these assessors", "like": "assessors like them"}
UNRANKED = {
    "description": "descriptions, which rank nothing: {}",
    "anonymous": "{} by anonymous assessors",
    "nobody": "{} by no named assessor",
}
"""Why a measure has no judge noise."""
NOT_DRAWN: Mapping[str, str | Callable[..., str]] = {
    **phrasebook.REASONS,
    "few-systems": lambda systems: f"it takes two systems, and there {'is one' if systems else 'are none'}",
    "one-topic": "it takes two topics, and there is one",
    "parts": "systems that share no topics, not even with others between them, cannot be compared",
    "one-assessor": "one assessor judged: the noise of judging cannot be told from what topics do to systems",
    "nothing-shared": "no two scores share a topic or an assessor",
    "few-shared": "too few assessors judged the same topics to say how others would have",
}
"""Why nothing can be drawn, or nothing for other assessors."""
ADVICE = {
    "name-assessors": "; a column named assessor says who judged",
    "score-coverage": "; scoring the measure coverage gives scores of what people judged",
    "nobody-judged": "; nobody has judged summaries here",
}


# What cannot be said


def _unranked(unranked: Mapping[str, Mapping[str, int]]) -> str:
    return "; ".join(
        f"{listed(list(measures))} ({UNRANKED[why].format(counted(sum(measures.values()), 'score'))})"
        for why, measures in unranked.items()
    )


ABSENT: dict[str, Callable[..., Spoken]] = {
    "no-folder": lambda: (
        "repeated judgments, resolved scores and planted repeats: a table of scores does not say which units and texts"
        " were judged; an evaluation's folder does"
    ),
    "no-coverage": lambda: (
        "repeated judgments and resolved scores: nobody has judged units or annotated pyramids here (protocols such as"
        " duc-2002 and pyramid)"
    ),
    "no-units": lambda: "resolved scores: no page of a coverage protocol is judged unit by unit here",
    "no-repeats": lambda: (
        f"planted repeats: nobody judged anything twice (assigning tasks with {Argument('repeats')}"
        " plants some), so whether assessors agree with themselves is not known"
    ),
    "no-noise": lambda unranked, advice: (
        f"judge noise: {_unranked(unranked) or 'nothing has been scored'}{ADVICE[advice] if advice else ''}"
    ),
}
"""Why a part could not be said."""


def absence(note: Note) -> Spoken:
    """Why a part could not be said."""
    return ABSENT[note.code](**note.data)


def _not_said(make: Callable[..., Spoken]) -> Callable[..., Spoken]:
    return lambda **data: f"not said: {make(**data)}"


# Notes


def _counted_together(what: str, values: Sequence[Any]) -> Spoken:
    named = listed([f"no {what}" if value is None else str(value) for value in values])
    return (
        f"several {what}s ({named}) are counted together in the tables of repeated judgments and planted repeats, where"
        f" nothing is compared with another {what}: {Argument(what)} takes one"
    )


def _gaps(missing: Mapping[str, int], summaries: int) -> tuple[str, str]:
    of = f"{sum(missing.values()):,} of {counted(summaries, 'summary', 'summaries')}"
    return of, ", ".join(f"{system} on {counted(n, 'topic')}" for system, n in missing.items())


def _scores_adjusted(part: Part, missing: Mapping[str, int], summaries: int) -> str:
    of, gaps = _gaps(missing, summaries)
    return f"{where(part)}: {of} have no score ({gaps}): scores are adjusted for topics"


def _no_named_score(missing: Mapping[str, int], summaries: int) -> str:
    of, gaps = _gaps(missing, summaries)
    return f"{of} have no score by a named assessor ({gaps})"


def _pair_by_pair(own_errors: bool) -> str:
    alike, error = (
        ("", "")
        if own_errors
        else (", with one error for all", ", a pair's own error where that is larger or assessors are many,")
    )
    return (
        f"each pair by itself{alike}, and the topics as they are: adjudge compare takes topics as a sample{error} and"
        " corrects for the number of pairs"
    )


NOTES: dict[str, Callable[..., Spoken] | str] = {
    "counted-together": _counted_together,
    "coverage-for-a-program": (
        "scores of coverage are resolved: {measure} is a program's, and these are people's"
    ),
    "coverage-instead": lambda measures: (
        f"scores of coverage are resolved: {listed(measures)} is not made of units' completeness"
    ),
    "noise-leaves-out": lambda unranked: f"judge noise leaves out {_unranked(unranked)}",
    "marked-nothing": lambda n: (
        f"{counted(n, 'judgment')} marked nothing: there is no text that could be judged again"
    ),
    "unknown-texts": lambda n: (
        f"{counted(n, 'judgment')} marked units whose texts are not here: whether they were repeated is not known"
    ),
    "assessors-made-one": "what different assessors said of one summary is made one too, where they marked the same",
    "pages-left-out": lambda n, why: f"{counted(n, 'page')} left out: {why}",
    "scores-adjusted": _scores_adjusted,
    "ranked-apart": lambda part, systems: (
        f"{where(part)}: {listed(systems)} share no topics with other systems, and are ranked by themselves"
    ),
    "change-and-distance": "change: the second answer less the first; distance: how far the two are apart",
    "pair-by-pair": _pair_by_pair,
    "no-named-score": _no_named_score,
    "means-adjusted": lambda n, of, fitted: (
        f"not everybody judged everything ({n:,} of {of:,} scores): means are adjusted for topics"
        f"{' and assessors' if fitted else ''}, as in adjudge compare"
    ),
    "anonymous-scores": lambda n: (
        f"{counted(n, 'anonymous score')} left out: whoever gave them is no assessor"
    ),
    "judged-once": (
        "each summary was judged once: what topics do to systems cannot be told from the noise of judging, and counts"
        " as noise"
    ),
    "alike": lambda assessors, few: (
        f"{counted(assessors, 'person', 'people')} judged; this supposes that they disagree about all systems alike"
        f"{'; more assessors would show more' if few else ''}"
    ),
    "judged-before": lambda n, beside: (
        f"{counted(n, 'score')} of summaries that somebody had judged before: averaged with the first"
        f"{', unlike in ORIGINAL, which has the first alone' if beside else ''}"
    ),
    **{code: _not_said(make) for code, make in ABSENT.items()},
}


# Sentences


def sentences(result: StabilityResult) -> Iterator[str]:
    """The headline, then what each part says."""
    lines = [_headline(result), *_conflicts(result)]
    lines += [line for bars in result.resolutions for line in _resolved(bars)]
    lines += [*map(_rankings, result.resolutions), *_repeats(result.repeats)]
    lines += [line for ranking in result.noise for line in noise_sentences(ranking)]
    yield from dict.fromkeys(lines)


def about(result: StabilityResult, table: str) -> Iterator[str]:
    """What one of the tables says; one that only adds to another, the first thing that that one says."""
    kind, name = next(
        ((kind, table.removeprefix(kind)) for kind in ("judge-noise", "beats") if table.startswith(kind)),
        (table, ""),
    )
    if kind == "conflicts":
        yield from _conflicts(result)
    elif kind in ("different-answers", "conflicts-by-assessor"):
        yield next(_conflicts(result))
    elif kind == "resolutions":
        yield from (line for bars in result.resolutions for line in _resolved(bars))
    elif kind == "rankings":
        yield from map(_rankings, result.resolutions)
    elif kind == "self-agreement":
        yield from _repeats(result.repeats)
    elif kind == "self-agreement-over-time":
        yield next(_repeats(result.repeats))
    elif kind == "judge-noise":
        yield from noise_sentences(result.noise_by_name[name])
    elif kind == "beats":
        yield next(noise_sentences(result.noise_by_name[name]))


def _headline(result: StabilityResult) -> str:
    """How often the same was judged differently, and what that leaves of the ranking."""
    whole = next((kind for kind in result.again if kind.kind == "completeness"), None)
    whole = whole or next(iter(result.again), None)
    if whole is None:
        drawn = next((ranking for ranking in result.noise if ranking.drawn is not None), None)
        if drawn is not None:
            return next(noise_sentences(drawn))
        return f"Nothing can be said of the stability of {result.name}."
    total, what = len(whole.judgments), JUDGED[whole.kind]
    if not whole.counts("all")[0]:
        return f"None of {total:,} {what} was repeated, so no conflict could have been found."
    elsewhere, differ, _ = whole.counts("summaries")
    again, disagree, _ = whole.counts("one")
    if not elsewhere:
        sentence = f"None of {total:,} {what} was repeated in another summary"
    elif not differ:
        sentence = f"{elsewhere:,} of {total:,} {what} were repeated in other summaries, and got the same answers there"
    else:
        sentence = (
            f"{differ:,} of {total:,} {what} ({differ / total:.1%}) are of the same units and texts as in other"
            f" summaries, and the answers differ ({whole.counts('within')[1]:,} from the same assessor's,"
            f" {whole.counts('across')[1]:,} from others')"
        )
    if again:
        share = f"{disagree:,} ({disagree / total:.1%}) differ" if disagree else "none differs"
        sentence += f"; {share} between assessors of one summary"
    if len(result.resolutions) == 1:
        bars = result.resolutions[0]
        sentence += f"; of {counted(bars.pairs, 'pair')} of systems, {_open_pairs(bars)}"
    return f"{sentence}."


def _open_pairs(bars: ResolvedScores) -> str:
    """How many pairs the bars leave open."""
    crossing = f"{bars.crossing:,} can change places"
    return f"{crossing} and {len(bars.ties):,} can only tie" if bars.ties else crossing


def _conflicts(result: StabilityResult) -> Iterator[str]:
    for kind in result.again:
        yield from _conflicts_of(kind)


def _conflicts_of(again: JudgedAgain) -> Iterator[str]:
    total, what, kind = len(again.judgments), JUDGED[again.kind], KINDS[again.kind]
    kind = kind[0].upper() + kind[1:]
    repeated, different, many = again.counts("summaries")
    if not repeated:
        yield (
            f"{kind}: none of {total:,} {what} was repeated in another summary, so no conflict between summaries could"
            " have been found."
        )
    elif not different:
        yield (
            f"{kind}: {repeated:,} of {total:,} {what} were repeated in other summaries, and none got different answers"
            " there."
        )
    else:
        more = f"; {many:,} ({many / total:.1%}) got three different answers or more" if many else ""
        yield (
            f"{kind}: {repeated:,} of {total:,} {what} were repeated in other summaries ({repeated / total:.1%}),"
            f" {different:,} got different answers there ({different / total:.1%} of all; {again.counts('within')[1]:,}"
            f" from the same assessor, {again.counts('across')[1]:,} from others){more}."
        )
    repeated, different, _ = again.counts("one")
    if repeated:
        answers = f"{different:,} got different answers ({different / total:.1%} of all)"
        yield (
            f"{kind}, of one summary: {repeated:,} were repeated by another assessor,"
            f" {answers if different else 'and none got different answers'}."
        )


def _resolved(bars: ResolvedScores) -> Iterator[str]:
    at = _where(bars)
    if not bars.moved:
        yield f"{at}: no repeated judgment changes a score, so the bars have no width."
    else:
        widths = [abs(b - a) for a, b in zip(bars.scores["min"], bars.scores["max"], strict=True)]
        widest = widths.index(max(widths))
        yield (
            f"{at}: repeated judgments move the scores of {bars.moved} of {counted(len(bars.systems), 'system')}, by"
            f" {widths[widest]:.3f} at the most ({bars.systems[widest]}, from MIN to MAX)."
        )
    if bars.pairs:
        groups = "; ".join(", ".join(group) for group in bars.groups)
        yield (
            f"{at}: of {counted(bars.pairs, 'pair')}, {_open_pairs(bars)};"
            f" {counted(len(bars.groups), 'performance group')}: {groups}."
        )


def _rankings(bars: ResolvedScores) -> str:
    return f"{_where(bars)}: {bars.rankings.sentence(basis='the bars')}"


def _where(bars: ResolvedScores) -> str:
    return f"{where(bars.part)} ({listed(bars.systems)})" if bars.apart else where(bars.part)


def _repeats(repeats: Sequence[SelfAgreement]) -> Iterator[str]:
    by_question: dict[tuple[str, str], list[SelfAgreement]] = {}
    for agreement in repeats:
        if agreement.part == "all":
            by_question.setdefault((agreement.protocol, agreement.question), []).append(agreement)
    for (protocol, question), people in by_question.items():
        same, answers = (
            sum(agreement.same for agreement in people),
            sum(agreement.answers for agreement in people),
        )
        least = min(people, key=lambda agreement: agreement.share)
        worst = f"; {least.assessor} least often ({least.share:.0%})" if len(people) > 1 else ""
        yield (
            f"{protocol}, {question}: asked again, {counted(len(people), 'assessor')} gave the same answer in {same:,}"
            f" of {answers:,} cases ({same / answers:.0%}){worst}."
        )


# Judge noise


def no_draws(ranking: RankNoise) -> str:
    """Why there are no draws."""
    why = "" if ranking.noise.why is None else f": {ranking.noise.why.words(NOT_DRAWN)}"
    return f"{ranking.title}: nothing can be drawn{why}"


def noise_sentences(ranking: RankNoise) -> Iterator[str]:
    if ranking.drawn is None:
        apart = f" ({'; '.join(map(listed, ranking.parts))})" if len(ranking.parts) > 1 else ""
        yield f"{no_draws(ranking)}{apart}."
        return
    yield f"{ranking.title}: {order_kept(ranking)}"
    first = ranking.first()
    if len(first) == 1:
        yield f"{first[0]} alone has rank 1 in its range."
    else:
        yield f"{listed(first)} have rank 1 in their ranges."
    if ranking.noise.why_not_like is not None:
        yield f"Nothing is said of other assessors: {ranking.noise.why_not_like.words(NOT_DRAWN)}."


def order_kept(ranking: RankNoise) -> str:
    """In how many pairs the better mean stays ahead."""
    assert ranking.drawn is not None
    sure, pairs = ranking.sure_pairs()
    return (
        f"for {whose(ranking)} on these topics, the system with the better mean stays ahead with probability"
        f" {ranking.drawn.level:.4g} or more (one-sided) in {sure:,} of {counted(pairs, 'pair')}."
    )


def whose(ranking: RankNoise) -> str:
    return population(ranking.noise.like is not None, ranking.noise.assessors)


def population(like: bool, assessors: int) -> str:
    """For whom something holds: assessors like these, or these alone."""
    return (
        f"assessors like these {assessors}"
        if like
        else f"these {counted(assessors, 'assessor')}, asked again"
    )


def size(ranking: RankNoise) -> str:
    """How much was judged."""
    noise = ranking.noise
    return (
        f"{counted(noise.assessors, 'assessor')}, {counted(noise.topics, 'topic')},"
        f" {counted(noise.rows, 'judgment')} of {counted(int(noise.topics_of.sum()), 'summary', 'summaries')}"
    )


def probability(value: float) -> str:
    """Two digits, and never 0 or 1: draws do not show that."""
    return "<.01" if value < 0.005 else ">.99" if value > 0.995 else f"{value:.2f}"


def methods(result: StabilityResult) -> Iterator[str]:
    """How it was looked at how stable rankings are, for a paper."""
    if result.again:
        resolved = (
            ", and scores were computed with the smallest, the largest, the commonest and the mean of the answers in"
            " place of each"
        )
        yield (
            "Judgments of the same units and texts were compared with each other"
            f"{resolved if result.resolutions else ''}{cite('lin2002')}."
        )
    if result.repeats:
        yield "Assessors were shown some tasks twice, and their answers compared with their own first ones."
    models = {
        False: "a mixed model with topics, assessors and their interactions as random effects, fitted by restricted"
        f" maximum likelihood{cite('patterson1971')}",
        True: "assessors drawn with replacement",
    }
    for resampled, model in models.items():
        drawn = [
            ranking
            for ranking in result.noise
            if ranking.drawn is not None and ranking.resampled is resampled
        ]
        if drawn:
            sizes = dict.fromkeys(
                f"{ranking.drawn.draws:,}" for ranking in drawn if ranking.drawn is not None
            )
            targets: dict[str, list[str]] = {}
            for ranking in drawn:
                targets.setdefault(ranking.info.heading, []).append(ranking.target)
            names = listed_titles((name, "; ".join(filter(None, some))) for name, some in targets.items())
            yield (
                f"How far the ranking by {names} depends on who judged was drawn {listed(list(sizes))} times from"
                f" {model}."
            )
