"""What is said of how stable a ranking is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.analyses import phrasebook
from adjudge.analyses.gathered import where
from adjudge.analyses.methods import cite, listed_titles
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import capitalised, counted, listed, percent

if TYPE_CHECKING:
    from adjudge.analyses.gathered import Part
    from adjudge.analyses.stability.conflicts import JudgedAgain, Kind, Resolve, ResolvedScores, Scope
    from adjudge.analyses.stability.noise import RankNoise
    from adjudge.analyses.stability.repeats import SelfAgreement
    from adjudge.analyses.stability.result import StabilityResult
    from adjudge.core.results import Note

KINDS: dict[Kind, str] = {
    "completeness": "same marks, different completeness",
    "marking": "same sentence, marked or not",
    "scu": "same sentence, different SCUs",
}
JUDGED: dict[Kind, str] = {
    "completeness": "judgments of model units",
    "marking": "judgments of model units",
    "scu": "sentences annotated with SCUs",
}
DIFFER_IN: dict[Kind, str] = {"completeness": "completeness", "marking": "what is marked", "scu": "SCUs"}
SCOPES: dict[Scope, str] = {
    "summaries": "different summaries",
    "within": "different summaries, same assessor",
    "across": "different summaries, different assessors",
    "one": "same summary, different assessors",
    "between": "different assessors",
    "all": "all",
}
RESOLVED: dict[Resolve, str] = {
    "one-assessor": "each assessor's own, of the same text in several summaries (Lin and Hovy)",
    "all-assessors": "those of all assessors, of one summary or several",
}
"""Whose judgments of the same text are made one."""
METHOD: dict[Resolve, str] = {
    "one-assessor": "an assessor's answers to the same text in several summaries",
    "all-assessors": "all assessors' answers to the same text",
}
POPULATIONS = {"these": "these assessors", "like": "assessors like them"}
UNRANKED = {
    "description": "{}, descriptions that rank nothing",
    "anonymous": "{} by anonymous assessors",
    "nobody": "{} by no named assessor",
}
"""Why a measure has no judge noise."""
NOT_DRAWN: Mapping[str, str | Callable[..., str]] = {
    **phrasebook.REASONS,
    "few-systems": lambda systems: f"it takes two systems, and there {'is one' if systems else 'are none'}",
    "one-topic": "it takes two topics, and there is one",
    "parts": "systems without common topics cannot be compared",
    "one-assessor": "with one assessor, the noise of judging cannot be separated from effects of topics",
    "nothing-shared": "no two scores share a topic or an assessor",
    "few-shared": "too few assessors judged the same topics",
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
        "repeated judgments, resolved scores and planted repeats, which need an evaluation folder"
    ),
    "no-coverage": lambda: (
        "repeated judgments and resolved scores, as nobody judged units or pyramids (protocols such as duc-2002)"
    ),
    "no-units": lambda: "resolved scores, as no page was judged unit by unit",
    "no-repeats": lambda: (
        f"planted repeats, as nobody judged anything twice (assign tasks with {Argument('repeats')} to plant some)"
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
    return lambda **data: f"not shown: {make(**data)}"


# Notes


def _counted_together(what: str, values: Sequence[Any]) -> Spoken:
    named = listed([f"no {what}" if value is None else str(value) for value in values])
    return (
        f"repeated judgments and planted repeats of several {what}s ({named}) are counted together; {Argument(what)}"
        " chooses one"
    )


def _gaps(missing: Mapping[str, int], summaries: int) -> tuple[str, str]:
    of = f"{sum(missing.values()):,} of {counted(summaries, 'summary', 'summaries')}"
    return of, ", ".join(f"{system} on {counted(n, 'topic')}" for system, n in missing.items())


def _scores_adjusted(part: Part, missing: Mapping[str, int], summaries: int) -> str:
    of, gaps = _gaps(missing, summaries)
    return f"{where(part)}: {of} have no score ({gaps}); scores are adjusted for topics"


def _no_named_score(missing: Mapping[str, int], summaries: int) -> str:
    of, gaps = _gaps(missing, summaries)
    return f"{of} have no score by a named assessor ({gaps})"


def _pair_by_pair(own_errors: bool) -> str:
    alike, error = (
        ("", "")
        if own_errors
        else (", one error for all", ", averages a pair's own variance with those of all pairs,")
    )
    return (
        f"each pair by itself{alike}, on these topics; adjudge compare takes topics as a sample{error} and corrects for"
        " the number of pairs"
    )


NOTES: dict[str, Callable[..., Spoken] | str] = {
    "counted-together": _counted_together,
    "coverage-for-a-program": ("resolved scores are of coverage by people: {measure} is by a program"),
    "coverage-instead": lambda measures: (
        f"resolved scores are of coverage: {listed(measures)} is not made of units' completeness"
    ),
    "noise-leaves-out": lambda unranked: f"judge noise leaves out {_unranked(unranked)}",
    "marked-nothing": lambda n: f"{counted(n, 'judgment')} marked no text that could be judged again",
    "unknown-texts": lambda n: (
        f"{counted(n, 'judgment')} marked units whose texts are missing: repeats unknown"
    ),
    "assessors-apart": lambda: (
        f"the bars leave out that assessors differ from each other; {Argument('resolve')} all-assessors counts that too"
    ),
    "unsettled": lambda n, whose: (
        f"{counted(n, 'judgment marks', 'judgments mark')} a sentence otherwise than"
        f" {'the same assessor did' if whose == 'one-assessor' else 'others did, or the same assessor'} elsewhere, but"
        " nobody judged what it is worth without the others: not in the bars"
    ),
    "pages-left-out": lambda n, why: f"{counted(n, 'page')} left out: {why}",
    "scores-adjusted": _scores_adjusted,
    "ranked-apart": lambda part, systems: (
        f"{where(part)}: {listed(systems)} share no topics with other systems and are ranked separately"
    ),
    "change-and-distance": "change: second answer minus first; distance: its size",
    "pair-by-pair": _pair_by_pair,
    "no-named-score": _no_named_score,
    "means-adjusted": lambda n, of, fitted: (
        f"not everybody judged everything ({n:,} of {of:,} scores); means are adjusted for topics"
        f"{' and assessors' if fitted else ''}, as in adjudge compare"
    ),
    "anonymous-scores": lambda n: f"{counted(n, 'anonymous score')} left out",
    "judged-once": ("each summary was judged once: effects of topics on systems count as noise of judging"),
    "alike": lambda assessors, few: (
        f"{counted(assessors, 'person', 'people')} judged, taken to disagree about all systems alike"
        f"{'; more would be safer' if few else ''}"
    ),
    "judged-before": lambda n, beside: (
        f"{counted(n, 'repeated score')} averaged with the first{' (ORIGINAL has the first alone)' if beside else ''}"
    ),
    **{code: _not_said(make) for code, make in ABSENT.items()},
}


# Sentences


def sentences(result: StabilityResult) -> Iterator[str]:
    """The headline, then what each part says."""
    lines = [_headline(result)]
    lines += [_moved(bars) for bars in result.resolutions]
    lines += _repeats(result.repeats)
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
    elif kind in ("self-agreement", "self-agreement-over-time"):
        yield from _repeats(result.repeats)
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
        return f"Nothing can be said about the stability of {result.name}."
    total, what = len(whole.judgments), JUDGED[whole.kind]
    kinds = [kind for kind in result.again if (kind.kind == "scu") == (whole.kind == "scu")]
    if not any(kind.counts("all")[0] for kind in kinds):
        return f"None of {total:,} {what} was repeated, so there can be no conflicts."
    again: set[Hashable] = set()
    differ: dict[Kind, set[Hashable]] = {}
    for kind in kinds:
        within = kind.recurrences("within").items()
        again |= {id for id, recurrence in within if recurrence.repeated}
        differ[kind.kind] = {id for id, recurrence in within if recurrence.answers > 1}
    contradicting = set().union(*differ.values())
    sentence = f"Of {total:,} {what}, "
    if not again:
        sentence += "none was repeated by the same assessor in another summary"
    elif not contradicting:
        sentence += (
            f"{len(again):,} were repeated by the same assessor in another summary, all with the same answers"
        )
    else:
        kinds_differ = [f"{len(ids):,} in {DIFFER_IN[kind]}" for kind, ids in differ.items() if ids]
        sentence += (
            f"{len(contradicting):,} ({percent(len(contradicting) / total)}) differ from what the same assessor said of"
            f" the same text in another summary ({', '.join(kinds_differ)})"
        )
    if (others := whole.counts("one"))[0]:
        disagree = others[1]
        share = f"{disagree:,} ({percent(disagree / total)}) differ" if disagree else "none differs"
        sentence += f"; {share} from another assessor's completeness for the same marks in the same summary"
    return f"{sentence}."


def _open_pairs(bars: ResolvedScores) -> str:
    """How many pairs the bars leave open."""
    if bars.pairs == 1:
        can = (
            "can change places" if bars.crossing else "can only tie" if bars.ties else "cannot change places"
        )
        return f"the two systems {can}"
    crossing = f"of {bars.pairs:,} pairs of systems, {bars.crossing:,} can change places"
    return f"{crossing} and {len(bars.ties):,} can only tie" if bars.ties else crossing


def _conflicts(result: StabilityResult) -> Iterator[str]:
    for kind in result.again:
        yield from _conflicts_of(kind)


def _conflicts_of(again: JudgedAgain) -> Iterator[str]:
    total, what, kind = len(again.judgments), JUDGED[again.kind], capitalised(KINDS[again.kind])
    repeated, different, many = again.counts("summaries")
    if not repeated:
        yield f"{kind}: none of {total:,} {what} was repeated in another summary."
    elif not different:
        yield f"{kind}: {repeated:,} of {total:,} {what} were repeated in other summaries, all with the same answers."
    else:
        more = f"; {many:,} ({many / total:.1%}) got three answers or more" if many else ""
        yield (
            f"{kind}: {repeated:,} of {total:,} {what} were repeated in other summaries ({repeated / total:.1%}),"
            f" {different:,} with different answers ({different / total:.1%} of all; {again.counts('within')[1]:,}"
            f" by the same assessor, {again.counts('across')[1]:,} by others){more}."
        )
    repeated, different, _ = again.counts("one")
    if repeated:
        answers = f"{different:,} with different answers ({different / total:.1%} of all)"
        yield (
            f"{kind}, in one summary: {repeated:,} were repeated by another assessor,"
            f" {answers if different else 'all with the same answers'}."
        )


def _moved(bars: ResolvedScores) -> str:
    """How far the bars reach, and what that leaves of the ranking."""
    places = f"; {_open_pairs(bars)}" if bars.pairs else ""
    if not bars.moved:
        return f"{_where(bars)}: making repeated judgments one changes no score{places}."
    widest = bars.widths.index(max(bars.widths))
    reach = f"scores could move by up to {bars.widths[widest]:.3f} ({bars.systems[widest]})"
    alone = max(bars.widths_of_same_marks)
    if alone < bars.widths[widest]:
        system = bars.systems[bars.widths_of_same_marks.index(alone)]
        by = f"by up to {alone:.3f} ({system})" if alone else "not at all"
        reach += f", {by} where marks are left as they are"
    return f"{_where(bars)}: {reach}{places}."


def _resolved(bars: ResolvedScores) -> Iterator[str]:
    yield _moved(bars)
    if bars.pairs:
        groups = "; ".join(", ".join(group) for group in bars.groups)
        yield f"{_where(bars)}: {counted(len(bars.groups), 'performance group')}: {groups}."


def _rankings(bars: ResolvedScores) -> str:
    return f"{_where(bars)}: {bars.rankings.sentence(basis='the bars')}"


def _where(bars: ResolvedScores) -> str:
    return f"{where(bars.part)} ({listed(bars.systems)})" if bars.apart else where(bars.part)


def _repeats(repeats: Sequence[SelfAgreement]) -> Iterator[str]:
    """How often assessors gave the same answer again: of each protocol, question by question."""
    cases: dict[str, dict[str, list[SelfAgreement]]] = {}
    for agreement in repeats:
        if agreement.part == "all":
            cases.setdefault(agreement.protocol, {}).setdefault(agreement.question, []).append(agreement)
    for protocol, questions in cases.items():
        shares = []
        for question, people in questions.items():
            same, answers = (sum(getattr(person, name) for person in people) for name in ("same", "answers"))
            shares.append(f"{question} {percent(same / answers)} (of {answers:,})")
        yield f"{protocol}: same answer when asked again: {listed(shares, most=len(shares))}."


# Judge noise


def no_draws(ranking: RankNoise) -> str:
    """Why there are no draws."""
    why = "" if ranking.noise.why is None else f": {ranking.noise.why.words(NOT_DRAWN)}"
    return f"{ranking.title}: no noise can be simulated{why}"


def noise_sentences(ranking: RankNoise) -> Iterator[str]:
    if ranking.drawn is None:
        apart = f" ({'; '.join(map(listed, ranking.parts))})" if len(ranking.parts) > 1 else ""
        yield f"{no_draws(ranking)}{apart}."
        return
    first = listed(ranking.first())
    alone = " alone" if len(ranking.first()) == 1 else ""
    yield f"{ranking.title}: {order_kept(ranking)} Rank 1 is in the range of {first}{alone}."
    if ranking.noise.why_not_like is not None:
        yield f"Unknown for other assessors: {ranking.noise.why_not_like.words(NOT_DRAWN)}."


def order_kept(ranking: RankNoise) -> str:
    """In how many pairs the better mean stays ahead."""
    assert ranking.drawn is not None
    sure, pairs = ranking.sure_pairs()
    kept = stays_ahead(sure, pairs, ranking.drawn.level)
    return f"for {whose(ranking)}, on these topics, the better system {kept} (one-sided)."


def stays_ahead(sure: int, pairs: int, level: float) -> str:
    """In how many pairs the better mean keeps its place; of one pair whether it does."""
    if pairs == 1:
        likely = f"probability {level:.4g} or more" if sure else f"a probability below {level:.4g}"
        return f"stays ahead with {likely}"
    return f"stays ahead with probability {level:.4g} or more in {sure:,} of {counted(pairs, 'pair')}"


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
            ", and scores were computed with the smallest, the largest, the commonest and the mean of"
            f" {METHOD[result.asked.resolve]} in place of each"
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
