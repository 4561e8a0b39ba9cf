"""Statistics on arrays: rows are topics, columns are systems, NaN is missing. No names.

What they share
  checks        what arrays must look like; the only place that raises
  results       frozen results of single tests, and their sentences
  pairs         what a test of all pairs gives: arrays over the pairs
  differences   paired differences, their noise, ties and ranks
  multiple      corrections for many tests;  westfall_young  (wy_*) all pairs corrected together, by swaps

Pairs
  paired        tests of two columns;  signed_rank  the null distribution of the signed-rank statistic
  allpairs      the same of all pairs of columns, fast (pair_*)
  swaps, hybrid, exact   resampling tests of all pairs (resampling_*);  quantised  scores as whole numbers
  effects       how large the differences are, with intervals (effect_*);  equivalence  who is the same
  cluster       topics that come in clusters

Many systems, many topics
  kruskal, friedman, skillings_mack, blocks   rank tests of groups and blocks
  linear, mixed, anova_*   linear models, tables of variance, variance components
  tukey, contrasts, additive, studentized, maximum   simultaneous comparisons on the model system + topic
  groups, order, diagram   letters, lines, rank intervals, rankings left, critical differences
  ranks         Spearman and Kendall;  krippendorff  agreement

Means and planning
  means, bootstrap (resample)   intervals for column means
  bleu          corpus BLEU from resampled counts
  generate, power_*   simulated matrices, size and power
"""
