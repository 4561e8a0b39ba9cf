"""How it was done: a paragraph on methods to paste, limitations, signatures, and what to cite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.analyses.methods import MethodsParagraph, compared_methods, title
from adjudge.analyses.pages.chapter import Chapter, Findings
from adjudge.reports.contents import with_results
from adjudge.reports.limitations import limitations

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


LONG = 6_000
"""Characters from which the paragraphs are folded."""


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

    @property
    def long(self) -> bool:
        """Whether the paragraphs would push what follows off the screen."""
        return sum(map(len, self.paragraphs)) > LONG


def method_chapter(findings: Findings) -> Chapter:
    """The chapter that says how it was done."""
    methods = methods_of(findings)
    all_compared = _all_compared(findings)
    compared = _once((*all_compared.sentences, *all_compared.computed))
    others = _once(_of_analyses(findings))
    return Chapter(
        anchor="chapter-method",
        question="How was it done?",
        said=(),
        template="reports/method.html.j2",
        content=MethodPage(
            paragraphs=tuple(MethodsParagraph(some).text for some in (compared, others) if some),
            latex=methods.latex,
            bibtex=methods.bibtex,
            limitations=limitations(findings),
            signatures=tuple(_signatures(findings)),
            references=methods.references,
        ),
    )


def methods_of(findings: Findings) -> MethodsParagraph:
    """What a paper says of the whole report: the comparisons, then what was looked at to trust them.

    Comparisons that were made alike are told together; who computed them, and signatures, come last.
    """
    compared = _all_compared(findings)
    return replace(compared, sentences=_once((*compared.sentences, *_of_analyses(findings))))


def _all_compared(findings: Findings) -> MethodsParagraph:
    return MethodsParagraph(()).and_of(map(compared_methods, made_alike(findings.comparisons)))


def _once(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentences))


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


def _signatures(findings: Findings) -> Iterator[SignedResult]:
    """Of every comparison, and of what the other chapters show."""
    for c in findings.comparisons:
        yield SignedResult(title(c, findings.comparisons), c.signature)
    for part, result in with_results(findings):
        yield from (SignedResult(name, signature) for name, signature in part.signatures(result))
