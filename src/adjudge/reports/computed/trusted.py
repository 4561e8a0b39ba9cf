"""Whether judgments and measures can be trusted, and how it was all done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.analyses.scores import Scores
from adjudge.core.errors import AdjudgeError
from adjudge.core.picture import Undrawable
from adjudge.core.results import Result
from adjudge.core.words import counted, listed
from adjudge.data.scores import UNSET
from adjudge.measures.spec import judge_of
from adjudge.reports.chapter import Absent, Chapter, PageFigure
from adjudge.reports.method import method_page
from adjudge.reports.trusted import TrustChapter, TrustSection, trust_section
from adjudge.reports.words import in_shell

if TYPE_CHECKING:
    from adjudge.analyses.agreement.result import AgreementResult
    from adjudge.analyses.assessors.result import Dossiers
    from adjudge.analyses.judges.result import JudgeReport
    from adjudge.analyses.meta.result import MetaResult
    from adjudge.analyses.stability.noise import RankNoise
    from adjudge.analyses.stability.result import StabilityResult
    from adjudge.data.scores import AllLengths
    from adjudge.data.target import Target
    from adjudge.reports.computed.gather import ReportOptions
    from adjudge.reports.findings import Findings

T = TypeVar("T")
MOST_PEOPLE = 4
"""Measures of people that the page looks at."""
MOST_GROUPED = 12
"""Automatic measures up to which every two are compared with each other."""
SAID = 3
"""Sentences of an analysis that are not folded."""
COEFFICIENT = "kendall-b"
LEVELS = ("system", "input")
RESAMPLES = 500
SWAPS = 2000
"""Of tests between measures: fewer than `adjudge meta` takes."""


def add(found: Findings, options: ReportOptions) -> Findings:
    """Run what the chapters on trust tell; what cannot be had says why."""
    scores = found.scores
    if scores is None or options.quick:
        return found
    people = people_of(found)
    length, form = target_of(found)
    where = _where(scores)
    trusted: dict[str, Any] = {
        "stability": _had(
            lambda: _stability(scores, people, length, form, options, main_target(found)),
            f"adjudge stability {where}",
        ),
        "agreement": _had(
            lambda: _agreement(scores, main_target(found), options), f"adjudge agreement {where}"
        ),
        "assessors": _had(
            lambda: _dossiers(scores, people, length, form, options), f"adjudge assessors {where}"
        ),
        "judges": _had(lambda: _judges(scores, options), ""),
    }
    meta = _had(lambda: _meta(found, scores, people, length, form, options), f"adjudge meta {where}")
    return replace(found, trusted=trusted, meta=meta)


def _had(make: Callable[[], T | Absent], how: str) -> T | Absent:
    """A result, or why there is none and which command says more."""
    try:
        return make()
    except AdjudgeError as error:
        return Absent(_start(str(error).removesuffix(".")), f"To see more: {how}" if how else "")


# What is looked at


def people_of(found: Findings) -> list[str]:
    """People's measures that the page looks at: those of the report, else any; a few, one of each kind first.

    One question of twelve says little by itself, so that a measure which is its own kind comes before them.
    """
    scores = found.scores
    if scores is None:
        return []
    reported = [c.measure for c in found.comparisons]
    judged = _judged(scores, list(dict.fromkeys(reported))) or _judged(scores, list(scores.measures))
    kinds: dict[str, list[str]] = {}
    for name in judged:
        kinds.setdefault(name.partition("(")[0].partition(":")[0], []).append(name)
    alone = [own[0] for own in kinds.values() if len(own) == 1]
    return [*alone, *(name for own in kinds.values() if len(own) > 1 for name in own)][:MOST_PEOPLE]


def _judged(scores: Scores, names: Sequence[str]) -> list[str]:
    return [
        name
        for name in names
        if name in scores.info
        and scores.info[name].better is not None
        and judge_of(name) is None
        and scores.assessors(name)
    ]


def target_of(found: Findings) -> tuple[int | None, str | None]:
    """The length and form of the report, where it has one; None where there are several."""
    targets = {c.matrix.target for c in found.comparisons}
    lengths, forms = {t.length for t in targets}, {t.form for t in targets}
    return (
        next(iter(lengths)) if len(lengths) == 1 else None,
        next(iter(forms)) if len(forms) == 1 else None,
    )


def main_target(found: Findings) -> Target:
    """What the report answers first: the length and form with the most scores."""
    return found.comparisons[0].matrix.target


def _where(scores: Scores) -> str:
    """The scores as a command on the page names them."""
    return "." if scores.folder is not None else "SCORES"


def _without_people(scores: Scores) -> Absent:
    how = (
        "adjudge assign and adjudge serve let people judge; adjudge import brings in ratings"
        if scores.folder is not None
        else "A column named assessor says who judged"
    )
    return Absent("No measure of the report names assessors, so nothing can be said of who judged", how)


# The analyses


def _stability(
    scores: Scores,
    people: Sequence[str],
    length: int | None,
    form: str | None,
    options: ReportOptions,
    main: Target,
) -> StabilityResult | Absent:
    """Of the ranking that the report answers with first."""
    from adjudge.analyses.gathered import gathered_of
    from adjudge.analyses.stability import stability

    if not people and gathered_of(scores) is None:
        return _without_people(scores)
    result = stability(
        _everyone(scores),
        people or None,
        length=_known(scores, people, "lengths", length),
        form=_known(scores, people, "forms", form),
        level=options.level,
        seed=options.seed,
        without=scores.left_out,
    )

    def is_main(each: RankNoise) -> bool:
        return each.length in (None, main.length) and each.form in (None, main.form)

    result = replace(result, noise=tuple(sorted(result.noise, key=lambda each: not is_main(each))))
    return result if result.anything else _without_people(scores)


def _everyone(scores: Scores) -> Scores:
    """Before assessors were left out: analyses that look at judgments leave them out there too."""
    return scores.everyone or scores


def _known(scores: Scores, measures: Sequence[str], what: str, value: T | None) -> T | None:
    """A length or form, where the scores of every measure know it."""
    there = [set(getattr(scores.table, what)(name)) for name in measures]
    return value if value is not None and all(value in each for each in there) else None


def _agreement(scores: Scores, main: Target, options: ReportOptions) -> AgreementResult | Absent:
    from adjudge.analyses.agreement import Agreement
    from adjudge.analyses.agreement.result import agreement_on, asked_of

    if not scores.assessors() and scores.folder is None:
        return _without_people(scores)
    return agreement_on(
        asked_of(_everyone(scores), scores.left_out),
        lambda each: each.is_of(main.length, main.form),
        Agreement(level=options.level, seed=options.seed, without=scores.left_out),
        pyramids_of=main,
    )


def _dossiers(
    scores: Scores, people: Sequence[str], length: int | None, form: str | None, options: ReportOptions
) -> tuple[Dossiers, ...] | Absent:
    from adjudge.analyses.assessors import dossiers

    several = [name for name in people if len(scores.assessors(name)) > 1]
    if not several:
        if not people:
            return _without_people(scores)
        return Absent(
            f"Nobody can be compared with the one assessor of {listed(people)}",
            "adjudge assign --per-summary 2 has summaries judged by several"
            if scores.folder is not None
            else "",
        )
    made, wrong = [], []
    for name in several:
        try:
            made.append(
                dossiers(
                    scores,
                    name,
                    length=_one_or_all(scores.table.lengths(name), length),
                    form=one_form(scores, [name], _known(scores, [name], "forms", form)),
                    alpha=options.alpha,
                    seed=options.seed,
                )
            )
        except AdjudgeError as error:
            wrong.append(error)
    if not made:
        raise wrong[0]
    return tuple(made)


def _one_or_all(lengths: Sequence[int | None], length: int | None) -> int | AllLengths | None:
    """The length that was asked for; of several, all."""
    if length is not None and length in lengths:
        return length
    return "all" if len(lengths) > 1 else None


def one_length(
    found: Findings, scores: Scores, measures: Sequence[str], length: int | None
) -> int | AllLengths | None:
    """The length that was asked for; of several the report's first, where every measure has it, else all."""
    lengths = [scores.table.lengths(name) for name in measures]
    main = main_target(found).length
    if length is None and len({n for each in lengths for n in each}) > 1:
        return main if all(main in each or each == (None,) for each in lengths) else "all"
    return length


def _length_words(found: Findings, scores: Scores, measures: Sequence[str]) -> Iterator[str]:
    """Which of several lengths was looked at."""
    asked = target_of(found)[0]
    chosen = one_length(found, scores, measures, asked)
    lengths = sorted({n for name in measures for n in scores.table.lengths(name) if n is not None})
    if asked is None and isinstance(chosen, int) and len(lengths) > 1:
        known = listed([f"{n:,}" for n in lengths], most=len(lengths))
        yield (
            f"Of the lengths {known} words, {chosen:,} is looked at here, which has the most scores; --length takes"
            " another."
        )


def one_form(scores: Scores, measures: Sequence[str], form: str | None) -> str | None:
    """The form that was asked for; of several that all measures have, the one with the most scores.

    These analyses look at one form, and a report of all forms would have none of them otherwise.
    """
    there = [set(scores.table.forms(name)) for name in measures]
    common = sorted(set.intersection(*there)) if there else []
    if form is not None or not common or max(map(len, there)) < 2:
        return form
    sizes = Counter(
        each for name in measures for each in scores.table.of(name)["form"].astype(object).fillna(UNSET)
    )
    return max(common, key=lambda each: sizes[each])


def _form_words(scores: Scores, measures: Sequence[str], form: str | None) -> Iterator[str]:
    """Which of several forms was looked at."""
    chosen = one_form(scores, measures, form)
    forms = sorted({each for name in measures for each in scores.table.forms(name)})
    if form is None and chosen is not None and len(forms) > 1:
        yield (
            f"Of the forms {listed(forms)}, {chosen} is looked at here, which has the most scores; --form takes"
            " another."
        )


def _judges(scores: Scores, options: ReportOptions) -> JudgeReport | None:
    """Of every program that judged; None where none did, which is no lack."""
    from adjudge.analyses.gathered import gathered_of
    from adjudge.analyses.judges import Judges
    from adjudge.analyses.judges.result import VERDICT_RESAMPLES

    gathered = gathered_of(scores)
    if gathered is None or not gathered.judgments.by_judge:
        return None
    return Judges(
        parts="agreement",
        alpha=1 - options.level,
        resamples=VERDICT_RESAMPLES,
        without=tuple(scores.left_out),
        seed=options.seed,
    ).run(_everyone(scores))


def _automatic(found: Findings, scores: Scores) -> list[str]:
    """The measures of the report that are better high or low, and nobody's judgments."""
    from adjudge.analyses.meta.cells import is_judged

    reported = dict.fromkeys(c.measure for c in found.comparisons if c.matrix.info.better is not None)
    return [name for name in reported if name in scores.info and not is_judged(scores, name)]


def _compared_with(found: Findings) -> list[str]:
    """All measures of the chapter on measures."""
    assert found.scores is not None
    return [*people_of(found), *_automatic(found, found.scores)]


def _meta(
    found: Findings,
    scores: Scores,
    people: Sequence[str],
    length: int | None,
    form: str | None,
    options: ReportOptions,
) -> MetaResult | Absent:
    from adjudge.analyses.meta import meta

    automatic = _automatic(found, scores)
    if not people:
        return Absent(
            "No measure of the report is people's, so automatic measures cannot be compared with people",
            _without_people(scores).how,
        )
    if not automatic:
        return Absent(
            "The report has no automatic measure beside people's",
            f"adjudge score {_where(scores)} -m rouge-2 adds one" if scores.folder is not None else "",
        )
    common: dict[str, Any] = {
        "human": list(people),
        "levels": LEVELS,
        "coefficients": COEFFICIENT,
        "length": one_length(found, scores, [*people, *automatic], length),
        "form": one_form(scores, [*people, *automatic], form),
        "alpha": 1 - options.level,
        "seed": options.seed,
    }
    made = meta(scores, automatic, parts=("correlations", "ceiling"), resamples=RESAMPLES, **common)
    if not 1 < len(automatic) <= MOST_GROUPED:
        return made
    try:  # a test between measures takes more resamples than an interval
        grouped = meta(scores, automatic, parts="better", resamples=SWAPS, **common)
    except AdjudgeError as error:
        return replace(made, absent={**made.absent, "better": str(error)})
    return replace(made, parts={**made.parts, **grouped.parts})


# The chapters


def chapters(found: Findings) -> tuple[Chapter, ...]:
    """Can the judgments be trusted, do measures agree with people, how was it done."""
    told = [] if not found.trusted else [_judgments(found), _measures(found)]
    return (*told, method_page(found))


def _judgments(found: Findings) -> Chapter:
    given = {name: each for name, each in found.trusted.items() if each is not None}
    makers: Mapping[str, Callable[[Any, str], TrustSection]] = {
        "stability": _stable_section,
        "agreement": _agreed_section,
        "assessors": _assessors_section,
        "judges": _judges_section,
    }
    where = _where(found.scores) if found.scores is not None else "."
    there = {name: each for name, each in given.items() if not isinstance(each, Absent)}
    about = list(chosen_words(found))
    if "agreement" in there and len({c.matrix.target for c in found.comparisons}) > 1:
        about.append(
            f"Agreement is looked at on texts of {main_target(found)}, which have the most scores; --length and --form"
            " take others."
        )
    sections = tuple(makers[name](each, where) for name, each in there.items())
    return Chapter(
        anchor="chapter-trust",
        question="Can the judgments be trusted?",
        said=tuple(_headlines(there)),
        template="trusted.html.j2",
        content=TrustChapter(about=tuple(about) if sections else (), sections=sections),
        missing=tuple(dict.fromkeys(each for each in given.values() if isinstance(each, Absent))),
    )


def _headlines(there: Mapping[str, Any]) -> Iterator[str]:
    """The answer: the first sentence of every analysis; of assessors, of every measure."""
    for name, each in there.items():
        if name == "assessors":
            yield from (own.headline() for own in each)
        else:
            yield each.headline()


def chosen_words(found: Findings) -> Iterator[str]:
    """Which of people's measures were looked at, and how systems are called."""
    scores = found.scores
    assert scores is not None
    people = people_of(found)
    judged = _judged(scores, list(scores.measures))
    if len(people) < len(judged):
        names = listed([scores.info[name].words for name in people])
        yield (
            f"Of {counted(len(judged), 'measure')} that assessors gave, {names} {'is' if len(people) == 1 else 'are'}"
            " looked at here; the commands below take any with -m."
        )
    if not isinstance(found.trusted.get("assessors"), Absent):
        several = [name for name in people if len(scores.assessors(name)) > 1]
        yield from (
            text.replace("is looked at here", "is looked at where assessors are compared")
            for text in _form_words(scores, several, target_of(found)[1])
        )
    if any(scores.labels.get(name) not in (None, name) for name in scores.kinds):
        yield "Systems are called by their ids here."


def _stable_section(found: StabilityResult, where: str) -> TrustSection:
    tables = found.all_tables
    shown = next((table for table in tables if table.name.startswith("judge-noise")), tables[0])
    _, *more = found.sentences()
    return trust_section(
        "trust-stability",
        "How stable is the ranking?",
        said=more[:SAID],
        more=more[SAID:],
        figure=page_figure(found, "stability"),
        tables=[shown],
        further=[table for table in tables if table is not shown],
        notes=found.warnings("command"),
        command=f"adjudge stability {where}",
        signature=found.signature,
    )


def _agreed_section(found: AgreementResult, where: str) -> TrustSection:
    _, *more = found.sentences()
    names = ("without-assessor", "assessor-pairs", "agreement-by-system")
    return trust_section(
        "trust-agreement",
        "Do assessors agree?",
        said=more[:SAID],
        more=more[SAID:],
        figure=page_figure(found, "agreement"),
        tables=[found.table()],
        further=[found.table(name) for name in names],
        notes=found.warnings("command"),
        command=f"adjudge agreement {where}",
        signature=found.signature,
    )


def _assessors_section(found: Sequence[Dossiers], where: str) -> TrustSection:
    said = [text for each in found for text in list(each.sentences())[1:]]
    without = [
        replace(table, title=f"{table.title}, {each.title}")
        for each in found
        for table in each.all_tables[1:]
    ]
    return trust_section(
        "trust-assessors",
        "Who judges otherwise?",
        said=said[:SAID],
        more=said[SAID:],
        figure=page_figure(found[0], "assessors"),
        tables=[found[0].table()],
        further=[*(each.table() for each in found[1:]), *without],
        notes=[note for each in found for note in each.warnings("command")],
        command=f"adjudge assessors {where}",
        signature=found[0].signature,
    )


def _judges_section(found: JudgeReport, where: str) -> TrustSection:
    said = [text for dossier in found for text in list(dossier.sentences())[1:]]
    tables = list(found.all_tables)
    parts = [dossier.parts["agreement"] for dossier in found if "agreement" in dossier.parts]
    return trust_section(
        "trust-judges",
        "What are programs that judge worth?",
        said=said[:SAID],
        more=said[SAID:],
        figure=next((drawn for each in parts if (drawn := page_figure(each, "judge-agreement"))), None),
        tables=tables[:1],
        further=tables[1:],
        notes=found.warnings("command"),
        command=f"adjudge judge report {where} -o dossiers",
        about_command="The whole dossiers",
        signature="; ".join(dossier.signature for dossier in found),
    )


QUESTIONS = {
    "correlations": ("How far do measures correlate with people?", "scatter"),
    "ceiling": ("How do measures compare with one more assessor?", "ceiling"),
    "better": ("Which measure is nearer to people?", "measure-groups"),
}
"""Of the parts of a meta-evaluation that the page shows: what each asks, and its figure."""


def _measures(found: Findings) -> Chapter:
    meta = found.meta
    absent = [meta] if isinstance(meta, Absent) else []
    sections: list[TrustSection] = []
    said: list[str] = []
    about: list[str] = []
    if not absent:
        people = " ".join(f"--human {in_shell(each.info.measure)}" for each in meta.cells.humans)
        command = f"adjudge meta {_where(found.scores)} {people} -o meta" if found.scores else ""
        for name, part in meta.parts.items():
            said.append(part.headline())
            sections.append(_part_section(name, part, command))
        names = listed([each.info.words for each in meta.cells.humans], most=MOST_PEOPLE)
        about.append(
            f"Compared with {names}, by Kendall's tau-b: of systems' means (system level), and of the summaries of one"
            " topic, averaged over topics (input level)."
        )
        if found.scores is not None:
            about += _length_words(found, found.scores, _compared_with(found))
            about += _form_words(found.scores, _compared_with(found), target_of(found)[1])
        absent = [Absent(f"{QUESTIONS[name][0]} {_start(why)}") for name, why in meta.absent.items()]
        if sections:
            notes = Result.warnings(
                meta
            )  # of the whole: the sections have their parts', and what is absent is told
            sections[-1] = replace(sections[-1], notes=(*sections[-1].notes, *notes))
    return Chapter(
        anchor="chapter-measures",
        question="Do the automatic measures agree with people?",
        said=tuple(said),
        template="measures.html.j2",
        content=TrustChapter(about=tuple(about), sections=tuple(sections)),
        missing=tuple(absent),
    )


def _part_section(name: str, part: Result, command: str) -> TrustSection:
    question, kind = QUESTIONS[name]
    _, *more = part.sentences()
    tables = part.all_tables
    return trust_section(
        f"meta-{name}",
        question,
        said=more[:SAID],
        more=more[SAID:],
        figure=page_figure(part, kind),
        tables=tables[:1],
        further=[table for table in tables[1:] if not table.name.startswith("better-pairs")],
        notes=part.warnings(),
        command=command,
        signature=tables[0].signature or part.signature,
    )


def page_figure(result: Any, *kinds: str) -> PageFigure | None:
    """A figure of a result, inlined; None where the result has none, or cannot draw it."""
    kind = next((each for each in kinds if each in getattr(result, "FIGURES", ())), None)
    if kind is None:
        return None
    try:
        drawn = result.figure(kind)
    except AdjudgeError:
        return None
    try:
        return PageFigure(name=drawn.name, title=drawn.title, words=drawn.words, svg=drawn.to_page())
    except Undrawable as error:
        return PageFigure(name=drawn.name, title=drawn.title, words=drawn.words, svg="", why=f"It {error}.")


def _start(text: str) -> str:
    return text[:1].upper() + text[1:]
