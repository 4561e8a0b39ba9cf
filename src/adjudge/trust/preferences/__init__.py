"""Preferences between sentences, summaries or systems, from asking to reporting: what `adjudge prefer` does.

Asking       pools (what can be compared), sample (which pairs), batches (out to crowd platforms)
Answers      batch_answers and sentence_answers (in), files (bare CSV), judged (a folder's), minutes (the time taken)
Strengths    fitting, fit_tables, arena (systems over topics, whole folders), annotators
Studies      the other modules: what preferences are worth, held against people's rankings
"""
