"""Preferences between pairs of items: arrays only. Which sentence or system an item is, is not known here.

answers         answers to pairs, as arrays; who won how often
propagate       what an answer says of similar items: products of matrices
bradley_terry   strengths of items: `fit`, Zermelo's iteration, the regulariser
newton          the quick way to the maximum, and a bound on how far it is; duels and the kernels go over all pairs
uncertainty     standard errors, and the bootstrap over answers or clusters
crowd           strengths of items and reliabilities of annotators together
clickers        annotators who may not have read what they judged
sampling        pairs to ask, at random
active          pairs to ask next, by what they are expected to tell
"""
