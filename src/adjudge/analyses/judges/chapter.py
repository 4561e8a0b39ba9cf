"""What programs that judge are worth, in the chapter on judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adjudge.analyses.gathered import gathered_of
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.result import VERDICT_RESAMPLES, JudgeReport
from adjudge.analyses.pages.chapter import Findings, page_figure
from adjudge.analyses.pages.judgments import JudgmentsPart
from adjudge.analyses.pages.sections import Section, section
from adjudge.core.table import Table


class JudgesPart(JudgmentsPart[JudgeReport]):
    NAME = "judges"
    SIGNED = "Programs that judge"

    def result(self, findings: Findings) -> JudgeReport | None:
        """Of every program that judged; None where none did, which is no lack."""
        scores = findings.scores
        gathered = gathered_of(scores)
        if gathered is None or not gathered.judgments.by_judge:
            return None
        return Judges(
            parts="agreement",
            alpha=1 - findings.options.level,
            resamples=VERDICT_RESAMPLES,
            without=tuple(scores.left_out),
            seed=findings.options.seed,
        ).run(scores.everyone or scores)

    def sections(self, result: JudgeReport, findings: Findings) -> Iterator[Section]:
        tables = list(result.all_tables)
        parts = [dossier.parts["agreement"] for dossier in result if "agreement" in dossier.parts]
        yield section(
            "trust-judges",
            "What are programs that judge worth?",
            sentences=[text for dossier in result for text in list(dossier.sentences())[1:]],
            figure=next((drawn for part in parts if (drawn := page_figure(part, "judge-agreement"))), None),
            tables=tables[:1],
            further=tables[1:],
            notes=result.warnings("command"),
            command=f"adjudge judge report {findings.where} -o dossiers",
            about_command="The whole dossiers",
            signature="; ".join(dossier.signature for dossier in result),
        )

    def tables(self, result: JudgeReport) -> Iterable[tuple[str, Sequence[Table]]]:
        return (("judges", list(result.all_tables)),)


PART = JudgesPart()
