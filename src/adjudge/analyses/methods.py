"""What a paper says of how its numbers were made: a paragraph to paste, with the works that it cites.

Every sentence follows from a run that was made: its tests, its pairs, its resamples, its missing scores.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Protocol, TypeVar

from adjudge import __version__
from adjudge.analyses.compare.words import population_words
from adjudge.analyses.conclusions import NOT_COMPARABLE, NOT_TESTED, OUT_OF_REACH
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.pages.numbers import span
from adjudge.analyses.references import REFERENCES, bibtex, keys_in
from adjudge.analyses.tests import ASSESSORS, THESE
from adjudge.core.table import markdown
from adjudge.core.words import counted, listed, tex
from adjudge.data.scores import PooledSystems, form_words, heading_of

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.core.results import Note
    from adjudge.data.scores import ScoreMatrix
    from adjudge.measures.base import Measure
    from adjudge.stats.linear.judged_pairs import JudgedPairs

_MARK = "\x1e"
"""Stands around the keys of what is cited; names hold no such character."""
_CITATION = re.compile(rf"\s*{_MARK}([^{_MARK}]*){_MARK}")
MOST_TOLD = 4
"""Measures of which numbers of pairs are told one by one."""
SOFTWARE = "adjudge"
SINCE = 2026
"""The year of this version."""
LONG_NAME = 25
"""Letters and signs from which a name must be broken to fit a line; no word of English here is as long."""


class Compared(Protocol):
    """Systems compared on the scores of one measure."""

    @property
    def matrix(self) -> ScoreMatrix: ...

    @property
    def kinds(self) -> Mapping[str, str]: ...

    @property
    def fewer_references(self) -> tuple[Note, ...]: ...


C = TypeVar("C", bound=Compared)


def cite(*keys: str) -> str:
    """A citation within a sentence."""
    return f"{_MARK}{','.join(keys)}{_MARK}" if keys else ""


@dataclass(frozen=True, repr=False)
class MethodsParagraph:
    """A paragraph on methods. `text` cites in brackets, `latex` by `\\cite`; `bibtex` has what is cited."""

    sentences: tuple[str, ...]
    """With marks where something is cited."""
    computed: tuple[str, ...] = ()
    """By what, in words, with marks."""
    signatures: tuple[str, ...] = ()

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What is cited, each once, in the order of the text."""
        marked = _CITATION.findall("".join((*self.sentences, *self.computed)))
        return tuple(dict.fromkeys(key for keys in marked for key in keys.split(",")))

    @property
    def text(self) -> str:
        """Plain, as `(Wilcoxon, 1945)`."""

        def short(keys: str) -> str:
            return "; ".join(REFERENCES[key].short for key in keys.split(",") if key in REFERENCES)

        marked = " ".join((*self.sentences, *self.computed, *filter(None, [" ".join(self._signed)])))
        return _CITATION.sub(lambda m: f" ({short(m[1])})" if short(m[1]) else "", marked)

    @property
    def _signed(self) -> tuple[str, ...]:
        """What stands before the signatures, and these."""
        if not self.signatures:
            return ()
        return "Signature:" if len(self.signatures) == 1 else "Signatures:", f"{'; '.join(self.signatures)}."

    @property
    def latex(self) -> str:
        r"""For LaTeX, as `~\cite{wilcoxon1945}`."""
        *parts, last = _CITATION.split(" ".join((*self.sentences, *self.computed)))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        told = "".join(rf"{breaking_tex(text)}~\cite{{{keys}}}" for text, keys in pairs) + breaking_tex(last)
        if not self.signatures:
            return told
        word, signatures = self._signed
        # A line of signs alone has no space to stretch: a paragraph of its own may be set loosely.
        return f"{told}\n\\begin{{sloppypar}}\n{word} {_breaking(signatures)}\n\\end{{sloppypar}}"

    @property
    def bibtex(self) -> str:
        """The entries of what is cited, the software last."""
        fields = {
            "author": "{Adjudge developers}",
            "title": "{Adjudge}",
            "year": str(SINCE),
            "note": f"Version {__version__}",
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
        software = "\n".join([f"@misc{{{SOFTWARE},", *lines, "}"])
        return "\n\n".join(filter(None, (bibtex(key for key in self.keys if key in REFERENCES), software)))

    @property
    def references(self) -> tuple[str, ...]:
        """What is cited, as a list of references has it."""
        return tuple(REFERENCES[key].words() for key in sorted(self.keys) if key in REFERENCES)

    def to_latex(self) -> str:
        """The paragraph and its BibTeX."""
        return f"{self.latex}\n\n{self.bibtex}"

    def to_markdown(self) -> str:
        """The paragraph and its references."""
        return f"{self.in_markdown}\n\n{self.references_in_markdown()}"

    @property
    def in_markdown(self) -> str:
        """The paragraph alone."""
        return markdown(self.text)

    def references_in_markdown(self) -> str:
        return "\n".join(f"- {markdown(reference)}" for reference in self.references)

    def and_of(self, others: Iterable[MethodsParagraph]) -> MethodsParagraph:
        """This and others as one, so that a work that more than one cites is listed once."""
        parts = (self, *others)
        return type(self)(
            tuple(sentence for part in parts for sentence in part.sentences),
            tuple(dict.fromkeys(sentence for part in parts for sentence in part.computed)),
            tuple(signature for part in parts for signature in part.signatures),
        )

    def as_dict(self) -> dict[str, str]:
        return {"text": self.text, "latex": self.latex, "bibtex": self.bibtex}

    def __repr__(self) -> str:
        return "\n".join([self.text, "", *self.references])

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


def breaking_tex(text: str) -> str:
    """For LaTeX; names may be broken at their bars, and long ones anywhere."""
    parts = re.split(rf"(\S{{{LONG_NAME},}})", text)
    plain = (tex(part).replace(r"\textbar{}", r"\textbar\allowbreak{}") for part in parts[::2])
    broken = (*map(_breaking, parts[1::2]), "")
    return "".join(part for pair in zip(plain, broken, strict=True) for part in pair)


_PIECES = re.compile(r"[^\W_]{1,12}|\s+|.", re.DOTALL)


def _breaking(text: str) -> str:
    """For LaTeX; signatures are one long word, and may be broken at any sign and within long names."""
    pieces = _PIECES.findall(unicodedata.normalize("NFC", text))
    return "".join(piece if piece.isspace() else rf"{tex(piece)}\allowbreak{{}}" for piece in pieces)


# A comparison of pairs

STATISTIC_WORDS = {
    "mean": "the mean difference",
    "median": "the median difference",
    "t": "the paired t statistic",
    "t-unpaired": "the unpaired t statistic",
    "w": "Wilcoxon's signed-rank statistic",
}
ZEROS_WORDS = {
    "wilcox": "topics on which the two systems tie are left out",
    "pratt": "topics on which the two systems tie are ranked, and their ranks left out\x1epratt1959\x1e",
}


MODEL_CITES = ("patterson1971", "smyth2004", "satterthwaite1946")
LETTERS = (
    f"Systems that share a letter are not significantly different{cite('piepho2004')}; ranks are those that the"
    f" significant differences leave open{cite('mogstad2024')}."
)


def name_of_test(c: Comparison, test: str = "") -> tuple[str, tuple[str, ...]]:
    """A test in words, the chosen one unless it is named, and what to cite for it."""
    results = c.tested[test or c.test].results
    approximate = "approximate " * _is_random(c, test)
    if results.test in CORRECTIONS:  # which resamples the scores itself
        return f"{approximate}randomization test of the paired t statistic", ("noreen1989",)
    what = STATISTIC_WORDS.get(results.resampled or "", "")
    names: dict[str, tuple[str, tuple[str, ...]]] = {
        "wilcoxon": ("Wilcoxon signed-rank test", ("wilcoxon1945",)),
        "t": ("paired t-test", ("student1908",)),
        "t-unpaired": ("unpaired t-test", ("student1908",)),
        "welch": ("Welch t-test", ("welch1947",)),
        "sign": ("McNemar's exact test", ("mcnemar1947",))
        if c.usual == "sign"
        else ("sign test", ("dixon1946",)),
        "mc": (f"{approximate}randomization test of {what}", ("noreen1989", "rankel2011")),
        "hb": (f"hybrid bootstrap test of {what}", ("rankel2011",)),
        "exact": ("exact permutation test of the mean difference", ("fisher1935",)),
        THESE: ("t-test of a mixed model with topics as a sample", MODEL_CITES),
        ASSESSORS: ("t-test of a mixed model with topics and assessors as samples", MODEL_CITES),
    }
    return names[results.test]


def compared_methods(comparisons: Sequence[Comparison]) -> MethodsParagraph:
    """How systems were compared on one measure or on several, all in the same way."""
    sentences = [
        what_was_compared(comparisons),
        *prepared_words(comparisons),
        *_missing(comparisons),
        *pooled_words(comparisons),
    ]
    whose = _alike(comparisons, lambda c: population_words(c.population) if c.population is not None else "")
    for words, some in whose.items():
        of = _of(some, comparisons).strip()
        sentences.append(f"{of[:1].upper()}{of[1:]}: {words}." if of else f"{words}.")
    if not any(c.family.any() for c in comparisons):
        return MethodsParagraph(tuple(sentences), computed_with(None))
    sentences += [*tested_words(comparisons), *corrected_words(comparisons)]
    for kind, _, words in without_difference(comparisons):
        why = ", the smallest p within reach not being small enough" if kind == "reach" else ""
        sentences.append(f"{words}{why}.")
    sentences += [*_equivalent(comparisons), *interval_words(comparisons)]
    if all(c.complete for c in comparisons) and max(len(c.standings) for c in comparisons) > 1:
        sentences.append(LETTERS)
    random = any(_is_random(c, test) for c in comparisons for test in c.tested)
    seed = comparisons[0].seed if random else None
    signatures = tuple(c.matrix.signature for c in comparisons)
    return MethodsParagraph(tuple(sentences), computed_with(seed), signatures)


def computed_with(seed: int | None) -> tuple[str, ...]:
    seeded = "" if seed is None else f" (seed {seed})"
    return (f"Computed with Adjudge {__version__}{cite(SOFTWARE)}{seeded}.",)


def title(c: Compared, comparisons: Sequence[Compared]) -> str:
    """What a measure is called in print; length and form only where they tell comparisons apart."""
    lengths, forms = ({getattr(some.matrix, name) for some in comparisons} for name in ("length", "form"))

    def heading(of: Compared) -> str:
        length = of.matrix.length if len(lengths) > 1 else None
        return heading_of(of.matrix.info, length, of.matrix.form if len(forms) > 1 else None)

    name = heading(c)
    alone = sum(heading(comparison) == name for comparison in comparisons) <= 1
    return name if alone else f"{name} ({c.matrix.measure})"


def titles(
    some: Sequence[Compared], comparisons: Sequence[Compared], *, whole: bool = False
) -> dict[str, tuple[str, str]]:
    """What measures are called in print, with their targets in words, where they have several.

    A measure of which all targets are meant goes by its name alone, unless the `whole` is asked for.
    """
    headings = {c.matrix.measure: c.matrix.info.heading for c in comparisons}
    names = {}
    for measure in dict.fromkeys(c.matrix.measure for c in some):
        chosen, every = ([c for c in those if c.matrix.measure == measure] for those in (some, comparisons))
        name = headings[measure]
        if list(headings.values()).count(name) > 1:
            name += f" ({measure})"
        part = whole or len(chosen) < len(every) or len(every) == 1
        names[measure] = (name, _targets_words(chosen, comparisons) if part else "")
    return names


def listed_titles(names: Iterable[tuple[str, str]]) -> str:
    """Names with their targets in brackets, said once of those that share them."""
    by_targets: dict[str, list[str]] = {}
    for name, words in names:
        by_targets.setdefault(words, []).append(name)
    alone = by_targets.pop("", [])
    parts = [
        f"{listed(some, most=len(some))} ({'each ' if len(some) > 1 else ''}{words})"
        for words, some in by_targets.items()
    ]
    return listed([*alone, *parts], most=len(alone) + len(parts))


def _targets_words(some: Sequence[Compared], comparisons: Sequence[Compared]) -> str:
    """`10, 50 and 100 words, abstract; 200 words, extract`."""
    lengths, forms = ({getattr(c.matrix, name) for c in comparisons} for name in ("length", "form"))
    told: dict[tuple[bool, str | None], list[str]] = {}
    for c in sorted(some, key=lambda c: (c.matrix.form or "", c.matrix.length or math.inf)):
        form = c.matrix.form if len(forms) > 1 else None
        size = "no set length" if c.matrix.length is None else f"{c.matrix.length:,}"
        told.setdefault((c.matrix.length is None, form), []).append(size)
    parts = []
    for (unset, form), sizes in told.items():
        words = []
        if len(lengths) > 1:
            words.append(sizes[0] if unset else f"{listed(sizes, most=len(sizes))} words")
        parts.append(", ".join([*words, *([form_words(form)] if form else [])]))
    return "; ".join(parts)


def named(some: Sequence[Compared], comparisons: Sequence[Compared], *, whole: bool = False) -> str:
    """The same as a list within a sentence; where they are all measures of some lengths, or lengths and forms, that."""
    if not whole and (words := _whole_targets(some, comparisons)):
        return f"all measures at {words}"
    return listed_titles(titles(some, comparisons, whole=whole).values())


def _whole_targets(some: Sequence[Compared], comparisons: Sequence[Compared]) -> str:
    """`10 and 50 words`, where these are all comparisons at these lengths, or lengths and forms, but not all of all."""
    if len({c.matrix.measure for c in some}) < 2 or len(some) == len(comparisons):
        return ""
    lengths = dict.fromkeys(c.matrix.length for c in some)
    if len(some) == sum(c.matrix.length in lengths for c in comparisons):
        sizes = [f"{n:,}" for n in lengths if n is not None]
        parts = [f"{listed(sizes, most=len(sizes))} words"] if sizes else []
        return listed([*parts, *(["no set length"] if None in lengths else [])])
    targets = {c.matrix.target: c for c in some}
    if len(some) == sum(c.matrix.target in targets for c in comparisons):
        return _targets_words(list(targets.values()), comparisons)
    return ""


def target_words(comparisons: Sequence[Compared]) -> str:
    """`, summaries of 100 words`, where all are of one length or form."""
    lengths, forms = ({getattr(c.matrix, name) for c in comparisons} for name in ("length", "form"))
    length, form = (values.pop() if len(values) == 1 else None for values in (lengths, forms))
    parts = [f"of {length:,} words"] if length else []
    parts += [f"({form_words(form)})"] if form else []
    return f", summaries {' '.join(parts)}" if parts else ""


def topics_words(comparisons: Sequence[Compared]) -> str:
    """`12 topics`; where measures have different ones, of each how many."""
    by_size: dict[int, list[Compared]] = {}
    for c in comparisons:
        by_size.setdefault(len(c.matrix.topics), []).append(c)
    if len(by_size) == 1:
        return counted(min(by_size), "topic")
    parts = (f"{n:,} by {named(some, comparisons)}" for n, some in sorted(by_size.items()))
    return f"{min(by_size):,} to {max(by_size):,} topics ({'; '.join(parts)})"


def what_was_compared(comparisons: Sequence[Compared]) -> str:
    systems = list(dict.fromkeys(system for c in comparisons for system in c.matrix.systems))
    kinds = [next((c.kinds[s] for c in comparisons if s in c.kinds), None) for s in systems]
    parts = [
        counted(kinds.count(kind), kind) for kind in ("machine", "baseline", "human") if kinds.count(kind)
    ]
    if people := {system for c in comparisons if c.matrix.together for system in c.matrix.together.systems}:
        parts[-1] = f"{counted(len(people), 'human')} pooled as one system"
    told = f" ({listed(parts)})" if len(parts) > 1 and None not in kinds else ""
    cited: set[str] = set()
    names: list[tuple[str, str]] = []
    firsts = {c.matrix.measure: c for c in reversed(comparisons)}
    for measure, (name, words) in titles(comparisons, comparisons, whole=True).items():
        definition = _measure(firsts[measure])
        keys = [] if definition is None else keys_in(definition.CITATION)
        keys = [key for key in keys if key not in cited]  # each work once
        cited.update(keys)
        names.append((f"{name}{cite(*keys)}", words))
    target = target_words(comparisons)
    where = f"{topics_words(comparisons)}{target}{',' if target else ''}"
    did = "compared" if len(systems) > 1 else "scored"
    return f"We {did} {counted(len(systems), 'system')}{told} on {where} by {listed_titles(names)}."


def _measure(c: Compared) -> Measure | None:
    """The measure, where the scores were computed here and not brought along."""
    from adjudge.core.errors import AdjudgeError
    from adjudge.measures.registry import parse_measure

    if "|imported" in c.matrix.info.signature or "|v:" not in f"|{c.matrix.info.signature}":
        return None
    try:
        return parse_measure(c.matrix.measure)
    except AdjudgeError:  # of a plug-in that is not there
        return None


_REFERENCES = re.compile(r"\|ref(?:erence)?s:(\d+)(?:-(\d+))?(?=[:|])")


def prepared_words(comparisons: Sequence[Compared]) -> Iterator[str]:
    """With which options measures were computed, usual ones included, and with how many references."""
    from adjudge.measures.run import own_reference  # slow to load

    def parts(c: Compared) -> list[str]:
        measure = _measure(c)
        if measure is None:
            return []
        counts = _REFERENCES.search(c.matrix.signature)
        several = counts is not None and (counts[2] or counts[1]) != "1"
        words = measure.preparation_words()
        words = words if several else words[:-1]
        if counts is not None:
            many = f"{counts[1]} to {counts[2]}" if counts[2] else counts[1]
            words.append(f"every text is compared with {many} {'references' if several else 'reference'}")
        return words

    for some, told in _alike_in_part(comparisons, parts):
        yield f"For {named(some, comparisons)}: {'; '.join(told)}."
    if any(kind == "human" for c in comparisons for kind in c.kinds.values()):
        notes = (note for c in comparisons for note in c.fewer_references)
        yield from dict.fromkeys(f"{own_reference(**note.data)}." for note in notes)


def _of(about: Compared | Sequence[Compared], comparisons: Sequence[Compared]) -> str:
    """Which measures a sentence is about, where there are several and it is not of all."""
    some = about if isinstance(about, Sequence) else [about]
    if len(comparisons) == 1 or len(some) == len(comparisons) > 1:
        return ""
    if words := _whole_targets(some, comparisons):
        return f" at {words}"
    return f" by {named(some, comparisons)}"


def _alike(comparisons: Sequence[C], words: Callable[[C], str]) -> dict[str, list[C]]:
    """Comparisons of which the same is to be said, by what that is; nothing of those with nothing to say."""
    told: dict[str, list[C]] = {}
    for c in comparisons:
        if text := words(c):
            told.setdefault(text, []).append(c)
    return told


def _alike_in_part(
    comparisons: Sequence[C], parts: Callable[[C], Iterable[str]]
) -> Iterator[tuple[list[C], list[str]]]:
    """What is to be said of comparisons, part by part: each part once, those of the same comparisons together."""
    told: dict[str, list[int]] = {}
    for k, c in enumerate(comparisons):
        for part in parts(c):
            told.setdefault(part, []).append(k)
    together: dict[tuple[int, ...], list[str]] = {}
    for part, some in told.items():
        together.setdefault(tuple(some), []).append(part)
    return (([comparisons[k] for k in some], alike) for some, alike in together.items())


def holes_words(c: Compared, comparisons: Sequence[Compared]) -> str:
    """`3 of 36 scores are missing`; nothing where none is."""
    import numpy as np

    holes = int(np.isnan(c.matrix.values).sum())
    if not holes:
        return ""
    return f"{holes:,} of {counted(c.matrix.values.size, 'score')}{_of(c, comparisons)} {_is(holes)} missing"


def all_holes(comparisons: Sequence[Compared]) -> Iterator[str]:
    """How many scores are missing, said once of measures that lack as many."""
    for text, some in _alike(comparisons, lambda c: holes_words(c, [c])).items():
        yield (
            holes_words(some[0], comparisons)
            if len(some) == 1
            else f"by {named(some, comparisons)} each, {text}"
        )


def _missing(comparisons: Sequence[Comparison]) -> Iterator[str]:
    everybody = dict.fromkeys(system for c in comparisons for system in c.matrix.systems)

    def absent(c: Comparison) -> str:
        names = [system for system in everybody if system not in c.matrix.systems]
        return f"{listed(names)} {'has' if len(names) == 1 else 'have'} no score" if names else ""

    if without := [f"{text}{_of(some, comparisons)}" for text, some in _alike(comparisons, absent).items()]:
        yield f"{'; '.join(without)}."

    def around(c: Comparison) -> list[str]:
        if not (text := holes_words(c, [c])):
            return []
        told = [text]
        if c.is_adjusted:
            told.append(adjusted_words(c))
        elif c.ordering:
            told.append("means are over the topics that each system has")
        n = c.tested[c.test].results.counts.n[c.family]
        n = n[n > 0]
        if n.size:
            told.append(f"two systems are compared on the topics that both have ({span(n.tolist())})")
        return told

    for some, told in _alike_in_part(comparisons, around):
        if len(comparisons) == 1:
            yield f"{'; '.join(told)}."
        elif len(some) == len(comparisons):
            yield f"By each measure: {'; '.join(told)}."
        else:
            yield f"By {named(some, comparisons)}{' each' if len(some) > 1 else ''}: {'; '.join(told)}."


def pooled_words(comparisons: Sequence[Compared]) -> Iterator[str]:
    """What stands behind a score, said once where it is so of all measures."""
    yield from together_words(comparisons)

    def behind(c: Compared) -> str:
        """`the mean of 3 scores`; nothing of single ones."""
        pooled = c.matrix.together
        alone = [j for j, s in enumerate(c.matrix.systems) if pooled is None or s != pooled.name]
        counts = c.matrix.counts[:, alone]
        counts = counts[counts > 0]
        if not counts.size or counts.max() < 2:
            return ""
        return f"the {c.matrix.pool} of {span(counts.tolist())} scores"

    for words, some in _alike(comparisons, behind).items():
        yield f"A system's score on a topic{_of(some, comparisons)} is {words}."


def together_words(comparisons: Sequence[Compared]) -> Iterator[str]:
    """What a system stands for that pools several people, said once where it is so of all measures."""
    pooled = _alike(comparisons, lambda c: _pool_words(c.matrix.together) if c.matrix.together else "")
    yield from (f"{words}{_of(some, comparisons)}." for words, some in pooled.items())


def _pool_words(pooled: PooledSystems) -> str:
    """`HUMANS stands for 2 humans, with the mean of those who have a score on a topic (1 on each; ...)`."""
    size, present = len(pooled.systems), [n for n in pooled.present if n]
    who = f"{pooled.name} stands for {counted(size, 'human')}"
    holes = size * len(pooled.present) - sum(present)
    if size == 1 or not present:
        return who
    if not holes:
        return f"{who}, with their mean on each topic"
    lack = f"{holes:,} of their {counted(size * len(pooled.present), 'score')} {_is(holes)} missing"
    return f"{who}, with the mean of those who have a score on a topic ({span(present)} on each; {lack})"


def tested_words(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """By which tests, where some measures have assessors of their own and others do not."""
    by_test: dict[str, list[Comparison]] = {}
    for c in comparisons:
        by_test.setdefault(c.test, []).append(c)
    parts = list(by_test.values())
    for part in parts:
        first = part[0]
        asked, results = first.asked, first.tested[first.test].results
        name, keys = name_of_test(first)
        who = "Pairs of systems were compared"
        if asked.against is not None and asked.side == "both":
            who = f"Every other system was compared with {asked.against}"
        elif asked.against is not None:
            word = "better" if asked.side == "better" else "worse"
            who = f"Whether every other system is {word} than {asked.against} was tested"
        who += f" on {named(part, comparisons)}" if len(parts) > 1 else ""
        on = "" if results.test in ("t-unpaired", "welch", THESE, ASSESSORS) else " topic by topic"
        sided = "two-sided" if results.alternative == "two-sided" else "one-sided"
        yield f"{who}{on} with the {sided} {name}{cite(*keys)}{_how(part)}."
        if first.test in (THESE, ASSESSORS):  # once where it is so of all measures
            models = _alike(
                part,
                lambda c: _model_words(c.population.pairs) if c.population and c.population.pairs else "",
            )
            for words, alike in models.items():
                yield f"For {named(alike, comparisons)}: {words}" if len(models) > 1 else words
        if results.test == "wilcoxon" or results.resampled == "w":
            yield f"Tied differences have mean ranks; {ZEROS_WORDS[asked.zeros]}."
        elif results.test == "sign":
            yield "Topics on which the two systems tie are left out."
        if others := [test for test in first.tested if test != first.test]:
            tests = [f"the {n}{cite(*of)}" for n, of in (name_of_test(first, test) for test in others)]
            drawn = dict.fromkeys(f"{n:,}" for test in others if (n := first.tested[test].resamples))
            some = f", those that resample with {listed(list(drawn))} resamples" if drawn else ""
            yield f"Also run, each corrected by itself{some}: {listed(tests, most=len(tests))}."
            yield f"{'Groups and ranks' if first.complete else 'Conclusions'} are those of the {name}."
        if first.codes is not None:
            sets = int(first.codes.max()) + 1
            how = "change sides together" if results.test == "mc" else "are one observation"
            yield f"Topics that belong together {how} ({counted(sets, 'set')})."


def _model_words(pairs: JudgedPairs) -> str:
    """Which terms the mixed model has, and where standard errors come from."""
    terms = sorted(set(pairs.components) - {"residual", "assessor"}, key=lambda name: (":" in name, name))
    random = (
        f"{listed(terms, most=len(terms))} as random ones, by restricted maximum likelihood"
        if terms
        else "none"
    )
    return (
        f"The model has systems and assessors as fixed effects and {random}; the variances of a pair are averaged with"
        " those of all pairs, which weigh the more the more alike the pairs are, and so are their degrees of freedom."
    )


def _how(comparisons: Sequence[Comparison]) -> str:
    """How p was computed: exactly, by a distribution, by so many resamples."""
    tests = [c.tested[c.test] for c in comparisons]
    if any(_is_random(c) for c in comparisons):
        drawn = dict.fromkeys(
            t.resamples for c, t in zip(comparisons, tests, strict=True) if _is_random(c) and t.resamples
        )
        sizes = listed([f"{n:,}" for n in drawn])
        some = " where not all are gone through" if not all(_is_random(c) for c in comparisons) else ""
        return f", with {sizes} random resamples{some} and p = (k + 1)/(R + 1){cite('phipson2010')}"
    methods = [
        m
        for c, t in zip(comparisons, tests, strict=True)
        for m in compress(t.results.method, c.family.tolist())
        if m
    ]
    if tests[0].results.test in ("t", "t-unpaired", "welch", THESE, ASSESSORS) or not methods:
        return ""
    exact, normal, rounded = (methods.count(method) for method in ("exact", "normal", "rounded"))
    if normal:
        some = f"exact for {counted(exact, 'pair')} and by the normal approximation for {normal:,}"
        return f", with p-values {some if exact else 'by the normal approximation'}"
    if rounded:
        return f", of scores that are rounded for {counted(rounded, 'pair')}"
    return ", by all swaps" if tests[0].results.resampled or "swaps" in methods else ", with exact p-values"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _is_random(c: Comparison, test: str = "") -> bool:
    """Whether a test drew at random; few clusters or topics are gone through wholly."""
    tested = c.tested[test or c.test]
    if tested.results.test in CORRECTIONS:
        return "|all:" not in tested.results.signature
    return tested.results.resamples is not None


def correction_words(comparisons: Sequence[Comparison]) -> tuple[str, tuple[str, ...]]:
    """Over how many pairs p-values are corrected and how, and what to cite for it."""
    first = comparisons[0]
    members = [c.tested[c.test].members for c in comparisons]
    together = first.corrected > int(first.family.sum())
    total = max(members)
    if together:
        total = first.corrected - sum(int(c.family.sum()) for c in comparisons) + sum(members)
    if total < 2:
        return "", ()
    if first.asked.correct == "none":
        return f"no correction for {_pairs(members)}", ()
    correction = CORRECTIONS[first.asked.correct]
    name, keys = correction.methods_name, correction.cite
    over = f"the {total:,} pairs of all measures together" if together else _pairs(members)
    burdens = [c.tested[c.test].burden for c in comparisons]
    sizes = [total] if together else members
    if not correction.tarone or not any(map(int.__lt__, burdens, sizes)):
        return f"{name} for {over}", keys
    return f"{name} for {over}, by Tarone's rule as if for at most {span(burdens)}", (*keys, "tarone1990")


def _pairs(counts: Sequence[int]) -> str:
    if len(counts) == 1:
        return f"{counts[0]:,} pairs"
    return f"the {span(counts)} pairs of each measure"


def corrected_words(comparisons: Sequence[Comparison]) -> Iterator[str]:
    first = comparisons[0]
    words, keys = correction_words(comparisons)
    alpha = alpha_words(first)
    if not any(c.tested[c.test].members for c in comparisons):
        return
    if not words:
        yield f"The difference counts as significant up to p = {alpha}."
    elif first.asked.correct == "none":
        yield f"Differences count as significant up to p = {alpha}, with {words}."
    else:
        yield f"Differences count as significant up to p = {alpha} after {words}{cite(*keys)}."
    if first.role:
        yield f"{title(first, comparisons)} was named as the primary measure."


def alpha_words(c: Comparison) -> str:
    return f"{c.alpha:g}".removeprefix("0")


NO_DIFFERENCE = {
    "apart": ("has no topic in common", "have no topic in common"),
    "single": ("has one topic in common", "have one topic in common"),
    "ties": ("ties on every topic", "tie on every topic"),
    "untested": ("could not be tested", "could not be tested"),
    "reach": ("could not have been found to differ", "could not have been found to differ"),
}
"""Why pairs could not be found to differ, whatever the systems are like: of one pair, of several."""


def without_difference(comparisons: Sequence[Comparison]) -> Iterator[tuple[str, int, str]]:
    """Of the pairs that no result could have shown to differ: why, how many, and in words with measures told apart."""
    import numpy as np

    kinds: list[list[str]] = []
    for c in comparisons:
        tested = c.tested[c.test]
        counts, p = tested.results.counts, tested.results.p
        why = np.select(
            [counts.n == 0, counts.n == 1, counts.wins + counts.losses == 0, np.isnan(p)],
            ["apart", "single", "ties", "untested"],
            "reach",
        )
        lost = np.isin(tested.conclusion, (OUT_OF_REACH, NOT_COMPARABLE, NOT_TESTED))
        kinds.append(why[lost].tolist())
    for kind, words in NO_DIFFERENCE.items():
        numbers = [lost.count(kind) for lost in kinds]
        if total := sum(numbers):
            yield kind, total, f"{_counted_pairs(comparisons, numbers)} {words[total > 1]}"


def _counted_pairs(comparisons: Sequence[Comparison], numbers: Sequence[int]) -> str:
    """`3 pairs (ROUGE-1: 1; ROUGE-2: 2)`; of many measures `30 pairs (by 9 measures)`."""
    by_measure = [f"{title(c, comparisons)}: {n:,}" for c, n in zip(comparisons, numbers, strict=True) if n]
    words = "; ".join(by_measure) if len(by_measure) <= MOST_TOLD else f"by {len(by_measure):,} measures"
    return f"{counted(sum(numbers), 'pair')}{f' ({words})' if len(comparisons) > 1 else ''}"


def _equivalent(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """With a margin: by which tests, at which level, corrected over which pairs systems are called equivalent."""
    import numpy as np

    first = comparisons[0]
    if first.equivalence is None:
        return
    by = "Wilcoxon signed-rank" if first.equivalence.test == "wilcoxon" else "t"
    tested = [int((~np.isnan(c.equivalence.p_same)).sum()) for c in comparisons if c.equivalence is not None]
    after = ""
    if max(tested) > 1:
        correction = CORRECTIONS[first.equivalence.correct]
        joint = "with" if first.equivalence.correct == "none" else "after"
        after = f" {joint} {correction.methods_name} for {_pairs(tested)}{cite(*correction.cite)}"
    sets = ", topics being taken one by one" if first.codes is not None else ""
    near = ", and the mean difference lies within it too" if first.equivalence.test == "wilcoxon" else ""
    yield (
        f"Two systems are called equivalent where two one-sided {by} tests{cite('schuirmann1987')} show their"
        f" difference to lie within {first.asked.margin:g}, up to p = {alpha_words(first)}{after}{sets}{near}."
    )
    flat = [int((c._without_interval & c.family).sum()) for c in comparisons]
    if n := sum(flat):
        yield (
            f"{_counted_pairs(comparisons, flat)} {_is(n)} not called equivalent in any case, as fewer than five topics"
            " have another difference than the commonest."
        )


def adjusted_words(c: Comparison) -> str:
    """By which model means are adjusted."""
    if c.modelled:
        return "means are those of the mixed model, adjusted for topics and assessors"
    return "means are least-squares means of the model score = topic + system"


def interval_words(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """How the intervals of means are made, of which means they are, and which systems have none."""
    shown = [c for c in comparisons if any(s.low == s.low for s in c.standings)]
    for sampled in (True, False):
        if beside := [c for c in shown if c.modelled and c.sampled is sampled]:
            cut = ", cut at the ends of the measure's range" if any(map(_is_cut, beside)) else ""
            of = f" by {named(beside, comparisons)}" * (len(beside) < len(shown))
            samples = "topics and assessors as samples" if sampled else "topics as a sample"
            yield (
                f"{100 * beside[0].level:g}% intervals of means{of} are of the distance from the average system,"
                f" Student's t intervals with {samples}{cut}."
            )
    if shares := [c for c in shown if c.interval == "clopper-pearson"]:
        of = f" by {named(shares, comparisons)}" * (len(shares) < len(shown))
        yield (
            f"{100 * shares[0].level:g}% intervals of means{of} are Clopper and Pearson's{cite('clopper1934')}, of"
            " differences the same of the topics that decide."
        )
    with_some = [c for c in shown if not c.modelled and c.interval != "clopper-pearson"]
    if with_some:
        adjusted = [c for c in with_some if c.is_adjusted]
        what = "the unadjusted means" if adjusted else "means"
        if adjusted and len(adjusted) < len(with_some):
            what = f"means (of {named(adjusted, comparisons)} the unadjusted ones)"
        first = with_some[0]
        over = "sets of topics" if first.codes is not None else "topics"
        cut = ", cut at the ends of the measure's range" if any(map(_is_cut, with_some)) else ""
        yield f"{100 * first.level:g}% intervals of {what} are Student's t intervals over {over}{cut}."
    yield from without_intervals(comparisons)


def _is_cut(c: Comparison) -> bool:
    least, most = c.matrix.info.range
    return any(
        (least is not None and s.low == least) or (most is not None and s.high == most) for s in c.standings
    )


def without_intervals(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Which systems have no interval of the mean, and why."""
    told: dict[str, dict[str, list[Comparison]]] = {}
    for c in comparisons:
        for names, why in _without_interval(c):
            told.setdefault(why, {}).setdefault(listed(names), []).append(c)
    for why, by_names in told.items():
        which = [f"{names}{_of(some, comparisons)}" for names, some in by_names.items()]
        yield f"No interval of the mean for {'; '.join(which)}: {why}."


def _without_interval(c: Comparison) -> Iterator[tuple[list[str], str]]:
    """The systems, by why."""
    from adjudge.stats.bootstrap import flat

    at_ceiling = dict(zip(c.matrix.systems, flat(c.matrix.values).tolist(), strict=True))
    without = [s.system for s in c.standings if s.low != s.low]
    why_not = f"there is a single {'set of topics' if c.codes is not None else 'topic'}"
    if c.modelled and len(c.matrix.topics) > 1:
        why_not = "the variances are too uncertain"
    for names, why in (
        (
            [s for s in without if at_ceiling[s]],
            "fewer than five topics differ from a score that occurs more than once",
        ),
        ([s for s in without if not at_ceiling[s]], why_not),
    ):
        if names:
            yield names, why


# All pairs at once
