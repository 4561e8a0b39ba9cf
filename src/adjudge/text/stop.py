"""Stop words: a language's list from the `stop-words` package, or English function words by word class."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cache

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.text.words import unicode_words

DETERMINERS = (
    "a an the this that these those each every either neither some any no such what which whose another other"
    " both all half"
)
PRONOUNS = (
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers"
    " herself it its itself they them their theirs themselves one ones oneself who whom whoever whomever whichever"
    " whatever anybody anyone anything everybody everyone everything nobody none nothing somebody someone something"
)
PREPOSITIONS = (
    "about above across after against along amid among amongst around as at before behind below beneath beside"
    " besides between beyond by despite down during except for from in inside into like near of off on onto out"
    " outside over past per since than through throughout till to toward towards under underneath until unto up"
    " upon versus via with within without"
)
CONJUNCTIONS = "and but or nor so yet because although though unless while whereas whether if lest once"
AUXILIARIES = (
    "am is are was were be been being have has had having do does did doing done can could may might must shall"
    " should will would ought need dare"
)
ADVERBS = (
    "not never ever here there where when why how then thus hence therefore thereby wherein whereby very too also"
    " just only even still already again almost always often perhaps quite rather really however moreover"
    " furthermore nevertheless meanwhile instead otherwise else away back ahead apart together yes"
)
QUANTIFIERS = "much many more most few fewer fewest little less least several enough own same"
CONTRACTIONS = (
    "ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't needn't shan't shouldn't"
    " wasn't weren't won't wouldn't cannot i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll"
    " she'd it's it'll it'd we're we've we'll we'd they're they've they'll they'd that's there's here's who's what's"
    " where's let's"
)
# What stands before and after the apostrophe of a contraction, for word rules that cut there.
PIECES = (
    "s t d m ll re ve ain aren couldn didn doesn don hadn hasn haven isn mustn needn shan shouldn wasn weren won"
    " wouldn"
)

FUNCTION_WORDS = frozenset(
    word
    for words in (
        DETERMINERS,
        PRONOUNS,
        PREPOSITIONS,
        CONJUNCTIONS,
        AUXILIARIES,
        ADVERBS,
        QUANTIFIERS,
        CONTRACTIONS,
        PIECES,
    )
    for word in words.split()
)


FUNCTION = "function"
"""Name of the list of English words of the closed classes; the package's English one is four times as wide."""


def stop_words(name: str) -> frozenset[str]:
    """The stop words of a language, by code or English name: "en", "en-GB", "english"; or "function".

    Each entry stands there in lower case and as the words that `unicode_words` makes of it
    ("don't", but also "don" and "t"), so that the set fits words of either kind. Entries with
    white space can equal no word and are left out.
    """
    wanted = name.strip().casefold()
    if wanted == FUNCTION:
        return FUNCTION_WORDS
    languages = _languages()
    for key in (wanted, wanted.replace("_", "-").split("-")[0]):
        if key in languages:
            return _load(languages[key])
    hint = nearest(wanted, languages) or f" (known: {', '.join(sorted(set(languages.values())))})"
    raise UsageError(f"no stop words for language {quoted(name)}{hint}")


def content_words(words: Iterable[str], stop: AbstractSet[str]) -> list[str]:
    """The words that are not in `stop`, in order, repetitions kept."""
    return [word for word in words if word not in stop]


@cache
def _languages() -> dict[str, str]:
    """Every accepted name -> the package's own name of that language."""
    from stop_words import LANGUAGE_MAPPING

    return {**LANGUAGE_MAPPING, **{language: language for language in LANGUAGE_MAPPING.values()}}


@cache
def _load(language: str) -> frozenset[str]:
    from stop_words import get_stop_words

    entries = [entry.lower() for entry in get_stop_words(language) if not any(map(str.isspace, entry))]
    return frozenset(entries).union(*map(unicode_words, entries))
