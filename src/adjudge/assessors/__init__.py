"""Assessors that are programs: their answers are judgments, and always say that no person gave them.

assessor    one with known bias, noise, drift and inconsistency, and how such a one answers
simulated   how such assessors fill any protocol
truth       the hidden truth that they answer from
worth       the truth behind preferences between sentences
pyramids    what they make of a pyramid
tasks       what they are given to do
"""
