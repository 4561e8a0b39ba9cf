"""The dossiers of judges: what each is worth, part by part, and what they are worth together.

The judges' answers are put beside people's once, and every part is asked for its answer. A part that cannot be had says
why instead of stopping the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.agreement import JudgeAgreementResult, judge_agreement
from adjudge.analyses.judges.alternative import AlternativeResult, alternative
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches, benches_of
from adjudge.analyses.judges.effects import JudgeEffects, judge_effects
from adjudge.analyses.judges.panels import panels, with_panel
from adjudge.analyses.judges.ranking import RankingResult, ranking
from adjudge.analyses.methods import MethodsParagraph
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.core.results import Note, Parts, Result, Results
from adjudge.core.words import listed
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.assessors.cards import JudgeCard

Step = Callable[[int, int], None]
VERDICT_RESAMPLES = 400
"""Enough for a verdict in passing; the dossier takes more."""
JudgesPart = JudgeAgreementResult | RankingResult | AlternativeResult | JudgeEffects
MAKES: Mapping[str, Callable[[JudgeBenches, Judges, Step], JudgesPart]] = {
    "agreement": judge_agreement,
    "ranking": ranking,
    "alternative": alternative,
    "effects": judge_effects,
}
"""How each part is made."""


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeDossier(Parts):
    """Everything that is known of one judge."""

    MAIN = "agreement"

    QUESTIONS: ClassVar[Mapping[str, str]] = {
        "agreement": "What is it worth?",
        "ranking": "Does it rank systems as people do?",
        "alternative": "Could it take an assessor's place?",
        "effects": "What else moves it, and what does it cost and save?",
        "panel": "What are the judges worth together?",
    }

    asked: Judges
    name: str
    """Of the evaluation."""
    judge: str
    benches: tuple[AspectBench, ...]

    @property
    def cards(self) -> tuple[JudgeCard, ...]:
        return tuple(
            {bench.card.file: bench.card for bench in self.benches if bench.card is not None}.values()
        )

    @property
    def title(self) -> str:
        from adjudge.analyses.judges.words import what_it_is

        return f"{self.judge} ({what_it_is(self)})"

    def how(self) -> str:
        cards = dict.fromkeys(card.signature for card in self.cards)
        o = self.asked
        numbers = (
            f"level:{o.level:g}|bootstrap:topics:{o.resamples}|epsilon:{o.epsilon:g}|margin:{o.margin:g}"
        )
        return "|".join(
            [f"dossier:{self.judge}", *filter(None, cards), f"{numbers}|seed:{o.seed}|v:{__version__}"]
        )

    def facts(self) -> Mapping[str, Any]:
        return {
            "judge": self.judge,
            "cards": [asdict(card) for card in self.cards],
            "aspects": [
                {"aspect": bench.aspect, "protocol": bench.source, "people": list(bench.people)}
                for bench in self.benches
            ],
        }

    def notes(self) -> Iterator[Note]:
        for card in self.cards:
            settings = card.settings
            if card.kind == "learned":
                if isinstance(trained := settings.get("trained_on"), str):
                    yield Note.of("trained-on", judge=card.name, trained_on=trained)
                if isinstance(held := settings.get("held_out"), int) and held:
                    yield Note.of("held-out", judge=card.name, held_out=held)
                continue
            planted = settings.get("planted")
            if isinstance(planted, Mapping) and isinstance(headline := planted.get("headline"), str):
                yield Note.of("planted", headline=headline)
            else:
                yield Note.of("planted-unchecked", judge=card.name, protocol=card.protocol)


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeReport(Results[JudgeDossier]):
    """The dossiers of some judges; of several together, their panel is one more judge."""

    def of(self, judge: str) -> JudgeDossier:
        """One judge's dossier."""
        for dossier in self:
            if dossier.judge == judge:
                return dossier
        raise UsageError(f"no dossier of {judge!r}; there are: {listed([dossier.judge for dossier in self])}")

    def alike(self) -> list[str]:
        """Judges, and people, of whom two gave the same answers."""
        parts = [dossier.parts.get("agreement") for dossier in self]
        made = [part for part in parts if isinstance(part, JudgeAgreementResult)]
        return list(dict.fromkeys(part.note_text(note) for part in made for note in part.alike))

    def called(self, result: JudgeDossier) -> str:
        return result.judge

    def figure(self, kind: str | None = None, *, judge: str | None = None, **options: Any) -> Any:
        """A figure of one judge's dossier, by its name; without a judge of the first."""
        return (self[0] if judge is None else self.of(judge)).figure(kind, **options)

    def methods(self) -> MethodsParagraph:
        from adjudge.analyses.judges.words import methods

        return MethodsParagraph(tuple(methods(self)))


def report_of(scores: Scores, asked: Judges) -> JudgeReport:
    """A dossier for each judge, and for their panel where one is asked for."""
    benches = benches_of(
        scores,
        asked.judges or _programs(scores),
        question=(*asked.question, *(asked.measure or ())),
        length=None if asked.length == "unset" else asked.length,
        form=asked.form,
        without=asked.without,
    )
    everyone, together = benches, None
    if asked.panel != "none":
        if len(benches.judges) < 2:
            raise UsageError("a panel has two judges or more: name them")
        together = panels(benches, asked, asked.progress)
        everyone = with_panel(benches, asked.panel)
    measures = {bench.aspect for bench in benches.benches if bench.source is None}
    about = dict.fromkeys(
        [
            *benches.notes,
            *(benches.gathered.notes("the dossier") if benches.gathered else ()),
            *(line for name in measures if name in scores.info for line in scores.unsaid_notes(name)),
        ]
    )
    made: dict[str, JudgesPart] = {}
    absent: dict[str, str] = {}
    for name in asked.parts or MAKES:
        try:
            made[name] = MAKES[name](everyone, asked, asked.progress)
        except (DataError, UsageError) as error:
            absent[name] = error.text
    dossiers = []
    for judge in everyone.judges:
        of_judge = everyone.of(judge)
        parts: dict[str, Result] = {name: part.for_judge(judge) for name, part in made.items()}
        if together is not None and all(bench.panel for bench in of_judge):
            parts["panel"], together = together, None
        if not parts:
            raise DataError("; ".join(dict.fromkeys(absent.values())))
        parts = {name: parts[name] for name in JudgeDossier.QUESTIONS if name in parts}
        dossiers.append(
            JudgeDossier(
                asked=asked,
                name=scores.name,
                judge=judge,
                benches=of_judge,
                parts=parts,
                absent=absent,
                in_full=tuple(parts) if asked.parts else ("panel",),
                about_scores=tuple(about),
            )
        )
    return JudgeReport(asked=asked, results=tuple(dossiers), about_scores=tuple(about))


def _programs(scores: Scores) -> list[str]:
    from adjudge.analyses.gathered import gathered_of

    gathered = gathered_of(scores)
    programs = [] if gathered is None else list(gathered.judgments.by_judge)
    if not programs:
        where = (
            "no program has judged here" if gathered is not None else "a table does not say who is a program"
        )
        raise UsageError(f"{scores.name}: {where}: name the assessor that is to be taken for a judge")
    return programs


def verdicts_on(scores: Scores, measures: Iterable[str]) -> list[str]:
    """Of every program whose judgments some measures are of: its verdict, for whoever shows these scores."""
    verdicts = []
    for judge in dict.fromkeys(name for name in map(judge_of, measures) if name is not None):
        try:
            asked = Judges(judge, parts="agreement", resamples=VERDICT_RESAMPLES)
            verdicts.append(asked.result(scores)[0].headline())
        except AdjudgeError as error:
            verdicts.append(f"what {judge} is worth is not known: {error}")
    return verdicts
