"""Statistics on arrays: rows are topics, columns are systems, NaN is missing. No names.

results     frozen results and their sentences
checks      what arrays must look like; the only place that raises
differences paired differences, their noise, ties and ranks
signed_rank the null distribution of the signed-rank statistic
paired      tests of two columns, and of all pairs of columns
pairs       what a test of all pairs gives: arrays over the pairs
bootstrap   intervals for column means
multiple    corrections for many tests
groups      letters for columns that cannot be told apart
"""
