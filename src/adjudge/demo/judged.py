"""The demo's judgments: pyramids from its facts, and simulated DUC-2002 assessors whose truth they are."""

from __future__ import annotations

from adjudge.assessors.truth import Truth, truth_from_pyramids
from adjudge.demo.build import LENGTH, stories, texts
from adjudge.demo.pyramids import peer_annotations, pyramid_from_facts, pyramid_judgments
from adjudge.evaluation import Evaluation
from adjudge.judgments.intake import Taken
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import TextRef

PROTOCOL = "duc-2002"
ASSESSORS, NOISE, BIAS, REPEATS = 3, 0.1, 0.1, 0.1
"""What is planted: three assessors, one 10 % too strict, one 10 % too mild, all a little noisy, a tenth asked twice."""


def add_judgments(e: Evaluation, *, seed: int = 1) -> tuple[Taken, Taken]:
    """Units, pyramids, and pages of simulated assessors; always marked as simulated."""
    e.units()
    with e.store() as store:
        evaluation = store.evaluation
    pyramids = e.take_judgments(pyramid_judgments(evaluation, seed=seed))
    pages = e.simulate_judgments(
        PROTOCOL,
        assessors=ASSESSORS,
        noise=NOISE,
        bias=BIAS,
        repeats=REPEATS,
        seed=seed,
        truth=truth(e, seed),
    )
    return pyramids, pages


def truth(e: Evaluation, seed: int = 1) -> Truth:
    """What the simulated assessors know: which facts every summary expresses."""
    pyramids = {story["topic"]: pyramid_from_facts(story) for story in stories()}
    annotations = {
        (story["topic"], TextRef(system, LENGTH)): annotation
        for story in stories()
        for system, annotation in peer_annotations(
            story, pyramids[story["topic"]], texts(story, seed)
        ).items()
    }
    return truth_from_pyramids(e.collection, load_protocol(PROTOCOL), pyramids, annotations)
