"""How it was done: a paragraph on methods to paste, limitations, signatures, and what to cite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.analyses.methods import (
    MethodsParagraph,
    compared_methods,
    computed_with,
    corrected_words,
    tested_words,
    title,
)
from adjudge.analyses.pages.chapter import Chapter, Findings
from adjudge.analyses.pages.names import in_words, names_of
from adjudge.reports.contents import with_results
from adjudge.reports.limitations import limitations
from adjudge.reports.sections import lead_of

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


@dataclass(frozen=True, slots=True)
class SignedResult:
    """A result, and what gives the same numbers again."""

    name: str
    signature: str


@dataclass(frozen=True, slots=True)
class MethodPage:
    """What the chapter shows."""

    paragraphs: tuple[str, ...]
    """What was compared, then what was looked at to trust it."""
    latex: str
    bibtex: str
    limitations: tuple[str, ...]
    signatures: tuple[SignedResult, ...]
    references: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{sum(len(text.split()) for text in self.paragraphs):,}"


def method_chapter(findings: Findings) -> Chapter:
    """The chapter that says how it was done, with systems called as on the page."""
    names = names_of(
        findings.collection, dict.fromkeys(s for c in findings.comparisons for s in c.matrix.systems)
    )
    findings = replace(findings, comparisons=[in_words(c, names) for c in findings.comparisons])
    methods, compared = methods_of(findings), _all_compared(findings)
    told = ((*compared.sentences, *compared.computed), _of_analyses(findings))
    paragraphs = [tuple(dict.fromkeys(sentences)) for sentences in told]
    signatures = [SignedResult(title(c, findings.comparisons), c.signature) for c in findings.comparisons]
    for part, result in with_results(findings):
        signatures += [SignedResult(name, signature) for name, signature in part.signatures(result)]
    return Chapter(
        anchor="chapter-method",
        question="How was it done?",
        sentences=_in_short(findings.comparisons),
        template="reports/method.html.j2",
        content=MethodPage(
            paragraphs=tuple(MethodsParagraph(some).text for some in paragraphs if some),
            latex=methods.latex,
            bibtex=methods.bibtex,
            limitations=limitations(findings),
            signatures=tuple(signatures),
            references=methods.references,
        ),
    )


def _in_short(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """By which test the first answer was found, and with which software."""
    first = comparisons[lead_of(comparisons)]
    tested, *_ = [*tested_words([first]), ""]
    sentences = (tested, *corrected_words([first])) if first.family.any() else ()
    told = MethodsParagraph(sentences, computed_with(first.seed))
    return (told.text,)


def methods_of(findings: Findings) -> MethodsParagraph:
    """What a paper says of the whole report: the comparisons, then what was looked at to trust them.

    Comparisons that were made alike are told together; who computed them, and signatures, come last.
    """
    compared = _all_compared(findings)
    sentences = dict.fromkeys((*compared.sentences, *_of_analyses(findings)))
    return replace(compared, sentences=tuple(sentences))


def _all_compared(findings: Findings) -> MethodsParagraph:
    return MethodsParagraph(()).and_of(map(compared_methods, made_alike(findings.worded)))


def made_alike(comparisons: Sequence[Comparison]) -> list[list[Comparison]]:
    """Comparisons by how they were made."""
    groups: list[list[Comparison]] = []
    for c in comparisons:
        for group in groups:
            if group[0].asked.on_anything == c.asked.on_anything:
                group.append(c)
                break
        else:
            groups.append([c])
    return groups


def _of_analyses(findings: Findings) -> Iterator[str]:
    """How everything but the comparisons was done."""
    return (sentence for part, result in with_results(findings) for sentence in part.methods(result))
