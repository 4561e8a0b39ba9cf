"""The Lovins stemmer: one ending goes, then the end is respelt.

Lovins 1968, "Development of a stemming algorithm", Mechanical Translation and Computational Linguistics 11,
22-31; its appendices A, B and C as the Snowball project publishes them (algorithms/lovins.sbl).

Where the paper leaves a choice, the one of Snowball's `lovins` is taken, so that stems agree with it:

- Rule 30 is printed "end -> ens except following m", where rule 24 has "end" already; it is read as "ent".
- Of the rules 2 to 34 one applies, that of the longest end ("bex" goes before "ex"), and its result is not
  respelt again.
- Rule 1 (one of two equal letters goes) and the respelling also apply to words that lost no ending, however
  short: "add" becomes "ad", "end" becomes "ens". Only the removal of endings knows a least length.
- The conditions look at what an ending leaves before rule 1, the exceptions of the respelling after it.
- Condition N, "4 letters after s**, elsewhere 3", is about the third letter from the end of what is left, so
  that "rising" loses its ending; L lets -ide go after -os ("glucoside" -> "glucos").
- "'s" and "s'" are among the 294 endings. ROUGE's words have no apostrophe, so there they never occur.
- The list has no -ents and no -ements, and "government" keeps its m: that is the paper's, and kept. So are
  conditions that look odd beside their neighbours (-ally asks for three letters, -ically for two).
- Appendix D, on stems that match though they differ a little, is not part of the stemmer.
"""

from __future__ import annotations

import re
from functools import cache

# Appendix B: the fewest letters that an ending must leave, and what these must end in.
CONDITIONS: dict[str, tuple[int, str]] = {
    "A": (2, r""),
    "B": (3, r""),
    "C": (4, r""),
    "D": (5, r""),
    "E": (2, r"[^e]"),
    "F": (3, r"[^e]"),
    "G": (3, r"f"),
    "H": (2, r"t|ll"),
    "I": (2, r"[^eo]"),
    "J": (2, r"[^ae]"),
    "K": (3, r"l|i|u.e"),
    "L": (2, r"[^sux]|os"),
    "M": (2, r"[^acem]"),
    "N": (3, r"[^s]..|.s.."),
    "O": (2, r"l|i"),
    "P": (2, r"[^c]"),
    "Q": (3, r"[^ln]"),
    "R": (2, r"n|r"),
    "S": (2, r"dr|[^t]t"),
    "T": (2, r"s|[^o]t"),
    "U": (2, r"l|m|n|r"),
    "V": (2, r"c"),
    "W": (2, r"[^su]"),
    "X": (2, r"l|i|u.e"),
    "Y": (2, r"in"),
    "Z": (2, r"[^f]"),
    "AA": (2, r"d|f|ph|th|l|er|or|es|t"),
    "BB": (3, r"(?<!met)(?<!ryst)"),
    "CC": (2, r"l"),
}

# Appendix A: 294 endings by condition.
_ENDINGS = {
    "A": """
        arizability antialness arisations arizations entialness antaneous antiality arisation arization
        ativeness entations entiality entialize entiation ionalness istically itousness izability izational
        ableness arizable entation entially eousness ibleness icalness ionalism ionality ionalize iousness
        izations lessness ability aically alities aristic arizing ateness atingly atively ativism encible
        entally entials entiate entness fulness ibility icalism icalist icality icalize icianry ination
        ingness ionally isation ishness istical iteness iveness ivistic ivities izement oidally ousness
        aceous alness ancial ancies ariser arized arizer atable atives efully encies encing ential entist
        eously ialist iality ialize ically icance icians icists ifully ionals ioning ionist iously istics
        lessly nesses oidism acies acity aical alist ality alize arial aries arily arize aroid ately ative
        ators atory ehood eless elity ement enced ences ental ently fully ially icant ician icide icism
        icist icity iedly ihood inate iness ional ioned ished istic ities itous ively ivity oidal oides
        otide ously able ably aric ates ator eful eity ence ency eous hood ials ians ible ibly ical iers
        iful ious ists less lily ness ogen ward wise yish acy aic ata ate ese ful ial ian ics ied ier ily
        ist ity ium ive oid ous ae ia ic is 's s' a e i o
    """,
    "B": """
        alistically izationally ationally alistic ational acious ancing ations aging alism anced ances arity
        ation ingly ages ally ance ancy ants atic ions isms ying age ant ism as ly y
    """,
    "C": "allically enting antic ented ent ish",
    "D": "ionate",
    "E": "eableness ariness elihood izable ature eness ening edly ened enly ely ene ery ed es",
    "F": "ization izers izing ized izer ary ize en",
    "G": "ication action",
    "H": "itic",
    "I": "ating idine ated",
    "J": "inism",
    "K": "arly",
    "L": "ides ide",
    "M": "ines ine",
    "N": "ings ing",
    "O": "ars",
    "P": "ies",
    "Q": "ion",
    "R": "one yl",
    "S": "on",
    "T": "or",
    "U": "um",
    "V": "us",
    "W": "s",
    "X": "ar",
    "Y": "early ealy eal ear",
    "Z": "eature",
    "AA": "ite",
    "BB": "allic als al",
    "CC": "inity",
}
ENDINGS: dict[str, str] = {ending: code for code, endings in _ENDINGS.items() for ending in endings.split()}
LONGEST_ENDING = max(map(len, ENDINGS))

# Appendix C, rule 1: of these letters one goes where two stand at the end.
DOUBLED = "bdglmnprst"

# Appendix C, the other rules: old end, new end, and the letters before it that forbid the change.
RESPELLINGS: dict[str, tuple[str, str]] = {
    "iev": ("ief", ""),
    "uct": ("uc", ""),
    "umpt": ("um", ""),
    "rpt": ("rb", ""),
    "urs": ("ur", ""),
    "istr": ("ister", ""),
    "metr": ("meter", ""),
    "olv": ("olut", ""),
    "ul": ("l", "aio"),
    "bex": ("bic", ""),
    "dex": ("dic", ""),
    "pex": ("pic", ""),
    "tex": ("tic", ""),
    "ax": ("ac", ""),
    "ex": ("ec", ""),
    "ix": ("ic", ""),
    "lux": ("luc", ""),
    "uad": ("uas", ""),
    "vad": ("vas", ""),
    "cid": ("cis", ""),
    "lid": ("lis", ""),
    "erid": ("eris", ""),
    "pand": ("pans", ""),
    "end": ("ens", "s"),
    "ond": ("ons", ""),
    "lud": ("lus", ""),
    "rud": ("rus", ""),
    "her": ("hes", "pt"),
    "mit": ("mis", ""),
    "ent": ("ens", "m"),  # printed as "end", which rule 24 has already
    "ert": ("ers", ""),
    "et": ("es", "n"),
    "yt": ("ys", ""),
    "yz": ("ys", ""),
}


_FEWEST = 2  # letters that any ending leaves
_RESPELT = range(max(map(len, RESPELLINGS)), min(map(len, RESPELLINGS)) - 1, -1)


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    return _respell(_undouble(_drop_ending(word)))


def _drop_ending(word: str) -> str:
    """Without the longest ending whose condition holds for what is left."""
    for size in range(min(LONGEST_ENDING, len(word) - _FEWEST), 0, -1):
        code = ENDINGS.get(word[-size:])
        if code is not None and _allowed(code, word[:-size]):
            return word[:-size]
    return word


def _allowed(code: str, left: str) -> bool:
    fewest, end = _condition(code)
    return len(left) >= fewest and end.search(left) is not None


@cache
def _condition(code: str) -> tuple[int, re.Pattern[str]]:
    fewest, end = CONDITIONS[code]
    return fewest, re.compile(rf"(?:{end})\Z", re.DOTALL)


def _undouble(word: str) -> str:
    return word[:-1] if word[-2:-1] == word[-1:] and word[-1:] in DOUBLED else word


def _respell(word: str) -> str:
    for size in _RESPELT:
        rule = RESPELLINGS.get(word[-size:])
        if rule is not None:
            end, forbidden = rule
            before = word[:-size]
            return word if before and before[-1] in forbidden else before + end
    return word
