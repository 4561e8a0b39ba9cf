"""What people call measures elsewhere, and what to type here. Nothing is guessed: the answer is for a message."""

from __future__ import annotations

import re

_ROUGE = re.compile(
    r"r(?:ouge)?[-_ ]?(?P<what>[1-9]|l[-_ ]?sum|l|w|su?[0-9*]+)"
    r"(?:[-_ .]*(?P<stat>f[-_ ]?(?:1|measure|score)?|r|recall|p|prec|precision))?"
)
_LIKE_ROUGE_SCORE = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "l", "lsum")
_ELSEWHERE = (
    "bartscore",
    "bleurt",
    "comet",
    "factcc",
    "g-eval",
    "geval",
    "meteor",
    "moverscore",
    "prometheus",
    "qafacteval",
    "questeval",
    "rouge-we",
    "summac",
    "summaqa",
    "supert",
    "unieval",
)
_HERE = {
    "bleu-4": "bleu, which is of 1- to 4-grams",
    "bleu4": "bleu, which is of 1- to 4-grams",
    "sacrebleu": "bleu, chrf or ter, which sacrebleu computes",
    "chrf++": "chrf(word_order=2)",
    "chrfpp": "chrf(word_order=2)",
    "jsd": "js",
    "jensen-shannon": "js",
    "kld": "kl",
    "kullback-leibler": "kl",
    "length": "words",
    "novelty": "novel-1, novel-2, novel-3 or novel-4",
    "repetition": "repeated-1, repeated-2, repeated-3 or repeated-4",
    "density": "fragment-density",
    "extractiveness": "fragment-coverage or fragment-density",
    "sbert": "embedding",
    "responsiveness": "rating(aspect=overall), or what the protocol calls the aspect",
    "rouge": "rouge-score (F of ROUGE-1, 2, L and Lsum) or tac (recall of ROUGE-1, 2, L and SU4)",
    "rouge-n": "rouge-1, rouge-2 and so on",
    "pyrouge": "rouge-1-recall, rouge-2-recall and rouge-l-recall, or adjudge rouge155 with its own options",
}


def meant(name: str) -> str | None:
    """What to type instead of a name from elsewhere, in words; None where the name says nothing."""
    plain = name.strip().casefold()
    if match := _ROUGE.fullmatch(plain):
        return _rouge(re.sub(r"[-_ ]", "", match["what"]), match["stat"])
    if plain.replace("_", "-").replace("-", "") == "bertscore":
        return (
            'the nearest is "embedding(mode=token)", with other numbers; BERTScore\'s own come in with:'
            " adjudge import scores FILE EVALUATION -m bertscore"
        )
    plain = plain.replace("_", "-").replace(" ", "-")
    if plain in _ELSEWHERE:
        return f"it is not computed here; its scores come in with: adjudge import scores FILE EVALUATION -m {plain}"
    return f"type {_HERE[plain]}" if plain in _HERE else None


def _rouge(what: str, stat: str | None) -> str:
    """Recall of ROUGE-1.5.5 and of rouge-score are different numbers, so both are named."""
    name = f"rouge-{what}"
    kind = {"r": "recall", "p": "precision", "f": "f"}[stat[0]] if stat else None
    if what not in _LIKE_ROUGE_SCORE:
        return f'type "{name}"' if kind in (None, "recall") else f'type "{name}(stat={kind})"'
    if kind in (None, "f"):
        return f'type "{name}" (F as rouge-score has it)'
    level = ", level=summary" if what == "l" else ""
    original = (
        f"{name}-recall" if kind == "recall" else f"{name}(stat={kind}, stem=porter-155, refs=pooled{level})"
    )
    return f'type "{original}" ({kind} as ROUGE-1.5.5 has it) or "{name}(stat={kind})" ({kind} as rouge-score has it)'
