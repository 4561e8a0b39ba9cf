"""A learned judge as an object and as a file: plain JSON, checked when it is read, for it may come from a stranger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from adjudge import __version__
from adjudge.assessors.learned.features import FEATURES, FeatureOptions, Mode
from adjudge.assessors.learned.learners import LEARNERS, PlainModel, model_from
from adjudge.core.errors import AdjudgeError, DataError, FormatError, UsageError, quoted
from adjudge.core.words import counted, listed, one_line
from adjudge.data.lines import dump_json, parse_json, unreadable
from adjudge.data.transaction import write_whole

FORMAT, VERSION = "adjudge-learned-judge", 1
LARGEST = 256 * 1024 * 1024
"""Bytes of a file."""


@dataclass(frozen=True)
class HeldOutModels:
    """What was learned from all systems, and for every system what was learned without its decisions."""

    model: PlainModel
    without: Mapping[str, PlainModel] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainedOn:
    """What a judge has seen."""

    evaluation: str
    answers: int
    decisions: int
    topics: int
    assessors: tuple[str, ...]
    simulated: bool
    """Whether any of the answers is a simulated assessor's."""
    peers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By system, hashes of the summaries whose answers it has seen."""

    def words(self) -> str:
        who = f"{counted(self.answers, 'answer')} of {listed(self.assessors)}"
        return f"{who} to {counted(self.decisions, 'question')} on {counted(self.topics, 'topic')} of {self.evaluation}"


@dataclass(frozen=True)
class LearnedJudge:
    """A judge that was trained: models by task (single, multi, or nothing where topics do not say)."""

    learner: str
    options: FeatureOptions
    seed: int
    protocol: str
    protocol_version: str
    labels: Mapping[float, str]
    """Of the completeness answers."""
    trained_on: TrainedOn
    models: Mapping[str, Mapping[Mode, HeldOutModels]]

    @property
    def modes(self) -> tuple[Mode, ...]:
        return self.options.modes

    def of_task(self, task: str | None) -> Mapping[Mode, HeldOutModels]:
        """The models for the topics of a task; those of another task where the judge has learned from that alone."""
        if len(self.models) == 1:
            return next(iter(self.models.values()))
        if (task or "") not in self.models:
            tasks = listed([name or "no task" for name in self.models])
            raise UsageError(
                f"the judge learned from topics of {tasks}, and a topic's task is {task or 'not set'}"
            )
        return self.models[task or ""]

    def classes(self) -> set[float]:
        """The answers that it can give."""
        return {
            answer
            for modes in self.models.values()
            for held in modes.values()
            for model in (held.model, *held.without.values())
            for answer in model.classes
        }

    def rules(self, mode: Mode | None = None) -> dict[str, list[str]]:
        """What the models do, as text, by task and mode."""
        return {
            f"{task} {name}".strip(): held.model.rules(FEATURES, self.labels)
            for task, modes in self.models.items()
            for name, held in modes.items()
            if mode in (None, name)
        }

    @cached_property
    def digest(self) -> str:
        """Of all that its answers depend on."""
        return blake2b(dump_json(self.as_dict()).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def signature(self) -> str:
        options = "|".join(f"{name}:{value}" for name, value in asdict(self.options).items())
        seen = self.trained_on
        return (
            f"learned|{self.learner}|{options}|seed:{self.seed}|trained:{self.protocol}:{self.protocol_version}"
            f":{seen.answers} answers:{counted(seen.topics, 'topic')}|file:{self.digest}|v:{__version__}"
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "learner": self.learner,
            "options": asdict(self.options),
            "seed": self.seed,
            "protocol": self.protocol,
            "protocol_version": self.protocol_version,
            "labels": [[value, label] for value, label in self.labels.items()],
            "trained_on": asdict(self.trained_on),
            "models": {
                task: {
                    mode: {
                        "model": held.model.as_dict(),
                        "without": {system: model.as_dict() for system, model in held.without.items()},
                    }
                    for mode, held in modes.items()
                }
                for task, modes in self.models.items()
            },
        }

    def save(self, path: str | Path) -> None:
        """As one file of JSON; nothing in it is ever run."""
        text = dump_json(self.as_dict()) + "\n"
        if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
            raise DataError(
                f"{path}: the judge is too large for a file of {LARGEST:,} bytes; choose another learner"
            )
        write_whole(Path(path), text)


def load_judge(path: str | Path) -> LearnedJudge:
    """A judge from its file; a damaged one is an error in one line."""
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            raise FormatError(f"a judge's file has at most {LARGEST:,} bytes", file=file)
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, error) from None
    data = parse_json(text, file, 1)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError("is no learned judge; `adjudge judge train` writes one", file=file)
    if data.get("version") != VERSION:
        raise FormatError(
            f"is a judge of version {quoted(data.get('version'))}; this Adjudge reads {VERSION}", file=file
        )
    try:
        chosen = _known(FeatureOptions, data["options"])
        options = FeatureOptions(**{name: _text(chosen, name) for name in chosen})  # type: ignore[arg-type]
        seen = _known(TrainedOn, data["trained_on"])
        learner = _text(data, "learner")
        if learner not in LEARNERS:
            raise DataError(f"the learner {quoted(learner)} is not known")
        judge = LearnedJudge(
            learner=learner,
            options=options,
            seed=_count(data, "seed"),
            protocol=_text(data, "protocol"),
            protocol_version=_text(data, "protocol_version"),
            labels={float(value): str(label) for value, label in data["labels"]},
            trained_on=TrainedOn(
                evaluation=_text(seen, "evaluation"),
                answers=_count(seen, "answers"),
                decisions=_count(seen, "decisions"),
                topics=_count(seen, "topics"),
                assessors=tuple(map(str, seen["assessors"])),
                simulated=bool(seen["simulated"]),
                peers={
                    str(system): tuple(map(str, hashes)) for system, hashes in _object(seen["peers"]).items()
                },
            ),
            models={
                task: {mode: _held_from(held) for mode, held in _object(modes).items()}  # type: ignore[misc]
                for task, modes in _object(data["models"]).items()
            },
        )
        if not judge.models or any(set(modes) != set(judge.modes) for modes in judge.models.values()):
            raise DataError(f"expected models for {listed(judge.modes)} units")
        return judge
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"is a damaged judge: {_why(error)}", file=file) from None
    except AdjudgeError as error:
        raise FormatError(f"is a damaged judge: {error}", file=file) from None


def _why(error: Exception) -> str:
    return f"it has no {error.args[0]}" if isinstance(error, KeyError) else one_line(error)


def _held_from(data: Any) -> HeldOutModels:
    held = _object(data)
    return HeldOutModels(
        model=model_from(held["model"], len(FEATURES)),
        without={
            system: model_from(model, len(FEATURES)) for system, model in _object(held["without"]).items()
        },
    )


def _known(kind: type, data: Any) -> dict[str, Any]:
    names = {part.name for part in fields(kind)}
    entries = _object(data)
    strange = [name for name in entries if name not in names]
    if strange:
        raise DataError(f"{quoted(strange[0])} is not known")
    return entries


def _object(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise DataError("a list or a number stands where an object should")
    return data


def _text(data: Mapping[str, Any], name: str) -> str:
    if not isinstance(data[name], str):
        raise DataError(f"{name} is no text")
    return str(data[name])


def _count(data: Mapping[str, Any], name: str) -> int:
    value = data[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DataError(f"{name} is no whole number of at least 0")
    return int(value)
