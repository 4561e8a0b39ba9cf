"""What measures were called in score files of the first form, and what they are called now.

There a bare `rouge-1` was ROUGE-1.5.5's recall, and rouge-score's F was `rouge-1(stat=f, stem=porter-nltk, refs=max)`.
Now a bare name is rouge-score's, and recall is `rouge-1-recall`. The same for 2 to 9, L and Lsum. A bare `rating`
was of the aspect overall, and stands for all aspects now.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_ROUGE = re.compile(r"(rouge-(?:[1-9]|l|lsum))(-recall)?(?:\((.*)\))?")
_ORDER = (
    "aspect",
    "scale",
    "by",
    "stat",
    "alpha",
    "stem",
    "stop",
    "words",
    "limit",
    "refs",
    "level",
    "split",
)
_ORIGINAL = {"stat": "recall", "stem": "porter-155", "refs": "pooled", "level": "summary"}
_ROUGE_SCORE = {"stat": "f", "stem": "porter-nltk", "refs": "max", "level": "sentence"}
_RATING = re.compile(r"rating(?:\((.*)\))?")
_OVERALL = {"aspect": "overall"}


def is_renamed(measure: str) -> bool:
    """Whether a name of today means something else, or nothing, in files of the first form."""
    return (_ROUGE.fullmatch(measure) or _RATING.fullmatch(measure)) is not None


def name_now(former: str) -> str:
    """The name of today for one of the first form; other measures keep theirs."""
    if rating := _RATING.fullmatch(former):
        return _written("rating", _OVERALL | _options(rating[1]), {})
    match = _ROUGE.fullmatch(former)
    if match is None or match[2]:
        return former
    options = _usual(match[1], _ORIGINAL) | _options(match[3])
    recall = options["stat"] == "recall"
    usual = _ORIGINAL if recall else _ROUGE_SCORE
    return _written(f"{match[1]}{'-recall' * recall}", options, usual)


def former_name(measure: str) -> str:
    """The other way: what files of the first form call a measure of today."""
    if rating := _RATING.fullmatch(measure):
        return _written("rating", _options(rating[1]), _OVERALL)
    match = _ROUGE.fullmatch(measure)
    if match is None:
        return measure
    usual = _usual(match[1], _ORIGINAL if match[2] else _ROUGE_SCORE)
    return _written(match[1], usual | _options(match[3]), _ORIGINAL)


def _usual(name: str, usual: Mapping[str, str]) -> dict[str, str]:
    return {option: value for option, value in usual.items() if option != "level" or name == "rouge-l"}


def _options(text: str | None) -> dict[str, str]:
    pairs = (part.partition("=") for part in (text or "").split(",") if part.strip())
    return {option.strip(): value.strip() for option, _, value in pairs}


def _written(name: str, options: Mapping[str, str], usual: Mapping[str, str]) -> str:
    changed = [f"{o}={options[o]}" for o in _ORDER if o in options and options[o] != usual.get(o)]
    return f"{name}({', '.join(changed)})" if changed else name
