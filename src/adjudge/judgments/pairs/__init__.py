"""Pairs of sentences or summaries: which text a side means, what was answered, which pair to ask."""
