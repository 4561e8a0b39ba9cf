"""Statistics on arrays: rows are topics, columns are systems, NaN is missing; frozen results. No names, no files.

checks       what arrays and options must look like
paired       tests of two columns; the rules for noise and ties; results and their sentences
pairs        the same tests of all pairs of columns;  tests  which of them a name means
effects      how large the differences are;  equivalence  whether they are small enough not to matter
bootstrap    means of columns with intervals
multiple     corrections for many tests
own_variances  all pairs and contrasts, each with its own variance; comparisons with the best
ranks        rank correlation; Kruskal-Wallis, Friedman, Skillings-Mack
order        letters and lines, rank intervals, rankings that are left, critical-difference diagrams
agreement    Krippendorff's alpha; pairs that a measure orders as people do
correlation  of measures with people at the system, input and global level, with intervals

resampling/  random swaps (MC), hybrid bootstrap (HB), exact permutation, clusters of topics, Westfall-Young, max-t
linear/      linear and mixed models, analysis of variance, Tukey's test, contrasts
power/       size and power, searches for topics and differences, simulated scores
preference/  Bradley-Terry strengths, propagation, the next pair, crowds

Modules named *kernels hold compiled functions. They load the compiler, so they are imported where they are called.
"""
