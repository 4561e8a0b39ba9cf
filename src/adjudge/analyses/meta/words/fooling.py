"""What is said of texts made to fool measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.words import counted, decimal, listed
from adjudge.data.fooling import BIGRAM_LIST, DISTORTIONS, KIND_WORDS

if TYPE_CHECKING:
    from adjudge.analyses.meta.fooling import FoolingOutcome, FoolingResult, Verdict

VERDICT_WORDS: Mapping[Verdict, str] = {
    "unseen": "not seen",
    "better": "significantly better",
    "not worse": "not significantly worse",
    "worse": "significantly worse",
    "untested": "not tested",
}

NOTES = {
    "not-checked": "{measure} is not checked: {why}",
    "texts-not-made": lambda kind, some, why: (
        f"{kind} is {'missing for ' + counted(sum(why.values()), 'text') if some else 'not made'}"
        f" ({', '.join(f'{reason}: {n}' for reason, n in why.items())})"
    ),
}


def verdict_words(outcome: FoolingOutcome) -> str:
    words = VERDICT_WORDS.get(outcome.verdict, "")
    return f"{words}: {outcome.why}" if outcome.verdict == "untested" else words


def chosen_words(result: FoolingResult) -> str:
    """Why that system's summaries were distorted."""
    n, noun, human = result.judged
    return f"the best of {counted(n, noun)} by {human}, by the mean"


def sentences(result: FoolingResult) -> Iterator[str]:
    lists = [o for o in result.outcomes if o.kind == BIGRAM_LIST and o.place is not None]
    if lists:
        lists.sort(key=lambda o: (o.place or 0) / o.of)
        first, last = lists[0], lists[-1]
        end = f", {last.place} of {last.of} by {last.title}"
        if (last.place, last.of) == (first.place, first.of):
            end = " and by every other measure" if len(lists) > 1 else ""
        yield f"A list of the sources' most frequent bigrams ranks {first.place} of {first.of} by {first.title}{end}."
    for measure in result.measures:
        outcomes = [o for o in result.outcomes if o.measure == measure and o.kind in DISTORTIONS]
        lines = []
        for verdict, words in VERDICT_WORDS.items():
            told = verdict not in ("unseen", "untested")
            kinds = [
                KIND_WORDS[o.kind] + (f" ({decimal(o.change, '+.4f')})" if told else "")
                for o in outcomes
                if o.verdict == verdict
            ]
            if kinds:
                lines.append(f"{words}: {listed(kinds, most=len(DISTORTIONS))}")
        if outcomes:
            yield f"{outcomes[0].title}, {'; '.join(lines)}."
    yield (
        f"Distorted are the summaries of {result.source} ({chosen_words(result)}). Changes are paired by topic, + is"
        f" better; each is tested by itself at {1 - result.level:.3g} by Student's t, and may be small."
    )
