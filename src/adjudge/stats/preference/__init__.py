"""Preferences between pairs of items: arrays only. Which sentence or system an item is, is not known here.

answers         answers to pairs, as arrays; who won how often; propagation to similar items
bradley_terry   strengths of items, with a bound on their error; duels has the compiled passes over all pairs
models          likelihoods with ties and an effect of position
contrasts       differences of all pairs: tests, intervals, and where there are none
tastes          what assessors' tastes add to variances, where assessors are a sample
wider           differences of all pairs for assessors like those who answered
goodness        whether one strength per item fits, and which items go round
crowd           strengths of items and reliabilities of assessors together
careless        signs that an assessor did not read
next_pair       pairs to ask: at random, or those expected to tell most
"""
