"""How it was done: a paragraph on methods to paste, limitations, signatures, and what to cite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adjudge.analyses.methods import MethodsParagraph, compared_methods, title
from adjudge.reports.chapter import Absent, Chapter
from adjudge.reports.limitations import limitations

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.reports.findings import Findings


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


def method_page(found: Findings) -> Chapter:
    """The chapter that says how it was done."""
    methods = methods_of(found)
    trusted = tuple(_trusted(found))
    compared = (*(s for s in methods.sentences if s not in trusted), *methods.computed)
    return Chapter(
        anchor="chapter-method",
        question="How was it done?",
        said=(),
        template="method.html.j2",
        content=MethodPage(
            paragraphs=tuple(MethodsParagraph(each).text for each in (compared, trusted) if each),
            latex=methods.latex,
            bibtex=methods.bibtex,
            limitations=limitations(found),
            signatures=tuple(signatures_of(found)),
            references=methods.references,
        ),
    )


def methods_of(found: Findings) -> MethodsParagraph:
    """What a paper says of the whole report: the comparisons, then what was looked at to trust them.

    Comparisons that were made alike are told together; who computed them, and signatures, come last.
    """
    compared = [compared_methods(own) for own in made_alike(found.comparisons)]
    every = MethodsParagraph(()).and_of(compared)
    return replace(every, sentences=tuple(dict.fromkeys([*every.sentences, *_trusted(found)])))


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


def _trusted(found: Findings) -> Iterator[str]:
    from adjudge.analyses.agreement import words as agreement
    from adjudge.analyses.assessors import words as assessors
    from adjudge.analyses.judges import words as judges
    from adjudge.analyses.stability import words as stability
    from adjudge.analyses.trust_methods import meta_methods

    makers: tuple[tuple[str, Callable[[Any], Iterable[str]]], ...] = (
        ("stability", stability.methods),
        ("agreement", agreement.methods),
        ("assessors", assessors.methods),
        ("judges", judges.methods),
    )
    for name, how in makers:
        each = found.trusted.get(name)
        if each is not None and not isinstance(each, Absent):
            yield from how(each)
    if not isinstance(found.meta, Absent):
        yield from meta_methods(found.meta).sentences


def signatures_of(found: Findings) -> Iterator[SignedResult]:
    """Of every comparison, and of what the chapters on trust show."""
    for c in found.comparisons:
        yield SignedResult(title(c, found.comparisons), c.signature)
    for name, words in (
        ("stability", "Stability"),
        ("agreement", "Agreement"),
        ("judges", "Programs that judge"),
    ):
        each = found.trusted.get(name)
        if each is None or isinstance(each, Absent):
            continue
        yield SignedResult(words, each.table().signature)
    if not isinstance(found.meta, Absent):
        for part in found.meta.parts.values():
            yield SignedResult("Measures and people", part.all_tables[0].signature or part.signature)
