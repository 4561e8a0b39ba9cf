"""Lin and Hovy 2002: how unstable people's judgments are, n-grams beside them, and a judge that learns from them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analyses.catalogue.choice import main_target
from adjudge.analyses.catalogue.spec import FigureOptions
from adjudge.analyses.judged.result import human_retention
from adjudge.analyses.meta import meta
from adjudge.analyses.mismatch import mismatch
from adjudge.analyses.stability import stability
from adjudge.assessors.learned.training import TrainedJudge, train_judge
from adjudge.data.reading import read_once
from adjudge.measures.presets import PRESETS
from adjudge.reports.papers.paper import Lacking, Make, Material, Paper, Part, Piece, Task, shown

NAME = "lin-hovy-2002"
PROTOCOL = "duc-2001"


def _interface(material: Material) -> Iterator[Piece]:
    raise Lacking("it shows the program in which people judged, not data; `adjudge serve` opens ours")


def _repeated(material: Material) -> Iterator[Piece]:
    material.judged(PROTOCOL)
    result = stability(material.scores, quick=True, seed=material.seed)
    yield from shown(result, tables=["conflicts", "different-answers"])


def _retention(task: Task) -> Make:
    def make(material: Material) -> Iterator[Piece]:
        material.judged(PROTOCOL, task)
        result = stability(material.scores, topics=material.task(task), quick=True, seed=material.seed)
        yield from shown(result, "retention", tables=["resolutions", "rankings"])

    return make


def _humans(material: Material) -> Iterator[Piece]:
    result = human_retention(material.judged(PROTOCOL))
    if result is None:
        raise Lacking("no summary by a person was judged: systems.jsonl says who is human")
    yield result


def _ranks(material: Material) -> Iterator[Piece]:
    """Means over all lengths, of the form with most scores."""
    material.judged(PROTOCOL, "multi")
    people = material.scored(["coverage"], NAME)
    nams = material.scored([spec for spec in PRESETS[NAME] if spec.startswith("nams")], NAME)
    scores = material.of_task("multi")
    main = main_target(scores, FigureOptions(measures=tuple(people)))
    result = meta(
        material.scores,
        nams,
        topics=material.task("multi"),
        people=people,
        parts="ranks",
        among="all",
        length="all" if len(scores.lengths(*people)) > 1 else None,
        form=None if main is None else main.form,
        seed=material.seed,
    )
    yield result["ranks"].figure("ranks")
    yield result


def _learned(task: Task) -> Make:
    def make(material: Material) -> Iterator[Piece]:
        material.judged(PROTOCOL, task)
        for trained in _trained(material):
            yield trained.figure("judge-agreement", task=task)
            yield trained.for_task(task).table()

    return make


def _trained(material: Material) -> Iterator[TrainedJudge]:
    """A judge for every protocol under which people judged units, expanded by the paper's rule."""
    judged = material.judged(PROTOCOL).coverage
    folder, texts = material.texts()
    train = partial(
        train_judge, folder, texts, expand="paper", seed=material.seed, progress=material.progress
    )
    for protocol in dict.fromkeys(
        e.protocol.name for e, _, _ in judged if e.protocol.completeness is not None
    ):
        yield read_once(("learned", material.where, protocol, material.seed), partial(train, protocol))


def _mismatches(material: Material) -> Iterator[Piece]:
    material.judged(PROTOCOL)
    yield mismatch(material.scores)


PAPER = Paper(
    name=NAME,
    short="Lin and Hovy 2002",
    title="Manual and automatic evaluation of summaries",
    parts=(
        Part(
            name="Figure 1",
            section="section 2.2",
            about="the program in which people judge",
            make=_interface,
        ),
        Part(
            name="Counts of repeated judgments",
            section="section 4",
            about="how often the same was judged again, and got another answer",
            make=_repeated,
        ),
        Part(
            name="Figure 2",
            section="section 4",
            about="scores of systems on single documents, and what repeated judgments leave open",
            make=_retention("single"),
        ),
        Part(
            name="Figure 3",
            section="section 4",
            about="scores of systems on sets of documents, and what repeated judgments leave open",
            make=_retention("multi"),
        ),
        Part(
            name="Inter-human agreement",
            section="section 4",
            about="how much of one person's summary other people's retain",
            make=_humans,
        ),
        Part(
            name="Figure 4",
            section="section 5",
            about="ranks of systems by people and by NAMS, with Spearman's rho",
            make=_ranks,
        ),
        Part(
            name="Figure 5",
            section="section 5.1",
            about="agreement of a learned judge with people on single documents, original and expanded units",
            make=_learned("single"),
        ),
        Part(
            name="Figure 6",
            section="section 5.1",
            about="agreement of a learned judge with people on sets of documents, original and expanded units",
            make=_learned("multi"),
        ),
        Part(
            name="Figure 7",
            section="section 6.4",
            about="model units about which people and n-grams disagree, and why",
            make=_mismatches,
        ),
    ),
)
