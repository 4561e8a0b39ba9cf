"""Who may be the best, in one meaning and one wording for every ranking: scores, groups and preferences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray


def candidates(better: BoolArray) -> list[int]:
    """The items that nobody is significantly better than; `better[i, j]` says that i is better than j."""
    return [j for j in range(len(better)) if not better[:, j].any()]


def best_words(
    better: BoolArray, names: Sequence[str], *, what: str = "system", directed: bool = True
) -> str:
    """The candidates for the best in words, without a full stop; names in the order in which they are to be named.

    A measure that is neither better high nor low (`directed=False`) has a highest, not a best.
    """
    word, than = ("best", "better") if directed else ("highest", "higher")
    found = [names[j] for j in candidates(better)]
    others = len(names) - 1
    if len(found) == len(names):
        among = f"either {what}" if len(names) == 2 else f"any of the {counted(len(names), what)}"
        return f"{among} may be the {word}"
    if not found:
        return f"none is the {word}: for every {what} there is one that is significantly {than}"
    if len(found) > 1:
        return f"{listed(found)} may each be the {word}: no {what} is significantly {than} than they are"
    if better[names.index(found[0])].sum() == others:
        return (
            f"{found[0]} is significantly {than} than {'the other' if others == 1 else 'every other'} {what}"
        )
    return f"{found[0]} alone may be the {word}: for every other {what} there is one that is significantly {than}"
