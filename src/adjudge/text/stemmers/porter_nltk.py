"""The Porter stemmer as NLTK has it by default, and rouge-score with it. Which words are stemmed: stem.py.

NLTK's extensions to Porter 1980: a dozen irregular words, -ies and -ied that spare a short stem ("dies" ->
"die"), y that changes only after a consonant ("enjoy" stays), two letters such as "us" that count as short
("used" -> "use"), -alli that goes before the rest of step 2, -fulli, and a -logi whose l counts for the stem
("geology" -> "geolog").
"""

from __future__ import annotations

from adjudge.text.stemmers.porter import (
    STEP_2,
    STEP_3,
    STEP_4,
    change_ending,
    drop_ion,
    drop_past,
    drop_plural,
    ends_short,
    measure,
    shape,
    tidy,
)

_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{
        word: word
        for word in ["sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed"]
    },
}
_STEP_2 = {**{ending: new for ending, new in STEP_2.items() if ending != "logi"}, "fulli": "ful"}


def stem(word: str) -> str:
    """What `nltk.stem.PorterStemmer().stem(word)` gives for a word in lower case."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = change_ending(_step_2(word), STEP_3, 0)
    # "ion" ends in none of step 4's endings, so at most one of the two does anything to a word.
    shorter = change_ending(word, STEP_4, 1)
    return tidy(drop_ion(word) if shorter == word else shorter, short=_short)


def _step_1a(word: str) -> str:
    return word[:-1] if len(word) == 4 and word.endswith("ies") else drop_plural(word)


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return drop_past(word, short=_short, twice="lsz")


def _step_1c(word: str) -> str:
    changes = len(word) > 2 and word.endswith("y") and shape(word)[-2] == "c"
    return word[:-1] + "i" if changes else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    return change_ending(word, _STEP_2, 0)


def _short(word: str) -> bool:
    return shape(word) == "vc" or ends_short(word)
