"""Assessors that are programs: their answers are judgments, and always say that no person gave them."""
