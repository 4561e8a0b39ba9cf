"""How stable rankings are, in the chapter on judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from adjudge.analyses.gathered import gathered_of
from adjudge.analyses.pages.chapter import Absent, Findings, page_figure
from adjudge.analyses.pages.judgments import JudgmentsPart, in_all, people_of, without_people
from adjudge.analyses.pages.sections import Section, section
from adjudge.analyses.stability import stability
from adjudge.analyses.stability.noise import RankNoise
from adjudge.analyses.stability.result import StabilityResult
from adjudge.analyses.stability.words import noise_sentences
from adjudge.core.table import Table

IN_PAPERS = ("judge-noise", "resolutions", "self-agreement")
"""What the names of the tables for a paper begin with."""


class StabilityPart(JudgmentsPart[StabilityResult]):
    NAME = COMMAND = "stability"
    SIGNED = "Stability"
    UNKNOWN = "how stable rankings are"

    def result(self, findings: Findings) -> StabilityResult | Absent:
        """Of the ranking that the report answers with first."""
        scores, people = findings.scores, people_of(findings)
        if not people and gathered_of(scores) is None:
            return without_people(scores)
        length, form = findings.target
        result = stability(
            scores.everyone or scores,
            people or None,
            length=in_all(scores, people, "lengths", length),
            form=in_all(scores, people, "forms", form),
            level=findings.options.level,
            seed=findings.options.seed,
            without=scores.left_out,
        )
        main = findings.main_target

        def is_main(noise: RankNoise) -> bool:
            return noise.length in (None, main.length) and noise.form in (None, main.form)

        result = replace(result, noise=tuple(sorted(result.noise, key=lambda noise: not is_main(noise))))
        return result if result.anything else without_people(scores)

    def sections(self, result: StabilityResult, findings: Findings) -> Iterator[Section]:
        tables = result.all_tables
        first = next((table for table in tables if table.name.startswith("judge-noise")), tables[0])
        yield section(
            "trust-stability",
            "How stable is the ranking?",
            sentences=result.sentences(),
            figure=page_figure(result, "stability"),
            tables=[first],
            further=[table for table in tables if table is not first],
            notes=result.warnings("command"),
            command=self.command(findings),
            signature=result.signature,
        )

    def headlines(self, result: StabilityResult) -> Iterable[str]:
        """How far the ranking depends on who judged, where that can be said."""
        drawn = next(filter(lambda noise: noise.drawn is not None, result.noise), None)
        yield result.headline() if drawn is None else next(noise_sentences(drawn))

    def unknown(self, result: StabilityResult | Absent, findings: Findings) -> Iterator[str]:
        yield from super().unknown(result, findings)
        if not isinstance(result, Absent) and not result.repeats and findings.judged:
            yield "whether assessors agree with themselves is not known: nobody judged anything twice"

    def tables(self, result: StabilityResult) -> Iterable[tuple[str, Sequence[Table]]]:
        kept = [
            table
            for table in result.all_tables
            if table.name.startswith(IN_PAPERS) and "over-time" not in table.name
        ]
        return (("stability", kept),)


PART = StabilityPart()
