"""Measures from people's judgments: coverage and its kin, quality, pyramids, ratings. Answers are stored elsewhere.

answers    a topic's judgments as measures see them: units with their completeness, quality answers
coverage   recall, retention, coverage, length-adjusted coverage, uncovered units
levels     coverage by how short a reference still has the unit
quality    errors and levels
unmarked   peer units that nothing of the reference matched
rating     what was given on an aspect, raw or within assessor
pyramid    pyramid scores (pyramid_counts: the arithmetic)
pairs      preferences among the judgments
preference   preferences between the sources' sentences (preference_sources: whose; preference_pyramid: what annotations
             say; preference_fit: strengths; preference_texts: what a summary takes of them)
wins       duels between summaries
"""
