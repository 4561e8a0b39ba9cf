"""Correlation by the number of references, topics and assessors."""
