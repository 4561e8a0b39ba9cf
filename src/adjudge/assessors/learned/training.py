"""Training a judge, and how far it agrees with people on systems that it was not trained on.

Lin and Hovy 2002, section 5.1: for every system, learn from the decisions on all others, predict its own, and compute
Krippendorff's ordinal alpha between learned and human answers (figures 5 and 6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from adjudge.assessors.learned.features import (
    Expand,
    FeatureOptions,
    HumanDecisions,
    Mode,
    UnitFeatures,
    human_decisions,
    unit_features,
)
from adjudge.assessors.learned.judge import HeldOutModels, LearnedJudge, TrainedOn
from adjudge.assessors.learned.learners import LEARNERS, Learn, PlainModel, learn_majority
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, among, nearest, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular
from adjudge.core.words import counted, listed, natural
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.judgments.batch import Judgments, judgments_if_allowed
from adjudge.judgments.protocol import Protocol, protocol_of
from adjudge.judgments.tasks import TextRef, text_hash
from adjudge.stats import checks
from adjudge.stats.agreement import (
    AgreementCoefficient,
    alpha_text,
    krippendorff,
    krippendorff_difference,
    reliability,
)
from adjudge.stats.checks import FloatArray

BoolArray = npt.NDArray[np.bool_]

ALL = "all"
MAJORITY, CHANCE = "majority class", "chance"
CONTROLS = (MAJORITY, CHANCE)
PEOPLE = "people with each other"
SUMMED = {ALL: "together", MAJORITY: "control", CHANCE: "control", PEOPLE: "people"}
"""Rows that are of no single system, and what they are called beside it."""
KINDS = {"human": "human", "baseline": "baseline", "machine": "system"}
"""As rows name who wrote the summaries."""
TITLE = "Agreement of a learned judge with people: Krippendorff's ordinal alpha"


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Alpha between learned and human answers about one system, or about all."""

    who: str
    """A system; `all`; a control; or people with each other."""
    kind: str
    task: str
    """single or multi; nothing where topics do not say; `all` for all topics."""
    mode: Mode
    alpha: AgreementCoefficient


@dataclass(frozen=True, slots=True)
class LearnedAdvantage:
    """By how much alpha of the judge exceeds that of a control, over all systems, with an interval over topics."""

    control: str
    task: str
    mode: Mode
    judge: float
    by_control: float
    difference: AgreementCoefficient
    same: bool
    """Whether both gave the same answers throughout."""

    @property
    def beaten(self) -> bool | None:
        """Whether the whole interval is above 0; None where there is none."""
        if self.same:
            return False
        return None if math.isnan(self.difference.low) else self.difference.low > 0


@dataclass(frozen=True, repr=False)
class TrainedJudge(Pictured, Tabular):
    """A judge, and what it is worth on systems that it was not trained on."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "judge-agreement": "adjudge.analyses.judges.figures:left_out_agreement"
    }

    judge: LearnedJudge
    agreement: tuple[JudgeAgreement, ...]
    controls: tuple[LearnedAdvantage, ...]
    level: float
    resamples: int
    notes: tuple[str, ...] = ()

    @property
    def mode(self) -> Mode:
        """What the headline is of: expanded model units, unless they are not expanded."""
        return self.judge.modes[-1]

    def of(self, who: str, task: str = ALL, mode: Mode | None = None) -> AgreementCoefficient:
        """Alpha of a system, of `all`, of a control, or of people with each other."""
        wanted = (who, task, mode or self.mode)
        for agreement in self.agreement:
            # a system may have the name of another row
            if (agreement.who, agreement.task, agreement.mode) == wanted and SUMMED.get(
                who, agreement.kind
            ) == agreement.kind:
                return agreement.alpha
        raise UsageError(
            f"no agreement of {quoted(who)}{nearest(who, {agreement.who for agreement in self.agreement})}"
        )

    def against(self, control: str, task: str = ALL, mode: Mode | None = None) -> LearnedAdvantage:
        """The comparison with a control."""
        wanted = (control, task, mode or self.mode)
        return next(
            advantage
            for advantage in self.controls
            if (advantage.control, advantage.task, advantage.mode) == wanted
        )

    def for_task(self, task: str) -> TrainedJudge:
        """What it is worth on the topics of one task, single or multi, as the paper has it."""
        tasks = self.judge.models
        if task not in tasks:
            there = listed([name or "unset" for name in tasks])
            raise DataError(
                f"nobody judged {task}-document topics under {self.judge.protocol}; tasks: {there}"
            )
        if len(tasks) == 1:
            return self
        rows = [agreement for agreement in self.agreement if agreement.task == task]
        return replace(
            self,
            judge=replace(self.judge, models={task: tasks[task]}),
            agreement=(*rows, *(replace(agreement, task=ALL) for agreement in rows)),
            controls=tuple(replace(control, task=ALL) for control in self.controls if control.task == task),
        )

    def rules(self) -> dict[str, list[str]]:
        return self.judge.rules()

    def save(self, path: str | Path) -> None:
        self.judge.save(path)

    # For people

    def headline(self) -> str:
        """How far it agrees with people, and whether that is more than the majority class and chance give."""
        alpha = self.of(ALL)
        units = f"{self.mode} model units"
        if alpha.why is not None:
            return f"What the {self.judge.learner} judge is worth is unknown: {alpha.why}."
        sentence = (
            f"On systems it was not trained on, the {self.judge.learner} judge ({units}) agrees with people at alpha ="
            f" {alpha_text(alpha.value)}{alpha.interval_words()} ({counted(alpha.clusters, 'topic')}):"
            f" {reliability(alpha.value)}."
        )
        return " ".join([sentence, *self._beaten()])

    def _beaten(self) -> Iterator[str]:
        """Which controls it beats, each with its interval."""
        advantages = [self.against(control) for control in CONTROLS]
        for advantage in advantages:
            if advantage.same:
                yield f"Its answers are those of {_the(advantage.control)}, every one, so it does not beat it."
        for beaten, words, between in ((True, "It beats", "and"), (False, "It is not shown to beat", "or")):
            some = [
                advantage for advantage in advantages if advantage.beaten is beaten and not advantage.same
            ]
            if some:
                parts = [
                    f"{_the(advantage.control)} (difference {advantage.difference.value:z.3f}, {self.level:.0%}"
                    f" interval {advantage.difference.low:z.3f} to {advantage.difference.high:z.3f})"
                    for advantage in some
                ]
                yield f"{words} {f' {between} '.join(parts)}."
        for advantage in advantages:
            if advantage.beaten is None:
                why = advantage.difference.why or advantage.difference.why_no_interval
                yield f"Whether it beats {_the(advantage.control)} cannot be said: {why}."

    def table(self) -> Table:
        """Systems in rows; tasks, with original and expanded model units, in columns, as in figures 5 and 6."""
        tasks = [*self.judge.models]
        parts = [
            (task, mode) for task in ([*tasks, ALL] if len(tasks) > 1 else tasks) for mode in self.judge.modes
        ]
        columns = [Column("system"), Column("kind")]
        for task, mode in parts:
            name, heading = (f"{task}_{mode}", f"{task} {mode}") if task else (mode, mode)
            columns += [
                Column(name, heading, tiny=False),
                Column(f"{name}_interval", f"{self.level:.0%} interval", data=False, right=True),
                Column(f"{name}_low", show="never"),
                Column(f"{name}_high", show="never"),
                Column(f"{name}_decisions", show="never"),
                Column(f"{name}_why", show="never"),
            ]
        alphas = {
            (agreement.who, agreement.kind, agreement.task, agreement.mode): agreement.alpha
            for agreement in self.agreement
        }
        rows = []
        for who, kind in dict.fromkeys((agreement.who, agreement.kind) for agreement in self.agreement):
            row: list[Cell] = [who, kind]
            for part in parts:
                row += _cells(alphas.get((who, kind, *part)))
            rows.append(tuple(row))
        return Table(
            name="judge-agreement",
            columns=tuple(columns),
            rows=tuple(rows),
            title=TITLE,
            sentences=(self.headline(), *self._also()),
            notes=self.notes,
            signature=f"{self.judge.signature()}|resamples:{self.resamples}:topics",
        )

    def controls_table(self) -> Table:
        """The judge less each control, in every column."""
        columns = (
            Column("topics", show="varies"),
            Column("units"),
            Column("control"),
            Column("judge_alpha", "alpha of the judge", tiny=False),
            Column("control_alpha", "of the control", tiny=False),
            Column("difference", tiny=False),
            Column("low", f"{self.level:.0%} from", tiny=False),
            Column("high", "to", tiny=False),
            Column("beaten"),
        )
        rows = tuple(
            (
                advantage.task or ALL,
                advantage.mode,
                advantage.control,
                advantage.judge,
                advantage.by_control,
                advantage.difference.value,
                advantage.difference.low,
                advantage.difference.high,
                advantage.beaten,
            )
            for advantage in self.controls
        )
        return Table(
            name="judge-controls", columns=columns, rows=rows, title="The judge compared with controls"
        )

    def tables(self) -> Tables:
        return Tables((self.table(), self.controls_table()))

    def as_dict(self) -> dict[str, Any]:
        judge = self.judge
        return {
            "headline": self.headline(),
            "learner": judge.learner,
            "expand": judge.options.expand,
            "trained_on": judge.trained_on,
            "rules": judge.rules(),
            "file": judge.digest,
            **self.tables().as_dict(),
            "signature": self.table().signature,
        }

    def _also(self) -> Iterator[str]:
        """What people's own agreement is."""
        people = self.of(PEOPLE)
        if people.why is None:
            yield f"People agree with each other at alpha = {people.value:.3f}{people.interval_words()}."


def _the(control: str) -> str:
    return f"the {control}" if control == MAJORITY else control


def _cells(alpha: AgreementCoefficient | None) -> list[Cell]:
    if alpha is None:
        return [None] * 6
    interval = None if math.isnan(alpha.low) else f"{alpha.low:z.3f} to {alpha.high:z.3f}"
    return [alpha.value, interval, alpha.low, alpha.high, alpha.units, alpha.why or alpha.why_no_interval]


# Training


def train_judge(
    folder: Folder,
    collection: Collection,
    protocol: str | None = None,
    *,
    learner: str = "tree",
    expand: Expand = "others",
    stem: str = "porter",
    stop: str = "function",
    words: str = "unicode",
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    without: Sequence[str] = (),
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> TrainedJudge:
    """Learn to assign completeness as people did under a coverage protocol, for every task of the topics apart.

    The judge learns from every answer. It is compared with the median of the answers to a question (of an even number
    the lower one): one human answer for each decision, as Lin and Hovy had it.
    """
    asked = protocol_of(folder, protocol)
    if asked.completeness is None:
        raise UsageError(
            f"{asked.name} asks no completeness of model units; train a judge on a coverage protocol"
        )
    if learner not in LEARNERS:
        raise UsageError(
            f"no learner {quoted(learner)}{nearest(learner, LEARNERS)}; there are: {', '.join(LEARNERS)}"
        )
    checks.share("alpha", alpha)
    options = FeatureOptions(expand=expand, stem=stem, stop=stop, words=words)
    judgments = judgments_if_allowed(folder, collection)
    if judgments.unread is not None:
        raise DataError(judgments.unread)
    for name in without:
        if name not in judgments.assessors:
            raise UsageError(f"nobody named {quoted(name)} judged{among(name, sorted(judgments.assessors))}")
    people = human_decisions(collection, judgments, asked, without)
    if not people.decisions:
        raise DataError(f"{folder.path}: nobody has judged the units of a page under {asked.name} yet")
    features = unit_features(collection, asked, people.decisions, people.full, options)
    fitting = _Fitting(features, options, LEARNERS[learner], seed, progress)
    models = fitting.run()
    judge = LearnedJudge(
        learner=learner,
        options=options,
        seed=seed,
        protocol=asked.name,
        protocol_version=asked.version,
        labels={float(c.value): c.label for c in sorted(asked.completeness.choices, key=lambda c: c.value)},
        trained_on=_trained_on(folder, collection, people, judgments, asked, without),
        models=models,
    )
    compared = _Compared(fitting, collection, 1 - alpha, resamples, seed)
    return TrainedJudge(
        judge=judge,
        agreement=tuple(compared.agreement(judge.modes)),
        controls=tuple(compared.controls(judge.modes)),
        level=1 - alpha,
        resamples=resamples,
        notes=tuple(_notes(judgments, people, fitting)),
    )


def _trained_on(
    folder: Folder,
    collection: Collection,
    people: HumanDecisions,
    judgments: Judgments,
    protocol: Protocol,
    without: Sequence[str],
) -> TrainedOn:
    decisions = people.decisions
    texts = {
        (topic, TextRef.of(summary)): summary.text
        for topic, summaries in collection.summaries.items()
        for summary in summaries
    }
    peers: dict[str, dict[str, None]] = {}
    for decision in decisions:
        hashes = peers.setdefault(decision.peer.system, {})
        hashes[peer_hash(texts[decision.topic, decision.peer])] = None
    return TrainedOn(
        evaluation=folder.settings.name,
        answers=sum(len(decision.answers) for decision in decisions),
        decisions=len(decisions),
        topics=len({decision.topic for decision in decisions}),
        assessors=tuple(sorted({who for decision in decisions for who in decision.answers}, key=natural)),
        simulated=any(
            judged.origin == "simulated"
            for of_topic in judgments.by_topic.values()
            for judged in of_topic
            if judged.task.protocol == protocol.name and judged.task.assessor not in without
        ),
        peers={system: tuple(hashes) for system, hashes in sorted(peers.items())},
    )


def peer_hash(text: str) -> str:
    """By which a judge knows a summary that it was trained on, whatever its system is called."""
    return text_hash(text)[:16]


def _notes(judgments: Judgments, people: HumanDecisions, fitting: _Fitting) -> Iterator[str]:
    yield from judgments.notes()
    if people.repeats:
        yield f"{counted(people.repeats, 'page')} that an assessor judged again left out: the first counts"
    if people.unknown:
        yield f"{counted(people.unknown, 'answer')} about units that are not here left out"
    for task, systems in fitting.alone.items():
        yield (
            f"{f'{task} topics: ' if task else ''}no other system than {systems} was judged,"
            " so nothing can be learned without it"
        )


class _Fitting:
    """Models of every task and mode, and what they predict of the system that each was trained without."""

    def __init__(
        self,
        features: UnitFeatures,
        options: FeatureOptions,
        learn: Learn,
        seed: int,
        progress: Callable[[int, int], None],
    ):
        self.decisions = features.decisions
        self._features, self._options, self._learn, self._seed = features, options, learn, seed
        self._progress = progress
        n = len(self.decisions)
        self.tasks = np.array([decision.task or "" for decision in self.decisions])
        self.systems = np.array([decision.peer.system for decision in self.decisions])
        self.topics = [decision.topic for decision in self.decisions]
        self.human = np.array([decision.consensus for decision in self.decisions])
        self.predicted: dict[Mode, FloatArray] = {}
        for mode in options.modes:
            self.predicted[mode] = np.full(n, np.nan)
        self.majority, self.chance = np.full(n, np.nan), np.full(n, np.nan)
        self.alone: dict[str, str] = {}

    def run(self) -> dict[str, dict[Mode, HeldOutModels]]:
        tasks = sorted(set(self.tasks), key=natural)
        total = sum(len(set(self.systems[self.tasks == task])) + 1 for task in tasks)
        done = 0
        by_task: dict[str, dict[Mode, HeldOutModels]] = {}
        for task in tasks:
            of_task = self.tasks == task
            systems = sorted(set(self.systems[of_task]), key=natural)
            if len(systems) == 1:
                self.alone[str(task)] = str(systems[0])
            without: dict[Mode, dict[str, PlainModel]] = {mode: {} for mode in self.predicted}
            for system in systems if len(systems) > 1 else ():
                out = of_task & (self.systems == system)
                for mode, models in without.items():
                    models[str(system)] = self._fit(mode, of_task & ~out, str(system))
                    self.predicted[mode][out] = models[str(system)].predict(self._x(mode, None)[out])
                # The controls: the most common answer about the others, and answers drawn from theirs.
                at, answers, topics = self._answers(of_task & ~out)
                x = np.zeros((len(at), 0))
                size = int(np.count_nonzero(out))
                self.majority[out] = learn_majority(x, answers, topics, 0).predict(np.zeros((size, 0)))
                self.chance[out] = generator(self._seed, f"judge-train/chance/{task}/{system}").choice(
                    answers, size
                )
                self._progress(done := done + 1, total)
            by_task[str(task)] = {
                mode: HeldOutModels(model=self._fit(mode, of_task, None), without=without[mode])
                for mode in self.predicted
            }
            self._progress(done := done + 1, total)
        return by_task

    def _x(self, mode: Mode, without: str | None) -> FloatArray:
        """The features. A system that is held out gives nothing to the model units of others, either.

        Under the paper's rule it does, as it does to its own.
        """
        if mode == "original":
            return self._features.original()
        return self._features.expanded(without if self._options.expand == "others" else None)

    def _fit(self, mode: Mode, rows: BoolArray, without: str | None) -> PlainModel:
        at, answers, topics = self._answers(rows)
        return self._learn(self._x(mode, without)[at], answers, topics, self._seed)

    def _answers(self, rows: BoolArray) -> tuple[list[int], FloatArray, list[str]]:
        """Every answer to some decisions: its decision's place, the answer, the topic."""
        pairs = [
            (int(row), value)
            for row in np.flatnonzero(rows)
            for value in self.decisions[row].answers.values()
        ]
        at = [row for row, _ in pairs]
        return at, np.array([value for _, value in pairs]), [self.topics[row] for row in at]


class _Compared:
    """Alpha of predictions with people, by system, task and mode."""

    def __init__(self, fitting: _Fitting, collection: Collection, level: float, resamples: int, seed: int):
        self._of, self._collection = fitting, collection
        self._level, self._resamples, self._seed = level, resamples, seed
        names = sorted(set(fitting.tasks), key=natural)
        self._tasks: dict[str, BoolArray] = {str(task): fitting.tasks == task for task in names}
        self._tasks[ALL] = np.ones(len(fitting.tasks), dtype=bool)

    def agreement(self, modes: Sequence[Mode]) -> Iterator[JudgeAgreement]:
        of = self._of
        kinds = {system: self._collection.kind(system) for system in set(map(str, of.systems))}
        order = list(KINDS)
        for system in sorted(kinds, key=lambda name: (order.index(kinds[name]), natural(name))):
            yield from self._each(system, KINDS[kinds[system]], modes, of.predicted, of.systems == system)
        yield from self._each(ALL, SUMMED[ALL], modes, of.predicted)
        for control, answers in ((MAJORITY, of.majority), (CHANCE, of.chance)):
            yield from self._each(control, SUMMED[control], modes, dict.fromkeys(modes, answers))
        for task, of_task in self._tasks.items():
            decisions = [of.decisions[row] for row in np.flatnonzero(of_task)]
            who = sorted({name for decision in decisions for name in decision.answers}, key=natural)
            values = np.array(
                [[decision.answers.get(name, np.nan) for name in who] for decision in decisions]
            )
            alpha = krippendorff(values, **self._drawn(of_task))
            for mode in modes:
                yield JudgeAgreement(who=PEOPLE, kind=SUMMED[PEOPLE], task=task, mode=mode, alpha=alpha)

    def _each(
        self,
        who: str,
        kind: str,
        modes: Sequence[Mode],
        answers: Mapping[Mode, FloatArray],
        rows: BoolArray | None = None,
    ) -> Iterator[JudgeAgreement]:
        for task, of_task in self._tasks.items():
            kept = of_task if rows is None else of_task & rows
            if kept.any():
                for mode in modes:
                    alpha = self._alpha(answers[mode], kept)
                    yield JudgeAgreement(who=who, kind=kind, task=task, mode=mode, alpha=alpha)

    def controls(self, modes: Sequence[Mode]) -> Iterator[LearnedAdvantage]:
        several = len(self._tasks) > 2
        for task, of_task in self._tasks.items():
            if not several and task != ALL:
                continue
            for mode in modes:
                for control, answers in ((MAJORITY, self._of.majority), (CHANCE, self._of.chance)):
                    judge, other = (
                        self._pairs(self._of.predicted[mode], of_task),
                        self._pairs(answers, of_task),
                    )
                    yield LearnedAdvantage(
                        control=control,
                        task=task,
                        mode=mode,
                        same=np.array_equal(judge, other),
                        judge=self._alpha(self._of.predicted[mode], of_task, resamples=0).value,
                        by_control=self._alpha(answers, of_task, resamples=0).value,
                        difference=krippendorff_difference(judge, other, **self._drawn(of_task)),
                    )

    def _drawn(self, rows: BoolArray) -> dict[str, Any]:
        """The same topics are drawn for every row and column, so that what is the same has the same interval."""
        return {
            "rng": generator(self._seed, "judge-train/topics"),
            "resamples": self._resamples,
            "level": self._level,
            "clusters": [topic for topic, kept in zip(self._of.topics, rows, strict=True) if kept],
        }

    def _pairs(self, answers: FloatArray, rows: BoolArray) -> FloatArray:
        return np.stack([self._of.human[rows], answers[rows]], axis=1)

    def _alpha(self, answers: FloatArray, rows: BoolArray, **changes: int) -> AgreementCoefficient:
        alpha = krippendorff(self._pairs(answers, rows), **(self._drawn(rows) | changes))
        if alpha.why is not None and np.isnan(answers[rows]).all():
            return replace(alpha, why="there is no other system to learn from")
        return alpha
