"""The dossiers of judges: what each is worth, part by part, and what they are worth together.

`judge_report` puts the judges' answers beside people's once, and asks every part for its answer. A part that cannot be
had says why instead of stopping the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches, benches_of, shared_words
from adjudge.analyses.judges.options import JudgeOptions
from adjudge.analyses.parts import PartsResult, ResultPart, part_latex, several_names
from adjudge.analyses.scores import Patterns, Source, scores_of
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.core.picture import Figure, Pictured
from adjudge.core.table import Column, Table, Tables, Tabular, frame_to_csv, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import AllLengths
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.assessors.cards import JudgeCard

Step = Callable[[int, int], None]
Progress = Callable[[str, int, int], None]
PANEL = "What are the judges worth together?"
PANELS = ("none", "mean", "vote")
VERDICT_RESAMPLES = 400
"""Enough for a verdict in passing; the dossier takes more."""


@dataclass(frozen=True)
class DossierSpec:
    """A part by its name: the question that it answers, and how it is made."""

    name: str
    question: str
    make: Callable[[JudgeBenches, JudgeOptions, Step], ResultPart]


def _agreement(benches: JudgeBenches, options: JudgeOptions, step: Step) -> ResultPart:
    from adjudge.analyses.judges.agreement import judge_agreement

    return judge_agreement(benches, options, progress=step)


def _alternative(benches: JudgeBenches, options: JudgeOptions, step: Step) -> ResultPart:
    from adjudge.analyses.judges.alternative import alternative

    return alternative(benches, options, step)


def _ranking(benches: JudgeBenches, options: JudgeOptions, step: Step) -> ResultPart:
    from adjudge.analyses.judges.ranking import ranking

    return ranking(benches, options, step)


def _effects(benches: JudgeBenches, options: JudgeOptions, step: Step) -> ResultPart:
    from adjudge.analyses.judges.effects import judge_effects

    return judge_effects(benches, options, family=options.family, progress=step)


SPECS: dict[str, DossierSpec] = {
    spec.name: spec
    for spec in (
        DossierSpec("agreement", "What is it worth?", _agreement),
        DossierSpec("ranking", "Does it rank systems as people do?", _ranking),
        DossierSpec("alternative", "Could it take an assessor's place?", _alternative),
        DossierSpec("effects", "What else moves it, and what does it cost and save?", _effects),
    )
}
PARTS = tuple(SPECS)


@dataclass(frozen=True, repr=False)
class JudgeDossier(PartsResult):
    """Everything that is known of one judge."""

    QUESTIONS: ClassVar[Mapping[str, str]] = {spec.name: spec.question for spec in SPECS.values()}

    judge: str
    benches: tuple[AspectBench, ...]
    options: JudgeOptions
    parts: Mapping[str, ResultPart]
    absent: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    """What was looked at, where it is not everything: `length:100`."""

    @property
    def card(self) -> JudgeCard | None:
        return next((bench.card for bench in self.benches if bench.card is not None), None)

    @property
    def what(self) -> str:
        """What the judge is, in a few words."""
        card = self.card
        if all(bench.panel for bench in self.benches):
            return "several judges as one"
        if card is None:
            return "taken for a judge: nothing is known of how it came to its answers"
        kind = {"learned": "learned from people's answers", "language-model": "a language model"}[card.kind]
        return f"{kind}: {card.model}"

    @property
    def signature(self) -> str:
        o = self.options
        own = [each for each in dict.fromkeys(b.card.signature for b in self.benches if b.card) if each]
        return "|".join(
            [
                f"dossier:{self.judge}",
                *own,
                *self.chosen,
                f"level:{o.level:g}",
                f"bootstrap:topics:{o.resamples}",
                f"epsilon:{o.epsilon:g}",
                f"margin:{o.margin:g}",
                f"seed:{o.seed}",
                f"v:{__version__}",
            ]
        )

    def to_frame(self) -> pd.DataFrame:
        """The first part's rows: the judge beside people and controls, a row each."""
        return next(iter(self.parts.values())).to_frame()

    def as_dict(self) -> dict[str, Any]:
        from dataclasses import asdict

        found: dict[str, Any] = plain(
            {
                "judge": self.judge,
                "what": self.what,
                "card": None if self.card is None else asdict(self.card),
                "aspects": [
                    {"aspect": bench.aspect, "protocol": bench.source, "people": list(bench.people)}
                    for bench in self.benches
                ],
                "headline": self.headline(),
                "parts": {name: part.as_dict() for name, part in self.parts.items()},
                "absent": dict(self.absent),
                "notes": list(self.all_notes()),
                "signature": self.signature,
            }
        )
        return found


@dataclass(frozen=True, repr=False)
class JudgeReport(Pictured, Tabular):
    """The dossiers of some judges, and what they are worth together where a panel was asked for."""

    name: str
    dossiers: tuple[JudgeDossier, ...]
    panel: ResultPart | None = None
    notes: tuple[str, ...] = ()

    def __getitem__(self, judge: str) -> JudgeDossier:
        """One judge's dossier."""
        for dossier in self.dossiers:
            if dossier.judge == judge:
                return dossier
        raise UsageError(f"no dossier of {judge!r}; there are: {listed([d.judge for d in self.dossiers])}")

    def figure(self, kind: str | None = None, *, judge: str | None = None, **options: Any) -> Figure:
        """A figure of one judge's dossier, by its name; without a judge of the first."""
        dossier = self.dossiers[0] if judge is None else self[judge]
        return dossier.figure(kind, **options)

    def headline(self) -> str:
        return " ".join(dossier.headline() for dossier in self.dossiers)

    def sentences(self) -> Iterator[str]:
        for dossier in self.dossiers:
            yield from dossier.sentences()
        if self.panel is not None:
            yield from self.panel.sentences()

    def table(self) -> Table:
        """Every judge in a row."""
        rows = [
            (d.judge, d.what, listed([shared_words(b) for b in d.benches][:1]), d.headline())
            for d in self.dossiers
        ]
        return Table(
            name="judges",
            title=f"{self.name}: {counted(len(self.dossiers), 'judge')}",
            columns=(
                Column("judge", "judge"),
                Column("what", "what it is"),
                Column("shared", "judged by people too"),
                Column("verdict", "verdict"),
            ),
            rows=tuple(rows),
            notes=self.notes,
            signature=self.dossiers[0].signature,
        )

    def tables(self) -> Tables:
        found = [dossier.tables() for dossier in self.dossiers]
        found += [] if self.panel is None else [self.panel.tables()]
        return Tables(
            tuple(table for some in found for table in some),
            notes=(*self.notes, *(note for some in found for note in some.notes)),
        )

    def to_latex(self) -> str:
        parts = [dossier.to_latex() for dossier in self.dossiers]
        parts += [] if self.panel is None else [part_latex(PANEL, self.panel.tables())]
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        """The dossiers' first parts below each other."""
        import pandas as pd

        return pd.concat([d.to_frame() for d in self.dossiers], ignore_index=True)

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "headline": self.headline(),
            "judges": [dossier.as_dict() for dossier in self.dossiers],
            "panel": None if self.panel is None else self.panel.as_dict(),
            "notes": list(self.notes),
        }

    def files(self) -> dict[str, str]:
        """Every part of every judge as CSV, and all tables as LaTeX, by the names of files."""
        found = {
            csv_name(k, dossier.judge, name): frame_to_csv(part.to_frame())
            for k, dossier in enumerate(self.dossiers, 1)
            for name, part in dossier.parts.items()
        }
        if self.panel is not None:
            found["panel.csv"] = frame_to_csv(self.panel.to_frame())
        return found | {"judges.tex": self.to_latex()}


def csv_name(number: int, judge: str, part: str) -> str:
    """1-smollm2-agreement.csv"""
    return f"{file_stem(number, judge)}-{part}.csv"


def file_stem(number: int, judge: str) -> str:
    """What the names of a judge's files begin with."""
    import re

    slug = re.sub(r"[^a-z0-9]+", "-", judge.lower()).strip("-")[:40] or "judge"
    return f"{number}-{slug}"


def judge_report(
    scores: Source,
    judges: str | Sequence[str] = (),
    *,
    question: str | Sequence[str] = (),
    parts: str | Sequence[str] = PARTS,
    panel: str = "none",
    length: int | AllLengths | None = None,
    form: str | None = None,
    without: str | Sequence[str] = (),
    human_systems: Patterns = (),
    family: str = "",
    epsilon: float = 0.2,
    margin: float = 0.1,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress = lambda part, done, of: None,
) -> JudgeReport:
    """What judges are worth: `judge_report("my-eval", "smollm2")`, `judge_report("ratings.csv", ["gpt", "llama"])`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. A judge is an
    assessor that is a program; any assessor may be named, and a column of scores too. Without names, all programs that
    judged in the folder. `question` names some of the questions. `panel` adds what several judges are worth
    together, by their "mean" or their "vote". `epsilon` is of the alternative-annotator test, `margin` of the verdict:
    how far below an assessor's agreement a judge's may lie and still be like it. `family` is a part of the names of
    systems that the judge may favour. Intervals resample topics (or sets of topics), at the level 1 - `alpha`.
    """
    _check_numbers(epsilon, margin, alpha, resamples)
    wanted = several_names("part", parts, PARTS)
    several_names("panel", panel, PANELS, one=True)
    found = scores_of(scores).with_humans(human_systems)
    names = [judges] if isinstance(judges, str) else list(judges)
    benches = benches_of(
        found, names or _programs(found), question=question, length=length, form=form, without=without
    )
    options = JudgeOptions(
        alpha=alpha, resamples=resamples, seed=seed, epsilon=epsilon, margin=margin, family=family
    )
    together: ResultPart | None = None
    everyone = benches
    if panel != "none":
        from adjudge.analyses.judges.panels import panels, with_panel

        if len(benches.judges) < 2:
            raise UsageError("a panel has two judges or more: name them")
        together = panels(benches, options, partial(progress, "panel"), how=panel)
        everyone = with_panel(benches, panel)
    asked = {"question": question, "length": length, "form": form, "without": without, "family": family}
    chosen = tuple(
        f"{name}:{value if isinstance(value, str | int) else '+'.join(value)}"
        for name, value in asked.items()
        if value
    )
    dossiers = tuple(
        replace(_dossier(everyone, judge, options, wanted, progress), chosen=chosen)
        for judge in everyone.judges
    )
    measures = {b.aspect for b in benches.benches if b.source is None}
    said = [line for name in measures if name in found.info for line in found.unsaid_notes(name)]
    notes = (*benches.notes, *(benches.gathered.notes("the dossier") if benches.gathered else ()), *said)
    return JudgeReport(name=found.name, dossiers=dossiers, panel=together, notes=tuple(dict.fromkeys(notes)))


def _programs(scores: Any) -> list[str]:
    from adjudge.analyses.gathered import gathered_of

    gathered = gathered_of(scores)
    found = [] if gathered is None else list(gathered.judgments.by_judge)
    if not found:
        where = (
            "no program has judged here" if gathered is not None else "a table does not say who is a program"
        )
        raise UsageError(f"{scores.name}: {where}: name the assessor that is to be taken for a judge")
    return found


def _dossier(
    benches: JudgeBenches, judge: str, options: JudgeOptions, wanted: Sequence[str], progress: Progress
) -> JudgeDossier:
    own = replace(benches, judges=(judge,), benches=benches.of(judge))
    made: dict[str, ResultPart] = {}
    absent: dict[str, str] = {}
    for name in wanted:
        progress(name, 0, 1)
        try:
            made[name] = SPECS[name].make(own, options, partial(progress, name))
        except (DataError, UsageError) as error:
            absent[name] = str(error)
    if not made:
        raise DataError("; ".join(dict.fromkeys(absent.values())))
    cards = {bench.card.file: bench.card for bench in own.benches if bench.card is not None}
    notes = [note for card in cards.values() for note in _card_notes(card)]
    notes += [note for bench in own.benches for note in bench.notes]
    return JudgeDossier(
        judge=judge,
        benches=own.benches,
        options=options,
        parts=made,
        absent=absent,
        notes=tuple(dict.fromkeys(notes)),
    )


def _card_notes(card: JudgeCard) -> Iterator[str]:
    """What a judge's card says of how far its answers can be believed."""
    settings = card.settings
    if card.kind == "learned":
        if isinstance(trained := settings.get("trained_on"), str):
            yield f"{card.name} was trained on {trained}"
        if isinstance(held := settings.get("held_out"), int) and held:
            yield (
                f"{counted(held, 'summary', 'summaries')} that {card.name} was trained on"
                f" {'is' if held == 1 else 'are'} answered by models that were trained without the system, but on the"
                " same topics and assessors: with others it may agree less"
            )
        return
    planted = settings.get("planted")
    if isinstance(planted, Mapping) and isinstance(said := planted.get("headline"), str):
        yield said
    else:
        yield (
            f"whether instructions hidden in texts move {card.name} was not checked: adjudge judge llm"
            f" --protocol {card.protocol} --check-planted 20"
        )


def _check_numbers(epsilon: float, margin: float, alpha: float, resamples: int) -> None:
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha:g}, expected a number between 0 and 1")
    if not 0 <= epsilon < 1:
        raise UsageError(f"epsilon is {epsilon:g}, expected a share from 0 to 1")
    if not 0 <= margin < 1:
        raise UsageError(f"margin is {margin:g}, expected a number from 0 to 1")
    if resamples < 2:
        raise UsageError(f"resamples is {resamples}, expected 2 or more")


def verdicts_on(scores: Source, measures: Iterable[str]) -> list[str]:
    """Of every program whose judgments some measures are of: its verdict, for whoever shows these scores."""
    found = []
    for judge in dict.fromkeys(name for name in map(judge_of, measures) if name is not None):
        try:
            dossier = judge_report(scores, judge, parts="agreement", resamples=VERDICT_RESAMPLES)
            found.append(dossier.headline())
        except AdjudgeError as error:
            found.append(f"what {judge} is worth is not known: {error}")
    return found
