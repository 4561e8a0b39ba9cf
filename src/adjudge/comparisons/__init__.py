"""Which systems really differ, and how sure can we be: scores in, conclusions out.

scores     Scores, from a folder, a file or a DataFrame: where every analysis starts
tests      the tests of pairs, run and corrected
pairs      all pairs of systems on a measure: ranking, intervals, groups
groups     groups that do not differ, contrasts, comparisons with the best, the critical-difference diagram
topics     how topics differ
lengths    target lengths compared
anova      which factors matter
counts     how many pairs each test finds, and machines that pass for human
plan       how many topics or assessors it takes
simulate   size and power of tests
corpus     measures of a whole corpus

Every analysis is a function of scores and a measure, and gives a frozen result with a table, a headline and sentences.
The mathematics is in stats/.
"""
