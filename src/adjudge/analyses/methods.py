"""What a paper says of how its numbers were made: a paragraph to paste, with the works that it cites.

Every sentence follows from a run that was made: its tests, its pairs, its resamples, its missing scores.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Protocol, TypeVar

from adjudge import __version__
from adjudge.analyses.compare.sampled import ASSESSORS
from adjudge.analyses.compare.words import population_words
from adjudge.analyses.conclusions import NOT_COMPARABLE, NOT_TESTED, OUT_OF_REACH
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.references import REFERENCES, bibtex, keys_in
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
        return "\n\n".join(filter(None, (bibtex(key for key in self.keys if key in REFERENCES), _software())))

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
        return "\n".join(f"- {markdown(each)}" for each in self.references)

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


def _software() -> str:
    fields = {
        "author": "{Adjudge developers}",
        "title": "{Adjudge}",
        "year": str(SINCE),
        "note": f"Version {__version__}",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{SOFTWARE},", *lines, "}"])


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
        "sign": ("sign test", ("dixon1946",)),
        "mc": (f"{approximate}randomization test of {what}", ("noreen1989", "rankel2011")),
        "hb": (f"hybrid bootstrap test of {what}", ("rankel2011",)),
        "exact": ("exact permutation test of the mean difference", ("fisher1935",)),
        ASSESSORS: (
            "t-test of a mixed model with topics and assessors as samples",
            ("patterson1971", "satterthwaite1946"),
        ),
    }
    return names[results.test]


def compared_methods(found: Sequence[Comparison]) -> MethodsParagraph:
    """How systems were compared on one measure or on several, all in the same way."""
    if not any(c.family.any() for c in found):
        return MethodsParagraph(tuple(_compared(found)), computed_with(None))
    random = any(_is_random(c, test) for c in found for test in c.tested)
    seed = found[0].seed if random else None
    signatures = tuple(c.matrix.signature for c in found)
    return MethodsParagraph(tuple(_compared(found)), computed_with(seed), signatures)


def computed_with(seed: int | None) -> tuple[str, ...]:
    seeded = "" if seed is None else f" (seed {seed})"
    return (f"Computed with Adjudge {__version__}{cite(SOFTWARE)}{seeded}.",)


def _compared(found: Sequence[Comparison]) -> Iterator[str]:
    yield what_was_compared(found)
    yield from prepared_words(found)
    yield from _missing(found)
    yield from pooled_words(found)
    yield from _whose(found)
    if not any(c.family.any() for c in found):
        return
    yield from _tested(found)
    yield from _corrected(found)
    yield from _reached(found)
    yield from _equivalent(found)
    yield from interval_words(found)
    if all(c.complete for c in found) and max(len(c.standings) for c in found) > 1:
        yield LETTERS


def title(c: Compared, found: Sequence[Compared]) -> str:
    """What a measure is called in print; length and form only where they tell comparisons apart."""
    lengths, forms = ({getattr(each.matrix, name) for each in found} for name in ("length", "form"))

    def own(each: Compared) -> str:
        length = each.matrix.length if len(lengths) > 1 else None
        return heading_of(each.matrix.info, length, each.matrix.form if len(forms) > 1 else None)

    name = own(c)
    return f"{name} ({c.matrix.measure})" if sum(own(each) == name for each in found) > 1 else name


def titles(some: Sequence[Compared], found: Sequence[Compared], *, whole: bool = False) -> list[str]:
    """What measures are called in print, each once, with its targets in brackets where it has several.

    A measure of which all targets are meant goes by its name alone, unless the `whole` is asked for.
    """

    headings = {c.matrix.measure: c.matrix.info.heading for c in found}
    names = []
    for measure in dict.fromkeys(c.matrix.measure for c in some):
        own, every = ([c for c in those if c.matrix.measure == measure] for those in (some, found))
        if len(every) == 1:
            names.append(title(own[0], found))
            continue
        name = headings[measure]
        alone = list(headings.values()).count(name) == 1
        name = name if alone else f"{name} ({measure})"
        names.append(f"{name} ({_targets_words(own, found)})" if whole or len(own) < len(every) else name)
    return names


def _targets_words(own: Sequence[Compared], found: Sequence[Compared]) -> str:
    """`10, 50 and 100 words, abstract; 200 words, extract`."""
    lengths, forms = ({getattr(c.matrix, name) for c in found} for name in ("length", "form"))
    told: dict[tuple[bool, str | None], list[str]] = {}
    for c in own:
        length = c.matrix.length if len(lengths) > 1 else None
        form = c.matrix.form if len(forms) > 1 else None
        told.setdefault((length is None, form), []).append(
            "no set length" if length is None else f"{length:,}"
        )
    parts = []
    for (unset, form), sizes in told.items():
        words = (
            [] if len(lengths) == 1 else [sizes[0] if unset else f"{listed(sizes, most=len(sizes))} words"]
        )
        parts.append(", ".join([*words, *([form_words(form)] if form else [])]))
    return "; ".join(parts)


def named(some: Sequence[Compared], found: Sequence[Compared], *, whole: bool = False) -> str:
    """The same as a list within a sentence."""
    names = titles(some, found, whole=whole)
    return listed(names, most=len(names))


def target_words(found: Sequence[Compared]) -> str:
    """`, summaries of 100 words`, where all are of one length or form."""
    lengths, forms = ({getattr(c.matrix, name) for c in found} for name in ("length", "form"))
    length, form = (each.pop() if len(each) == 1 else None for each in (lengths, forms))
    parts = [f"of {length:,} words"] if length else []
    parts += [f"({form_words(form)})"] if form else []
    return f", summaries {' '.join(parts)}" if parts else ""


def topics_words(found: Sequence[Compared]) -> str:
    """`12 topics`; where measures have different ones, of each how many."""
    by_size: dict[int, list[Compared]] = {}
    for c in found:
        by_size.setdefault(len(c.matrix.topics), []).append(c)
    if len(by_size) == 1:
        return counted(min(by_size), "topic")
    each = (f"{n:,} by {named(some, found)}" for n, some in sorted(by_size.items()))
    return f"{min(by_size):,} to {max(by_size):,} topics ({'; '.join(each)})"


def what_was_compared(found: Sequence[Compared]) -> str:
    systems = list(dict.fromkeys(system for c in found for system in c.matrix.systems))
    kinds = [next((c.kinds[s] for c in found if s in c.kinds), None) for s in systems]
    parts = [
        counted(kinds.count(kind), kind) for kind in ("machine", "baseline", "human") if kinds.count(kind)
    ]
    if people := {system for c in found if c.matrix.together for system in c.matrix.together.systems}:
        parts[-1] = f"{counted(len(people), 'human')} pooled as one system"
    told = f" ({listed(parts)})" if len(parts) > 1 and None not in kinds else ""
    cited: set[str] = set()
    names: list[str] = []
    for name, c in zip(titles(found, found, whole=True), _one_of_each(found), strict=True):
        keys = [key for key in _measure_keys(c) if key not in cited]  # each work once
        cited.update(keys)
        names.append(f"{name}{cite(*keys)}")
    target = target_words(found)
    where = f"{topics_words(found)}{target}{',' if target else ''}"
    did = "compared" if len(systems) > 1 else "scored"
    return f"We {did} {counted(len(systems), 'system')}{told} on {where} by {listed(names, most=len(names))}."


def _one_of_each(found: Sequence[C]) -> list[C]:
    """The first comparison of each measure."""
    return list({c.matrix.measure: c for c in reversed(found)}.values())[::-1]


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


def _measure_keys(c: Compared) -> list[str]:
    """What defines the measure."""
    measure = _measure(c)
    return [] if measure is None else keys_in(measure.CITATION)


_REFERENCES = re.compile(r"\|ref(?:erence)?s:(\d+)(?:-(\d+))?(?=[:|])")


def prepared_words(found: Sequence[Compared]) -> Iterator[str]:
    """With which options measures were computed, usual ones included, and with how many references."""
    from adjudge.measures.run import own_reference  # slow to load

    by_words: dict[str, list[Compared]] = {}
    for c in found:
        measure = _measure(c)
        if measure is None:
            continue
        counts = _REFERENCES.search(c.matrix.signature)
        several = counts is not None and (counts[2] or counts[1]) != "1"
        parts = measure.preparation_words()
        parts = parts if several else parts[:-1]
        if counts is not None:
            span = f"{counts[1]} to {counts[2]}" if counts[2] else counts[1]
            parts.append(f"every text is compared with {span} {'references' if several else 'reference'}")
        if parts:
            by_words.setdefault("; ".join(parts), []).append(c)
    for words, some in by_words.items():
        yield f"For {named(some, found)}: {words}."
    if any(kind == "human" for c in found for kind in c.kinds.values()):
        notes = (note for c in found for note in c.fewer_references)
        yield from dict.fromkeys(f"{own_reference(**note.data)}." for note in notes)


def _of(about: Compared | Sequence[Compared], found: Sequence[Compared]) -> str:
    """Which measures a sentence is about, where there are several and it is not of all."""
    some = about if isinstance(about, Sequence) else [about]
    if len(found) == 1 or len(some) == len(found) > 1:
        return ""
    return f" by {named(some, found)}"


def _alike(found: Sequence[C], words: Callable[[C], str]) -> dict[str, list[C]]:
    """Comparisons of which the same is to be said, by what that is; nothing of those with nothing to say."""
    told: dict[str, list[C]] = {}
    for c in found:
        if said := words(c):
            told.setdefault(said, []).append(c)
    return told


def holes_words(c: Compared, found: Sequence[Compared]) -> str:
    """`3 of 36 scores are missing`; nothing where none is."""
    import numpy as np

    holes = int(np.isnan(c.matrix.values).sum())
    if not holes:
        return ""
    return f"{holes:,} of {counted(c.matrix.values.size, 'score')}{_of(c, found)} {_is(holes)} missing"


def _missing(found: Sequence[Comparison]) -> Iterator[str]:
    everybody = dict.fromkeys(system for c in found for system in c.matrix.systems)

    def absent(c: Comparison) -> str:
        names = [system for system in everybody if system not in c.matrix.systems]
        return f"{listed(names)} {'has' if len(names) == 1 else 'have'} no score" if names else ""

    for said, some in _alike(found, absent).items():
        yield f"{said}{_of(some, found)}."

    def around(c: Comparison) -> str:
        if not (said := holes_words(c, [c])):
            return ""
        n = c.tested[c.test].results.counts.n[c.family]
        n = n[n > 0]
        if c.is_adjusted:
            said += f"; {adjusted_words(c)}"
        elif c.ordering:
            said += "; means are over the topics that each system has"
        if n.size:
            few, many = int(n.min()), int(n.max())
            span = f"{few:,}" if few == many else f"{few:,} to {many:,}"
            said += f"; two systems are compared on the topics that both have ({span})"
        return said

    for said, some in _alike(found, around).items():
        if len(found) == 1:
            yield f"{said}."
        elif len(some) == len(found):
            yield f"By each measure: {said}."
        else:
            yield f"By {named(some, found)}{' each' if len(some) > 1 else ''}: {said}."


def pooled_words(found: Sequence[Compared]) -> Iterator[str]:
    """What stands behind a score, said once where it is so of all measures."""
    yield from together_words(found)
    for words, some in _alike(found, _scores_behind).items():
        yield f"A system's score on a topic{_of(some, found)} is {words}."


def _whose(found: Sequence[Comparison]) -> Iterator[str]:
    """How many assessors judged, in which design, and for whom the conclusions hold."""
    told = _alike(found, lambda c: population_words(c.population) if c.population is not None else "")
    for words, some in told.items():
        of = _of(some, found).strip()
        yield f"{of[:1].upper()}{of[1:]}: {words}." if of else f"{words}."


def together_words(found: Sequence[Compared]) -> Iterator[str]:
    """What a system stands for that pools several people, said once where it is so of all measures."""
    pooled = _alike(found, lambda c: _pool_words(c.matrix.together) if c.matrix.together else "")
    yield from (f"{words}{_of(some, found)}." for words, some in pooled.items())


def _pool_words(pooled: PooledSystems) -> str:
    """`HUMANS stands for 2 humans, with the mean of those who have a score on a topic (1 on each; ...)`."""
    size, present = len(pooled.systems), [n for n in pooled.present if n]
    who = f"{pooled.name} stands for {counted(size, 'human')}"
    holes = size * len(pooled.present) - sum(present)
    if size == 1 or not present:
        return who
    if not holes:
        return f"{who}, with their mean on each topic"
    few, many = min(present), max(present)
    span = f"{many:,}" if few == many else f"{few:,} to {many:,}"
    lack = f"{holes:,} of their {counted(size * len(pooled.present), 'score')} {_is(holes)} missing"
    return f"{who}, with the mean of those who have a score on a topic ({span} on each; {lack})"


def _scores_behind(c: Compared) -> str:
    """`the mean of 3 scores`; nothing of single ones."""
    pooled = c.matrix.together
    alone = [j for j, s in enumerate(c.matrix.systems) if pooled is None or s != pooled.name]
    counts = c.matrix.counts[:, alone]
    counts = counts[counts > 0]
    if not counts.size or counts.max() < 2:
        return ""
    few, many = int(counts.min()), int(counts.max())
    return f"the {c.matrix.pool} of {many if few == many else f'{few:,} to {many:,}'} scores"


def _tested(found: Sequence[Comparison]) -> Iterator[str]:
    """By which tests, where some measures have assessors of their own and others do not."""
    parts = [part for sampled in (True, False) if (part := [c for c in found if c.sampled == sampled])]
    for part in parts:
        on = f" on {named(part, found)}" if len(parts) > 1 else ""
        yield from _tested_alike(part, on, found)


def _tested_alike(
    found: Sequence[Comparison], measures: str, everything: Sequence[Comparison]
) -> Iterator[str]:
    first = found[0]
    asked, results = first.asked, first.tested[first.test].results
    name, keys = name_of_test(first)
    if asked.against is not None:
        word = "better" if asked.side == "better" else "worse"
        who = f"Every other system was compared with {asked.against}"
        if asked.side != "both":
            who = f"Whether every other system is {word} than {asked.against} was tested"
    else:
        who = "Pairs of systems were compared"
    on = "" if results.test in ("t-unpaired", "welch", ASSESSORS) else " topic by topic"
    sided = "two-sided" if results.alternative == "two-sided" else "one-sided"
    yield f"{who}{measures}{on} with the {sided} {name}{cite(*keys)}{_how(found)}."
    if first.sampled:
        yield from _sampled_words(found, everything)
    if results.test == "wilcoxon" or results.resampled == "w":
        yield f"Tied differences have mean ranks; {ZEROS_WORDS[asked.zeros]}."
    elif results.test == "sign":
        yield "Topics on which the two systems tie are left out."
    yield from _also_tested(first)
    if first.codes is not None:
        sets = int(first.codes.max()) + 1
        yield f"Topics that belong together change sides together ({counted(sets, 'set')})."


def _sampled_words(some: Sequence[Comparison], found: Sequence[Comparison]) -> Iterator[str]:
    """Which terms the mixed models have, and which standard errors are taken; once where it is so of all measures."""

    def model(c: Comparison) -> str:
        return _model_words(c.population.pairs) if c.population and c.population.pairs else ""

    told = _alike(some, model)
    for words, own in told.items():
        yield f"For {named(own, found)}: {words}" if len(told) > 1 else words


def _model_words(pairs: JudgedPairs) -> str:
    from adjudge.stats.judging import OWN_FROM

    terms = sorted(
        (name for name in pairs.components if name != "residual"), key=lambda name: (":" in name, name)
    )
    random = (
        f"{listed(terms, most=len(terms))} as random ones, by restricted maximum likelihood"
        if terms
        else "none"
    )
    model = f"The model has systems as fixed effects and {random}"
    if pairs.design == "one judge a row":
        model = (
            "Every assessor judged topics of their own, so that the assessors' mean differences are the observations;"
            f" the model has systems as fixed effects and {random}"
        )
    if pairs.own_judge_df >= OWN_FROM:
        errors = "a pair's standard error and degrees of freedom are those of its own scores"
    else:
        errors = (
            "of each pair the larger of two standard errors is taken, of all systems and of its own scores, with the"
            " Satterthwaite degrees of freedom of all systems"
        )
    return f"{model}; {errors}."


def _also_tested(first: Comparison) -> Iterator[str]:
    """The other tests that were run, and which of all makes the groups."""
    others = [test for test in first.tested if test != first.test]
    if not others:
        return
    names = [f"the {name}{cite(*keys)}" for name, keys in (name_of_test(first, test) for test in others)]
    drawn = dict.fromkeys(f"{n:,}" for test in others if (n := first.tested[test].resamples))
    some = f", those that resample with {listed(list(drawn))} resamples" if drawn else ""
    groups = "Groups and ranks" if first.complete else "Conclusions"
    yield f"Also run, each corrected by itself{some}: {listed(names, most=len(names))}."
    yield f"{groups} are those of the {name_of_test(first)[0]}."


def _how(found: Sequence[Comparison]) -> str:
    """How p was computed: exactly, by a distribution, by so many resamples."""
    tests = [c.tested[c.test] for c in found]
    if any(_is_random(c) for c in found):
        drawn = dict.fromkeys(
            t.resamples for c, t in zip(found, tests, strict=True) if _is_random(c) and t.resamples
        )
        sizes = listed([f"{n:,}" for n in drawn])
        some = " where not all are gone through" if not all(_is_random(c) for c in found) else ""
        return f", with {sizes} random resamples{some} and p = (k + 1)/(R + 1){cite('phipson2010')}"
    methods = [
        m
        for c, t in zip(found, tests, strict=True)
        for m in compress(t.results.method, c.family.tolist())
        if m
    ]
    if tests[0].results.test in ("t", "t-unpaired", "welch", ASSESSORS) or not methods:
        return ""
    exact, normal, rounded = (methods.count(each) for each in ("exact", "normal", "rounded"))
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


def correction_words(found: Sequence[Comparison]) -> tuple[str, tuple[str, ...]]:
    """Over how many pairs p-values are corrected and how, and what to cite for it."""
    first = found[0]
    own = [c.tested[c.test].members for c in found]
    together = first.corrected > int(first.family.sum())
    total = first.corrected - sum(int(c.family.sum()) for c in found) + sum(own) if together else max(own)
    if total < 2:
        return "", ()
    if first.asked.correct == "none":
        return f"no correction for {_pairs(own)}", ()
    correction = CORRECTIONS[first.asked.correct]
    name, keys = correction.methods_name, correction.cite
    over = f"the {total:,} pairs of all measures together" if together else _pairs(own)
    burdens = [c.tested[c.test].burden for c in found]
    sizes = [total] if together else own
    if not correction.tarone or not any(map(int.__lt__, burdens, sizes)):
        return f"{name} for {over}", keys
    few, many = min(burdens), max(burdens)
    reduced = f"{many:,}" if few == many else f"{few:,} to {many:,}"
    return f"{name} for {over}, by Tarone's rule as if for at most {reduced}", (*keys, "tarone1990")


def _pairs(own: Sequence[int]) -> str:
    if len(own) == 1:
        return f"{own[0]:,} pairs"
    few, many = min(own), max(own)
    return (
        f"the {few:,} pairs of each measure"
        if few == many
        else f"the {few:,} to {many:,} pairs of each measure"
    )


def _corrected(found: Sequence[Comparison]) -> Iterator[str]:
    first = found[0]
    words, keys = correction_words(found)
    alpha = alpha_words(first)
    if not any(c.tested[c.test].members for c in found):
        return
    if not words:
        yield f"The difference counts as significant up to p = {alpha}."
    elif first.asked.correct == "none":
        yield f"Differences count as significant up to p = {alpha}, with {words}."
    else:
        yield f"Differences count as significant up to p = {alpha} after {words}{cite(*keys)}."
    if first.role:
        yield f"{title(first, found)} was named as the primary measure."


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


def without_difference(found: Sequence[Comparison]) -> Iterator[tuple[str, int, str]]:
    """Of the pairs that no result could have shown to differ: why, how many, and in words with measures told apart."""
    kinds = [_kinds_of_lost(c) for c in found]
    for kind, words in NO_DIFFERENCE.items():
        counts = [each.count(kind) for each in kinds]
        told = "; ".join(f"{title(c, found)}: {n:,}" for c, n in zip(found, counts, strict=True) if n)
        if total := sum(counts):
            each = f" ({told})" if len(found) > 1 else ""
            yield kind, total, f"{counted(total, 'pair')}{each} {words[total > 1]}"


def _kinds_of_lost(c: Comparison) -> list[str]:
    import numpy as np

    tested = c.tested[c.test]
    lost = np.isin(tested.conclusion, (OUT_OF_REACH, NOT_COMPARABLE, NOT_TESTED))
    counts, p = tested.results.counts, tested.results.p
    why = np.select(
        [counts.n == 0, counts.n == 1, counts.wins + counts.losses == 0, np.isnan(p)],
        ["apart", "single", "ties", "untested"],
        "reach",
    )
    found: list[str] = why[lost].tolist()
    return found


def _reached(found: Sequence[Comparison]) -> Iterator[str]:
    for kind, _, words in without_difference(found):
        why = ", the smallest p within reach not being small enough" if kind == "reach" else ""
        yield f"{words}{why}."


def _equivalent(found: Sequence[Comparison]) -> Iterator[str]:
    """With a margin: by which tests, at which level, corrected over which pairs systems are called equivalent."""
    import numpy as np

    first = found[0]
    if first.equivalence is None:
        return
    by = "Wilcoxon signed-rank" if first.equivalence.test == "wilcoxon" else "t"
    tested = [int((~np.isnan(c.equivalence.p_same)).sum()) for c in found if c.equivalence is not None]
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
    flat = [int((c._without_interval & c.family).sum()) for c in found]
    if n := sum(flat):
        each = "; ".join(f"{title(c, found)}: {k:,}" for c, k in zip(found, flat, strict=True) if k)
        told = f" ({each})" if len(found) > 1 else ""
        yield (
            f"{counted(n, 'pair')}{told} {'is' if n == 1 else 'are'} not called equivalent in any case, as fewer than"
            " five topics have another difference than the commonest."
        )


def adjusted_words(c: Comparison) -> str:
    """By which model means are adjusted."""
    if c.sampled:
        return "means are those of the mixed model, adjusted for topics and assessors"
    return "means are least-squares means of the model score = topic + system"


def interval_words(found: Sequence[Comparison]) -> Iterator[str]:
    """How the intervals of means are made, of which means they are, and which systems have none."""
    shown = [c for c in found if any(s.low == s.low for s in c.standings)]
    if beside := [c for c in shown if c.sampled]:
        cut = ", cut at the ends of the measure's range" if any(map(_is_cut, beside)) else ""
        of = f" by {named(beside, found)}" * (len(beside) < len(shown))
        yield (
            f"{100 * beside[0].level:g}% intervals of means{of} are of the distance from the average system, Student's"
            f" t intervals with topics and assessors as samples{cut}."
        )
    with_some = [c for c in shown if not c.sampled]
    if with_some:
        adjusted = [c for c in with_some if c.is_adjusted]
        what = "the unadjusted means" if adjusted else "means"
        if adjusted and len(adjusted) < len(with_some):
            what = f"means (of {named(adjusted, found)} the unadjusted ones)"
        first = with_some[0]
        over = "sets of topics" if first.codes is not None else "topics"
        cut = ", cut at the ends of the measure's range" if any(map(_is_cut, with_some)) else ""
        yield f"{100 * first.level:g}% intervals of {what} are Student's t intervals over {over}{cut}."
    for c in found:
        yield from without_intervals(c, _of(c, found))


def _is_cut(c: Comparison) -> bool:
    least, most = c.matrix.info.range
    return any(
        (least is not None and s.low == least) or (most is not None and s.high == most) for s in c.standings
    )


def without_intervals(c: Comparison, of: str = "") -> Iterator[str]:
    """Which systems have no interval of the mean, and why."""
    from adjudge.stats.bootstrap import flat

    at_ceiling = dict(zip(c.matrix.systems, flat(c.matrix.values).tolist(), strict=True))
    without = [s.system for s in c.standings if s.low != s.low]
    why_not = f"there is a single {'set of topics' if c.codes is not None else 'topic'}"
    if c.sampled and len(c.matrix.topics) > 1:
        why_not = "the variances are too uncertain"
    for names, why in (
        (
            [s for s in without if at_ceiling[s]],
            "fewer than five topics differ from a score that occurs more than once",
        ),
        ([s for s in without if not at_ceiling[s]], why_not),
    ):
        if names:
            of_all = f"{len(names):,} of {counted(len(c.standings), 'system')}"
            has = "has" if len(names) == 1 else "have"
            yield f"{of_all} ({listed(names)}) {has} no interval of the mean{of}: {why}."


# All pairs at once
