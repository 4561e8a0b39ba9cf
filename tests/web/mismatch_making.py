"""Mismatches to tag, made from the texts of an evaluation as a measure finds them; no tests here."""

from __future__ import annotations

from adjudge.analyses.mismatch.result import AssessedUnit, ComparedUnit
from adjudge.data.collection import Collection
from adjudge.judgments.batch import batch_of
from adjudge.judgments.tagging import TaggingPage
from adjudge.judgments.tasks import TextRef, units_of
from adjudge.measures.nams import Nams


def pages(collection: Collection, topic: str, peer: str, reference: str) -> list[TaggingPage]:
    """Every unit of a reference, as if two people had found it in the first sentence of the peer, and NAMS had not."""
    batch = batch_of(collection, topic)
    texts = {summary.system: summary for summary in collection.summaries[topic]}
    marked = units_of(batch.units, TextRef.of(texts[peer]), "sentence")[:1]
    found = []
    for unit in units_of(batch.units, TextRef.of(texts[reference]), "edu"):
        compared = ComparedUnit(
            unit=unit,
            peer=texts[peer],
            reference=texts[reference],
            assessed=tuple(AssessedUnit(who, 1.0, tuple(marked)) for who in ("x", "y")),
            match=Nams().match_unit(batch, texts[peer], unit),
            people="all",
            measure="uncovered",
            tags={},
        )
        found.append(compared.page("nams"))
    return found
