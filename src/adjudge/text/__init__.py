"""Words, stop words, sentences, elementary discourse units; stemmers in stemmers/.

Importing this loads no library: sentencex and stop-words are loaded at first use.
"""

from adjudge.text.edus import edus, explain
from adjudge.text.sentences import Span, sentences
from adjudge.text.stop import content_words, stop_words
from adjudge.text.words import WORD_RULES, count_words, first_words, rouge_words, unicode_words

__all__ = [
    "WORD_RULES",
    "Span",
    "content_words",
    "count_words",
    "edus",
    "explain",
    "first_words",
    "rouge_words",
    "sentences",
    "stop_words",
    "unicode_words",
]
